//! adoube reads what an electronic chess board and its clock say, works out what the players did,
//! holds that against the Laws of Chess, and broadcasts the games.
//!
//! ```text
//! link      serial, TCP, pty                          side effects in
//!   │ bytes and the time of their arrival
//! wire      bytes ⇄ messages; the conversation        pure from here …
//!   │ messages
//! sensor    one vocabulary for all boards
//!   │ readings
//! infer     picture → handling → explanations → moves
//!   │ the line
//! table     one board, one game
//!   │ events                                          … to here
//! journal   durable before visible
//!   │
//! feed, web pages, PGN, live events                   side effects out
//! ```
//!
//! Start reading at [`station`], which holds one board's core together, then follow the path.
//! Nothing from `wire` to `table` reads a clock, a file or a socket: time comes in as a
//! [`stamp::Stamp`], and the same inputs give the same events.

#[cfg(feature = "daemon")]
pub mod auth;
pub mod capture;
#[cfg(feature = "daemon")]
pub mod cli;
pub mod clock;
#[cfg(feature = "daemon")]
pub mod config;
#[cfg(feature = "daemon")]
pub mod daemon;
pub mod event;
pub mod evidence;
pub mod feed;
#[cfg(feature = "daemon")]
pub mod hall;
pub mod infer;
#[cfg(feature = "daemon")]
pub mod journal;
#[cfg(feature = "daemon")]
pub mod link;
pub mod pairings;
#[cfg(feature = "daemon")]
pub mod play;
pub mod ply;
#[cfg(feature = "daemon")]
mod process;
#[cfg(feature = "daemon")]
pub mod relay;
pub mod replay;
pub mod rounds;
pub mod rules;
pub mod ruling;
pub mod scenario;
pub mod sensor;
pub mod sim;
mod spelling;
pub mod square;
pub mod stamp;
pub mod station;
pub mod table;
#[cfg(feature = "daemon")]
pub mod web;
pub mod wire;
pub mod words;
