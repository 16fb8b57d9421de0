//! Games that programs set up: their moves are their own, and the hall's game is not touched.

use adoube_rules::sensor::Side;

use super::*;
use crate::http::{game, moves};

const ITALIAN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

/// A program that follows the first board.
async fn follower(address: SocketAddr) -> Program {
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let mut program = Program::connect(address).await;
    program.subscribe(&serialnr).await;
    program
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_middle_of_a_game_it_has_the_moves_from_there() {
    let (site, address, _daemon, board) = hall(ARRAY, "").await;
    awaited("a game", PATIENCE, async || game(site.desk, "1").await).await;
    board.start_clock();
    let mut watcher = follower(address).await;
    let mut page = follower(address).await;
    for (squares, side) in
        [("e2e4", Side::White), ("e7e5", Side::Black), ("g1f3", Side::White), ("b8c6", Side::Black)]
    {
        board.play(squares, side).await;
    }
    watcher.moves("e4 e5 Nf3 Nc6").await;
    // As the vendor's own sample orders the castling rights.
    let fen = ITALIAN.replace("KQkq", "QKqk");
    page.moves("e4 e5 Nf3 Nc6").await;
    assert_eq!(page.set_up(&fen).await["param"], Value::Null);
    let (event, _) = page.event_with("san").await;
    assert_eq!((&event["start"], &event["san"], &event["match"]), (&json!(fen), &json!([]), &json!(true)));
    board.play("f1c4", Side::White).await;
    page.moves("Bc4").await;
    board.play("f8c5", Side::Black).await;
    assert_eq!(page.moves("Bc4 Bc5").await.len(), 1);
    board.hands(1_200).await;
    // Castling comes once.
    board.carry("e1g1").await;
    board.carry("h1f1").await;
    board.press(Side::White);
    assert_eq!(page.moves("Bc4 Bc5 O-O").await.len(), 1);
    watcher.moves("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O").await;
    let castled = |event: &Value| event.get("san").is_some();
    assert!(!page.quiet().await.iter().any(castled), "castling twice");
    // Setting up again begins anew, also in the same position.
    for _ in 0..2 {
        let fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4";
        assert_eq!(page.set_up(fen).await["response"], "call");
        let (event, _) = page.event_with("san").await;
        assert_eq!((&event["start"], &event["san"]), (&json!(fen), &json!([])));
    }
    board.play("g8f6", Side::Black).await;
    page.moves("Nf6").await;
    // The hall's game knows nothing of all that.
    let game = game(site.desk, "1").await.unwrap();
    assert_eq!(moves(&game)[..7], ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1"]);
    assert_eq!(moves(&game).last().map(String::as_str), Some("g8f6"));
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_moves_come_before_the_board_matches() {
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    let mut page = follower(address).await;
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    page.set_up(fen).await;
    let (event, _) = page.event_with("san").await;
    assert_eq!((&event["san"], &event["match"]), (&json!([]), &json!(false)));
    // On the way there nothing is a move.
    board.carry("e2e4").await;
    board.carry("g1f3").await;
    board.carry("f3g1").await;
    board.carry("e7e5").await;
    let (event, before) = page.event_with("match").await;
    assert_eq!(event["match"], true);
    assert!(before.iter().chain([&event]).all(|event| event.get("san").is_none()), "{before:?}");
    board.hands(1_200).await;
    board.carry("g1f3").await;
    assert_eq!(page.moves("Nf3").await.len(), 1);
    let wrong = page.set_up("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1").await;
    assert!(wrong["param"]["message"].as_str().unwrap().contains("setup"), "{wrong}");
    for fen in ["8/8/8/8/8/8/8/8 w - - 0 1", "", "e4"] {
        let wrong = page.set_up(fen).await;
        assert_eq!(wrong["response"], "error", "{fen}: {wrong}");
    }
    // What was set up before holds.
    board.carry("b8c6").await;
    page.moves("Nf3 Nc6").await;
    // What stands there can be reached from the array, and yet it is not the array.
    page.set_up(START).await;
    let (event, _) = page.event_with("san").await;
    assert_eq!((&event["san"], &event["match"]), (&json!([]), &json!(false)));
    board.hands(1_200).await;
    board.carry("f1c4").await;
    let heard = page.quiet().await;
    assert!(heard.iter().any(|event| event.get("board").is_some()), "{heard:?}");
    assert!(heard.iter().all(|event| event.get("san").is_none()), "{heard:?}");
}

/// A game on the page that is not the one on the clock: no clock runs, and nobody presses one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_clock_a_game_comes_through_to_its_mate() {
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    let mut page = follower(address).await;
    page.set_up(START).await;
    page.event_with("san").await;
    for (squares, so_far) in [
        ("e2e4", "e4"),
        ("e7e5", "e4 e5"),
        ("d1h5", "e4 e5 Qh5"),
        ("b8c6", "e4 e5 Qh5 Nc6"),
        ("f1c4", "e4 e5 Qh5 Nc6 Bc4"),
        ("g8f6", "e4 e5 Qh5 Nc6 Bc4 Nf6"),
        ("h5f7", "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#"),
    ] {
        board.carry(squares).await;
        assert_eq!(page.moves(so_far).await.len(), 1, "{so_far}");
        board.hands(1_200).await;
    }
}

/// A board that lies with Black's side towards White is shown as the game has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_lies_turned_is_recognised() {
    let placement: String = "4k3/P7/8/8/8/8/8/4K2R".chars().rev().collect();
    let (_site, address, _daemon, board) = hall(&placement, "").await;
    let mut page = follower(address).await;
    page.set_up("4k3/P7/8/8/8/8/8/4K2R w K - 0 1").await;
    let (event, _) = page.event_with("match").await;
    assert_eq!((&event["match"], &event["board"]), (&json!(true), &json!("4k3/P7/8/8/8/8/8/4K2R")));
    board.lift("h2");
    board.hands(500).await;
    board.place("h1", 'Q');
    page.moves("a8=Q+").await;
}

/// Two games of Chess960 differ by their castling rights alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chess960_is_recognised_by_its_castling_rights() {
    let (_site, address, _daemon, board) = hall("1k6/8/8/8/8/8/8/1K4R1", "").await;
    let mut page = follower(address).await;
    page.set_up("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1").await;
    page.event_with("san").await;
    board.lift("b1");
    board.lift("g1");
    board.hands(500).await;
    board.place("g1", 'K');
    board.hands(500).await;
    board.place("f1", 'R');
    page.moves("O-O").await;
}
