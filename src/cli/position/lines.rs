//! Lines of a file or of stdin, whatever bytes they have, as many at a time as are there.

use std::io::{BufRead as _, BufReader, Read};

/// Bytes of a line that are kept: a FEN has about a hundred at most, the rest is no FEN.
const LINE_MAX: usize = 1_024;
/// Bytes that are read at a time: some hundred FENs.
const BUFFER: usize = 64 * 1_024;
/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A line and its number, which counts from 1.
pub(super) type Numbered = (usize, String);

/// The lines of `R`.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    number: usize,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER, reader), number: 0, line: Vec::new() }
    }

    /// The number of the line that was read last.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// How many lines are left; they are read.
    pub(super) fn count(mut self) -> std::io::Result<u64> {
        let mut count = 0;
        while self.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// The next lines, at most `most`, none at the end. It waits for the first alone: who writes a line and then
    /// waits for the answer gets it.
    pub(super) fn block(&mut self, most: usize) -> std::io::Result<Vec<Numbered>> {
        let mut block = Vec::new();
        while block.len() < most && (block.is_empty() || self.reader.buffer().contains(&b'\n')) {
            let Some(line) = self.next()? else { break };
            block.push((self.number, line));
        }
        Ok(block)
    }

    /// The next line without its end; of one that is too long only the beginning.
    fn next(&mut self) -> std::io::Result<Option<String>> {
        self.line.clear();
        let mut is_read = false;
        loop {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() && !is_read {
                return Ok(None);
            }
            is_read = true;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            self.line.extend(part.iter().take(LINE_MAX - self.line.len()));
            let used = end.map_or(part.len(), |end| end + 1);
            let is_end = end.is_some() || bytes.is_empty();
            self.reader.consume(used);
            if is_end {
                break;
            }
        }
        self.number += 1;
        let text = String::from_utf8_lossy(&self.line);
        let text = text.trim_end_matches('\r');
        Ok(Some(if self.number == 1 { text.trim_start_matches(BYTE_ORDER_MARK) } else { text }.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Numbered> {
        let mut lines = Lines::new(bytes);
        let blocks = std::iter::from_fn(|| Some(lines.block(9).unwrap()).filter(|block| !block.is_empty()));
        blocks.flatten().collect()
    }

    #[test]
    fn lines_of_any_bytes_are_read() {
        let lines = |all: &[&str]| (1..).zip(all.iter().map(|&line| line.to_owned())).collect::<Vec<_>>();
        assert_eq!(all(b""), []);
        assert_eq!(all("\u{feff}a\r\n\nb".as_bytes()), lines(&["a", "", "b"]));
        assert_eq!(all(b"\xff\n"), lines(&["\u{fffd}"]));
        assert_eq!(Lines::new(b"a\n\nb".as_slice()).count().unwrap(), 3);
        let long = [vec![b'x'; 10 * BUFFER], b"\ny\n".to_vec()].concat();
        let mut read = Lines::new(long.as_slice());
        assert_eq!(read.block(1).unwrap(), lines(&["x".repeat(LINE_MAX).as_str()]));
        assert_eq!(read.block(9).unwrap(), [(2, "y".to_owned())]);
        assert_eq!(read.block(9).unwrap(), []);
    }

    /// One byte at a time, as a slow pipe brings them.
    struct Slow(&'static [u8]);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.take(1).read(buffer).inspect(|&count| self.0 = &self.0[count..])
        }
    }

    #[test]
    fn a_line_is_there_before_the_next_is_written() {
        let mut lines = Lines::new(Slow(b"a\nb"));
        assert_eq!(lines.block(9).unwrap(), [(1, "a".to_owned())]);
        assert_eq!(lines.block(9).unwrap(), [(2, "b".to_owned())]);
        assert_eq!((lines.block(9).unwrap(), lines.number()), (vec![], 2));
    }
}
