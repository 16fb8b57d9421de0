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
//! [`LINE_MAX`]: adoube_rules::LINE_MAX

use super::records::Record;
use super::results::declares;
use super::scene::Scene;
use super::{Table, illegal};
use crate::event::finding::{Finding, LineMove, Mate, MateWord, NoMate, OutcomeKind, QuickplayKind};
use crate::event::{Event, Status};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::{CannotMate, MateBasis, MateMove, MateTest, Position as _, Variant};

/// The answer and what it rests on, as records have it.
fn answer(winner: Side, fen: Option<String>, test: MateTest) -> Mate {
    let asked = Mate { side: Some(winner), fen: Some(fen), ..Mate::default() };
    match test {
        MateTest::Yes(line) => {
            let moves = line.moves.into_iter().map(|MateMove { uci, san }| LineMove { uci, san });
            Mate {
                test: Some(MateWord::Yes),
                line: Some(moves.collect()),
                plies: Some(line.plies),
                end: Some(line.end.fen()),
                ..asked
            }
        }
        MateTest::No(CannotMate { reason, positions }) => {
            Mate { test: Some(MateWord::No), reason: Some(reason), positions, ..asked }
        }
        MateTest::Unknown { basis, nodes } => {
            Mate { test: Some(MateWord::Unknown), basis: Some(basis), nodes: Some(nodes), ..asked }
        }
    }
}

/// What a record says of it.
fn mate_of(record: &Record) -> Option<&Mate> {
    match &record.finding {
        Finding::Outcome(_, outcome) => Some(&outcome.mate),
        Finding::Quickplay(_, claim) => Some(&claim.mate),
        _ => None,
    }
}

impl<V: Variant> Table<V> {
    /// A ruling has changed what was played: an answer about a position that never stood is asked for again,
    /// and what was proposed on it is proposed anew. Play that went on since changes nothing.
    pub(super) fn ask_mates_again(&mut self, out: &mut Vec<Event>) {
        let Some(game) = self.scene.playing() else { return };
        let fen_of = |record: &Record| mate_of(record)?.fen.clone()?;
        let asked: Vec<(Record, String)> =
            self.records.open().filter_map(|record| Some((record.clone(), fen_of(record)?))).collect();
        if asked.is_empty() {
            return;
        }
        let stood: Vec<String> =
            Ply::START.to(self.scene.last_legal_ply()).map(|ply| game.tracker.position(ply).fen()).collect();
        for (record, _) in asked.into_iter().filter(|(_, fen)| !stood.contains(fen)) {
            self.propose_again(&record, out);
        }
    }

    fn propose_again(&mut self, record: &Record, out: &mut Vec<Event>) {
        let Some(side) = record.key.side else { return };
        if let Finding::Quickplay(QuickplayKind::ClaimQpf, _) = record.finding {
            let mate = Some(self.scene.ask_mate(side.other())).filter(Mate::is_no).unwrap_or_default();
            let renew = |record: &mut Record| {
                if let Finding::Quickplay(_, claim) = &mut record.finding {
                    claim.mate = mate;
                }
            };
            return self.amend(record.number, renew, out);
        }
        self.close(record.number, Status::Withdrawn, out);
        let name = record.name();
        self.close_all(|proposal| declares(proposal, name), Status::Withdrawn, out);
        let Finding::Outcome(kind, _) = record.finding else { return };
        match (kind, record.of) {
            (OutcomeKind::TimeForfeit | OutcomeKind::TimeDraw, _) => {
                let both = self.records.open_number(Name::BothFlagsFallen);
                self.watch(out, |watch, report| watch.flags().open_time_loss(side, both, report));
            }
            (OutcomeKind::IllegalMoveForfeit | OutcomeKind::IllegalMoveDraw, Some(of)) => {
                illegal::forfeit_by_illegal(of, side, &mut self.report(out));
            }
            _ => {}
        }
    }
}

impl<V: Variant> Scene<V> {
    /// Can `winner` still mate, by any series of legal moves, from the last legal position?
    pub(super) fn ask_mate(&self, winner: Side) -> Mate {
        let Some(game) = self.game.as_ref() else {
            let test = MateTest::Unknown { basis: MateBasis::NoRegularPosition, nodes: 0 };
            return answer(winner, None, test);
        };
        let position = game.tracker.position(self.last_legal_ply());
        let test = position.can_mate(winner, self.profile.mate_search_nodes);
        answer(winner, Some(position.fen()), test)
    }

    fn last_legal_ply(&self) -> Ply {
        let Some(game) = self.game.as_ref() else { return Ply::START };
        let is_legal = |known: &super::Known| known.illegal.is_none() || known.is_recovered;
        let legal = game.plies.iter().take_while(|(_, known)| is_legal(known)).count();
        Ply::last_of(legal).min(game.tracker.plies())
    }

    /// Why neither side can mate from a position that is dead, as far as it was settled for each.
    pub(super) fn why_dead(&self, position: &V::Position) -> Mate {
        let reason = |side: Side| match position.can_mate(side, self.profile.mate_search_nodes) {
            MateTest::No(CannotMate { reason, positions }) => Some(NoMate { side, reason, positions }),
            MateTest::Yes(_) | MateTest::Unknown { .. } => None,
        };
        let reasons = Side::BOTH.into_iter().filter_map(reason).collect();
        Mate { test: Some(MateWord::No), reasons: Some(reasons), ..Mate::default() }
    }
}
