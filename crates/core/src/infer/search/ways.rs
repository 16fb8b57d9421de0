//! Ways of many plies that nobody saw. Orders of the same moves that lead to the same position are one
//! way: what stands there is certain, and how it came about is told as it most likely was.

use std::collections::BTreeMap;

use super::Goal;
use adoube_rules::square::Square;
use adoube_rules::{Footprint, Position as _, Variant};

/// A man is mostly taken back at once: what makes one order of captures likelier than another.
pub(in crate::infer) const RECAPTURE: i32 = 1_024;

/// Positions that one picture may stand for: they differ in what may be castled or taken in passing.
const ENDS_MAX: usize = 8;

/// The ways to one position.
#[derive(Debug, Clone)]
pub(in crate::infer) struct Way<V: Variant> {
    /// The likeliest, first ply first.
    pub(in crate::infer) moves: Vec<V::Move>,
    /// The position.
    pub(in crate::infer) end: V::Key,
    /// How many there are.
    pub(in crate::infer) count: u32,
    /// How likely this order is, 1/1024 nat.
    prior: i32,
}

impl Goal<'_> {
    /// The ways of exactly `plies` plies from `position` to the picture, one for each position that they
    /// lead to. `budget` is the number of positions that may be looked at; none left means that not
    /// everything was seen.
    pub(in crate::infer) fn ways<V: Variant>(
        &self,
        position: &V::Position,
        position_hash: u64,
        plies: u32,
        budget: &mut u32,
    ) -> Vec<Way<V>> {
        let reach = self.reach::<V>();
        if !self.can_reach::<V>(&reach, position, plies) {
            return Vec::new();
        }
        let mut search = Search::<V> { goal: *self, reach, budget, known: BTreeMap::new() };
        let mut ways = search.from(position, position_hash, plies, None);
        for way in &mut ways {
            way.moves.reverse();
        }
        ways
    }
}

/// A position, the plies left from it, and where a man has just been taken.
type State<V> = (<V as Variant>::Key, u32, Option<Square>);

/// A move that may be on the way.
struct Step<V: Variant> {
    mv: V::Move,
    footprint: Footprint,
    next: V::Position,
    hash: u64,
    /// Moves that are needed after it.
    left: u32,
}

struct Search<'a, V: Variant> {
    goal: Goal<'a>,
    reach: V::Reach,
    budget: &'a mut u32,
    /// What was found from each position, the last ply first.
    known: BTreeMap<State<V>, Vec<Way<V>>>,
}

impl<V: Variant> Search<'_, V> {
    fn from(&mut self, position: &V::Position, hash: u64, plies: u32, taken: Option<Square>) -> Vec<Way<V>> {
        let state = (position.key(), plies, taken);
        if let Some(known) = self.known.get(&state) {
            return known.clone();
        }
        let mut ways: Vec<Way<V>> = Vec::new();
        for step in self.steps(position, hash, plies) {
            let taken_now = target(&step.footprint);
            let later = if plies == 1 {
                vec![Way { moves: Vec::new(), end: step.next.key(), count: 1, prior: 0 }]
            } else if *self.budget > 0 {
                self.from(&step.next, step.hash, plies - 1, taken_now)
            } else {
                // Not everything was seen: this is no knowledge to be used again.
                return ways;
            };
            let takes_back = taken.is_some() && taken == taken_now;
            let prior = position.prior(step.mv) + if takes_back { RECAPTURE } else { 0 };
            for mut way in later {
                way.moves.push(step.mv);
                way.prior = way.prior.saturating_add(prior);
                add(&mut ways, way);
            }
        }
        self.known.insert(state, ways.clone());
        ways
    }

    /// The moves after which `plies` may still do, those that bring most first.
    fn steps(&mut self, position: &V::Position, hash: u64, plies: u32) -> Vec<Step<V>> {
        let turn = position.turn().other();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut steps = Vec::new();
        for mv in moves {
            let footprint = position.footprint(mv);
            let hash = hash ^ self.goal.sight.footprint_key(&footprint);
            if plies == 1 && hash != self.goal.hash {
                continue;
            }
            *self.budget = self.budget.saturating_sub(1);
            let next = position.play(mv);
            let Some(need) = self.goal.need::<V>(&self.reach, &next) else { continue };
            if need.is_met_by(turn, plies - 1) {
                let left = need.moves.iter().sum::<u32>().max(need.together);
                steps.push(Step { mv, footprint, next, hash, left });
            }
        }
        steps.sort_by_key(|step| step.left);
        steps
    }
}

/// Takes `way` as another one to its end, or as the first.
fn add<V: Variant>(ways: &mut Vec<Way<V>>, mut way: Way<V>) {
    if let Some(known) = ways.iter_mut().find(|known| known.end == way.end) {
        way.count = way.count.saturating_add(known.count);
        known.count = way.count;
        if way.prior > known.prior {
            *known = way;
        }
    } else if ways.len() < ENDS_MAX {
        ways.push(way);
    }
}

/// The square on which a man took the place of another.
fn target(footprint: &Footprint) -> Option<Square> {
    let mut changes = footprint.changes().iter();
    changes.find(|&&(_, before, after)| !before.is_empty() && !after.is_empty()).map(|change| change.0)
}

#[cfg(test)]
mod tests {
    use crate::infer::image::View;
    use crate::infer::search::Goal;
    use crate::infer::sight::{Sight, hash_of};
    use adoube_rules::{Chess, ChessPosition, Position as _};

    /// The ways of `plies` plies between two positions: how many, and the likeliest of the first end.
    fn ways(from: &str, to: &str, plies: u32) -> Vec<(u32, Vec<String>)> {
        let [from, to] = [from, to].map(|fen| ChessPosition::from_fen(fen, false).unwrap());
        let contents = to.contents();
        let hash = hash_of(&contents);
        let sight = Sight::whole(View::Identity);
        let goal = Goal { sight, contents: &contents, hash, seen: None, paths_max: 0 };
        let mut budget = 300_000;
        let found = goal.ways::<Chess>(&from, hash_of(&sight.picture::<Chess>(&from)), plies, &mut budget);
        let sans = |moves: &[shakmaty::Move]| {
            let mut position = from.clone();
            moves
                .iter()
                .map(|&mv| {
                    let san = position.played(mv).san();
                    position = position.play(mv);
                    san
                })
                .collect()
        };
        found.iter().map(|way| (way.count, sans(&way.moves))).collect()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn orders_that_lead_to_one_position_are_one_way() {
        let to = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let found = ways(START, to, 4);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, 4);
    }

    #[test]
    fn ten_plies_of_an_opening_are_found() {
        let to = "r1bqk2r/2ppbppp/p1n2n2/1p2p3/4P3/1B3N2/PPPP1PPP/RNBQR1K1 b kq - 1 7";
        // 1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7 6.Re1 b5 7.Bb3: three of these are certain.
        let from = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let found = ways(from, to, 9);
        assert!(found.iter().any(|way| way.1.contains(&"O-O".to_owned())), "{found:?}");
    }

    #[test]
    fn a_man_is_taken_back_at_once() {
        let from = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3";
        let to = "rnbqkb1r/ppp2ppp/5n2/3p4/3P4/2N5/PP2PPPP/R1BQKBNR w KQkq - 1 5";
        let found = ways(from, to, 4);
        let moves = &found[0].1;
        let taken = moves.iter().position(|san| san == "cxd5").unwrap();
        assert_eq!(moves.get(taken + 1).map(String::as_str), Some("exd5"), "{found:?}");
    }
}
