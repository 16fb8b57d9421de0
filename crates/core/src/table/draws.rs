//! Repetition and counting moves (Article 9): what may be claimed, and what ends the game by itself.

use super::Table;
use super::records::{Draft, Record, Records};
use super::scene::{Report, Scene};
use crate::event::finding::{Claimable, ClaimableKind, MovesAfterGameEnd, Outcome, OutcomeKind};
use crate::ply::Ply;
use adoube_rules::draw::{is_fifty_claimable, is_threefold_claimable};
use adoube_rules::laws::Name;
use adoube_rules::{GameResult, Position as _, Variant};

/// Draws that nobody has to agree to: what comes after them decides nothing.
pub(super) const DRAWN: [Name; 4] =
    [Name::FivefoldRepetition, Name::SeventyFiveMoves, Name::ThreefoldDraw, Name::FiftyMovesDraw];

impl Records {
    /// The draw by which the game ended, if nobody has decided on it yet: by fivefold repetition or 75 moves (9.6), or
    /// because a claim was correct (9.5.2).
    pub(super) fn drawn(&self) -> Option<&Record> {
        self.open().find(|record| DRAWN.contains(&record.name()))
    }
}

impl<V: Variant> Table<V> {
    /// Brings the history up to the plies that stand.
    pub(super) fn push_history(&mut self) {
        let Some(game) = &mut self.scene.game else { return };
        let plies = game.tracker.plies().count();
        game.history.truncate(plies);
        while game.history.ply() < plies {
            let ply = Ply::last_of(game.history.ply()).next();
            let position = game.tracker.position(ply);
            let known = game.plies.get(ply);
            if known.is_some_and(|known| known.illegal.is_some()) {
                game.history.push_break(position);
            } else {
                game.history.push(position);
            }
        }
    }
}

/// May a draw be claimed by repetition or by counting? With several players to a side only where the event
/// says so (four-player R-21).
pub(super) fn has_draw_claims<V: Variant>(scene: &Scene<V>) -> bool {
    V::ARMIES == 2 || scene.profile.draw_claims
}

/// Ply `ply` stands: the draws that it makes.
pub(super) fn judge_draws<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.playing().filter(|_| has_draw_claims(report.scene)) else { return };
    let last = ply.count();
    if game.history.ply() < last {
        return;
    }
    let position = game.tracker.position(ply);
    let turn = position.turn();
    let occurrences = u32::try_from(game.history.occurrences(last)).unwrap_or(u32::MAX);
    let halfmoves = game.history.halfmoves(last);
    let is_last = last == game.history.ply();
    let threefold = is_last && is_threefold_claimable(&game.history);
    let fifty = is_last && is_fifty_claimable(&game.history);
    // With several players to a side no game is drawn by itself (four-player R-21).
    let is_automatic = V::ARMIES == 2;
    let is_fivefold = is_automatic && report.profile.rep_auto.is_some_and(|limit| occurrences >= limit);
    let is_seventy_five =
        is_automatic && report.profile.moves_auto.is_some_and(|limit| halfmoves >= 2 * limit);
    let counted = |record: &&Record| DRAWN[..2].contains(&record.name());
    if let Some(end) = report.records.drawn().filter(counted).map(Record::name) {
        if report.records.open_record(Name::MovesAfterGameEnd).is_none() {
            report.open(Draft::open(MovesAfterGameEnd { by: turn.other(), ply, end }));
        }
        return;
    }
    let automatic =
        [(OutcomeKind::FivefoldRepetition, is_fivefold), (OutcomeKind::SeventyFiveMoves, is_seventy_five)];
    if let Some((kind, _)) = automatic.into_iter().find(|(_, is_reached)| *is_reached) {
        let outcome = Outcome {
            ply: Some(ply),
            plies: Some(report.scene.game.as_ref().map(|game| game.history.same(last))),
            halfmoves: Some(halfmoves),
            ..Outcome::of(GameResult::Draw)
        };
        report.open(Draft::open((kind, outcome)));
        return;
    }
    let claimable =
        [(ClaimableKind::ThreefoldClaimable, threefold), (ClaimableKind::FiftyMovesClaimable, fifty)];
    for (kind, _) in claimable.into_iter().filter(|(_, is_claimable)| *is_claimable) {
        report.open(Draft::notice((kind, Claimable { side: turn, ply })));
    }
}
