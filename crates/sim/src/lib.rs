//! Virtual boards: human hands, a chess clock and the firmware of a board, all in explicit time.
//!
//! ```text
//! player     a game → acts in continuous time, and the truth about them
//!   │ acts
//! board      a firmware that samples the squares and speaks the wire protocol
//! clock      a chess clock with its lever
//!   │ bytes
//! fault      a line that loses, repeats and invents some
//!   │
//! whoever reads the board
//! ```
//!
//! The simulator is an adversary: its players drag men over the board, hesitate, take moves back,
//! put men right, castle with the rook first and reply before the opponent has pressed; its boards
//! sample one square after another and lose men for a moment. Everything follows from a seed: the
//! same seed gives the same bytes:
//!
//! ```
//! use adoube_rules::pgn::read_games;
//! use adoube_sim::{BoardConfig, Game, Noise, record};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let games = read_games("1. e4 e5 2. Nf3 *".as_bytes())?;
//! let config = BoardConfig { noise: Noise::Light, seed: 7, ..BoardConfig::default() };
//! let recording = record(&Game::from(&games[0]), config);
//! assert!(recording.chunks.len() > 6, "every piece was lifted and placed");
//! # Ok(())
//! # }
//! ```
//!
//! [`scenario`] is hands by script: files that say what was done and what has to be said of it.

mod act;
mod board;
pub mod bus;
mod certabo;
mod chesslink;
mod clock;
mod clock_link;
mod deed;
mod device;
mod ending;
mod fault;
mod fidget;
mod frames;
mod geometry;
mod habits;
mod memory;
mod movement;
mod open;
mod player;
mod random_play;
mod recording;
#[cfg(test)]
mod samples;
mod scan;
pub mod scenario;
mod script;
mod sick;
mod trouble;
mod virtual_board;

pub use act::{Act, SQUARES, Surface, TimedAct};
pub use board::{Firmware, FirmwareConfig, Mode};
pub use certabo::LineBoard;
pub use chesslink::ChessLinkBoard;
pub use clock::{ChessClock, ClockSetting, Display, ParseClockSettingError};
pub use device::{Device, MODELS, Model, model};
pub use fault::Line;
pub use frames::{SCAN_MS, View, clock_readings, frames};
pub use habits::{Noise, ParseNoiseError};
pub use open::OpenBoard;
pub use player::{Game, Manner, Performance, PlyTruth, perform};
pub use random_play::{random_play, random_play_from};
pub use recording::{Chunk, Direction, Recording, record};
pub use sick::{SickSquare, Sickness};
pub use trouble::{Seen, Trouble, slowed};
pub use virtual_board::{BoardConfig, VirtualBoard};
