//! A game on lichess.org, by its Board API: a stream of lines for each game, a POST for what we do.
//!
//! Lichess keeps the game: what its stream says is agreed. A stream that breaks is opened again, and begins
//! with the whole game, so that nothing is missed. Whoever asks too often waits a minute, as Lichess wants it.

mod client;
mod find;
mod game;
mod said;

pub use client::{Client, ClientError};
pub use find::{Ask, Wish, find};
pub use game::LichessGame;
