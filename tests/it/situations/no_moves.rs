//! What hands and sensors do that is no move: flicker, adjusting, hesitating, knocking over.

use super::script::{NAMED, Told, from, game};

use crate::slots::computing;

/// Nothing of this sort may be on record at the end as still pending.
#[track_caller]
fn nothing_is_pending(told: &[Told]) {
    for told in told {
        let last = told.seen.events.iter().rev().find(|event| event["type"] == "illegal-move-pending");
        let is_over = last.is_none_or(|event| event["status"] != "open");
        assert!(is_over, "{}: {last:?}", told.label);
    }
}

#[test]
fn other_piece_flickers_100_ms_during_the_move() {
    game("-e2 100 -g8 100 +g8=n 100 +e4=P . e7e5").never_wrong("e2e4 e7e5");
    game("-e2 200 +e4=P 50 -g8 100 +g8=n . e7e5").never_wrong("e2e4 e7e5");
}

#[test]
fn placed_piece_flickers_100_ms() {
    game("-e2 +e4=P 150 -e4 100 +e4=P . e7e5").never_wrong("e2e4 e7e5");
    game("-e2 +e4=P 400 -e4 100 +e4=P 1000 . e7e5").never_wrong("e2e4 e7e5");
}

/// A rook that may still be castling's waits; meanwhile another one is put down on a pawn, and all is put right.
#[test]
fn what_waits_goes_on_waiting_after_a_disturbance() {
    let moves = "d2d4 d7d5 c1f4 c8f5 b1c3 b8c6 d1d2 d8d7 e2e3";
    let disturbed = "-a8 400 +d8=r 1800 -h1 +h2=R 50 +h1=R 327 +h2=P 6000";
    game(format!("{moves} {disturbed}")).never_wrong(&format!("{moves} a8d8"));
}

#[test]
fn adjusted_own_piece() {
    game("e2e4 e7e5 -g1 800 +g1=N 500 f1c4 g8f6").never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn adjusted_opponents_piece() {
    game("e2e4 e7e5 -g8 800 +g8=n 500 f1c4 g8f6").never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn adjusted_two_pieces_overlapping() {
    game("e2e4 e7e5 -g1 400 -f1 400 +g1=N 400 +f1=B 500 f1c4 g8f6").never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn adjusted_a_capturable_enemy_piece_then_capture_with_another() {
    // The pawn on e4 and the bishop on c4 may both take on d5; the bishop could also take on f7.
    game("e2e4 e7e6 f1c4 d7d5 -d5 800 +d5=p 500 -d5 -e4 +d5=P . e6d5")
        .never_wrong("e2e4 e7e6 f1c4 d7d5 e4d5 e6d5");
    from("4k3/8/1n3n2/8/3BN3/8/8/4K3 w - - 0 1", "-b6 800 +b6=n 500 -f6 -e4 +f6=N . e8f7")
        .never_wrong("e4f6 e8f7");
}

#[test]
fn lift_hold_4_s_put_back_other_move() {
    game("e2e4 e7e5 -g1 4000 +g1=N 500 f1c4 g8f6").never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn king_lifted_4_s_then_moves() {
    game("e2e4 e7e5 -e1 4000 +e2=K . g8f6").never_wrong("e2e4 e7e5 e1e2 g8f6");
}

#[test]
fn illegal_move_put_right() {
    let told = game("e2e4 e7e5 -g1 +g3=N 2500 -g3 +f3=N . b8c6").never_wrong("e2e4 e7e5 g1f3 b8c6");
    nothing_is_pending(&told);
}

#[test]
fn wrong_side_moves_put_right() {
    game("e2e4 e7e5 -b8 +c6=n 2500 -c6 +b8=n 1000 g1f3 b8c6").never_wrong("e2e4 e7e5 g1f3 b8c6");
}

#[test]
fn knight_knocked_over_lies_on_g3_for_3_s_set_up_again() {
    game("e2e4 e7e5 g1f3 b8c6 -f3&+g3=N 3000 -g3 +f3=N 1000 f1b5 a7a6")
        .never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
}

/// A capturable man flickers while the man that could take it is lifted.
#[test]
fn capturable_piece_flickers_while_another_is_moved() {
    game("e2e4 d7d5 -b1 100 -d5 100 +d5=p 100 +c3=N . d5d4").never_wrong("e2e4 d7d5 b1c3 d5d4");
    game("e2e4 d7d5 -e4 100 -d5 100 +d5=p 100 +e5=P . d5d4").never_wrong("e2e4 d7d5 e4e5 d5d4");
}

/// Three men adjusted in a row, the last one moved.
#[test]
fn adjusted_three_and_the_last_one_moved() {
    game("-b1 600 +b1=N 200 -g1 600 +g1=N 200 -e2 600 +e2=P 200 -e2 500 +e4=P . e7e5")
        .never_wrong("e2e4 e7e5");
}

/// Both players have a man in the hand at once, and both put him back.
#[test]
fn both_hold_a_man_and_put_him_back() {
    game("e2e4 e7e5 -g1 500 -b8 1000 +g1=N 500 +b8=n 1000 f1c4 b8c6").never_wrong("e2e4 e7e5 f1c4 b8c6");
}

/// Wrong side moves, both sides put it right together.
#[test]
fn king_and_queen_knocked_over_and_exchanged_for_a_moment() {
    game("e2e4 e7e5 -e1&-d1 700 +e1=Q&+d1=K 1500 -e1&-d1 700 +d1=Q +e1=K 1000 g1f3 b8c6")
        .never_wrong("e2e4 e7e5 g1f3 b8c6");
}

/// Whichever man it is, and whenever it happens.
#[test]
fn any_man_flickers_100_ms_during_a_capture() {
    let _slot = computing();
    for man in ["a1=R", "e1=K", "g1=N", "d4=P", "a8=r", "d8=q", "e8=k", "c6=n", "e7=p"] {
        let flicker = format!("-{} 100 +{man}", &man[..2]);
        for hands in [
            format!("e2e4 d7d5 d2d4 b8c6 -e4 100 {flicker} 200 -d5 200 +d5=P . d8d5"),
            format!("e2e4 d7d5 d2d4 b8c6 -d5 200 -e4 200 +d5=P 100 {flicker} . d8d5"),
        ] {
            game(hands).never_wrong("e2e4 d7d5 d2d4 b8c6 e4d5 d8d5");
        }
    }
}

#[test]
fn an_adjusted_piece_is_touched_and_a_flickering_one_is_not() {
    for told in game("e2e4 -e8 800 +e8=k 2000 -d8 100 +d8=q 1000 -b1 1500 +b1=N 2000 e7e5")
        .seen_at_once()
        .never_wrong("e2e4 e7e5")
    {
        let touched: Vec<_> =
            told.seen.of_type("piece-lifted").iter().map(|event| event["square"].clone()).collect();
        assert_eq!(touched, ["e2", "e8", "b1", "e7"], "{}", told.label);
    }
}

#[test]
fn a_piece_lifted_after_another_was_adjusted_supposes_nothing() {
    from(
        "R7/6p1/5p1k/4r2P/6KP/p7/P7/8 b - - 0 1",
        "-g4 150 +f5=K 500 -f5 700 +g4=K 900 -e5 1000 +e4=r . g4g3",
    )
    .on(NAMED)
    .never_wrong("e5e4 g4g3");
}
