//! Lines of numbers: a colon, so many decimal numbers of a byte each, spaces between them, carriage return and line feed.
//!
//! The board puts the letters `L` (plain lamps), `D` (coloured lamps) and `*` anywhere between the characters. There is
//! no checksum: a line counts only if it has exactly as many numbers as it should. It is whole as soon as it has them and
//! something follows that ends it: a line end, the next colon, or a pause, for a Bluetooth box sends no line ends. Others
//! leave the colon out, or break a line in the middle.

use serde::{Deserialize, Serialize};

/// What kind of lamps a board has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::wire) enum LampKind {
    /// One a square.
    Plain,
    /// Coloured ones at the corners.
    Coloured,
}

/// What a stream of lines says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wire) enum Said {
    /// A whole line.
    Numbers(Vec<u8>),
    /// The board's lamps are of this kind.
    Lamps(LampKind),
}

/// Cuts a stream into lines of `count` numbers. Any cutting of the stream gives the same lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::wire) struct LineDecoder {
    count: usize,
    /// `None` until a line begins: after something that cannot be one.
    line: Option<Line>,
    /// Lines of this stream begin with a colon: what has none is a piece of one.
    #[serde(default)]
    has_colons: bool,
    /// Lines of this stream end with a line end: no pause ends one.
    #[serde(default)]
    has_ends: bool,
}

/// A line that began.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Line {
    numbers: Vec<u8>,
    number: Option<u8>,
    #[serde(default)]
    has_colon: bool,
    bytes: u64,
}

impl LineDecoder {
    pub(in crate::wire) fn new(count: usize) -> Self {
        Self { count, line: None, has_colons: false, has_ends: false }
    }

    /// Takes bytes, cut anywhere, and appends what they complete. Returns how many bytes turned out to belong to
    /// nothing.
    pub(in crate::wire) fn push(&mut self, bytes: &[u8], out: &mut Vec<Said>) -> u64 {
        bytes.iter().map(|&byte| self.take(byte, out)).sum()
    }

    /// A line has all its numbers, and nothing but a pause will tell that it is over.
    pub(in crate::wire) fn awaits_pause(&self) -> bool {
        !self.has_ends && self.line.as_ref().is_some_and(|line| line.has_colon && line.is_whole(self.count))
    }

    /// Nothing came for a while: gives the line that is over with it.
    pub(in crate::wire) fn pause(&mut self) -> Option<Said> {
        self.awaits_pause().then(|| self.line.take()).flatten().map(|line| Said::Numbers(line.done()))
    }

    fn take(&mut self, byte: u8, out: &mut Vec<Said>) -> u64 {
        match byte {
            b'L' => out.push(Said::Lamps(LampKind::Plain)),
            b'D' => out.push(Said::Lamps(LampKind::Coloured)),
            b'*' => {}
            b':' => {
                self.has_colons = true;
                return self.end(Some(Line { bytes: 1, has_colon: true, ..Line::default() }), out);
            }
            b'\r' | b'\n' => return self.end_of_line(out),
            _ => return self.go_on(byte),
        }
        0
    }

    /// The line is over, and `next` begins. Returns how many bytes belong to nothing.
    fn end(&mut self, next: Option<Line>, out: &mut Vec<Said>) -> u64 {
        match std::mem::replace(&mut self.line, next) {
            Some(line) if line.is_whole(self.count) => {
                out.push(Said::Numbers(line.done()));
                0
            }
            Some(line) => line.bytes,
            None => 0,
        }
    }

    fn end_of_line(&mut self, out: &mut Vec<Said>) -> u64 {
        // A line without a colon begins here, if there are such lines.
        let next = (!self.has_colons).then(Line::default);
        match &mut self.line {
            None => {
                self.line = next;
                u64::from(!self.has_ends)
            }
            Some(line) if line.has_colon && !line.is_whole(self.count) => {
                line.bytes += 1;
                line.ends_number();
                0
            }
            Some(line) => {
                self.has_ends |= line.is_whole(self.count);
                self.end(next, out)
            }
        }
    }

    fn go_on(&mut self, byte: u8) -> u64 {
        let Some(line) = &mut self.line else { return 1 };
        line.bytes += 1;
        if line.take(byte, self.count) { 0 } else { self.line.take().map_or(0, |line| line.bytes) }
    }
}

impl Line {
    /// False if the line cannot be one.
    fn take(&mut self, byte: u8, count: usize) -> bool {
        match byte {
            b'0'..=b'9' => {
                let before = self.number.unwrap_or(0);
                self.number = before.checked_mul(10).and_then(|tens| tens.checked_add(byte - b'0'));
                self.number.is_some() && self.numbers.len() < count
            }
            b' ' => {
                self.ends_number();
                true
            }
            _ => false,
        }
    }

    fn ends_number(&mut self) {
        self.numbers.extend(self.number.take());
    }

    fn is_whole(&self, count: usize) -> bool {
        self.numbers.len() + usize::from(self.number.is_some()) == count
    }

    fn done(mut self) -> Vec<u8> {
        self.ends_number();
        self.numbers
    }
}

/// A line, for a simulated board.
pub fn encode(numbers: impl IntoIterator<Item = u8>) -> String {
    let numbers: String = numbers.into_iter().map(|number| format!("{number} ")).collect();
    format!(":{numbers}\r\n")
}
