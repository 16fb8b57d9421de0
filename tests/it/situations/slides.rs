//! Men that rest on their way, and moves that are put right.

use super::script::game;

#[test]
fn slide_e2_e3_e4_200_ms_on_e3() {
    game("-e2 50 +e3=P 200 -e3 50 +e4=P . e7e5").never_wrong("e2e4 e7e5");
}

#[test]
fn slide_600_ms_on_e3() {
    game("-e2 50 +e3=P 600 -e3 50 +e4=P . e7e5").may_correct("e2e3", "e2e4 e7e5");
}

#[test]
fn move_corrected_after_2_s() {
    // Without a press in between: he has not let the opponent's time run.
    game("e2e4 e7e5 f1c4~ 2000 -c4 +b5=B . g8f6").may_correct("f1c4", "e2e4 e7e5 f1b5 g8f6");
}

#[test]
fn half_way_touches_f3_300_ms_goes_back_plays_nc3() {
    game("-g1 +f3=N 300 -f3 +g1=N 500 b1c3 e7e5").may_correct("g1f3", "b1c3 e7e5");
}

#[test]
fn half_way_rests_on_f3_1200_ms_goes_back_plays_nc3() {
    game("-g1 +f3=N 1200 -f3 +g1=N 500 b1c3 e7e5").may_correct("g1f3", "b1c3 e7e5");
}

/// A slow drag: 150 ms on each of three squares is no rest.
#[test]
fn bishop_dragged_over_three_squares() {
    game("e2e4 e7e5 -f1 50 +e2=B 150 -e2 50 +d3=B 150 -d3 50 +c4=B 150 -c4 50 +b5=B . g8f6")
        .never_wrong("e2e4 e7e5 f1b5 g8f6");
}

/// Read on both squares at once while it is dragged.
#[test]
fn rook_dragged_and_read_on_two_squares() {
    game("a2a4 a7a5 -a1 50 +a2=R 100 +a3=R 50 -a2 . e7e5").never_wrong("a2a4 a7a5 a1a3 e7e5");
}

/// Corrected twice before the press.
#[test]
fn move_corrected_twice() {
    game("e2e4 e7e5 -f1 +e2=B 1500 -e2 +c4=B 1500 -c4 +b5=B . g8f6")
        .may_correct("f1e2 f1c4", "e2e4 e7e5 f1b5 g8f6");
}

/// Dragged one square too far and back again: on a slow board he may seem to rest there.
#[test]
fn slide_that_goes_one_square_too_far() {
    game("e2e4 e7e5 -f1 50 +e2=B 100 -e2 50 +d3=B 100 -d3 50 +c4=B 100 -c4 50 +b5=B 250 -b5 50 +c4=B . g8f6")
        .may_correct("f1b5", "e2e4 e7e5 f1c4 g8f6");
}

/// Dragged over every square between.
#[test]
fn bishop_dragged_to_the_edge() {
    game("e2e4 e7e5 -f1 50 +e2=B 150 -e2 50 +d3=B 150 -d3 50 +c4=B 150 -c4 50 +b5=B 150 -b5 50 +a6=B . g8f6")
        .never_wrong("e2e4 e7e5 f1a6 g8f6");
}
