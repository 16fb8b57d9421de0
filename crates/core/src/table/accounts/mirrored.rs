//! Castling with king and queen exchanged from the start, where national blitz rules have it
//! (`misplaced_castling = mirrored`). The Laws know no such move: it is played as what stood.

use crate::event::Event;
use crate::infer::{Made, View};
use crate::ply::Ply;
use adoube_rules::laws::MisplacedCastling;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

use crate::table::Table;

impl<V: Variant> Table<V> {
    /// Takes the picture as a mirrored castling, whole or half; false if it is none.
    pub(in crate::table) fn mirrored_castling(&mut self, out: &mut Vec<Event>) -> bool {
        if self.scene.profile.misplaced_castling != MisplacedCastling::Mirrored {
            return false;
        }
        let Some(game) = self.scene.playing() else { return false };
        let named = self.scene.view == View::Identity;
        let Some(shown) = game.tracker.best().mirrored_castling(&game.tracker.contents(), named) else {
            return false;
        };
        let is_unmoved = |square: Square| {
            let stood = game.tracker.position(Ply::START).content(square);
            game.tracker.plies().all().all(|ply| game.tracker.position(ply).content(square) == stood)
                && game.tracker.best().content(square) == stood
        };
        if ![shown.king.0, shown.rook.0].into_iter().all(is_unmoved) {
            return false;
        }
        let Some(position) = shown.position else {
            // A press over the half of it is judged like one over half a castling.
            let is_pressed = self.pending.press.is_some();
            if !is_pressed {
                self.half_castled(shown.king.0, shown.king.1, out);
            }
            return !is_pressed;
        };
        let made_ns = self.scene.last_change_ns;
        self.with_tracker(out, |tracker, steps| tracker.announce_whole(made_ns, steps));
        let Some(game) = &mut self.scene.game else { return false };
        game.tracker.go_on_from(position, made_ns);
        let ply = game.tracker.plies();
        let Some(played) = game.tracker.played(ply) else { return false };
        let made = Made {
            ply,
            played,
            first_lift_ns: made_ns,
            made_ns,
            confidence_milli: 1_000,
            explanation: false,
            recovered: false,
        };
        self.made(made, out);
        self.stands(ply, out);
        true
    }
}
