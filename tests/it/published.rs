//! Who plays is public when the round is published, what happens comes after the delay, and one tells nothing of the
//! other.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{Events, ask, game, moves, overhear, stranger};
use crate::lichess::mock::{Mock, beside};
use crate::nats::server::NatsServer;
use crate::played::{self, Line, Played, SHORT, demo_game};
use crate::relay::Place;

const SPEED: f64 = 16.0;
const DELAY_S: u64 = 480;
const LISTEN: Duration = Duration::from_millis(200);
const ROUND: &str = "aaaaaaa0";

/// Two rounds; board 1 has a sensor, board 2 none yet, board 3 is no board of the hall.
const PAIRINGS: &str = "round,board,white,black\n\
    1,1,\"Wit, Anna\",\"Zwart, Bert\"\n1,2,\"Weiss, Carl\",\"Schwarz, Dora\"\n1,3,\"Blanc, Ed\",\"Noir, Fay\"\n\
    2,1,\"Schwarz, Dora\",\"Wit, Anna\"\n";

/// The same with a result that was known before anybody sat down at board 2.
const DECIDED: &str = "round,board,white,black,result\n\
    1,1,\"Wit, Anna\",\"Zwart, Bert\",\n1,2,\"Weiss, Carl\",\"Schwarz, Dora\",1-0\n1,3,\"Blanc, Ed\",\"Noir, Fay\",\n";

fn names(games: &Value) -> BTreeSet<String> {
    let games = games.as_array().unwrap().iter();
    games.map(|game| format!("{} {}", game["game"].as_str().unwrap(), game["white"]["name"])).collect()
}

fn of(games: &[&str]) -> BTreeSet<String> {
    games.iter().map(|&game| game.to_owned()).collect()
}

/// Boards as the public snapshot has them: the name of the game on each, `-` without one.
async fn on_boards(public: SocketAddr) -> Vec<String> {
    let snapshot = Events::open(public, None).await.unwrap().message(PATIENCE).await.json();
    let name = |board: &Value| board["game"]["game"].as_str().unwrap_or("-").to_owned();
    snapshot["boards"].as_array().unwrap().iter().map(name).collect()
}

async fn import(site: &Site, pairings: &str) {
    let imported = ask(site.desk, "POST", "/api/v1/pairings", &[], pairings).await;
    assert_eq!(imported.status, 200, "{imported:?}");
}

async fn open_round(site: &Site, round: u32) {
    let opened = ask(site.desk, "POST", &format!("/api/v1/rounds/{round}/open"), &[], "{}").await;
    assert_eq!(opened.status, 200, "{opened:?}");
}

/// A hall with a delay, whose rounds are opened by hand; a Lichess beside it.
async fn hall(port: String, more: &str) -> (Site, Mock) {
    let site = Site::new(SPEED, &[port, "tcp://127.0.0.1:1".to_owned()]);
    site.set(&format!("feed_delay_s = {DELAY_S}\nrounds = \"manual\"\n{more}"));
    let lichess = beside(&site, &format!("round = \"{ROUND}\"")).await;
    (site, lichess)
}

/// Everything that a spectator can ask for of a round, as it is answered now, without what tells the time of day.
async fn answers(site: &Site) -> BTreeMap<String, String> {
    let mut paths: BTreeSet<String> = BTreeSet::new();
    let document = stranger(site.public, "GET", "/api/v1/openapi.json", &[], "").await.json();
    let real = [("{game}", "1-1"), ("{board}", "1"), ("{record}", "1"), ("{id}", "1"), ("{round}", "1")];
    for path in document["paths"].as_object().unwrap().keys() {
        paths.insert(real.iter().fold(path.clone(), |path, (name, value)| path.replace(name, value)));
    }
    let pages =
        ["/", "/round/1", "/round/2", "/round/9", "/game/1-1", "/game/1-1?embed", "/board/1", "/robots.txt"];
    let files =
        ["/pgn/games.pgn", "/pgn/round-1/games.pgn", "/pgn/round-1/game-1.pgn", "/pgn/round-2/games.pgn"];
    let games = ["/api/v1/games/1-1.pgn", "/api/v1/games/1-1/position.png", "/api/v1/events?moves=last"];
    paths.extend([&pages[..], &files, &games].concat().into_iter().map(str::to_owned));
    let mut answers = BTreeMap::new();
    for path in paths {
        let heard = overhear(site.public, "GET", &path, LISTEN).await;
        let lines = heard.lines().filter(|line| !line.starts_with("date:"));
        let timeless = |line: &str| match line.split_once("\"now\":\"") {
            Some((start, rest)) => format!("{start}{}", rest.split_once('"').unwrap().1),
            None => line.to_owned(),
        };
        answers.insert(path, lines.map(timeless).collect::<Vec<_>>().join("\n"));
    }
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delayed_round_shows_who_plays_and_nothing_of_what_happens() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Light, 1), SPEED);
    players.line.send_replace(Line::Away);
    let (site, lichess) = hall(port, "").await;
    let daemon = site.start();
    let mut stream = Events::open(site.public, None).await.unwrap();
    assert_eq!(stream.message(PATIENCE).await.name, "snapshot");
    import(&site, PAIRINGS).await;
    assert!(tokio::time::timeout(LISTEN, stream.told(PATIENCE)).await.is_err(), "it is not published yet");
    assert_eq!(stranger(site.public, "GET", "/round/1", &[], "").await.status, 404);

    open_round(&site, 1).await;
    let said = stream.told(PATIENCE).await;
    assert_eq!((said.name.as_str(), said.id.as_str()), ("pairings", ""), "it has no number");
    assert_eq!(names(&said.json()["games"]), of(&["1-1 \"Wit, Anna\"", "1-2 \"Weiss, Carl\""]));
    assert_eq!(on_boards(site.public).await, ["1-1", "1-2"]);
    let listed = stranger(site.public, "GET", "/api/v1/games?round=1", &[], "").await.json();
    assert_eq!((&listed[0]["awaited"], &listed[0]["plies"]), (&json!(true), &json!(0)), "{listed}");
    assert_eq!(stranger(site.public, "GET", "/round/1", &[], "").await.status, 200);
    let has_headers =
        async || lichess.games(ROUND).values().any(|game| game.contains("Wit, Anna")).then_some(());
    awaited("the players on Lichess", PATIENCE, has_headers).await;
    let file = site.pgn_folder().join("round-1/games.pgn");
    awaited("the players in a file", PATIENCE, async || file.exists().then_some(())).await;
    let (before, on_lichess, in_file) =
        (answers(&site).await, lichess.games(ROUND), std::fs::read(&file).unwrap());
    assert!(before["/pgn/round-1/games.pgn"].contains("[White \"Weiss, Carl\"]"), "{before:?}");

    let begun = Instant::now();
    players.line.send_replace(Line::Good);
    let has_result = |game: &Value| game["result"] != "*";
    let live = awaited("the result", PATIENCE, async || game(site.desk, "1").await.filter(has_result)).await;
    assert_eq!(moves(&live), players.truth());
    // What the pairings say of a game by now, a round that is over, and a restart tell nothing either.
    import(&site, DECIDED).await;
    let closed = ask(site.desk, "POST", "/api/v1/rounds/1/close", &[], "{}").await;
    assert_eq!(closed.status, 200, "{closed:?}");
    daemon.kill();
    let daemon = site.start();
    awaited("the games", PATIENCE, async || (on_boards(site.public).await == ["1-1", "1-2"]).then_some(()))
        .await;
    let during = answers(&site).await;
    let due = begun + Duration::from_secs_f64(DELAY_S as f64 / SPEED);
    assert!(Instant::now() < due, "too slow a machine");
    for (asked, answer) in &during {
        let (before, answer) = (undated(&before[asked]), undated(answer));
        assert_eq!(answer, before, "{asked}");
    }
    assert_eq!((lichess.games(ROUND), std::fs::read(&file).unwrap()), (on_lichess, in_file));

    let public =
        awaited("the public game", PATIENCE, async || game(site.public, "1").await.filter(has_result)).await;
    assert!(Instant::now() > due);
    assert_eq!((moves(&public), public.get("awaited")), (moves(&live), None));
    let games = stranger(site.public, "GET", "/api/v1/games", &[], "").await.json();
    assert_eq!(names(&games), of(&["1-1 \"Wit, Anna\"", "1-2 \"Weiss, Carl\""]));
    drop(daemon);
}

/// When a game was published is told anew by a start, and is no part of what happens.
fn undated(answer: &str) -> String {
    let mut parts = answer.split("\"opened_at\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('"').map_or("", |(_, rest)| rest));
    // The length, the tag and the epoch of an answer are as different as that.
    let text: String = std::iter::once(first.as_str()).chain(rest).collect();
    text.lines().filter(|line| !line.starts_with("etag:")).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pairings_may_be_public_as_soon_as_they_are_imported_and_corrections_are_too() {
    let (site, _lichess) = hall("tcp://127.0.0.1:2".to_owned(), "publish_pairings = \"at-import\"\n").await;
    let daemon = site.start();
    import(&site, PAIRINGS).await;
    let listed = async || stranger(site.public, "GET", "/api/v1/games", &[], "").await.json();
    let all = ["1-1 \"Wit, Anna\"", "1-2 \"Weiss, Carl\"", "2-1 \"Schwarz, Dora\""];
    assert_eq!(names(&listed().await), of(&all));
    // A board shows what is played on it next, and the current games are not those of the last round.
    assert_eq!(on_boards(site.public).await, ["1-1", "1-2"]);
    import(
        &site,
        "round,board,white,black\n1,1,\"Wit, Anna\",\"Zwart, Bert\"\n1,2,\"Blanc, Ed\",\"Noir, Fay\"\n",
    )
    .await;
    let corrected = ["1-1 \"Wit, Anna\"", "1-2 \"Blanc, Ed\"", "2-1 \"Schwarz, Dora\""];
    assert_eq!(names(&listed().await), of(&corrected));
    let current = stranger(site.public, "GET", "/pgn/games.pgn", &[], "").await.body;
    assert!(current.contains("[Round \"1.1\"]") && !current.contains("[Round \"2.1\"]"), "{current}");
    daemon.kill();
    let _daemon = site.start();
    awaited("the games again", PATIENCE, async || (names(&listed().await) == of(&corrected)).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relays_show_who_plays_too_whenever_they_begin_and_whatever_is_corrected() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, _lichess) = hall("tcp://127.0.0.1:2".to_owned(), "").await;
    site.add_section(&format!("[feeds.nats]\nurl = \"{}\"", server.url()));
    let daemon = site.start();
    let first = Place::new(&server.url());
    let _first = first.start().await;
    import(&site, PAIRINGS).await;
    open_round(&site, 1).await;
    let shows = async |relay: &Place, games: &[&str]| {
        awaited("the games at a relay", PATIENCE, async || {
            let listed = stranger(relay.address, "GET", "/api/v1/games", &[], "").await.json();
            (names(&listed) == of(games)).then_some(())
        })
        .await;
        assert_eq!(on_boards(relay.address).await, ["1-1", "1-2"]);
    };
    let (before, after) =
        (["1-1 \"Wit, Anna\"", "1-2 \"Weiss, Carl\""], ["1-1 \"Wit, Anna\"", "1-2 \"Blanc, Ed\""]);
    shows(&first, &before).await;
    import(
        &site,
        "round,board,white,black\n1,1,\"Wit, Anna\",\"Zwart, Bert\"\n1,2,\"Blanc, Ed\",\"Noir, Fay\"\n",
    )
    .await;
    shows(&first, &after).await;
    // What was published is there without the hall.
    daemon.kill();
    let second = Place::new(&server.url());
    let _second = second.start().await;
    shows(&second, &after).await;
}
