//! From what the sensor shows to what changed on the board.

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{Mode, Table, orientation};
use crate::event::Event;
use crate::event::finding::{Fault, Finding, SensorFault};
use crate::infer::View;
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::square::{Square, Squares};

impl<V: Variant> Table<V> {
    pub(super) fn square(&mut self, square: Square, content: Content, out: &mut Vec<Event>) {
        if square.index() >= self.scene.sensed.len() {
            return;
        }
        self.changes.clear();
        if self.scene.sensed[square] != content {
            self.scene.sensed[square] = content;
            self.changes.push((square, content));
            self.changed(out);
        }
    }

    pub(super) fn frame(&mut self, frame: &Frame, out: &mut Vec<Event>) {
        let contents = frame.contents();
        if contents.len() != V::SQUARES {
            return wrong_board(contents.len(), &mut self.report(out));
        }
        self.scene.link_back_ns = None;
        if self.scene.sensed.is_empty() {
            self.scene.view = view_of(frame);
            self.scene.sensed = contents.to_vec();
            return match self.scene.playing() {
                Some(game) if game.mode == Mode::Moved => self.watch_moved(out),
                Some(game) if game.is_started => self.seen_at_last(out),
                _ => self.first_frame(out),
            };
        }
        let is_other_kind = self.scene.view != view_of(frame);
        if is_other_kind && may_sense_anew(&self.scene) {
            return self.sense_anew(frame, out);
        }
        self.changes.clear();
        for (square, (old, &new)) in Square::all().zip(self.scene.sensed.iter_mut().zip(contents)) {
            let new = match self.scene.view {
                View::Occupancy => new.occupancy(),
                // A man whom the sensor cannot name any more is still the one who stood there.
                View::Identity if is_other_kind && new == Content::OCCUPIED && !old.is_empty() => *old,
                View::Identity => new,
            };
            if *old != new {
                *old = new;
                self.changes.push((square, new));
            }
        }
        if self.changes.is_empty() {
            let at_ns = self.scene.now.mono_ns;
            if let Some(game) = &mut self.scene.game {
                game.tracker.back(at_ns);
            }
        } else {
            self.changed(out);
        }
    }

    /// From now on the sensor names its men, or does so no longer.
    fn sense_anew(&mut self, frame: &Frame, out: &mut Vec<Event>) {
        self.scene.view = view_of(frame);
        self.scene.sensed = frame.contents().to_vec();
        self.pending.touches.clear();
        self.goes_on_no_more();
        self.scene.last_change_ns = self.scene.now.mono_ns;
        if let Some(start) = self.scene.playing().map(|game| game.tracker.position(Ply::START).clone()) {
            let turned = orientation::orientation_of(&self.scene, &start);
            let began_ns = self.scene.game.as_ref().map_or(0, |game| game.tracker.made_ns(Ply::START));
            let tracker = self.scene.tracker(start, turned, began_ns);
            let was_turned = self.scene.game.as_mut().map(|game| {
                game.tracker = tracker;
                game.ledger = super::Ledger::default();
                std::mem::replace(&mut game.turned, turned)
            });
            if was_turned != Some(turned) {
                orientation::say_orientation(turned, &mut self.report(out));
            }
            self.show_to_tracker(out);
        }
        self.watch_for_start(out);
    }

    /// What the sensor showed before this reading, as long as it is one of the same kind.
    pub(super) fn sensed_before(&self, reading: &Reading) -> &[Content] {
        match reading {
            Reading::Frame(frame) if view_of(frame) != self.scene.view => &[],
            _ => &self.scene.sensed,
        }
    }

    /// `self.changes` happened, all at once.
    fn changed(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        let mut changes = std::mem::take(&mut self.changes);
        if self.scene.playing().is_some_and(|game| game.is_started) {
            self.scene.spoke = Squares::EMPTY;
        } else {
            changes.iter().for_each(|change| self.scene.spoke.insert(change.0));
        }
        if let Some(game) = &self.scene.game {
            for change in &mut changes {
                change.0 = V::turned(change.0, game.turned);
            }
            // What a sick square shows is no touch.
            for &(square, content) in changes.iter().filter(|change| !game.tracker.is_sick(change.0)) {
                self.pending.touches.changed(square, self.scene.shown_at(square), content, at_ns);
            }
        }
        if let Some(game) = &mut self.scene.game {
            changes.iter().for_each(|change| game.ledger.seen(Some(change.0), at_ns, self.scene.inputs));
        }
        self.scene.last_change_ns = at_ns;
        self.running_at_change = self.scene.clock.last().and_then(|reading| reading.running);
        self.pending.release_ns = None;
        if self.scene.mode() == Mode::Moved {
            self.watch_moved(out);
        } else if !self.is_transferring(out) {
            if self.scene.playing().is_some() {
                self.changed_in_play(&mut changes, out);
            } else {
                self.changed_after_end(&changes, out);
            }
        }
        self.changes = changes;
        self.watch_restoring();
        self.watch_at_home(out);
        self.watch_for_turned(out);
        self.watch_for_turn(out);
        self.watch_for_start(out);
        self.watch_for_signal();
    }

    /// `changes`, by the squares of the game, happened while it is played.
    pub(super) fn changed_in_play(&mut self, changes: &mut Vec<(Square, Content)>, out: &mut Vec<Event>) {
        if self.changed_while_paused(changes, out) {
            return;
        }
        let at_ns = self.scene.now.mono_ns;
        for &(square, content) in changes.iter() {
            let Some(game) = &self.scene.game else { return };
            if game.tracker.is_sick(square) {
                continue;
            }
            let before = game.tracker.at(square);
            self.enter_in_ledger(square, before, self.scene.view.see(content), out);
        }
        self.hide_displaced(changes, out);
        if !self.scene.mode().is_off_the_record() {
            self.watch_men_going_home();
            self.with_tracker(out, |tracker, steps| tracker.changed(changes, at_ns, steps));
        }
        self.returned_after_press(out);
        self.watch_for_rest(out);
        self.watch_while_sealing();
    }
}

/// What a sensor tells apart that says this.
fn view_of(frame: &Frame) -> View {
    match frame {
        Frame::Identity(_) => View::Identity,
        Frame::Occupancy(_) => View::Occupancy,
    }
}

/// A board of other squares than the game is played on: nothing of it can be followed. Said once.
fn wrong_board<V: Variant>(squares: usize, report: &mut Report<'_, V>) {
    if report.records.open_record(Name::SensorFault).is_none() {
        let found = SensorFault {
            square: None,
            fault: Fault::OtherBoard,
            evidence: None,
            shown: Some(squares),
            expected: Some(V::SQUARES),
        };
        report.open(Draft::open(found));
    }
}

/// Over when the link is back: it was lost, or another board was there.
pub(super) fn is_of_link(record: &Record) -> bool {
    match &record.finding {
        Finding::BoardDisconnected(_) => true,
        Finding::SensorFault(fault) => fault.square.is_none(),
        _ => false,
    }
}

/// A board may learn to name its men, or be given others. What was already played goes on as it was read.
fn may_sense_anew<V: Variant>(scene: &Scene<V>) -> bool {
    scene.game.as_ref().is_none_or(|game| game.plies.is_empty() || game.result.is_some())
}

/// The frame that follows what the sensor shows by these changes.
pub(super) fn frame_after<V: Variant>(scene: &Scene<V>, changes: &[(Square, Content)]) -> Frame {
    let mut contents = scene.sensed.to_vec();
    for &(square, content) in changes {
        contents[square] = content;
    }
    match scene.view {
        View::Identity => Frame::Identity(contents),
        View::Occupancy => Frame::Occupancy(contents),
    }
}
