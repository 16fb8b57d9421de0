//! Moves what was committed from the WAL into the main file, beside the writer. A writer without a pause is always some
//! commits ahead, and the WAL begins again from its start only when nothing is left in it: then the writer waits once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::schema;

/// Asks for a checkpoint; who waits for its end is told.
type Nudge = Option<Sender<()>>;

/// The second connection to the file that is being written, on its own thread.
#[derive(Debug)]
pub(super) struct Checkpointer {
    nudge: Option<SyncSender<Nudge>>,
    thread: Option<JoinHandle<()>>,
    failed: Arc<AtomicBool>,
}

impl Checkpointer {
    pub(super) fn start(path: &Path) -> rusqlite::Result<Self> {
        let connection = schema::open_for_writing(path)?;
        let failed = Arc::new(AtomicBool::new(false));
        // One nudge may wait; a second would ask for the same.
        let (nudge, nudges) = mpsc::sync_channel(1);
        let flag = Arc::clone(&failed);
        let thread = thread::Builder::new().name("checkpoint".into());
        // Without a thread the WAL only grows until the file is closed.
        let thread = thread.spawn(move || run(&connection, &nudges, &flag)).ok();
        Ok(Self { nudge: Some(nudge), thread, failed })
    }

    /// Asks for a checkpoint soon.
    pub(super) fn nudge(&self) {
        if let Some(nudge) = &self.nudge {
            // Full: one is asked for already. Closed: `failed` says so.
            drop(nudge.try_send(None));
        }
    }

    /// Waits for a checkpoint that takes all that was committed, unless somebody still reads the file as it was before.
    /// (Closed: `failed` says so.)
    pub(super) fn catch_up(&self) {
        let (done, is_done) = mpsc::channel();
        if let Some(nudge) = &self.nudge
            && nudge.send(Some(done)).is_ok()
        {
            // Gone without an answer: as above.
            is_done.recv().unwrap_or_default();
        }
    }

    /// Did a checkpoint fail? Then the file must not be written any more: a second sync after a
    /// failed one proves nothing.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.nudge = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn run(connection: &Connection, nudges: &Receiver<Nudge>, failed: &AtomicBool) {
    while let Ok(waiting) = nudges.recv() {
        // Passive: takes what no reader needs and waits for nobody.
        let result = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = result {
            tracing::error!(%error, "checkpoint failed; the journal goes on in a new file");
            failed.store(true, Ordering::Release);
            return;
        }
        if let Some(waiting) = waiting {
            // Whoever waited may have gone.
            waiting.send(()).unwrap_or_default();
        }
    }
}
