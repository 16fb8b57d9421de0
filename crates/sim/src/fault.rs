//! A line between board and host that loses, repeats and invents bytes, and cuts them anywhere.

use std::collections::VecDeque;

use fastrand::Rng;

use adoube_rules::stamp::MS;

/// The longest piece in which bytes arrive (dgt-protocol 1.4: median 5, at most 66).
const CHUNK_MAX: f64 = 66.0;

/// Power of the dice that makes 5 the median between 1 and 66: 1 + 65 · 0.5⁴ = 5.06.
const CHUNK_POWER: i32 = 4;

/// Between two pieces of one message: a byte takes one millisecond at 9600 baud.
const CHUNK_GAP_NS: u64 = MS;

/// The line. At rate 0 it gives exactly what it was given, at once and uncut.
#[derive(Debug)]
pub struct Line {
    rate: f64,
    rng: Rng,
    chunks: VecDeque<(u64, Vec<u8>)>,
}

impl Line {
    /// A line on which a message or a byte suffers with this chance (0 to 1).
    #[must_use]
    pub fn new(rate: f64, seed: u64) -> Self {
        Self { rate, rng: Rng::with_seed(seed), chunks: VecDeque::new() }
    }

    /// The board sends whole messages at `now_ns`.
    pub fn send(&mut self, messages: &[u8], now_ns: u64) {
        if self.rate <= 0.0 {
            if !messages.is_empty() {
                self.chunks.push_back((now_ns, messages.to_vec()));
            }
            return;
        }
        let mut bytes = Vec::new();
        // A message begins with the top bit set or, in protocols of text, after the end of a line.
        let is_text = messages.first().is_some_and(u8::is_ascii);
        for message in messages.chunk_by(|&byte, next| next & 0x80 == 0 && !(is_text && byte == b'\n')) {
            for _ in 0..self.times() {
                self.damage(message, &mut bytes);
            }
        }
        self.cut(&bytes, now_ns);
    }

    /// Appends what has arrived at `now_ns`.
    pub fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        while self.chunks.front().is_some_and(|(at_ns, _)| *at_ns <= now_ns) {
            out.extend(self.chunks.pop_front().map(|(_, bytes)| bytes).unwrap_or_default());
        }
    }

    /// When something arrives, if anything is on the way.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        self.chunks.front().map(|(at_ns, _)| *at_ns)
    }

    /// How often something that was sent once arrives: once, seldom not at all, seldom twice.
    fn times(&mut self) -> usize {
        match self.rng.f64() {
            dice if dice < self.rate / 2.0 => 0,
            dice if dice < self.rate => 2,
            _ => 1,
        }
    }

    fn damage(&mut self, message: &[u8], bytes: &mut Vec<u8>) {
        for &byte in message {
            for _ in 0..self.times() {
                bytes.push(byte);
            }
            if self.rng.f64() < self.rate {
                bytes.push(self.rng.u8(..));
            }
        }
    }

    fn cut(&mut self, mut bytes: &[u8], now_ns: u64) {
        let mut at_ns = self.chunks.back().map_or(now_ns, |(at_ns, _)| now_ns.max(at_ns + CHUNK_GAP_NS));
        while !bytes.is_empty() {
            let length = 1 + ((CHUNK_MAX - 1.0) * self.rng.f64().powi(CHUNK_POWER)) as usize;
            let (chunk, rest) = bytes.split_at(length.min(bytes.len()));
            self.chunks.push_back((at_ns, chunk.to_vec()));
            at_ns += CHUNK_GAP_NS;
            bytes = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: [u8; 5] = [0x8e, 0x00, 0x05, 0x34, 0x01];

    fn through(rate: f64, messages: &[u8]) -> Vec<u8> {
        let mut line = Line::new(rate, 1);
        line.send(messages, 0);
        let mut out = Vec::new();
        line.poll(u64::MAX, &mut out);
        out
    }

    #[test]
    fn a_good_line_changes_nothing() {
        let mut line = Line::new(0.0, 1);
        line.send(&MESSAGE, 7);
        let mut out = Vec::new();
        line.poll(6, &mut out);
        assert!(out.is_empty());
        line.poll(7, &mut out);
        assert_eq!(out, MESSAGE);
        assert_eq!(line.wake_at_ns(), None);
    }

    #[test]
    fn a_bad_line_loses_repeats_and_invents() {
        let sent = MESSAGE.repeat(2_000);
        let got = through(0.02, &sent);
        assert_ne!(got, sent);
        // Lost and repeated balance; what is invented is 2 % more.
        let more = got.len() as f64 / sent.len() as f64;
        assert!((1.0..1.04).contains(&more), "{more}");
        assert!(got.iter().any(|byte| !MESSAGE.contains(byte)));
        assert_eq!(got, through(0.02, &sent), "the same seed, the same faults");
    }

    #[test]
    fn pieces_are_as_small_as_on_a_real_line_and_keep_their_order() {
        let mut line = Line::new(1e-12, 3);
        let sent: Vec<u8> = MESSAGE.repeat(2_000);
        line.send(&sent, 0);
        let mut lengths: Vec<usize> = line.chunks.iter().map(|(_, chunk)| chunk.len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths[lengths.len() / 2], 5);
        assert!(lengths.iter().all(|length| (1..=66).contains(length)));
        let mut out = Vec::new();
        line.poll(u64::MAX, &mut out);
        assert_eq!(out, sent);
    }
}
