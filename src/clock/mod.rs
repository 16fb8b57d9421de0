//! The clock: what its readings say about presses, starts and stops.

mod press;

pub use press::{ClockLog, ClockNews};
