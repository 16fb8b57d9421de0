//! How far men are from where they are wanted.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square, attacks};

/// For each square how many moves it is from there.
pub(super) type Way = [u8; 64];

/// There is no way, or no place.
pub(super) const FAR: u8 = u8::MAX;
pub(super) const NOWHERE: Way = [FAR; 64];

/// The moves of a piece from each square to the nearest of these places, around what stands.
pub(super) fn way(role: Role, places: Bitboard, standing: Bitboard) -> Way {
    let mut way = NOWHERE;
    let (mut at, mut seen) = (places, places);
    let mut moves = 0;
    while at.any() {
        at.into_iter().for_each(|square| way[square as usize] = moves);
        let reach =
            at.into_iter().flat_map(|square| attacks::attacks(square, role.of(Color::White), standing));
        at = reach.collect::<Bitboard>() & !standing & !seen;
        seen |= at;
        moves += 1;
    }
    way
}

/// The place of a kind of man in a list of all six.
pub(super) fn index(role: Role) -> usize {
    role as usize - 1
}

/// The moves of a pawn straight on to `place`, or to the last rank and on as the piece `role`, whose way there this is.
pub(super) fn pawn_way(color: Color, place: Square, role: Role, as_piece: &Way) -> Way {
    let mut way = NOWHERE;
    for file in File::ALL {
        let mut moves = FAR;
        // From the last rank back.
        for steps in 0..7 {
            let square = Square::from_coords(file, color.fold_wb(Rank::new(7 - steps), Rank::new(steps)));
            moves = match role {
                Role::Pawn if square == place => 0,
                Role::Pawn => moves.saturating_add(1),
                _ if steps == 0 => as_piece[square as usize],
                _ => moves.saturating_add(1),
            };
            way[square as usize] = moves;
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Straight on, by a promotion and back, and not at all.
    #[test]
    fn a_pawn_goes_on_or_promotes() {
        let place = Square::A2;
        let direct = pawn_way(Color::Black, place, Role::Pawn, &NOWHERE);
        let on = |way: &Way, square: Square| way[square as usize];
        assert_eq!([Square::A7, Square::A3, Square::A2].map(|square| on(&direct, square)), [5, 1, 0]);
        assert_eq!([Square::B7, Square::A1].map(|square| on(&direct, square)), [FAR, FAR]);
        let knight = way(Role::Knight, Bitboard::from_square(place), Bitboard::EMPTY);
        let as_knight = pawn_way(Color::Black, place, Role::Knight, &knight);
        // From c1 it takes a move.
        assert_eq!([Square::C2, Square::C7].map(|square| on(&as_knight, square)), [2, 7]);
        let white = pawn_way(Color::White, Square::H7, Role::Pawn, &NOWHERE);
        assert_eq!([Square::H2, Square::H7, Square::H8].map(|square| on(&white, square)), [5, 0, FAR]);
    }

    #[test]
    fn a_piece_goes_around_what_stands() {
        let free = way(Role::Bishop, Bitboard::from_square(Square::A1), Bitboard::EMPTY);
        assert_eq!((free[Square::H8 as usize], free[Square::B1 as usize]), (1, FAR));
        let around = way(Role::Bishop, Bitboard::from_square(Square::A1), Bitboard::from_square(Square::D4));
        assert_eq!((around[Square::H8 as usize], around[Square::C3 as usize]), (5, 1));
    }
}
