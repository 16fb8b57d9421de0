//! Who can still mate, from the outside: against published verdicts, against solutions, and from any bytes.

// Clippy knows test functions, but not the helpers that only they call.
#![allow(clippy::unwrap_used)]
// What it is held against lies in files.
#![allow(clippy::disallowed_methods)]

mod any;
mod any_bytes;
#[path = "../../../../tests/it/data/place.rs"]
mod data;
#[path = "../../../../tests/it/depth.rs"]
mod depth;
mod men;
mod proven;
mod published;
mod retrograde;
