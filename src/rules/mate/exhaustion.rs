//! Everything that can be played, position by position: where that is little it is a proof.

use shakmaty::{Chess, Color, Move, Position as _};

use super::seen::Seen;
use super::{Certificate, Closed, material, mobility};
use crate::rules::draw::Key;

/// Plays everything that can come of `chess`, the shortest lines first, over at most `limit` positions.
///
/// Where men or pawns rule a mate out by themselves nothing is played on. What comes to an end is a proof; a mate on
/// the way is one, too.
pub(super) fn exhaust(chess: &Chess, winner: Color, limit: u32) -> Exhausted {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut seen = Seen::new();
    seen.insert(Key::from(chess));
    let mut closed = Closed { positions: vec![chess.clone()], leaves: Vec::new() };
    // From which position, and by which move, each position was reached; the first by none.
    let mut ways: Vec<(usize, Option<Move>)> = vec![(0, None)];
    let mut at = 0;
    while let Some(position) = closed.positions.get(at).cloned() {
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(mv);
            if next.turn() != winner && next.is_checkmate() {
                return Exhausted::Mate(line(&ways, at, mv));
            }
            if !seen.insert(Key::from(&next)) {
                continue;
            }
            if let Some(certificate) = mv.is_zeroing().then(|| leaf(&next, winner)).flatten() {
                closed.leaves.push((next, certificate));
            } else {
                closed.positions.push(next);
                ways.push((at, Some(mv)));
            }
            if closed.positions.len() + closed.leaves.len() > limit {
                return Exhausted::Limit;
            }
        }
        at += 1;
    }
    Exhausted::Closed(closed)
}

/// What playing everything came to.
pub(super) enum Exhausted {
    /// There is no mate among all these.
    Closed(Closed),
    /// These moves mate.
    Mate(Vec<Move>),
    /// There are more.
    Limit,
}

/// The moves to the position of this number, and one more.
fn line(ways: &[(usize, Option<Move>)], at: usize, last: Move) -> Vec<Move> {
    let mut line = vec![last];
    let mut at = at;
    while let (before, Some(mv)) = ways[at] {
        line.push(mv);
        at = before;
    }
    line.reverse();
    line
}

/// A forced line is not longer, or hardly ever.
const SOON_PLIES: u32 = 4;
/// Many lines that all end soon are no forced lines.
const SOON_NODES: u32 = 200;

/// How many positions there are, if every line comes to an end within a few plies without a mate by `winner`.
///
/// The first line that goes on is the answer "no", so that a position in which anything goes costs a few moves.
pub(super) fn ends_soon(chess: &Chess, winner: Color) -> Option<u32> {
    let mut nodes = SOON_NODES;
    ends_within(chess, winner, SOON_PLIES, &mut nodes).then(|| SOON_NODES - nodes + 1)
}

fn ends_within(chess: &Chess, winner: Color, plies: u32, nodes: &mut u32) -> bool {
    if material::insufficient(chess.board(), winner).is_some() {
        return true;
    }
    let moves = chess.legal_moves();
    if moves.is_empty() {
        return !(chess.is_check() && chess.turn() != winner);
    }
    plies > 0
        && moves.into_iter().all(|mv| {
            *nodes = nodes.saturating_sub(1);
            let mut next = chess.clone();
            next.play_unchecked(mv);
            *nodes > 0 && ends_within(&next, winner, plies - 1, nodes)
        })
}

fn leaf(chess: &Chess, winner: Color) -> Option<Certificate> {
    let fence = || {
        let fence =
            mobility::may_be_shut_off(chess, winner).then(|| mobility::fence(chess, winner)).flatten()?;
        Some(Certificate::Fence(Box::new(fence)))
    };
    material::insufficient(chess.board(), winner).map(Certificate::Material).or_else(fence)
}
