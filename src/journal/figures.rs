//! What the journal counts of its own work, for whoever watches it.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

/// A good disk takes some milliseconds, an SD card hundreds, and after ten seconds nobody believes in it.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// One board alone, up to the most that one commit takes.
const INPUTS: [f64; 8] = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 600.0, 1_000.0];

/// Counters of a journal. Clones count together.
#[derive(Debug, Clone)]
pub struct Figures {
    /// Commits that succeeded.
    pub commits: Counter,
    /// Attempts to commit that failed.
    pub failures: Counter,
    /// Inputs in a commit.
    pub batch_inputs: Histogram,
    /// How long a commit took, seconds.
    pub commit_s: Histogram,
    /// From handing in an input until it was on disk, seconds: the wait for a place and for company included.
    pub latency_s: Histogram,
    /// Inputs that are held in memory because nothing can be written.
    pub held: Gauge,
    /// Bytes of all files.
    pub bytes: Gauge,
    /// Bytes of the WAL of the file that is written.
    pub wal_bytes: Gauge,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            commits: Counter::default(),
            failures: Counter::default(),
            batch_inputs: Histogram::new(INPUTS),
            commit_s: Histogram::new(SECONDS),
            latency_s: Histogram::new(SECONDS),
            held: Gauge::default(),
            bytes: Gauge::default(),
            wal_bytes: Gauge::default(),
        }
    }
}
