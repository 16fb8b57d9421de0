//! A game on one board against somebody who does not sit at it: an engine, or a player at the other end of
//! the network.
//!
//! ```text
//! desk's hub ── the board's moves ──▶ driver ── orders ──▶ opponent: engine, lichess
//!      ▲                                │  ▲                   │
//!      │ aside: banner                  │  └── how the game stands ┘
//!      └────────────────────────────────┤
//! board ◀── announcements ──────────────┘
//! ```
//!
//! Two lists of moves are held against each other ([`Line`]): the one that is agreed, which the opponent
//! keeps, and the one that the board shows. What differs is what somebody has to do next ([`Step`]): send our
//! move, make the opponent's on the board, put something back. The board's side is the ordinary daemon, with
//! journal and pages; nothing here changes what it sees.

mod asked;
mod driver;
mod engine;
mod line;
mod lines;
mod opponent;
mod shown;
mod uci;

pub mod lichess;

pub use asked::Asked;
pub use driver::{Driver, Outcome};
pub use engine::{Engine, EngineError, Limit};
pub use line::{Line, LineError, Step};
pub use opponent::{End, Opening, Opponent, Order, Said, State, Times};
