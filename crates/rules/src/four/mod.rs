//! Four-player team chess: Red and Blue against White and Black on a cross (four-player.md).
//!
//! Start with [`geometry`] (the board as data), then `position` (what stands where and what is still
//! allowed), `moves` (what is legal) and `play` (what the tracker and the table ask of a position).

mod army;
mod array;
mod attack;
mod count;
mod departure;
mod end;
pub mod geometry;
pub mod helpmate;
pub mod legality;
mod moves;
mod notation;
mod play;
mod position;
mod reach;
pub mod record;
mod rest;
mod stood;
mod text;
mod variant;

pub use army::{Army, EpWindow, FourRules, Parity, Seat, WingDepth};
pub use geometry::Geometry;
pub use moves::{FourMove, Manner};
pub use notation::{MoveError, read_move};
pub use position::{EnPassant, FourKey, FourPosition};
pub use reach::FourReach;
pub use stood::FourStood;
pub use text::{FourTextError, man, placement, read_man, read_placement};
pub use variant::FourPlayer;

#[cfg(test)]
mod tests;
