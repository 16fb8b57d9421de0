//! Fallen flags: what was required, and what follows (6.4, 6.8, 6.9, III.3; 2005: B7 to B9).
//!
//! A flag is a fact; nothing is lost by it until the arbiter or a valid claim says so. A move that
//! ended the game before stands, and so does one made after a flag that nobody called (6.9).

use super::Table;
use super::records::Draft;
use crate::event::finding::{
    BothFlagsFallen, FirstFlag, FlagFallen, FlagOrderUncertain, Outcome, OutcomeKind, OutcomeReason,
    TimeControlCheck,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::rules::laws::{BothFlags, BothFlagsUnknown, FlagCall, Name, Severity};
use crate::rules::{GameResult, Position as _, Variant};
use crate::sensor::{ClockReading, Side};
use crate::stamp::{MS, ms};

/// The flags of a game.
#[derive(Debug, Clone, Default)]
pub(super) struct Flags {
    /// When each fell.
    fell_ns: [Option<u64>; 2],
    said: [Option<Flag>; 2],
    is_both_said: bool,
}

/// A flag that was reported.
#[derive(Debug, Clone, Copy)]
struct Flag {
    record: RecordId,
    /// The moves required were not completed.
    is_unmet: bool,
    /// It fell in the last period.
    is_last: bool,
}

/// What a player's claim that the opponent's flag has fallen comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagClaim {
    /// It has, in time for the claimant: the outcome is open.
    Correct,
    /// It has not, or the requirement was met, or the claimant's own fell first.
    Incorrect,
    /// The claimant's own flag is down as well (A.4.3).
    OwnFlagDown,
}

impl Flags {
    /// That side's flag is down.
    pub(super) fn is_down(&self, side: Side) -> bool {
        self.fell_ns[side.index()].is_some()
    }

    /// When that side's flag fell, if it is down.
    pub(super) fn fell_ns(&self, side: Side) -> Option<u64> {
        self.fell_ns[side.index()]
    }

    /// Any flag is down.
    pub(super) fn is_any_down(&self) -> bool {
        self.fell_ns.iter().any(Option::is_some)
    }

    /// Whose fell first; `None`: not both are down, or in one reading.
    pub(super) fn first(&self) -> Option<Side> {
        let [Some(white_ns), Some(black_ns)] = self.fell_ns else { return None };
        match white_ns.cmp(&black_ns) {
            std::cmp::Ordering::Less => Some(Side::White),
            std::cmp::Ordering::Greater => Some(Side::Black),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl<V: Variant> Table<V> {
    /// Looks at the flags of a reading: the bit, or 0:00 that stands.
    pub(super) fn flags_read(
        &mut self,
        before: Option<(ClockReading, u64)>,
        reading: &ClockReading,
        out: &mut Vec<Event>,
    ) {
        if !self.is_timed() {
            return;
        }
        for side in Side::BOTH {
            let index = side.index();
            // A display that rounds down shows 0:00 for a second before the flag falls.
            let stood_at_zero = before.is_some_and(|(before, _)| before.left_ms[index] == 0);
            let is_over = reading.left_ms[index] == 0 && (reading.running != Some(side) || stood_at_zero);
            let is_down = reading.flags[index] || is_over;
            let flags = &mut self.timing.flags;
            if !is_down {
                (flags.fell_ns[index], flags.said[index], flags.is_both_said) = (None, None, false);
            } else if flags.fell_ns[index].is_none() {
                flags.fell_ns[index] = Some(self.now.mono_ns);
            }
        }
        self.judge_flags(out);
    }

    /// Says which flags have fallen, once, and what follows.
    fn judge_flags(&mut self, out: &mut Vec<Event>) {
        let is_unsaid = |side: &Side| {
            let flags = &self.timing.flags;
            flags.is_down(*side) && flags.said[side.index()].is_none()
        };
        let fallen: Vec<Side> = Side::BOTH.into_iter().filter(is_unsaid).collect();
        if fallen.is_empty() {
            return;
        }
        let ending = self.ending_ply();
        for side in fallen {
            let fell_ns = self.timing.flags.fell_ns[side.index()].unwrap_or(self.now.mono_ns);
            // A move that ended the game before needs no time any more, once it stands.
            if ending.is_some_and(|(_, made_ns)| made_ns + self.order_tolerance_ns() < fell_ns) {
                continue;
            }
            self.say_flag(side, out);
            if let Some((ply, _)) = ending {
                self.order_uncertain(ply, out);
            }
            self.flag_and_scoresheets(out);
        }
        let flags = &mut self.timing.flags;
        if flags.said.iter().all(Option::is_some) && !std::mem::replace(&mut flags.is_both_said, true) {
            let first = flags.first().map_or(FirstFlag::Unknown, FirstFlag::from);
            self.open(Draft::open(BothFlagsFallen { first }), out);
        }
        self.propose_by_flags(out);
    }

    /// The time of `side`'s period has run out, and the clock goes on with the next one's: that is a
    /// flag whether it is shown or not, if the moves were not completed (6.4).
    pub(super) fn time_ran_out(&mut self, side: Side, out: &mut Vec<Event>) {
        let period = self.period_of(side);
        let required = self.timing.control.as_ref().and_then(|control| control.required_by(period));
        if required.is_none_or(|required| self.counts().completed[side.index()] < required) {
            self.timing.flags.fell_ns[side.index()] = Some(self.now.mono_ns);
            self.say_flag(side, out);
            self.propose_by_flags(out);
        } else {
            self.check_control(side, period, out);
        }
    }

    /// Opens the record of `side`'s flag.
    fn say_flag(&mut self, side: Side, out: &mut Vec<Event>) {
        let index = side.index();
        let counts = self.counts();
        let period = self.period_of(side);
        let required = self.timing.control.as_ref().and_then(|control| control.required_by(period));
        let is_unmet = required.is_none_or(|required| counts.completed[index] < required);
        self.check_control(side, period, out);
        let (made, completed) = (counts.made[index], counts.completed[index]);
        let fallen = FlagFallen { side, made, completed, required, period: period + 1 };
        let mut draft = if is_unmet { Draft::open(fallen) } else { Draft::notice(fallen) };
        if self.profile.flag_called_by == FlagCall::PlayerOnly {
            draft = draft.severity(Severity::Info);
        } else if !is_unmet {
            draft = draft.severity(Severity::Notice);
        }
        let record = self.open(draft, out);
        if !is_unmet {
            self.counter_withholds_period(side, out);
        }
        let is_last = required.is_none();
        self.timing.flags.said[index] = Some(Flag { record, is_unmet, is_last });
    }

    /// The period whose time runs down for `side`, from 0.
    pub(super) fn period_of(&self, side: Side) -> usize {
        if let Some(expected) = &self.timing.expected[side.index()] {
            return expected.period();
        }
        let completed = self.counts().completed[side.index()];
        self.timing.control.as_ref().map_or(0, |control| control.period_index(completed))
    }

    /// The period's end, with what was required (6.4).
    pub(super) fn check_control(&mut self, side: Side, period: usize, out: &mut Vec<Event>) {
        let counts = self.counts();
        let required = self.timing.control.as_ref().and_then(|control| control.required_by(period));
        let check = TimeControlCheck {
            side: Some(side),
            period: Some(period + 1),
            completed: Some(counts.completed.into()),
            required: Some(required),
            white: None,
            black: None,
            basis: None,
        };
        self.open(Draft::notice(check), out);
    }

    fn order_tolerance_ns(&self) -> u64 {
        u64::from(self.profile.order_tolerance_ms) * MS
    }

    /// The last ply, if it ends the game, whether it stands yet or not, and when it was made.
    fn ending_ply(&self) -> Option<(Ply, u64)> {
        let game = self.playing()?;
        let ply = game.tracker.plies();
        let is_held = game.plies.get(ply)?.is_held;
        let ends = !is_held && game.tracker.position(ply).end().is_some();
        ends.then(|| (ply, game.tracker.made_ns(ply)))
    }

    /// A flag and the move that ends the game are too close for anyone to say which was first: ply
    /// `ply` does not end it by itself, and both outcomes stay open. True if that is so.
    pub(super) fn order_uncertain(&mut self, ply: Ply, out: &mut Vec<Event>) -> bool {
        let Some(game) = self.playing() else { return false };
        let made_ns = game.tracker.made_ns(ply);
        let tolerance_ns = self.order_tolerance_ns();
        let near = |fell_ns: &u64| fell_ns.abs_diff(made_ns) <= tolerance_ns;
        let Some(fell_ns) = self.timing.flags.fell_ns.iter().flatten().copied().find(near) else {
            return false;
        };
        let end = game.tracker.position(ply).end().map(Name::from);
        let outcomes: Vec<Name> = end.into_iter().chain([Name::TimeForfeit]).collect();
        let uncertain = FlagOrderUncertain {
            ply,
            move_at_ms: ms(self.elapsed_ns(made_ns)),
            flag_at_ms: ms(self.elapsed_ns(fell_ns)),
            error_ms: self.profile.order_tolerance_ms,
            outcomes,
        };
        self.open(Draft::open(uncertain), out);
        true
    }

    /// The outcome that the fallen flags give, for the arbiter to declare.
    pub(super) fn propose_by_flags(&mut self, out: &mut Vec<Event>) {
        // A postponed claim outlives the flag (III.5.2).
        if self.open_record(Name::QpfClaimOpen).is_some() {
            return;
        }
        let said = self.timing.flags.said;
        let unmet = |side: Side| said[side.index()].filter(|flag| flag.is_unmet);
        match [unmet(Side::White), unmet(Side::Black)] {
            [None, None] => {}
            [Some(_), Some(_)] if self.is_drawn_by_flags(said) => self.propose_flag_draw(out),
            [Some(_), Some(_)] => {
                if let Some(first) = self.timing.flags.first() {
                    self.propose_time_loss(first, self.open_number(Name::BothFlagsFallen), out);
                }
            }
            [Some(_), None] => self.propose_time_loss(Side::White, None, out),
            [None, Some(_)] => self.propose_time_loss(Side::Black, None, out),
        }
    }

    /// Both flags are down: does that draw the game?
    fn is_drawn_by_flags(&self, said: [Option<Flag>; 2]) -> bool {
        let is_last = said.iter().flatten().all(|flag| flag.is_last);
        if self.timing.flags.first().is_some() {
            return self.profile.both_flags_order_known == BothFlags::Draw;
        }
        match self.profile.both_flags_order_unknown {
            BothFlagsUnknown::Draw => true,
            BothFlagsUnknown::LastPeriodDraw => is_last && self.is_qpf_in_force(),
            BothFlagsUnknown::Undecided => false,
        }
    }

    fn propose_flag_draw(&mut self, out: &mut Vec<Event>) {
        let Some(of) = self.open_number(Name::BothFlagsFallen) else { return };
        let (kind, result) = (OutcomeKind::TimeDraw, GameResult::Draw);
        let outcome = Outcome { reason: Some(OutcomeReason::BothFlags), ..Outcome::of(result) };
        self.open(Draft::open((kind, outcome)).of(of), out);
        self.propose_result(Some(kind), result, of, out);
    }

    /// `side` has lost on time, or drawn if the opponent cannot mate (6.9); where only a player calls
    /// a flag (2005: B7), not before he does. `both` is the record of both flags, if both are down.
    fn propose_time_loss(&mut self, side: Side, both: Option<RecordId>, out: &mut Vec<Event>) {
        if self.profile.flag_called_by != FlagCall::PlayerOnly {
            self.open_time_loss(side, both, out);
        }
    }

    /// The same where the flag has been called.
    pub(super) fn open_time_loss(&mut self, side: Side, both: Option<RecordId>, out: &mut Vec<Event>) {
        let Some(flag) = self.timing.flags.said[side.index()] else { return };
        let mate = self.ask_mate(side.other());
        let (kind, result, reason) = if mate.is_no() {
            (OutcomeKind::TimeDraw, GameResult::Draw, Some(OutcomeReason::CannotMate))
        } else {
            (OutcomeKind::TimeForfeit, GameResult::win(side.other()), None)
        };
        let outcome = Outcome { side: Some(side), reason, mate, ..Outcome::of(result) };
        self.open(Draft::open((kind, outcome)).of(flag.record), out);
        self.propose_result(Some(kind), result, both.unwrap_or(flag.record), out);
    }

    /// Holds a player's claim against the flags after the stop, and opens the outcome if it is
    /// correct (6.8, A.4.3; 2005: B8, B9).
    pub(super) fn judge_flag_claim(&mut self, claimant: Side, out: &mut Vec<Event>) -> FlagClaim {
        let said = self.timing.flags.said;
        let is_unmet = |side: Side| said[side.index()].is_some_and(|flag| flag.is_unmet);
        if !is_unmet(claimant.other()) {
            return FlagClaim::Incorrect;
        }
        if self.timing.flags.is_down(claimant) {
            if self.is_drawn_by_flags(said) {
                self.propose_flag_draw(out);
                return FlagClaim::Correct;
            }
            if self.profile.flag_claim_own_flag_up {
                return FlagClaim::OwnFlagDown;
            }
            if is_unmet(claimant) && self.timing.flags.first() != Some(claimant.other()) {
                return FlagClaim::Incorrect;
            }
        }
        self.open_time_loss(claimant.other(), None, out);
        FlagClaim::Correct
    }

    /// The board has ended the game first: the flag stays a fact, what it had opened is void (6.9).
    pub(super) fn flags_are_void(&mut self, out: &mut Vec<Event>) {
        let outcomes = [Name::TimeForfeit, Name::TimeDraw, Name::FlagOrderUncertain];
        self.close_all(|record| outcomes.contains(&record.name()), Status::Withdrawn, out);
        let flags = [Name::FlagFallen, Name::BothFlagsFallen];
        self.close_all(|record| flags.contains(&record.name()), Status::Expired, out);
    }
}
