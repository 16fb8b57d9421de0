//! The shell around the core: one task a board, the journal, the pages.

mod clock;

pub use clock::Clock;
