//! What is said to be needed is never more than was played.

use proptest::prelude::*;

use super::*;
use crate::{Position as _, Reach as _, Variant as _};

fn walks(start: &FourPosition, choices: &[usize]) -> Vec<FourPosition> {
    let mut positions = vec![start.clone()];
    for &choice in choices {
        let position = &positions[positions.len() - 1];
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        // Captures happen more often than by chance.
        let captures: Vec<FourMove> =
            moves.iter().copied().filter(|mv| !position.content(mv.to).is_empty()).collect();
        let from = if choice % 3 == 0 && !captures.is_empty() { captures } else { moves };
        let Some(&mv) = from.get((choice / 3) % from.len().max(1)) else { break };
        let next = position.play(mv);
        positions.push(next);
    }
    positions
}

fn check(positions: &[FourPosition]) {
    for (first, from) in positions.iter().enumerate() {
        for (plies, to) in (0..).zip(&positions[first..]) {
            for named in [true, false] {
                let contents = if named { to.contents().to_vec() } else { occupied(to.contents()) };
                let need = FourReach::new(&contents, named).need(from);
                let is_met = need.is_some_and(|need| need.is_met_by(from.turn(), plies));
                assert!(is_met, "{need:?}, {plies} plies (named: {named}) from {from:?} to {to:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_needed_is_never_more_than_was_played(
        start in 0..4_usize,
        choices in prop::collection::vec(any::<usize>(), 16),
    ) {
        let rules = FourRules::default();
        let start = match start {
            0 => FourPosition::start(rules),
            1 => position(
                "S Kh1 Rd1 Rk1 Pe2 Ph2 Pb9 Nf4, W Ka8 Ra4 Ra11 Pb6 Pg4 Bd8, \
                 N Kg14 Rd14 Rk14 Pd13 Ph13 Qj11, E Kn7 Rn4 Rn11 Pm8 Pi4 Nl6",
                true,
                rules,
            ),
            2 => position("S Kd1 Pb5 Pm6 Pl6, W Ka11 Pe2 Pf2 Ra7, N Kk14 Pb9 Pc9, E Kn8 Pj12 Pk12 Nn6", false, rules),
            _ => position("S Kd1 Ph2 Pd2 Pf2, W Ka7 Pg4 Pe4, N Kk14 Ph13, E Kn8 Pi2 Pm7", false, rules),
        };
        check(&walks(&start, &choices));
    }
}

#[test]
fn a_player_waits_for_his_turn() {
    let start = FourPlayer::array();
    let need = |changes: &str, named: bool| {
        let contents = changed(&start, changes);
        let contents = if named { contents } else { occupied(&contents) };
        FourReach::new(&contents, named).need(&start)
    };
    for named in [true, false] {
        // Black alone has moved, who is the fourth.
        assert_eq!(need("m8= l8=kP", named).map(|need| need.together), Some(4));
        assert_eq!(need("h2= h3=rP", named).map(|need| need.together), Some(1));
        // Red twice: the fifth ply.
        assert_eq!(need("h2= h3=rP g2= g3=rP", named).map(|need| need.together), Some(5));
    }
    // No pawn goes back, none appears, and no bishop changes its colour.
    let moved = play(&start, "h2h4");
    let back = FourReach::new(start.contents(), true);
    assert_eq!(back.need(&moved), None);
    assert_eq!(need("h5=rP", true), None);
    assert_eq!(need("f1= f4=rB", true), None);
}
