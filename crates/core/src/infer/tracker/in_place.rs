//! Castling in Chess960 that leaves a picture of squares only as it was: king and rook changed places, and both were lifted.

use super::{Explanation, Tracker, Via};
use crate::infer::handling::Exchange;
use crate::infer::image::View;
use adoube_rules::square::{Square, Squares};
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Tracker<V> {
    /// The picture is what `from` shows: what castling may have been made all the same.
    pub(super) fn castled_in_place(&mut self, from: Explanation, found: &mut Vec<Explanation>) {
        let since_ns = self.tree.node(from.node).made_ns;
        let lifted: Vec<Exchange> = self.handling.exchanges(since_ns, 0).collect();
        if self.sight.view != View::Occupancy || lifted.len() < 2 {
            return;
        }
        let mut left = Squares::EMPTY;
        lifted.iter().for_each(|exchange| left.insert(exchange.square));
        let on = |square: Square| lifted.iter().find(|exchange| exchange.square == square);
        // Neither comes down before the other has left its square.
        let passed = |(king, rook): (Square, Square)| {
            on(king).zip(on(rook)).is_some_and(|(king, rook)| {
                king.lifted_ns < rook.placed_ns && rook.lifted_ns < king.placed_ns
            })
        };
        let sight = self.sight;
        let mut nodes = Vec::new();
        self.tree.children_leaving(from.node, left, &mut nodes, |node, mv| {
            let footprint = node.position.footprint(mv);
            mv.castling().is_some_and(passed)
                && footprint.changes().iter().all(|&(square, _, after)| {
                    sight.see(square, node.position.content(square)) == sight.see(square, after)
                })
        });
        found.extend(nodes.into_iter().map(|node| Explanation::new(node, from.penalty, Via::NextMove)));
    }
}
