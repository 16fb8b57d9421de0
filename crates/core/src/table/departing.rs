//! A picture that has come to rest and that no legal move explains: a move half done, an illegal one
//! not yet pressed, a move out of turn, pieces displaced (laws-model 5).

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::touching::Let;
use super::{Table, adopting, all_named, displaced, gaps, named, offers, unaccounted};
use crate::event::finding::{
    CastlingPending, IllegalMovePending, MoveOutOfTurn, OutOfTurn, PromotionPending, RestorePosition,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::{Army, Content, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::touch::{Release, side_of};
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Table<V> {
    /// The picture changed: when it will have settled, if nothing explains it.
    pub(super) fn watch_for_departure(&mut self, out: &mut Vec<Event>) {
        self.pending.left_behind = None;
        self.pending.settle_ns = None;
        let Some(game) = self.scene.playing() else { return };
        let is_explained = game.tracker.is_explained();
        let is_masked = !game.displaced.is_empty();
        unaccounted::judge_unaccounted(&mut self.report(out));
        if is_explained {
            put_right(&mut self.report(out));
        }
        if !is_explained || is_masked {
            self.pending.settle_ns =
                Some(self.scene.now.mono_ns + u64::from(self.scene.profile.settle_ms) * MS);
        }
    }

    /// The picture rests and nothing explains it.
    pub(super) fn departed(&mut self, out: &mut Vec<Event>) {
        self.pending.settle_ns = None;
        if self.scene.playing().is_none() || self.scene.mode().is_off_the_record() || self.is_setting_up() {
            return;
        }
        if self.scene.is_paused() {
            offers::judge_resignation_signs(&mut self.report(out));
        }
        self.look_under_displaced(out);
        let is_explained = self.scene.playing().is_some_and(|game| game.tracker.is_explained());
        if is_explained || self.scene.move_shown().is_some() || self.mirrored_castling(out) {
            return;
        }
        let rested_ns = self.scene.now.mono_ns - self.scene.last_change_ns;
        let hand_ns = u64::from(self.scene.profile.release_dwell_ms) * MS;
        let departure = self.scene.departure();
        let is_blind = self.scene.is_after_gap();
        let is_alarming = matches!(departure, Departure::Displaced { .. } | Departure::OutOfTurn(_));
        // A hand may still be at work: what alerts somebody has to rest as long as a released piece.
        if (is_alarming || is_blind) && rested_ns < hand_ns {
            self.pending.settle_ns = Some(self.scene.last_change_ns + hand_ns);
            return;
        }
        if is_alarming && self.was_turned(out) {
            return;
        }
        // After a gap the board shows plies that nobody saw: that is no handling to be judged.
        if is_blind {
            return self.departed_unseen(departure, out);
        }
        if self.castled_after_all(&departure, out) || (is_alarming && self.lied(&departure, out)) {
            return;
        }
        match departure {
            Departure::None => {}
            Departure::Lifted { squares } if self.pending.left_behind.as_ref() == Some(&squares) => {
                self.displaced(&squares, &squares, &[], out);
                displaced::raise_displaced(&mut self.report(out));
            }
            Departure::Lifted { squares } => lifted_only(&squares, &mut self.report(out)),
            Departure::CastlingHalf { from, to } => self.half_castled(from, to, out),
            Departure::PromotionHalf { square, .. } => promotion_pending(Some(square), &mut self.report(out)),
            Departure::Illegal { from, to, kinds, .. } => {
                illegal_pending(&[from, to], &kinds, &mut self.report(out));
            }
            Departure::Several { squares } => {
                illegal_pending(&squares, &[Kind::SeveralPieces], &mut self.report(out));
            }
            Departure::OutOfTurn(mv) => drop(self.out_of_turn(mv, out)),
            Departure::Displaced { squares, .. } if only_kings(&self.scene, &squares) => {}
            Departure::Displaced { squares, missing, extra } => {
                let rest = move_among(&self.scene, &squares)
                    .filter(|_| is_pushed_aside(&self.scene, &squares))
                    .map(|(_, rest)| rest);
                match rest {
                    Some(rest) => self.displaced(&rest, &[], &rest, out),
                    None => self.displaced(&squares, &missing, &extra, out),
                }
            }
        }
    }

    /// A square lied, and all is explained: what `departure` would accuse somebody of was nothing. What breaks a rule by
    /// what was played before could always be explained away by reading that otherwise.
    pub(super) fn lied(&mut self, departure: &Departure<V::Move>, out: &mut Vec<Event>) -> bool {
        let is_asked = match departure {
            Departure::Illegal { kinds, .. } => {
                !kinds.iter().any(|kind| matches!(kind, Kind::CastlingRightLost | Kind::EnPassantLate))
            }
            Departure::Several { .. } | Departure::OutOfTurn(_) | Departure::Displaced { .. } => true,
            _ => false,
        };
        // One piece went from one square to another: both were seen.
        let is_last_sure = matches!(departure, Departure::Illegal { .. });
        let Some(game) = self.scene.game.as_ref().filter(|_| is_asked) else { return false };
        let hidden = displaced::really_on(&self.scene, &game.displaced);
        let at_ns = self.scene.now.mono_ns;
        let mut has_lied = false;
        self.with_tracker(out, |tracker, steps| {
            has_lied = tracker.look_back(&hidden, is_last_sure, at_ns, steps);
        });
        if has_lied {
            self.nothing_is_displaced(out);
        }
        has_lied
    }

    /// What rests after a gap, and no path leads to it.
    fn departed_unseen(&mut self, departure: Departure<V::Move>, out: &mut Vec<Event>) {
        match departure {
            Departure::Several { squares } => self.gap_without_path(&squares, true, out),
            Departure::Displaced { squares, missing, extra } => {
                let is_knocked_over = missing.is_empty() && extra.is_empty();
                self.gap_without_path(&squares, is_knocked_over, out);
            }
            Departure::Illegal { from, to, .. } => self.gap_without_path(&[from, to], false, out),
            Departure::OutOfTurn(mv) if self.adopted_for_another(mv, out) => {}
            Departure::OutOfTurn(mv) => {
                let Some(game) = &self.scene.game else { return };
                let best = game.tracker.best();
                let footprint = best.with_army(Self::army_of_move(best, mv)).footprint(mv);
                let squares: Vec<Square> = footprint.changes().iter().map(|change| change.0).collect();
                self.gap_without_path(&squares, false, out);
            }
            _ => {}
        }
    }

    pub(super) fn half_castled(&mut self, from: Square, to: Square, out: &mut Vec<Event>) {
        let ply = self.scene.next_ply();
        let turn = self.scene.turn();
        close_pending_but(Name::CastlingPending, &mut self.report(out));
        let found = CastlingPending { ply, side: turn, king: Some(named::<V>(to)) };
        self.open(Draft::open(found).severity(Severity::Info), out);
        self.pending.release_ns = Some((
            self.scene.last_change_ns + u64::from(self.scene.profile.release_dwell_ms) * MS,
            Release { from, to },
        ));
    }

    /// The king has rested two squares over: let go of.
    pub(super) fn king_let_go(&mut self) {
        if let Some((_, release)) = self.pending.release_ns.take() {
            let ply = self.scene.next_ply();
            if let Some(game) = &mut self.scene.game {
                game.ledger.lets_go(Let { ply, release, promoted: None });
            }
        }
    }

    /// The record of it; none without a game.
    pub(super) fn out_of_turn(&mut self, mv: V::Move, out: &mut Vec<Event>) -> Option<RecordId> {
        close_pending_but(Name::MoveOutOfTurn, &mut self.report(out));
        let ply = self.scene.next_ply();
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
    pub(super) fn army_of_move(position: &V::Position, mv: V::Move) -> Army {
        let man = position.content(mv.departures()[0]);
        man.seat_role().map_or_else(|| position.army(), |(army, _)| army)
    }
}

impl<V: Variant> Scene<V> {
    /// Nobody saw how the picture came about, or it was adopted, and nothing has been played from it.
    pub(super) fn is_after_gap(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.tracker.is_blind() || game.tracker.is_adopted())
    }

    /// The legal move after which everything would stand as it is shown, though the tracker does not believe it yet. It
    /// breaks no rule, in whatever order its squares changed.
    pub(super) fn move_shown(&self) -> Option<V::Move> {
        let game = self.game.as_ref()?;
        let (best, shown) = (game.tracker.best(), game.tracker.contents());
        let mut moves = Vec::new();
        best.legal_moves(&mut moves);
        let is_shown = |&mv: &V::Move| {
            let after = best.play(mv);
            Square::all()
                .zip(shown.iter())
                .all(|(square, &content)| self.view.see(after.content(square)) == content)
        };
        moves
            .into_iter()
            .filter(|mv| self.view == crate::infer::View::Identity || !mv.is_unusual_promotion())
            .find(is_shown)
    }

    /// How the picture, with displaced pieces put back, departs from the best explanation.
    pub(super) fn departure(&self) -> Departure<V::Move> {
        let Some(game) = self.game.as_ref() else { return Departure::None };
        let named = self.view == crate::infer::View::Identity;
        game.tracker.best().departure(&game.tracker.contents(), named)
    }

    fn next_ply(&self) -> Ply {
        self.game.as_ref().map_or(Ply::FIRST, |game| game.tracker.plies().next())
    }

    pub(super) fn turn(&self) -> Side {
        self.game.as_ref().map_or(Side::White, |game| game.tracker.best().turn())
    }
}

/// The picture is a position again: what was pending is over.
pub(super) fn put_right<V: Variant>(report: &mut Report<'_, V>) {
    close_pending_but(None, report);
    if report.scene.game.as_ref().is_none_or(|game| game.displaced.is_empty()) {
        let scene = report.scene;
        let is_over = |record: &Record| match record.name() {
            Name::UnexplainedPosition => !unaccounted::still_differ(scene, &record.key.squares),
            _ => gaps::is_gap_without_path(record) && !adopting::is_of_adopted(scene, record),
        };
        report.close_all(is_over, Status::Corrected);
    }
}

/// Nothing but kings has moved: on their way to the centre squares, to signal a result. Four players have no such
/// signal.
pub(super) fn only_kings<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> bool {
    let Some(game) = scene.game.as_ref().filter(|_| V::ARMIES == 2) else { return false };
    let is_king = |content: Content| content.is_empty() || content.role() == Some(Role::King);
    let best = game.tracker.best();
    squares.iter().all(|&square| is_king(best.content(square)) && is_king(game.tracker.at(square)))
}

/// A capture stands on the board, and the captured man beside it, not yet taken off.
fn is_pushed_aside<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> bool {
    let Some((mv, rest)) = move_among(scene, squares) else { return false };
    let Some(game) = scene.game.as_ref() else { return false };
    let best = game.tracker.best();
    let victim = best
        .footprint(mv)
        .changes()
        .iter()
        .map(|change| change.1)
        .find(|&content| side_of(content) == Some(best.turn().other()));
    rest.len() == 1 && victim.map(|victim| scene.view.see(victim)) == Some(game.tracker.at(rest[0]))
}

/// The legal move that the picture shows among these changed squares, and the squares that it does
/// not explain; `None` if there is none, or more than one that explain as many.
pub(super) fn move_among<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> Option<(V::Move, Vec<Square>)> {
    let game = scene.game.as_ref()?;
    let best = game.tracker.best();
    let mut moves = Vec::new();
    best.legal_moves(&mut moves);
    let explained = |mv: V::Move| -> Option<usize> {
        let footprint = best.footprint(mv);
        let changes = footprint.changes();
        let is_shown = changes.iter().all(|&(square, before, after)| {
            game.tracker.at(square) == scene.view.see(after)
                && (squares.contains(&square) || scene.view.see(before) == scene.view.see(after))
        });
        is_shown.then(|| changes.iter().filter(|change| squares.contains(&change.0)).count())
    };
    let most = moves.iter().filter_map(|&mv| explained(mv)).max().filter(|&most| most > 1)?;
    let mut best_moves = moves.into_iter().filter(|&mv| explained(mv) == Some(most));
    let mv = best_moves.next()?;
    if best_moves.next().is_some() {
        return None;
    }
    let footprint = best.footprint(mv);
    let explains = |square: Square| footprint.changes().iter().any(|change| change.0 == square);
    Some((mv, squares.iter().copied().filter(|&square| !explains(square)).collect()))
}

fn promotion_pending<V: Variant>(square: Option<Square>, report: &mut Report<'_, V>) {
    let ply = report.next_ply();
    let turn = report.turn();
    close_pending_but(Name::PromotionPending, report);
    let found = PromotionPending { ply, side: turn, square: square.map(named::<V>) };
    report.open(Draft::open(found));
}

fn illegal_pending<V: Variant>(squares: &[Square], kinds: &[Kind], report: &mut Report<'_, V>) {
    let ply = report.next_ply();
    let turn = report.turn();
    close_pending_but(Name::IllegalMovePending, report);
    let (names, kinds) = (all_named::<V>(squares), kinds.to_vec());
    let found = IllegalMovePending { ply, by: turn, squares: names, kinds };
    report.open(Draft::open(found).squares(squares));
}

/// One pending pattern takes the place of another.
pub(super) fn close_pending_but<V: Variant>(kept: impl Into<Option<Name>>, report: &mut Report<'_, V>) {
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
fn lifted_only<V: Variant>(squares: &[Square], report: &mut Report<'_, V>) {
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
        let ply = report.next_ply();
        let found = CastlingPending { ply, side: turn, king: on.map(named::<V>) };
        report.open(Draft::open(found));
    }
}
