//! Castling, king first, rook first and both in hand, with pauses.

use super::script::{act, from};
use crate::board::{Board, Sensor};

const CASTLING: &str = "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1";

#[test]
fn castling_king_first_5_s_pause() {
    from(CASTLING, "-e1 +g1=K 5000 -h1 +f1=R . a7a6").never_wrong("e1g1 a7a6");
    from(CASTLING, "-e1 +c1=K 5000 -a1 +d1=R . a7a6").never_wrong("e1c1 a7a6");
}

#[test]
fn castling_rook_first_600_ms_pause() {
    from(CASTLING, "-h1 +f1=R 600 -e1 +g1=K . a7a6").never_wrong("e1g1 a7a6");
    from(CASTLING, "-a1 +d1=R 600 -e1 +c1=K . a7a6").never_wrong("e1c1 a7a6");
}

#[test]
fn castling_rook_first_5_s_pause() {
    from(CASTLING, "-h1 +f1=R 5000 -e1 +g1=K . a7a6").may_correct("h1f1", "e1g1 a7a6");
    from(CASTLING, "-a1 +d1=R 5000 -e1 +c1=K . a7a6").may_correct("a1d1", "e1c1 a7a6");
}

#[test]
fn castling_both_in_hand() {
    from(CASTLING, "-e1 -h1 +g1=K +f1=R . a7a6").never_wrong("e1g1 a7a6");
    from(CASTLING, "-h1 -e1 +f1=R +g1=K . a7a6").never_wrong("e1g1 a7a6");
}

/// King and rook leave in one scan and arrive in one scan.
#[test]
fn castling_with_both_hands_at_once() {
    from(CASTLING, "-e1&-h1 200 +g1=K&+f1=R . a7a6").never_wrong("e1g1 a7a6");
    from(CASTLING, "-e1&-h1&+g1=K&+f1=R . a7a6").never_wrong("e1g1 a7a6");
}

/// The king is dragged over the square between and rests there for a moment.
#[test]
fn castling_with_the_king_dragged() {
    from(CASTLING, "-e1 50 +f1=K 200 -f1 50 +g1=K 600 -h1 +f1=R . a7a6").never_wrong("e1g1 a7a6");
}

/// The opponent replies at once after castling.
#[test]
fn castling_rook_first_and_an_instant_reply() {
    from(CASTLING, "-h1 +f1=R 400 -e1 +g1=K . 150 a7a6").never_wrong("e1g1 a7a6");
}

/// The rook is lifted while the king is still in the air over g1.
#[test]
fn castling_rook_set_down_before_the_king_of_the_other_wing() {
    from(CASTLING, "h2h3 -a8 250 -e8 250 +d8=r 600 +c8=k . a2a3").never_wrong("h2h3 e8c8 a2a3");
}

/// However long the pause is below the second and a half after which a rook's move is announced.
#[test]
fn castling_rook_first_whatever_the_pause() {
    for pause_ms in [50, 200, 900, 1_250] {
        let hands = format!("-a1 +d1=R {pause_ms} -e1 +c1=K . a7a6");
        from(CASTLING, hands).never_wrong("e1c1 a7a6");
    }
}

/// Any man loses contact for a moment between king and rook.
#[test]
fn castling_while_another_man_flickers() {
    for flicker in ["-a8 100 +a8=r", "-a2 100 +a2=P", "-g1 100 +g1=K", "-e8 100 +e8=k"] {
        from(CASTLING, format!("-e1 +g1=K 600 {flicker} 600 -h1 +f1=R . a7a6")).never_wrong("e1g1 a7a6");
    }
}

/// White changes his mind about where the rook goes, and castles after all.
#[test]
fn castling_after_the_rook_was_put_back() {
    from(CASTLING, "-h1 +f1=R 600 -f1 +h1=R 600 -e1 +g1=K -h1 +f1=R . a7a6").never_wrong("e1g1 a7a6");
}

/// The players castle on either wing, with all the pauses that hands make.
#[test]
fn castling_king_first_whatever_the_pause() {
    for pause_ms in [300, 2_500] {
        let hands = format!("-e1 +g1=K {pause_ms} -h1 +f1=R . -e8 +c8=k {pause_ms} -a8 +d8=r . a2a3");
        from(CASTLING, hands).never_wrong("e1g1 e8c8 a2a3");
    }
}

#[test]
fn a_rook_move_to_the_castling_square_that_is_no_castling() {
    from(CASTLING, "h1f1 a7a6 e1e2 a6a5").never_wrong("h1f1 a7a6 e1e2 a6a5");
}

#[test]
fn chess960_castling() {
    let positions = [
        ("k7/8/8/8/8/8/8/1RK1R3 w EB - 0 1", "c1e1"),
        ("k7/8/8/8/8/8/8/1R3K1R w HB - 0 1", "f1h1"),
        ("k7/8/8/8/8/8/8/1R3K1R w HB - 0 1", "f1b1"),
    ];
    for (fen, castling) in positions {
        let (king, rook) = castling.split_at(2);
        let (king_to, rook_to) = if rook > king { ("g1", "f1") } else { ("c1", "d1") };
        for lifted in [format!("-{rook} -{king}"), format!("-{king} -{rook}")] {
            let mut board = Board::chess960(Sensor::Identity, fen);
            act(&mut board, &format!("{lifted} +{king_to}=K +{rook_to}=R 3000 a8a7"));
            board.gives(&format!("{castling} a8a7"));
        }
    }
}

/// The king stands on g1 already; after castling the rook stands on f1.
#[test]
fn chess960_castling_in_which_only_the_rook_moves() {
    let mut board = Board::chess960(Sensor::Identity, "4k3/8/8/8/8/8/8/6KR w H - 0 1");
    act(&mut board, "-h1 +f1=R 3000 e8e7");
    board.gives("g1h1 e8e7");
}
