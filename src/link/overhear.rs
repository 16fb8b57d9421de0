//! Who speaks at a port without being asked: until that is clear nobody is asked there, for what is a question in one
//! protocol lights lamps in another, and some boards take the first one for what they are to speak from then on.

use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::time::{Instant, timeout_at};

use super::{LinkError, Stream, open};
use crate::link::Port;
use adoube_core::wire::{LineSettings, Protocol, Session, SessionInput, SessionOutput};
use adoube_rules::sensor::Reading;

/// Boards that speak by themselves say something within this time: the slowest known one speaks once a second.
const LISTENING: Duration = Duration::from_millis(1_500);
/// What is understood in part: slow boards take so much longer for the three lines that make sure.
pub(super) const SLOW: Duration = Duration::from_secs(3);
/// What is read at one time: as much as a serial line brings in half a second.
const CHUNK: usize = 512;

/// Who speaks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Overheard {
    /// A board of this protocol, and of no other one.
    Board(&'static Protocol),
    /// What is heard makes sense in this one.
    Likely(&'static Protocol),
    /// Nobody, or nobody who is understood.
    Nobody,
}

/// Listens at `port`, with the line as the boards of each protocol want it, and writes nothing.
///
/// # Errors
/// The port cannot be opened.
pub(super) async fn overhear(port: &Port, protocols: &[&'static Protocol]) -> Result<Overheard, LinkError> {
    let mut lines: Vec<LineSettings> = Vec::new();
    for line in protocols.iter().map(|protocol| protocol.line) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for line in lines {
        let of_line = protocols.iter().filter(|protocol| protocol.line == line);
        let mut ears: Vec<Ear> = of_line.map(|protocol| Ear::new(protocol)).collect();
        match listen(open(port, line).await?, &mut ears).await {
            // Who is silent is so at any speed.
            None => return Ok(Overheard::Nobody),
            Some(Overheard::Nobody) => {}
            Some(overheard) => return Ok(overheard),
        }
    }
    Ok(Overheard::Nobody)
}

/// Who speaks on this line; `None`: nothing came.
async fn listen(mut stream: Box<dyn Stream>, ears: &mut [Ear]) -> Option<Overheard> {
    let started = Instant::now();
    let (mut due, mut bytes, mut came) = (started + LISTENING, vec![0; CHUNK], false);
    let mut is_extended = false;
    loop {
        match timeout_at(due, stream.read(&mut bytes)).await {
            Ok(Ok(count)) if count > 0 => {
                came = true;
                let at_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
                ears.iter_mut().for_each(|ear| ear.hear(&bytes[..count], at_ns));
                if let Some(ear) = ears.iter().find(|ear| ear.is_board) {
                    return Some(Overheard::Board(ear.protocol));
                }
            }
            // The other end is gone.
            Ok(_) => return None,
            Err(_) => {
                let likely = ears.iter().filter(|ear| ear.understands()).max_by_key(|ear| ear.understood());
                match likely {
                    Some(_) if !is_extended => (is_extended, due) = (true, due + SLOW),
                    Some(ear) => return Some(Overheard::Likely(ear.protocol)),
                    None => return came.then_some(Overheard::Nobody),
                }
            }
        }
    }
}

/// A protocol's own session, which hears and may not speak.
struct Ear {
    protocol: &'static Protocol,
    session: Box<dyn Session>,
    heard_bytes: u64,
    skipped_bytes: u64,
    /// It has heard what only a board of its protocol says.
    is_board: bool,
}

impl Ear {
    fn new(protocol: &'static Protocol) -> Self {
        let mut ear = Self {
            protocol,
            session: (protocol.session)(),
            heard_bytes: 0,
            skipped_bytes: 0,
            is_board: false,
        };
        ear.session.handle(SessionInput::LinkUp, 0, &mut Vec::new());
        ear
    }

    fn hear(&mut self, bytes: &[u8], at_ns: u64) {
        let mut said = Vec::new();
        self.session.handle(SessionInput::Bytes(bytes), at_ns, &mut said);
        self.heard_bytes += bytes.len() as u64;
        for said in said {
            match said {
                SessionOutput::Skipped { bytes } => self.skipped_bytes += bytes,
                SessionOutput::Identity(_) | SessionOutput::Reading(Reading::Frame(_)) => {
                    self.is_board = true;
                }
                _ => {}
            }
        }
    }

    fn understood(&self) -> u64 {
        self.heard_bytes.saturating_sub(self.skipped_bytes)
    }

    /// Most of what it hears makes sense.
    fn understands(&self) -> bool {
        self.understood() > self.skipped_bytes
    }
}
