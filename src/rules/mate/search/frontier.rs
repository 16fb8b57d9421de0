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

/// Scores are small, so that a list for each will do: nothing is ever sorted.
pub(super) struct Frontier {
    waiting: Vec<Waiting>,
    /// The first of each score.
    heads: [u32; SCORES],
    /// No list before this one has anything in it.
    least: usize,
    /// A place in `waiting` that is free again, and the others from it.
    free: u32,
}

/// More than any plan gives to a position that is worth telling from a worse one.
const SCORES: usize = 1024;
const NONE: u32 = u32::MAX;

impl Frontier {
    pub(super) fn new() -> Self {
        Self { waiting: Vec::with_capacity(1024), heads: [NONE; SCORES], least: SCORES, free: NONE }
    }

    /// Less is better; of equals the last comes first, so that a way once taken is followed.
    pub(super) fn push(&mut self, score: i32, step: Step) {
        let list = usize::try_from(score).unwrap_or(0).min(SCORES - 1);
        let waiting = Waiting { step, next: self.heads[list] };
        let place = self.free;
        if let Some(freed) = self.waiting.get_mut(place as usize) {
            self.free = freed.next;
            *freed = waiting;
            self.heads[list] = place;
        } else {
            self.heads[list] = u32::try_from(self.waiting.len()).unwrap_or(NONE);
            self.waiting.push(waiting);
        }
        self.least = self.least.min(list);
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

    #[test]
    fn the_least_comes_first_and_the_last_of_equals() {
        let mv = Move::Castle { king: Square::E1, rook: Square::H1 };
        let mut frontier = Frontier::new();
        for (score, parent) in [(5, 0), (2, 1), (5, 2), (9_999, 3), (-1, 4)] {
            frontier.push(score, Step { parent, mv });
        }
        assert_eq!(frontier.pop().map(|step| step.parent), Some(4));
        frontier.push(5, Step { parent: 5, mv });
        let order: Vec<u32> = std::iter::from_fn(|| frontier.pop()).map(|step| step.parent).collect();
        assert_eq!(order, [1, 5, 2, 0, 3]);
    }
}
