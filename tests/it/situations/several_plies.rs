//! Hands that are quicker than the board, and plies that nobody saw.

use super::script::{NAMED, from, game};

use crate::slots::computing;

#[test]
fn two_plies_between_frames() {
    game("-e2&+e4=P&-e7&+e5=p . 50 . g1f3").never_wrong("e2e4 e7e5 g1f3");
    game("e2e4 d7d5 -e4&-d8&+d5=q . 50 . b1c3").on(NAMED).never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3");
}

#[test]
fn link_lost_three_plies_missed() {
    // Only one order leads there: the pawn has to be on d4 before it is taken, and the taker after.
    let told = game("e2e4 e7e5 lost d2d4 e5d4 d1d4 back 5000 b8c6 d4e3")
        .never_wrong("e2e4 e7e5 d2d4 e5d4 d1d4 b8c6 d4e3");
    for told in told {
        assert_eq!(told.seen.of_type("record-gap").len(), 1, "{}", told.label);
    }
}

#[test]
fn reply_before_the_opponent_lets_go() {
    game("-e2 300 -e7 50 +e4=P 250 +e5=p 100 . 100 . g1f3").never_wrong("e2e4 e7e5 g1f3");
    // The reply stands before the move does.
    game("-e2 300 -e7 100 +e5=p 50 +e4=P 100 . 100 . g1f3").never_wrong("e2e4 e7e5 g1f3");
}

#[test]
fn instant_reply_150_ms() {
    game("e2e4 150 e7e5 150 g1f3 150 b8c6 150 f1b5").never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5");
}

/// The captured man of the reply is the man that has just been set down.
#[test]
fn instant_reply_that_captures_the_man_just_moved() {
    game("e2e4 d7d5 e4d5 100 d8d5 150 b1c3").never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3");
    game("e2e4 d7d5 -d5 -e4 +d5=P 100 -d8 50 -d5 150 +d5=q . 50 . b1c3")
        .never_wrong("e2e4 d7d5 e4d5 d8d5 b1c3");
}

/// Four plies within two seconds, all of them captures on the same square, one after the other.
#[test]
fn four_plies_within_two_seconds() {
    const BEFORE: &str = "4k3/2n5/4p3/3p4/2P1P3/8/7P/4K3 w - - 0 1";
    from(
        BEFORE,
        "-d5 50 -c4 100 +d5=P 150 -d5 50 -e6 100 +d5=p 150 -d5 50 -e4 100 +d5=P 150 -d5 50 -c7 100 +d5=n . 50 . 50 . 50 . e1e2",
    )
    .on(NAMED)
    .seen_at_once()
    .never_wrong("c4d5 e6d5 e4d5 c7d5 e1e2");
}

/// The hand of the reply is on its man before the move is begun.
#[test]
fn reply_lifted_before_the_move() {
    game("-e7 200 -e2 200 +e4=P 200 +e5=p . 100 . g1f3").never_wrong("e2e4 e7e5 g1f3");
}

/// One ply missed while the link was down, and another half done.
#[test]
fn link_back_with_a_man_in_the_air() {
    let _slot = computing();
    game("e2e4 e7e5 lost g1f3 -b8 400 back 300 +c6=n . f1b5").never_wrong("e2e4 e7e5 g1f3 b8c6 f1b5");
}
