//! Castling with a king that stood on the queen's square from the start, as national blitz rules have
//! it (laws-editions.md, `misplaced_castling`): two squares towards either rook, which goes over him.
//! The Laws know none (A.4.1.2), so it is no move of `shakmaty`.

use shakmaty::{Board, Color, File, Rank, Role, Square, attacks};

use super::ChessPosition;
use super::chess::{man, side};
use crate::sensor::Content;
use crate::square;

/// A mirrored castling that the board shows, whole or half.
#[derive(Debug, Clone)]
pub struct Mirrored<P> {
    /// From where to where the king goes.
    pub king: (square::Square, square::Square),
    /// From where to where the rook goes.
    pub rook: (square::Square, square::Square),
    /// Where it leads; `None` while the rook has not followed.
    pub position: Option<P>,
}

/// King and rook: file of departure, file of arrival.
const WAYS: [[(File, File); 2]; 2] = [
    // The short one: the rook on a1 is the nearer.
    [(File::D, File::B), (File::A, File::C)],
    [(File::D, File::F), (File::H, File::E)],
];

/// See [`super::Position::mirrored_castling`].
pub(super) fn mirrored_castling(
    position: &ChessPosition,
    contents: &[Content],
    named: bool,
) -> Option<Mirrored<ChessPosition>> {
    let shows = |board: &Board| {
        Square::ALL.iter().all(|&square| {
            let man = board.piece_at(square).map_or(Content::EMPTY, man);
            contents[usize::from(square)] == if named { man } else { man.occupancy() }
        })
    };
    let turn = position.color();
    WAYS.iter().find_map(|way| {
        let [king, rook] = squares(turn, *way);
        let board = position.board();
        if !is_open(board, turn, king, rook) {
            return None;
        }
        let mut after = board.clone();
        after.discard_piece_at(king.0);
        after.set_piece_at(king.1, Role::King.of(turn));
        let mut half = shows(&after);
        after.discard_piece_at(rook.0);
        half |= shows(&after);
        after.set_piece_at(rook.1, Role::Rook.of(turn));
        let is_whole = shows(&after);
        let whole = || {
            let men: Vec<Content> = Square::ALL
                .iter()
                .map(|&square| after.piece_at(square).map_or(Content::EMPTY, man))
                .collect();
            ChessPosition::from_contents(&men, side(!turn), position)
        };
        (half || is_whole).then(|| Mirrored {
            king: (king.0.into(), king.1.into()),
            rook: (rook.0.into(), rook.1.into()),
            position: is_whole.then(whole),
        })
    })
}

/// The king's squares and whether it is the short one, if the step from one board to the other is a
/// mirrored castling.
pub(super) fn between(before: &Board, after: &Board, turn: Color) -> Option<(Square, Square, bool)> {
    WAYS.iter().enumerate().find_map(|(index, way)| {
        let [king, rook] = squares(turn, *way);
        let mut board = before.clone();
        if board.remove_piece_at(king.0) != Some(Role::King.of(turn))
            || board.remove_piece_at(rook.0) != Some(Role::Rook.of(turn))
        {
            return None;
        }
        board.set_piece_at(king.1, Role::King.of(turn));
        board.set_piece_at(rook.1, Role::Rook.of(turn));
        (board == *after).then_some((king.0, king.1, index == 0))
    })
}

fn squares(turn: Color, way: [(File, File); 2]) -> [(Square, Square); 2] {
    let rank = turn.relative_rank(Rank::First);
    way.map(|(from, to)| (Square::from_coords(from, rank), Square::from_coords(to, rank)))
}

/// King and rook stand there, nothing between them, and the king passes over no attacked square
/// (3.8.2.2, mirrored). Whether they have moved before, the position does not tell.
fn is_open(board: &Board, turn: Color, king: (Square, Square), rook: (Square, Square)) -> bool {
    let stands = |square, role: Role| board.piece_at(square) == Some(role.of(turn));
    let attacked = |square| board.attacks_to(square, !turn, board.occupied().without(king.0)).any();
    stands(king.0, Role::King)
        && stands(rook.0, Role::Rook)
        && !attacks::between(king.0, rook.0).intersects(board.occupied())
        && !attacks::between(king.0, king.1).with(king.0).with(king.1).into_iter().any(attacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position as _;

    fn shown(before: &str, after: &str) -> Option<(u8, u8, Option<String>)> {
        let read = |fen: &str| ChessPosition::from_fen(fen, false).unwrap();
        let found = mirrored_castling(&read(before), &read(after).contents(), true)?;
        Some((found.king.0.number(), found.king.1.number(), found.position.map(|position| position.fen())))
    }

    #[test]
    fn the_king_goes_two_squares_and_the_rook_over_him() {
        let before = "4k3/8/8/8/8/8/8/R2K3R w - - 0 1";
        let (_, _, short) = shown(before, "4k3/8/8/8/8/8/8/1KR4R").unwrap();
        assert_eq!(short.as_deref(), Some("4k3/8/8/8/8/8/8/1KR4R b - - 1 1"));
        let (_, to, long) = shown(before, "4k3/8/8/8/8/8/8/R3RK2").unwrap();
        assert_eq!((to, long.as_deref()), (5, Some("4k3/8/8/8/8/8/8/R3RK2 b - - 1 1")));
        // Half of it: the rook stands, or is in a hand.
        assert_eq!(shown(before, "4k3/8/8/8/8/8/8/RK5R"), Some((3, 1, None)));
        assert_eq!(shown(before, "4k3/8/8/8/8/8/8/1K5R"), Some((3, 1, None)));
        // Something between, an attacked square.
        assert_eq!(shown("4k3/8/8/8/8/8/8/RN1K4 w - - 0 1", "4k3/8/8/8/8/8/8/1KR5"), None);
        assert_eq!(shown("2r1k3/8/8/8/8/8/8/R2K4 w - - 0 1", "2r1k3/8/8/8/8/8/8/1KR5"), None);
    }
}
