//! A journal that is an old copy of itself: no number stands for two events.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tokio::time::sleep;

use super::server::{NatsServer, Stored};
use super::{Truth, ended_whole, hall, is_played_out, stands};
use crate::daemon::{PATIENCE, Site};
use crate::http::get;
use crate::played::{LONG, Played};

const SPEED: f64 = 10.0;
/// Takes the place of `to` with what is in `from`.
fn copy(from: &Path, to: &Path) {
    drop(std::fs::remove_dir_all(to));
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.to_str().unwrap().ends_with("-shm") {
            std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}

/// A game that is played on after its journal was copied; the copy then takes the journal's place.
async fn started_from_a_copy(server: &NatsServer) -> (Site, Played) {
    let (site, players) = hall(LONG, SPEED, &server.url(), "sensed = true");
    let backup = site.path().join("backup");
    let daemon = site.start();
    sleep(Duration::from_secs(2)).await;
    daemon.kill();
    copy(&site.journal, &backup);
    let daemon = site.start();
    sleep(Duration::from_secs(4)).await;
    assert!(!players.is_finished(), "the copy is to be older");
    daemon.kill();
    copy(&backup, &site.journal);
    (site, players)
}

fn epoch(stored: &Stored) -> String {
    stored.id.rsplit_once('-').unwrap().0.to_owned()
}

/// Each number of an epoch is there once, there are two epochs, and the second is the journal as it is now.
async fn is_told_apart(site: &Site, server: &NatsServer) {
    let truth = Truth::of(site);
    for (stream, truth) in [("ADOUBE_PUBLIC", &truth.public), ("ADOUBE_PRIVATE", &truth.private)] {
        let stored = server.contents(stream).await;
        let ids: BTreeSet<&str> = stored.iter().map(|stored| stored.id.as_str()).collect();
        assert_eq!(ids.len(), stored.len(), "{stream}: a number stands for two events");
        let epochs: BTreeSet<String> = stored.iter().map(epoch).collect();
        assert_eq!(epochs.len(), 2, "{stream}");
        let last = epoch(stored.last().unwrap());
        let now: Vec<u64> =
            stored.iter().filter(|stored| epoch(stored) == last).map(Stored::number).collect();
        let expected: Vec<u64> = truth.iter().map(|(number, _)| *number).collect();
        assert_eq!(now, expected, "{stream}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_copy_of_a_journal_begins_a_new_epoch_before_anything_is_shown() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = started_from_a_copy(&server).await;
    let daemon = site.start();
    let said = site.log();
    assert!(said.contains("it is an old copy of itself"), "{said}");
    is_played_out(&site, &players, &server, PATIENCE).await;
    ended_whole(&site, daemon, &server).await;
    is_told_apart(&site, &server).await;
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_copy_is_found_out_when_the_server_answers_later() {
    let Some(mut server) = NatsServer::start().await else { return };
    let (site, players) = started_from_a_copy(&server).await;
    server.kill();
    let daemon = site.start();
    let before = get(site.desk, "/api/v1/feeds").await;
    assert_eq!(before.status, 200);
    server.restart().await;
    is_played_out(&site, &players, &server, PATIENCE).await;
    stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
    ended_whole(&site, daemon, &server).await;
    is_told_apart(&site, &server).await;
    site.verify();
}
