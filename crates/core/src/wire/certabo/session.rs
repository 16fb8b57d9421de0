//! The conversation with a board that streams its tags: there is nothing to ask.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::picture::{Picture, SQUARES, TAG_BYTES, tags};
use super::stream::Stream;
use super::tags::Tags;
use crate::wire::{SAY_AGAIN, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading};

/// A conversation with one board.
///
/// What it learned of its men outlives the link: a cable that was pulled during a game changes nothing of it. It follows
/// from the bytes alone, so that a replay learns the same.
#[derive(Debug, Serialize, Deserialize)]
pub struct CertaboSession {
    stream: Stream,
    tags: Tags,
    picture: Picture,
    /// What was said last since the link came up, and when.
    said: Option<(Frame, u64)>,
}

impl Default for CertaboSession {
    fn default() -> Self {
        Self::new()
    }
}

impl CertaboSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self {
            stream: Stream::new(SQUARES * TAG_BYTES),
            tags: Tags::default(),
            picture: Picture::default(),
            said: None,
        }
    }

    fn take(&mut self, numbers: &[u8], at_ns: u64, out: &mut Vec<SessionOutput>) {
        let line = tags(numbers);
        let Some(agreed) = self.picture.take(line) else { return };
        let agreed = *agreed;
        self.tags.take(&line, &agreed);
        if let Some(array) = self.tags.begins(&agreed) {
            // From now on the men have names: first what stood there, then what stands there.
            self.say(Frame::Identity(array), at_ns, out);
        }
        let frame = self.tags.men(&agreed).map_or_else(
            || {
                let content =
                    |tag: &Option<_>| if tag.is_some() { Content::OCCUPIED } else { Content::EMPTY };
                Frame::Occupancy(agreed.iter().map(content).collect())
            },
            Frame::Identity,
        );
        self.say(frame, at_ns, out);
    }

    fn say(&mut self, frame: Frame, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if self.said.as_ref().is_some_and(|(said, said_ns)| *said == frame && at_ns < said_ns + SAY_AGAIN) {
            return;
        }
        let is_first = self.said.is_none();
        out.push(SessionOutput::Reading(Reading::Frame(frame.clone())));
        if is_first {
            out.push(SessionOutput::Reading(Reading::Clock(None)));
        }
        self.said = Some((frame, at_ns));
    }
}

impl Session for CertaboSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if input == SessionInput::LinkUp {
            self.picture = Picture::default();
            self.said = None;
        }
        for (over_ns, numbers) in self.stream.handle(input, at_ns, out) {
            self.take(&numbers, over_ns, out);
        }
    }

    fn wake_at_ns(&self) -> Option<u64> {
        self.stream.wake_at_ns()
    }

    fn state(&self) -> Value {
        saved(self)
    }
}
