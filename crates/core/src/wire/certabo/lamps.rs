//! Lamps of these boards, plain or coloured.
//!
//! Nothing acknowledges them, and a board that is told too much too fast forgets some: they are told what holds when
//! their turn has come, and what was to be shown for a shorter time never is. A board tells by a letter in its stream
//! which lamps it has; until it did, both kinds are told.

use serde::{Deserialize, Serialize};

use super::line::LampKind;
use crate::wire::lamps::{Squares, corners, each};
use adoube_rules::stamp::MS;

/// Between two orders to the lamps (other-boards, section 2.3).
const SPACING: u64 = 600 * MS;
/// How bright a coloured lamp is.
const LEVEL: u8 = 0x40;
/// Coloured lamps: nine rows of nine.
const COLOURED: usize = 81;

/// What the lamps show and shall show.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::wire) struct Lamps {
    /// What is to be lit; `None`: nobody ever said.
    wanted: Option<Squares>,
    sent: Option<Squares>,
    free_ns: u64,
    kind: Option<LampKind>,
}

impl Lamps {
    /// A new link: what the lamps show is not known, nor what they are.
    pub(in crate::wire) fn begin(&mut self, at_ns: u64) {
        self.sent = None;
        self.kind = None;
        self.free_ns = at_ns + SPACING;
    }

    pub(in crate::wire) fn want(&mut self, squares: Squares) {
        self.wanted = Some(squares);
    }

    pub(in crate::wire) fn are(&mut self, kind: LampKind) {
        self.kind = Some(kind);
    }

    /// When there is something to be sent.
    pub(in crate::wire) fn due_ns(&self) -> Option<u64> {
        (self.wanted.is_some() && self.wanted != self.sent).then_some(self.free_ns)
    }

    /// What is to be sent at `at_ns`, when it is due.
    pub(in crate::wire) fn send(&mut self, at_ns: u64) -> Option<Vec<u8>> {
        let squares = self.wanted.filter(|_| self.due_ns().is_some_and(|due_ns| due_ns <= at_ns))?;
        self.sent = Some(squares);
        self.free_ns = at_ns + SPACING;
        Some(match self.kind {
            Some(LampKind::Plain) => plain(squares),
            Some(LampKind::Coloured) => coloured(squares),
            None => [plain(squares), coloured(squares)].concat(),
        })
    }
}

/// Eight bytes, the eighth rank first; the lowest bit is the a-file, other than in what the board sends.
fn plain(squares: Squares) -> Vec<u8> {
    let mut ranks = vec![0; 8];
    each(squares).for_each(|square| ranks[7 - square / 8] |= 1 << (square % 8));
    ranks
}

/// A header, three bytes a lamp by rows from the first rank's edge, each from the h-file's edge, and an end.
fn coloured(squares: Squares) -> Vec<u8> {
    let mut bytes = vec![0xff, 0x55];
    bytes.resize(2 + 3 * COLOURED, 0);
    for (column, row) in corners(squares) {
        let lamp = 9 * row + 8 - column;
        bytes[2 + 3 * lamp..][..3].fill(LEVEL);
    }
    bytes.extend(*b"\r\n");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::stamp::SECOND;

    const E2: Squares = 1 << 12;
    const A8: Squares = 1 << 56;

    #[test]
    fn a_square_is_one_plain_lamp_or_four_coloured_ones() {
        assert_eq!(plain(E2 | A8), [1, 0, 0, 0, 0, 0, 0x10, 0]);
        let bytes = coloured(1);
        assert_eq!((bytes.len(), &bytes[..2], &bytes[245..]), (247, &[0xff, 0x55][..], &b"\r\n"[..]));
        // a1: rows 0 and 1, columns 8 (the a-file's edge) and 7.
        let is_lit = |lamp: &usize| bytes[2 + 3 * lamp..][..3] == [LEVEL; 3];
        assert!((0..COLOURED).filter(is_lit).eq([7, 8, 16, 17]));
    }

    #[test]
    fn orders_are_spaced_and_what_is_stale_is_never_sent() {
        let mut lamps = Lamps::default();
        lamps.begin(0);
        assert_eq!((lamps.due_ns(), lamps.send(SECOND)), (None, None), "nobody wants any");
        lamps.want(E2);
        assert_eq!(lamps.due_ns(), Some(SPACING));
        assert_eq!(lamps.send(SPACING - 1), None);
        assert_eq!(lamps.send(SECOND), Some([plain(E2), coloured(E2)].concat()), "which kind is not known");
        lamps.are(LampKind::Plain);
        lamps.want(A8);
        lamps.want(0);
        assert_eq!(lamps.due_ns(), Some(SECOND + SPACING));
        assert_eq!(lamps.send(SECOND + SPACING), Some(vec![0; 8]), "a8 was wanted for no time");
        assert_eq!(lamps.due_ns(), None);
        lamps.begin(3 * SECOND);
        assert_eq!(lamps.due_ns(), Some(3 * SECOND + SPACING), "shown again when the link is back");
    }
}
