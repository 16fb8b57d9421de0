//! Who need not record any more, and what a flag asks of the scoresheets then (8.4, 8.5).

use super::records::Draft;
use super::scene::{Report, Scene};
use crate::event::finding::{
    RecordingAssistantNeeded, ScoresheetExempt, StopClocksUpdateScoresheets, UpdateScoresheet,
};
use adoube_rules::Variant;
use adoube_rules::sensor::{ClockReading, Side};

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
    fn is_exempt<V: Variant>(&self, scene: &Scene<V>, side: Side) -> bool {
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

fn has_long_increment<V: Variant>(scene: &Scene<V>, side: Side) -> bool {
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

fn moves_so_far<V: Variant>(scene: &Scene<V>) -> Vec<String> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    game.tracker.plies().all().filter_map(|ply| game.tracker.played(ply)).map(|played| played.san()).collect()
}
#[cfg(test)]
mod tests {
    use super::super::scene::testing::{Bench, reading};
    use super::*;
    use adoube_rules::laws::Name;

    #[test]
    fn who_is_short_of_time_is_exempt_once_a_period() {
        let (mut sheets, mut bench) = (Scoresheets::default(), Bench::new());
        let mut note = |left_s| {
            sheets.note_exemptions(&reading(left_s, Some(Side::White)), &mut bench.report(60));
            bench.said()
        };
        assert!(note([300, 5_400]).is_empty());
        assert_eq!(note([299, 5_400]), [Name::ScoresheetExempt]);
        assert!(note([298, 5_400]).is_empty());
        assert_eq!(note([298, 200]), [Name::ScoresheetExempt, Name::RecordingAssistantNeeded]);
        assert!(note([297, 199]).is_empty());
    }

    #[test]
    fn whose_flag_falls_updates_his_sheet_if_he_was_exempt() {
        let (mut sheets, mut bench) = (Scoresheets::default(), Bench::new());
        sheets.flag_fell(&mut bench.report(60));
        assert!(bench.said().is_empty());
        sheets.note_exemptions(&reading([299, 5_400], Some(Side::White)), &mut bench.report(60));
        sheets.period_ran_out(Side::White, 0, &mut bench.report(360));
        assert_eq!(bench.said(), [Name::UpdateScoresheet]);
        sheets.period_ran_out(Side::White, 1, &mut bench.report(360));
        assert!(bench.said().is_empty(), "in that period he recorded");
    }
}
