//! What is kept in memory while nothing can be written, and the gap that it leaves.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use adoube_core::event::finding::JournalGap;
use adoube_core::event::{Body, Event, Finding, Numbered, Publicity, RecordId, Recorded, Status};
use adoube_rules::stamp::Stamp;

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
    is_of_last_run: bool,
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
        let (records, of_board) = (VecDeque::new(), BTreeMap::new());
        Self { since, reason, records, of_board, said: None, lost, is_of_last_run: false }
    }

    /// Takes over what a process before this one could not write and took with it.
    pub(super) fn after_restart(since: Stamp, lost: Lost) -> Self {
        let reason = "the last run ended while its disk failed".to_owned();
        Self { lost, is_of_last_run: true, ..Self::new(since, reason) }
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

    /// Did the last run lose it? Nothing was held yet then.
    pub(super) fn is_of_last_run(&self) -> bool {
        self.is_of_last_run
    }

    /// The first number that is lost for ever.
    pub(super) fn first_lost(&self) -> Option<u64> {
        self.lost.range.map(|[first, _]| first)
    }

    /// What is missing, once the journal is whole again.
    pub(super) fn gap(&self) -> JournalGap {
        let (first_seq, last_seq) = self.said.map(|[first, last]| (first, last)).unzip();
        let (first_lost, last_lost) = self.lost.range.map(|[first, last]| (first, last)).unzip();
        let boards = self.lost.boards.as_ref();
        JournalGap {
            since: self.since.rfc3339(),
            reason: self.reason.clone(),
            // Said before they were on disk.
            first_seq,
            last_seq,
            // Never to be on disk.
            lost_inputs: self.lost.inputs,
            lost_events: self.lost.events,
            lost_public: self.lost.public,
            first_lost,
            last_lost,
            lost_boards: boards.map(|boards| boards.iter().map(|board| (**board).to_owned()).collect()),
        }
    }
}

impl Lost {
    fn add(&mut self, record: &Record) {
        self.inputs = self.inputs.map(|inputs| inputs + 1);
        if let Some(boards) = &mut self.boards {
            boards.insert(Arc::clone(&record.board));
        }
        for event in &record.events {
            let Numbered { seq, public_id, releases, .. } = event;
            self.range = Some([self.range.map_or(*seq, |[first, _]| first), *seq]);
            self.events += 1;
            // What waits for its move to be completed has its number from what completes it, which may not be lost.
            let waits = u64::from(event.said.is_public());
            self.public += public_id.map_or(waits, |_| 1 + u64::from(*releases));
        }
    }
}

/// An event of the journal itself: of no board, of no game.
pub(super) fn remark(finding: impl Into<Finding>, at: Stamp) -> Event {
    let recorded = Recorded::of(RecordId(0), Status::Confirmed, finding);
    Event {
        at,
        elapsed_ns: 0,
        game: None,
        publicity: Publicity::Usual,
        body: Body::Record(Box::new(recorded)),
    }
}
