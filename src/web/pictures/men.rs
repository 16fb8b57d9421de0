//! The men in a drawing: each kind is drawn once and referred to by its name.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use shakmaty::{Color, Piece, Role};

use super::shapes::{SHAPES, Shape, colour};
use adoube_rules::four::Army;

/// A man as he looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Man {
    pub(super) army: Army,
    /// His letter, a small one.
    pub(super) kind: char,
}

impl From<Piece> for Man {
    fn from(piece: Piece) -> Self {
        let army = if piece.color == Color::White { Army::White } else { Army::Black };
        Self::new(army, piece.role)
    }
}

impl Man {
    pub(super) fn new(army: Army, role: Role) -> Self {
        Self { army, kind: role.char() }
    }

    /// The king of `army`.
    pub(super) fn king(army: Army) -> Self {
        Self::new(army, Role::King)
    }

    /// By what he is referred to: `N`, `n`, or of Red and Blue `rN`, `bN`.
    pub(super) fn name(self) -> String {
        match self.army {
            Army::White => self.kind.to_ascii_uppercase().to_string(),
            Army::Black => self.kind.to_string(),
            army => format!("{}{}", army.letter(), self.kind.to_ascii_uppercase()),
        }
    }

    fn write(self, text: &mut String, shape: &Shape) {
        let army = self.army.name();
        // White's lines are as dark as the others' outlines; the page says so, too.
        let mark = if self.army == Army::White { "white-line".to_owned() } else { format!("{army}-mark") };
        let (body, line, mark) =
            (colour(&format!("{army}-body")), colour(&format!("{army}-line")), colour(&mark));
        write!(text, "<g id=\"{}\" transform=\"{}\">", self.name(), SHAPES.place).ok();
        write!(text, "<g fill=\"{body}\" stroke=\"{line}\" stroke-width=\"3.6\" stroke-linejoin=\"round\">")
            .ok();
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
        text.push_str("</g>");
        let foot = &SHAPES.foot;
        if let Some(dashes) = foot.dashes.get(army) {
            let (d, width) = (&foot.d, foot.width);
            write!(text, "<path d=\"{d}\" fill=\"none\" stroke=\"{mark}\" stroke-width=\"{width}\"").ok();
            if !dashes.is_empty() {
                write!(text, " stroke-dasharray=\"{dashes}\"").ok();
            }
            text.push_str("/>");
        }
        text.push_str("</g>");
    }
}

/// The shapes of those men, each once, by their names.
pub(super) fn men_of(men: impl Iterator<Item = Man>) -> String {
    let men: BTreeSet<(String, Man)> = men.map(|man| (man.name(), man)).collect();
    let mut text = String::from("<defs>");
    for (_, man) in men {
        if let Some(shape) = SHAPES.shapes.get(&man.kind) {
            man.write(&mut text, shape);
        }
    }
    text.push_str("</defs>");
    text
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
    fn every_man_of_every_army_has_a_look_of_his_own() {
        let men = Army::ALL.into_iter().flat_map(|army| Role::ALL.map(|role| Man::new(army, role)));
        let names: BTreeSet<String> = men.clone().map(Man::name).collect();
        let looks: BTreeSet<String> =
            men.map(|man| men_of([man].into_iter()).replace(&man.name(), "")).collect();
        assert_eq!((names.len(), looks.len()), (24, 24));
        assert!(!looks.iter().any(|look| look.contains("\"black\"")), "every colour is known");
        let foot = |army| men_of([Man::king(army)].into_iter()).contains(&SHAPES.foot.d);
        assert_eq!(Army::ALL.map(foot), [true, false, true, false]);
    }
}
