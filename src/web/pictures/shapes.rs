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
    /// What some armies stand on, where four play.
    pub(super) foot: Foot,
    /// By the letter of the piece in lower case.
    pub(super) shapes: BTreeMap<char, Shape>,
}

/// A line under a man that tells his army without colours.
#[derive(Debug, Deserialize)]
pub(super) struct Foot {
    /// Where it lies.
    pub(super) d: String,
    /// How thick it is.
    pub(super) width: f64,
    /// Its dashes by the army's name; empty for a whole line.
    pub(super) dashes: BTreeMap<String, String>,
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

    /// The colours of a page by their names.
    type Colours<'a> = &'a dyn Fn(&str) -> String;

    /// How much light a colour such as `#2b62c4` gives, from 0 to 1 (WCAG 2.2, relative luminance).
    fn light(colour: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.212_6 * part(1) + 0.715_2 * part(3) + 0.072_2 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (light(one) + 0.05, light(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn the_page_draws_the_feet_of_men_as_the_pictures_do() {
        const FOUR: &str = include_str!("../assets/four.css");
        for (army, dashes) in &SHAPES.foot.dashes {
            let rule = FOUR.split_once(&format!(".man.{army} {{")).unwrap().1.split_once('}').unwrap().0;
            assert!(rule.contains("--foot: "), "{army}");
            let said =
                rule.split_once("--foot-dashes: ").map_or("", |(_, rest)| rest.split_once(';').unwrap().0);
            assert_eq!(said, dashes, "{army}");
        }
    }

    #[test]
    fn armies_are_told_apart_without_colours() {
        // From light to dark, each step as plain as two greys in print can be: on the light page and on the dark one.
        let dark = STYLE.split_once("[data-theme=\"dark\"] {").unwrap().1;
        let of_dark = |name: &str| -> String {
            let value =
                dark.split_once(&format!("--{name}: ")).map(|(_, rest)| rest.split_once(';').unwrap().0);
            value.unwrap_or_else(|| colour(name)).to_owned()
        };
        let of_light = |name: &str| colour(name).to_owned();
        let pages: [(&str, Colours<'_>); 2] = [("light", &of_light), ("dark", &of_dark)];
        for (page, colour) in pages {
            for pair in ["white-body", "red-body", "blue-body", "black-body"].windows(2) {
                let seen = contrast(&colour(pair[0]), &colour(pair[1]));
                assert!(seen > 1.7, "{page}: {pair:?} {seen:.2}");
            }
            // What an army stands on, and its lines, are plain to see on its men.
            for army in ["red", "blue", "black"] {
                let seen = contrast(&colour(&format!("{army}-body")), &colour(&format!("{army}-mark")));
                assert!(seen > 4.5, "{page}: {army} {seen:.2}");
            }
            // Every man has an outline, or a body, that stands out from either square.
            for army in ["white", "red", "blue", "black"] {
                for square in ["light-square", "dark-square"] {
                    let against = |part: &str| contrast(&colour(&format!("{army}-{part}")), &colour(square));
                    let seen = f64::max(against("body"), against("line"));
                    assert!(seen > 3.0, "{page}: {army} on {square} {seen:.2}");
                }
            }
        }
    }

    #[test]
    fn the_shapes_and_the_colours_are_those_of_the_page() {
        assert_eq!(SHAPES.shapes.keys().collect::<String>(), "bknpqr");
        assert!(SHAPES.shapes.values().all(|shape| !shape.body.is_empty()));
        assert_eq!(colour("white-body"), "#ffffff");
        for name in
            ["light-square", "dark-square", "last-move", "alarm", "page", "card", "text", "now", "chosen"]
        {
            assert!(COLOURS.contains_key(name), "{name}");
        }
    }
}
