//! Lines of numbers: a colon, so many decimal numbers of a byte each, spaces between them, carriage return and line feed.
//!
//! The board puts the letters `L` (plain lamps), `D` (coloured lamps) and `*` anywhere between the characters. There is
//! no checksum: a line counts only if it has exactly as many numbers as it should.

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
    line: Option<Line>,
}

/// A line that began.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Line {
    numbers: Vec<u8>,
    number: Option<u8>,
    /// A carriage return came.
    is_over: bool,
    bytes: u64,
}

impl LineDecoder {
    pub(in crate::wire) fn new(count: usize) -> Self {
        Self { count, line: None }
    }

    /// Takes bytes, cut anywhere, and appends what they complete. Returns how many bytes turned out to belong to
    /// nothing.
    pub(in crate::wire) fn push(&mut self, bytes: &[u8], out: &mut Vec<Said>) -> u64 {
        bytes.iter().map(|&byte| self.take(byte, out)).sum()
    }

    fn take(&mut self, byte: u8, out: &mut Vec<Said>) -> u64 {
        match byte {
            b'L' => out.push(Said::Lamps(LampKind::Plain)),
            b'D' => out.push(Said::Lamps(LampKind::Coloured)),
            b'*' => {}
            b':' => {
                let begun = self.line.replace(Line { bytes: 1, ..Line::default() });
                return begun.map_or(0, |line| line.bytes);
            }
            _ => return self.go_on(byte, out),
        }
        0
    }

    fn go_on(&mut self, byte: u8, out: &mut Vec<Said>) -> u64 {
        let Some(line) = &mut self.line else { return 1 };
        line.bytes += 1;
        if !line.take(byte, self.count) {
            return self.abandon();
        }
        if byte == b'\n' {
            let line = self.line.take().unwrap_or_default();
            if line.numbers.len() != self.count {
                return line.bytes;
            }
            out.push(Said::Numbers(line.numbers));
        }
        0
    }

    fn abandon(&mut self) -> u64 {
        self.line.take().map_or(0, |line| line.bytes)
    }
}

impl Line {
    /// False if the line cannot be one.
    fn take(&mut self, byte: u8, count: usize) -> bool {
        match byte {
            b'0'..=b'9' if !self.is_over => {
                let before = self.number.unwrap_or(0);
                self.number = before.checked_mul(10).and_then(|tens| tens.checked_add(byte - b'0'));
                return self.number.is_some() && self.numbers.len() < count;
            }
            b' ' | b'\n' => {}
            b'\r' => self.is_over = true,
            _ => return false,
        }
        self.numbers.extend(self.number.take());
        true
    }
}

/// A line, for a simulated board.
pub fn encode(numbers: impl IntoIterator<Item = u8>) -> String {
    let numbers: String = numbers.into_iter().map(|number| format!("{number} ")).collect();
    format!(":{numbers}\r\n")
}
