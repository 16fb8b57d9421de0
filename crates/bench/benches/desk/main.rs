//! The desk of a thousand boards: `cargo bench -p adoube-bench --bench desk`, explained in docs/performance.md.
//!
//! A hall with a thousand games in progress, two hundred events a second, the router that the daemon has, and
//! Chromium with the list of boards. An arbiter's keys are pressed, one after the other; the page itself
//! measures how long each takes until the next frame, and until what was asked for is shown, which may have to
//! be fetched. It exits with 1 if the slowest twentieth of the first is not below a tenth of a second.
//!
//! `-- --quick` is a shorter run of the same.

// A benchmark is about time, and what goes wrong in it ends it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod hall;
mod hands;
mod page;

// What the tests drive their pages with.
#[allow(dead_code)]
#[path = "../../../../tests/it/browser/driver.rs"]
mod browser;
#[allow(dead_code)]
#[path = "../../../../tests/it/children.rs"]
mod children;
#[allow(dead_code)]
#[path = "../../../../tests/it/daemon.rs"]
mod daemon;
#[allow(dead_code)]
#[path = "../../../../tests/it/depth.rs"]
mod depth;
#[allow(dead_code)]
#[path = "../../../../tests/it/http.rs"]
mod http;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use adoube::auth::Role;
use adoube::daemon::{Daemon, Settings};
use adoube::feed::hub::{DeskHub, Moves};

use browser::Browser;
use hall::Hall;
use page::{Measured, Page};

const BOARDS: usize = 1_000;
/// Plies that each game has when the page is opened.
const PLIES: usize = 40;
/// Events, each second.
const RATE: u32 = 200;
/// An interaction feels immediate below this.
const IMMEDIATE_MS: f64 = 100.0;
/// Snapshots of which the median counts.
const SNAPSHOTS: usize = 9;

#[tokio::main]
async fn main() -> ExitCode {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let Some(browser) = Browser::start().await else {
        eprintln!("there is no chromedriver here; install chromium and chromium-driver");
        return ExitCode::from(2);
    };
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(settings(folder.path())).await.unwrap();
    let hub = Arc::clone(&daemon.hall.desk);
    let mut hall = Hall::new(BOARDS, PLIES);
    hall.opening().iter().for_each(|event| hub.push(event));
    println!("{BOARDS} boards, {PLIES} plies each, {} records open", hall.open());
    snapshots(&daemon);

    let cookie = daemon.hall.admit(Role::Arbiter, "measured").unwrap();
    let page = Page::open(&browser, daemon.desk, &cookie, BOARDS).await;
    println!("opened in {:.0} ms, longest task {:.0} ms", page.opened_ms, page.take_tasks().await.longest_ms);

    let stop = Arc::new(AtomicBool::new(false));
    let feed = tokio::spawn(fed(hub, hall, Arc::clone(&stop)));
    // The stream runs before anybody does anything.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (before, started) = (page.applied().await, Instant::now());
    let mut all = Vec::new();
    for interaction in hands::script(if is_quick { 1 } else { 3 }) {
        all.push((interaction.name, page.measure(&interaction).await));
    }
    let applied = (page.applied().await - before) / started.elapsed().as_secs_f64();
    let tasks = page.take_tasks().await;
    stop.store(true, Ordering::Relaxed);
    let hall = feed.await.unwrap();
    page.shows(&hall.standing()).await;

    let framed = report("until the next frame", &all, |measured| measured.framed_ms);
    report("until it is shown", &all, |measured| measured.shown_ms);
    println!("{applied:.0} events/s applied by the page; every row shows the last of them");
    println!("{} tasks over 50 ms, longest {:.0} ms", tasks.count, tasks.longest_ms);
    println!("memory: {}", page.memory().await);
    browser.close().await;
    daemon.stop().await;
    ExitCode::from(u8::from(framed >= IMMEDIATE_MS))
}

/// A hall without boards of its own: what happens comes from here.
fn settings(folder: &Path) -> Settings {
    Settings::new(folder.join("journal"), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
}

/// What a snapshot of the hall costs the daemon, as the list asks for it.
fn snapshots(daemon: &Daemon) {
    let mut bytes = 0;
    let mut times: Vec<Duration> = (0..SNAPSHOTS)
        .map(|_| {
            let started = Instant::now();
            bytes = daemon.hall.desk.snapshot(&daemon.hall.about(), Moves::Last).text().len();
            started.elapsed()
        })
        .collect();
    times.sort();
    println!("snapshot: {bytes} bytes, {:.1} ms", times[SNAPSHOTS / 2].as_secs_f64() * 1_000.0);
}

/// Lets events out at the rate, until `stop`; gives the hall back as it then stands.
async fn fed(hub: Arc<DeskHub>, mut hall: Hall, stop: Arc<AtomicBool>) -> Hall {
    let mut tick = tokio::time::interval(Duration::from_secs(1) / RATE);
    while !stop.load(Ordering::Relaxed) {
        tick.tick().await;
        hub.push(&hall.next());
    }
    hall
}

/// Prints how long interactions took, by name; gives the slowest twentieth of all.
fn report(title: &str, all: &[(&str, Measured)], time: impl Fn(&Measured) -> f64) -> f64 {
    let names: BTreeSet<&str> = all.iter().map(|(name, _)| *name).collect();
    println!("\n{title} (ms)      n    p50    p95    max");
    let row = |name: &str, chosen: &dyn Fn(&str) -> bool| {
        let mut times: Vec<f64> =
            all.iter().filter(|(name, _)| chosen(name)).map(|(_, measured)| time(measured)).collect();
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        println!("{name:24} {:4} {:6.0} {:6.0} {:6.0}", times.len(), at(50), at(95), at(100));
        at(95)
    };
    for name in names {
        row(name, &|other| other == name);
    }
    row("all", &|_| true)
}
