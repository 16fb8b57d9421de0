//! Castling to wrong squares, the rook first: what looked like a rook's move was the first half of something illegal
//! (3.8), and the press completes that.

use crate::event::Event;
use crate::infer::View;
use crate::table::{Press, Table};
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::{Position as _, Variant};

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
}
