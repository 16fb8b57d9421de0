//! Times that change by hand: what was ruled or proposed is recognised, the rest is reported (12.5,
//! 12.9, 6.10).

use super::super::records::{Draft, Record, Records};
use super::super::scene::{Report, Scene};
use super::{Watch, signed, wrong_setting};
use crate::event::finding::{ClockTimeJump, Context, Finding, TimePenalty, TimePenaltyKind};
use crate::event::{RecordId, Status, Times};
use adoube_rules::Variant;
use adoube_rules::clock::ClockDeviation;
use adoube_rules::sensor::{ClockReading, Side};

/// A change of times that a ruling announced and the clock has not shown yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum Grant {
    /// More or less for one side.
    By(Side, i64),
    /// Both times as they shall be.
    To(Times),
    /// Both times as they may be set: nobody need do it.
    May(Times),
}

/// Hands set whole seconds, and the display may tick once meanwhile.
const SAME_MS: i64 = 2_000;

pub(in crate::table) fn is_same(a: i64, b: i64) -> bool {
    a.saturating_sub(b).abs() <= SAME_MS
}

/// What an open proposal gives to whom.
fn proposed(record: &Record) -> Option<(Side, i64)> {
    amount(record).filter(|_| record.is_open())
}

/// What a proposal gives to whom.
pub(in crate::table) fn amount(record: &Record) -> Option<(Side, i64)> {
    let Finding::TimePenalty(kind, TimePenalty { side, amount_ms }) = &record.finding else { return None };
    let amount_ms = signed((*amount_ms)?);
    let sign = match kind {
        TimePenaltyKind::AddTimeOpponent => 1,
        TimePenaltyKind::ReduceTimeOffender => -1,
    };
    Some((*side, sign * amount_ms))
}

/// What is proposed for `side`: the record and the amount.
fn proposed_for(records: &Records, side: Side) -> Vec<(RecordId, i64)> {
    let of_side = |record: &Record| Some((record.number, proposed(record).filter(|(of, _)| *of == side)?.1));
    records.iter().filter_map(of_side).collect()
}

/// The times that an open proposal of `clock-times` would set.
fn proposed_times(record: &Record) -> Option<Times> {
    let Finding::ClockTimes(times) = &record.finding else { return None };
    times.then.map(Times::from).filter(|_| record.is_open())
}

impl Watch {
    /// The times jumped by `differences_ms` to `now`: what nothing explains is reported.
    pub(in crate::table) fn explain_jumps<V: Variant>(
        &mut self,
        differences_ms: [i64; 2],
        now: Times,
        report: &mut Report<'_, V>,
    ) {
        if differences_ms == [0; 2] {
            return;
        }
        for side in Side::BOTH {
            if let Some(expected) = &mut self.expected[side.index()] {
                expected.adjust(differences_ms[side.index()]);
            }
        }
        self.forget_standing();
        let mut left = self.explain(differences_ms, now, report);
        self.grants_are_shown(report);
        for side in Side::BOTH {
            let difference_ms = &mut left[side.index()];
            if *difference_ms != 0 && self.earned_period(side, *difference_ms, now[side.index()], report) {
                *difference_ms = 0;
            }
        }
        if left == [0; 2] {
            return;
        }
        let before = [0, 1].map(|side: usize| now[side].saturating_add_signed(-differences_ms[side]));
        let [white_ms, black_ms] = left.map(|ms| Some(ms).filter(|&ms| ms != 0));
        let jump = ClockTimeJump { clock_before: Some(before.into()), white_ms, black_ms };
        report.open(Draft::open(jump));
    }

    /// Takes from `differences_ms` what rulings and open proposals account for.
    pub(in crate::table) fn explain<V: Variant>(
        &mut self,
        differences_ms: [i64; 2],
        now: Times,
        report: &mut Report<'_, V>,
    ) -> [i64; 2] {
        let bonus_ms = Side::BOTH.map(|side| self.decided_ms(report.records, side));
        for added_ms in [[0; 2], bonus_ms] {
            if self.is_target(now, added_ms, report) {
                if added_ms != [0; 2] {
                    Side::BOTH.into_iter().for_each(|side| self.decided_are_shown(side, report));
                }
                return [0; 2];
            }
        }
        let mut left = differences_ms;
        for side in Side::BOTH {
            let index = side.index();
            if left[index] != 0
                && (self.is_set_as_ruled(side, now) || self.explain_side(side, left[index], report))
            {
                left[index] = 0;
            }
        }
        left
    }

    /// True if `side`'s clock shows what was ruled for it, while the other one may have to be set yet.
    fn is_set_as_ruled(&mut self, side: Side, now: Times) -> bool {
        let (target_ms, added_ms) = self.ruled_ms(side, now);
        let Some(Grant::To(times)) = self.grants.iter_mut().find(|grant| matches!(grant, Grant::To(_)))
        else {
            return false;
        };
        if !is_same(signed(target_ms), signed(now[side.index()])) {
            return false;
        }
        let time = &mut times[side.index()];
        *time = time.saturating_add_signed(added_ms);
        self.forget_grants(|grant| matches!(grant, Grant::By(of, _) if *of == side), false);
        true
    }

    /// True if the clock shows times that were ruled or proposed, with `added_ms` on top of them.
    fn is_target<V: Variant>(&mut self, now: Times, added_ms: [i64; 2], report: &mut Report<'_, V>) -> bool {
        let is_now = |times: &Times| {
            (0..2).all(|side| is_same(signed(times[side]) + added_ms[side], signed(now[side])))
        };
        let is_target =
            |grant: &Grant| matches!(grant, Grant::To(times) | Grant::May(times) if is_now(times));
        if self.grants.iter().any(is_target) {
            self.grants.retain(|grant| !is_target(grant));
            return true;
        }
        let target =
            report.records.iter().find(|record| proposed_times(record).is_some_and(|times| is_now(&times)));
        let Some(number) = target.map(|record| record.number) else { return false };
        report.close(number, Status::Corrected);
        true
    }

    /// What was ruled for `side` and not seen yet.
    fn granted(&self, side: Side) -> Vec<i64> {
        let of_side = |grant: &Grant| match grant {
            Grant::By(of, ms) if *of == side => Some(*ms),
            Grant::By(..) | Grant::To(_) | Grant::May(_) => None,
        };
        self.grants.iter().filter_map(of_side).collect()
    }

    /// All that was ruled or proposed for `side`, together.
    fn decided_ms(&self, records: &Records, side: Side) -> i64 {
        self.granted(side).iter().sum::<i64>()
            + proposed_for(records, side).iter().map(|(_, ms)| ms).sum::<i64>()
    }

    /// The clock shows all that was ruled and proposed for `side`.
    fn decided_are_shown<V: Variant>(&mut self, side: Side, report: &mut Report<'_, V>) {
        self.forget_grants(|grant| matches!(grant, Grant::By(of, _) if *of == side), false);
        for (number, _) in proposed_for(report.records, side) {
            report.close(number, Status::Corrected);
        }
    }

    /// What was proposed for a record in favour of `side`, and is on the clock by now.
    pub(in crate::table) fn given_ms(&self, records: &Records, of: Option<RecordId>, side: Side) -> i64 {
        let granted = self.granted(side);
        let is_given = |record: &&Record, ms: &i64| match record.status {
            Status::Corrected => true,
            Status::Confirmed => !granted.contains(ms),
            _ => false,
        };
        let given = |record: &Record| amount(record).filter(|(of, _)| *of == side).map(|(_, ms)| ms);
        let siblings = records.iter().filter(|record| of.is_some() && record.of == of);
        siblings.filter_map(|record| given(record).filter(|ms| is_given(&record, ms))).sum()
    }

    /// True if something that was decided for `side` comes to `difference_ms`; times that are still to be set
    /// have it on top then.
    fn explain_side<V: Variant>(
        &mut self,
        side: Side,
        difference_ms: i64,
        report: &mut Report<'_, V>,
    ) -> bool {
        let Some(decided_ms) = self.take_decided(side, difference_ms, report) else { return false };
        for grant in &mut self.grants {
            if let Grant::To(times) = grant {
                let time = &mut times[side.index()];
                *time = time.saturating_add_signed(decided_ms);
            }
        }
        true
    }

    /// One decision for `side`, or all of them together, if they come to `difference_ms`: the clock shows it.
    fn take_decided<V: Variant>(
        &mut self,
        side: Side,
        difference_ms: i64,
        report: &mut Report<'_, V>,
    ) -> Option<i64> {
        let (granted, open) = (self.granted(side), proposed_for(report.records, side));
        if let Some(&ms) = granted.iter().find(|&&ms| is_same(ms, difference_ms)) {
            self.forget_grants(
                |grant| matches!(grant, Grant::By(of, given) if *of == side && *given == ms),
                true,
            );
            return Some(ms);
        }
        if let Some(&(number, ms)) = open.iter().find(|(_, ms)| is_same(*ms, difference_ms)) {
            report.close(number, Status::Corrected);
            return Some(ms);
        }
        let decided_ms = self.decided_ms(report.records, side);
        if granted.len() + open.len() < 2 || !is_same(decided_ms, difference_ms) {
            return None;
        }
        self.decided_are_shown(side, report);
        Some(decided_ms)
    }

    fn forget_grants(&mut self, is_shown: impl Fn(&Grant) -> bool, only_one: bool) {
        if only_one {
            if let Some(index) = self.grants.iter().position(is_shown) {
                self.grants.remove(index);
            }
        } else {
            self.grants.retain(|grant| !is_shown(grant));
        }
    }

    /// A ruling that changes times: expected from now on, or the explanation of a jump that was
    /// reported already.
    pub(in crate::table) fn grant<V: Variant>(&mut self, grants: &[Grant], report: &mut Report<'_, V>) {
        for &grant in grants {
            if !explains_reported_jump(grant, report) && !self.was_set_before(report.scene, grant) {
                self.grants.push(grant);
            }
        }
    }

    /// Both times shall be these, whatever was to be set before.
    pub(in crate::table) fn grant_times<V: Variant>(&mut self, times: Times, report: &mut Report<'_, V>) {
        self.grants.retain(|grant| !matches!(grant, Grant::To(_)));
        self.grant(&[Grant::To(times)], report);
    }

    /// The arbiter has been reminded of what was ruled, and leaves the clock as it is.
    pub(in crate::table) fn times_are_waived(&mut self, reminder: &Record) {
        if let Some(side) = reminder.key.side.filter(|_| is_reminder(reminder)) {
            self.forget_grants(|grant| matches!(grant, Grant::By(of, _) if *of == side), false);
        }
    }

    /// The clock shows the times already: nobody has to set them any more.
    fn was_set_before<V: Variant>(&mut self, scene: &Scene<V>, grant: Grant) -> bool {
        let (Grant::To(times), Some(now)) = (grant, scene.times()) else { return false };
        let is_shown = differences(times, now) == [0; 2];
        let paused = self.paused;
        if let Some(before) = paused.filter(|_| is_shown) {
            self.adjusted(differences(before, now), [0; 2], now);
        }
        is_shown
    }

    /// A reading while both clocks stand: an adjustment that was decided is recognised at once, the
    /// rest when a time runs again, because hands set a display digit by digit.
    pub(in crate::table) fn adjusted_while_paused<V: Variant>(
        &mut self,
        reading: &ClockReading,
        report: &mut Report<'_, V>,
    ) {
        let Some(times) = self.paused else { return };
        let now = reading.left_ms;
        let differences_ms = differences(times, now);
        if differences_ms == [0; 2] {
            return;
        }
        let left = self.explain(differences_ms, now, report);
        self.adjusted(differences_ms, left, now);
        self.grants_are_shown(report);
    }

    /// The times behind a pause: what was not recognised in it jumped.
    pub(in crate::table) fn compare_after_pause<V: Variant>(
        &mut self,
        reading: &ClockReading,
        report: &mut Report<'_, V>,
    ) {
        let Some(times) = self.paused else { return };
        self.explain_jumps(differences(times, reading.left_ms), reading.left_ms, report);
        for side in Side::BOTH {
            self.remind_of_grant(side, reading.left_ms, report);
        }
        self.keep_what_is_missing(reading.left_ms);
        self.grants_are_shown(report);
    }

    /// What `side`'s clock, which shows `now`, shall show as it was ruled, and what of that was given or taken. While the
    /// clocks stand, what is given comes to what they showed when they were stopped: hands set a display digit by digit.
    pub(in crate::table) fn ruled_ms(&self, side: Side, now: Times) -> (u64, i64) {
        let target = self.grants.iter().find_map(|grant| match grant {
            Grant::To(times) => Some(times[side.index()]),
            Grant::By(..) | Grant::May(_) => None,
        });
        let added_ms = self.granted(side).iter().sum();
        let stood = self.paused.filter(|_| added_ms != 0).unwrap_or(now);
        let base_ms = target.unwrap_or_else(|| stood[side.index()]);
        (base_ms.saturating_add_signed(added_ms), added_ms)
    }

    /// Something was ruled for `side` that its clock has not shown yet.
    pub(in crate::table) fn is_ruled(&self, side: Side) -> bool {
        self.grants.iter().any(|grant| match grant {
            Grant::By(of, _) => *of == side,
            Grant::To(_) => true,
            Grant::May(_) => false,
        })
    }

    /// Both times shall be certain ones, whatever the clock shows.
    pub(in crate::table) fn is_set_to_a_time(&self) -> bool {
        self.grants.iter().any(|grant| matches!(grant, Grant::To(_)))
    }

    /// What was ruled and is not seen yet.
    pub(in crate::table) fn ruled(&self) -> &[Grant] {
        &self.grants
    }

    /// The arbiter leaves the clock of `side`, or of both, as it is, whatever was ruled.
    pub(in crate::table) fn rulings_are_waived<V: Variant>(
        &mut self,
        side: Option<Side>,
        report: &mut Report<'_, V>,
    ) {
        let is_meant = |of: Side| side.is_none_or(|side| side == of);
        self.forget_grants(|grant| matches!(grant, Grant::By(of, _) if is_meant(*of)), false);
        // What the other clock was to be set to is still due there, as what it lacks.
        if let Some(now) = report.times() {
            self.keep_what_is_missing(now);
        }
        self.grants.retain(|grant| match grant {
            Grant::By(of, _) => !is_meant(*of),
            Grant::To(_) => side.is_some(),
            Grant::May(_) => true,
        });
        let is_its = |record: &Record| is_reminder(record) && record.key.side.is_none_or(is_meant);
        report.close_all(is_its, Status::Rejected);
    }

    /// Time runs again, and `side`'s display does not show what was ruled (12.9, 9.5.3, 6.10.2).
    fn remind_of_grant<V: Variant>(&self, side: Side, now: Times, report: &mut Report<'_, V>) {
        let index = side.index();
        let (expected_ms, _) = self.ruled_ms(side, now);
        let deviation = ClockDeviation { expected_ms, seen_ms: now[index] };
        if is_same(deviation.difference_ms(), 0) {
            return;
        }
        let record = report.open(Draft::open(wrong_setting(side, deviation, Some(Context::Ruling))));
        let mut then = now;
        then[index] = expected_ms;
        report.propose_times(record, then, now);
    }

    /// Time runs again, and times that were to be set are no longer those: what is missing of them stays due.
    fn keep_what_is_missing(&mut self, now: Times) {
        let is_target = |grant: &Grant| matches!(grant, Grant::To(_));
        let Some(index) = self.grants.iter().position(is_target) else { return };
        let Grant::To(times) = self.grants.remove(index) else { return };
        let missing_ms = differences(now, times);
        let due = Side::BOTH.into_iter().filter(|side| missing_ms[side.index()] != 0);
        self.grants.extend(due.map(|side| Grant::By(side, missing_ms[side.index()])));
    }

    /// Nothing that was ruled is missing on the clock any longer.
    fn grants_are_shown<V: Variant>(&self, report: &mut Report<'_, V>) {
        let is_due = |grant: &Grant| !matches!(grant, Grant::May(_));
        if !self.grants.iter().any(is_due) {
            report.close_all(is_reminder, Status::Corrected);
        }
    }

    /// Enters what was recognised of `differences_ms`: all but `left`.
    fn adjusted(&mut self, differences_ms: [i64; 2], left: [i64; 2], now: Times) {
        for side in Side::BOTH {
            let index = side.index();
            if differences_ms[index] == 0 || left[index] != 0 {
                continue;
            }
            if let Some(expected) = &mut self.expected[index] {
                expected.adjust(differences_ms[index]);
            }
            if let Some(times) = &mut self.paused {
                times[index] = now[index];
            }
        }
    }
}

/// Does the record say that what was ruled is not on the clock?
pub(in crate::table) fn is_reminder(record: &Record) -> bool {
    matches!(&record.finding, Finding::ClockSettingWrong(wrong) if wrong.context == Some(Context::Ruling))
}

/// What differs by more than a tick.
pub(in crate::table) fn differences(before: Times, now: Times) -> [i64; 2] {
    [0, 1].map(|side| {
        let difference_ms = signed(now[side]) - signed(before[side]);
        if is_same(difference_ms, 0) { 0 } else { difference_ms }
    })
}

fn explains_reported_jump<V: Variant>(grant: Grant, report: &mut Report<'_, V>) -> bool {
    let now = report.times();
    let fits = |record: &&Record| {
        let Finding::ClockTimeJump(jump) = &record.finding else { return false };
        record.is_open()
            && match grant {
                Grant::By(side, ms) => {
                    [jump.white_ms, jump.black_ms][side.index()].is_some_and(|jump_ms| is_same(jump_ms, ms))
                }
                Grant::To(times) | Grant::May(times) => now == Some(times),
            }
    };
    let Some(number) = report.records.iter().find(fits).map(|record| record.number) else { return false };
    report.close(number, Status::Confirmed);
    true
}

#[cfg(test)]
mod tests {
    use super::super::super::scene::testing::Bench;
    use super::*;
    use adoube_rules::laws::Name;

    /// White's time jumps by two minutes to `now`; what is said of it.
    fn jumps(watch: &mut Watch, bench: &mut Bench) -> Vec<Name> {
        watch.explain_jumps([120_000, 0], [5_520_000, 5_400_000], &mut bench.report(60));
        bench.said()
    }

    #[test]
    fn a_jump_that_was_ruled_is_none_and_a_second_one_is() {
        let (mut watch, mut bench) = (Watch::default(), Bench::new());
        watch.grant(&[Grant::By(Side::White, 120_000)], &mut bench.report(50));
        assert!(jumps(&mut watch, &mut bench).is_empty());
        assert_eq!(jumps(&mut watch, &mut bench), [Name::ClockTimeJump]);
    }

    #[test]
    fn what_was_ruled_and_is_not_on_the_clock_is_missed_when_time_runs_again() {
        let (mut watch, mut bench) = (Watch::default(), Bench::new());
        watch.pauses(Some([5_400_000; 2]));
        watch.grant_times([5_520_000, 5_400_000], &mut bench.report(50));
        let shown = super::super::super::scene::testing::reading([5_400; 2], Some(Side::White));
        watch.compare_after_pause(&shown, &mut bench.report(60));
        assert_eq!(bench.said().first(), Some(&Name::ClockSettingWrong));
    }
}
