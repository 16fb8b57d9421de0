//! Moves with which a team mates if everybody helps, found by playing: what is not found proves nothing, and with
//! hardly any men a mate is seldom met with.

use super::moves::FourMove;
use super::position::FourPosition;
use crate::sensor::Side;
use crate::{End, Position as _};

/// A game that is not over by then is begun again: it wanders.
const GAME_PLIES: usize = 160;

/// A series of legal moves from `position` after which a king of the other team than `winner` is mated at his turn;
/// none if none was found in `nodes` positions. The same question has the same answer.
#[must_use]
pub fn find(position: &FourPosition, winner: Side, nodes: u32) -> Option<Vec<FourMove>> {
    let mut search = Search { winner, left: nodes, random: 0x9e37_79b9_7f4a_7c15 };
    match position.end() {
        Some(End::Checkmate) => (position.player().side() != winner).then(Vec::new),
        Some(_) => None,
        // Whose king is gone may have nothing to move: that is no end by the rules, and no game either.
        None if !position.has_legal_move() => None,
        None => std::iter::from_fn(|| (search.left > 0).then(|| search.game(position))).flatten().next(),
    }
}

struct Search {
    winner: Side,
    /// Positions that may still be looked at.
    left: u32,
    random: u64,
}

impl Search {
    /// Plays a game at random, in which `winner` mates wherever he can; its moves if he did.
    fn game(&mut self, start: &FourPosition) -> Option<Vec<FourMove>> {
        let mut position = start.clone();
        let mut line = Vec::new();
        let mut legal = Vec::new();
        // Whatever comes of it, a game has cost something: they come to an end.
        self.left = self.left.saturating_sub(1);
        while line.len() < GAME_PLIES && self.left > 0 {
            legal.clear();
            position.legal_moves(&mut legal);
            if position.player().side() == self.winner {
                for &mv in &legal {
                    self.left = self.left.saturating_sub(1);
                    let after = position.play(mv);
                    if after.is_in_check(after.player()) && after.end() == Some(End::Checkmate) {
                        line.push(mv);
                        return Some(line);
                    }
                }
            }
            let mv = *legal.get(self.next(legal.len())?)?;
            self.left = self.left.saturating_sub(1);
            line.push(mv);
            position = position.play(mv);
            match position.end() {
                // Two kings may be attacked at once: that of the mover's partner is judged at his turn as well.
                Some(End::Checkmate) if position.player().side() != self.winner => return Some(line),
                Some(_) => return None,
                None => {}
            }
        }
        None
    }

    /// A number below `count` (xorshift).
    fn next(&mut self, count: usize) -> Option<usize> {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random.checked_rem(u64::try_from(count).ok()?)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::four::FourRules;
    use crate::four::tests::position;

    /// Plays a line, every move of which must be legal.
    fn end_of(start: &FourPosition, line: &[FourMove]) -> FourPosition {
        line.iter().fold(start.clone(), |position, mv| {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            assert!(legal.contains(mv), "{}", position.san(*mv));
            position.play(*mv)
        })
    }

    #[test]
    fn a_line_ends_in_mate_of_the_other_team() {
        let start = FourPosition::start(FourRules::default());
        let rooks = position("S Kd1, N Kh14, W Ka7 Rc8, E Kn8 Re9", false, FourRules::default());
        for (from, winner) in [(&start, Side::White), (&start, Side::Black), (&rooks, Side::Black)] {
            let line = find(from, winner, 200_000).expect("a line");
            let end = end_of(from, &line);
            assert_eq!((end.end(), end.player().side()), (Some(End::Checkmate), winner.other()));
            assert_eq!(find(from, winner, 200_000), Some(line), "the same again");
        }
    }

    #[test]
    fn a_game_that_is_over_has_no_more_moves() {
        let mated = position("S Kd1, N Kh14, W Ka7 Rd8, E Kn8 Re9", false, FourRules::default());
        assert_eq!(find(&mated, Side::Black, 1_000), Some(Vec::new()));
        assert_eq!(find(&mated, Side::White, 1_000), None);
        // Red has nothing to move: that is no end by the rules, and no game either.
        let gone = position("N Kh14, W Ka7 Rd8, E Kn8 Re9", false, FourRules::default());
        assert_eq!((gone.end(), find(&gone, Side::Black, u32::MAX)), (None, None));
        let bare = position("S Kd1, N Kh14, W Ka7, E Kn8", false, FourRules::default());
        assert_eq!(find(&bare, Side::White, 1_000), None);
    }
}
