//! Castling, en passant and promotion, in whatever order the men are moved.

use crate::board::{BOTH, Board, Sensor};

const CASTLING: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1";

#[test]
fn castling_with_the_king_first_and_a_pause() {
    for sensor in BOTH {
        for pause_ms in [300, 1_000, 2_000] {
            let mut board = Board::from_fen(sensor, CASTLING);
            board.lift("e1").wait(300).place("g1", 'K').wait(pause_ms);
            board.lift("h1").wait(300).place("f1", 'R').wait(3_000);
            board.lift("e8").wait(300).place("c8", 'k').wait(pause_ms);
            board.lift("a8").wait(300).place("d8", 'r').wait(3_000);
            board.gives("e1g1 e8c8");
        }
    }
}

#[test]
fn castling_with_the_rook_first_and_a_pause() {
    for sensor in BOTH {
        for pause_ms in [300, 1_000, 2_500] {
            let mut board = Board::from_fen(sensor, CASTLING);
            board.lift("h1").wait(300).place("f1", 'R').wait(pause_ms);
            board.lift("e1").wait(300).place("g1", 'K').wait(3_000);
            board.lift("a8").wait(300).place("d8", 'r').wait(pause_ms);
            board.lift("e8").wait(300).place("c8", 'k').wait(3_000);
            board.gives("e1g1 e8c8");
        }
    }
}

#[test]
fn castling_with_both_in_hand() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, CASTLING);
        board
            .lift("h1")
            .wait(300)
            .lift("e1")
            .wait(300)
            .place("g1", 'K')
            .wait(300)
            .place("f1", 'R')
            .wait(3_000);
        board
            .lift("e8")
            .wait(300)
            .lift("a8")
            .wait(300)
            .place("d8", 'r')
            .wait(300)
            .place("c8", 'k')
            .wait(3_000);
        board.gives("e1g1 e8c8");
    }
}

#[test]
fn a_rook_move_to_the_castling_square_that_is_no_castling() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, CASTLING);
        board.play_all("h1f1 a7a6 e1e2 a6a5");
        board.gives("h1f1 a7a6 e1e2 a6a5");
    }
}

#[test]
fn chess960_castling() {
    let positions = [
        ("k7/8/8/8/8/8/8/1RK1R3 w EB - 0 1", "c1e1"),
        ("k7/8/8/8/8/8/8/1R3K1R w HB - 0 1", "f1h1"),
        ("k7/8/8/8/8/8/8/1R3K1R w HB - 0 1", "f1b1"),
    ];
    for (fen, castling) in positions {
        for rook_first in [false, true] {
            let mut board = Board::chess960(Sensor::Identity, fen);
            let (king, rook) = castling.split_at(2);
            let is_short = rook > king;
            let (king_to, rook_to) = if is_short { ("g1", "f1") } else { ("c1", "d1") };
            if rook_first {
                board.lift(rook).wait(300).lift(king).wait(300);
            } else {
                board.lift(king).wait(300).lift(rook).wait(300);
            }
            board.place(king_to, 'K').wait(300).place(rook_to, 'R').wait(3_000);
            board.play("a8a7");
            board.gives(&format!("{castling} a8a7"));
        }
    }
}

#[test]
fn chess960_castling_in_which_only_the_rook_moves() {
    // The king stands on g1 already; after castling the rook stands on f1.
    let mut board = Board::chess960(Sensor::Identity, "4k3/8/8/8/8/8/8/6KR w H - 0 1");
    board.lift("h1").wait(400).place("f1", 'R').wait(3_000);
    board.play("e8e7");
    board.gives("g1h1 e8e7");
}

#[test]
fn en_passant_in_all_orders() {
    let before = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let orders: [&[&str]; 5] = [
        &["-e5", "+d6", "-d5"],
        &["-e5", "-d5", "+d6"],
        &["-d5", "-e5", "+d6"],
        &["+d6", "-e5", "-d5"],
        &["+d6", "-d5", "-e5"],
    ];
    for sensor in BOTH {
        for order in orders {
            let mut board = Board::from_fen(sensor, before);
            board.play("d7d5");
            for act in order {
                match act.split_at(1) {
                    ("-", square) => board.lift(square),
                    (_, square) => board.place(square, 'P'),
                };
                board.wait(300);
            }
            board.wait(3_000).play("e8f7");
            board.gives("d7d5 e5d6 e8f7");
        }
    }
}

const PROMOTION: &str = "3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1";

#[test]
fn promotion_with_the_pawn_on_the_last_rank_first() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, PROMOTION);
        board
            .lift("e7")
            .wait(300)
            .place("e8", 'P')
            .wait(1_000)
            .lift("e8")
            .wait(500)
            .place("e8", 'Q')
            .wait(3_000);
        board.play("g7h6");
        board.gives("e7e8q g7h6");
    }
}

#[test]
fn promotion_with_the_queen_first() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, PROMOTION);
        board.place("e8", 'Q').wait(1_000).lift("e7").wait(3_000);
        board.play("g7h6");
        board.gives("e7e8q g7h6");
    }
}

#[test]
fn promotion_with_the_pawn_taken_off_first() {
    for sensor in BOTH {
        let mut board = Board::from_fen(sensor, PROMOTION);
        board.lift("e7").wait(1_500).place("e8", 'Q').wait(3_000);
        board.gives("e7e8q");
    }
}

#[test]
fn promotion_by_a_capture() {
    for (orders, sensor) in [
        (["-d8", "-e7", "+d8"], Sensor::Identity),
        (["-e7", "-d8", "+d8"], Sensor::Identity),
        (["-d8", "-e7", "+d8"], Sensor::Occupancy),
        (["-e7", "-d8", "+d8"], Sensor::Occupancy),
    ] {
        let mut board = Board::from_fen(sensor, PROMOTION);
        for act in orders {
            match act.split_at(1) {
                ("-", square) => board.lift(square),
                (_, square) => board.place(square, 'Q'),
            };
            board.wait(400);
        }
        board.wait(3_000).play("g7f7");
        board.gives("e7d8q g7f7");
    }
}

#[test]
fn underpromotion_where_the_sensor_names_the_piece() {
    for (letter, promoted) in [('N', "n"), ('B', "b"), ('R', "r")] {
        let mut board = Board::from_fen(Sensor::Identity, PROMOTION);
        board.lift("e7").wait(300).place("e8", letter).wait(3_000);
        board.gives(&format!("e7e8{promoted}"));
    }
}

#[test]
fn underpromotion_that_only_a_later_move_shows() {
    // A knight goes from e8 to f6; a queen that stood there could not.
    let mut board = Board::from_fen(Sensor::Occupancy, "8/k3P3/8/1p6/8/6P1/8/4K3 w - - 0 1");
    board.lift("e7").wait(300).place("e8", 'N').wait(3_000);
    assert_eq!(board.seen().moves(0), ["e7e8q"], "until then it is a queen");
    board.play_all("a7a6 e8f6");
    let seen = board.gives("e7e8n a7a6 e8f6");
    let retracted = seen.of_type("move-retracted");
    assert_eq!(retracted.len(), 1);
    assert_eq!(
        (retracted[0]["ply"].as_u64(), retracted[0]["cause"].as_str()),
        (Some(1), Some("explanation"))
    );
}
