//! Whose clock was started, and whether the ends of the lever are whose they are said to be (6.5, 6.6).

use serde::{Deserialize, Serialize};

use super::records::{Draft, Record};
use super::rulings::position;
use super::scene::{Report, Scene};
use super::{Table, adjourning};
use crate::event::finding::{ClockSideMismatch, GameStarted, WrongClockStarted};
use crate::event::{Body, Event, Status, Times};
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{ClockReading, Side};

/// What the lever has shown.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Lever {
    /// The ends are the other way round than configured: presses have shown it.
    pub(super) is_swapped: bool,
    /// Presses in a row that would be the other player's.
    contradictions: u8,
    /// Since when the running time runs.
    since_ns: u64,
    /// Who has pressed in this game.
    has_pressed: [bool; 2],
}

impl Lever {
    /// Who has pressed in this game.
    pub(super) fn has_pressed(&self) -> [bool; 2] {
        self.has_pressed
    }

    /// For the next game at the same clock.
    pub(super) fn next_game(self) -> Self {
        Self { is_swapped: self.is_swapped, ..Self::default() }
    }
}

/// So many presses in a row show that the ends are mistaken for each other (registry,
/// `clock-side-mismatch`): one may be a slip.
const CONTRADICTIONS: u8 = 2;

impl<V: Variant> Table<V> {
    /// A time runs that did not: the first of the game, or behind a pause. `stood`: the clock was seen to stand before,
    /// and when.
    pub(super) fn clock_started(
        &mut self,
        side: Side,
        stood: Option<(ClockReading, u64)>,
        had_run: bool,
        reading: &ClockReading,
        pressed: Option<Side>,
        out: &mut Vec<Event>,
    ) {
        self.scene.timing.lever.since_ns = self.scene.now.mono_ns;
        if stood.is_some() && had_run {
            self.clock_restarted(side, reading, out);
            return;
        }
        let Some(game) = self.scene.playing() else { return };
        if side == Side::White || !game.plies.is_empty() {
            self.start_game(stood.map(|_| *reading), stood, out);
        } else if pressed.is_none() && !self.scene.timing.is_started {
            self.wrong_clock_started(out);
        }
    }

    /// White's clock was started for the first time, or a first move made: the game has begun (6.6).
    pub(super) fn start_game(
        &mut self,
        reading: Option<ClockReading>,
        stood: Option<(ClockReading, u64)>,
        out: &mut Vec<Event>,
    ) {
        if self.scene.timing.is_started || self.scene.playing().is_none() {
            return;
        }
        let Some(game) = &mut self.scene.game else { return };
        (self.scene.timing.is_started, self.scene.timing.started_ns) = (true, self.scene.now.mono_ns);
        game.is_started = true;
        // A clock that has been running for a while does not show when the game began.
        let is_seen = game.plies.len() <= 1;
        self.open_game(out);
        self.close_all(|record| record.name() == Name::WrongClockStarted, Status::Corrected, out);
        self.close_all(|record| record.name() == Name::WhiteClockNotStarted, Status::Corrected, out);
        if is_seen {
            self.open(Draft::notice(GameStarted {}), out);
            self.play_begins(out);
            if let Some(reading) = reading {
                self.watch(out, |watch, report| watch.check_setting(&reading, stood, report));
            }
        }
    }

    /// Black's clock runs and there is no move on the board.
    pub(super) fn wrong_clock_started(&mut self, out: &mut Vec<Event>) {
        self.scene.timing.lever.contradictions = 1;
        self.open(Draft::open(WrongClockStarted { side: Side::Black, ply: None }), out);
    }

    /// The lever went down on `side`'s end.
    pub(super) fn lever_pressed(&mut self, side: Side, clock: Times, out: &mut Vec<Event>) {
        let since_ns = std::mem::replace(&mut self.scene.timing.lever.since_ns, self.scene.now.mono_ns);
        self.scene.timing.lever.has_pressed[side.index()] = true;
        if self.scene.is_before_the_start() && side == Side::Black {
            let reading = self.scene.clock.last().copied();
            self.scene.timing.lever.contradictions = 0;
            self.start_game(reading, None, out);
        } else if contradicts(&self.scene, side, since_ns) {
            self.scene.timing.lever.contradictions += 1;
            if self.scene.timing.lever.contradictions < CONTRADICTIONS {
                self.emit(Body::Pressed { side, clock: Some(clock) }, out);
                return;
            }
            self.swap_lever(out);
            self.pressed(side.other(), Some([clock[1], clock[0]]), out);
            return;
        } else if !self.scene.is_before_the_start() {
            self.scene.timing.lever.contradictions = 0;
        }
        self.pressed(side, Some(clock), out);
    }

    /// The two ends belong to the other players: from now on they are read so.
    fn swap_lever(&mut self, out: &mut Vec<Event>) {
        let lever = &mut self.scene.timing.lever;
        lever.is_swapped = !lever.is_swapped;
        lever.contradictions = 0;
        lever.has_pressed.swap(0, 1);
        self.scene.clock.swap();
        self.scene.timing.is_started = true;
        self.scene.timing.watch.begin_again();
        self.close_all(|record| record.name() == Name::WrongClockStarted, Status::Withdrawn, out);
        self.open(Draft::notice(ClockSideMismatch { swapped: true }), out);
    }
}

impl<V: Variant> Scene<V> {
    /// The game has not begun: a press is not one without a move.
    pub(super) fn is_before_the_start(&self) -> bool {
        !self.timing.is_started && self.playing().is_some_and(|game| game.plies.is_empty())
    }
}

/// Behind a pause `side`'s time runs: whose should? His who has the move, or his who has made one that
/// he has not completed.
pub(super) fn judge_side_started<V: Variant>(side: Side, report: &mut Report<'_, V>) {
    let is_wrong = |record: &Record| record.name() == Name::WrongClockStarted;
    let Some(game) = report.playing() else { return };
    let ply = game.tracker.plies();
    let known = game.plies.get(ply);
    let is_open = report.mover(ply) == Some(side) && known.is_some_and(|known| known.completed_ns.is_none());
    // An illegal move was put back by hand: whoever made it has the move (7.5.1).
    let is_put_back = known.is_some_and(|known| known.illegal.is_some()) && {
        let standing = position::standing_now(report.scene);
        adjourning::shows(report.scene, game.tracker.position(ply.before()), &standing)
    };
    let turn = if is_put_back { report.mover(ply) } else { Some(report.turn()) };
    if turn == Some(side) || is_open {
        report.close_all(is_wrong, Status::Corrected);
    } else {
        report.open(Draft::open(WrongClockStarted { side, ply: Some(ply.next()) }));
    }
}

/// The press would be that of the player who has nothing to press for, right after the other one
/// made his move on a time that was not his. Where a move of the presser is open the press may be
/// a late one (6.2.2), unless the one before contradicted the map.
fn contradicts<V: Variant>(scene: &Scene<V>, side: Side, since_ns: u64) -> bool {
    let Some(game) = scene.playing().filter(|_| !scene.mode().is_off_the_record()) else {
        return false;
    };
    let ply = game.tracker.plies();
    let is_open = |ply: Ply, mover: Side| {
        !ply.is_start() && scene.mover(ply) == Some(mover) && game.plies[ply].completed_ns.is_none()
    };
    is_open(ply, side.other())
        && since_ns < game.tracker.made_ns(ply)
        && (!is_open(ply.before(), side) || scene.timing.lever.contradictions > 0)
}
