//! What was told of a table, and what is told when it turns out otherwise (DESIGN 2.2): the plies from the
//! first that differs on, then the records by their numbers, then the result and who plays.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use crate::event::finding::{Finding, RecordId, ResultChanged, Score};
use crate::event::{
    Body, Cause, CompletedBy, Event, GameName, MoveCompleted, MoveMade, MoveRetracted, Recorded, Status,
};
use crate::table::Table;
use crate::table::records::Draft;
use adoube_rules::{GameResult, Position as _, Shown, Variant};

/// The newest event of each record, by the record's number.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    records: BTreeMap<RecordId, Said>,
}

#[derive(Debug, Clone)]
struct Said {
    recorded: Recorded,
    /// The game that was open then.
    game: Option<GameName>,
    /// The ruling that said it, by its place.
    ruling: Option<usize>,
}

impl Told {
    /// Takes what an input gave rise to; `ruling`: the place of the ruling that it was.
    pub(super) fn take(&mut self, out: &mut Vec<Event>, ruling: Option<usize>) {
        for event in out.drain(..) {
            if let Body::Record(recorded) = event.body {
                let said = Said { recorded: *recorded, game: event.game, ruling };
                self.records.insert(said.recorded.record, said);
            }
        }
    }
}

/// Two events of a record say the same. Positions as they are written: with their counters.
fn is_same(one: &Recorded, two: &Recorded) -> bool {
    let fens = |recorded: &Recorded| recorded.fens.as_ref().map(|fens| fens.each_ref().map(Shown::fen));
    one.status == two.status
        && one.finding == two.finding
        && one.window == two.window
        && one.severity == two.severity
        && fens(one) == fens(two)
}

/// A published ply.
struct Line {
    made: MoveMade,
    completed: Option<MoveCompleted>,
}

impl Line {
    fn is_same_move(&self, other: &Self) -> bool {
        let (one, two) = (&self.made.played, &other.made.played);
        self.made.made_ns == other.made.made_ns
            && one.uci() == two.uci()
            && one.fen() == two.fen()
            && one.is_legal() == two.is_legal()
    }

    /// The same move, completed at the same instant, with the same times.
    fn is_same(&self, other: &Self) -> bool {
        let completed = |line: &Self| line.completed.as_ref().map(|known| (known.by, known.completed_ns));
        self.is_same_move(other) && self.made.clock == other.made.clock && completed(self) == completed(other)
    }

    /// The same move, that is completed there and not yet here.
    fn is_completed_by(&self, other: &Self) -> bool {
        self.is_same_move(other) && self.completed.is_none() && other.completed.is_some()
    }
}

/// What was undone, and by whom.
pub(super) struct Undone<'a> {
    /// The place of the ruling.
    pub(super) place: usize,
    pub(super) by: Option<&'a str>,
}

impl<V: Variant> Run<V> {
    /// Says how this table, which holds from now on, differs from what was told of it.
    pub(super) fn tell(
        &mut self,
        was: &Self,
        base: &Table<V>,
        undone: Option<&Undone<'_>>,
        out: &mut Vec<Event>,
    ) {
        let (before, after) = (was.table.opened(), self.table.opened().cloned());
        let (mut line, mut result) = (was.table.line_told(), was.table.result());
        if let (true, Some(info)) = (before != after.as_ref(), self.table.scene.info()) {
            if before.is_some() {
                self.say(was, Body::GameClosed { result }, out);
            }
            self.say(was, Body::GameOpened(Box::new(info.clone())), out);
            (line, result) = (Vec::new(), None);
        }
        let holds = self.table.result();
        if let (true, Some(info)) = (before == after.as_ref(), self.table.scene.info())
            && was.table.scene.info() != Some(info)
        {
            let info = Box::new(info.clone());
            self.say(was, Body::GameChanged { info, result: holds }, out);
        }
        let cause = if undone.is_some() { Cause::Ruling } else { Cause::Explanation };
        for body in self.table.line_instead_of(&line, cause, &was.table) {
            self.say(was, body, out);
        }
        for (game, recorded) in self.records_instead_of(was, base, undone.map(|undone| undone.place)) {
            let is_of_game = game.is_none() || game == after;
            if let Some(said) = result_of(&recorded).filter(|_| is_of_game) {
                result = said;
            }
            let first = out.len();
            self.say(was, Body::Record(Box::new(recorded)), out);
            if let (Some(event), Some(game)) = (out.get_mut(first), game) {
                event.game = Some(game);
            }
        }
        if after.is_some() && result != holds {
            let (from, holds) = (Score(result), Score(holds));
            let by = undone.and_then(|undone| undone.by).map(str::to_owned);
            self.table.open(Draft::notice(ResultChanged { from, to: holds, result: holds, by }), out);
        }
        if before.is_some() && after.is_none() {
            self.say(was, Body::GameClosed { result: None }, out);
        }
    }

    /// Says it now, of the game that is open or was.
    fn say(&self, was: &Self, body: Body, out: &mut Vec<Event>) {
        let first = out.len();
        self.table.emit(body, out);
        for event in &mut out[first..] {
            let is_closing = matches!(event.body, Body::GameClosed { .. });
            if event.game.is_none() || is_closing {
                event.game = was.table.scene.game_name();
            }
        }
    }

    /// The newest event of each record that was told otherwise, with the game in which it was found.
    fn records_instead_of(
        &self,
        was: &Self,
        base: &Table<V>,
        undone: Option<usize>,
    ) -> Vec<(Option<GameName>, Recorded)> {
        let (told, now) = (&was.told.records, &self.told.records);
        let numbers: BTreeSet<RecordId> = told.keys().chain(now.keys()).copied().collect();
        let mut records = Vec::new();
        for number in numbers {
            let is_old = number.taken_over().is_some() || number <= base.numbers.last();
            let of_table = || self.table.records.record(number).filter(|_| is_old);
            let holds = match now.get(&number) {
                Some(said) => Some((said.game.clone(), said.recorded.clone())),
                // Nothing changed about it: it is what it was before all this.
                None => of_table()
                    .map(|record| (None, self.table.scene.recorded(record.clone(), &self.table.records))),
            };
            match (told.get(&number), holds) {
                // Found in another game it is said anew: that game may have been called otherwise.
                (Some(said), Some((game, holds)))
                    if is_same(&said.recorded, &holds) && (game.is_none() || game == said.game) => {}
                (None, Some((_, holds))) if holds.status == Status::Withdrawn => {}
                (_, Some(holds)) => records.push(holds),
                (Some(said), None) if !is_old && !is_decided(said, &was.table, undone) => {
                    let withdrawn = self.table.withdrawn(&said.recorded);
                    records.extend(withdrawn.map(|withdrawn| (said.game.clone(), withdrawn)));
                }
                (_, None) => {}
            }
        }
        records
    }
}

/// The arbiter has decided it by another ruling: it stays, although its ground is gone.
fn is_decided<V: Variant>(said: &Said, table: &Table<V>, undone: Option<usize>) -> bool {
    said.ruling.is_some_and(|place| Some(place) != undone)
        && table.records.record(said.recorded.record).is_some_and(|record| record.by_arbiter)
}

/// The result that an event of the record tells.
fn result_of(recorded: &Recorded) -> Option<Option<GameResult>> {
    match &recorded.finding {
        Finding::GameOver(over) => Some(over.result.0),
        Finding::ResultChanged(changed) => Some(changed.result.0),
        Finding::ResultSignalled(signalled) => {
            Some(signalled.result.0).filter(|_| recorded.status == Status::Confirmed)
        }
        _ => None,
    }
}

impl<V: Variant> Table<V> {
    pub(super) fn result(&self) -> Option<GameResult> {
        self.scene.game.as_ref()?.result
    }

    /// The plies that are published.
    fn line_told(&self) -> Vec<Line> {
        let Some(game) = &self.scene.game else { return Vec::new() };
        let known = game.plies.iter().take_while(|(_, known)| !known.is_held);
        known
            .filter_map(|(ply, known)| {
                let played = game.tracker.played(ply)?;
                let completed = known.completed_ns.map(|at_ns| MoveCompleted {
                    ply,
                    played: played.clone(),
                    by: known.completed_by.unwrap_or(CompletedBy::Press),
                    completed_ns: self.scene.elapsed_ns(at_ns),
                    clock: known.clock,
                });
                let made = MoveMade {
                    ply,
                    played,
                    confidence_milli: 1_000,
                    first_lift_ns: self.scene.elapsed_ns(game.tracker.lifted_ns(ply)),
                    made_ns: self.scene.elapsed_ns(game.tracker.made_ns(ply)),
                    clock: known.clock,
                    cause: if known.is_recovered { Cause::Recovered } else { Cause::Ruling },
                };
                Some(Line { made, completed })
            })
            .collect()
    }

    /// What makes this table's line of the one that was told of `was`.
    fn line_instead_of(&self, told: &[Line], cause: Cause, was: &Self) -> Vec<Body> {
        let line = self.line_told();
        let mut bodies = Vec::new();
        let mut common = told.iter().zip(&line).take_while(|(one, two)| one.is_same(two)).count();
        while let (Some(one), Some(two)) = (told.get(common), line.get(common)) {
            if !one.is_completed_by(two) {
                break;
            }
            bodies.extend(two.completed.clone().map(Box::new).map(Body::MoveCompleted));
            common += 1;
            common +=
                told[common..].iter().zip(&line[common..]).take_while(|(one, two)| one.is_same(two)).count();
        }
        // Without a game on the board what held before the ply is what holds.
        if let (Some(gone), Some(game)) =
            (told.get(common), self.scene.game.as_ref().or(was.scene.game.as_ref()))
        {
            bodies.push(Body::MoveRetracted(Box::new(MoveRetracted {
                ply: gone.made.ply,
                played: gone.made.played.clone(),
                fen: game.tracker.position(gone.made.ply.before()).fen(),
                cause,
            })));
        }
        for Line { mut made, completed } in line.into_iter().skip(common) {
            if made.cause != Cause::Recovered {
                made.cause = cause;
            }
            bodies.push(Body::MoveMade(Box::new(made)));
            bodies.extend(completed.map(Box::new).map(Body::MoveCompleted));
        }
        bodies
    }

    /// The event that withdraws what was told, if that still says anything.
    fn withdrawn(&self, told: &Recorded) -> Option<Recorded> {
        let says = matches!(told.status, Status::Open | Status::Confirmed);
        says.then(|| Recorded { status: Status::Withdrawn, clock: self.scene.times(), ..told.clone() })
    }
}
