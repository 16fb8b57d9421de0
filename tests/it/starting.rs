//! A start that takes a while: nobody has to wait for it to be rid of it.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use tokio::time::Instant;

use crate::children::Ended;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::service::notify::Manager;

/// A server that takes connections and says nothing is waited for at the start, but not by who ends it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_a_start_within_a_second() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = Site::new(1.0, &[]);
    site.add_section(&format!("[feeds.nats]\nurl = \"nats://{}\"", silent.local_addr().unwrap()));
    let manager = Manager::of(&site);
    let mut command = manager.run(&site);
    let mut child = Ended(command.stdout(Stdio::piped()).stderr(site.log_file()).spawn().unwrap());
    awaited("a start under way", PATIENCE, async || site.log().contains("configuration: ").then_some(()))
        .await;
    // Whoever waits for it is told that it goes on.
    let told = manager.hears("EXTEND_TIMEOUT_USEC=60000000").await;
    assert_eq!(told, "EXTEND_TIMEOUT_USEC=60000000\nSTATUS=asking NATS how far it is\n");
    let is_in_log = async || site.log().contains("starting: asking NATS how far it is").then_some(());
    awaited("a line in the log", PATIENCE, is_in_log).await;
    let told = Instant::now();
    let id = child.0.id().to_string();
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    let status = loop {
        match child.0.try_wait().unwrap() {
            Some(status) => break status,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
        assert!(told.elapsed() < Duration::from_secs(10), "it does not end");
    };
    assert!(told.elapsed() < Duration::from_secs(1), "{:?}", told.elapsed());
    assert_eq!(status.code(), Some(0));
    let log = site.log();
    assert!(log.contains("stopped before it had started"), "{log}");
}
