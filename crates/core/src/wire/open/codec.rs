//! Lines out of bytes: where they end, how long they may be, and their checksum.

use serde::{Deserialize, Serialize};

/// The longest line, its end not counted: a position of 160 squares, each with a man of the third or fourth
/// army, takes 340 characters.
pub const LINE_MAX: usize = 400;

/// Between a line and its checksum.
const CHECKSUM: u8 = b'*';

/// A line as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its text, without the checksum; `is_checked` if there was one, and it was right.
    Text {
        /// What it says: visible ASCII and spaces.
        text: String,
        /// It had a checksum.
        is_checked: bool,
    },
    /// It is no line of this protocol: too long, not ASCII, or its checksum is wrong.
    Damaged {
        /// How many bytes, the end of the line not counted.
        bytes: u64,
    },
}

/// Cuts bytes into lines. Both `\n` and `\r\n` end one; empty ones say nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Lines {
    partial: Vec<u8>,
    /// Bytes beyond the longest line, not kept.
    beyond: u64,
}

impl Lines {
    /// Takes bytes, cut anywhere, and appends the lines that they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Line>) {
        for &byte in bytes {
            if byte == b'\n' {
                out.extend(self.finish());
            } else if self.partial.len() < LINE_MAX + 1 {
                // One more than a line may have: it can be the `\r`.
                self.partial.push(byte);
            } else {
                self.beyond += 1;
            }
        }
    }

    /// Bytes of a line that is not complete.
    #[must_use]
    pub fn pending(&self) -> u64 {
        self.partial.len() as u64 + self.beyond
    }

    fn finish(&mut self) -> Option<Line> {
        let beyond = std::mem::take(&mut self.beyond);
        let mut bytes = std::mem::take(&mut self.partial);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if bytes.is_empty() {
            return None;
        }
        let damaged = Line::Damaged { bytes: bytes.len() as u64 + beyond };
        let is_text = bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
        if beyond > 0 || bytes.len() > LINE_MAX || !is_text {
            return Some(damaged);
        }
        let Ok(text) = String::from_utf8(bytes) else { return Some(damaged) };
        Some(match text.rsplit_once(char::from(CHECKSUM)) {
            None => Line::Text { text, is_checked: false },
            Some((text, digits)) if is_checksum(digits, checksum(text)) => {
                Line::Text { text: text.to_owned(), is_checked: true }
            }
            Some(_) => damaged,
        })
    }
}

/// The bytes of a line.
#[must_use]
pub fn encode(text: &str, with_checksum: bool) -> Vec<u8> {
    if with_checksum {
        format!("{text}*{:02X}\n", checksum(text)).into_bytes()
    } else {
        format!("{text}\n").into_bytes()
    }
}

/// All bytes of a line by exclusive or.
fn checksum(text: &str) -> u8 {
    text.bytes().fold(0, |sum, byte| sum ^ byte)
}

fn is_checksum(digits: &str, sum: u8) -> bool {
    let is_plain = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_plain && u8::from_str_radix(digits, 16) == Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        lines.push(bytes, &mut out);
        out
    }

    fn text(text: &str, is_checked: bool) -> Line {
        Line::Text { text: text.to_owned(), is_checked }
    }

    #[test]
    fn both_ends_of_a_line_are_known() {
        assert_eq!(
            lines(b"alive\nsquare e2 .\r\n\r\n\nhalf"),
            [text("alive", false), text("square e2 .", false)]
        );
    }

    #[test]
    fn a_checksum_is_right_or_the_line_is_damaged() {
        let bytes = encode("square e2 .", true);
        assert_eq!(lines(&bytes), [text("square e2 .", true)]);
        for (place, _) in bytes.iter().enumerate().take(bytes.len() - 1) {
            for bit in 0..8 {
                let mut spoilt = bytes.clone();
                spoilt[place] ^= 1 << bit;
                let heard = lines(&spoilt);
                assert!(!heard.contains(&text("square e3 .", true)));
                let is_heard = |line: &Line| matches!(line, Line::Text { is_checked: true, text } if text != "square e2 .");
                assert!(!heard.iter().any(is_heard), "{place} {bit}: {heard:?}");
            }
        }
    }

    #[test]
    fn a_line_that_never_ends_costs_no_memory_and_is_counted() {
        let mut bytes = vec![b'x'; 5_000];
        bytes.extend(b"\nalive\n");
        assert_eq!(lines(&bytes), [Line::Damaged { bytes: 5_000 }, text("alive", false)]);
        for (length, is_whole) in [(LINE_MAX, true), (LINE_MAX + 1, false)] {
            for end in ["\n", "\r\n"] {
                let heard = lines(format!("{}{end}", "x".repeat(length)).as_bytes());
                assert_eq!(matches!(heard[..], [Line::Text { .. }]), is_whole, "{length}");
            }
        }
        let mut unending = Lines::default();
        unending.push(&[b'x'; 9_999], &mut Vec::new());
        assert_eq!((unending.pending(), unending.partial.len()), (9_999, LINE_MAX + 1));
    }

    #[test]
    fn what_is_not_ascii_is_damaged() {
        assert_eq!(lines(b"caf\xc3\xa9\n\x00\n"), [Line::Damaged { bytes: 5 }, Line::Damaged { bytes: 1 }]);
    }
}
