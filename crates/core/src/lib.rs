//! What a board says becomes a game: from bytes to moves, and what an arbiter should know of them.
//!
//! ```text
//! wire      bytes ⇄ messages; the conversation with a board
//!   │ readings
//! infer     picture → handling → explanations → moves
//!   │ the line
//! table     one board, one game, held against the Laws
//!   │
//! event     what is said of it
//! ```
//!
//! Start reading at [`station`], which holds one board's core together, then follow the path.
//! Nothing here reads a clock, a file or a socket: time comes in as a [`adoube_rules::stamp::Stamp`], and the same inputs
//! give the same events.
//!
//! A recording goes through the same core as a live board:
//!
//! ```
//! use adoube_core::capture::{Header, Line};
//! use adoube_core::event::Body;
//! use adoube_core::replay::{Replay, open};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let header = r#"{"adoube":"capture/1","board":"1","protocol":"frames","started":"2026-05-01T10:00:00Z"}"#;
//! let pictures = [
//!     (0, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
//!     (9_000, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"),
//!     (9_400, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
//! ];
//! let header = Header::parse(header)?;
//! let mut replay = Replay::new(open(&header), header.started_utc_ns)?;
//! let mut events = Vec::new();
//! for (t_ms, pieces) in pictures {
//!     replay.line(&Line::parse(&format!(r#"{{"t_ms":{t_ms},"pieces":"{pieces}"}}"#))?, &mut events);
//! }
//! replay.finish(&mut events);
//! let moves: Vec<String> = events
//!     .iter()
//!     .filter_map(|event| match &event.body {
//!         Body::MoveMade(made) => Some(made.played.san().to_string()),
//!         _ => None,
//!     })
//!     .collect();
//! assert_eq!(moves, ["e4"]);
//! # Ok(())
//! # }
//! ```

pub mod afterwards;
pub mod capture;
pub mod event;
pub mod evidence;
pub mod infer;
pub mod pairings;
pub mod ply;
pub mod replay;
pub mod rounds;
pub mod ruling;
pub mod station;
pub mod table;
pub mod wire;
