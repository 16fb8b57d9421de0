//! How likely a move is, and whether a man is where he was meant to be.

use shakmaty::Role;

use super::army::Army;
use super::geometry::{Geometry, NOWHERE, forward};
use super::moves::{FourMove, Manner};
use super::position::{FourPosition, Wing};
use crate::rules::Rest;

/// Less than the loss of a pawn is no reason to doubt a move (see [`FourPosition::prior`]).
const ODD: i32 = -512;

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 20,
    }
}

impl FourPosition {
    /// What the exchange on the square of arrival wins at once, as in chess: the victim, less the
    /// capturer where an opponent may take back. The partner defends as well as one's own men.
    #[must_use]
    pub fn prior(&self, mv: FourMove) -> i32 {
        let promoted = match mv.manner {
            Manner::Castling { .. } => return 0,
            Manner::Promotion(role) => role,
            _ => mv.role,
        };
        let victim = match mv.manner {
            Manner::EnPassant { .. } => Some(Role::Pawn),
            _ => super::army::role_of(self.content(mv.to)),
        };
        let (gain, own) = (victim.map_or(0, value), value(promoted));
        let around = self.attackers(mv.to, mv.from);
        let is_friend = |army: Army| army.side() == self.army().side();
        let is_defended = around.iter().any(|&(army, _)| is_friend(army));
        let cheapest =
            around.iter().filter(|&&(army, _)| !is_friend(army)).map(|&(_, role)| value(role)).min();
        let loss = match cheapest {
            None => 0,
            Some(_) if !is_defended => own,
            Some(attacker) => (own - attacker).max(0),
        };
        256 * (gain - loss).clamp(-8, 8)
    }

    /// What the man of `mv` may still do once he rests on his new square.
    #[must_use]
    pub fn rest(&self, mv: FourMove) -> Rest {
        let is_capture = !self.content(mv.to).is_empty();
        if matches!(mv.manner, Manner::Castling { .. } | Manner::EnPassant { .. }) {
            return Rest::Final;
        }
        if mv.role == Role::Rook && !is_capture && self.castles_over(mv) {
            return Rest::Castling;
        }
        if is_capture || matches!(mv.manner, Manner::Promotion(_)) {
            return Rest::Final;
        }
        if mv.role == Role::King && self.may_castle_beyond(mv) {
            return Rest::OnTheWay;
        }
        if self.prior(mv) <= ODD {
            Rest::Odd
        } else if self.may_go_on(mv) {
            Rest::OnTheWay
        } else if matches!(mv.role, Role::Bishop | Role::Rook | Role::Queen) || self.prior(mv) < 0 {
            Rest::Doubtful
        } else {
            Rest::Final
        }
    }

    /// A king on his first step towards the rook with which he may castle.
    fn may_castle_beyond(&self, mv: FourMove) -> bool {
        Wing::BOTH.into_iter().filter(|&wing| self.may_castle(self.turn, wing)).any(|wing| {
            let squares = self.castling_squares(self.turn, wing);
            self.geometry.between(squares.king, squares.rook).contains(mv.to) || squares.rook == mv.to
        })
    }

    /// A rook that comes to rest where it would stand after castling, while the king may still come
    /// over it.
    fn castles_over(&self, mv: FourMove) -> bool {
        Wing::BOTH.into_iter().filter(|&wing| self.may_castle(self.turn, wing)).any(|wing| {
            let squares = self.castling_squares(self.turn, wing);
            squares.rook == mv.from && squares.rook_to == mv.to
        })
    }

    /// A piece that has room ahead in the direction in which it came.
    fn may_go_on(&self, mv: FourMove) -> bool {
        match mv.role {
            Role::Knight | Role::King => false,
            Role::Pawn => {
                self.geometry.pawn_row(self.turn).contains(mv.from)
                    && mv.to == self.geometry.step(mv.from, forward(self.turn))
            }
            Role::Bishop | Role::Rook | Role::Queen => {
                let Some((direction, _)) = self.geometry.way(mv.from, mv.to) else { return false };
                let next = self.geometry.step(mv.to, direction);
                let content = self.content(next);
                next != NOWHERE && (content.is_empty() || Self::is_enemy(self.army(), content))
            }
        }
    }
}

/// The square next to the target over which a man comes who is dragged there straight.
pub(super) fn last_step(geometry: &Geometry, mv: FourMove) -> Option<u8> {
    if mv.role == Role::Knight || matches!(mv.manner, Manner::Castling { .. }) {
        return None;
    }
    let (direction, _) = geometry.way(mv.from, mv.to)?;
    Some(geometry.step(mv.to, super::geometry::backwards(direction)))
}
