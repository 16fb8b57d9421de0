//! What is kept in memory while nothing can be written, and the gap that it leaves.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::event::{Body, Event, Finding, Numbered, Publicity, Status};
use crate::rules::laws::{Edition, Name};
use crate::stamp::Stamp;

use super::store::Record;

/// Records in the order in which they will be written, and an account of those that found no room.
#[derive(Debug)]
pub(super) struct Hold {
    since: Stamp,
    reason: String,
    records: VecDeque<Record>,
    of_board: BTreeMap<Arc<str>, usize>,
    said: Option<[u64; 2]>,
    lost: Lost,
}

/// What will never be written.
#[derive(Debug, Clone, Default)]
pub(super) struct Lost {
    /// Inputs; `None` if nobody can know, after a restart.
    pub(super) inputs: Option<u64>,
    /// Numbers of events, first and last; those between may be lost or not.
    pub(super) range: Option<[u64; 2]>,
    /// How many of them.
    pub(super) events: u64,
    /// How many public numbers.
    pub(super) public: u64,
    /// Boards that lost inputs; `None` if nobody can know.
    pub(super) boards: Option<BTreeSet<Arc<str>>>,
}

impl Hold {
    /// Begins to hold at `since`, because of `reason`.
    pub(super) fn new(since: Stamp, reason: String) -> Self {
        let lost = Lost { inputs: Some(0), boards: Some(BTreeSet::new()), ..Lost::default() };
        Self { since, reason, records: VecDeque::new(), of_board: BTreeMap::new(), said: None, lost }
    }

    /// Takes over what a process before this one could not write and took with it.
    pub(super) fn after_restart(since: Stamp, lost: Lost) -> Self {
        let reason = "the last run ended while its disk failed".to_owned();
        Self { lost, ..Self::new(since, reason) }
    }

    /// Keeps `record`, unless its board has `limit` already.
    ///
    /// The oldest are kept and the newest are lost: what is written in the end is then without a
    /// hole up to one place, and can be replayed up to there.
    pub(super) fn push(&mut self, record: Record, limit: usize) {
        for event in &record.events {
            self.said = Some([self.said.map_or(event.seq, |[first, _]| first), event.seq]);
        }
        let held = self.of_board.entry(Arc::clone(&record.board)).or_insert(0);
        if *held < limit {
            *held += 1;
            self.records.push_back(record);
        } else {
            self.lost.add(&record);
        }
    }

    /// The next records to write, at most `limit`, in their order.
    pub(super) fn take(&mut self, limit: usize) -> Vec<Record> {
        self.records.drain(..limit.min(self.records.len())).collect()
    }

    /// Gives back what [`Hold::take`] took, because it could not be written.
    pub(super) fn put_back(&mut self, records: Vec<Record>) {
        for record in records.into_iter().rev() {
            self.records.push_front(record);
        }
    }

    /// How many are kept.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(super) fn since(&self) -> Stamp {
        self.since
    }

    /// The first number that is lost for ever.
    pub(super) fn first_lost(&self) -> Option<u64> {
        self.lost.range.map(|[first, _]| first)
    }

    /// The fields of the `journal-gap` event.
    pub(super) fn gap(&self) -> Map<String, Value> {
        let (first, last) = self.said.map(|[first, last]| (first, last)).unzip();
        let (first_lost, last_lost) = self.lost.range.map(|[first, last]| (first, last)).unzip();
        let boards: Option<Vec<&str>> =
            self.lost.boards.as_ref().map(|boards| boards.iter().map(|board| &**board).collect());
        let fields = json!({
            "since": self.since.rfc3339(),
            "reason": self.reason,
            // Said before they were on disk.
            "first_seq": first,
            "last_seq": last,
            // Never to be on disk.
            "lost_inputs": self.lost.inputs,
            "lost_events": self.lost.events,
            "lost_public": self.lost.public,
            "first_lost": first_lost,
            "last_lost": last_lost,
            "lost_boards": boards,
        });
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

impl Lost {
    fn add(&mut self, record: &Record) {
        self.inputs = self.inputs.map(|inputs| inputs + 1);
        if let Some(boards) = &mut self.boards {
            boards.insert(Arc::clone(&record.board));
        }
        for Numbered { seq, public_id, releases, .. } in &record.events {
            self.range = Some([self.range.map_or(*seq, |[first, _]| first), *seq]);
            self.events += 1;
            self.public += public_id.map_or(0, |_| 1 + u64::from(*releases));
        }
    }
}

/// An event of the journal itself: of no board, of no game.
pub(super) fn remark(name: Name, at: Stamp, payload: Map<String, Value>) -> Event {
    let finding = Finding {
        name,
        record: 0,
        status: Status::Confirmed,
        edition: Edition::default(),
        article: None,
        severity: None,
        window: None,
        fens: None,
        clock: None,
        readings: (0, 0),
        payload,
        references: Vec::new(),
    };
    Event {
        at,
        elapsed_ns: 0,
        game: None,
        publicity: Publicity::Usual,
        body: Body::Finding(Box::new(finding)),
    }
}
