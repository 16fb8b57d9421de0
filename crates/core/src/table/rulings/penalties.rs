//! The penalties of 12.9 (2005: 13.4), and what they do to the score of the game.

use crate::event::finding::{Finding, PenaltyGiven, PenaltyKind, TimePenalty, TimePenaltyKind};
use crate::event::{Event, Status};
use crate::ruling::{Amount, Measure, Outcome, inapplicable};
use crate::table::Table;
use crate::table::records::{Draft, Record};
use adoube_rules::laws::{Edition, Name, Penalty, Severity};
use adoube_rules::sensor::Side;
use adoube_rules::{GameResult, Variant};

/// The halves of a point for which a game is played.
const WHOLE_GAME_HALVES: u8 = 2;

impl<V: Variant> Table<V> {
    /// A penalty of the ladder. The loss of the game and the points are carried out here; time is a proposal until
    /// somebody has set the clock, and the rest is the organiser's.
    pub(super) fn penalty(
        &mut self,
        penalty: Penalty,
        side: Side,
        amount: Option<&Amount>,
        by: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        let name = penalty.name();
        if !self.scene.profile.penalties.contains(&penalty) {
            let nearest = adoube_rules::spelling::nearest(
                name,
                self.scene.profile.penalties.iter().map(|known| known.name()),
            );
            return Err(inapplicable(format!(
                "the penalties of this edition have no \"{name}\"; the nearest is \"{nearest}\""
            )));
        }
        let measure = Measure::read(penalty, amount).map_err(inapplicable)?;
        if matches!(penalty, Penalty::GameLost | Penalty::AddTimeOpponent | Penalty::ReduceTimeOffender) {
            self.check_playing()?;
        }
        let is_opponents = matches!(penalty, Penalty::AddTimeOpponent | Penalty::RaiseOpponentScore);
        let target = if is_opponents { side.other() } else { side };
        let draft = if let Some(kind) = TimePenaltyKind::of(Name::from(penalty)) {
            let amount_ms = measure.as_ref().and_then(Measure::ms);
            Draft::open((kind, TimePenalty { side: target, amount_ms }))
        } else if let Some(kind) = PenaltyKind::of(Name::from(penalty)) {
            let (amount, unit) = measure.as_ref().map(Measure::written).unzip();
            Draft::notice((kind, PenaltyGiven { side: target, amount, unit }))
        } else {
            return Ok(());
        };
        let number = self.open(draft.severity(Severity::Notice), out);
        if penalty == Penalty::GameLost {
            self.over(Name::GameLost, GameResult::win(side.other()), out);
        } else if let Some(result) = self.scene.game.as_ref().and_then(|game| game.result)
            && let Some(penalised) =
                self.records.record(number).map(|given| penalised(result, given, self.is_capped()))
            && penalised != result
        {
            self.change_result(result, penalised, by, out);
        }
        Ok(())
    }

    /// Has a game no more than one point (10.2)? The Laws of 2005 do not say so.
    pub(in crate::table) fn is_capped(&self) -> bool {
        self.scene.profile.edition != Edition::Fide2005
    }

    /// What is left of a result of play once the penalties of this game have taken and given their points. Any other
    /// result is the arbiter's word on the score already.
    pub(in crate::table) fn penalised(&self, result: GameResult) -> GameResult {
        if !result.is_of_play() {
            return result;
        }
        let mut given: Vec<&Record> =
            self.records.iter().filter(|record| record.status == Status::Confirmed).collect();
        // What the offender has lost his opponent may be given.
        given.sort_by_key(|record| record.name() == Name::RaiseOpponentScore);
        given.into_iter().fold(result, |result, record| penalised(result, record, self.is_capped()))
    }
}

/// A result after a penalty: the opponent's points rise to what a game has, the offender's fall to nothing (12.9.4,
/// 12.9.5), and where the arbiter named an amount, no further than by that. Where a game gives one point at most, what one
/// player has of it the other has not (10.2).
fn penalised(result: GameResult, record: &Record, is_capped: bool) -> GameResult {
    let Finding::PenaltyGiven(kind, PenaltyGiven { side, amount, .. }) = &record.finding else {
        return result;
    };
    let mut halves = result.halves();
    let others = halves[side.other().index()];
    let score = &mut halves[side.index()];
    let named = |penalty| match Measure::read(penalty, amount.as_ref()) {
        Ok(Some(Measure::HalfPoints(halves))) => halves,
        _ => WHOLE_GAME_HALVES,
    };
    *score = match kind {
        PenaltyKind::RaiseOpponentScore => {
            let others = if is_capped { others } else { 0 };
            (*score + named(Penalty::RaiseOpponentScore)).min(WHOLE_GAME_HALVES - others)
        }
        PenaltyKind::ReduceOffenderScore => score.saturating_sub(named(Penalty::ReduceOffenderScore)),
        _ => return result,
    };
    GameResult::of_halves(halves).filter(|_| halves != result.halves()).unwrap_or(result)
}
