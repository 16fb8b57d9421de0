//! A board as SVG: no words and no fonts in it, so that it looks the same wherever it is drawn.

use std::fmt::Write as _;

use super::men::{Man, men_of};
use super::placement::{Layout, squares_of};
use super::shapes::colour;
use crate::feed::view::GameView;
use adoube_rules::four::Army;

/// A square is so wide; the men are drawn in as many units.
pub(super) const UNIT: u32 = 100;

/// What a board shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    layout: Layout,
    /// Row by row as they are read, from a8 in chess; what is missing from a cross is none.
    squares: Vec<Option<Square>>,
}

/// What a square shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Square {
    /// Who stands there.
    pub(super) man: Option<Man>,
    /// A dark one.
    pub(super) is_dark: bool,
    /// The last move left it, or came to it.
    pub(super) is_last: bool,
    /// A king in check stands there.
    pub(super) is_check: bool,
}

impl Shown {
    /// What stands after `ply` moves of `game`; `None` if it is no board that is known here.
    pub(super) fn of(game: &GameView, ply: usize) -> Option<Self> {
        let moves = game.moves.all();
        let mv = ply.checked_sub(1).and_then(|index| moves.get(index));
        let fen = mv.map_or(game.start.as_str(), |mv| &mv.fen);
        let layout = Layout::of(fen);
        let columns = usize::from(layout.columns());
        let mut squares = vec![None; columns * columns];
        for ((column, row), man) in layout.men(fen)? {
            let is_dark = layout.is_dark(column, row);
            squares[row * columns + column] = Some(Square { man, is_dark, ..Square::default() });
        }
        let mut shown = Self { layout, squares };
        if let Some(mv) = mv {
            for name in squares_of(&mv.uci).into_iter().flatten() {
                if let Some(square) = shown.square(name) {
                    square.is_last = true;
                }
            }
            // The record of four players writes no checks.
            let army = if fen.split(' ').nth(1) == Some("b") { Army::Black } else { Army::White };
            if mv.san.ends_with(['+', '#']) {
                let kings = shown.squares.iter_mut().flatten();
                kings
                    .filter(|square| square.man == Some(Man::king(army)))
                    .for_each(|square| square.is_check = true);
            }
        }
        Some(shown)
    }

    fn square(&mut self, name: &str) -> Option<&mut Square> {
        let (column, row) = self.layout.place(name)?;
        let columns = self.columns();
        self.squares.get_mut(row * columns + column)?.as_mut()
    }

    /// The squares, row by row from the upper left; none where the board has none.
    pub(super) fn squares(&self) -> &[Option<Square>] {
        &self.squares
    }

    /// How many squares are in a row, the missing ones with them.
    pub(super) fn columns(&self) -> usize {
        usize::from(self.layout.columns())
    }

    /// Do four play on it?
    pub(super) fn is_four(&self) -> bool {
        self.layout != Layout::Chess
    }

    /// How wide it is drawn.
    pub(super) fn width(&self) -> u32 {
        u32::from(self.layout.columns()) * UNIT
    }

    /// A picture of its own.
    pub(super) fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\">{}</svg>\n",
            self.body(),
            side = self.width()
        )
    }

    /// The same as a part of a picture.
    pub(super) fn body(&self) -> String {
        let mut text = men_of(self.squares.iter().flatten().filter_map(|square| square.man));
        let columns = u32::from(self.layout.columns());
        for (index, square) in (0_u32..).zip(&self.squares) {
            let Some(square) = square else { continue };
            let (x, y) = (index % columns * UNIT, index / columns * UNIT);
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
            write!(text, "<use href=\"#{}\"/>", man.name()).ok();
        }
    }
}
