//! A king that would be mated if his player's turn came now (four-player game, T-aim and R-14).
//!
//! With four players a mate may stand before the turn of the mated one, and be relieved before it comes. Until
//! then it is a threat and nothing else: said without advice, withdrawn when it is over or when his turn has come.

use super::records::Draft;
use super::scene::Report;
use crate::event::Status;
use crate::event::finding::MateThreat;
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Army;
use adoube_rules::{Position as _, Variant};

/// The record of it.
const THREAT: Name = Name::MateThreat;

/// Ply `ply` stands, or is the last that is left: which kings would be mated.
pub(super) fn judge_threats<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.playing().filter(|_| V::ARMIES > 2) else { return };
    if ply != game.tracker.plies() {
        return;
    }
    let is_held = !ply.is_start() && game.plies.get(ply).is_none_or(|known| known.is_held);
    let position = game.tracker.position(ply);
    let mut threatened = if ply.is_start() || is_held { Vec::new() } else { position.mate_threats() };
    // Nobody's turn comes after the end.
    if !threatened.is_empty() && position.end().is_some() {
        threatened.clear();
    }
    threats_are(&threatened, ply, report);
}

/// The game has its result: no other turn comes.
pub(super) fn threats_end<V: Variant>(report: &mut Report<'_, V>) {
    report.close_all(|record| record.name() == THREAT, Status::Withdrawn);
}

fn threats_are<V: Variant>(armies: &[Army], ply: Ply, report: &mut Report<'_, V>) {
    let is_over = |army: Option<Army>| army.is_none_or(|army| !armies.contains(&army));
    report.close_all(|record| record.name() == THREAT && is_over(record.key.player), Status::Withdrawn);
    for &army in armies {
        let is_said =
            report.records.open().any(|record| record.name() == THREAT && record.key.player == Some(army));
        if !is_said {
            let found = MateThreat { ply, side: army.side() };
            report.open(Draft::open(found).player(army));
        }
    }
}
