//! Squares as hands find them: those beside one another, and the way of a man who is dragged.

use adoube_rules::Variant;
use adoube_rules::square::Square;

/// The squares that touch `square` at a side or a corner, rank by rank.
pub(super) fn around<V: Variant>(square: Square) -> Vec<Square> {
    let (file, rank) = V::coordinates(square);
    let near = |place: u8| place.saturating_sub(1)..=place.saturating_add(1);
    near(rank)
        .flat_map(|rank| near(file).filter_map(move |file| V::square_at(file, rank)))
        .filter(|&other| other != square)
        .collect()
}

/// The squares that a man passes who is dragged straight from `from` to `to`, in the order of the way. None if the
/// two are not on one line, or if it leads off the board.
pub(super) fn between<V: Variant>(from: Square, to: Square) -> Vec<Square> {
    let ((file, rank), (to_file, to_rank)) = (V::coordinates(from), V::coordinates(to));
    let (files, ranks) = (file.abs_diff(to_file), rank.abs_diff(to_rank));
    if files != ranks && files != 0 && ranks != 0 {
        return Vec::new();
    }
    let toward = |place: u8, goal: u8, steps: u8| match place.cmp(&goal) {
        std::cmp::Ordering::Less => place + steps,
        std::cmp::Ordering::Equal => place,
        std::cmp::Ordering::Greater => place - steps,
    };
    let way = (1..files.max(ranks))
        .map(|steps| V::square_at(toward(file, to_file, steps), toward(rank, to_rank, steps)));
    way.collect::<Option<Vec<Square>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use shakmaty::attacks;

    use super::*;
    use adoube_rules::Chess;
    use adoube_rules::four::FourPlayer;

    #[test]
    fn chess_has_the_neighbours_and_the_ways_that_shakmaty_knows() {
        for from in shakmaty::Square::ALL {
            let near: Vec<Square> = attacks::king_attacks(from).into_iter().map(Square::from).collect();
            assert_eq!(around::<Chess>(from.into()), near, "{from}");
            for to in shakmaty::Square::ALL {
                let mut way: Vec<Square> = attacks::between(from, to).into_iter().map(Square::from).collect();
                if from > to {
                    way.reverse();
                }
                assert_eq!(between::<Chess>(from.into(), to.into()), way, "{from} {to}");
            }
        }
    }

    #[test]
    fn nobody_is_dragged_over_a_missing_corner() {
        let at = |file, rank| FourPlayer::square_at(file, rank).unwrap();
        let (d1, a4, d4, g1, d3) = (at(3, 0), at(0, 3), at(3, 3), at(6, 0), at(3, 2));
        assert!(between::<FourPlayer>(d1, a4).is_empty());
        assert_eq!(between::<FourPlayer>(d4, d1), [d3, at(3, 1)]);
        assert_eq!(between::<FourPlayer>(g1, d4), [at(5, 1), at(4, 2)]);
        assert_eq!(
            around::<FourPlayer>(d3),
            [(3, 1), (4, 1), (4, 2), (2, 3), (3, 3), (4, 3)].map(|(f, r)| at(f, r))
        );
    }
}
