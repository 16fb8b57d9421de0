//! When each square was last left and last filled: facts, whatever they are taken to mean.

use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Exchanges that are remembered: more have not happened within any one move.
const EXCHANGES_MAX: usize = 16;

/// A square was left and filled again: a capture, an adjustment, a sensor that lost its man.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    pub(super) square: Square,
    pub(super) lifted_ns: u64,
    pub(super) placed_ns: u64,
}

/// The last departure from and the last arrival on each square.
#[derive(Debug, Clone)]
pub(super) struct Handling {
    lifted_ns: Vec<Option<u64>>,
    placed_ns: Vec<Option<u64>>,
    last_placed_ns: u64,
    /// The latest exchanges, oldest first.
    exchanges: Vec<Exchange>,
}

impl Handling {
    pub(super) fn new(squares: usize) -> Self {
        Self {
            lifted_ns: vec![None; squares],
            placed_ns: vec![None; squares],
            last_placed_ns: 0,
            exchanges: Vec::new(),
        }
    }

    /// `square` changed from `before` to `after`. A man that takes the place of another is a
    /// departure and an arrival at once.
    pub(super) fn changed(&mut self, square: Square, before: Content, after: Content, at_ns: u64) {
        if !before.is_empty() {
            self.lifted_ns[square] = Some(at_ns);
        }
        if !after.is_empty() {
            self.placed_ns[square] = Some(at_ns);
            self.last_placed_ns = at_ns;
            if let Some(lifted_ns) = self.lifted_ns[square] {
                self.exchanges.retain(|exchange| exchange.square != square);
                if self.exchanges.len() == EXCHANGES_MAX {
                    self.exchanges.remove(0);
                }
                self.exchanges.push(Exchange { square, lifted_ns, placed_ns: at_ns });
            }
        }
    }

    /// When `square` was last left.
    pub(super) fn lifted_ns(&self, square: Square) -> Option<u64> {
        self.lifted_ns[square]
    }

    /// When `square` was last filled.
    pub(super) fn placed_ns(&self, square: Square) -> Option<u64> {
        self.placed_ns[square]
    }

    /// When any square was last filled.
    pub(super) fn last_placed_ns(&self) -> u64 {
        self.last_placed_ns
    }

    /// Squares that were left after `since_ns` and filled again at `not_before_ns` or later.
    pub(super) fn exchanges(&self, since_ns: u64, not_before_ns: u64) -> impl Iterator<Item = Exchange> {
        let is_meant =
            move |exchange: &&Exchange| exchange.lifted_ns > since_ns && exchange.placed_ns >= not_before_ns;
        self.exchanges.iter().filter(is_meant).copied()
    }

    /// Which squares changed after `since_ns`.
    pub(super) fn changed_since(&self, since_ns: u64) -> Vec<bool> {
        let after = |at: &Option<u64>| at.is_some_and(|at_ns| at_ns > since_ns);
        self.lifted_ns
            .iter()
            .zip(&self.placed_ns)
            .map(|(lifted, placed)| after(lifted) || after(placed))
            .collect()
    }

    /// How long `square` was empty that was left after `since_ns` and filled again at `not_before_ns` or
    /// later: the trace of a capture there, whichever of the two pieces was lifted first.
    pub(super) fn exchanged_ns(&self, square: Square, since_ns: u64, not_before_ns: u64) -> Option<u64> {
        let index = square.index();
        let (lifted, placed) = (self.lifted_ns[index]?, self.placed_ns[index]?);
        (lifted > since_ns && placed >= lifted && placed >= not_before_ns).then(|| placed - lifted)
    }
}
