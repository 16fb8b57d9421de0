//! From what the sensor shows to what changed on the board.

use crate::event::Event;
use crate::infer::View;
use crate::rules::Variant;
use crate::sensor::{Content, Frame};

use super::Table;

impl<V: Variant> Table<V> {
    pub(super) fn square(&mut self, square: u8, content: Content, out: &mut Vec<Event>) {
        if usize::from(square) >= self.sensed.len() {
            return;
        }
        self.changes.clear();
        if self.sensed[usize::from(square)] != content {
            self.sensed[usize::from(square)] = content;
            self.changes.push((square, content));
            self.changed(out);
        }
    }

    pub(super) fn frame(&mut self, frame: &Frame, out: &mut Vec<Event>) {
        let contents = frame.contents();
        if contents.len() != V::SQUARES {
            return;
        }
        self.link_back_ns = None;
        if self.sensed.is_empty() {
            self.view = match frame {
                Frame::Identity(_) => View::Identity,
                Frame::Occupancy(_) => View::Occupancy,
            };
            self.sensed = contents.to_vec();
            self.first_frame(out);
            return;
        }
        self.changes.clear();
        for (square, (old, &new)) in (0_u8..).zip(self.sensed.iter_mut().zip(contents)) {
            if *old != new {
                *old = new;
                self.changes.push((square, new));
            }
        }
        if self.changes.is_empty() {
            let at_ns = self.now.mono_ns;
            if let Some(game) = &mut self.game {
                game.tracker.back(at_ns);
            }
        } else {
            self.changed(out);
        }
    }

    /// `self.changes` happened, all at once.
    fn changed(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.now.mono_ns;
        let mut changes = std::mem::take(&mut self.changes);
        if let Some(game) = &self.game {
            for change in &mut changes {
                change.0 = V::turned(change.0, game.turned);
            }
            for &(square, content) in &changes {
                self.touches.changed(square, self.shown_at(square), content, at_ns);
            }
        }
        if let Some(game) = &mut self.game {
            changes.iter().for_each(|change| game.ledger.evidence.enter(Some(change.0), at_ns, self.inputs));
        }
        self.last_change_ns = at_ns;
        self.running_at_change = self.clock.last().and_then(|reading| reading.running);
        self.release_ns = None;
        if !self.is_transferring(out) && self.playing().is_some() {
            self.changed_in_play(&mut changes, out);
        }
        self.changes = changes;
        self.watch_at_home(out);
        self.watch_for_turned(out);
        self.watch_for_start(out);
        self.watch_for_signal();
    }

    /// `changes`, by the squares of the game, happened while it is played.
    pub(super) fn changed_in_play(&mut self, changes: &mut Vec<(u8, Content)>, out: &mut Vec<Event>) {
        if self.changed_while_paused(changes, out) {
            return;
        }
        let at_ns = self.now.mono_ns;
        for &(square, content) in changes.iter() {
            let Some(before) = self.game.as_ref().map(|game| game.tracker.at(square)) else { return };
            self.enter_in_ledger(square, before, self.view.see(content), out);
        }
        self.hide_displaced(changes, out);
        if !self.mode.is_off_the_record() {
            self.watch_men_going_home();
            self.with_tracker(out, |tracker, steps| tracker.changed(changes, at_ns, steps));
        }
        self.returned_after_press(out);
        self.watch_for_departure(out);
        self.watch_while_sealing();
    }
}
