//! The whole daemon with some boards on one bus line: `adoube simulate` is the line, on a TCP port.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::children::Ended;
use crate::daemon::{Daemon, Site, awaited, nowhere, reserved_address};
use crate::http::{game, moves};
use crate::played::{SHORT, demo_game};
use crate::seen::lawful_moves;

/// The line has to be as fast as the games: time-outs stay what they are.
const SPEED: f64 = 5.0;

/// Boards on the line.
const BOARDS: usize = 4;

/// The serial number of the first of them.
const FIRST: usize = 10_001;

/// The game takes three minutes at a board.
const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_on_a_bus_line_come_out_of_the_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let all = include_str!("../../src/demo/games.pgn");
    let one = all.split("[Event ").nth(SHORT + 1).unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, format!("[Event {one}\n\n").repeat(BOARDS)).unwrap();
    let line = format!("tcp://{}", reserved_address());
    let mut simulate = Command::new(env!("CARGO_BIN_EXE_adoube"));
    simulate.arg("simulate").arg(&file).args([
        "--protocol",
        "dgt-bus",
        "--listen",
        &line,
        "--time-control",
        "600+5",
    ]);
    simulate.args(["--speed", &SPEED.to_string(), "--signal-result"]);
    simulate.stdin(Stdio::null()).stdout(nowhere()).stderr(nowhere());
    let _boards = Ended(simulate.spawn().unwrap());

    let ports: Vec<String> = (0..BOARDS).map(|index| format!("bus:{}@{line}", FIRST + index)).collect();
    let site = Site::new(SPEED, &ports);
    for port in &ports {
        let port = format!("port = \"{port}\"\n");
        site.change(&port, &format!("{port}protocol = \"dgt-bus\"\n"));
    }
    let _daemon: Daemon = site.start();
    let expected = lawful_moves(&demo_game(SHORT));
    for number in 1..=BOARDS {
        let board = number.to_string();
        let finished = awaited("end of the game", PATIENCE, async || {
            game(site.desk, &board).await.filter(|game| game["result"] != "*")
        });
        assert_eq!(moves(&finished.await), expected, "board {number}: {}", site.log());
    }
    site.verify();
}
