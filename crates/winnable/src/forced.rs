//! What is forced first, and then a proof of its own for whatever comes of it.

use shakmaty::{Chess, Color, Position as _};

use super::seen::Seen;
use super::{Certificate, Closed};
use crate::Key;

/// Longer lines, or more of them, are not forced in earnest.
const POSITIONS_MAX: usize = 64;
/// Each takes a proof that may be dear.
const LEAVES_MAX: usize = 8;

/// Plays on where a check is to be answered or there is one move only, and proves by `leaf` that `winner` cannot mate
/// from where that ends; None if that shows nothing.
pub(super) fn forced(
    chess: &Chess,
    winner: Color,
    leaf: impl Fn(&Chess) -> Option<Certificate>,
) -> Option<Closed> {
    if !is_forced(chess) {
        return None;
    }
    let mut seen = Seen::new();
    seen.insert(Key::from(chess));
    let (mut positions, mut ends) = (vec![chess.clone()], Vec::new());
    let mut at = 0;
    while let Some(position) = positions.get(at).cloned() {
        at += 1;
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(mv);
            if next.turn() != winner && next.is_checkmate() {
                return None;
            }
            if seen.insert(Key::from(&next)) {
                let list = if is_forced(&next) { &mut positions } else { &mut ends };
                list.push(next);
            }
        }
        if positions.len() > POSITIONS_MAX || ends.len() > LEAVES_MAX {
            return None;
        }
    }
    let prove = |end: Chess| leaf(&end).map(|certificate| (end, certificate));
    let leaves = ends.into_iter().map(prove).collect::<Option<Vec<_>>>()?;
    Some(Closed { positions, leaves })
}

fn is_forced(chess: &Chess) -> bool {
    chess.is_check() || chess.legal_moves().len() <= 1
}

#[cfg(test)]
mod tests {
    use super::super::{CanMate, can_mate, check};
    use super::*;
    use crate::testing::read;

    /// The rook has to be taken, by either bishop; the walls hold from there on.
    #[test]
    fn a_check_is_answered_before_the_walls_are_looked_at() {
        let fen = "1bB5/k7/r7/8/1pBp1p1p/1PpP1PbP/K1P4b/RB6 w - - 0 1";
        let position = read(fen);
        let chess = &position;
        let CanMate::No(proof) = can_mate(chess, Color::White, 20_000) else { panic!("not shown") };
        assert!(matches!(proof, Certificate::Closed(_)), "{:?}", proof.reason());
        assert_eq!(check(chess, Color::White, &proof), Ok(()));
    }

    #[test]
    fn nothing_is_shown_where_one_end_is_open() {
        let position = read("7k/8/8/8/8/8/6q1/7K w - - 0 1");
        let chess = &position;
        assert!(forced(chess, Color::Black, |_| None).is_none());
        let end = |_: &Chess| Some(Certificate::GameOver);
        assert_eq!(forced(chess, Color::Black, end).map(|closed| closed.leaves.len()), Some(1));
    }
}
