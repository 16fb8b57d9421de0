//! The side of the journal that the rest of the daemon holds.
//!
//! An input has its place in the queue before the core sees it, and gives it back once it is committed or held:
//! what was handled is never refused. An async semaphore, because board tasks must not block their thread, before a
//! plain channel, because the writer is a thread that blocks on its disk and on nothing else. A board that finds no
//! place waits, and reads nothing meanwhile: what it says waits in the line. After a second the journal counts as
//! degraded, until the writer has caught up.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::timeout;

use super::recover::{self, Recovered};
use super::writer::{Message, Writer, now};
use super::{Aside, Committed, Figures, JournalError, JournalState, Options, Pictures, Submission, files};
use adoube_core::event::Numbering;
use adoube_core::ruling::{Ruled, RulingError};
use adoube_rules::stamp::Stamp;

/// How long a board waits for a place before somebody is told: longer than the slowest commit of a working disk.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// What a board holds while it waits: the place of the next input, and that of what is being said again and again.
const OWN_PLACES: usize = 2;

/// Why a submission was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The journal is closed.
    #[error("the journal is closed")]
    Closed,
    /// The disk answers nothing.
    #[error("the disk does not answer and the queue of the journal is full; nothing was done")]
    Full,
}

/// What handle and writer both know.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: watch::Sender<JournalState>,
    /// Did a board wait in vain?
    pub(super) is_late: AtomicBool,
    pub(super) figures: Figures,
    places: Arc<Semaphore>,
    numbering: Mutex<Numbering>,
}

impl Shared {
    /// The numbers of events: given out by the writer, looked up by whoever rules. Nobody waits while he has them.
    pub(super) fn numbering(&self) -> MutexGuard<'_, Numbering> {
        self.numbering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Is there a place again?
    pub(super) fn has_room(&self) -> bool {
        self.places.available_permits() > 0
    }
}

/// A place in the queue, for one input.
#[derive(Debug)]
pub struct Place(OwnedSemaphorePermit);

/// Two places more in the queue for as long as this is there. Each board has them: it holds a place while it waits for what
/// comes next, and one for what waits for more of the same, however long that is, and takes none from the others.
#[derive(Debug)]
pub struct OwnPlaces(Arc<Semaphore>);

impl Drop for OwnPlaces {
    fn drop(&mut self) {
        // One that is taken just now stays: the queue is longer by that than it need be.
        self.0.forget_permits(OWN_PLACES);
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
        let (handle, recovered, working) = Self::begin(dir, core, options, sink)?;
        let thread = thread::Builder::new().name("journal".into()).spawn(|| working.run());
        let thread = thread.map_err(|source| JournalError::Io { path: dir.to_owned(), source })?;
        *handle.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok((handle, recovered))
    }

    /// A journal whose writer has not begun to work.
    pub(super) fn begin<S: FnMut(Committed)>(
        dir: &Path,
        core: u32,
        options: Options,
        sink: S,
    ) -> Result<(JournalHandle, Recovered, Working<S>), JournalError> {
        std::fs::create_dir_all(dir).map_err(|source| JournalError::Io { path: dir.to_owned(), source })?;
        let lock = files::lock(dir)?;
        let (recovered, resume) = recover::recover(dir, core, &options)?;
        let state = resume.state();
        let shared = Arc::new(Shared {
            state: watch::Sender::new(state),
            is_late: AtomicBool::new(false),
            figures: Figures::default(),
            places: Arc::new(Semaphore::new(options.queue_inputs)),
            numbering: Mutex::new(resume.numbering()),
        });
        let writer = resume.writer(dir, core, options, Arc::clone(&shared), sink);
        let (queue, messages) = mpsc::channel();
        let closing = Closing { shared: Arc::clone(&shared), _lock: lock };
        let handle = JournalHandle { queue, shared, thread: Arc::default() };
        Ok((handle, recovered, Working { writer, messages, closing }))
    }
}

/// The writer, and what comes to it.
pub(super) struct Working<S> {
    pub(super) writer: Writer<S>,
    pub(super) messages: Receiver<Message>,
    // The last to go.
    pub(super) closing: Closing,
}

impl<S: FnMut(Committed)> Working<S> {
    fn run(self) {
        let Self { writer, messages, closing } = self;
        writer.run(&messages);
        drop(closing);
    }
}

/// Lives as long as the writer, however it ends: frees the directory, and wakes boards that wait.
pub(super) struct Closing {
    shared: Arc<Shared>,
    _lock: File,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.shared.places.close();
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
    /// A place for an input that comes at `now`, once there is one: as long as the disk hangs there may be none.
    ///
    /// # Errors
    /// [`SubmitError::Closed`] if the journal is closed.
    pub async fn place(&self, now: Stamp) -> Result<Place, SubmitError> {
        let mut place = std::pin::pin!(Arc::clone(&self.shared.places).acquire_owned());
        let place = match timeout(PATIENCE, &mut place).await {
            Ok(place) => place,
            Err(_) => {
                self.late(now);
                place.await
            }
        };
        place.map(Place).map_err(|_| SubmitError::Closed)
    }

    /// Places of a board's own.
    #[must_use]
    pub fn own_places(&self) -> OwnPlaces {
        self.shared.places.add_permits(OWN_PLACES);
        OwnPlaces(Arc::clone(&self.shared.places))
    }

    /// Hands in an input, which has its place, with its events. They come out of the sink once they are durable.
    ///
    /// # Errors
    /// [`SubmitError::Closed`]: nothing was taken, and the events have no numbers.
    pub fn hand_in(&self, Place(place): Place, submission: Submission) -> Result<(), SubmitError> {
        self.queue.send(Message::Submit(submission, place, now())).map_err(|_| SubmitError::Closed)
    }

    /// Hands in an input with its events, once there is a place for it.
    ///
    /// # Errors
    /// As [`JournalHandle::hand_in`].
    pub async fn submit(&self, submission: Submission) -> Result<(), SubmitError> {
        let place = self.place(submission.stamp).await?;
        self.hand_in(place, submission)
    }

    fn late(&self, since: Stamp) {
        if self.shared.is_late.swap(true, Ordering::AcqRel) {
            return;
        }
        tracing::error!("the journal's disk does not keep up");
        self.shared.state.send_if_modified(|state| {
            let was_ok = *state == JournalState::Ok;
            if was_ok {
                *state = JournalState::Degraded { since, reason: "the disk does not keep up".into() };
            }
            was_ok
        });
    }

    /// Takes over the numbers that a replay of a board recalled, so that later changes of a record carry its number
    /// and its game keeps its name. To be called before the board submits anything.
    pub fn recall(&self, known: Numbering) {
        self.shared.numbering().take_over(known);
    }

    /// The name of a game that the journal holds is taken.
    pub fn seen(&self, game: &str) {
        self.shared.numbering().seen(Some(game));
    }

    /// What the journal calls the game without a pairing that the table of `board` calls by `number`; `None` if it
    /// knows of none, or its disk holds it up.
    pub async fn game_name(&self, board: &Arc<str>, number: u32) -> Option<Arc<str>> {
        let (answer, named) = oneshot::channel();
        self.send(Message::Name(Arc::clone(board), number, answer));
        timeout(PATIENCE, named).await.ok()?.ok()?
    }

    /// `ruling` as the table of `board` takes it, which knows no `seq` ([`Numbering::own`]).
    ///
    /// # Errors
    /// Why the ruling refers to nothing.
    pub fn own(&self, board: &Arc<str>, ruling: Ruled) -> Result<Ruled, RulingError> {
        self.shared.numbering().own(board, ruling)
    }

    /// Has something shown that is no event, after all that was handed in before of its board.
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
        self.shared.state.borrow().clone()
    }

    /// How the journal is, for who waits until that changes.
    #[must_use]
    pub fn states(&self) -> watch::Receiver<JournalState> {
        self.shared.state.subscribe()
    }

    /// Begins a new epoch: numbers that are given out from now on are not those that somebody has already.
    ///
    /// # Errors
    /// [`SubmitError::Closed`] if the writer is gone.
    pub async fn renew(&self) -> Result<String, SubmitError> {
        let (answer, renewed) = oneshot::channel();
        self.send(Message::Renew(answer));
        renewed.await.map_err(|_| SubmitError::Closed)
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
