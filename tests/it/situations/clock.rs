//! What the clock says about a move.

use adoube_rules::sensor::Side;

use crate::board::{BOTH, Board};

#[test]
fn a_press_announces_and_completes_the_move_at_once() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.clock(Side::White).wait(2_000);
        board.lift("e2").wait(300).place("e4", 'P').wait(50).clock(Side::Black).wait(3_000);
        let seen = board.gives("e2e4");
        let made = seen.of_type("move-made")[0];
        assert_eq!((made["t_ms"].as_u64(), made["made_ms"].as_u64()), (Some(6_350), Some(6_300)));
        let completed = seen.of_type("move-completed")[0];
        assert_eq!(
            (completed["by"].as_str(), completed["completed_ms"].as_u64()),
            (Some("press"), Some(6_350))
        );
        assert_eq!(seen.of_type("game-started").len(), 1);
    }
}

#[test]
fn a_press_before_the_last_square_was_read_still_completes_the_move() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.clock(Side::White).wait(2_000);
        board.lift("e2").wait(300).clock(Side::Black).wait(200).place("e4", 'P').wait(3_000);
        let seen = board.gives("e2e4");
        let completed = seen.of_type("move-completed");
        assert_eq!(completed.len(), 1);
        assert_eq!(
            (completed[0]["by"].as_str(), completed[0]["completed_ms"].as_u64()),
            (Some("press"), Some(6_300))
        );
    }
}

#[test]
fn without_a_press_the_next_move_of_the_side_completes_it() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3");
        let seen = board.gives("e2e4 e7e5 g1f3");
        let completed = seen.of_type("move-completed");
        assert_eq!(completed.len(), 1);
        assert_eq!((completed[0]["ply"].as_u64(), completed[0]["by"].as_str()), (Some(1), Some("next-move")));
    }
}
