//! A game that goes on from what stands on the board after something that was no legal move.

use crate::Position as _;
use shakmaty::Role;

use super::army::{Army, Seat};
use super::moves::{FourMove, Manner};
use super::position::{FourPosition, Wing};
use crate::sensor::Content;
use crate::square::Square;
use crate::stood::SQUARES_MAX;

/// Something illegal, from which the game goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FourStood {
    /// Before it.
    pub before: FourPosition,
    /// What stands on the board, the next player to move.
    pub after: FourPosition,
}

impl FourPosition {
    /// Has a pawn moved until `next`, or is a man gone?
    pub(super) fn is_zeroed_by(&self, next: &Self) -> bool {
        let pawns = |position: &Self| -> Vec<(Square, Army)> {
            position.men().filter(|man| man.2 == Role::Pawn).map(|(square, army, _)| (square, army)).collect()
        };
        next.men().count() < self.men().count() || pawns(next) != pawns(self)
    }

    /// The position of a game that starts from what stands there though this array was agreed: Red to
    /// move, castling where king and rook stand as agreed.
    #[must_use]
    pub fn start_from(&self, contents: &[Content]) -> Self {
        let mut start = self.with_men(contents);
        start.turn = Seat::South;
        start.en_passant = [None; 4];
        start.drop_dead_rights();
        start
    }

    pub(super) fn with_men(&self, contents: &[Content]) -> Self {
        let mut next = self.clone();
        for square in Square::all().take(self.geometry.squares()) {
            let content = contents.get(square.index()).copied().unwrap_or_default();
            let content = if content == Content::OCCUPIED { self.content(square) } else { content };
            next.put(square, if Army::of(content).is_some() { content } else { Content::EMPTY });
        }
        next
    }
}

impl FourStood {
    /// Who moved.
    #[must_use]
    pub fn mover(&self) -> Army {
        self.before.player()
    }

    fn changed(&self) -> Vec<Square> {
        let pairs = self.before.contents().iter().zip(self.after.contents());
        Square::all()
            .zip(pairs)
            .filter(|(_, (before, after))| before != after)
            .map(|(square, _)| square)
            .collect()
    }

    /// The movement of one man, or a castling, that makes all the changes, if one does.
    fn movement(&self) -> Option<FourMove> {
        let changed = self.changed();
        // Castling changes most: four squares.
        if changed.len() > 4 {
            return None;
        }
        let pairs = changed.iter().flat_map(|&from| changed.iter().map(move |&to| (from, to)));
        let pairs = pairs.filter(|(from, to)| from != to);
        let mut moves = pairs.flat_map(|(from, to)| self.movements(from, to, &changed));
        moves.find(|&mv| self.before.moved(mv).contents() == self.after.contents())
    }

    /// What the man on one square may have done to get to another.
    fn movements(&self, from: Square, to: Square, changed: &[Square]) -> Vec<FourMove> {
        let man = self.before.content(from);
        let (Some(army), Some(role)) = (Army::of(man), man.role()) else { return Vec::new() };
        let became = self.after.content(to).role().filter(|&became| role == Role::Pawn && became != role);
        let mut manners = vec![became.map_or(Manner::Plain, Manner::Promotion)];
        if role == Role::Pawn {
            manners.extend(changed.iter().map(|&pawn| Manner::EnPassant { pawn }));
        }
        let seat = self.before.rules.seat_of(army);
        for wing in Wing::BOTH.into_iter().filter(|_| role == Role::King) {
            let squares = self.before.castling_squares(seat, wing);
            let is_rook = self.before.content(squares.rook) == army.man(Role::Rook);
            if is_rook && (squares.king, squares.king_to) == (from, to) {
                let (rook, rook_to) = (squares.rook, squares.rook_to);
                manners.push(Manner::Castling { is_short: wing == Wing::Short, rook, rook_to });
            }
        }
        manners.into_iter().map(|manner| FourMove { role, from, to, manner }).collect()
    }

    /// `h2-h5`, `c1xd3`, `O-O`; the squares that changed, `a4,b5,c6`, where no man's movement makes the
    /// change; `--` if none did, or more than a hand changes.
    #[must_use]
    pub fn san(&self) -> String {
        let changed = self.changed();
        match self.movement() {
            Some(mv) => self.before.san(mv),
            None if !(1..=SQUARES_MAX).contains(&changed.len()) => "--".to_owned(),
            None => {
                let names: Vec<String> =
                    changed.into_iter().map(|square| self.before.square_name(square)).collect();
                names.join(",")
            }
        }
    }

    /// `h2h5`; `0000` where no man's movement makes the change.
    #[must_use]
    pub fn uci(&self) -> String {
        self.movement().map_or_else(|| "0000".to_owned(), |mv| self.before.uci(mv))
    }
}
