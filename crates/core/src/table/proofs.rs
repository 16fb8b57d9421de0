//! What a claim rests on, for the players and the arbiter to check (11.12): positions, times, touches.

use super::named;
use super::scene::Scene;
use crate::event::finding::{
    BothTimes, ClaimFault, ClaimFlagFall, ClaimHead, DrawClaim, FirstFlag, FlagDown, ProofPosition, Touched,
    Verdict,
};
use crate::ply::Ply;
use adoube_rules::draw::{ClaimVerdict, Evidence};
use adoube_rules::sensor::Side;
use adoube_rules::stamp::ms;
use adoube_rules::{Position as _, Variant};

/// The report on a claim of Article 9: the plies, and the positions themselves. `intended` is the move
/// that was written down.
pub(super) fn drawn<V: Variant>(
    scene: &Scene<V>,
    head: ClaimHead,
    verdict: &ClaimVerdict,
    intended: Option<V::Move>,
) -> DrawClaim {
    let claim = DrawClaim { gap: verdict.broken_at, ..DrawClaim::of(head, verdict.is_correct.into()) };
    match &verdict.evidence {
        Evidence::Same(plies) => DrawClaim {
            occurrences: Some(plies.len()),
            plies: Some(plies.clone()),
            positions: Some(alike(scene, plies, intended)),
            ..claim
        },
        Evidence::Halfmoves { count, by, since } => {
            let last = scene.game.as_ref().map_or(0, |game| game.history.ply());
            let last = last + usize::from(intended.is_some());
            let ends = since.iter().copied().chain([last]);
            let [white, black] = by.map(|(_, made)| Some(made));
            DrawClaim {
                white,
                black,
                half_moves: Some(*count),
                last_pawn_move: Some(*since),
                positions: Some(ends.filter_map(|ply| proof(scene, ply, intended, true)).collect()),
                ..claim
            }
        }
        Evidence::IllegalMove => DrawClaim { reason: Some(ClaimFault::IllegalMove), ..claim },
    }
}

/// Every position with the men and the turn of the one that is claimed; those that differ by castling
/// rights or en passant do not count (9.2.2).
fn alike<V: Variant>(scene: &Scene<V>, plies: &[usize], intended: Option<V::Move>) -> Vec<ProofPosition> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let last = game.history.ply() + usize::from(intended.is_some());
    let men = |ply: usize| {
        let fen = fen_of(scene, ply, intended)?;
        Some(fen.split(' ').take(2).collect::<Vec<_>>().join(" "))
    };
    let claimed = men(last);
    (0..=last)
        .filter(|&ply| men(ply) == claimed)
        .filter_map(|ply| proof(scene, ply, intended, plies.contains(&ply)))
        .collect()
}

fn fen_of<V: Variant>(scene: &Scene<V>, ply: usize, intended: Option<V::Move>) -> Option<String> {
    let history = &scene.game.as_ref()?.history;
    match history.position(ply) {
        Some(position) => Some(position.fen()),
        None => Some(history.position(history.ply())?.play(intended?).fen()),
    }
}

/// The position after `ply` plies: its FEN, the move that led to it and when that was made.
fn proof<V: Variant>(
    scene: &Scene<V>,
    ply: usize,
    intended: Option<V::Move>,
    counts: bool,
) -> Option<ProofPosition> {
    let game = scene.game.as_ref()?;
    let fen = fen_of(scene, ply, intended)?;
    let number = Ply::last_of(ply);
    let is_played = !number.is_start() && number <= game.tracker.plies();
    let played = is_played.then(|| game.tracker.played(number)).flatten();
    let made_ms = is_played.then(|| ms(scene.elapsed_ns(game.tracker.made_ns(number))));
    Some(ProofPosition { ply, san: played.map(|played| played.san()), fen, made_ms, counts })
}

/// A claim that a flag has fallen: both times after the stop, each flag that is down with the moves made,
/// completed and required, and which fell first (6.8, A.4.3).
pub(super) fn flags_proved<V: Variant>(scene: &Scene<V>, head: ClaimHead, verdict: Verdict) -> ClaimFlagFall {
    let counts = scene.counts();
    let fallen = |side: Side| {
        let index = side.index();
        let fell_ns = scene.timing.watch.flags().fell_ns(side)?;
        let period = scene.period_of(side);
        let required = scene.timing.control.as_ref().and_then(|control| control.required_by(period));
        Some(FlagDown {
            side,
            at_ms: ms(scene.elapsed_ns(fell_ns)),
            period: period + 1,
            made: counts.made[index],
            completed: counts.completed[index],
            required,
        })
    };
    let flags: Vec<FlagDown> = Side::BOTH.into_iter().filter_map(fallen).collect();
    let first = match flags.as_slice() {
        [] => None,
        [flag] => Some(flag.side.into()),
        _ => Some(scene.timing.watch.flags().first().map_or(FirstFlag::Unknown, FirstFlag::from)),
    };
    ClaimFlagFall {
        times: Some(scene.times().map(BothTimes::from)),
        flags: Some(flags),
        first_flag: Some(first),
        ..ClaimFlagFall::of(head, verdict)
    }
}

/// What was touched in the turn of ply `ply`, in order, and when.
pub(super) fn touches_proved<V: Variant>(scene: &Scene<V>, ply: Ply) -> Vec<Touched> {
    let Some(game) = scene.game.as_ref().filter(|_| !ply.is_start()) else { return Vec::new() };
    let (since_ns, made_ns) = (scene.turn_begins_ns(ply.before()), game.tracker.made_ns(ply));
    let position = game.tracker.position(ply.before());
    let lifts = game.ledger.between(since_ns, made_ns).filter(|lift| !lift.is_struck);
    lifts
        .map(|lift| Touched {
            square: named::<V>(lift.square),
            piece: V::FAMILY.man_name(position.content(lift.square)),
            at_ms: ms(scene.elapsed_ns(lift.at_ns)),
            returned_ms: lift.returned_ns.map(|at_ns| ms(scene.elapsed_ns(at_ns))),
        })
        .collect()
}
