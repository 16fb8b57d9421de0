//! Solving one set of men, from the mates backwards.

use shakmaty::{Bitboard, Color, Role, Square};

use super::Solution;
use super::men::{Men, Placement};
use super::row::{Goal, Row, beside};
use super::table::Table;

/// Any position that is legal to have.
struct Legal;

impl Goal for Legal {
    fn row(&self, turn: Color, row: &Row) -> Bitboard {
        row.legal(turn)
    }

    fn other(&self, turn: Color, placement: &Placement) -> bool {
        is_legal(turn, placement)
    }

    fn passing(&self, turn: Color, row: &Row, last: Square, _pushed: Square) -> bool {
        row.legal(turn).contains(last)
    }
}

/// Positions from which White can mate, as far as they are found.
pub(super) struct Winnable<'a> {
    /// The sets that come of captures and promotions.
    pub(super) solution: &'a Solution,
    /// The set in question.
    pub(super) table: &'a Table,
}

impl Winnable<'_> {
    /// A position of this set without rights.
    pub(super) fn is_won(&self, turn: Color, placement: &Placement) -> bool {
        Row::of(placement).is_some_and(|(row, last)| self.table.row(turn, &row).contains(last))
    }
}

impl Goal for Winnable<'_> {
    fn row(&self, turn: Color, row: &Row) -> Bitboard {
        self.table.row(turn, row)
    }

    fn other(&self, turn: Color, placement: &Placement) -> bool {
        self.solution.is_won(turn, placement, Bitboard::EMPTY)
    }

    fn passing(&self, turn: Color, row: &Row, last: Square, pushed: Square) -> bool {
        let without = self.table.row(turn, row).contains(last);
        let placement = row.placement(last);
        let mut taken = taken_in_passing(turn, &placement, pushed).peekable();
        if taken.peek().is_none() {
            return without;
        }
        let is_mate = mates(turn, row, last.into()).any();
        without && !is_mate || taken.any(|placement| self.other(!turn, &placement))
    }
}

/// What comes of taking the pawn on `pushed` in passing, legally.
fn taken_in_passing(turn: Color, placement: &Placement, pushed: Square) -> impl Iterator<Item = Placement> {
    let behind = Bitboard::from(pushed).shift(turn.fold_wb(8, -8)).first();
    let men = placement.men().iter().enumerate();
    let takers = men.filter(move |(_, man)| man.0 == Role::Pawn.of(turn) && beside(pushed).contains(man.1));
    let taken = takers
        .filter_map(move |(index, &(pawn, _))| Some(placement.after(index, (pawn, behind?), Some(pushed))));
    taken.filter(move |placement| is_legal(!turn, placement))
}

/// Whether the side that has moved is not in check.
fn is_legal(turn: Color, placement: &Placement) -> bool {
    match placement.men() {
        [(_, white), (_, black)] => white.distance(*black) > 1,
        _ => Row::of(placement).is_some_and(|(row, last)| row.legal(turn).contains(last)),
    }
}

/// With which of the `open` squares of the last man the side to move is mated.
fn mates(turn: Color, row: &Row, open: Bitboard) -> Bitboard {
    let open = open & row.legal(turn) & row.checked(turn);
    if open.is_empty() {
        return open;
    }
    let open = open & !row.quiet(turn, open, &Legal);
    let can_leave = |&last: &Square| !row.leaves(turn, last, &Legal);
    (open & !row.may_leave(turn))
        | (open & row.may_leave(turn)).into_iter().filter(can_leave).collect::<Bitboard>()
}

/// A row of which something is not yet found.
struct Open {
    number: usize,
    row: Row,
    /// By side to move.
    squares: [Bitboard; 2],
}

/// Everything that White can mate from with these men.
pub(super) fn solve(solution: &Solution, men: Men) -> Table {
    let mut table = Table::new(men);
    let mut open: Vec<Open> = table
        .rows(0..table.len())
        .map(|(number, row)| Open { number, row, squares: Color::ALL.map(|turn| row.legal(turn)) })
        .collect();
    let mut is_changed = false;
    let add = |table: &mut Table, turn: Color, open: &mut Open, found: Bitboard| {
        table.add(turn, open.number, found);
        open.squares[usize::from(turn.is_black())].discard(found);
        found.any()
    };
    for row in &mut open {
        let mated = mates(Color::Black, &row.row, Bitboard::FULL);
        is_changed |= add(&mut table, Color::Black, row, mated);
        for turn in Color::ALL {
            let goal = Winnable { solution, table: &table };
            let may_leave = row.row.may_leave(turn) & row.squares[usize::from(turn.is_black())];
            let found = may_leave.into_iter().filter(|&last| row.row.leaves(turn, last, &goal)).collect();
            is_changed |= add(&mut table, turn, row, found);
        }
    }
    // Each pass adds the positions with a move into those that were found, until it adds nothing.
    while is_changed {
        is_changed = false;
        for row in &mut open {
            for turn in Color::ALL {
                let squares = row.squares[usize::from(turn.is_black())];
                let goal = Winnable { solution, table: &table };
                let found = if squares.any() { row.row.quiet(turn, squares, &goal) } else { squares };
                is_changed |= add(&mut table, turn, row, found);
            }
        }
        open.retain(|row| row.squares.iter().any(|squares| squares.any()));
    }
    table
}
