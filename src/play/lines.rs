//! Lines out of a stream of bytes, none longer than makes sense.

/// A longer line is none that an engine or a server sends: a game of six hundred moves fits.
const LONGEST: usize = 256 * 1024;

/// Bytes that make lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: Vec<u8>,
    /// The line that comes in is too long: it is dropped up to its end.
    is_dropped: bool,
}

impl Lines {
    /// Takes more bytes; gives the lines that they complete, without their ends.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (text, is_end) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            if self.rest.len() + text.len() > LONGEST {
                (self.is_dropped, self.rest) = (true, Vec::new());
            }
            if !self.is_dropped {
                self.rest.extend_from_slice(text);
            }
            if is_end {
                let line = std::mem::take(&mut self.rest);
                if !std::mem::take(&mut self.is_dropped) {
                    lines.push(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_however_they_are_cut() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"uci"), Vec::<String>::new());
        assert_eq!(lines.push(b"ok\r\n\nid name"), ["uciok", ""]);
        assert_eq!(lines.push(b" x\n"), ["id name x"]);
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut lines = Lines::default();
        for _ in 0..100 {
            assert!(lines.push(&[b'x'; 10_000]).is_empty());
        }
        assert!(lines.rest.capacity() <= 2 * LONGEST);
        assert_eq!(lines.push(b"end\nnext\n"), ["next"]);
    }
}
