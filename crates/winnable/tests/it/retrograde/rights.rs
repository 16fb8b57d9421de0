//! Positions with a right to castle: so few that they are played forwards, one by one.

use std::collections::BTreeSet;

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup as _, Piece, Position as _, PositionError, Role,
    Setup, Square,
};

use super::men::{MOST, Men, Placement};
use super::solve::Winnable;

/// Rooks that may castle, side to move, squares of the men in their order.
type Key = (u64, bool, [Square; MOST]);

/// Positions from which White can mate because somebody may castle, and not otherwise.
#[derive(Debug, Default)]
pub(super) struct Rights(BTreeSet<Key>);

impl Rights {
    pub(super) fn contains(&self, turn: Color, placement: &Placement, rooks: Bitboard) -> bool {
        self.0.contains(&key(turn, placement, rooks))
    }

    /// A right takes no move away, and castling is none in check: what is won without stays so.
    pub(super) fn solve(goal: &Winnable<'_>) -> Self {
        let mut open: Vec<Chess> = Vec::new();
        for (placement, turn, rooks) in placements(&goal.table.men) {
            if !goal.is_won(turn, &placement) {
                open.extend(chess(&placement, turn, rooks, None));
            }
        }
        let mut rights = Self::default();
        loop {
            let before = open.len();
            open.retain(|chess| {
                let is_found = chess.legal_moves().into_iter().any(|mv| {
                    let mut after = chess.clone();
                    after.play_unchecked(mv);
                    rights.is_won(goal, &after)
                });
                if is_found && let Some(placement) = Placement::of(chess.board(), false) {
                    rights.0.insert(key(chess.turn(), &placement, chess.castles().castling_rights()));
                }
                !is_found
            });
            if open.len() == before {
                return rights;
            }
        }
    }

    fn is_won(&self, goal: &Winnable<'_>, chess: &Chess) -> bool {
        let Some(placement) = Placement::of(chess.board(), false) else { return false };
        let (turn, rooks) = (chess.turn(), chess.castles().castling_rights());
        if placement.set() == goal.table.men.index() {
            goal.is_won(turn, &placement) || self.contains(turn, &placement, rooks)
        } else {
            goal.solution.is_won(turn, &placement, rooks)
        }
    }
}

fn key(turn: Color, placement: &Placement, rooks: Bitboard) -> Key {
    (rooks.into(), turn.is_white(), placement.squares())
}

/// The position, if it is legal to have. Checks that no game leads to are asked about like others.
pub(super) fn chess(
    placement: &Placement,
    turn: Color,
    rooks: Bitboard,
    passing: Option<Square>,
) -> Option<Chess> {
    let board: Board = placement.men().iter().map(|&(piece, square)| (square, piece)).collect();
    let setup = Setup { board, turn, castling_rights: rooks, ep_square: passing, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_impossible_check).ok()
}

/// Every way to place the men so that some may castle. Not all are legal to have.
pub(super) fn placements(men: &Men) -> Vec<(Placement, Color, Bitboard)> {
    let mut found = Vec::new();
    let corners: Vec<Square> = Bitboard::CORNERS.into_iter().collect();
    for chosen in 1..1_u32 << corners.len() {
        let rooks = corners.iter().enumerate().filter(|(index, _)| chosen & 1 << index != 0);
        let rooks: Bitboard = rooks.map(|(_, &corner)| corner).collect();
        found.extend(
            with_rooks(men, rooks)
                .into_iter()
                .flat_map(|placement| Color::ALL.map(|turn| (placement, turn, rooks))),
        );
    }
    found
}

/// Kings and rooks on the squares that these rights are about, the other men on any.
fn with_rooks(men: &Men, rooks: Bitboard) -> Vec<Placement> {
    let mut fixed: Vec<(Piece, Square)> = Vec::new();
    for rook in rooks {
        let color = Color::from_white(rook < Square::A8);
        fixed.push((Role::Rook.of(color), rook));
        let king = (Role::King.of(color), color.fold_wb(Square::E1, Square::E8));
        if !fixed.contains(&king) {
            fixed.push(king);
        }
    }
    let mut placed: Vec<Vec<Square>> = vec![Vec::new()];
    for &piece in men.men() {
        let own = fixed.iter().position(|(fixed, _)| *fixed == piece).map(|index| fixed.swap_remove(index).1);
        let choices = own.map_or(Bitboard::FULL, Bitboard::from);
        placed = placed
            .into_iter()
            .flat_map(|squares| {
                let is_free = |square: &Square| !squares.contains(square);
                let free: Vec<Square> = choices.into_iter().filter(is_free).collect();
                free.into_iter().map(move |square| [squares.as_slice(), &[square]].concat())
            })
            .collect();
    }
    if fixed.is_empty() {
        placed.into_iter().map(|squares| men.placed(squares)).collect()
    } else {
        Vec::new()
    }
}
