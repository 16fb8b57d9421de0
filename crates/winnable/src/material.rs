//! Men that never give a mate, whatever is played.

use shakmaty::{Bitboard, Board, Color};

use super::Material;

/// The first three rows of laws-model 9: why `winner` cannot mate with what stands on the board, if it is its men.
pub(super) fn insufficient(board: &Board, winner: Color) -> Option<Material> {
    let kings = board.kings();
    let (ours, theirs) = (board.by_color(winner) & !kings, board.by_color(!winner) & !kings);
    if ours.is_empty() {
        return Some(Material::BareKing);
    }
    if ours.count() == 1 && ours.is_subset(board.knights()) && theirs.is_subset(board.queens()) {
        return Some(Material::LoneKnight);
    }
    // Such bishops cover no square of the other colour, and the king cannot cover all of those beside
    // the mated king that lie next to the square from which the check comes; so one of its rooks or
    // queens stands there, unpinned, and takes the bishop or steps between. A double check does not
    // come about: two lines of one colour meet only on the king.
    let is_of_one_colour = |bishops: Bitboard| {
        bishops.is_subset(Bitboard::LIGHT_SQUARES) || bishops.is_subset(Bitboard::DARK_SQUARES)
    };
    let only_bishops = ours.is_subset(board.bishops());
    let no_helper = (theirs & (board.pawns() | board.knights())).is_empty();
    (only_bishops && no_helper && is_of_one_colour(board.bishops())).then_some(Material::OneColouredBishops)
}
