//! A disk that is full: the games go on, everybody is told, and once there is room again nothing of
//! it is missing.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adoube_sim::Noise;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::daemon::{PATIENCE, Site, awaited, skip};
use crate::http::{Events, Message, ask, game, get, moves};
use crate::played::{self, LONG, Played, SHORT, demo_game};
use crate::slowed::{Slowed, WRITES};

const SPEED: f64 = 10.0;

/// A small disk, gone with this value.
struct Disk {
    folder: TempDir,
}

impl Disk {
    /// A disk of 8 MiB, room for the journal of a few games; `None` if we may not have one.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(folder.path());
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        is_mounted.then_some(Self { folder })
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    fn filler(&self) -> PathBuf {
        self.folder.path().join("filler")
    }

    /// Leaves no byte free.
    fn fill(&self) {
        let mut file = File::options().create(true).append(true).open(self.filler()).unwrap();
        for size in [65_536, 4_096, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Whoever still has a file open there keeps it; the name goes all the same.
        let _left = Command::new("umount").arg("--lazy").arg(self.folder.path()).output();
    }
}

/// Fails unless nothing more fits onto the disk of `folder`.
fn assert_full(folder: &Path) {
    assert!(std::fs::write(folder.join("probe"), [0; 4_096]).is_err(), "there is room");
    std::fs::remove_file(folder.join("probe")).unwrap();
}

/// What a new viewer is told of the journal.
async fn journal_state(site: &Site) -> String {
    let mut events = Events::open(site.desk, None).await.unwrap();
    events.message(PATIENCE).await.json()["journal"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_survived_and_healed() {
    let Some(disk) = Disk::new() else {
        skip("a disk of its own can only be had by root");
        return;
    };
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 2), SPEED);
    let site = Site::with_journal(SPEED, &[port], &disk.journal());
    let daemon = site.start();
    let mut desk = Events::open(site.desk, None).await.unwrap();
    let mut said: Vec<Message> = Vec::new();
    awaited("a few plies", PATIENCE, async || (players.plies() >= 6).then_some(())).await;
    disk.fill();
    assert_full(disk.folder.path());
    while said.last().is_none_or(|message| message.name != "journal-degraded") {
        said.push(desk.message(PATIENCE).await);
    }
    assert_eq!(journal_state(&site).await, "degraded");
    let ready = get(site.desk, "/readyz").await;
    assert_eq!((ready.status, &ready.json()["reason"]), (503, &json!("degraded")), "{ready:?}");
    // What comes while it is full is held, and something comes with the next move.
    let is_counted = async || {
        let counted = get(site.desk, "/metrics").await.body;
        assert!(counted.contains("\nadoube_journal_degraded 1\n"), "{counted}");
        assert!(!counted.contains("\nadoube_journal_failures_total 0\n"), "{counted}");
        (!counted.contains("\nadoube_journal_held_inputs 0\n")).then_some(())
    };
    awaited("inputs held", PATIENCE, is_counted).await;
    assert_eq!(get(site.desk, "/healthz").await.status, 200, "a full disk is no reason to end the games");
    // Whoever rules now is told that it is made, and that it is not safe.
    let path = "/api/v1/boards/1/rulings";
    let note = ask(site.desk, "POST", path, &[], r#"{"name":"note","text":"while it is full"}"#).await;
    assert_eq!(note.status, 503);
    assert!(note.body.contains("was made") && note.body.contains("not on disk"), "{note:?}");
    let plies = players.plies();
    let goes_on = async || game(site.public, "1").await.filter(|game| moves(game).len() >= plies + 3);
    awaited("the game going on", PATIENCE, goes_on).await;
    assert_eq!(journal_state(&site).await, "degraded");

    std::fs::remove_file(disk.filler()).unwrap();
    while said.last().is_none_or(|message| message.name != "journal-gap") {
        said.push(desk.message(PATIENCE).await);
    }
    assert_eq!(journal_state(&site).await, "ok");
    assert_eq!(get(site.desk, "/readyz").await.status, 200);
    let finished = async || game(site.desk, "1").await.filter(|game| game["result"] == "1-0");
    assert_eq!(moves(&awaited("the result", PATIENCE, finished).await), players.truth());
    tell_apart(&site, &said);
    assert_eq!(site.exported().iter().filter(|line| line.contains("while it is full")).count(), 1);
    // The journal is about itself, and no board.
    let boards = get(site.desk, "/api/v1/boards").await.json();
    assert_eq!(
        boards.as_array().unwrap().iter().map(|board| &board["board"]).collect::<Vec<_>>(),
        [&json!("1")]
    );

    let name = finished_game(&site).await;
    daemon.kill();
    site.verify();
    let _daemon = site.start();
    assert_eq!(finished_game(&site).await, name, "{}", site.log());
    let note = ask(site.desk, "POST", path, &[], r#"{"name":"note","text":"x"}"#).await;
    assert_eq!(note.status, 200);
}

/// Numbers that were said and never written are not given out again: the next life has a new epoch.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_dies_with_a_full_disk_is_not_said_again_as_something_else() {
    let Some(disk) = Disk::new() else {
        skip("a disk of its own can only be had by root");
        return;
    };
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 3), SPEED);
    let site = Site::with_journal(SPEED, &[port], &disk.journal());
    let daemon = site.start();
    let mut desk = Events::open(site.desk, None).await.unwrap();
    awaited("a few plies", PATIENCE, async || (players.plies() >= 4).then_some(())).await;
    disk.fill();
    let mut last = desk.message(PATIENCE).await;
    while !(last.name == "move-made" && last.data.contains("\"durable\":false")) {
        last = desk.message(PATIENCE).await;
    }
    daemon.kill();
    std::fs::remove_file(disk.filler()).unwrap();
    let _daemon = site.start();
    let mut desk = Events::open(site.desk, Some(&last.id)).await.unwrap();
    let anew = desk.message(PATIENCE).await;
    assert_eq!(anew.name, "resync", "{last:?}\n{}", site.log());
    assert_ne!(anew.id.split('-').next(), last.id.split('-').next(), "{last:?}\n{}", site.log());
    let gap = async || site.exported().into_iter().find(|line| line.contains("\"journal-gap\""));
    let gap: Value = serde_json::from_str(&awaited("the gap", PATIENCE, gap).await).unwrap();
    assert!(gap["seq"].as_u64().unwrap() > last.number(), "{gap} after {last:?}");
    assert!(gap["last_lost"].as_u64().unwrap() >= last.number(), "{gap}");
    // The game goes on all the same, and what was lost of it is read off the board.
    let result = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    let finished = awaited("the result", PATIENCE, result).await;
    assert_eq!(moves(&finished), players.truth(), "{}", site.log());
    let opened = site.exported().iter().filter(|line| line.contains("\"type\":\"game-opened\"")).count();
    assert_eq!(opened, 1, "{}", site.log());
    let verified = site.adoube(&["verify"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
}

/// Each write of the journal takes its time, and then none comes back for fifteen seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_disk_loses_nothing() {
    let games = [(SHORT, Noise::Light), (LONG, Noise::Clean), (LONG, Noise::Light)];
    let (players, ports): (Vec<Played>, Vec<String>) = (1..)
        .zip(games)
        .map(|(seed, (nth, noise))| Played::heard_on_tcp(played::board(&demo_game(nth), noise, seed), SPEED))
        .unzip();
    let site = Site::new(SPEED, &ports);
    let daemon = site.start();
    awaited("a few plies", PATIENCE, async || (players[1].plies() >= 4).then_some(())).await;
    for (delay_ms, seconds) in [(1, 3), (20, 3), (300, 4), (2_000, 5), (15_000, 15), (1, 2)] {
        let delay = Duration::from_millis(delay_ms);
        let Some(mut slowed) = Slowed::threads(&daemon, "journal", WRITES, delay) else { return };
        sleep(Duration::from_secs(1)).await;
        let before = site.exported().len();
        sleep(Duration::from_secs(seconds - 1)).await;
        assert!(delay_ms < 15_000 || site.exported().len() == before, "it is not slow");
        if !slowed.holds() {
            skip("strace may not slow down a thread of another process");
            return;
        }
        drop(slowed);
        sleep(Duration::from_millis(300)).await;
    }
    for (board, players) in (1..).zip(&players) {
        let over = async || {
            let game = game(site.public, &board.to_string()).await?;
            (players.is_finished() && game["result"] != "*").then_some(game)
        };
        let finished = awaited("the result", 2 * PATIENCE, over).await;
        assert_eq!(moves(&finished), players.truth(), "board {board}\n{}", site.log());
    }
    assert_eq!(journal_state(&site).await, "ok");
    let numbers: Vec<u64> = site.exported().iter().map(|line| seq(line)).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(!site.exported().iter().any(|line| line.contains("\"journal-gap\"")), "{}", site.log());
    daemon.kill();
    site.verify();
}

fn seq(line: &str) -> u64 {
    serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap()
}

async fn finished_game(site: &Site) -> Value {
    get(site.public, "/api/v1/games").await.json()[0].clone()
}

/// What was said in between says that it is not durable; the journal has all of it in the end, as it
/// was said.
fn tell_apart(site: &Site, said: &[Message]) {
    let stored: Vec<Value> = site.exported().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let gap = said.last().unwrap().json();
    let range = gap["first_seq"].as_u64().unwrap()..=gap["last_seq"].as_u64().unwrap();
    assert_eq!((&gap["lost_events"], &gap["lost_inputs"]), (&json!(0), &json!(0)), "{gap}");
    let mut held = 0;
    for message in said.iter().filter(|message| message.name != "snapshot") {
        let mut event = message.json();
        let is_held = range.contains(&message.number());
        assert_eq!(
            event.as_object_mut().unwrap().remove("durable"),
            is_held.then_some(json!(false)),
            "{message:?}"
        );
        assert_eq!(stored[message.number() as usize - 1], event);
        held += usize::from(is_held);
    }
    assert!(held > 10, "{held} events while the disk was full");
    assert!(
        said.iter().any(|message| message.name == "move-made" && message.data.contains("\"durable\":false"))
    );
}
