//! The side of the journal that the rest of the daemon holds.
//!
//! A submission takes a place in the queue first and gives it back once it is committed or held:
//! an async semaphore, because board tasks must not block their thread, before a plain channel,
//! because the writer is a thread that blocks on its disk and on nothing else. A board that finds
//! no place waits a second; then the journal counts as degraded, and boards use the spare places
//! without waiting until the writer has caught up.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::recover::{self, Recovered};
use super::writer::{Message, Writer, now};
use super::{Aside, Committed, Figures, JournalError, JournalState, Options, Pictures, Submission, files};
use crate::event::{Event, Numbered};
use crate::ruling::{Ruling, RulingError};
use crate::stamp::Stamp;

/// How long a board waits for a place: longer than the slowest commit of a working disk.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why a submission was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The journal is closed.
    #[error("the journal is closed")]
    Closed,
    /// The disk answers nothing, and the spare places are used up too.
    #[error("the disk does not answer and the queue of the journal is full")]
    Full,
}

/// What handle and writer both know.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: Mutex<JournalState>,
    /// Did a board wait in vain?
    pub(super) is_late: AtomicBool,
    pub(super) figures: Figures,
    places: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    spare_places: usize,
}

impl Shared {
    /// Is there a place again, and are all spare ones given back?
    pub(super) fn has_room(&self) -> bool {
        self.places.available_permits() > 0 && self.spare.available_permits() == self.spare_places
    }
}

/// Opens journals.
#[derive(Debug)]
pub struct Journal;

impl Journal {
    /// Opens or continues the journal in `dir` and gives what a restart needs.
    ///
    /// `core` is the number of DESIGN 2.1, rule 4. `sink` is called on the writer thread, in order,
    /// with what may be shown.
    ///
    /// # Errors
    /// [`JournalError`] if another process writes it, a newer adoube wrote it, or the directory
    /// cannot be used. A damaged file is no error: the journal goes on in a new one.
    pub fn open(
        dir: &Path,
        core: u32,
        sink: impl FnMut(Committed) + Send + 'static,
    ) -> Result<(JournalHandle, Recovered), JournalError> {
        Self::open_with(dir, core, Options::new(dir), sink)
    }

    /// [`Journal::open`] with other limits.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn open_with(
        dir: &Path,
        core: u32,
        options: Options,
        sink: impl FnMut(Committed) + Send + 'static,
    ) -> Result<(JournalHandle, Recovered), JournalError> {
        let io = |source| JournalError::Io { path: dir.to_owned(), source };
        std::fs::create_dir_all(dir).map_err(io)?;
        let lock = files::lock(dir)?;
        let (recovered, resume) = recover::recover(dir, core, &options)?;
        let state = resume.state();
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            is_late: AtomicBool::new(false),
            figures: Figures::default(),
            places: Arc::new(Semaphore::new(options.queue_inputs)),
            spare: Arc::new(Semaphore::new(options.held_inputs)),
            spare_places: options.held_inputs,
        });
        let writer = resume.writer(dir, core, options, Arc::clone(&shared), sink);
        let (queue, messages) = mpsc::channel();
        let closing = Closing { shared: Arc::clone(&shared), _lock: lock };
        let run = move || {
            let closing = closing;
            Writer::run(writer, &messages);
            drop(closing);
        };
        let thread = thread::Builder::new().name("journal".into()).spawn(run).map_err(io)?;
        let thread = Arc::new(Mutex::new(Some(thread)));
        Ok((JournalHandle { queue, shared, thread }, recovered))
    }
}

/// Lives as long as the writer, however it ends: frees the directory, and wakes boards that wait.
struct Closing {
    shared: Arc<Shared>,
    _lock: File,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.shared.places.close();
        self.shared.spare.close();
    }
}

/// Where boards hand in their inputs. Clones are the same journal.
#[derive(Debug, Clone)]
pub struct JournalHandle {
    queue: Sender<Message>,
    shared: Arc<Shared>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl JournalHandle {
    /// Hands in an input with its events; comes back when it has a place in the queue, after one
    /// second at the latest. The events come out of the sink once they are durable.
    ///
    /// # Errors
    /// [`SubmitError`]: nothing was taken, and the events have no numbers.
    pub async fn submit(&self, submission: Submission) -> Result<(), SubmitError> {
        let handed_in = now();
        let place = self.place(submission.stamp).await?;
        self.queue.send(Message::Submit(submission, place, handed_in)).map_err(|_| SubmitError::Closed)
    }

    async fn place(&self, stamp: Stamp) -> Result<OwnedSemaphorePermit, SubmitError> {
        let places = Arc::clone(&self.shared.places);
        if !self.shared.is_late.load(Ordering::Acquire) {
            match timeout(PATIENCE, places.acquire_owned()).await {
                Ok(place) => return place.map_err(|_| SubmitError::Closed),
                Err(_) => self.late(stamp),
            }
        } else if let Ok(place) = places.try_acquire_owned() {
            return Ok(place);
        }
        Arc::clone(&self.shared.spare).try_acquire_owned().map_err(|error| match error {
            tokio::sync::TryAcquireError::Closed => SubmitError::Closed,
            tokio::sync::TryAcquireError::NoPermits => SubmitError::Full,
        })
    }

    fn late(&self, since: Stamp) {
        tracing::error!("the journal's disk does not keep up");
        self.shared.is_late.store(true, Ordering::Release);
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == JournalState::Ok {
            *state = JournalState::Degraded { since, reason: "the disk does not keep up".into() };
        }
    }

    /// Takes over a replayed event as it is stored, so that later changes of the same record carry
    /// its number and its game keeps its name. To be called before submissions begin.
    pub fn recall(&self, event: &Event, stored: &Numbered) {
        self.send(Message::Recall(Box::new(event.clone()), Box::new(stored.clone())));
    }

    /// Takes over a stored event that is not replayed: the name of its game is taken.
    pub fn seen(&self, stored: &Numbered) {
        self.send(Message::Seen(Box::new(stored.clone())));
    }

    /// `ruling` as the table of `board` takes it, which knows no `seq` ([`crate::event::Numbering::own`]).
    ///
    /// # Errors
    /// [`SubmitError::Closed`] if the writer is gone, [`SubmitError::Full`] if its disk holds it up; or why
    /// the ruling refers to nothing.
    pub async fn own(
        &self,
        board: &Arc<str>,
        ruling: Ruling,
    ) -> Result<Result<Ruling, RulingError>, SubmitError> {
        if ruling.refers().is_none() {
            return Ok(Ok(ruling));
        }
        let (answer, owned) = oneshot::channel();
        self.send(Message::Own(Arc::clone(board), Box::new(ruling), answer));
        let owned = timeout(PATIENCE, owned).await.map_err(|_| SubmitError::Full)?;
        owned.map_err(|_| SubmitError::Closed)
    }

    /// Has something shown that is no event, after all that was handed in before.
    pub fn aside(&self, aside: Aside) {
        self.send(Message::Aside(aside));
    }

    /// Has what a board showed passed on to who looks on, after all that was handed in before.
    pub fn pictures(&self, pictures: Pictures) {
        self.send(Message::Pictures(pictures));
    }

    /// Stores that `feed` has delivered everything up to the number `seq`.
    pub fn sent(&self, feed: &str, seq: u64) {
        self.send(Message::Sent(feed.to_owned(), seq));
    }

    /// Waits until everything that was handed in before is on disk (true), or held because the disk fails
    /// (false). Also the heartbeat that shows that the writer lives.
    ///
    /// # Errors
    /// [`SubmitError::Closed`] if the writer is gone.
    pub async fn settled(&self) -> Result<bool, SubmitError> {
        let (answer, settled) = oneshot::channel();
        self.send(Message::Settle(answer));
        settled.await.map_err(|_| SubmitError::Closed)
    }

    /// Sends a heartbeat through the writer thread and through whoever shows what is committed; comes back when
    /// both have let it pass. A journal that is degraded, but tries, does; one whose disk hangs does not.
    ///
    /// # Errors
    /// [`SubmitError::Closed`] if one of the two is gone.
    pub async fn beat(&self) -> Result<(), SubmitError> {
        let (answer, beaten) = oneshot::channel();
        self.send(Message::Beat(answer));
        beaten.await.map_err(|_| SubmitError::Closed)
    }

    /// What the journal counts of its own work.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.shared.figures
    }

    /// How the journal is.
    #[must_use]
    pub fn state(&self) -> JournalState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Commits what waits, closes the file and ends the writer. Blocks until that is done.
    pub fn close(self) {
        self.send(Message::Close);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the journal's writer had panicked");
        }
    }

    /// Sends what needs no answer; a writer that is gone is reported where it matters.
    fn send(&self, message: Message) {
        drop(self.queue.send(message));
    }
}
