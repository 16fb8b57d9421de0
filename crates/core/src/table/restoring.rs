//! A position that the arbiter restores is put back by hand: which squares still differ.
//!
//! It is the only thing about a running game that a board may show its players, because the arbiter himself has
//! told them (12.6, 12.7; he puts the position right with them: 7.2 to 7.5).

use super::scene::Scene;
use super::{Table, orientation, setting_up};
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::square::Square;

impl<V: Variant> Table<V> {
    /// The position after `ply` was ruled to stand again: from now on until it does, it is being put back.
    pub(super) fn restoring_begins(&mut self, ply: Ply) {
        self.restoring = Some(ply);
        self.watch_restoring();
    }

    /// The picture changed: once the position stands, what differs later is no restoring.
    pub(super) fn watch_restoring(&mut self) {
        if self.restoring.is_some() && to_put_right(&self.scene).next().is_none() {
            self.restoring = None;
        }
    }

    /// The squares that still differ from a position which the arbiter has restored, as the sensor counts them.
    #[must_use]
    pub fn restoring(&self) -> Vec<Square> {
        let (Some(ply), Some(game)) = (self.restoring, self.scene.playing()) else { return Vec::new() };
        // A game that goes on from there is not being restored any more.
        if game.tracker.plies() != ply {
            return Vec::new();
        }
        to_put_right(&self.scene).map(|square| orientation::sensor_square(&self.scene, square)).collect()
    }
}

/// Where the board shows something else than the position; what a sick square shows nobody can put right.
pub(super) fn to_put_right<V: Variant>(scene: &Scene<V>) -> impl Iterator<Item = Square> {
    let is_sick = |&square: &Square| scene.game.as_ref().is_some_and(|game| game.tracker.is_sick(square));
    setting_up::differing_squares(scene).into_iter().filter(move |square| !is_sick(square))
}
