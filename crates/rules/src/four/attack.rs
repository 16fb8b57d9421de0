//! Who attacks a square (section 5): geometrically, pinned men included.

use crate::Position as _;
use crate::square::Square;
use shakmaty::Role;

use super::army::Army;
use super::geometry::{NOWHERE, backwards, captures};
use super::position::FourPosition;

impl FourPosition {
    /// Calls `visit` with each man that attacks `square`, of any army, until it says true. The man on
    /// `hidden` is taken as gone.
    #[inline]
    fn any_attacker(
        &self,
        square: Square,
        hidden: Square,
        mut visit: impl FnMut(Army, Role) -> bool,
    ) -> bool {
        for direction in 0..8 {
            let mut at = self.geometry.step(square, direction);
            let mut is_next = true;
            while at != NOWHERE {
                let content = self.content(at);
                if content.is_empty() || at == hidden {
                    at = self.geometry.step(at, direction);
                    is_next = false;
                    continue;
                }
                let Some((army, role)) = Army::of(content).zip(content.role()) else { break };
                let attacks = match role {
                    Role::Queen => true,
                    Role::Rook => direction % 2 == 0,
                    Role::Bishop => direction % 2 == 1,
                    Role::King => is_next,
                    Role::Pawn => {
                        is_next && captures(self.rules.seat_of(army)).contains(&backwards(direction))
                    }
                    Role::Knight => false,
                };
                if attacks && visit(army, role) {
                    return true;
                }
                break;
            }
        }
        self.geometry.jumps(square).any(|at| {
            let content = self.content(at);
            at != hidden
                && content.role() == Some(Role::Knight)
                && Army::of(content).is_some_and(|army| visit(army, Role::Knight))
        })
    }

    /// Is the square attacked against `army`, that is by either of its opponents? The man on `hidden`
    /// is taken as gone: a king does not shield the square behind him from himself.
    #[must_use]
    #[inline]
    pub(crate) fn is_attacked(&self, army: Army, square: Square, hidden: Square) -> bool {
        self.any_attacker(square, hidden, |other, _| (other.index() ^ army.index()) & 1 == 1)
    }

    /// The men that attack a square, the one on `hidden` left out.
    #[must_use]
    pub(super) fn attackers(&self, square: Square, hidden: Square) -> Vec<(Army, Role)> {
        let mut found = Vec::new();
        self.any_attacker(square, hidden, |army, role| {
            found.push((army, role));
            false
        });
        found
    }

    /// Is the king of `army` attacked by either opponent (T4: never by the partner)?
    #[must_use]
    pub(crate) fn is_in_check(&self, army: Army) -> bool {
        self.king(army).is_some_and(|king| self.is_attacked(army, king, NOWHERE))
    }
}
