//! Positions that no legal game reaches, and that the Laws make us play on from: an illegal move
//! that stands (A.4.2), a wrong set-up found too late (A.4.1.2), whatever an arbiter sets up.
//!
//! `shakmaty` refuses a board on which a king is missing or could be taken. Here any placement has
//! its moves, by Articles 1 and 3 read man by man:
//!
//! - A king is never taken (1.4.1), and no king of the mover may be attacked after his move (3.9.2):
//!   a side in check has to answer. A side without a king has nothing to answer for.
//! - A pawn on its last rank has no move; one on its own first rank takes single steps.
//! - Castling needs the right, the rook and the side's only king (3.8.2).

use std::convert::identity;
use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Color, Move, Rank, Role, Setup, Square, attacks,
};

/// What a pawn may become (3.7.5.1).
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// Any placement of men, and how the game goes on from it. On a position that `shakmaty` accepts it
/// gives the same moves, more slowly.
#[derive(Debug, Clone)]
pub struct Irregular {
    board: Board,
    turn: Color,
    castles: Castles,
    ep_square: Option<Square>,
    halfmoves: u32,
    fullmoves: NonZeroU32,
}

impl PartialEq for Irregular {
    /// Equal are positions with the same men, move and possible moves (9.2.2); counters may differ.
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
            && self.turn == other.turn
            && self.castles.castling_rights() == other.castles.castling_rights()
            && self.legal_ep_square() == other.legal_ep_square()
    }
}

impl Eq for Irregular {}

impl Irregular {
    /// The position of `setup`; castling rights without king and rook and an en passant square that
    /// no pawn has crossed are dropped.
    #[must_use]
    pub fn from_setup(setup: Setup, mode: CastlingMode) -> Self {
        let castles = Castles::from_setup(&setup, mode).unwrap_or_else(identity);
        let ep_square = setup.ep_square.filter(|&square| was_crossed(&setup, square));
        let Setup { board, turn, halfmoves, fullmoves, .. } = setup;
        Self { board, turn, castles, ep_square, halfmoves, fullmoves }
    }

    /// The position as FEN has it, an en passant square after every double step.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            board: self.board.clone(),
            turn: self.turn,
            castling_rights: self.castles.castling_rights(),
            ep_square: self.ep_square,
            halfmoves: self.halfmoves,
            fullmoves: self.fullmoves,
            ..Setup::empty()
        }
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn turn(&self) -> Color {
        self.turn
    }

    pub(super) fn castles(&self) -> &Castles {
        &self.castles
    }

    /// The legal moves, appended to `moves`.
    pub fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.extend(self.movements().into_iter().filter(|&mv| self.is_safe(mv)));
        moves.extend(CastlingSide::ALL.iter().filter_map(|&side| self.castling(side)));
    }

    /// The position after the legal move `mv`.
    #[must_use]
    pub fn play(&self, mv: Move) -> Self {
        let mut setup = self.setup();
        make(&mut setup.board, self.turn, mv);
        setup.castling_rights = standing_rights(&self.board, &setup.board, setup.castling_rights);
        if mv.is_castle() {
            // In Chess960 the king may castle without leaving its square.
            setup.castling_rights.discard(self.turn.backrank());
        }
        setup.ep_square = crossed(mv);
        setup.halfmoves = if mv.is_zeroing() { 0 } else { self.halfmoves.saturating_add(1) };
        if self.turn.is_black() {
            setup.fullmoves = self.fullmoves.saturating_add(1);
        }
        setup.turn = !self.turn;
        Self::from_setup(setup, self.castles.mode())
    }

    /// The en passant square, if a pawn can legally be taken there.
    pub(super) fn legal_ep_square(&self) -> Option<Square> {
        let to = self.ep_square?;
        let pawns = attacks::pawn_attacks(!self.turn, to) & self.board.by_piece(Role::Pawn.of(self.turn));
        pawns.into_iter().any(|from| self.is_safe(Move::EnPassant { from, to })).then_some(to)
    }

    /// How the men move, whether or not a king is attacked afterwards; without castling.
    fn movements(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let targets = !self.board.by_color(self.turn) & !self.board.kings();
        for from in self.board.by_color(self.turn) {
            match self.board.role_at(from) {
                Some(Role::Pawn) => self.pawn_moves(from, targets, &mut moves),
                Some(role) => moves.extend((self.board.attacks_from(from) & targets).into_iter().map(|to| {
                    Move::Normal { role, from, capture: self.board.role_at(to), to, promotion: None }
                })),
                None => {}
            }
        }
        moves
    }

    fn pawn_moves(&self, from: Square, targets: Bitboard, moves: &mut Vec<Move>) {
        let occupied = self.board.occupied();
        let ahead =
            |square: Square| square.offset(self.turn.fold_wb(8, -8)).filter(|&to| !occupied.contains(to));
        let is_first_move = from.rank() == self.turn.relative_rank(Rank::Second);
        let step = ahead(from);
        let double = step.filter(|_| is_first_move).and_then(ahead);
        let attacked = attacks::pawn_attacks(self.turn, from);
        for to in (attacked & targets & occupied).into_iter().chain(step).chain(double) {
            let mv = |promotion| {
                let capture = self.board.role_at(to);
                Move::Normal { role: Role::Pawn, from, capture, to, promotion }
            };
            if to.rank() == self.turn.relative_rank(Rank::Eighth) {
                moves.extend(PROMOTIONS.map(|role| mv(Some(role))));
            } else {
                moves.push(mv(None));
            }
        }
        if let Some(to) = self.ep_square.filter(|&to| attacked.contains(to)) {
            moves.push(Move::EnPassant { from, to });
        }
    }

    fn is_safe(&self, mv: Move) -> bool {
        let mut board = self.board.clone();
        make(&mut board, self.turn, mv);
        !is_king_attacked(&board, self.turn)
    }

    fn castling(&self, side: CastlingSide) -> Option<Move> {
        let king = self.board.king_of(self.turn)?;
        let rook = self.castles.rook(self.turn, side)?;
        let occupied = self.board.occupied();
        let (king_to, rook_to) = (side.king_to(self.turn), side.rook_to(self.turn));
        let attacked = |square, occupied| self.board.attacks_to(square, !self.turn, occupied).any();
        let is_barred = self.castles.path(self.turn, side).intersects(occupied)
            || attacks::between(king, king_to)
                .with(king)
                .into_iter()
                .any(|square| attacked(square, occupied.without(king)))
            || attacked(king_to, occupied.without(king).without(rook).with(rook_to));
        (!is_barred).then_some(Move::Castle { king, rook })
    }
}

/// Moves the men of `mv` on `board`, whatever stands there.
pub(super) fn make(board: &mut Board, turn: Color, mv: Move) {
    if let Some(from) = mv.from() {
        board.discard_piece_at(from);
    }
    match mv {
        Move::Normal { role, to, promotion, .. } => {
            board.set_piece_at(to, promotion.unwrap_or(role).of(turn));
        }
        Move::EnPassant { from, to } => {
            board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
            board.set_piece_at(to, Role::Pawn.of(turn));
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            board.discard_piece_at(rook);
            board.set_piece_at(side.king_to(turn), Role::King.of(turn));
            board.set_piece_at(side.rook_to(turn), Role::Rook.of(turn));
        }
        Move::Put { role, to } => board.set_piece_at(to, role.of(turn)),
    }
}

/// Whether a king of `side` is attacked; a side without a king is never in check.
pub(super) fn is_king_attacked(board: &Board, side: Color) -> bool {
    let kings = board.by_piece(Role::King.of(side));
    kings.into_iter().any(|king| board.attacks_to(king, !side, board.occupied()).any())
}

/// The `rights` (by rook) of which king and rook stand on `after` where they stood on `before`.
pub(super) fn standing_rights(before: &Board, after: &Board, rights: Bitboard) -> Bitboard {
    let mut standing = Bitboard::EMPTY;
    for side in Color::ALL {
        let king = before.king_of(side);
        if king.is_some() && king == after.king_of(side) {
            standing |= rights & side.backrank() & after.by_piece(Role::Rook.of(side));
        }
    }
    standing
}

/// The square that a double step crosses.
fn crossed(mv: Move) -> Option<Square> {
    let Move::Normal { role: Role::Pawn, from, to, .. } = mv else { return None };
    attacks::between(from, to).single_square()
}

/// True if a pawn of the side that is not to move may have crossed `square` by its last move.
fn was_crossed(setup: &Setup, square: Square) -> bool {
    let back = setup.turn.fold_wb(8, -8);
    let stands = |square| setup.board.piece_at(square) == Some(Role::Pawn.of(!setup.turn));
    square.rank() == setup.turn.relative_rank(Rank::Sixth)
        && square.offset(-back).is_some_and(stands)
        && !setup.board.occupied().contains(square)
        && square.offset(back).is_some_and(|from| !setup.board.occupied().contains(from))
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;
    use shakmaty::{EnPassantMode, FromSetup as _, Position as _, PositionError};

    use super::*;
    use crate::sensor::{Content, Side};
    use crate::{ChessPosition, End, Position as _};

    fn perft(position: &Irregular, depth: u32) -> u64 {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        match depth {
            1 => moves.len() as u64,
            _ => moves.iter().map(|&mv| perft(&position.play(mv), depth - 1)).sum(),
        }
    }

    fn position(fen: &str) -> ChessPosition {
        ChessPosition::from_fen(fen, false).unwrap()
    }

    fn legal(fen: &str) -> Vec<String> {
        let position = position(fen);
        assert!(!position.is_regular(), "{fen}");
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut moves: Vec<String> = moves.iter().map(|&mv| position.played(mv).uci()).collect();
        moves.sort_unstable();
        moves
    }

    #[test]
    fn regular_positions_have_the_moves_that_shakmaty_gives() {
        for (fen, mode, depth) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", CastlingMode::Standard, 3),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", CastlingMode::Standard, 4),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", CastlingMode::Standard, 3),
            ("1b1k4/8/8/1rPpK3/8/8/8/8 w - d6", CastlingMode::Standard, 4),
            ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE -", CastlingMode::Chess960, 3),
            ("2rkr3/8/8/8/8/8/8/1RK2R2 w FBec -", CastlingMode::Chess960, 3),
        ] {
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            let chess = shakmaty::Chess::from_setup(setup.clone(), mode)
                .or_else(PositionError::ignore_impossible_check)
                .unwrap();
            let irregular = Irregular::from_setup(setup, mode);
            assert_eq!(perft(&irregular, depth), shakmaty::perft(&chess, depth), "{fen}");
            assert_eq!(irregular.setup(), chess.to_setup(EnPassantMode::Always));
        }
    }

    #[test]
    fn a_side_in_check_answers_though_the_other_is_too() {
        let both = "4k1r1/8/8/8/8/8/4Q3/6K1 w - - 0 1";
        assert_eq!(legal(both), ["e2g2", "e2g4", "g1f1", "g1f2", "g1h1", "g1h2"]);
        assert_eq!(position(both).checked_sides(), [true, true]);
    }

    #[test]
    fn a_king_is_never_taken() {
        assert_eq!(legal("k7/1P6/8/8/8/8/8/K7 w - - 0 1").iter().filter(|mv| *mv == "b7a8q").count(), 0);
        assert!(!legal("R3k3/8/8/8/8/8/8/4K3 w - - 0 1").contains(&"a8e8".to_owned()));
        // Kings side by side.
        assert!(!legal("8/8/8/3kK3/8/8/8/8 w - - 0 1").contains(&"e5d5".to_owned()));
    }

    #[test]
    fn a_side_without_king_has_nothing_to_answer_for() {
        assert_eq!(legal("8/8/8/8/8/8/1p6/N6k w - - 0 1"), ["a1b3", "a1c2"]);
        assert_eq!(position("8/8/8/8/8/8/8/7k w - - 0 1").end(), None);
    }

    #[test]
    fn pawns_on_the_outer_ranks() {
        // On the last rank it has no move, on the first single steps.
        assert_eq!(legal("3nPn2/4k3/8/8/8/8/8/P6K w - - 0 1"), ["a1a2", "h1g1", "h1g2", "h1h2"]);
        assert_eq!(legal("P6k/8/8/8/8/8/8/p6K b - - 0 1"), ["h8g7", "h8g8", "h8h7"]);
    }

    #[test]
    fn castling_needs_the_only_king_and_its_rook() {
        let castles = |fen| legal(fen).contains(&"e1g1".to_owned());
        assert!(castles("P3k3/8/8/8/8/8/8/4K2R w K - 0 1"));
        assert!(!castles("P3k3/8/8/8/8/8/8/4K2R w - - 0 1"));
        assert!(!castles("P3k3/8/8/8/8/8/8/K3K2R w K - 0 1"));
        assert!(!castles("P3k3/8/8/8/8/5r2/8/4K2R w K - 0 1"));
    }

    #[test]
    fn en_passant_follows_a_double_step() {
        let start = position("P3k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1");
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        let double = moves.into_iter().find(|mv| mv.to() == Square::E4).unwrap();
        let after = start.play(double);
        assert_eq!(after.fen(), "P3k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        let taken = after.with_turn(Side::White);
        assert_eq!(taken.fen(), "P3k3/8/8/8/3pP3/8/8/4K3 w - - 0 1");
    }

    #[test]
    fn an_irregular_position_becomes_regular() {
        let start = position("R3k3/8/8/8/8/8/8/4K3 w - - 7 9");
        let mv = Move::Normal {
            role: Role::Rook,
            from: Square::A8,
            capture: None,
            to: Square::A7,
            promotion: None,
        };
        let after = start.play(mv);
        assert!(!start.is_regular() && after.is_regular());
        assert_eq!(after.fen(), "4k3/R7/8/8/8/8/8/4K3 b - - 8 9");
    }

    #[test]
    fn only_a_legal_move_ends_the_game() {
        // A pawn stands on its last rank: mate and stalemate are what they are.
        assert_eq!(position("P5rk/5Npp/8/8/8/8/8/K7 b - - 0 1").end(), Some(End::Checkmate));
        assert_eq!(position("8/8/8/8/8/1q6/8/K2p3k w - - 0 1").end(), Some(End::Stalemate));
        // Mate by a move that left the mover's own king in check.
        assert_eq!(position("6rk/5Npp/8/8/8/8/r7/K7 b - - 0 1").end(), None);
        // A king that cannot leave the king beside it.
        assert_eq!(position("k7/1K6/8/8/8/8/8/8 b - - 0 1").end(), None);
    }

    #[test]
    fn what_stands_keeps_the_rights_that_can_be_kept() {
        let before = position("r3k2r/8/8/8/8/8/4P3/R3K2R b KQkq - 5 7");
        let after = |fen: &str| before.stood(&position(fen).contents()).fen();
        assert_eq!(after("r3k2r/8/8/8/8/8/4P3/R3K2R"), "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 6 8");
        assert_eq!(after("r3k3/8/8/7r/8/8/4P3/R3K2R"), "r3k3/8/8/7r/8/8/4P3/R3K2R w KQq - 6 8");
        assert_eq!(after("r3k2r/8/8/8/8/8/4P3/R6R"), "r3k2r/8/8/8/8/8/4P3/R6R w kq - 0 8");
        assert_eq!(after("r3k2r/8/8/4P3/8/8/8/R3K2R"), "r3k2r/8/8/4P3/8/8/8/R3K2R w KQkq - 0 8");
    }

    #[test]
    fn men_without_a_name_are_those_that_stood_there() {
        let before = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
        let mut contents: Vec<Content> =
            before.contents().iter().map(|content| content.occupancy()).collect();
        contents[usize::from(Square::A1)] = Content::EMPTY;
        assert_eq!(before.stood(&contents).fen(), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    }

    #[test]
    fn a_castling_ban_takes_one_rook_or_both() {
        let start = ChessPosition::default();
        let fen = |position: ChessPosition| position.fen().split(' ').nth(2).unwrap().to_owned();
        assert_eq!(fen(start.without_castling(Side::White, None)), "kq");
        assert_eq!(fen(start.without_castling(Side::Black, Some(Square::H8.into()))), "KQq");
        assert_eq!(fen(start.without_castling(Side::White, Some(Square::H8.into()))), "KQkq");
    }
}
