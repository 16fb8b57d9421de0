//! How fast a board is read: one that sends without end costs no more than a busy one, and nothing of it is lost
//! here.

use adoube_rules::stamp::SECOND;

/// Bytes a second: the fastest line of a board (115200 bits a second, ten bits a byte) brings fewer.
const BYTES: u64 = 12 * 1024;

/// Bytes that may come at once: what a board says in a second while we were held up, many times over.
const BURST: u64 = 4 * 1024;

/// Nanoseconds that a byte takes.
const BYTE_NS: u64 = SECOND / BYTES;

/// A board that was held back for so long in all says more than a board can.
const FLOOD_NS: u64 = SECOND;

/// What a board may still say.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// When all that was read would have come through at that speed.
    paid_ns: u64,
    held_ns: u64,
}

impl Budget {
    /// Bytes were read. Gives whether it is clear by now, for the first time, that this is no board.
    pub(super) fn take(&mut self, count: usize, at_ns: u64) -> bool {
        let before = self.is_flooded();
        self.paid_ns = self.paid_ns.max(at_ns) + count as u64 * BYTE_NS;
        self.held_ns += self.resume_ns().map_or(0, |resume_ns| resume_ns.saturating_sub(at_ns));
        !before && self.is_flooded()
    }

    /// When the board is read again; `None`: at once.
    pub(super) fn resume_ns(&self) -> Option<u64> {
        self.paid_ns.checked_sub(BURST * BYTE_NS)
    }

    /// Does it say more than a board can?
    pub(super) fn is_flooded(&self) -> bool {
        self.held_ns >= FLOOD_NS
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
            assert!(!budget.take(115, at_ns));
            assert!(budget.resume_ns().is_none_or(|resume_ns| resume_ns <= at_ns), "{at}");
        }
    }

    #[test]
    fn whoever_sends_without_end_is_read_at_the_speed_of_a_line_and_named_once() {
        let mut budget = Budget::default();
        let (mut at_ns, mut read, mut named) = (7 * SECOND, 0, 0);
        while at_ns < 17 * SECOND {
            named += u32::from(budget.take(512, at_ns));
            read += 512;
            at_ns = budget.resume_ns().unwrap_or_default().max(at_ns);
        }
        let line = 10 * BYTES + BURST;
        assert!((line - 1_024..=line + 1_024).contains(&read), "{read}");
        assert_eq!((named, budget.is_flooded()), (1, true));
    }
}
