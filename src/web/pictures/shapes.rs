//! The shapes of the men and the colours of the page, as the page itself has them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// A script of the page whose braces hold JSON.
const MEN: &str = include_str!("../assets/men.js");

/// Its first rule names the colours, those of the light page.
const STYLE: &str = include_str!("../assets/style.css");

/// What the men look like.
#[derive(Debug, Deserialize)]
pub(super) struct Men {
    /// Puts a shape into its square.
    pub(super) place: String,
    /// By the letter of the piece in lower case.
    pub(super) shapes: BTreeMap<char, Shape>,
}

/// One man, in a square of 100 by 100 units.
#[derive(Debug, Deserialize)]
pub(super) struct Shape {
    /// Outlines that are filled.
    pub(super) body: Vec<String>,
    /// Circles of the same kind: x, y, radius.
    pub(super) balls: Vec<[f64; 3]>,
    /// Lines on the body.
    pub(super) marks: Vec<String>,
    /// Dots on the body.
    pub(super) eyes: Vec<[f64; 3]>,
}

/// The men.
pub(super) static SHAPES: LazyLock<Men> = LazyLock::new(|| {
    let json = MEN.split_once("MEN = ").and_then(|(_, json)| json.rsplit_once(';')).map(|(json, _)| json);
    serde_json::from_str(json.unwrap_or_default()).expect("men.js is JSON between its braces (a test)")
});

static COLOURS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let rule = STYLE.split_once(":root {").and_then(|(_, rest)| rest.split_once('}'));
    let lines = rule.map_or("", |(rule, _)| rule).lines();
    lines.filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": ")).collect()
});

/// A colour of the page by its name: `light-square`.
pub(super) fn colour(name: &str) -> &'static str {
    COLOURS.get(name).copied().unwrap_or("black")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shapes_and_the_colours_are_those_of_the_page() {
        assert_eq!(SHAPES.shapes.keys().collect::<String>(), "bknpqr");
        assert!(SHAPES.shapes.values().all(|shape| !shape.body.is_empty()));
        assert_eq!(colour("white-body"), "#ffffff");
        for name in ["light-square", "dark-square", "last-move", "alarm", "page", "card", "text", "now"] {
            assert!(COLOURS.contains_key(name), "{name}");
        }
    }
}
