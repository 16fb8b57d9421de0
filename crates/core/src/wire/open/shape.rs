//! The two boards that the protocol knows: their squares, their names, and how a whole position is written.
//!
//! Squares are numbered rank by rank from rank 1, each from the file a; what does not exist is left out.

use serde::{Deserialize, Serialize};

use adoube_rules::cross;
use adoube_rules::sensor::{Army, Content};
use adoube_rules::square::Square;
use adoube_rules::{letter, man_from_letter, square_from_name, square_name};

/// The men of the third and fourth army stand behind this sign.
const OTHER_ARMIES: char = '+';

/// Which squares a board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Eight by eight: a1 to h8.
    Square,
    /// Fourteen by fourteen without four corners of three by three: d1 to k14 and a4 to n11 (four players).
    Cross,
}

impl Shape {
    /// The board with so many squares.
    #[must_use]
    pub fn of(squares: usize) -> Option<Self> {
        [Self::Square, Self::Cross].into_iter().find(|shape| shape.squares() == squares)
    }

    /// How many squares it has.
    #[must_use]
    pub fn squares(self) -> usize {
        match self {
            Self::Square => 64,
            Self::Cross => cross().squares(),
        }
    }

    /// Files and ranks, the missing corners with them.
    fn side(self) -> u8 {
        match self {
            Self::Square => 8,
            Self::Cross => cross().side(),
        }
    }

    /// The files of a rank that exist, and the number of the first square there; both counted from 0.
    fn rank(self, rank: u8) -> (std::ops::Range<u8>, u8) {
        match self {
            Self::Square => (0..8, rank * 8),
            Self::Cross => cross().rank(rank),
        }
    }

    /// The square of that name, such as `e4`.
    #[must_use]
    pub fn square(self, name: &str) -> Option<Square> {
        match self {
            Self::Square => square_from_name(name),
            Self::Cross => cross().square(name),
        }
    }

    /// The name of a square; `None` if there is none of that number.
    #[must_use]
    pub fn name(self, square: Square) -> Option<String> {
        match self {
            Self::Square => (square.index() < self.squares()).then(|| square_name(square)),
            Self::Cross => cross().name(square),
        }
    }

    /// Reads a whole position: the ranks from the top, a `/` between them.
    #[must_use]
    pub fn read(self, text: &str) -> Option<Vec<Content>> {
        let mut contents = vec![Content::EMPTY; self.squares()];
        let mut ranks = (0..self.side()).rev();
        for row in text.split('/') {
            let (files, begin) = self.rank(ranks.next()?);
            let mut rest = row;
            for place in 0..files.end - files.start {
                let content;
                (content, rest) = take_content(rest)?;
                contents[usize::from(begin + place)] = content;
            }
            if !rest.is_empty() {
                return None;
            }
        }
        ranks.next().is_none().then_some(contents)
    }

    /// Writes a whole position.
    #[must_use]
    pub fn write(self, contents: &[Content]) -> String {
        let row = |rank| {
            let (files, begin) = self.rank(rank);
            let at = |place| contents.get(usize::from(begin + place)).copied().unwrap_or_default();
            (0..files.end - files.start).map(at).map(content_text).collect::<String>()
        };
        (0..self.side()).rev().map(row).collect::<Vec<_>>().join("/")
    }
}

/// `.`, `x`, or a man: `K`, `k`, `+K`, `+k` are the kings of the four armies.
#[must_use]
pub(super) fn content_text(content: Content) -> String {
    match content.seat_role() {
        None if content.is_empty() => ".".to_owned(),
        None => "x".to_owned(),
        Some((seat, role)) => {
            // The letters of the other two armies are those of the first two.
            let man = letter(Content::man(seat.side().into(), role)).unwrap_or('x');
            if seat.index() < 2 { man.to_string() } else { format!("{OTHER_ARMIES}{man}") }
        }
    }
}

/// The whole text as one content.
#[must_use]
pub(super) fn content(text: &str) -> Option<Content> {
    take_content(text).filter(|(_, rest)| rest.is_empty()).map(|(content, _)| content)
}

fn take_content(text: &str) -> Option<(Content, &str)> {
    let mut letters = text.chars();
    let first = letters.next()?;
    let content = match first {
        '.' => Content::EMPTY,
        'x' => Content::OCCUPIED,
        OTHER_ARMIES => {
            let (seat, role) = man_from_letter(letters.next()?)?.seat_role()?;
            Content::man(*Army::ALL.get(seat.index() + 2)?, role)
        }
        letter => man_from_letter(letter)?,
    };
    Some((content, letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::ChessPosition;
    use adoube_rules::sensor::Role;

    #[test]
    fn squares_are_numbered_as_the_games_have_them() {
        for square in 0..64 {
            assert_eq!(Shape::Square.name(Square::new(square)), Some(square_name(Square::new(square))));
        }
        for (name, square) in [
            ("d1", 0),
            ("k1", 7),
            ("d2", 8),
            ("a4", 24),
            ("n4", 37),
            ("a11", 122),
            ("d12", 136),
            ("k14", 159),
        ] {
            assert_eq!(
                (Shape::Cross.square(name), Shape::Cross.name(Square::new(square))),
                (Some(Square::new(square)), Some(name.to_owned()))
            );
        }
    }

    #[test]
    fn every_square_has_one_name_and_no_other_name_is_a_square() {
        for shape in [Shape::Square, Shape::Cross] {
            let names: Vec<String> =
                Square::all().take(shape.squares()).map(|square| shape.name(square).unwrap()).collect();
            for (square, name) in Square::all().zip(&names) {
                assert_eq!(shape.square(name), Some(square));
            }
            assert_eq!(shape.name(Square::all().nth(shape.squares()).unwrap()), None);
            assert_eq!(shape.name(Square::new(255)), None);
            for other in ["", "e", "e0", "e04", "e+4", "i9", "4e", "a1x", "é4", "e444", "p5", "a15", "A1"] {
                assert!(shape.square(other).is_none() || names.contains(&other.to_owned()), "{other}");
            }
        }
        for corner in ["a1", "c3", "l1", "n3", "a12", "c14", "l12", "n14"] {
            assert_eq!(Shape::Cross.square(corner), None);
        }
    }

    #[test]
    fn a_position_is_written_and_read() {
        let start = ChessPosition::default().contents();
        let text = "rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR";
        assert_eq!(Shape::Square.write(&start), text);
        assert_eq!(Shape::Square.read(text), Some(start));
        let four: Vec<Content> = (0..160)
            .map(|square| Content::man(Army::new(square % 4), Role::ALL[usize::from(square / 4 % 6)]))
            .collect();
        let text = Shape::Cross.write(&four);
        assert_eq!(Shape::Cross.read(&text), Some(four));
        assert!(text.contains('+') && text.split('/').count() == 14);
        for wrong in [
            "",
            "/",
            &text[1..],
            "8/8/8/8/8/8/8/8",
            "......../......../......../......../......../......../......../......./",
        ] {
            assert_eq!(Shape::Square.read(wrong), None, "{wrong}");
            assert_eq!(Shape::Cross.read(wrong), None, "{wrong}");
        }
    }
}
