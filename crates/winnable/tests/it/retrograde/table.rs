//! What holds of every position with the same men: a bit for each.

use std::ops::Range;

use shakmaty::{Bitboard, Color, File, Rank, Square};

use super::men::Men;
use super::row::{Row, Squares};

/// White's king stands here, or the board is turned until he does: without pawns, and with them.
const CORNER: [Square; 10] = [
    Square::A1,
    Square::B1,
    Square::C1,
    Square::D1,
    Square::B2,
    Square::C2,
    Square::D2,
    Square::C3,
    Square::D3,
    Square::D4,
];
const KINGS_WITH_PAWNS: usize = 32;

/// A bit for every position with these men and no rights to castle or to take in passing.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) men: Men,
    /// By side to move, then by row.
    words: [Vec<Bitboard>; 2],
}

impl Table {
    /// Nothing holds of any.
    pub(super) fn new(men: Men) -> Self {
        let kings = if men.pawns() > 0 { KINGS_WITH_PAWNS } else { CORNER.len() };
        let rows = kings << (6 * (men.men().len() - 2));
        Self { men, words: [vec![Bitboard::EMPTY; rows], vec![Bitboard::EMPTY; rows]] }
    }

    /// How many rows it has, with those that cannot be.
    pub(super) fn len(&self) -> usize {
        self.words[0].len()
    }

    /// The rows of these numbers that can be, symmetrical ones once, with their numbers.
    pub(super) fn rows(&self, numbers: Range<usize>) -> impl Iterator<Item = (usize, Row)> + use<> {
        let men = self.men;
        numbers.filter_map(move |number| Some((number, Row::new(men, squares(&men, number))?)))
    }

    /// The last man's squares of which it holds.
    pub(super) fn row(&self, turn: Color, row: &Row) -> Bitboard {
        let fold = Fold::new(row.squares[0], self.men.pawns() > 0);
        let folded = row.squares.map(|square| fold.square(square));
        fold.back(self.words[usize::from(turn.is_black())][number(&self.men, folded)])
    }

    /// It holds of these squares in the row of that number, too.
    pub(super) fn add(&mut self, turn: Color, number: usize, squares: Bitboard) {
        self.words[usize::from(turn.is_black())][number] |= squares;
    }
}

/// Of positions that are the same with the board turned round, or with two like men exchanged: whether this is the
/// one to ask about.
pub(super) fn is_first(men: Men, row: &Row, last: Square) -> bool {
    if let &[_, _, one, other] = men.men()
        && one == other
        && row.squares[2] > last
    {
        return false;
    }
    // With White's king on the diagonal a table has both sides of it.
    let squares = row.placement(last).squares();
    let flipped = men.placed(squares.map(Square::flip_diagonal)).squares();
    men.pawns() > 0 || flipped[0] != squares[0] || squares <= flipped
}

fn squares(men: &Men, number: usize) -> Squares {
    let others = men.men().len() - 2;
    let at = |place: usize| Square::new((number >> (6 * (others - place)) & 63) as u32);
    let king = number >> (6 * others);
    let king = if men.pawns() > 0 {
        Square::from_coords(File::new(king as u32 % 4), Rank::new(king as u32 / 4))
    } else {
        CORNER[king]
    };
    let mut squares = [Square::A1; 3];
    squares[0] = king;
    for (place, square) in squares.iter_mut().enumerate().take(others + 1).skip(1) {
        *square = at(place);
    }
    squares
}

fn number(men: &Men, squares: Squares) -> usize {
    let king = squares[0];
    let (file, rank) = (king.file().to_usize(), king.rank().to_usize());
    // The corner's squares, file by file from each rank's diagonal on.
    let king = if men.pawns() > 0 { rank * 4 + file } else { [0, 3, 5, 6][rank] + file };
    let others = men.men().len() - 2;
    squares[1..=others].iter().fold(king, |number, square| number << 6 | square.to_usize())
}

/// How the board is turned so that White's king comes to where tables have him.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    is_horizontal: bool,
    is_vertical: bool,
    is_diagonal: bool,
}

impl Fold {
    fn new(king: Square, has_pawns: bool) -> Self {
        let is_horizontal = king.file() >= File::E;
        let king = if is_horizontal { king.flip_horizontal() } else { king };
        let is_vertical = !has_pawns && king.rank() >= Rank::Fifth;
        let king = if is_vertical { king.flip_vertical() } else { king };
        let is_diagonal = !has_pawns && king.rank().to_u32() > king.file().to_u32();
        Self { is_horizontal, is_vertical, is_diagonal }
    }

    fn square(self, square: Square) -> Square {
        let square = if self.is_horizontal { square.flip_horizontal() } else { square };
        let square = if self.is_vertical { square.flip_vertical() } else { square };
        if self.is_diagonal { square.flip_diagonal() } else { square }
    }

    fn back(self, squares: Bitboard) -> Bitboard {
        let squares = if self.is_diagonal { squares.flip_diagonal() } else { squares };
        let squares = if self.is_vertical { squares.flip_vertical() } else { squares };
        if self.is_horizontal { squares.flip_horizontal() } else { squares }
    }
}
