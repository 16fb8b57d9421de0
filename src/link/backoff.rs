//! How long to wait before a port is tried again.

use std::time::Duration;

/// First wait: a cable that was only touched is back at once (reliability, rule 6).
const FIRST: Duration = Duration::from_millis(250);
/// Longest wait: a board that is plugged in is seen within this time.
const CAP: Duration = Duration::from_secs(5);

/// Decorrelated jitter: each wait lies between the first one and three times the last, so that a
/// hundred boards behind one switch do not come back in step.
#[derive(Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    last: Duration,
    rng: fastrand::Rng,
}

impl Backoff {
    /// The first wait will be short.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::between(seed, FIRST, CAP)
    }

    /// The first wait will be `first`, and none longer than `longest`.
    #[must_use]
    pub fn between(seed: u64, first: Duration, longest: Duration) -> Self {
        Self { first, longest, last: Duration::ZERO, rng: fastrand::Rng::with_seed(seed) }
    }

    /// How long to wait now.
    pub fn next_wait(&mut self) -> Duration {
        let first_ms = self.first.as_millis() as u64;
        let longest_ms = (self.last.as_millis() as u64 * 3).max(first_ms);
        let wait = Duration::from_millis(self.rng.u64(first_ms..=longest_ms)).min(self.longest);
        self.last = wait;
        wait
    }

    /// The link has worked for a while: start over.
    pub fn reset(&mut self) {
        self.last = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_start_over() {
        let mut backoff = Backoff::new(7);
        assert_eq!(backoff.next_wait(), FIRST);
        let waits: Vec<Duration> = (0..50).map(|_| backoff.next_wait()).collect();
        assert!(waits.iter().all(|&wait| (FIRST..=CAP).contains(&wait)));
        assert!(waits.iter().any(|&wait| wait > Duration::from_secs(2)));
        backoff.reset();
        assert_eq!(backoff.next_wait(), FIRST);
    }
}
