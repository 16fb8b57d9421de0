//! How long a man has to rest before his move is announced.
//!
//! Sensors do not feel the hand, so a man at rest may still be on his way. What he can do yet, how he
//! came and whether he would be safe there say how likely that is.

use super::{Announce, Tracker, Via};
use crate::infer::image::View;
use crate::infer::tree::NodeId;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Move, Position as _, Rest, Variant};

/// A man who is there: two scans of a fast board, so that a contact in passing is none.
const FINAL_MS: u64 = 100;
/// A man who could go on or elsewhere: hands that try a square and leave it again do so within a few
/// hundred milliseconds (inference.md, streams).
const DOUBTFUL_MS: u64 = 300;
/// A move that loses a man: one in a hundred of those that are played, one in four of those that hands
/// try and take back.
const ODD_MS: u64 = 700;
/// A dragged man on the first square of his way; further on his own pace tells.
const DRAGGED_MS: u64 = 400;
/// A dragged man rests no longer on a square that he passes than on the one before, half as long again.
const DRAGGED_MIN_MS: u64 = 320;
/// A rook on its castling square: players who take the rook first pause up to two or three seconds
/// before they take the king, and hardly anybody gives up castling for that square.
const CASTLING_MS: u64 = 3_000;
/// In Chess960 castling in two steps is as good as in one (II.3.2.1), with all the time between: where there is a clock,
/// its press tells, or the reply. Without one a move has to go out at last.
const CASTLING_960_MS: u64 = 10_000;
const CASTLING_960_CLOCKED_MS: u64 = 60 * 60 * 1_000;
/// A king on a centre square may be the first half of a result.
const CENTRE_MS: u64 = 5_000;
/// What hands that hesitate stay below (inference.md: 350 to 900 ms half way).
const CAREFUL_MS: u64 = 850;
/// A capture is rarely tried out: the victim has been taken away.
const CAREFUL_CAPTURE_MS: u64 = 400;
/// A capture that left no trace but a lift looks just like a piece in the air: hovering is over.
const TRACELESS_MS: u64 = 2_000;
/// Something taken back, or done instead, has to rest: a hand may still be at work.
const TAKE_BACK_MS: u64 = 600;
/// The same man going on from where he was taken to be: the hand is at work on this very move.
const GOING_ON_MS: u64 = 200;
/// A man is gone who was lifted before the mover arrived: a capture that is not done yet.
const CAPTURING_MS: u64 = 1_500;
/// Explanations are this close: what comes next may tell.
const RIVALS_MS: u64 = 2_000;
/// An exchange that an occupancy board saw for so short a time may have been its sensor: the man in the
/// hand may still arrive elsewhere.
const FLICKER_MS: u64 = 300;
const FLICKER_NS: u64 = 200 * MS;
/// A man who is dragged leaves his own square for the next within a scan of a fast board; a lifted one
/// mostly takes longer.
const DRAG_BEGIN_NS: u64 = 60 * MS;
/// From a square that he only passed he is on the next one before two scans are over.
const DRAG_GAP_NS: u64 = 120 * MS;
/// A man that tipped is back on his square: the time that he has been there goes on, but for this.
pub(super) const WOBBLE_NS: u64 = 60 * MS;

impl<V: Variant> Tracker<V> {
    /// How long the men of `id`'s move have to rest before it is announced, nanoseconds.
    pub(super) fn rest_ns(&self, id: NodeId, via: Via) -> u64 {
        let announce = self.parameters.announce;
        let node = self.tree.node(id);
        let (Some(parent), Some(mv)) = (node.parent, node.mv) else { return TAKE_BACK_MS * MS };
        let before = &self.tree.node(parent).position;
        let rest_ms = match before.rest(mv) {
            Rest::Centre => CENTRE_MS,
            Rest::Castling if !before.castles_in_any_order() => CASTLING_MS,
            Rest::Castling if self.has_clock() => CASTLING_960_CLOCKED_MS,
            Rest::Castling => CASTLING_960_MS,
            rest => {
                let rest_ms = match rest {
                    Rest::OnTheWay => self.dragged_ms(id).unwrap_or(DOUBTFUL_MS),
                    Rest::Odd => ODD_MS,
                    Rest::Doubtful => DOUBTFUL_MS,
                    Rest::Final | Rest::Castling | Rest::Centre => FINAL_MS,
                };
                match announce {
                    Announce::Fast => rest_ms / 2,
                    Announce::Balanced => rest_ms,
                    Announce::Careful if self.target(id).is_some() => rest_ms.max(CAREFUL_CAPTURE_MS),
                    Announce::Careful => rest_ms.max(CAREFUL_MS),
                }
            }
        };
        let at_least_ms = match () {
            () if self.is_traceless(id, self.tree.node(parent).made_ns) => TRACELESS_MS,
            () if self.has_rival(id) => RIVALS_MS,
            () if self.is_flicker(id) => FLICKER_MS,
            () if self.is_capturing(id) => CAPTURING_MS,
            () if !self.withdraws(id) => 0,
            () if via == Via::Instead && self.goes_on(id) => GOING_ON_MS,
            () => TAKE_BACK_MS,
        };
        rest_ms.max(at_least_ms) * MS
    }

    /// The piece that rests where castling takes it, from where to where, while its move waits for the other one
    /// (Chess960).
    pub(crate) fn begun_castling(&self) -> Option<(Square, Square)> {
        let best = self.tree.node(self.beam[0].node);
        let before = &self.tree.node(best.parent?).position;
        let is_waiting = self.announces_ns().is_some() && before.castles_in_any_order();
        let mv = best.mv.filter(|&mv| is_waiting && before.rest(mv) == Rest::Castling)?;
        let to = best.footprint.changes().iter().find(|change| !change.2.is_empty())?.0;
        Some((mv.departures()[0], to))
    }

    /// What shows a capture on an occupancy board is no more than a sensor that loses its man does.
    fn is_flicker(&self, id: NodeId) -> bool {
        let away_ns = |target: Square| {
            Some(self.handling.placed_ns(target)?.saturating_sub(self.handling.lifted_ns(target)?))
        };
        self.sight.view == View::Occupancy
            && self.target(id).and_then(away_ns).is_some_and(|away_ns| away_ns <= FLICKER_NS)
    }

    /// A man is missing who was lifted before those of `id`'s move were at rest.
    fn is_capturing(&self, id: NodeId) -> bool {
        let made_ns = self.tree.node(id).made_ns;
        let difference = self.tree.difference(id, &self.image);
        difference
            .missing
            .iter()
            .any(|square| self.handling.lifted_ns(square).is_some_and(|at_ns| at_ns < made_ns))
    }

    /// The man of `id`'s move was dragged to where he is: how long he may rest there and still go on.
    fn dragged_ms(&self, id: NodeId) -> Option<u64> {
        let node = self.tree.node(id);
        let (mv, since_ns) = (node.mv?, self.tree.node(node.parent?).made_ns);
        let step = mv.last_step()?;
        let to = node.footprint.changes().iter().find(|change| !change.2.is_empty())?.0;
        let (left_ns, arrived_ns) = (self.handling.lifted_ns(step)?, self.handling.placed_ns(to)?);
        let gap_ns = arrived_ns.abs_diff(left_ns);
        if left_ns <= since_ns || gap_ns > DRAG_GAP_NS {
            return None;
        }
        if mv.departures().contains(&step) {
            return Some(if gap_ns <= DRAG_BEGIN_NS { DRAGGED_MS } else { DRAGGED_MIN_MS });
        }
        let dwell_ms = left_ns.saturating_sub(self.handling.placed_ns(step)?) / MS;
        Some((dwell_ms + dwell_ms / 2).clamp(DRAGGED_MIN_MS, DRAGGED_MS))
    }

    /// `id` is a move of the man of the last announced move, from where he came then.
    fn goes_on(&self, id: NodeId) -> bool {
        let departures = |id: NodeId| self.tree.node(id).mv.map(Move::departures);
        self.announced.last().is_some_and(|&last| {
            self.tree.node(last).parent == self.tree.node(id).parent && departures(last) == departures(id)
        })
    }
}
