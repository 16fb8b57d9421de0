//! A picture with one man more than there can be: no hand put it there. Its square is doubted at once, and said to be
//! stuck when that lasts (`health`).

use super::{Step, Tracker};
use crate::infer::image::squares;
use crate::infer::tree::NodeId;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::{Square, Squares};
use adoube_rules::stamp::SECOND;
use adoube_rules::touch::side_of;
use adoube_rules::{Move as _, Position as _, Variant};

/// A man is read on his new square before he has left the old one for less than this: a slow scan takes half of it.
const ON_THE_WAY_NS: u64 = SECOND / 2;
/// More men than that who came at once are no fault of one square.
const SUSPECTS_MAX: usize = 3;

impl<V: Variant> Tracker<V> {
    /// The picture, which nothing explains, has a man more than there can be: without it, does a move explain the rest?
    /// One who could have been moved there may be on his way, unless he has been there for long; one who could become
    /// that man there may stand beside him at any time.
    /// At the press of `presser` a reply may be on its way already.
    pub(super) fn explain_without_surplus(
        &mut self,
        presser: Option<Side>,
        at_ns: u64,
        steps: &mut Vec<Step<V>>,
    ) -> bool {
        if self.blind || self.is_adopted() || self.health.is_masked || self.is_explained() {
            return false;
        }
        let suspects = self.surplus(presser, at_ns);
        if suspects.is_empty() || suspects.len() > SUSPECTS_MAX {
            return false;
        }
        // Or another square has lied for longer, and the man came from there.
        let weight = self.weight(&self.beam[0]);
        if !self.is_again() && self.look_back_for(weight, &[], false, at_ns, steps) {
            return true;
        }
        let (suspected, beam) = (self.health.suspected, self.beam.clone());
        for square in suspects {
            self.health.suspected = suspected;
            self.health.suspected.insert(square);
            self.see_anew(at_ns);
            // A move that was seen before and had to wait goes on waiting.
            if self.is_explained() {
                self.decide(at_ns, steps);
                return true;
            }
            if self.is_a_move_away() && self.explain(at_ns, steps) {
                return true;
            }
        }
        self.health.suspected = suspected;
        self.look_anew();
        self.beam = beam;
        false
    }

    /// Where men stand of whom there are more than there can be, whoever came first in front.
    fn surplus(&mut self, presser: Option<Side>, at_ns: u64) -> Vec<Square> {
        let standing = self.announced_node(self.standing.min(self.plies()));
        let before = &*self.tree.node(standing).shown;
        let seen = self.image.contents();
        let count = |contents: &[Content], man: Content| contents.iter().filter(|&&seen| seen == man).count();
        let mut suspects: Vec<Square> = Square::all()
            .zip(seen.iter().zip(before))
            .filter(|(_, (seen, before))| !seen.is_empty() && seen != before)
            .filter(|(_, (man, _))| count(seen, **man) > count(before, **man))
            .map(|(square, _)| square)
            .collect();
        // Whoever came last may be exchanged for another man.
        let mut arrivals = Squares::EMPTY;
        let last = self.tree.node(self.beam[0].node).footprint;
        let arrived = |change: &&(Square, Content, Content)| !change.2.is_empty();
        last.changes().iter().filter(arrived).for_each(|change| arrivals.insert(change.0));
        let (sight, health) = (self.sight, &self.health);
        let has_stayed = |square: Square| at_ns - health.since_ns(square) >= ON_THE_WAY_NS;
        self.tree.children_leaving(standing, squares::<V>().collect(), &mut Vec::new(), |node, mv| {
            let is_gone = mv.departures().into_iter().all(|square| seen[square].is_empty());
            let is_promotion = node.position.may_promote(mv.departures()[0]);
            for &(square, _, after) in node.position.footprint(mv).changes().iter().filter(arrived) {
                let is_the_man = sight.see(square, after) == seen[square];
                if is_promotion || (is_the_man && !has_stayed(square)) || (is_gone && !is_the_man) {
                    arrivals.insert(square);
                }
            }
            false
        });
        let may_reply =
            |square: Square| presser.is_some_and(|presser| side_of(seen[square]) != Some(presser));
        suspects.retain(|&square| !arrivals.contains(square) && (has_stayed(square) || !may_reply(square)));
        suspects.sort_by_key(|&square| self.health.since_ns(square));
        suspects
    }

    /// One of the explanations, or one move from there or from before the best one, shows the picture as it is.
    fn is_a_move_away(&mut self) -> bool {
        let hash = self.image.hash();
        let mut bases: Vec<NodeId> = self.beam.iter().map(|explanation| explanation.node).collect();
        bases.extend(self.tree.node(self.beam[0].node).parent);
        let mut showing = Vec::new();
        for base in bases {
            self.tree.children_showing(base, hash, &mut showing);
        }
        !showing.is_empty()
    }
}
