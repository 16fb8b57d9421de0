//! What a board remembers of itself (dgt-protocol 3.10): a ring of records, oldest first.

use std::collections::VecDeque;

use adoube_core::wire::dgt::{ClockEnd, Record, encode_records};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;

/// Bytes that the ring holds.
const BYTES: usize = 0x1f00;

/// Two piece records closer than this are marked as quick.
const QUICK_NS: u64 = 250 * MS;

/// The records; never more than the ring has bytes.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    records: VecDeque<Record>,
    /// Records that have left the ring.
    forgotten: usize,
    /// How many were sent on the bus, since the beginning of all.
    sent: usize,
    /// Where the game began, counted so.
    start: Option<usize>,
    last_piece_ns: Option<u64>,
}

impl Memory {
    /// The memory of a board that was switched on with these men on it.
    pub(super) fn power_up(contents: &[Content]) -> Self {
        let mut memory =
            Self { records: VecDeque::new(), forgotten: 0, sent: 0, start: None, last_piece_ns: None };
        memory.switched_on(contents);
        memory
    }

    /// The board was switched on, with these men on it.
    pub(super) fn switched_on(&mut self, contents: &[Content]) {
        for record in [Record::Nothing, Record::Nothing, Record::Nothing, Record::PowerUp] {
            self.push(record);
        }
        self.list(contents);
    }

    /// A game begins with these men on the board.
    pub(super) fn start_game(&mut self, contents: &[Content]) {
        self.start = Some(self.written());
        self.push(Record::StartTag);
        self.list(contents);
    }

    fn list(&mut self, contents: &[Content]) {
        for (square, &content) in Square::all().zip(contents).filter(|(_, content)| !content.is_empty()) {
            self.push(Record::Square { square, content, quick: false });
        }
    }

    /// The start array stands there.
    pub(super) fn begins(&mut self, turned: bool) {
        self.push(if turned { Record::BeginPositionTurned } else { Record::BeginPosition });
    }

    /// What was written since this was asked last.
    pub(super) fn changes(&mut self) -> Vec<u8> {
        let written = self.written();
        let from = std::mem::replace(&mut self.sent, written);
        self.bytes(from, written)
    }

    /// What was written since the game began and was sent already.
    pub(super) fn since_start(&self) -> Vec<u8> {
        self.start.map(|start| self.bytes(start, self.sent)).unwrap_or_default()
    }

    fn written(&self) -> usize {
        self.forgotten + self.records.len()
    }

    fn bytes(&self, from: usize, to: usize) -> Vec<u8> {
        let (from, to) = (from.saturating_sub(self.forgotten), to.saturating_sub(self.forgotten));
        let records: Vec<Record> = self.records.range(from..to.max(from)).copied().collect();
        let bytes = encode_records(&records);
        bytes[bytes.len().saturating_sub(BYTES)..].to_vec()
    }

    /// A square changed; one that keeps changing alone is written once, unless what was written of it is sent.
    pub(super) fn changed(&mut self, square: Square, content: Content, at_ns: u64) {
        let quick = self.last_piece_ns.is_some_and(|last_ns| at_ns.saturating_sub(last_ns) < QUICK_NS);
        self.last_piece_ns = Some(at_ns);
        let is_unsent = self.sent < self.written();
        let is_same =
            matches!(self.records.back(), Some(Record::Square { square: last, .. }) if *last == square);
        if is_unsent && is_same {
            self.records.pop_back();
        }
        self.push(Record::Square { square, content, quick });
    }

    /// The lever was turned: the time of the end that was halted.
    pub(super) fn halted(&mut self, end: ClockEnd, seconds: u16) {
        self.push(Record::Clock { end, seconds });
    }

    /// Reads everything, and writes down that it was read.
    pub(super) fn download(&mut self) -> Vec<u8> {
        let mut bytes = encode_records(self.records.make_contiguous());
        bytes.extend(encode_records(&[Record::EndOfFile]));
        self.push(Record::Downloaded);
        bytes.split_off(bytes.len().saturating_sub(BYTES))
    }

    fn push(&mut self, record: Record) {
        self.records.push_back(record);
        if self.records.len() > BYTES {
            self.records.pop_front();
            self.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::wire::dgt::records;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;

    #[test]
    fn a_square_that_changes_alone_is_written_once() {
        let man = Content::man(Army::new(0), Role::Pawn);
        let mut memory = Memory::power_up(&[man]);
        for at_ns in 0..5 {
            memory.changed(Square::new(0), Content::EMPTY, at_ns);
        }
        memory.changed(Square::new(9), man, 900 * MS);
        let (read, skipped) = records(&memory.download());
        assert_eq!(skipped, 0);
        assert_eq!(
            read[4..],
            [
                Record::Square { square: Square::new(0), content: Content::EMPTY, quick: true },
                Record::Square { square: Square::new(9), content: man, quick: false },
                Record::EndOfFile,
            ]
        );
    }

    #[test]
    fn the_ring_is_bounded() {
        let mut memory = Memory::power_up(&[]);
        for at_ns in 0..20_000 {
            memory.changed(Square::new((at_ns % 64) as u8), Content::EMPTY, at_ns);
        }
        assert_eq!(memory.download().len(), BYTES);
        assert!(memory.records.len() <= BYTES);
    }
}
