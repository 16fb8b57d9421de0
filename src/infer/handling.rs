//! When each square was last left and last filled: facts, whatever they are taken to mean.

use crate::sensor::Content;

/// The last departure from and the last arrival on each square.
#[derive(Debug, Clone)]
pub(super) struct Handling {
    lifted_ns: Vec<Option<u64>>,
    placed_ns: Vec<Option<u64>>,
}

impl Handling {
    pub(super) fn new(squares: usize) -> Self {
        Self { lifted_ns: vec![None; squares], placed_ns: vec![None; squares] }
    }

    /// `square` changed from `before` to `after`. A man that takes the place of another is a
    /// departure and an arrival at once.
    pub(super) fn changed(&mut self, square: u8, before: Content, after: Content, at_ns: u64) {
        if !before.is_empty() {
            self.lifted_ns[usize::from(square)] = Some(at_ns);
        }
        if !after.is_empty() {
            self.placed_ns[usize::from(square)] = Some(at_ns);
        }
    }

    /// When `square` was last left.
    pub(super) fn lifted_ns(&self, square: u8) -> Option<u64> {
        self.lifted_ns[usize::from(square)]
    }

    /// When `square` was last filled.
    pub(super) fn placed_ns(&self, square: u8) -> Option<u64> {
        self.placed_ns[usize::from(square)]
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

    /// `square` was left after `since_ns` and filled again at `not_before_ns` or later: the trace of
    /// a capture there, whichever of the two pieces was lifted first.
    pub(super) fn exchanged(&self, square: u8, since_ns: u64, not_before_ns: u64) -> bool {
        let index = usize::from(square);
        match (self.lifted_ns[index], self.placed_ns[index]) {
            (Some(lifted), Some(placed)) => lifted > since_ns && placed >= lifted && placed >= not_before_ns,
            _ => false,
        }
    }
}
