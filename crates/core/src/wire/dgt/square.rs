//! Squares and pieces as a DGT board numbers them (sections 3.3 and 3.4).

use adoube_rules::sensor::{Army, Content, Role};
use adoube_rules::square::Square;

/// Squares on the board.
pub(super) const SQUARES: usize = 64;

/// Bits of a field number; a bit above them has been seen and is explained nowhere (section 3.1).
const FIELD_MASK: u8 = 0x3f;

/// Bits of a piece code.
const PIECE_MASK: u8 = 0x0f;

/// Contents by piece code. The order of the men is pawn, rook, knight, bishop, king, queen.
const CONTENTS: [Content; 16] = [
    Content::EMPTY,
    Content::man(Army::new(0), Role::Pawn),
    Content::man(Army::new(0), Role::Rook),
    Content::man(Army::new(0), Role::Knight),
    Content::man(Army::new(0), Role::Bishop),
    Content::man(Army::new(0), Role::King),
    Content::man(Army::new(0), Role::Queen),
    Content::man(Army::new(1), Role::Pawn),
    Content::man(Army::new(1), Role::Rook),
    Content::man(Army::new(1), Role::Knight),
    Content::man(Army::new(1), Role::Bishop),
    Content::man(Army::new(1), Role::King),
    Content::man(Army::new(1), Role::Queen),
    Content::MARK_DRAW,
    Content::MARK_WHITE_WINS,
    Content::MARK_BLACK_WINS,
];

/// What exchanges the ranks: a1 is the first square, a8 the first field.
const RANKS: u8 = 0x38;

/// The square (a1 = 0) of a field number (a8 = 0).
#[must_use]
pub const fn square_from_field(field: u8) -> Square {
    Square::new((field & FIELD_MASK) ^ RANKS)
}

/// The field number (a8 = 0) of a square (a1 = 0).
#[must_use]
pub const fn field_from_square(square: Square) -> u8 {
    (square.number() & FIELD_MASK) ^ RANKS
}

/// What stands on a field with this piece code.
#[must_use]
pub fn content_from_code(code: u8) -> Content {
    CONTENTS[usize::from(code & PIECE_MASK)]
}

/// The code of what stands on a square. What a DGT board has no coil for, it does not see: 0.
#[must_use]
pub fn piece_code(content: Content) -> u8 {
    let code = (0u8..).zip(CONTENTS).find(|&(_, known)| known == content);
    code.map_or(0, |(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_run_from_a8_in_reading_order() {
        let a8 = 56;
        let e4 = 28;
        assert_eq!(square_from_field(0), Square::new(a8));
        assert_eq!(square_from_field(7), Square::new(63), "h8");
        assert_eq!(square_from_field(56), Square::new(0), "a1");
        assert_eq!(square_from_field(0x24), Square::new(e4));
        assert_eq!(
            square_from_field(0x40 | 0x24),
            Square::new(e4),
            "the bit above the number is not part of it"
        );
        assert!((0..64).all(|field| field_from_square(square_from_field(field)) == field));
    }

    #[test]
    fn every_code_is_a_content_of_its_own() {
        assert!((0..16).all(|code| piece_code(content_from_code(code)) == code));
        assert_eq!(content_from_code(0x0b), Content::man(Army::new(1), Role::King), "black king");
        assert_eq!(content_from_code(0x0e), Content::MARK_WHITE_WINS);
        assert_eq!(
            content_from_code(0x51),
            Content::man(Army::new(0), Role::Pawn),
            "bits above the code are not part of it"
        );
        assert_eq!(piece_code(Content::man(Army::new(2), Role::Pawn)), 0, "no coil for a third army");
    }
}
