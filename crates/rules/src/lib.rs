//! The Laws of Chess as a program: which moves exist, how they are written, what ends a game, whether a position can be;
//! and the few words that everything which reads boards shares: sides, squares, readings, times.
//!
//! A position is a value that is asked; the Laws of an edition are a [`laws::Profile`], whose parameters are asked, never
//! its year:
//!
//! ```
//! use adoube_rules::laws::Profile;
//! use adoube_rules::{ChessPosition, Position as _};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let position = ChessPosition::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", false)?;
//! let mut moves = Vec::new();
//! position.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 4 + 5, "four promotions, five moves of the king");
//!
//! // The third illegal move lost in 2005, the second has since.
//! assert_eq!(Profile::named("fide-2005-standard")?.illegal_limit, 3);
//! assert_eq!(Profile::named("fide-2023-standard")?.illegal_limit, 2);
//! # Ok(())
//! # }
//! ```

mod chess;
pub mod clock;
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
mod prior;
mod reach;
mod rest;
mod result;
pub mod sensor;
mod shown;
pub mod spelling;
pub mod square;
pub mod stamp;
pub mod start;
mod stood;
pub mod touch;
mod variant;
pub mod words;

/// Who can still mate: a crate of its own, that others may want and that tests need to be fast.
pub use adoube_winnable as mate;
pub use chess::{Chess, ChessPosition, FenError, letter, man_from_letter, square_from_name, square_name};
pub use family::SeatedIfAny;
pub use family::{Family, GameKind, Seated};
pub use irregular::Irregular;
pub use mate_test::{CannotMate, LINE_MAX, MateBasis, MateLine, MateMove, MateReason, MateTest};
pub use mirrored::Mirrored;
pub use placement::cross;
pub use placement::placement;
pub use played::Played;
pub use position::{End, Footprint, IllegalPositionKind, Move, Position, Reach};
pub use reach::{ChessReach, Need};
pub use rest::Rest;
pub use result::GameResult;
pub use shown::Shown;
pub use stood::Stood;
pub use variant::{KingSignal, Variant};
