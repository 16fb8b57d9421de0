//! Rulings about the clock, and the start of the round (DESIGN 5.6).
//!
//! The hall's clocks are set by hand. A ruling says what the hand will do, so that the reading that
//! follows is recognised; it settles the proposal of its name.

use serde_json::Value;

use crate::event::{Body, Event, Status, Times};
use crate::rules::Variant;
use crate::ruling::{Ruling, RulingError};
use crate::sensor::Side;

use super::Table;
use super::adjustments::{Grant, is_reminder};
use super::records::Record;
use super::settings::signed;

impl<V: Variant> Table<V> {
    /// Carries out a ruling about the clock; `None`: it is about something else.
    pub(super) fn rule_clock(
        &mut self,
        ruling: &Ruling,
        out: &mut Vec<Event>,
    ) -> Option<Result<(), RulingError>> {
        let ruled = match ruling.name() {
            "pause" => self.rule_pause(ruling, out),
            "resume" => self.rule_resume(ruling, out),
            "press" => self.rule_press(ruling, out),
            "clock-start" => self.rule_clock_start(ruling, out),
            "clock-times" => self.rule_clock_times(ruling, out),
            "add-time-opponent" | "reduce-time-offender" => self.rule_time(ruling, out),
            "adjust-times" => self.rule_adjust(ruling, out),
            "return-clock" | "undo-press" => self.rule_return(ruling, out),
            "counter-correction" => self.rule_counter(ruling, out),
            "increment-mode" => self.rule_increment(ruling, out),
            "round-start" => self.rule_round_start(ruling).map(|()| self.ruled(ruling, out)),
            _ => return None,
        };
        Some(ruled)
    }

    fn ruled(&self, ruling: &Ruling, out: &mut Vec<Event>) {
        self.emit(Body::Ruled(Box::new(ruling.clone())), out);
    }

    fn needs_game(&self, ruling: &Ruling) -> Result<(), RulingError> {
        match &self.game {
            None => Err(ruling.inapplicable("no game is on this board")),
            Some(game) if game.result.is_some() => Err(ruling.inapplicable("the game is over")),
            Some(_) => Ok(()),
        }
    }

    fn rule_pause(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        // Whoever is no player is the arbiter, by whatever name he entered it.
        let player = Side::BOTH.into_iter().find(|side| ruling.by() == Some(side.name()));
        let by = player.map_or("arbiter", Side::name).to_owned();
        if self.timing.pause.is_some() {
            return Err(ruling.inapplicable("the game is paused already"));
        }
        self.ruled(ruling, out);
        if self.clock.last().is_some() {
            self.timing.pause_by = Some((by, self.now.mono_ns));
        } else {
            self.pause(None, &by, out);
        }
        Ok(())
    }

    fn rule_resume(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let side = side_argument(ruling)?;
        if self.timing.pause.is_none() {
            return Err(ruling.inapplicable("the game is not paused"));
        }
        self.ruled(ruling, out);
        // Where there is a clock, its hands show when time runs again.
        if self.clock.last().is_none() {
            self.open(super::records::Draft::notice("clock-resumed").side(side), out);
            self.end_pause(out);
        }
        Ok(())
    }

    fn rule_press(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let side = side_argument(ruling)?;
        if self.clock.last().is_some() {
            return Err(ruling.inapplicable("the clock of this board tells its presses itself"));
        }
        self.ruled(ruling, out);
        if self.is_before_the_start() && side == Side::Black {
            self.start_game(None, out);
        }
        self.pressed(side, None, out);
        Ok(())
    }

    fn rule_clock_start(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let side = side_argument(ruling)?;
        self.ruled(ruling, out);
        if side == Side::White {
            self.start_game(None, out);
        } else if self.is_before_the_start() {
            self.wrong_clock_started(out);
        }
        Ok(())
    }

    fn rule_clock_times(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let times = [unsigned(ruling, "white_ms")?, unsigned(ruling, "black_ms")?];
        self.ruled(ruling, out);
        self.note_before_correction(self.running(), out);
        self.settle("clock-times", None, out);
        self.times_decided(times, out);
        Ok(())
    }

    fn rule_time(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let side = side_argument(ruling)?;
        let ms = signed(unsigned(ruling, "ms")?);
        let (name, ms) = match ruling.name() {
            "add-time-opponent" => ("add-time-opponent", ms),
            _ => ("reduce-time-offender", -ms),
        };
        self.ruled(ruling, out);
        self.note_before_correction(self.running(), out);
        self.settle(name, Some(side), out);
        self.grant(&[Grant::By(side, ms)], out);
        Ok(())
    }

    fn rule_adjust(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let by = [integer(ruling, "white_ms")?, integer(ruling, "black_ms")?];
        self.ruled(ruling, out);
        self.note_before_correction(self.running(), out);
        for side in Side::BOTH.into_iter().filter(|side| by[side.index()] != 0) {
            self.grant(&[Grant::By(side, by[side.index()])], out);
        }
        Ok(())
    }

    /// The presser's time runs again (7.5.3), or a press is undone that was not his (6.5, 7.5.3).
    fn rule_return(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        let side = side_argument(ruling)?;
        self.ruled(ruling, out);
        self.note_before_correction(self.running(), out);
        let name = if ruling.name() == "undo-press" { "undo-press" } else { "return-clock" };
        self.settle(name, Some(side), out);
        if name == "undo-press" {
            self.press_undone(self.times_before_press, out);
        }
        Ok(())
    }

    fn rule_counter(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        if ruling.argument("value").is_some() {
            // Set on the clock itself.
            unsigned(ruling, "value")?;
            self.ruled(ruling, out);
            self.settle("counter-correction", None, out);
        } else {
            self.ruled(ruling, out);
            self.correction = Some([false; 2]);
        }
        Ok(())
    }

    fn rule_increment(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.needs_game(ruling)?;
        if self.profile.qpf_increment_s.is_none() {
            return Err(ruling.inapplicable("this edition knows no increment for a quickplay finish"));
        }
        self.ruled(ruling, out);
        self.note_before_correction(self.running(), out);
        self.settle("increment-mode", None, out);
        self.increment_begins();
        Ok(())
    }

    /// The arbiter has confirmed a proposal about the clock: the table expects what a hand does now, as if
    /// he had entered the ruling of that name.
    pub(super) fn clock_proposal_confirmed(&mut self, proposal: &Record, out: &mut Vec<Event>) {
        let text = |key: &str| proposal.payload.get(key).and_then(Value::as_str);
        let side = Side::BOTH.into_iter().find(|side| text("side") == Some(side.name()));
        let amount_ms = proposal.payload.get("amount_ms").and_then(Value::as_i64);
        match (proposal.name(), side.zip(amount_ms)) {
            ("add-time-opponent", Some((side, ms))) => self.grant(&[Grant::By(side, ms)], out),
            ("reduce-time-offender", Some((side, ms))) => self.grant(&[Grant::By(side, -ms)], out),
            ("clock-times", _) => self.times_confirmed(proposal, out),
            ("undo-press", _) => self.press_undone(times_of(proposal, "clock"), out),
            ("increment-mode", _) => self.increment_begins(),
            _ => {}
        }
    }

    /// Both times shall be these: a hand sets them.
    fn times_decided(&mut self, times: Times, out: &mut Vec<Event>) {
        self.close_all(|record| record.name() == "clock-setting-wrong", Status::Corrected, out);
        self.grant_times(times, out);
    }

    /// Both times shall be those of a proposal, and on top of them what was given for the same record and stands
    /// on the clock already. It answers no record but its own.
    fn times_confirmed(&mut self, proposal: &Record, out: &mut Vec<Event>) {
        let Some(mut times) = times_of(proposal, "then") else { return };
        for side in Side::BOTH {
            let time = &mut times[side.index()];
            *time = time.saturating_add_signed(self.given_ms(proposal.of, side));
        }
        let is_answered =
            |record: &Record| proposal.of == Some(record.number) && record.name() == "clock-setting-wrong";
        let is_due_already = proposal.of.and_then(|of| self.record(of)).is_some_and(is_reminder);
        self.close_all(is_answered, Status::Corrected, out);
        if !is_due_already {
            self.grant_times(times, out);
        }
    }

    /// A press that was not the presser's counts for nothing; the times before it may be set again.
    fn press_undone(&mut self, before: Option<Times>, out: &mut Vec<Event>) {
        self.close_all(|record| record.name() == "neighbour-clock-pressed", Status::Corrected, out);
        if let Some(times) = before {
            self.grant(&[Grant::May(times)], out);
        }
    }

    /// Each move earns an increment from now on (III.4).
    fn increment_begins(&mut self) {
        let Some(extra_s) = self.profile.qpf_increment_s else { return };
        if let Some(control) = &mut self.timing.control {
            *control = control.with_increment(extra_s);
        }
        for expected in self.timing.expected.iter_mut().flatten() {
            let control = expected.control().with_increment(extra_s);
            expected.set_control(control);
        }
    }

    /// The open proposals of that name, for that side if one is meant, are decided.
    fn settle(&mut self, name: &str, side: Option<Side>, out: &mut Vec<Event>) {
        let is_meant = |record: &Record| {
            let of = record.payload.get("side").and_then(Value::as_str);
            record.name() == name && side.is_none_or(|side| of == Some(side.name()))
        };
        self.close_all(is_meant, Status::Confirmed, out);
    }
}

/// White's and Black's time in the payload of a proposal.
pub(super) fn times_of(proposal: &Record, key: &str) -> Option<Times> {
    let times = proposal.payload.get(key)?;
    let time = |key: &str| times.get(key).and_then(Value::as_u64);
    Some([time("white_ms")?, time("black_ms")?])
}

fn side_argument(ruling: &Ruling) -> Result<Side, RulingError> {
    let text = ruling.text("side").unwrap_or_default();
    Side::BOTH
        .into_iter()
        .find(|side| side.name() == text)
        .ok_or_else(|| ruling.inapplicable(format!("side is \"white\" or \"black\", not \"{text}\"")))
}

fn integer(ruling: &Ruling, key: &str) -> Result<i64, RulingError> {
    ruling
        .argument(key)
        .and_then(Value::as_i64)
        .ok_or_else(|| ruling.inapplicable(format!("{key} is a whole number of milliseconds")))
}

fn unsigned(ruling: &Ruling, key: &str) -> Result<u64, RulingError> {
    ruling
        .argument(key)
        .and_then(Value::as_u64)
        .ok_or_else(|| ruling.inapplicable(format!("{key} is a whole number, 0 or more")))
}
