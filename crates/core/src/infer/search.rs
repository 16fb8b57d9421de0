//! The way from a position to a picture that no single move explains: two plies inside one frame,
//! or several after a gap.
//!
//! [`Goal::paths`] lists every order of plies that were seen, because the handling tells which of them
//! it was; [`Goal::ways`] goes further where nobody saw anything, and takes orders that lead to the same
//! position as one.

mod ways;

pub(super) use ways::{RECAPTURE, Way};

use super::image::View;
use super::sight::Sight;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Footprint, Need, Position as _, Reach as _, Variant};

/// A picture to be reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) sight: Sight,
    pub(super) contents: &'a [Content],
    pub(super) hash: u64,
    /// Squares that were seen to change since; nothing that was not seen is supposed then. `None`: the
    /// board was out of sight.
    pub(super) seen: Option<&'a [bool]>,
    /// Paths are not followed past this number; more of them decide nothing.
    pub(super) paths_max: usize,
}

impl Goal<'_> {
    /// May a move be supposed with `later` plies to come after it? On a board that was in sight it
    /// must have been seen, and what it brought must still stand there, or have been captured there.
    fn is_plausible(&self, footprint: &Footprint, later: u32) -> bool {
        let Some(seen) = self.seen else { return true };
        let changes = footprint.changes();
        let was_seen = changes.iter().any(|&(square, _, _)| seen[square]);
        let stands = |square: Square, after: Content| {
            let shown = self.contents[square];
            shown == self.sight.see(square, after) || (later > 0 && !shown.is_empty())
        };
        was_seen && changes.iter().all(|&(square, _, after)| after.is_empty() || stands(square, after))
    }

    /// The fewest moves from `position` to the picture. What stands on doubted squares nobody knows: then no way is
    /// too short.
    fn need<V: Variant>(&self, reach: &V::Reach, position: &V::Position) -> Option<Need> {
        if self.sight.doubted.is_empty() { reach.need(position) } else { Some(Need::default()) }
    }

    /// Can `plies` plies from `position` bring what the picture needs?
    fn can_reach<V: Variant>(&self, reach: &V::Reach, position: &V::Position, plies: u32) -> bool {
        self.need::<V>(reach, position).is_some_and(|need| need.is_met_by(position.turn(), plies))
    }

    fn reach<V: Variant>(&self) -> V::Reach {
        V::Reach::new(self.contents, self.sight.view == View::Identity)
    }

    /// Every sequence of exactly `plies` legal moves from `position` that leads to the picture, as
    /// far as `budget` positions reach.
    pub(super) fn paths<V: Variant>(
        &self,
        position: &V::Position,
        position_hash: u64,
        plies: u32,
        budget: &mut u32,
    ) -> Vec<Vec<V::Move>> {
        let mut search = Search::<V> {
            goal: *self,
            reach: self.reach::<V>(),
            budget,
            line: Vec::new(),
            found: Vec::new(),
            moves: Vec::new(),
        };
        if self.can_reach::<V>(&search.reach, position, plies) {
            search.descend(position, position_hash, plies);
        }
        search.found
    }
}

struct Search<'a, V: Variant> {
    goal: Goal<'a>,
    reach: V::Reach,
    budget: &'a mut u32,
    line: Vec<V::Move>,
    found: Vec<Vec<V::Move>>,
    /// Spare lists of moves, one a ply.
    moves: Vec<Vec<V::Move>>,
}

impl<V: Variant> Search<'_, V> {
    fn descend(&mut self, position: &V::Position, hash: u64, plies: u32) {
        if *self.budget == 0 || self.found.len() >= self.goal.paths_max {
            return;
        }
        *self.budget -= 1;
        let mut moves = self.moves.pop().unwrap_or_default();
        position.legal_moves(&mut moves);
        for &mv in &moves {
            let footprint = position.footprint(mv);
            if !self.goal.is_plausible(&footprint, plies - 1) {
                continue;
            }
            let hash = hash ^ self.goal.sight.footprint_key(&footprint);
            if plies == 1 {
                if hash == self.goal.hash {
                    self.line.push(mv);
                    self.found.push(self.line.clone());
                    self.line.pop();
                }
                continue;
            }
            let next = position.play(mv);
            if self.goal.can_reach::<V>(&self.reach, &next, plies - 1) {
                self.line.push(mv);
                self.descend(&next, hash, plies - 1);
                self.line.pop();
            }
        }
        moves.clear();
        self.moves.push(moves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::sight::hash_of;
    use adoube_rules::{Chess, ChessPosition};

    fn paths(view: View, plies: u32, goal: &str) -> Vec<Vec<String>> {
        let start = ChessPosition::default();
        let goal = ChessPosition::from_fen(goal, false).unwrap();
        let contents: Vec<Content> = goal.contents().into_iter().map(|content| view.see(content)).collect();
        let hash = hash_of(&contents);
        let goal = Goal { sight: Sight::whole(view), contents: &contents, hash, seen: None, paths_max: 64 };
        let start_hash = hash_of(&Sight::whole(view).picture::<Chess>(&start));
        let mut budget = 100_000;
        goal.paths::<Chess>(&start, start_hash, plies, &mut budget)
            .into_iter()
            .map(|line| {
                line.into_iter().map(|mv| mv.to_uci(shakmaty::CastlingMode::Standard).to_string()).collect()
            })
            .collect()
    }

    #[test]
    fn two_plies_in_one_frame_have_one_explanation() {
        let goal = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(paths(View::Identity, 2, goal), [["e2e4", "e7e5"]]);
        assert_eq!(paths(View::Occupancy, 2, goal), [["e2e4", "e7e5"]]);
    }

    #[test]
    fn four_plies_may_have_several_orders() {
        let goal = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let found = paths(View::Identity, 4, goal);
        assert!(found.contains(&["e2e4", "e7e5", "g1f3", "b8c6"].map(String::from).to_vec()));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn the_number_of_plies_is_exact() {
        let goal = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert!(paths(View::Identity, 1, goal).is_empty());
        // A picture does not say whose turn it is.
        assert_eq!(paths(View::Identity, 3, goal), [["e2e3", "e7e5", "e3e4"]]);
    }
}
