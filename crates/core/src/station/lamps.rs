//! Which squares of a board with lamps its players are shown (Laws 12.6, 12.7: nothing about irregularities).
//!
//! Before a game: the squares that are still wrong, once somebody is setting the men up. After `restore-position`:
//! those that still differ. Nothing else: what a game needs is announced by whoever plays it.

use serde::{Deserialize, Serialize};

use crate::table::Derived;
use adoube_rules::Variant;
use adoube_rules::square::Square;

/// More wrong squares than this are no array that somebody is about to finish: so many lamps say nothing.
const NEARLY: usize = 8;

/// What burns, and what is known of a setting up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Lamps {
    lit: Vec<Square>,
    setting_up: SettingUp,
}

/// Hands that set the men up come from far away: from an empty board, or from the end of a game. A few wrong squares
/// alone may as well be a game that has not been noticed yet, and hands that play it must light nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
enum SettingUp {
    /// Nothing was seen, or a game is or was just under way.
    #[default]
    Unseen,
    /// The men stand anywhere.
    Far,
    /// These squares were wrong at the least, and whether hands have come there from far away.
    Near(Vec<Square>, bool),
}

impl SettingUp {
    /// Takes the squares that are wrong now, and gives those that are to be lit.
    fn take(&mut self, wrong: Option<Vec<Square>>) -> Vec<Square> {
        let Some(wrong) = wrong else {
            *self = Self::Unseen;
            return Vec::new();
        };
        if wrong.len() > NEARLY {
            *self = Self::Far;
            return Vec::new();
        }
        let is_within = |least: &[Square]| wrong.iter().all(|square| least.contains(square));
        let has_begun = match self {
            Self::Unseen => false,
            Self::Far => true,
            Self::Near(least, has_begun) if is_within(least) => *has_begun,
            Self::Near(..) => return Vec::new(),
        };
        *self = Self::Near(wrong.clone(), has_begun);
        if has_begun { wrong } else { Vec::new() }
    }
}

impl Lamps {
    /// The squares that burn, as the sensor counts them.
    pub(super) fn lit(&self) -> &[Square] {
        &self.lit
    }

    /// Somebody else has lit the board.
    pub(super) fn forget(&mut self) {
        self.lit.clear();
    }

    /// Takes what the table shows now; gives the squares to be lit, if they are others than before.
    pub(super) fn change<V: Variant>(&mut self, table: &Derived<V>, helps_set_up: bool) -> Option<&[Square]> {
        let mut wanted = table.restoring();
        if helps_set_up {
            let wrong = table.setting_up();
            let set_up = self.setting_up.take(wrong);
            if wanted.is_empty() {
                wanted = set_up;
            }
        }
        if wanted == self.lit {
            return None;
        }
        self.lit = wanted;
        Some(&self.lit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_that_set_up_are_helped_and_hands_that_play_are_not() {
        let mut setting_up = SettingUp::default();
        let mut take = |wrong: &[u8]| -> Vec<u8> {
            let lit = setting_up.take(Some(wrong.iter().copied().map(Square::new).collect()));
            lit.into_iter().map(Square::number).collect()
        };
        assert!(take(&[3, 4]).is_empty(), "nobody has begun");
        assert!(
            take(&[3, 4, 12]).is_empty() && take(&[3, 4, 12, 28]).is_empty() && take(&[3, 12]).is_empty()
        );
        assert!(take(&[4]).is_empty(), "a man who goes home in a game that nobody has noticed");
        assert!(take(&[4, 12]).is_empty() && take(&[]).is_empty());
        assert!(take(&[12]).is_empty(), "a lift from the right array is a move");
        assert!(take(&(0..9).collect::<Vec<u8>>()).is_empty());
        assert_eq!(take(&[1, 2, 3]), [1, 2, 3], "set up from far away");
        assert_eq!(take(&[2]), [2], "two more are right");
        assert!(setting_up.take(None).is_empty());
        assert!(setting_up.take(Some(vec![Square::new(1)])).is_empty(), "after a game nobody has begun");
    }
}
