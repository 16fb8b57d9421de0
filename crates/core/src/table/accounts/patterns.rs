//! Moves half done, illegal moves that are not pressed, moves out of turn: each is on record while the picture rests so
//! (3.7.5, 3.8.2, 4.7; laws-model 5).

use crate::event::finding::{
    CastlingPending, IllegalMovePending, MoveOutOfTurn, OutOfTurn, PromotionPending, RestorePosition,
};
use crate::event::{Event, RecordId, Status};
use crate::table::records::Draft;
use crate::table::scene::Report;
use crate::table::touching::Let;
use crate::table::{Table, all_named, named};
use adoube_rules::departure::Kind;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::{Army, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::touch::Release;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Table<V> {
    pub(in crate::table) fn half_castled(&mut self, from: Square, to: Square, out: &mut Vec<Event>) {
        let ply = self.scene.ply_to_come();
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.position(game.tracker.plies());
        let (side, role) = (position.turn(), position.content(from).role());
        let king = (role == Some(Role::King)).then(|| named::<V>(to));
        close_pending_but(Name::CastlingPending, &mut self.report(out));
        let found = CastlingPending { ply, side, king };
        self.open(Draft::open(found).severity(Severity::Info), out);
        self.rests_as_part(Let { ply, release: Release { from, to }, promoted: None });
    }

    /// The pawn of `from` stands on its last rank, or a piece stands there that it shall become (4.7.3, 4.4.4).
    pub(in crate::table) fn half_promoted(&mut self, from: Square, to: Square, out: &mut Vec<Event>) {
        promotion_pending(Some(to), &mut self.report(out));
        let Some(game) = &self.scene.game else { return };
        let shown = game.tracker.at(to);
        let position = game.tracker.best();
        let promoted = (shown != position.content(from)).then_some(shown);
        // Which of two pawns it is for, nobody can tell yet.
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let arrives = |mv: &V::Move| {
            position
                .footprint(*mv)
                .changes()
                .iter()
                .any(|change| change.0 == to && Some(change.2) == promoted)
        };
        if moves.into_iter().filter(arrives).any(|mv| mv.departures()[0] != from) {
            return;
        }
        let ply = self.scene.ply_to_come();
        self.rests_as_part(Let { ply, release: Release { from, to }, promoted });
    }

    /// What rests as part of a move is let go of when it has rested for long enough.
    fn rests_as_part(&mut self, part: Let) {
        let dwell_ns = u64::from(self.scene.profile.release_dwell_ms) * MS;
        self.pending.release_ns = Some((self.scene.last_change_ns + dwell_ns, part));
    }

    /// It has: that binds.
    pub(in crate::table) fn part_let_go(&mut self) {
        if let (Some((_, part)), Some(game)) = (self.pending.release_ns.take(), &mut self.scene.game) {
            game.ledger.lets_go(part);
        }
    }

    /// The record of it; none without a game.
    pub(in crate::table) fn out_of_turn(&mut self, mv: V::Move, out: &mut Vec<Event>) -> Option<RecordId> {
        close_pending_but(Name::MoveOutOfTurn, &mut self.report(out));
        let ply = self.scene.ply_to_come();
        let game = self.scene.game.as_ref()?;
        let position = game.tracker.best().clone();
        let fen = position.fen();
        let army = Self::army_of_move(&position, mv);
        let side = army.side();
        let waiting = position.with_army(army);
        let played = waiting.played(mv);
        let sub = match side {
            side if side == position.turn() => OutOfTurn::PartnerMoved,
            Side::Black if game.tracker.plies().is_start() && V::ARMIES == 2 => OutOfTurn::BlackStarted,
            _ => OutOfTurn::OpponentMoved,
        };
        let found = MoveOutOfTurn { ply, by: side, uci: played.uci(), san: played.bare_san(), sub };
        let record = self.open(Draft::open(found).player(army), out);
        self.propose(Draft::open(RestorePosition { fen, side: None, ply: ply.before() }), record, out);
        self.report(out).propose_clock_times(record);
        Some(record)
    }

    /// The army whose man `mv` moves.
    pub(in crate::table) fn army_of_move(position: &V::Position, mv: V::Move) -> Army {
        let man = position.content(mv.departures()[0]);
        man.seat_role().map_or_else(|| position.army(), |(army, _)| army)
    }
}

fn promotion_pending<V: Variant>(square: Option<Square>, report: &mut Report<'_, V>) {
    let ply = report.ply_to_come();
    let turn = report.turn();
    close_pending_but(Name::PromotionPending, report);
    let found = PromotionPending { ply, side: turn, square: square.map(named::<V>) };
    report.open(Draft::open(found));
}

pub(super) fn illegal_pending<V: Variant>(squares: &[Square], kinds: &[Kind], report: &mut Report<'_, V>) {
    let ply = report.ply_to_come();
    let turn = report.turn();
    close_pending_but(Name::IllegalMovePending, report);
    let (names, kinds) = (all_named::<V>(squares), kinds.to_vec());
    let found = IllegalMovePending { ply, by: turn, squares: names, kinds };
    report.open(Draft::open(found).squares(squares));
}

/// One pending pattern takes the place of another.
pub(in crate::table) fn close_pending_but<V: Variant>(
    kept: impl Into<Option<Name>>,
    report: &mut Report<'_, V>,
) {
    let kept = kept.into();
    let pending =
        [Name::IllegalMovePending, Name::CastlingPending, Name::PromotionPending, Name::MoveOutOfTurn];
    // What was pressed and stands is no pattern any more: an arbiter decides on it.
    let plies = report.scene.game.as_ref().into_iter().flat_map(|game| game.plies.iter());
    let standing: Vec<RecordId> = plies.filter_map(|(_, known)| known.illegal).collect();
    report.close_all(
        |record| {
            pending.contains(&record.name())
                && Some(record.name()) != kept
                && !standing.contains(&record.number)
        },
        Status::Corrected,
    );
}

/// Men are missing and nothing has arrived: in a hand, as far as anybody can tell.
pub(super) fn lifted_only<V: Variant>(squares: &[Square], report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let position = game.tracker.best();
    let turn = position.turn();
    let king = (position.army(), Role::King);
    let is_castling_in_hand = position.castles_in_any_order() && squares.len() > 1 && {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().any(|mv| {
            let Some((king, rook)) = mv.castling() else { return false };
            squares.iter().all(|square| [king, rook].contains(square))
        })
    };
    let on = squares.iter().copied().find(|&square| position.content(square).seat_role() == Some(king));
    if squares.len() == 1 && position.may_promote(squares[0]) {
        promotion_pending(None, report);
    } else if is_castling_in_hand {
        close_pending_but(Name::CastlingPending, report);
        let ply = report.ply_to_come();
        let found = CastlingPending { ply, side: turn, king: on.map(named::<V>) };
        report.open(Draft::open(found));
    }
}
