//! Moves what was committed from the WAL into the main file, beside the writer and not before it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::schema;

/// The second connection to the file that is being written, on its own thread.
#[derive(Debug)]
pub(super) struct Checkpointer {
    nudge: Option<SyncSender<()>>,
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
            let _ = nudge.try_send(());
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

fn run(connection: &Connection, nudges: &Receiver<()>, failed: &AtomicBool) {
    while nudges.recv().is_ok() {
        // Passive: takes what no reader needs and waits for nobody.
        let result = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = result {
            tracing::error!(%error, "checkpoint failed; the journal goes on in a new file");
            failed.store(true, Ordering::Release);
            return;
        }
    }
}
