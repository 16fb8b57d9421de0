//! What a board showed, frame by frame, out of the inputs that were kept: the evidence behind a record.
//!
//! The inputs go through a fresh [`Station`], which gives the same pictures and events as it did then.
//! Nothing is read from anywhere here: whoever has the inputs hands them in.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::capture::{clock_json, occupancy_hex};
use crate::event::Event;
use crate::station::{Input, Output, Seen, SeenKind, Station};
use crate::table::Picture;
use adoube_rules::Family;
use adoube_rules::laws::Name;
use adoube_rules::placement;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::Stamp;

/// Which frames are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first input that is shown for itself, as the table counts them.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// So long before the first is shown as well, nanoseconds.
    pub before_ns: u64,
    /// So long after the last.
    pub after_ns: u64,
    /// So many frames at most.
    pub most: usize,
}

/// An event, by the input that led to it as the journal counts them, and its place among those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The journal's number of the input.
    pub input: u64,
    /// Its place among the events of that input.
    pub place: usize,
    /// Its type.
    pub name: Name,
}

/// One frame: what the board shows after an input, until the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What was taken; `None` for the frame with which the range begins.
    pub kind: Option<SeenKind>,
    /// When.
    pub at: Stamp,
    /// Nanoseconds since the board was opened.
    pub elapsed_ns: u64,
    /// What board and clock show.
    pub picture: Picture,
    /// Is the link there? `None`: nobody said so far.
    pub link: Option<bool>,
    /// Squares whose man went.
    pub lifted: Vec<Square>,
    /// Squares to which one came.
    pub placed: Vec<Square>,
    /// What was said from this frame on, before the next.
    pub said: Vec<Said>,
    /// It is between the first and the last input asked for.
    pub is_within: bool,
}

/// The frames of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// In order.
    pub frames: Vec<Frame>,
    /// Some were left out, because they were too many.
    pub is_cut: bool,
}

/// A station through which kept inputs go.
#[derive(Debug)]
pub struct Evidence {
    station: Station,
    output: Output,
    opened_ns: u64,
    range: Range,
    /// The frame before those in the range: it stands when the range begins.
    start: Option<Frame>,
    frames: VecDeque<Frame>,
    is_cut: bool,
    /// When the first and the last input asked for were taken.
    first_ns: Option<u64>,
    last_ns: Option<u64>,
    is_done: bool,
}

impl Evidence {
    /// Goes on with `station`, which was just opened as it was then.
    #[must_use]
    pub fn new(station: Station, range: Range) -> Self {
        let opened_ns = station.opened_ns();
        let output = Output { seen: Some(Vec::new()), ..Output::default() };
        let frames = VecDeque::new();
        Self {
            station,
            output,
            opened_ns,
            range,
            start: None,
            frames,
            is_cut: false,
            first_ns: None,
            last_ns: None,
            is_done: false,
        }
    }

    /// Takes an input, which the journal calls `number`. False once nothing more is wanted.
    pub fn take(&mut self, number: u64, input: &Input, at: Stamp) -> bool {
        self.output.clear();
        self.station.handle(input, at, &mut self.output);
        let seen = self.output.seen.take().unwrap_or_default();
        let events = std::mem::take(&mut self.output.events);
        let mut place = 0;
        for seen in &seen {
            // What was decided meanwhile belongs to the frame that stood then.
            self.say(number, &mut place, &events[..seen.events_before]);
            self.see(seen);
            if self.is_done {
                break;
            }
        }
        if !self.is_done {
            self.say(number, &mut place, &events);
        }
        self.output.seen = Some(seen);
        !self.is_done
    }

    /// What is left of `events`, up to the end, is said while the newest frame stands.
    fn say(&mut self, input: u64, place: &mut usize, events: &[Event]) {
        let said = events.iter().enumerate().skip(*place);
        let said = said.map(|(place, event)| Said { input, place, name: event.body.name() });
        if let Some(frame) = self.frames.back_mut() {
            frame.said.extend(said);
        }
        *place = events.len().max(*place);
    }

    fn see(&mut self, seen: &Seen) {
        let (input, at_ns) = (seen.picture.input, seen.at.mono_ns);
        if self.last_ns.is_some_and(|last_ns| at_ns > last_ns.saturating_add(self.range.after_ns)) {
            self.is_done = true;
            return;
        }
        if input >= self.range.first {
            self.first_ns.get_or_insert(at_ns);
        }
        if input >= self.range.last {
            self.last_ns.get_or_insert(at_ns);
        }
        let frame = self.frame(seen);
        if self.newest().is_some_and(|newest| shows_the_same(newest, &frame)) {
            return;
        }
        // What was asked for goes before what came before it, and that before what came after it.
        let has_room = self.frames.len() < self.range.most
            || self
                .frames
                .front()
                .is_some_and(|front| !front.is_within && (frame.is_within || self.first_ns.is_none()));
        if !has_room {
            (self.is_cut, self.is_done) = (true, true);
            return;
        }
        self.frames.push_back(frame);
        // Until the first input comes it could be the next one.
        let from_ns = self.first_ns.unwrap_or(at_ns).saturating_sub(self.range.before_ns);
        while self.frames.front().is_some_and(|front| front.at.mono_ns < from_ns) {
            self.start = self.frames.pop_front();
            self.is_cut = false;
        }
        if self.frames.len() > self.range.most {
            self.start = self.frames.pop_front();
            self.is_cut = true;
        }
    }

    /// The frame that stands now.
    fn newest(&self) -> Option<&Frame> {
        self.frames.back().or(self.start.as_ref())
    }

    fn frame(&self, seen: &Seen) -> Frame {
        let before = self.newest();
        let link = match seen.kind {
            SeenKind::Link(is_back) => Some(is_back),
            SeenKind::Reading | SeenKind::Ruling => before.and_then(|before| before.link),
        };
        let (lifted, placed) =
            before.map(|before| changes(&before.picture, &seen.picture)).unwrap_or_default();
        Frame {
            kind: Some(seen.kind),
            at: seen.at,
            elapsed_ns: seen.at.mono_ns.saturating_sub(self.opened_ns),
            picture: seen.picture.clone(),
            link,
            lifted,
            placed,
            said: Vec::new(),
            is_within: (self.range.first..=self.range.last).contains(&seen.picture.input),
        }
    }

    /// The frames of the range, the one that stands when it begins first.
    #[must_use]
    pub fn finish(self) -> Frames {
        let start = self.start.map(|frame| Frame {
            kind: None,
            lifted: Vec::new(),
            placed: Vec::new(),
            said: Vec::new(),
            ..frame
        });
        Frames { frames: start.into_iter().chain(self.frames).collect(), is_cut: self.is_cut }
    }
}

/// A dump or a reading of the clock that shows nothing new is no frame of its own, unless it is the first
/// that was asked for.
fn shows_the_same(one: &Frame, other: &Frame) -> bool {
    (one.is_within || !other.is_within)
        && other.kind == Some(SeenKind::Reading)
        && one.picture.contents == other.picture.contents
        && one.picture.clock == other.picture.clock
}

/// The squares that something left, and those to which something came.
fn changes(before: &Picture, after: &Picture) -> (Vec<Square>, Vec<Square>) {
    // Before the first picture nothing was seen to stand anywhere.
    if before.contents.len() != after.contents.len() {
        return (Vec::new(), Vec::new());
    }
    let changed = |is: fn(Content, Content) -> bool| {
        let squares = Square::all().zip(before.contents.iter().zip(&after.contents));
        squares
            .filter(|(_, (before, after))| before != after && is(**before, **after))
            .map(|(square, _)| square)
            .collect()
    };
    (changed(|before, _| !before.is_empty()), changed(|_, after| !after.is_empty()))
}

impl Frame {
    /// The frame as the desk gets it; `seq_of` knows the number of an event.
    #[must_use]
    pub fn to_json(&self, seq_of: impl Fn(&Said) -> Option<u64>) -> Value {
        let kind = match self.kind {
            None => "start",
            Some(SeenKind::Reading) => "reading",
            Some(SeenKind::Link(_)) => "link",
            Some(SeenKind::Ruling) => "ruling",
        };
        let family = Family::of_squares(self.picture.contents.len()).unwrap_or_default();
        let names = |squares: &[Square]| {
            squares.iter().map(|&square| family.square_name(square)).collect::<Vec<String>>()
        };
        let contents = Some(&self.picture.contents).filter(|contents| !contents.is_empty());
        let (named, unnamed) =
            (contents.filter(|_| self.picture.is_named), contents.filter(|_| !self.picture.is_named));
        let said = self
            .said
            .iter()
            .filter_map(|said| Some(json!({ "seq": seq_of(said)?, "type": said.name.as_str() })));
        let micros = self.elapsed_ns / 1_000;
        json!({
            "input": self.picture.input,
            "t_ms": if micros.is_multiple_of(1_000) { json!(micros / 1_000) } else { json!(micros as f64 / 1_000.0) },
            "at": self.at.rfc3339(),
            "kind": kind,
            "pieces": named.map(|contents| placement(contents)),
            "occupied": unnamed.map(|contents| occupancy_hex(contents)),
            "lifted": names(&self.lifted),
            "placed": names(&self.placed),
            "clock": self.picture.clock.as_ref().map(clock_json),
            "link": self.link.map(|is_back| if is_back { "back" } else { "lost" }),
            "events": said.collect::<Vec<Value>>(),
            "within": self.is_within,
        })
    }
}

#[cfg(test)]
mod tests;
