//! A conversation with a board outside the daemon: who is there, and what does it say?

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep, timeout};

use super::{Stream, WRITE_TIMEOUT};
use adoube_core::wire::{Protocol, Session, SessionInput, SessionOutput};

/// What is read at one time: as much as a serial line brings in half a second.
const CHUNK: usize = 512;

/// A session that waits for nothing is looked at so often.
const IDLE: Duration = Duration::from_millis(100);

/// A protocol's own session, held over an open link by whoever has no station for it.
#[derive(Debug)]
pub struct Talk {
    stream: Box<dyn Stream>,
    session: Box<dyn Session>,
    started: Instant,
    said: Vec<SessionOutput>,
}

/// What passed on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passed {
    /// From the board.
    Received(Vec<u8>),
    /// To the board.
    Sent(Vec<u8>),
    /// Nothing will pass any more: the board is gone.
    Gone,
    /// A timer of the session's came due.
    Nothing,
}

impl Talk {
    /// Begins to talk.
    #[must_use]
    pub fn new(stream: Box<dyn Stream>, protocol: &Protocol) -> Self {
        let session = (protocol.session)();
        let mut talk = Self { stream, session, started: Instant::now(), said: Vec::new() };
        talk.tell(SessionInput::LinkUp);
        talk
    }

    /// For how long it has been going on, nanoseconds.
    #[must_use]
    pub fn age_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        let at_ns = self.age_ns();
        self.session.handle(input, at_ns, &mut self.said);
    }

    /// Writes the next thing that is to be written, or waits for the next thing that happens.
    ///
    /// # Errors
    /// The board takes no bytes.
    pub async fn step(&mut self) -> io::Result<Passed> {
        if let Some(index) = self.said.iter().position(|said| matches!(said, SessionOutput::Write(_))) {
            let SessionOutput::Write(bytes) = self.said.remove(index) else { return Ok(Passed::Nothing) };
            timeout(WRITE_TIMEOUT, self.stream.write_all(&bytes)).await??;
            return Ok(Passed::Sent(bytes));
        }
        let age = Duration::from_nanos(self.age_ns());
        let wake = self.session.wake_at_ns().map(Duration::from_nanos);
        let wait = wake.map_or(IDLE, |at| at.saturating_sub(age));
        let mut bytes = vec![0; CHUNK];
        tokio::select! {
            read = self.stream.read(&mut bytes) => {
                let count = read.unwrap_or(0);
                if count == 0 {
                    return Ok(Passed::Gone);
                }
                bytes.truncate(count);
                self.tell(SessionInput::Bytes(&bytes));
                Ok(Passed::Received(bytes))
            }
            () = sleep(wait) => {
                self.tell(SessionInput::Wake);
                Ok(Passed::Nothing)
            }
        }
    }

    /// What the session has found out since this was last asked; what it wants written is written first.
    pub fn heard(&mut self) -> Vec<SessionOutput> {
        self.said.extract_if(.., |said| !matches!(said, SessionOutput::Write(_))).collect()
    }
}
