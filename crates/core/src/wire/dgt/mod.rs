//! DGT electronic boards and their clocks, one board on a link (single-board mode).
//!
//! The published descriptions of this protocol carry a notice of DGT Projects B.V.: commercial use
//! needs DGT's written permission. They also forbid the transfer of DGT's registered trade mark text
//! through the protocol, so nothing here contains it and a simulated board names itself otherwise.

pub mod bus;
mod clock_answer;
mod clock_message;
mod codec;
mod command;
mod eeprom;
mod session;
mod square;
mod timers;

use super::{LineSettings, Protocol, UsbId, resumed};

pub use clock_answer::{AckResult, ClockAck, ClockButton, ClockEnd, ClockTimes, EndTime};
pub use clock_message::{ClockMessage, Display, Icons, run, segments};
pub use codec::{Battery, Decoder, DraughtsSquares, Message};
pub use command::{Command, CommandDecoder, Leds};
pub use eeprom::{Record, encode_records, records};
pub use session::DgtSession;
pub use square::{content_from_code, field_from_square, piece_code, square_from_field};

/// DGT boards, one on a link.
pub const PROTOCOL: Protocol = Protocol {
    name: "dgt",
    title: "DGT boards",
    session: || Box::new(DgtSession::new()),
    resume: resumed::<DgtSession>,
    // Section 1.1; boards on USB take any speed. What most hosts do with DTR, and what USB boards expect (1.3).
    line: LineSettings { baud: 9_600, dtr: true },
    // Section 1.2.
    says: &["DGT"],
    bridges: &[
        UsbId {
            vendor: 0x045b,
            product: Some(0x8111),
            what: "Renesas USB chip: DGT boards that do not say so, and other devices",
        },
        UsbId {
            vendor: 0x0403,
            product: Some(0x6001),
            what: "FTDI FT232: older DGT boards, ChessLink, and much else",
        },
        UsbId {
            vendor: 0x10c4,
            product: Some(0xea60),
            what: "Silicon Labs CP210x: Certabo, Tabutronic, Elfacun, and much else",
        },
    ],
};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
