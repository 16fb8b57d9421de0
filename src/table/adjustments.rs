//! Times that change by hand: what was ruled or proposed is recognised, the rest is reported (12.5,
//! 12.9, 6.10).

use serde_json::Value;

use crate::event::{Event, Status, Times};
use crate::rules::Variant;
use crate::sensor::{ClockReading, Side};

use super::Table;
use super::records::{Draft, Record};
use super::settings::signed;

/// A change of times that a ruling announced and the clock has not shown yet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grant {
    /// More or less for one side.
    By(Side, i64),
    /// Both times as they shall be.
    To(Times),
}

/// Hands set whole seconds, and the display may tick once meanwhile.
const SAME_MS: i64 = 2_000;

fn is_same(a: i64, b: i64) -> bool {
    a.saturating_sub(b).abs() <= SAME_MS
}

/// What an open proposal gives to whom.
fn proposed(record: &Record) -> Option<(Side, i64)> {
    let sign = match record.name() {
        "add-time-opponent" => 1,
        "reduce-time-offender" => -1,
        _ => return None,
    };
    let name = record.payload.get("side")?.as_str()?;
    let side = Side::BOTH.into_iter().find(|side| side.name() == name)?;
    let amount = record.payload.get("amount_ms").and_then(Value::as_i64)?;
    (record.is_open()).then_some((side, sign * amount))
}

/// The times that an open proposal of `clock-times` would set.
fn proposed_times(record: &Record) -> Option<Times> {
    let then = record.payload.get("then").filter(|_| record.is_open() && record.name() == "clock-times")?;
    let time = |key: &str| then.get(key).and_then(Value::as_u64);
    Some([time("white_ms")?, time("black_ms")?])
}

impl<V: Variant> Table<V> {
    /// The times jumped by `differences_ms` to `now`: what nothing explains is reported.
    pub(super) fn explain_jumps(&mut self, differences_ms: [i64; 2], now: Times, out: &mut Vec<Event>) {
        if differences_ms == [0; 2] {
            return;
        }
        for side in Side::BOTH {
            if let Some(expected) = &mut self.timing.expected[side.index()] {
                expected.adjust(differences_ms[side.index()]);
            }
        }
        self.forget_standing();
        let mut left = self.explain(differences_ms, now, out);
        for side in Side::BOTH {
            let difference_ms = &mut left[side.index()];
            if *difference_ms != 0 && self.earned_period(side, *difference_ms, now[side.index()], out) {
                *difference_ms = 0;
            }
        }
        if left == [0; 2] {
            return;
        }
        let mut draft = Draft::open("clock-time-jump");
        for side in Side::BOTH.into_iter().filter(|side| left[side.index()] != 0) {
            draft = draft.with(&format!("{}_ms", side.name()), left[side.index()]);
        }
        self.open(draft, out);
    }

    /// Takes from `differences_ms` what rulings and open proposals account for.
    pub(super) fn explain(&mut self, differences_ms: [i64; 2], now: Times, out: &mut Vec<Event>) -> [i64; 2] {
        let is_now = |times: &Times| (0..2).all(|side| is_same(signed(times[side]), signed(now[side])));
        let is_target = |grant: &Grant| matches!(grant, Grant::To(times) if is_now(times));
        if self.timing.grants.iter().any(is_target) {
            self.timing.grants.retain(|grant| !is_target(grant));
            return [0; 2];
        }
        let target =
            self.records.iter().find(|record| proposed_times(record).is_some_and(|times| is_now(&times)));
        if let Some(number) = target.map(|record| record.number) {
            self.close(number, Status::Corrected, out);
            return [0; 2];
        }
        let mut left = differences_ms;
        for side in Side::BOTH {
            if left[side.index()] != 0 && self.explain_side(side, left[side.index()], out) {
                left[side.index()] = 0;
            }
        }
        left
    }

    /// True if one decision for `side`, or all of them together, come to `difference_ms`.
    fn explain_side(&mut self, side: Side, difference_ms: i64, out: &mut Vec<Event>) -> bool {
        let granted: Vec<i64> = self
            .timing
            .grants
            .iter()
            .filter_map(|grant| match grant {
                Grant::By(of, ms) if *of == side => Some(*ms),
                Grant::By(..) | Grant::To(_) => None,
            })
            .collect();
        let open: Vec<(u32, i64)> = self
            .records
            .iter()
            .filter_map(|record| Some((record.number, proposed(record).filter(|(of, _)| *of == side)?.1)))
            .collect();
        if let Some(&ms) = granted.iter().find(|&&ms| is_same(ms, difference_ms)) {
            self.forget_grants(
                |grant| matches!(grant, Grant::By(of, given) if *of == side && *given == ms),
                true,
            );
            return true;
        }
        if let Some(&(number, _)) = open.iter().find(|(_, ms)| is_same(*ms, difference_ms)) {
            self.close(number, Status::Corrected, out);
            return true;
        }
        let all_ms = granted.iter().sum::<i64>() + open.iter().map(|(_, ms)| ms).sum::<i64>();
        if granted.len() + open.len() < 2 || !is_same(all_ms, difference_ms) {
            return false;
        }
        self.forget_grants(|grant| matches!(grant, Grant::By(of, _) if *of == side), false);
        for (number, _) in open {
            self.close(number, Status::Corrected, out);
        }
        true
    }

    fn forget_grants(&mut self, is_shown: impl Fn(&Grant) -> bool, only_one: bool) {
        if only_one {
            if let Some(index) = self.timing.grants.iter().position(is_shown) {
                self.timing.grants.remove(index);
            }
        } else {
            self.timing.grants.retain(|grant| !is_shown(grant));
        }
    }

    /// A ruling that changes times: expected from now on, or the explanation of a jump that was
    /// reported already.
    pub(super) fn grant(&mut self, grants: &[Grant], out: &mut Vec<Event>) {
        for &grant in grants {
            if !self.explains_reported_jump(grant, out) {
                self.timing.grants.push(grant);
            }
        }
    }

    fn explains_reported_jump(&mut self, grant: Grant, out: &mut Vec<Event>) -> bool {
        let now = self.times();
        let fits = |record: &&Record| {
            record.is_open()
                && record.name() == "clock-time-jump"
                && match grant {
                    Grant::By(side, ms) => record
                        .payload
                        .get(&format!("{}_ms", side.name()))
                        .and_then(Value::as_i64)
                        .is_some_and(|jump_ms| is_same(jump_ms, ms)),
                    Grant::To(times) => now == Some(times),
                }
        };
        let Some(number) = self.records.iter().find(fits).map(|record| record.number) else { return false };
        self.close(number, Status::Confirmed, out);
        true
    }

    /// A reading while both clocks stand: an adjustment that was decided is recognised at once, the
    /// rest when a time runs again, because hands set a display digit by digit.
    pub(super) fn adjusted_while_paused(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        let Some(times) = self.timing.pause.as_ref().and_then(|pause| pause.times) else { return };
        let now = reading.left_ms;
        let differences_ms = differences(times, now);
        if differences_ms == [0; 2] {
            return;
        }
        let left = self.explain(differences_ms, now, out);
        self.adjusted(differences_ms, left, now);
    }

    /// The times behind a pause: what was not recognised in it jumped.
    pub(super) fn compare_after_pause(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        let Some(times) = self.timing.pause.as_ref().and_then(|pause| pause.times) else { return };
        self.explain_jumps(differences(times, reading.left_ms), reading.left_ms, out);
    }

    /// Enters what was recognised of `differences_ms`: all but `left`.
    fn adjusted(&mut self, differences_ms: [i64; 2], left: [i64; 2], now: Times) {
        for side in Side::BOTH {
            let index = side.index();
            if differences_ms[index] == 0 || left[index] != 0 {
                continue;
            }
            if let Some(expected) = &mut self.timing.expected[index] {
                expected.adjust(differences_ms[index]);
            }
            if let Some(times) = self.timing.pause.as_mut().and_then(|pause| pause.times.as_mut()) {
                times[index] = now[index];
            }
        }
    }
}

/// What differs by more than a tick.
fn differences(before: Times, now: Times) -> [i64; 2] {
    [0, 1].map(|side| {
        let difference_ms = signed(now[side]) - signed(before[side]);
        if is_same(difference_ms, 0) { 0 } else { difference_ms }
    })
}
