//! The core against simulated boards and scripted hands, as whoever uses these crates has them.

// Clippy knows test functions, but not the helpers that only they call.
#![allow(clippy::unwrap_used)]

mod display;
mod resolution;
mod resume;
