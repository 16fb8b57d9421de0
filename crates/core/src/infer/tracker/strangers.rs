//! Men that stood where an explanation has no use for them.

use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Men remembered; a hand does not set down more on its way.
const STRANGERS_MAX: usize = 4;

/// Men that stood where nothing should, each by its square.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Strangers {
    men: [(Square, Content); STRANGERS_MAX],
    /// One more than can be remembered: there were others.
    len: u8,
}

impl Strangers {
    pub(super) fn remember(&mut self, square: Square, content: Content) {
        let len = usize::from(self.len);
        if len <= STRANGERS_MAX && !self.men[..len.min(STRANGERS_MAX)].contains(&(square, content)) {
            if let Some(man) = self.men.get_mut(len) {
                *man = (square, content);
            }
            self.len += 1;
        }
    }

    /// All of them are what these say.
    pub(super) fn all(&self, mut is_explained: impl FnMut(Square, Content) -> bool) -> bool {
        let len = usize::from(self.len);
        len <= STRANGERS_MAX && self.men[..len].iter().all(|&(square, content)| is_explained(square, content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_can_be_remembered_are_never_explained() {
        let mut strangers = Strangers::default();
        for square in [1, 2, 2, 3, 4] {
            strangers.remember(Square::new(square), Content::OCCUPIED);
        }
        assert!(strangers.all(|square, _| square <= Square::new(4)));
        assert!(!strangers.all(|square, _| square != Square::new(3)));
        strangers.remember(Square::new(5), Content::OCCUPIED);
        assert!(!strangers.all(|_, _| true));
    }
}
