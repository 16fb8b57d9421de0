//! What the clock says, reading by reading, and what is counted for it.
//!
//! A reading is looked at in this order: who started, stopped or pressed the clock (`lever`,
//! `pauses`, `pressing`), whether the times are what they should be and
//! which flags have fallen (`watch`), the clock's own counter (`counters`), and what a time as such gives rise
//! to (`reminders`, `scoresheets`).

use super::counters::Counter;
use super::lever::Lever;
use super::pauses::Pause;
use super::records::Draft;
use super::reminders::Reminders;
use super::round::Round;
use super::scene::{Report, Scene};
use super::scoresheets::Scoresheets;
use super::watch::Watch;
use super::{Mode, Setting, Table, offers};
use crate::event::finding::{BySide, ClockSnapshot, SnapshotKind};
use crate::event::{Body, Event, Times};
use crate::ply::Ply;
use adoube_rules::clock::{ClockMode, ClockRules, TimeControl};
use adoube_rules::laws::Edition;
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::{Position as _, Variant};

/// The clock side of a game: everything beside the last reading.
#[derive(Debug, Clone, Default)]
pub(super) struct Timing {
    pub(super) control: Option<TimeControl>,
    /// Moves that each had completed when this table came to see the game.
    pub(super) moves_before: [u32; 2],
    /// The clock was started in this game.
    pub(super) is_started: bool,
    /// When that was, or when the table came to see the game.
    pub(super) started_ns: u64,
    pub(super) watch: Watch,
    pub(super) pause: Option<Pause>,
    /// Who stops the clocks, as a ruling has said, and when it said so.
    pub(super) pause_by: Option<(String, u64)>,
    pub(super) lever: Lever,
    pub(super) reminders: Reminders,
    pub(super) scoresheets: Scoresheets,
    pub(super) counter: Counter,
    /// Outlives the game: a round starts before its games do.
    pub(super) round: Round,
}

/// Moves of each side, by [`Side::index`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) made: [u32; 2],
    pub(super) completed: [u32; 2],
}

impl Timing {
    /// For a game that begins at `at_ns` from `start`.
    pub(super) fn begin<V: Variant>(&self, setting: &Setting<V>, start: &V::Position, at_ns: u64) -> Self {
        let text = setting.time_control.as_deref();
        Self {
            control: text.and_then(|text| text.parse().ok()),
            moves_before: start.moves_before(),
            is_started: setting.in_progress,
            started_ns: at_ns,
            round: self.round.clone(),
            lever: self.lever.next_game(),
            ..Self::default()
        }
    }
}

impl<V: Variant> Table<V> {
    /// Whose turn it is by the lever, and whose time has run since the clock showed `before_ms`.
    fn tell_tracker_of_times(&mut self, before_ms: Option<Times>, reading: &ClockReading) {
        let now_ns = self.scene.now.mono_ns;
        let Some(game) = &mut self.scene.game else { return };
        let changed = |side: Side| {
            before_ms.is_some_and(|before| before[side.index()] != reading.left_ms[side.index()])
        };
        // After a lost link, times that stand altogether tell nothing.
        let is_untold = game.tracker.is_blind() && !Side::BOTH.into_iter().any(changed);
        let has_run = |side| is_untold || reading.running == Some(side) || changed(side);
        game.tracker.lever(reading.lever, now_ns);
        game.tracker.ran(Side::BOTH.map(has_run), now_ns);
    }

    /// A reading of the clock; `None`: there is none.
    pub(super) fn clock_read(&mut self, reading: Option<ClockReading>, out: &mut Vec<Event>) {
        // A quarter of a turn leaves the clock where it was, as far as anybody can tell.
        let turned = self.scene.game.as_ref().is_some_and(|game| game.turned == 180);
        let reading = reading.map(|reading| {
            let by_place = reading.by_end && (turned != self.scene.setting.clock_swapped);
            if by_place == self.scene.timing.lever.is_swapped { reading } else { reading.swapped() }
        });
        let before = self.scene.clock.last_at();
        let had_run = self.scene.clock.has_run();
        let news = self.scene.clock.read(reading, self.scene.now.mono_ns);
        // What it does not say, the log has understood.
        let reading = self.scene.clock.last().copied();
        if news.unexpected {
            self.emit(Body::ClockRead(reading), out);
        }
        let Some(reading) = reading else {
            if let Some(game) = &mut self.scene.game {
                game.tracker.clock_is_gone();
            }
            self.watch(out, |watch, report| watch.clock_unplugged(before, report));
            self.end_pause(out);
            return;
        };
        let now_ns = self.scene.now.mono_ns;
        self.tell_tracker_of_times(before.map(|before| before.0.left_ms), &reading);
        self.scene.timing.watch.count_used(before, now_ns);
        if let Some(side) = news.started {
            // What it showed before it ran is not known of a clock that was found to run.
            let stood = before.filter(|_| !news.understood);
            self.clock_started(side, stood, had_run, &reading, news.pressed, out);
            self.watch_for_offer(out);
        }
        if let Some(side) = news.pressed {
            self.scene.times_before_press = before.map(|(reading, _)| reading.left_ms);
            self.pressed =
                Some(super::Pressed { side, at_ns: self.scene.now.mono_ns, left_ms: reading.left_ms });
            self.pressed_after_end(side, out);
            self.lever_pressed(side, reading.left_ms, out);
        }
        let both = if news.pressed.is_none() { both_pressed(&self.scene, before, &reading) } else { None };
        if let Some(first) = both {
            self.lever_pressed(first, reading.left_ms, out);
            self.lever_pressed(first.other(), reading.left_ms, out);
        }
        // A press may have shown that the two ends were taken for each other.
        let Some(&reading) = self.scene.clock.last() else { return };
        let known = before.filter(|_| self.scene.is_on_the_clock());
        let before = before.filter(|_| self.scene.is_timed());
        if both.is_some() || news.understood {
            self.watch(out, |watch, report| watch.adopt(report.scene, &reading));
        }
        if both.is_none() {
            let is_begun =
                reading.running.is_some() && self.scene.counts().made != self.scene.timing.moves_before;
            if !self.scene.timing.is_started && is_begun {
                self.start_game(None, None, out);
            }
            if self.scene.is_timed() && !news.understood {
                let is_press = news.pressed.is_some();
                self.watch(out, |watch, report| watch.compare_display(before, &reading, is_press, report));
            }
        }
        if let Some(side) = news.stopped {
            self.clock_stopped(side, out);
            self.clocks_stopped_while_sealing(out);
            offers::judge_resignation_signs(&mut self.report(out));
        }
        if self.scene.is_on_the_clock() {
            self.watch(out, |watch, report| watch.flags_read(known, &reading, report));
        }
        self.what_follows(&reading, news.pressed.is_some(), out);
    }

    /// What a time as such gives rise to.
    fn what_follows(&mut self, reading: &ClockReading, is_press: bool, out: &mut Vec<Event>) {
        // Until the last press is understood nobody knows how many moves it completed.
        if !is_press && self.pending.press.is_none() && self.pending.verdict_ns.is_none() {
            self.timing_part(|timing| &mut timing.counter, out, |part, report| part.compare(reading, report));
        }
        if self.scene.is_timed() {
            self.timing_part(
                |timing| &mut timing.reminders,
                out,
                |part, report| part.remind(reading, report),
            );
            self.timing_part(
                |timing| &mut timing.scoresheets,
                out,
                |part, report| {
                    part.note_exemptions(reading, report);
                },
            );
        }
    }

    /// The board's link was lost: presses and settings may have gone unseen.
    pub(super) fn clock_unseen(&mut self) {
        self.scene.timing.watch.is_unseen();
    }
}

impl<V: Variant> Scene<V> {
    /// A game is played on a clock that has been started, and its times count.
    #[inline]
    pub(super) fn is_timed(&self) -> bool {
        self.timing.is_started && self.playing().is_some() && !self.mode().is_off_the_record()
    }

    /// The same, or its player seals: his time runs until he stops the clocks (I.1.1).
    fn is_on_the_clock(&self) -> bool {
        self.is_timed()
            || (self.timing.is_started && self.playing().is_some() && self.mode() == Mode::Sealing)
    }

    /// The moves made and completed by each side.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts { made: self.timing.moves_before, completed: self.timing.moves_before };
        let Some(game) = self.game.as_ref() else { return counts };
        for (ply, known) in game.plies.iter() {
            let Some(mover) = self.mover(ply) else { continue };
            counts.made[mover.index()] += 1;
            counts.completed[mover.index()] += u32::from(known.completed_ns.is_some());
        }
        counts
    }

    /// A position was adopted: more moves have been made than are counted.
    pub(super) fn misses_moves(&self) -> bool {
        let is_adopted = |known: &super::Known| known.is_recovered && known.illegal.is_some();
        self.game.as_ref().is_some_and(|game| game.plies.iter().any(|(_, known)| is_adopted(known)))
    }

    /// Has `side` completed the moves that a control asks for, or may it have, out of sight? None asks for all of them.
    pub(super) fn has_met(&self, side: Side, required: Option<u32>) -> bool {
        let has_made = |required| self.counts().completed[side.index()] >= required || self.misses_moves();
        required.is_some_and(has_made)
    }

    /// How clocks of this event are set and read.
    pub(super) fn clock_rules(&self) -> ClockRules {
        let waits = |control: &TimeControl| matches!(control.mode(), ClockMode::Delay | ClockMode::Bronstein);
        let is_exception =
            self.profile.edition == Edition::Fide2005 && self.timing.control.as_ref().is_some_and(waits);
        ClockRules {
            first_increment: self.profile.increment_before_first_move,
            carry_over: self.profile.carry_over_time && !is_exception,
            ..ClockRules::default()
        }
    }

    /// Whose time runs.
    #[inline]
    pub(super) fn running(&self) -> Option<Side> {
        self.clock.last().and_then(|reading| reading.running)
    }

    /// What the clock shows and how many moves there are.
    pub(super) fn snapshot(&self, [white_ms, black_ms]: Times, running: Option<Side>) -> ClockSnapshot {
        let counts = self.counts();
        let counter = self.clock.last().and_then(|reading| reading.counter);
        ClockSnapshot {
            white_ms,
            black_ms,
            running,
            plies: self.game.as_ref().map_or(Ply::START, |game| game.tracker.plies()),
            made: counts.made.into(),
            completed: counts.completed.into(),
            counter: counter.map(BySide::from),
        }
    }

    /// Is quickplay finish in force: announced, not excluded, and no increment (III.2; 2005: 10)?
    pub(super) fn is_qpf_in_force(&self) -> bool {
        use adoube_rules::laws::Class;
        let has_extra = self
            .timing
            .control
            .as_ref()
            .is_some_and(|control| control.periods().last().is_some_and(|period| period.extra_s > 0));
        self.profile.qpf_enabled
            && !(self.profile.qpf_excluded_blitz && self.profile.class == Class::Blitz)
            && !(self.profile.qpf_excluded_increment && has_extra)
    }
}

impl<V: Variant> Report<'_, V> {
    /// Both readings, whose time runs, the ply and the counters, before anything is corrected
    /// (6.10.2); once an instant.
    pub(super) fn note_before_correction(&mut self, running: Option<Side>) {
        let Some(times) = self.times() else { return };
        if self.records.is_first_note(self.scene.now.mono_ns) {
            let snapshot = self.snapshot(times, running);
            self.open(Draft::notice((SnapshotKind::ClockBeforeCorrection, snapshot)));
        }
    }
}

/// Move and reply were both pressed between two readings: the lever is where it was, and both times
/// have their increment. Who pressed first.
fn both_pressed<V: Variant>(
    scene: &Scene<V>,
    before: Option<(ClockReading, u64)>,
    reading: &ClockReading,
) -> Option<Side> {
    let (before, before_ns) = before?;
    let first = before.running.filter(|_| before.running == reading.running && scene.is_timed())?;
    let completed = scene.counts().completed;
    let elapsed_ms =
        i64::try_from(adoube_rules::stamp::ms(scene.now.mono_ns.saturating_sub(before_ns))).ok()?;
    let has_increment = Side::BOTH.into_iter().all(|side| {
        let index = side.index();
        let increment_ms = scene
            .timing
            .control
            .as_ref()
            .and_then(|control| i64::try_from(control.increment_ms(completed[index])).ok())
            .unwrap_or(0);
        let gained_ms =
            super::watch::signed(reading.left_ms[index]) - super::watch::signed(before.left_ms[index]);
        // Displays show whole seconds, rounded either way.
        increment_ms > elapsed_ms + 2_000
            && gained_ms <= increment_ms + 2_000
            && gained_ms >= increment_ms - elapsed_ms - 2_000
    });
    has_increment.then_some(first)
}

#[cfg(test)]
mod tests {
    use adoube_rules::{ChessPosition, Position as _};

    #[test]
    fn a_fen_tells_how_many_moves_were_made() {
        let moves_before = |fen| {
            ChessPosition::from_fen(&format!("4k3/8/8/8/8/8/8/4K3 {fen}"), false).unwrap().moves_before()
        };
        assert_eq!(moves_before("w - - 0 1"), [0, 0]);
        assert_eq!(moves_before("w - - 0 40"), [39, 39]);
        assert_eq!(moves_before("b - - 0 41"), [41, 40]);
    }
}
