//! How a slow board tells what an ideal one would have told: square after square, over and over.

use adoube_core::capture::{Item, Line};
use adoube_rules::sensor::{Content, Frame};
use adoube_rules::stamp::MS;

/// A DGT board looks at all its squares so often (dgt-protocol 4.1).
const SCAN_NS: u64 = 200 * MS;

/// The same, told by a board that looks at one square after another. What came and went between two
/// looks at a square is never told; what changed at once is told in the order of the squares.
pub(super) fn scanned(lines: &[Line]) -> Vec<Line> {
    let mut told: Vec<Line> = Vec::new();
    let mut shown: Vec<Content> = Vec::new();
    let mut is_whole = true;
    for (index, line) in lines.iter().enumerate() {
        let [Item::Frame(truth)] = line.items.as_slice() else {
            // A board that comes back is asked for everything at once.
            is_whole |= line.items == [Item::LinkBack];
            told.push(line.clone());
            continue;
        };
        if std::mem::take(&mut is_whole) {
            shown = truth.contents().to_vec();
            told.push(line.clone());
            continue;
        }
        // The truth of this moment holds until the next one.
        let ends = |line: &&Line| matches!(line.items[..], [Item::Frame(_) | Item::LinkLost]);
        let until_ns = lines[index + 1..].iter().find(ends).map_or(u64::MAX, |line| line.t_ns);
        let mut looks: Vec<(u64, usize)> = (0..shown.len())
            .filter(|&square| shown[square] != truth.contents()[square])
            .map(|square| (looked_at_ns(square, line.t_ns), square))
            .filter(|&(at_ns, _)| at_ns < until_ns)
            .collect();
        looks.sort_unstable();
        for (t_ns, square) in looks {
            shown[square] = truth.contents()[square];
            let frame = match truth {
                Frame::Identity(_) => Frame::Identity(shown.clone()),
                Frame::Occupancy(_) => Frame::Occupancy(shown.clone()),
            };
            told.push(Line { t_ns, items: vec![Item::Frame(frame)] });
        }
    }
    told.sort_by_key(|line| line.t_ns);
    told
}

/// When `square` is looked at next, from `t_ns` on.
fn looked_at_ns(square: usize, t_ns: u64) -> u64 {
    let phase_ns = SCAN_NS / 64 * square as u64;
    t_ns.saturating_sub(phase_ns).div_ceil(SCAN_NS) * SCAN_NS + phase_ns
}
