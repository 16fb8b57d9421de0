//! What leaves the hall: the games as they stand, as a page's snapshot, as PGN.

pub mod alternatives;
pub mod delay;
#[cfg(feature = "daemon")]
mod http;
#[cfg(feature = "daemon")]
pub mod hub;
#[cfg(feature = "daemon")]
pub mod incident;
#[cfg(feature = "daemon")]
pub mod lichess;
#[cfg(feature = "daemon")]
pub mod nats;
pub mod parts;
pub mod pgn;
#[cfg(feature = "daemon")]
pub mod pgn_files;
pub mod readiness;
pub mod records;
#[cfg(feature = "daemon")]
pub mod sheets;
#[cfg(feature = "daemon")]
pub mod status;
pub mod view;
#[cfg(feature = "daemon")]
pub mod webhook;
