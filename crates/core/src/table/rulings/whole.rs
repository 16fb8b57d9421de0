//! A record confirmed whole: which of its proposals are carried out, in which order, and which are left out.

use super::decided;
use crate::event::{Event, RecordId, Status};
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use crate::table::records::Record;
use crate::table::scene::Report;
use crate::table::{Table, resolution};
use adoube_rules::Variant;
use adoube_rules::laws::{Name, RowKind};

/// What is carried out, in the order in which an arbiter does it: the position, the penalty, the clocks. What
/// only asks has no place here.
const IN_ORDER: [Name; 12] = [
    Name::RestorePosition,
    Name::SetPosition,
    Name::TransferPosition,
    Name::ReplaceByQueen,
    Name::CastlingBan,
    Name::ReturnClock,
    Name::UndoPress,
    Name::AddTimeOpponent,
    Name::ReduceTimeOffender,
    Name::IncrementMode,
    Name::CounterCorrection,
    Name::ClockTimes,
];

/// Behind one of these there is no game any more in which the rest could be done.
const ENDING: [Name; 2] = [Name::DeclareResult, Name::AnnulGame];

/// What only asked has its answer when the record is decided.
const ASKING: [Name; 2] = [Name::ConfirmMove, Name::RestoreCandidates];

/// What is done, and the other way to the same end that it makes needless.
const ALTERNATIVES: [(Name, Name); 3] = [
    (Name::RestorePosition, Name::RestoreCandidates),
    (Name::SetPosition, Name::RestoreCandidates),
    (Name::UndoPress, Name::ClockTimes),
];

/// They say what may be played, and what hands have to do: they ask for nothing.
const SAID: [Name; 2] = [Name::ReplacementMoves, Name::Resolution];

impl<V: Variant> Table<V> {
    /// The record is confirmed, and what is proposed for it is carried out. What the confirmation itself brings
    /// up nobody has seen yet: that waits.
    pub(super) fn confirm_whole(&mut self, number: RecordId, out: &mut Vec<Event>) -> Outcome {
        decided::decide(number, Status::Confirmed, &mut self.report(out));
        self.resolve(number, out)
    }

    /// Carries out every proposal of a record that is open.
    pub(super) fn resolve(&mut self, number: RecordId, out: &mut Vec<Event>) -> Outcome {
        // The loss makes a correction needless (7.5.5).
        if let Some(outcome) = self.records.outcome_of(number) {
            self.outcome_confirmed(outcome, out);
            return Ok(());
        }
        if let Some(ending) = ENDING.into_iter().find_map(|name| self.proposals(number, name).next()) {
            return self.confirm_proposal(&ending.clone(), out);
        }
        for name in IN_ORDER {
            let due: Vec<Record> = self.proposals(number, name).cloned().collect();
            for proposal in &due {
                self.confirm_proposal(proposal, out)?;
            }
        }
        // Where the move stands, nothing is played instead of it.
        let is_move_kept = |known: &Record| {
            known.of == Some(number)
                && known.name() == Name::RestorePosition
                && known.status == Status::Rejected
        };
        if self.records.iter().any(is_move_kept) {
            let instead = |known: &Record| known.of == Some(number) && known.name() == Name::ReplacementMoves;
            self.close_all(instead, Status::Expired, out);
        } else {
            self.bind_to_replacement(number, out);
        }
        let asked = |known: &Record| known.of == Some(number) && ASKING.contains(&known.name());
        self.close_all(asked, Status::Confirmed, out);
        Ok(())
    }

    /// The open proposals of that name for a record.
    fn proposals(&self, of: RecordId, name: Name) -> impl Iterator<Item = &Record> {
        self.records.open().filter(move |known| known.of == Some(of) && known.name() == name)
    }

    /// True of a record that was decided while some of its proposals were not.
    pub(super) fn has_proposals_left(&self, record: &Record) -> bool {
        let waits = |known: &Record| {
            let is_proposal = known.name().row().kind == RowKind::Proposal && !SAID.contains(&known.name());
            known.of == Some(record.number) && is_proposal
        };
        record.is_decided() && self.records.open().any(waits)
    }

    /// The proposals that a ruling leaves out (`without`).
    pub(super) fn left_out(
        &self,
        without: &[String],
        record: &Record,
    ) -> Result<Vec<RecordId>, Inapplicable> {
        let mut left_out = Vec::new();
        for name in without {
            self.proposed_as(record, name)?;
            let is_it = |known: &&Record| known.name() == name.as_str();
            left_out.extend(self.proposed(record).filter(is_it).map(|known| known.number));
        }
        Ok(left_out)
    }

    /// What is proposed for a record, and waits for the arbiter's word.
    fn proposed(&self, record: &Record) -> impl Iterator<Item = &Record> {
        let number = record.number;
        self.records.open().filter(move |known| known.of == Some(number) && !resolution::is_resolution(known))
    }

    /// What is proposed for a record under that name.
    pub(super) fn proposed_as(&self, record: &Record, name: &str) -> Result<&Record, Inapplicable> {
        let proposals = || self.proposed(record);
        proposals().find(|known| known.name() == name).ok_or_else(|| {
            let of = record.name();
            inapplicable(
                match adoube_rules::spelling::nearest(name, proposals().map(|known| known.name().as_str())) {
                    "" => format!("nothing is proposed for {of}"),
                    nearest => {
                        format!("\"{name}\" is not proposed for {of}; the nearest that is, is \"{nearest}\"")
                    }
                },
            )
        })
    }
}

/// A proposal was carried out: another way to the same end is needless.
pub(in crate::table) fn answer_alternatives<V: Variant>(done: &Record, report: &mut Report<'_, V>) {
    for (_, needless) in ALTERNATIVES.into_iter().filter(|(name, _)| *name == done.name()) {
        let is_needless = |known: &Record| known.of == done.of && known.name() == needless;
        report.close_all(is_needless, Status::Expired);
    }
}
