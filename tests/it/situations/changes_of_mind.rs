//! Moves taken back, pieces adjusted.

use crate::board::{BOTH, Board, Sensor};

#[test]
fn one_ply_taken_back() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3");
        board.play("f3g1");
        board.play_all("f1c4 g8f6");
        let seen = board.gives("e2e4 e7e5 f1c4 g8f6");
        let plies: Vec<_> =
            seen.of_type("move-retracted").iter().map(|event| event["ply"].as_u64()).collect();
        assert_eq!(plies, [Some(3)]);
    }
}

#[test]
fn two_plies_taken_back() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3 b8c6");
        board.play("c6b8");
        board.play("f3g1");
        board.play_all("f1c4 g8f6");
        let seen = board.gives("e2e4 e7e5 f1c4 g8f6");
        assert!(!seen.of_type("move-retracted").is_empty());
    }
}

#[test]
fn another_move_instead_of_the_last_one() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 f1c4");
        board.lift("c4").wait(500).place("b5", 'B').wait(3_000);
        board.play("g8f6");
        let seen = board.gives("e2e4 e7e5 f1b5 g8f6");
        assert_eq!(seen.of_type("move-retracted").len(), 1);
    }
}

#[test]
fn a_capture_taken_back() {
    let mut board = Board::new(Sensor::Identity);
    board.play_all("e2e4 d7d5 e4d5");
    board.lift("d5").wait(400).place("e4", 'P').wait(400).place("d5", 'p').wait(3_000);
    board.play_all("b1c3 g8f6");
    let seen = board.gives("e2e4 d7d5 b1c3 g8f6");
    assert!(!seen.of_type("move-retracted").is_empty());
}

#[test]
fn a_piece_adjusted() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play("e2e4");
        board.lift("e8").wait(800).place("e8", 'k').wait(2_000);
        board.lift("b1").wait(1_500).place("b1", 'N').wait(2_000);
        board.play("e7e5");
        let seen = board.gives("e2e4 e7e5");
        assert_eq!(seen.of_type("move-retracted").len(), 0);
        assert_eq!(seen.of_type("piece-lifted").len(), 4, "an adjusted piece is touched");
    }
}

#[test]
fn an_enemy_piece_adjusted_and_then_captured_by_another() {
    for sensor in BOTH {
        // Both the bishop on c4 and the pawn on e4 can take on d5.
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e6 f1c4 d7d5");
        board.lift("d5").wait(800).place("d5", 'p').wait(1_500);
        board.lift("d5").wait(300).lift("e4").wait(300).place("d5", 'P').wait(3_000);
        board.play("e6d5");
        board.gives("e2e4 e7e6 f1c4 d7d5 e4d5 e6d5");
    }
}

#[test]
fn an_enemy_piece_adjusted_and_another_one_captured() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, "4k3/8/2n1n3/8/3B4/8/8/4K3 b - - 0 1");
        board.play("e8d8");
        board.lift("c6").wait(800).place("c6", 'n').wait(1_500);
        board.play("d4b6");
        board.gives("e8d8 d4b6");
    }
}

#[test]
fn a_move_begun_set_down_and_begun_again() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5");
        board.lift("g1").wait(900).place("g1", 'N').wait(700);
        board.play("f1c4");
        let seen = board.gives("e2e4 e7e5 f1c4");
        assert_eq!(seen.of_type("move-retracted").len(), 0);
    }
}
