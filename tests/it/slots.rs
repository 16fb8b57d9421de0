//! Who computes, and who waits. Most tests wait, for games that are played and for time-outs: many of them run at a time
//! (`RUST_TEST_THREADS` in `.cargo/config.toml`). What computes for seconds takes turns, and stands back behind what is
//! played meanwhile, so that no game is late because a proof is made beside it.

use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, PoisonError};

/// How many compute.
static COMPUTING: Mutex<usize> = Mutex::new(0);
static DONE: Condvar = Condvar::new();

/// Others of those that compute get a turn once it is dropped.
#[must_use]
pub(crate) struct Slot(());

impl Drop for Slot {
    fn drop(&mut self) {
        *COMPUTING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        DONE.notify_one();
    }
}

/// Waits until a processor is there for a test that computes. Its thread, and what it starts, gets what time the others
/// leave; the harness has a thread for each test.
pub(crate) fn computing() -> Slot {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let computing = COMPUTING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = |computing: &mut usize| *computing >= processors;
    *DONE.wait_while(computing, is_full).unwrap_or_else(PoisonError::into_inner) += 1;
    {
        // A courtesy: what is refused costs time alone.
        let _refused = rustix::process::nice(19);
    }
    Slot(())
}
