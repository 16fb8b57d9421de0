//! What the tracker and the table ask of a chess position.

use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::{
    Bitboard, CastlingSide, Color, EnPassantMode, Move, Position as _, Rank, Role, Setup, Square,
};

use super::chess_square;
use super::position::{ChessPosition, Kind, man, side};
use crate::departure::{self, Departure};
use crate::draw::Key;
use crate::legality::{self, Reason};
use crate::mate::{self, CanMate, Dead};
use crate::mirrored::{self, Mirrored};
use crate::rest::{self, GAIN_MAX, Rest, value};
use crate::sensor::{Army, Content, Side};
use crate::square;
use crate::{
    End, Footprint, IllegalPositionKind, MateBasis, MateLine, MateTest, Played, Position, Seated, Shown,
    start,
};

impl Position for ChessPosition {
    type Move = Move;
    type Key = Key;

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        match &self.0 {
            Kind::Regular(chess) => moves.extend_from_slice(&chess.legal_moves()),
            Kind::Irregular(irregular) => irregular.legal_moves(moves),
        }
    }

    fn play(&self, mv: Move) -> Self {
        match &self.0 {
            Kind::Regular(chess) => {
                let mut next = chess.clone();
                next.play_unchecked(mv);
                Self(Kind::Regular(next))
            }
            Kind::Irregular(irregular) => Self::from_setup(irregular.play(mv).setup(), self.mode()),
        }
    }

    fn under(&self, _: &Self) -> Self {
        self.clone()
    }

    #[inline]
    fn footprint(&self, mv: Move) -> Footprint {
        // The move itself says what stands where: the board need not be asked.
        let turn = self.color();
        match mv {
            Move::Normal { role, from, to, capture, promotion } => {
                let leaves = man(role.of(turn));
                let victim = capture.map_or(Content::EMPTY, |role| man(role.of(!turn)));
                let arrives = promotion.map_or(leaves, |role| man(role.of(turn)));
                Footprint::of_one_man((from.into(), leaves, Content::EMPTY), (to.into(), victim, arrives))
            }
            Move::EnPassant { from, to } => {
                let pawn = |color: Color| man(Role::Pawn.of(color));
                let victim = Square::from_coords(to.file(), from.rank());
                Footprint::new(&[
                    (from.into(), pawn(turn), Content::EMPTY),
                    (victim.into(), pawn(!turn), Content::EMPTY),
                    (to.into(), Content::EMPTY, pawn(turn)),
                ])
            }
            Move::Castle { king, rook } => castle_footprint(turn, king, rook),
            Move::Put { role, to } => Footprint::new(&[(to.into(), Content::EMPTY, man(role.of(turn)))]),
        }
    }

    #[inline]
    fn content(&self, square: square::Square) -> Content {
        Square::try_from(square.number())
            .ok()
            .and_then(|square| self.board().piece_at(square))
            .map_or(Content::EMPTY, man)
    }

    #[inline]
    fn turn(&self) -> Side {
        side(self.color())
    }

    fn is_in_check(&self) -> bool {
        self.is_check()
    }

    #[inline]
    fn army(&self) -> Army {
        side(self.color()).into()
    }

    fn with_army(&self, army: Army) -> Self {
        self.with_turn(army.side())
    }

    fn with_turn(&self, side: Side) -> Self {
        let mut setup = self.setup();
        if setup.turn == Color::from(side) {
            return self.clone();
        }
        setup.swap_turn();
        Self::from_setup(setup, self.mode())
    }

    fn seated(&self, _: Army) -> Option<Seated> {
        None
    }

    /// None: the next turn is always the mated one's.
    fn mate_threats(&self) -> Vec<Army> {
        Vec::new()
    }

    fn end(&self) -> Option<End> {
        match self.regular() {
            Some(chess) if chess.is_insufficient_material() => return Some(End::DeadPosition),
            // The material says nothing where kings are missing or may stand side by side.
            None if !could_end(self) => return None,
            _ => {}
        }
        if self.has_legal_move() {
            None
        } else if self.is_check() {
            Some(End::Checkmate)
        } else {
            Some(End::Stalemate)
        }
    }

    fn gain(&self, mv: Move) -> i32 {
        let board = self.board();
        let turn = self.color();
        let Some(from) = mv.from() else { return 0 };
        if mv.is_castle() {
            return 0;
        }
        let to = mv.to();
        let gain = mv.capture().map_or(0, value);
        let own = value(mv.promotion().unwrap_or_else(|| mv.role()));
        let occupied = board.occupied().without(from);
        let attackers = board.attacks_to(to, !turn, occupied);
        let is_defended = (board.attacks_to(to, turn, occupied).without(from)).any();
        let cheapest = attackers.into_iter().filter_map(|square| board.role_at(square)).map(value).min();
        let loss = match cheapest {
            None => 0,
            Some(_) if !is_defended => own,
            Some(attacker) => (own - attacker).max(0),
        };
        (gain - loss).clamp(-GAIN_MAX, GAIN_MAX)
    }

    fn may_promote(&self, square: square::Square) -> bool {
        let turn = self.color();
        let pawns = self.board().by_piece(Role::Pawn.of(turn)) & turn.relative_rank(Rank::Seventh);
        let Some(from) = Square::try_from(square.number()).ok().filter(|&from| pawns.contains(from)) else {
            return false;
        };
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.into_iter().any(|mv| mv.from() == Some(from) && mv.promotion().is_some())
    }

    fn rest(&self, mv: Move) -> Rest {
        rest::rest(self, mv)
    }

    fn played(&self, mv: Move) -> Played {
        Played::Chess { before: self.clone(), mv }
    }

    fn stood(&self, contents: &[Content]) -> Self {
        Self::from_contents(contents, self.turn().other(), self)
    }

    fn accepted(&self, contents: &[Content], side: Option<Side>) -> Self {
        self.stood(contents).with_turn(side.unwrap_or_else(|| self.turn()))
    }

    fn played_stood(&self, after: &Self) -> Played {
        Played::stood(self.clone(), after.clone())
    }

    fn key(&self) -> Key {
        self.into()
    }

    fn halfmoves(&self) -> u32 {
        match &self.0 {
            Kind::Regular(chess) => chess.halfmoves(),
            Kind::Irregular(irregular) => irregular.setup().halfmoves,
        }
    }

    fn can_mate(&self, winner: Side, nodes: u32) -> MateTest {
        let Some(chess) = self.regular() else {
            return MateTest::Unknown { basis: MateBasis::NoRegularPosition, nodes: 0 };
        };
        match mate::can_mate(chess, winner.into(), nodes) {
            CanMate::Yes(line) => MateTest::Yes(MateLine::of(self, &line)),
            CanMate::No(certificate) => MateTest::No(certificate.reason().into()),
            CanMate::Unknown(effort) => MateTest::Unknown { basis: effort.basis.into(), nodes: effort.nodes },
        }
    }

    fn dead(&self, nodes: u32) -> Dead {
        self.regular().map_or(Dead::No, |chess| mate::dead(chess, nodes))
    }

    fn illegal_position(&self) -> Vec<IllegalPositionKind> {
        let board = self.board();
        let pawns = |color: Color| board.by_piece(Role::Pawn.of(color)) & color.relative_rank(Rank::Eighth);
        let mut subs = Vec::new();
        if self.checked_sides() == [true; 2] {
            subs.push(IllegalPositionKind::BothKingsInCheck);
        }
        if Color::ALL.into_iter().any(|color| pawns(color).any()) {
            subs.push(IllegalPositionKind::PawnOnLastRank);
        }
        subs
    }

    fn castling_target(&self, mv: Move) -> Option<square::Square> {
        match mv {
            Move::Castle { king, rook } => {
                let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
                Some(side.king_to(self.color()).into())
            }
            _ => None,
        }
    }

    fn is_castling_step(&self, from: square::Square, to: square::Square) -> bool {
        let (from, to) = (chess_square(from), chess_square(to));
        !self.is_chess960()
            && from == Square::from_coords(shakmaty::File::E, from.rank())
            && [Rank::First, Rank::Eighth].contains(&from.rank())
            && CastlingSide::ALL.into_iter().any(|side| {
                side.king_to(if from.rank() == Rank::First { Color::White } else { Color::Black }) == to
            })
    }

    fn castles_in_any_order(&self) -> bool {
        self.is_chess960()
    }

    fn departure(&self, contents: &[Content], named: bool) -> Departure<Move> {
        departure::departure(self, contents, named)
    }

    fn fen(&self) -> String {
        match &self.0 {
            Kind::Regular(chess) => Fen::from_position(chess, EnPassantMode::Legal).to_string(),
            Kind::Irregular(irregular) => {
                let setup = Setup { ep_square: irregular.legal_ep_square(), ..irregular.setup() };
                Fen::try_from_setup(setup).unwrap_or_else(LossyFenError::ignore).to_string()
            }
        }
    }

    fn shown(&self) -> Shown {
        Shown::Chess(self.clone())
    }

    fn layout(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    fn other_layout(&self) -> Option<Self> {
        None
    }

    fn misplaced(&self, agreed: Option<&Self>) -> Vec<(Side, Option<square::Square>)> {
        let usual = Self::default();
        start::misplaced(&agreed.unwrap_or(&usual).contents(), &self.contents())
    }

    fn impossible_counts(&self) -> Vec<Reason> {
        legality::counts(self.board())
    }

    fn moves_before(&self) -> [u32; 2] {
        let both = self.fullmoves() - 1;
        [both + u32::from(self.color().is_black()), both]
    }

    fn mirrored_castling(&self, contents: &[Content], named: bool) -> Option<Mirrored<Self>> {
        mirrored::mirrored_castling(self, contents, named)
    }

    fn without_castling(&self, side: Side, rook: Option<square::Square>) -> Self {
        let mut setup = self.setup();
        let banned = rook.map_or(Bitboard::FULL, |rook| {
            Square::try_from(rook.number()).map_or(Bitboard::EMPTY, Into::into)
        });
        setup.castling_rights.discard(banned & Color::from(side).backrank());
        Self::from_setup(setup, self.mode())
    }
}

/// Whether mate or stalemate in an irregular position would end the game: each side has one king,
/// and the move before did not leave the mover's own attacked, for only a legal move ends the game
/// (5.1.1, 5.2.1).
fn could_end(position: &ChessPosition) -> bool {
    let is_king_there = |color| position.board().king_of(color).is_some();
    let mover = position.turn().other();
    Color::ALL.into_iter().all(is_king_there) && !position.checked_sides()[mover.index()]
}

fn castle_footprint(turn: Color, king: Square, rook: Square) -> Footprint {
    let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
    let (king_to, rook_to) = (side.king_to(turn), side.rook_to(turn));
    let (king_man, rook_man) = (man(Role::King.of(turn)), man(Role::Rook.of(turn)));
    let before = |square| match square {
        _ if square == king => king_man,
        _ if square == rook => rook_man,
        _ => Content::EMPTY,
    };
    let after = |square| match square {
        _ if square == king_to => king_man,
        _ if square == rook_to => rook_man,
        _ => Content::EMPTY,
    };
    let mut squares = [king, rook, king_to, rook_to];
    squares.sort_unstable();
    // A square that two of them share is listed once.
    let mut changes = [(square::Square::default(), Content::EMPTY, Content::EMPTY); 4];
    for (index, &square) in squares.iter().enumerate() {
        if !squares[..index].contains(&square) {
            changes[index] = (square.into(), before(square), after(square));
        }
    }
    Footprint::new(&changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str, chess960: bool) -> ChessPosition {
        ChessPosition::from_fen(fen, chess960).unwrap()
    }

    /// The footprint of every legal move, put on the board by hand, gives the position that
    /// `shakmaty` plays to.
    #[test]
    fn footprints_equal_the_moves() {
        for (fen, chess960) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", false),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", false),
            ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", true),
            ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", true),
        ] {
            let position = position(fen, chess960);
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            assert!(!moves.is_empty());
            for mv in moves {
                let mut board = position.contents();
                for &(square, before, after) in position.footprint(mv).changes() {
                    assert_eq!(board[square], before, "{mv:?}");
                    board[square] = after;
                }
                assert_eq!(board, position.play(mv).contents(), "{mv:?}");
            }
        }
    }

    #[test]
    fn a_capture_that_loses_the_queen_is_unlikely() {
        let position = position("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1", false);
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let prior = |to| {
            let mv = moves.iter().copied().find(|mv| mv.to() == to && mv.role() == Role::Queen).unwrap();
            position.prior(mv)
        };
        assert!(prior(Square::D6) < prior(Square::H7));
    }
}
