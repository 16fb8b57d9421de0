//! How games end on the board: mate, and kings on the centre squares.

use crate::board::{BOTH, Board, Sensor};
use crate::seen::Seen;

fn assert_signalled(seen: &Seen, result: &str) {
    let signals = seen.of_type("result-signalled");
    assert_eq!(signals.len(), 1);
    assert_eq!(
        (signals[0]["result"].as_str(), signals[0]["status"].as_str()),
        (Some(result), Some("confirmed"))
    );
    assert_eq!(seen.games[0].result, result);
}

#[test]
fn mate_ends_the_game_and_what_follows_is_no_play() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("f2f3 e7e5 g2g4 d8h4");
        board.play_all("e1f2 h4f2");
        let seen = board.gives("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(seen.games[0].result, "0-1");
        assert_eq!(seen.of_type("checkmate").len(), 1);
        assert_eq!(seen.of_type("game-over").len(), 1);
    }
}

#[test]
fn a_dead_position_ends_the_game() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, "8/8/4k3/4P3/8/8/8/4K3 b - - 0 1");
        board.lift("e5").wait(300).lift("e6").wait(300).place("e5", 'k').wait(3_000);
        let seen = board.gives("e6e5");
        assert_eq!(seen.of_type("dead-position").len(), 1);
        assert_eq!(seen.games[0].result, "1/2-1/2");
    }
}

#[test]
fn both_kings_lifted_and_put_on_the_centre_squares() {
    for (white, black, result) in [("e4", "d5", "1-0"), ("d4", "e5", "0-1"), ("d4", "d5", "1/2-1/2")] {
        let mut board = Board::new(Sensor::Identity);
        board.play_all("a2a3 a7a6");
        board
            .lift("e1")
            .wait(400)
            .lift("e8")
            .wait(400)
            .place(white, 'K')
            .wait(400)
            .place(black, 'k')
            .wait(6_000);
        assert_signalled(&board.gives("a2a3 a7a6"), result);
    }
}

#[test]
fn one_king_after_the_other() {
    let mut board = Board::new(Sensor::Identity);
    board.play_all("a2a3 a7a6");
    board.lift("e1").wait(400).place("e4", 'K').wait(1_500).lift("e8").wait(400).place("d5", 'k').wait(6_000);
    assert_signalled(&board.gives("a2a3 a7a6"), "1-0");
}

/// White's king may step to d4, and Black's to e5 afterwards may not.
const KINGS_NEAR: &str = "8/8/3k4/8/8/4K3/P6p/8 w - - 0 50";

#[test]
fn a_first_step_that_is_a_legal_move_is_no_move_in_the_end() {
    for (pause_ms, is_announced) in [(500, false), (3_000, true)] {
        let mut board = Board::from_fen(Sensor::Identity, KINGS_NEAR);
        board.play("a2a4");
        board.lift("h2").wait(300).place("h1", 'q').wait(3_000);
        board.lift("e3").wait(400).place("d4", 'K').wait(pause_ms);
        board.lift("d6").wait(400).place("e5", 'k').wait(6_000);
        let seen = board.gives("a2a4 h2h1q");
        assert_signalled(&seen, "0-1");
        assert_eq!(!seen.of_type("move-retracted").is_empty(), is_announced);
    }
}

#[test]
fn kings_that_cross_the_centre_in_play_signal_nothing() {
    let mut board = Board::from_fen(Sensor::Identity, "8/8/2k5/8/8/4K3/P6p/8 w - - 0 50");
    board.play_all("e3d4 c6d6 a2a3 d6e6 d4e4 h2h1");
    let seen = board.seen();
    assert_eq!(seen.of_type("result-signalled").len(), 0);
    assert_eq!(seen.moves(0), ["e3d4", "c6d6", "a2a3", "d6e6", "d4e4"]);
}
