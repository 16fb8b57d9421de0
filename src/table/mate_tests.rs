//! Can a player still be mated? Asked wherever the Laws ask, and told with what the answer rests on: the
//! moves, the reason, or what speaks for either (5.1.2, 5.2.2, 6.9, 7.5.5, A.4.3, III.5).
//!
//! | field | what |
//! |---|---|
//! | `mate_test` | `yes`, `no`, `unknown` |
//! | `mate_side`, `mate_fen` | who is to mate, and the position of which that was asked: the last legal one |
//! | `mate_line`, `mate_plies`, `mate_end` | of `yes`: moves (`uci`, `san`) from `mate_fen`, at most [`LINE_MAX`]; how many there are in all; the mate |
//! | `mate_reason`, `mate_positions` | of `no`: `game-over`, `bare-king`, `lone-knight`, `one-coloured-bishops`, `blocked`, `all-played`; of the last how many positions |
//! | `mate_basis`, `mate_nodes` | of `unknown`: `material sufficient`, `blocked`, `no regular position`; how many positions were looked at |
//! | `mate_reasons` | of a dead position, for each side that it is settled for: `side`, `reason`, `positions` |
//!
//! [`LINE_MAX`]: crate::rules::LINE_MAX

use serde_json::{Value, json};

use crate::rules::{CannotMate, MateTest, Variant};
use crate::sensor::Side;

use super::Table;
use super::records::Draft;

/// Whether a side can mate, and the position of which that was asked.
#[derive(Debug)]
pub(super) struct MateAsked {
    winner: Side,
    fen: Option<String>,
    pub(super) test: MateTest,
}

impl<V: Variant> Table<V> {
    /// Can `winner` still mate, by any series of legal moves, from the last legal position?
    pub(super) fn ask_mate(&self, winner: Side) -> MateAsked {
        let Some(game) = &self.game else {
            let test = MateTest::Unknown { basis: crate::rules::NO_REGULAR_POSITION, nodes: 0 };
            return MateAsked { winner, fen: None, test };
        };
        let legal = game.plies.iter().take_while(|ply| ply.illegal.is_none()).count();
        let ply = u32::try_from(legal).unwrap_or(u32::MAX).min(game.tracker.plies());
        let position = game.tracker.position(ply);
        let test = V::can_mate(position, winner, self.profile.mate_search_nodes);
        MateAsked { winner, fen: Some(V::fen(position)), test }
    }

    /// Why neither side can mate from a position that is dead, as far as it was settled for each.
    pub(super) fn why_dead(&self, position: &V::Position) -> Vec<Value> {
        let reason = |side: Side| match V::can_mate(position, side, self.profile.mate_search_nodes) {
            MateTest::No(CannotMate { reason, positions }) => {
                Some(json!({ "side": side.name(), "reason": reason, "positions": positions }))
            }
            MateTest::Yes(_) | MateTest::Unknown { .. } => None,
        };
        Side::BOTH.into_iter().filter_map(reason).collect()
    }
}

impl Draft {
    /// The answer and what it rests on: for the arbiter, who decides.
    pub(super) fn mate_test(self, asked: &MateAsked) -> Self {
        let draft = self
            .with("mate_test", asked.test.name())
            .with("mate_side", asked.winner.name())
            .with("mate_fen", asked.fen.clone());
        match &asked.test {
            MateTest::Yes(line) => {
                let moves: Vec<Value> =
                    line.moves.iter().map(|mv| json!({ "uci": mv.uci, "san": mv.san })).collect();
                draft.with("mate_line", moves).with("mate_plies", line.plies).with("mate_end", line.end.fen())
            }
            MateTest::No(CannotMate { reason, positions }) => {
                let draft = draft.with("mate_reason", *reason);
                match positions {
                    Some(positions) => draft.with("mate_positions", *positions),
                    None => draft,
                }
            }
            MateTest::Unknown { basis, nodes } => draft.with("mate_basis", *basis).with("mate_nodes", *nodes),
        }
    }
}
