//! `undo`: which ruling is meant, and whether the game can be derived without it.

use crate::event::{Body, Event};
use crate::ruling::{Inapplicable, Reference, Ruled, Ruling, RulingError, inapplicable};
use adoube_rules::Variant;
use adoube_rules::stamp::Stamp;

use super::told::Undone;
use super::{Derived, Made};

impl<V: Variant> Derived<V> {
    /// Undoes a ruling, or an undoing; how many rulings were made before it.
    pub(super) fn undo(
        &mut self,
        ruling: &Reference,
        by: Option<&str>,
        at: Stamp,
        out: &mut Vec<Event>,
    ) -> Result<usize, Inapplicable> {
        let place = self.meant(ruling)?;
        let mut rulings = self.rulings.clone();
        rulings[place].is_undone = true;
        // To undo an undoing is to let the ruling stand after all.
        let again = rulings[place].undid.and_then(|undid| undid.checked_sub(self.base.ruled));
        if let Some(made) = again.and_then(|place| rulings.get_mut(place)) {
            made.is_undone = false;
        }
        let refused = |(place, error): (usize, RulingError)| refusal(&self.rulings[place], &error);
        let (was, numbers) = self.derive_as_told().map_err(refused)?;
        let derive = |is_other_line| {
            self.derive(&self.base.table, |place| rulings[place].is_undone, numbers.clone(), is_other_line)
                .map_err(refused)
        };
        // What is now found at another instant, too, must not take the number by which a later ruling means what
        // was found at its own.
        let mut now = derive(true).or_else(|refused| derive(false).map_err(|_| refused))?;
        now.advance_anyway(self.table.scene.now);
        let numbers = now.table.numbers.end_again();
        now.table.pass();
        now.keep_names(&self.table);
        let number = self.base.ruled + place + 1;
        // Said by its number, however it was called.
        let ruling = Ruling::Undo { ruling: Reference::Number(number as u64) };
        let ruled = Ruled { ruling, by: by.map(str::to_owned) };
        self.table.scene.now = at;
        self.table.emit(Body::Ruled(Box::new(ruled)), out);
        now.tell(&was, &self.base.table, Some(&Undone { place, by }), out);
        self.table = now.table;
        self.rulings = rulings;
        self.again = Some((numbers, self.table.numbers.last()));
        Ok(number - 1)
    }

    /// The place of the youngest ruling of that name.
    fn youngest(&self, name: &str) -> Result<usize, Inapplicable> {
        let is_meant = |made: &Made| made.name == name && !made.is_undone;
        self.rulings.iter().rposition(is_meant).ok_or_else(|| {
            let known = self.rulings.iter().filter(|made| !made.is_undone).map(|made| made.name);
            inapplicable(match adoube_rules::spelling::nearest(name, known) {
                "" => format!("no {name} was carried out in this game, nor anything else"),
                nearest => {
                    format!("no {name} was carried out in this game; the nearest that was, is {nearest}")
                }
            })
        })
    }

    /// The place of the ruling that is meant: by its number, or the youngest that has a name.
    fn meant(&self, ruling: &Reference) -> Result<usize, Inapplicable> {
        let number = match ruling {
            Reference::Name(name) => return self.youngest(name),
            Reference::Number(number) => usize::try_from(*number).unwrap_or(usize::MAX),
        };
        let place = number.checked_sub(1).filter(|&before| before < self.base.ruled + self.rulings.len());
        let Some(before) = place else {
            return Err(inapplicable("no such ruling was carried out on this board"));
        };
        let Some(place) = before.checked_sub(self.base.ruled) else {
            return Err(inapplicable(
                "it is too long ago: another game has opened since, or more has happened than is kept",
            ));
        };
        if self.rulings[place].is_undone {
            return Err(inapplicable(format!("{} is undone already", self.rulings[place].name)));
        }
        Ok(place)
    }
}

/// A later ruling rests on the one that is to be undone.
fn refusal(later: &Made, error: &RulingError) -> Inapplicable {
    let at = later.at.rfc3339();
    let time = at.get(11..19).unwrap_or_default();
    let reason = match error {
        RulingError::Inapplicable { reason, .. } => reason.clone(),
        other => other.to_string(),
    };
    let name = later.name;
    inapplicable(format!("{name} of {time} UTC rests on it; undo that first (it would be refused: {reason})"))
}
