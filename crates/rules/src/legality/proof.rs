//! A short game to a position, where there is one.

use shakmaty::{Board, CastlingMode, Chess, Color, EnPassantMode, Position as _, Setup};

/// Half-moves tried. Each man away from home costs one, which leaves few moves to try.
const PLIES_MAX: usize = 8;
/// Positions looked at before giving up.
const NODES_MAX: u32 = 5_000;

/// True if this is a start array.
pub(super) fn is_start(setup: &Setup, mode: CastlingMode) -> bool {
    start(setup, mode).is_some_and(|start| {
        start.board() == &setup.board && setup.turn == Color::White && setup.ep_square.is_none()
    })
}

/// The array from which the position can have come soonest.
fn start(setup: &Setup, mode: CastlingMode) -> Option<Chess> {
    if mode == CastlingMode::Standard {
        return Some(Chess::default());
    }
    // Only an array that still stands can be known.
    let is_same = |number: &u32| Board::chess960(*number) == setup.board;
    let board = (0..960).find(is_same).map(Board::chess960)?;
    let castling_rights = board.rooks();
    Setup { board, castling_rights, ..Setup::initial() }.position(mode).ok()
}

/// True if a short game leads to the position.
pub(super) fn is_reached(setup: &Setup, mode: CastlingMode) -> bool {
    let Some(start) = start(setup, mode) else { return false };
    let first = usize::from(setup.turn.is_black());
    let mut nodes = NODES_MAX;
    (first..=PLIES_MAX).step_by(2).any(|plies| reaches(&start, setup, plies, &mut nodes))
}

fn reaches(position: &Chess, aim: &Setup, plies: usize, nodes: &mut u32) -> bool {
    if plies == 0 {
        return is_same(position, aim);
    }
    *nodes = nodes.saturating_sub(1);
    if *nodes == 0 || is_too_far(position, aim, plies) {
        return false;
    }
    position.legal_moves().into_iter().any(|mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        reaches(&next, aim, plies - 1, nodes)
    })
}

/// An en passant field that is not given says nothing.
fn is_same(position: &Chess, aim: &Setup) -> bool {
    let is_en_passant =
        aim.ep_square.is_none() || position.to_setup(EnPassantMode::Always).ep_square == aim.ep_square;
    position.board() == &aim.board
        && position.turn() == aim.turn
        && position.castles().castling_rights() == aim.castling_rights
        && is_en_passant
}

/// True if more men have to move than there are moves: a move takes one man to its place, castling two.
/// Men that were captured, and rights that were lost, do not come back.
fn is_too_far(position: &Chess, aim: &Setup, plies: usize) -> bool {
    let board = position.board();
    let is_lost = (aim.castling_rights & !position.castles().castling_rights()).any();
    is_lost
        || Color::ALL.into_iter().any(|color| {
            let own_moves = (plies + usize::from(position.turn() == color)) / 2;
            let (now, then) = (board.by_color(color), aim.board.by_color(color));
            let misplaced = then
                .into_iter()
                .filter(|&square| aim.board.piece_at(square) != board.piece_at(square))
                .count();
            let has_castled = aim.board.king_of(color) != board.king_of(color);
            misplaced > own_moves + usize::from(has_castled)
                || now.count() < then.count()
                || now.count() > then.count() + plies - own_moves
        })
}
