//! Who stands where: the squares of a board of chess or of four players, row by row as they are drawn.

use shakmaty::Piece;

use super::men::Man;
use adoube_rules::cross;
use adoube_rules::four::{Army, read_placement};
use adoube_rules::square::Square;

/// Column and row from the upper left.
pub(super) type Place = (usize, usize);

/// A board as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Eight by eight; a1 is dark.
    Chess,
    /// The cross; the square at South's right hand is light, or else dark.
    Four { is_light: bool },
}

impl Layout {
    /// The board on which the position `fen` stands.
    pub(super) fn of(fen: &str) -> Self {
        let ranks = fen.split(' ').next().unwrap_or_default().split('/').count();
        if ranks == usize::from(cross().side()) {
            Self::Four { is_light: !fen.ends_with("-dark") }
        } else {
            Self::Chess
        }
    }

    /// How many squares stand in the longest row.
    pub(super) fn columns(self) -> u16 {
        match self {
            Self::Chess => 8,
            Self::Four { .. } => u16::from(cross().side()),
        }
    }

    /// Is the square in that column and row, from the upper left, a dark one?
    pub(super) fn is_dark(self, column: usize, row: usize) -> bool {
        let is_even = (column + row).is_multiple_of(2);
        match self {
            Self::Chess => !is_even,
            // k1 stands in column 10 and row 13.
            Self::Four { is_light } => is_even == is_light,
        }
    }

    /// Column and row of the square called `name`.
    pub(super) fn place(self, name: &str) -> Option<Place> {
        let last = usize::from(self.columns()) - 1;
        let (file, rank) = match self {
            Self::Chess => {
                let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *name.as_bytes() else { return None };
                (file - b'a', rank - b'1')
            }
            Self::Four { .. } => cross().square(name).map(|square| cross().place(square))?,
        };
        Some((usize::from(file), last - usize::from(rank)))
    }

    /// The squares that exist with their men, by column and row; `None` if `fen` is no position on this board.
    pub(super) fn men(self, fen: &str) -> Option<Vec<(Place, Option<Man>)>> {
        let placement = fen.split(' ').next()?;
        let last = usize::from(self.columns()) - 1;
        match self {
            Self::Chess => {
                let men = chess(placement)?;
                Some((0..64).map(|index| ((index % 8, index / 8), men[index])).collect())
            }
            Self::Four { .. } => {
                let contents = read_placement(cross(), placement).ok()?;
                let squares = Square::all().zip(contents).map(|(square, content)| {
                    let (file, rank) = cross().place(square);
                    let man = Army::of(content).zip(content.role()).map(|(army, role)| Man::new(army, role));
                    ((usize::from(file), last - usize::from(rank)), man)
                });
                Some(squares.collect())
            }
        }
    }
}

/// The two squares that a move names: `h2h4`, `b8a9q`.
pub(super) fn squares_of(uci: &str) -> Option<[&str; 2]> {
    let digits = |text: &str| text.chars().skip(1).take_while(char::is_ascii_digit).count();
    let (from, rest) = uci.split_at_checked(1 + digits(uci))?;
    Some([from, rest.get(..1 + digits(rest))?])
}

/// The men of a FEN from a8 to h1.
fn chess(placement: &str) -> Option<[Option<Man>; 64]> {
    let mut men = Vec::with_capacity(64);
    for rank in placement.split('/') {
        let before = men.len();
        for letter in rank.chars() {
            match letter {
                '1'..='8' => men.extend(std::iter::repeat_n(None, letter.to_digit(10)? as usize)),
                _ => men.push(Some(Piece::from_char(letter)?.into())),
            }
        }
        if men.len() != before + 8 {
            return None;
        }
    }
    men.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::Position as _;
    use adoube_rules::four::{FourPosition, FourRules};

    fn man(fen: &str, square: &str) -> Option<String> {
        let layout = Layout::of(fen);
        let place = layout.place(square).unwrap();
        let men = layout.men(fen).unwrap();
        men.iter().find(|(at, _)| *at == place).unwrap().1.map(Man::name)
    }

    #[test]
    fn a_position_is_read_from_a8_on() {
        let fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        let men = Layout::of(fen).men(fen).unwrap();
        assert_eq!((men[0].0, men[63].0), ((0, 0), (7, 7)));
        let at = |square| man(fen, square);
        assert_eq!(
            [at("a8"), at("h1"), at("f3"), at("c7")].map(Option::unwrap_or_default),
            ["r", "R", "N", ""]
        );
        assert_eq!(at("c5").as_deref(), Some("p"));
    }

    #[test]
    fn four_armies_stand_where_they_begin() {
        let fen = FourPosition::start(FourRules::default()).fen();
        let men = Layout::of(&fen).men(&fen).unwrap();
        assert_eq!((men.len(), men.iter().filter(|(_, man)| man.is_some()).count()), (160, 64));
        // four-player.md, section 3: queens on light squares.
        for (square, name) in
            [("g1", "rQ"), ("a7", "Q"), ("h14", "bQ"), ("n8", "q"), ("d1", "rR"), ("b11", "P")]
        {
            assert_eq!(man(&fen, square).as_deref(), Some(name), "{square}");
        }
        for (fen, is_dark) in [(fen.clone(), false), (format!("{fen} rwbk-dark"), true)] {
            let layout = Layout::of(&fen);
            for square in ["k1", "a4", "d14", "n11"] {
                // Light at one player's right hand is light at the partner's, dark at both opponents'.
                let (column, row) = layout.place(square).unwrap();
                assert_eq!(
                    layout.is_dark(column, row) == is_dark,
                    ["k1", "d14"].contains(&square),
                    "{square}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_board_is_not_drawn() {
        let wrong = [
            "",
            "8/8/8/8/8/8/8",
            "9/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/7x",
            "44/8/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/71k",
            "8/8/8/14/14/14/14/14/14/14/14/8/8/9",
            "8/8/8/14/14/14/14/14/14/14/14/8/8/7xQ",
        ];
        for fen in wrong {
            assert_eq!(Layout::of(fen).men(fen), None, "{fen}");
        }
    }

    #[test]
    fn a_move_names_two_squares() {
        assert_eq!(squares_of("e7e8q"), Some(["e7", "e8"]));
        assert_eq!(squares_of("a10b11"), Some(["a10", "b11"]));
        assert_eq!(squares_of("b8a9q"), Some(["b8", "a9"]));
        for wrong in ["", "e", "e2"] {
            assert_eq!(squares_of(wrong), None, "{wrong}");
        }
    }
}
