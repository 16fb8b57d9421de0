//! How likely a move is, and whether a man is where he was meant to be.

use super::*;
use crate::{Move as _, Position as _, Rest};

const MEN: &str = "S Kh1 Rk1 Pd2 Bf4, W Ka8 Pg5 Rm6, N Kg14 Pi6, E Kn7 Pj7";

fn mv(position: &FourPosition, text: &str) -> FourMove {
    read_move(position, text).unwrap()
}

#[test]
fn a_man_is_there_or_on_his_way() {
    let mut position = position(MEN, true, FourRules::default());
    position.drop_dead_rights();
    for (text, rest) in [
        ("k1i1", Rest::Castling),
        ("h1i1", Rest::OnTheWay),
        ("h1h2", Rest::Final),
        ("h1j1", Rest::Final),
        ("k1k4", Rest::OnTheWay),
        ("d2d3", Rest::OnTheWay),
        ("d2d4", Rest::Final),
        ("f4g5", Rest::Final),
        ("f4c7", Rest::OnTheWay),
    ] {
        assert_eq!(position.rest(mv(&position, text)), rest, "{text}");
    }
}

#[test]
fn a_dragged_man_comes_over_the_square_before() {
    let position = position(MEN, true, FourRules::default());
    let step = |text| mv(&position, text).last_step();
    assert_eq!(step("d2d4"), Some(square("d3")));
    assert_eq!(step("f4c7"), Some(square("d6")));
    assert_eq!(step("h1h2"), Some(square("h1")));
    assert_eq!(step("h1j1"), None);
}

#[test]
fn a_capture_that_loses_a_rook_is_unlikely() {
    // White's rook takes Blue's pawn, which nobody of the other team defends; or Red's is on its guard.
    let free = position(MEN, false, FourRules::default()).with_seat(Seat::West);
    let gain = |position: &FourPosition| position.gain(mv(position, "m6i6"));
    assert_eq!(gain(&free), 1);
    let men = "S Kh1 Ri1, W Ka8 Rm6, N Kg14 Pi6, E Kn7";
    let guarded = position(men, false, FourRules::default()).with_seat(Seat::West);
    assert_eq!(gain(&guarded), 1 - 5);
    // Black's pawn on j7 stands behind: rook for rook, and the pawn won.
    let men = "S Kh1 Ri1, W Ka8 Rm6, N Kg14 Pi6, E Kn7 Pj7";
    let defended = position(men, false, FourRules::default()).with_seat(Seat::West);
    assert_eq!(gain(&defended), 1);
}

#[test]
fn promotions_are_known_as_such() {
    let position = position("S Kh1 Pb8 Pd2, W Ka4 Ra9, N Kg14, E Kn7", false, FourRules::default());
    assert!(position.may_promote(square("b8")));
    assert!(!position.may_promote(square("d2")) && !position.may_promote(square("h1")));
    assert!(!mv(&position, "b8a9q").is_unusual_promotion());
    assert!(mv(&position, "b8a9n").is_unusual_promotion());
}
