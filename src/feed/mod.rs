//! What leaves the hall: the games as they stand, as a page's snapshot, as PGN.

pub mod alternatives;
#[cfg(feature = "daemon")]
pub mod hub;
pub mod parts;
pub mod pgn;
pub mod view;
