//! The illegal moves of a game that count, player by player (7.5.5, A.4.2; four-player R-25): those that were recorded,
//! and neither rejected nor withdrawn, nor left to stand.

use super::illegal::{COMPLETED, player_of};
use super::records::{Record, Records};
use super::scene::Scene;
use crate::event::Status;
use crate::event::finding::Finding;
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::departure::Kind;
use adoube_rules::laws::{CounterScope, Name};
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

impl Breach {
    /// What `record` is of, if it is one of a completed illegal move.
    pub(super) fn of(record: &Record) -> Option<Self> {
        match &record.finding {
            Finding::IllegalMoveCompleted(illegal) if illegal.kinds == [Kind::TwoHands] => {
                Some(Self::TwoHands)
            }
            _ if record.name() == Name::ClockPressedWithoutMove => Some(Self::NoMove),
            _ => COMPLETED.contains(&record.name()).then_some(Self::Move),
        }
    }
}

/// How many of `army` count together with one that breaks `breach`. Each was pressed, and counts, whether or not the
/// arbiter has spoken of it yet; two hands count with the illegal move that they made. Those that the arbiter counted
/// before this table saw the game come first, whatever they broke.
pub(super) fn counted<V: Variant>(scene: &Scene<V>, records: &Records, army: Army, breach: Breach) -> u32 {
    let scope = scene.profile.illegal_counter_scope;
    let counts = |record: &&Record| {
        // One that the opponent did not claim stands, and was no offence that anybody acted on (A.4.2; 2005: B6).
        let is_none = matches!(record.status, Status::Rejected | Status::Withdrawn | Status::Expired);
        let (ply, stands) = (record.key.ply, !is_none);
        let is_own = record.key.side.is_some_and(|side| player_of(scene, side, ply) == army);
        let is_meant = |of: Breach| {
            (scope == CounterScope::Combined || of == breach)
                && (of != Breach::TwoHands || !is_illegal(scene, ply))
        };
        stands && is_own && Breach::of(record).is_some_and(is_meant)
    };
    let here = records.iter().filter(counts).count();
    scene.setting.illegal[army.index()] + u32::try_from(here).unwrap_or(u32::MAX)
}

/// Does ply `ply` stand although it was no legal move?
pub(super) fn is_illegal<V: Variant>(scene: &Scene<V>, ply: Ply) -> bool {
    let known = scene.game.as_ref().and_then(|game| game.plies.get(ply));
    known.is_some_and(|known| known.illegal.is_some())
}

#[cfg(test)]
mod tests {
    use super::super::records::Draft;
    use super::super::scene::testing::Bench;
    use super::*;
    use crate::event::finding::{ClockPressedWithoutMove, IllegalMoveCompleted};
    use adoube_rules::sensor::Side;

    /// A press without a move, or with two hands, the one that counts as `count`.
    fn draft(kinds: &[Kind], count: u32) -> Draft {
        let (by, ply, clock_before) = (Side::White, Ply::FIRST, None);
        if kinds.is_empty() {
            let kinds = None;
            return Draft::open(ClockPressedWithoutMove { by, ply, clock_before, count: Some(count), kinds });
        }
        let (squares, played, kinds, clock_before) = (None, None, kinds.to_vec(), None);
        Draft::open(IllegalMoveCompleted { ply, by, squares, kinds, played, count, clock_before })
    }

    #[test]
    fn each_press_counts_until_it_is_rejected() {
        let mut bench = Bench::new();
        let mut report = bench.report(60);
        let [white, black] = [Side::White, Side::Black].map(Army::from);
        let first = report.open(draft(&[], 1));
        report.open(draft(&[], 2));
        report.open(draft(&[Kind::TwoHands], 2));
        assert_eq!(counted(report.scene, report.records, white, Breach::NoMove), 3);
        assert_eq!(counted(report.scene, report.records, black, Breach::NoMove), 0);
        report.close(first, Status::Rejected);
        assert_eq!(counted(report.scene, report.records, white, Breach::Move), 2);
    }
}
