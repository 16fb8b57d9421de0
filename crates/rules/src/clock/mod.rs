//! The clock: time controls, what its readings should be, and what they say about presses, starts
//! and stops.

mod control;
mod expected;
mod press;

pub use control::{ClassLimits, ClockMode, ParseTimeControlError, Period, TimeClass, TimeControl};
pub use expected::{ClockDeviation, ClockRules, Expected, LONGEST_SHOWN_MS};
pub use press::{ClockLog, ClockNews};
