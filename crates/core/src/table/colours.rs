//! Reversed colours: a new game, or play on (7.3; 2005: 7.2).

use super::records::Draft;
use super::scene::Scene;
use super::{Table, setting_up};
use crate::event::Event;
use crate::event::finding::{AnnulGame, ColoursReversed, ColoursRuling};
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;

/// What becomes of a game that was begun with reversed colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColoursVerdict {
    /// Moves made, by [`Side::index`].
    pub(super) made: [u32; 2],
    /// The registry's `verdict`.
    pub(super) verdict: ColoursRuling,
    /// One side has reached the limit, the other has not: the arbiter chooses.
    pub(super) is_boundary: bool,
}

impl<V: Variant> Table<V> {
    /// Somebody says that the players have each other's colours.
    pub(super) fn report_colours(&mut self, out: &mut Vec<Event>) {
        if self.scene.game.is_none() {
            return;
        }
        let ColoursVerdict { made: [white, black], verdict, is_boundary } = colours_verdict(&self.scene);
        let boundary = is_boundary.then_some(true);
        let record = self.open(Draft::open(ColoursReversed { white, black, verdict, boundary }), out);
        if verdict == ColoursRuling::NewGame {
            let reason = Name::ColoursReversed.as_str().to_owned();
            self.propose(Draft::open(AnnulGame { reason }), record, out);
        }
    }
}

/// The verdict as things are.
pub(super) fn colours_verdict<V: Variant>(scene: &Scene<V>) -> ColoursVerdict {
    let made = setting_up::moves(scene, |_| true);
    let is_over = scene.playing().is_none() && scene.profile.colours_reversed_early_result_stands;
    let reached = |limit: u32| Side::BOTH.map(|side| made[side.index()] >= limit);
    let (verdict, is_boundary) = match scene.profile.colours_reversed_restart_below.map(reached) {
        _ if is_over => (ColoursRuling::ResultStands, false),
        None | Some([true, true]) => (ColoursRuling::Continue, false),
        Some([white, black]) => (ColoursRuling::NewGame, white != black),
    };
    ColoursVerdict { made, verdict, is_boundary }
}
