//! The records as they stand: a fold over the events that opened and changed them. For the arbiter alone.

use std::collections::BTreeMap;

use adoube_core::event::finding::{Fields, RecordId};
use adoube_core::event::{Numbered, Recorded, Said, Status};

/// Closed records that are kept, the newest ones: what an arbiter still has in mind.
const CLOSED: usize = 200;
/// Open ones that are kept: more than anybody looks through, whatever a broken board makes up.
const OPEN: usize = 10_000;

/// One record: its newest event, and when the first one was.
#[derive(Debug, Clone)]
pub struct Record {
    /// The newest event.
    pub event: Numbered,
    /// When it was opened, RFC 3339.
    pub opened_at: String,
}

impl serde::Serialize for Record {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

/// The records of a hall.
#[derive(Debug, Default)]
pub struct Records {
    records: BTreeMap<RecordId, Record>,
    /// The numbers of the closed ones, by the `seq` of their last event.
    closed: BTreeMap<u64, RecordId>,
    open: usize,
}

/// The record that an event opens or changes. A ruling that names one does neither.
#[must_use]
pub fn record_of(event: &Numbered) -> Option<&Recorded> {
    match &event.said {
        Said::Record(recorded) => Some(recorded),
        _ => None,
    }
}

impl Record {
    /// What a record is after `event`, which changes what it was `before`.
    #[must_use]
    pub fn changed(before: Option<&Self>, event: &Numbered) -> Self {
        let opened_at = before.map_or_else(|| event.at.to_string(), |before| before.opened_at.clone());
        Self { event: event.clone(), opened_at }
    }

    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        record_of(&self.event).map(|recorded| recorded.status)
    }

    /// Does it wait for the arbiter?
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status() == Some(Status::Open)
    }

    /// As the desk shows it.
    #[must_use]
    pub fn json(&self) -> Fields {
        let mut fields = self.event.json();
        fields.insert("opened_at".into(), self.opened_at.as_str().into());
        fields
    }
}

impl Records {
    /// Takes an event, whatever it is about.
    pub fn apply(&mut self, event: &Numbered) {
        let Some(number) = record_of(event).map(|recorded| recorded.record) else { return };
        let before = self.remove(number);
        let record = Record::changed(before.as_ref(), event);
        if record.is_open() {
            self.open += 1;
        } else {
            self.closed.insert(event.seq, number);
        }
        self.records.insert(number, record);
        self.bound();
    }

    fn remove(&mut self, number: RecordId) -> Option<Record> {
        let record = self.records.remove(&number)?;
        if record.is_open() {
            self.open -= 1;
        } else {
            self.closed.remove(&record.event.seq);
        }
        Some(record)
    }

    fn bound(&mut self) {
        if self.closed.len() > CLOSED
            && let Some((_, number)) = self.closed.pop_first()
        {
            self.records.remove(&number);
        }
        if self.open > OPEN {
            let oldest = self.records.iter().find(|(_, record)| record.is_open()).map(|(number, _)| *number);
            oldest.and_then(|number| self.remove(number));
        }
    }

    /// The table of `board` begins afresh: what was open there can be decided by nobody any more.
    pub fn reopen(&mut self, board: &str) {
        let is_gone = |record: &Record| record.is_open() && *record.event.board == *board;
        let gone: Vec<RecordId> =
            self.records.iter().filter(|(_, record)| is_gone(record)).map(|(number, _)| *number).collect();
        gone.into_iter().for_each(|number| drop(self.remove(number)));
    }

    /// All that are kept, in the order in which they were opened.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&Record> {
        self.records.get(&RecordId(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::finding::BoardDisconnected;
    use adoube_core::event::said::Millis;
    use adoube_core::ruling::Ruled;

    fn event(seq: u64, record: u64, status: Status) -> Numbered {
        let recorded = Recorded::of(RecordId(record), status, BoardDisconnected {});
        said(seq, &(record % 2).to_string(), Said::Record(Box::new(recorded)))
    }

    fn said(seq: u64, board: &str, said: Said) -> Numbered {
        let (at, t_ms) = (format!("at {seq}").into(), Millis::of_ns(0));
        let board = board.into();
        Numbered { seq, public_id: None, releases: 0, at, t_ms, board, game: None, said, is_durable: true }
    }

    fn folded(events: impl IntoIterator<Item = Numbered>) -> Records {
        let mut records = Records::default();
        events.into_iter().for_each(|event| records.apply(&event));
        records
    }

    #[test]
    fn a_record_is_its_newest_event_and_knows_when_it_was_opened() {
        let mut records =
            folded([event(5, 5, Status::Open), event(6, 6, Status::Open), event(9, 5, Status::Confirmed)]);
        let shown = |records: &Records, number| {
            let record = records.get(number).unwrap();
            (record.event.seq, record.status(), record.opened_at.clone())
        };
        assert_eq!(shown(&records, 5), (9, Some(Status::Confirmed), "at 5".to_owned()));
        assert_eq!(shown(&records, 6), (6, Some(Status::Open), "at 6".to_owned()));
        assert_eq!(records.get(5).unwrap().json()["opened_at"], "at 5");
        // An undone ruling opens it again.
        records.apply(&event(11, 5, Status::Open));
        assert_eq!(shown(&records, 5), (11, Some(Status::Open), "at 5".to_owned()));
        assert!(records.closed.is_empty());
    }

    #[test]
    fn a_ruling_that_names_a_record_does_not_replace_it() {
        let ruled = serde_json::json!({ "name": "postpone", "record": 5 });
        let ruled = said(7, "1", Said::Ruled(Box::new(Ruled::parse(&ruled).unwrap())));
        let records = folded([event(5, 5, Status::Open), ruled]);
        assert_eq!(records.get(5).unwrap().event.seq, 5);
    }

    #[test]
    fn the_newest_closed_ones_are_kept_and_all_open_ones() {
        let opened = (1..=300).map(|number| event(number, number, Status::Open));
        let closed = (1..=250).map(|number| event(1_000 + number, number, Status::Expired));
        let records = folded(opened.chain(closed));
        let kept: Vec<u64> = records.all().map(|record| record_of(&record.event).unwrap().record.0).collect();
        assert_eq!(kept, (51..=300).collect::<Vec<u64>>());
    }

    #[test]
    fn a_table_that_begins_afresh_knows_none_of_its_open_records() {
        let mut records =
            folded([event(1, 1, Status::Open), event(2, 2, Status::Open), event(3, 3, Status::Rejected)]);
        records.reopen("1");
        let kept: Vec<u64> = records.all().map(|record| record.event.seq).collect();
        assert_eq!(kept, [2, 3]);
        assert_eq!(records.open, 1);
    }
}
