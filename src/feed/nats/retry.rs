//! Tries again, ever more slowly, and says so once a minute.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep};

use super::Trouble;
use super::server::PATIENCE;
use crate::link::Backoff;

/// A request without an answer is made again after so long. A stream that has lost its leader has another one within
/// a second or two, and what it was asked meanwhile nobody has heard.
const AGAIN: Duration = Duration::from_secs(1);

/// The answer to a request that may be made more than once, whichever of them is answered first: on a slow line the
/// first one is.
pub(crate) async fn answered<F: Future>(request: impl Fn() -> F) -> Result<F::Output, Trouble> {
    let begun = Instant::now();
    let mut asked = FuturesUnordered::new();
    while begun.elapsed() < PATIENCE {
        asked.push(request());
        tokio::select! {
            Some(answer) = asked.next() => return Ok(answer),
            () = sleep(AGAIN) => {}
        }
    }
    Err(Trouble::Late)
}

/// Waits between two connections: a server that was restarted is back within a second, and one that stays away
/// costs nothing.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// Between two lines of the log: whoever reads it shall find what else is in it.
const QUIET: Duration = Duration::from_mins(1);

/// How it goes with a stream.
#[derive(Debug)]
pub(crate) struct Retry {
    stream: String,
    backoff: Backoff,
    failures: u32,
    since: Instant,
    warned: Option<Instant>,
}

impl Retry {
    pub(crate) fn new(stream: &str) -> Self {
        let backoff = Backoff::between(fastrand::u64(..), FIRST, LONGEST);
        Self { stream: stream.to_owned(), backoff, failures: 0, since: Instant::now(), warned: None }
    }

    /// It does not get through; gives how long to wait.
    pub(crate) fn failed(&mut self, trouble: &Trouble) -> Duration {
        if self.failures == 0 {
            self.since = Instant::now();
            self.backoff.reset();
        }
        self.failures += 1;
        if self.must_warn() {
            tracing::warn!(feed = super::NAME, stream = self.stream, failures = self.failures, "{trouble}");
        }
        self.backoff.next_wait()
    }

    /// Was nothing said for a minute? A server may be away for a day, or come and go.
    fn must_warn(&mut self) -> bool {
        let must = self.warned.is_none_or(|warned| warned.elapsed() >= QUIET);
        if must {
            self.warned = Some(Instant::now());
        }
        must
    }

    /// It gets through.
    pub(crate) fn well(&mut self) {
        if std::mem::take(&mut self.failures) > 0 {
            let away_ms = self.since.elapsed().as_millis() as u64;
            tracing::info!(feed = super::NAME, stream = self.stream, away_ms, "it gets through again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_that_comes_and_goes_is_told_of_once_a_minute() {
        let mut retry = Retry::new("A");
        let mut said = 0;
        for _ in 0..600 {
            said += usize::from(retry.must_warn());
            retry.well();
            tokio::time::advance(Duration::from_millis(500)).await;
        }
        assert_eq!(said, 5, "in five minutes");
    }
}
