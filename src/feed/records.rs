//! The records as they stand: a fold over the events that opened and changed them. For the arbiter alone.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Closed records that are kept, the newest ones: what an arbiter still has in mind.
const CLOSED: usize = 200;
/// Open ones that are kept: more than anybody looks through, whatever a broken board makes up.
const OPEN: usize = 10_000;

/// One record: its newest event, with `opened_at` of its first.
pub type Record = Map<String, Value>;

/// The records of a hall.
#[derive(Debug, Default)]
pub struct Records {
    records: BTreeMap<u64, Record>,
    /// The numbers of the closed ones, by the `seq` of their last event.
    closed: BTreeMap<u64, u64>,
    open: usize,
}

/// The number of the record that an event opens or changes. A ruling that names one does neither.
#[must_use]
pub fn record_of(event: &Map<String, Value>) -> Option<u64> {
    event.get("status").and_then(Value::as_str)?;
    event.get("record").and_then(Value::as_u64)
}

/// What a record is after `event`, which changes what it was `before`.
#[must_use]
pub fn changed(before: Option<&Record>, event: &Map<String, Value>) -> Record {
    let opened_at = before.and_then(|before| before.get("opened_at")).or_else(|| event.get("at"));
    let opened_at = opened_at.cloned().unwrap_or_default();
    let mut record = event.clone();
    record.insert("opened_at".into(), opened_at);
    record
}

/// Does a record wait for the arbiter?
#[must_use]
pub fn is_open(record: &Record) -> bool {
    record.get("status").and_then(Value::as_str) == Some("open")
}

fn seq(record: &Record) -> u64 {
    record.get("seq").and_then(Value::as_u64).unwrap_or(0)
}

impl Records {
    /// Takes an event, whatever it is about.
    pub fn apply(&mut self, event: &Map<String, Value>) {
        let Some(number) = record_of(event) else { return };
        let before = self.remove(number);
        let record = changed(before.as_ref(), event);
        if is_open(&record) {
            self.open += 1;
        } else {
            self.closed.insert(seq(&record), number);
        }
        self.records.insert(number, record);
        self.bound();
    }

    fn remove(&mut self, number: u64) -> Option<Record> {
        let record = self.records.remove(&number)?;
        if is_open(&record) {
            self.open -= 1;
        } else {
            self.closed.remove(&seq(&record));
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
            let oldest = self.records.iter().find(|(_, record)| is_open(record)).map(|(number, _)| *number);
            oldest.and_then(|number| self.remove(number));
        }
    }

    /// The table of `board` begins afresh: what was open there can be decided by nobody any more.
    pub fn reopen(&mut self, board: &str) {
        let is_gone = |record: &Record| is_open(record) && record.get("board").is_some_and(|of| of == board);
        let gone: Vec<u64> =
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
        self.records.get(&number)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(seq: u64, record: u64, status: &str) -> Map<String, Value> {
        let event = json!({ "seq": seq, "record": record, "status": status, "at": format!("at {seq}"),
            "type": "piece-displaced", "board": (record % 2).to_string() });
        event.as_object().unwrap().clone()
    }

    fn folded(events: impl IntoIterator<Item = Map<String, Value>>) -> Records {
        let mut records = Records::default();
        events.into_iter().for_each(|event| records.apply(&event));
        records
    }

    #[test]
    fn a_record_is_its_newest_event_and_knows_when_it_was_opened() {
        let mut records = folded([event(5, 5, "open"), event(6, 6, "open"), event(9, 5, "confirmed")]);
        let shown = |records: &Records, number| {
            let record = records.get(number).unwrap();
            (record["seq"].clone(), record["status"].clone(), record["opened_at"].clone())
        };
        assert_eq!(shown(&records, 5), (json!(9), json!("confirmed"), json!("at 5")));
        assert_eq!(shown(&records, 6), (json!(6), json!("open"), json!("at 6")));
        // An undone ruling opens it again.
        records.apply(&event(11, 5, "open"));
        assert_eq!(shown(&records, 5), (json!(11), json!("open"), json!("at 5")));
        assert!(records.closed.is_empty());
    }

    #[test]
    fn a_ruling_that_names_a_record_does_not_replace_it() {
        let ruled = json!({ "seq": 7, "type": "ruled", "name": "postpone", "record": 5, "board": "1" });
        let records = folded([event(5, 5, "open"), ruled.as_object().unwrap().clone()]);
        assert_eq!(records.get(5).unwrap()["type"], "piece-displaced");
    }

    #[test]
    fn the_newest_closed_ones_are_kept_and_all_open_ones() {
        let opened = (1..=300).map(|number| event(number, number, "open"));
        let closed = (1..=250).map(|number| event(1_000 + number, number, "expired"));
        let records = folded(opened.chain(closed));
        let kept: Vec<u64> = records.all().map(|record| record["record"].as_u64().unwrap()).collect();
        assert_eq!(kept, (51..=300).collect::<Vec<u64>>());
    }

    #[test]
    fn a_table_that_begins_afresh_knows_none_of_its_open_records() {
        let mut records = folded([event(1, 1, "open"), event(2, 2, "open"), event(3, 3, "rejected")]);
        records.reopen("1");
        let kept: Vec<u64> = records.all().map(|record| record["record"].as_u64().unwrap()).collect();
        assert_eq!(kept, [2, 3]);
        assert_eq!(records.open, 1);
    }
}
