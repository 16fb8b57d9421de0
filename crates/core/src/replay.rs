//! A capture through the same core as a live board, as fast as it goes.

use std::fmt;

use crate::capture::{Header, Item, Line};
use crate::event::finding::{Fault, Finding, SensorFault};
use crate::event::{Body, Event};
use crate::ruling::RulingError;
use crate::station::{FRAMES, Input, Open, OpenError, Output, Station};
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::{SECOND, Stamp};

/// At the end of a capture time runs on until no timer is set, so long at most (DESIGN 2.1, rule 8).
const AFTER_NS: u64 = 60 * SECOND;

/// Is told what came of one input, or of one timer, and may ask the station why.
pub type Watch = Box<dyn FnMut(&Station, &[Event])>;

/// A capture being replayed.
pub struct Replay {
    station: Station,
    start: Stamp,
    now_ns: u64,
    output: Output,
    refused: Vec<(u64, RulingError)>,
    skipped_bytes: u64,
    other_board: Option<usize>,
    /// Nothing was played yet from a position that was given.
    awaits_move: bool,
    watch: Option<Watch>,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("station", &self.station).finish_non_exhaustive()
    }
}

/// What was noticed beside the events.
#[derive(Debug, Default)]
pub struct Remarks {
    /// Rulings that were refused, with the time of their line in nanoseconds.
    pub refused: Vec<(u64, RulingError)>,
    /// Bytes that belong to no message.
    pub skipped_bytes: u64,
    /// The capture shows a board of so many squares, and the game is played on another.
    pub other_board: Option<usize>,
    /// The game was to start from a given position, from which nothing was played: mostly it never stood.
    pub never_started: bool,
}

/// How a capture with this first line is opened, before any option of the command line.
#[must_use]
pub fn open(header: &Header) -> Open {
    let mut open = Open::new(&header.board, &header.protocol, "capture");
    open.variant = header.variant.unwrap_or_default();
    open.start.clone_from(&header.start);
    open.turned = header.turned;
    open.clock_side = header.clock_side;
    open.time_control.clone_from(&header.time_control);
    open.profile = header.profile.clone().unwrap_or(open.profile);
    open
}

impl Replay {
    /// Begins a replay of a recording that started at `started_utc_ns`.
    ///
    /// # Errors
    /// [`OpenError`] if the capture's first line or an option cannot be.
    pub fn new(open: Open, started_utc_ns: i64) -> Result<Self, OpenError> {
        let start = Stamp { mono_ns: 0, utc_ns: started_utc_ns };
        let has_bytes = open.protocol != FRAMES;
        let awaits_move = open.start.is_some();
        let mut replay = Self {
            station: Station::open(open, start)?,
            start,
            now_ns: 0,
            output: Output::default(),
            refused: Vec::new(),
            skipped_bytes: 0,
            other_board: None,
            awaits_move,
            watch: None,
        };
        if has_bytes {
            replay.handle(&Input::LinkUp);
        }
        Ok(replay)
    }

    /// From now on `watch` is told what came of each input, before the next.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Takes a line; the events of it and of the time before it are appended to `events`. A line
    /// earlier than the one before it counts as simultaneous.
    pub fn line(&mut self, line: &Line, events: &mut Vec<Event>) {
        self.now_ns = self.now_ns.max(line.t_ns);
        for item in &line.items {
            let input = match item {
                Item::Received(bytes) => Input::Bytes(bytes.clone()),
                Item::Frame(frame) => Input::Reading(Reading::Frame(frame.clone())),
                Item::Clock(reading) => Input::Reading(Reading::Clock(*reading)),
                Item::LinkLost => Input::LinkDown,
                Item::LinkBack => Input::LinkUp,
                Item::Ruling(ruling) => Input::Ruling(ruling.clone()),
                Item::Sent(_) | Item::Note(_) => continue,
            };
            self.handle(&input);
        }
        events.append(&mut self.output.events);
    }

    /// Lets time run on to the end.
    pub fn finish(mut self, events: &mut Vec<Event>) -> Remarks {
        let end_ns = self.now_ns + AFTER_NS;
        while let Some(at_ns) = self.station.table_wake_at_ns().filter(|&at_ns| at_ns <= end_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            self.handle(&Input::Wake);
        }
        events.append(&mut self.output.events);
        Remarks {
            refused: self.refused,
            skipped_bytes: self.skipped_bytes,
            other_board: self.other_board,
            never_started: self.awaits_move && self.other_board.is_none(),
        }
    }

    fn handle(&mut self, input: &Input) {
        // Whoever watches sees each timer by itself: a late wake says the same, but all at once.
        while let Some(at_ns) = self.station.wake_at_ns().filter(|&at_ns| at_ns <= self.now_ns)
            && self.watch.is_some()
        {
            self.take(&Input::Wake, at_ns);
        }
        self.take(input, self.now_ns);
    }

    fn take(&mut self, input: &Input, at_ns: u64) {
        let before = self.output.events.len();
        self.station.handle(input, self.start.at(at_ns), &mut self.output);
        let news = &self.output.events[before..];
        self.other_board = self.other_board.or_else(|| news.iter().find_map(squares_of_another_game));
        self.awaits_move &= !news.iter().any(|event| matches!(event.body, Body::MoveMade(_)));
        if let Some(watch) = &mut self.watch {
            watch(&self.station, &self.output.events[before..]);
        }
        self.output.writes.clear();
        self.skipped_bytes += std::mem::take(&mut self.output.skipped_bytes);
        if let Some(error) = self.output.refused.take() {
            self.refused.push((self.now_ns, error));
        }
    }
}

/// How many squares the board has, if that is why nothing of it can be followed.
fn squares_of_another_game(event: &Event) -> Option<usize> {
    let Body::Record(recorded) = &event.body else { return None };
    match &recorded.finding {
        Finding::SensorFault(SensorFault { fault: Fault::OtherBoard, shown, .. }) => *shown,
        _ => None,
    }
}
