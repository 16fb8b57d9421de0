//! Fallen flags: what was required, and what follows (6.4, 6.8, 6.9, III.3; 2005: B7 to B9).
//!
//! A flag is a fact; nothing is lost by it until the arbiter or a valid claim says so. A move that
//! ended the game before stands, and so does one made after a flag that nobody called (6.9).

use super::super::records::Draft;
use super::super::scene::{Report, Scene};
use crate::event::finding::{
    BothFlagsFallen, FirstFlag, FlagFallen, FlagOrderUncertain, Outcome, OutcomeKind, OutcomeReason,
    TimeControlCheck,
};
use crate::event::{RecordId, Status};
use crate::ply::Ply;
use adoube_rules::laws::{BothFlags, BothFlagsUnknown, FlagCall, Name, Severity};
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::{MS, ms};
use adoube_rules::{GameResult, Position as _, Variant};

/// The flags of a game.
#[derive(Debug, Clone, Default)]
pub(in crate::table) struct Flags {
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
pub(in crate::table) enum FlagClaim {
    /// It has, in time for the claimant: the outcome is open.
    Correct,
    /// It has not, or the requirement was met, or the claimant's own fell first.
    Incorrect,
    /// The claimant's own flag is down as well (A.4.3).
    OwnFlagDown,
}

impl Flags {
    /// That side's flag is down.
    pub(in crate::table) fn is_down(&self, side: Side) -> bool {
        self.fell_ns[side.index()].is_some()
    }

    /// When that side's flag fell, if it is down.
    pub(in crate::table) fn fell_ns(&self, side: Side) -> Option<u64> {
        self.fell_ns[side.index()]
    }

    /// Any flag is down.
    pub(in crate::table) fn is_any_down(&self) -> bool {
        self.fell_ns.iter().any(Option::is_some)
    }

    /// Whose fell first; `None`: not both are down, or in one reading.
    pub(in crate::table) fn first(&self) -> Option<Side> {
        let [Some(white_ns), Some(black_ns)] = self.fell_ns else { return None };
        match white_ns.cmp(&black_ns) {
            std::cmp::Ordering::Less => Some(Side::White),
            std::cmp::Ordering::Greater => Some(Side::Black),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl Flags {
    /// Looks at the flags of a reading: the bit, or 0:00 that stands.
    pub(in crate::table) fn read<V: Variant>(
        &mut self,
        before: Option<(ClockReading, u64)>,
        reading: &ClockReading,
        report: &mut Report<'_, V>,
    ) {
        for side in Side::BOTH {
            let index = side.index();
            // A display that rounds down shows 0:00 for a second before the flag falls.
            let stood_at_zero = before.is_some_and(|(before, _)| before.left_ms[index] == 0);
            let is_over = reading.left_ms[index] == 0 && (reading.running != Some(side) || stood_at_zero);
            let is_down = reading.flags[index] || is_over;
            if !is_down {
                (self.fell_ns[index], self.said[index], self.is_both_said) = (None, None, false);
            } else if self.fell_ns[index].is_none() {
                self.fell_ns[index] = Some(report.now.mono_ns);
            }
        }
        self.judge_flags(report);
    }

    /// Says which flags have fallen, once, and what follows.
    fn judge_flags<V: Variant>(&mut self, report: &mut Report<'_, V>) {
        let is_unsaid = |side: &Side| self.is_down(*side) && self.said[side.index()].is_none();
        let fallen: Vec<Side> = Side::BOTH.into_iter().filter(is_unsaid).collect();
        if fallen.is_empty() {
            return;
        }
        let ending = report.ending_ply();
        for side in fallen {
            let fell_ns = self.fell_ns[side.index()].unwrap_or(report.now.mono_ns);
            // A move that ended the game before needs no time any more, once it stands.
            if ending.is_some_and(|(_, made_ns)| made_ns + report.order_tolerance_ns() < fell_ns) {
                continue;
            }
            self.say_flag(side, report.period_of(side), report);
            if let Some((ply, _)) = ending {
                self.order_uncertain(ply, report);
            }
            report.scene.timing.scoresheets.flag_fell(report);
        }
        if self.said.iter().all(Option::is_some) && !std::mem::replace(&mut self.is_both_said, true) {
            let first = self.first().map_or(FirstFlag::Unknown, FirstFlag::from);
            report.open(Draft::open(BothFlagsFallen { first }));
        }
        self.propose(report);
    }

    /// The time of `side`'s period has run out, and the clock goes on with the next one's: that is a
    /// flag whether it is shown or not, if the moves were not completed (6.4).
    pub(in crate::table) fn time_ran_out<V: Variant>(
        &mut self,
        side: Side,
        period: usize,
        report: &mut Report<'_, V>,
    ) {
        let required = report.timing.control.as_ref().and_then(|control| control.required_by(period));
        if !report.has_met(side, required) {
            self.fell_ns[side.index()] = Some(report.now.mono_ns);
            self.say_flag(side, period, report);
            self.propose(report);
        } else {
            report.check_control(side, period);
        }
    }

    /// Opens the record of `side`'s flag.
    fn say_flag<V: Variant>(&mut self, side: Side, period: usize, report: &mut Report<'_, V>) {
        let index = side.index();
        let counts = report.counts();
        let required = report.timing.control.as_ref().and_then(|control| control.required_by(period));
        let is_unmet = !report.has_met(side, required);
        report.check_control(side, period);
        let (made, completed) = (counts.made[index], counts.completed[index]);
        let fallen = FlagFallen { side, made, completed, required, period: period + 1 };
        let mut draft = if is_unmet { Draft::open(fallen) } else { Draft::notice(fallen) };
        if report.profile.flag_called_by == FlagCall::PlayerOnly {
            draft = draft.severity(Severity::Info);
        } else if !is_unmet {
            draft = draft.severity(Severity::Notice);
        }
        let record = report.open(draft);
        if !is_unmet {
            report.counter_withholds_period(side);
        }
        let is_last = required.is_none();
        self.said[index] = Some(Flag { record, is_unmet, is_last });
    }

    /// A flag and the move that ends the game are too close for anyone to say which was first: ply
    /// `ply` does not end it by itself, and both outcomes stay open. True if that is so.
    pub(in crate::table) fn order_uncertain<V: Variant>(&self, ply: Ply, report: &mut Report<'_, V>) -> bool {
        // A flag that only a player calls has fallen when he does (2005: B7).
        let is_sensed = report.profile.flag_called_by != FlagCall::PlayerOnly;
        let Some(game) = report.playing().filter(|_| is_sensed) else { return false };
        let made_ns = game.tracker.made_ns(ply);
        let tolerance_ns = report.order_tolerance_ns();
        let near = |fell_ns: &u64| fell_ns.abs_diff(made_ns) <= tolerance_ns;
        let Some(fell_ns) = self.fell_ns.iter().flatten().copied().find(near) else {
            return false;
        };
        let end = game.tracker.position(ply).end().map(Name::from);
        let outcomes: Vec<Name> = end.into_iter().chain([Name::TimeForfeit]).collect();
        let uncertain = FlagOrderUncertain {
            ply,
            move_at_ms: ms(report.elapsed_ns(made_ns)),
            flag_at_ms: ms(report.elapsed_ns(fell_ns)),
            error_ms: report.profile.order_tolerance_ms,
            outcomes,
        };
        report.open(Draft::open(uncertain));
        true
    }

    /// The outcome that the fallen flags give, for the arbiter to declare.
    pub(in crate::table) fn propose<V: Variant>(&self, report: &mut Report<'_, V>) {
        if report.records.drawn().is_some() {
            return;
        }
        let said = self.said;
        // A postponed claim outlives the flag of who made it (III.5.2).
        let claimant = claimant(report);
        let unmet = |side: Side| said[side.index()].filter(|flag| flag.is_unmet && claimant != Some(side));
        match [unmet(Side::White), unmet(Side::Black)] {
            [None, None] => {}
            [Some(_), Some(_)] if self.is_drawn(report.scene) => propose_flag_draw(report),
            [Some(_), Some(_)] => {
                if let Some(first) = self.first() {
                    let both = report.records.open_number(Name::BothFlagsFallen);
                    self.propose_time_loss(first, both, report);
                }
            }
            [Some(_), None] => self.propose_time_loss(Side::White, None, report),
            [None, Some(_)] => self.propose_time_loss(Side::Black, None, report),
        }
    }

    /// Both flags are down: does that draw the game?
    fn is_drawn<V: Variant>(&self, scene: &Scene<V>) -> bool {
        let is_last = self.said.iter().flatten().all(|flag| flag.is_last);
        if self.first().is_some() {
            return scene.profile.both_flags_order_known == BothFlags::Draw;
        }
        match scene.profile.both_flags_order_unknown {
            BothFlagsUnknown::Draw => true,
            BothFlagsUnknown::LastPeriodDraw => is_last && scene.is_qpf_in_force(),
            BothFlagsUnknown::Undecided => false,
        }
    }

    /// `side` has lost on time, or drawn if the opponent cannot mate (6.9); where only a player calls
    /// a flag (2005: B7), not before he does. `both` is the record of both flags, if both are down.
    fn propose_time_loss<V: Variant>(&self, side: Side, both: Option<RecordId>, report: &mut Report<'_, V>) {
        if report.profile.flag_called_by != FlagCall::PlayerOnly {
            self.open_time_loss(side, both, report);
        }
    }

    /// The same where the flag has been called.
    pub(in crate::table) fn open_time_loss<V: Variant>(
        &self,
        side: Side,
        both: Option<RecordId>,
        report: &mut Report<'_, V>,
    ) {
        let Some(flag) = self.said[side.index()] else { return };
        let mate = report.ask_mate(side.other());
        let (kind, result, reason) = if mate.is_no() {
            (OutcomeKind::TimeDraw, GameResult::Draw, Some(OutcomeReason::CannotMate))
        } else {
            (OutcomeKind::TimeForfeit, GameResult::win(side.other()), None)
        };
        let outcome = Outcome { side: Some(side), reason, mate, ..Outcome::of(result) };
        report.open(Draft::open((kind, outcome)).of(flag.record));
        report.propose_result(Some(kind), result, both.unwrap_or(flag.record));
    }

    /// Holds a player's claim against the flags after the stop, and opens the outcome if it is
    /// correct (6.8, A.4.3; 2005: B8, B9).
    pub(in crate::table) fn judge_claim<V: Variant>(
        &self,
        claimant: Side,
        report: &mut Report<'_, V>,
    ) -> FlagClaim {
        let said = self.said;
        let is_unmet = |side: Side| said[side.index()].is_some_and(|flag| flag.is_unmet);
        if !is_unmet(claimant.other()) || report.records.drawn().is_some() {
            return FlagClaim::Incorrect;
        }
        // The flag is down, and a postponed claim is decided first (III.5.2).
        if self::claimant(report) == Some(claimant.other()) {
            return FlagClaim::Correct;
        }
        if self.is_down(claimant) {
            if self.is_drawn(report.scene) {
                propose_flag_draw(report);
                return FlagClaim::Correct;
            }
            if report.profile.flag_claim_own_flag_up {
                return FlagClaim::OwnFlagDown;
            }
            if is_unmet(claimant) && self.first() != Some(claimant.other()) {
                return FlagClaim::Incorrect;
            }
        }
        self.open_time_loss(claimant.other(), None, report);
        FlagClaim::Correct
    }
}

/// Who has claimed a draw of the quickplay finish that is postponed.
fn claimant<V: Variant>(report: &Report<'_, V>) -> Option<Side> {
    report.records.open_record(Name::QpfClaimOpen).and_then(|record| record.key.side)
}

fn propose_flag_draw<V: Variant>(report: &mut Report<'_, V>) {
    let Some(of) = report.records.open_number(Name::BothFlagsFallen) else { return };
    let (kind, result) = (OutcomeKind::TimeDraw, GameResult::Draw);
    let outcome = Outcome { reason: Some(OutcomeReason::BothFlags), ..Outcome::of(result) };
    report.open(Draft::open((kind, outcome)).of(of));
    report.propose_result(Some(kind), result, of);
}

/// The board has ended the game first: the flag stays a fact, what it had opened is void (6.9).
pub(in crate::table) fn flags_are_void<V: Variant>(report: &mut Report<'_, V>) {
    let outcomes = [Name::TimeForfeit, Name::TimeDraw, Name::FlagOrderUncertain];
    report.close_all(|record| outcomes.contains(&record.name()), Status::Withdrawn);
    let flags = [Name::FlagFallen, Name::BothFlagsFallen];
    report.close_all(|record| flags.contains(&record.name()), Status::Expired);
}

impl<V: Variant> Scene<V> {
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
}

impl<V: Variant> Report<'_, V> {
    /// The period's end, with what was required (6.4).
    pub(in crate::table) fn check_control(&mut self, side: Side, period: usize) {
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
        self.open(Draft::notice(check));
    }
}

impl<V: Variant> Scene<V> {
    /// The period whose time runs down for `side`, from 0.
    pub(in crate::table) fn period_of(&self, side: Side) -> usize {
        if let Some(period) = self.timing.watch.period(side) {
            return period;
        }
        let completed = self.counts().completed[side.index()];
        self.timing.control.as_ref().map_or(0, |control| control.period_index(completed))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::scene::testing::{Bench, reading};
    use super::*;

    /// The times and flags of a reading in that second; what was said of it.
    fn read(
        flags: &mut Flags,
        bench: &mut Bench,
        second: u64,
        left_s: [u64; 2],
        down: [bool; 2],
    ) -> Vec<Name> {
        let shown = ClockReading { flags: down, ..reading(left_s, Some(Side::White)) };
        flags.read(None, &shown, &mut bench.report(second));
        bench.said()
    }

    #[test]
    fn a_flag_is_said_once_and_who_can_be_mated_has_lost() {
        let (mut flags, mut bench) = (Flags::default(), Bench::new());
        assert!(read(&mut flags, &mut bench, 100, [1, 5_400], [false; 2]).is_empty());
        let fallen = read(&mut flags, &mut bench, 101, [0, 5_400], [true, false]);
        assert!(fallen.contains(&Name::FlagFallen) && fallen.contains(&Name::TimeForfeit), "{fallen:?}");
        assert!(read(&mut flags, &mut bench, 102, [0, 5_400], [true, false]).is_empty(), "{flags:?}");
        assert_eq!((flags.is_down(Side::White), flags.first()), (true, None));
        let both = read(&mut flags, &mut bench, 200, [0, 0], [true, true]);
        assert!(both.contains(&Name::BothFlagsFallen), "{both:?}");
        assert_eq!(flags.first(), Some(Side::White));
    }

    #[test]
    fn a_claim_needs_a_flag_that_is_down() {
        let (mut flags, mut bench) = (Flags::default(), Bench::new());
        assert_eq!(flags.judge_claim(Side::Black, &mut bench.report(100)), FlagClaim::Incorrect);
        read(&mut flags, &mut bench, 101, [0, 5_400], [true, false]);
        assert_eq!(flags.judge_claim(Side::White, &mut bench.report(102)), FlagClaim::Incorrect);
        assert_eq!(flags.judge_claim(Side::Black, &mut bench.report(102)), FlagClaim::Correct);
    }
}
