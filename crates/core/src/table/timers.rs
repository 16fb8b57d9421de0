//! What a table does by itself: its timers, and which is due first.

use super::{Mode, Table, adjourning, doubts, going_on};
use crate::event::Event;
use adoube_rules::Variant;
use adoube_rules::stamp::Stamp;

use super::round::Round;

/// The timers of a table, in the order in which they fire when due at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Touch,
    Tracker,
    Settled,
    Release,
    Verdict,
    Signal,
    HeldEnd,
    GoingOn,
    Absent,
    Opening,
    Offer,
    Link,
    Round,
}

impl<V: Variant> Table<V> {
    /// When [`Table::advance`] has something to do.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        self.next_timer().map(|(at_ns, _)| at_ns)
    }

    fn next_timer(&self) -> Option<(u64, Timer)> {
        let tracker = self.scene.playing().and_then(|game| game.tracker.wake_at_ns());
        let due = [
            (self.pending.touches.wake_at_ns(), Timer::Touch),
            (tracker, Timer::Tracker),
            (self.pending.settle_ns, Timer::Settled),
            (self.pending.release_ns.map(|(at_ns, _)| at_ns), Timer::Release),
            (self.pending.verdict_ns, Timer::Verdict),
            (self.pending.signal_ns, Timer::Signal),
            (doubts::held_end_due_ns(&self.scene), Timer::HeldEnd),
            (going_on::going_on_due_ns(&self.scene), Timer::GoingOn),
            (adjourning::absent_ns(&self.scene), Timer::Absent),
            (self.opening.due_ns(), Timer::Opening),
            (self.offer.due_ns(), Timer::Offer),
            (self.link.due_ns(), Timer::Link),
            (self.scene.timing.round.due_ns(&self.scene), Timer::Round),
        ];
        let mut next: Option<(u64, Timer)> = None;
        for &(at_ns, timer) in &due {
            let Some(at_ns) = at_ns else { continue };
            if next.is_none_or(|next| (at_ns, timer) < next) {
                next = Some((at_ns, timer));
            }
        }
        next
    }

    /// Fires every timer due at or before `to`, each at its own time (DESIGN 2.1, rule 2), until it seems that the game began
    /// otherwise: there the time stops.
    pub fn advance(&mut self, to: Stamp, out: &mut Vec<Event>) {
        let is_due = |&(at_ns, _): &(u64, Timer)| at_ns <= to.mono_ns;
        while self.other_layout.is_none()
            && let Some((at_ns, timer)) = self.next_timer().filter(is_due)
        {
            self.scene.now = to.at(at_ns.max(self.scene.now.mono_ns));
            match timer {
                Timer::Touch => self.touched(at_ns, out),
                Timer::Tracker => self.with_tracker(out, |tracker, steps| tracker.advance(at_ns, steps)),
                Timer::Settled if self.scene.mode() == Mode::Sealing => self.moved_while_sealing(out),
                Timer::Settled => self.rests(out),
                Timer::Release => self.part_let_go(),
                Timer::Verdict => self.judge_press(out),
                Timer::Signal => self.signalled(out),
                Timer::HeldEnd => self.held_end_stands(out),
                Timer::GoingOn => self.going_on_due(at_ns, out),
                Timer::Absent => self.absent_defaulted(out),
                Timer::Opening => self.array_stood(out),
                Timer::Offer => self.offer(out),
                Timer::Link => self.link_stays_away(out),
                Timer::Round => self.timing_part(|timing| &mut timing.round, out, Round::due),
            }
        }
        if self.other_layout.is_none() {
            self.scene.now = to;
        }
    }
}
