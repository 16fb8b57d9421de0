//! Captures and plain moves: in which order men are lifted and set down.

use crate::board::{BOTH, Board, Sensor};

/// 1.e4 d5, with the capture of d5 to come.
fn before_capture(sensor: Sensor) -> Board {
    let mut board = Board::new(sensor);
    board.play_all("e2e4 d7d5");
    board
}

const CAPTURE: &str = "e2e4 d7d5 e4d5";

#[test]
fn the_captured_piece_first() {
    for sensor in BOTH {
        let mut board = before_capture(sensor);
        board.lift("d5").wait(300).lift("e4").wait(300).place("d5", 'P').wait(3_000);
        board.gives(CAPTURE);
    }
}

#[test]
fn ones_own_piece_first() {
    for sensor in BOTH {
        let mut board = before_capture(sensor);
        board.lift("e4").wait(300).lift("d5").wait(300).place("d5", 'P').wait(3_000);
        board.gives(CAPTURE);
    }
}

#[test]
fn one_piece_directly_in_the_place_of_the_other() {
    for sensor in BOTH {
        let mut board = before_capture(sensor);
        board.lift("e4").wait(400).place("d5", 'P').wait(3_000);
        // An occupancy board sees a piece vanish; that e4 can only capture on d5 says the rest.
        board.gives(CAPTURE);
    }
}

#[test]
fn the_captured_piece_pushed_to_a_neighbour_and_taken_away() {
    for neighbour in ["d4", "c5", "e5", "c6", "d6"] {
        let mut board = before_capture(Sensor::Identity);
        board.lift("e4").wait(300).at_once(|board| {
            board.place("d5", 'P').place(neighbour, 'p');
        });
        board.wait(500).lift(neighbour).wait(3_000);
        board.gives(CAPTURE);
    }
}

#[test]
fn the_captured_piece_pushed_aside_before_the_capturer_is_gone() {
    // For a moment the board shows White's rook on c5: as if 1.Rc5 had been played instead of 1.Rxc6.
    let mut board =
        Board::from_fen(Sensor::Identity, "2r2k2/1p2b1p1/p1r1bp1p/8/3B4/3B1N2/PP3PPP/2R3K1 w - - 0 1");
    board.play("c1c6");
    board.at_once(|board| {
        board.place("c6", 'r').place("c5", 'R');
    });
    board.wait(120).lift("c8").wait(200).lift("c5").wait(3_000);
    board.play_all("g1f1 c6c8");
    let seen = board.gives("c1c6 c8c6 g1f1 c6c8");
    assert_eq!(seen.of_type("record-gap").len(), 0);
    assert_eq!(seen.of_type("move-retracted").len(), 0);
}

#[test]
fn a_piece_seen_on_its_new_square_before_it_has_left_the_old_one() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.place("e4", 'P').wait(60).lift("e2").wait(3_000);
        board.play("e7e5");
        board.place("f3", 'N').wait(60).lift("g1").wait(3_000);
        board.gives("e2e4 e7e5 g1f3");
    }
}

#[test]
fn a_capture_seen_on_its_square_before_it_has_left_the_old_one() {
    let mut board = before_capture(Sensor::Identity);
    board.place("d5", 'P').wait(60).lift("e4").wait(3_000);
    board.gives(CAPTURE);
}

#[test]
fn a_piece_dragged_over_the_squares_between() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5");
        board.lift("f1");
        for square in ["e2", "d3", "c4", "b5"] {
            board.wait(40).place(square, 'B').wait(150).lift(square);
        }
        board.wait(40).place("a6", 'B').wait(3_000);
        board.gives("e2e4 e7e5 f1a6");
    }
}

#[test]
fn a_pawn_that_rests_on_its_way() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.lift("e2").wait(60).place("e3", 'P').wait(300).lift("e3").wait(60).place("e4", 'P').wait(3_000);
        let seen = board.gives("e2e4");
        assert_eq!(seen.of_type("move-retracted").len(), 0, "it did not rest long enough to be announced");
    }
}

#[test]
fn several_pieces_lifted_in_any_order_and_put_back_first() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.lift("g1").wait(500).lift("f1").wait(500).lift("e2").wait(500);
        board.place("f1", 'B').wait(500).place("g1", 'N').wait(500).place("e4", 'P').wait(3_000);
        board.play("e7e5");
        board.gives("e2e4 e7e5");
    }
}

#[test]
fn two_plies_in_one_frame() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.at_once(|board| {
            board.lift("e2").place("e4", 'P').lift("e7").place("e5", 'p');
        });
        board.wait(3_000).play("g1f3");
        board.gives("e2e4 e7e5 g1f3");
    }
}

#[test]
fn a_move_and_the_capture_of_the_piece_in_one_frame() {
    let mut board = before_capture(Sensor::Identity);
    board.at_once(|board| {
        board.lift("e4").lift("d8").place("d5", 'q');
    });
    board.wait(3_000).play("b1c3");
    board.gives("e2e4 d7d5 e4d5 d8d5 b1c3");
}

#[test]
fn a_reply_begun_before_the_opponent_has_let_go() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board
            .lift("e2")
            .wait(300)
            .lift("e7")
            .wait(60)
            .place("e4", 'P')
            .wait(250)
            .place("e5", 'p')
            .wait(3_000);
        board.play("g1f3");
        board.gives("e2e4 e7e5 g1f3");
    }
}

#[test]
fn a_piece_lost_by_its_sensor_for_a_moment_is_no_touch() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play("e2e4");
        board.lift("d8").wait(120).place("d8", 'q').wait(1_000);
        board.lift("a1").wait(180).place("a1", 'R').wait(1_000);
        board.play("e7e5");
        let seen = board.gives("e2e4 e7e5");
        let touched: Vec<&str> =
            seen.of_type("piece-lifted").iter().map(|event| event["square"].as_str().unwrap()).collect();
        assert_eq!(touched, ["e2", "e7"]);
    }
}

#[test]
fn two_captures_on_one_square_while_nobody_let_go() {
    // The reply comes while the first capturer is still being set down: c6 holds a black rook before
    // and after, and two men are missing.
    let mut board =
        Board::from_fen(Sensor::Identity, "2r2k2/1p2b1p1/p1r1bp1p/8/3B4/3B1N2/PP3PPP/2R3K1 w - - 0 1");
    board.lift("c6").wait(300).lift("c1").wait(200).lift("c8").wait(200).place("c6", 'r').wait(3_000);
    board.play_all("g1f1 c6c8");
    board.gives("c1c6 c8c6 g1f1 c6c8");
}

#[test]
fn a_piece_lifted_after_another_was_adjusted_supposes_nothing() {
    let mut board = Board::from_fen(Sensor::Identity, "R7/6p1/5p1k/4r2P/6KP/p7/P7/8 b - - 0 1");
    board.lift("g4").wait(150).place("f5", 'K').wait(500).lift("f5").wait(700).place("g4", 'K').wait(900);
    board.lift("e5").wait(1_000).place("e4", 'r').wait(3_000);
    let seen = board.gives("e5e4");
    assert_eq!(seen.of_type("move-made").len(), 1);
}
