//! Reversed colours: a new game, or play on (7.3; 2005: 7.2).

use crate::event::Event;
use crate::rules::Variant;
use crate::rules::laws::Name;
use crate::sensor::Side;

use super::Table;
use super::records::Draft;

/// What becomes of a game that was begun with reversed colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColoursVerdict {
    /// Moves made, by [`Side::index`].
    pub(super) made: [u32; 2],
    /// The registry's `verdict`.
    pub(super) verdict: &'static str,
    /// One side has reached the limit, the other has not: the arbiter chooses.
    pub(super) is_boundary: bool,
}

impl<V: Variant> Table<V> {
    /// The verdict as things are.
    pub(super) fn colours_verdict(&self) -> ColoursVerdict {
        let made = self.moves(|_| true);
        let is_over = self.playing().is_none() && self.profile.colours_reversed_early_result_stands;
        let reached = |limit: u32| Side::BOTH.map(|side| made[side.index()] >= limit);
        let (verdict, is_boundary) = match self.profile.colours_reversed_restart_below.map(reached) {
            _ if is_over => ("result-stands", false),
            None | Some([true, true]) => ("continue", false),
            Some([white, black]) => ("new-game", white != black),
        };
        ColoursVerdict { made, verdict, is_boundary }
    }

    /// Somebody says that the players have each other's colours.
    pub(super) fn report_colours(&mut self, out: &mut Vec<Event>) {
        if self.game.is_none() {
            return;
        }
        let ColoursVerdict { made: [white, black], verdict, is_boundary } = self.colours_verdict();
        let mut draft = Draft::open(Name::ColoursReversed)
            .with("white", white)
            .with("black", black)
            .with("verdict", verdict);
        if is_boundary {
            draft = draft.with("boundary", true);
        }
        let record = self.open(draft, out);
        if verdict == "new-game" {
            self.propose(Draft::open(Name::AnnulGame).with("reason", Name::ColoursReversed), record, out);
        }
    }
}
