//! When two positions are the same (9.2.2).

use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, File, Position as _, Role, Square};

/// What makes two positions the same (9.2.2).
///
/// Placement by kind and colour, the side to move, the castling rights as the game's history left
/// them, and the file of a pawn that can in fact be taken in passing. Castling rights stand for
/// their rooks, so the key serves Chess960 as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Four bits a square: the role from 1 to 6 in three planes, the colour in the fourth.
    planes: [u64; 4],
    castling_rights: u64,
    en_passant: Option<File>,
    is_white_to_move: bool,
}

impl Key {
    /// The key of a placement; `en_passant` only where such a capture is legal.
    #[must_use]
    pub fn of(board: &Board, turn: Color, castling_rights: Bitboard, en_passant: Option<Square>) -> Self {
        let plane = |roles: [Role; 3]| {
            roles.into_iter().fold(0, |plane, role| plane | u64::from(board.by_role(role)))
        };
        Self {
            planes: [
                plane([Role::Pawn, Role::Bishop, Role::Queen]),
                plane([Role::Knight, Role::Bishop, Role::King]),
                plane([Role::Rook, Role::Queen, Role::King]),
                board.black().into(),
            ],
            castling_rights: castling_rights.into(),
            en_passant: en_passant.map(Square::file),
            is_white_to_move: turn.is_white(),
        }
    }
}

impl From<&Chess> for Key {
    fn from(chess: &Chess) -> Self {
        Self::of(
            chess.board(),
            chess.turn(),
            chess.castles().castling_rights(),
            chess.ep_square(EnPassantMode::Legal),
        )
    }
}
