//! What viewers get: the desk everything, the public nothing but what is public, nobody anything
//! twice, and nobody who reads nothing holds up the others.

use adoube_rules::Position as _;
use std::time::Duration;

use adoube_core::event::PublicEvent;
use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::time::{Instant, timeout};

use crate::daemon::{Daemon, PATIENCE, Site, awaited};
use crate::http::{self, Events, Heard, Message, ask, get, known};
use crate::played::{self, LONG, Played, SHORT, demo_game};

const SPEED: f64 = 40.0;

/// A daemon with a board on which a short game is played.
fn hall(noise: Noise) -> (Site, Played) {
    hall_with(SHORT, noise)
}

fn hall_with(game: usize, noise: Noise) -> (Site, Played) {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(game), noise, 1), SPEED);
    (Site::new(SPEED, &[port]), players)
}

/// The same, with the game played to its end, and everything that both streams said about it.
async fn played_out(noise: Noise) -> (Site, Daemon, Played, Vec<Message>, Vec<Message>) {
    let (site, players) = hall(noise);
    let daemon = site.start();
    let listen = async |address| {
        let mut events = Events::open(address, None).await.unwrap();
        let mut messages = Vec::new();
        loop {
            let message = events.message(PATIENCE).await;
            let is_end = message.name == "game-over";
            messages.push(message);
            if is_end {
                return messages;
            }
        }
    };
    let (desk, public) = tokio::join!(listen(site.desk), listen(site.public));
    (site, daemon, players, desk, public)
}

/// Every key of an object and of the objects in it.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            found.push(key.clone());
            keys(value, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_public_stream_has_nothing_private_and_no_gaps() {
    let (site, _daemon, players, desk, public) = played_out(Noise::Heavy).await;
    for messages in [&desk, &public] {
        assert_eq!(messages[0].name, "snapshot");
        for (before, after) in messages.iter().zip(&messages[1..]) {
            assert_eq!(after.number(), before.number() + 1);
            assert_eq!(after.json()["type"], after.name.as_str());
        }
    }
    let private =
        ["seq", "record", "readings", "first_ms", "serial", "port", "age_ms", "flags", "counter", "by_end"];
    for message in &public {
        let mut found = Vec::new();
        keys(&message.json(), &mut found);
        let leaks: Vec<&String> = found.iter().filter(|key| private.contains(&key.as_str())).collect();
        assert!(leaks.is_empty(), "{leaks:?} in {message:?}");
        let is_public = || PublicEvent::read(message.json().to_string().as_bytes()).is_ok();
        assert!(message.name == "snapshot" || is_public(), "{message:?}");
    }
    let snapshot = public[0].json();
    assert_eq!((&snapshot["desk"], &snapshot["boards"][0]["state"]), (&json!(false), &Value::Null));
    assert_eq!(get(site.public, "/api/v1/boards").await.json()[0]["state"], Value::Null);
    assert_eq!(get(site.desk, "/api/v1/boards").await.json()[0]["state"], "fresh");
    // The desk saw the hands at work, and both saw the same moves.
    assert!(desk.iter().filter(|message| message.name == "piece-lifted").count() >= players.truth().len());
    let made = |messages: &[Message]| -> Vec<Value> {
        let made = messages.iter().filter(|message| message.name.starts_with("move-made"));
        made.map(|message| message.json()["uci"].clone()).collect()
    };
    assert_eq!(made(&desk), made(&public));
    // Rulings are made at the desk alone.
    let ruling =
        ask(site.public, "POST", "/api/v1/boards/1/rulings", &[], r#"{"name":"note","text":"x"}"#).await;
    assert_eq!(ruling.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_back_gets_what_he_missed_or_everything_anew() {
    let (site, _daemon, _players, desk, _) = played_out(Noise::Light).await;
    let first_of = async |after: &str| {
        let mut events = Events::open(site.desk, Some(after)).await.unwrap();
        events.message(PATIENCE).await
    };
    let missed = &desk[desk.len() - 5];
    let last = desk.last().unwrap();
    assert_eq!(first_of(&desk[desk.len() - 6].id).await, *missed);
    let resume = desk.len() - 6;
    let mut events = Events::open(site.desk, Some(&desk[resume].id)).await.unwrap();
    for message in &desk[resume + 1..] {
        assert_eq!(events.message(PATIENCE).await, *message);
    }
    let epoch = last.id.rsplit_once('-').unwrap().0;
    for unknown in ["", "nonsense", "0-0", "elsewhere-3", &format!("{epoch}-999999"), &format!("{epoch}-x")] {
        let message = first_of(unknown).await;
        assert_eq!(message.name, "resync", "{unknown}");
        assert!(message.number() >= last.number());
        assert_eq!(message.json()["boards"][0]["game"]["moves"].as_array().map(Vec::len), Some(33));
    }
    // Notes make the journal long enough.
    let mut number = last.number();
    while number <= 257 {
        let note =
            ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], r#"{"name":"note","text":"x"}"#).await;
        assert_eq!(note.status, 200);
        number += 1;
    }
    let far = async || {
        let message = first_of(&format!("{epoch}-0")).await;
        (message.name == "resync").then_some(message)
    };
    let message = awaited("resync for who is far behind", PATIENCE, far).await;
    assert!(message.number() > 256);
    assert_eq!(message.id, format!("{epoch}-{}", message.number()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quiet_stream_shows_that_it_lives_and_a_reader_of_nothing_is_closed() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let daemon = site.start();
    let mut events = Events::open(site.public, None).await.unwrap();
    assert_eq!(events.message(PATIENCE).await.name, "snapshot");
    let begun = Instant::now();
    let heard = timeout(Duration::from_secs(16), events.next()).await.expect("a comment within 15 s");
    assert!(matches!(heard, Heard::Comment), "{heard:?}");
    assert!(begun.elapsed() > Duration::from_secs(10), "a comment is for quiet times");
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_takes_nothing_is_closed_and_others_go_on() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let _daemon = site.start();
    // A window so small that the answer does not fit into what the system keeps for a reader.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut stuck = socket.connect(site.desk).await.unwrap();
    let known = known(site.desk).unwrap();
    let request = format!("GET /api/v1/events HTTP/1.0\r\nHost: localhost\r\n{known}\r\n\r\n");
    stuck.write_all(request.as_bytes()).await.unwrap();
    let mut others = Events::open(site.desk, None).await.unwrap();
    assert_eq!(others.message(PATIENCE).await.name, "snapshot");
    // Notes as long as they may be, until more is on its way than all buffers hold.
    let note = json!({ "name": "note", "text": "x".repeat(16_000) }).to_string();
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut notes = 0;
    let mut is_closed = false;
    while !is_closed {
        assert!(begun.elapsed() < PATIENCE, "still open after {notes} notes");
        let asked = Instant::now();
        assert_eq!(ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &note).await.status, 200);
        loop {
            if others.message(PATIENCE).await.name == "ruled" {
                break;
            }
        }
        slowest = slowest.max(asked.elapsed());
        notes += 1;
        is_closed = established(stuck.local_addr().unwrap().port(), site.desk.port()) == 0;
    }
    assert!(begun.elapsed() > Duration::from_secs(9), "closed after {:?}", begun.elapsed());
    assert!(slowest < Duration::from_secs(2), "another viewer waited {slowest:?}");
    // What was on its way comes, not all of it, and then the end.
    let mut rest = Vec::new();
    let _broken_off = timeout(PATIENCE, stuck.read_to_end(&mut rest)).await.expect("an end");
    assert!(rest.len() < notes * 16_000, "{} bytes of {notes} notes", rest.len());
}

/// How many sockets of the daemon's side of this connection stand, as the system lists them.
pub(crate) fn established(viewer: u16, server: u16) -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let (local, remote) = (format!(":{server:04X}"), format!(":{viewer:04X}"));
    let is_it = |line: &&str| {
        let mut fields = line.split_whitespace().skip(1);
        let (from, to, state) = (fields.next(), fields.next(), fields.next());
        from.is_some_and(|from| from.ends_with(&local))
            && to.is_some_and(|to| to.ends_with(&remote))
            && state == Some("01")
    };
    table.lines().filter(is_it).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_get_boards_games_and_pgn() {
    let (site, _daemon, players, desk, _) = played_out(Noise::Clean).await;
    let name = desk.last().unwrap().json()["game"].as_str().unwrap().to_owned();
    for address in [site.desk, site.public] {
        let boards = get(address, "/api/v1/boards").await.json();
        assert_eq!((&boards[0]["board"], &boards[0]["game"]), (&json!("1"), &json!(name)));
        let games = get(address, "/api/v1/games").await.json();
        assert_eq!((&games[0]["game"], &games[0]["plies"]), (&json!(name), &json!(33)));
        let game = get(address, &format!("/api/v1/games/{name}")).await.json();
        assert_eq!(http::moves(&game), players.truth());
        assert_eq!(game["result"], "1-0");
        let path = format!("/api/v1/games/{name}.pgn");
        let pgn = get(address, &path).await;
        assert_eq!(pgn.header("content-type"), Some("application/x-chess-pgn; charset=utf-8"));
        assert!(pgn.body.contains("[Site \"Þingvellir\"]"), "{}", pgn.body);
        assert_eq!(moves_of(&pgn.body), players.truth());
        let tag = pgn.header("etag").unwrap();
        let again = ask(address, "GET", &path, &[&format!("If-None-Match: {tag}")], "").await;
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag)));
        let other = ask(address, "GET", &path, &["If-None-Match: \"0\""], "").await;
        assert_eq!((other.status, other.body), (200, pgn.body));
        for path in ["/api/v1/games/5-99", "/api/v1/games/5-99.pgn", "/api/v2/", "/api/v1/boards/9"] {
            let answer = get(address, path).await;
            assert_eq!(answer.status, 404, "{path}");
            assert!(answer.json()["detail"].is_string(), "{path}");
        }
    }
    let unknown = get(site.desk, "/api/v1/games/5-99").await.json();
    assert_eq!(unknown["detail"], "no game is called \"5-99\"; /api/v1/games lists them");
}

/// The moves of the first game of a PGN file.
fn moves_of(pgn: &str) -> Vec<String> {
    let game = adoube_rules::pgn::read_games(pgn.as_bytes()).unwrap().remove(0);
    assert_eq!(game.fault, None);
    let mut position = game.start;
    let mut moves = Vec::new();
    for mv in game.moves {
        moves.push(position.played(mv).uci());
        position = position.play(mv);
    }
    moves
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_answers_its_own_pages_only() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    site.set_web("names = [\"hall.example\"]");
    let _daemon = site.start();
    let port = site.desk.port();
    for (status, foreign) in [
        (421, vec!["Host: evil.example".to_owned()]),
        (421, vec![format!("Host: evil.example:{port}")]),
        (403, vec![format!("Host: 127.0.0.1:{port}"), "Origin: http://evil.example".to_owned()]),
        (403, vec![format!("Host: 127.0.0.1:{port}"), "Origin: null".to_owned()]),
    ] {
        let headers: Vec<&str> = foreign.iter().map(String::as_str).collect();
        for (method, path) in [("GET", "/"), ("GET", "/api/v1/boards"), ("POST", "/api/v1/boards/1/rulings")]
        {
            assert_eq!(
                ask(site.desk, method, path, &headers, "{}").await.status,
                status,
                "{foreign:?} {path}"
            );
        }
    }
    let own = [format!("Host: localhost:{port}"), format!("Origin: http://localhost:{port}")];
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    assert_eq!(ask(site.desk, "GET", "/api/v1/boards", &own, "").await.status, 200);
    // The public pages answer to no other names either.
    assert_eq!(ask(site.public, "GET", "/", &["Host: chess.example"], "").await.status, 421);
    for host in ["Host: localhost", "Host: hall.example", "Host: Hall.Example:8064"] {
        assert_eq!(ask(site.public, "GET", "/", &[host], "").await.status, 200, "{host}");
        assert_eq!(ask(site.desk, "GET", "/", &[host], "").await.status, 200, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rulings_are_carried_out_refused_or_corrected() {
    // A game that is not over before the arbiter has spoken, though the machine be slow.
    let (site, players) = hall_with(LONG, Noise::Clean);
    let _daemon = site.start();
    let rule = async |board: &str, body: &str| {
        let answer = ask(site.desk, "POST", &format!("/api/v1/boards/{board}/rulings"), &[], body).await;
        (answer.status, answer.json()["detail"].as_str().unwrap_or_default().to_owned())
    };
    let refused = rule("1", r#"{"name":"change-result","value":"1-0"}"#).await;
    assert_eq!((refused.0, refused.1.contains("cannot apply")), (409, true), "{}", refused.1);
    let begun = async || (players.plies() >= 4).then_some(());
    awaited("a few plies", PATIENCE, begun).await;
    assert_eq!(
        rule("9", r#"{"name":"note","text":"x"}"#).await,
        (404, "no board is called \"9\"".to_owned())
    );
    let wrong = [
        (422, r#"{"name":"reslt","value":"1-0"}"#, "did you mean \"result\"?"),
        (422, r#"{"name":"result","valeu":"1-0"}"#, "it takes value, basis"),
        (422, r#"{"name":"result"}"#, "needs the argument \"value\""),
        (422, r#"["result"]"#, "it has to be an object"),
        (422, "7", "an object with a \"name\""),
        (422, r#"{"name":"note","text":"x","by":{}}"#, "\"by\" of \"note\" has to be a text"),
        (400, "{", "not JSON"),
    ];
    for (expected, body, reason) in wrong {
        let (status, error) = rule("1", body).await;
        assert_eq!((status, error.contains(reason)), (expected, true), "{body}: {error}");
    }
    assert_eq!(rule("1", r#"{"name":"note","text":"hello"}"#).await.0, 200);
    assert_eq!(rule("1", r#"{"name":"result","value":"2-0"}"#).await.0, 422);
    assert_eq!(rule("1", r#"{"name":"result","value":"1/2-1/2","by":"arbiter"}"#).await.0, 200);
    let (status, error) = rule("1", r#"{"name":"result","value":"1-0"}"#).await;
    assert_eq!((status, error.contains("use \"change-result\"")), (409, true), "{error}");
    let drawn = async || http::game(site.public, "1").await.filter(|game| game["result"] == "1/2-1/2");
    awaited("the draw in public", PATIENCE, drawn).await;
    assert_eq!(rule("1", r#"{"name":"change-result","value":"0-1","by":"arbiter"}"#).await.0, 200);
    let changed = async || http::game(site.public, "1").await.filter(|game| game["result"] == "0-1");
    awaited("the changed result in public", PATIENCE, changed).await;
    // Refused rulings leave no trace; the others are in the journal, and it replays.
    site.verify();
    let ruled: Vec<Value> = site
        .exported()
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["type"] == "ruled")
        .collect();
    assert_eq!(ruled.len(), 3);
    assert_eq!((&ruled[0]["name"], &ruled[0]["text"]), (&json!("note"), &json!("hello")));
    assert_eq!((&ruled[1]["name"], &ruled[1]["by"]), (&json!("result"), &json!("tester")));
}

/// A refused ruling comes at any moment, also when a timer is due: the journal must replay all the
/// same, so that the game goes on after a restart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_rulings_change_nothing_that_a_restart_could_stumble_over() {
    let (site, players) = hall(Noise::Light);
    let daemon = site.start();
    let mut refusals = 0;
    while players.plies() < 20 {
        let ruling = r#"{"name":"change-result","value":"1-0"}"#;
        let answer = ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], ruling).await;
        assert_eq!(answer.status, 409);
        refusals += 1;
    }
    assert!(refusals > 100, "{refusals}");
    daemon.kill();
    site.verify();
    let _daemon = site.start();
    assert!(!site.log().contains("starts afresh"), "{}", site.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pgn_files_are_replaced_as_a_whole_and_say_what_the_pages_say() {
    let (site, players) = hall(Noise::Clean);
    let daemon = site.start();
    let file = async || {
        let folder = std::fs::read_dir(site.pgn_folder()).ok()?.next()?.ok()?.path();
        let path = folder.join("games.pgn");
        path.exists().then_some(path)
    };
    let path = awaited("a PGN file", PATIENCE, file).await;
    // Whenever somebody reads, there is a whole game: tags, moves and a termination marker.
    let whole = async || {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("[Event \"Spring Open\"]\n") && text.ends_with("\n\n"), "{text}");
        let moves = moves_of(&text);
        // A machine that stands still for a second misses plies, whose order nobody knows then.
        if !text.contains("{recovered}") {
            assert_eq!(moves, players.truth()[..moves.len()]);
        }
        (text.contains("[Result \"1-0\"]") && moves.len() == 33).then_some(text)
    };
    let text = awaited("the whole game in the file", PATIENCE, whole).await;
    let game = http::game(site.public, "1").await.unwrap();
    let name = game["game"].as_str().unwrap();
    let pgn = get(site.public, &format!("/api/v1/games/{name}.pgn")).await.body;
    assert_eq!(moves_of(&pgn), moves_of(&text));
    assert_eq!(pgn, text);
    let exported = site.adoube(&["export", "--pgn"]);
    assert_eq!(String::from_utf8(exported.stdout).unwrap(), text);
    assert_eq!(daemon.terminate().await, Some(0));
    // Nothing half-written lies about.
    let mut names: Vec<_> =
        std::fs::read_dir(path.parent().unwrap()).unwrap().flatten().map(|file| file.file_name()).collect();
    names.sort();
    assert_eq!(names, ["game-1.pgn", "games.pgn"]);
    // What another version has written, in words of its own, is passed over and said; it is handed out as it was
    // written, and the moves are none the worse.
    let stored = site.exported();
    let journal = rusqlite::Connection::open(site.journal.join("0001.db")).unwrap();
    let foreign =
        "UPDATE event SET json = replace(json, '\"running\":', '\"going\":7,\"running\":7,\"was\":')
        WHERE type = 'clock-read'";
    assert!(journal.execute(foreign, []).unwrap() > 0);
    let exported = site.adoube(&["export", "--pgn"]);
    assert_eq!(String::from_utf8(exported.stdout).unwrap(), text);
    let said = String::from_utf8(exported.stderr).unwrap();
    assert!(said.starts_with("adoube: event ") && said.contains(" is passed over: "), "{said}");
    let changed: Vec<(String, String)> =
        stored.into_iter().zip(site.exported()).filter(|(before, after)| before != after).collect();
    assert!(!changed.is_empty() && changed.iter().all(|(_, after)| after.contains("\"going\":7")));
}
