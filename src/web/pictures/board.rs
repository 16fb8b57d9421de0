//! A board as SVG: no words and no fonts in it, so that it looks the same wherever it is drawn.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::shapes::{SHAPES, Shape, colour};
use crate::feed::view::GameView;

/// A square is so wide; the men are drawn in as many units.
pub(super) const UNIT: u32 = 100;

/// What a board shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// From a8 to h1, as they are read.
    squares: [Square; 64],
}

/// What a square shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Square {
    /// The letter of its man, as in a FEN.
    pub(super) man: Option<char>,
    /// A dark one.
    pub(super) is_dark: bool,
    /// The last move left it, or came to it.
    pub(super) is_last: bool,
    /// A king in check stands there.
    pub(super) is_check: bool,
}

impl Shown {
    /// What stands after `ply` moves of `game`; `None` if it is not a board of eight by eight.
    pub(super) fn of(game: &GameView, ply: usize) -> Option<Self> {
        let mv = ply.checked_sub(1).and_then(|index| game.moves.get(index));
        let fen = mv.map_or(game.start.as_str(), |mv| &mv.fen);
        let mut squares = men(fen)?.map(|man| Square { man, ..Square::default() });
        for (index, square) in squares.iter_mut().enumerate() {
            square.is_dark = (index / 8 + index % 8) % 2 == 1;
        }
        if let Some(mv) = mv {
            for name in [mv.uci.get(..2), mv.uci.get(2..4)] {
                if let Some(index) = name.and_then(index) {
                    squares[index].is_last = true;
                }
            }
            let king = if fen.split(' ').nth(1) == Some("b") { 'k' } else { 'K' };
            if mv.san.ends_with(['+', '#']) {
                squares
                    .iter_mut()
                    .filter(|square| square.man == Some(king))
                    .for_each(|square| square.is_check = true);
            }
        }
        Some(Self { squares })
    }

    /// The squares, row by row from a8.
    pub(super) fn squares(&self) -> &[Square; 64] {
        &self.squares
    }

    /// A picture of its own.
    pub(super) fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\">{}</svg>\n",
            self.body(),
            side = 8 * UNIT
        )
    }

    /// The same as a part of a picture.
    pub(super) fn body(&self) -> String {
        let mut text = men_of(self.squares.iter().filter_map(|square| square.man));
        for (index, square) in (0_u32..).zip(&self.squares) {
            let (x, y) = (index % 8 * UNIT, index / 8 * UNIT);
            write!(text, "<g transform=\"translate({x} {y})\">").ok();
            square.write(&mut text);
            text.push_str("</g>");
        }
        text
    }
}

impl Square {
    /// One square with what is on it.
    pub(super) fn svg(self) -> String {
        let mut text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {UNIT} {UNIT}\">");
        text.push_str(&men_of(self.man.into_iter()));
        self.write(&mut text);
        text.push_str("</svg>");
        text
    }

    fn write(self, text: &mut String) {
        let mut fill = |colour: &str, more: &str| {
            // Squares that touch leave no line between them.
            write!(
                text,
                "<path fill=\"{colour}\"{more} d=\"M0 0h{UNIT}v{UNIT}H0z\" shape-rendering=\"crispEdges\"/>"
            )
            .ok();
        };
        fill(colour(if self.is_dark { "dark-square" } else { "light-square" }), "");
        if self.is_last {
            fill(colour("last-move"), "");
        }
        if self.is_check {
            fill(colour("alarm"), " fill-opacity=\".45\"");
        }
        if let Some(man) = self.man {
            write!(text, "<use href=\"#{man}\"/>").ok();
        }
    }
}

/// The men of a FEN from a8 to h1, or `None` if it is no board of eight by eight.
fn men(fen: &str) -> Option<[Option<char>; 64]> {
    let mut men = Vec::with_capacity(64);
    for rank in fen.split(' ').next()?.split('/') {
        let before = men.len();
        for letter in rank.chars() {
            match letter {
                '1'..='8' => men.extend(std::iter::repeat_n(None, letter.to_digit(10)? as usize)),
                _ if SHAPES.shapes.contains_key(&letter.to_ascii_lowercase()) => men.push(Some(letter)),
                _ => return None,
            }
        }
        if men.len() != before + 8 {
            return None;
        }
    }
    men.try_into().ok()
}

/// Where a square is, row by row from a8.
fn index(name: &str) -> Option<usize> {
    let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *name.as_bytes() else { return None };
    Some(usize::from(b'8' - rank) * 8 + usize::from(file - b'a'))
}

/// The shapes of those men, each once, by their letters.
pub(super) fn men_of(letters: impl Iterator<Item = char>) -> String {
    let letters: BTreeSet<char> = letters.collect();
    let mut text = String::from("<defs>");
    for letter in letters {
        if let Some(shape) = SHAPES.shapes.get(&letter.to_ascii_lowercase()) {
            write_man(&mut text, letter, shape);
        }
    }
    text.push_str("</defs>");
    text
}

fn write_man(text: &mut String, letter: char, shape: &Shape) {
    let (body, line, mark) = if letter.is_uppercase() {
        (colour("white-body"), colour("white-line"), colour("white-line"))
    } else {
        (colour("black-body"), colour("black-line"), colour("black-mark"))
    };
    let place = &SHAPES.place;
    write!(text, "<g id=\"{letter}\" transform=\"{place}\">").ok();
    write!(text, "<g fill=\"{body}\" stroke=\"{line}\" stroke-width=\"3.6\" stroke-linejoin=\"round\">").ok();
    for d in &shape.body {
        write!(text, "<path d=\"{d}\"/>").ok();
    }
    write_circles(text, &shape.balls);
    write!(text, "</g><g fill=\"none\" stroke=\"{mark}\" stroke-width=\"3.2\" stroke-linecap=\"round\">")
        .ok();
    for d in &shape.marks {
        write!(text, "<path d=\"{d}\"/>").ok();
    }
    write!(text, "</g><g fill=\"{mark}\">").ok();
    write_circles(text, &shape.eyes);
    text.push_str("</g></g>");
}

fn write_circles(text: &mut String, circles: &[[f64; 3]]) {
    for [cx, cy, r] in circles {
        write!(text, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\"/>").ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_from_a8_on() {
        let men = men("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2").unwrap();
        assert_eq!((men[0], men[7], men[63]), (Some('r'), Some('r'), Some('R')));
        assert_eq!(men[index("f3").unwrap()], Some('N'));
        assert_eq!(men[index("c7").unwrap()], None);
        assert_eq!(men[index("c5").unwrap()], Some('p'));
    }

    #[test]
    fn what_is_no_board_of_eight_by_eight_is_not_drawn() {
        let wrong = [
            "",
            "8/8/8/8/8/8/8",
            "9/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/7x",
            "44/8/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/71k",
        ];
        for fen in wrong {
            assert_eq!(men(fen), None, "{fen}");
        }
    }
}
