//! DGT boards in bus mode: many boards on one RS-232 line, each silent until it is addressed
//! (sections 2.8 and 3.9).
//!
//! ```text
//! master     one line: who is there, whose turn it is, what to repeat
//!   │ whole verified packets of one address      ▲ commands of that address
//! session    one board: what its packets mean, what else to ask
//! ```
//!
//! Everything carries a checksum here, and a board keeps its last answer until the next question: what is
//! lost on the line is asked for again, and nothing of a game is missed.

mod codec;
mod command;
mod master;
mod memory_walk;
mod session;

pub use codec::{Decoder, Message, Packet};
pub use command::{BROADCAST, Command, CommandDecoder, Order};
pub use master::{Input, Master, Output};
pub use session::BusSession;

use crate::wire::{LineSettings, Protocol, resumed};

/// DGT boards on a bus.
pub const PROTOCOL: Protocol = Protocol {
    name: "dgt-bus",
    title: "DGT boards on a bus line (RS-232)",
    session: || Box::new(BusSession::new()),
    resume: resumed::<BusSession>,
    // Section 1.3: "very important, otherwise behaviour is very strange".
    line: LineSettings { baud: 9_600, dtr: false },
    // A bus line hangs on any serial port; what is asked there must be asked in bus mode, so nobody guesses.
    says: &[],
    bridges: &[],
};

/// One byte at 9600 baud, with its start and stop bit.
pub const BYTE_NS: u64 = 1_041_667;

/// The largest address, fourteen bits.
pub const ADDRESS_MAX: u16 = 0x3fff;

/// Whether a board can have this address.
#[must_use]
pub fn is_address(address: u16) -> bool {
    (1..=ADDRESS_MAX).contains(&address)
}

/// The sum of some bytes as packets and commands end with it.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)) & 0x7f
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
