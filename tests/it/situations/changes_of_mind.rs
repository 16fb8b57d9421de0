//! Moves taken back on the board.

use super::script::{NAMED, game};

#[test]
fn takeback_of_one_ply() {
    game("e2e4 e7e5 g1f3 -f3 +g1=N 500 f1c4~ g8f6").undoing("g1f3").never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn takeback_of_two_plies() {
    game("e2e4 e7e5 g1f3 b8c6 -c6 +b8=n 500 -f3 +g1=N 1000 f1c4 g8f6")
        .undoing("g1f3 b8c6")
        .never_wrong("e2e4 e7e5 f1c4 g8f6");
}

#[test]
fn takeback_of_a_capture() {
    game("e2e4 d7d5 e4d5 -d5 +e4=P 400 +d5=p 1000 b1c3~ g8f6")
        .undoing("e4d5")
        .never_wrong("e2e4 d7d5 b1c3 g8f6");
}

/// The captured man is put back first, beside the capturer that still stands on his square.
#[test]
fn takeback_of_a_capture_with_both_in_hand() {
    game("e2e4 d7d5 e4d5 -d5 700 +d5=p +e4=P 1000 b1c3~ g8f6")
        .undoing("e4d5")
        .never_wrong("e2e4 d7d5 b1c3 g8f6");
}

/// Two plies at once: each takes his own move back with his own hand. Without names it looks for a moment
/// like a capture of the first and a retreat of the second.
#[test]
fn takeback_of_two_plies_with_two_hands() {
    game("e2e4 e7e5 g1f3 b8c6 -c6 100 -f3 200 +b8=n 50 +g1=N 1000 f1c4 g8f6")
        .on(NAMED)
        .undoing("g1f3 b8c6")
        .never_wrong("e2e4 e7e5 f1c4 g8f6");
}

/// Taken back and made again: the game goes on as if nothing had been.
#[test]
fn takeback_and_the_same_move_again() {
    game("e2e4 e7e5 g1f3 -f3 +g1=N 1500 g1f3~ b8c6").undoing("g1f3").never_wrong("e2e4 e7e5 g1f3 b8c6");
}

/// Four plies back, from the last one on.
#[test]
fn takeback_of_four_plies() {
    game("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 -f6 +g8=n 400 -c4 +f1=B 400 -c6 +b8=n 400 -f3 +g1=N 1500 d2d4 e5d4")
        .undoing("g1f3 b8c6 f1c4 g8f6")
        .never_wrong("e2e4 e7e5 d2d4 e5d4");
}
