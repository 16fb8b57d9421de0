//! Shows what the journal has on disk: to the desk at once, to spectators when their time has come.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use super::clock::Clock;
use crate::event::{Numbered, PublicEvent, Publisher};
use crate::feed::delay::{DelayQueue, Delays};
use crate::feed::hub::{DeskHub, PublicHub};
use crate::feed::incident;
use crate::journal::{Committed, JournalHandle, Reader};
use crate::stamp::{MS, Stamp};

/// Public events that wait in memory, about a kilobyte each: three quarters of an hour of a thousand boards.
/// What is more waits in the journal.
const WAITING: usize = 250_000;

/// Both sides.
#[derive(Debug)]
pub(super) struct Showing {
    desk: Arc<DeskHub>,
    release: Release,
}

impl Showing {
    pub(super) fn new(desk: Arc<DeskHub>, release: Release) -> Self {
        Self { desk, release }
    }

    /// Shows what the journal holds, as if it were said again, before anything new is.
    pub(super) fn load(&mut self, folder: &Path, journal: &JournalHandle) {
        for event in stored(folder, 1) {
            journal.seen(&event);
            self.desk.push(&event);
            self.release.take(&event);
            self.release.release_due();
        }
        self.release.begin();
    }

    /// Lets committed events go out, in order, until the journal is closed.
    pub(super) fn run(mut self, committed: &Receiver<Committed>) {
        loop {
            let commit = match self.release.wait() {
                None => committed.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => committed.recv_timeout(wait),
            };
            match commit {
                Ok(commit) => self.show(commit),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.release.release_due();
        }
    }

    fn show(&mut self, commit: Committed) {
        for event in &commit.events {
            self.desk.push(event);
            self.release.take(event);
            incident::log(&event.json);
        }
        for aside in commit.asides {
            self.desk.tell(aside.name, &aside.board, aside.json);
        }
    }
}

/// The way to the spectators: what is public, when its time has come.
#[derive(Debug)]
pub(super) struct Release {
    public: Arc<PublicHub>,
    publisher: Publisher,
    queue: DelayQueue<PublicEvent>,
    clock: Clock,
    /// The journal's folder, for what has no room in the queue.
    folder: PathBuf,
    /// The last event that the publisher took.
    seq: u64,
    /// By board, the number of the last event that was given a place.
    placed: BTreeMap<Arc<str>, u64>,
    /// Some events have no place: they wait in the journal.
    is_full: bool,
    are_alike: bool,
    limit: usize,
}

impl Release {
    pub(super) fn new(delays: &Delays, public: Arc<PublicHub>, clock: Clock, folder: &Path) -> Self {
        Self {
            public,
            publisher: Publisher::default(),
            queue: DelayQueue::new(delays.clone()),
            clock,
            folder: folder.to_owned(),
            seq: 0,
            placed: BTreeMap::new(),
            is_full: false,
            are_alike: delays.are_alike(),
            limit: WAITING,
        }
    }

    /// What the journal held is out, as far as its time has come.
    fn begin(&self) {
        // It may have gone out in another order before the restart.
        if !self.are_alike {
            self.public.forget_recent();
        }
    }

    fn take(&mut self, event: &Numbered) {
        // One that was read from the journal comes by again.
        if event.seq <= self.seq {
            return;
        }
        self.seq = event.seq;
        // A move that waited for its completion happened, for spectators, with it.
        let at_ns = event.json.get("at").and_then(|at| Stamp::parse_utc(at.as_str()?));
        let at_ns = at_ns.unwrap_or_else(|| self.clock.now().utc_ns);
        for public in self.publisher.publish(event) {
            self.place(&event.board, public, at_ns);
        }
    }

    fn place(&mut self, board: &Arc<str>, event: PublicEvent, at_ns: i64) {
        let number = event.id();
        if self.placed.get(board).is_some_and(|&placed| number <= placed) {
            return;
        }
        self.is_full |= self.queue.len() >= self.limit;
        if !self.is_full {
            self.placed.insert(Arc::clone(board), number);
            self.queue.push(event, number, board, at_ns);
        }
    }

    fn release_due(&mut self) {
        loop {
            let now_ns = self.clock.now().utc_ns;
            while let Some(event) = self.queue.release(now_ns) {
                self.public.push(&event);
            }
            if !self.is_full || self.queue.len() > self.limit / 2 {
                return;
            }
            self.refill();
        }
    }

    /// Gives places to what waits in the journal.
    fn refill(&mut self) {
        (self.is_full, self.seq, self.publisher) = (false, 0, Publisher::default());
        for event in stored(&self.folder.clone(), 1) {
            self.take(&event);
        }
    }

    /// How long nothing is due.
    fn wait(&self) -> Option<std::time::Duration> {
        let due_ns = self.queue.due_ns()?;
        let now = self.clock.now();
        let missing_ns = u64::try_from(due_ns.saturating_sub(now.utc_ns)).unwrap_or(0);
        // A millisecond more: a timer may be early.
        Some(self.clock.until(now.mono_ns + missing_ns) + std::time::Duration::from_nanos(MS))
    }
}

/// The events that the journal holds, from the number `first` on.
fn stored(folder: &Path, first: u64) -> impl Iterator<Item = Numbered> {
    Reader::open(folder, first).filter_map(|stored| {
        let stored = stored.map_err(|error| error.to_string()).and_then(|stored| stored.numbered());
        stored.inspect_err(|error| tracing::error!("journal: {error}")).ok()
    })
}
