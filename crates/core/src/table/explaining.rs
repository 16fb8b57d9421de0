//! Why the line is what it is, for whoever asks: nothing of it is an event.

use crate::infer::{Alternative, Choice, Evidence};
use crate::ply::Ply;
use adoube_rules::Variant;

use super::Table;

/// A best explanation less likely than this is shown to the arbiter with its runners-up, thousandths.
const SURE_MILLI: u16 = 900;
/// So is one that another follows this closely.
const CLEAR_NATS: u8 = 3;

/// What a ply rests on, and what else the picture could mean; times are counted from when the board was
/// opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What the ply rests on.
    pub evidence: Evidence,
    /// The explanations that hold, best first.
    pub alternatives: Vec<Alternative>,
}

impl<V: Variant> Table<V> {
    /// Why announced ply `ply` is what it is; `None`: the last ply of the best explanation.
    #[must_use]
    pub fn explanation(&self, ply: Option<Ply>) -> Option<Explanation> {
        let tracker = &self.scene.game.as_ref()?.tracker;
        let evidence = match ply {
            Some(ply) => tracker.evidence(ply)?,
            None => tracker.best_evidence(),
        };
        let evidence = Evidence {
            first_lift_ns: self.scene.elapsed_ns(evidence.first_lift_ns),
            made_ns: self.scene.elapsed_ns(evidence.made_ns),
            ..evidence
        };
        Some(Explanation { evidence, alternatives: tracker.alternatives() })
    }

    /// The ply that is in doubt, as long as the game is played.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        self.scene.playing()?.tracker.choice(SURE_MILLI, CLEAR_NATS)
    }
}
