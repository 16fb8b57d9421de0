//! The game itself: which moves exist, how they are written, what ends it.

mod chess;
pub mod pgn;
mod played;
mod result;
mod variant;

pub use chess::{Chess, ChessPosition, letter, man_from_letter, square_from_name, square_name};
pub use played::Played;
pub use result::GameResult;
pub use variant::{End, Footprint, KingSignal, Variant};
