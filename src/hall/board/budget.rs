//! How fast a board is read: one that sends without end costs no more than a busy one, and nothing of it is lost
//! here. One that goes on like that is no board, and is left alone.

use adoube_rules::stamp::SECOND;

/// Bytes a second: the fastest line of a board (115200 bits a second, ten bits a byte) brings fewer.
const BYTES: u64 = 12 * 1024;

/// Bytes that may come at once: what a board says in a second while we were held up, many times over.
const BURST: u64 = 4 * 1024;

/// Nanoseconds that a byte takes.
const BYTE_NS: u64 = SECOND / BYTES;

/// A board that was held back for so long in all says more than a board can.
const FLOOD_NS: u64 = SECOND;

/// One that was held back for so long goes on for ever: a minute of it is as much in the journal as hours of play.
const HOPELESS_NS: u64 = 10 * SECOND;

/// Whoever said nothing for so long has stopped.
const FORGOTTEN_NS: u64 = 10 * SECOND;

/// What a board may still say.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// When all that was read would have come through at that speed.
    paid_ns: u64,
    held_ns: u64,
}

impl Budget {
    /// Bytes were read.
    pub(super) fn take(&mut self, count: usize, at_ns: u64) {
        if at_ns > self.paid_ns + FORGOTTEN_NS {
            self.held_ns = 0;
        }
        self.paid_ns = self.paid_ns.max(at_ns) + count as u64 * BYTE_NS;
        self.held_ns += self.resume_ns().map_or(0, |resume_ns| resume_ns.saturating_sub(at_ns));
    }

    /// When the board is read again; `None`: at once.
    pub(super) fn resume_ns(&self) -> Option<u64> {
        self.paid_ns.checked_sub(BURST * BYTE_NS)
    }

    /// Does it say more than a board can?
    pub(super) fn is_flooded(&self) -> bool {
        self.held_ns >= FLOOD_NS
    }

    /// Has it done so for so long that it will not end?
    pub(super) fn is_hopeless(&self) -> bool {
        self.held_ns >= HOPELESS_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_line_is_read_as_it_comes() {
        let mut budget = Budget::default();
        for at in 0..1_000 {
            let at_ns = 7 * SECOND + at * SECOND / 100;
            budget.take(115, at_ns);
            assert!(
                !budget.is_flooded() && budget.resume_ns().is_none_or(|resume_ns| resume_ns <= at_ns),
                "{at}"
            );
        }
    }

    #[test]
    fn whoever_sends_without_end_is_read_at_the_speed_of_a_line_and_given_up() {
        let mut budget = Budget::default();
        let (mut at_ns, mut read, mut flooded_ns) = (7 * SECOND, 0, None);
        while !budget.is_hopeless() {
            budget.take(512, at_ns);
            read += 512;
            if budget.is_flooded() {
                flooded_ns.get_or_insert(at_ns);
            }
            at_ns = budget.resume_ns().unwrap_or_default().max(at_ns);
        }
        let line = (at_ns - 7 * SECOND) / SECOND * BYTES + BURST;
        assert!((line - 1_024..=line + BYTES).contains(&read), "{read} in {at_ns}");
        assert!((7..10).contains(&(flooded_ns.unwrap() / SECOND)), "{flooded_ns:?}");
        assert!((17..19).contains(&(at_ns / SECOND)), "{at_ns}");
    }

    #[test]
    fn a_burst_now_and_then_is_forgotten() {
        let mut budget = Budget::default();
        for minute in 1..1_000 {
            // Five times what may come at once: a server of serial lines that was held up.
            let mut at_ns = minute * 60 * SECOND;
            for _ in 0..40 {
                budget.take(512, at_ns);
                at_ns = budget.resume_ns().unwrap_or_default().max(at_ns);
            }
            assert!(budget.is_flooded() && !budget.is_hopeless(), "{minute}: {budget:?}");
        }
    }
}
