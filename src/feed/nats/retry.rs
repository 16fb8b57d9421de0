//! Tries again, ever more slowly, and says so, ever more rarely.

use std::time::Duration;

use tokio::time::Instant;

use super::Trouble;
use crate::link::Backoff;

/// Waits between two connections: a server that was restarted is back within a second, and one that stays away
/// costs nothing.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// How it goes with a stream.
#[derive(Debug)]
pub(crate) struct Retry {
    stream: String,
    backoff: Backoff,
    failures: u32,
    since: Instant,
}

impl Retry {
    pub(crate) fn new(stream: &str) -> Self {
        let backoff = Backoff::between(fastrand::u64(..), FIRST, LONGEST);
        Self { stream: stream.to_owned(), backoff, failures: 0, since: Instant::now() }
    }

    /// It does not get through; gives how long to wait.
    pub(crate) fn failed(&mut self, trouble: &Trouble) -> Duration {
        if self.failures == 0 {
            self.since = Instant::now();
            self.backoff.reset();
        }
        self.failures += 1;
        // The first, and then ever more rarely: a server may be away for a day.
        if self.failures.is_power_of_two() {
            tracing::warn!(feed = super::NAME, stream = self.stream, failures = self.failures, "{trouble}");
        }
        self.backoff.next_wait()
    }

    /// It gets through.
    pub(crate) fn well(&mut self) {
        if std::mem::take(&mut self.failures) > 0 {
            let away_ms = self.since.elapsed().as_millis() as u64;
            tracing::info!(feed = super::NAME, stream = self.stream, away_ms, "it gets through again");
        }
    }
}
