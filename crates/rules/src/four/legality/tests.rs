//! Positions that cannot have arisen, and why.

use super::*;
use crate::four::FourRules;
use crate::four::tests::{play, position};

const KINGS: [(&str, &str); 4] = [("S", "Kd1"), ("W", "Ka7"), ("N", "Kk14"), ("E", "Kn8")];

/// The kings with more men: `S Pe2, W Rb4`.
fn kings_and(men: &str) -> FourPosition {
    let of = |seat: &str| men.split(", ").find_map(|army| army.strip_prefix(seat)).unwrap_or_default();
    let armies: Vec<String> = KINGS.iter().map(|(seat, king)| format!("{seat} {king}{}", of(seat))).collect();
    position(&armies.join(", "), false, FourRules::default())
}

fn said(position: &FourPosition) -> (Legal, Vec<&'static str>) {
    let verdict = judge(position);
    (verdict.legal, verdict.reasons.iter().map(|reason| reason.name).collect())
}

fn no(position: &FourPosition) -> Vec<&'static str> {
    let (legal, names) = said(position);
    assert_eq!(legal, Legal::No, "{position:?}");
    names
}

const UNKNOWN: (Legal, Vec<&'static str>) = (Legal::Unknown, Vec::new());

#[test]
fn what_a_game_leads_to_is_legal() {
    let mut at = FourPosition::start(FourRules::default());
    for mv in ["h2-h4", "b7-d7", "g13-g11", "m8-k8", "g1-h2", "b8-c8"] {
        assert_eq!(judge(&at).legal, Legal::Yes, "before {mv}");
        at = play(&at, mv);
    }
    assert_eq!(judge(&at).legal, Legal::Yes);
    assert_eq!(said(&kings_and("")), UNKNOWN);
}

#[test]
fn what_cannot_be_says_why() {
    let rules = FourRules::default();
    assert_eq!(no(&position("S Kd1, W Ka7, N Kk14", false, rules)), ["king-missing"]);
    assert_eq!(no(&kings_and("S Kk1")), ["kings-too-many"]);
    assert_eq!(no(&kings_and("S Qe4 Qe5 Pd2 Pe2 Pf2 Pg2 Ph2 Pi2 Pj2 Pk2")), ["promotions-too-many"]);
    // No pawn goes back, nor stands where it becomes another man; the partner's end it can reach.
    assert_eq!(no(&kings_and("S Pe1")), ["pawn-on-outer-rank"]);
    assert_eq!(no(&kings_and("S Pa8")), ["pawn-on-outer-rank"]);
    assert_eq!(no(&kings_and("S Pb4")), ["pawn-on-unreachable-square"], "b5 is the first on its file");
    assert_eq!(said(&kings_and("S Pd14 Pb5, E Pb5")), UNKNOWN);
}

#[test]
fn kings_and_checks() {
    let rules = FourRules::default();
    // Partners' kings may stand together, opponents' may not.
    assert_eq!(said(&position("S Kh7, N Kh8, W Ka7, E Kn8", false, rules)), UNKNOWN);
    assert_eq!(no(&position("S Kh7, W Kh8, N Kk14, E Kn8", false, rules)), ["kings-adjacent"]);
    // East, who moved before South, stands in check; West, who has yet to move, may.
    assert_eq!(no(&kings_and("N Rm8")), ["side-not-to-move-in-check"]);
    assert_eq!(said(&kings_and("N Rb7")), UNKNOWN);
}

/// A pawn changes its file by captures alone, and only the other team's men can be captured.
#[test]
fn pawns_need_men_that_are_missing() {
    let start = FourPosition::start(FourRules::default());
    let moved = |from: &str, to: &str, gone: &[&str]| {
        let mut position = start.clone();
        let square = |name: &str| position.geometry().square(name).unwrap();
        let (from, to, gone): (Square, Square, Vec<Square>) =
            (square(from), square(to), gone.iter().map(|name| square(name)).collect());
        position.put(to, position.content(from));
        position.put(from, crate::sensor::Content::EMPTY);
        gone.into_iter().for_each(|square| position.put(square, crate::sensor::Content::EMPTY));
        position
    };
    // Two files from the row of pawns are two captures; one man was on b6.
    assert_eq!(no(&moved("d2", "b6", &[])), ["pawn-captures"]);
    assert_eq!(no(&moved("d2", "b6", &["e13"])), ["pawn-captures"], "the partner's men are nothing to take");
    assert_eq!(said(&moved("d2", "b6", &["m4"])), UNKNOWN);
}
