//! A table that can be derived again from what it was told (DESIGN 2.2).
//!
//! [`Derived`] keeps the table as it was before the running game opened, and every input since. A ruling is
//! undone by taking the same inputs once more without it: nothing has to know what that ruling changed. The
//! difference between what was said and what follows now goes out as events, and the table goes on from what
//! follows now. So it is, too, when the game turns out to have begun from another array (`layout`), or when its end
//! is undone on the other board on which it is played (`pair`). `facts` keeps
//! the inputs, `numbers` the numbers of records, `told` finds the difference, `undo` chooses the ruling.

mod facts;
mod layout;
mod numbers;
mod pair;
mod told;
mod undo;

use super::{Carried, LinkNews, Moved, Neighbour, Pairing, Setting, Table, sensing};
use crate::event::{Event, GameName, RecordId};
use crate::infer::SickSquare;
use std::ops::Deref;

use facts::{Fact, Facts, Place};
use numbers::Again;

use crate::ruling::{Ruled, Ruling, RulingError};
use adoube_rules::Variant;
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::Stamp;

pub(super) use numbers::Numbers;
use told::Told;

/// What the inputs of a game may take (DESIGN 2.2): a session of four hours on a board that speaks once a
/// second takes a quarter of it.
const FACTS_MAX: usize = 1 << 20;

/// A table as it was at a place among its inputs: what comes after can be derived from it.
#[derive(Debug, Clone)]
struct Base<V: Variant> {
    table: Table<V>,
    place: Place,
    /// How many rulings had been made.
    ruled: usize,
}

/// A ruling that was carried out.
#[derive(Debug, Clone)]
struct Made {
    name: &'static str,
    at: Stamp,
    is_undone: bool,
    /// The ruling that it undid: how many were made before that one.
    undid: Option<usize>,
}

/// One board with the game on it, and what is needed to derive it again.
#[derive(Debug, Clone)]
pub struct Derived<V: Variant> {
    table: Table<V>,
    base: Box<Base<V>>,
    /// Where the base may go next.
    next: Option<Box<Base<V>>>,
    facts: Facts,
    /// The rulings among the facts, in order. There were `base.ruled` before them.
    rulings: Vec<Made>,
    /// The numbers that records have, once something was undone.
    again: Option<Known>,
    /// The game that was open when we last looked.
    open: Option<GameName>,
}

/// What can be asked of the table; whatever changes it goes through [`Derived`].
impl<V: Variant> Deref for Derived<V> {
    type Target = Table<V>;

    fn deref(&self) -> &Table<V> {
        &self.table
    }
}

/// What records were numbered, and the last number.
type Known = (Again, RecordId);

/// A table derived again, and what it said.
struct Run<V: Variant> {
    table: Table<V>,
    told: Told,
}

impl<V: Variant> Derived<V> {
    /// A table at which nothing has been seen yet.
    #[must_use]
    pub fn new(setting: Setting<V>, at: Stamp) -> Self {
        Self::from(Table::new(setting, at))
    }

    /// A table that knows what is carried; nothing before that can be undone.
    #[must_use]
    pub fn carried(setting: Setting<V>, carried: Carried, at: Stamp) -> Self {
        Self::from(Table::carried(setting, carried, at))
    }

    fn from(table: Table<V>) -> Self {
        let at = table.scene.now;
        let facts = Facts::new(at.mono_ns);
        let base = Box::new(Base { table: table.clone(), place: facts.end(), ruled: 0 });
        let open = table.opened().cloned();
        Self { table, base, next: None, facts, rulings: Vec::new(), again: None, open }
    }

    /// Fires every timer due at or before `to`, each at its own time. That is no input: another input at
    /// `to` would have done the same.
    pub fn advance(&mut self, to: Stamp, out: &mut Vec<Event>) {
        self.table.advance(to, out);
        while self.begin_otherwise(out) {
            self.table.advance(to, out);
        }
        self.look(out);
    }

    /// Something was read.
    pub fn reading(&mut self, reading: &Reading, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.facts.reading(reading, self.table.sensed_before(reading), at.mono_ns);
        self.table.reading(reading, at, out);
        self.look(out);
    }

    /// Something is new of the link to the board.
    pub fn link(&mut self, news: LinkNews, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.facts.link(news, at.mono_ns);
        self.table.link(news, at, out);
        self.look(out);
    }

    /// The board is taken away, and nothing more comes of it: its game is closed.
    pub fn removed(&mut self, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.table.leave(out);
        self.look(out);
    }

    /// The board has said nothing for so long.
    pub fn stale(&self, age_ms: u64, out: &mut Vec<Event>) {
        self.table.stale(age_ms, out);
    }

    /// Another board has something new.
    pub fn neighbour(&mut self, neighbour: &Neighbour, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.unhear_the_end(neighbour, out);
        self.facts.neighbour(neighbour, at.mono_ns);
        self.table.neighbour(neighbour, at, out);
        self.look(out);
    }

    /// The board told who it is.
    pub(crate) fn identified(
        &self,
        serial: Option<String>,
        protocol: &'static str,
        port: String,
        out: &mut Vec<Event>,
    ) {
        self.table.identified(serial, protocol, port, out);
    }

    /// The board is given a pairing, or loses its own.
    ///
    /// # Errors
    /// [`RulingError`] if another game is being played; nothing has changed then.
    pub fn pair(
        &mut self,
        pairing: Option<&Pairing>,
        at: Stamp,
        out: &mut Vec<Event>,
    ) -> Result<(), RulingError> {
        self.advance(at, out);
        let refused = |reason| RulingError::Inapplicable { name: "assign", reason };
        self.table.check_pairing(pairing).map_err(refused)?;
        self.facts.pairing(pairing, at.mono_ns);
        self.table.take_pairing(pairing.cloned(), out);
        self.look(out);
        Ok(())
    }

    /// Earlier games on this board have found these squares sick, as the sensor counts them.
    pub fn sick(&mut self, sick: &[SickSquare], at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.facts.sick(sick, at.mono_ns);
        self.table.know_sick(sick.to_vec(), out);
        self.look(out);
    }

    /// Carries out a ruling.
    ///
    /// # Errors
    /// [`RulingError`] if it cannot apply now; nothing has changed then.
    pub fn ruling(&mut self, ruled: &Ruled, at: Stamp, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.advance(at, out);
        let undid = if let Ruling::Undo { ruling } = &ruled.ruling {
            let undone = self.undo(ruling, ruled.by.as_deref(), at, out);
            Some(undone.map_err(|refusal| ruled.ruling.refused(refusal))?)
        } else {
            // Rulings are rare, and a refused one must leave nothing behind, however far it came.
            let (untouched, said) = (self.table.clone(), out.len());
            if let Err(error) = self.table.ruling(ruled, at, out) {
                self.table = untouched;
                out.truncate(said);
                return Err(error);
            }
            None
        };
        self.facts.ruling(ruled, at);
        self.rulings.push(Made { name: ruled.ruling.name(), at, is_undone: false, undid });
        if undid.is_some() {
            // A ruling that holds again is none that is being carried out: nobody said so at the board.
            self.table.restoring = None;
            self.base_again();
        }
        self.look(out);
        Ok(())
    }

    /// The game goes on at another board, or one comes from there. Nothing before that can be undone.
    ///
    /// # Errors
    /// [`RulingError`] if it cannot; nothing has changed then.
    pub fn moved(&mut self, moved: &Moved, at: Stamp, out: &mut Vec<Event>) -> Result<(), RulingError> {
        if !moved.takes_what_stood() {
            self.advance(at, out);
        }
        let (untouched, said, ruling) = (self.table.clone(), out.len(), &moved.ruled.ruling);
        if let Err(refusal) = self.table.moved(moved, at, out) {
            self.table = untouched;
            out.truncate(said);
            return Err(ruling.refused(refusal));
        }
        self.rulings.push(Made { name: ruling.name(), at, is_undone: false, undid: None });
        self.next = Some(Box::new(self.here()));
        self.go_on();
        self.open = self.table.opened().cloned();
        Ok(())
    }

    /// After an input: the base goes on when a new game has opened, or when there is no more room.
    fn look(&mut self, out: &mut Vec<Event>) {
        self.begin_otherwise(out);
        if self.table.opened() != self.open.as_ref() {
            let open = self.table.opened().cloned();
            match (&self.open, &open) {
                // The closing itself can be undone until the next game opens.
                (_, None) => self.next = Some(Box::new(self.here())),
                (None, Some(_)) => self.go_on(),
                (Some(_), Some(_)) => {
                    self.next = Some(Box::new(self.here()));
                    self.go_on();
                }
            }
            self.open = open;
        }
        if self.facts.len() >= FACTS_MAX / 2 {
            if self.facts.len() >= FACTS_MAX {
                self.go_on();
            }
            if self.next.is_none() {
                self.next = Some(Box::new(self.here()));
            }
        }
    }

    /// After an undoing: what was kept of the table on the way is no longer what follows.
    fn base_again(&mut self) {
        self.open = self.table.opened().cloned();
        self.next = self.open.is_none().then(|| Box::new(self.here()));
    }

    fn here(&self) -> Base<V> {
        Base {
            table: self.table.clone(),
            place: self.facts.end(),
            ruled: self.base.ruled + self.rulings.len(),
        }
    }

    /// What lies before `next` is history: it can no longer be undone.
    fn go_on(&mut self) {
        let Some(next) = self.next.take() else { return };
        self.facts.forget_before(next.place);
        self.rulings.drain(..next.ruled - self.base.ruled);
        self.base = next;
        if self.rulings.iter().all(|made| made.undid.is_none()) {
            self.again = None;
        }
    }

    /// What was told of the table up to now, and the numbers of its records.
    ///
    /// # Errors
    /// As [`Derived::derive`].
    fn derive_as_told(&self) -> Result<(Run<V>, Known), (usize, RulingError)> {
        let said = self.again.clone().unwrap_or_else(|| (Default::default(), RecordId::NONE));
        let mut was = self.derive(&self.base.table, |place| self.rulings[place].is_undone, said, false)?;
        if self.table.other_layout.is_some() {
            // What comes of it is about to be found out.
            was.advance(self.table.scene.now);
        } else {
            was.advance_anyway(self.table.scene.now);
        }
        debug_assert_eq!(was.table.scene.inputs, self.table.scene.inputs);
        debug_assert_eq!(was.table.numbers.last(), self.table.numbers.last());
        let numbers = (was.table.numbers.end_again(), self.table.numbers.last());
        Ok((was, numbers))
    }

    /// Takes the same inputs once more at a table like `base`, without the rulings that `is_left_out` names by
    /// their place.
    ///
    /// # Errors
    /// The place of the first ruling that does not apply any longer, and why.
    fn derive(
        &self,
        base: &Table<V>,
        is_left_out: impl Fn(usize) -> bool,
        numbers: Known,
        is_other_line: bool,
    ) -> Result<Run<V>, (usize, RulingError)> {
        let mut table = base.clone();
        table.numbers.begin_again(numbers.0, numbers.1, is_other_line);
        let mut told = Told::default();
        let mut out = Vec::new();
        let mut place = 0;
        for (at_ns, fact) in self.facts.iter() {
            let at = self.table.scene.now.at(at_ns);
            table.advance_anyway(at, &mut out);
            match fact {
                Fact::Reading(reading) => table.reading(&reading, at, &mut out),
                Fact::Changes(changes) => {
                    table.reading(
                        &Reading::Frame(sensing::frame_after(&table.scene, &changes)),
                        at,
                        &mut out,
                    );
                }
                Fact::Link(news) => table.link(news, at, &mut out),
                Fact::Neighbour(neighbour) => table.neighbour(&neighbour, at, &mut out),
                Fact::Pairing(pairing) => table.take_pairing(pairing, &mut out),
                Fact::Sick(sick) => table.know_sick(sick, &mut out),
                Fact::Ruling(ruled, utc_ns) => {
                    told.take(&mut out, None);
                    if matches!(ruled.ruling, Ruling::Undo { .. }) || is_left_out(place) {
                        table.pass();
                        // As it was then: whoever undoes a ruling restores nothing.
                        if matches!(ruled.ruling, Ruling::Undo { .. }) {
                            table.restoring = None;
                        }
                    } else {
                        let at = Stamp { utc_ns, ..at };
                        table.ruling(&ruled, at, &mut out).map_err(|error| (place, error))?;
                        told.take(&mut out, Some(place));
                    }
                    place += 1;
                }
            }
            told.take(&mut out, None);
        }
        Ok(Run { table, told })
    }
}

impl<V: Variant> Run<V> {
    /// Fires what was due since the last input.
    fn advance(&mut self, to: Stamp) {
        let mut out = Vec::new();
        self.table.advance(to, &mut out);
        self.told.take(&mut out, None);
    }

    /// The same, whatever seems to have been the array.
    fn advance_anyway(&mut self, to: Stamp) {
        let mut out = Vec::new();
        self.table.advance_anyway(to, &mut out);
        self.told.take(&mut out, None);
    }

    /// The name of a game is never used twice.
    fn keep_names(&mut self, used: &Table<V>) {
        self.table.free_games = self.table.free_games.max(used.free_games);
        for (round, of_round) in &used.scene.paired.games {
            let known = self.table.scene.paired.games.entry(*round).or_default();
            for (number, games) in of_round {
                let known = known.entry(*number).or_default();
                *known = (*known).max(*games);
            }
        }
    }
}

impl<V: Variant> Table<V> {
    /// The game that is open.
    pub(super) fn opened(&self) -> Option<&GameName> {
        self.scene.info().map(|info| &info.name)
    }

    /// An input that does nothing here.
    fn pass(&mut self) {
        self.scene.inputs += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::{ClockReading, Frame, Side};
    use adoube_rules::stamp::SECOND;
    use adoube_rules::{Chess, ChessPosition, GameResult};
    use serde_json::json;

    fn rule(table: &mut Derived<Chess>, ruling: &serde_json::Value, second: u64) -> Result<(), String> {
        let ruling = Ruled::parse(ruling).unwrap();
        let at = Stamp::default().at(second * SECOND);
        table.ruling(&ruling, at, &mut Vec::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let open = crate::station::Open::new("1", crate::station::FRAMES, "test");
        let mut table: Derived<Chess> =
            Derived::new(open.chess(adoube_rules::laws::Profile::default()).unwrap(), Stamp::default());
        let mut out = Vec::new();
        let start = ChessPosition::default().contents();
        table.reading(&Reading::Frame(Frame::Identity(start)), Stamp::default(), &mut out);
        let draw = json!({ "name": "result", "value": "1/2-1/2" });
        let hours = 40 * 3_600;
        for second in 5..hours {
            if second == 10 || second == hours - 10 {
                let result =
                    if second == 10 { &draw } else { &json!({"name": "change-result", "value": "1-0"}) };
                rule(&mut table, result, second).unwrap();
            }
            let reading = ClockReading {
                left_ms: [5_400_000 - second % 3_600 * 1_000, 5_400_000],
                running: Some(Side::White),
                lever: Some(Side::White),
                flags: [false; 2],
                counter: None,
                by_end: false,
            };
            table.reading(&Reading::Clock(Some(reading)), Stamp::default().at(second * SECOND), &mut out);
            out.clear();
            assert!(table.facts.len() <= FACTS_MAX, "{}", table.facts.len());
        }
        assert!(table.facts.len() >= FACTS_MAX / 2, "half of it is there to be undone");
        let undo = |number: u32| json!({ "name": "undo", "ruling": number });
        let old = rule(&mut table, &undo(1), hours).unwrap_err();
        assert!(old.contains("too long ago"), "{old}");
        rule(&mut table, &undo(2), hours).unwrap();
        assert_eq!(table.table.result(), Some(GameResult::Draw));
    }
}
