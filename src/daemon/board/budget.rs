//! How much a board may say: one that sends without end costs no more than a busy one.

use crate::stamp::SECOND;

/// Bytes of a second: the fastest line of a board (115200 bits a second, ten bits a byte) brings fewer.
const BYTES: usize = 12 * 1024;

/// What is thrown away at one time of what comes beyond that: as much as a socket keeps.
pub(super) const DROPPED: usize = 64 * 1024;

/// What a board has said in the running second.
#[derive(Debug, Default)]
pub(super) struct Budget {
    since_ns: u64,
    taken: usize,
    dropped: u64,
}

impl Budget {
    /// Bytes were taken.
    pub(super) fn take(&mut self, count: usize, at_ns: u64) {
        if at_ns >= self.since_ns + SECOND {
            (self.since_ns, self.taken) = (at_ns, 0);
        }
        self.taken += count;
    }

    /// Until when nothing is taken; `None`: there is room.
    pub(super) fn full_until_ns(&self) -> Option<u64> {
        (self.taken >= BYTES).then_some(self.since_ns + SECOND)
    }

    /// What had come beyond the room was thrown away, and there is room again. Gives whether that is the first time.
    pub(super) fn drop(&mut self, count: usize, at_ns: u64) -> bool {
        let is_first = self.dropped == 0 && count > 0;
        self.dropped += count as u64;
        (self.since_ns, self.taken) = (at_ns, 0);
        is_first
    }

    /// How many bytes were thrown away since the link was opened.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_says_more_than_a_line_can_bring_waits_for_the_next_second() {
        let mut budget = Budget::default();
        let start_ns = 7 * SECOND;
        budget.take(11_520, start_ns);
        assert_eq!(budget.full_until_ns(), None, "a full second of the fastest line");
        budget.take(800, start_ns + SECOND / 2);
        assert_eq!(budget.full_until_ns(), Some(start_ns + SECOND));
        assert!(budget.drop(5, start_ns + SECOND));
        assert_eq!((budget.full_until_ns(), budget.dropped()), (None, 5));
        // Second by second it may go on for ever.
        for second in 9..20 {
            budget.take(12_287, second * SECOND);
            assert_eq!(budget.full_until_ns(), None);
        }
        assert!(!budget.drop(9, 30 * SECOND), "it is said once");
    }
}
