//! The numbers of records. A record that is found again when a table is derived again is the same one and
//! keeps its number, whatever else is found beside it (DESIGN 2.2).

use crate::event::RecordId;
use std::collections::{BTreeMap, BTreeSet};

use crate::table::records::Key;

/// What a record was when it got its number: its key, and the record that it belongs to.
type Opened = (Key, Option<RecordId>);

/// Gives out the numbers.
#[derive(Debug, Clone, Default)]
pub(in crate::table) struct Numbers {
    last: RecordId,
    again: Option<Box<Again>>,
}

/// What was numbered before, in a table that is derived again.
#[derive(Debug, Clone, Default)]
pub(super) struct Again {
    /// By the instant at which it was opened, and its number.
    known: BTreeMap<(u64, RecordId), Opened>,
    taken: BTreeSet<RecordId>,
    /// The line is another one: what is found at another instant may be the same all the same.
    is_other_line: bool,
}

impl Again {
    /// Its number, if it has one.
    fn find(&self, opened: &Opened, at_ns: u64) -> Option<RecordId> {
        let free = |number: RecordId| !self.taken.contains(&number);
        let same = |((_, number), known): (&(u64, RecordId), &Opened)| {
            (known == opened && free(*number)).then_some(*number)
        };
        let then = self.known.range((at_ns, RecordId(0))..=(at_ns, RecordId(u64::MAX))).find_map(same);
        // Without a ply it is about its instant alone.
        let is_of_a_ply = self.is_other_line && !opened.0.ply.is_start();
        then.or_else(|| self.known.iter().find_map(same).filter(|_| is_of_a_ply))
    }
}

impl Numbers {
    /// The number of a record that is opened now.
    pub(in crate::table) fn next(&mut self, key: &Key, of: Option<RecordId>, at_ns: u64) -> RecordId {
        let Some(again) = &mut self.again else {
            self.last.0 += 1;
            return self.last;
        };
        let opened = (key.clone(), of);
        let number = again.find(&opened, at_ns).unwrap_or_else(|| {
            self.last.0 += 1;
            self.last
        });
        again.taken.insert(number);
        again.known.insert((at_ns, number), opened);
        number
    }

    /// The last number that was given out.
    pub(super) fn last(&self) -> RecordId {
        self.last
    }

    /// From now on what `again` knows keeps its number, and what it does not gets one after `last`.
    pub(super) fn begin_again(&mut self, mut again: Again, last: RecordId, is_other_line: bool) {
        again.taken.clear();
        again.is_other_line = is_other_line;
        self.last = self.last.max(last);
        self.again = Some(Box::new(again));
    }

    /// The table is derived: what is opened from now on is new.
    pub(super) fn end_again(&mut self) -> Again {
        self.again.take().map(|again| *again).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ply::Ply;
    use adoube_rules::laws::Name;

    fn key(name: Name, ply: u32) -> Key {
        Key { name, ply: Ply::new(ply), side: None, player: None, squares: Vec::new() }
    }

    /// Opened in this order: name, ply, the record that it belongs to, instant.
    fn opened(numbers: &mut Numbers, of: &[(Name, u32, Option<u64>, u64)]) -> Vec<u64> {
        of.iter()
            .map(|&(name, ply, of, at_ns)| numbers.next(&key(name, ply), of.map(RecordId), at_ns).0)
            .collect()
    }

    #[test]
    fn what_is_found_again_keeps_its_number() {
        const ALL: [(Name, u32, Option<u64>, u64); 4] = [
            (Name::DrawOffer, 0, None, 10),
            (Name::DrawOffer, 0, None, 20),
            (Name::IllegalMoveCompleted, 7, None, 30),
            (Name::RestorePosition, 7, Some(3), 30),
        ];
        let mut first = Numbers::default();
        first.begin_again(Again::default(), RecordId(0), false);
        assert_eq!(opened(&mut first, &ALL), [1, 2, 3, 4]);
        let again = first.end_again();
        assert_eq!(opened(&mut first, &[(Name::DrawOffer, 0, None, 40)]), [5]);

        // Without the first one, and the third a little later.
        let mut second = Numbers::default();
        second.begin_again(again.clone(), first.last(), true);
        let other =
            [ALL[1], (Name::TouchMoveSuspected, 3, None, 25), (Name::IllegalMoveCompleted, 7, None, 35)];
        assert_eq!(opened(&mut second, &other), [2, 6, 3]);
        assert_eq!(opened(&mut second, &[(Name::RestorePosition, 7, Some(3), 35)]), [4]);
        // An offer at another instant is another offer.
        assert_eq!(opened(&mut second, &[(Name::DrawOffer, 0, None, 11)]), [7]);

        // Derived again as it is: each has the number that it had.
        let again = second.end_again();
        let mut third = Numbers::default();
        third.begin_again(again, second.last(), false);
        assert_eq!(opened(&mut third, &other), [2, 6, 3]);
        assert_eq!(opened(&mut third, &[(Name::IllegalMoveCompleted, 7, None, 50)]), [8]);
    }
}
