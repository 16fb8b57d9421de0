//! Certabo and Tabutronic boards with tags in their men (other-boards, section 2.1).
//!
//! The board streams lines of numbers without being asked: for each square the tag that it reads. Which tag is which man
//! it does not know; `tags` learns it when the start array stands. Until then it is read as a board that only feels
//! whether something stands on a square.
//!
//! `line` and `lamps` are the same on boards without tags, which have a protocol of their own (`sentio`).

pub(super) mod lamps;
pub(super) mod line;
mod picture;
mod session;
pub(super) mod stream;
mod tags;

use super::{LineSettings, Protocol, UsbId, resumed};

pub use line::encode as encode_line;
pub use session::CertaboSession;

/// How a port of these boards is set.
pub(super) const LINE: LineSettings = LineSettings { baud: 38_400, dtr: false };

/// The chip in these boards.
pub(super) const BRIDGES: &[UsbId] = &[UsbId {
    vendor: 0x10c4,
    product: Some(0xea60),
    what: "Silicon Labs CP210x: Certabo and Tabutronic boards, and much else",
}];

/// Boards with a tag in each man.
pub const PROTOCOL: Protocol = Protocol {
    name: "certabo",
    title: "Certabo, Tabutronic Cerno and Spectrum",
    session: || Box::new(CertaboSession::new()),
    resume: resumed::<CertaboSession>,
    line: LINE,
    says: &[],
    bridges: BRIDGES,
};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod worked_examples;
