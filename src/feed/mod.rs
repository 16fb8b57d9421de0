//! What leaves the hall: the games as they stand, as a page's snapshot, as PGN.

pub mod alternatives;
pub mod delay;
mod http;
pub mod hub;
pub mod incident;
pub mod lichess;
pub mod line;
pub mod nats;
pub mod parts;
pub mod pgn;
pub mod pgn_files;
pub mod readiness;
pub mod records;
pub mod sheets;
pub mod status;
pub mod unseen;
pub mod view;
pub mod webhook;
