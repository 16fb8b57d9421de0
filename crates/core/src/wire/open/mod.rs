//! The open line protocol of home-made boards, version 1: lines of text over a serial port or TCP.
//!
//! `docs/open-board.md` is its description for those who build such a board; what it shows is read by a test.

mod codec;
mod command;
mod message;
mod session;
mod shape;

use super::{LineSettings, Protocol, UsbId, resumed};

pub use codec::{LINE_MAX, Line, Lines, encode};
pub use command::{Command, LAMPS_MAX, TEXT_MAX};
pub use message::{Abilities, Ability, Hello, Message, VERSION};
pub use session::OpenSession;
pub use shape::Shape;

/// Boards that speak the open line protocol.
pub const PROTOCOL: Protocol = Protocol {
    name: "open",
    title: "home-made boards that speak the open line protocol",
    session: || Box::new(OpenSession::new()),
    resume: resumed::<OpenSession>,
    // The usual speed of microcontrollers. Those with USB of their own say nothing before DTR is raised; those
    // behind a serial chip restart then, and introduce themselves when they are ready.
    line: LineSettings { baud: 115_200, dtr: true },
    says: &[],
    // What the usual microcontroller boards carry; all of them are in many other devices, too.
    bridges: &[
        UsbId { vendor: 0x2341, product: None, what: "Arduino" },
        UsbId { vendor: 0x2a03, product: None, what: "Arduino (second vendor number)" },
        UsbId { vendor: 0x303a, product: None, what: "Espressif ESP32 with USB" },
        UsbId { vendor: 0x2e8a, product: None, what: "Raspberry Pi Pico" },
        UsbId { vendor: 0x1a86, product: Some(0x7523), what: "CH340 serial chip" },
        UsbId { vendor: 0x1a86, product: Some(0x55d4), what: "CH9102 serial chip" },
        UsbId { vendor: 0x10c4, product: Some(0xea60), what: "CP210x serial chip" },
        UsbId { vendor: 0x0403, product: Some(0x6001), what: "FTDI FT232 serial chip" },
    ],
};

#[cfg(test)]
mod properties;
