//! A line with many boards: DGT boards in bus mode, one behind the other on one RS-232 cable.
//!
//! ```text
//! chain          the boards and their cable: what takes time, collides, gets lost
//!   │ bytes
//! conversation   the same with the master of the line, in virtual time
//! ```

mod chain;
mod conversation;

pub use chain::Chain;
pub use conversation::{Conversation, Held, Listener, Sessions};
