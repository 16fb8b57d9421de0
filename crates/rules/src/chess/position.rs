//! A chess position: one that `shakmaty` plays, or an [`Irregular`] one.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, Color, EnPassantMode, FromSetup as _, Piece, Position as _,
    PositionError, Role, Setup, Square,
};

use crate::irregular::{Irregular, is_king_attacked, standing_rights};
use crate::sensor::{Content, Side};

/// A chess position and how castling is written in it.
#[derive(Debug, Clone, Default)]
pub struct ChessPosition(pub(super) Kind);

/// A position that becomes irregular, and regular again, within one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Regular(shakmaty::Chess),
    Irregular(Irregular),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Regular(shakmaty::Chess::default())
    }
}

impl PartialEq for ChessPosition {
    /// Equal are positions with the same men, move and possible moves (9.2.2); counters may differ.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 && self.mode() == other.mode()
    }
}

impl Eq for ChessPosition {}

/// A FEN that is none, or one of a position that no game starts from.
#[derive(Debug, thiserror::Error)]
pub enum FenError {
    /// Not a FEN.
    #[error("not a FEN: {0}")]
    Syntax(#[from] ParseFenError),
    /// A FEN, but not of a position that a game can start from.
    #[error("not a position to play from: {0}")]
    Position(Box<PositionError<shakmaty::Chess>>),
}

impl ChessPosition {
    /// Reads a FEN of any position, regular or not; fields that are missing at its end are
    /// `w - - 0 1`. Castling rights without king and rook are dropped. `chess960` sets how castling
    /// is written.
    ///
    /// # Errors
    /// `FenError::Syntax` if the text is no FEN.
    pub fn from_fen(fen: &str, chess960: bool) -> Result<Self, FenError> {
        let fen: Fen = fen.parse()?;
        Ok(Self::from_setup(fen.into_setup(), CastlingMode::from_chess960(chess960)))
    }

    /// Reads the FEN of a position that a game can be arranged to start from: a regular one, without
    /// castling rights or an en passant square that cannot be.
    ///
    /// # Errors
    /// `FenError` if the text is no FEN or the position cannot be played from.
    pub fn start_from_fen(fen: &str, chess960: bool) -> Result<Self, FenError> {
        let fen: Fen = fen.parse()?;
        fen.into_position(CastlingMode::from_chess960(chess960))
            .or_else(PositionError::ignore_impossible_check)
            .map(|chess| Self(Kind::Regular(chess)))
            .map_err(|error| FenError::Position(Box::new(error)))
    }

    /// The position that stands on the board when something illegal was played from `before` and
    /// `turn` is to move.
    ///
    /// Castling rights stay where king and rook still stand. The half-move clock begins anew if a
    /// pawn moved or a man is gone (9.3), the move number advances after Black, nothing can be taken
    /// en passant. A man without a name is the one that stood there before.
    #[must_use]
    pub fn from_contents(contents: &[Content], turn: Side, before: &Self) -> Self {
        let old = before.setup();
        let man = |&square: &Square| {
            let content = contents.get(usize::from(square)).copied().unwrap_or_default();
            if content == Content::OCCUPIED { old.board.piece_at(square) } else { piece(content) }
        };
        let board: Board =
            Square::ALL.iter().filter_map(|square| man(square).map(|piece| (*square, piece))).collect();
        let pawns = |board: &Board, color: Color| board.by_piece(Role::Pawn.of(color));
        let is_zeroing = board.occupied().count() < old.board.occupied().count()
            || Color::ALL.iter().any(|&color| pawns(&board, color) != pawns(&old.board, color));
        let turn = color(turn);
        let is_after_black = old.turn.is_black() && turn.is_white();
        let setup = Setup {
            castling_rights: standing_rights(&old.board, &board, old.castling_rights),
            board,
            turn,
            halfmoves: if is_zeroing { 0 } else { old.halfmoves.saturating_add(1) },
            fullmoves: if is_after_black { old.fullmoves.saturating_add(1) } else { old.fullmoves },
            ..Setup::empty()
        };
        Self::from_setup(setup, before.mode())
    }

    /// Impossible checks are played like others: `shakmaty` only guesses which checks are possible.
    /// Too much material is irregular, because its lists of moves have an end.
    pub(crate) fn from_setup(setup: Setup, mode: CastlingMode) -> Self {
        let regular = shakmaty::Chess::from_setup(setup.clone(), mode)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square);
        match regular {
            Ok(chess) => Self(Kind::Regular(chess)),
            Err(_) => Self(Kind::Irregular(Irregular::from_setup(setup, mode))),
        }
    }

    /// As FEN has it, an en passant square after every double step.
    pub(crate) fn setup(&self) -> Setup {
        match &self.0 {
            Kind::Regular(chess) => chess.to_setup(EnPassantMode::Always),
            Kind::Irregular(irregular) => irregular.setup(),
        }
    }

    /// Whether there is a legal move.
    pub(super) fn has_legal_move(&self) -> bool {
        match &self.0 {
            // Nearly always some pawn can step ahead, which costs less to see than all moves.
            Kind::Regular(chess) => has_pawn_step(chess) || !chess.legal_moves().is_empty(),
            Kind::Irregular(irregular) => {
                let mut moves = Vec::new();
                irregular.legal_moves(&mut moves);
                !moves.is_empty()
            }
        }
    }

    /// The square on which a pawn can be taken en passant, if a legal move does.
    #[must_use]
    pub(crate) fn legal_en_passant(&self) -> Option<Square> {
        match &self.0 {
            Kind::Regular(chess) => chess.ep_square(EnPassantMode::Legal),
            Kind::Irregular(irregular) => irregular.legal_ep_square(),
        }
    }

    /// The position as `shakmaty` has it, unless it is irregular.
    #[must_use]
    pub fn regular(&self) -> Option<&shakmaty::Chess> {
        match &self.0 {
            Kind::Regular(chess) => Some(chess),
            Kind::Irregular(_) => None,
        }
    }

    /// True if `shakmaty` plays from it.
    #[must_use]
    pub fn is_regular(&self) -> bool {
        self.regular().is_some()
    }

    /// Where the men stand.
    #[must_use]
    pub fn board(&self) -> &Board {
        match &self.0 {
            Kind::Regular(chess) => chess.board(),
            Kind::Irregular(irregular) => irregular.board(),
        }
    }

    /// Whose turn it is.
    pub(crate) fn color(&self) -> Color {
        match &self.0 {
            Kind::Regular(chess) => chess.turn(),
            Kind::Irregular(irregular) => irregular.turn(),
        }
    }

    fn castles(&self) -> &Castles {
        match &self.0 {
            Kind::Regular(chess) => chess.castles(),
            Kind::Irregular(irregular) => irregular.castles(),
        }
    }

    /// How castling is written.
    pub(crate) fn mode(&self) -> CastlingMode {
        self.castles().mode()
    }

    /// True if castling is written as king takes rook.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.mode().is_chess960()
    }

    /// The rooks with which castling is still allowed (3.8.2.1).
    #[must_use]
    pub fn castling_rights(&self) -> Bitboard {
        self.castles().castling_rights()
    }

    /// The number of the next move.
    #[must_use]
    pub fn fullmoves(&self) -> u32 {
        match &self.0 {
            Kind::Regular(chess) => chess.fullmoves().get(),
            Kind::Irregular(irregular) => irregular.setup().fullmoves.get(),
        }
    }

    /// Whether the side to move is in check (3.9.1).
    #[must_use]
    pub fn is_check(&self) -> bool {
        is_king_attacked(self.board(), self.color())
    }

    /// Whose king is attacked, by [`Side::index`]: in an irregular position also of the side that is
    /// not to move.
    #[must_use]
    pub fn checked_sides(&self) -> [bool; 2] {
        Side::BOTH.map(|side| is_king_attacked(self.board(), color(side)))
    }

    /// What stands on each square.
    #[must_use]
    pub fn contents(&self) -> Vec<Content> {
        self.men().to_vec()
    }

    /// The same without a list: kind by kind, which costs less than square by square.
    pub(crate) fn men(&self) -> [Content; 64] {
        let mut men = [Content::EMPTY; 64];
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                for square in self.board().by_piece(piece) {
                    men[usize::from(square)] = man(piece);
                }
            }
        }
        men
    }
}

/// Whether a pawn of the side to move may step ahead: onto an empty square, and its king is not
/// attacked then.
fn has_pawn_step(chess: &shakmaty::Chess) -> bool {
    let (board, turn) = (chess.board(), chess.turn());
    let Some(king) = board.king_of(turn) else { return false };
    let step = if turn.is_white() { 8 } else { -8 };
    board.by_piece(Role::Pawn.of(turn)).into_iter().any(|from| {
        from.offset(step).filter(|&to| !board.occupied().contains(to)).is_some_and(|to| {
            let occupied = board.occupied().without(from).with(to);
            board.attacks_to(king, !turn, occupied).is_empty()
        })
    })
}

#[inline]
pub(crate) fn man(piece: Piece) -> Content {
    Content::man(side(piece.color).into(), piece.role)
}

pub(crate) fn piece(content: Content) -> Option<Piece> {
    let (seat, role) = content.seat_role()?;
    let color = [Color::White, Color::Black].get(seat.index())?;
    Some(role.of(*color))
}

#[inline]
pub(crate) fn side(color: Color) -> Side {
    if color.is_white() { Side::White } else { Side::Black }
}

fn color(side: Side) -> Color {
    side.into()
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        Self::from_white(side == Side::White)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position as _;

    #[test]
    fn whether_there_is_a_legal_move_is_what_the_list_of_them_says() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
            // Mates; in the second pawns could step ahead, but not between.
            ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", false),
            ("R5k1/5ppp/p7/8/8/8/8/6K1 b - - 0 1", false),
            // A pawn that is pinned: along its file, along a diagonal.
            ("4k3/4r3/8/8/8/8/4P3/4K3 w - - 0 1", true),
            ("4k3/8/8/8/7b/8/5P2/4K3 w - - 0 1", true),
            // A check that a double step would stop.
            ("7k/8/8/8/r6K/6r1/4P3/5r1n w - - 0 1", true),
            // Stalemates: no other man, a pawn that is blocked, one that is pinned.
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false),
            ("k7/1R6/K7/p7/P7/8/8/8 b - - 0 1", false),
            ("8/5k2/8/8/b7/3n4/2P3q1/3K4 w - - 0 1", false),
        ] {
            let position = ChessPosition::from_fen(fen, false).unwrap();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            assert_eq!(position.has_legal_move(), !moves.is_empty(), "{fen}");
            assert_eq!(!moves.is_empty(), expected, "{fen}: {moves:?}");
        }
    }

    #[test]
    fn men_stand_where_the_board_has_them() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "QQQQQQQQ/8/8/8/8/k7/PPPPPPPP/6QK w - - 0 1",
        ] {
            let position = ChessPosition::from_fen(fen, false).unwrap();
            let board = position.board();
            for square in Square::ALL {
                let expected = board.piece_at(square).map_or(Content::EMPTY, man);
                assert_eq!(position.men()[usize::from(square)], expected, "{fen} {square}");
            }
        }
    }
}
