//! What was played is not certain: a move that could as well have been another one, a pawn that could
//! have become another piece. The best explanation is provisional until later moves or the arbiter
//! decide; what nothing decides stays open when the game is over.

use super::records::{Draft, Record, Records};
use super::scene::{Report, Scene};
use super::{Table, named, touching};
use crate::event::finding::{AmbiguousMove, ConfirmMove, Finding, PromotionPieceUnknown};
use crate::event::{Event, RecordId, Status};
use crate::infer::View;
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Role;
use adoube_rules::square::Square;
use adoube_rules::stamp::SECOND;
use adoube_rules::{Footprint, Position as _, Variant};

/// Another explanation this close is as good.
const AS_GOOD_NATS: u8 = 1;
/// One so far behind is none any more.
const DECIDED_NATS: u8 = 3;

/// What would go on is believed for longer than other doubts last: too early an end loses all that follows.
const GOES_ON_NATS: u8 = 6;

/// An end of the game that rests on a doubted ply waits so long for a reply that tells better: who is not
/// mated has mostly touched a man by then.
const HELD_NS: u64 = 30 * SECOND;
/// And until hands have been off the board for so long: the reply may be under way.
const HANDS_OFF_NS: u64 = 3 * SECOND;

impl Records {
    /// It was said that ply `ply` could as well have been another move.
    pub(super) fn is_doubted(&self, ply: Ply) -> bool {
        self.iter().any(|record| record.is_open() && record.key.ply == ply && is_of_a_ply(record))
    }
}

impl<V: Variant> Table<V> {
    /// The plies up to `ply` stand: those that could as well have been other moves are said, and those
    /// that no longer could are decided.
    pub(super) fn judge_doubts(&mut self, ply: Ply, out: &mut Vec<Event>) {
        if self.scene.is_ruling {
            return;
        }
        let Some(game) = &self.scene.game else { return };
        let doubts = game.tracker.doubts(if game.held_ns.is_some() { GOES_ON_NATS } else { AS_GOOD_NATS });
        for doubt in doubts.into_iter().filter(|doubt| doubt.ply <= ply) {
            let Some(game) = &self.scene.game else { return };
            let Some((own, mover)) = game.tracker.mv(doubt.ply).zip(self.scene.mover(doubt.ply)) else {
                continue;
            };
            let position = game.tracker.position(doubt.ply.before());
            let mut moves = doubt.others;
            moves.push(own);
            let moves = touching::sans::<V>(position, &moves);
            let draft = Draft::open(AmbiguousMove { by: mover, ply: doubt.ply, moves: moves.clone() });
            // What the arbiter has said of this ply holds.
            let is_known = |record: &Record| record.key == draft.key && is_answered(record);
            if !self.records.iter().any(is_known) && !self.records.is_doubted(doubt.ply) {
                let record = self.open(draft, out);
                self.propose(Draft::open(ConfirmMove { moves, uci: None, ways: None }), record, out);
            }
        }
        close_decided(ply, &mut self.report(out));
        close_promotions(ply, &mut self.report(out));
        self.doubt_decided(out);
    }

    /// The last ply would end the game and is in doubt: that waits.
    pub(super) fn hold_end(&mut self) {
        let at_ns = self.scene.now.mono_ns;
        if let Some(game) = &mut self.scene.game {
            game.held_ns = Some(at_ns);
        }
    }

    /// Something else decides about it.
    pub(super) fn hold_no_more(&mut self) {
        if let Some(game) = &mut self.scene.game {
            game.held_ns = None;
        }
    }

    /// Nothing else has come of the doubt: an end that waited for it is one.
    pub(super) fn held_end_stands(&mut self, out: &mut Vec<Event>) {
        if self.scene.game.as_mut().and_then(|game| game.held_ns.take()).is_some() {
            self.end_if_undisputed(out);
        }
    }

    /// The same, if the last ply is no longer in doubt.
    pub(super) fn doubt_decided(&mut self, out: &mut Vec<Event>) {
        if self.scene.playing().is_some_and(|game| game.held_ns.is_some()) && !self.is_end_doubted() {
            self.held_end_stands(out);
        }
    }

    /// The last ply ends the game, and may not have: it could as well have been another move, or what leads to it has
    /// another explanation in which the game goes on.
    pub(super) fn is_end_doubted(&self) -> bool {
        self.scene.playing().is_some_and(|game| {
            self.records.is_doubted(game.tracker.plies()) || game.tracker.may_go_on(GOES_ON_NATS)
        })
    }
}

/// The arbiter has said what it was.
fn is_answered(record: &Record) -> bool {
    record.by_arbiter || matches!(record.status, Status::Confirmed | Status::Rejected)
}

const ASKED: Name = Name::PromotionPieceUnknown;

/// An ambiguity between moves that were played, not between a move and none (line 17 of the press table).
fn is_of_a_ply(record: &Record) -> bool {
    record.name() == Name::AmbiguousMove && !may_be_none(record)
}

/// Either this was played or nothing.
pub(super) fn may_be_none(record: &Record) -> bool {
    matches!(&record.finding, Finding::AmbiguousMove(found) if found.moves.iter().any(|mv| mv == "none"))
}

fn at_ply(record: &Record) -> Option<Ply> {
    match &record.finding {
        Finding::PromotionPieceUnknown(unknown) => Some(unknown.at_ply),
        _ => None,
    }
}

fn is_about(record: &Record, ply: Ply, square: Square) -> bool {
    record.name() == ASKED && at_ply(record) == Some(ply) && record.key.squares == [square]
}

/// The square on which a pawn became another piece.
fn promotion_square(footprint: &Footprint) -> Option<Square> {
    let changes = footprint.changes();
    changes.iter().find(|change| change.1.role() == Some(Role::Pawn) && change.2.is_empty())?;
    changes
        .iter()
        .find(|change| !change.2.is_empty() && change.2.role() != Some(Role::Pawn))
        .map(|change| change.0)
}

/// Ply `ply` was pressed and left the picture as it was: king and rook may have been put back where they stood (Chess960).
pub(super) fn judge_castling_in_place<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref().filter(|_| report.view == View::Occupancy) else { return };
    let Some((mv, by)) = game.tracker.mv(ply).zip(report.scene.mover(ply)) else { return };
    let position = game.tracker.position(ply.before());
    if report.is_ruling || !leaves_no_trace(&position.footprint(mv)) {
        return;
    }
    let moves = vec![position.played(mv).bare_san(), "none".to_owned()];
    let record = report.open(Draft::open(AmbiguousMove { by, ply, moves: moves.clone() }));
    report.propose(Draft::open(ConfirmMove { moves, uci: None, ways: None }), record);
}

/// Whatever changed, where something stood, something stands, and nothing where nothing stood.
pub(super) fn leaves_no_trace(footprint: &Footprint) -> bool {
    let changes = footprint.changes();
    !changes.is_empty() && changes.iter().all(|&(_, before, after)| before.occupancy() == after.occupancy())
}

fn close_decided<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    // Whoever replies has seen a move.
    report.close_all(|record| may_be_none(record) && record.key.ply < ply, Status::Corrected);
    let is_meant = |record: &Record| record.is_open() && record.key.ply <= ply && is_of_a_ply(record);
    let open: Vec<(RecordId, Ply)> = report
        .records
        .iter()
        .filter(|record| is_meant(record))
        .map(|record| (record.number, record.key.ply))
        .collect();
    let Some(game) = report.scene.game.as_ref().filter(|_| !open.is_empty()) else { return };
    let undecided = game.tracker.doubts(if game.held_ns.is_some() { GOES_ON_NATS } else { DECIDED_NATS });
    for (number, ply) in open {
        if undecided.iter().all(|doubt| doubt.ply != ply) {
            report.close(number, Status::Corrected);
        }
    }
}

/// An occupancy board does not show what a pawn became: a queen, until a later move tells.
pub(super) fn judge_promotion<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    if report.view != View::Occupancy || report.is_ruling {
        return;
    }
    let Some(game) = report.scene.game.as_ref() else { return };
    let Some(mv) = game.tracker.mv(ply) else { return };
    let position = game.tracker.position(ply.before());
    let Some(square) = promotion_square(&position.footprint(mv)) else { return };
    // It stays open when another explanation takes the ply: that one may tell the piece.
    let is_asked =
        |record: &Record| is_about(record, ply, square) && (record.is_open() || is_answered(record));
    if report.records.iter().any(is_asked) {
        return;
    }
    let mut moves = other_pieces(report.scene, ply);
    moves.push(mv);
    let choices = touching::sans::<V>(position, &moves);
    let found = PromotionPieceUnknown { square: named::<V>(square), at_ply: ply };
    let record = report.open(Draft::open(found).squares(&[square]));
    report.propose(Draft::open(ConfirmMove { moves: choices, uci: None, ways: None }), record);
}

/// Later moves may have told what a pawn became, or another line has no pawn there.
fn close_promotions<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let open: Vec<(RecordId, Ply, Vec<Square>)> = report
        .records
        .iter()
        .filter(|record| record.name() == ASKED && record.is_open())
        .filter_map(|record| Some((record.number, at_ply(record)?, record.key.squares.clone())))
        .filter(|&(_, at_ply, _)| at_ply <= ply)
        .collect();
    for (number, at_ply, squares) in open {
        let Some(game) = report.scene.game.as_ref() else { return };
        let footprint =
            game.tracker.mv(at_ply).map(|mv| game.tracker.position(at_ply.before()).footprint(mv));
        let square = footprint.as_ref().and_then(promotion_square);
        if square.is_none() || !squares.iter().copied().eq(square) {
            report.close(number, Status::Withdrawn);
        } else if other_pieces(report.scene, at_ply).is_empty() {
            report.close(number, Status::Corrected);
        }
    }
}

/// The moves of promoting ply `ply` to other pieces with which everything since could have been
/// played as well.
fn other_pieces<V: Variant>(scene: &Scene<V>, ply: Ply) -> Vec<V::Move> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let Some(own) = game.tracker.mv(ply) else { return Vec::new() };
    let before = game.tracker.position(ply.before());
    let squares = |mv: V::Move| -> Vec<(Square, bool)> {
        before.footprint(mv).changes().iter().map(|change| (change.0, change.2.is_empty())).collect()
    };
    let mut moves = Vec::new();
    before.legal_moves(&mut moves);
    moves.retain(|&mv| mv != own && squares(mv) == squares(own));
    moves.retain(|&mv| {
        let mut position = before.play(mv);
        ply.next().to(game.tracker.plies()).all(|later| {
            let Some(played) = game.tracker.played(later) else { return false };
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            let Some(&again) = legal.iter().find(|&&mv| position.played(mv).uci() == played.uci()) else {
                return false;
            };
            position = position.play(again);
            true
        })
    });
    moves
}

/// When an end that waits has waited for long enough.
pub(super) fn held_end_due_ns<V: Variant>(scene: &Scene<V>) -> Option<u64> {
    let held_ns = scene.playing()?.held_ns?;
    Some((held_ns + HELD_NS).max(scene.last_change_ns + HANDS_OFF_NS))
}
