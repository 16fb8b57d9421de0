//! What leaves the hall: the games as they stand, as a page's snapshot, as PGN.

pub mod pgn;
pub mod view;
