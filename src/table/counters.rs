//! The clock's own move counter against the record (6.10.2, 7.1).

use super::Table;
use super::records::{Draft, Record};
use crate::event::finding::{CounterCorrected, CounterCorrection, Finding, MoveCounterMismatch};
use crate::event::{Event, RecordId, Status};
use crate::rules::Variant;
use crate::rules::laws::{Name, Severity};
use crate::sensor::{ClockReading, Side};

/// So near to a control a wrong counter gives the next period's time too early or too late: the
/// arbiter has some minutes to correct it.
const NEAR_CONTROL: u32 = 5;

impl<V: Variant> Table<V> {
    /// Holds the counter against the completed moves, once the last press has been understood.
    pub(super) fn compare_counter(&mut self, reading: &ClockReading, is_press: bool, out: &mut Vec<Event>) {
        let Some(counter) = reading.counter.filter(|_| self.is_timed()) else { return };
        let is_settled = !is_press && self.press.is_none() && self.verdict_ns.is_none();
        if !is_settled || self.correction.is_some() {
            return;
        }
        let completed = self.counts().completed;
        let differences = [0, 1].map(|side| i64::from(counter[side]) - i64::from(completed[side]));
        let open =
            self.timing.counter.filter(|&number| self.record(number).is_some_and(|record| record.is_open()));
        match open {
            None if differences == [0, 0] => {}
            Some(_) if differences == [0, 0] => self.counter_corrected(out),
            Some(number) => self.amend_counter(number, differences, out),
            None => {
                // What an arbiter has settled does not come up again.
                let is_known = self.timing.counter.and_then(|number| self.record(number));
                if is_known.is_some_and(|known| shows(known, differences)) {
                    return;
                }
                let mut draft = Draft::open(MoveCounterMismatch {
                    white: differences[0],
                    black: differences[1],
                    counter: counter.into(),
                    completed: completed.into(),
                });
                if self.is_near_control(differences) {
                    draft = draft.severity(Severity::Alert);
                }
                let record = self.open(draft, out);
                self.timing.counter = Some(record);
                for side in Side::BOTH.into_iter().filter(|side| differences[side.index()] != 0) {
                    let correction = CounterCorrection { side, value: completed[side.index()] };
                    self.propose(Draft::open(correction).keyed(side), record, out);
                }
            }
        }
    }

    fn amend_counter(&mut self, number: RecordId, differences: [i64; 2], out: &mut Vec<Event>) {
        if self.record(number).is_some_and(|record| shows(record, differences)) {
            return;
        }
        let is_near = self.is_near_control(differences);
        self.amend(
            number,
            |record| {
                if let Finding::MoveCounterMismatch(mismatch) = &mut record.finding {
                    [mismatch.white, mismatch.black] = differences;
                }
                if is_near {
                    record.severity = Some(Severity::Alert);
                }
            },
            out,
        );
    }

    fn is_near_control(&self, differences: [i64; 2]) -> bool {
        let Some(control) = &self.timing.control else { return false };
        let completed = self.counts().completed;
        Side::BOTH.into_iter().any(|side| {
            let completed = completed[side.index()];
            // The control just reached counts as near.
            let required = control.moves_required(completed.saturating_sub(1));
            differences[side.index()] != 0
                && required.is_some_and(|required| required.saturating_sub(completed) <= NEAR_CONTROL)
        })
    }

    /// The counter is right again: both sides pressed, or it shows what it should.
    pub(super) fn counter_corrected(&mut self, out: &mut Vec<Event>) {
        let names = [Name::CounterCorrection, Name::MoveCounterMismatch];
        self.close_all(|record| names.contains(&record.name()), Status::Corrected, out);
        self.open(Draft::notice(CounterCorrected {}), out);
    }

    /// `side`'s flag fell though it has completed the moves required: if the counter is behind, the
    /// clock has not given the next period's time, and somebody has to (6.4, 7.1).
    pub(super) fn counter_withholds_period(&mut self, side: Side, out: &mut Vec<Event>) {
        let Some(number) = self.open_number(Name::MoveCounterMismatch) else { return };
        let base_ms =
            self.timing.expected[side.index()].as_ref().and_then(crate::clock::Expected::next_base_ms);
        let (Some(base_ms), Some(now)) = (base_ms, self.times()) else { return };
        self.amend(number, |record| record.severity = Some(Severity::Alert), out);
        let mut then = now;
        then[side.index()] += base_ms;
        self.propose_times(number, then, now, out);
    }
}

fn shows(record: &Record, differences: [i64; 2]) -> bool {
    let Finding::MoveCounterMismatch(shown) = &record.finding else { return false };
    [shown.white, shown.black] == differences
}
