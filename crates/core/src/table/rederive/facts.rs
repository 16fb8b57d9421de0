//! What a table was told, in the order in which it was told: some ten bytes an input.
//!
//! A clock speaks once a second and a polled board several times, for hours; written out as values they
//! would take a megabyte an hour. Times are kept as what passed since the input before, frames as what
//! changed in them.

use crate::infer::SickSquare;
use crate::ruling::Ruled;
use crate::table::{LinkNews, Neighbour, Pairing};
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::Stamp;

const SQUARE: u8 = 0;
const CHANGES: u8 = 1;
const IDENTITY: u8 = 2;
const OCCUPANCY: u8 = 3;
const CLOCK: u8 = 4;
const NO_CLOCK: u8 = 5;
const LINK_LOST: u8 = 6;
const LINK_BACK: u8 = 7;
const RULING: u8 = 8;
const NEIGHBOUR: u8 = 9;
const PAIRING: u8 = 10;
const RESTARTED: u8 = 11;
const SICK: u8 = 12;

/// An input as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// A reading that stands for itself.
    Reading(Reading),
    /// A whole frame: what changed in the one before.
    Changes(Vec<(Square, Content)>),
    /// What was new of the link.
    Link(LinkNews),
    /// A ruling that was carried out, with UTC: a time of day may be meant in it.
    Ruling(Ruled, i64),
    /// What another board shows.
    Neighbour(Neighbour),
    /// Who plays from then on.
    Pairing(Option<Pairing>),
    /// Which squares earlier games had found sick.
    Sick(Vec<SickSquare>),
}

/// A place between two inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    offset: usize,
    at_ns: u64,
}

/// Inputs, oldest first.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    bytes: Vec<u8>,
    /// The instant from which the first one counts, and that of the last one.
    since_ns: u64,
    last_ns: u64,
}

impl Facts {
    pub(super) fn new(at_ns: u64) -> Self {
        Self { bytes: Vec::new(), since_ns: at_ns, last_ns: at_ns }
    }

    /// How many bytes they take.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The place after the last one.
    pub(super) fn end(&self) -> Place {
        Place { offset: self.bytes.len(), at_ns: self.last_ns }
    }

    /// Forgets what lies before `place`.
    pub(super) fn forget_before(&mut self, place: Place) {
        self.bytes.drain(..place.offset);
        self.since_ns = place.at_ns;
    }

    fn begin(&mut self, kind: u8, at_ns: u64) {
        self.bytes.push(kind);
        self.number(at_ns.saturating_sub(self.last_ns));
        self.last_ns = self.last_ns.max(at_ns);
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }

    /// A reading, by a board that showed `sensed` before it.
    pub(super) fn reading(&mut self, reading: &Reading, sensed: &[Content], at_ns: u64) {
        match reading {
            Reading::Square { square, content } => {
                self.begin(SQUARE, at_ns);
                self.bytes.extend([square.number(), content.byte()]);
            }
            Reading::Frame(frame) if frame.contents().len() == sensed.len() => {
                self.begin(CHANGES, at_ns);
                let changes = Square::all().zip(sensed.iter().zip(frame.contents()));
                let changes = changes.filter(|(_, (before, after))| before != after);
                self.number(changes.clone().count() as u64);
                self.bytes.extend(changes.flat_map(|(square, (_, after))| [square.number(), after.byte()]));
            }
            Reading::Frame(frame) => {
                let kind = if matches!(frame, Frame::Identity(_)) { IDENTITY } else { OCCUPANCY };
                self.begin(kind, at_ns);
                self.number(frame.contents().len() as u64);
                self.bytes.extend(frame.contents().iter().map(|content| content.byte()));
            }
            Reading::Clock(None) => self.begin(NO_CLOCK, at_ns),
            Reading::Clock(Some(reading)) => {
                self.begin(CLOCK, at_ns);
                self.bytes.push(clock_bits(reading));
                for ms in reading.left_ms {
                    self.number(ms);
                }
                for count in reading.counter.into_iter().flatten() {
                    self.number(count.into());
                }
            }
        }
    }

    pub(super) fn link(&mut self, news: LinkNews, at_ns: u64) {
        let kind = match news {
            LinkNews::Back => LINK_BACK,
            LinkNews::Lost => LINK_LOST,
            LinkNews::Restarted => RESTARTED,
        };
        self.begin(kind, at_ns);
    }

    pub(super) fn ruling(&mut self, ruling: &Ruled, at: Stamp) {
        self.begin(RULING, at.mono_ns);
        self.number(at.utc_ns.cast_unsigned());
        self.text(ruling.to_json().to_string().as_bytes());
    }

    pub(super) fn neighbour(&mut self, neighbour: &Neighbour, at_ns: u64) {
        self.begin(NEIGHBOUR, at_ns);
        self.text(&serde_json::to_vec(neighbour).expect("texts and numbers can be written as JSON"));
    }

    pub(super) fn pairing(&mut self, pairing: Option<&Pairing>, at_ns: u64) {
        self.begin(PAIRING, at_ns);
        self.text(&serde_json::to_vec(&pairing).expect("texts and numbers can be written as JSON"));
    }

    pub(super) fn sick(&mut self, sick: &[SickSquare], at_ns: u64) {
        self.begin(SICK, at_ns);
        self.text(&serde_json::to_vec(sick).expect("numbers and words can be written as JSON"));
    }

    /// They, if a board had not said that the game which it plays now has ended; `None` if it has not said so.
    pub(super) fn without_end(&self, neighbour: &Neighbour) -> Option<Self> {
        let is_end = |told: &Neighbour| {
            told.ended.is_some() && (&told.board, &told.game) == (&neighbour.board, &neighbour.game)
        };
        let mut facts = Self::new(self.since_ns);
        let mut rest = Rest(&self.bytes);
        let mut is_found = false;
        while let Some((start, passed_ns, fact)) = rest.next() {
            let at_ns = facts.last_ns + passed_ns;
            match fact {
                Fact::Neighbour(told) if is_end(&told) => {
                    is_found = true;
                    facts.neighbour(&Neighbour { ended: None, ..told }, at_ns);
                }
                _ => {
                    facts.bytes.extend_from_slice(&start[..start.len() - rest.0.len()]);
                    facts.last_ns = at_ns;
                }
            }
        }
        is_found.then_some(facts)
    }

    /// They, in order, each with its instant.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Fact)> {
        let mut rest = Rest(&self.bytes);
        let mut at_ns = self.since_ns;
        std::iter::from_fn(move || {
            let (_, passed_ns, fact) = rest.next()?;
            at_ns += passed_ns;
            Some((at_ns, fact))
        })
    }
}

fn clock_bits(reading: &ClockReading) -> u8 {
    let side = |side: Option<Side>| side.map_or(0, |side| 1 + side as u8);
    let bit = |is_set: bool, place: u8| u8::from(is_set) << place;
    side(reading.running)
        | side(reading.lever) << 2
        | bit(reading.flags[0], 4)
        | bit(reading.flags[1], 5)
        | bit(reading.counter.is_some(), 6)
        | bit(reading.by_end, 7)
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// The bytes from the next input on, what passed before it, and what it was.
    fn next(&mut self) -> Option<(&'a [u8], u64, Fact)> {
        let from = self.0;
        if from.is_empty() {
            return None;
        }
        let kind = self.byte();
        let passed_ns = self.number();
        Some((from, passed_ns, self.fact(kind)))
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    fn square(&mut self) -> Square {
        Square::new(self.byte())
    }

    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at_checked(count).expect("facts are read as they were written");
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return number;
            }
            shift += 7;
        }
    }

    fn length(&mut self) -> usize {
        usize::try_from(self.number()).expect("what was in memory fits into it")
    }

    fn content(&mut self) -> Content {
        Content::from_byte(self.byte()).expect("facts are read as they were written")
    }

    fn contents(&mut self) -> Vec<Content> {
        (0..self.length()).map(|_| self.content()).collect()
    }

    fn text(&mut self) -> &'a [u8] {
        let length = self.length();
        self.bytes(length)
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self) -> T {
        serde_json::from_slice(self.text()).expect("facts are read as they were written")
    }

    fn fact(&mut self, kind: u8) -> Fact {
        match kind {
            SQUARE => Fact::Reading(Reading::Square { square: self.square(), content: self.content() }),
            CHANGES => Fact::Changes((0..self.length()).map(|_| (self.square(), self.content())).collect()),
            IDENTITY => Fact::Reading(Reading::Frame(Frame::Identity(self.contents()))),
            OCCUPANCY => Fact::Reading(Reading::Frame(Frame::Occupancy(self.contents()))),
            CLOCK => Fact::Reading(Reading::Clock(Some(self.clock()))),
            NO_CLOCK => Fact::Reading(Reading::Clock(None)),
            LINK_LOST => Fact::Link(LinkNews::Lost),
            LINK_BACK => Fact::Link(LinkNews::Back),
            RESTARTED => Fact::Link(LinkNews::Restarted),
            RULING => {
                let utc_ns = self.number().cast_signed();
                let json = serde_json::from_slice(self.text()).expect("facts are read as they were written");
                Fact::Ruling(Ruled::parse(&json).expect("a ruling reads back as it was written"), utc_ns)
            }
            PAIRING => Fact::Pairing(self.json()),
            SICK => Fact::Sick(self.json()),
            _ => Fact::Neighbour(self.json()),
        }
    }

    fn clock(&mut self) -> ClockReading {
        let bits = self.byte();
        let side = |bits: u8| match bits & 3 {
            0 => None,
            1 => Some(Side::White),
            _ => Some(Side::Black),
        };
        let left_ms = [self.number(), self.number()];
        let mut count = || u32::try_from(self.number()).unwrap_or(u32::MAX);
        ClockReading {
            left_ms,
            running: side(bits),
            lever: side(bits >> 2),
            flags: [bits & 1 << 4 != 0, bits & 1 << 5 != 0],
            counter: (bits & 1 << 6 != 0).then(|| [count(), count()]),
            by_end: bits & 1 << 7 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::Sickness;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;
    use adoube_rules::stamp::SECOND;
    use serde_json::json;

    fn clock(left_ms: [u64; 2], counter: Option<[u32; 2]>) -> Reading {
        Reading::Clock(Some(ClockReading {
            left_ms,
            running: Some(Side::Black),
            lever: Some(Side::White),
            flags: [false, true],
            counter,
            by_end: true,
        }))
    }

    #[test]
    fn what_was_written_is_read_back() {
        let empty = vec![Content::EMPTY; 64];
        let mut other = empty.clone();
        other[63] = Content::man(Army::new(1), Role::King);
        let square = Reading::Square { square: Square::new(12), content: Content::OCCUPIED };
        let ruling = Ruled::parse(&json!({"name": "note", "text": "ä", "by": "arbiter"})).unwrap();
        let neighbour = Neighbour { board: "5".to_owned(), made_ns: Some(7), ..Neighbour::default() };

        let mut facts = Facts::new(5);
        facts.reading(&Reading::Frame(Frame::Occupancy(empty.clone())), &[], 5);
        facts.reading(&square, &empty, 6);
        facts.reading(&Reading::Frame(Frame::Identity(other)), &empty, 3 * SECOND);
        facts.reading(&clock([u64::MAX, 0], Some([40, u32::MAX])), &empty, 3 * SECOND);
        let middle = facts.end();
        facts.reading(&clock([5_400_000, 127], None), &empty, u64::MAX / 2);
        facts.reading(&Reading::Clock(None), &empty, u64::MAX / 2);
        facts.link(LinkNews::Lost, u64::MAX);
        facts.link(LinkNews::Back, u64::MAX);
        facts.link(LinkNews::Restarted, u64::MAX);
        facts.ruling(&ruling, Stamp { mono_ns: u64::MAX, utc_ns: -1 });
        facts.neighbour(&neighbour, u64::MAX);
        let pairing = Pairing { round: 5, number: 12, games: 1, ..Pairing::default() };
        facts.pairing(Some(&pairing), u64::MAX);
        facts.pairing(None, u64::MAX);
        facts.sick(&[(Square::new(11), Sickness::Dead)], u64::MAX);

        let expected = [
            (5, Fact::Reading(Reading::Frame(Frame::Occupancy(empty)))),
            (6, Fact::Reading(square)),
            (3 * SECOND, Fact::Changes(vec![(Square::new(63), Content::man(Army::new(1), Role::King))])),
            (3 * SECOND, Fact::Reading(clock([u64::MAX, 0], Some([40, u32::MAX])))),
            (u64::MAX / 2, Fact::Reading(clock([5_400_000, 127], None))),
            (u64::MAX / 2, Fact::Reading(Reading::Clock(None))),
            (u64::MAX, Fact::Link(LinkNews::Lost)),
            (u64::MAX, Fact::Link(LinkNews::Back)),
            (u64::MAX, Fact::Link(LinkNews::Restarted)),
            (u64::MAX, Fact::Ruling(ruling, -1)),
            (u64::MAX, Fact::Neighbour(neighbour)),
            (u64::MAX, Fact::Pairing(Some(pairing))),
            (u64::MAX, Fact::Pairing(None)),
            (u64::MAX, Fact::Sick(vec![(Square::new(11), Sickness::Dead)])),
        ];
        assert_eq!(facts.iter().collect::<Vec<_>>(), expected);
        facts.forget_before(middle);
        assert_eq!(facts.iter().collect::<Vec<_>>(), expected[4..]);
    }

    #[test]
    fn a_second_of_a_clock_takes_sixteen_bytes_at_most() {
        let mut facts = Facts::new(0);
        for second in 0..3_600 {
            facts.reading(&clock([7_200_000 - second * 1_000, 7_200_000], None), &[], second * SECOND);
        }
        assert!(facts.len() <= 16 * 3_600, "{}", facts.len());
    }
}
