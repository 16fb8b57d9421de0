//! A sensor that scans its board rank by rank, over and over, and is read when it has done so.

use super::act::{Act, SQUARES, Surface};
use adoube_rules::sensor::Content;

/// Ranks, each scanned at its own time.
const RANKS: u64 = 8;

/// A board under such a sensor.
#[derive(Debug)]
pub(super) struct Scanner {
    surface: Surface,
    turned: bool,
    /// What one scan takes.
    scan_ns: u64,
    /// The rank that is scanned next, and when.
    rank: u64,
    next_ns: u64,
    /// What the last samples said, by the sensor's own squares.
    contents: [Content; SQUARES],
}

impl Scanner {
    /// A sensor that begins at time 0 over a board with these men.
    pub(super) fn new(men: &[Content], turned: bool, scan_ns: u64) -> Self {
        let contents = [Content::EMPTY; SQUARES];
        Self { surface: Surface::new(men), turned, scan_ns, rank: 0, next_ns: scan_ns / RANKS, contents }
    }

    /// From the next scan on, one takes so long.
    pub(super) fn set_scan_ns(&mut self, scan_ns: u64) {
        self.scan_ns = scan_ns;
    }

    /// Somebody does this to the board; the sensor has run until then.
    pub(super) fn act(&mut self, act: Act, at_ns: u64) {
        self.surface.apply(act, at_ns);
    }

    /// The square of the game over a square of the sensor.
    pub(super) fn standing(&self, square: usize) -> usize {
        if self.turned { SQUARES - 1 - square } else { square }
    }

    /// When the scan that is under way is done.
    pub(super) fn done_ns(&self) -> u64 {
        self.next_ns + (RANKS - 1 - self.rank) * (self.scan_ns / RANKS)
    }

    /// Runs on until a scan is done or `to_ns` has come: when it was done, and what it saw.
    pub(super) fn run(&mut self, to_ns: u64) -> Option<(u64, [Content; SQUARES])> {
        while self.next_ns <= to_ns {
            let (at_ns, rank) = (self.next_ns, self.rank as usize);
            for square in 8 * rank..8 * rank + 8 {
                self.contents[square] = self.surface.sensed(self.standing(square), at_ns);
            }
            self.next_ns += self.scan_ns / RANKS;
            self.rank = (self.rank + 1) % RANKS;
            if self.rank == 0 {
                return Some((at_ns, self.contents));
            }
        }
        None
    }
}
