//! A board's firmware as the rest of the simulator sees it, whatever protocol it speaks.

use std::fmt::Debug;

use super::act::Act;
use super::board::{Firmware, FirmwareConfig, Mode};
use adoube_rules::sensor::Content;

/// A board with its clock, from the side of the wire. Sans-I/O: times are nanoseconds on the caller's own line and
/// never go back.
pub trait Device: Debug + Send {
    /// Takes bytes from the host, cut anywhere.
    fn receive(&mut self, bytes: &[u8], now_ns: u64);

    /// Somebody does `act` to the board or its clock.
    fn act(&mut self, act: Act, at_ns: u64);

    /// Appends what the board has said until `now_ns`.
    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>);

    /// When the board may have something to say, if nothing happens to it before.
    fn wake_at_ns(&self) -> Option<u64>;

    /// Does a host listen, as far as the board can know? Hands begin then.
    fn is_heard(&self) -> bool;
}

impl Device for Firmware {
    fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        Self::receive(self, bytes, now_ns);
    }

    fn act(&mut self, act: Act, at_ns: u64) {
        Self::act(self, act, at_ns);
    }

    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        Self::poll(self, now_ns, out);
    }

    fn wake_at_ns(&self) -> Option<u64> {
        Self::wake_at_ns(self)
    }

    fn is_heard(&self) -> bool {
        !matches!(self.mode(), Mode::Bus | Mode::Idle) || self.is_asked_on_bus()
    }
}

/// A kind of board that can be simulated.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The name of its protocol.
    pub protocol: &'static str,
    /// Can it tell the men apart? `None`: there are both kinds, and the configuration says which.
    pub names_men: Option<bool>,
    /// There are boards of so many squares.
    pub squares: &'static [usize],
    /// Switches one on at time 0, with these men on its squares.
    pub device: fn(FirmwareConfig, &[Content]) -> Box<dyn Device>,
}

/// All kinds of boards that can be simulated.
pub const MODELS: &[Model] = &[
    super::board::MODEL,
    super::board::ON_BUS,
    super::chesslink::MODEL,
    super::certabo::MODEL,
    super::certabo::FEELING,
    super::open::MODEL,
];

/// The kind of board that speaks that protocol.
#[must_use]
pub fn model(protocol: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.protocol == protocol)
}
