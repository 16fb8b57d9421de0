//! Legal moves (sections 5 and 6).

use crate::Position as _;
use crate::square::{Square, Squares};
use shakmaty::Role;

use super::army::{Army, Seat};
use super::geometry::{NOWHERE, captures, forward};
use super::position::{FourPosition, Wing};

/// A move in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FourMove {
    /// What moves; the king in castling.
    pub role: Role,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What comes with it.
    pub manner: Manner,
}

/// What a move does beside taking a man from one square to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Manner {
    /// Nothing; it captures what stands there.
    Plain,
    /// A pawn goes two squares.
    Double,
    /// A pawn becomes another man.
    Promotion(Role),
    /// A pawn takes another in passing.
    EnPassant {
        /// Where that one stands.
        pawn: Square,
    },
    /// The rook comes over the king.
    Castling {
        /// Away from the queen's square.
        is_short: bool,
        /// Where the rook stands.
        rook: Square,
        /// Where it arrives.
        rook_to: Square,
    },
}

/// What a pawn may become.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl FourPosition {
    /// True if the player whose turn it is has a legal move.
    #[must_use]
    pub(crate) fn has_legal_move(&self) -> bool {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        !moves.is_empty()
    }

    /// What pieces and pawns can do, whatever becomes of the king; castling left out.
    pub(super) fn moves_by_geometry(&self, moves: &mut Vec<FourMove>) {
        let army = self.player();
        for from in self.squares_of(army).iter() {
            let Some(role) = self.content(from).role() else { continue };
            let mut add = |to| moves.push(FourMove { role, from, to, manner: Manner::Plain });
            match role {
                Role::Pawn => self.pawn_moves(self.turn, army, from, moves),
                Role::Knight => {
                    self.geometry.jumps(from).filter(|&to| self.may_stand(army, to)).for_each(add);
                }
                Role::King => (0..8)
                    .map(|direction| self.geometry.step(from, direction))
                    .filter(|&to| to != NOWHERE && self.may_stand(army, to))
                    .for_each(add),
                Role::Bishop => self.slide(army, from, 1, 2, &mut add),
                Role::Rook => self.slide(army, from, 0, 2, &mut add),
                Role::Queen => self.slide(army, from, 0, 1, &mut add),
            }
        }
    }

    /// An empty square, or one with an opponent's man that may be captured.
    #[inline]
    fn may_stand(&self, army: Army, square: Square) -> bool {
        let content = self.content(square);
        content.is_empty() || Self::is_enemy(army, content) && content.role() != Some(Role::King)
    }

    fn slide(&self, army: Army, from: Square, first: usize, every: usize, add: &mut impl FnMut(Square)) {
        for direction in (first..8).step_by(every) {
            let mut to = self.geometry.step(from, direction);
            while to != NOWHERE && self.content(to).is_empty() {
                add(to);
                to = self.geometry.step(to, direction);
            }
            if to != NOWHERE && self.may_stand(army, to) {
                add(to);
            }
        }
    }

    fn pawn_moves(&self, seat: Seat, army: Army, from: Square, moves: &mut Vec<FourMove>) {
        let role = Role::Pawn;
        let mut add = |to, manner| moves.push(FourMove { role, from, to, manner });
        let mut arrive = |to| {
            if self.geometry.promotions(seat).contains(to) {
                PROMOTIONS.into_iter().for_each(|role| add(to, Manner::Promotion(role)));
            } else {
                add(to, Manner::Plain);
            }
        };
        let is_free = |square| square != NOWHERE && self.content(square).is_empty();
        let one = self.geometry.step(from, forward(seat));
        // Promotion squares are reached by captures alone (section 6).
        if is_free(one) && !self.geometry.promotions(seat).contains(one) {
            arrive(one);
        }
        for direction in captures(seat) {
            let to = self.geometry.step(from, direction);
            if to != NOWHERE && !self.content(to).is_empty() && self.may_stand(army, to) {
                arrive(to);
            }
        }
        let two = self.geometry.step(one, forward(seat));
        if self.geometry.pawn_row(seat).contains(from) && is_free(one) && is_free(two) {
            add(two, Manner::Double);
        }
        for right in seat.opponents().into_iter().filter_map(|seat| self.en_passant[seat.index()]) {
            let crosses = captures(seat).map(|direction| self.geometry.step(from, direction));
            if crosses.contains(&right.crossed) {
                add(right.crossed, Manner::EnPassant { pawn: right.pawn });
            }
        }
    }

    pub(super) fn castlings(&self, guards: &[Option<Guard>], moves: &mut Vec<FourMove>) {
        let army = self.player();
        for wing in Wing::BOTH {
            if !self.may_castle(self.turn, wing) {
                continue;
            }
            let squares = self.castling_squares(self.turn, wing);
            let (king, rook) = (squares.king, squares.rook);
            let is_free =
                self.geometry.between(king, rook).iter().all(|square| self.content(square).is_empty());
            let is_safe = |square| !self.is_attacked(army, square, king);
            if !is_free || ![king, squares.rook_to, squares.king_to].into_iter().all(is_safe) {
                continue;
            }
            let is_short = wing == Wing::Short;
            let manner = Manner::Castling { is_short, rook, rook_to: squares.rook_to };
            let mv = FourMove { role: Role::King, from: king, to: squares.king_to, manner };
            if guards.iter().flatten().all(|guard| guard.allows(self, mv)) {
                moves.push(mv);
            }
        }
    }

    /// What the moves of this turn must not do to the own king, and to the partner's where he is
    /// protected.
    pub(super) fn guards(&self) -> [Option<Guard>; 2] {
        let army = self.player();
        let own = self.king(army).map(|king| Guard::new(self, army, king));
        let partner = self.rules.protect_partner.then(|| self.king(army.partner())).flatten();
        // One who stands in check already asks nothing of his partner.
        let partner = partner.map(|king| Guard::new(self, army.partner(), king));
        [own, partner.filter(|guard| !guard.is_checked)]
    }
}

/// Keeps a king out of the opponents' reach. Only few moves can bring him there: those of the king
/// himself, of a man that shields him, a capture in passing, and any while he stands in check.
/// These are tried out.
pub(super) struct Guard {
    army: Army,
    king: Square,
    is_checked: bool,
    /// Men of the player whose turn it is that stand between the king and a man of long range.
    shields: Squares,
}

impl Guard {
    fn new(position: &FourPosition, army: Army, king: Square) -> Self {
        let mover = position.player();
        let geometry = position.geometry;
        let mut shields = Squares::EMPTY;
        for direction in 0..8 {
            let mut men =
                geometry.ray(king, direction).filter(|&square| !position.content(square).is_empty());
            let Some(first) = men.next().filter(|&first| Army::of(position.content(first)) == Some(mover))
            else {
                continue;
            };
            let is_pinning = men.next().is_some_and(|second| {
                let content = position.content(second);
                let straight = if direction % 2 == 0 { Role::Rook } else { Role::Bishop };
                FourPosition::is_enemy(army, content)
                    && content.role().is_some_and(|role| role == Role::Queen || role == straight)
            });
            if is_pinning {
                shields.insert(first);
            }
        }
        Self { army, king, is_checked: position.is_attacked(army, king, NOWHERE), shields }
    }

    pub(super) fn allows(&self, position: &FourPosition, mv: FourMove) -> bool {
        let is_harmless = match mv.manner {
            Manner::EnPassant { .. } => false,
            Manner::Castling { rook, .. } => !self.shields.contains(mv.from) && !self.shields.contains(rook),
            _ => !self.shields.contains(mv.from),
        };
        if mv.from == self.king {
            // What castling asks was looked at when it was found.
            matches!(mv.manner, Manner::Castling { .. }) || !position.is_attacked(self.army, mv.to, self.king)
        } else if is_harmless && !self.is_checked {
            true
        } else {
            !position.moved(mv).is_attacked(self.army, self.king, NOWHERE)
        }
    }
}
