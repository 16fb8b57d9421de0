//! Whether a piece is where it was meant to be.

use shakmaty::Role;

use super::geometry::{NOWHERE, forward};
use super::moves::{FourMove, Manner};
use super::position::{FourPosition, Wing};
use crate::{Position as _, Rest, rest::ODD};

/// What the piece of `mv` may still do once it rests on its new square.
pub(super) fn rest(position: &FourPosition, mv: FourMove) -> Rest {
    let is_capture = !position.content(mv.to).is_empty();
    if matches!(mv.manner, Manner::Castling { .. } | Manner::EnPassant { .. }) {
        return Rest::Final;
    }
    if mv.role == Role::Rook && !is_capture && position.castles_over(mv) {
        return Rest::Castling;
    }
    if is_capture || matches!(mv.manner, Manner::Promotion(_)) {
        return Rest::Final;
    }
    if mv.role == Role::King && position.may_castle_beyond(mv) {
        return Rest::OnTheWay;
    }
    if position.gain(mv) <= ODD {
        Rest::Odd
    } else if position.may_go_on(mv) {
        Rest::OnTheWay
    } else if matches!(mv.role, Role::Bishop | Role::Rook | Role::Queen) || position.gain(mv) < 0 {
        Rest::Doubtful
    } else {
        Rest::Final
    }
}

impl FourPosition {
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
                next != NOWHERE && (content.is_empty() || Self::is_enemy(self.player(), content))
            }
        }
    }
}
