//! Everything that can be played, position by position: where that is little it is a proof.

use std::collections::VecDeque;

use shakmaty::{Chess, Color, Move, Position as _};

use super::seen::Seen;
use super::{Certificate, Closed, material, mobility};
use crate::Key;

/// Plays everything that can come of `chess`, the shortest lines first, over at most `limit` positions.
///
/// Where men or pawns rule a mate out by themselves nothing is played on. What comes to an end is a proof; a mate on
/// the way is one, too.
pub(super) fn exhaust(chess: &Chess, winner: Color, limit: u32) -> Exhausted {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut seen = Seen::new();
    seen.insert(Key::from(chess));
    let mut leaves = Vec::new();
    // Captures and pawn moves after which nothing was ruled out.
    let mut fruitless = 0;
    // From which position, and by which move, each position was reached; the first by none.
    let mut ways: Vec<Way> = vec![(0, None)];
    // Those that are still to be played on. What has been is told by its way: so much less to keep.
    let mut waiting = VecDeque::from([chess.clone()]);
    let mut at = 0;
    while let Some(position) = waiting.pop_front() {
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(mv);
            // Most are known already, and a mate is one as well the first time it is seen.
            if !seen.insert(Key::from(&next)) {
                continue;
            }
            if next.turn() != winner && next.is_checkmate() {
                return Exhausted::Mate(line(&ways, at, mv));
            }
            let is_worth_it = fruitless < FRUITLESS.max(leaves.len());
            if let Some(certificate) = mv.is_zeroing().then(|| leaf(&next, winner, is_worth_it)).flatten() {
                leaves.push((next, certificate));
            } else {
                fruitless += usize::from(mv.is_zeroing());
                waiting.push_back(next);
                ways.push((at, Some(mv)));
            }
            if ways.len() + leaves.len() > limit {
                return Exhausted::Limit;
            }
        }
        at += 1;
    }
    Exhausted::Closed(Closed { positions: played(chess, &ways), leaves })
}

/// So often a fence may be looked for in vain, or as often as it was found: it takes as long as dozens of positions.
const FRUITLESS: usize = 5_000;

/// Number of the position before, and the move that led on; none to the first.
type Way = (u32, Option<Move>);

/// The positions that these ways lead to, in their order.
fn played(chess: &Chess, ways: &[Way]) -> Vec<Chess> {
    let mut positions: Vec<Chess> = Vec::with_capacity(ways.len());
    for &(before, mv) in ways {
        let mut position = positions.get(before as usize).unwrap_or(chess).clone();
        if let Some(mv) = mv {
            position.play_unchecked(mv);
        }
        positions.push(position);
    }
    positions
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
fn line(ways: &[Way], at: u32, last: Move) -> Vec<Move> {
    let mut line = vec![last];
    let mut at = at;
    while let (before, Some(mv)) = ways[at as usize] {
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

fn leaf(chess: &Chess, winner: Color, is_fence_worth_it: bool) -> Option<Certificate> {
    let fence = || {
        let may_be = is_fence_worth_it && mobility::may_be_shut_off(chess, winner);
        let fence = may_be.then(|| mobility::fence(chess, winner)).flatten()?;
        Some(Certificate::Fence(Box::new(fence)))
    };
    material::insufficient(chess.board(), winner).map(Certificate::Material).or_else(fence)
}
