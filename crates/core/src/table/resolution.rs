//! A ruling is finished at the board (DESIGN 2.6): what hands have to do for it, ticked off by what board and clock show.
//!
//! A resolution is a proposal of the record that was decided: open until board and clock show all that was ruled, or until
//! the arbiter has waived what they do not. There is one on a board at a time, as there is one pair of hands.

use super::records::{Draft, Record, Records};
use super::scene::Scene;
use super::watch::adjustments::is_same;
use super::watch::signed;
use super::{Mode, Table, named, restoring};
use crate::event::finding::{Finding, PartState, Resolution as Said, ResolutionDone, ResolutionPart};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Outcome, Reference, Task, inapplicable};
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::Side;
use adoube_rules::{Position as _, Variant};

/// What was ruled last, while hands carry it out.
#[derive(Debug, Clone)]
pub(super) struct Resolution {
    /// The record that says it, and the one that was decided.
    number: RecordId,
    of: RecordId,
    /// The plies of the game when it was ruled.
    plies: Ply,
    parts: Vec<ResolutionPart>,
}

/// A part that is still to be done, of which nothing else is known.
fn to_do(name: Task) -> ResolutionPart {
    ResolutionPart {
        name,
        state: PartState::ToDo,
        ply: None,
        squares: Vec::new(),
        side: None,
        target_ms: None,
        added_ms: None,
    }
}

fn is_to_do(part: &ResolutionPart) -> bool {
    part.state == PartState::ToDo
}

impl Resolution {
    /// One that another run of the daemon said: what was ruled is not known any more, and it goes with the next reading.
    pub(super) fn taken_over(records: &Records) -> Option<Self> {
        let record = records.open().find(|record| is_resolution(record))?;
        Some(Self {
            number: record.number,
            of: record.of.unwrap_or(RecordId::NONE),
            plies: Ply::START,
            parts: Vec::new(),
        })
    }

    fn part(&self, name: Task, side: Option<Side>) -> Option<&ResolutionPart> {
        self.parts.iter().find(|part| (part.name, part.side) == (name, side))
    }
}

impl<V: Variant> Table<V> {
    /// The record was confirmed, or one of its proposals: what hands have to do for it is ticked off from now on. What they
    /// have not done for another record goes with it.
    pub(super) fn resolution_begins(&mut self, record: RecordId, out: &mut Vec<Event>) {
        let of = self.records.record(record).and_then(|record| record.of).unwrap_or(record);
        let mut parts = self.parts();
        let is_due = parts.iter().any(|part| is_to_do(part) && part.name != Task::Running);
        if self.scene.playing().is_none() || !is_due {
            return;
        }
        let plies = self.plies();
        let is_open = |number| self.records.record(number).is_some_and(Record::is_open);
        match self.resolution.take().filter(|before| is_open(before.number)) {
            Some(before) if before.of == of => {
                let waived = |part: &ResolutionPart| {
                    let before = before.part(part.name, part.side);
                    part.name == Task::Running
                        && before.is_some_and(|before| before.state == PartState::Waived)
                };
                parts.iter_mut().filter(|part| waived(part)).for_each(|part| part.state = PartState::Waived);
                let is_over = |part: &&ResolutionPart| {
                    !parts.iter().any(|new| (new.name, new.side) == (part.name, part.side))
                };
                let over: Vec<ResolutionPart> = before.parts.iter().filter(is_over).cloned().collect();
                parts.splice(0..0, over);
                self.resolution = Some(Resolution { plies, parts, ..before });
            }
            before => {
                if let Some(before) = before {
                    self.close(before.number, Status::Expired, out);
                }
                let said = Draft::open(Said { parts: parts.clone() });
                match of {
                    // A game that was moved belongs to no record: nothing was found.
                    RecordId::NONE => drop(self.open(said.severity(Severity::Alert), out)),
                    _ => self.propose(said, of, out),
                }
                let number = self.records.open_number(Name::Resolution);
                self.resolution = number.map(|number| Resolution { number, of, plies, parts });
            }
        }
    }

    /// A ruling about what stands or what the clock shows was made by itself: it goes with what hands are at.
    pub(super) fn resolution_goes_on(&mut self, out: &mut Vec<Event>) {
        if let Some(of) = self.resolution.as_ref().map(|resolution| resolution.of) {
            self.resolution_begins(of, out);
        }
    }

    fn plies(&self) -> Ply {
        self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies())
    }

    /// What hands have to do now, whatever it was ruled for: the position first, then the clock, which runs again at last.
    fn parts(&self) -> Vec<ResolutionPart> {
        let mut parts = Vec::new();
        if let Some(ply) = self.restoring {
            let squares = restoring::to_put_right(&self.scene).map(named::<V>).collect();
            parts.push(ResolutionPart { ply: Some(ply), squares, ..to_do(Task::Position) });
        }
        // A clock that is unplugged comes back; a board without one shows no times.
        let clock_comes = self.scene.mode() == Mode::Moved && self.scene.timing.watch.is_set_to_a_time();
        if !self.scene.clock.has_run() && self.scene.clock.last().is_none() && !clock_comes {
            return parts;
        }
        let mut times = Side::BOTH.map(|side| ResolutionPart { side: Some(side), ..to_do(Task::Clock) });
        times.iter_mut().for_each(|part| look_at_clock(part, &self.scene));
        if times.iter().any(is_to_do) {
            parts.extend(times);
        }
        let turn = self.scene.game.as_ref().map(|game| game.tracker.best().turn());
        if self.scene.is_paused() || self.scene.running().is_some() || self.scene.mode() == Mode::Moved {
            parts.push(ResolutionPart { side: turn, ..to_do(Task::Running) });
        }
        parts
    }

    /// Board or clock may show something new, or the game may be over.
    pub(super) fn watch_resolution(&mut self, out: &mut Vec<Event>) {
        let Some(mut resolution) = self.resolution.take() else { return };
        let Some(said) = self.records.record(resolution.number).filter(|record| record.is_open()) else {
            return;
        };
        if self.scene.playing().is_none() || resolution.parts.is_empty() {
            return self.close(resolution.number, Status::Expired, out);
        }
        resolution.look(self);
        if !matches!(&said.finding, Finding::Resolution(said) if said.parts == resolution.parts) {
            let parts = resolution.parts.clone();
            self.amend(resolution.number, |record| record.finding = Said { parts }.into(), out);
        }
        if resolution.parts.iter().any(is_to_do) {
            self.resolution = Some(resolution);
            return;
        }
        // What was waived nobody has seen.
        let is_seen = resolution.parts.iter().all(|part| part.state == PartState::Done);
        let status = if is_seen { Status::Corrected } else { Status::Confirmed };
        self.close(resolution.number, status, out);
        if is_seen {
            self.open(Draft::notice(ResolutionDone {}), out);
        }
    }

    /// The arbiter leaves board or clock as they are.
    pub(super) fn waive(
        &mut self,
        record: &Reference,
        task: Task,
        side: Option<Side>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        self.check_resolved(record)?;
        if !self.leave_undone(task, side) {
            let parts = self.resolution.iter().flat_map(|resolution| &resolution.parts);
            let due: Vec<&str> = parts.filter(|part| is_to_do(part)).map(|part| part.name.as_str()).collect();
            return Err(inapplicable(format!("{} is not to be done; {} is", task.as_str(), due.join(", "))));
        }
        match task {
            Task::Position => {
                self.restoring = None;
                self.moved_game_is_played(out);
            }
            Task::Clock => self.watch(out, |watch, report| watch.rulings_are_waived(side, report)),
            Task::Running => {}
        }
        Ok(())
    }

    /// What is still to be done of `task`, of `side` if one is meant, is left as it is; false if nothing is.
    pub(super) fn leave_undone(&mut self, task: Task, side: Option<Side>) -> bool {
        let Some(resolution) = &mut self.resolution else { return false };
        let is_meant = |part: &&mut ResolutionPart| {
            part.name == task && is_to_do(part) && (side.is_none() || part.side == side)
        };
        let mut meant = 0;
        for part in resolution.parts.iter_mut().filter(is_meant) {
            part.state = PartState::Waived;
            meant += 1;
        }
        meant > 0
    }

    /// Is the record meant of which something is still to be done, by its name or number or by those of the resolution?
    fn check_resolved(&self, meant: &Reference) -> Outcome {
        let none = || inapplicable("nothing that was ruled is still to be done at this board");
        let resolution = self.resolution.as_ref().ok_or_else(none)?;
        let is_it = |record: &Record| match meant {
            Reference::Number(number) => record.number == RecordId(*number),
            Reference::Name(name) => record.name() == name.as_str(),
        };
        let mut either = [resolution.of, resolution.number].into_iter();
        if either.any(|number| self.records.record(number).is_some_and(is_it)) {
            return Ok(());
        }
        let of = self.records.record(resolution.of).map_or(Name::Resolution, Record::name);
        Err(inapplicable(format!("what is still to be done at this board was ruled for {of}")))
    }
}

/// Does the clock show what was ruled? What is given to a time that runs is known as a time once that stands.
fn look_at_clock<V: Variant>(part: &mut ResolutionPart, scene: &Scene<V>) {
    let watch = &scene.timing.watch;
    let Some(side) = part.side else { return };
    let Some(now) = scene.times() else {
        part.state = if watch.is_ruled(side) { PartState::ToDo } else { PartState::Done };
        return;
    };
    let (target_ms, added_ms) = watch.ruled_ms(side, now);
    if is_same(signed(target_ms), signed(now[side.index()])) {
        // It may run by now: what it was set to was said.
        part.target_ms = part.target_ms.or(Some(target_ms));
        part.state = PartState::Done;
    } else {
        part.target_ms = Some(target_ms).filter(|_| scene.running().is_none() || watch.is_set_to_a_time());
        part.added_ms = Some(added_ms).filter(|&added_ms| added_ms != 0);
        part.state = PartState::ToDo;
    }
}

impl Resolution {
    /// Looks at board and clock.
    fn look<V: Variant>(&mut self, table: &Table<V>) {
        let scene = &table.scene;
        let has_gone_on = table.plies() > self.plies;
        for part in &mut self.parts {
            match (part.name, part.state) {
                (Task::Position, PartState::ToDo) => {
                    let is_off =
                        |square| restoring::to_put_right(scene).any(|other| named::<V>(other) == square);
                    part.squares.retain(|square| is_off(square.clone()));
                    let is_seen = !scene.sensed.is_empty();
                    if has_gone_on || (is_seen && restoring::to_put_right(scene).next().is_none()) {
                        (part.state, part.squares) = (PartState::Done, Vec::new());
                    }
                }
                (Task::Clock, PartState::ToDo | PartState::Done) => look_at_clock(part, scene),
                _ => {}
            }
        }
        self.look_at_what_runs(scene, has_gone_on);
    }

    /// Time runs again when all else is done; without a clock the moves that follow tell.
    fn look_at_what_runs<V: Variant>(&mut self, scene: &Scene<V>, has_gone_on: bool) {
        let is_last = !self.parts.iter().any(|part| is_to_do(part) && part.name != Task::Running);
        for part in self.parts.iter_mut().filter(|part| is_to_do(part) && part.name == Task::Running) {
            let runs = match scene.clock.last() {
                None => has_gone_on,
                Some(reading) => reading.running.is_some_and(|side| has_gone_on || part.side == Some(side)),
            };
            if is_last && runs {
                part.state = PartState::Done;
            }
        }
    }
}

/// Is it the resolution of a record? That is done when the sensors say so, and by no word.
pub(super) fn is_resolution(record: &Record) -> bool {
    matches!(record.finding, Finding::Resolution(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::pieces_frame;
    use crate::event::Body;
    use crate::ruling::Ruled;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::{ClockReading, Reading};
    use adoube_rules::stamp::{SECOND, Stamp};
    use serde_json::json;

    const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const ILLEGAL: &str = "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR";
    const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";

    struct Board(Station, Output, u64);

    impl Board {
        /// A board on which White has pressed after an illegal move, with a minute used, and the clocks were stopped.
        fn with_an_illegal_move() -> Self {
            let mut open = Open::new("1", FRAMES, "test");
            open.time_control = Some("5400".to_owned());
            let station = Station::open(open, Stamp::default()).unwrap();
            let mut board = Self(station, Output::default(), 0);
            board.clock([5_400, 5_400], None);
            board.shows(ARRAY);
            (0..10).for_each(|_| board.clock([5_400, 5_400], None));
            (0..60).for_each(|second| board.clock([5_400 - second, 5_400], Some(Side::White)));
            board.shows(ILLEGAL);
            board.clock([5_340, 5_400], Some(Side::Black));
            (0..5).for_each(|second| board.clock([5_340, 5_400 - second], Some(Side::Black)));
            board.clock([5_340, 5_396], None);
            board
        }

        /// A second later.
        fn take(&mut self, input: &Input) {
            self.2 += 1;
            self.0.handle(input, Stamp::default().at(self.2 * SECOND), &mut self.1);
        }

        fn shows(&mut self, placement: &str) {
            self.take(&Input::Reading(Reading::Frame(pieces_frame(placement).unwrap())));
        }

        fn clock(&mut self, left_s: [u64; 2], running: Option<Side>) {
            let left_ms = left_s.map(|left_s| left_s * 1_000);
            let (lever, flags) = (running.or(Some(Side::Black)), [false; 2]);
            let reading = ClockReading { left_ms, running, lever, flags, counter: None, by_end: false };
            self.take(&Input::Reading(Reading::Clock(Some(reading))));
        }

        fn ruled(&mut self, ruling: serde_json::Value) -> Option<String> {
            self.1.refused = None;
            self.take(&Input::Ruling(Ruled::parse(&ruling).unwrap()));
            self.1.refused.as_ref().map(ToString::to_string)
        }

        /// The status of the last resolution, and its parts in words.
        fn resolution(&self) -> Option<(Status, Vec<String>)> {
            self.1.events.iter().rev().find_map(|event| {
                let Body::Record(said) = &event.body else { return None };
                let Finding::Resolution(resolution) = &said.finding else { return None };
                let words = |part: &ResolutionPart| {
                    let side = part.side.map_or("", Side::name);
                    let squares: Vec<&str> = part.squares.iter().map(|square| square.0.as_str()).collect();
                    let target_s = part.target_ms.map_or(String::new(), |ms| (ms / 1_000).to_string());
                    let added = part.added_ms.map_or(String::new(), |ms| format!("{:+}", ms / 1_000));
                    let all = [
                        part.name.as_str(),
                        side,
                        &target_s,
                        &added,
                        &squares.join("+"),
                        part.state.as_str(),
                    ];
                    all.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
                };
                Some((said.status, resolution.parts.iter().map(words).collect()))
            })
        }

        fn parts(&self) -> Vec<String> {
            self.resolution().map(|said| said.1).unwrap_or_default()
        }

        fn is_said(&self, name: Name) -> bool {
            self.1.events.iter().any(|event| event.body.name() == name)
        }
    }

    #[test]
    fn what_was_ruled_is_ticked_off_as_hands_do_it() {
        let mut board = Board::with_an_illegal_move();
        assert_eq!(board.ruled(json!({ "name": "confirm", "record": "illegal-move-completed" })), None);
        let position = |state: &str| format!("restore-position {state}");
        let clocks = |white: &str, black: &str| {
            [format!("clock-times white {white}"), format!("clock-times black {black}")]
        };
        let expected = |position: String, [white, black]: [String; 2], runs: &str| {
            vec![position, white, black, format!("resume white {runs}")]
        };
        let parts = board.parts();
        assert_eq!(parts[0], position("e2+e5 to-do"), "{parts:?}");
        assert_eq!(parts.last().unwrap(), "resume white to-do");
        assert!(parts[1].starts_with("clock-times white") && parts[2].contains("+120"), "{parts:?}");
        let target = |part: &str| part.split(' ').nth(2).unwrap().parse::<u64>().unwrap();
        let target_s = [target(&parts[1]), target(&parts[2])];
        assert_eq!(target_s, [5_341, 5_520], "as when the pawn was lifted, and two minutes");
        board.shows(LIFTED);
        assert_eq!(board.parts()[0], position("e2 to-do"));
        board.shows(ARRAY);
        assert_eq!(board.parts()[0], position("done"));
        board.clock([target_s[0], 5_396], None);
        assert!(
            board.parts()[1].ends_with("done") && board.parts()[2].ends_with("to-do"),
            "{:?}",
            board.parts()
        );
        board.clock(target_s, None);
        let black = format!("{} +120 done", target_s[1]);
        let all = expected(position("done"), clocks(&format!("{} done", target_s[0]), &black), "to-do");
        assert_eq!(board.parts(), all);
        assert!(!board.is_said(Name::ResolutionDone));
        board.clock(target_s, Some(Side::White));
        assert_eq!(board.resolution().unwrap().0, Status::Corrected);
        assert!(board.is_said(Name::ResolutionDone) && !board.is_said(Name::ClockSettingWrong));
    }

    #[test]
    fn what_is_waived_is_not_waited_for_and_no_word_makes_it_done() {
        let mut board = Board::with_an_illegal_move();
        assert_eq!(board.ruled(json!({ "name": "confirm", "record": "illegal-move-completed" })), None);
        let waive = |part: &str| json!({ "name": "waive", "record": "illegal-move-completed", "part": part, "text": "late" });
        for name in ["confirm", "reject"] {
            let refused = board.ruled(json!({ "name": name, "record": "resolution" })).unwrap();
            assert!(refused.contains("\"waive\""), "{refused}");
        }
        let mut of_black = waive("clock-times");
        of_black["side"] = json!("black");
        assert_eq!(board.ruled(of_black.clone()), None);
        let states = |board: &Board| {
            board.parts().iter().map(|part| part.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(states(&board), ["to-do", "done", "waived", "to-do"]);
        assert!(board.ruled(of_black).is_some());
        let refused = board.ruled(waive("clock-times")).unwrap();
        assert!(refused.contains("restore-position, resume is"), "{refused}");
        board.shows(ARRAY);
        board.clock([5_340, 5_396], Some(Side::White));
        assert_eq!(board.resolution().unwrap().0, Status::Confirmed);
        assert!(!board.is_said(Name::ResolutionDone) && !board.is_said(Name::ClockSettingWrong));
        let refused = board.ruled(waive("resume")).unwrap();
        assert!(refused.contains("nothing that was ruled"), "{refused}");
    }

    #[test]
    fn what_is_given_to_a_time_that_runs_is_known_once_it_stands() {
        let mut board = Board::with_an_illegal_move();
        board.clock([5_340, 5_396], Some(Side::Black));
        let ruling =
            json!({ "name": "confirm", "record": "illegal-move-completed", "without": ["clock-times"] });
        assert_eq!(board.ruled(ruling), None);
        (0..20).for_each(|second| board.clock([5_340, 5_395 - second], Some(Side::Black)));
        assert!(!board.is_said(Name::ClockTimeJump));
        for left_s in [5_376, 5_436] {
            board.clock([5_340, left_s], None);
            let parts = board.parts();
            assert!(parts.contains(&"clock-times black 5496 +120 to-do".to_owned()), "{left_s}: {parts:?}");
        }
        board.clock([5_340, 5_496], None);
        assert!(
            board.parts().contains(&"clock-times black 5496 +120 done".to_owned()),
            "{:?}",
            board.parts()
        );
    }

    #[test]
    fn a_reminder_that_is_rejected_leaves_the_clock_as_it_is_and_nothing_done() {
        let mut board = Board::with_an_illegal_move();
        assert_eq!(board.ruled(json!({ "name": "confirm", "record": "illegal-move-completed" })), None);
        for (choice, without) in [(json!("resolution"), json!([])), (json!(null), json!(["resolution"]))] {
            let ruling = json!({ "name": "confirm", "record": "illegal-move-completed", "choice": choice, "without": without });
            assert!(board.ruled(ruling).is_some(), "no word makes it done");
        }
        board.shows(ARRAY);
        board.clock([5_340, 5_396], Some(Side::White));
        assert!(board.is_said(Name::ClockSettingWrong));
        assert_eq!(board.ruled(json!({ "name": "reject", "record": "clock-setting-wrong" })), None);
        assert_eq!(board.resolution().unwrap().0, Status::Confirmed);
        assert!(board.parts()[2].ends_with("waived") && !board.is_said(Name::ResolutionDone));
    }

    #[test]
    fn times_are_those_when_the_piece_was_lifted_that_was_moved() {
        let mut open = Open::new("1", FRAMES, "test");
        open.time_control = Some("5400+30".to_owned());
        let mut board = Board(Station::open(open, Stamp::default()).unwrap(), Output::default(), 0);
        board.clock([5_430, 5_430], None);
        board.shows(ARRAY);
        (0..10).for_each(|_| board.clock([5_430, 5_430], None));
        // White touches the pawn, puts it back and thinks.
        for second in 0..60 {
            match second {
                20 => board.shows(LIFTED),
                21 => board.shows(ARRAY),
                58 => board.shows(LIFTED),
                _ => board.clock([5_430 - second, 5_430], Some(Side::White)),
            }
        }
        board.shows(ILLEGAL);
        board.clock([5_400, 5_430], Some(Side::Black));
        (0..5).for_each(|second| board.clock([5_400, 5_430 - second], Some(Side::Black)));
        let times = board.1.events.iter().find_map(|event| match &event.body {
            Body::Record(said) => match &said.finding {
                Finding::ClockTimes(times) => Some(times.clone()),
                _ => None,
            },
            _ => None,
        });
        let times = times.unwrap();
        let then = times.then.unwrap();
        assert_eq!((then.white_ms / 1_000, then.black_ms / 1_000), (5_373, 5_430), "{times:?}");
        assert!(times.unchanged.unwrap().white_ms > then.white_ms);
    }

    #[test]
    fn the_times_with_which_the_move_began_may_be_chosen() {
        const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        const FROM_E7_TO_E3: &str = "rnbqkbnr/pppp1ppp/8/8/4P3/4p3/PPPP1PPP/RNBQKBNR";
        let mut open = Open::new("1", FRAMES, "test");
        open.time_control = Some("5400".to_owned());
        let mut board = Board(Station::open(open, Stamp::default()).unwrap(), Output::default(), 0);
        board.clock([5_400, 5_400], None);
        board.shows(ARRAY);
        (0..10).for_each(|_| board.clock([5_400, 5_400], None));
        (0..30).for_each(|second| board.clock([5_400 - second, 5_400], Some(Side::White)));
        board.shows(E4);
        (0..60).for_each(|second| board.clock([5_370, 5_400 - second], Some(Side::Black)));
        board.shows(FROM_E7_TO_E3);
        board.clock([5_370, 5_340], Some(Side::White));
        board.clock([5_369, 5_340], None);
        let start = json!({ "name": "confirm", "record": "clock-times", "choice": "start" });
        assert_eq!(board.ruled(start), None);
        assert_eq!(board.parts()[1], "clock-times black 5400 to-do", "{:?}", board.parts());
    }

    #[test]
    fn a_game_that_is_over_has_nothing_left_to_be_done() {
        let mut board = Board::with_an_illegal_move();
        assert_eq!(board.ruled(json!({ "name": "confirm", "record": "illegal-move-completed" })), None);
        assert_eq!(board.ruled(json!({ "name": "result", "value": "0-1" })), None);
        assert_eq!(board.resolution().unwrap().0, Status::Expired);
    }

    #[test]
    fn parts_that_are_confirmed_one_by_one_are_one_resolution() {
        let mut board = Board::with_an_illegal_move();
        let confirm =
            |choice: &str| json!({ "name": "confirm", "record": "illegal-move-completed", "choice": choice });
        assert_eq!(board.ruled(confirm("restore-position")), None);
        assert_eq!(board.parts(), ["restore-position e2+e5 to-do", "resume white to-do"]);
        board.shows(ARRAY);
        assert_eq!(board.ruled(confirm("add-time-opponent")), None);
        let parts = board.parts();
        assert_eq!(parts[0], "restore-position done", "{parts:?}");
        assert_eq!(parts.iter().filter(|part| part.starts_with("clock-times")).count(), 2, "{parts:?}");
        let resolutions = board.1.events.iter().filter(|event| event.body.name() == Name::Resolution).count();
        assert_eq!(resolutions, 3, "it is opened, ticked off, and gets the clock");
    }
}
