//! How games end on the board by themselves: mate and dead position. (For kings on the centre squares see
//! `centre`.)

use crate::board::{BOTH, Board};

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
