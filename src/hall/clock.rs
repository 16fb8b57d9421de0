//! The one source of time outside the core.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use adoube_rules::stamp::Stamp;

/// A clock that goes on from a given stamp, if need be faster than the world's.
///
/// At speed X a second of the world is X seconds of stamps, timers and chess clocks; time-outs of
/// sockets and disks stay real.
#[derive(Debug, Clone)]
pub struct Clock {
    started: Instant,
    first: Stamp,
    speed: f64,
}

impl Clock {
    /// A clock that starts now, and not before `floor`: the line of stamps goes on over restarts by
    /// the difference in UTC (DESIGN 2.1, rule 5).
    #[expect(clippy::disallowed_methods, reason = "this is the shell's clock")]
    #[must_use]
    pub fn start(floor: Option<Stamp>, speed: f64) -> Self {
        let utc_ns = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or(0);
        Self::going_on(floor, utc_ns, speed)
    }

    /// The same, where the world's clock says `utc_ns`.
    pub(super) fn going_on(floor: Option<Stamp>, utc_ns: i64, speed: f64) -> Self {
        let first = match floor {
            None => Stamp { mono_ns: 0, utc_ns },
            Some(floor) => {
                let passed_ns = u64::try_from(utc_ns.saturating_sub(floor.utc_ns)).unwrap_or(0);
                Stamp { mono_ns: floor.mono_ns + passed_ns + 1, utc_ns: utc_ns.max(floor.utc_ns + 1) }
            }
        };
        Self { started: Instant::now(), first, speed }
    }

    /// A clock whose line of stamps begins with `mono_ns` now.
    #[must_use]
    pub fn starting_at(mono_ns: u64, speed: f64) -> Self {
        let mut clock = Self::start(None, speed);
        clock.first.mono_ns = mono_ns;
        clock
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Stamp {
        let passed_ns = Instant::now().duration_since(self.started).as_nanos() as f64 * self.speed;
        self.first.at(self.first.mono_ns + passed_ns as u64)
    }

    /// How long to wait in the world until `at_ns` on the line of stamps.
    #[must_use]
    pub fn until(&self, at_ns: u64) -> Duration {
        let missing_ns = at_ns.saturating_sub(self.now().mono_ns);
        Duration::from_nanos((missing_ns as f64 / self.speed) as u64)
    }

    /// How many times as fast as the world.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }
}
