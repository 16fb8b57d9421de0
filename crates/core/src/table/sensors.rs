//! The board's sensors, over games: which squares are not believed, who is told of them, and what the next game begins
//! with (DESIGN 2.5).

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{Table, named, orientation};
use crate::event::finding::{Fault, Finding, SensorFault};
use crate::event::{Event, Status};
use crate::infer::{Diagnosis, KNOWN_MAX, SickSquare, Sickness, Tracker};
use adoube_rules::laws::Severity;
use adoube_rules::sensor::Content;
use adoube_rules::square::{Square, Squares};
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// The squares that games on this board have found sick and none has disproved since, as the sensor counts them.
    #[must_use]
    pub fn sick_squares(&self) -> Vec<SickSquare> {
        self.scene.sick_squares()
    }

    /// Earlier games, at this daemon or before, have found these squares sick, as the sensor counts them. A game that is
    /// being played knows better.
    pub(super) fn know_sick(&mut self, sick: Vec<SickSquare>, out: &mut Vec<Event>) {
        self.scene.inputs += 1;
        if self.is_under_way() {
            return;
        }
        // Whoever wrote them may have had another board in mind.
        let is_here = |known: &SickSquare| known.0.index() < V::SQUARES;
        self.scene.sick = sick.into_iter().filter(is_here).take(KNOWN_MAX).collect();
        self.scene.well = Squares::EMPTY;
        self.tell_tracker_of_sick();
        if self.scene.playing().is_some() {
            self.doubt_what_differs();
        }
        self.watch_for_start(out);
    }

    /// What was found in the game that ends is known in the next.
    pub(super) fn keep_sick(&mut self) {
        self.scene.sick = self.scene.sick_squares();
        self.scene.well = Squares::EMPTY;
    }

    /// The arbiter has looked at what `fault` was said of, and it is well.
    pub(super) fn is_well(&mut self, squares: &[Square]) {
        let turned = self.turned();
        squares.iter().for_each(|&square| self.scene.well.insert(on_sensor::<V>(square, turned)));
    }

    /// The board lies so from now on: its sick squares are under others of the game.
    pub(super) fn lies(&mut self, turned: u32, out: &mut Vec<Event>) {
        self.scene.sick = self.scene.sick_squares();
        if let Some(game) = &mut self.scene.game {
            game.turned = turned;
        }
        if self.scene.sick.is_empty() {
            return;
        }
        let is_of_square = |record: &Record| matches!(&record.finding, Finding::SensorFault(fault) if fault.square.is_some());
        self.close_all(is_of_square, Status::Withdrawn, out);
        self.tell_tracker_of_sick();
    }

    fn tell_tracker_of_sick(&mut self) {
        let at_ns = self.scene.now.mono_ns;
        let Some(turned) = self.scene.game.as_ref().map(|game| game.turned) else { return };
        let (sick, contents) = (self.scene.sick_on_board(turned), orientation::oriented(&self.scene, turned));
        if let Some(game) = &mut self.scene.game {
            game.tracker.know_sick(sick, &contents, at_ns);
        }
    }
}

impl<V: Variant> Scene<V> {
    /// The squares that are sick as far as it is known, as the sensor counts them.
    pub(super) fn sick_squares(&self) -> Vec<SickSquare> {
        let Some(game) = &self.game else { return self.sick.clone() };
        let on_sensor = |(square, sickness)| (on_sensor::<V>(square, game.turned), sickness);
        let found = game.tracker.sick_squares().into_iter().map(on_sensor);
        found.filter(|found| !self.well.contains(found.0)).collect()
    }

    /// What was known of the squares before the game, on a board that lies so.
    pub(super) fn sick_on_board(&self, turned: u32) -> Vec<SickSquare> {
        self.sick.iter().map(|&(square, sickness)| (V::turned(square, turned), sickness)).collect()
    }

    /// A tracker of a game from `start` on a board that lies so, which knows of the squares that are not to be believed.
    pub(super) fn tracker(&self, start: V::Position, turned: u32, at_ns: u64) -> Tracker<V> {
        let mut tracker = Tracker::new(self.view, start, self.setting.parameters, at_ns);
        if !self.sick.is_empty() {
            tracker.know_sick(self.sick_on_board(turned), &orientation::oriented(self, turned), at_ns);
        }
        tracker
    }

    /// The same before a game has its first ply, and after it; while it is played none.
    pub(super) fn sick_before_play(&self) -> Vec<SickSquare> {
        let is_played = self.playing().is_some_and(|game| !game.plies.is_empty());
        if is_played { Vec::new() } else { self.sick_squares() }
    }

    /// What the board shows if it lies so, and what `start` has there where a sick square only hides it. While a game is
    /// played the board shows what it shows: squares that are sick in it may be what was played.
    pub(super) fn believed(&self, turned: u32, start: &V::Position) -> Vec<Content> {
        let mut contents = orientation::oriented(self, turned);
        for (square, sickness) in self.sick_before_play() {
            let square = V::turned(square, turned);
            let Some(content) = contents.get_mut(square.index()) else { continue };
            let belongs = self.view.see(start.content(square));
            let is_hidden = match sickness {
                Sickness::Dead | Sickness::Flickering => content.is_empty(),
                Sickness::Stuck => belongs.is_empty(),
            };
            if is_hidden {
                *content = belongs;
            }
        }
        contents
    }

    /// What earlier games found of `square` of the running one.
    pub(super) fn known_sick(&self, square: Square) -> Option<Sickness> {
        let sensor = on_sensor::<V>(square, self.game.as_ref()?.turned);
        self.sick.iter().find(|known| known.0 == sensor).map(|known| known.1)
    }
}

fn on_sensor<V: Variant>(square: Square, turned: u32) -> Square {
    V::turned(square, (360 - turned) % 360)
}

/// What is wrong with a square, or that it is well, is said. Who was told before the game is reminded, not alerted.
pub(super) fn judge_square<V: Variant>(diagnosis: Diagnosis, report: &mut Report<'_, V>) {
    let square = named::<V>(diagnosis.square);
    let Some(sickness) = diagnosis.sickness else {
        let is_of_square = |record: &Record| match &record.finding {
            Finding::SensorFault(fault) => fault.square.as_ref() == Some(&square),
            _ => false,
        };
        return report.close_all(is_of_square, Status::Corrected);
    };
    let is_known = report.scene.known_sick(diagnosis.square) == Some(sickness);
    let evidence = Some(diagnosis.evidence);
    let fault = Fault::from(sickness);
    let found =
        Finding::from(SensorFault { square: Some(square), fault, evidence, shown: None, expected: None });
    let mut draft = Draft::open(found.clone()).squares(&[diagnosis.square]);
    if is_known {
        draft = draft.severity(Severity::Info);
    }
    let record = report.open(draft);
    // What was suspected is known now.
    if report.records.record(record).is_some_and(|record| record.finding != found) {
        report.amend(record, |record| record.finding = found);
    }
}

impl From<Sickness> for Fault {
    fn from(sickness: Sickness) -> Self {
        match sickness {
            Sickness::Dead => Self::Dead,
            Sickness::Stuck => Self::Stuck,
            Sickness::Flickering => Self::Flickering,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capture::pieces_frame;
    use crate::event::Body;
    use crate::ruling::Ruled;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::{Frame, Reading};
    use adoube_rules::stamp::{SECOND, Stamp};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const NO_D2: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR";
    const D2: Square = Square::new(11);
    const E4: Square = Square::new(28);

    /// A board that feels squares only, or names its pieces.
    struct Board {
        station: Station,
        output: Output,
        inputs: u64,
        is_named: bool,
    }

    impl Board {
        fn new(is_named: bool) -> Self {
            let station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
            Self { station, output: Output::default(), inputs: 0, is_named }
        }

        fn takes(&mut self, input: &Input) {
            self.inputs += 1;
            self.station.handle(input, Stamp::default().at(self.inputs * 5 * SECOND), &mut self.output);
            assert_eq!(self.output.refused, None);
        }

        fn shows(&mut self, placements: &[&str]) {
            for placement in placements {
                let named = pieces_frame(placement).unwrap();
                let felt = || named.contents().iter().map(|content| content.occupancy()).collect();
                let frame = if self.is_named { named } else { Frame::Occupancy(felt()) };
                self.takes(&Input::Reading(Reading::Frame(frame)));
            }
        }

        fn rules(&mut self, ruling: serde_json::Value) {
            self.takes(&Input::Ruling(Ruled::parse(&ruling).unwrap()));
        }

        /// The game is over, and the next array is set up as it can be seen.
        fn next_game(&mut self, placement: &str) {
            self.rules(json!({ "name": "result", "value": "1-0" }));
            self.shows(&[placement]);
            self.takes(&Input::Wake);
        }

        /// How many games were opened.
        fn opened(&self) -> usize {
            self.output.events.iter().filter(|event| matches!(event.body, Body::GameOpened(_))).count()
        }

        /// The moves and what was said of squares: the square, its fault, severity and status.
        fn said(&self) -> Vec<String> {
            let said = |event: &Event| match &event.body {
                Body::MoveMade(made) => Some(made.played.san()),
                Body::Record(said) => match &said.finding {
                    Finding::SensorFault(fault) => Some(format!(
                        "{} {} {} {}",
                        fault.square.as_ref()?.0,
                        adoube_rules::words::written(&fault.fault),
                        adoube_rules::words::written(&said.severity),
                        adoube_rules::words::written(&said.status)
                    )),
                    _ => None,
                },
                _ => None,
            };
            self.output.events.iter().filter_map(said).collect()
        }
    }

    /// 1.e4 e5 2.Nf3 Nc6, and square d2 dies with the first move.
    const D2_DIES: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPP2PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPP2PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPP2PPP/RNBQKB1R",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPP2PPP/RNBQKB1R",
    ];

    #[test]
    fn what_one_game_found_the_next_begins_with() {
        for is_named in [true, false] {
            let mut board = Board::new(is_named);
            board.shows(&[START]);
            board.takes(&Input::Wake);
            board.shows(&D2_DIES);
            board.takes(&Input::Wake);
            assert_eq!(board.station.sick_squares(), [(D2, Sickness::Dead)], "{:?}", board.said());
            board.next_game(NO_D2);
            let ready = board.station.readiness().unwrap().array;
            assert!(ready.is_right && ready.sick == [(D2, Sickness::Dead)], "{ready:?}");
            assert_eq!(board.opened(), 2);
            board.output.clear();
            board.shows(&["rnbqkbnr/pppppppp/8/8/8/5N2/PPP1PPPP/RNBQKB1R"]);
            board.takes(&Input::Wake);
            assert_eq!(
                board.said(),
                ["Nf3", "d2 dead info open"],
                "named with the first ply, and nobody is alarmed"
            );
        }
    }

    #[test]
    fn on_a_square_that_is_known_to_be_dead_a_piece_stands_that_is_nowhere_else() {
        for is_named in [true, false] {
            let mut board = Board::new(is_named);
            board.takes(&Input::Sick(vec![(E4, Sickness::Dead)]));
            board.shows(&[START]);
            board.takes(&Input::Wake);
            board.shows(&[
                "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR",
                "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPP1PPP/RNBQKBNR",
            ]);
            board.takes(&Input::Wake);
            assert_eq!(board.said(), ["e4", "e5", "e4 dead info open"]);
        }
    }

    #[test]
    fn a_square_that_is_known_to_be_dead_keeps_no_array_from_being_right() {
        let mut board = Board::new(true);
        board.takes(&Input::Sick(vec![(D2, Sickness::Dead)]));
        board.shows(&[NO_D2]);
        let ready = board.station.readiness().unwrap().array;
        assert!(ready.is_right && ready.wrong.is_empty(), "{ready:?}");
        board.takes(&Input::Wake);
        assert_eq!(board.opened(), 1, "three seconds are enough");
        assert!(board.station.carry(Some("1")).is_some(), "a restart reads no further back");
        // What nobody has found before is one more square that may be silent.
        let mut board = Board::new(true);
        board.takes(&Input::Sick(vec![(E4, Sickness::Dead)]));
        board.shows(&[NO_D2]);
        assert!(!board.station.readiness().unwrap().array.is_right);
    }

    #[test]
    fn it_may_be_learned_when_the_array_stands_already_and_lies_turned() {
        let mut board = Board::new(true);
        let white_on_top: String = NO_D2.chars().rev().collect();
        board.shows(&[&white_on_top]);
        let d2_of_white = Square::new(63 - D2.number());
        board.takes(&Input::Sick(vec![(d2_of_white, Sickness::Dead)]));
        let ready = board.station.readiness().unwrap().array;
        assert!(ready.is_right && ready.turned == Some(180), "{ready:?}");
        assert_eq!(ready.sick, [(D2, Sickness::Dead)], "as the game has it");
        assert_eq!(board.station.sick_squares(), [(d2_of_white, Sickness::Dead)], "as the sensor has it");
    }

    #[test]
    fn a_square_that_behaves_is_forgotten() {
        let mut board = Board::new(true);
        board.takes(&Input::Sick(vec![(E4, Sickness::Dead), (D2, Sickness::Dead)]));
        board.shows(&[START]);
        board.takes(&Input::Wake);
        board.shows(&[
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
        ]);
        board.takes(&Input::Wake);
        assert_eq!(board.said(), ["e4", "e5", "Nf3"], "nobody is told of a square that is well");
        assert_eq!(board.station.sick_squares(), []);
    }

    #[test]
    fn a_board_that_is_turned_in_mid_game_has_its_sick_square_under_another() {
        let mut board = Board::new(true);
        board.shows(&[START]);
        board.takes(&Input::Wake);
        board.shows(&D2_DIES);
        board.takes(&Input::Wake);
        // The pawn of e7 comes to the sensor of d2, which does not read it.
        let turned: String = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R".chars().rev().collect();
        board.shows(&[&turned]);
        board.takes(&Input::Wake);
        let rotated = board.output.events.iter().any(|event| event.body.name() == "board-rotated-180");
        assert!(rotated, "{:?}", board.said());
        assert_eq!(board.station.sick_squares(), [(D2, Sickness::Dead)], "the sensor is where it was");
        assert!(board.said().contains(&"d2 dead alert withdrawn".to_owned()), "{:?}", board.said());
    }

    #[test]
    fn a_board_that_was_touched_before_its_game_is_told_too() {
        let mut board = Board::new(true);
        board.shows(&[START]);
        board.takes(&Input::Wake);
        // A knight is put right.
        board.shows(&["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R", START]);
        board.takes(&Input::Sick(vec![(E4, Sickness::Dead)]));
        assert_eq!(board.station.sick_squares(), [(E4, Sickness::Dead)]);
    }

    #[test]
    fn squares_of_another_board_are_none_of_this_one() {
        let mut board = Board::new(true);
        board.shows(&[START]);
        let strange = [64, 159, 255].map(|square| (Square::new(square), Sickness::Flickering));
        board.takes(&Input::Sick(strange.to_vec()));
        assert_eq!(board.station.sick_squares(), []);
        board.takes(&Input::Sick((0..9).map(|square| (Square::new(square), Sickness::Dead)).collect()));
        assert_eq!(board.station.sick_squares().len(), KNOWN_MAX);
    }

    #[test]
    fn a_square_that_flickered_is_no_touch_until_it_is_quiet_for_long() {
        let mut board = Board::new(true);
        board.takes(&Input::Sick(vec![(D2, Sickness::Flickering)]));
        board.shows(&[START]);
        board.takes(&Input::Wake);
        // It loses its pawn twice, and nothing is said of that: nobody touches it for so short a time and so often.
        board.shows(&[NO_D2, START, NO_D2, START]);
        let plies = [
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R",
            "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R",
            "rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        ];
        board.shows(&plies[..3]);
        board.takes(&Input::Wake);
        let touched = board.output.events.iter().any(|event| event.body.name() == "touch-move-suspected");
        assert!(!touched, "{:?}", board.said());
        assert_eq!(
            board.said(),
            ["Nf3", "Nf6", "Ng1"],
            "nothing has flickered in this game that had to be told"
        );
        assert_eq!(board.station.sick_squares(), [(D2, Sickness::Flickering)]);
        // Twelve plies of peace.
        for _ in 0..3 {
            board.shows(&[plies[3], plies[0], plies[1], plies[2]]);
        }
        board.takes(&Input::Wake);
        assert_eq!(board.station.sick_squares(), []);
    }

    #[test]
    fn a_board_that_is_exchanged_after_a_game_takes_no_sick_squares_over() {
        let mut board = Board::new(true);
        board.shows(&[START]);
        board.takes(&Input::Wake);
        board.shows(&D2_DIES);
        board.takes(&Input::Wake);
        board.rules(json!({ "name": "result", "value": "1-0" }));
        assert_eq!(board.station.sick_squares(), [(D2, Sickness::Dead)]);
        board.takes(&Input::Sick(vec![(E4, Sickness::Stuck)]));
        assert_eq!(board.station.sick_squares(), [(E4, Sickness::Stuck)]);
        board.shows(&[START]);
        board.takes(&Input::Wake);
        assert_eq!((board.opened(), board.station.sick_squares()), (2, vec![(E4, Sickness::Stuck)]));
    }

    #[test]
    fn a_square_that_the_arbiter_found_well_is_forgotten_too() {
        let mut board = Board::new(true);
        board.shows(&[START]);
        board.takes(&Input::Wake);
        board.shows(&D2_DIES);
        let is_fault = |event: &&Event| matches!(&event.body, Body::Record(said) if matches!(said.finding, Finding::SensorFault(_)));
        let fault = board.output.events.iter().find(is_fault).unwrap().body.clone();
        let Body::Record(said) = fault else { unreachable!() };
        board.rules(json!({ "name": "reject", "record": said.record }));
        assert_eq!(board.station.sick_squares(), []);
        board.next_game(NO_D2);
        let array = board.station.readiness().unwrap().array;
        assert!(!array.is_right && array.sick.is_empty(), "what is missing there is missing: {array:?}");
        assert_eq!(board.station.sick_squares(), []);
    }

    #[test]
    fn a_dead_square_keeps_no_position_from_being_restored() {
        let mut board = Board::new(true);
        board.takes(&Input::Sick(vec![(D2, Sickness::Dead)]));
        board.shows(&[NO_D2]);
        board.takes(&Input::Wake);
        let nf3 = "rnbqkbnr/pppppppp/8/8/8/5N2/PPP1PPPP/RNBQKB1R";
        let nf6 = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPP1PPPP/RNBQKB1R";
        board.shows(&[nf3, nf6]);
        board.rules(json!({ "name": "restore-position", "ply": 1 }));
        let lit =
            |board: &Board| board.station.lamps().iter().map(|square| square.number()).collect::<Vec<u8>>();
        assert_eq!(lit(&board), [45, 62], "the knight goes home");
        board.shows(&[nf3]);
        assert_eq!(lit(&board), [0; 0], "all that can be put right is");
    }
}
