//! Until when a record can be acted on, and what closes it when that is past (laws-model 8).

use super::Table;
use super::illegal::COMPLETED;
use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::touching::ARTICLE_4;
use crate::event::finding::{ClaimWindowClosed, Finding, IllegalMoveStands, Window};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::laws::{ClaimRight, ClaimScope, IllegalPosition, Name, Profile, Severity, Until};
use adoube_rules::sensor::Side;

/// Irregularities and notices that the arbiter acts on while the game is played, and no longer.
const WHILE_PLAYED: [Name; 22] = [
    Name::UnexplainedPosition,
    Name::PositionImpossible,
    Name::ClaimedMoveNotPlayed,
    Name::TwoHandsSuspected,
    Name::MoveOutOfTurn,
    Name::PieceDisplaced,
    Name::PieceMissing,
    Name::PressedDuringDisplacement,
    Name::DisplacementFoundLate,
    Name::PressedBeforeMove,
    Name::PressAsDemand,
    Name::MoveCounterMismatch,
    Name::ClockTimeJump,
    Name::ClockDefective,
    Name::WhiteClockNotStarted,
    Name::WrongClockStarted,
    Name::NeighbourClockPressed,
    Name::SealedMoveMadeOnBoard,
    Name::SealedMoveInvalid,
    Name::PossibleResignation,
    Name::FlagFallen,
    Name::BothFlagsFallen,
];

/// The window of a record of that name; `None`: none is set by the Laws.
pub(super) fn window_of(profile: &Profile, name: Name) -> Option<Window> {
    match name {
        Name::MoveChangedAfterRelease => Some(released_until(profile)),
        name if ARTICLE_4.contains(&name) => Some(Window::OpponentsTouch),
        name if COMPLETED.contains(&name) => Some(illegal_until(profile)),
        name if WHILE_PLAYED.contains(&name) => Some(Window::EndOfGame),
        Name::DrawOffer => Some(Window::OpponentsTouch),
        Name::IllegalMovePending | Name::CastlingPending | Name::PromotionPending => Some(Window::Press),
        Name::IllegalPosition if profile.illegal_position_rule == IllegalPosition::WaitThenDraw => {
            Some(Window::NextCompletedMove)
        }
        Name::IllegalPosition => Some(Window::EndOfGame),
        Name::StartPositionWrong | Name::BoardOrientationWrong => {
            Some(completed_by_each(profile.setup_claim_deadline_moves))
        }
        Name::ClockSettingWrong => Some(completed_by_each(profile.clock_setting_deadline_moves)),
        Name::ColoursReversed => Some(match profile.colours_reversed_restart_below {
            Some(_) => Window::TenMovesByBoth,
            None => Window::EndOfGame,
        }),
        Name::ThreefoldClaimable | Name::FiftyMovesClaimable => Some(match profile.claim_right_lost_by {
            ClaimRight::Touch => Window::ClaimantsTouch,
            ClaimRight::MoveMade => Window::ClaimantsMove,
        }),
        Name::QpfZone | Name::ClaimQpf | Name::QpfIncrementRequest => Some(Window::ClaimantsFlag),
        Name::ResumePositionWrong => Some(Window::ClockStarted),
        Name::BoardChangedWhilePaused => Some(Window::ClockRestarted),
        _ => None,
    }
}

/// Until when a player may complain of what became of a released piece (4.7): 2005 lets only complaints on 4.3
/// and 4.4 end with a touch (2005: 4.6, 4.7).
pub(super) fn released_until(profile: &Profile) -> Window {
    match profile.article4_claim_scope {
        ClaimScope::Touches => Window::EndOfGame,
        ClaimScope::WholeArticle => Window::OpponentsTouch,
    }
}

/// Until when a completed illegal move can be acted on (7.5.1, A.4.2; 2005: B6, C3).
fn illegal_until(profile: &Profile) -> Window {
    match profile.illegal_correctable_until {
        Until::GameOver => Window::EndOfGame,
        Until::OpponentsOwnMove | Until::OpponentsNextMade => Window::OpponentsMove,
    }
}

impl<V: Variant> Table<V> {
    /// A legal move of `side` stands: the window of its opponent's illegal move closes, where the
    /// opponent's next move closes it (A.4.2; 2005: B6, C3).
    pub(super) fn illegal_window_closes(&mut self, ply: Ply, side: Side, out: &mut Vec<Event>) {
        illegal_taken_back(ply, side, &mut self.report(out));
        if self.scene.profile.illegal_correctable_until == Until::GameOver {
            return;
        }
        let open: Vec<(RecordId, Name, Ply)> = self
            .records
            .open()
            .filter(|record| {
                COMPLETED.contains(&record.name())
                    && record.key.side == Some(side.other())
                    && record.key.ply < ply
            })
            .map(|record| (record.number, record.name(), record.key.ply))
            .collect();
        for (number, name, of_ply) in open {
            self.open(Draft::notice(ClaimWindowClosed { of: name, side }), out);
            self.close(number, Status::Expired, out);
            if name != Name::ClockPressedWithoutMove {
                self.open(Draft::notice(IllegalMoveStands { ply: of_ply, by: side.other() }), out);
            }
        }
        self.release_held(out);
    }
}

impl<V: Variant> Report<'_, V> {
    /// So many moves are completed by each that a wrong setting of the clock stays (A.4.1.1; 2005: B4).
    pub(super) fn setting_window_closes(&mut self) {
        let Some(deadline) = self.profile.clock_setting_deadline_moves else { return };
        // What was ruled, or noted at an adjournment, is no complaint of a player.
        let is_of_start = |record: &Record| {
            let Finding::ClockSettingWrong(wrong) = &record.finding else { return false };
            wrong.context.is_none()
        };
        if self.records.open().any(is_of_start)
            && self.counts().completed.iter().all(|&completed| completed >= deadline)
        {
            let is_urgent = |record: &Record| is_of_start(record) && record.severity != Some(Severity::Info);
            self.close_all(is_urgent, Status::Expired);
        }
    }
}

/// The end of the game, or so many completed moves by each (A.4.1; 2005: B4).
fn completed_by_each(moves: Option<u32>) -> Window {
    match moves {
        None => Window::EndOfGame,
        Some(3) => Window::ThreeCompletedByEach,
        Some(_) => Window::TenCompletedByEach,
    }
}

/// Until when a completed illegal move can be acted on.
pub(super) fn window_text<V: Variant>(scene: &Scene<V>) -> Window {
    illegal_until(&scene.profile)
}

/// A move of `side` stands where its illegal one had stood: that was taken back, and what is left of it
/// is the count and the penalty (7.5.1, 7.5.5). The queen that the Laws put there takes nothing back (7.5.2).
fn illegal_taken_back<V: Variant>(ply: Ply, side: Side, report: &mut Report<'_, V>) {
    let is_legal = report
        .game
        .as_ref()
        .and_then(|game| game.plies.get(ply))
        .is_some_and(|known| known.illegal.is_none());
    let is_put_back = |name: Name| {
        name == Name::IllegalMoveCompleted || (name == Name::PromotionNotReplaced && !report.makes_queens())
    };
    let is_it = |record: &&Record| {
        (record.key.ply, record.key.side) == (ply, Some(side)) && is_put_back(record.name())
    };
    let Some(number) = report.records.open().filter(is_it).map(|record| record.number).next() else {
        return;
    };
    if !is_legal {
        return;
    }
    report.amend(number, |record| record.status = Status::Corrected);
    let is_done = |record: &Record| {
        record.of == Some(number)
            && [Name::RestorePosition, Name::ReplacementMoves, Name::ReplaceByQueen].contains(&record.name())
    };
    report.close_all(is_done, Status::Corrected);
}

/// The game is over: what could be acted on while it was played has expired. Records about the record
/// itself, such as gaps, stay.
pub(super) fn windows_close<V: Variant>(report: &mut Report<'_, V>) {
    let is_past = |record: &Record| record.of.is_none() && record.window.is_some();
    report.close_all(is_past, Status::Expired);
}

#[cfg(test)]
mod tests {
    use adoube_rules::laws::{Name, Profile};

    use super::window_of;

    /// Irregularities about the record itself or the end of the game: that end closes none of them.
    const WITHOUT: [Name; 6] = [
        Name::MovesAfterGameEnd,
        Name::RecordGap,
        Name::BoardsDiffer,
        Name::DrawAgreementTooEarly,
        Name::ResultMismatch,
        Name::CommunicationReported,
    ];

    #[test]
    fn every_irregularity_has_a_window_or_is_known_to_have_none() {
        for name in ["fide-2005-blitz", "fide-2018-standard", "fide-2018-rapid-reduced", "fide-2023-blitz"] {
            let profile = Profile::named(name).unwrap();
            for known in
                Name::ALL.iter().filter(|known| known.row().kind == adoube_rules::laws::RowKind::Irregularity)
            {
                let has = window_of(&profile, *known).is_some();
                assert_ne!(has, WITHOUT.contains(known), "{name}: {known}");
            }
        }
    }
}
