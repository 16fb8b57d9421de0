//! Boards that stream lines: with tags in the men, or only feeling them (other-boards, section 2).
//!
//! Coils say numbers where nothing stands, misread tags now and then, and the letter that tells the kind of lamps comes
//! in the middle of a line. The men have tags, each its own.

use fastrand::Rng;

use super::act::{Act, SQUARES};
use super::board::FirmwareConfig;
use super::device::{Device, Model};
use super::scan::Scanner;
use adoube_core::wire::certabo::encode_line;
use adoube_core::wire::sentio;
use adoube_rules::sensor::Content;
use adoube_rules::stamp::{MS, SECOND};

/// Certabo boards, whose men have tags.
pub(super) const MODEL: Model = Model {
    protocol: "certabo",
    names_men: Some(true),
    squares: &[64],
    device: |config, men| Box::new(LineBoard::with_tags(config, men)),
};

/// Sentio boards, which feel whether something stands on a square.
pub(super) const FEELING: Model = Model {
    protocol: "sentio",
    names_men: Some(false),
    squares: &[64],
    device: |config, men| Box::new(LineBoard::feeling(config, men)),
};

/// A scan of all coils: a line of 64 tags takes a third of a second on the wire.
const TAGS_SCAN_NS: u64 = 340 * MS;
/// A scan that only feels men; how long a real one takes is not published.
const FEELING_SCAN_NS: u64 = 100 * MS;
/// Men are set up before they are played with.
const SET_UP_NS: u64 = 4 * SECOND;
/// One empty square in so many says numbers.
const EMPTY_NOISE: u32 = 12;
/// One man in so many is misread.
const MISREAD: u32 = 150;
/// One line in so many breaks off.
const TRUNCATED: u32 = 40;
/// One line in so many has a marker in it.
const MARKED: u32 = 10;

/// A board from the side of the wire.
#[derive(Debug)]
pub struct LineBoard {
    scanner: Scanner,
    /// The men's tags, by the square where each stands; none on a board that only feels them.
    tags: Option<Men>,
    rng: Rng,
    /// The letter of its lamps.
    marker: u8,
    now_ns: u64,
    /// What hosts wrote to the lamps.
    written: Vec<u8>,
    pending: Vec<u8>,
}

/// Which man, as a thing of wood, stands where. What was taken off the board comes back by its kind, as men in a box do.
#[derive(Debug)]
struct Men {
    standing: [Option<u8>; SQUARES],
    /// Men in hands and in the box.
    off: Vec<u8>,
    /// What each is.
    kinds: Vec<Content>,
    /// One who came from nowhere, and where: he is on two squares for a moment, or is a new one.
    nowhere: Option<usize>,
}

impl Men {
    fn new(contents: &[Content]) -> Self {
        let mut men = Self { standing: [None; SQUARES], off: Vec::new(), kinds: Vec::new(), nowhere: None };
        for (square, &content) in contents.iter().enumerate().filter(|(_, content)| !content.is_empty()) {
            men.place(square, content);
        }
        men.nowhere = None;
        men
    }

    fn kind(&self, man: u8) -> Content {
        self.kinds[usize::from(man)]
    }

    fn lift(&mut self, square: usize) {
        let Some(man) = self.standing.get_mut(square).and_then(Option::take) else { return };
        match self.nowhere.take().map(|square| &mut self.standing[square]) {
            Some(Some(twin)) if self.kinds[usize::from(*twin)] == self.kinds[usize::from(man)] => *twin = man,
            _ => self.off.push(man),
        }
    }

    fn place(&mut self, square: usize, content: Content) {
        if square >= SQUARES {
            return;
        }
        self.lift(square);
        let place = self.off.iter().rposition(|&man| self.kind(man) == content);
        let man = match place {
            Some(place) => self.off.remove(place),
            None => {
                self.nowhere = Some(square);
                self.kinds.push(content);
                u8::try_from(self.kinds.len() - 1).unwrap_or(u8::MAX)
            }
        };
        self.standing[square] = Some(man);
    }

    /// The tag of the man on a square. A good reading of a tag may hold a zero.
    fn tag(&self, square: usize) -> [u8; 5] {
        let Some(man) = self.standing[square] else { return [0; 5] };
        [man.wrapping_mul(37), 8 + man, 0, 131, man.wrapping_mul(91).wrapping_add(3)]
    }
}

impl LineBoard {
    /// A board with tags in its men, switched on at time 0.
    #[must_use]
    pub(crate) fn with_tags(config: FirmwareConfig, men: &[Content]) -> Self {
        Self { tags: Some(Men::new(men)), ..Self::new(config, men, TAGS_SCAN_NS) }
    }

    /// A board that only feels its men, switched on at time 0.
    #[must_use]
    pub fn feeling(config: FirmwareConfig, men: &[Content]) -> Self {
        Self::new(config, men, FEELING_SCAN_NS)
    }

    fn new(config: FirmwareConfig, men: &[Content], scan_ns: u64) -> Self {
        let mut rng = Rng::with_seed(config.seed);
        Self {
            scanner: Scanner::new(men, config.turned, scan_ns),
            tags: None,
            marker: if rng.bool() { b'L' } else { b'D' },
            rng,
            now_ns: 0,
            written: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// What hosts wrote so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        &self.written
    }

    fn advance(&mut self, now_ns: u64) {
        while let Some((_, seen)) = self.scanner.run(now_ns) {
            let line = match &self.tags {
                Some(_) => encode_line(self.numbers(&seen)),
                None => sentio::encode(|square| !seen[square].is_empty()),
            };
            self.say(line.into_bytes());
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// The numbers of a line, as the coils say them.
    fn numbers(&mut self, seen: &[Content; SQUARES]) -> Vec<u8> {
        let mut numbers = Vec::new();
        for square in (0..SQUARES).map(|place| place ^ 0x38) {
            let mut tag = [0; 5];
            if !seen[square].is_empty() {
                tag = self.tags.as_ref().map_or(tag, |men| men.tag(self.scanner.standing(square)));
            } else if self.rng.u32(..EMPTY_NOISE) == 0 {
                tag[self.rng.usize(..5)] = self.rng.u8(..);
            }
            if !seen[square].is_empty() && self.rng.u32(..MISREAD) == 0 {
                // Another tag, or none at all.
                if self.rng.bool() { tag = [0; 5] } else { tag[1] ^= 1 << self.rng.u32(..8) }
            }
            numbers.extend(tag);
        }
        numbers
    }

    /// Sends a line, not always whole.
    fn say(&mut self, mut line: Vec<u8>) {
        if self.rng.u32(..TRUNCATED) == 0 {
            line.truncate(self.rng.usize(..line.len()));
        }
        if self.rng.u32(..MARKED) == 0 {
            line.insert(self.rng.usize(..=line.len()), self.marker);
            line.insert(self.rng.usize(..=line.len()), b'*');
        }
        self.pending.extend(line);
    }
}

impl Device for LineBoard {
    fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        // As much as a game's moves need; only tests look at it.
        let room = WRITTEN_MAX.saturating_sub(self.written.len());
        self.written.extend(bytes.iter().take(room));
    }

    fn act(&mut self, act: Act, at_ns: u64) {
        self.advance(at_ns);
        match (act, &mut self.tags) {
            (Act::Lift { square }, Some(men)) => men.lift(square.index()),
            (Act::Place { square, man }, Some(men)) => men.place(square.index(), man),
            _ => {}
        }
        self.scanner.act(act, at_ns);
    }

    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        out.append(&mut self.pending);
    }

    fn wake_at_ns(&self) -> Option<u64> {
        Some(if self.pending.is_empty() { self.scanner.done_ns() } else { self.now_ns })
    }

    fn is_heard(&self) -> bool {
        self.now_ns >= SET_UP_NS
    }
}

/// Bytes that are kept of what hosts wrote.
const WRITTEN_MAX: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::ChessPosition;

    #[test]
    fn a_man_keeps_his_tag_and_no_two_share_one() {
        let start = ChessPosition::default().contents();
        let mut men = Men::new(&start);
        let mut tags: Vec<[u8; 5]> = (0..16).chain(48..64).map(|square| men.tag(square)).collect();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 32);
        let e2 = men.tag(12);
        men.lift(12);
        assert_eq!(men.tag(12), [0; 5]);
        men.place(28, start[12]);
        assert_eq!(men.tag(28), e2);
        // Dragged: he is there before he is gone.
        men.place(36, start[12]);
        men.lift(28);
        assert_eq!((men.tag(36), men.tag(28)), (e2, [0; 5]));
    }

    #[test]
    fn lines_are_those_of_a_real_board() {
        let config = FirmwareConfig { seed: 4, ..FirmwareConfig::default() };
        let start = ChessPosition::default().contents();
        let lines = |mut board: LineBoard| {
            let mut bytes = Vec::new();
            board.poll(60 * SECOND, &mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        let felt = lines(LineBoard::feeling(config, &start));
        assert!(felt.contains(":255 255 0 0 0 0 255 255 \r\n"), "{felt}");
        let tagged = lines(LineBoard::with_tags(config, &start));
        let whole = tagged.split('\n').filter(|line| line.split_whitespace().count() == 320).count();
        assert!((140..176).contains(&whole), "{whole} lines in a minute, some of them broken off");
        assert!(tagged.contains('*') && (tagged.contains('L') || tagged.contains('D')));
    }
}
