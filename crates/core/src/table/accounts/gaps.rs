//! What nobody saw, and what no rule explains: gaps in the record, and the positions that the arbiter
//! may go back to or set (7.5.1, 7.6, Preface).

use super::displaced::{self, Displaced};
use crate::event::finding::{
    BothTimes, Candidate, ConfirmMove, Finding, Paths, RecordGap, RestoreCandidates, SetPosition,
    UnexplainedPosition,
};
use crate::event::{Event, RecordId, Status};
use crate::infer::Gap;
use crate::ply::Ply;
use crate::table::records::{Draft, Record, Records};
use crate::table::rulings::position;
use crate::table::scene::{Report, Scene};
use crate::table::{Table, adopting, all_named};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::{Played, Position as _, Variant};

/// So many positions are offered to go back to: further back the players seldom agree either.
const CANDIDATES: usize = 3;
/// Two men that stand elsewhere were knocked over; more squares are moves that nobody saw.
pub(in crate::table) const KNOCKED_OVER_MAX: usize = 4;

impl<V: Variant> Table<V> {
    /// Plies that nobody saw, and one path or several that lead to the picture.
    pub(in crate::table) fn gap(&mut self, gap: &Gap, out: &mut Vec<Event>) {
        self.open_game(out);
        let recovered: Vec<String> = gap.recovered.iter().map(Played::san).collect();
        let found = RecordGap {
            ply: gap.since_ply.next(),
            squares: None,
            since_ply: gap.since_ply,
            paths: Paths::of(gap.paths),
            recovered,
        };
        if gap.paths > 0 {
            let others = gap.others.iter().map(|way| way.iter().map(Played::san).collect()).collect();
            self.bridged(found, others, out);
        } else {
            self.open(Draft::open(found), out);
        }
    }

    /// Every ply that nobody saw, from `first` on, has a record, which follows the line as it is told now. What was
    /// answered answers for the moves that it names and no others.
    pub(in crate::table) fn account_for_recovered(&mut self, first: Ply, out: &mut Vec<Event>) {
        for (since_ply, recovered) in recovered(&self.scene, &self.records, first) {
            let is_told = |gap: &RecordGap| gap.since_ply == since_ply && gap.paths != Paths::NONE;
            let told = |record: &Record| match &record.finding {
                Finding::RecordGap(gap) if is_told(gap) => {
                    Some((record.is_open(), gap.recovered == recovered))
                }
                _ => None,
            };
            let stands = self.records.iter().rev().filter(|record| record.status != Status::Withdrawn);
            let known: Vec<(RecordId, (bool, bool))> =
                stands.filter_map(|record| Some((record.number, told(record)?))).collect();
            if known.iter().any(|&(_, (_, is_same))| is_same) {
                continue;
            }
            match known.iter().find(|&&(_, (is_open, _))| is_open) {
                Some(&(record, _)) => self.told_otherwise(record, &recovered, out),
                None => {
                    let ply = since_ply.next();
                    let known = RecordGap { ply, squares: None, since_ply, paths: Paths::of(1), recovered };
                    self.bridged(known, Vec::new(), out);
                }
            }
        }
    }

    /// What filled the gap is proposed, and what else may have.
    fn bridged(&mut self, found: RecordGap, others: Vec<Vec<String>>, out: &mut Vec<Event>) {
        let moves = found.recovered.clone();
        let record = self.open(Draft::open(found), out);
        let ways: Vec<Vec<String>> = std::iter::once(moves.clone()).chain(others).collect();
        let ways = Some(ways).filter(|ways| ways.len() > 1);
        self.propose(Draft::open(ConfirmMove { moves, uci: None, ways }), record, out);
    }

    /// What fills an open gap is `moves` now. What else filled it before may not any more.
    fn told_otherwise(&mut self, record: RecordId, moves: &[String], out: &mut Vec<Event>) {
        let proposals = self.records.open().filter(|known| known.of == Some(record));
        let numbers: Vec<RecordId> =
            std::iter::once(record).chain(proposals.map(|known| known.number)).collect();
        for number in numbers {
            let fill_anew = |record: &mut Record| match &mut record.finding {
                Finding::RecordGap(gap) => moves.clone_into(&mut gap.recovered),
                Finding::ConfirmMove(confirm) => {
                    moves.clone_into(&mut confirm.moves);
                    confirm.ways = None;
                }
                _ => {}
            };
            self.amend(number, fill_anew, out);
        }
    }

    /// They play on over a gap that nothing fills: it is the same gap, and what stands now is another position.
    fn stands_otherwise(
        &mut self,
        record: RecordId,
        squares: &[Square],
        found: RecordGap,
        out: &mut Vec<Event>,
    ) {
        let is_same = |record: &Record| record.key.squares == squares;
        if self.records.record(record).is_some_and(is_same) {
            return;
        }
        let stands = |record: &mut Record| {
            record.key.squares = squares.to_vec();
            record.finding = found.into();
        };
        self.amend(record, stands, out);
        let is_set = |known: &&Record| known.of == Some(record) && known.name() == Name::SetPosition;
        let proposal = self.records.open().find(is_set).map(|known| known.number);
        if let Some((proposal, fen)) = proposal.zip(what_stands(&self.scene)) {
            self.amend(proposal, |known| known.finding = SetPosition { fen }.into(), out);
        }
    }

    /// The link was lost, and no moves lead to what stands now: the last good position holds. One or two
    /// men that only stand elsewhere were displaced meanwhile (7.6).
    pub(in crate::table) fn gap_without_path(
        &mut self,
        squares: &[Square],
        is_knocked_over: bool,
        out: &mut Vec<Event>,
    ) {
        let adopted = adopting::adopted(&self.scene).map(Ply::before);
        let plies = || self.scene.game.as_ref().map(|game| game.tracker.plies());
        let Some(since_ply) = adopted.or_else(plies) else { return };
        let found = RecordGap {
            ply: since_ply.next(),
            squares: Some(all_named::<V>(squares)),
            since_ply,
            paths: Paths::NONE,
            recovered: Vec::new(),
        };
        let is_it = |record: &Record| is_gap_without_path(record) && record.key.ply == found.ply;
        let open = self.records.open().find(|record| is_it(record)).map(|record| record.number);
        let record = match open {
            Some(record) => {
                self.stands_otherwise(record, squares, found, out);
                record
            }
            None => {
                let record = self.open(Draft::open(found).squares(squares), out);
                propose_what_stands(record, &mut self.report(out));
                propose_candidates(record, since_ply, &mut self.report(out));
                record
            }
        };
        if is_knocked_over && adopted.is_none() && squares.len() <= KNOCKED_OVER_MAX {
            self.displaced(squares, &[], &[], out);
            self.move_over_displaced(since_ply.next(), out);
        }
        self.adopt_what_stands(record, out);
    }
}

/// The stretches of the line that nobody saw, as far as they end at `first` or later: the ply before each, and its moves.
/// Where one gap follows on another, each is a stretch.
fn recovered<V: Variant>(scene: &Scene<V>, records: &Records, first: Ply) -> Vec<(Ply, Vec<String>)> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let begins_gap = |ply: Ply| {
        let is_it = |record: &Record| match &record.finding {
            Finding::RecordGap(gap) => gap.since_ply == ply.before() && gap.paths != Paths::NONE,
            _ => false,
        };
        records.open().any(is_it)
    };
    let mut stretches: Vec<Vec<Ply>> = Vec::new();
    for (ply, _) in game.plies.iter().filter(|(_, known)| known.is_recovered && known.illegal.is_none()) {
        match stretches.last_mut() {
            Some(last) if last.last() == Some(&ply.before()) && !begins_gap(ply) => last.push(ply),
            _ => stretches.push(vec![ply]),
        }
    }
    stretches.retain(|stretch| stretch.last().is_some_and(|&last| last >= first));
    let moves = |stretch: Vec<Ply>| {
        let sans = stretch.iter().filter_map(|&ply| game.tracker.played(ply)).map(|played| played.san());
        (stretch[0].before(), sans.collect())
    };
    stretches.into_iter().map(moves).collect()
}

/// The last identifiable positions, up to the one after `ply`, the youngest first: each with the
/// times and the completed moves of each side then.
pub(in crate::table) fn propose_candidates<V: Variant>(
    record: RecordId,
    ply: Ply,
    report: &mut Report<'_, V>,
) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let completed = |ply: Ply, side| {
        let is_his =
            |known: &Ply| report.mover(*known) == Some(side) && game.plies[*known].completed_ns.is_some();
        ply.all().filter(is_his).map(|_| 1).sum::<u32>()
    };
    let candidate = |ply: Ply| {
        let clock = game.plies.get(ply).and_then(|known| known.clock);
        Candidate {
            ply,
            fen: game.tracker.position(ply).fen(),
            clock: clock.map(BothTimes::from),
            completed: Side::BOTH.map(|side| completed(ply, side)).into(),
        }
    };
    let ply = ply.min(game.tracker.plies()).min(game.plies.last());
    let candidates = Ply::START.to(ply).rev().take(CANDIDATES).map(candidate).collect();
    report.propose(Draft::open(RestoreCandidates { candidates }), record);
}

/// Is this gap over by itself, now that the picture is explained?
pub(in crate::table) fn is_gap_without_path(record: &Record) -> bool {
    matches!(&record.finding, Finding::RecordGap(gap) if gap.paths == Paths::NONE)
}

/// Line 20 of the press table: men of both sides stand elsewhere, and no legal move is among it.
pub(in crate::table) fn pressed_unexplained<V: Variant>(report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let squares_of = |displaced: &Displaced| displaced.squares.iter().map(|known| known.0).collect();
    let Some(squares): Option<Vec<Square>> = game
        .displaced
        .iter()
        .find(|displaced| displaced::are_of_both(report.scene, displaced))
        .map(squares_of)
    else {
        return;
    };
    unexplained(&squares, report);
}

/// What stands on `squares` is nothing that a rule explains (Preface).
pub(in crate::table) fn unexplained<V: Variant>(squares: &[Square], report: &mut Report<'_, V>) {
    let found = UnexplainedPosition { ply: report.ply_to_come(), squares: all_named::<V>(squares) };
    let record = report.open(Draft::open(found).squares(squares));
    propose_what_stands(record, report);
}

/// What stands on the board, as a position that the arbiter may set.
fn propose_what_stands<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    if let Some(fen) = what_stands(report.scene) {
        report.propose(Draft::open(SetPosition { fen }), record);
    }
}

fn what_stands<V: Variant>(scene: &Scene<V>) -> Option<String> {
    let best = scene.game.as_ref()?.tracker.best();
    let turn = scene.running().unwrap_or_else(|| best.turn());
    Some(best.accepted(&position::standing_now(scene), Some(turn)).fen())
}
