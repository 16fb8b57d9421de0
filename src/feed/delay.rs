//! The broadcast delay: what is public waits here until it may be seen (feeds.md 5).
//!
//! Everything of a board waits equally long, whatever it is, so that what spectators see is what stood on the
//! board so long ago: moves, clocks, results and corrections are late alike.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use adoube_rules::stamp::{MS, Stamp};

/// By how many seconds spectators are behind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// As a rule.
    pub usual_s: u32,
    /// At boards where it is another.
    pub boards: BTreeMap<String, u32>,
}

impl Delays {
    /// That of a board; of the hall as a whole, if the name is empty.
    #[must_use]
    pub fn of_s(&self, board: &str) -> u32 {
        self.boards.get(board).copied().unwrap_or(self.usual_s)
    }

    /// The instant that spectators are shown at `now`, as a rule.
    #[must_use]
    pub fn then(&self, now: Stamp) -> Stamp {
        let behind_ns = i64::from(self.usual_s) * 1_000_000_000;
        Stamp { utc_ns: now.utc_ns.saturating_sub(behind_ns), ..now }
    }

    /// The longest of all, seconds.
    #[must_use]
    pub fn longest_s(&self) -> u32 {
        self.boards.values().copied().max().unwrap_or(0).max(self.usual_s)
    }

    /// Is any board shown late?
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.usual_s > 0 || self.boards.values().any(|&delay_s| delay_s > 0)
    }

    /// Are all boards equally late? Then what is let out keeps the order in which it happened.
    #[must_use]
    pub fn are_alike(&self) -> bool {
        self.boards.values().all(|&delay_s| delay_s == self.usual_s)
    }
}

/// Nanoseconds since 1970 at which an event may be seen, and its number.
type Place = (i64, u64);

/// One that waits, or may be seen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting<T> {
    /// What it is.
    pub item: T,
    /// Its number.
    pub number: u64,
    /// How long it waits altogether, seconds.
    pub delay_s: u32,
}

/// What waits, in the order in which it will be let out.
#[derive(Debug)]
pub struct DelayQueue<T> {
    /// By how much each board is late.
    pub delays: Delays,
    waiting: BTreeMap<Place, Waiting<T>>,
    /// The last place given for each delay: what is equally late keeps its order.
    last_ns: BTreeMap<u32, i64>,
}

impl<T> DelayQueue<T> {
    /// An empty queue.
    #[must_use]
    pub fn new(delays: Delays) -> Self {
        Self { delays, waiting: BTreeMap::new(), last_ns: BTreeMap::new() }
    }

    /// Lets `item` wait, which has the number `number` and happened on `board` at `at_ns`, nanoseconds since
    /// 1970 as events write it: in whole milliseconds, rounded down.
    pub fn push(&mut self, item: T, number: u64, board: &str, at_ns: i64) {
        let delay_s = self.delays.of_s(board);
        // Nothing is early, not even by what the rounding took.
        let rounding_ns = if delay_s == 0 { 0 } else { MS.cast_signed() };
        let due_ns = at_ns.saturating_add(i64::from(delay_s) * 1_000_000_000 + rounding_ns);
        let last_ns = self.last_ns.entry(delay_s).or_insert(due_ns);
        // What happened on two boards at once may come in either order.
        *last_ns = due_ns.max(*last_ns);
        self.waiting.insert((*last_ns, number), Waiting { item, number, delay_s });
    }

    /// The next one that may be seen by now.
    pub fn release(&mut self, now_ns: i64) -> Option<Waiting<T>> {
        let is_due = |&(due_ns, _): &Place| due_ns <= now_ns;
        // Without a delay no clock is asked.
        let is_immediate = !self.delays.is_any();
        let next = self.waiting.first_entry().filter(|next| is_immediate || is_due(next.key()));
        next.map(std::collections::btree_map::OccupiedEntry::remove)
    }

    /// When the next one may be seen, nanoseconds since 1970.
    #[must_use]
    pub fn due_ns(&self) -> Option<i64> {
        self.waiting.keys().next().map(|&(due_ns, _)| due_ns)
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    fn queue(usual_s: u32, boards: &[(&str, u32)]) -> DelayQueue<u64> {
        let boards = boards.iter().map(|&(board, delay_s)| (board.to_owned(), delay_s)).collect();
        DelayQueue::new(Delays { usual_s, boards })
    }

    fn released(queue: &mut DelayQueue<u64>, now_ns: i64) -> Vec<u64> {
        std::iter::from_fn(|| queue.release(now_ns)).map(|released| released.item).collect()
    }

    #[test]
    fn nothing_is_seen_before_its_time() {
        let mut queue = queue(900, &[]);
        queue.push(1, 1, "7", 0);
        assert_eq!(released(&mut queue, 900 * SECOND_NS), [0; 0], "its time was rounded down");
        assert_eq!(queue.due_ns(), Some(900 * SECOND_NS + 1_000_000));
        assert_eq!(released(&mut queue, 900 * SECOND_NS + 1_000_000), [1]);
    }

    #[test]
    fn without_a_delay_nothing_waits_whatever_the_clock_says() {
        let mut queue = queue(0, &[]);
        queue.push(1, 1, "7", 5 * SECOND_NS);
        assert_eq!(released(&mut queue, 0), [1]);
    }

    #[test]
    fn what_is_equally_late_keeps_its_order() {
        let mut queue = queue(60, &[("9", 60)]);
        // Two boards may hand in what happened at once in either order.
        for (number, board, at_ns) in [(1, "7", 3), (2, "9", 1), (3, "7", 2)] {
            queue.push(number, number, board, at_ns * SECOND_NS);
        }
        assert_eq!(released(&mut queue, 62 * SECOND_NS), [0; 0]);
        assert_eq!(released(&mut queue, 64 * SECOND_NS), [1, 2, 3]);
    }

    #[test]
    fn a_board_with_a_delay_of_its_own_holds_nobody_up() {
        let mut queue = queue(0, &[("1", 900), ("2", 60)]);
        for (number, board) in [(1, "1"), (2, "7"), (3, "2"), (4, "7")] {
            queue.push(number, number, board, 0);
        }
        assert_eq!(released(&mut queue, SECOND_NS), [2, 4]);
        assert_eq!(released(&mut queue, 61 * SECOND_NS), [3]);
        assert_eq!(released(&mut queue, 901 * SECOND_NS), [1]);
        assert!(queue.is_empty());
    }

    #[test]
    fn delays_know_whether_they_are_any_and_alike() {
        let is = |usual_s, boards| {
            let delays = queue(usual_s, boards).delays;
            (delays.is_any(), delays.are_alike())
        };
        assert_eq!(is(0, &[]), (false, true));
        assert_eq!(is(0, &[("1", 0)]), (false, true));
        assert_eq!(is(0, &[("1", 9)]), (true, false));
        assert_eq!(is(9, &[]), (true, true));
        assert_eq!(is(9, &[("1", 0)]), (true, false));
    }
}
