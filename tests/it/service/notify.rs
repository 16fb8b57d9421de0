//! What the daemon tells a service manager: when it is there, that it lives, and when it goes.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rstest::rstest;
use serde_json::json;
use tokio::net::{TcpListener, UnixDatagram};
use tokio::time::{Instant, sleep, timeout};

use crate::daemon::{PATIENCE, Site, awaited, reserved_address, skip};
use crate::http::{get, stranger};
use crate::slowed::{STOPPED, Slowed};

/// The manager waits so long for a sign of life: it gets one every second then.
const WATCHDOG: Duration = Duration::from_secs(2);

/// A service manager's ear.
pub(crate) struct Manager {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Manager {
    pub(crate) fn of(site: &Site) -> Self {
        let path = site.path().join("notify");
        Self { socket: UnixDatagram::bind(&path).unwrap(), path }
    }

    /// The command as the manager runs it.
    pub(crate) fn run(&self, site: &Site) -> Command {
        let mut command = site.command();
        command.env("NOTIFY_SOCKET", &self.path).env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string());
        command
    }

    /// What it is told next, if anything is in that time.
    async fn told(&self, patience: Duration) -> Option<String> {
        let mut bytes = [0; 4_096];
        let count = timeout(patience, self.socket.recv(&mut bytes)).await.ok()?.unwrap();
        Some(String::from_utf8(bytes[..count].to_vec()).unwrap())
    }

    /// Waits until it is told something with `line` in it; gives all of that.
    pub(crate) async fn hears(&self, line: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline - Instant::now();
            let told = self.told(left).await.unwrap_or_else(|| panic!("{line} was not said"));
            if told.lines().any(|own| own == line) {
                return told;
            }
        }
    }
}

/// One board at which nobody is, and one that takes everything and says nothing.
async fn dead_boards() -> (Vec<String>, TcpListener) {
    let silent = TcpListener::bind(reserved_address()).await.unwrap();
    let ports =
        vec![format!("tcp://{}", reserved_address()), format!("tcp://{}", silent.local_addr().unwrap())];
    (ports, silent)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_ready_when_it_can_be_asked_and_lives_whatever_its_boards_do() {
    let (ports, _silent) = dead_boards().await;
    let site = Site::new(1.0, &ports);
    let manager = Manager::of(&site);
    let starting = tokio::task::spawn_blocking({
        let command = manager.run(&site);
        let site = std::sync::Arc::new(site);
        move || (site.start_as(command).0, site)
    });
    manager.hears("READY=1").await;
    let (daemon, site) = starting.await.unwrap();
    let ready = stranger(site.desk, "GET", "/readyz", &[], "").await;
    assert_eq!((ready.status, ready.json()), (200, json!({ "ready": true })), "{ready:?}");
    // Five signs of life, no more often than every second.
    let began = Instant::now();
    let first = manager.hears("WATCHDOG=1").await;
    let boards = "STATUS=2 boards: 0 fresh, 0 stale, 2 lost, 0 waiting; journal ok";
    let mut heard = first.lines().any(|line| line == boards);
    for _ in 0..4 {
        let told = manager.hears("WATCHDOG=1").await;
        heard |= told.lines().any(|line| line == boards);
    }
    assert!(heard, "{boards} was not said");
    assert!(began.elapsed() > Duration::from_millis(3_900), "{:?}", began.elapsed());
    daemon.signal("-HUP");
    let told = manager.hears("RELOADING=1").await;
    assert!(told.contains("\nMONOTONIC_USEC="), "{told}");
    manager.hears("READY=1").await;
    daemon.signal("-TERM");
    manager.hears("STOPPING=1").await;
    assert_eq!(daemon.ended().await, Some(0), "{}", site.log());
}

/// The journal's thread, that which shows what is committed, and the runtime, which answers nobody then.
#[rstest]
#[case::journal("journal", true)]
#[case::showing("showing", true)]
#[case::runtime("tokio-rt-worker", false)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_gives_no_sign_of_life_while_a_part_of_it_hangs(#[case] thread: &str, #[case] is_answering: bool) {
    let site = Site::new(1.0, &[]);
    let manager = Manager::of(&site);
    let (daemon, _) = site.start_as(manager.run(&site));
    manager.hears("WATCHDOG=1").await;
    let Some(mut stopped) = Slowed::threads(&daemon, thread, "all", STOPPED) else { return };
    // One may be on its way.
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(3) {
        manager.told(Duration::from_millis(200)).await;
    }
    if !stopped.holds() {
        skip("strace may not hold a thread of another process");
        return;
    }
    assert_eq!(manager.told(Duration::from_secs(8)).await, None, "a sign of life");
    if is_answering {
        let health = get(site.desk, "/healthz").await;
        assert_eq!((health.status, health.json()), (503, json!({ "alive": false })), "{health:?}");
        let ready = get(site.desk, "/readyz").await;
        assert_eq!((ready.status, &ready.json()["reason"]), (503, &json!("stuck")), "{ready:?}");
    }
    // And it lives again once the disk does.
    drop(stopped);
    manager.hears("WATCHDOG=1").await;
    assert_eq!(get(site.desk, "/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_stops_within_five_seconds_and_at_once_when_told_twice() {
    for is_told_twice in [false, true] {
        let site = Site::new(1.0, &[]);
        let (daemon, _) = site.start_as(site.command());
        let Some(mut stopped) = Slowed::threads(&daemon, "journal", "all", STOPPED) else { return };
        sleep(Duration::from_millis(500)).await;
        if !stopped.holds() {
            skip("strace may not hold a thread of another process");
            return;
        }
        let began = Instant::now();
        daemon.signal("-TERM");
        if is_told_twice {
            sleep(Duration::from_millis(300)).await;
            daemon.signal("-TERM");
        }
        let gone =
            async || (!site.log().is_empty() && site.log().contains("stopped without waiting")).then_some(());
        awaited("the end", Duration::from_secs(8), gone).await;
        // It is held by what holds its thread until that lets go.
        drop(stopped);
        assert_eq!(daemon.ended().await, Some(1), "{}", site.log());
        let took = began.elapsed();
        let expected = if is_told_twice { 0..2 } else { 4..7 };
        assert!(expected.contains(&took.as_secs()), "{is_told_twice}: {took:?}\n{}", site.log());
        // What it had said is there, as after a loss of power.
        site.verify();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_cannot_start_is_never_ready() {
    let site = Site::new(1.0, &[]);
    let _first = site.start();
    let manager = Manager::of(&site);
    let mut command = manager.run(&site);
    // The journal is in use.
    command.env("RUNTIME_DIRECTORY", site.path().join("elsewhere")).stderr(site.log_file());
    let status = tokio::task::spawn_blocking(move || command.status().unwrap()).await.unwrap();
    assert_eq!(status.code(), Some(2), "{}", site.log());
    while let Some(told) = manager.told(Duration::from_millis(200)).await {
        assert!(!told.contains("READY=1") && !told.contains("WATCHDOG=1"), "{told}");
    }
}
