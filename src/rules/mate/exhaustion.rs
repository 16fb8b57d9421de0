//! Everything that can be played, position by position: where that is little it is a proof.

use std::collections::BTreeSet;

use shakmaty::{Chess, Color, Position as _};

use super::{Certificate, Closed, material, mobility};
use crate::rules::draw::Key;

/// All positions that can come of `chess`, if there are at most `limit` and none is a mate by `winner`.
///
/// Where men or pawns rule a mate out by themselves nothing is played on.
pub(super) fn closed(chess: &Chess, winner: Color, limit: u32) -> Option<Closed> {
    let mut seen = BTreeSet::from([Key::from(chess)]);
    let mut closed = Closed { positions: vec![chess.clone()], leaves: Vec::new() };
    let mut at = 0;
    let mut looked_at = 0;
    while let Some(position) = closed.positions.get(at).cloned() {
        at += 1;
        for mv in position.legal_moves() {
            looked_at += 1;
            if looked_at > limit {
                return None;
            }
            let mut next = position.clone();
            next.play_unchecked(mv);
            if next.turn() != winner && next.is_checkmate() {
                return None;
            }
            if !seen.insert(Key::from(&next)) {
                continue;
            }
            match leaf(&next, winner).filter(|_| mv.is_zeroing()) {
                Some(certificate) => closed.leaves.push((next, certificate)),
                None => closed.positions.push(next),
            }
        }
    }
    Some(closed)
}

fn leaf(chess: &Chess, winner: Color) -> Option<Certificate> {
    let fence = || {
        let fence =
            mobility::may_be_shut_off(chess, winner).then(|| mobility::fence(chess, winner)).flatten()?;
        Some(Certificate::Fence(Box::new(fence)))
    };
    material(chess, winner).map(Certificate::Material).or_else(fence)
}
