//! DGT electronic boards and their clocks, one board on a link (single-board mode).
//!
//! The published descriptions of this protocol carry a notice of DGT Projects B.V.: commercial use
//! needs DGT's written permission. They also forbid the transfer of DGT's registered trade mark text
//! through the protocol, so nothing here contains it and a simulated board names itself otherwise.

mod clock_answer;
mod clock_message;
mod codec;
mod command;
mod eeprom;
mod session;
mod square;
mod timers;

pub use clock_answer::{AckResult, ClockAck, ClockButton, ClockEnd, ClockTimes, EndTime};
pub use clock_message::{ClockMessage, Display, Icons, run, segments};
pub use codec::{Battery, Decoder, DraughtsSquares, Message};
pub use command::{Command, CommandDecoder, Leds};
pub use eeprom::{Record, encode_records, records};
pub use session::DgtSession;
pub use square::{content_from_code, piece_code, square_from_field};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
