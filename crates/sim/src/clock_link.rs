//! The lead between a board and its clock: the board asks for the times now and then, and passes
//! messages on that the clock answers in its own time.

use std::collections::VecDeque;

use fastrand::Rng;

use super::act::Act;
use super::clock::{ChessClock, ClockSetting};
use adoube_core::wire::dgt::{
    AckResult, ClockAck, ClockEnd, ClockMessage, ClockTimes, EndTime, run, segments,
};
use adoube_rules::sensor::Side;
use adoube_rules::stamp::MS;

/// How often the board asks its clock: two or three times a second (dgt-protocol 4.4).
pub(super) const POLL_NS: u64 = 400 * MS;

/// How long a clock takes to answer, milliseconds (dgt-protocol 2.4: 70 to 110 ms in logs).
const ACK_MS: std::ops::RangeInclusive<u64> = 70..=110;

/// Answers that wait; a host that does not wait for one before the next loses the rest.
const ACKS_MAX: usize = 4;

/// The clock's version, main and sub in the halves: a DGT 3000 of version 2.0 (dgt-protocol 3.6).
const VERSION: u8 = 0x20;

/// What one asking found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polled {
    /// The times are not those of the asking before.
    pub(super) changed: bool,
    /// The end that was halted since then, and its time in seconds.
    pub(super) halted: Option<(ClockEnd, u16)>,
}

/// A clock as its board knows it; there may be none.
#[derive(Debug)]
pub(super) struct ClockLink {
    clock: Option<ChessClock>,
    is_unplugged: bool,
    /// An end plays with an increment, by [`Side::index`].
    per_move: [bool; 2],
    turned: bool,
    times: ClockTimes,
    next_poll_ns: u64,
    acks: VecDeque<(u64, ClockAck)>,
    /// What a computer has the display show instead of the times.
    text: Option<String>,
    /// How often a computer had the clock beep.
    beeps: u32,
    /// It is in the option in which a computer may set it.
    can_be_set: bool,
    rng: Rng,
}

impl ClockLink {
    pub(super) fn new(setting: Option<ClockSetting>, turned: bool, seed: u64) -> Self {
        let mut link = Self {
            clock: setting.map(ChessClock::new),
            is_unplugged: false,
            per_move: setting.map_or([false; 2], |setting| setting.increment_s.map(|s| s > 0)),
            turned,
            times: ClockTimes::no_clock(),
            next_poll_ns: 0,
            acks: VecDeque::new(),
            text: None,
            beeps: 0,
            can_be_set: false,
            rng: Rng::with_seed(seed),
        };
        link.times = link.read();
        link
    }

    /// What the clock said when it was asked last.
    pub(super) fn times(&self) -> ClockTimes {
        self.times
    }

    pub(super) fn next_poll_ns(&self) -> u64 {
        self.next_poll_ns
    }

    pub(super) fn act(&mut self, act: Act, at_ns: u64) {
        match act {
            Act::UnplugClock => self.is_unplugged = true,
            Act::PlugInClock => self.is_unplugged = false,
            _ => {}
        }
        if let Some(clock) = &mut self.clock {
            clock.act(act, at_ns);
        }
    }

    /// Asks the clock.
    pub(super) fn poll(&mut self, now_ns: u64) -> Polled {
        self.next_poll_ns = now_ns + POLL_NS;
        if let Some(clock) = &mut self.clock {
            clock.advance(now_ns);
        }
        let before = self.times;
        self.times = self.read();
        // A clock whose lead is out has no lever.
        let is_heard = ![before, self.times].contains(&ClockTimes::no_clock());
        let turned_lever = is_heard && self.times.lever() != before.lever();
        let halted = turned_lever.then(|| match before.lever() {
            ClockEnd::Left => (ClockEnd::Left, self.times.left.seconds),
            ClockEnd::Right => (ClockEnd::Right, self.times.right.seconds),
        });
        Polled { changed: self.times != before, halted }
    }

    /// Asking again may find something else, without any act before.
    pub(super) fn may_change(&self) -> bool {
        self.heard().is_some_and(|clock| clock.display().running) || self.read() != self.times
    }

    /// The clock, if there is one and its lead is in.
    fn heard(&self) -> Option<&ChessClock> {
        self.clock.as_ref().filter(|_| !self.is_unplugged)
    }

    fn read(&self) -> ClockTimes {
        let Some(clock) = self.heard() else { return ClockTimes::no_clock() };
        let shown = clock.display();
        let time = |side: Side| EndTime {
            // What is too long for the wire is cut by the codec to what a clock can show.
            seconds: u16::try_from(shown.left_s[side.index()]).unwrap_or(u16::MAX),
            flag_fallen: shown.flags[side.index()],
            per_move: self.per_move[side.index()],
            flag_shown: false,
        };
        // The left end is White's on a board that lies with its connector to White's left.
        let left = if self.turned { Side::Black } else { Side::White };
        let lever = if shown.lever == left { ClockEnd::Left } else { ClockEnd::Right };
        ClockTimes::new(time(left), time(left.other()), shown.running, lever)
    }

    /// Passes a message on to the clock, if there is one.
    pub(super) fn ask(&mut self, message: ClockMessage, now_ns: u64) {
        if self.heard().is_none() || self.acks.len() >= ACKS_MAX {
            return;
        }
        let mut ack = ClockAck::done(message.number());
        match message {
            ClockMessage::Version => ack.value = VERSION,
            ClockMessage::SetAndRun { left_seconds, right_seconds, run } if self.can_be_set => {
                self.set([left_seconds, right_seconds], run, now_ns);
            }
            // The clock plays its own time control and lets nobody set it.
            ClockMessage::SetAndRun { .. } => ack.result = AckResult::Refused,
            ClockMessage::Display(display) => {
                self.show(display.segments.map(character).iter().collect(), display.beep);
            }
            ClockMessage::Ascii { text, beep } => {
                self.show(String::from_utf8_lossy(&text).into_owned(), beep > 0);
            }
            ClockMessage::Beep(_) => self.beeps += 1,
            ClockMessage::End => self.text = None,
            _ => {}
        }
        let ready_ns = now_ns + self.rng.u64(ACK_MS) * MS;
        // The clock answers one after the other.
        let at_ns = self.acks.back().map_or(ready_ns, |(last_ns, _)| ready_ns.max(*last_ns));
        self.acks.push_back((at_ns, ack));
    }

    fn show(&mut self, text: String, beeps: bool) {
        self.text = Some(text.trim_end().to_owned());
        self.beeps += u32::from(beeps);
    }

    /// Takes the times that a computer gives it, by ends.
    fn set(&mut self, seconds: [u16; 2], run: u8, now_ns: u64) {
        let Some(clock) = &mut self.clock else { return };
        let of = |end: usize| u64::from(seconds[if self.turned { 1 - end } else { end }]);
        let left_runs = run & run::LEFT != 0;
        let runs = if left_runs == self.turned { Side::Black } else { Side::White };
        clock.set([of(0), of(1)], runs, now_ns);
        if run & (run::LEFT | run::RIGHT) != 0 {
            clock.start(now_ns);
        }
    }

    /// What the display shows instead of the times.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    pub(super) fn shows(&self) -> [u64; 2] {
        self.clock.as_ref().map_or([0; 2], |clock| clock.display().left_s)
    }

    pub(super) fn beeps(&self) -> u32 {
        self.beeps
    }

    /// Puts the clock into the option in which a computer may set it.
    pub(super) fn let_be_set(&mut self) {
        self.can_be_set = true;
    }

    pub(super) fn next_ack_ns(&self) -> Option<u64> {
        self.acks.front().map(|(at_ns, _)| *at_ns)
    }

    pub(super) fn take_ack(&mut self) -> Option<ClockAck> {
        self.acks.pop_front().map(|(_, ack)| ack)
    }
}

/// The first character that looks like this on a display of segments.
fn character(lit: u8) -> char {
    let drawn = ('0'..='9').chain('a'..='z').chain(['-']).find(|&letter| segments(letter) == lit);
    drawn.filter(|_| lit != 0).unwrap_or(' ')
}
