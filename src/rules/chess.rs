//! Chess and Chess960 on 64 squares, through `shakmaty` where it plays.

use shakmaty::{CastlingSide, Color, Move, Piece, Position as _, Rank, Role, Square};

use super::departure::Departure;
use super::legality::Reason;
use super::mate::CanMate;
use super::mirrored::{self, Mirrored};
use super::position::{man, side};
use super::rest::{self, CENTRE, Rest};
use super::start::{self, WrongStart};
use super::{
    ChessPosition, End, Family, Footprint, GameResult, KingSignal, MateLine, MateTest, Need, Played, Reach,
    Shown, Variant,
};
use crate::sensor::{Content, Side};

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
    const FAMILY: Family = Family::Chess;
    const ARMIES: usize = 2;
    const SQUARES: usize = 64;
    const MEN: usize = 32;
    type Position = ChessPosition;
    type Key = super::draw::Key;
    type Move = Move;
    type Reach = Reach;

    fn usual_start() -> ChessPosition {
        ChessPosition::default()
    }

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

    fn army(position: &ChessPosition) -> u8 {
        u8::from(position.turn().is_black())
    }

    fn with_army(position: &ChessPosition, army: u8) -> ChessPosition {
        position.with_turn(Side::of_army(army))
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
        256 * (gain - loss).clamp(-8, 8)
    }

    fn reach(contents: &[Content], named: bool) -> Reach {
        Reach::new(contents, named)
    }

    fn need(reach: &Reach, position: &ChessPosition) -> Option<Need> {
        reach.need(position)
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

    fn rest(position: &ChessPosition, mv: Move) -> Rest {
        rest::rest(position, mv)
    }

    fn last_step(mv: Move) -> Option<u8> {
        rest::last_step(mv)
    }

    fn coordinates(square: u8) -> (u8, u8) {
        (square % 8, square / 8)
    }

    fn square_at(file: u8, rank: u8) -> Option<u8> {
        (file < 8 && rank < 8).then(|| rank * 8 + file)
    }

    fn departures(mv: Move) -> [u8; 2] {
        match mv {
            Move::Castle { king, rook } => [king.into(), rook.into()],
            _ => [u8::from(mv.from().unwrap_or_else(|| mv.to())); 2],
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

    fn can_mate(position: &ChessPosition, winner: Side, nodes: u32) -> MateTest {
        let Some(chess) = position.regular() else {
            return MateTest::Unknown { basis: super::NO_REGULAR_POSITION, nodes: 0 };
        };
        match super::mate::can_mate(chess, winner.into(), nodes) {
            CanMate::Yes(line) => MateTest::Yes(MateLine::of::<Self>(position, &line)),
            CanMate::No(certificate) => MateTest::No(certificate.reason().into()),
            CanMate::Unknown(effort) => MateTest::Unknown { basis: effort.basis.name(), nodes: effort.nodes },
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

    fn array() -> ChessPosition {
        ChessPosition::default()
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
}
