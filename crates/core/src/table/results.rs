//! Results: what ends the game by the arbiter's word, and what he enters against the board (8.7).

use super::Table;
use super::records::{Draft, Record, Records};
use super::rulings::decided;
use super::scene::Report;
use crate::event::finding::{
    self, DeclareResult, EndedBy, Finding, OutcomeKind, ResultChanged, ResultMismatch,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use adoube_rules::laws::{Name, RowKind};
use adoube_rules::sensor::Side;
use adoube_rules::{End, GameResult, Position as _, Variant, spelling};

/// Ends of the game that the board itself shows: a result that says otherwise is a mismatch.
const CERTAIN: [Name; 5] =
    [Name::Checkmate, Name::Stalemate, Name::DeadPosition, Name::FivefoldRepetition, Name::SeventyFiveMoves];

/// Outcomes that the arbiter gives as the basis of a result, and the results that each has.
const DECLARED: [(OutcomeKind, Gives); 17] = [
    (OutcomeKind::Checkmate, Gives::Win),
    (OutcomeKind::Stalemate, Gives::Draw),
    (OutcomeKind::DeadPosition, Gives::Draw),
    (OutcomeKind::Resignation, Gives::Win),
    (OutcomeKind::ResignationDraw, Gives::Draw),
    (OutcomeKind::DrawAgreement, Gives::Draw),
    (OutcomeKind::ThreefoldDraw, Gives::Draw),
    (OutcomeKind::FiftyMovesDraw, Gives::Draw),
    (OutcomeKind::TimeForfeit, Gives::Win),
    (OutcomeKind::TimeDraw, Gives::Draw),
    (OutcomeKind::IllegalMoveForfeit, Gives::Any),
    (OutcomeKind::LateArrivalForfeit, Gives::Any),
    (OutcomeKind::DeviceForfeit, Gives::Any),
    (OutcomeKind::RulesForfeit, Gives::Any),
    (OutcomeKind::BothLost, Gives::Any),
    (OutcomeKind::ForfeitNotPlayed, Gives::Any),
    (OutcomeKind::SealedMoveForfeit, Gives::Any),
];

/// What an outcome gives. A penalty may have taken points of it: only what cannot be is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Win,
    Draw,
    /// The arbiter says what the opponent has of it (11.7, 12.9.6).
    Any,
}

impl Gives {
    fn gives(self, result: GameResult) -> bool {
        match self {
            Self::Win => result != GameResult::Draw,
            Self::Draw => Side::BOTH.into_iter().all(|side| result != GameResult::win(side)),
            Self::Any => true,
        }
    }
}

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
            Some(Some(before)) => {
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

    /// The outcome of that name, if it can end this game with that result: a mate is on the board, or it is none.
    fn check_basis(&self, basis: &str, result: GameResult) -> Result<OutcomeKind, Inapplicable> {
        let named = |kind: OutcomeKind| -> &'static str { Name::from(kind).as_str() };
        let Some((kind, gives)) = DECLARED.into_iter().find(|&(kind, _)| named(kind) == basis) else {
            let nearest = spelling::nearest(basis, DECLARED.into_iter().map(|(kind, _)| named(kind)));
            return Err(inapplicable(format!(
                "no result rests on \"{basis}\"; the nearest is \"{nearest}\""
            )));
        };
        if !gives.gives(result) {
            return Err(inapplicable(format!("{basis} does not give {result}")));
        }
        let position = self.scene.game.as_ref().map(|game| game.tracker.position(game.tracker.plies()));
        let end = position.and_then(|position| position.end());
        let is_shown = match kind {
            OutcomeKind::Checkmate => {
                let mated = position.filter(|_| end == Some(End::Checkmate)).map(|position| position.turn());
                mated.is_some_and(|mated| result != GameResult::win(mated))
            }
            OutcomeKind::Stalemate => end == Some(End::Stalemate),
            _ => true,
        };
        if is_shown {
            return Ok(kind);
        }
        Err(inapplicable(format!(
            "the last position is no {basis} that gives {result}; correct the moves, or enter the result without it"
        )))
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
        let agreed = named.or_else(any);
        if let Some(number) = agreed {
            return self.outcome_confirmed(number, out);
        }
        if let Some(&(_, end, _)) = outcomes.iter().find(|(_, name, _)| CERTAIN.contains(name)) {
            let sensed = outcomes
                .iter()
                .find(|(_, name, _)| *name == end)
                .and_then(|(number, ..)| self.records.record(*number).and_then(result_of));
            if let Some(sensed) = sensed {
                mismatch(end, sensed, result, &mut self.report(out));
            }
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
            None => self.over(EndedBy::Ruling, result, out),
        }
    }

    /// An outcome by the arbiter's word: confirmed as it is said, and the game is over.
    pub(super) fn declare(&mut self, kind: OutcomeKind, outcome: finding::Outcome, out: &mut Vec<Event>) {
        let Some(result) = outcome.result.0 else { return };
        self.open_game(out);
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
        let is_disputed = self.records.iter().any(|record| {
            record.is_open() && record.key.ply == ply && super::touching::ARTICLE_4.contains(&record.name())
        });
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
