//! What ends the game, and what threatens to (section 7).

use shakmaty::Role;

use super::army::{Army, role_of};
use super::position::FourPosition;
use crate::rules::mate::Dead;
use crate::rules::{CannotMate, End, MateTest};
use crate::sensor::Side;

impl FourPosition {
    /// How the position ends the game, judged for the player whose turn begins.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        if !self.may_end() {
            return None;
        }
        if !self.has_legal_move() {
            let mated = self.is_in_check(self.army());
            return Some(if mated { End::Checkmate } else { End::Stalemate });
        }
        self.is_dead().then_some(End::DeadPosition)
    }

    /// Only what a legal move brought about ends the game: everybody has one king, and whoever moved
    /// last does not stand in check.
    fn may_end(&self) -> bool {
        Army::ALL.into_iter().all(|army| self.king(army).is_some()) && !self.is_in_check(self.mover())
    }

    /// Whether nobody can mate any more: certain with [`FourPosition::is_dead`], the arbiter's to say
    /// with [`FourPosition::is_little_material`].
    #[must_use]
    pub fn dead(&self) -> Dead {
        if !self.may_end() {
            Dead::No
        } else if self.is_dead() {
            Dead::Yes
        } else if self.is_little_material() {
            Dead::Suspected
        } else {
            Dead::No
        }
    }

    /// Nothing stands there but kings and pawns that never move again.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.men().all(|man| self.is_harmless(man))
    }

    /// Can the team still mate by any series of legal moves? Certainly not with nothing but kings and
    /// dead pawns, which attack no king that a legal move leaves there; nothing else is certain, for
    /// two kings and one minor piece can mate (section 7, R-10).
    #[must_use]
    pub fn can_mate(&self, winner: Side) -> MateTest {
        if self.men().all(|man| man.1.side() != winner || self.is_harmless(man)) {
            return MateTest::No(CannotMate { reason: "bare-king", positions: None });
        }
        MateTest::Unknown { basis: "four players", nodes: 0 }
    }

    fn is_harmless(&self, (square, _, role): (u8, Army, Role)) -> bool {
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

    /// The players other than the one to move who would be mated if it were their turn now, those
    /// first whose turn comes first. It has no effect before that (T-aim, R-14).
    #[must_use]
    pub fn mate_threats(&self) -> Vec<Army> {
        let others = (1..4).map(|plies| self.turn.after(plies));
        let threatened = others.filter(|&seat| {
            let at_turn = self.with_seat(seat);
            at_turn.is_in_check(at_turn.army()) && !at_turn.has_legal_move()
        });
        threatened.map(|seat| self.rules.army_at(seat)).collect()
    }

    /// Every man, with its square.
    pub(super) fn men(&self) -> impl Iterator<Item = (u8, Army, Role)> {
        Army::ALL.into_iter().flat_map(move |army| {
            let men = self.squares_of(army);
            men.iter().filter_map(move |square| Some((square, army, role_of(self.content(square))?)))
        })
    }
}
