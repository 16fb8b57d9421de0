//! The files in their folders: where LiveChess has them, whole at any instant, and never stale.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use adoube_rules::pgn::read_games;
use adoube_sim::Noise;
use serde_json::json;
use tokio::task::JoinHandle;

use super::daemon;
use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{game, get};
use crate::played::{self, LONG, Played, demo_game};

/// The files below `folder`, by their paths in it.
fn files(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                files(&entry.path()).into_iter().map(|file| format!("{name}/{file}")).collect()
            } else {
                vec![name]
            }
        })
        .collect()
}

async fn are(folder: &Path, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|&name| name.to_owned()).collect();
    let same = async || (files(folder) == expected).then_some(());
    let reached = tokio::time::timeout(PATIENCE, awaited("the files", PATIENCE * 2, same)).await;
    assert!(reached.is_ok(), "{:?}", files(folder));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_game_is_where_it_belongs_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("pgn");
    // What somebody else put there is not ours.
    std::fs::create_dir_all(pgn.join("round-5")).unwrap();
    std::fs::write(pgn.join("round-5/game-7.pgn"), "[Event \"?\"]\n[GameId \"theirs\"]\n\n*\n").unwrap();
    std::fs::write(pgn.join("round-5/notes.txt"), "[GameId \"spring-open-5-1\"]").unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    let theirs = ["round-5/game-7.pgn", "round-5/notes.txt"];
    for name in ["5-2", "5-1", "free-20260501-3"] {
        hall.open(name);
    }
    let free = ["free-20260501/game-3.pgn", "free-20260501/games.pgn"];
    let fifth = ["round-5/game-1.pgn", "round-5/game-2.pgn", "round-5/games.pgn"];
    are(&pgn, &[&free[..], &fifth, &theirs].concat()).await;
    // The game without a round gets one.
    hall.say(
        "free-20260501-3",
        "game-changed",
        json!({ "round": 5, "number": 3, "white": {}, "black": {}, "result": "*" }),
    );
    are(&pgn, &[&["round-5/game-3.pgn"], &fifth[..], &theirs].concat()).await;
    let round = std::fs::read_to_string(pgn.join("round-5/games.pgn")).unwrap();
    let ids: Vec<&str> = round.lines().filter_map(|line| line.strip_prefix("[GameId \"")).collect();
    assert_eq!(ids, ["spring-open-5-1\"]", "spring-open-5-2\"]", "spring-open-free-20260501-3\"]"]);
    // A second game of a pairing, and then the first does not count any more.
    hall.open("5-2-2");
    are(&pgn, &[&["round-5/game-3.pgn", "round-5/game-2-2.pgn"], &fifth[..], &theirs].concat()).await;
    hall.say("5-2", "game-annulled", json!({ "status": "confirmed" }));
    are(&pgn, &[&["round-5/game-3.pgn"], &fifth[..], &theirs].concat()).await;
    let second = std::fs::read_to_string(pgn.join("round-5/game-2.pgn")).unwrap();
    assert!(second.contains("[GameId \"spring-open-5-2-2\"]"), "{second}");
    daemon.stop().await;
    // A start that knows none of these games takes nothing away.
    let (daemon, _) = super::daemon(folder.path(), true).await;
    daemon.stop().await;
    are(&pgn, &[&["round-5/game-3.pgn"], &fifth[..], &theirs].concat()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_round_alone_is_enough_for_some() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), false).await;
    hall.open("5-2");
    are(&folder.path().join("pgn"), &["round-5/games.pgn"]).await;
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_fails_is_said_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("pgn");
    std::fs::write(&pgn, "no folder").unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    hall.open("5-1");
    let state = || daemon.hall.feeds()[0].clone();
    awaited("the failure", PATIENCE, async || (state().state == "failing").then_some(())).await;
    assert!(state().last_error.unwrap().contains("round-5"), "{:?}", state());
    std::fs::remove_file(&pgn).unwrap();
    are(&pgn, &["round-5/game-1.pgn", "round-5/games.pgn"]).await;
    awaited("health", PATIENCE, async || (state().state == "ok").then_some(())).await;
    daemon.stop().await;
}

/// What Lichess's own uploader would send of a folder: all files but `games.pgn`, in the order of the last number in
/// their names; `games.pgn` only where there is nothing else.
fn uploaded(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = files(folder).into_iter().filter(|name| name.ends_with(".pgn")).collect();
    if names.len() > 1 {
        names.retain(|name| name != "games.pgn");
    }
    let number = |name: &String| -> u32 {
        let mut digits =
            name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok());
        digits.next_back().unwrap_or(0)
    };
    names.sort_by_key(number);
    let texts = names.iter().map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    let games = read_games(texts.collect::<Vec<_>>().join("\n\n").as_bytes()).unwrap();
    games.iter().map(|game| game.tag("GameId").unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uploader_finds_each_game_once_in_the_order_of_the_boards() {
    for per_game in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (daemon, mut hall) = daemon(folder.path(), per_game).await;
        for number in [11, 2, 1] {
            hall.open(&format!("5-{number}"));
        }
        let expected = ["spring-open-5-1", "spring-open-5-2", "spring-open-5-11"];
        let round = folder.path().join("pgn/round-5");
        awaited("the games", PATIENCE, async || (uploaded(&round) == expected).then_some(())).await;
        daemon.stop().await;
    }
}

/// Somebody who reads the files again and again, as uploaders do at every change.
struct Reader {
    stop: Arc<AtomicBool>,
    reads: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Reader {
    /// Reads these files, which are there.
    fn start(files: Vec<PathBuf>) -> Self {
        let (stop, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&reads));
        let task = tokio::task::spawn_blocking(move || {
            while !stopped.load(Ordering::Relaxed) {
                for path in &files {
                    let text = std::fs::read_to_string(path)
                        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    let is_whole = text.starts_with("[Event \"Spring Open\"]\n")
                        && [" *\n\n", "\n*\n\n", " 1-0\n\n"].iter().any(|end| text.ends_with(end));
                    assert!(is_whole, "{}: {text:?}", path.display());
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Self { stop, reads, task }
    }

    async fn stop(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        self.reads.load(Ordering::Relaxed)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reads_half_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let round = folder.path().join("pgn/round-5");
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    for number in 1..=8 {
        hall.open(&format!("5-{number}"));
    }
    let all = async || (round.join("game-8.pgn").exists() && round.join("games.pgn").exists()).then_some(());
    awaited("the files", PATIENCE, all).await;
    let reader = Reader::start(vec![round.join("games.pgn"), round.join("game-3.pgn")]);
    let written = daemon.hall.feeds()[0].delivered;
    for nth in 0..40 {
        for number in 1..=8 {
            hall.play_any(&format!("5-{number}"), nth * 13 + number);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let done = async || {
        let last = hall.hub.with_view(|view| view.game("5-8").unwrap().moves.last().unwrap().san.clone());
        std::fs::read_to_string(round.join("games.pgn")).unwrap().contains(&last).then_some(())
    };
    awaited("the last move", PATIENCE, done).await;
    assert!(reader.stop().await > 100);
    assert!(daemon.hall.feeds()[0].delivered > written + 16, "the files did not change meanwhile");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_outlive_the_daemon_without_a_moment_of_being_away() {
    const SPEED: f64 = 20.0;
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(LONG), Noise::Clean, 1), SPEED);
    let site = Site::new(SPEED, &[port]);
    let running = site.start();
    let name = awaited("a game", PATIENCE, async || game(site.public, "1").await).await;
    let name = name["game"].as_str().unwrap().to_owned();
    let day = site.pgn_folder().join(name.rsplit_once('-').unwrap().0);
    let there = async || (day.join("games.pgn").exists() && day.join("game-1.pgn").exists()).then_some(());
    awaited("its files", PATIENCE, there).await;
    let reader = Reader::start(vec![day.join("games.pgn"), day.join("game-1.pgn")]);
    awaited("some plies", PATIENCE, async || (players.plies() > 10).then_some(())).await;
    running.kill();
    // What an earlier life left of this game, and what somebody else put there.
    let stale = std::fs::read_to_string(day.join("game-1.pgn")).unwrap();
    std::fs::write(day.join("game-9.pgn"), &stale).unwrap();
    std::fs::write(day.join("game-8.pgn"), stale.replace(&name, "theirs")).unwrap();
    let _running = site.start();
    awaited("its removal", PATIENCE, async || (!day.join("game-9.pgn").exists()).then_some(())).await;
    assert!(day.join("game-8.pgn").exists(), "it was not ours");
    let ended = async || {
        let pgn = get(site.public, &format!("/api/v1/games/{name}.pgn")).await.body;
        let file = std::fs::read_to_string(day.join("game-1.pgn")).unwrap();
        (players.plies() > 40 && file == pgn).then_some(())
    };
    awaited("the game in the file", PATIENCE * 2, ended).await;
    assert!(reader.stop().await > 100);
}
