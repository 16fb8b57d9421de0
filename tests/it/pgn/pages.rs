//! PGN over HTTP, as Lichess and other programs ask for it.

use adoube_rules::pgn::read_games;
use serde_json::json;

use super::daemon;
use crate::http::{Answer, get, stranger};

const TYPE: &str = "application/x-chess-pgn; charset=utf-8";

fn ids(answer: &Answer) -> Vec<String> {
    let games = read_games(answer.body.as_bytes()).unwrap();
    games.iter().map(|game| game.tag("GameId").unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_is_one_file_that_is_asked_for_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    let public = daemon.public.unwrap();
    let none = get(public, "/pgn/games.pgn").await;
    assert_eq!((none.status, none.json()["detail"].as_str()), (404, Some("no game has been opened yet")));
    // Lichess looks for games before any has a move.
    for name in ["5-10", "5-2"] {
        hall.open(name);
    }
    let round = get(public, "/pgn/round-5/games.pgn").await;
    assert_eq!((round.status, round.header("content-type")), (200, Some(TYPE)));
    assert_eq!(ids(&round), ["spring-open-5-2", "spring-open-5-10"]);
    assert_eq!(ids(&get(public, "/pgn/round-5/game-10.pgn").await), ["spring-open-5-10"]);
    let tag = round.header("etag").unwrap().to_owned();
    let asked = format!("If-None-Match: {tag}");
    let again = async || stranger(public, "GET", "/pgn/round-5/games.pgn", &[&asked], "").await;
    let same = again().await;
    assert_eq!((same.status, same.header("etag"), same.body.as_str()), (304, Some(tag.as_str()), ""));
    // The game of another round changes nothing here.
    hall.open("4-1");
    hall.play("4-1", "e4");
    assert_eq!(again().await.status, 304);
    hall.play("5-2", "e4");
    let changed = again().await;
    assert_eq!(changed.status, 200);
    assert!(changed.body.contains("\n1. e4 {[%clk 1:29:53]} *\n"), "{changed:?}");
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let head = stranger(public, "HEAD", "/pgn/round-5/games.pgn", &[], "").await;
    assert_eq!((head.status, head.header("etag"), head.body.as_str()), (200, changed.header("etag"), ""));
    assert_eq!(head.header("content-type"), Some(TYPE));
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_current_round_is_that_of_the_game_that_was_opened_last() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    let public = daemon.public.unwrap();
    for (opened, expected) in [
        ("5-1", &["spring-open-5-1"][..]),
        ("free-20260501-1", &["spring-open-free-20260501-1"]),
        ("6-2", &["spring-open-6-2"]),
        ("6-1", &["spring-open-6-1", "spring-open-6-2"]),
    ] {
        hall.open(opened);
        assert_eq!(ids(&get(public, "/pgn/games.pgn").await), expected);
    }
    assert_eq!(ids(&get(public, "/pgn/free-20260501/games.pgn").await), ["spring-open-free-20260501-1"]);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_sent_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    let public = daemon.public.unwrap();
    hall.open("5-1");
    for path in [
        "/pgn",
        "/pgn/",
        "/pgn/round-5",
        "/pgn/round-5/",
        "/pgn/round-5/game-2.pgn",
        "/pgn/round-6/games.pgn",
        "/pgn/../games.pgn",
        "/pgn/%2e%2e/games.pgn",
        "/pgn/round-5/%ff",
    ] {
        let answer = get(public, path).await;
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
    }
    assert_eq!(stranger(public, "POST", "/pgn/games.pgn", &[], "x").await.status, 405);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_desk_strangers_get_what_is_public() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    hall.open("5-1");
    let public = stranger(daemon.desk, "GET", "/pgn/games.pgn", &[], "").await;
    assert_eq!(ids(&public), ["spring-open-5-1"]);
    // The arbiter's own games are those of the desk, where nothing was opened.
    let cookie = format!("Cookie: {}", daemon.hall.admit(adoube::auth::Role::Arbiter, "tester").unwrap());
    assert_eq!(stranger(daemon.desk, "GET", "/pgn/games.pgn", &[&cookie], "").await.status, 404);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tags_say_what_lichess_looks_for() {
    let folder = tempfile::tempdir().unwrap();
    let (daemon, mut hall) = daemon(folder.path(), true).await;
    let player = |name: &str, team: &str| json!({ "name": name, "title": "WGM", "fide_id": 1_234_567, "elo": 2345, "federation": "GRE", "team": team });
    hall.open_with(
        "5-12",
        json!({ "white": player("Ωμέγα", "Red"), "black": player("B, C", "Blue"), "match": { "number": 3, "board": 2 } }),
    );
    hall.play("5-12", "e4");
    hall.clock("5-12", [5_003_999, 36_000_000], Some("black"));
    let public = daemon.public.unwrap();
    let text = get(public, "/pgn/round-5/game-12.pgn").await.body;
    assert_eq!(
        text,
        "[Event \"Spring Open\"]\n[Site \"Þingvellir\"]\n[Date \"2026.05.01\"]\n[Round \"5.3\"]\n[White \"Ωμέγα\"]\n\
         [Black \"B, C\"]\n[Result \"*\"]\n[Board \"2\"]\n[TimeControl \"5400+30\"]\n[WhiteClock \"01:23:23\"]\n\
         [BlackClock \"10:00:00\"]\n[ReferenceTime \"B/2026-05-01T11:22:33.444+00:00\"]\n[WhiteTitle \"WGM\"]\n\
         [WhiteElo \"2345\"]\n[WhiteFideId \"1234567\"]\n[WhiteFederation \"GRE\"]\n[WhiteTeam \"Red\"]\n\
         [BlackTitle \"WGM\"]\n[BlackElo \"2345\"]\n[BlackFideId \"1234567\"]\n[BlackFederation \"GRE\"]\n\
         [BlackTeam \"Blue\"]\n[GameId \"spring-open-5-12\"]\n\n1. e4 {[%clk 1:29:53]} *\n\n"
    );
    // Nobody's clock runs: nobody shall count on.
    hall.clock("5-12", [5_003_999, 36_000_000], None);
    let text = get(public, "/pgn/round-5/game-12.pgn").await.body;
    assert!(text.contains("[WhiteClock \"01:23:23\"]") && !text.contains("ReferenceTime"), "{text}");
    // The game is over: the moves' own times are the last.
    hall.end("5-12", "1-0");
    let text = get(public, "/pgn/round-5/game-12.pgn").await.body;
    assert!(!text.contains("WhiteClock") && text.contains("[Result \"1-0\"]"), "{text}");
    daemon.stop().await;
}
