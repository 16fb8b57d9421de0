//! Both clocks stand: nothing enters the game until one runs again (6.11, 8.5.3).
//!
//! The tracker keeps the picture of the moment when the clocks were stopped. A promotion piece that
//! is being fetched (6.11.2), displaced pieces that are put back, and kings on the centre squares are
//! seen all the same. At the restart the board is held against that picture.

use std::borrow::Cow;

use super::records::{Draft, Record};
use super::rulings::position;
use super::scene::Scene;
use super::{Table, adjourning, all_named, lever};
use crate::event::finding::{BoardChangedWhilePaused, ClockPaused, ClockResumed, Finding, PauseHint};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::departure::Departure;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::{ClockReading, Content, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{SECOND, ms};
use adoube_rules::{Position as _, Variant};

/// A pause.
#[derive(Debug, Clone)]
pub(super) struct Pause {
    since_ns: u64,
    /// A player stopped the clocks.
    pub(super) is_players: bool,
    /// What stands on the board, by the squares of the game.
    picture: Vec<Content>,
    /// The record of a board that changed.
    changed: Option<RecordId>,
}

/// A ruling that says who stops the clocks holds for a stop so shortly after it: the reading comes
/// within a second (dgt-protocol 4.4), the hand some seconds later.
const RULED_NS: u64 = 10 * SECOND;

/// The men gone from `squares` are a pawn that promotes, and what it takes there.
fn promotes<V: Variant>(position: &V::Position, squares: &[Square]) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().any(|mv| {
        let footprint = position.footprint(mv);
        let changes = footprint.changes();
        let touched = |square: &Square| changes.iter().any(|change| change.0 == *square);
        let leaves = changes.iter().any(|change| {
            squares.contains(&change.0) && change.1.role() == Some(Role::Pawn) && change.2.is_empty()
        });
        let arrives = changes.iter().any(|change| change.2.role().is_some_and(|role| role != Role::Pawn));
        leaves && arrives && squares.iter().all(touched)
    })
}

impl<V: Variant> Table<V> {
    /// `side`'s time ran and no time runs now.
    pub(super) fn clock_stopped(&mut self, side: Side, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        let by = self.scene.timing.pause_by.take().filter(|(_, said_ns)| at_ns - said_ns <= RULED_NS);
        if self.scene.is_timed() && self.scene.timing.pause.is_none() {
            let by = by.map_or_else(|| side.name().to_owned(), |(by, _)| by);
            self.pause(Some(side), &by, out);
        }
    }

    /// The game is paused by `by`; `running` is the side whose time ran.
    pub(super) fn pause(&mut self, running: Option<Side>, by: &str, out: &mut Vec<Event>) {
        if let Departure::Displaced { squares, missing, extra } = self.scene.departure() {
            // Whoever stops the clocks over it is not in the middle of a move.
            self.displaced(&squares, &missing, &extra, out);
        }
        let Some(game) = self.scene.playing() else { return };
        let picture = game.tracker.contents().to_vec();
        let hint = self.pause_hint();
        let is_players = by == Side::White.name() || by == Side::Black.name();
        let paused = ClockPaused { by: by.to_owned(), hint, running };
        self.open(
            Draft::notice(paused).severity(if is_players { Severity::Alert } else { Severity::Notice }),
            out,
        );
        self.report(out).note_before_correction(running);
        self.scene.timing.watch.pauses(self.scene.clock.last().map(|reading| reading.left_ms));
        self.scene.timing.pause =
            Some(Pause { since_ns: self.scene.now.mono_ns, is_players, picture, changed: None });
        if hint == Some(PauseHint::Displaced) {
            // Restoring belongs on the offender's time (7.4.1): an adjustment is the arbiter's choice.
            if let Some(record) = self.records.open_number(Name::PieceDisplaced) {
                self.report(out).propose_clock_times(record);
            }
        }
    }

    /// Why the clocks may have been stopped, as far as the board shows it.
    fn pause_hint(&self) -> Option<PauseHint> {
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        let claimable = [Name::ThreefoldClaimable, Name::FiftyMovesClaimable];
        let is_claim = |record: &Record| {
            (record.is_open() && record.name().as_str().starts_with("claim-"))
                || (claimable.contains(&record.name()) && record.key.ply == plies)
        };
        if self.scene.timing.watch.flags().is_any_down() {
            Some(PauseHint::Flag)
        } else if self.is_promoting() {
            Some(PauseHint::PromotionPiece)
        } else if self.records.open_record(Name::PieceDisplaced).is_some() {
            Some(PauseHint::Displaced)
        } else if self.records.iter().any(is_claim) {
            Some(PauseHint::Claim)
        } else {
            None
        }
    }

    /// A pawn has arrived, or left for its last rank, and the new piece is not there yet.
    fn is_promoting(&self) -> bool {
        let Some(game) = self.scene.game.as_ref().filter(|game| !game.tracker.is_explained()) else {
            return false;
        };
        match self.scene.departure() {
            Departure::PromotionHalf { .. } => true,
            Departure::Lifted { squares } => promotes::<V>(game.tracker.best(), &squares),
            _ => self.records.open_record(Name::PromotionPending).is_some(),
        }
    }

    /// The game goes on behind an interruption with both clocks still standing: what the board shows by then
    /// is the picture of the pause.
    pub(super) fn look_again(&mut self) {
        let picture = position::standing_now(&self.scene)
            .into_iter()
            .map(|content| self.scene.view.see(content))
            .collect();
        if let Some(pause) = &mut self.scene.timing.pause {
            pause.picture = picture;
        }
    }

    /// The board changed while both clocks stand: true if that does not enter the game.
    pub(super) fn changed_while_paused(
        &mut self,
        changes: &mut Vec<(Square, Content)>,
        out: &mut Vec<Event>,
    ) -> bool {
        if !self.scene.is_paused() {
            return false;
        }
        let is_promoting = self.is_promoting();
        let view = self.scene.view;
        let Some(pause) = &mut self.scene.timing.pause else { return false };
        for &(square, content) in changes.iter() {
            if let Some(shown) = pause.picture.get_mut(square.index()) {
                *shown = view.see(content);
            }
        }
        if is_promoting {
            return false;
        }
        self.watch_kings(out);
        self.hide_displaced(changes, out);
        if changes.is_empty() || self.scene.timing.pause.as_ref().is_some_and(|pause| pause.changed.is_some())
        {
            return true;
        }
        let squares: Vec<Square> = changes.iter().map(|(square, _)| *square).collect();
        let changed = BoardChangedWhilePaused { squares: all_named::<V>(&squares) };
        let record = self.open(Draft::open(changed), out);
        if let Some(pause) = &mut self.scene.timing.pause {
            pause.changed = Some(record);
        }
        true
    }

    /// A time runs again behind a pause: the position is verified, and the times.
    pub(super) fn clock_restarted(&mut self, side: Side, reading: &ClockReading, out: &mut Vec<Event>) {
        let Some(pause) = &self.scene.timing.pause else { return };
        let paused_ns = self.scene.now.mono_ns - pause.since_ns;
        if self.scene.is_timed() {
            self.open(Draft::notice(ClockResumed { side, paused_ms: Some(ms(paused_ns)) }), out);
            self.watch(out, |watch, report| watch.compare_after_pause(reading, report));
            if !adjourning::replier_runs(&mut self.scene, side) {
                lever::judge_side_started(side, &mut self.report(out));
            }
        }
        self.end_pause(out);
    }

    /// The pause is over: what stands on the board is held against the game.
    pub(super) fn end_pause(&mut self, out: &mut Vec<Event>) {
        let was_paused = self.scene.is_paused();
        let Some(pause) = self.scene.timing.pause.take() else { return };
        self.scene.timing.watch.pauses(None);
        let Some(game) = self.scene.game.as_ref().filter(|_| was_paused) else { return };
        let is_displaced =
            |square: Square| game.displaced.iter().any(|displaced| displaced.expects(square).is_some());
        let mut changes: Vec<(Square, Content)> = Square::all()
            .zip(pause.picture.iter().copied())
            .filter(|&(square, content)| game.tracker.at(square) != content && !is_displaced(square))
            .collect();
        if changes.is_empty() {
            if let Some(record) = pause.changed {
                self.close(record, Status::Corrected, out);
            }
            return;
        }
        let squares: Vec<Square> = changes.iter().map(|(square, _)| *square).collect();
        if let Some(record) = pause.changed {
            self.amend(
                record,
                |record| {
                    record.severity = Some(Severity::Alert);
                    if let Finding::BoardChangedWhilePaused(changed) = &mut record.finding {
                        changed.squares = all_named::<V>(&squares);
                    }
                },
                out,
            );
        }
        self.changed_in_play(&mut changes, out);
    }
}

impl<V: Variant> Scene<V> {
    /// Both clocks stand in a game that goes on.
    #[inline]
    pub(super) fn is_paused(&self) -> bool {
        self.timing.pause.is_some() && self.playing().is_some() && !self.mode().is_off_the_record()
    }

    /// What stands on `square` of the game, as far as the game was shown it.
    pub(super) fn shown_at(&self, square: Square) -> Content {
        let pause = self.timing.pause.as_ref().filter(|_| self.is_paused());
        let paused = pause.and_then(|pause| pause.picture.get(square.index()).copied());
        paused.unwrap_or_else(|| self.game.as_ref().map_or(Content::EMPTY, |game| game.tracker.at(square)))
    }

    /// The whole picture that [`Scene::shown_at`] gives.
    pub(super) fn shown(&self) -> Cow<'_, [Content]> {
        let pause = self.timing.pause.as_ref().filter(|_| self.is_paused());
        let game = || self.game.as_ref().map_or(Cow::Borrowed(&[][..]), |game| game.tracker.contents());
        pause.map_or_else(game, |pause| Cow::Borrowed(&pause.picture[..]))
    }
}
