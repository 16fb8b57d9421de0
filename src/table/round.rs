//! The start of the round: clocks that were not started, players who are not there (6.6, 6.7).
//!
//! Presence is not sensed. A player who has neither lifted a piece nor pressed is one to ask about.

use serde::{Deserialize, Serialize};

use super::Table;
use super::records::Draft;
use crate::event::Event;
use crate::event::finding::{self, Absent, DefaultTimeExpired, OutcomeKind, WhiteClockNotStarted};
use crate::ply::Ply;
use crate::rules::laws::CountsFrom;
use crate::rules::touch::side_of;
use crate::rules::{GameResult, Position as _, Variant};
use crate::ruling::{Outcome, inapplicable};
use crate::sensor::Side;
use crate::stamp::{SECOND, Stamp, ms};

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

impl<V: Variant> Table<V> {
    /// The round starts now, or at the time given (6.6). Refused if the time cannot be read.
    pub(super) fn rule_round_start(&mut self, at: Option<&str>) -> Outcome {
        let now_ns = self.now.mono_ns;
        let scheduled_ns = match at {
            Some(at) => self.instant(at).ok_or_else(|| {
                let reason = format!("\"{at}\" is no time; write 15:00 (UTC) or 2026-05-01T15:00:00Z");
                inapplicable(reason)
            })?,
            None => now_ns,
        };
        self.timing.round =
            Round { started: Some((scheduled_ns.max(now_ns), scheduled_ns)), ..Round::default() };
        Ok(())
    }

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

    /// When the round has something to say about this board.
    pub(super) fn round_due_ns(&self) -> Option<u64> {
        let round = &self.timing.round;
        let (started_ns, _) = round.started?;
        let clock_ns = (!round.is_clock_said).then_some(started_ns + CLOCK_NS);
        let default_ns = self.default_ns().filter(|_| !round.is_default_said);
        clock_ns.into_iter().chain(default_ns).min()
    }

    /// When a player who is not there loses, unless the arbiter decides otherwise (6.7.1).
    fn default_ns(&self) -> Option<u64> {
        let (started_ns, scheduled_ns) = self.timing.round.started?;
        let default_ns = u64::from(self.profile.default_time_min?) * 60 * SECOND;
        let from_ns = match self.profile.default_counts_from {
            CountsFrom::ScheduledStart => scheduled_ns,
            CountsFrom::RoundStart | CountsFrom::ActualStart => started_ns,
        };
        // Never before the round is known to have started.
        Some((from_ns + default_ns).max(started_ns))
    }

    /// Something of the round is due.
    pub(super) fn round_due(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.now.mono_ns;
        let Some((started_ns, _)) = self.timing.round.started else { return };
        if at_ns >= started_ns + CLOCK_NS && !std::mem::replace(&mut self.timing.round.is_clock_said, true) {
            self.judge_clock_start(out);
        }
        if self.default_ns().is_some_and(|due_ns| at_ns >= due_ns)
            && !std::mem::replace(&mut self.timing.round.is_default_said, true)
        {
            self.judge_absence(out);
        }
    }

    fn judge_clock_start(&mut self, out: &mut Vec<Event>) {
        let stands = self.clock.last().is_some_and(|reading| reading.running.is_none());
        if stands && self.is_before_the_start() {
            self.open(Draft::open(WhiteClockNotStarted {}), out);
        }
    }

    fn judge_absence(&mut self, out: &mut Vec<Event>) {
        if self.playing().is_none() {
            return;
        }
        let active = self.has_acted();
        let absent = match active {
            // Black has nothing to do before White's first move is completed.
            [true, false] if self.counts().completed[0] == self.timing.moves_before[0] => return,
            [true, true] => return,
            [true, false] => Absent::Black,
            [false, true] => Absent::White,
            [false, false] => Absent::Both,
        };
        let Some((started_ns, _)) = self.timing.round.started else { return };
        let expired = DefaultTimeExpired {
            side: absent,
            context: None,
            since_ms: Some(ms(self.elapsed_ns(started_ns))),
            default_ms: Some(u64::from(self.profile.default_time_min.unwrap_or(0)) * 60_000),
        };
        let record = self.open(Draft::open(expired), out);
        let [white, black] = active;
        if white != black {
            let loser = if white { Side::Black } else { Side::White };
            let result = GameResult::win(loser.other());
            let outcome = finding::Outcome { by: Some(loser), ..finding::Outcome::of(result) };
            self.open(Draft::open((OutcomeKind::LateArrivalForfeit, outcome)).of(record), out);
        }
    }

    /// Who has lifted a piece of his, or pressed.
    fn has_acted(&self) -> [bool; 2] {
        let mut active = self.timing.lever.has_pressed;
        let Some(game) = &self.game else { return active };
        for lift in game.ledger.between(0, self.now.mono_ns) {
            if let Some(side) = side_of(game.tracker.position(Ply::START).content(lift.square)) {
                active[side.index()] = true;
            }
        }
        for ply in game.tracker.plies().all() {
            if let Some(mover) = self.mover(ply) {
                active[mover.index()] = true;
            }
        }
        active
    }
}
