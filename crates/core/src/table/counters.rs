//! The clock's own move counter against the record (6.10.2, 7.1).

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use crate::event::finding::{CounterCorrected, CounterCorrection, Finding, MoveCounterMismatch};
use crate::event::{RecordId, Status};
use adoube_rules::Variant;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::{ClockReading, Side};

/// So near to a control a wrong counter gives the next period's time too early or too late: the
/// arbiter has some minutes to correct it.
const NEAR_CONTROL: u32 = 5;

/// The counter of a game.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    /// The record of one that differs.
    record: Option<RecordId>,
    /// Sides that have pressed under an open correction of it.
    pressed: Option<[bool; 2]>,
}

impl Counter {
    /// It is corrected by presses: each side makes one (7.1).
    pub(super) fn is_corrected_by_presses(&mut self) {
        self.pressed = Some([false; 2]);
    }

    /// A correction is open.
    pub(super) fn is_being_corrected(&self) -> bool {
        self.pressed.is_some()
    }

    /// Line 4 of the press table: under an open correction each side presses once. `None`: none is open; else
    /// whether both have.
    pub(super) fn pressed(&mut self, side: Side) -> Option<bool> {
        let pressed = self.pressed.as_mut()?;
        pressed[side.index()] = true;
        let is_done = *pressed == [true; 2];
        if is_done {
            self.pressed = None;
        }
        Some(is_done)
    }

    /// Holds the counter against the completed moves: the last press has been understood.
    pub(super) fn compare<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        let Some(counter) = reading.counter.filter(|_| report.is_timed()) else { return };
        if self.pressed.is_some() || report.misses_moves() {
            return;
        }
        let completed = report.counts().completed;
        let differences = [0, 1].map(|side| i64::from(counter[side]) - i64::from(completed[side]));
        let open = self
            .record
            .filter(|&number| report.records.record(number).is_some_and(|record| record.is_open()));
        match open {
            None if differences == [0, 0] => {}
            Some(_) if differences == [0, 0] => report.counter_corrected(),
            Some(number) => amend(number, differences, report),
            None => {
                // What an arbiter has settled does not come up again.
                let is_known = self.record.and_then(|number| report.records.record(number));
                if is_known.is_some_and(|known| shows(known, differences)) {
                    return;
                }
                let mut draft = Draft::open(MoveCounterMismatch {
                    white: differences[0],
                    black: differences[1],
                    counter: counter.into(),
                    completed: completed.into(),
                });
                if is_near_control(report.scene, differences) {
                    draft = draft.severity(Severity::Alert);
                }
                let record = report.open(draft);
                self.record = Some(record);
                for side in Side::BOTH.into_iter().filter(|side| differences[side.index()] != 0) {
                    let correction = CounterCorrection { side, value: completed[side.index()] };
                    report.propose(Draft::open(correction).keyed(side), record);
                }
            }
        }
    }
}

fn amend<V: Variant>(number: RecordId, differences: [i64; 2], report: &mut Report<'_, V>) {
    if report.records.record(number).is_some_and(|record| shows(record, differences)) {
        return;
    }
    let is_near = is_near_control(report.scene, differences);
    report.amend(number, |record| {
        if let Finding::MoveCounterMismatch(mismatch) = &mut record.finding {
            [mismatch.white, mismatch.black] = differences;
        }
        if is_near {
            record.severity = Some(Severity::Alert);
        }
    });
}

fn is_near_control<V: Variant>(scene: &Scene<V>, differences: [i64; 2]) -> bool {
    let Some(control) = &scene.timing.control else { return false };
    let completed = scene.counts().completed;
    Side::BOTH.into_iter().any(|side| {
        let completed = completed[side.index()];
        // The control just reached counts as near.
        let required = control.moves_required(completed.saturating_sub(1));
        differences[side.index()] != 0
            && required.is_some_and(|required| required.saturating_sub(completed) <= NEAR_CONTROL)
    })
}

impl<V: Variant> Report<'_, V> {
    /// The counter is right again: both sides pressed, or it shows what it should.
    pub(super) fn counter_corrected(&mut self) {
        let names = [Name::CounterCorrection, Name::MoveCounterMismatch];
        self.close_all(|record| names.contains(&record.name()), Status::Corrected);
        self.open(Draft::notice(CounterCorrected {}));
    }

    /// `side`'s flag fell though it has completed the moves required: if the counter is behind, the
    /// clock has not given the next period's time, and somebody has to (6.4, 7.1).
    pub(super) fn counter_withholds_period(&mut self, side: Side) {
        let Some(number) = self.records.open_number(Name::MoveCounterMismatch) else { return };
        let base_ms = self.timing.watch.next_base_ms(side);
        let (Some(base_ms), Some(now)) = (base_ms, self.times()) else { return };
        self.amend(number, |record| record.severity = Some(Severity::Alert));
        let mut then = now;
        then[side.index()] += base_ms;
        self.propose_times(number, then, now);
    }
}

fn shows(record: &Record, differences: [i64; 2]) -> bool {
    let Finding::MoveCounterMismatch(shown) = &record.finding else { return false };
    [shown.white, shown.black] == differences
}

#[cfg(test)]
mod tests {
    use super::super::scene::testing::{Bench, reading};
    use super::*;

    #[test]
    fn a_counter_that_differs_is_said_once_until_it_is_right() {
        let (mut counter, mut bench) = (Counter::default(), Bench::new());
        let mut compare = |white| {
            let shown = ClockReading { counter: Some([white, 0]), ..reading([5_400; 2], Some(Side::White)) };
            counter.compare(&shown, &mut bench.report(60));
            bench.said()
        };
        assert!(compare(0).is_empty());
        assert_eq!(
            compare(1),
            [Name::MoveCounterMismatch, Name::ClockBeforeCorrection, Name::CounterCorrection]
        );
        assert!(compare(1).is_empty());
        assert_eq!(compare(2), [Name::MoveCounterMismatch], "by another number");
        let right = compare(0);
        assert_eq!(right.last(), Some(&Name::CounterCorrected));
        assert!(compare(0).is_empty());
    }

    #[test]
    fn a_correction_takes_a_press_of_each_side() {
        let mut counter = Counter::default();
        assert_eq!(counter.pressed(Side::White), None);
        counter.is_corrected_by_presses();
        assert_eq!(counter.pressed(Side::White), Some(false));
        assert_eq!(counter.pressed(Side::White), Some(false));
        assert_eq!(counter.pressed(Side::Black), Some(true));
        assert_eq!(counter.pressed(Side::Black), None);
    }
}
