//! Who is at a port: each protocol's own session asks, and a board that answers as only such a board can is it.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::overhear::{Overheard, SLOW, overhear};
use super::talk::{Passed, Talk};
use super::{Candidate, LinkError, Stream, open};
use crate::link::Port;
use adoube_core::wire::{
    self, Identity, LineSettings, PROTOCOLS, Protocol, SessionInput, SessionOutput, dgt,
};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::stamp::SECOND;

/// A board that is asked answers within a second (dgt-protocol 1.2); a handshake that a serial adapter swallowed
/// is repeated after two.
const ASKED: Duration = Duration::from_millis(2_500);
/// A board that speaks by itself says something whole within this time (other-boards, 2 and 3).
const STREAMED: Duration = Duration::from_secs(2);
/// A home-made board may restart when its port is opened, and then boots (docs/open-board.md).
const RESTARTED: Duration = Duration::from_secs(5);
/// Once it is known what it is: for the rest of what it tells of itself. Questions are 75 ms apart.
const REST: Duration = Duration::from_millis(700);

/// What was closed a moment ago can be opened again after so long.
const REOPENED: Duration = Duration::from_millis(500);

/// Many boards on one line: asking there means to address each of them, which its own part of the program does.
const LINES_OF_MANY: &str = "dgt-bus";

/// A board that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name of the protocol that it speaks.
    pub protocol: &'static str,
    /// Who it says it is. Boards of some protocols have no number.
    pub identity: Identity,
}

/// Why no board was found at a port.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    /// The port could not be opened.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Nobody said anything.
    #[error("{port}: open, but nobody answers (asked as {asked}); is the board switched on?")]
    Silent {
        /// Which.
        port: String,
        /// The protocols that were tried.
        asked: String,
    },
    /// Something else is there.
    #[error(
        "{port}: something answers that is no board (asked as {asked}): another device, or a board that adoube does \
         not know"
    )]
    Foreign {
        /// Which.
        port: String,
        /// The protocols that were tried.
        asked: String,
    },
}

/// The protocols in which a port is asked: that of the board that the device says it is, or all, those first that have
/// boards with its chip.
#[must_use]
pub fn protocols_for(candidate: &Candidate) -> Vec<&'static Protocol> {
    let mut protocols: Vec<&Protocol> =
        PROTOCOLS.iter().filter(|protocol| protocol.name != LINES_OF_MANY).collect();
    let usb = candidate.usb.as_ref();
    let is_it = |protocol: &Protocol| usb.is_some_and(|usb| usb.is_board(protocol));
    if let Some(own) = protocols.iter().find(|protocol| is_it(protocol)) {
        return vec![own];
    }
    let of_numbers = |protocol: &Protocol| {
        let (vendor, product) = usb.map(|usb| usb.id).unwrap_or_default();
        protocol.bridges.iter().any(|id| id.matches(vendor, product))
    };
    // Those that only listen come before those whose questions would light lamps. Stable: the rest stays in the
    // registry's order.
    protocols.sort_by_key(|protocol| if of_numbers(protocol) { u8::from(asks(protocol)) } else { 2 });
    protocols
}

/// Does a conversation in that protocol begin with questions?
fn asks(protocol: &Protocol) -> bool {
    let (mut session, mut said) = ((protocol.session)(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut said);
    session.handle(SessionInput::Wake, SECOND, &mut said);
    said.iter().any(|said| matches!(said, SessionOutput::Write(_)))
}

/// Opens a port that was open a moment ago: a serial server with one line, or a Bluetooth port, may need that moment.
async fn open_again(port: &Port, line: LineSettings) -> Result<Box<dyn Stream>, LinkError> {
    match open(port, line).await {
        Ok(stream) => Ok(stream),
        Err(_) => {
            sleep(REOPENED).await;
            open(port, line).await
        }
    }
}

/// Asks at `port` in these protocols, one after the other, until a board answers; each has its time. If there are several,
/// it listens first: a board that speaks by itself hears its own protocol alone.
///
/// # Errors
/// [`NotFound`] says why not, and what to do.
pub async fn probe(port: &Port, protocols: &[&'static Protocol]) -> Result<Found, NotFound> {
    let mut protocols = protocols.to_vec();
    if protocols.len() > 1 {
        match overhear(port, &protocols).await? {
            Overheard::Board(protocol) => protocols = vec![protocol],
            // Stable: the rest keeps its order.
            Overheard::Likely(likely) => protocols.sort_by_key(|protocol| protocol.name != likely.name),
            Overheard::Nobody => {}
        }
    }
    let mut is_foreign = false;
    for protocol in &protocols {
        // Each with the line as its boards want it.
        let stream = open_again(port, protocol.line).await?;
        match identify(Talk::new(stream, protocol), protocol).await {
            Heard::Board(identity) => return Ok(Found { protocol: protocol.name, identity }),
            Heard::Noise => is_foreign = true,
            Heard::Nothing => {}
        }
    }
    let (port, asked) = (port.to_string(), names(&protocols));
    Err(if is_foreign { NotFound::Foreign { port, asked } } else { NotFound::Silent { port, asked } })
}

/// What stands on the board at `port`, a1 first, as its sensor lies; `None` if no board answers.
pub async fn standing(port: &Port, protocol: &'static Protocol) -> Option<Vec<Content>> {
    let mut talk = Talk::new(open(port, protocol.line).await.ok()?, protocol);
    let due = Instant::now() + ASKED;
    loop {
        match timeout_at(due, talk.step()).await {
            Ok(Ok(passed)) if passed != Passed::Gone => {}
            _ => return None,
        }
        let frame = talk.heard().into_iter().find_map(|said| match said {
            SessionOutput::Reading(Reading::Frame(Frame::Identity(contents))) => Some(contents),
            _ => None,
        });
        if frame.is_some() {
            return frame;
        }
    }
}

enum Heard {
    Board(Identity),
    /// Bytes, but none that a board of this protocol says.
    Noise,
    Nothing,
}

/// Listens until it is clear who is there, or the time is up.
async fn identify(mut talk: Talk, protocol: &Protocol) -> Heard {
    let patience = match protocol.name {
        name if name == dgt::PROTOCOL.name => ASKED,
        name if name == wire::open::PROTOCOL.name => RESTARTED,
        _ => STREAMED,
    };
    let mut due = Instant::now() + patience;
    let (mut found, mut is_noisy): (Option<Identity>, bool) = (None, false);
    let (mut asks, mut is_extended) = (false, false);
    loop {
        let passed = match timeout_at(due, talk.step()).await {
            Ok(Ok(passed)) => passed,
            Err(_) if is_noisy && found.is_none() && !asks && !is_extended => {
                is_extended = true;
                due += SLOW;
                continue;
            }
            _ => break,
        };
        match passed {
            Passed::Gone => break,
            Passed::Received(_) => is_noisy = true,
            Passed::Sent(_) => asks = true,
            Passed::Nothing => {}
        }
        let was_found = found.is_some();
        for said in talk.heard() {
            match said {
                SessionOutput::Identity(identity) => found = Some(identity),
                SessionOutput::Reading(Reading::Frame(_)) => {
                    found = found.or_else(|| Some(Identity::default()));
                }
                _ => {}
            }
        }
        if found.as_ref().is_some_and(is_complete) {
            break;
        }
        if found.is_some() && !was_found {
            due = Instant::now() + REST;
        }
    }
    match found {
        Some(identity) => Heard::Board(identity),
        None if is_noisy => Heard::Noise,
        None => Heard::Nothing,
    }
}

/// Has it told everything that matters?
fn is_complete(identity: &Identity) -> bool {
    identity.serial.is_some() && identity.long_serial.is_some() && identity.version.is_some()
}

fn names(protocols: &[&'static Protocol]) -> String {
    protocols.iter().map(|protocol| protocol.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Usb;

    fn asked(id: (u16, u16), maker: &str) -> Vec<&'static str> {
        let usb = Some(Usb { id, names: vec![maker.to_owned()] });
        let (path, device, node) = Default::default();
        let candidate = Candidate { path, device, node, usb, is_known: true };
        protocols_for(&candidate).into_iter().map(|protocol| protocol.name).collect()
    }

    #[test]
    fn a_port_is_asked_as_what_it_says_it_is_or_as_what_has_its_chip_and_first_by_those_who_only_listen() {
        assert_eq!(asked((0x045b, 0x8111), "DGT"), ["dgt"]);
        assert_eq!(
            asked((0x10c4, 0xea60), "Silicon Labs"),
            ["certabo", "sentio", "dgt", "chesslink", "open"]
        );
        assert_eq!(asked((0x0403, 0x6001), "FTDI"), ["dgt", "chesslink", "open", "certabo", "sentio"]);
        assert_eq!(asked((1, 1), "Nobody"), ["dgt", "chesslink", "certabo", "sentio", "open"]);
    }
}
