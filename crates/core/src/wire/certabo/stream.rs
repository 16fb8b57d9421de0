//! A board that streams lines by itself: when it is gone, when it is something else, and its lamps.

use serde::{Deserialize, Serialize};

use super::lamps::Lamps;
use super::line::{LineDecoder, Said};
use crate::wire::lamps::lit;
use crate::wire::{LostReason, SessionInput, SessionOutput};
use adoube_rules::stamp::{MS, SECOND};

/// Such boards send several lines a second, the slowest known one a second: without any for so long it is gone.
const SILENCE: u64 = 10 * SECOND;
/// A line that no line end follows is over after so long: far longer than a character takes on the line, and shorter
/// than a board takes for its next line.
const PAUSE: u64 = 100 * MS;
/// Bytes without a whole line before the sender cannot be such a board: five of the longest lines.
const GARBAGE_BYTES: u64 = 8 * 1024;

/// The stream of one board.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::wire) struct Stream {
    /// Numbers of a line.
    count: usize,
    lamps: Lamps,
    link: Option<Link>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Link {
    decoder: LineDecoder,
    /// When the line that came is over; `None`: it has not all its numbers, or its end will be heard.
    #[serde(default)]
    pause_ns: Option<u64>,
    /// When the link is given up; `None`: it was.
    silence_ns: Option<u64>,
    garbage_bytes: u64,
    /// The last line.
    last: Option<Vec<u8>>,
    /// It says everything again and again: then silence means that it is gone.
    streams: bool,
}

impl Link {
    /// One that speaks of changes only may be silent as long as the players think.
    fn forget_silence(&mut self) {
        self.silence_ns.take_if(|_| !self.streams && self.last.is_some());
    }
}

/// A whole line, and when it was over.
pub(in crate::wire) type Over = (u64, Vec<u8>);

/// Boards whose lines are so short, home-made ones of that kind among them, may speak of changes only.
const SHORT: usize = 8;

impl Stream {
    pub(in crate::wire) fn new(count: usize) -> Self {
        Self { count, lamps: Lamps::default(), link: None }
    }

    pub(in crate::wire) fn wake_at_ns(&self) -> Option<u64> {
        let link = self.link.as_ref()?;
        [link.pause_ns, link.silence_ns, self.lamps.due_ns()].into_iter().flatten().min()
    }

    /// Does what is due, takes the input, and returns the lines that it completes.
    pub(in crate::wire) fn handle(
        &mut self,
        input: SessionInput<'_>,
        at_ns: u64,
        out: &mut Vec<SessionOutput>,
    ) -> Vec<Over> {
        let mut lines = Vec::new();
        self.pause(at_ns, &mut lines);
        self.fire_until(at_ns, out);
        match input {
            SessionInput::LinkUp => {
                self.lamps.begin(at_ns);
                let decoder = LineDecoder::new(self.count);
                self.link = Some(Link {
                    decoder,
                    pause_ns: None,
                    silence_ns: Some(at_ns + SILENCE),
                    garbage_bytes: 0,
                    last: None,
                    streams: self.count > SHORT,
                });
            }
            SessionInput::LinkDown => self.link = None,
            SessionInput::Bytes(bytes) => self.hear(bytes, at_ns, &mut lines, out),
            SessionInput::Announce(announcement) => {
                if let Some(squares) = lit(announcement) {
                    self.lamps.want(squares);
                }
            }
            SessionInput::Wake => {}
        }
        self.fire_until(at_ns, out);
        lines
    }

    /// A line that is over because nothing more came.
    fn pause(&mut self, at_ns: u64, lines: &mut Vec<Over>) {
        let Some(link) = &mut self.link else { return };
        let Some(pause_ns) = link.pause_ns.take_if(|pause_ns| *pause_ns <= at_ns) else { return };
        let said = link.decoder.pause();
        self.take(said, pause_ns, lines);
        if let Some(link) = &mut self.link {
            link.forget_silence();
        }
    }

    fn fire_until(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(link) = &mut self.link else { return };
        while let Some(due_ns) = self.lamps.due_ns().filter(|&due_ns| due_ns <= at_ns) {
            out.extend(self.lamps.send(due_ns).map(SessionOutput::Write));
        }
        if link.silence_ns.is_some_and(|silence_ns| silence_ns <= at_ns) {
            link.silence_ns = None;
            out.push(SessionOutput::Lost(LostReason::Silent));
        }
    }

    fn hear(&mut self, bytes: &[u8], at_ns: u64, lines: &mut Vec<Over>, out: &mut Vec<SessionOutput>) {
        let Some(link) = &mut self.link else {
            return out.push(SessionOutput::Skipped { bytes: bytes.len() as u64 });
        };
        if bytes.is_empty() {
            return;
        }
        let mut said = Vec::new();
        let skipped = link.decoder.push(bytes, &mut said);
        link.garbage_bytes += bytes.len() as u64;
        link.pause_ns = link.decoder.awaits_pause().then_some(at_ns + PAUSE);
        self.take(said, at_ns, lines);
        let Some(link) = &mut self.link else { return };
        link.silence_ns = Some(at_ns + SILENCE);
        link.forget_silence();
        if skipped > 0 {
            out.push(SessionOutput::Skipped { bytes: skipped });
        }
        if link.garbage_bytes >= GARBAGE_BYTES {
            link.garbage_bytes = 0;
            link.silence_ns = None;
            out.push(SessionOutput::Lost(LostReason::Unintelligible));
        }
    }

    fn take(&mut self, said: impl IntoIterator<Item = Said>, at_ns: u64, lines: &mut Vec<Over>) {
        let Some(link) = &mut self.link else { return };
        for said in said {
            match said {
                Said::Numbers(numbers) => {
                    link.garbage_bytes = 0;
                    link.streams |= link.last.as_ref() == Some(&numbers);
                    link.last = Some(numbers.clone());
                    lines.push((at_ns, numbers));
                }
                Said::Lamps(kind) => self.lamps.are(kind),
            }
        }
    }
}
