//! Where king and queen stand in an array of which only the squares are felt (four-player.md, section 3): one layout is
//! assumed until a piece moves as it can in the other one alone.

use super::{Step, Tracker};
use crate::infer::image::View;
use crate::infer::squares;
use crate::infer::tree::{NodeId, ROOT};
use adoube_rules::departure::Departure;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Tracker<V> {
    /// What rests follows from the other layout, and from this one by no move: says so.
    pub(super) fn began_otherwise(&self, steps: &mut Vec<Step<V>>) -> bool {
        let layout = if self.is_again() { None } else { self.other_layout(false) };
        let is_found = layout.is_some();
        steps.extend(layout.map(Box::new).map(Step::OtherLayout));
        is_found
    }

    /// Whatever comes, the game began from the array that was assumed.
    pub(crate) fn keep_layout(&mut self) {
        self.parameters.assumes_layout = false;
    }

    /// The array of the other layout, if the plies of the line are legal there and lead to the picture by moves that are
    /// none here. Half a castling rests until it is pressed.
    pub(crate) fn other_layout(&self, is_pressed: bool) -> Option<V::Position> {
        if !self.parameters.assumes_layout || self.sight.view != View::Occupancy || self.is_explained() {
            return None;
        }
        let assumed = &self.tree.node(ROOT).position;
        let start = assumed.other_layout()?;
        if self.is_in_the_air() || (!is_pressed && self.is_half_castled()) {
            return None;
        }
        let line = self.tree.path(self.beam[0].node);
        // A piece that goes on was not where it was last taken to be.
        let before = line.split_last().map_or(line.as_slice(), |(_, before)| before);
        let is_of =
            |start: &V::Position| [line.as_slice(), before].iter().any(|line| self.explains(start, line));
        (is_of(&start) && !is_of(assumed)).then_some(start)
    }

    /// A piece that only left is in a hand, unless something was captured.
    fn is_in_the_air(&self) -> bool {
        let made_ns = self.tree.node(self.beam[0].node).made_ns;
        let is_exchanged = |square| self.handling.exchanged_ns(square, made_ns, 0).is_some();
        let is_captured = |square| !self.image.at(square).is_empty() && is_exchanged(square);
        self.is_lifted_only() && !squares::<V>().any(is_captured)
    }

    pub(super) fn is_half_castled(&self) -> bool {
        self.is_half_castled_from(self.beam[0].node)
    }

    /// The king has gone from what `id` shows to where castling takes it, and its rook is still to come.
    pub(super) fn is_half_castled_from(&self, id: NodeId) -> bool {
        let is_named = self.sight.view == View::Identity;
        let departure = self.tree.node(id).position.departure(&self.contents(), is_named);
        matches!(departure, Departure::CastlingHalf { .. })
    }

    /// Are the moves of `line` legal from `start`, and is the picture what moves make of that?
    fn explains(&self, start: &V::Position, line: &[NodeId]) -> bool {
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for &id in line {
            let node = self.tree.node(id);
            let Some((parent, mv)) = node.parent.zip(node.mv) else { return false };
            let uci = self.tree.node(parent).position.played(mv).uci();
            moves.clear();
            position.legal_moves(&mut moves);
            let is_it = |&other: &V::Move| {
                other.departures() == mv.departures() && position.played(other).uci() == uci
            };
            let Some(mv) = moves.iter().copied().find(is_it) else { return false };
            position = position.play(mv);
        }
        let mut tracker = Self::new(self.sight.view, position, self.parameters, self.tree.node(ROOT).made_ns);
        let shown = |square| (square, self.at(square));
        let changes: Vec<_> =
            squares::<V>().map(shown).filter(|&(square, content)| tracker.at(square) != content).collect();
        tracker.changed(&changes, self.changed_ns, &mut Vec::new());
        let shown = tracker.image.hash();
        let is_shown = |tracker: &Self| {
            // A capture, of which nothing but a lift was seen, need not be the best of what it may be.
            tracker.beam.iter().any(|explanation| tracker.tree.node(explanation.node).hash == shown)
        };
        is_shown(&tracker) || (tracker.search(2, self.changed_ns, &mut Vec::new()) && is_shown(&tracker))
    }
}
