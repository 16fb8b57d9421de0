//! Article 4 at the moment a move stands: was it within the obligation that the touches gave?

use super::records::{Draft, Record};
use super::rulings::decided;
use super::scene::{Report, Scene};
use super::windows::released_until;
use super::{Table, all_named, ledger, named, neighbours};
use crate::event::finding::{
    CastlingRookFirst, ClaimWindowClosed, ConfirmMove, Finding, MoveChangedAfterRelease,
    PromotionChoiceChanged, ReplacementMoves, TouchMoveSuspected, TwoHandsSuspected, Window,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::departure::Kind;
use adoube_rules::laws::{Class, Name, Severity};
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::touch::{
    Obligation, Release, Rule, is_of_army, obligation, side_of, touched_only_what_moved,
};
use adoube_rules::{Family, Move as _, Position as _, Variant};

/// The records of Article 4: they lapse with the opponent's next touch, and hold back a mate.
pub(super) const ARTICLE_4: [Name; 4] = [
    Name::TouchMoveSuspected,
    Name::CastlingRookFirst,
    Name::MoveChangedAfterRelease,
    Name::PromotionChoiceChanged,
];

/// A piece that was let go of in the running turn as (part of) a legal move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Let {
    pub(super) ply: Ply,
    pub(super) release: Release,
    /// The kind of man that came to stand there, if it is another than what left: a promotion.
    pub(super) promoted: Option<Content>,
}

impl<V: Variant> Table<V> {
    /// The man on `square` was lifted and stayed away: a touch, if its player has the move.
    pub(super) fn lifted_with_intent(&mut self, square: Square, out: &mut Vec<Event>) {
        // Nothing that happens while the clocks stand is play (6.11).
        let is_play = !self.scene.mode().is_off_the_record() && !self.scene.is_paused();
        let Some(game) = self.scene.playing().filter(|_| is_play) else { return };
        let best = game.tracker.best();
        let turn = best.turn();
        let is_touch =
            is_of_army(best.content(square), best.army()) && self.scene.army_on_move() == best.army();
        if is_touch && !game.ledger.is_adjusting(turn) {
            self.touched_with_intent(turn, out);
        }
    }

    /// Several pieces left their squares at once in the turn of `ply`, and were put back: they were knocked over (7.4.1).
    pub(super) fn strike_put_back(&mut self, ply: Ply) {
        let since_ns = self.scene.turn_begins_ns(ply.before());
        let is_it = |record: &&Record| {
            let is_of_several = match &record.finding {
                Finding::PieceDisplaced(_) => true,
                Finding::IllegalMovePending(pending) => pending.kinds.contains(&Kind::SeveralPieces),
                _ => false,
            };
            is_of_several && record.key.ply == ply && record.status == Status::Corrected
        };
        let Some(game) = &mut self.scene.game else { return };
        for record in self.records.iter().filter(is_it) {
            game.ledger.strike_knocked(&record.key.squares, since_ns);
        }
    }
}

/// Ply `ply` stands: what Article 4 says of it.
pub(super) fn judge_touches<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let Some(mover) = report.mover(ply) else { return };
    let is_others = report.profile.assistant_moves[mover.index()] || neighbours::is_copied(report.scene, ply);
    if is_others || game.plies[ply].is_recovered {
        return;
    }
    let position = game.tracker.position(ply.before()).clone();
    let Some(played) = game.tracker.mv(ply) else { return };
    let touches = ledger::touches_of(report.scene, ply);
    let since_ns = report.turn_begins_ns(ply.before());
    let is_meant = |let_go: &Let| !game.ledger.is_struck(let_go.release.from, since_ns);
    let released = game.ledger.released_at(ply).filter(is_meant);
    if let Some(released) = released
        && judge_release(ply, &position, played, released, report)
    {
        return;
    }
    if touched_only_what_moved::<V>(&position, &touches, played) {
        return;
    }
    let Some(mut bound) = obligation::<V>(&position, &touches, None) else { return };
    if bound.moves.contains(&played) {
        return;
    }
    // What was touched before the move was begun says the same: that is the article.
    let begun_ns = report.scene.game.as_ref().map_or(0, |game| game.tracker.lifted_ns(ply));
    let earlier = ledger::touches_in(
        report.scene,
        &position,
        report.turn_begins_ns(ply.before()),
        begun_ns.saturating_sub(1),
    );
    if let Some(before) = obligation::<V>(&position, &earlier, None)
        && before.moves == bound.moves
    {
        bound = before;
    }
    let castles_with = |(_, rook)| rook == bound.first;
    if bound.rule == Rule::RookThenKing && played.castling().is_some_and(castles_with) {
        rook_first(ply, &position, played, bound.first, report);
    } else {
        suspect(ply, &position, played, &bound, report);
    }
}

/// Two men of one move in the air together and set down nearly together: a hint of two hands (4.1).
pub(super) fn judge_hands<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref().filter(|_| report.profile.two_hand_ms > 0) else { return };
    let (Some(mv), Some(mover)) = (game.tracker.mv(ply), report.mover(ply)) else { return };
    let footprint = game.tracker.position(ply.before()).footprint(mv);
    if let Some(squares) = lifted_together(report.scene, footprint.changes()) {
        let found = TwoHandsSuspected { ply, by: mover, squares: all_named::<V>(&squares) };
        report.open(Draft::open(found).squares(&squares));
    }
}

/// The squares that two men left together, if the men came to stand together as well. Chess960
/// exchanges king and rook with one hand (II.3.2.2).
pub(super) fn lifted_together<V: Variant>(
    scene: &Scene<V>,
    changes: &[(Square, Content, Content)],
) -> Option<Vec<Square>> {
    let within_ns = u64::from(scene.profile.two_hand_ms) * MS;
    let game = scene.game.as_ref().filter(|_| within_ns > 0)?;
    if game.tracker.best().castles_in_any_order() {
        return None;
    }
    let squares = |of: &dyn Fn(&(Square, Content, Content)) -> bool| -> Vec<Square> {
        changes.iter().filter(|change| of(change)).map(|change| change.0).collect()
    };
    let filled = squares(&|change| !change.2.is_empty());
    if filled.len() < 2 {
        return None;
    }
    let left = squares(&|change| !change.1.is_empty());
    let spread = |times: Vec<u64>| Some(times.iter().max()? - times.iter().min()?);
    let lifted = spread(left.iter().filter_map(|&square| game.tracker.square_lifted_ns(square)).collect());
    let placed = spread(filled.iter().filter_map(|&square| game.tracker.square_placed_ns(square)).collect());
    let is_near = |spread: Option<u64>| spread.is_some_and(|spread_ns| spread_ns <= within_ns);
    (left.len() > 1 && is_near(lifted) && is_near(placed)).then_some(left)
}

/// What a released piece binds to; true if it says all that there is to say.
fn judge_release<V: Variant>(
    ply: Ply,
    position: &V::Position,
    played: V::Move,
    released: Let,
    report: &mut Report<'_, V>,
) -> bool {
    let Some(mut bound) = obligation::<V>(position, &[], Some(released.release)) else { return false };
    let arrived = position
        .footprint(played)
        .changes()
        .iter()
        .find(|change| change.0 == released.release.to)
        .map(|change| change.2);
    if let (Some(first), Some(later)) = (released.promoted, arrived)
        && first != later
        && side_of(first) == side_of(later)
    {
        choice_changed(ply, released.release.to, first, later, report);
        return true;
    }
    if bound.moves.contains(&played) {
        return false;
    }
    if bound.rule == Rule::KingReleased {
        suspect(ply, position, played, &bound, report);
    } else if let Some((_, rook)) = played.castling().filter(|&(_, rook)| rook == released.release.from) {
        if !position.castles_in_any_order() {
            rook_first(ply, position, played, rook, report);
        }
    } else {
        let mover = position.turn();
        // A rook that was let go of has moved: to castle with it now is too late (4.4.2).
        if !position.castles_in_any_order() {
            bound.moves.retain(|&mv| mv.castling().is_none());
        }
        let found = MoveChangedAfterRelease {
            rule: Rule::Released,
            ply,
            by: mover,
            first: named::<V>(released.release.from),
            released: named::<V>(released.release.to),
            obligation: sans::<V>(position, &bound.moves),
            played: position.played(played).bare_san(),
        };
        breach(Draft::open(found), report);
    }
    true
}

fn choice_changed<V: Variant>(
    ply: Ply,
    square: Square,
    first: Content,
    later: Content,
    report: &mut Report<'_, V>,
) {
    let letter = |content| Family::kind_letter(content).map(String::from);
    let Some(mover) = report.mover(ply) else { return };
    let found = PromotionChoiceChanged {
        rule: Rule::PieceChosen,
        ply,
        by: mover,
        square: named::<V>(square),
        first: letter(first),
        later: letter(later),
    };
    let record = report.open(Draft::open(found).squares(&[square]));
    let Some(game) = report.scene.game.as_ref() else { return };
    let position = game.tracker.position(ply.before()).clone();
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let final_choice = moves.into_iter().find(|&mv| {
        let changes = position.footprint(mv);
        let played = game.tracker.mv(ply).map(|mv| position.footprint(mv));
        let same_origin = played.is_some_and(|played| {
            changes.changes().iter().filter(|change| change.2.is_empty()).map(|change| change.0).eq(played
                .changes()
                .iter()
                .filter(|change| change.2.is_empty())
                .map(|change| change.0))
        });
        same_origin && changes.changes().iter().any(|change| change.0 == square && change.2 == first)
    });
    if let Some(mv) = final_choice {
        let played = position.played(mv);
        let confirmed = ConfirmMove { moves: vec![played.bare_san()], uci: Some(played.uci()), ways: None };
        report.propose(Draft::open(confirmed), record);
    }
}

fn rook_first<V: Variant>(
    ply: Ply,
    position: &V::Position,
    played: V::Move,
    rook: Square,
    report: &mut Report<'_, V>,
) {
    let mover = position.turn();
    let released = position
        .footprint(played)
        .changes()
        .iter()
        .find(|change| change.2 == position.content(rook))
        .map(|change| named::<V>(change.0));
    let rook_moves: Vec<V::Move> = rook_moves::<V>(position, rook);
    let found = CastlingRookFirst {
        ply,
        by: mover,
        first: named::<V>(rook),
        rook_released: released,
        obligation: sans::<V>(position, &rook_moves),
        played: position.played(played).bare_san(),
    };
    breach(Draft::open(found), report);
}

fn rook_moves<V: Variant>(position: &V::Position, rook: Square) -> Vec<V::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.retain(|&mv| {
        mv.castling().is_none()
            && position.footprint(mv).changes().iter().any(|change| change.0 == rook && change.2.is_empty())
    });
    moves
}

fn suspect<V: Variant>(
    ply: Ply,
    position: &V::Position,
    played: V::Move,
    bound: &Obligation<V::Move>,
    report: &mut Report<'_, V>,
) {
    let mover = position.turn();
    let mut draft = Draft::open(TouchMoveSuspected {
        ply,
        by: mover,
        rule: bound.rule,
        first: named::<V>(bound.first),
        obligation: sans::<V>(position, &bound.moves),
        played: position.played(played).bare_san(),
        arbiter_duty: report.profile.article4_arbiter_duty,
    });
    if bound.rule == Rule::KingReleased {
        draft = draft.window(released_until(&report.profile));
    }
    if let Some(game) = report.scene.game.as_ref() {
        draft = draft.fens(position.shown(), game.tracker.position(ply).shown());
    }
    breach(draft, report);
}

/// 2005: in rapid and blitz the arbiter rules on Article 4 only when asked (B5).
fn is_ruled_unasked<V: Variant>(report: &Report<'_, V>) -> bool {
    report.profile.article4_arbiter_duty || report.profile.class == Class::Standard
}

/// A breach of Article 4, and what goes with its confirmation: for the arbiter to see until he is asked.
fn breach<V: Variant>(draft: Draft, report: &mut Report<'_, V>) {
    if is_ruled_unasked(report) {
        let record = report.open(draft);
        decided::propose_withdrawal(record, report);
    } else {
        report.open(draft.severity(Severity::Info));
    }
}

pub(super) fn propose_replacement<V: Variant>(
    record: RecordId,
    position: &V::Position,
    moves: &[V::Move],
    report: &mut Report<'_, V>,
) {
    report.propose(Draft::open(ReplacementMoves { moves: sans::<V>(position, moves) }), record);
}

/// Moves as a reader names them, without signs of check.
pub(super) fn sans<V: Variant>(position: &V::Position, moves: &[V::Move]) -> Vec<String> {
    let mut sans: Vec<String> = moves.iter().map(|&mv| position.played(mv).bare_san()).collect();
    sans.sort_unstable();
    sans.dedup();
    sans
}

/// `side` touched a piece with intent: what its opponent did before can no longer be claimed by it
/// (4.8); the record stays as evidence. So much of Article 4 as the edition says has this window. The records that
/// lapsed, and those that say so.
pub(super) fn claim_window_closes<V: Variant>(side: Side, report: &mut Report<'_, V>) -> Vec<RecordId> {
    let of_opponent = |record: &Record| {
        ARTICLE_4.contains(&record.name())
            && record.key.side == Some(side.other())
            && record.window == Some(Window::OpponentsTouch)
    };
    let names: Vec<(RecordId, Name)> = report
        .records
        .open()
        .filter(|record| of_opponent(record))
        .map(|record| (record.number, record.name()))
        .collect();
    let close = |(number, name)| {
        let closed = report.open(Draft::notice(ClaimWindowClosed { of: name, side }));
        // The arbiter's own duty does not end with the player's right: he may still confirm it.
        report.close(number, Status::Expired);
        [closed, number]
    };
    names.into_iter().flat_map(close).collect()
}
