//! The game itself: which moves exist, how they are written, what ends it, whether it can be.

mod chess;
pub mod departure;
pub mod draw;
mod family;
pub mod fen;
pub mod four;
mod irregular;
pub mod laws;
pub mod legality;
mod mate_test;
mod mirrored;
pub mod notation;
pub mod pgn;
mod placement;
mod played;
mod position;
mod reach;
mod rest;
mod result;
mod shown;
pub mod start;
mod stood;
pub mod touch;
mod variant;

/// Who can still mate: a crate of its own, that others may want and that tests need to be fast.
pub use adoube_winnable as mate;
pub use chess::{Chess, ChessPosition, FenError, letter, man_from_letter, square_from_name, square_name};
#[cfg(feature = "daemon")]
pub(crate) use family::SeatedIfAny;
pub use family::{Family, GameKind, Seated};
pub use irregular::Irregular;
pub use mate_test::{CannotMate, LINE_MAX, MateBasis, MateLine, MateMove, MateReason, MateTest};
pub use mirrored::Mirrored;
pub(crate) use placement::cross;
pub use placement::placement;
pub use played::Played;
pub use position::{End, Footprint, IllegalPositionKind, Move, Position, Reach};
pub use reach::{ChessReach, Need};
pub use rest::Rest;
pub use result::GameResult;
pub use shown::Shown;
pub use stood::Stood;
pub use variant::{KingSignal, Variant};
