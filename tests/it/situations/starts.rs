//! How games begin: which way the board lies, from which position, and when the next one opens.

use crate::board::{BOTH, Board};
use crate::seen::Seen;

fn of_game(seen: &Seen, index: usize) -> String {
    seen.moves(index).join(" ")
}

const ENDGAME: &str = "8/5k2/8/8/3P4/8/2K5/8 w - - 0 40";

#[test]
fn a_given_position() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, ENDGAME);
        board.play_all("d4d5 f7f6 c2d3");
        let seen = board.gives("d4d5 f7f6 c2d3");
        assert_eq!(seen.games[0].start, ENDGAME);
    }
}

#[test]
fn a_given_position_on_a_board_that_lies_the_other_way_round() {
    for sensor in BOTH {
        let mut board = Board::turned_from_fen(sensor, ENDGAME);
        board.play_all("d4d5 f7f6 c2d3");
        let seen = board.gives("d4d5 f7f6 c2d3");
        assert_eq!(seen.of_type("board-rotated-180").len(), 1);
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn the_next_game_after_a_mate() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("f2f3 e7e5 g2g4 d8h4");
        board.set_up("8/8/8/8/8/8/8/8").wait(2_000).set_up(START).wait(5_000);
        board.play_all("d2d4 d7d5");
        let seen = board.seen();
        assert_eq!(seen.games.len(), 2);
        assert_eq!(
            (of_game(&seen, 0).as_str(), seen.games[0].result.as_str()),
            ("f2f3 e7e5 g2g4 d8h4", "0-1")
        );
        assert_eq!((of_game(&seen, 1).as_str(), seen.games[1].result.as_str()), ("d2d4 d7d5", "*"));
        assert!(seen.games[0].closed && !seen.games[1].closed);
    }
}

#[test]
fn the_next_game_after_an_unfinished_one() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1e2");
        // The men go back to their squares one by one.
        board.lift("e2").wait(500).lift("c5").wait(500).lift("c4").wait(500).lift("f3").wait(500);
        board
            .lift("c6")
            .wait(500)
            .place("f1", 'B')
            .wait(500)
            .place("b8", 'n')
            .wait(500)
            .place("g1", 'N')
            .wait(500);
        board.lift("e4").wait(500).place("e2", 'P').wait(500).lift("e5").wait(500).place("e7", 'p').wait(500);
        board.place("f8", 'b').wait(500).place("e1", 'K').wait(5_000);
        board.play_all("d2d4 d7d5");
        let seen = board.seen();
        assert_eq!(seen.games.len(), 2);
        assert_eq!(of_game(&seen, 0), "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1e2");
        assert_eq!(of_game(&seen, 1), "d2d4 d7d5");
    }
}

#[test]
fn men_set_up_one_by_one_before_the_first_game() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board
            .lift("a1")
            .wait(500)
            .lift("d8")
            .wait(4_000)
            .place("d8", 'q')
            .wait(500)
            .place("a1", 'R')
            .wait(5_000);
        board.play("c2c4");
        board.gives("c2c4");
    }
}
