//! Millennium ChessLink: boards that tell their men, in text with checksums (other-boards, section 1).
//!
//! The line has seven bits and odd parity. It is opened with eight bits and none, and parity is made here: that works
//! on pseudo-terminals and over TCP, too, which carry no such setting.

mod codec;
mod frame;
mod session;

use super::{LineSettings, Protocol, resumed};

pub use codec::{Blinking, Command, CommandDecoder, Decoder, Message, setting};
pub use session::ChessLinkSession;

/// Boards behind a Millennium ChessLink, and what speaks like one.
pub const PROTOCOL: Protocol = Protocol {
    name: "chesslink",
    title: "Millennium ChessLink (Exclusive, The King, eONE) and Elfacun in mode B",
    session: || Box::new(ChessLinkSession::new()),
    resume: resumed::<ChessLinkSession>,
    line: LineSettings { baud: 38_400, dtr: false },
    // No source tells the number of its USB chip.
    known: &[],
    bridges: &[],
};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
