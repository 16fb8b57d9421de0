//! The broadcast delay: what is public is what stood on the boards so long ago, and nothing of what is live
//! can be had before its time, by whatever way.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use adoube::daemon::{Daemon as InProcess, Settings};
use adoube::feed::delay::Delays;
use adoube_core::pairings;
use adoube_core::station::Open;
use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, PATIENCE, Site, awaited, reserved_address};
use crate::http::{Events, ask, game, moves, overhear, stranger};
use crate::lichess::mock::beside;
use crate::nats::server::NatsServer;
use crate::played::{self, Played, SHORT, demo_game};

/// A disk that takes a second now and then is one of sixteen to the hall, which is as long as a board may be silent.
const SPEED: f64 = 16.0;
/// Six minutes are 22 seconds at that speed, and the short game eight.
const DELAY_S: u64 = 360;

/// A stream has said its first by then.
const LISTEN: Duration = Duration::from_millis(200);

fn board(seed: u64) -> (Played, String) {
    Played::on_tcp(played::board(&demo_game(SHORT), Noise::Light, seed), SPEED)
}

/// Everything that strangers can ask for: the paths of both documents, of the pages, and of `game`.
async fn paths(site: &Site, game: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from(["/", "/watch", "/robots.txt"].map(str::to_owned));
    for address in [site.public, site.desk] {
        let document = stranger(address, "GET", "/api/v1/openapi.json", &[], "").await.json();
        all.extend(document["paths"].as_object().unwrap().keys().cloned());
    }
    let day = game.rsplit_once('-').unwrap().0;
    all.extend([format!("/pgn/{day}/games.pgn"), format!("/pgn/{day}/game-1.pgn")]);
    let pages = ["/pgn/games.pgn", "/game/{game}", "/game/{game}?embed", "/round/1"];
    let games = ["/api/v1/games/{game}.pgn", "/api/v1/games/{game}/position.png?ply=1"];
    all.extend(pages.into_iter().chain(games).chain(["/api/v1/events?moves=last"]).map(str::to_owned));
    let real = [("{game}", game), ("{board}", "1"), ("{record}", "1"), ("{id}", "1"), ("{round}", "1")];
    all.into_iter()
        .map(|path| real.iter().fold(path, |path, (name, value)| path.replace(name, value)))
        .collect()
}

/// What a stranger is answered, without what tells the time.
async fn answers(site: &Site, paths: &BTreeSet<String>) -> BTreeMap<(SocketAddr, String), String> {
    let mut answers = BTreeMap::new();
    for address in [site.public, site.desk] {
        for path in paths {
            let heard = overhear(address, "GET", path, LISTEN).await;
            answers.insert((address, path.clone()), timeless(&heard));
        }
    }
    answers
}

fn timeless(answer: &str) -> String {
    let lines = answer.lines().filter(|line| !line.starts_with("date:"));
    lines.map(|line| without(line, "\"now\":\"", '"')).collect::<Vec<_>>().join("\n")
}

/// `line` without what stands between `before` and `end`.
fn without(line: &str, before: &str, end: char) -> String {
    let Some((start, rest)) = line.split_once(before) else { return line.to_owned() };
    let (_, rest) = rest.split_once(end).unwrap();
    format!("{start}{before}{end}{rest}")
}

/// The names of the files in the folder for PGN.
fn files(site: &Site) -> Vec<String> {
    let Ok(folders) = std::fs::read_dir(site.pgn_folder()) else { return Vec::new() };
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// A hall with one board, whose game has ended; nothing of it may be public yet.
async fn played_out(site: &Site, players: &Played) -> Value {
    awaited("the end of play", PATIENCE, async || players.is_finished().then_some(())).await;
    awaited("the result", PATIENCE, async || game(site.desk, "1").await.filter(|game| game["result"] != "*"))
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_live_can_be_had_from_any_public_route_before_its_time() {
    let (players, port) = board(1);
    let site = Site::new(SPEED, &[port]);
    site.set(&format!("feed_delay_s = {DELAY_S}"));
    let _daemon = site.start();
    let opened = awaited("the game", PATIENCE, async || game(site.desk, "1").await).await;
    let opened_at = Instant::now();
    let name = opened["game"].as_str().unwrap().to_owned();
    let paths = paths(&site, &name).await;
    let before = answers(&site, &paths).await;
    let mut stream = Events::open(site.public, None).await.unwrap();
    let snapshot = stream.message(PATIENCE).await.json();
    assert_eq!(snapshot["delay_s"], DELAY_S);

    let live = played_out(&site, &players).await;
    assert_eq!(moves(&live), players.truth());
    let during = answers(&site, &paths).await;
    let due = opened_at + Duration::from_secs_f64(DELAY_S as f64 / SPEED);
    assert!(Instant::now() < due, "too slow a machine: the walk took longer than the delay");
    for (asked, answer) in &during {
        assert_eq!(Some(answer), before.get(asked), "{asked:?}");
    }
    assert_eq!(files(&site), [""; 0]);
    let quiet = tokio::time::timeout_at(due - Duration::from_secs(1), stream.message(PATIENCE));
    let said = quiet.await;
    assert!(said.is_err(), "{said:?}");

    // Later it is all there, as it was.
    let public = awaited("the public game", PATIENCE, async || {
        game(site.public, "1").await.filter(|game| game["result"] != "*")
    })
    .await;
    assert!(Instant::now() > due);
    assert_eq!(moves(&public), moves(&live));
    assert_eq!(public["moves"], live["moves"]);
    awaited("the files", PATIENCE, async || (!files(&site).is_empty()).then_some(())).await;
    let after = answers(&site, &paths).await;
    assert_ne!(after, before);
}

/// The clock of a page that is behind has to be behind, too: it goes on from the time of the last reading.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectators_are_told_the_time_that_they_are_shown() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    site.set(&format!("feed_delay_s = {DELAY_S}"));
    let _daemon = site.start();
    let mut now = Vec::new();
    for address in [site.public, site.desk] {
        let snapshot = Events::open(address, None).await.unwrap().message(PATIENCE).await.json();
        now.push(
            adoube_rules::stamp::Stamp::parse_utc(snapshot["now"].as_str().unwrap()).unwrap() / 1_000_000,
        );
    }
    let behind_ms = now[1] - now[0];
    let delay_ms = i64::try_from(DELAY_S * 1_000).unwrap();
    assert!((delay_ms..delay_ms + 5_000).contains(&behind_ms), "{behind_ms}");
}

/// A result, its correction and a restart wait like moves: what is on disk is not out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_lets_nothing_out_early_and_loses_nothing() {
    let (players, port) = board(2);
    let site = Site::new(SPEED, &[port]);
    site.set(&format!("feed_delay_s = {DELAY_S}"));
    let daemon = site.start();
    let live = played_out(&site, &players).await;
    let ruling = json!({ "name": "change-result", "value": "1/2-1/2" }).to_string();
    assert_eq!(ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &ruling).await.status, 200);
    daemon.kill();
    let daemon = site.start();
    assert_eq!(game(site.public, "1").await, None);
    let changed = |game: &Value| game["result"] == "1/2-1/2";
    let public =
        awaited("the changed result", PATIENCE, async || game(site.public, "1").await.filter(changed)).await;
    assert_eq!(moves(&public), moves(&live));
    // What is out stays out, and is not said again.
    let mut stream = Events::open(site.public, None).await.unwrap();
    let last = stream.message(PATIENCE).await.id;
    // How far it went is noted with the next commit, a twentieth of a second later.
    sleep(LISTEN).await;
    daemon.kill();
    let _daemon = site.start();
    let again = game(site.public, "1").await.unwrap();
    assert_eq!(moves(&again), moves(&live));
    assert_eq!(again["result"], "1/2-1/2");
    let mut stream = Events::open(site.public, Some(&last)).await.unwrap();
    let last: u64 = last.rsplit_once('-').unwrap().1.parse().unwrap();
    // What the board said when it was found again has its own time.
    if let Ok(next) = tokio::time::timeout(LISTEN, stream.message(PATIENCE)).await {
        assert_eq!(next.number(), last + 1);
    }
}

/// A board with a delay of its own holds up no other, whoever plays first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_board_may_be_late_and_another_not() {
    let ((late, late_port), (prompt, prompt_port)) = (board(3), board(4));
    let site = Site::new(SPEED, &[late_port, prompt_port]);
    site.change("id = \"1\"\n", &format!("id = \"1\"\nfeed_delay_s = {DELAY_S}\n"));
    let daemon: Daemon = site.start();
    let snapshot = Events::open(site.public, None).await.unwrap().message(PATIENCE).await;
    // From the first event on, although boards do not wait for whoever looks.
    let (epoch, _) = snapshot.id.rsplit_once('-').unwrap();
    let mut stream = Events::open(site.public, Some(&format!("{epoch}-0"))).await.unwrap();
    let snapshot = snapshot.json();
    assert_eq!((&snapshot["delay_s"], &snapshot["boards"][0]["delay_s"]), (&json!(0), &json!(DELAY_S)));
    assert_eq!(snapshot["boards"][1].get("delay_s"), None);
    let ended = |game: &Value| game["result"] != "*";
    let public =
        awaited("the prompt game", PATIENCE, async || game(site.public, "2").await.filter(ended)).await;
    assert_eq!(moves(&public), prompt.truth());
    let live = awaited("the late game", PATIENCE, async || game(site.desk, "1").await.filter(ended)).await;
    assert_eq!(moves(&live), late.truth());
    assert_eq!(game(site.public, "1").await, None);
    let public =
        awaited("the late game in public", PATIENCE, async || game(site.public, "1").await.filter(ended))
            .await;
    assert_eq!(moves(&public), moves(&live));
    // The stream said every public event once, though not in the order of their numbers.
    let mut numbers = Vec::new();
    while let Ok(message) = tokio::time::timeout(LISTEN, stream.message(PATIENCE)).await {
        numbers.push(message.number());
    }
    assert!(!numbers.is_sorted(), "{numbers:?}");
    let all: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(all.len(), numbers.len(), "nothing twice");
    assert_eq!(all.iter().copied().collect::<Vec<_>>(), (1..=numbers.len() as u64).collect::<Vec<_>>());
    drop(daemon);
}

/// At another delay spectators would see a game at its new board before they saw it leave the old one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_of_an_open_round_stays_with_boards_that_are_equally_late() {
    let folder = tempfile::tempdir().unwrap();
    let port = "tcp://127.0.0.1:1";
    let boards = ["1", "2", "3"].map(|board| (Open::new(board, "dgt", port), port.parse().unwrap()));
    let delays = Delays { usual_s: 0, boards: BTreeMap::from([("1".to_owned(), 900)]) };
    let settings = Settings {
        boards: boards.into(),
        delays,
        ..Settings::new(folder.path().join("journal"), reserved_address())
    };
    let daemon = InProcess::start(settings).await.unwrap();
    let hall = &daemon.hall;
    let table =
        "round,board,white,black\n1,1,\"A, A\",\"B, B\"\n1,2,\"C, C\",\"D, D\"\n1,3,\"E, E\",\"F, F\"\n";
    hall.import(pairings::read("round-1.csv", table.as_bytes()).unwrap(), None).await.unwrap();
    // Before the round anything goes.
    hall.assign("2", "1-1", None).await.unwrap();
    hall.assign("1", "1-1", None).await.unwrap();
    hall.open_round(1, None).await.unwrap();
    let refused = hall.assign("2", "1-1", None).await.unwrap_err().to_string();
    assert!(refused.contains("another delay"), "{refused}");
    hall.assign("2", "1-3", None).await.unwrap();
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_lichess_nor_the_public_stream_gets_anything_before_its_time() {
    const ROUND: &str = "aaaaaaa0";
    let Some(server) = NatsServer::start().await else { return };
    let (players, port) = board(5);
    let site = Site::new(SPEED, &[port]);
    site.set(&format!("feed_delay_s = {DELAY_S}"));
    let lichess = beside(&site, &format!("round = \"{ROUND}\"")).await;
    site.add_section(&format!("[feeds.nats]\nurl = \"{}\"", server.url()));
    let _daemon = site.start();
    awaited("the game", PATIENCE, async || game(site.desk, "1").await).await;
    let due = Instant::now() + Duration::from_secs_f64(DELAY_S as f64 / SPEED);
    played_out(&site, &players).await;
    // The private stream is not late, which shows that it could have been there by now.
    let has_all = async || (server.contents("ADOUBE_PRIVATE").await.len() > 60).then_some(());
    awaited("the private stream", PATIENCE, has_all).await;
    tokio::time::sleep_until(due - Duration::from_secs(2)).await;
    assert_eq!(lichess.games(ROUND), BTreeMap::new());
    let early: Vec<String> =
        server.contents("ADOUBE_PUBLIC").await.into_iter().map(|stored| stored.line).collect();
    assert!(Instant::now() < due, "too slow a machine");
    // What the clock showed before the game is as old as it.
    assert!(early.iter().all(|line| line.contains("\"type\":\"clock-read\"")), "{early:?}");
    let has_result = async || {
        let games = lichess.games(ROUND);
        games.values().any(|game| game.contains("[Result \"1-0\"]")).then_some(())
    };
    awaited("the result on Lichess", PATIENCE, has_result).await;
    assert!(Instant::now() > due);
    let late = server.contents("ADOUBE_PUBLIC").await;
    assert!(late.iter().filter(|stored| stored.line.contains("\"type\":\"move-made\"")).count() >= 33);
}
