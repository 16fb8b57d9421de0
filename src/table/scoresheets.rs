//! Who need not record any more, and what a flag asks of the scoresheets then (8.4, 8.5).

use super::records::Draft;
use super::scene::{Report, Scene};
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

impl Scoresheets {
    /// Under five minutes in a period, and no increment of 30 s: no duty for the rest of it (8.4).
    pub(super) fn note_exemptions<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        if !report.profile.recording_required {
            return;
        }
        for side in Side::BOTH {
            let index = side.index();
            let period = report.period_of(side) + 1;
            let is_under =
                reading.left_ms[index] < u64::from(report.profile.scoresheet_exempt_below_s) * 1_000;
            if !is_under || self.exempt[index] >= period || has_long_increment(report.scene, side) {
                continue;
            }
            self.exempt[index] = period;
            report.open(Draft::notice(ScoresheetExempt { side, period }));
        }
        let are_both = Side::BOTH.into_iter().all(|side| self.is_exempt(report.scene, side));
        let was_said = std::mem::replace(&mut self.is_assistant_said, are_both);
        if are_both && !was_said {
            report.open(Draft::notice(RecordingAssistantNeeded {}));
        }
    }

    /// `side` need not record in the period that is running for it.
    fn is_exempt<V: Variant>(&self, scene: Scene<'_, V>, side: Side) -> bool {
        self.exempt[side.index()] == scene.period_of(side) + 1
    }

    /// `side`'s flag has fallen: who did not record has to bring his sheet up to date (8.5).
    pub(super) fn flag_fell<V: Variant>(&self, report: &mut Report<'_, V>) {
        let exempt: Vec<Side> =
            Side::BOTH.into_iter().filter(|&side| self.is_exempt(report.scene, side)).collect();
        update_scoresheets(&exempt, report);
    }

    /// The old period's time has run out and the clock shows the next one's: its flag fell, seen or not.
    pub(super) fn period_ran_out<V: Variant>(&self, side: Side, period: usize, report: &mut Report<'_, V>) {
        let was_exempt = |of: Side| {
            let exempt = self.exempt[of.index()];
            if of == side { exempt == period + 1 } else { exempt == report.period_of(of) + 1 }
        };
        let exempt: Vec<Side> = Side::BOTH.into_iter().filter(|&of| was_exempt(of)).collect();
        update_scoresheets(&exempt, report);
    }
}

fn has_long_increment<V: Variant>(scene: Scene<'_, V>, side: Side) -> bool {
    let Some(control) = &scene.timing.control else { return false };
    let completed = scene.counts().completed[side.index()];
    control.extra_ms(completed) >= u64::from(scene.profile.scoresheet_exempt_if_increment_below_s) * 1_000
}

fn update_scoresheets<V: Variant>(exempt: &[Side], report: &mut Report<'_, V>) {
    match exempt {
        [_, _] => {
            let (moves, clock_to_restart) = (moves_so_far(report.scene), report.side_on_move());
            let update = StopClocksUpdateScoresheets { moves, clock_to_restart };
            report.open(Draft::notice(update));
        }
        &[side] => {
            report.open(Draft::notice(UpdateScoresheet { side, do_not_stop_clock: true }));
        }
        _ => {}
    }
}

fn moves_so_far<V: Variant>(scene: Scene<'_, V>) -> Vec<String> {
    let Some(game) = scene.game else { return Vec::new() };
    game.tracker.plies().all().filter_map(|ply| game.tracker.played(ply)).map(|played| played.san()).collect()
}
