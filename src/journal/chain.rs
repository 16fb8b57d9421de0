//! The chain over all rows: what was written cannot be changed, cut out or exchanged unseen.
//!
//! A link is the first 16 bytes of SHA-256 over, in this order, numbers big-endian, every text and
//! blob with its length before it as `u32`:
//!
//! ```text
//! row     the link before (16 bytes), id u64, board, mono_ns u64, utc_ns i64, kind, data,
//!         number of its events u32, then for each event in the order of seq:
//!         seq u64, public_id u64 (0: none), game (length ffffffff: none), type, json
//! file    the link before (16 bytes), then key and value of each row of `meta` but `chain`,
//!         in the order of the keys
//! ```
//!
//! The first link of all follows sixteen zeros. A file begins with the link over its `meta`, which
//! follows the last row of the file before: `meta.chain` repeats that row's link. What the chain
//! cannot show is that the newest rows of all were cut off; who fears that writes down the link
//! that `adoube verify` prints.

use sha2::{Digest as _, Sha256};

use adoube_rules::stamp::Stamp;

/// One link.
pub(super) type Link = [u8; 16];

/// Before the first link.
pub(super) const START: Link = [0; 16];

/// What stands for the length of an absent text.
const ABSENT: u32 = u32::MAX;

/// A link in the making.
pub(super) struct Chain(Sha256);

impl Chain {
    /// Begins a link that follows `before`.
    pub(super) fn after(before: &Link) -> Self {
        let mut hash = Sha256::new();
        hash.update(before);
        Self(hash)
    }

    /// Takes the input's own columns and the number of its events.
    pub(super) fn input(
        &mut self,
        id: u64,
        board: &str,
        stamp: Stamp,
        kind: &str,
        data: &[u8],
        events: usize,
    ) {
        self.0.update(id.to_be_bytes());
        self.blob(board.as_bytes());
        self.0.update(stamp.mono_ns.to_be_bytes());
        self.0.update(stamp.utc_ns.to_be_bytes());
        self.blob(kind.as_bytes());
        self.blob(data);
        self.0.update(length(events).to_be_bytes());
    }

    /// Takes an event.
    pub(super) fn event(
        &mut self,
        seq: u64,
        public_id: Option<u64>,
        game: Option<&str>,
        name: &str,
        json: &str,
    ) {
        self.0.update(seq.to_be_bytes());
        self.0.update(public_id.unwrap_or(0).to_be_bytes());
        match game {
            Some(game) => self.blob(game.as_bytes()),
            None => self.0.update(ABSENT.to_be_bytes()),
        }
        self.blob(name.as_bytes());
        self.blob(json.as_bytes());
    }

    /// Takes a row of `meta`.
    pub(super) fn meta(&mut self, key: &str, value: &str) {
        self.blob(key.as_bytes());
        self.blob(value.as_bytes());
    }

    /// The link.
    pub(super) fn link(self) -> Link {
        let digest = self.0.finalize();
        std::array::from_fn(|at| digest[at])
    }

    fn blob(&mut self, bytes: &[u8]) {
        self.0.update(length(bytes.len()).to_be_bytes());
        self.0.update(bytes);
    }
}

/// SQLite takes no row of more than 1 GB, so a length always fits.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(ABSENT)
}

/// A link as `meta` and reports write it.
pub(super) fn to_hex(link: &Link) -> String {
    link.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// Reads what [`to_hex`] wrote.
pub(super) fn from_hex(text: &str) -> Option<Link> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16)?.try_into().ok()).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    if digits.len() == 32 { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_depends_on_every_part() {
        let stamp = Stamp { mono_ns: 1, utc_ns: 2 };
        let link = |board: &str, kind: &str, game: Option<&str>| {
            let mut chain = Chain::after(&START);
            chain.input(1, board, stamp, kind, b"x", 1);
            chain.event(1, None, game, "pressed", "{}");
            chain.link()
        };
        let first = link("ab", "c", None);
        assert_eq!(first, link("ab", "c", None));
        // Lengths stand before texts: moving a letter over a border is seen.
        assert_ne!(first, link("a", "bc", None));
        assert_ne!(first, link("ab", "c", Some("")));
    }

    #[test]
    fn hex_reads_back() {
        let link: Link = std::array::from_fn(|at| (at * 17) as u8);
        assert_eq!(from_hex(&to_hex(&link)), Some(link));
        assert_eq!(from_hex("00"), None);
        assert_eq!(from_hex(&"é0".repeat(16)), None);
    }
}
