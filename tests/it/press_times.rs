//! A move carries the times at its press, whatever comes late (issue: pairing of clock and board).

use adoube_core::event::Body;
use adoube_core::ruling::Ruled;
use adoube_core::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::sensor::{Army, ClockReading, Content, Frame, Reading, Role, Side};
use adoube_rules::stamp::{MS, Stamp};

/// A board with the usual array and a clock that has been started for White.
struct Hall {
    station: Station,
    men: Vec<Content>,
    output: Output,
}

impl Hall {
    fn new(clock: bool) -> Self {
        Self::with_control("5400", clock)
    }

    fn with_control(time_control: &str, clock: bool) -> Self {
        let mut open = Open::new("1", FRAMES, "test");
        open.profile = "fide-2018-standard".to_owned();
        open.time_control = Some(time_control.to_owned());
        let station = Station::open(open, Stamp { mono_ns: 0, utc_ns: 0 }).unwrap();
        let mut men = vec![Content::EMPTY; 64];
        for (file, role) in (0_usize..).zip([3, 1, 2, 4, 5, 2, 1, 3].map(|role: usize| Role::ALL[role])) {
            men[file] = Content::man(Army::new(0), role);
            men[8 + file] = Content::man(Army::new(0), Role::Pawn);
            men[48 + file] = Content::man(Army::new(1), Role::Pawn);
            men[56 + file] = Content::man(Army::new(1), role);
        }
        let mut hall = Self { station, men, output: Output::default() };
        hall.show(0);
        if clock {
            hall.clock(10, [5_400, 5_400], Side::White);
        }
        hall
    }

    fn handle(&mut self, at_ms: u64, input: &Input) {
        self.station.handle(input, Stamp { mono_ns: at_ms * MS, utc_ns: 0 }, &mut self.output);
    }

    fn show(&mut self, at_ms: u64) {
        let frame = Frame::Identity(self.men.clone());
        self.handle(at_ms, &Input::Reading(Reading::Frame(frame)));
    }

    fn lift(&mut self, at_ms: u64, square: usize) -> Content {
        let man = std::mem::replace(&mut self.men[square], Content::EMPTY);
        self.show(at_ms);
        man
    }

    fn place(&mut self, at_ms: u64, square: usize, man: Content) {
        self.men[square] = man;
        self.show(at_ms);
    }

    fn clock(&mut self, at_ms: u64, left_s: [u64; 2], running: Side) {
        let reading = ClockReading {
            left_ms: left_s.map(|left_s| left_s * 1_000),
            running: Some(running),
            lever: Some(running),
            flags: [false; 2],
            counter: None,
            by_end: false,
        };
        self.handle(at_ms, &Input::Reading(Reading::Clock(Some(reading))));
    }

    /// White's and Black's time of each move that was completed, and when that was.
    fn completed(&mut self, to_ms: u64) -> Vec<(u32, Option<[u64; 2]>, u64)> {
        self.handle(to_ms, &Input::Wake);
        let of = |body: &Body| match body {
            Body::MoveCompleted(completed) => {
                Some((completed.ply.number(), completed.clock, completed.completed_ns / MS))
            }
            _ => None,
        };
        self.output.events.iter().filter_map(|event| of(&event.body)).collect()
    }
}

const E2: usize = 12;
const E4: usize = 28;
const E5: usize = 36;
const E7: usize = 52;
const G1: usize = 6;
const F3: usize = 21;
const B8: usize = 57;
const C6: usize = 42;

#[test]
fn a_press_that_is_read_a_second_late_has_its_own_times() {
    let mut hall = Hall::new(true);
    let pawn = hall.lift(30_000, E2);
    hall.place(31_000, E4, pawn);
    hall.clock(31_100, [5_369, 5_400], Side::White);
    // Pressed at once, read a second later; Black's hand is at his pawn already.
    hall.lift(31_900, E7);
    hall.clock(32_200, [5_368, 5_399], Side::Black);
    assert_eq!(hall.completed(40_000), [(1, Some([5_368_000, 5_399_000]), 32_200)]);
}

#[test]
fn a_press_that_is_read_before_the_frame_has_its_own_times() {
    let mut hall = Hall::new(true);
    let pawn = hall.lift(30_000, E2);
    hall.clock(31_000, [5_369, 5_400], Side::Black);
    hall.place(31_200, E4, pawn);
    hall.clock(32_000, [5_369, 5_399], Side::Black);
    let completed = hall.completed(40_000);
    assert_eq!(completed.len(), 1);
    assert_eq!((completed[0].0, completed[0].1), (1, Some([5_369_000, 5_400_000])));
}

#[test]
fn a_board_without_a_clock_has_the_times_of_the_events_alone() {
    let mut hall = Hall::new(false);
    let pawn = hall.lift(30_000, E2);
    hall.place(31_000, E4, pawn);
    let press = Ruled::parse(&serde_json::json!({ "name": "press", "side": "white" })).unwrap();
    hall.handle(34_000, &Input::Ruling(press));
    assert!(hall.output.refused.is_none(), "{:?}", hall.output.refused);
    assert_eq!(hall.completed(40_000), [(1, None, 34_000)]);
}

#[test]
fn presses_before_the_first_frame_of_a_link_that_is_back_are_those_of_moves_that_nobody_saw() {
    let mut hall = Hall::new(true);
    for (at_ms, from, to) in [(30_000, E2, E4), (34_000, E7, E5)] {
        let pawn = hall.lift(at_ms, from);
        hall.place(at_ms + 500, to, pawn);
        hall.clock(at_ms + 1_000, [5_369, 5_397], if from == E2 { Side::Black } else { Side::White });
    }
    hall.handle(36_000, &Input::LinkDown);
    // 2.Nf3 and its press go unheard; the board answers with its clock first.
    for (from, to) in [(G1, F3), (B8, C6)] {
        hall.men[to] = std::mem::replace(&mut hall.men[from], Content::EMPTY);
    }
    hall.handle(50_000, &Input::LinkUp);
    hall.clock(50_100, [5_360, 5_397], Side::Black);
    hall.clock(50_400, [5_360, 5_396], Side::White);
    hall.handle(51_000, &Input::Wake);
    hall.show(51_200);
    hall.handle(60_000, &Input::Wake);
    let names: Vec<&str> = hall.output.events.iter().map(|event| event.body.name().as_str()).collect();
    assert_eq!(names.iter().filter(|&&name| name == "move-made").count(), 4, "{names:?}");
    assert!(!names.contains(&"clock-pressed-without-move"), "{names:?}");
}

#[test]
fn two_presses_before_the_first_frame_of_a_link_that_is_back_complete_both_moves() {
    // Board and clock are asked one after the other, and either may answer first.
    for clock_is_first in [true, false] {
        let mut hall = Hall::with_control("5400+30", true);
        for (at_ms, from, to) in [(30_000, E2, E4), (34_000, E7, E5)] {
            let pawn = hall.lift(at_ms, from);
            hall.place(at_ms + 500, to, pawn);
            let (left_s, running) =
                if from == E2 { ([5_399, 5_400], Side::Black) } else { ([5_399, 5_427], Side::White) };
            hall.clock(at_ms + 1_000, left_s, running);
        }
        hall.handle(36_000, &Input::LinkDown);
        for (from, to) in [(G1, F3), (B8, C6)] {
            hall.men[to] = std::mem::replace(&mut hall.men[from], Content::EMPTY);
        }
        hall.handle(42_000, &Input::LinkUp);
        if clock_is_first {
            hall.clock(42_100, [5_425, 5_455], Side::White);
            hall.show(42_200);
        } else {
            hall.show(42_100);
            hall.clock(42_200, [5_425, 5_455], Side::White);
        }
        hall.clock(43_200, [5_424, 5_455], Side::White);
        let plies: Vec<u32> = hall.completed(60_000).iter().map(|completed| completed.0).collect();
        assert_eq!(plies, [1, 2, 3, 4], "the clock answers first: {clock_is_first}");
    }
}
