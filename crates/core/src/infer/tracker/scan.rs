//! How long the board takes to look at all of its squares, learned from when it shows changes: it shows them at the end
//! of a look and at no other time.

use adoube_rules::stamp::MS;

/// So many times between two changes are kept: those of the last few moves.
const KEPT: usize = 16;
/// So many have to be whole numbers of looks, each to a twelfth of one. On a fast board one in six is so by chance.
const FEWEST: usize = 8;
const PART: u64 = 12;
/// A faster board has looked again before a move has rested for as long as it takes to be announced.
const SLOW_NS: u64 = 300 * MS;
/// Boards on the market take half a second at most, and no line keeps time exactly.
const SLOWEST_NS: u64 = 550 * MS;
/// Times that are so many looks long say little: no board keeps time so well.
const LOOKS_MAX: u64 = 8;

/// The times between changes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scan {
    between_ns: [u64; KEPT],
    next: usize,
}

impl Scan {
    /// Something changed, so long after the last change.
    pub(super) fn changed(&mut self, since_ns: u64) {
        self.between_ns[self.next] = since_ns;
        self.next = (self.next + 1) % KEPT;
    }

    /// How long one look takes, if that is long: the shortest time between two changes, where all of them are about
    /// whole numbers of it.
    pub(super) fn slow_ns(&self) -> Option<u64> {
        let known = || self.between_ns.iter().copied().filter(|&between_ns| between_ns > 0);
        let shortest_ns = known().min().filter(|shortest_ns| (SLOW_NS..=SLOWEST_NS).contains(shortest_ns))?;
        let off_ns = |between_ns: u64| {
            let beyond_ns = between_ns % shortest_ns;
            beyond_ns.min(shortest_ns - beyond_ns)
        };
        let is_whole = |between_ns: u64| off_ns(between_ns) * PART <= shortest_ns;
        let near = || known().filter(|&between_ns| between_ns < LOOKS_MAX * shortest_ns);
        (near().count() >= FEWEST && near().all(is_whole)).then_some(shortest_ns)
    }
}

/// When the changes of a look that takes `slow_ns` are here: no line is late by more than an eighth of it.
pub(super) fn with_delay_ns(slow_ns: u64) -> u64 {
    slow_ns + slow_ns / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(between_ms: &[u64]) -> Option<u64> {
        let mut scan = Scan::default();
        between_ms.iter().for_each(|&between_ms| scan.changed(between_ms * MS));
        scan.slow_ns().map(|slow_ns| slow_ns / MS)
    }

    #[test]
    fn a_slow_board_shows_changes_at_whole_looks_only() {
        assert_eq!(learned(&[500, 1_000, 3_010, 990, 500, 2_005, 12_300, 500, 1_490]), Some(500));
        assert_eq!(learned(&[350, 1_050, 705, 1_400, 350, 2_100, 12_300, 700, 375]), Some(350));
    }

    #[test]
    fn of_a_fast_board_and_of_few_changes_nothing_is_known() {
        assert_eq!(learned(&[450, 1_000, 700, 950, 650, 1_600, 1_350, 550]), None, "slow hands");
        assert_eq!(learned(&[250, 1_000, 755, 500, 250, 2_000, 12_300, 500, 500]), None);
        assert_eq!(learned(&[500, 1_000, 1_500, 500, 9_000]), None, "the game has just begun");
    }
}
