//! In which order plies were made that nobody saw: what was seen to be lifted before the link was lost came first, what was
//! seen to arrive when it was back came last, and whoever moved last may not have pressed yet.

use super::weigh::{LOOK_NS, nats};
use super::{NAT, Tracker};
use crate::infer::image::View;
use crate::infer::search::RECAPTURE;
use crate::infer::tree::NodeId;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Move as _, Position as _, Variant};

/// The lever lies as if the other side were to move: it may have been left like that.
const LEVER: i32 = -3 * NAT;
/// Whoever puts a piece down presses within this time, or has forgotten to.
pub(super) const PRESS_NS: u64 = 2_500 * MS;
/// A piece that was there this long before another one came was not put down after it: as for pieces in sight.
const ARRIVED_BEFORE_NAT_NS: u64 = 50 * MS;
const ARRIVED_BEFORE_MAX: i32 = 14 * NAT;
/// Another piece of its player moved before one that was lifted in sight: it was put back and taken again.
const LIFTED_BEFORE: i32 = -2 * NAT;
/// Orders that are compared: six plies of two players have 36.
const ORDERS_MAX: u32 = 64;

/// An order of plies, as far as it goes.
struct Order<V: Variant> {
    moves: Vec<V::Move>,
    prior: i32,
    /// Where the last ply took a piece.
    taken: Option<Square>,
}

/// What is compared.
struct Orders<'a, V: Variant> {
    tracker: &'a Tracker<V>,
    base: NodeId,
    at_ns: u64,
    left: u32,
    /// The likeliest one so far, with its weight, and the part of it that its handling makes.
    best: Option<(i32, i32, Vec<V::Move>)>,
}

impl<V: Variant> Tracker<V> {
    /// The plies `moves` from `base` on, which nobody saw, as they were most likely made, each player's in whatever order;
    /// and what speaks against that.
    pub(super) fn likeliest_order(
        &self,
        base: NodeId,
        moves: Vec<V::Move>,
        at_ns: u64,
    ) -> (Vec<V::Move>, i32) {
        let mut orders = Orders { tracker: self, base, at_ns, left: ORDERS_MAX, best: None };
        let begun = Order { moves: Vec::new(), prior: 0, taken: None };
        orders.go_on(&self.tree.node(base).position, &moves, &begun);
        match orders.best {
            Some((_, handling, likeliest)) => (likeliest, handling),
            None => {
                let handling = self.handling_of(base, &moves, at_ns);
                (moves, handling)
            }
        }
    }

    /// What the handling says of this order.
    fn handling_of(&self, base: NodeId, moves: &[V::Move], at_ns: u64) -> i32 {
        let made_ns = self.tree.node(base).made_ns;
        let is_seen = |&lifted_ns: &u64| lifted_ns > made_ns && lifted_ns < self.recovery.lost_ns;
        let mut position = self.tree.node(base).position.clone();
        let (mut weight, mut have_moved) = (0, Vec::new());
        for &mv in moves {
            let lifted_ns = mv.departures().into_iter().filter_map(|square| self.handling.lifted_ns(square));
            if have_moved.contains(&position.army()) && lifted_ns.max().is_some_and(|at_ns| is_seen(&at_ns)) {
                weight += LIFTED_BEFORE;
            }
            have_moved.push(position.army());
            position = position.play(mv);
        }
        let look_ns = self.scan.slow_ns().map_or(LOOK_NS, |slow_ns| slow_ns.max(LOOK_NS));
        let mut latest_ns = 0;
        for arrived_ns in self.arrivals(base, moves).into_iter().flatten() {
            let early_ns = u64::saturating_sub(latest_ns, arrived_ns).saturating_sub(look_ns);
            weight -= nats(early_ns, ARRIVED_BEFORE_NAT_NS).min(ARRIVED_BEFORE_MAX);
            latest_ns = latest_ns.max(arrived_ns);
        }
        weight + if self.is_against_lever(base, moves, at_ns) { LEVER } else { 0 }
    }

    /// The lever lies as if the last of `moves` had not been made, and its player had time to press.
    pub(super) fn is_against_lever(&self, base: NodeId, moves: &[V::Move], at_ns: u64) -> bool {
        let turn = self.tree.node(base).position.turn();
        let next = if moves.len().is_multiple_of(2) { turn } else { turn.other() };
        let may_press =
            |arrived_ns: u64| self.recovery.picture_ns < Some(arrived_ns) && at_ns < arrived_ns + PRESS_NS;
        self.recovery.lever.is_some_and(|lever| lever != next)
            && !self.arrivals(base, moves).last().copied().flatten().is_some_and(may_press)
    }

    /// When the pieces of each ply arrived, as far as they stand where it brought them; with the picture, if not later. A
    /// capture may have left no trace.
    fn arrivals(&self, base: NodeId, moves: &[V::Move]) -> Vec<Option<u64>> {
        let picture_ns = self.recovery.picture_ns.unwrap_or(0);
        let mut position = self.tree.node(base).position.clone();
        // By square, which ply brought what stands there now, and whether something else stood there.
        let mut brought: Vec<(Square, usize, bool)> = Vec::new();
        for (ply, &mv) in moves.iter().enumerate() {
            for &(square, before, after) in position.footprint(mv).changes() {
                brought.retain(|known| known.0 != square);
                if !after.is_empty() {
                    brought.push((square, ply, !before.is_empty()));
                }
            }
            position = position.play(mv);
        }
        let mut arrivals_ns: Vec<Option<u64>> = vec![None; moves.len()];
        for (square, ply, is_capture) in brought {
            let placed_ns = self.handling.placed_ns(square).unwrap_or(picture_ns).max(picture_ns);
            if placed_ns > picture_ns || !is_capture || self.sight.view == View::Identity {
                arrivals_ns[ply] = arrivals_ns[ply].max(Some(placed_ns));
            }
        }
        arrivals_ns
    }
}

impl<V: Variant> Orders<'_, V> {
    /// Makes each of the plies that are `left` where it is legal in `position`, after those of `begun`.
    fn go_on(&mut self, position: &V::Position, left: &[V::Move], begun: &Order<V>) {
        if left.is_empty() {
            let handling = self.tracker.handling_of(self.base, &begun.moves, self.at_ns);
            let weight = begun.prior + handling;
            if self.best.as_ref().is_none_or(|best| weight > best.0) {
                self.best = Some((weight, handling, begun.moves.clone()));
            }
            self.left = self.left.saturating_sub(1);
            return;
        }
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        for (index, &mv) in left.iter().enumerate() {
            if self.left == 0 {
                return;
            }
            if left[..index].contains(&mv) || !legal.contains(&mv) {
                continue;
            }
            let target = position.footprint(mv).changes().iter().find_map(|&(square, before, after)| {
                (!before.is_empty() && !after.is_empty()).then_some(square)
            });
            let takes_back = target.is_some() && target == begun.taken;
            let prior = begun.prior + position.prior(mv) + if takes_back { RECAPTURE } else { 0 };
            let mut moves = begun.moves.clone();
            moves.push(mv);
            let mut rest = left.to_vec();
            rest.remove(index);
            self.go_on(&position.play(mv), &rest, &Order { moves, prior, taken: target });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::tracker::{Parameters, Step};
    use adoube_rules::sensor::{Content, Side};
    use adoube_rules::stamp::SECOND;
    use adoube_rules::{Chess, ChessPosition};

    /// The game so far, and what the board shows after it.
    fn after(ucis: &str) -> Vec<Content> {
        let mut position = ChessPosition::default();
        for uci in ucis.split_whitespace() {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let mv = moves.into_iter().find(|&mv| position.played(mv).uci() == uci).unwrap();
            position = position.play(mv);
        }
        position.contents()
    }

    /// What is told when the link was lost at two seconds, was back at ten and the board showed each of `pictures` 400 ms
    /// after the one before; `ran` says whose time ran meanwhile, `lever` whose turn it was then.
    fn told(pictures: &[Vec<Content>], ran: [bool; 2], lever: Option<Side>) -> Vec<String> {
        let start = ChessPosition::default();
        let mut tracker: Tracker<Chess> =
            Tracker::new(View::Identity, start.clone(), Parameters::default(), 0);
        let mut steps = Vec::new();
        tracker.ran([true, false], SECOND);
        tracker.lost(2 * SECOND);
        tracker.ran(ran, 10 * SECOND);
        tracker.lever(lever, 10 * SECOND);
        let mut shown = start.contents();
        for (index, picture) in (0..).zip(pictures) {
            let at_ns = 10 * SECOND + index * 400 * MS;
            tracker.advance(at_ns, &mut steps);
            let differs = |&(square, &content): &(Square, &Content)| shown[square] != content;
            let changes: Vec<_> =
                Square::all().zip(picture).filter(differs).map(|(at, &to)| (at, to)).collect();
            tracker.changed(&changes, at_ns, &mut steps);
            shown.clone_from(picture);
        }
        tracker.advance(30 * SECOND, &mut steps);
        let made = steps.into_iter().filter_map(|step| match step {
            Step::Made(made) => Some(made.played.uci()),
            _ => None,
        });
        made.collect()
    }

    #[test]
    fn what_was_seen_to_arrive_last_was_played_last() {
        let late = |first: &str, whole: &str| {
            let mut picture = after(first);
            // The piece is in the hand when the board shows itself again.
            let whole = after(whole);
            let emptied: Vec<Square> = Square::all()
                .take(64)
                .filter(|&square| !picture[square].is_empty() && whole[square].is_empty())
                .collect();
            emptied.into_iter().for_each(|square| picture[square] = Content::EMPTY);
            told(&[picture, whole], [true, true], None)
        };
        assert_eq!(late("d2d4 d7d5", "d2d4 d7d5 g1f3"), ["d2d4", "d7d5", "g1f3"]);
        assert_eq!(late("g1f3 d7d5", "g1f3 d7d5 d2d4"), ["g1f3", "d7d5", "d2d4"]);
    }

    #[test]
    fn a_side_whose_time_stood_has_not_moved() {
        let picture = [after("e2e4 e7e5")];
        assert_eq!(told(&picture, [true, true], None), ["e2e4", "e7e5"]);
        assert_eq!(told(&picture, [true, false], None), Vec::<String>::new());
    }

    #[test]
    fn many_plies_are_not_believed_against_the_lever() {
        let picture = [after("e2e4 e7e5 g1f3 b8c6 f1c4")];
        let plies = |lever| told(&picture, [true, true], Some(lever)).len();
        assert_eq!(plies(Side::Black), 5);
        // A pawn that went in two steps.
        assert_eq!(plies(Side::White), 6);
        // Nothing else leads there, and four plies may not have been pressed.
        let [moved, stuck] = ["a2a3 a7a6 b2b3 b7b6 c2c3", "a2a3 a7a6 b2b3 b7b6"].map(|ucis| [after(ucis)]);
        assert_eq!(told(&moved, [true, true], Some(Side::White)), Vec::<String>::new());
        assert_eq!(told(&stuck, [true, true], Some(Side::Black)).len(), 4);
    }
}
