//! Everything that can be played, position by position: where that is little it is a proof.

use std::collections::BTreeSet;

use shakmaty::{Chess, Color, Position as _};

use super::{Certificate, Closed, material, mobility};
use crate::rules::draw::Key;

/// All positions that can come of `chess`, if there are at most `limit` and none is a mate by `winner`.
///
/// Where men or pawns rule a mate out by themselves nothing is played on.
pub(super) fn closed(chess: &Chess, winner: Color, limit: u32) -> Option<Closed> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut seen = BTreeSet::from([Key::from(chess)]);
    let mut closed = Closed { positions: vec![chess.clone()], leaves: Vec::new() };
    let mut at = 0;
    while let Some(position) = closed.positions.get(at).cloned() {
        at += 1;
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(mv);
            if is_mate(&next, winner) {
                return None;
            }
            if !seen.insert(Key::from(&next)) {
                continue;
            }
            if seen.len() > limit {
                return None;
            }
            match leaf(&next, winner).filter(|_| mv.is_zeroing()) {
                Some(certificate) => closed.leaves.push((next, certificate)),
                None => closed.positions.push(next),
            }
        }
    }
    Some(closed)
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

fn is_mate(chess: &Chess, winner: Color) -> bool {
    chess.turn() != winner && chess.is_checkmate()
}

fn leaf(chess: &Chess, winner: Color) -> Option<Certificate> {
    let fence = || {
        let fence =
            mobility::may_be_shut_off(chess, winner).then(|| mobility::fence(chess, winner)).flatten()?;
        Some(Certificate::Fence(Box::new(fence)))
    };
    material::insufficient(chess.board(), winner).map(Certificate::Material).or_else(fence)
}
