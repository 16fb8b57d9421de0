//! The writer: one thread, one commit in flight.
//!
//! It takes whatever waits, numbers the events, commits all of it in one transaction, and then
//! tells the sink. What arrives meanwhile rides in the next commit. A batch with an event or a
//! ruling is committed at once, readings alone wait a moment for company.
//!
//! When a commit fails the file is never written again, because after a failed sync nobody knows
//! what the disk has: the batch goes to the next file. If that fails too, the writer holds what
//! comes, says it as not durable, and tries again every second.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::Map;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::oneshot;
use tokio::time::Instant;

use adoube_core::event::finding::JournalDegraded;
use adoube_core::event::{Finding, Numbered};
use adoube_rules::stamp::Stamp;

use super::handle::Shared;
use super::hold::{Hold, remark};
use super::note::Note;
use super::schema::Meta;
use super::store::{Position, Record, Store};
use super::{Aside, Committed, InputKind, JournalState, Options, Pictures, Submission, files};

/// How long readings wait for company: nobody sees it, and a hall then needs 20 syncs a second.
const GROUP: Duration = Duration::from_millis(50);

/// Between two attempts to write while degraded.
const RETRY: Duration = Duration::from_secs(1);

/// Between two looks at how much the files take up, and whether they are there: nobody asks more often. (In tests sooner.)
const MEASURE: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 5_000 });

/// Inputs in one commit, so that none takes long.
const BATCH_INPUTS: usize = 1_000;

/// Bytes of input in one commit, for the same reason.
const BATCH_BYTES: usize = 1 << 20;

/// What comes through the queue.
pub(super) enum Message {
    /// An input, with its place in the queue, and when it was handed in.
    Submit(Submission, OwnedSemaphorePermit, Instant),
    /// Something to be shown that is no event.
    Aside(Aside),
    /// What a board showed.
    Pictures(Pictures),
    /// A feed has sent everything up to this number.
    Sent(String, u64),
    /// Answer with what a table's game without a pairing is called.
    Name(Arc<str>, u32, oneshot::Sender<Option<Arc<str>>>),
    /// Answer when all before it is done: is it on disk?
    Settle(oneshot::Sender<bool>),
    /// Begin a new epoch, and answer with its name.
    Renew(oneshot::Sender<String>),
    /// Let a heartbeat pass.
    Beat(oneshot::Sender<()>),
    /// Commit and end.
    Close,
}

impl Message {
    /// Must a batch with it be committed at once?
    fn is_urgent(&self) -> bool {
        match self {
            Self::Submit(submission, ..) => {
                !submission.events.is_empty()
                    || matches!(
                        submission.kind,
                        InputKind::Ruling | InputKind::Game | InputKind::Open | InputKind::Pairings
                    )
            }
            Self::Name(..) | Self::Settle(_) | Self::Renew(_) | Self::Close => true,
            Self::Aside(_) | Self::Pictures(_) | Self::Sent(..) | Self::Beat(_) => false,
        }
    }

    fn bytes(&self) -> usize {
        if let Self::Submit(submission, ..) = self { submission.data.len() } else { 0 }
    }
}

/// What is to go into one commit.
pub(super) struct Batch {
    messages: Vec<Message>,
    bytes: usize,
    /// Until the next attempt to heal, then until it must be written.
    deadline: Option<Instant>,
}

impl Batch {
    /// How long it may still wait for company.
    pub(super) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now()))
    }

    /// Is it as much as one commit may be?
    pub(super) fn is_full(&self) -> bool {
        self.messages.len() >= BATCH_INPUTS || self.bytes >= BATCH_BYTES
    }

    /// Takes one more.
    pub(super) fn add(&mut self, message: Message) {
        self.bytes += message.bytes();
        if message.is_urgent() {
            // Only what waits already is taken along.
            self.deadline = Some(now());
        } else if self.messages.is_empty() {
            self.deadline = Some(now() + GROUP);
        }
        self.messages.push(message);
    }
}

/// All that the writer thread owns.
pub(super) struct Writer<S> {
    pub(super) dir: PathBuf,
    pub(super) options: Options,
    pub(super) core: u32,
    pub(super) epoch: String,
    pub(super) store: Option<Store>,
    pub(super) next_file: u32,
    /// The last row acknowledged, wherever it is.
    pub(super) position: Position,
    /// How far each feed is, and whether the current file has that.
    pub(super) sent: BTreeMap<String, u64>,
    pub(super) is_sent_stored: bool,
    /// The last input of kind [`InputKind::Pairings`]: each file begins with it, so that a start finds it in the
    /// last one, however long ago it was.
    pub(super) pairings: Option<Vec<u8>>,
    /// Stamp of the latest input; the journal has no clock of its own.
    pub(super) latest: Stamp,
    /// What is held while degraded, and when to try again.
    pub(super) hold: Option<Hold>,
    pub(super) retry_at: Option<Instant>,
    /// When the files were last measured.
    pub(super) measured_at: Option<Instant>,
    pub(super) shared: Arc<Shared>,
    pub(super) sink: S,
}

impl<S: FnMut(Committed)> Writer<S> {
    /// Works until it is told to close or nobody can submit any more.
    pub(super) fn run(mut self, queue: &Receiver<Message>) {
        loop {
            let (batch, is_open) = self.collect(queue);
            if !self.goes_on_after(batch, is_open) {
                return self.close();
            }
        }
    }

    /// Waits for the next batch. The second value says whether more can come.
    fn collect(&self, queue: &Receiver<Message>) -> (Batch, bool) {
        let mut batch = self.batch();
        while !batch.is_full() {
            match queue.recv_timeout(batch.left()) {
                Ok(message) => batch.add(message),
                Err(RecvTimeoutError::Timeout) => return (batch, true),
                Err(RecvTimeoutError::Disconnected) => return (batch, false),
            }
        }
        (batch, true)
    }

    /// An empty batch.
    pub(super) fn batch(&self) -> Batch {
        Batch { messages: Vec::new(), bytes: 0, deadline: self.retry_at }
    }

    /// Writes a batch; false if it was the last one.
    pub(super) fn goes_on_after(&mut self, Batch { messages, .. }: Batch, is_open: bool) -> bool {
        let is_closing = !is_open || messages.iter().any(|message| matches!(message, Message::Close));
        if is_closing {
            // The last chance for what is held.
            self.retry_at = self.hold.is_some().then(now);
        }
        self.take(messages);
        !is_closing
    }

    pub(super) fn close(mut self) {
        self.watch_file();
        if let Some(store) = self.store.take() {
            store.close();
        }
    }

    /// Numbers a batch, writes it and says it.
    fn take(&mut self, batch: Vec<Message>) {
        // Before this batch gets its numbers: what is held has lower ones, and so must the gap.
        if self.retry_at.is_some_and(|retry_at| retry_at <= now()) {
            self.heal();
        }
        let mut records = Vec::new();
        let (mut places, mut handed_in) = (Vec::new(), Vec::new());
        let mut settled = Vec::new();
        let (mut asides, mut pictures, mut beats) = (Vec::new(), Vec::new(), Vec::new());
        // What comes before anything else of its board in this batch is shown before the rest of it.
        let (mut first, mut boards) = (Vec::new(), BTreeSet::new());
        for message in batch {
            match message {
                Message::Submit(submission, place, at) => {
                    boards.insert(Arc::clone(&submission.board));
                    records.push(self.number(submission));
                    places.push(place);
                    handed_in.push(at);
                }
                Message::Aside(aside) if boards.contains(&aside.board) => asides.push(aside),
                Message::Aside(aside) => first.push(aside),
                Message::Pictures(shown) => pictures.push(shown),
                Message::Sent(feed, seq) => {
                    self.sent.insert(feed, seq);
                    self.is_sent_stored = false;
                }
                Message::Name(board, number, answer) => {
                    // Whoever asked may have gone.
                    drop(answer.send(self.shared.numbering().free_game(&board, number)));
                }
                Message::Renew(answer) => {
                    self.renew();
                    drop(answer.send(self.epoch.clone()));
                }
                Message::Settle(answer) => settled.push(answer),
                Message::Beat(answer) => beats.push(answer),
                Message::Close => {}
            }
        }
        self.show_beside(first, Vec::new(), Vec::new());
        if self.hold.is_some() {
            self.keep(records);
        } else if !records.is_empty() || !self.is_sent_stored {
            match self.write(&records) {
                Ok(()) => {
                    self.measure(&handed_in);
                    self.say(records, true);
                }
                Err(reason) => self.degrade(reason, records),
            }
        }
        self.shared.figures.held.set(self.hold.as_ref().map_or(0, |hold| hold.len() as i64));
        self.show_beside(asides, pictures, beats);
        drop(places);
        self.tell_state();
        for answer in settled {
            // Whoever asked may have gone.
            let _ = answer.send(self.hold.is_none());
        }
    }

    /// Shows what is no event.
    fn show_beside(&mut self, asides: Vec<Aside>, pictures: Vec<Pictures>, beats: Vec<oneshot::Sender<()>>) {
        if !asides.is_empty() || !pictures.is_empty() || !beats.is_empty() {
            let (events, durable) = (Vec::new(), self.hold.is_none());
            (self.sink)(Committed { events, durable, asides, pictures, beats, at: now() });
        }
    }

    fn number(&mut self, submission: Submission) -> Record {
        let Submission { board, stamp, kind, data, events } = submission;
        self.latest = stamp.clamped(self.latest);
        let mut numbering = self.shared.numbering();
        if kind == InputKind::Open {
            numbering.reopen(&board);
        }
        let events = events.iter().map(|event| numbering.number(&board, event)).collect();
        Record { board, stamp, kind, data, events }
    }

    /// Writes `records`; after a failure once more, into a new file.
    fn write(&mut self, records: &[Record]) -> Result<(), String> {
        self.rotate();
        let mut reason = String::new();
        for _ in 0..2 {
            let opened = if self.store.is_some() { Ok(()) } else { self.create() };
            match opened.and_then(|()| self.append(records)) {
                Ok(()) => return Ok(()),
                Err(error) => reason = error.to_string(),
            }
            // Whoever tries again every second has said it once.
            if self.retry_at.is_none() {
                tracing::warn!(reason, "a commit failed; its file is not written again");
            }
        }
        Err(reason)
    }

    /// Counts what was just committed, and now and then how much the files take up.
    fn measure(&mut self, handed_in: &[Instant]) {
        let now = now();
        for at in handed_in {
            self.shared.figures.latency_s.observe((now - *at).as_secs_f64());
        }
        if self.measured_at.is_none_or(|measured_at| now - measured_at >= MEASURE) {
            let bytes = files::bytes(&self.dir);
            self.shared.figures.bytes.set(bytes.cast_signed());
            self.measured_at = Some(now);
            self.watch_file();
        }
    }

    /// Somebody may have removed the file that is being written, or all of them: it comes back where it was, while it can.
    fn watch_file(&mut self) {
        let Some(store) = self.store.take_if(|store| store.is_gone()) else { return };
        match store.put_back() {
            Ok(store) => {
                tracing::error!(folder = %self.dir.display(), "somebody removed the journal's file while it was written; it was put back");
                self.store = Some(store);
            }
            Err(reason) => {
                tracing::error!(reason, "the journal's file was removed, and cannot be put back");
                self.degrade(format!("its file was removed: {reason}"), Vec::new());
            }
        }
    }

    fn append(&mut self, records: &[Record]) -> rusqlite::Result<()> {
        let Some(mut store) = self.store.take() else { return Ok(()) };
        let nothing = BTreeMap::new();
        let sent = if self.is_sent_stored { &nothing } else { &self.sent };
        let began = now();
        #[cfg(not(test))]
        let appended = store.append(records, sent);
        #[cfg(test)]
        let appended = self.options.disk.append(|| store.append(records, sent));
        let figures = &self.shared.figures;
        match appended {
            Ok(position) => {
                figures.commits.inc();
                figures.commit_s.observe((now() - began).as_secs_f64());
                figures.batch_inputs.observe(records.len() as f64);
                figures.wal_bytes.set(store.wal_bytes().cast_signed());
                self.is_sent_stored = true;
                self.position = position;
                // Not before: a new file begins with what is on disk, and its events with it.
                let pairings = records.iter().rfind(|record| record.kind == InputKind::Pairings);
                if let Some(record) = pairings {
                    self.pairings = Some(record.data.clone());
                }
                self.store = Some(store);
                Ok(())
            }
            Err(error) => {
                figures.failures.inc();
                if !store.abandon() {
                    self.next_file -= 1;
                }
                Err(error)
            }
        }
    }

    /// Closes the file if the next row belongs into a new one.
    fn rotate(&mut self) {
        let day = day(self.latest);
        // A clock put back does not begin a new file: days only go on.
        let is_due = |store: &Store| {
            store.failed()
                || store.bytes() >= self.options.file_bytes
                || store.has_full_wal()
                || store.day() < day.as_str()
        };
        if let Some(store) = self.store.take_if(|store| is_due(store)) {
            store.close();
        }
    }

    fn create(&mut self) -> rusqlite::Result<()> {
        let meta = Meta {
            epoch: self.epoch.clone(),
            core: self.core,
            day: day(self.latest),
            first_input: self.position.input + 1,
            first_seq: self.position.seq + 1,
            first_public: self.position.public + 1,
            chain: self.position.link,
        };
        let path = files::path_of(&self.dir, self.next_file);
        #[cfg(test)]
        self.options.disk.check()?;
        match Store::create(&path, meta, &self.sent, self.options.wal_bytes) {
            Ok(store) => {
                self.store = Some(store);
                self.next_file += 1;
                self.carry_pairings()
            }
            Err(error) => {
                files::remove(&path);
                Err(error)
            }
        }
    }

    /// Begins a new file with the pairings as they stand.
    fn carry_pairings(&mut self) -> rusqlite::Result<()> {
        let Some(data) = self.pairings.clone() else { return Ok(()) };
        let (board, stamp) = (Arc::from(""), self.latest);
        self.append(&[Record { board, stamp, kind: InputKind::Pairings, data, events: Vec::new() }])
    }

    /// Nothing can be written: from now on what comes is held and said as not durable.
    fn degrade(&mut self, reason: String, records: Vec<Record>) {
        tracing::error!(reason, "the journal cannot be written; the games go on in memory");
        let since = records.first().map_or(self.latest, |record| record.stamp);
        self.hold = Some(Hold::new(since, reason.clone()));
        self.retry_at = Some(now() + RETRY);
        self.set_state(JournalState::Degraded { since, reason: reason.clone() });
        let remark = self.remark(JournalDegraded { reason });
        self.keep(records);
        self.keep(vec![remark]);
    }

    /// Holds `records` and says them, after noting their numbers.
    fn keep(&mut self, records: Vec<Record>) {
        let Some(hold) = &mut self.hold else { return };
        let mut said = Vec::new();
        for record in records {
            said.extend(record.events.iter().cloned());
            hold.push(record, self.options.held_inputs);
        }
        if said.is_empty() {
            return;
        }
        let (seq, public) = self.shared.numbering().last();
        let note = Note { epoch: self.epoch.clone(), seq, public, first_lost: hold.first_lost() };
        note.write(&self.options.notes);
        self.say_events(said, false);
    }

    /// Tries to write what is held, and the gap with the last of it.
    fn heal(&mut self) {
        let Some(mut hold) = self.hold.take() else { return };
        loop {
            let mut records = hold.take(BATCH_INPUTS);
            let before = hold.is_empty().then(|| self.shared.numbering().clone());
            if before.is_some() {
                records.push(self.remark(hold.gap()));
            }
            if let Err(reason) = self.write(&records) {
                if hold.is_of_last_run() {
                    // What it lost lies before all that is held from now on.
                    return self.degrade(reason, records);
                }
                if let Some(numbering) = before {
                    // The gap was not said: its number is free again.
                    *self.shared.numbering() = numbering;
                    records.pop();
                }
                hold.put_back(records);
                self.hold = Some(hold);
                self.retry_at = Some(now() + RETRY);
                return;
            }
            if before.is_some() {
                tracing::info!(since = hold.since().rfc3339(), "the journal can be written again");
                Note::remove(&self.options.notes);
                self.retry_at = None;
                // One that goes on after such a loss has begun a new epoch already.
                if hold.first_lost().is_some() && !hold.is_of_last_run() {
                    self.renew();
                }
                self.set_state(JournalState::Ok);
                let gap = records.pop();
                self.say(gap.into_iter().collect(), true);
                return;
            }
        }
    }

    /// Begins a new epoch: whoever comes back after the next start with a number of before is shown everything anew. What
    /// he has seen may be lost here.
    fn renew(&mut self) {
        self.epoch = super::recover::new_epoch();
        // A file is of one epoch: the next row begins another one.
        if let Some(store) = self.store.take() {
            store.close();
        }
    }

    /// A row of the journal about itself.
    fn remark(&self, finding: impl Into<Finding>) -> Record {
        let board: Arc<str> = "".into();
        let finding = finding.into();
        let mut fields = Map::new();
        finding.write(&mut fields);
        let data = serde_json::to_vec(&fields).unwrap_or_default();
        // Each remark is a record of its own.
        let mut numbering = self.shared.numbering();
        numbering.reopen(&board);
        let event = numbering.number(&board, &remark(finding, self.latest));
        drop(numbering);
        Record { board, stamp: self.latest, kind: InputKind::Journal, data, events: vec![event] }
    }

    fn say(&mut self, records: Vec<Record>, durable: bool) {
        let events = records.into_iter().flat_map(|record| record.events).collect();
        self.say_events(events, durable);
    }

    fn say_events(&mut self, mut events: Vec<Numbered>, durable: bool) {
        if !durable {
            events.iter_mut().for_each(|event| event.is_durable = false);
        }
        if !events.is_empty() {
            let (asides, pictures, beats) = (Vec::new(), Vec::new(), Vec::new());
            (self.sink)(Committed { events, durable, asides, pictures, beats, at: now() });
        }
    }

    fn set_state(&self, state: JournalState) {
        self.shared.state.send_replace(state);
    }

    /// A queue that was full has room again: how long it had none stands in the journal.
    fn tell_state(&mut self) {
        if self.hold.is_some() || !self.shared.is_late.load(Ordering::Acquire) || !self.shared.has_room() {
            return;
        }
        let state = self.shared.state.borrow().clone();
        if let JournalState::Degraded { since, reason } = state {
            self.latest = since.clamped(self.latest);
            let gap = self.remark(Hold::new(since, reason).gap());
            let records = vec![gap];
            match self.write(&records) {
                Ok(()) => self.say(records, true),
                Err(reason) => return self.degrade(reason, records),
            }
        }
        self.shared.is_late.store(false, Ordering::Release);
        self.set_state(JournalState::Ok);
    }
}

/// The UTC day of a stamp, `2026-05-01`.
fn day(stamp: Stamp) -> String {
    stamp.rfc3339().chars().take(10).collect()
}

// Disks take real time, whatever the speed of the run.
pub(super) fn now() -> Instant {
    Instant::now()
}
