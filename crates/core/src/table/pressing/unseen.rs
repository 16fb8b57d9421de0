//! Presses that were read when the link was back and nobody knew yet what stood on the board: board and clock
//! are asked one after the other, and the clock may answer first.

use crate::event::{CompletedBy, Event};
use crate::ply::Ply;
use crate::table::{Press, Table, pressing};
use adoube_rules::Variant;

impl<V: Variant> Table<V> {
    /// Keeps a press until the moves are known that it may have completed; one that is read in sight of the
    /// board ends that.
    pub(super) fn note_unseen(&mut self, press: Press) {
        let is_blind = self.scene.playing().is_some_and(|game| game.tracker.is_blind());
        if is_blind || pressing::awaits_its_picture(&self.scene) {
            self.pending.unseen_presses[press.side.index()] = Some(press);
        } else {
            self.pending.unseen_presses = [None; 2];
        }
    }

    /// The plies of a gap were found: the last one of each side was completed by its press, if that was read.
    pub(in crate::table) fn complete_unseen(&mut self, out: &mut Vec<Event>) {
        let mut presses = std::mem::take(&mut self.pending.unseen_presses);
        let Some(plies) = self.scene.playing().map(|game| game.tracker.plies()) else { return };
        let now_ns = self.scene.now.mono_ns;
        for ply in plies.before().max(Ply::FIRST).to(plies) {
            let press = self.scene.mover(ply).and_then(|mover| presses[mover.index()].take());
            let Some(press) = press else { continue };
            self.with_tracker(out, |tracker, steps| tracker.stands_up_to(ply, now_ns, steps));
            self.complete(ply, CompletedBy::Press, Some((press.at_ns, press.clock)), out);
            if self.pending.press.is_some_and(|waiting| waiting.side == press.side) {
                (self.pending.press, self.pending.verdict_ns) = (None, None);
            }
        }
    }
}
