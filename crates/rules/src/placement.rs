//! What stands on a whole board, as text.

use super::four::{self, Geometry, WingDepth};
use super::letter;
use crate::sensor::Content;

/// The board of the four-player game.
pub fn cross() -> &'static Geometry {
    Geometry::of(WingDepth::Three)
}

/// The piece placement of a whole board: a FEN's of 64 squares, or one of 160.
#[must_use]
pub fn placement(contents: &[Content]) -> String {
    if contents.len() == cross().squares() {
        return four::placement(cross(), contents);
    }
    let mut text = String::with_capacity(72);
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let content = contents.get(rank * 8 + file).copied().unwrap_or_default();
            match letter(content) {
                Some(letter) => {
                    push_empty(&mut text, &mut empty);
                    text.push(letter);
                }
                None => empty += 1,
            }
        }
        push_empty(&mut text, &mut empty);
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

fn push_empty(text: &mut String, empty: &mut u32) {
    if let Some(digit) = char::from_digit(*empty, 10).filter(|_| *empty > 0) {
        text.push(digit);
    }
    *empty = 0;
}
