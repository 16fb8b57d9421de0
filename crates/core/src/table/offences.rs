//! A part: the illegal moves of a game that count, player by player (7.5.5, A.4.2; four-player R-25).

use crate::ply::Ply;
use adoube_rules::laws::CounterScope;
use adoube_rules::sensor::Army;

/// The article that an illegal move breaks, where each counts for itself (2017: 7.5.3, 7.7.2, 7.8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breach {
    /// A move that is not legal, or a pawn left on its last rank (7.5.1, 7.5.2).
    Move,
    /// A press without a move (7.5.3; 2017: 7.8).
    NoMove,
    /// Two hands for one move (7.5.4; 2017: 7.7).
    TwoHands,
}

/// Those of one player.
#[derive(Debug, Clone, Default)]
struct Player {
    /// Before this table saw the game.
    before: u32,
    /// The plies at which they were made, and what each of them breaks.
    plies: Vec<(Ply, Breach)>,
}

impl Player {
    fn at(&self, ply: Ply) -> impl DoubleEndedIterator<Item = Breach> {
        self.plies.iter().filter(move |(counted, _)| *counted == ply).map(|&(_, breach)| breach)
    }

    /// How many count together with one that breaks `breach`. Of those before nobody knows what they broke.
    fn count(&self, scope: CounterScope, breach: Breach) -> u32 {
        let counts = |of: &&(Ply, Breach)| scope == CounterScope::Combined || of.1 == breach;
        self.before + u32::try_from(self.plies.iter().filter(counts).count()).unwrap_or(u32::MAX)
    }
}

/// Those of a game, by army: a side may have several players.
#[derive(Debug, Clone)]
pub(super) struct Offences([Player; Army::MAX]);

impl Offences {
    /// Of a game in which each player had so many before the table saw it.
    pub(super) fn new(before: [u32; Army::MAX]) -> Self {
        Self(before.map(|before| Player { before, plies: Vec::new() }))
    }

    /// Counts an illegal move at `ply`; how many count then. One move counts once, however many kinds it shows,
    /// but `settled` moves at that ply were other ones.
    pub(super) fn count(
        &mut self,
        army: Army,
        (ply, breach): (Ply, Breach),
        settled: usize,
        scope: CounterScope,
    ) -> u32 {
        let player = &mut self.0[army.index()];
        if player.at(ply).count() <= settled {
            player.plies.push((ply, breach));
        }
        player.count(scope, breach)
    }

    /// Takes a count back: the arbiter rejected it, or the reading turned out otherwise.
    pub(super) fn take_back(&mut self, army: Army, ply: Ply) {
        let plies = &mut self.0[army.index()].plies;
        if let Some(place) = plies.iter().rposition(|(counted, _)| *counted == ply) {
            plies.remove(place);
        }
    }

    /// How many count when the one at `ply` does.
    pub(super) fn at(&self, army: Army, ply: Ply, scope: CounterScope) -> u32 {
        let player = &self.0[army.index()];
        player.count(scope, player.at(ply).next_back().unwrap_or(Breach::Move))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Army = Army::new(0);
    const BLACK: Army = Army::new(1);

    fn counted(offences: &mut Offences, ply: u32, breach: Breach, settled: usize) -> u32 {
        offences.count(WHITE, (Ply::new(ply), breach), settled, CounterScope::Combined)
    }

    #[test]
    fn one_move_counts_once_and_what_is_played_in_its_place_again() {
        let mut offences = Offences::new([1, 0, 0, 0]);
        assert_eq!(counted(&mut offences, 3, Breach::Move, 0), 2);
        assert_eq!(counted(&mut offences, 3, Breach::TwoHands, 0), 2, "the same move");
        assert_eq!(counted(&mut offences, 3, Breach::Move, 1), 3, "the first was ruled on");
        assert_eq!(offences.at(BLACK, Ply::new(4), CounterScope::Combined), 0);
        offences.take_back(WHITE, Ply::new(3));
        assert_eq!(offences.at(WHITE, Ply::new(3), CounterScope::Combined), 2);
    }

    #[test]
    fn each_article_may_count_for_itself() {
        let mut offences = Offences::new([0; 4]);
        let mut count =
            |ply, breach| offences.count(BLACK, (Ply::new(ply), breach), 0, CounterScope::PerArticle);
        assert_eq!([count(2, Breach::Move), count(4, Breach::NoMove), count(6, Breach::Move)], [1, 1, 2]);
    }
}
