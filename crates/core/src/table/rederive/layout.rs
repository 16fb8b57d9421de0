//! The game began from another array than was assumed, of those that look alike where squares only are felt (four-player.md,
//! section 3): it is derived again from that one, which is assumed from now on.

use crate::event::Event;
use crate::ply::Ply;
use crate::table::Table;
use adoube_rules::draw::History;
use adoube_rules::stamp::Stamp;
use adoube_rules::{Position as _, Variant};

use super::Derived;

impl<V: Variant> Derived<V> {
    /// Derives the game again from the other array, or keeps the one that was assumed where what was ruled stands against
    /// that; true if it seemed to have begun otherwise.
    pub(super) fn begin_otherwise(&mut self, out: &mut Vec<Event>) -> bool {
        let Some(layout) = self.table.other_layout.as_deref().cloned() else { return false };
        if self.begin_from(layout, out).is_none() {
            self.table.keep_layout(out);
        }
        true
    }

    fn begin_from(&mut self, layout: V::Position, out: &mut Vec<Event>) -> Option<()> {
        let (was, numbers) = self.derive_as_told().ok()?;
        let (mut base, start) = (self.base.table.clone(), layout.fen());
        base.assume(layout);
        let mut now = self.derive(&base, |place| self.rulings[place].is_undone, numbers, true).ok()?;
        now.advance(self.table.scene.now);
        let is_begun = now.table.scene.game.as_ref().is_some_and(|game| game.start == start);
        if !is_begun || now.table.other_layout.is_some() {
            return None;
        }
        let again = now.table.numbers.end_again();
        now.keep_names(&self.table);
        now.tell(&was, &base, None, out);
        (self.base.table, self.table) = (base, now.table);
        self.again = Some((again, self.table.numbers.last()));
        self.base_again();
        Some(())
    }
}

impl<V: Variant> Table<V> {
    /// From now on `layout` is assumed, also of a game that waits for its first move.
    fn assume(&mut self, layout: V::Position) {
        let untouched = self.scene.game.as_ref().filter(|game| game.is_untouched());
        let tracker = untouched
            .map(|game| self.scene.tracker(layout.clone(), game.turned, game.tracker.made_ns(Ply::START)));
        if let Some((game, tracker)) = self.scene.game.as_mut().zip(tracker) {
            game.tracker = tracker;
            (game.start, game.history) = (layout.fen(), History::new(&layout));
            if let Some(info) = &mut game.info {
                info.start = layout.fen();
            }
        }
        self.scene.setting.usual = layout;
    }

    /// The same as [`Table::advance`], with the layout that is assumed.
    pub(super) fn advance_anyway(&mut self, to: Stamp, out: &mut Vec<Event>) {
        self.advance(to, out);
        while self.other_layout.is_some() {
            self.keep_layout(out);
            self.advance(to, out);
        }
    }

    /// The game goes on from the array that was assumed, and a press that waited is judged by that.
    fn keep_layout(&mut self, out: &mut Vec<Event>) {
        self.other_layout = None;
        if let Some(game) = &mut self.scene.game {
            game.tracker.keep_layout();
        }
        // One that is not due yet has its own time.
        if self.pending.verdict_ns.is_none() && self.pending.press.is_some_and(|press| !press.is_waiting) {
            self.judge_press(out);
        }
    }
}
