//! Boards on bad lines: unplugged, gone, silent, stuck, in use, and with noise between the frames.
//!
//! Not here: a port that is not permitted. Whoever runs these tests as root is permitted everything.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use adoube_sim::{BoardConfig, Game, Noise, VirtualBoard};
use serde_json::Value;
use tokio::time::sleep;
use tokio_serial::{SerialPort as _, SerialStream};

use crate::children::Ended;
use crate::daemon::{PATIENCE, Site, awaited, nowhere, reserved_address};
use crate::http::{game, get, moves};
use crate::played::{self, LONG, Line, Played, SHORT, demo_game};

const SPEED: f64 = 10.0;
/// The same where nobody may see more than a few plies less: a machine that is busy for a second misses one.
const SLOW: f64 = 4.0;

/// Waits for the end of a game and holds its moves against the truth.
async fn ends_right(site: &Site, board: &str, players: &Played) {
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let finished = awaited("result", PATIENCE, async || {
        game(site.desk, board).await.filter(|game| game["result"] != "*")
    });
    let finished = finished.await;
    // On a machine that is busy a link may be lost for longer than was meant; the order of moves that were
    // made meanwhile is then a guess, the moves are not.
    let sorted = |mut moves: Vec<String>| {
        moves.sort_unstable();
        moves
    };
    assert_eq!(sorted(moves(&finished)), sorted(players.truth()), "{}", site.log());
    assert_eq!(finished["result"], "1-0");
}

async fn after_plies(players: &Played, plies: usize) {
    awaited("a few plies", PATIENCE, async || (players.plies() >= plies).then_some(())).await;
}

/// The state of a board at the desk.
async fn state(site: &Site, board: usize) -> String {
    let boards = get(site.desk, "/api/v1/boards").await.json();
    boards[board - 1]["state"].as_str().unwrap_or_default().to_owned()
}

async fn is_in_state(site: &Site, board: usize, wanted: &str) {
    let patience = Duration::from_secs(10);
    awaited(wanted, patience, async || (state(site, board).await == wanted).then_some(())).await;
}

fn count(site: &Site, name: &str) -> usize {
    let of_type = |line: &String| serde_json::from_str::<Value>(line).unwrap()["type"] == name;
    site.exported().iter().filter(|line| of_type(line)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_comes_back_as_another_device_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("board");
    // Where time runs faster, a busy machine misses too much of the game while it looks for the other device.
    const SPEED: f64 = 2.5;
    let (players, port) =
        Played::on_terminal(played::board(&demo_game(SHORT), Noise::Light, 3), SPEED, &link);
    let site = Site::new(SPEED, &[port]);
    let _daemon = site.start();
    let mut devices = Vec::new();
    for plies in [6, 14, 22] {
        after_plies(&players, plies).await;
        is_in_state(&site, 1, "fresh").await;
        devices.push(std::fs::read_link(&link).unwrap());
        players.line.send(Line::Away).unwrap();
        is_in_state(&site, 1, "lost").await;
        players.line.send(Line::Good).unwrap();
        is_in_state(&site, 1, "fresh").await;
    }
    devices.dedup();
    assert_eq!(devices.len(), 3, "the same device again: {devices:?}");
    ends_right(&site, "1", &players).await;
    assert_eq!((count(&site, "board-lost"), count(&site, "board-connected")), (3, 4));
    assert_eq!(count(&site, "game-opened"), 1);
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_vanishes_for_three_plies_is_not_believed_but_read() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 5), SLOW);
    let site = Site::new(SLOW, &[port]);
    let _daemon = site.start();
    after_plies(&players, 9).await;
    sleep(Duration::from_millis(150)).await;
    players.line.send(Line::Away).unwrap();
    is_in_state(&site, 1, "lost").await;
    after_plies(&players, 12).await;
    players.line.send(Line::Good).unwrap();
    ends_right(&site, "1", &players).await;
    let events: Vec<Value> = site.exported().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    // On a busy machine more plies go by: no way to the picture may be found at first, and one when the next ply is made.
    let gaps: Vec<&Value> = events.iter().filter(|event| event["type"] == "record-gap").collect();
    let is_filled = |gap: &&Value| gap["recovered"].as_array().is_some_and(|recovered| recovered.len() >= 2);
    assert!(gaps.iter().any(is_filled), "{gaps:?}");
    let recovered = |event: &&Value| event["type"] == "move-made" && event["cause"] == "recovered";
    assert!(events.iter().filter(recovered).count() >= 2);
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn noise_between_the_frames_costs_no_move() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Light, 6), SPEED);
    players.line.send(Line::Noisy).unwrap();
    let site = Site::new(SPEED, &[port]);
    let _daemon = site.start();
    ends_right(&site, "1", &players).await;
    assert_eq!(count(&site, "board-lost"), 0, "{}", site.log());
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_board_is_lost_and_welcome_again() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 7), SPEED);
    let site = Site::new(SPEED, &[port]);
    let _daemon = site.start();
    after_plies(&players, 5).await;
    is_in_state(&site, 1, "fresh").await;
    players.line.send(Line::Silent).unwrap();
    // Five seconds of the run, a half one of the world.
    is_in_state(&site, 1, "lost").await;
    assert!(site.log().contains("the board does not answer (Silent)"), "{}", site.log());
    players.line.send(Line::Good).unwrap();
    is_in_state(&site, 1, "fresh").await;
    let played = players.plies();
    after_plies(&players, played + 3).await;
    let seen = async || game(site.desk, "1").await.filter(|game| moves(game).len() > played);
    awaited("the game going on", PATIENCE, seen).await;
    site.verify();
}

/// A machine that sleeps for a while is no silence of the board.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daemon_that_was_held_up_hears_what_waited() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 10), SPEED);
    let site = Site::new(SPEED, &[port]);
    let daemon = site.start();
    for plies in [5, 15] {
        after_plies(&players, plies).await;
        daemon.signal("-STOP");
        sleep(Duration::from_millis(900)).await;
        daemon.signal("-CONT");
    }
    ends_right(&site, "1", &players).await;
    assert_eq!(count(&site, "board-lost"), 0, "{}", site.log());
    site.verify();
}

/// A board that hangs takes no bytes: its buffers are full. The others must not notice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_board_is_given_up_and_holds_up_nobody() {
    let (_board_end, host_end) = SerialStream::pair().unwrap();
    let stuck = host_end.name().unwrap();
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 8), SPEED);
    let site = Site::new(SPEED, &[port, format!("serial:{stuck}")]);
    let flags = 0o4000; // O_NONBLOCK
    let mut full = OpenOptions::new().write(true).custom_flags(flags).open(&stuck).unwrap();
    let daemon = site.start();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(6);
    while tokio::time::Instant::now() < deadline {
        match full.write(&[0; 4_096]) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        sleep(Duration::from_millis(1)).await;
    }
    assert!(site.log().contains("board=2 port=serial:/dev/pts/"), "{}", site.log());
    assert!(site.log().contains("the board takes no bytes"), "{}", site.log());
    ends_right(&site, "1", &players).await;
    let lost = |line: &&String| line.contains("\"board\":\"1\"") && line.contains("board-lost");
    assert_eq!(site.exported().iter().filter(lost).count(), 0);
    daemon.kill();
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ports_that_cannot_be_used_say_why_and_are_taken_when_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("board");
    let (players, busy) =
        Played::on_terminal(played::board(&demo_game(SHORT), Noise::Clean, 9), SPEED, &link);
    awaited("the terminal", PATIENCE, async || link.exists().then_some(())).await;
    let owner = tokio_serial::new(link.to_str().unwrap(), 9_600);
    let owner = tokio_serial::SerialPortBuilderExt::open_native_async(owner).unwrap();
    let missing = folder.path().join("nothing");
    let closed = reserved_address();
    let site = Site::new(SPEED, &[busy, format!("serial:{}", missing.display()), format!("tcp://{closed}")]);
    let _daemon = site.start();
    let texts = [
        "busy; another program has it open",
        "nothing: no such port; is the board plugged in?",
        "Connection refused (os error 111); is the serial server running, and the address right?",
    ];
    for text in texts {
        awaited(text, PATIENCE, async || site.log().contains(text).then_some(())).await;
    }
    assert_eq!(players.plies(), 0);
    drop(owner);
    ends_right(&site, "1", &players).await;
    // Nobody reads the same line a thousand times.
    assert!(site.log().matches("no such port").count() < 6, "{}", site.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simulate_is_a_board_on_a_pseudo_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (link, pgn) = (folder.path().join("board"), folder.path().join("game.pgn"));
    std::fs::write(&pgn, "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    let mut simulate = Command::new(env!("CARGO_BIN_EXE_adoube"));
    simulate.args(["simulate", "--speed", "5", "--noise", "clean", "--pty"]).arg(&link).arg(&pgn);
    simulate.stdin(Stdio::null()).stdout(nowhere()).stderr(nowhere());
    let mut simulate = Ended(simulate.spawn().unwrap());
    awaited("the terminal", PATIENCE, async || link.exists().then_some(())).await;
    let boards = Command::new(env!("CARGO_BIN_EXE_adoube")).arg("boards").arg(&link).output().unwrap();
    assert!(String::from_utf8_lossy(&boards.stdout).contains("10001"), "{boards:?}");
    let site = Site::new(5.0, &[format!("serial:{}", link.display())]);
    let _daemon = site.start();
    let mated = async || game(site.desk, "1").await.filter(|game| game["result"] == "0-1");
    let game = awaited("the mate", PATIENCE, mated).await;
    assert_eq!(moves(&game), ["f2f3", "e7e5", "g2g4", "d8h4"]);
    let ended = || std::future::ready(simulate.0.try_wait().unwrap());
    let status = awaited("the end of the simulation", PATIENCE, ended).await;
    assert_eq!(status.code(), Some(0));
    assert!(!link.is_symlink(), "the name goes with the board");
}

/// The configuration does not say what the board speaks; what was found out holds over a restart, and the game goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_found_out_about_a_board_holds_over_a_restart() {
    let played = demo_game(SHORT);
    let config =
        BoardConfig { protocol: "chesslink", noise: Noise::Clean, seed: 3, ..BoardConfig::default() };
    let board = Game::from(&played);
    let (players, port) = Played::on_tcp(VirtualBoard::new(&board, config), 4.0);
    let site = Site::new(4.0, &[port]);
    let daemon = site.start();
    let begun = async || game(site.desk, "1").await.filter(|game| moves(game).len() >= 3);
    awaited("three plies", PATIENCE, begun).await;
    daemon.kill();
    let _daemon = site.start();
    let ended = async || game(site.desk, "1").await.filter(|game| game["result"] != "*");
    let ended = awaited("the mate", PATIENCE, ended).await;
    assert_eq!(moves(&ended), players.truth());
    let opened = site.exported().iter().filter(|line| line.contains("\"type\":\"game-opened\"")).count();
    assert_eq!(opened, 1, "{}", site.log());
}
