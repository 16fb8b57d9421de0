//! Moves that wait to be played, the most promising first.

use shakmaty::Move;

/// A move from a position that was looked at.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The number of the position.
    pub(super) parent: u32,
    pub(super) mv: Move,
}

struct Waiting {
    step: Step,
    /// The next of the same score, or `NONE`.
    next: u32,
}

/// Which of the moves with the same score comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfEquals {
    /// A way once taken is followed.
    Newest,
    /// No way is followed far as long as another may be as good.
    Oldest,
}

/// Scores are small, so that a list for each will do: nothing is ever sorted.
pub(super) struct Frontier {
    waiting: Vec<Waiting>,
    /// The first and the last of each score.
    heads: [u32; SCORES],
    tails: [u32; SCORES],
    of_equals: OfEquals,
    /// No list before this one has anything in it.
    least: usize,
    /// A place in `waiting` that is free again, and the others from it.
    free: u32,
}

/// More than any plan gives to a position that is worth telling from a worse one.
const SCORES: usize = 1024;
const NONE: u32 = u32::MAX;

impl Frontier {
    pub(super) fn new(of_equals: OfEquals) -> Self {
        let waiting = Vec::with_capacity(1024);
        Self { waiting, heads: [NONE; SCORES], tails: [NONE; SCORES], of_equals, least: SCORES, free: NONE }
    }

    /// Less is better.
    pub(super) fn push(&mut self, score: i32, step: Step) {
        let list = usize::try_from(score).unwrap_or(0).min(SCORES - 1);
        let place = self.place(step);
        let first = self.heads[list];
        if first == NONE {
            self.heads[list] = place;
            self.tails[list] = place;
        } else if self.of_equals == OfEquals::Newest {
            self.waiting[place as usize].next = first;
            self.heads[list] = place;
        } else {
            self.waiting[self.tails[list] as usize].next = place;
            self.tails[list] = place;
        }
        self.least = self.least.min(list);
    }

    /// A place for a step, with nothing after it.
    fn place(&mut self, step: Step) -> u32 {
        let waiting = Waiting { step, next: NONE };
        let place = self.free;
        if let Some(freed) = self.waiting.get_mut(place as usize) {
            self.free = freed.next;
            *freed = waiting;
            return place;
        }
        self.waiting.push(waiting);
        u32::try_from(self.waiting.len() - 1).unwrap_or(NONE)
    }

    pub(super) fn pop(&mut self) -> Option<Step> {
        while self.least < SCORES {
            let place = self.heads[self.least];
            if let Some(waiting) = self.waiting.get_mut(place as usize) {
                self.heads[self.least] = waiting.next;
                waiting.next = self.free;
                self.free = place;
                return Some(waiting.step);
            }
            self.least += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;

    /// The parents in the order in which they come out, one more pushed after the first.
    fn order(of_equals: OfEquals) -> Vec<u32> {
        let mv = Move::Castle { king: Square::E1, rook: Square::H1 };
        let mut frontier = Frontier::new(of_equals);
        for (score, parent) in [(5, 0), (2, 1), (5, 2), (9_999, 3), (-1, 4)] {
            frontier.push(score, Step { parent, mv });
        }
        let first = frontier.pop();
        frontier.push(5, Step { parent: 5, mv });
        first.into_iter().chain(std::iter::from_fn(|| frontier.pop())).map(|step| step.parent).collect()
    }

    #[test]
    fn the_least_comes_first_and_of_equals_what_was_asked_for() {
        assert_eq!(order(OfEquals::Newest), [4, 1, 5, 2, 0, 3]);
        assert_eq!(order(OfEquals::Oldest), [4, 1, 0, 2, 5, 3]);
    }
}
