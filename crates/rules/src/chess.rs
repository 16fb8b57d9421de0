//! Chess and Chess960 on 64 squares, through `shakmaty` where it plays.

mod play;
mod position;

use shakmaty::{Move, Piece, Role, Square, attacks};

use super::rest::CENTRE;
use super::start::{self, WrongStart};
use super::{ChessReach, Family, GameResult, KingSignal, Position as _, Variant};
use crate::sensor::{Content, Side};
use crate::square;

pub use position::{ChessPosition, FenError};
pub(super) use position::{man, piece, side};

/// Chess and Chess960; which of the two is a property of the position.
#[derive(Debug, Clone, Copy)]
pub struct Chess;

/// The FEN letter of a man, if the sensor named one of chess.
#[must_use]
pub fn letter(content: Content) -> Option<char> {
    let (seat, role) = content.seat_role()?;
    match seat.index() {
        0 => Some(role.upper_char()),
        1 => Some(role.char()),
        _ => None,
    }
}

/// The man that a FEN letter names.
#[must_use]
pub fn man_from_letter(letter: char) -> Option<Content> {
    Piece::from_char(letter).map(man)
}

impl From<Square> for square::Square {
    fn from(square: Square) -> Self {
        Self::new(square.into())
    }
}

/// The square of chess of that number, which has to be below 64.
pub(super) fn chess_square(square: square::Square) -> Square {
    Square::new(square.number().into())
}

/// `a1` … `h8`.
#[must_use]
pub fn square_name(square: square::Square) -> String {
    Square::try_from(square.number())
        .map_or_else(|_| format!("?{}", square.number()), |square| square.to_string())
}

/// The square of that name.
#[must_use]
pub fn square_from_name(name: &str) -> Option<square::Square> {
    name.parse::<Square>().ok().map(square::Square::from)
}

impl Variant for Chess {
    const FAMILY: Family = Family::Chess;
    const ARMIES: usize = 2;
    const SQUARES: usize = 64;
    const MEN: usize = 32;
    type Position = ChessPosition;
    type Key = super::draw::Key;
    type Move = Move;
    type Reach = ChessReach;

    fn array() -> ChessPosition {
        ChessPosition::default()
    }

    fn recognise_start(contents: &[Content], named: bool, shuffled: bool) -> Option<ChessPosition> {
        if contents.len() != Self::SQUARES {
            return None;
        }
        let start = ChessPosition::default();
        let same = square::Square::all().zip(contents).all(|(square, &content)| {
            let expected = start.content(square);
            let expected = if named { expected } else { expected.occupancy() };
            content == expected
        });
        match (same, named && shuffled) {
            (true, false) => Some(start),
            (_, true) => shuffled_start(contents),
            (false, false) => None,
        }
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

    fn nearest_array(_: &[Content], usual: &ChessPosition, _: bool) -> ChessPosition {
        usual.clone()
    }

    fn start_from(contents: &[Content], agreed: Option<&ChessPosition>, shuffled: bool) -> ChessPosition {
        match (agreed, shuffled) {
            (Some(agreed), _) => ChessPosition::start_from(contents, agreed),
            (None, true) => ChessPosition::start_shuffled(contents),
            (None, false) => ChessPosition::start_from(contents, &ChessPosition::default()),
        }
    }

    fn read(text: &str, like: &ChessPosition) -> Result<ChessPosition, String> {
        ChessPosition::from_fen(text, like.is_chess960()).map_err(|error| format!("\"{text}\": {error}"))
    }

    fn king_signal(contents: &[Content]) -> Option<KingSignal> {
        let find = |side: Side| {
            CENTRE
                .into_iter()
                .find(|&square| contents[usize::from(square)].seat_role() == Some((side.into(), Role::King)))
        };
        let (white, black) = (find(Side::White)?, find(Side::Black)?);
        let result = match (white.is_light(), black.is_light()) {
            (true, true) => GameResult::WhiteWins,
            (false, false) => GameResult::BlackWins,
            _ => GameResult::Draw,
        };
        Some(KingSignal { squares: [white.into(), black.into()], result })
    }

    fn coordinates(square: square::Square) -> (u8, u8) {
        (square.number() % 8, square.number() / 8)
    }

    fn square_at(file: u8, rank: u8) -> Option<square::Square> {
        (file < 8 && rank < 8).then(|| square::Square::new(rank * 8 + file))
    }

    fn turned(square: square::Square, degrees: u32) -> square::Square {
        let (file, rank) = Self::coordinates(square);
        square::Square::new(match degrees {
            90 => file * 8 + (7 - rank),
            180 => 63 - square.number(),
            270 => (7 - file) * 8 + rank,
            _ => return square,
        })
    }
}

impl super::Move for Move {
    fn is_unusual_promotion(self) -> bool {
        self.promotion().is_some_and(|role| role != Role::Queen)
    }

    fn last_step(self) -> Option<square::Square> {
        let (Some(from), to) = (self.from(), self.to()) else { return None };
        if self.role() == Role::Knight || self.is_castle() {
            return None;
        }
        let between = attacks::between(from, to) & attacks::king_attacks(to);
        Some(between.into_iter().next().unwrap_or(from).into())
    }

    fn departures(self) -> [square::Square; 2] {
        match self {
            Self::Castle { king, rook } => [king.into(), rook.into()],
            _ => [self.from().unwrap_or_else(|| self.to()).into(); 2],
        }
    }

    fn castling(self) -> Option<(square::Square, square::Square)> {
        match self {
            Self::Castle { king, rook } => Some((king.into(), rook.into())),
            _ => None,
        }
    }
}

/// A start array of Chess960: men on the outer rows, Black's opposite White's, king between the rooks.
fn shuffled_start(contents: &[Content]) -> Option<ChessPosition> {
    let text = super::placement(contents);
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

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

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
}
