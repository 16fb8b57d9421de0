//! Chess and Chess960 on 64 squares, through `shakmaty` where it plays.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Position as _, Rank, Role, Square, attacks};

use super::departure::Departure;
use super::legality::Reason;
use super::mirrored::{self, Mirrored};
use super::position::{man, side};
use super::start::{self, WrongStart};
use super::{ChessPosition, End, Footprint, GameResult, KingSignal, Played, Shown, Variant};
use crate::sensor::{Content, Side};

/// The squares on which the kings signal a result.
const CENTRE: [Square; 4] = [Square::D4, Square::E4, Square::D5, Square::E5];

/// A piece that cannot go on: a scan of a slow board, so that a wobble is over.
const REST_FINAL_MS: u64 = 250;
/// A piece that could go on: slides take up to 350 ms a square (inference.md, streams).
const REST_ON_THE_WAY_MS: u64 = 450;
/// A king that steps on a centre square may be the first half of a result.
const REST_CENTRE_MS: u64 = 900;
/// A rook on its castling square: players who take the rook first pause up to a second or two.
const REST_CASTLING_MS: u64 = 1_500;

/// Chess and Chess960; which of the two is a property of the position.
#[derive(Debug, Clone, Copy)]
pub struct Chess;

/// The FEN letter of a man, if the sensor named one of chess.
#[must_use]
pub fn letter(content: Content) -> Option<char> {
    let (seat, role) = content.seat_role()?;
    let letter = char::from(b"PNBRQK"[usize::from(role)]);
    match seat {
        0 => Some(letter),
        1 => Some(letter.to_ascii_lowercase()),
        _ => None,
    }
}

/// The man that a FEN letter names.
#[must_use]
pub fn man_from_letter(letter: char) -> Option<Content> {
    Piece::from_char(letter).map(man)
}

/// `a1` … `h8`.
#[must_use]
pub fn square_name(square: u8) -> String {
    Square::try_from(square).map_or_else(|_| format!("?{square}"), |square| square.to_string())
}

/// The square of that name.
#[must_use]
pub fn square_from_name(name: &str) -> Option<u8> {
    name.parse::<Square>().ok().map(u8::from)
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 20,
    }
}

impl Variant for Chess {
    const SQUARES: usize = 64;
    const MEN: usize = 32;
    type Position = ChessPosition;
    type Key = super::draw::Key;
    type Move = Move;

    fn legal_moves(position: &ChessPosition, moves: &mut Vec<Move>) {
        position.legal_moves(moves);
    }

    fn play(position: &ChessPosition, mv: Move) -> ChessPosition {
        position.play(mv)
    }

    #[inline]
    fn footprint(position: &ChessPosition, mv: Move) -> Footprint {
        // The move itself says what stands where: the board need not be asked.
        let turn = position.turn();
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

    fn content(position: &ChessPosition, square: u8) -> Content {
        Square::try_from(square)
            .ok()
            .and_then(|square| position.board().piece_at(square))
            .map_or(Content::EMPTY, man)
    }

    fn turn(position: &ChessPosition) -> Side {
        side(position.turn())
    }

    fn end(position: &ChessPosition) -> Option<End> {
        match position.regular() {
            Some(chess) if chess.is_insufficient_material() => return Some(End::DeadPosition),
            // The material says nothing where kings are missing or may stand side by side.
            None if !could_end(position) => return None,
            _ => {}
        }
        if position.has_legal_move() {
            None
        } else if position.is_check() {
            Some(End::Checkmate)
        } else {
            Some(End::Stalemate)
        }
    }

    /// What the exchange on the square of arrival wins at once: the victim, less the capturer where
    /// the square is defended. A piece that takes back is likelier than one that does not.
    fn prior(position: &ChessPosition, mv: Move) -> i32 {
        let board = position.board();
        let turn = position.turn();
        let Some(victim) = mv.capture() else { return 0 };
        let Some(from) = mv.from() else { return 0 };
        let to = mv.to();
        let occupied = board.occupied().without(from);
        let defended = (board.attacks_to(to, !turn, occupied) & !Bitboard::from_square(to)).any();
        let gain = value(victim) - if defended { value(mv.role()) } else { 0 };
        256 * gain.clamp(-8, 8)
    }

    fn is_unusual_promotion(mv: Move) -> bool {
        mv.promotion().is_some_and(|role| role != Role::Queen)
    }

    fn may_promote(position: &ChessPosition, square: u8) -> bool {
        let turn = position.turn();
        let pawns = position.board().by_piece(Role::Pawn.of(turn)) & turn.relative_rank(Rank::Seventh);
        let Some(from) = Square::try_from(square).ok().filter(|&from| pawns.contains(from)) else {
            return false;
        };
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().any(|mv| mv.from() == Some(from) && mv.promotion().is_some())
    }

    fn rest_ms(position: &ChessPosition, mv: Move) -> u64 {
        let (Some(from), to) = (mv.from(), mv.to()) else { return REST_FINAL_MS };
        match mv {
            Move::Normal { role: Role::Rook, .. } if castles_over(position, from, to) => REST_CASTLING_MS,
            Move::Normal { role: Role::King, .. } if CENTRE.contains(&to) => REST_CENTRE_MS,
            Move::Normal { capture: None, promotion: None, role, .. }
                if may_go_on(position, role, from, to) =>
            {
                REST_ON_THE_WAY_MS
            }
            _ => REST_FINAL_MS,
        }
    }

    fn played(position: &ChessPosition, mv: Move) -> Played {
        Played::Chess { before: position.clone(), mv }
    }

    fn stood(before: &ChessPosition, contents: &[Content]) -> ChessPosition {
        ChessPosition::from_contents(contents, Self::turn(before).other(), before)
    }

    fn played_stood(before: &ChessPosition, after: &ChessPosition) -> Played {
        Played::stood(before.clone(), after.clone())
    }

    fn king_signal(contents: &[Content]) -> Option<KingSignal> {
        let find = |seat: u8| {
            CENTRE.into_iter().find(|&square| contents[usize::from(square)].seat_role() == Some((seat, 5)))
        };
        let (white, black) = (find(0)?, find(1)?);
        let result = match (white.is_light(), black.is_light()) {
            (true, true) => GameResult::WhiteWins,
            (false, false) => GameResult::BlackWins,
            _ => GameResult::Draw,
        };
        Some(KingSignal { squares: [white.into(), black.into()], result })
    }

    fn recognise_start(contents: &[Content], named: bool, shuffled: bool) -> Option<ChessPosition> {
        if contents.len() != Self::SQUARES {
            return None;
        }
        let start = ChessPosition::default();
        let same = (0..64).all(|square| {
            let expected = Self::content(&start, square);
            let expected = if named { expected } else { expected.occupancy() };
            contents[usize::from(square)] == expected
        });
        match (same, named && shuffled) {
            (true, false) => Some(start),
            (_, true) => shuffled_start(contents),
            (false, false) => None,
        }
    }

    fn key(position: &ChessPosition) -> super::draw::Key {
        position.into()
    }

    fn halfmoves(position: &ChessPosition) -> u32 {
        position.halfmoves()
    }

    fn with_turn(position: &ChessPosition, side: Side) -> ChessPosition {
        position.with_turn(side)
    }

    fn can_mate(position: &ChessPosition, winner: Side, nodes: u32) -> Option<bool> {
        match super::mate::can_mate(position.regular()?, winner, nodes) {
            super::mate::CanMate::Yes(_) => Some(true),
            super::mate::CanMate::No(_) => Some(false),
            super::mate::CanMate::Unknown(_) => None,
        }
    }

    fn dead(position: &ChessPosition, nodes: u32) -> super::mate::Dead {
        position.regular().map_or(super::mate::Dead::No, |chess| super::mate::dead(chess, nodes))
    }

    fn illegal_position(position: &ChessPosition) -> Vec<&'static str> {
        let board = position.board();
        let pawns = |color: Color| board.by_piece(Role::Pawn.of(color)) & color.relative_rank(Rank::Eighth);
        let mut subs = Vec::new();
        if position.checked_sides() == [true; 2] {
            subs.push("both-kings-in-check");
        }
        if Color::ALL.into_iter().any(|color| pawns(color).any()) {
            subs.push("pawn-on-last-rank");
        }
        subs
    }

    fn castling(_: &ChessPosition, mv: Move) -> Option<(u8, u8)> {
        match mv {
            Move::Castle { king, rook } => Some((king.into(), rook.into())),
            _ => None,
        }
    }

    fn castling_target(position: &ChessPosition, mv: Move) -> Option<u8> {
        match mv {
            Move::Castle { king, rook } => {
                let side = if rook > king { CastlingSide::KingSide } else { CastlingSide::QueenSide };
                Some(side.king_to(position.turn()).into())
            }
            _ => None,
        }
    }

    fn is_castling_step(position: &ChessPosition, from: u8, to: u8) -> bool {
        let (from, to) = (Square::new(from.into()), Square::new(to.into()));
        !position.is_chess960()
            && from == Square::from_coords(shakmaty::File::E, from.rank())
            && [Rank::First, Rank::Eighth].contains(&from.rank())
            && CastlingSide::ALL.into_iter().any(|side| {
                side.king_to(if from.rank() == Rank::First { Color::White } else { Color::Black }) == to
            })
    }

    fn castles_in_any_order(position: &ChessPosition) -> bool {
        position.is_chess960()
    }

    fn departure(position: &ChessPosition, contents: &[Content], named: bool) -> Departure<Move> {
        super::departure::departure(position, contents, named)
    }

    fn fen(position: &ChessPosition) -> String {
        position.fen()
    }

    fn shown(position: &ChessPosition) -> Shown {
        Shown::Chess(position.clone())
    }

    fn wrong_start(
        contents: &[Content],
        agreed: Option<&ChessPosition>,
        named: bool,
        shuffled: bool,
    ) -> Option<WrongStart> {
        match (agreed, shuffled) {
            (Some(agreed), _) => start::compare(&agreed.contents(), contents, named),
            (None, true) if named => start::compare_shuffled(contents),
            _ => start::compare(&ChessPosition::default().contents(), contents, named),
        }
    }

    fn start_from(contents: &[Content], agreed: Option<&ChessPosition>, shuffled: bool) -> ChessPosition {
        match (agreed, shuffled) {
            (Some(agreed), _) => ChessPosition::start_from(contents, agreed),
            (None, true) => ChessPosition::start_shuffled(contents),
            (None, false) => ChessPosition::start_from(contents, &ChessPosition::default()),
        }
    }

    fn misplaced(position: &ChessPosition, agreed: Option<&ChessPosition>) -> Vec<(Side, Option<u8>)> {
        let usual = ChessPosition::default();
        start::misplaced(&agreed.unwrap_or(&usual).contents(), &position.contents())
    }

    fn impossible_counts(position: &ChessPosition) -> Vec<Reason> {
        super::legality::counts(position.board())
    }

    fn moves_before(position: &ChessPosition) -> [u32; 2] {
        let both = position.fullmoves() - 1;
        [both + u32::from(position.turn().is_black()), both]
    }

    fn mirrored_castling(
        position: &ChessPosition,
        contents: &[Content],
        named: bool,
    ) -> Option<Mirrored<ChessPosition>> {
        mirrored::mirrored_castling(position, contents, named)
    }

    fn turned(square: u8, degrees: u32) -> u8 {
        let (file, rank) = (square % 8, square / 8);
        match degrees {
            90 => file * 8 + (7 - rank),
            180 => 63 - square,
            270 => (7 - file) * 8 + rank,
            _ => square,
        }
    }

    fn read(text: &str, like: &ChessPosition) -> Result<ChessPosition, String> {
        ChessPosition::from_fen(text, like.is_chess960()).map_err(|error| format!("\"{text}\": {error}"))
    }

    fn without_castling(position: &ChessPosition, side: Side, rook: Option<u8>) -> ChessPosition {
        position.without_castling(side, rook)
    }
}

/// Whether mate or stalemate in an irregular position would end the game: each side has one king,
/// and the move before did not leave the mover's own attacked, for only a legal move ends the game
/// (5.1.1, 5.2.1).
fn could_end(position: &ChessPosition) -> bool {
    let is_king_there = |color| position.board().king_of(color).is_some();
    let mover = side(!position.turn());
    Color::ALL.into_iter().all(is_king_there) && !position.checked_sides()[mover.index()]
}

/// A start array of Chess960: men on the outer rows, Black's opposite White's, king between the rooks.
fn shuffled_start(contents: &[Content]) -> Option<ChessPosition> {
    let text = crate::capture::placement(contents);
    let row = text.split('/').next_back()?;
    if text != format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{row}", row.to_lowercase()) {
        return None;
    }
    let mut men: Vec<char> = row.chars().collect();
    let king = men.iter().position(|&man| man == 'K')?;
    let rooks: Vec<usize> = (0..8).filter(|&file| men.get(file) == Some(&'R')).collect();
    let bishops: Vec<usize> = (0..8).filter(|&file| men.get(file) == Some(&'B')).collect();
    let (&[left, right], &[first, second]) = (rooks.as_slice(), bishops.as_slice()) else { return None };
    men.sort_unstable();
    let is_valid = men.iter().collect::<String>() == "BBKNNQRR" && left < king && king < right;
    if !is_valid || (first + second).is_multiple_of(2) {
        return None;
    }
    ChessPosition::from_fen(&format!("{text} w KQkq - 0 1"), true).ok()
}

/// A rook that comes to rest where it would stand after castling, while the king may still come
/// over it.
fn castles_over(position: &ChessPosition, from: Square, to: Square) -> bool {
    let turn = position.turn();
    position.castling_rights().contains(from) && CastlingSide::ALL.iter().any(|side| side.rook_to(turn) == to)
}

/// A piece that has room ahead in the direction in which it came.
fn may_go_on(position: &ChessPosition, role: Role, from: Square, to: Square) -> bool {
    let occupied = position.board().occupied();
    match role {
        Role::Knight => true,
        Role::King => false,
        Role::Pawn => {
            matches!((from.rank(), to.rank()), (Rank::Second, Rank::Third) | (Rank::Seventh, Rank::Sixth))
        }
        Role::Bishop | Role::Rook | Role::Queen => {
            let next = attacks::ray(from, to) & attacks::king_attacks(to) & !attacks::between(from, to);
            next.without(from).into_iter().any(|square| !occupied.contains(square))
        }
    }
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
    let mut changes = [(0, Content::EMPTY, Content::EMPTY); 4];
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
            Chess::legal_moves(&position, &mut moves);
            assert!(!moves.is_empty());
            for mv in moves {
                let mut board = position.contents();
                for &(square, before, after) in Chess::footprint(&position, mv).changes() {
                    assert_eq!(board[usize::from(square)], before, "{mv:?}");
                    board[usize::from(square)] = after;
                }
                assert_eq!(board, Chess::play(&position, mv).contents(), "{mv:?}");
            }
        }
    }

    #[test]
    fn kings_on_the_centre_squares_are_a_result() {
        let signal = |white: Square, black: Square| {
            let mut contents = vec![Content::EMPTY; 64];
            contents[usize::from(white)] = man(Role::King.of(Color::White));
            contents[usize::from(black)] = man(Role::King.of(Color::Black));
            Chess::king_signal(&contents).map(|signal| signal.result)
        };
        assert_eq!(signal(Square::E4, Square::D5), Some(GameResult::WhiteWins));
        assert_eq!(signal(Square::E5, Square::D4), Some(GameResult::BlackWins));
        assert_eq!(signal(Square::D4, Square::E4), Some(GameResult::Draw));
        assert_eq!(signal(Square::E3, Square::D5), None);
    }

    #[test]
    fn a_capture_that_loses_the_queen_is_unlikely() {
        let position = position("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1", false);
        let mut moves = Vec::new();
        Chess::legal_moves(&position, &mut moves);
        let prior = |to| {
            let mv = moves.iter().copied().find(|mv| mv.to() == to && mv.role() == Role::Queen).unwrap();
            Chess::prior(&position, mv)
        };
        assert!(prior(Square::D6) < prior(Square::H7));
    }

    #[test]
    fn a_piece_that_may_go_on_has_to_rest_longer() {
        let position = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", false);
        let rest = |role, from, to| {
            Chess::rest_ms(&position, Move::Normal { role, from, capture: None, to, promotion: None })
        };
        assert_eq!(rest(Role::Rook, Square::A1, Square::A4), REST_ON_THE_WAY_MS);
        assert_eq!(rest(Role::Rook, Square::A1, Square::A8), REST_FINAL_MS);
        assert_eq!(rest(Role::Rook, Square::A1, Square::D1), REST_CASTLING_MS);
        assert_eq!(rest(Role::King, Square::E1, Square::E2), REST_FINAL_MS);
    }
}
