//! A journal on virtual time and a virtual disk: what a simulation of a whole hall writes into.
//!
//! Its writer is the real one and its files are real, but it works as a task on the runtime's clock, and its disk is as
//! slow as it is told to be, fails when it is told to, and dies between two instructions.

use std::path::Path;
use std::sync::mpsc::TryRecvError;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::sleep;

use super::handle::Working;
use super::store::Position;
use super::{Committed, Journal, JournalError, JournalHandle, Options, Recovered};

/// So often the writer looks whether something has come.
const LOOK: Duration = Duration::from_millis(1);

/// What a disk does when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mood {
    /// It writes.
    #[default]
    Well,
    /// It takes nothing.
    Full,
    /// It says that it took nothing, and it did: what a failed sync leaves.
    Liar,
}

/// When the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    /// Before its n-th commit from now on.
    Before(u32),
    /// After that, before anybody hears of it.
    After(u32),
}

/// A disk.
#[derive(Debug, Default)]
pub(crate) struct Disk(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    mood: Mood,
    delay: Duration,
    death: Option<Death>,
    commits: u32,
}

/// What ends the writer then.
pub(crate) const KILLED: &str = "killed";

/// The process is killed: nothing after that is done.
fn die() -> ! {
    std::panic::resume_unwind(Box::new(KILLED))
}

impl Disk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn turn(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// Each batch takes so long from now on.
    pub(crate) fn delay(&self, delay: Duration) {
        self.state().delay = delay;
    }

    /// Kills the process at one of the next commits, or no more.
    pub(crate) fn die(&self, death: Option<Death>) {
        let mut state = self.state();
        state.death = death.map(|death| match death {
            Death::Before(commit) => Death::Before(state.commits + commit),
            Death::After(commit) => Death::After(state.commits + commit),
        });
    }

    /// Can a file be begun?
    pub(super) fn check(&self) -> rusqlite::Result<()> {
        if self.state().mood == Mood::Well { Ok(()) } else { Err(rusqlite::Error::InvalidQuery) }
    }

    /// What the writer hears of a commit.
    pub(super) fn append(
        &self,
        write: impl FnOnce() -> rusqlite::Result<Position>,
    ) -> rusqlite::Result<Position> {
        let (commit, death, mood) = {
            let mut state = self.state();
            state.commits += 1;
            (state.commits, state.death, state.mood)
        };
        if death == Some(Death::Before(commit)) {
            die();
        }
        let written = if mood == Mood::Full { Err(rusqlite::Error::InvalidQuery) } else { write() };
        if death == Some(Death::After(commit)) {
            die();
        }
        written.and_then(|position| self.check().map(|()| position))
    }
}

impl Journal {
    /// Opens or continues a journal whose writer works for as long as the third value is waited for.
    pub(crate) fn simulated<S: FnMut(Committed)>(
        dir: &Path,
        core: u32,
        options: Options,
        sink: S,
    ) -> Result<(JournalHandle, Recovered, impl Future<Output = ()> + use<S>), JournalError> {
        let (handle, recovered, working) = Self::begin(dir, core, options, sink)?;
        Ok((handle, recovered, work(working)))
    }
}

async fn work<S: FnMut(Committed)>(Working { mut writer, messages, closing }: Working<S>) {
    loop {
        let mut batch = writer.batch();
        let is_open = loop {
            if batch.is_full() {
                break true;
            }
            match messages.try_recv() {
                Ok(message) => batch.add(message),
                Err(TryRecvError::Empty) if batch.left().is_zero() => break true,
                Err(TryRecvError::Empty) => sleep(LOOK.min(batch.left())).await,
                Err(TryRecvError::Disconnected) => break false,
            }
        };
        let delay = writer.options.disk.state().delay;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        if !writer.goes_on_after(batch, is_open) {
            break;
        }
    }
    writer.close();
    drop(closing);
}
