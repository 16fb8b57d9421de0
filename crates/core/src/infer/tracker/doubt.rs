//! Announced plies that could as well have been other moves.
//!
//! As long as both explanations are alive they are told apart by their weights. Once they lead to one
//! position, nothing that comes will tell them apart: one is kept, and remembers the other's move. The
//! same when only one line is kept for another reason, a ruling for instance.

use super::{Explanation, NAT, Tracker};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::square::Square;
use adoube_rules::{Move, Position as _, Variant};

/// What is further behind is no doubt, and not remembered.
const REMEMBERED: i32 = 3 * NAT;

/// An announced ply that could as well have been another move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt<M> {
    /// The ply.
    pub ply: Ply,
    /// The other moves.
    pub others: Vec<M>,
}

/// A move that may have been played instead of a ply, and by how much it is the worse explanation.
#[derive(Debug, Clone, Copy)]
pub(in crate::infer) struct Rival<M> {
    pub(in crate::infer) mv: M,
    pub(in crate::infer) behind: i32,
}

impl<V: Variant> Tracker<V> {
    /// The announced plies that another explanation which holds says otherwise, first ply first: one that
    /// is less than `nats` behind. Which piece a pawn became is no such doubt.
    #[must_use]
    pub fn doubts(&self, nats: u8) -> Vec<Doubt<V::Move>> {
        let within = i32::from(nats) * NAT;
        let mut doubts: Vec<Doubt<V::Move>> = Vec::new();
        let mut doubt = |ply: Ply, mv: V::Move| match doubts.iter_mut().find(|known| known.ply == ply) {
            Some(known) if known.others.contains(&mv) => {}
            Some(known) => known.others.push(mv),
            None => doubts.push(Doubt { ply, others: vec![mv] }),
        };
        for (id, rival) in self.tree.rivals().filter(|(_, rival)| rival.behind < within) {
            let ply = self.tree.node(id).ply;
            if !ply.is_start() && self.announced_at(ply) == Some(id) {
                doubt(ply, rival.mv);
            }
        }
        let best = self.weight(&self.beam[0]);
        let last = self.announced_node(self.plies());
        for other in self.beam.iter().filter(|other| other.holds()) {
            if best - self.weight(other) < within
                && let Some((own, mv)) = self.parting(last, other.node)
            {
                doubt(self.tree.node(own).ply, mv);
            }
        }
        doubts.sort_by_key(|doubt| doubt.ply);
        doubts
    }

    /// The announced line ends the game, and another explanation that holds and is less than `nats` behind says that
    /// it goes on. What a pawn became does not count.
    #[must_use]
    pub fn may_go_on(&self, nats: u8) -> bool {
        let within = i32::from(nats) * NAT;
        let best = self.weight(&self.beam[0]);
        let last = self.announced_node(self.plies());
        self.beam.iter().any(|other| {
            other.holds()
                && best - self.weight(other) < within
                && self.parting(last, other.node).is_some()
                && self.tree.node(other.node).position.end().is_none()
        })
    }

    /// Announced ply `ply` is no longer in doubt: it was confirmed.
    pub fn confirm(&mut self, ply: Ply) {
        let Some(id) = self.announced_at(ply) else { return };
        self.tree.forget_rivals(id);
        let tree = &self.tree;
        self.beam.retain(|explanation| tree.leads_to(id, explanation.node));
        if self.beam.is_empty() {
            let last = self.announced_node(self.plies());
            self.beam.push(Explanation::new(last, 0, super::Via::Same));
        }
    }

    /// `dropped` leads to the position of an explanation that is kept.
    pub(super) fn merge(&mut self, dropped: &Explanation) {
        let is_kept = |kept: &&Explanation| self.is_same(kept.node, dropped.node);
        let Some(kept) = self.beam.iter().find(is_kept).copied() else { return };
        if kept.node != dropped.node && kept.holds() && dropped.holds() {
            self.remember(kept.node, self.weight(&kept), dropped);
        }
    }

    /// The explanations are about to give way to the announced line.
    pub(super) fn remember_rivals(&mut self) {
        let best = self.weight(&self.beam[0]);
        let last = self.announced_node(self.plies());
        for other in self.beam.clone() {
            if other.holds() {
                self.remember(last, best, &other);
            }
        }
    }

    /// Of the line to `kept`, which weighs `weight`, and `other` only the former goes on.
    fn remember(&mut self, kept: NodeId, weight: i32, other: &Explanation) {
        let behind = (weight - self.weight(other)).max(0);
        if behind < REMEMBERED
            && let Some((own, mv)) = self.parting(kept, other.node)
        {
            self.tree.remember_rival(own, Rival { mv, behind });
        }
    }

    /// The first ply on the way to `line` that the way to `leaf` has otherwise, and the move that it has
    /// there. What was supplied after a gap is in doubt anyhow.
    fn parting(&self, line: NodeId, leaf: NodeId) -> Option<(NodeId, V::Move)> {
        let (own, other) = self.tree.parting(line, leaf)?;
        let (own_move, other_move) = (self.tree.node(own).mv?, self.tree.node(other).mv?);
        let is_told_elsewhere = self.tree.node(own).recovered || self.is_same_promotion(own, other);
        (own_move != other_move && !is_told_elsewhere).then_some((own, other_move))
    }

    /// One pawn reaches one square in both plies, and becomes different pieces.
    fn is_same_promotion(&self, one: NodeId, other: NodeId) -> bool {
        let (one, other) = (self.tree.node(one), self.tree.node(other));
        let is_unusual = |mv: Option<V::Move>| mv.is_some_and(Move::is_unusual_promotion);
        let squares = |node: &crate::infer::tree::Node<V>| -> Vec<(Square, bool)> {
            node.footprint.changes().iter().map(|change| (change.0, change.2.is_empty())).collect()
        };
        (is_unusual(one.mv) || is_unusual(other.mv)) && squares(one) == squares(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::tracker::{Parameters, Via};
    use crate::infer::{Step, View};
    use adoube_rules::stamp::SECOND;
    use adoube_rules::{Chess, ChessPosition};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// A knight and a pawn, in one order announced, and in the other `behind` it.
    fn transposed(behind: i32) -> (Tracker<Chess>, Explanation) {
        let start = ChessPosition::from_fen(START, false).unwrap();
        let mut tracker = Tracker::new(View::Occupancy, start, Parameters::default(), 0);
        let kept = tracker.after("d2d3 e7e6 g1f3");
        let other = tracker.after("g1f3 e7e6 d2d3");
        tracker.beam = vec![Explanation::new(kept, 0, Via::Search)];
        tracker.announce(kept, SECOND, &mut Vec::new());
        (tracker, Explanation::new(other, -behind, Via::Search))
    }

    fn said(tracker: &Tracker<Chess>, nats: u8) -> Vec<(u32, Vec<String>)> {
        let named = |doubt: Doubt<<Chess as Variant>::Move>| {
            let position = tracker.position(doubt.ply.before());
            let others = doubt.others.into_iter().map(|mv| position.played(mv).san());
            (doubt.ply.number(), others.collect())
        };
        tracker.doubts(nats).into_iter().map(named).collect()
    }

    #[test]
    fn what_leads_to_one_position_stays_in_doubt_where_it_parts() {
        let (mut tracker, other) = transposed(NAT / 2);
        tracker.merge(&other);
        assert_eq!(said(&tracker, 1), [(1, vec!["Nf3".to_owned()])]);
        // Later moves change nothing about it.
        let mut steps: Vec<Step<Chess>> = Vec::new();
        let next = tracker.after("d2d3 e7e6 g1f3 b8c6");
        let mv = tracker.tree.node(next).mv.unwrap();
        assert!(tracker.take_as_made(mv, 2 * SECOND, &mut steps));
        assert_eq!(said(&tracker, 1), [(1, vec!["Nf3".to_owned()])]);
        // The arbiter does.
        tracker.confirm(Ply::new(1));
        assert_eq!(said(&tracker, 3), []);
        assert_eq!(tracker.plies(), Ply::new(4));
    }

    #[test]
    fn what_is_clearly_worse_is_no_doubt() {
        let (mut tracker, other) = transposed(2 * NAT);
        tracker.merge(&other);
        assert_eq!(said(&tracker, 1), []);
        assert_eq!(said(&tracker, 3).len(), 1);
        let (mut tracker, other) = transposed(4 * NAT);
        tracker.merge(&other);
        assert_eq!(said(&tracker, 3), []);
    }

    #[test]
    fn a_line_that_is_taken_as_it_stands_keeps_its_doubts() {
        let (mut tracker, other) = transposed(NAT / 2);
        let elsewhere = tracker.after("g1f3 e7e6 e2e3");
        tracker.beam.push(Explanation::new(elsewhere, other.penalty, Via::Search));
        assert_eq!(said(&tracker, 1).len(), 1);
        tracker.cut(Ply::new(3), SECOND, &mut Vec::new());
        assert_eq!(tracker.beam.len(), 1);
        assert_eq!(said(&tracker, 1), [(1, vec!["Nf3".to_owned()])]);
    }
}
