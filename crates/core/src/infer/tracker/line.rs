//! The announced line and the best explanation, for whoever asks: plies, positions, moves, times.

use super::super::tree::{NodeId, ROOT};
use super::{NAT, Tracker};
use crate::ply::Ply;
use adoube_rules::sensor::Content;
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::{Played, Position as _, Variant};

impl<V: Variant> Tracker<V> {
    /// How many plies are announced.
    #[must_use]
    pub fn plies(&self) -> Ply {
        self.announced.last().map_or(Ply::START, |&node| self.tree.node(node).ply)
    }

    /// How many announced plies stand.
    #[must_use]
    pub fn standing(&self) -> Ply {
        self.standing
    }

    /// The position after `ply` announced plies; 0 is the start.
    #[must_use]
    pub fn position(&self, ply: Ply) -> &V::Position {
        &self.tree.node(self.announced_node(ply)).position
    }

    /// The position that the best explanation ends with, announced or not.
    #[must_use]
    pub fn best(&self) -> &V::Position {
        &self.tree.node(self.beam[0].node).position
    }

    /// How many plies the best explanation has, announced or not.
    #[must_use]
    pub(crate) fn best_plies(&self) -> Ply {
        self.tree.node(self.beam[0].node).ply
    }

    /// The move of announced ply `ply`; `None` for the start and for what was no move.
    #[must_use]
    pub fn mv(&self, ply: Ply) -> Option<V::Move> {
        self.tree.node(self.announced_node(ply)).mv
    }

    /// First lift of a piece of announced ply `ply`.
    #[must_use]
    pub fn lifted_ns(&self, ply: Ply) -> u64 {
        self.tree.node(self.announced_node(ply)).first_lift_ns
    }

    /// When `square` was last left.
    #[must_use]
    pub(crate) fn square_lifted_ns(&self, square: Square) -> Option<u64> {
        self.handling.lifted_ns(square)
    }

    /// When `square` was last filled.
    #[must_use]
    pub(crate) fn square_placed_ns(&self, square: Square) -> Option<u64> {
        self.handling.placed_ns(square)
    }

    /// What `square` is read as, believed or not, and since when.
    #[must_use]
    pub(crate) fn read_at(&self, square: Square) -> (Content, u64) {
        self.health.read(square)
    }

    /// When announced ply `ply` was made.
    #[must_use]
    pub fn made_ns(&self, ply: Ply) -> u64 {
        self.tree.node(self.announced_node(ply)).made_ns
    }

    /// The announced move `ply`; `None` for the start.
    #[must_use]
    pub fn played(&self, ply: Ply) -> Option<Played> {
        let node = self.tree.node(self.announced_node(ply));
        let parent = self.tree.node(node.parent?);
        Some(match node.mv {
            Some(mv) => parent.position.played(mv),
            None => parent.position.played_stood(&node.position),
        })
    }

    /// Whose turn it is in the best explanation, announced or not.
    #[must_use]
    pub fn turn(&self) -> Side {
        self.tree.node(self.beam[0].node).position.turn()
    }

    /// How many explanations are as good as the best one and lead to another game.
    #[must_use]
    pub fn rivals(&self) -> usize {
        let best = self.weight(&self.beam[0]);
        self.beam[1..].iter().filter(|other| other.holds() && best - self.weight(other) < NAT).count()
    }

    pub(super) fn announced_node(&self, ply: Ply) -> NodeId {
        if ply.is_start() { ROOT } else { self.announced[ply.before().count()] }
    }

    /// The node of announced ply `ply`, if so many are.
    pub(super) fn announced_at(&self, ply: Ply) -> Option<NodeId> {
        self.announced.get(ply.count().checked_sub(1)?).copied()
    }
}

#[cfg(test)]
impl Tracker<adoube_rules::Chess> {
    /// The node after these moves from the start.
    pub(super) fn after(&mut self, ucis: &str) -> NodeId {
        ucis.split_whitespace().fold(ROOT, |node, uci| {
            let position = &self.tree.node(node).position;
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let mv = moves.into_iter().find(|&mv| position.played(mv).uci() == uci).unwrap();
            self.tree.descend(node, mv).unwrap()
        })
    }
}
