//! A move made: what stands where after it, and what is still allowed (section 9).

use super::army::{Army, EpWindow, Seat};
use super::moves::{FourMove, Manner};
use super::position::{EnPassant, FourPosition};
use crate::rules::Footprint;
use crate::sensor::Content;
use shakmaty::Role;

impl FourPosition {
    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, mv: FourMove) -> Self {
        let is_zeroing = mv.role == Role::Pawn || !self.content(mv.to).is_empty();
        let mut next = self.moved(mv);
        next.halfmoves = if is_zeroing { 0 } else { self.halfmoves.saturating_add(1) };
        if self.rules.ep_window == EpWindow::NextPly {
            next.en_passant = [None; 4];
        }
        if mv.manner == Manner::Double {
            let crossed = self.geometry.step(mv.from, super::geometry::forward(self.turn));
            next.en_passant[self.turn.index()] = Some(EnPassant { crossed, pawn: mv.to });
        }
        next.pass_turn();
        next
    }

    /// It is the next player's turn, and what ends with a ply has ended.
    pub(super) fn pass_turn(&mut self) {
        self.drop_dead_rights();
        self.turn = self.turn.next();
        self.en_passant[self.turn.index()] = None;
        if self.turn == Seat::South {
            self.round = self.round.saturating_add(1);
        }
    }

    /// The men after the move, and nothing else changed.
    pub(super) fn moved(&self, mv: FourMove) -> Self {
        let mut next = self.clone();
        for &(square, _, after) in self.footprint(mv).changes() {
            next.put(square, after);
        }
        next
    }

    /// The squares that a move changes.
    #[must_use]
    pub fn footprint(&self, mv: FourMove) -> Footprint {
        let man = self.content(mv.from);
        // The man tells whose move it is: it may be made out of turn.
        let arrives = match (mv.manner, Army::of(man)) {
            (Manner::Promotion(role), Some(army)) => army.man(role),
            _ => man,
        };
        let left = (mv.from, man, Content::EMPTY);
        let filled = (mv.to, self.content(mv.to), arrives);
        match mv.manner {
            Manner::EnPassant { pawn } => {
                Footprint::new(&[left, (pawn, self.content(pawn), Content::EMPTY), filled])
            }
            Manner::Castling { rook, rook_to, .. } => {
                let rook_man = self.content(rook);
                Footprint::new(&[
                    left,
                    (rook, rook_man, Content::EMPTY),
                    filled,
                    (rook_to, Content::EMPTY, rook_man),
                ])
            }
            _ => Footprint::of_one_man(left, filled),
        }
    }
}
