//! Wire protocols: bytes to readings, and the conversation that keeps the readings coming.
//!
//! A protocol is a folder with a codec (bytes to messages, no time) and a session (what to ask when,
//! what to make of the answers). A session does no I/O: it is handed what happened and the time, and
//! says what to write, what it read and when it wants to be woken. Between two inputs it can be saved, and
//! another one goes on from there.

mod announce;
mod by_square;
pub mod certabo;
pub mod chesslink;
pub mod dgt;
mod lamps;
pub mod open;
mod resume;
pub mod sentio;
mod timers;

pub use announce::Announcement;

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use adoube_rules::sensor::Reading;
use adoube_rules::stamp::SECOND;
use resume::{resumed, saved};

/// A picture that stays the same is said again so often: who hears nothing for longer takes a board for gone.
const SAY_AGAIN: u64 = 10 * SECOND;

/// What happens to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionInput<'a> {
    /// The link was opened; the board may be in any state.
    LinkUp,
    /// The link was closed or broke.
    LinkDown,
    /// Bytes from the board, cut anywhere.
    Bytes(&'a [u8]),
    /// The instant of [`Session::wake_at_ns`] has come.
    Wake,
    /// Show the players this.
    Announce(&'a Announcement),
}

/// What a session wants done or has found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOutput {
    /// Bytes for the board. A replay drops them.
    Write(Vec<u8>),
    /// The board said this.
    Reading(Reading),
    /// All that is known of the board so far; given again whenever something in it changes.
    Identity(Identity),
    /// Nothing more can be expected of this link; it should be closed and opened again.
    ///
    /// The session does not insist: bytes that come all the same are read, as a replay needs it.
    Lost(LostReason),
    /// Bytes that belong to no message.
    Skipped {
        /// How many.
        bytes: u64,
    },
}

/// Who a board is, as far as it said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Identity {
    /// The number that names the board; on paper labels and in broadcasts.
    pub serial: Option<String>,
    /// The longer number of newer boards, unique where the short one is not.
    pub long_serial: Option<String>,
    /// Firmware, as `major.minor`.
    pub version: Option<String>,
    /// Firmware of the clock, as `major.minor`, if one answered.
    pub clock_version: Option<String>,
}

/// Digits of the longer number of newer boards.
const LONG_SERIAL: usize = 10;

impl Identity {
    /// Is that its number? The longer one counts where it is meant: the short one is not unique among newer boards.
    #[must_use]
    pub fn has_number(&self, number: &str) -> bool {
        let bare = |number: &str| number.trim_start_matches('0').to_owned();
        let is = |own: &Option<String>| own.as_deref().is_some_and(|own| bare(own) == bare(number));
        match self.long_serial {
            Some(_) if number.len() == LONG_SERIAL => is(&self.long_serial),
            _ => is(&self.serial),
        }
    }
}

/// Why a session gave a link up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostReason {
    /// The board did not answer.
    Silent,
    /// Something sends, but not in this protocol: wrong device or wrong speed.
    Unintelligible,
    /// It speaks a newer version of this protocol, of which nothing is known.
    NewerVersion,
}

impl fmt::Display for LostReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Silent => "the board does not answer (Silent)",
            Self::Unintelligible => {
                "what it says is not in the board's protocol: another device, or another protocol in the configuration"
            }
            Self::NewerVersion => {
                "the board speaks a newer version of its protocol: a newer adoube, or an older firmware, is needed"
            }
        })
    }
}

/// A conversation with one board.
///
/// Times are [`adoube_rules::stamp::Stamp::mono_ns`].
pub trait Session: Debug + Send {
    /// Takes what happened at `at_ns`, which never goes back.
    ///
    /// First fires every timer of its own due at or before `at_ns`, in order of due time, each at its
    /// own due time: a late wake changes nothing.
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>);

    /// When the next timer is due, if one is set.
    fn wake_at_ns(&self) -> Option<u64>;

    /// All that is known of the conversation: [`Protocol::resume`] makes the same session of it again.
    ///
    /// Its times are those that the session was handed: whoever resumes it goes on with the same clock.
    fn state(&self) -> Value;
}

/// A protocol that adoube speaks: everything that the rest of the program knows of it.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// Its name in configuration files and captures.
    pub name: &'static str,
    /// The boards that speak it, for people.
    pub title: &'static str,
    /// Begins a conversation; the link is down.
    pub session: fn() -> Box<dyn Session>,
    /// Goes on with a conversation from its [`Session::state`]; fails if that is no state of this protocol's sessions.
    ///
    /// A state does not name its protocol, and while the link is down little in it tells: whoever saves one saves
    /// the protocol with it.
    pub resume: fn(&Value) -> Result<Box<dyn Session>, String>,
    /// How a serial port is set for it.
    pub line: LineSettings,
    /// Manufacturers or products of USB devices that are such boards and nothing else, by how they begin: they are asked
    /// at once.
    pub says: &'static [&'static str],
    /// Serial chips that are in such boards and in everything else: asked only where the configuration says so.
    pub bridges: &'static [UsbId],
}

/// How a serial port is set; always eight bits, no parity and one stop bit: what differs is done in the codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSettings {
    /// Bits a second.
    pub baud: u32,
    /// Is DTR raised after opening? RTS goes with it.
    pub dtr: bool,
}

/// The numbers of a serial chip on USB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsbId {
    /// The vendor's number.
    pub vendor: u16,
    /// The product's number; `None`: whatever this vendor makes.
    pub product: Option<u16>,
    /// What it is, for people.
    pub what: &'static str,
}

impl UsbId {
    /// Is that device one of these?
    #[must_use]
    pub fn matches(self, vendor: u16, product: u16) -> bool {
        self.vendor == vendor && self.product.is_none_or(|own| own == product)
    }
}

/// All protocols. One line each: a protocol says everything about itself in its folder.
pub const PROTOCOLS: &[Protocol] = &[
    dgt::PROTOCOL,
    dgt::bus::PROTOCOL,
    chesslink::PROTOCOL,
    certabo::PROTOCOL,
    sentio::PROTOCOL,
    open::PROTOCOL,
];

/// The protocol of that name.
#[must_use]
pub fn protocol(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.name == name)
}

/// The names of all protocols, for people: `dgt, open`.
#[must_use]
pub fn protocol_names() -> String {
    PROTOCOLS.iter().map(|protocol| protocol.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_is_found_by_its_name() {
        let dgt = protocol("dgt").unwrap();
        let mut out = Vec::new();
        let mut session = (dgt.session)();
        assert_eq!(session.wake_at_ns(), None, "nothing to do while the link is down");
        session.handle(SessionInput::LinkUp, 7, &mut out);
        assert!(session.wake_at_ns().is_some_and(|at_ns| at_ns > 7));
        assert!(protocol("DGT").is_none());
    }
}
