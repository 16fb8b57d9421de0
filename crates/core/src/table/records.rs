//! Records: what the Laws say of what happened, from opening to closing.
//!
//! A record has the name of the registry, a key (type, ply, side, squares) and a status. A change is
//! an event with the same number. Proposals are records too: they wait until the arbiter carries one
//! out, and close with the record that they belong to.

use std::ops::Deref;

use super::scene::{Report, Scene};
use super::windows::window_of;
use super::{Table, resolution};
use crate::event::finding::{About, Finding, Window};
use crate::event::{Body, Event, OfRecord, RecordId, Recorded, Status};
use crate::ply::Ply;
use adoube_rules::laws::{Case, Name, RowKind, Severity, four_player_article};
use adoube_rules::sensor::{Army, Side};
use adoube_rules::square::Square;
use adoube_rules::{Family, Position as _, Seated, Shown, Variant};

/// Proposals that change a clock: both times are noted before (6.10.2).
const CLOCK_PROPOSALS: [Name; 7] = [
    Name::ClockTimes,
    Name::AddTimeOpponent,
    Name::ReduceTimeOffender,
    Name::CounterCorrection,
    Name::ReturnClock,
    Name::UndoPress,
    Name::IncrementMode,
];

/// Offers and claims come from the team, through the arbiter: no player has made them (four-player R-22).
fn is_act_of_a_team(name: Name) -> bool {
    name == Name::DrawOffer || name.as_str().starts_with("claim-")
}

/// What a record is about: the same key is the same record (DESIGN 2.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: Name,
    pub(super) ply: Ply,
    pub(super) side: Option<Side>,
    /// The army of the player whom it is about, where that is not who made the move of `ply`.
    pub(super) player: Option<Army>,
    pub(super) squares: Vec<Square>,
}

/// A record of this table.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) number: RecordId,
    pub(super) key: Key,
    pub(super) status: Status,
    pub(super) finding: Finding,
    /// Of several players of a side, whom it is about.
    seated: Option<Seated>,
    pub(super) window: Option<Window>,
    pub(super) severity: Option<Severity>,
    pub(super) fens: Option<[Shown; 2]>,
    /// The record that a proposal belongs to.
    pub(super) of: Option<RecordId>,
    /// An arbiter has closed it: it does not go with the ply that it was about.
    pub(super) by_arbiter: bool,
    /// The first and the last input that show it.
    pub(super) inputs: (u64, u64),
}

impl Record {
    pub(super) fn name(&self) -> Name {
        self.key.name
    }

    pub(super) fn is_open(&self) -> bool {
        self.status == Status::Open
    }

    /// The record as it was published, under the number that the journal gave it; it is about `squares`.
    pub(super) fn taken_over(recorded: &Recorded, squares: Vec<Square>) -> Self {
        let mut recorded = recorded.clone();
        recorded.each_record(&mut |number| *number = number.in_journal());
        let finding = recorded.finding;
        let About { ply, side } = finding.about();
        Self {
            number: recorded.record,
            key: Key { name: finding.name(), ply, side, player: None, squares },
            by_arbiter: recorded.status != Status::Open && finding.name().row().kind != RowKind::Notice,
            status: recorded.status,
            finding,
            seated: recorded.seated,
            window: recorded.window,
            severity: recorded.severity,
            fens: recorded.fens,
            of: recorded.of.map(|of| of.of_record),
            // Those that are counted now are others.
            inputs: (0, 0),
        }
    }

    /// It has been found true: by the arbiter, or because the players have put it right.
    pub(super) fn is_decided(&self) -> bool {
        matches!(self.status, Status::Confirmed | Status::Corrected)
    }
}

/// The records of a game, in the order in which they were opened.
#[derive(Debug, Clone, Default)]
pub(super) struct Records {
    all: Vec<Record>,
    /// When both times were last noted before a correction.
    noted_ns: Option<u64>,
    /// How many are open: mostly none, and the Laws ask for one by its name a dozen times a ply.
    open: usize,
}

impl Records {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Both times are noted before a correction, once an instant: is it the first time at `at_ns`?
    pub(super) fn is_first_note(&mut self, at_ns: u64) -> bool {
        self.noted_ns.replace(at_ns) != Some(at_ns)
    }

    /// These and no others.
    pub(super) fn take_over(&mut self, records: Vec<Record>) {
        self.clear();
        records.into_iter().for_each(|record| self.push(record));
    }

    fn push(&mut self, record: Record) {
        self.open += usize::from(record.is_open());
        self.all.push(record);
    }

    /// The open ones, in order.
    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = &Record> {
        debug_assert_eq!(self.open, self.all.iter().filter(|record| record.is_open()).count());
        let looked_at = if self.open == 0 { &[] } else { self.all.as_slice() };
        looked_at.iter().filter(|record| record.is_open())
    }

    /// Changes the record of that number; what it is then.
    pub(super) fn change(&mut self, number: RecordId, change: impl FnOnce(&mut Record)) -> Option<&Record> {
        let record = self.all.iter_mut().find(|record| record.number == number)?;
        self.open -= usize::from(record.is_open());
        change(record);
        self.open += usize::from(record.is_open());
        Some(record)
    }

    pub(super) fn record(&self, number: RecordId) -> Option<&Record> {
        self.iter().find(|record| record.number == number)
    }

    /// The youngest open record of that name.
    pub(super) fn open_record(&self, name: Name) -> Option<&Record> {
        self.open().rfind(|record| record.name() == name)
    }

    pub(super) fn open_number(&self, name: Name) -> Option<RecordId> {
        self.open_record(name).map(|record| record.number)
    }
}

impl Deref for Records {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        &self.all
    }
}

/// A record about to be opened.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) key: Key,
    status: Status,
    pub(super) finding: Finding,
    window: Option<Window>,
    severity: Option<Severity>,
    fens: Option<[Shown; 2]>,
    pub(super) of: Option<RecordId>,
}

impl Draft {
    /// An open record of what was found.
    pub(super) fn open(finding: impl Into<Finding>) -> Self {
        let finding = finding.into();
        let About { ply, side } = finding.about();
        let key = Key { name: finding.name(), ply, side, player: None, squares: Vec::new() };
        Self { key, status: Status::Open, finding, window: None, severity: None, fens: None, of: None }
    }

    /// A notice: it needs nobody's confirmation.
    pub(super) fn notice(finding: impl Into<Finding>) -> Self {
        Self { status: Status::Confirmed, ..Self::open(finding) }
    }

    /// It is `side`'s, which its fields do not say as such.
    pub(super) fn keyed(mut self, side: Side) -> Self {
        self.key.side = Some(side);
        self
    }

    /// The player of that army, where a side has several.
    pub(super) fn player(mut self, army: Army) -> Self {
        self.key.player = Some(army);
        self
    }

    /// The squares that it is about.
    pub(super) fn squares(mut self, squares: &[Square]) -> Self {
        self.key.squares = squares.to_vec();
        self
    }

    pub(super) fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    pub(super) fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// The positions before and after it.
    pub(super) fn fens(mut self, before: impl Into<Shown>, after: impl Into<Shown>) -> Self {
        self.fens = Some([before.into(), after.into()]);
        self
    }

    /// A proposal that belongs to a record.
    pub(super) fn of(mut self, record: RecordId) -> Self {
        self.of = Some(record);
        self
    }

    pub(super) fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }
}

impl<V: Variant> Report<'_, V> {
    /// Opens a record and says so; its number. A record with the same key that is still open stays
    /// what it is.
    pub(super) fn open(&mut self, draft: Draft) -> RecordId {
        let seated = self.seated(&draft);
        if let Some(same) = self.records.open().find(|record| record.key == draft.key)
            && draft.status == Status::Open
            && draft.of == same.of
            && at_ply(&draft.finding) == at_ply(&same.finding)
            && !is_counted(&draft.finding)
        {
            return same.number;
        }
        let inputs = self.inputs_of(&draft, self.records);
        let number = self.numbers.next(&draft.key, draft.of, self.now.mono_ns);
        let record = Record {
            number,
            fens: draft.fens.or_else(|| self.fens_around(draft.key.ply)),
            window: draft.window.or_else(|| window_of(&self.profile, draft.key.name)),
            key: draft.key,
            status: draft.status,
            finding: draft.finding,
            seated,
            severity: draft.severity,
            of: draft.of,
            by_arbiter: false,
            inputs,
        };
        // What is settled as it is said changes only with the line; it need not be kept without a ply. A penalty counts
        // when the game ends.
        let is_needed = record.is_open() || matches!(record.finding, Finding::PenaltyGiven(..));
        if is_needed || !record.key.ply.is_start() {
            self.records.push(record.clone());
        }
        self.say(record);
        number
    }

    /// Where a side has several players, a record says which of them it is about: if nothing else is said, who
    /// makes or made the move of its ply.
    fn seated(&self, draft: &Draft) -> Option<Seated> {
        let key = &draft.key;
        let of = draft.of.and_then(|of| self.records.record(of)).map_or(Ply::START, |of| of.key.ply);
        let ply = if !key.ply.is_start() { key.ply } else { of };
        let player_side = key.side.filter(|_| !is_act_of_a_team(key.name));
        let mover = player_side.and_then(|side| self.army_of(side, ply));
        let (army, game) = key.player.or(mover).zip(self.scene.game.as_ref())?;
        game.tracker.best().seated(army)
    }

    /// The positions before and after ply `ply`, as far as it was played; 0 is about the last position.
    fn fens_around(&self, ply: Ply) -> Option<[Shown; 2]> {
        let game = self.scene.game.as_ref()?;
        let plies = game.tracker.plies();
        let around = if ply.is_start() { [plies, plies] } else { [ply.before(), ply] };
        Some(around.map(|ply| game.tracker.position(ply.min(plies)).shown()))
    }

    /// A proposal for `record`: the arbiter carries it out by the ruling of the same name.
    pub(super) fn propose(&mut self, draft: Draft, record: RecordId) {
        let ply = self.records.record(record).map_or(Ply::START, |record| record.key.ply);
        if CLOCK_PROPOSALS.contains(&draft.key.name) {
            self.note_before_correction(self.running());
        }
        let mut draft = draft.of(record);
        // As urgent as what it belongs to (registry, section 9).
        draft.severity = self
            .records
            .record(record)
            .and_then(|record| record.severity.or_else(|| self.profile.severity(record.name())));
        draft.key.ply = ply;
        self.open(draft);
    }

    /// Changes an open record and says so.
    pub(super) fn amend(&mut self, number: RecordId, change: impl FnOnce(&mut Record)) {
        let Some(before) = self.records.record(number).map(|record| record.status) else { return };
        let now = self.inputs;
        let change = |record: &mut Record| {
            change(record);
            // A decision, or a window that closes, shows nothing; a correction does, and so does what is new.
            if record.number.taken_over().is_none() && [before, Status::Corrected].contains(&record.status) {
                record.inputs.1 = now;
            }
        };
        let Some(record) = self.records.change(number, change).cloned() else { return };
        self.say(record);
    }

    /// Closes a record and the proposals that belong to it.
    pub(super) fn close(&mut self, number: RecordId, status: Status) {
        if self.records.record(number).is_none_or(|record| !record.is_open()) {
            return;
        }
        self.amend(number, |record| record.status = status);
        let proposals: Vec<RecordId> = self
            .records
            .open()
            .filter(|record| record.of == Some(number))
            .map(|record| record.number)
            .collect();
        for proposal in proposals {
            let status = if status == Status::Confirmed { Status::Expired } else { status };
            self.amend(proposal, |record| record.status = status);
        }
    }

    /// Closes every open record that `of` chooses.
    pub(super) fn close_all(&mut self, of: impl Fn(&Record) -> bool, status: Status) {
        let numbers: Vec<RecordId> =
            self.records.open().filter(|record| of(record)).map(|record| record.number).collect();
        for number in numbers {
            self.close(number, status);
        }
    }

    /// The line changed from `ply` on: what rested on it is withdrawn, unless an arbiter closed it.
    pub(super) fn withdraw_from(&mut self, ply: Ply) {
        let gone = |record: &Record| record.key.ply >= ply && record.of.is_none() && !record.by_arbiter;
        let numbers: Vec<RecordId> = self
            .records
            .iter()
            .filter(|record| gone(record) && matches!(record.status, Status::Open | Status::Confirmed))
            .map(|record| record.number)
            .collect();
        for number in numbers {
            let is_open = self.records.record(number).is_some_and(Record::is_open);
            if is_open {
                self.close(number, Status::Withdrawn);
            } else {
                self.amend(number, |record| record.status = Status::Withdrawn);
            }
        }
    }

    fn say(&mut self, record: Record) {
        let said = self.recorded(record, self.records);
        self.emit(Body::Record(Box::new(said)));
    }
}

impl<V: Variant> Scene<V> {
    /// The articles of this case; a game with rules of its own cites them first.
    fn article(&self, record: &Record, records: &Records) -> Option<String> {
        let of = record.of.and_then(|of| records.record(of));
        // It rests on what the record itself rests on.
        if let Some(of) = of.filter(|_| resolution::is_resolution(record)) {
            return self.article(of, records);
        }
        let own = (V::FAMILY != Family::Chess)
            .then(|| four_player_article(record.name(), record.finding.kinds()))
            .flatten();
        let is_adjourned = self.game.as_ref().is_some_and(|game| game.adjournment.is_some());
        let finding = &record.finding;
        // Whether they are about the resumption they say themselves.
        let says_itself = [Name::ClockSettingWrong, Name::DefaultTimeExpired].contains(&record.name());
        let case = Case {
            of: of.map(Record::name),
            about: finding.speaks_of(),
            rule: finding.rule(),
            kinds: of.map_or(finding, |of| &of.finding).kinds(),
            is_resumption: finding.is_of_resumption() || (is_adjourned && !says_itself),
            is_paired: self.setting.pair.is_some(),
            is_late: finding.is_too_late(),
            is_of_event: finding.breaks_limit_of_event(self.profile.draw_agreement_min_moves),
        };
        own.or_else(|| record.name().cited(&self.profile, &case))
    }

    /// What is said of a record now.
    pub(super) fn recorded(&self, record: Record, records: &Records) -> Recorded {
        let is_proposal = record.name().row().kind == RowKind::Proposal;
        let of = record.of.filter(|_| is_proposal).and_then(|of| records.record(of));
        Recorded {
            of: of.map(|of| OfRecord { of: of.name(), of_record: of.number }),
            seated: record.seated,
            record: record.number,
            status: record.status,
            edition: self.profile.edition,
            article: self.article(&record, records),
            severity: record.severity.or_else(|| self.profile.severity(record.name())),
            window: record.window,
            fens: record.fens,
            clock: self.times(),
            readings: record.inputs,
            finding: record.finding,
        }
    }

    /// The army that makes or made ply `ply`, if it is one of `side`.
    pub(super) fn army_of(&self, side: Side, ply: Ply) -> Option<Army> {
        let game = self.game.as_ref()?;
        let before = ply.before().min(game.tracker.plies());
        let army = game.tracker.position(before).army();
        (!ply.is_start() && army.side() == side).then_some(army)
    }
}

/// What is not a part yet goes through the table.
impl<V: Variant> Table<V> {
    /// [`Report::open`].
    pub(super) fn open(&mut self, draft: Draft, out: &mut Vec<Event>) -> RecordId {
        self.report(out).open(draft)
    }

    /// [`Report::propose`].
    pub(super) fn propose(&mut self, draft: Draft, record: RecordId, out: &mut Vec<Event>) {
        self.report(out).propose(draft, record);
    }

    /// [`Report::amend`].
    pub(super) fn amend(&mut self, number: RecordId, change: impl FnOnce(&mut Record), out: &mut Vec<Event>) {
        self.report(out).amend(number, change);
    }

    /// [`Report::close`].
    pub(super) fn close(&mut self, number: RecordId, status: Status, out: &mut Vec<Event>) {
        self.report(out).close(number, status);
    }

    /// [`Report::close_all`].
    pub(super) fn close_all(&mut self, of: impl Fn(&Record) -> bool, status: Status, out: &mut Vec<Event>) {
        self.report(out).close_all(of, status);
    }
}

/// The ply at which it is asked what became of a pawn, or to which two captains were reported.
fn at_ply(finding: &Finding) -> Option<Ply> {
    match finding {
        Finding::PromotionPieceUnknown(unknown) => Some(unknown.at_ply),
        Finding::CommunicationReported(reported) => Some(reported.at_ply),
        _ => None,
    }
}

/// Each press that counts is one of its own: the same illegal move may be pressed again.
fn is_counted(finding: &Finding) -> bool {
    match finding {
        Finding::IllegalMoveCompleted(_) | Finding::PromotionNotReplaced(_) => true,
        Finding::ClockPressedWithoutMove(press) => press.count.is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::finding::DrawOfferLapsed;

    fn record(number: u64, status: Status) -> Record {
        let draft = Draft::open(DrawOfferLapsed { side: Side::White });
        let Draft { key, finding, window, severity, fens, of, .. } = draft;
        Record {
            number: RecordId(number),
            key,
            status,
            finding,
            seated: None,
            window,
            severity,
            fens,
            of,
            by_arbiter: false,
            inputs: (0, 0),
        }
    }

    #[test]
    fn the_open_records_are_those_that_are_open_now() {
        let mut records = Records::default();
        let open = |records: &Records| records.open().map(|record| record.number.0).collect::<Vec<u64>>();
        assert!(open(&records).is_empty());
        for (number, status) in [(3, Status::Open), (5, Status::Confirmed), (6, Status::Open)] {
            records.push(record(number, status));
        }
        assert_eq!(open(&records), [3, 6]);
        for (number, status, expected) in [
            (3, Status::Expired, vec![6]),
            (3, Status::Withdrawn, vec![6]),
            (6, Status::Corrected, vec![]),
            // A ruling that is undone opens a record again.
            (5, Status::Open, vec![5]),
        ] {
            records.change(RecordId(number), |record| record.status = status);
            assert_eq!(open(&records), expected, "{number} {status:?}");
        }
        assert!(records.change(RecordId(4), |_| ()).is_none());
        assert_eq!(records.len(), 3);
        records.clear();
        assert!(records.is_empty() && open(&records).is_empty());
    }
}
