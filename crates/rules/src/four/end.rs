//! What ends the game, and what threatens to (section 7).

use shakmaty::Role;

use super::army::Army;
use super::position::FourPosition;
use crate::Position as _;
use crate::square::Square;

impl FourPosition {
    /// Only what a legal move brought about ends the game: everybody has one king, and whoever moved
    /// last does not stand in check.
    pub(super) fn may_end(&self) -> bool {
        Army::ALL.into_iter().all(|army| self.king(army).is_some()) && !self.is_in_check(self.mover())
    }

    /// Nothing stands there but kings and pawns that never move again.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.men().all(|man| self.is_harmless(man))
    }

    pub(super) fn is_harmless(&self, (square, _, role): (Square, Army, Role)) -> bool {
        role == Role::King || self.is_dead_pawn(square)
    }

    /// Every player has at most a knight or a bishop beside his king and dead pawns: whether the
    /// position is dead is the arbiter's to say (section 7).
    #[must_use]
    pub fn is_little_material(&self) -> bool {
        Army::ALL.into_iter().all(|army| {
            let men = || self.men().filter(|&man| man.1 == army && !self.is_harmless(man));
            men().count() <= 1 && men().all(|man| matches!(man.2, Role::Knight | Role::Bishop))
        })
    }

    /// Every man, with its square.
    pub(super) fn men(&self) -> impl Iterator<Item = (Square, Army, Role)> {
        Army::ALL.into_iter().flat_map(move |army| {
            let men = self.squares_of(army);
            men.iter().filter_map(move |square| Some((square, army, self.content(square).role()?)))
        })
    }
}
