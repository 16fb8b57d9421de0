//! The start of the round: clocks that were not started, players who are not there (6.6, 6.7).
//!
//! Presence is not sensed. A player who has neither lifted a piece nor pressed is one to ask about.

use serde::{Deserialize, Serialize};

use super::records::Draft;
use super::scene::{Report, Scene};
use crate::event::finding::{self, Absent, DefaultTimeExpired, OutcomeKind, WhiteClockNotStarted};
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::laws::CountsFrom;
use adoube_rules::sensor::Side;
use adoube_rules::stamp::{SECOND, Stamp, ms};
use adoube_rules::touch::side_of;
use adoube_rules::{GameResult, Position as _, Variant};

/// The round, as far as this board is concerned.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Round {
    /// When it started, and when it should have.
    started: Option<(u64, u64)>,
    is_clock_said: bool,
    is_default_said: bool,
}

/// So long after the round's start White's clock may still stand: the arbiters walk along the boards.
const CLOCK_NS: u64 = 30 * SECOND;

impl<V: Variant> Scene<V> {
    /// A time of day, or a date and time, on the line of `mono_ns`. What lies before it begins is its
    /// beginning.
    fn instant(&self, text: &str) -> Option<u64> {
        let is_time_of_day = text.len() <= "15:00:00".len();
        let utc_ns = if is_time_of_day {
            let today = self.now.rfc3339();
            let seconds = if text.matches(':').count() == 1 { ":00" } else { "" };
            Stamp::parse_utc(&format!("{}T{text}{seconds}Z", today.split('T').next()?))?
        } else {
            Stamp::parse_utc(text)?
        };
        let offset_ns = utc_ns.checked_sub(self.now.utc_ns)?;
        Some(self.now.mono_ns.saturating_add_signed(offset_ns))
    }
}

impl Round {
    /// The round starts now, or at the time given (6.6). Refused if the time cannot be read.
    pub(super) fn starts<V: Variant>(&mut self, scene: &Scene<V>, at: Option<&str>) -> Outcome {
        let now_ns = scene.now.mono_ns;
        let scheduled_ns = match at {
            Some(at) => scene.instant(at).ok_or_else(|| {
                let reason = format!("\"{at}\" is no time; write 15:00 (UTC) or 2026-05-01T15:00:00Z");
                inapplicable(reason)
            })?,
            None => now_ns,
        };
        *self = Self { started: Some((scheduled_ns.max(now_ns), scheduled_ns)), ..Self::default() };
        Ok(())
    }

    /// When the round has something to say about this board.
    pub(super) fn due_ns<V: Variant>(&self, scene: &Scene<V>) -> Option<u64> {
        let (started_ns, _) = self.started?;
        let clock_ns = (!self.is_clock_said).then_some(started_ns + CLOCK_NS);
        let default_ns = self.default_ns(scene).filter(|_| !self.is_default_said);
        clock_ns.into_iter().chain(default_ns).min()
    }

    /// When a player who is not there loses, unless the arbiter decides otherwise (6.7.1).
    fn default_ns<V: Variant>(&self, scene: &Scene<V>) -> Option<u64> {
        let (started_ns, scheduled_ns) = self.started?;
        let default_ns = u64::from(scene.profile.default_time_min?) * 60 * SECOND;
        let from_ns = match scene.profile.default_counts_from {
            CountsFrom::ScheduledStart => scheduled_ns,
            CountsFrom::RoundStart | CountsFrom::ActualStart => started_ns,
        };
        // Never before the round is known to have started.
        Some((from_ns + default_ns).max(started_ns))
    }

    /// Something of the round is due.
    pub(super) fn due<V: Variant>(&mut self, report: &mut Report<'_, V>) {
        let at_ns = report.now.mono_ns;
        let Some((started_ns, _)) = self.started else { return };
        if at_ns >= started_ns + CLOCK_NS && !std::mem::replace(&mut self.is_clock_said, true) {
            judge_clock_start(report);
        }
        if self.default_ns(report.scene).is_some_and(|due_ns| at_ns >= due_ns)
            && !std::mem::replace(&mut self.is_default_said, true)
        {
            self.judge_absence(report);
        }
    }

    fn judge_absence<V: Variant>(&self, report: &mut Report<'_, V>) {
        if report.playing().is_none() {
            return;
        }
        let active = has_acted(report.scene);
        let absent = match active {
            // Black has nothing to do before White's first move is completed.
            [true, false] if report.counts().completed[0] == report.timing.moves_before[0] => return,
            [true, true] => return,
            [true, false] => Absent::Black,
            [false, true] => Absent::White,
            [false, false] => Absent::Both,
        };
        let Some((started_ns, _)) = self.started else { return };
        let expired = DefaultTimeExpired {
            side: absent,
            context: None,
            since_ms: Some(ms(report.elapsed_ns(started_ns))),
            default_ms: Some(u64::from(report.profile.default_time_min.unwrap_or(0)) * 60_000),
        };
        let record = report.open(Draft::open(expired));
        let [white, black] = active;
        if white != black {
            let loser = if white { Side::Black } else { Side::White };
            let result = GameResult::win(loser.other());
            let outcome = finding::Outcome { by: Some(loser), ..finding::Outcome::of(result) };
            report.open(Draft::open((OutcomeKind::LateArrivalForfeit, outcome)).of(record));
        }
    }
}

fn judge_clock_start<V: Variant>(report: &mut Report<'_, V>) {
    let stands = report.clock.last().is_some_and(|reading| reading.running.is_none());
    if stands && report.is_before_the_start() {
        report.open(Draft::open(WhiteClockNotStarted {}));
    }
}

/// Who has lifted a piece of his, or pressed.
fn has_acted<V: Variant>(scene: &Scene<V>) -> [bool; 2] {
    let mut active = scene.timing.lever.has_pressed();
    let Some(game) = scene.game.as_ref() else { return active };
    for lift in game.ledger.between(0, scene.now.mono_ns) {
        if let Some(side) = side_of(game.tracker.position(Ply::START).content(lift.square)) {
            active[side.index()] = true;
        }
    }
    for ply in game.tracker.plies().all() {
        if let Some(mover) = scene.mover(ply) {
            active[mover.index()] = true;
        }
    }
    active
}

#[cfg(test)]
mod tests {
    use super::super::scene::testing::Bench;
    use super::*;
    use adoube_rules::laws::Name;

    #[test]
    fn the_default_time_counts_from_the_start_of_the_round() {
        let (mut round, mut bench) = (Round::default(), Bench::new());
        assert_eq!(round.due_ns(bench.report(20).scene), None);
        round.starts(bench.report(20).scene, None).unwrap();
        // Zero minutes, if the event has not said otherwise (6.7.1).
        assert_eq!(round.due_ns(bench.report(20).scene), Some(20 * SECOND));
        round.due(&mut bench.report(20));
        assert_eq!(bench.said(), [Name::DefaultTimeExpired], "nobody has moved or pressed");
        assert_eq!(
            round.due_ns(bench.report(20).scene),
            Some(50 * SECOND),
            "the arbiters walk along the boards"
        );
        round.due(&mut bench.report(50));
        assert!(bench.said().is_empty(), "White's clock runs");
        assert_eq!(round.due_ns(bench.report(50).scene), None);
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let (mut round, mut bench) = (Round::default(), Bench::new());
        let refused = round.starts(bench.report(20).scene, Some("at three")).unwrap_err();
        assert!(format!("{refused:?}").contains("at three"), "{refused:?}");
        assert_eq!(round.due_ns(bench.report(20).scene), None);
    }
}
