//! The shell around the core: one task a board, the journal, the hubs, the pages.
//!
//! Bytes, commands and time-outs of a board become one input each in its task (`board`), go
//! through its station and, with what came of them, into the journal. Only what the journal has on
//! disk reaches the hubs (`hall`) and through them anybody else.

mod backfill;
mod beginning;
mod board;
mod clock;
mod feeds;
mod finder;
mod fleet;
mod hall;
pub mod manager;
mod metrics;
mod neighbours;
mod past;
mod pgn_files;
mod restart;
mod secretary;
mod showing;
mod sockets;
mod tap;
mod watchdog;

pub use board::{BoardHandle, RuleError};
pub use clock::Clock;
pub use feeds::Feeds;
pub use finder::{Discovery, PortState, PortStatus, Wanted};
pub use fleet::{BoardEntry, BoardStatus, Changes, FleetError, Origin, Source};
pub use hall::{Access, Daemon, Hall, Settings, StartError};
pub use metrics::Metrics;
pub use pgn_files::PgnFiles;
pub use restart::{Replay, input as stored_input, opened as opened_with, station as reopened};
pub use secretary::{RoundStatus, SecretaryError};
pub use sockets::{SocketError, Sockets};
pub use watchdog::Unfit;
