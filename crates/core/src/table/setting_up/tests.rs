//! Start arrays of four players: the layout that stands there is the one that is played.

use serde_json::{Value, json};

use crate::event::{Body, Event};
use crate::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::GameKind;
use adoube_rules::four::{Army, FourPosition, FourRules, Geometry, Parity, WingDepth};
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::stamp::{SECOND, Stamp};

const LAYOUTS: [(Army, Parity); 4] = [
    (Army::White, Parity::Light),
    (Army::White, Parity::Dark),
    (Army::Black, Parity::Light),
    (Army::Black, Parity::Dark),
];

fn array((seat_after_red, parity): (Army, Parity)) -> Vec<Content> {
    let rules = FourRules { seat_after_red, parity, ..FourRules::default() };
    FourPosition::start(rules).contents().to_vec()
}

fn changed(men: &[Content], change: impl FnOnce(&mut [Content])) -> Vec<Content> {
    let mut men = men.to_vec();
    change(&mut men);
    men
}

/// The station after an array that stood for five seconds, a clock that was started, and Red's h2-h4; and what was
/// said.
fn played(array: &[Content], sets: &[(&str, &str)]) -> (Station, Vec<Event>) {
    let mut open = Open::new("1", FRAMES, "test");
    open.variant = GameKind::FourPlayer;
    for (key, value) in sets {
        open.set(key, value).unwrap();
    }
    let clock = |running: Option<Side>| {
        Input::Reading(Reading::Clock(Some(ClockReading {
            left_ms: [600_000; 2],
            running,
            lever: Some(Side::White),
            flags: [false; 2],
            counter: None,
            by_end: false,
        })))
    };
    let frame = |men: Vec<Content>| Input::Reading(Reading::Frame(Frame::Identity(men)));
    let (from, to) = (square("h2"), square("h4"));
    let inputs = [
        frame(array.to_vec()),
        clock(None),
        Input::Wake,
        clock(Some(Side::White)),
        frame(changed(array, |men| men[from] = Content::EMPTY)),
        frame(changed(array, |men| men.swap(from, to))),
        Input::Wake,
    ];
    let mut station = Station::open(open, Stamp::default()).unwrap();
    let mut output = Output::default();
    for (index, input) in (0_u64..).zip(&inputs) {
        station.handle(input, Stamp::default().at(index * 5 * SECOND), &mut output);
    }
    (station, output.events)
}

fn square(name: &str) -> usize {
    Geometry::of(WingDepth::Three).square(name).unwrap().index()
}

/// Payloads of `start-position-wrong`, as each was said first.
fn wrong(events: &[Event]) -> Vec<Value> {
    let mut known = Vec::new();
    let mut payloads = Vec::new();
    for event in events {
        let Body::Record(said) = &event.body else { continue };
        if said.finding.name() == "start-position-wrong" && !known.contains(&said.record) {
            known.push(said.record);
            payloads.push(Value::Object(said.fields()));
        }
    }
    payloads
}

fn moves(events: &[Event]) -> usize {
    events.iter().filter(|event| event.body.name() == "move-made").count()
}

fn says(events: &[Event], name: &str) -> bool {
    events.iter().any(|event| event.body.name() == name)
}

#[test]
fn any_layout_is_a_right_array() {
    for layout in LAYOUTS {
        let (_, events) = played(&array(layout), &[]);
        assert_eq!((wrong(&events), moves(&events)), (vec![], 1), "{layout:?}");
    }
}

#[test]
fn a_swapped_pair_is_named_in_its_own_layout() {
    for layout in LAYOUTS {
        for (king, queen) in [("g1", "h1"), ("g14", "h14"), ("a7", "a8"), ("n7", "n8")] {
            let men = changed(&array(layout), |men| men.swap(square(king), square(queen)));
            let (_, events) = played(&men, &[]);
            let wrong = wrong(&events);
            assert_eq!(wrong.len(), 1, "{layout:?} {king}: {wrong:?}");
            assert_eq!(
                (&wrong[0]["sub"], &wrong[0]["squares"]),
                (&json!("king-queen-swapped"), &json!([king, queen]))
            );
            assert_eq!(moves(&events), 1, "{layout:?} {king}");
            assert!(!says(&events, "board-rotated-180") && !says(&events, "board-orientation-wrong"));
        }
    }
}

#[test]
fn readiness_names_what_is_missing_from_the_layout_that_stands_there() {
    for layout in LAYOUTS {
        let full = array(layout);
        let (king, queen) = (square("g1"), square("h1"));
        let men = changed(&full, |men| men.swap(king, queen));
        let mut open = Open::new("1", FRAMES, "test");
        open.variant = GameKind::FourPlayer;
        let mut station = Station::open(open, Stamp::default()).unwrap();
        let frame = Input::Reading(Reading::Frame(Frame::Identity(men)));
        station.handle(&frame, Stamp::default(), &mut Output::default());
        let wrong = station.readiness().unwrap().array.wrong;
        let expected: Vec<(usize, Option<Content>)> =
            wrong.iter().map(|wrong| (wrong.square.index(), wrong.expected)).collect();
        assert_eq!(expected, [(king, Some(full[king])), (queen, Some(full[queen]))], "{layout:?}");
    }
}

/// Where only squares are felt nobody sees which of king and queen stands where.
#[test]
fn readiness_says_what_is_assumed() {
    let assumed = |is_named: bool, sets: &[(&str, &str)]| {
        let mut open = Open::new("1", FRAMES, "test");
        open.variant = GameKind::FourPlayer;
        for (key, value) in sets {
            open.set(key, value).unwrap();
        }
        let mut station = Station::open(open, Stamp::default()).unwrap();
        let men = array(LAYOUTS[0]);
        let frame = match is_named {
            true => Frame::Identity(men),
            false => Frame::Occupancy(men.into_iter().map(Content::occupancy).collect()),
        };
        station.handle(&Input::Reading(Reading::Frame(frame)), Stamp::default(), &mut Output::default());
        let array = station.readiness().unwrap().array;
        assert!(array.is_right);
        array.assumed
    };
    let queen = array(LAYOUTS[0])[square("g1")];
    assert_eq!(assumed(false, &[]).map(|(at, content)| (at.index(), content)), Some((square("g1"), queen)));
    assert_eq!(assumed(false, &[("seat_after_red", "white")]).map(|(_, content)| content), Some(queen));
    assert_eq!(assumed(false, &[("board_parity", "light")]), None);
    assert_eq!(assumed(true, &[]), None);
}

#[test]
fn settings_that_say_another_layout_are_told_once_and_the_board_is_followed() {
    let usual = array(LAYOUTS[0]);
    let told = |sets: &[(&str, &str)], men: &[Content]| {
        let (_, events) = played(men, sets);
        assert_eq!(moves(&events), 1, "{sets:?}");
        assert!(!says(&events, "illegal-move-pending") && !says(&events, "illegal-move-completed"));
        wrong(&events)
    };
    let both = [("seat_after_red", "black"), ("board_parity", "dark")];
    let said = told(&both, &usual);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["sub"], "other-layout");
    assert_eq!(said[0]["set"], json!(["white-east", "k1-dark"]));
    assert_eq!(said[0]["shown"], json!(["white-west", "k1-light"]));
    // Only what was set can be wrong, and only where it is.
    assert_eq!(told(&both, &array(LAYOUTS[3])), [Value::Null; 0]);
    assert_eq!(told(&both[..1], &usual)[0]["set"], json!(["white-east"]));
    assert_eq!(told(&both[..1], &array(LAYOUTS[3])), [Value::Null; 0]);
    assert_eq!(told(&[("board_parity", "light")], &array(LAYOUTS[1]))[0]["shown"], json!(["k1-dark"]));
}
