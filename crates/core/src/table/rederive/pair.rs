//! The end of a game on two boards is undone where it was said: here, too, it is derived again as if nothing had been
//! heard of that end (appendix D.2).

use crate::event::Event;
use crate::table::Neighbour;
use adoube_rules::Variant;

use super::Derived;

impl<V: Variant> Derived<V> {
    /// Forgets that the game has ended on its other board, if that no longer says so.
    pub(super) fn unhear_the_end(&mut self, neighbour: &Neighbour, out: &mut Vec<Event>) {
        if !self.table.may_go_on(neighbour) {
            return;
        }
        let Some(facts) = self.facts.without_end(neighbour) else { return };
        // What is kept was taken once already: it can be taken again.
        let Ok((was, numbers)) = self.derive_as_told() else { return };
        self.facts = facts;
        let mut undone: Vec<bool> = self.rulings.iter().map(|made| made.is_undone).collect();
        let mut now = loop {
            let derive = |is_other_line| {
                self.derive(&self.base.table, |place| undone[place], numbers.clone(), is_other_line)
            };
            match derive(true).or_else(|refused| derive(false).map_err(|_| refused)) {
                Ok(now) => break now,
                // It rests on the end, and goes with it.
                Err((place, _)) => undone[place] = true,
            }
        };
        now.advance_anyway(self.table.scene.now);
        let again = now.table.numbers.end_again();
        now.keep_names(&self.table);
        now.tell(&was, &self.base.table, None, out);
        self.table = now.table;
        for (made, is_undone) in self.rulings.iter_mut().zip(undone) {
            made.is_undone = is_undone;
        }
        self.again = Some((again, self.table.numbers.last()));
        self.base_again();
    }
}
