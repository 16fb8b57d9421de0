//! `docs/api.md`: its programs are run as they stand there.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Command, Stdio};

use adoube::drill::LiveBoard;
use adoube_rules::sensor::Side;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::children::{Ended, Lines};
use crate::daemon::{PATIENCE, Site, awaited, reserved_address, skip};
use crate::http::{ask, game, get, moves};

const SPEED: f64 = 8.0;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// The first program of the document in this language that holds `text`.
fn program(language: &str, text: &str) -> String {
    let document =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md")).unwrap();
    let head = format!("{language}\n");
    let mut blocks = document.split("\n```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(&head));
    blocks.find(|block| block.contains(text)).unwrap().to_owned()
}

/// A program of the document that runs, and what it prints.
fn run(interpreter: &str, program: &Path, arguments: &[&str]) -> Option<(Ended, Lines)> {
    if Command::new(interpreter).arg("--version").stdout(Stdio::null()).status().is_err() {
        skip(&format!("there is no {interpreter}"));
        return None;
    }
    let log = OpenOptions::new().create(true).append(true).open(program.with_extension("log")).unwrap();
    let mut command = Command::new(interpreter);
    command.arg(program).args(arguments).stdout(Stdio::piped()).stderr(log);
    let mut child = Ended(command.spawn().unwrap());
    let lines = Lines::of(&mut child.0);
    Some((child, lines))
}

fn signal(program: &Ended, signal: &str) {
    assert!(Command::new("kill").args([signal, &program.0.id().to_string()]).status().unwrap().success());
}

/// A hall with a board at which nobody has begun yet, and whose cable is out.
fn hall() -> (Site, LiveBoard) {
    let board = LiveBoard::new(START, "5400+30".parse().unwrap(), SPEED, reserved_address());
    let site = Site::new(SPEED, &[board.port()]);
    (site, board)
}

async fn rule(site: &Site, ruling: Value) {
    let path = "/api/v1/boards/1/rulings";
    let answer = ask(site.desk, "POST", path, &["Content-Type: application/json"], &ruling.to_string()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_follow_a_hall_miss_nothing_when_it_is_killed() {
    let (site, mut board) = hall();
    board.unplug();
    let public = format!("http://{}", site.public);
    let token = site.path().join("token");
    std::fs::write(&token, site.add_token("arbiter", "program")).unwrap();
    let (python, script) = (site.path().join("follow.py"), site.path().join("follow.mjs"));
    std::fs::write(&python, program("python", "def messages")).unwrap();
    std::fs::write(&script, program("js", "function* messages")).unwrap();
    let daemon = site.start();
    let desk = format!("http://{}", site.desk);
    let arbiter = run("python3", &python, &[&desk, token.to_str().unwrap()]);
    let spectator = run("node", &script, &[&public]);
    let (Some((arbiter_program, arbiter)), Some((spectator_program, spectator))) = (arbiter, spectator)
    else {
        return;
    };
    let programs = [arbiter_program, spectator_program];
    assert_eq!(spectator.next(PATIENCE), "1 free");
    board.plug_in();
    let ready = async || {
        let board = get(site.desk, "/api/v1/boards/1").await.json();
        (board["readiness"]["ready"] == true).then_some(())
    };
    awaited("a board that is ready", PATIENCE, ready).await;
    // The program of the arbiter has nothing to print yet, but makes a remark on what is opened.
    rule(&site, json!({ "name": "communication-reported" })).await;
    let remark = async || {
        let ruled = get(site.desk, "/api/v1/boards/1/rulings").await.json();
        let is_its = |ruled: &&Value| {
            ruled["text"]
                .as_str()
                .is_some_and(|text| text.starts_with("seen: communication-reported, record "))
        };
        ruled.as_array()?.iter().find(is_its).cloned()
    };
    let remark = awaited("its remark", PATIENCE, remark).await;
    assert_eq!(remark["by"], "program");
    board.start_clock();
    for (squares, side) in [("e2e4", Side::White), ("e7e5", Side::Black), ("g1f3", Side::White)] {
        board.play(squares, side).await;
    }
    let mut said = |move_: &str| {
        let line = format!("1 {move_}");
        assert_eq!([arbiter.next(PATIENCE), spectator.next(PATIENCE)], [line.clone(), line]);
    };
    ["e4", "e5", "Nf3"].into_iter().for_each(&mut said);
    // They sleep while the hall dies, comes back and goes on.
    programs.iter().for_each(|program| signal(program, "-STOP"));
    daemon.kill();
    let _daemon = site.start();
    // It is heard again before it goes on.
    let fresh = async || (get(site.desk, "/api/v1/boards/1").await.json()["state"] == "fresh").then_some(());
    awaited("the board", PATIENCE, fresh).await;
    for (squares, side) in [("b8c6", Side::Black), ("f1c4", Side::White)] {
        board.play(squares, side).await;
    }
    let made = async || game(site.public, "1").await.filter(|game| moves(game).len() == 5);
    awaited("both moves", PATIENCE, made).await;
    programs.iter().for_each(|program| signal(program, "-CONT"));
    ["Nc6", "Bc4"].into_iter().for_each(&mut said);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_receiver_of_incidents_believes_what_is_signed_and_prints_it_once() {
    let (site, _board) = hall();
    let address = reserved_address();
    let (receiver, secret) = (site.path().join("receive.py"), site.path().join("secret"));
    let text = program("python", "Adoube-Signature");
    assert!(text.contains("(\"127.0.0.1\", 9000)"), "{text}");
    std::fs::write(&receiver, text.replace("9000", &address.port().to_string())).unwrap();
    std::fs::write(&secret, "no more than a test's secret").unwrap();
    let feed = format!("[feeds.webhook]\nurl = \"http://{address}/\"\nsecret = \"{}\"", secret.display());
    site.add_section(&feed);
    let Some((_receiver, lines)) = run("python3", &receiver, &[secret.to_str().unwrap()]) else { return };
    let listens = async || TcpStream::connect(address).await.ok().map(drop);
    awaited("the receiver", PATIENCE, listens).await;
    // Whoever makes it up is not believed.
    let made_up = r#"{"board":"1","type":"made-up","status":"open","severity":"alert"}"#;
    let headers = ["Adoube-Signature: t=1,v1=00", "Adoube-Delivery: x"];
    assert_eq!(ask(address, "POST", "/", &headers, made_up).await.status, 403);
    let _daemon = site.start();
    for expected in ["open", "rejected"] {
        let ruling = match expected {
            "open" => json!({ "name": "communication-reported" }),
            _ => json!({ "name": "reject", "record": "communication-reported" }),
        };
        rule(&site, ruling).await;
        assert_eq!(lines.next(PATIENCE), format!("1 communication-reported {expected} alert"));
    }
}
