//! How fast a board is read: one that sends without end costs no more than a busy one, and nothing of it is lost
//! here. One that goes on like that is no board, and is left alone.

use adoube_rules::stamp::{MS, SECOND};

/// Bytes a second: the fastest line of a board (115200 bits a second, ten bits a byte) brings fewer.
const BYTES: u64 = 12 * 1024;

/// Bytes that may come at once: what a board says in a second while we were held up, many times over.
const BURST: u64 = 4 * 1024;

/// Nanoseconds that a byte takes.
const BYTE_NS: u64 = SECOND / BYTES;

/// Between two readings: what comes byte by byte would be a row of the journal for each, a hundred times as long. Nobody
/// lifts a piece for so short a time, and no board looks at itself so often.
const BETWEEN_NS: u64 = 5 * MS;

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
    /// Before that it is not read again.
    next_ns: u64,
}

impl Budget {
    /// Bytes were read.
    pub(super) fn take(&mut self, count: usize, at_ns: u64) {
        if at_ns > self.paid_ns + FORGOTTEN_NS {
            self.held_ns = 0;
        }
        self.paid_ns = self.paid_ns.max(at_ns) + count as u64 * BYTE_NS;
        let held_ns = self.paid_ns.saturating_sub(BURST * BYTE_NS).saturating_sub(at_ns);
        self.held_ns += held_ns;
        self.next_ns = at_ns + held_ns.max(BETWEEN_NS);
    }

    /// When the board is read again.
    pub(super) fn resume_ns(&self) -> u64 {
        self.next_ns
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
            assert!(!budget.is_flooded() && budget.resume_ns() <= at_ns + BETWEEN_NS, "{at}");
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
            at_ns = budget.resume_ns();
        }
        let line = (at_ns - 7 * SECOND) / SECOND * BYTES + BURST;
        assert!((line - 1_024..=line + BYTES).contains(&read), "{read} in {at_ns}");
        assert!((7..10).contains(&(flooded_ns.unwrap() / SECOND)), "{flooded_ns:?}");
        assert!((17..19).contains(&(at_ns / SECOND)), "{at_ns}");
    }

    /// A line of 9600 bits a second whose bytes come one by one.
    #[test]
    fn what_comes_byte_by_byte_is_read_a_few_at_a_time() {
        let mut budget = Budget::default();
        let (mut at_ns, mut reads, mut waiting) = (0, 0, 0);
        for byte in 0..9_600 {
            let came_ns = byte * SECOND / 960;
            waiting += 1;
            if came_ns >= budget.resume_ns() {
                at_ns = came_ns;
                budget.take(waiting, at_ns);
                (reads, waiting) = (reads + 1, 0);
            }
        }
        assert!((1_500..=2_000).contains(&reads), "{reads} in {at_ns}");
        assert!(!budget.is_flooded());
    }

    #[test]
    fn a_burst_now_and_then_is_forgotten() {
        let mut budget = Budget::default();
        for minute in 1..1_000 {
            // Five times what may come at once: a server of serial lines that was held up.
            let mut at_ns = minute * 60 * SECOND;
            for _ in 0..40 {
                budget.take(512, at_ns);
                at_ns = budget.resume_ns();
            }
            assert!(budget.is_flooded() && !budget.is_hopeless(), "{minute}: {budget:?}");
        }
    }
}
