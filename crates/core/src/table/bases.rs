//! What a result rests on, as the arbiter says it: an outcome that gives such a result, and that the game as it is
//! recorded does not deny.

use super::Table;
use super::records::{Record, Records};
use super::scene::Scene;
use crate::event::Status;
use crate::event::finding::OutcomeKind;
use crate::ruling::{Inapplicable, inapplicable};
use adoube_rules::laws::Name;
use adoube_rules::mate::Dead;
use adoube_rules::sensor::Side;
use adoube_rules::{End, GameResult, Position as _, Variant, spelling};

/// Outcomes that the arbiter gives as the basis of a result, and the results that each has.
const DECLARED: [(OutcomeKind, Gives); 22] = [
    (OutcomeKind::Checkmate, Gives::Win),
    (OutcomeKind::Stalemate, Gives::Draw),
    (OutcomeKind::DeadPosition, Gives::Draw),
    (OutcomeKind::Resignation, Gives::Win),
    (OutcomeKind::ResignationDraw, Gives::Draw),
    (OutcomeKind::DrawAgreement, Gives::Draw),
    (OutcomeKind::ThreefoldDraw, Gives::Draw),
    (OutcomeKind::FiftyMovesDraw, Gives::Draw),
    (OutcomeKind::FivefoldRepetition, Gives::Draw),
    (OutcomeKind::SeventyFiveMoves, Gives::Draw),
    (OutcomeKind::QpfDraw, Gives::Draw),
    (OutcomeKind::IllegalMoveDraw, Gives::Draw),
    (OutcomeKind::IllegalPositionDraw, Gives::Draw),
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

/// What an outcome gives, less what a penalty may have taken of it.
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
            Self::Win => !result.is_forfeit() && result != GameResult::Draw,
            Self::Draw => !result.is_forfeit() && result.halves() != [2, 0] && result.halves() != [0, 2],
            Self::Any => true,
        }
    }
}

impl<V: Variant> Table<V> {
    /// The outcome of that name, if it can end this game with that result: a mate is on the board, or it is none.
    pub(super) fn check_basis(&self, basis: &str, result: GameResult) -> Result<OutcomeKind, Inapplicable> {
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
        self.scene.denies(&self.records, kind, result).map_or(Ok(kind), |why| {
            Err(inapplicable(format!(
                "the game did not end {result} by {basis}: {why}; leave out the basis, or correct what is recorded"
            )))
        })
    }
}

impl<V: Variant> Scene<V> {
    /// What the game as it is recorded has against ending so: a mate is on the board, or it is none.
    fn denies(&self, records: &Records, kind: OutcomeKind, result: GameResult) -> Option<&'static str> {
        let game = self.game.as_ref()?;
        let position = game.tracker.position(game.tracker.plies());
        let winner = Side::BOTH.into_iter().find(|&side| result == GameResult::win(side));
        let cannot_mate = || winner.is_some_and(|winner| self.ask_mate(winner).is_no());
        let is_shown = |names: [Name; 3]| {
            let is_one =
                |record: &Record| names.contains(&record.name()) && record.status != Status::Withdrawn;
            records.iter().any(is_one)
        };
        let [white, black] = self.counts().made;
        match kind {
            OutcomeKind::Checkmate if position.end() != Some(End::Checkmate) => Some("nobody is mated"),
            OutcomeKind::Checkmate if winner == Some(position.turn()) => {
                Some("it is the other player who is mated")
            }
            OutcomeKind::Stalemate if position.end() != Some(End::Stalemate) => Some("it is no stalemate"),
            OutcomeKind::DeadPosition if position.dead(self.profile.mate_search_nodes) == Dead::No => {
                Some("both or one of them can mate")
            }
            OutcomeKind::ThreefoldDraw
                if !is_shown([
                    Name::ThreefoldClaimable,
                    Name::ClaimThreefold,
                    Name::ClaimThreefoldIntended,
                ]) =>
            {
                Some("no position came three times")
            }
            OutcomeKind::FiftyMovesDraw
                if !is_shown([
                    Name::FiftyMovesClaimable,
                    Name::ClaimFiftyMoves,
                    Name::ClaimFiftyMovesIntended,
                ]) =>
            {
                Some("there were no fifty moves without a capture and a pawn's move")
            }
            OutcomeKind::FivefoldRepetition if !is_shown([Name::FivefoldRepetition; 3]) => {
                Some("no position came five times")
            }
            OutcomeKind::SeventyFiveMoves if !is_shown([Name::SeventyFiveMoves; 3]) => {
                Some("there were no 75 moves without a capture and a pawn's move")
            }
            OutcomeKind::DrawAgreement if white.min(black) < self.profile.draw_agreement_min_moves => {
                Some("each player must have made a move (5.2.3)")
            }
            OutcomeKind::ResignationDraw if !self.profile.resignation_draw_if_no_mate => {
                Some("whoever resigns loses, in this edition")
            }
            OutcomeKind::Resignation if self.profile.resignation_draw_if_no_mate && cannot_mate() => {
                Some("the opponent cannot mate: it is a resignation-draw (5.1.2)")
            }
            OutcomeKind::TimeForfeit if cannot_mate() => {
                Some("the opponent cannot mate: it is a time-draw (6.9)")
            }
            OutcomeKind::TimeForfeit if winner.is_some_and(|winner| self.has_alone_fallen(winner)) => {
                Some("it is the winner's flag that fell")
            }
            OutcomeKind::ForfeitNotPlayed if white.min(black) > 0 => Some("both have moved"),
            _ => None,
        }
    }

    /// The flag of `side` is down, and the other is not.
    fn has_alone_fallen(&self, side: Side) -> bool {
        let down = self.clock.last().map(|reading| reading.flags);
        down.is_some_and(|down| down[side.index()] && !down[side.other().index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::{FORMS, Kind};

    #[test]
    fn a_result_may_rest_on_whatever_its_form_offers() {
        let form = FORMS.iter().find(|form| form.name == "result").unwrap();
        let names = form.fields.iter().find_map(|field| match field.kind {
            Kind::Name(names) => Some(names),
            _ => None,
        });
        for name in names.unwrap() {
            assert!(DECLARED.iter().any(|(kind, _)| Name::from(*kind).as_str() == *name), "{name}");
        }
    }
}
