//! Results: what ends the game by the arbiter's word, and what he enters against the board (8.7).

use super::Table;
use super::draws::DRAWN;
use super::records::{Draft, Record, Records};
use super::rulings::decided;
use super::scene::Report;
use crate::event::finding::{
    self, DeclareResult, EndedBy, Finding, OutcomeKind, ResultChanged, ResultMismatch,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::laws::{Name, RowKind};
use adoube_rules::sensor::Side;
use adoube_rules::{GameResult, Variant};

/// Ends of the game that the board itself shows: a result that says otherwise is a mismatch.
const CERTAIN: [Name; 5] =
    [Name::Checkmate, Name::Stalemate, Name::DeadPosition, Name::FivefoldRepetition, Name::SeventyFiveMoves];

impl Records {
    /// The end of the game by ply `ply`, if it is open.
    fn waiting_end(&self, ply: Ply) -> Option<&Record> {
        self.open().find(|record| record.key.ply == ply && CERTAIN[..3].contains(&record.name()))
    }
}

impl<V: Variant> Table<V> {
    /// The game has another result than it had.
    pub(super) fn rule_change_result(
        &mut self,
        result: GameResult,
        by: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        self.take_waiting(out);
        match self.scene.game.as_ref().map(|game| game.result) {
            None => Err(inapplicable("no game is open on this board")),
            Some(None) => Err(inapplicable("the game has no result yet; use \"result\"")),
            Some(Some(before)) if before == result => {
                Err(inapplicable(format!("the result is {result} already")))
            }
            Some(Some(before)) => {
                self.check_sum(result)?;
                self.change_result(before, result, by, out);
                Ok(())
            }
        }
    }

    /// The game has this result.
    pub(super) fn rule_result(
        &mut self,
        result: GameResult,
        basis: Option<&str>,
        by: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        self.take_waiting(out);
        let (before, ended_by) = match &self.scene.game {
            Some(game) => (game.result, game.ended_by),
            None => return Err(inapplicable("no game is open on this board")),
        };
        self.check_sum(result)?;
        let basis = basis.map(|basis| self.check_basis(basis, result)).transpose()?;
        match (before, ended_by) {
            (None, _) => {
                self.open_game(out);
                self.enter_result(result, basis, out);
                Ok(())
            }
            (Some(before), _) if [result, self.penalised(result)].contains(&before) => Ok(()),
            // Kings on the centre squares hold until the arbiter enters another result.
            (Some(before), None) => {
                mismatch(Name::ResultSignalled, before, result, &mut self.report(out));
                self.change_result(before, result, by, out);
                Ok(())
            }
            (Some(before), Some(EndedBy::Outcome(end))) if CERTAIN.contains(&end) => {
                mismatch(end, before, result, &mut self.report(out));
                Ok(())
            }
            (Some(_), Some(_)) => Err(inapplicable("the game has a result; use \"change-result\"")),
        }
    }

    pub(super) fn change_result(
        &mut self,
        from: GameResult,
        to: GameResult,
        by: Option<&str>,
        out: &mut Vec<Event>,
    ) {
        let changed =
            ResultChanged { from: from.into(), to: to.into(), result: to.into(), by: by.map(str::to_owned) };
        self.open(Draft::notice(changed), out);
        self.close_all(|record| record.name() == Name::ResultMismatch, Status::Corrected, out);
        if let Some(game) = &mut self.scene.game {
            game.result = Some(to);
        }
    }

    /// No game gives more than one point, where the edition says so (10.2).
    fn check_sum(&self, result: GameResult) -> Outcome {
        match result.halves().iter().sum::<u8>() > 2 && self.is_capped() {
            true => Err(inapplicable(format!("no game gives {result}: it has one point (10.2)"))),
            false => Ok(()),
        }
    }

    /// The arbiter enters a result: an open outcome that says the same is confirmed by it.
    fn enter_result(&mut self, result: GameResult, basis: Option<OutcomeKind>, out: &mut Vec<Event>) {
        let outcomes: Vec<(RecordId, Name, bool)> = self
            .records
            .iter()
            .filter(|record| record.is_open() && is_outcome(record))
            .map(|record| (record.number, record.name(), result_of(record) == Some(result)))
            .collect();
        let named = basis.and_then(|basis| {
            let agreed = outcomes.iter().find(|(_, name, agrees)| *name == Name::from(basis) && *agrees);
            agreed.map(|(number, ..)| *number)
        });
        let any = || outcomes.iter().find(|(.., agrees)| *agrees).map(|(number, ..)| *number);
        let agreed = if basis.is_some() { named } else { any() };
        if let Some(number) = agreed {
            return self.outcome_confirmed(number, out);
        }
        match basis {
            Some(kind) => {
                let mut outcome = finding::Outcome::of(result);
                // The arbiter may call a flag that nobody saw: what he would be told then, he is told.
                let winner = Side::BOTH.into_iter().find(|&side| result == GameResult::win(side));
                if let Some(winner) = winner.filter(|_| kind == OutcomeKind::TimeForfeit) {
                    outcome.mate = self.scene.ask_mate(winner);
                }
                self.declare(kind, outcome, out);
            }
            None => {
                self.note_mismatch(result, out);
                self.over(EndedBy::Ruling, result, out);
            }
        }
    }

    /// The board shows an end that nobody has confirmed, and `result` says otherwise.
    fn note_mismatch(&mut self, result: GameResult, out: &mut Vec<Event>) {
        let is_end = |name: Name| CERTAIN.contains(&name) || DRAWN.contains(&name);
        let shown = self.records.open().find(|record| is_end(record.name()));
        let Some((end, sensed)) = shown.and_then(|record| Some((record.name(), result_of(record)?))) else {
            return;
        };
        if sensed != result {
            mismatch(end, sensed, result, &mut self.report(out));
        }
    }

    /// An outcome by the arbiter's word: confirmed as it is said, and the game is over.
    pub(super) fn declare(&mut self, kind: OutcomeKind, outcome: finding::Outcome, out: &mut Vec<Event>) {
        let Some(result) = outcome.result.0 else { return };
        self.open_game(out);
        self.note_mismatch(result, out);
        self.open(Draft::notice((kind, outcome)), out);
        self.over(kind, result, out);
    }

    /// The arbiter declares the result that was proposed.
    pub(super) fn result_declared(&mut self, proposal: &Record, out: &mut Vec<Event>) {
        let Finding::DeclareResult(declare) = &proposal.finding else { return };
        if let Some(outcome) = declare.outcome.and_then(|outcome| self.records.open_number(outcome)) {
            self.outcome_confirmed(outcome, out);
        } else if let Some((of, result)) = proposal.of.zip(declare.result.0) {
            decided::decide(of, Status::Confirmed, &mut self.report(out));
            let basis = self.records.record(of).map_or(EndedBy::Ruling, |record| record.name().into());
            self.over(basis, result, out);
        }
    }

    /// The arbiter confirms an outcome that was proposed: the game is over. What was played after it
    /// leaves the main line (5.1, 9.6).
    pub(super) fn outcome_confirmed(&mut self, number: RecordId, out: &mut Vec<Event>) {
        let Some(known) = self.records.record(number) else { return };
        let (name, ply, of) = (known.name(), known.key.ply, known.of);
        let Some(result) = result_of(known) else { return };
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        if CERTAIN.contains(&name) && ply < plies {
            self.cut(ply, out);
            self.close_all(|record| record.name() == Name::MovesAfterGameEnd, Status::Confirmed, out);
        }
        decided::decide(number, Status::Confirmed, &mut self.report(out));
        if let Some(of) = of {
            decided::decide(of, Status::Confirmed, &mut self.report(out));
            // The game is over: nothing is restored or set any more.
            let is_past = |record: &Record| {
                record.of == Some(of) && record.number != number && record.name() != Name::DeclareResult
            };
            self.close_all(is_past, Status::Expired, out);
        }
        let rivals = |record: &Record| is_outcome(record) && record.number != number;
        self.close_all(rivals, Status::Expired, out);
        self.over(name, result, out);
    }

    /// A mate waits for the records of Article 4 on its move (5.1.1), and as long as the move is in doubt: with
    /// none open, it ends the game.
    pub(super) fn end_if_undisputed(&mut self, out: &mut Vec<Event>) {
        let held = self.scene.playing().filter(|game| game.held_ns.is_none());
        let Some(ply) = held.map(|game| game.tracker.plies()) else { return };
        let is_disputed = self.is_end_disputed(ply);
        if let Some(number) =
            self.records.waiting_end(ply).map(|record| record.number).filter(|_| !is_disputed)
        {
            self.outcome_confirmed(number, out);
        }
    }

    /// The result of an end that waits because its ply is in doubt.
    pub(super) fn held_result(&self) -> Option<GameResult> {
        let game = self.scene.playing().filter(|game| game.held_ns.is_some())?;
        self.records.waiting_end(game.tracker.plies()).and_then(result_of)
    }
}

impl<V: Variant> Report<'_, V> {
    /// Proposes to declare the result that `record` comes to: by the outcome of that name, or by the record
    /// itself.
    pub(super) fn propose_result(
        &mut self,
        outcome: Option<OutcomeKind>,
        result: GameResult,
        record: RecordId,
    ) {
        let basis = self.records.record(record).map(Record::name);
        let declare = DeclareResult { outcome: outcome.map(Name::from), result: result.into(), basis };
        self.propose(Draft::open(declare), record);
    }
}

/// Is it a way in which a game ends?
pub(super) fn is_outcome(record: &Record) -> bool {
    record.name().row().kind == RowKind::Outcome
}

/// Does it propose to declare the outcome of that name?
pub(super) fn declares(record: &Record, outcome: Name) -> bool {
    matches!(&record.finding, Finding::DeclareResult(declare) if declare.outcome == Some(outcome))
}

/// The result that an outcome gives.
fn result_of(record: &Record) -> Option<GameResult> {
    let Finding::Outcome(_, outcome) = &record.finding else { return None };
    outcome.result.0
}

pub(super) fn mismatch<V: Variant>(
    end: impl Into<EndedBy>,
    sensed: GameResult,
    entered: GameResult,
    report: &mut Report<'_, V>,
) {
    let mismatch = ResultMismatch { end: end.into(), result: sensed.into(), value: entered.into() };
    report.open(Draft::open(mismatch));
}

/// The game has ended by `reason`: what was proposed to declare is declared, or past.
pub(super) fn declarations_end<V: Variant>(reason: EndedBy, report: &mut Report<'_, V>) {
    let says = |record: &Record| {
        let Finding::DeclareResult(declare) = &record.finding else { return false };
        [declare.outcome, declare.basis].into_iter().flatten().any(|name| reason == name.into())
    };
    report.close_all(says, Status::Confirmed);
    report.close_all(|record| record.name() == Name::DeclareResult, Status::Expired);
}
