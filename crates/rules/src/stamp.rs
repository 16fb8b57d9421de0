//! Time as the core sees it: an argument, never a clock that it reads.

use serde::{Deserialize, Serialize};

/// Nanoseconds in a millisecond.
pub const MS: u64 = 1_000_000;

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000 * MS;

/// An instant, as the shell saw it when something arrived.
///
/// The core orders and measures by `mono_ns` alone; `utc_ns` is written into events for people.
/// A `std::time::Instant` could not be stored and read back, so a recording could not replay bit
/// for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Nanoseconds on one line that never goes back, over restarts and reboots.
    pub mono_ns: u64,
    /// Nanoseconds since 1970-01-01T00:00:00Z, from the machine's clock.
    pub utc_ns: i64,
}

impl Stamp {
    /// The instant at `mono_ns` on the line on which `self` lies: the same distance in UTC.
    #[must_use]
    #[inline]
    pub fn at(self, mono_ns: u64) -> Self {
        let delta = i128::from(mono_ns) - i128::from(self.mono_ns);
        let utc = i128::from(self.utc_ns) + delta;
        Self { mono_ns, utc_ns: i64::try_from(utc).unwrap_or(self.utc_ns) }
    }

    /// This instant, or `floor` if it lies before it: stamps never go back (DESIGN 2.1, rule 1).
    #[must_use]
    #[inline]
    pub fn clamped(self, floor: Self) -> Self {
        if self.mono_ns < floor.mono_ns { Self { mono_ns: floor.mono_ns, ..self } } else { self }
    }

    /// UTC as RFC 3339 with milliseconds, as events carry it: `2026-05-01T10:00:00.000Z`.
    #[must_use]
    pub fn rfc3339(self) -> String {
        match jiff::Timestamp::from_nanosecond(i128::from(self.utc_ns)) {
            Ok(at) => format!("{at:.3}"),
            Err(_) => "1970-01-01T00:00:00.000Z".to_owned(),
        }
    }

    /// Reads an RFC 3339 date and time into nanoseconds since 1970.
    #[must_use]
    pub fn parse_utc(text: &str) -> Option<i64> {
        let at: jiff::Timestamp = text.parse().ok()?;
        i64::try_from(at.as_nanosecond()).ok()
    }
}

/// Whole milliseconds in `ns`, rounded down.
#[must_use]
#[inline]
pub fn ms(ns: u64) -> u64 {
    ns / MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_moves_with_mono() {
        let start = Stamp { mono_ns: 5 * SECOND, utc_ns: Stamp::parse_utc("2026-05-01T10:00:00Z").unwrap() };
        assert_eq!(start.rfc3339(), "2026-05-01T10:00:00.000Z");
        assert_eq!(start.at(6_500 * MS).rfc3339(), "2026-05-01T10:00:01.500Z");
        assert_eq!(start.at(0).rfc3339(), "2026-05-01T09:59:55.000Z");
    }

    #[test]
    fn a_stamp_never_goes_back() {
        let floor = Stamp { mono_ns: 10, utc_ns: 0 };
        assert_eq!(Stamp { mono_ns: 3, utc_ns: 7 }.clamped(floor), Stamp { mono_ns: 10, utc_ns: 7 });
        assert_eq!(Stamp { mono_ns: 11, utc_ns: 7 }.clamped(floor).mono_ns, 11);
    }
}
