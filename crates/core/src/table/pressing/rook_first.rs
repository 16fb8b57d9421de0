//! Castling, the rook first. What looked like a rook's move was the first half of it, though the opponent has answered; or,
//! if the king went elsewhere, of something illegal (3.8), which the press completes.

use crate::event::Event;
use crate::infer::View;
use crate::ply::Ply;
use crate::table::{Press, Table};
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Table<V> {
    /// Withdraws the rook's move that `press` would complete, if the king followed it to where no castling takes him.
    pub(super) fn unmake_half_of_castling(&mut self, press: Press, out: &mut Vec<Event>) {
        let Some(game) = self.scene.playing() else { return };
        let ply = game.tracker.plies();
        let is_open = self.scene.mover(ply) == Some(press.side)
            && game
                .plies
                .get(ply)
                .is_some_and(|known| known.completed_ns.is_none() && known.illegal.is_none());
        if !is_open || game.tracker.is_explained() {
            return;
        }
        let named = self.scene.view == View::Identity;
        let before = game.tracker.position(ply.before());
        let departure = before.departure(&game.tracker.contents(), named);
        if matches!(departure, Departure::Illegal { kinds, .. } if kinds == [Kind::CastlingWrong]) {
            self.with_tracker(out, |tracker, steps| tracker.cut(ply.before(), press.at_ns, steps));
        }
    }

    /// A castling that was pressed with the king in the hand is pressed again when it is done: nothing hangs on that.
    pub(super) fn finishes_castling(&self, press: Press) -> bool {
        let Some(game) = self.scene.playing() else { return false };
        let is_own = |&ply: &Ply| self.scene.mover(ply) == Some(press.side);
        let last = game.tracker.plies().all().rev().find(is_own);
        last.is_some_and(|ply| {
            let is_castling = game.tracker.mv(ply).is_some_and(|mv| mv.castling().is_some());
            let early = game.plies[ply].completed_ns.filter(|&at_ns| at_ns < game.tracker.made_ns(ply));
            is_castling && early.is_some_and(|at_ns| at_ns < press.at_ns)
        })
    }
}
