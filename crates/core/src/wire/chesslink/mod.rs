//! Millennium ChessLink: boards that tell their men, in text with checksums (other-boards, section 1).
//!
//! The line has seven bits and odd parity. It is opened with eight bits and none, and parity is made here: that works
//! on pseudo-terminals and over TCP, too, which carry no such setting.

mod codec;
mod frame;
mod session;

use super::{LineSettings, Protocol, UsbId, resumed};

pub use codec::{Blinking, Command, CommandDecoder, Decoder, Message, setting};
pub use session::ChessLinkSession;

/// Boards behind a Millennium ChessLink, and what speaks like one.
pub const PROTOCOL: Protocol = Protocol {
    name: "chesslink",
    title: "Millennium ChessLink (Exclusive, The King, eONE) and Elfacun in mode B",
    session: || Box::new(ChessLinkSession::new()),
    resume: resumed::<ChessLinkSession>,
    line: LineSettings { baud: 38_400, dtr: false },
    says: &[],
    bridges: &[
        UsbId { vendor: 0x0403, product: Some(0x6001), what: "FTDI FT232: ChessLink" },
        UsbId { vendor: 0x10c4, product: Some(0xea60), what: "Silicon Labs CP210x: Elfacun in mode B" },
    ],
};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
