//! Where king and queen stand in an array of which only the squares are felt (four-player.md, section 3): one layout is
//! assumed until a piece moves as it can in the other one alone.

use super::{Step, Tracker};
use crate::infer::image::View;
use crate::infer::squares;
use crate::infer::tree::{NodeId, ROOT};
use crate::ply::Ply;
use adoube_rules::departure::Departure;
use adoube_rules::stamp::SECOND;
use adoube_rules::{Move as _, Position as _, Variant};

/// A capture leaves a picture like a piece in the air: hovering is over.
const HOVERED_NS: u64 = 2 * SECOND;

impl<V: Variant> Tracker<V> {
    /// What rests follows from the other layout, and from this one by no move: says so.
    pub(super) fn began_otherwise(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let Some((start, plies)) = self.other_layout(false) else { return false };
        let hovered_ns = self.changed_ns + HOVERED_NS;
        if self.is_lifted_only() && at_ns < hovered_ns {
            self.settle_ns = Some(hovered_ns);
            return false;
        }
        steps.push(Step::BeganOtherwise { start: Box::new(start), plies });
        true
    }

    /// The array of the other layout, and how many plies of the line were played from it, if those are legal there and lead
    /// to the picture by a move that is none here. Whoever has pressed has done with it.
    pub(crate) fn other_layout(&self, is_pressed: bool) -> Option<(V::Position, Ply)> {
        let start = self.tree.node(ROOT).position.other_layout()?;
        if self.sight.view != View::Occupancy || self.is_explained() || (!is_pressed && self.is_half_done()) {
            return None;
        }
        let line = self.tree.path(self.beam[0].node);
        // A piece that goes on was not where it was last taken to be.
        let before = line.split_last().map(|(_, before)| before);
        let lines = [Some(line.as_slice()), before];
        let line = lines.into_iter().flatten().find(|line| self.explains(&start, line))?;
        let plies = line.last().map_or(Ply::START, |&last| self.tree.node(last).ply);
        Some((start, plies))
    }

    /// A piece that only left is in a hand, unless something was captured, and a rook may follow its king.
    fn is_half_done(&self) -> bool {
        let best = self.tree.node(self.beam[0].node);
        let is_exchanged = |square| self.handling.exchanged_ns(square, best.made_ns, 0).is_some();
        let is_captured = |square| !self.image.at(square).is_empty() && is_exchanged(square);
        let departure = best.position.departure(&self.contents(), false);
        matches!(departure, Departure::CastlingHalf { .. })
            || (self.is_lifted_only() && !squares::<V>().any(is_captured))
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
        // A capture, of which nothing but a lift was seen, need not be the best of what it may be.
        tracker.beam.iter().any(|explanation| tracker.tree.node(explanation.node).hash == shown)
    }
}
