//! Lamps of boards: which squares are lit, and at which corners of squares their lamps are.

use super::Announcement;

/// Squares, a1 the lowest bit.
pub(super) type Squares = u64;

/// The squares that are lit from this announcement on; `None`: it says nothing to lamps.
pub(super) fn lit(announcement: &Announcement) -> Option<Squares> {
    let on_board = announcement.lamps()?.iter().filter(|square| square.number() < 64);
    Some(on_board.fold(0, |lit, square| lit | 1 << square.number()))
}

/// The squares of a set, a1 = 0.
pub(super) fn each(squares: Squares) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| squares >> square & 1 != 0)
}

/// The corners of these squares: columns from the a-file's outer edge (0) to the h-file's (8), rows from the first
/// rank's outer edge (0) to the eighth's (8). A corner of two squares comes twice.
pub(super) fn corners(squares: Squares) -> impl Iterator<Item = (usize, usize)> {
    each(squares).flat_map(|square| {
        let (file, rank) = (square % 8, square / 8);
        [(file, rank), (file + 1, rank), (file, rank + 1), (file + 1, rank + 1)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::square::Square;

    #[test]
    fn a_move_lights_its_squares_and_a_word_puts_them_out() {
        let mv =
            Announcement::Move { squares: [0, 63, 200].map(Square::new).to_vec(), text: "a1-h8".to_owned() };
        assert_eq!(lit(&mv), Some(1 | 1 << 63), "a square that is none is not lit");
        assert_eq!(lit(&Announcement::Squares(Vec::new())), Some(0));
        assert_eq!(lit(&Announcement::Clear), Some(0));
        assert_eq!(lit(&Announcement::Text("check".to_owned())), Some(0));
        assert_eq!(lit(&Announcement::Times { left_ms: [1, 2], running: None }), None);
    }

    #[test]
    fn a_square_has_four_corners() {
        assert!(corners(1 << 12).eq([(4, 1), (5, 1), (4, 2), (5, 2)]), "e2");
        assert_eq!(corners(0).count(), 0);
    }
}
