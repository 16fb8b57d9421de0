//! Tabutronic Sentio, and whatever prints the same lines: squares that are occupied or not (other-boards, section 2.2).
//!
//! The lines are those of boards with tags (`certabo`), with eight numbers instead of three hundred and twenty: a rank
//! each, the eighth first, the highest bit the a-file.

mod session;

use super::certabo::{BRIDGES, LINE};
use super::{Protocol, resumed};

pub use session::SentioSession;

/// Boards that only feel whether something stands on a square.
pub const PROTOCOL: Protocol = Protocol {
    name: "sentio",
    title: "Tabutronic Sentio, and boards that print its lines",
    session: || Box::new(SentioSession::new()),
    resume: resumed::<SentioSession>,
    line: LINE,
    says: &[],
    bridges: BRIDGES,
};

/// A line, for a simulated board: what stands on each square, a1 first.
pub fn encode(is_occupied: impl Fn(usize) -> bool) -> String {
    let rank = |rank: usize| {
        (0..8).fold(0, |bits, file| bits | u8::from(is_occupied(8 * rank + file)) << (7 - file))
    };
    super::certabo::encode_line((0..8).rev().map(rank))
}
