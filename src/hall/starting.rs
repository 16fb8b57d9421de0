//! How far a start is: said in the log, and to the service manager, so that it does not take a long start for one that
//! hangs.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::manager;

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_secs(1);
/// The manager is asked for so much more time each time: longer than a busy machine stands still.
const MORE: Duration = Duration::from_secs(60);
/// A start that comes no further for so long hangs, and the manager may end it.
const HANGS: Duration = Duration::from_secs(300);

/// What is being done, and how much of it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    what: &'static str,
    done: usize,
    of: usize,
}

impl Default for Step {
    fn default() -> Self {
        Self { what: "reading the journal", done: 0, of: 0 }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { what, of: 0, .. } => f.write_str(what),
            Self { what, done, of } => write!(f, "{what}, {done} of {of}"),
        }
    }
}

/// A start that is under way.
#[derive(Debug, Default)]
pub(crate) struct Starting {
    step: Mutex<Step>,
}

impl Starting {
    fn step(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, this is done; `of` so many, 0 if nobody knows.
    pub(crate) fn begins(&self, what: &'static str, of: usize) {
        *self.step() = Step { what, done: 0, of };
    }

    /// One more is done.
    pub(crate) fn did(&self) {
        self.step().done += 1;
    }

    /// Does `work`, and says how far it is for as long as it takes.
    pub(crate) async fn told<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let (mut before, mut changed, mut looks) = (Step::default(), Instant::now(), 0_u64);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(LOOK) => {}
            }
            let now = *self.step();
            if now != before {
                (before, changed) = (now, Instant::now());
            }
            if changed.elapsed() < HANGS {
                manager::starting(MORE, &now.to_string());
            }
            looks += 1;
            // After one second, two, four …: an operator who waits sees that it goes on, and a log stays short.
            if looks.is_power_of_two() {
                tracing::info!("starting: {now}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_how_much_of_it_is_done() {
        let starting = Starting::default();
        assert_eq!(starting.step().to_string(), "reading the journal");
        starting.begins("opening the boards", 3);
        starting.did();
        assert_eq!(starting.step().to_string(), "opening the boards, 1 of 3");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_done_is_waited_for() {
        let starting = Starting::default();
        let work = async {
            sleep(4 * LOOK + LOOK / 2).await;
            7
        };
        assert_eq!(starting.told(work).await, 7);
    }
}
