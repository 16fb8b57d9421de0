//! The conversation with a board that streams its squares: there is nothing to ask.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::certabo::stream::Stream;
use crate::wire::{SAY_AGAIN, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::stamp::MS;

/// Numbers of a line.
const RANKS: usize = 8;
/// A line that is followed by none for so long holds as it is: some boards speak only of changes.
const ALONE: u64 = 250 * MS;

/// What a line says.
type Ranks = [u8; RANKS];

/// A conversation with one board.
///
/// There is no checksum, and a digit that is lost makes another number: a line holds once it was said twice, or was the
/// last for a while.
#[derive(Debug, Serialize, Deserialize)]
pub struct SentioSession {
    stream: Stream,
    /// The last line, and when it holds by itself.
    heard: Option<(Ranks, u64)>,
    /// What was said last since the link came up, and when.
    said: Option<(Ranks, u64)>,
}

impl Default for SentioSession {
    fn default() -> Self {
        Self::new()
    }
}

impl SentioSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self { stream: Stream::new(RANKS), heard: None, said: None }
    }

    /// The last line holds by itself, if none has followed it for long enough.
    fn fire_until(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if let Some(alone_ns) = self.alone_ns().filter(|alone_ns| *alone_ns <= at_ns)
            && let Some((line, _)) = self.heard.take()
        {
            self.say(line, alone_ns, out);
        }
    }

    fn alone_ns(&self) -> Option<u64> {
        let (line, alone_ns) = self.heard.as_ref()?;
        self.said.as_ref().is_none_or(|(said, _)| said != line).then_some(*alone_ns)
    }

    fn say(&mut self, ranks: Ranks, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if self.said.as_ref().is_some_and(|(said, said_ns)| *said == ranks && at_ns < said_ns + SAY_AGAIN) {
            return;
        }
        let is_first = self.said.is_none();
        let content = |square: usize| {
            let is_occupied = ranks[RANKS - 1 - square / 8] >> (7 - square % 8) & 1 != 0;
            if is_occupied { Content::OCCUPIED } else { Content::EMPTY }
        };
        let frame = Frame::Occupancy((0..64).map(content).collect());
        out.push(SessionOutput::Reading(Reading::Frame(frame)));
        if is_first {
            out.push(SessionOutput::Reading(Reading::Clock(None)));
        }
        self.said = Some((ranks, at_ns));
    }
}

impl Session for SentioSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if matches!(input, SessionInput::LinkUp | SessionInput::LinkDown) {
            (self.heard, self.said) = (None, None);
        }
        for (over_ns, line) in self.stream.handle(input, at_ns, out) {
            self.fire_until(over_ns, out);
            // The stream gives whole lines only.
            let Ok(line) = Ranks::try_from(line) else { continue };
            let is_repeated = self.heard.as_ref().is_some_and(|(before, _)| *before == line);
            if is_repeated {
                self.say(line, over_ns, out);
            }
            self.heard = Some((line, over_ns + ALONE));
        }
        self.fire_until(at_ns, out);
    }

    fn wake_at_ns(&self) -> Option<u64> {
        [self.alone_ns(), self.stream.wake_at_ns()].into_iter().flatten().min()
    }

    fn state(&self) -> Value {
        saved(self)
    }
}

#[cfg(test)]
mod tests;
