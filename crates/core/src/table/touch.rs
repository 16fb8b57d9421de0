//! Lifts and placements that lasted: flicker and wobble are not touches.

use crate::event::{Body, Event, Handled};
use adoube_rules::Variant;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;

use super::Table;

/// A change has to last so long to count (laws-editions: `touch_dwell_ms`; a dropout reads as empty
/// for up to 200 ms, inference.md).
const TOUCH_NS: u64 = 200 * MS;

/// A square that changed and has not been reported.
#[derive(Debug, Clone, Copy)]
struct Change {
    square: Square,
    before: Content,
    now: Content,
    first_ns: u64,
}

/// Changes that are waiting to be old enough, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Touches {
    waiting: Vec<Change>,
}

impl Touches {
    pub(super) fn changed(&mut self, square: Square, before: Content, now: Content, at_ns: u64) {
        match self.waiting.iter().position(|change| change.square == square) {
            Some(index) if self.waiting[index].before == now => {
                self.waiting.remove(index);
            }
            Some(index) => self.waiting[index].now = now,
            None => self.waiting.push(Change { square, before, now, first_ns: at_ns }),
        }
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    pub(super) fn wake_at_ns(&self) -> Option<u64> {
        self.waiting.first().map(|change| change.first_ns + TOUCH_NS)
    }

    fn take_due(&mut self, at_ns: u64) -> Option<Change> {
        self.wake_at_ns().filter(|&due_ns| due_ns <= at_ns).map(|_| self.waiting.remove(0))
    }
}

impl<V: Variant> Table<V> {
    /// Reports the changes that have lasted.
    pub(super) fn touched(&mut self, at_ns: u64, out: &mut Vec<Event>) {
        while let Some(change) = self.pending.touches.take_due(at_ns) {
            let first_ns = self.scene.elapsed_ns(change.first_ns);
            let handled = |content| Handled { square: change.square, content, first_ns, family: V::FAMILY };
            if !change.before.is_empty() {
                self.emit(Body::PieceLifted(handled(change.before)), out);
                self.with_tracker(out, |tracker, steps| tracker.opponent_lifted(change.square, at_ns, steps));
                self.lifted_with_intent(change.square, out);
            }
            if !change.now.is_empty() {
                self.emit(Body::PiecePlaced(handled(change.now)), out);
            }
        }
    }
}
