//! The cross as data: its squares, their names, and where a man gets from each of them (section 2).
//!
//! Squares are numbered rank by rank from rank 1, each from its first file; what does not exist is
//! left out. Directions run clockwise from North, even ones straight and odd ones diagonal; a player
//! looks in the direction of twice his seat's number.

use std::sync::LazyLock;

use super::army::{Seat, WingDepth};
use crate::square::{Square, Squares};

/// The deepest arms give so many squares.
pub const MAX_SQUARES: usize = 192;
/// Beyond the board.
pub const NOWHERE: Square = Square::new(u8::MAX);
/// More moves than a knight ever needs.
const NEVER: u8 = u8::MAX;

/// Files and ranks that one step goes, by direction.
const STEPS: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// Files and ranks that a knight goes.
const JUMPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// Half of eight directions.
const BACKWARDS: usize = 4;

/// A board.
#[derive(Debug)]
pub struct Geometry {
    /// Files, and ranks, the missing corners with them.
    side: u8,
    /// The depth of an arm.
    wing: u8,
    /// How many squares there are.
    squares: u8,
    /// File and rank of each square, from 0.
    places: [(u8, u8); MAX_SQUARES],
    /// The next square in each direction.
    steps: [[Square; 8]; MAX_SQUARES],
    /// Where a knight gets.
    jumps: [[Square; 8]; MAX_SQUARES],
    /// How many moves a knight needs from one square to another.
    knight_moves: Vec<[u8; MAX_SQUARES]>,
    /// Home rows by seat, from the player's left to his right.
    homes: [[Square; 8]; 4],
    /// Squares from which a pawn may go two, by seat.
    pawn_rows: [Squares; 4],
    /// The back rows of the opponents, by seat.
    promotions: [Squares; 4],
    /// The back row of the partner, by seat.
    ends: [Squares; 4],
}

static GEOMETRIES: LazyLock<[Geometry; 3]> = LazyLock::new(|| WingDepth::ALL.map(Geometry::new));

impl Geometry {
    /// The board with arms of that depth.
    #[must_use]
    pub fn of(depth: WingDepth) -> &'static Self {
        &GEOMETRIES[depth as usize]
    }

    fn new(depth: WingDepth) -> Self {
        let wing = depth.squares();
        let side = 8 + 2 * wing;
        let mut board = Self {
            side,
            wing,
            squares: 0,
            places: [(0, 0); MAX_SQUARES],
            steps: [[NOWHERE; 8]; MAX_SQUARES],
            jumps: [[NOWHERE; 8]; MAX_SQUARES],
            knight_moves: Vec::new(),
            homes: [[NOWHERE; 8]; 4],
            pawn_rows: [Squares::EMPTY; 4],
            promotions: [Squares::EMPTY; 4],
            ends: [Squares::EMPTY; 4],
        };
        for rank in 0..side {
            let (files, first) = board.rank(rank);
            board.squares = first + (files.end - files.start);
            for (file, number) in files.zip(first..) {
                board.places[usize::from(number)] = (file, rank);
            }
        }
        for square in Square::all().take(board.squares()) {
            let at = |&(files, ranks): &(i8, i8)| board.beside(square, files, ranks);
            let (steps, jumps) = (STEPS.each_ref().map(at), JUMPS.each_ref().map(at));
            board.steps[square] = steps;
            board.jumps[square] = jumps;
        }
        board.knight_moves =
            Square::all().take(board.squares()).map(|from| board.knight_moves_from(from)).collect();
        for seat in Seat::ALL {
            board.homes[seat.index()] = board.home_row(seat);
        }
        for seat in Seat::ALL {
            let row = |seat: Seat| -> Squares { board.homes[seat.index()].into_iter().collect() };
            let ahead = |square: Square| board.step(square, forward(seat));
            let (pawns, end) = (row(seat).iter().map(ahead).collect(), row(seat.partner()));
            let [left, right] = seat.opponents().map(row);
            board.pawn_rows[seat.index()] = pawns;
            board.promotions[seat.index()] = left.union(right);
            board.ends[seat.index()] = end;
        }
        board
    }

    fn knight_moves_from(&self, from: Square) -> [u8; MAX_SQUARES] {
        let mut moves = [NEVER; MAX_SQUARES];
        moves[from] = 0;
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&square) = reached.get(next) {
            next += 1;
            for to in self.jumps(square) {
                if moves[to] == NEVER {
                    moves[to] = moves[square] + 1;
                    reached.push(to);
                }
            }
        }
        moves
    }

    fn home_row(&self, seat: Seat) -> [Square; 8] {
        let (wing, last) = (self.wing, self.side - 1);
        std::array::from_fn(|place| {
            // Eight men to a row.
            let place = place as u8;
            let (file, rank) = match seat {
                Seat::South => (wing + place, 0),
                Seat::West => (0, wing + 7 - place),
                Seat::North => (wing + 7 - place, last),
                Seat::East => (last, wing + place),
            };
            self.at(file, rank).unwrap_or(NOWHERE)
        })
    }

    /// How many squares there are.
    #[must_use]
    pub fn squares(&self) -> usize {
        self.squares.into()
    }

    /// Files, and ranks, the missing corners with them.
    #[must_use]
    pub fn side(&self) -> u8 {
        self.side
    }

    /// The files of a rank that exist, and the number of the first square there; both from 0.
    #[must_use]
    pub fn rank(&self, rank: u8) -> (std::ops::Range<u8>, u8) {
        let (wing, side) = (self.wing, self.side);
        if rank < wing {
            (wing..wing + 8, rank * 8)
        } else if rank < wing + 8 {
            (0..side, wing * 8 + (rank - wing) * side)
        } else {
            (wing..wing + 8, wing * 8 + 8 * side + (rank - wing - 8) * 8)
        }
    }

    /// The square on that file and rank, from 0, if it exists.
    #[must_use]
    pub fn at(&self, file: u8, rank: u8) -> Option<Square> {
        if rank >= self.side {
            return None;
        }
        let (files, first) = self.rank(rank);
        files.contains(&file).then(|| Square::new(first + file - files.start))
    }

    /// File and rank of a square, from 0.
    #[must_use]
    pub fn place(&self, square: Square) -> (u8, u8) {
        self.places[square]
    }

    fn beside(&self, square: Square, files: i8, ranks: i8) -> Square {
        let (file, rank) = self.place(square);
        let beside = file.checked_add_signed(files).zip(rank.checked_add_signed(ranks));
        beside.and_then(|(file, rank)| self.at(file, rank)).unwrap_or(NOWHERE)
    }

    /// The next square in a direction, or [`NOWHERE`].
    #[must_use]
    #[inline]
    pub fn step(&self, square: Square, direction: usize) -> Square {
        self.steps.get(square.index()).map_or(NOWHERE, |steps| steps[direction])
    }

    /// The squares in a direction up to the edge or the next missing corner, nearest first.
    pub(crate) fn ray(&self, square: Square, direction: usize) -> impl Iterator<Item = Square> {
        std::iter::successors(Some(square), move |&square| Some(self.step(square, direction)))
            .skip(1)
            .take_while(|&square| square != NOWHERE)
    }

    /// The squares to which a knight gets.
    #[inline]
    pub fn jumps(&self, square: Square) -> impl Iterator<Item = Square> {
        self.jumps[square].into_iter().filter(|&to| to != NOWHERE)
    }

    /// How many moves a knight needs on an empty board.
    #[must_use]
    pub(crate) fn knight_moves(&self, from: Square, to: Square) -> u32 {
        self.knight_moves[from][to].into()
    }

    /// The direction in which `to` lies straight from `from` and how many steps away, with nothing
    /// missing between.
    #[must_use]
    pub fn way(&self, from: Square, to: Square) -> Option<(usize, u8)> {
        let steps = |direction| (1_u8..).zip(self.ray(from, direction)).find(|&(_, square)| square == to);
        (0..8).find_map(|direction| Some((direction, steps(direction)?.0)))
    }

    /// The squares between two of one line; none if they are not.
    #[must_use]
    pub fn between(&self, from: Square, to: Square) -> Squares {
        self.way(from, to).map_or(Squares::EMPTY, |(direction, _)| {
            self.ray(from, direction).take_while(|&square| square != to).collect()
        })
    }

    /// A home row, from the player's left to his right.
    #[must_use]
    pub fn home(&self, seat: Seat) -> [Square; 8] {
        self.homes[seat.index()]
    }

    /// Squares from which a pawn may go two.
    #[must_use]
    #[inline]
    pub(crate) fn pawn_row(&self, seat: Seat) -> Squares {
        self.pawn_rows[seat.index()]
    }

    /// Squares on which a pawn becomes another man: the back rows of both opponents (T5).
    #[must_use]
    #[inline]
    pub fn promotions(&self, seat: Seat) -> Squares {
        self.promotions[seat.index()]
    }

    /// Squares on which a pawn stays for ever: the back row of the partner (T5, R-16).
    #[must_use]
    pub fn end(&self, seat: Seat) -> Squares {
        self.ends[seat.index()]
    }

    /// Are the two squares of one colour?
    #[must_use]
    pub(crate) fn same_colour(&self, one: Square, other: Square) -> bool {
        let sum = |square| {
            let (file, rank) = self.place(square);
            file + rank
        };
        (sum(one) + sum(other)).is_multiple_of(2)
    }

    /// The square of a name such as `a10`.
    #[must_use]
    pub fn square(&self, name: &str) -> Option<Square> {
        let (&first, rank) = name.as_bytes().split_first()?;
        let is_plain = matches!(rank, [b'1'..=b'9'] | [b'1', b'0'..=b'9']);
        let rank: u8 = name.get(1..).filter(|_| is_plain)?.parse().ok()?;
        self.at(first.checked_sub(b'a')?, rank - 1)
    }

    /// The name of a square; `None` if there is none of that number.
    #[must_use]
    pub fn name(&self, square: Square) -> Option<String> {
        (square.index() < self.squares()).then(|| {
            let (file, rank) = self.place(square);
            format!("{}{}", char::from(b'a' + file), rank + 1)
        })
    }

    /// The square over which `square` comes to lie when the board is turned by 0, 90, 180 or 270
    /// degrees. At 90 the row of South lies where West's was.
    #[must_use]
    pub fn turned(&self, square: Square, degrees: u32) -> Square {
        let (file, rank) = self.place(square);
        let last = self.side - 1;
        let (file, rank) = match degrees {
            90 => (last - rank, file),
            180 => (last - file, last - rank),
            270 => (rank, last - file),
            _ => (file, rank),
        };
        self.at(file, rank).unwrap_or(square)
    }
}

/// The direction in which a player's pawns go.
#[must_use]
#[inline]
pub fn forward(seat: Seat) -> usize {
    2 * seat.index()
}

/// The two directions in which a player's pawns capture.
#[must_use]
#[inline]
pub fn captures(seat: Seat) -> [usize; 2] {
    [(forward(seat) + 1) % 8, (forward(seat) + 7) % 8]
}

/// The opposite direction.
#[must_use]
#[inline]
pub fn backwards(direction: usize) -> usize {
    (direction + BACKWARDS) % 8
}
