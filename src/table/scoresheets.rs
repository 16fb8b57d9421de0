//! Who need not record any more, and what a flag asks of the scoresheets then (8.4, 8.5).

use super::Table;
use super::records::Draft;
use crate::event::Event;
use crate::event::finding::{
    RecordingAssistantNeeded, ScoresheetExempt, StopClocksUpdateScoresheets, UpdateScoresheet,
};
use crate::rules::Variant;
use crate::sensor::{ClockReading, Side};

/// The duty to record.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoresheets {
    /// The period, from 1, in which each side is exempt.
    exempt: [usize; 2],
    is_assistant_said: bool,
}

impl<V: Variant> Table<V> {
    /// Under five minutes in a period, and no increment of 30 s: no duty for the rest of it (8.4).
    pub(super) fn note_exemptions(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        if !self.profile.recording_required {
            return;
        }
        for side in Side::BOTH {
            let index = side.index();
            let period = self.period_of(side) + 1;
            let is_under = reading.left_ms[index] < u64::from(self.profile.scoresheet_exempt_below_s) * 1_000;
            if !is_under || self.timing.scoresheets.exempt[index] >= period || self.has_long_increment(side) {
                continue;
            }
            self.timing.scoresheets.exempt[index] = period;
            self.open(Draft::notice(ScoresheetExempt { side, period }), out);
        }
        let are_both = Side::BOTH.into_iter().all(|side| self.is_exempt(side));
        let was_said = std::mem::replace(&mut self.timing.scoresheets.is_assistant_said, are_both);
        if are_both && !was_said {
            self.open(Draft::notice(RecordingAssistantNeeded {}), out);
        }
    }

    fn has_long_increment(&self, side: Side) -> bool {
        let Some(control) = &self.timing.control else { return false };
        let completed = self.counts().completed[side.index()];
        control.extra_ms(completed) >= u64::from(self.profile.scoresheet_exempt_if_increment_below_s) * 1_000
    }

    /// `side` need not record in the period that is running for it.
    fn is_exempt(&self, side: Side) -> bool {
        self.timing.scoresheets.exempt[side.index()] == self.period_of(side) + 1
    }

    /// `side`'s flag has fallen: who did not record has to bring his sheet up to date (8.5).
    pub(super) fn flag_and_scoresheets(&mut self, out: &mut Vec<Event>) {
        let exempt: Vec<Side> = Side::BOTH.into_iter().filter(|&side| self.is_exempt(side)).collect();
        self.update_scoresheets(&exempt, out);
    }

    /// The old period's time has run out and the clock shows the next one's: its flag fell, seen or not.
    pub(super) fn period_ran_out(&mut self, side: Side, period: usize, out: &mut Vec<Event>) {
        let was_exempt = |of: Side| {
            let exempt = self.timing.scoresheets.exempt[of.index()];
            if of == side { exempt == period + 1 } else { exempt == self.period_of(of) + 1 }
        };
        let exempt: Vec<Side> = Side::BOTH.into_iter().filter(|&of| was_exempt(of)).collect();
        self.update_scoresheets(&exempt, out);
    }

    fn update_scoresheets(&mut self, exempt: &[Side], out: &mut Vec<Event>) {
        match exempt {
            [_, _] => {
                let (moves, clock_to_restart) = (self.moves_so_far(), self.side_on_move());
                let update = StopClocksUpdateScoresheets { moves, clock_to_restart };
                self.open(Draft::notice(update), out);
            }
            &[side] => {
                self.open(Draft::notice(UpdateScoresheet { side, do_not_stop_clock: true }), out);
            }
            _ => {}
        }
    }

    fn moves_so_far(&self) -> Vec<String> {
        let Some(game) = &self.game else { return Vec::new() };
        game.tracker
            .plies()
            .all()
            .filter_map(|ply| game.tracker.played(ply))
            .map(|played| played.san())
            .collect()
    }
}
