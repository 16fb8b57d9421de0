//! How the clock was set before the game (6.2.6, 6.10.2).

use super::super::scene::Report;
use super::{Display, Watch, setting_wrong};
use adoube_rules::Variant;
use adoube_rules::clock::{ClockDeviation, Expected};
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::ms;

impl Watch {
    /// At the start: both displays, with what a player lacks who cannot press himself (6.2.6). One that `stood` right then
    /// may have run since.
    pub(in crate::table) fn check_setting<V: Variant>(
        &mut self,
        reading: &ClockReading,
        stood: Option<(ClockReading, u64)>,
        report: &mut Report<'_, V>,
    ) {
        let Some(control) = report.timing.control.clone() else { return };
        for side in Side::BOTH {
            let handicap_s = report.profile.time_handicap_s[side.index()];
            let mut expected = Expected::start(control.clone(), report.clock_rules(), handicap_s);
            let seen_ms = reading.left_ms[side.index()];
            let ran_ms = |(before, at_ns): (ClockReading, u64)| {
                let was_right = expected.deviation(before.left_ms[side.index()]).is_none();
                let may_run = was_right && reading.running == Some(side);
                if may_run { ms(report.now.mono_ns.saturating_sub(at_ns)) } else { 0 }
            };
            let is_used = |wrong: &ClockDeviation| {
                (1..=stood.map_or(0, ran_ms)).contains(&wrong.expected_ms.saturating_sub(seen_ms))
            };
            if let Some(deviation) = expected.deviation(seen_ms).filter(|wrong| !is_used(wrong)) {
                setting_wrong(side, deviation, report);
            }
            expected.take_shown(seen_ms);
            self.expected[side.index()] = Some(expected);
        }
        self.display = Display::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::said_in;
    use adoube_rules::sensor::Side;

    /// A board that was not heard when its clock was started.
    #[test]
    fn a_clock_that_stood_right_may_have_run_unseen() {
        let stood = |right_s: u64| (3, [right_s, 5_400], None);
        let is_wrong = |right_s: u64, second: u64, left_s: [u64; 2]| {
            let runs = (second, left_s, Some(Side::White));
            said_in(false, [stood(right_s), runs].into_iter()).contains(&"clock-setting-wrong")
        };
        assert!(!is_wrong(5_400, 20, [5_385, 5_400]));
        // It cannot have run for so long, or stood wrong before it ran; and Black's has not run at all.
        assert!(is_wrong(5_400, 20, [5_370, 5_400]));
        assert!(is_wrong(5_395, 20, [5_385, 5_400]));
        assert!(is_wrong(5_400, 20, [5_390, 5_390]));
        assert!(is_wrong(5_400, 20, [5_410, 5_400]));
    }
}
