//! Numbers of positions (section 10).

use super::*;
use crate::Position as _;

/// How many series of so many legal moves there are.
fn perft(position: &FourPosition, depth: u32) -> u64 {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    match depth {
        0 => 1,
        1 => moves.len() as u64,
        _ => moves.into_iter().map(|mv| perft(&position.play(mv), depth - 1)).sum(),
    }
}

fn counts(position: &FourPosition, depth: u32) -> Vec<u64> {
    (1..=depth).map(|depth| perft(position, depth)).collect()
}

#[test]
fn the_start_array() {
    let rules = FourRules::default();
    for parity in [Parity::Light, Parity::Dark] {
        for seat_after_red in [Army::White, Army::Black] {
            let start = FourPosition::start(FourRules { parity, seat_after_red, ..rules });
            assert_eq!(counts(&start, 4), [20, 399, 7_960, 158_402], "{start:?}");
        }
    }
    assert_eq!(perft(&FourPosition::start(rules), 5), 3_730_168);
    let of = |wing_depth| counts(&FourPosition::start(FourRules { wing_depth, ..rules }), 4);
    assert_eq!(of(WingDepth::Two), [22, 477, 10_340, 220_802]);
    assert_eq!(of(WingDepth::Four), [20, 400, 8_000, 160_000]);
}

#[test]
fn the_specs_positions() {
    let rules = FourRules::default();
    let bare = {
        let mut bare = FourPosition::start(rules);
        let taken: Vec<Square> = bare
            .men()
            .filter(|man| matches!(man.2, Role::Queen | Role::Bishop | Role::Knight))
            .map(|man| man.0)
            .collect();
        taken.into_iter().for_each(|square| bare.put(square, Content::EMPTY));
        bare
    };
    assert_eq!(counts(&bare, 4), [25, 624, 15_575, 388_127]);
    let rooks = "S Kh1 Rd1 Rk1 Pe2 Ph2 Pb9 Nf4, W Ka8 Ra4 Ra11 Pb6 Pg4 Bd8, \
                 N Kg14 Rd14 Rk14 Pd13 Ph13 Qj11, E Kn7 Rn4 Rn11 Pm8 Pi4 Nl6";
    assert_eq!(counts(&position(rooks, true, rules), 3), [42, 1_782, 105_445]);
    let crossing = "S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2";
    assert_eq!(counts(&position(crossing, false, rules), 4), [5, 31, 93, 537]);
    let promoting = "S Kh1 Pb8, W Ka4 Ra9, N Kg14, E Kn7";
    assert_eq!(counts(&position(promoting, false, rules), 4), [10, 130, 625, 3_125]);
}
