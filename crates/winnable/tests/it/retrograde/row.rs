//! Sixty-four positions at once: all men but the last stand still, the last on any square.
//!
//! What holds of the last man's squares is a bitboard, and most moves are answered for all of them together.

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::men::{Men, PROMOTIONS, Placement};

/// Squares of all men but the last; unused ones at the end are a1.
pub(super) type Squares = [Square; 3];

/// All men but the last, each on its square.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    men: Men,
    pub(super) squares: Squares,
    occupied: Bitboard,
}

/// What moves are asked to lead into.
pub(super) trait Goal {
    /// The last man's squares with which the position is one that is looked for; legal ones only.
    fn row(&self, turn: Color, row: &Row) -> Bitboard;
    /// The same for a single position, with other men.
    fn other(&self, turn: Color, placement: &Placement) -> bool;
    /// The same for a position of this set in which the pawn on `pushed` may be taken in passing.
    fn passing(&self, turn: Color, row: &Row, last: Square, pushed: Square) -> bool;
}

impl Row {
    /// `None` where two stand on one square, or a pawn at an end of the board.
    pub(super) fn new(men: Men, squares: Squares) -> Option<Self> {
        let mut occupied = Bitboard::EMPTY;
        let standing = men.men().len() - 1;
        for (&piece, &square) in men.men()[..standing].iter().zip(&squares) {
            if occupied.contains(square) || !may_stand(piece).contains(square) {
                return None;
            }
            occupied.add(square);
        }
        Some(Self { men, squares, occupied })
    }

    /// The row of a position, and the last man's square.
    pub(super) fn of(placement: &Placement) -> Option<(Self, Square)> {
        let (&(_, last), standing) = placement.men().split_last()?;
        let mut squares = [Square::A1; 3];
        for (square, &(_, stands_on)) in squares.iter_mut().zip(standing) {
            *square = stands_on;
        }
        Some((Self::new(Men::of(placement), squares)?, last))
    }

    pub(super) fn placement(&self, last: Square) -> Placement {
        let standing = self.men.men().len() - 1;
        self.men.placed(self.squares.into_iter().take(standing).chain([last]))
    }

    fn last(&self) -> Piece {
        *self.men.men().last().expect("a set has two kings at least")
    }

    fn standing(&self) -> impl Iterator<Item = (Piece, Square)> {
        let men = self.men;
        let count = men.men().len() - 1;
        (0..count).map(move |index| (men.men()[index], self.squares[index]))
    }

    fn standing_of(&self, color: Color) -> impl Iterator<Item = (Piece, Square)> {
        self.standing().filter(move |(piece, _)| piece.color == color)
    }

    fn with(&self, index: usize, to: Square) -> Self {
        let mut row = *self;
        row.occupied.discard(self.squares[index]);
        row.occupied.add(to);
        row.squares[index] = to;
        row
    }

    /// The last man's squares with which that side's king is attacked.
    pub(super) fn checked(&self, side: Color) -> Bitboard {
        let king = self.squares[usize::from(side.is_black())];
        let mut found = Bitboard::EMPTY;
        for (piece, square) in self.standing_of(!side) {
            if attacks::attacks(square, piece, self.occupied).contains(king) {
                found |= !attacks::between(square, king);
            }
        }
        if self.last().color != side {
            found |= attacked_from(self.last(), king, self.occupied);
        }
        found
    }

    /// The last man's squares with which the position is legal to have: the side that has moved is not in check.
    pub(super) fn legal(&self, turn: Color) -> Bitboard {
        may_stand(self.last()) & !self.occupied & !self.checked(!turn)
    }

    /// Those of the `open` squares of the last man from which a move within this set leads into the goal.
    pub(super) fn quiet(&self, turn: Color, open: Bitboard, goal: &impl Goal) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        for (index, (piece, from)) in self.standing().enumerate() {
            if piece.color != turn {
                continue;
            }
            for to in quiet_targets(piece, from, self.occupied) {
                let row = self.with(index, to);
                let mut there = goal.row(!turn, &row);
                if is_double_step(piece, from, to) && self.last() == Role::Pawn.of(!turn) {
                    for last in beside(to) {
                        there.set(last, goal.passing(!turn, &row, last, to));
                    }
                }
                found |= there & !attacks::between(from, to);
            }
            if open.is_subset(found) {
                return open;
            }
        }
        if self.last().color == turn {
            let here = goal.row(!turn, self);
            for from in open & !found {
                let targets = quiet_targets(self.last(), from, self.occupied);
                if targets.into_iter().any(|to| self.leads_to(from, to, here, turn, goal)) {
                    found.add(from);
                }
            }
        }
        found & open
    }

    /// Whether the last man's move leads into the goal, which without rights to take in passing is `here`.
    fn leads_to(&self, from: Square, to: Square, here: Bitboard, turn: Color, goal: &impl Goal) -> bool {
        let mut takers = self.standing_of(!turn).filter(|(piece, _)| piece.role == Role::Pawn);
        if is_double_step(self.last(), from, to) && takers.any(|(_, square)| beside(to).contains(square)) {
            return goal.passing(!turn, self, to, to);
        }
        here.contains(to)
    }

    /// The last man's squares with which something may be taken or promote: not each of them need be one.
    pub(super) fn may_leave(&self, turn: Color) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        let last = self.last();
        let prey = self.standing_of(!turn).filter(|(piece, _)| piece.role != Role::King);
        let prey: Bitboard = prey.map(|(_, square)| square).collect();
        for (piece, square) in self.standing_of(turn) {
            let attacked = attacks::attacks(square, piece, self.occupied);
            if (attacked & prey).any() || may_promote(piece).contains(square) {
                return Bitboard::FULL;
            }
            if last.color != turn {
                found |= attacked;
            }
        }
        if last.color == turn {
            found |= may_promote(last);
            for square in prey {
                found |= attacked_from(last, square, self.occupied);
            }
        }
        found
    }

    /// Whether a capture or a promotion leads into the goal.
    pub(super) fn leaves(&self, turn: Color, last: Square, goal: &impl Goal) -> bool {
        leaves(&self.placement(last), turn, goal)
    }
}

fn leaves(placement: &Placement, turn: Color, goal: &impl Goal) -> bool {
    let occupied: Bitboard = placement.men().iter().map(|&(_, square)| square).collect();
    let is_prey = |piece: Piece| piece.color != turn && piece.role != Role::King;
    let prey = placement.men().iter().filter(|man| is_prey(man.0));
    let prey: Bitboard = prey.map(|&(_, square)| square).collect();
    placement.men().iter().enumerate().filter(|(_, man)| man.0.color == turn).any(
        |(index, &(piece, from))| {
            let mut captures = (attacks::attacks(from, piece, occupied) & prey).into_iter();
            let is_promoting = may_promote(piece).contains(from);
            let becoming = if is_promoting { PROMOTIONS.map(|role| role.of(turn)) } else { [piece; 4] };
            let becoming = &becoming[..if is_promoting { 4 } else { 1 }];
            let leads = |to: Square, taken: Option<Square>| {
                becoming.iter().any(|&piece| goal.other(!turn, &placement.after(index, (piece, to), taken)))
            };
            captures.any(|to| leads(to, Some(to)))
                || is_promoting && steps(piece, from, occupied).into_iter().any(|to| leads(to, None))
        },
    )
}

/// Where a man may stand at all.
fn may_stand(piece: Piece) -> Bitboard {
    if piece.role == Role::Pawn { !Bitboard::BACKRANKS } else { Bitboard::FULL }
}

/// From where its next step promotes.
fn may_promote(piece: Piece) -> Bitboard {
    if piece.role == Role::Pawn {
        piece.color.relative_rank(shakmaty::Rank::Seventh).into()
    } else {
        Bitboard::EMPTY
    }
}

/// From where such a man attacks the square.
fn attacked_from(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    // All but pawns attack both ways.
    let piece = if piece.role == Role::Pawn { Role::Pawn.of(!piece.color) } else { piece };
    attacks::attacks(square, piece, occupied)
}

/// Where it may go without taking and without promoting.
fn quiet_targets(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    if piece.role == Role::Pawn {
        steps(piece, from, occupied) & !Bitboard::BACKRANKS
    } else {
        attacks::attacks(from, piece, occupied) & !occupied
    }
}

/// A pawn's steps straight ahead.
fn steps(pawn: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let ahead = |squares: Bitboard| squares.shift(pawn.color.fold_wb(8, -8)) & !occupied;
    let single = ahead(from.into());
    single | ahead(single & Bitboard::from(pawn.color.relative_rank(shakmaty::Rank::Third)))
}

fn is_double_step(piece: Piece, from: Square, to: Square) -> bool {
    piece.role == Role::Pawn && from.abs_diff(to) == 16
}

/// The squares on either side, from which a pawn takes in passing what has just come here.
pub(super) fn beside(square: Square) -> Bitboard {
    attacks::king_attacks(square) & Bitboard::from(square.rank())
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position as _};

    use super::super::rights::chess;
    use super::*;

    /// One position with four men, or with three after a capture.
    struct Only(Placement);

    impl Goal for Only {
        fn row(&self, _turn: Color, row: &Row) -> Bitboard {
            Bitboard::FULL.into_iter().filter(|&last| row.placement(last) == self.0).collect()
        }

        fn other(&self, _turn: Color, placement: &Placement) -> bool {
            *placement == self.0
        }

        fn passing(&self, _turn: Color, row: &Row, last: Square, _pushed: Square) -> bool {
            row.placement(last) == self.0
        }
    }

    /// Every man of the side to move is put on every square, as what it may become: exactly what `shakmaty`
    /// plays is found to be a move.
    #[test]
    fn moves_are_those_of_shakmaty() {
        // Numbers without a pattern (the golden ratio in 64 bits), the same in every run.
        let mut numbers = (1_u64..).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32);
        let mut below = |limit: u64| u32::try_from(numbers.next().expect("endless") % limit).expect("small");
        let mut compared = 0;
        for men in Men::groups(4).concat().into_iter().cycle().take(110) {
            let placement = men.placed(std::iter::repeat_with(|| Square::new(below(64))));
            let turn = Color::from_white(below(2) == 0);
            let Some(before) = chess(&placement, turn, Bitboard::EMPTY, None) else { continue };
            if before.board().occupied().count() < 4 {
                continue;
            }
            let (row, last) = Row::of(&placement).expect("a position");
            let played: Vec<Placement> =
                before.legal_moves().into_iter().map(|mv| after(&before, mv)).collect();
            for (index, &(piece, _)) in
                placement.men().iter().enumerate().filter(|(_, man)| man.0.color == turn)
            {
                for to in Square::ALL {
                    for role in PROMOTIONS.into_iter().chain([piece.role]) {
                        let target = placement.after(index, (role.of(turn), to), Some(to));
                        let goal = Only(target);
                        // A goal has legal positions only.
                        if chess(&target, !turn, Bitboard::EMPTY, None).is_none() {
                            continue;
                        }
                        let is_move = row.quiet(turn, last.into(), &goal).any()
                            || row.may_leave(turn).contains(last) && row.leaves(turn, last, &goal);
                        assert_eq!(is_move, played.contains(&target), "{before:?} {target:?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 2_000, "{compared}");
    }

    fn after(before: &Chess, mv: shakmaty::Move) -> Placement {
        Placement::of(before.clone().play(mv).unwrap().board(), false).unwrap()
    }
}
