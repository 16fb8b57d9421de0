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

use crate::event::{Event, Status};
use crate::rules::laws::Name;
use crate::rules::{CannotMate, MateTest, Position as _, Variant};
use crate::sensor::Side;

use super::Table;
use super::records::{Draft, Record};

/// Whether a side can mate, and the position of which that was asked.
#[derive(Debug)]
pub(super) struct MateAsked {
    winner: Side,
    fen: Option<String>,
    pub(super) test: MateTest,
}

impl MateAsked {
    /// The answer and what it rests on, as fields of a record.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![
            ("mate_test", self.test.name().into()),
            ("mate_side", self.winner.name().into()),
            ("mate_fen", self.fen.clone().into()),
        ];
        match &self.test {
            MateTest::Yes(line) => {
                let moves: Vec<Value> =
                    line.moves.iter().map(|mv| json!({ "uci": mv.uci, "san": mv.san })).collect();
                fields.push(("mate_line", moves.into()));
                fields.push(("mate_plies", line.plies.into()));
                fields.push(("mate_end", line.end.fen().into()));
            }
            MateTest::No(CannotMate { reason, positions }) => {
                fields.push(("mate_reason", (*reason).into()));
                fields.extend(positions.map(|positions| ("mate_positions", positions.into())));
            }
            MateTest::Unknown { basis, nodes } => {
                fields.push(("mate_basis", (*basis).into()));
                fields.push(("mate_nodes", (*nodes).into()));
            }
        }
        fields
    }
}

impl Draft {
    /// The answer and what it rests on: for the arbiter, who decides.
    pub(super) fn mate_test(self, asked: &MateAsked) -> Self {
        asked.fields().into_iter().fold(self, |draft, (key, value)| draft.with(key, value))
    }
}

impl<V: Variant> Table<V> {
    /// Can `winner` still mate, by any series of legal moves, from the last legal position?
    pub(super) fn ask_mate(&self, winner: Side) -> MateAsked {
        let Some(game) = &self.game else {
            let test = MateTest::Unknown { basis: crate::rules::NO_REGULAR_POSITION, nodes: 0 };
            return MateAsked { winner, fen: None, test };
        };
        let position = game.tracker.position(self.last_legal_ply());
        let test = position.can_mate(winner, self.profile.mate_search_nodes);
        MateAsked { winner, fen: Some(position.fen()), test }
    }

    fn last_legal_ply(&self) -> u32 {
        let Some(game) = &self.game else { return 0 };
        let legal = game.plies.iter().take_while(|ply| ply.illegal.is_none()).count();
        u32::try_from(legal).unwrap_or(u32::MAX).min(game.tracker.plies())
    }

    /// Why neither side can mate from a position that is dead, as far as it was settled for each.
    pub(super) fn why_dead(&self, position: &V::Position) -> Vec<Value> {
        let reason = |side: Side| match position.can_mate(side, self.profile.mate_search_nodes) {
            MateTest::No(CannotMate { reason, positions }) => {
                Some(json!({ "side": side.name(), "reason": reason, "positions": positions }))
            }
            MateTest::Yes(_) | MateTest::Unknown { .. } => None,
        };
        Side::BOTH.into_iter().filter_map(reason).collect()
    }

    /// A ruling has changed what was played: an answer about a position that never stood is asked for again,
    /// and what was proposed on it is proposed anew. Play that went on since changes nothing.
    pub(super) fn ask_mates_again(&mut self, out: &mut Vec<Event>) {
        let Some(game) = self.playing() else { return };
        let fen_of = |record: &Record| record.payload.get("mate_fen")?.as_str().map(str::to_owned);
        let asked: Vec<(Record, String)> =
            self.records.open().filter_map(|record| Some((record.clone(), fen_of(record)?))).collect();
        if asked.is_empty() {
            return;
        }
        let stood: Vec<String> =
            (0..=self.last_legal_ply()).map(|ply| game.tracker.position(ply).fen()).collect();
        for (record, _) in asked.into_iter().filter(|(_, fen)| !stood.contains(fen)) {
            self.propose_again(&record, out);
        }
    }

    fn propose_again(&mut self, record: &Record, out: &mut Vec<Event>) {
        let (name, Some(side)) = (record.name(), record.key.side) else { return };
        if name == Name::ClaimQpf {
            let fields = Some(self.ask_mate(side.other())).filter(|asked| asked.test.is_no());
            let fields = fields.map_or_else(Vec::new, |asked| asked.fields());
            let renew = |record: &mut Record| {
                record.payload.retain(|key, _| !key.starts_with("mate_"));
                record.payload.extend(fields.into_iter().map(|(key, value)| (key.to_owned(), value)));
            };
            return self.amend(record.number, renew, out);
        }
        self.close(record.number, Status::Withdrawn, out);
        let declares = |proposal: &Record| {
            proposal.name() == Name::DeclareResult
                && proposal.payload.get("outcome").and_then(Value::as_str) == Some(name.as_str())
        };
        self.close_all(declares, Status::Withdrawn, out);
        match (name, record.of) {
            (Name::TimeForfeit | Name::TimeDraw, _) => {
                self.open_time_loss(side, self.open_number(Name::BothFlagsFallen), out);
            }
            (Name::IllegalMoveForfeit | Name::IllegalMoveDraw, Some(of)) => {
                self.forfeit_by_illegal(of, side, out);
            }
            _ => {}
        }
    }
}
