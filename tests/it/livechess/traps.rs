//! What programs trip over that were written for LiveChess itself, one by one.

use adoube_rules::sensor::Side;
use adoube_sim::Noise;

use super::*;
use crate::http::ask;
use crate::played::{self, Played, SHORT, demo_game};

/// Programs compare ids strictly, and find answers by the text in front of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ids_come_back_as_they_were_in_compact_text() {
    let (_site, address, _daemon, _board) = hall(ARRAY, "").await;
    let mut program = Program::connect(address).await;
    for id in ["1", "\"1\"", "36", "-7", "1.5", "18446744073709551615", "null", "\"\"", "[1]"] {
        program.send(format!(r#"{{"call":"eboards","id":{id}}}"#)).await;
        let text = program.next().await.unwrap();
        let begin = format!(r#"{{"response":"call","id":{id},"param":[{{"serialnr":""#);
        assert!(text.starts_with(&begin), "{text}");
        assert!(!text.contains(": ") && text.contains(r#"}],"time":1"#), "{text}");
    }
    program.send(r#"{"call":"eboards"}"#).await;
    assert_eq!(program.message().await["id"], Value::Null);
    let sources = program.call("sources", json!("s"), Value::Null).await;
    let device = &sources["param"][0]["device"];
    let keys: Vec<&String> = sources["param"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["type", "device", "name", "present", "active", "status"]);
    assert!(device.as_str().unwrap().starts_with("127.0.0.1:"), "{sources}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_by_http_is_the_text_that_live_chess_writes() {
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    let port = board.port();
    board.start_clock();
    let run = async || Some(eboards(address).await[0]["clock"].clone()).filter(|clock| clock["run"] == true);
    awaited("a running clock", PATIENCE, run).await;
    board.stop_clock();
    let stopped =
        async || Some(eboards(address).await[0]["clock"].clone()).filter(|clock| clock["run"].is_null());
    let clock = awaited("a stopped clock", PATIENCE, stopped).await;
    let answer = stranger(address, "GET", "/api/v1.0/eboards", &[], "").await;
    assert!(answer.header("content-type").unwrap().starts_with("application/json"), "{answer:?}");
    let [white, black, time] = ["white", "black", "time"].map(|key| clock[key].as_u64().unwrap());
    let source = port.strip_prefix("tcp://").unwrap();
    let serialnr = answer.json()[0]["serialnr"].as_str().unwrap().to_owned();
    assert!(serialnr.parse::<u64>().is_ok(), "{serialnr}");
    let expected = format!(
        "[ {{\n  \"serialnr\" : \"{serialnr}\",\n  \"source\" : \"{source}\",\n  \"state\" : \"ACTIVE\",\n  \
         \"battery\" : null,\n  \"comment\" : null,\n  \"board\" : \"{ARRAY}\",\n  \"flipped\" : false,\n  \
         \"clock\" : {{\n    \"white\" : {white},\n    \"black\" : {black},\n    \"run\" : null,\n    \
         \"time\" : {time}\n  }}\n}} ]"
    );
    assert_eq!(answer.body, expected);
    assert!((5_420..=5_430).contains(&white) && black == 5_430, "{white} {black}");
}

/// A page that takes the first board throws without a list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hall_without_boards_has_an_empty_list() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let address = set_up(&site, "");
    let _daemon = site.start();
    answers(address).await;
    // A board that never answered is there, with a number that is always the same.
    let boards = eboards(address).await;
    let expected = json!([{ "serialnr": "9997487868", "source": null, "state": "INACTIVE", "battery": null,
        "comment": null, "board": null, "flipped": false, "clock": null }]);
    assert_eq!(boards, expected);
    let mut program = Program::connect(address).await;
    assert_eq!(program.subscribe("9997487868").await, json!({ "serialnr": "9997487868", "flipped": false }));

    let folder = tempfile::tempdir().unwrap();
    let mut settings = adoube::daemon::Settings::new(folder.path().to_owned(), reserved_address());
    let address = reserved_address();
    settings.feeds.livechess = Some(feed(address));
    let daemon = adoube::daemon::Daemon::start(settings).await.unwrap();
    answers(address).await;
    assert_eq!(stranger(address, "GET", "/api/v1.0/eboards", &[], "").await.body, "[ ]");
    let mut program = Program::connect(address).await;
    assert_eq!(program.call("eboards", json!(1), Value::Null).await["param"], json!([]));
    daemon.stop().await;
    assert_eq!(program.next().await, None, "a hall that closes ends its conversations");
}

fn feed(address: SocketAddr) -> adoube::web::livechess::LiveChess {
    let origins = adoube::web::livechess::Origins::new(&["*".to_owned()]);
    adoube::web::livechess::LiveChess { address, undelayed: false, origins, first: None }
}

/// Pages follow the first board, whichever it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wanted_board_stands_first() {
    let site = Site::new(1.0, &[1, 2, 3].map(|port| format!("tcp://127.0.0.1:{port}")));
    let address = set_up(&site, "first = \"2\"");
    let _daemon = site.start();
    answers(address).await;
    let number = |board: &str| {
        let numbers = json!({ "1": "9997487868", "2": "9532372501", "3": "9020744290" });
        numbers[board].as_str().unwrap().to_owned()
    };
    let order = |boards: &Value| -> Vec<String> {
        boards
            .as_array()
            .unwrap()
            .iter()
            .map(|board| board["serialnr"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(order(&eboards(address).await), ["2", "1", "3"].map(number));
    let asked = stranger(address, "GET", "/api/v1.0/eboards?board=3", &[], "").await;
    assert_eq!(order(&asked.json()), ["3", "1", "2"].map(number));
    let mut program = Program::try_connect(address, "/api/v1.0?board=3", None).await.unwrap();
    let boards = program.call("eboards", json!(1), Value::Null).await;
    assert_eq!(order(&boards["param"]), ["3", "1", "2"].map(number));
    let unknown = stranger(address, "GET", "/api/v1.0/eboards?board=33", &[], "").await;
    assert_eq!((unknown.status, unknown.body.as_str()), (404, "no board is called \"33\""));
    assert!(Program::try_connect(address, "/api/v1.0?board=33", None).await.is_err());
}

/// Whoever asks is answered before anything else is said, and a subscription's first news come at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_come_in_the_order_of_the_calls() {
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut program = Program::connect(address).await;
    board.carry("e2e4").await;
    // A page sends them all at once.
    let calls = [
        json!({ "call": "eboards", "id": 1 }),
        json!({ "call": "subscribe", "id": 2,
            "param": { "feed": "eboardevent", "id": 1, "param": { "serialnr": serialnr } } }),
        json!({ "call": "call", "id": 3, "param": { "id": 1, "method": "setup", "param": { "fen": START } } }),
        json!({ "call": "nonsense", "id": 4 }),
        json!({ "call": "unsubscribe", "id": 5, "param": { "id": 1 } }),
    ];
    for call in &calls {
        program.send(call.to_string()).await;
    }
    let mut heard = Vec::new();
    while heard.len() < 7 {
        let message = program.message().await;
        heard.push((message["response"].as_str().unwrap().to_owned(), message["id"].clone()));
    }
    let expected =
        [("call", 1), ("call", 2), ("feed", 1), ("call", 3), ("feed", 1), ("error", 4), ("call", 5)];
    assert_eq!(heard, expected.map(|(response, id)| (response.to_owned(), json!(id))));
    // Whoever has unsubscribed hears no more.
    board.carry("e7e5").await;
    assert_eq!(program.quiet().await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_understood_is_answered_with_an_error() {
    let (_site, address, _daemon, _board) = hall(ARRAY, "").await;
    let mut program = Program::connect(address).await;
    for (text, id, message) in [
        ("{", Value::Null, "not JSON"),
        (r#"{"call":"eboard","id":"x"}"#, json!("x"), "no call is named \"eboard\""),
        (
            r#"{"call":"subscribe","id":7,"param":{"feed":"tournament","id":1,"param":{}}}"#,
            json!(7),
            "there is eboardevent",
        ),
        (
            r#"{"call":"subscribe","id":8,"param":{"feed":"eboardevent","id":1,"param":{"serialnr":"7"}}}"#,
            json!(8),
            "no board has the serial number \"7\"; call eboards",
        ),
        (
            r#"{"call":"call","id":9,"param":{"id":1,"method":"setup","param":{"fen":"x"}}}"#,
            json!(9),
            "no subscription with the id 1",
        ),
        (r#"{"call":"unsubscribe","id":10,"param":{"id":1}}"#, json!(10), "no subscription with the id 1"),
    ] {
        program.send(text).await;
        let answer = program.next().await.unwrap();
        assert!(
            answer.starts_with(&format!(r#"{{"response":"error","id":{id},"param":{{"message":""#)),
            "{answer}"
        );
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["param"]["message"].as_str().unwrap().contains(message), "{answer}");
        assert!(answer["time"].is_u64());
    }
    // It goes on.
    assert_eq!(program.call("eboards", json!(1), Value::Null).await["response"], "call");
}

/// Pages are of other origins, and their browsers ask.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_other_origins_are_let_in_unless_a_list_narrows_it() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let address = set_up(&site, "");
    let daemon = site.start();
    answers(address).await;
    for origin in ["https://lichess.org", "https://www.chess.com", "null"] {
        let header = format!("Origin: {origin}");
        let answer = stranger(address, "GET", "/api/v1.0/eboards", &[&header], "").await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
        let asked = [header.as_str(), "Access-Control-Request-Private-Network: true"];
        let allowed = stranger(address, "OPTIONS", "/api/v1.0/eboards", &asked, "").await;
        assert_eq!(
            (allowed.status, allowed.header("access-control-allow-private-network")),
            (204, Some("true"))
        );
        let mut program = Program::try_connect(address, "/api/v1.0", Some(origin)).await.unwrap();
        assert_eq!(program.call("eboards", json!(1), Value::Null).await["response"], "call");
    }
    let feed = status(&site).await;
    assert_eq!((&feed["state"], &feed["note"]), (&json!("ok"), &json!("any-page")));
    assert_eq!(feed["to"], format!("http://{address}"));

    daemon.kill();
    site.change("[feeds.livechess]\n", "[feeds.livechess]\norigins = [\"https://lichess.org\"]\n");
    let _daemon = site.start();
    answers(address).await;
    for (headers, expected) in [
        (vec![], 200),
        (vec!["Origin: https://lichess.org"], 200),
        (vec!["Origin: https://evil.example"], 403),
        (vec!["Origin: null"], 403),
        (vec!["Host: evil.example"], 403),
    ] {
        let answer = stranger(address, "GET", "/api/v1.0/eboards", &headers, "").await;
        assert_eq!(answer.status, expected, "{headers:?}");
    }
    let origin = |origin| Program::try_connect(address, "/api/v1.0", Some(origin));
    assert!(origin("https://lichess.org").await.is_ok());
    let Err(Error::Http(refused)) = origin("https://evil.example").await else { panic!("let in") };
    assert_eq!(refused.status().as_u16(), 403);
    assert_eq!(status(&site).await["note"], "some-pages");
}

/// The moves of a game that goes on already are no news: a page would play them in a game of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_news_say_nothing_of_moves_and_the_next_say_all() {
    let (site, address, _daemon, board) = hall(ARRAY, "").await;
    let opened = async || crate::http::game(site.desk, "1").await;
    awaited("a game", PATIENCE, opened).await;
    board.start_clock();
    board.play("e2e4", Side::White).await;
    let e4 = async || opened().await.filter(|game| game["moves"].as_array().unwrap().len() == 1);
    awaited("e4", PATIENCE, e4).await;
    let pressed = async || (eboards(address).await[0]["clock"]["run"] == false).then_some(());
    awaited("a pressed clock", PATIENCE, pressed).await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut program = Program::connect(address).await;
    let first = program.subscribe(&serialnr).await;
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["serialnr", "flipped", "board", "clock"]);
    assert_eq!(first["board"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(first["clock"]["run"], false);
    // A man in the air is not on the board. The hand waits until that is told: on a busy machine a whole move may
    // reach the program as one.
    board.lift("e7");
    let (event, mut before) = program.event_with("board").await;
    assert_eq!(event["board"], "rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    before.push(event);
    board.place("e5", 'p');
    board.press(Side::Black);
    let (event, after) = program.event_with("san").await;
    assert_eq!((&event["start"], &event["san"]), (&json!(START), &json!(["e4", "e5"])));
    before.extend(after);
    assert!(before.iter().all(|event| event.get("match").is_none() && event.get("start").is_none()));
    // With the move, or after it.
    if event["match"] != true {
        program.events_until("match", |event| event["match"] == true).await;
    }
    // Later ones say what is new alone.
    board.lift("g1");
    let (event, _) = program.event_with("match").await;
    let in_the_air = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKB1R";
    assert_eq!((&event["board"], &event["match"]), (&json!(in_the_air), &json!(false)), "{event}");
    board.place("f3", 'N');
    board.press(Side::White);
    let (event, _) = program.event_with("san").await;
    assert_eq!((&event["san"], event.get("start")), (&json!(["e4", "e5", "Nf3"]), None));
    if event["match"] != true {
        program.events_until("match", |event| event["match"] == true).await;
    }
}

/// A page looks only at lists that are longer than the last one: what takes the place of a move comes after the
/// move is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_withdrawn_is_gone_before_another_takes_its_place() {
    let (site, address, _daemon, board) = hall(ARRAY, "").await;
    let opened = async || crate::http::game(site.desk, "1").await;
    awaited("a game", PATIENCE, opened).await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut program = Program::connect(address).await;
    program.subscribe(&serialnr).await;
    board.start_clock();
    board.play("e2e4", Side::White).await;
    board.play("e7e5", Side::Black).await;
    assert_eq!(program.moves("e4 e5").await.len(), 2);
    // The arbiter has it otherwise.
    let ruling = json!({ "name": "correct-move", "ply": 2, "uci": "e7e6" }).to_string();
    let answer = ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &ruling).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let lists = program.moves("e4 e6").await;
    assert_eq!(lists, [vec!["e4"], vec!["e4", "e6"]]);
}

/// The clock as programs read it: seconds, and whose time runs as true, false or null.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_says_whose_time_runs_and_when_that_was_read() {
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut program = Program::connect(address).await;
    program.subscribe(&serialnr).await;
    board.start_clock();
    let mut seen = Vec::new();
    let mut times = Vec::new();
    let mut until = async |program: &mut Program, run: Value| {
        let is_it = |message: &Value| message["param"]["clock"].get("run") == Some(&run);
        for message in program.until("clock", is_it).await {
            let clock = &message["param"]["clock"];
            if clock.is_null() {
                continue;
            }
            let keys: Vec<&String> = clock.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["white", "black", "run", "time"]);
            let [read, sent] = [clock, &message].map(|of| of["time"].as_u64().unwrap());
            assert!(read <= sent && sent - read < 5_000, "{message}");
            times.push(read);
            if clock["run"] == run {
                seen.push(clock.clone());
            }
        }
    };
    until(&mut program, json!(true)).await;
    board.play("e2e4", Side::White).await;
    until(&mut program, json!(false)).await;
    board.stop_clock();
    until(&mut program, Value::Null).await;
    assert!(times.is_sorted(), "{times:?}");
    let seconds = |clock: &Value| [clock["white"].as_u64().unwrap(), clock["black"].as_u64().unwrap()];
    // Thirty seconds come with the move.
    assert!(seconds(&seen[1])[0] > seconds(&seen[0])[0] && seconds(&seen[1])[1] == 5_430, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_is_turned_for_one_program_is_not_for_others() {
    let (site, address, _daemon, board) = hall(ARRAY, "").await;
    awaited("a game", PATIENCE, async || crate::http::game(site.desk, "1").await).await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut programs = [Program::connect(address).await, Program::connect(address).await];
    for program in &mut programs {
        program.subscribe(&serialnr).await;
    }
    let flip = async |program: &mut Program, flip: bool| {
        let param = json!({ "id": 1, "method": "flip", "param": { "flip": flip } });
        assert_eq!(program.call("call", json!(9), param).await["param"], Value::Null);
        program.event().await
    };
    let turned: String = ARRAY.chars().rev().collect();
    let [one, other] = &mut programs;
    assert_eq!(flip(one, true).await, json!({ "serialnr": serialnr, "flipped": true, "board": turned }));
    assert_eq!(other.quiet().await, Vec::<Value>::new());
    assert_eq!(eboards(address).await[0]["board"], ARRAY);
    board.lift("e2");
    let (lifted, _) = one.event_with("board").await;
    assert_eq!(lifted["board"], "RNBKQBNR/PPP1PPPP/8/8/8/8/pppppppp/rnbkqbnr");
    assert_eq!(other.event_with("board").await.0["board"], "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR");
    board.place("e2", 'P');
    one.event_with("board").await;
    assert_eq!(flip(one, false).await, json!({ "serialnr": serialnr, "flipped": false, "board": ARRAY }));
}

/// A program learns from the state whether a board is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_is_gone_does_not_respond() {
    let (_site, address, _daemon, mut board) = hall(ARRAY, "").await;
    let serialnr = eboards(address).await[0]["serialnr"].clone();
    board.unplug();
    let gone =
        async || Some(eboards(address).await[0].clone()).filter(|board| board["state"] == "NOTRESPONDING");
    let gone = awaited("a board that is gone", PATIENCE, gone).await;
    assert_eq!((&gone["serialnr"], &gone["board"]), (&serialnr, &json!(ARRAY)));
    board.plug_in();
    let back = async || Some(eboards(address).await[0].clone()).filter(|board| board["state"] == "ACTIVE");
    assert_eq!(awaited("a board that is back", PATIENCE, back).await["serialnr"], serialnr);
}

/// A whole game, noise and all: no list twice, one ply at a time, and in the end what was played.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_position_of_a_game_comes_once() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Light, 1), 10.0);
    let site = Site::new(10.0, &[port]);
    let address = set_up(&site, "");
    let _daemon = site.start();
    answers(address).await;
    let known = async || Some(eboards(address).await[0].clone()).filter(|board| board["state"] == "ACTIVE");
    let serialnr = awaited("an active board", PATIENCE, known).await["serialnr"].as_str().unwrap().to_owned();
    assert_eq!(serialnr, "10001", "the board's own number");
    let mut program = Program::connect(address).await;
    program.subscribe(&serialnr).await;
    let plies = players.truth().len();
    let mut lists: Vec<Vec<String>> = Vec::new();
    let mut boards: Vec<Value> = Vec::new();
    let is_last = |event: &Value| event["san"].as_array().is_some_and(|san| san.len() >= plies);
    for event in program.events_until("end of the game", is_last).await {
        assert!(event.as_object().unwrap().len() > 1, "{event}");
        boards.extend(event.get("board").cloned());
        if let Some(san) = event.get("san") {
            lists.push(serde_json::from_value(san.clone()).unwrap());
        }
    }
    for pair in lists.windows(2) {
        let [before, after] = pair else { unreachable!() };
        assert_ne!(before, after);
        let grows = after.len() == before.len() + 1 && after.starts_with(before);
        let shrinks = before.starts_with(after);
        assert!(grows || shrinks, "{before:?} and then {after:?}");
    }
    assert!(boards.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(lists.last(), Some(&san(&demo_game(SHORT))));
}
