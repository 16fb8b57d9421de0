//! An operator's day, from the pairing table to the last result: the round is published, begins late for spectators, is played
//! on eight boards through an illegal move, a lost link, a Lichess that fails, a server that is killed and a daemon
//! that is killed. In the evening the journal, Lichess, the files, the pages without scripts and a relay have the same games.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adoube::drill::LiveBoard;
use adoube_rules::sensor::Side;
use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::{ask, get, moves, stranger};
use crate::lichess::mock::{Fault, Mock, beside};
use crate::nats::server::NatsServer;
use crate::played::{self, Line, Played, demo_game};
use crate::relay::Place;

const SPEED: f64 = 20.0;

/// A minute and a half for spectators.
const DELAY_S: u64 = 90;
const ROUND: &str = "aaaaaaa0";
const BOARDS: usize = 8;

/// The last board, at which a hand of ours plays.
const OURS: usize = 8;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// The longest game, with everything that happens to it.
const ROUND_LASTS: Duration = Duration::from_secs(150);

async fn post(site: &Site, path: &str, body: &str) {
    let answer = ask(site.desk, "POST", path, &["Content-Type: application/json"], body).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
}

async fn rule(site: &Site, ruling: Value) {
    post(site, &format!("/api/v1/boards/{OURS}/rulings"), &ruling.to_string()).await;
}

/// An illegal move, found by the daemon, corrected at the board as the arbiter confirms; then the game ends soon.
async fn our_game(site: &Site, board: &mut LiveBoard) -> Vec<&'static str> {
    board.start_clock();
    for (squares, side) in [("e2e4", Side::White), ("e7e5", Side::Black), ("g1g5", Side::White)] {
        board.play(squares, side).await;
    }
    let record = awaited("the illegal move", PATIENCE, async || {
        let records = get(site.desk, "/api/v1/records?status=open").await.json();
        let records = records.as_array()?;
        records.iter().find(|record| record["type"] == "illegal-move-completed")?["record"].as_u64()
    });
    let record = record.await;
    board.stop_clock();
    rule(site, json!({ "name": "confirm", "record": record })).await;
    board.hands(2_000).await;
    board.carry("g5g1").await;
    for part in ["clock-times", "resume"] {
        let waive = json!({ "name": "waive", "record": record, "part": part, "text": "set by hand" });
        let path = format!("/api/v1/boards/{OURS}/rulings");
        // What has come right by itself cannot be waived any more.
        let headers = ["Content-Type: application/json"];
        let answer = ask(site.desk, "POST", &path, &headers, &waive.to_string()).await;
        assert!([200, 409].contains(&answer.status), "{answer:?}");
    }
    let [white_s, black_s] = board.shows();
    board.set_clock([white_s, black_s + 120], Side::White);
    board.start_clock();
    for (squares, side) in [("g1f3", Side::White), ("b8c6", Side::Black)] {
        board.play(squares, side).await;
    }
    board.stop_clock();
    board.unplug();
    let state = async |state: &str| {
        let seen = async || {
            let path = format!("/api/v1/boards/{OURS}");
            (get(site.desk, &path).await.json()["state"] == state).then_some(())
        };
        awaited(state, PATIENCE, seen).await;
    };
    state("lost").await;
    board.plug_in();
    state("fresh").await;
    board.hands(5_000).await;
    rule(site, json!({ "name": "result", "value": "1/2-1/2" })).await;
    vec!["e2e4", "e7e5", "g1f3", "b8c6"]
}

/// Polls the games' PGN, and finds all of them every time, whole; gives how often.
async fn poll(public: SocketAddr, over: Arc<AtomicBool>) -> usize {
    let mut polled = 0;
    while !over.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(100)).await;
        let answer = stranger(public, "GET", "/pgn/games.pgn", &[], "").await;
        assert!(
            answer.body.starts_with("[Event ") && answer.body.ends_with("\n\n"),
            "half a file: {}",
            answer.body
        );
        let rounds: Vec<&str> = answer
            .body
            .lines()
            .filter(|line| line.starts_with("[Round ") || line.starts_with("[GameId"))
            .collect();
        assert_eq!(answer.body.matches("[Event ").count(), BOARDS, "{rounds:?}");
        polled += 1;
    }
    polled
}

/// The games by name, with their moves and results, as a listener tells them.
async fn told(address: SocketAddr) -> BTreeMap<String, (Vec<String>, String)> {
    let mut games = BTreeMap::new();
    for number in 1..=BOARDS {
        let name = format!("1-{number}");
        let answer = stranger(address, "GET", &format!("/api/v1/games/{name}"), &[], "").await;
        if answer.status == 200 {
            let told = answer.json();
            games.insert(name, (moves(&told), told["result"].as_str().unwrap().to_owned()));
        }
    }
    games
}

/// The moves of a PGN, without its tags and without line breaks.
fn movetext(pgn: &str) -> String {
    let text = pgn.trim().rsplit("]\n\n").next().unwrap_or_default();
    // Lichess is not told of it, and numbers no move anew behind it.
    let text = text.replace("{recovered}", " ");
    text.split_whitespace().filter(|word| !word.ends_with("...")).collect::<Vec<_>>().join(" ")
}

/// The hall, and who watches it from elsewhere.
struct Day {
    site: Site,
    lichess: Mock,
    relay: Place,
    players: Vec<Played>,
    ours: LiveBoard,
}

impl Day {
    async fn new(server: &NatsServer) -> Self {
        let board = |nth: usize| played::board(&demo_game(nth), Noise::Clean, nth as u64 + 1);
        let (players, mut ports): (Vec<Played>, Vec<String>) =
            (0..BOARDS - 1).map(|nth| Played::heard_on_tcp(board(nth), SPEED)).unzip();
        let ours = LiveBoard::new(START, "5400+30".parse().unwrap(), SPEED, reserved_address());
        ports.push(ours.port());
        let site = Site::new(SPEED, &ports);
        site.set(&format!("feed_delay_s = {DELAY_S}\nrounds = \"manual\""));
        site.add_section(&format!("[feeds.nats]\nurl = \"{}\"", server.url()));
        let lichess = beside(&site, &format!("rounds = {{ \"1\" = \"{ROUND}\" }}")).await;
        Self { site, lichess, relay: Place::new(&server.url()), players, ours }
    }

    fn lines(&self, line: Line) {
        for players in &self.players {
            players.line.send_replace(line);
        }
    }

    /// Where spectators look.
    fn public(&self) -> [SocketAddr; 2] {
        [self.site.public, self.relay.address]
    }

    /// The table comes, the round is opened, and everybody sees who plays.
    async fn morning(&self) {
        let rows = (1..=BOARDS).map(|board| format!("1,{board},\"Wit, {board}\",\"Zwart, {board}\"\n"));
        let table: String = ["round,board,white,black\n".to_owned()].into_iter().chain(rows).collect();
        post(&self.site, "/api/v1/pairings", &table).await;
        post(&self.site, "/api/v1/rounds/1/open", "{}").await;
        for address in self.public() {
            let shown = async || {
                let page = stranger(address, "GET", "/round/1", &[], "").await.body;
                (page.matches("href=\"/game/1-").count() == BOARDS).then_some(())
            };
            awaited("the pairings", PATIENCE, shown).await;
        }
        let at_lichess = async || (self.lichess.games(ROUND).len() == BOARDS).then_some(());
        awaited("the pairings at Lichess", PATIENCE, at_lichess).await;
    }

    /// Each game is the same in the file, at Lichess, in the hall, at the relay, and on the pages.
    async fn agree(&self, games: &BTreeMap<String, (Vec<String>, String)>) {
        for address in self.public() {
            awaited("the same games", PATIENCE, async || (&told(address).await == games).then_some(())).await;
        }
        for (name, (_, result)) in games {
            let exported = self.site.adoube(&["export", "--game", name]);
            let exported = movetext(&String::from_utf8(exported.stdout).unwrap());
            assert!(exported.ends_with(result), "{name}: {exported}");
            for address in self.public() {
                let ask = async |path: &str| stranger(address, "GET", path, &[], "").await.body;
                assert_eq!(
                    movetext(&ask(&format!("/api/v1/games/{name}.pgn")).await),
                    exported,
                    "{name} at {address}"
                );
                let page = ask(&format!("/game/{name}")).await;
                let shown = result.replace("1/2", "½").replace('-', "–");
                assert!(page.contains(&format!("<p>{shown}</p>")), "{name} at {address}: {page}");
            }
            let number = name.split_once('-').unwrap().1;
            let at_lichess = async || {
                let games = self.lichess.games(ROUND);
                let pgn = games.values().find(|pgn| pgn.contains(&format!("[White \"Wit, {number}\"]")))?;
                Some(movetext(pgn)).filter(|text| text.ends_with(result))
            };
            assert_eq!(awaited("the game at Lichess", PATIENCE, at_lichess).await, exported, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_evening_everybody_has_the_same_games() {
    let Some(mut server) = NatsServer::start().await else { return };
    let mut day = Day::new(&server).await;
    day.lines(Line::Away);
    let daemon = day.site.start();
    let _relay = day.relay.start().await;
    day.morning().await;

    day.lines(Line::Good);
    let begun = async || day.players.iter().all(|players| players.plies() >= 2).then_some(());
    awaited("moves on all boards", PATIENCE, begun).await;
    daemon.kill();
    let daemon = day.site.start();
    let over = Arc::new(AtomicBool::new(false));
    let polling = tokio::spawn(poll(day.site.public, Arc::clone(&over)));
    let corrected = our_game(&day.site, &mut day.ours).await;
    day.lichess.will(&[
        Fault::Status(502),
        Fault::Dropped,
        Fault::TakenAndDropped,
        Fault::Throttled(Some(1)),
    ]);
    server.kill();
    sleep(Duration::from_secs(2)).await;
    server.restart().await;
    for players in &day.players {
        awaited("the end of a game", ROUND_LASTS, async || players.is_finished().then_some(())).await;
    }

    let ended = async || {
        let games = told(day.site.desk).await;
        (games.len() == BOARDS && games.values().all(|(_, result)| result != "*")).then_some(games)
    };
    let games = awaited("all results", PATIENCE, ended).await;
    let corrected = corrected.into_iter().map(str::to_owned).collect();
    for (number, truth) in (1..).zip(day.players.iter().map(Played::truth).chain([corrected])) {
        assert_eq!(games[&format!("1-{number}")].0, truth, "board {number}");
    }
    day.agree(&games).await;
    over.store(true, Ordering::Relaxed);
    assert!(polling.await.unwrap() > 20, "polled hardly");
    let illegal = day.lichess.pushes().iter().filter(|push| push.text.contains("Ng5")).count();
    assert_eq!(illegal, 0, "what did not stand was pushed");
    assert_eq!(daemon.terminate().await, Some(0));
    day.site.verify();
}
