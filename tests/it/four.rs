//! Four-player games through the same table as chess: what holds for any of them.

use std::sync::Arc;

use adoube_core::event::{Event, Numbering};
use adoube_core::ruling::Ruled;
use adoube_core::station::{FRAMES, Input, Open, OpenError, Output, Station};
use adoube_rules::four::{Army, FourPlayer, FourPosition, FourRules};
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::{End, GameKind, Position as _, Variant as _};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::depth::cases;
use crate::seen::Seen;
use crate::slots::computing;

/// Longer than anything waits for, nanoseconds.
const AFTER_NS: u64 = 60_000 * MS;

/// A step of a game: the position before, and the move.
type Step = (FourPosition, <FourPlayer as adoube_rules::Variant>::Move);

/// A game in which each number chooses the next move; captures are likelier than among strangers, so that men
/// disappear and kings are attacked.
fn game(rules: FourRules, choices: &[u16]) -> Vec<Step> {
    let mut position = FourPosition::start(rules);
    let mut steps = Vec::new();
    for &choice in choices {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        if position.end().is_some() || moves.is_empty() {
            break;
        }
        let captures: Vec<_> = moves
            .iter()
            .copied()
            .filter(|&mv| {
                position.footprint(mv).changes().iter().filter(|change| !change.1.is_empty()).count() > 1
            })
            .collect();
        let among = if choice % 3 == 0 && !captures.is_empty() { &captures } else { &moves };
        let mv = among[usize::from(choice / 3) % among.len()];
        steps.push((position.clone(), mv));
        position = position.play(mv);
    }
    steps
}

/// How the board shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Board {
    is_named: bool,
    turned: u32,
}

impl Board {
    fn frame(self, contents: &[Content]) -> Input {
        let mut lying = vec![Content::EMPTY; contents.len()];
        for (square, &content) in Square::all().zip(contents) {
            lying[FourPlayer::turned(square, (360 - self.turned) % 360)] = content;
        }
        Input::Reading(Reading::Frame(if self.is_named {
            Frame::Identity(lying)
        } else {
            Frame::Occupancy(lying.into_iter().map(Content::occupancy).collect())
        }))
    }
}

/// What a board and its team clock say of a game: the victim goes first, each man is lifted and set down, and the
/// team presses.
fn inputs(board: Board, start: &FourPosition, steps: &[Step]) -> Vec<(u64, Input)> {
    let mut men = start.contents().to_vec();
    let mut left_ms = [600_000_u64; 2];
    let clock = |left_ms: [u64; 2], running: Option<Side>| {
        Input::Reading(Reading::Clock(Some(ClockReading {
            left_ms,
            running,
            lever: Some(running.unwrap_or(Side::White)),
            flags: [false; 2],
            counter: None,
            by_end: false,
        })))
    };
    let mut inputs =
        vec![(0, board.frame(&men)), (0, clock(left_ms, None)), (4_000, clock(left_ms, Some(Side::White)))];
    let mut at_ms = 5_000;
    for (position, mv) in steps {
        let footprint = position.footprint(*mv);
        let side = position.turn();
        let mut show = |at_ms: u64, square: Square, content: Content| {
            men[square] = content;
            inputs.push((at_ms, board.frame(&men)));
        };
        // An enemy's man first, then the own ones.
        let mut lifts: Vec<Square> =
            footprint.changes().iter().filter(|change| !change.1.is_empty()).map(|change| change.0).collect();
        lifts.sort_by_key(|&square| {
            position.content(square).seat_role().map(|(army, _)| army.side()) == Some(side)
        });
        for square in lifts {
            at_ms += 400;
            show(at_ms, square, Content::EMPTY);
        }
        for change in footprint.changes().iter().filter(|change| !change.2.is_empty()) {
            at_ms += 500;
            show(at_ms, change.0, change.2);
        }
        at_ms += 1_600;
        left_ms[side.index()] -= 2_000;
        inputs.push((at_ms, clock(left_ms, Some(side.other()))));
        at_ms += 700;
    }
    inputs
}

fn station(board: Board, change: impl FnOnce(&mut Open)) -> Station {
    let mut open = Open::new("1", FRAMES, "test");
    open.variant = GameKind::FourPlayer;
    open.turned = (board.turned != 0).then_some(board.turned);
    change(&mut open);
    Station::open(open, Stamp::default()).unwrap()
}

/// What is told of these inputs by somebody who also looks at other instants.
fn told(mut station: Station, inputs: &[(u64, Input)], wakes_ms: &[u64]) -> Vec<Event> {
    let at = |ms: u64| Stamp::default().at(ms * MS);
    let mut output = Output::default();
    let mut wakes = wakes_ms.iter().copied().peekable();
    for (at_ms, input) in inputs {
        while let Some(wake_ms) = wakes.next_if(|wake_ms| wake_ms <= at_ms) {
            station.handle(&Input::Wake, at(wake_ms), &mut output);
        }
        station.handle(input, at(*at_ms), &mut output);
    }
    let end_ns = inputs.last().map_or(0, |(at_ms, _)| at_ms * MS) + AFTER_NS;
    station.handle(&Input::Wake, Stamp::default().at(end_ns), &mut output);
    output.events
}

fn seen(events: &[Event]) -> Seen {
    Seen::new("1", events, adoube_core::replay::Remarks::default())
}

/// The moves that stand at the end, as the events tell them.
fn moves(events: &[Map<String, Value>]) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    for event in events {
        let ply = || usize::try_from(event["ply"].as_u64().unwrap()).unwrap();
        match event["type"].as_str().unwrap() {
            "game-opened" => moves.clear(),
            "move-made" => {
                assert_eq!(ply(), moves.len() + 1);
                moves.push(event["uci"].as_str().unwrap().to_owned());
            }
            "move-retracted" => moves.truncate(ply() - 1),
            _ => {}
        }
    }
    moves
}

/// What hands of that game have to come out as.
fn played(steps: &[Step]) -> Vec<String> {
    steps.iter().map(|(position, mv)| position.played(*mv).uci()).collect()
}

fn rules() -> impl Strategy<Value = FourRules> {
    (any::<bool>(), any::<bool>()).prop_map(|(is_black_next, is_dark)| {
        let mut rules = FourRules::default();
        if is_black_next {
            rules.seat_after_red = Army::Black;
        }
        if is_dark {
            rules.parity = adoube_rules::four::Parity::Dark;
        }
        rules
    })
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..80)
}

proptest! {
    // A case plays a game several times.
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    /// Identity boards tell who sits where, how the squares are coloured and how they lie; every move comes out, with
    /// its player, and an end of the game too.
    #[test]
    fn what_is_played_on_a_board_that_names_its_men_is_told(
        rules in rules(),
        choices in choices(),
        quarter in 0..4_u32,
    ) {
        let _slot = computing();
        let steps = game(rules, &choices);
        let board = Board { is_named: true, turned: quarter * 90 };
        let told = seen(&told(station(board, |_| ()), &inputs(board, &FourPosition::start(rules), &steps), &[]));
        prop_assert_eq!(moves(&told.events), played(&steps));
        for (event, (position, _)) in told.of_type("move-made").iter().zip(&steps) {
            prop_assert_eq!(&event["player"], position.player().name());
            prop_assert_eq!(&event["side"], position.player().side().name());
        }
        let end = steps.last().and_then(|(position, mv)| position.play(*mv).end());
        let over = told.of_type("game-over");
        match end {
            Some(end) => prop_assert_eq!(&over[0]["reason"], end.name()),
            None => prop_assert!(over.is_empty()),
        }
        if end == Some(End::Checkmate) {
            prop_assert_eq!(told.of_type("checkmate").len(), 1);
        }
        prop_assert!(told.of_type("illegal-move-completed").is_empty() && told.of_type("piece-displaced").is_empty());
    }

    /// It does not matter when somebody looks, and a second time tells the same.
    #[test]
    fn it_does_not_matter_when_somebody_looks(
        choices in choices(),
        is_named in any::<bool>(),
        mut wakes_ms in prop::collection::vec(0..200_000_u64, 0..200),
    ) {
        let _slot = computing();
        wakes_ms.sort_unstable();
        let steps = game(FourRules::default(), &choices);
        let board = Board { is_named, turned: 0 };
        let inputs = inputs(board, &FourPosition::start(FourRules::default()), &steps);
        let lines = |wakes_ms: &[u64]| seen(&told(station(board, |_| ()), &inputs, wakes_ms)).lines();
        prop_assert_eq!(lines(&wakes_ms), lines(&[]));
    }

    /// A ruling that is undone leaves the game as if it had never been (DESIGN 2.2).
    #[test]
    fn undone_is_as_if_it_had_never_been(choices in prop::collection::vec(any::<u16>(), 6..30), which in 0..8_usize) {
        let _slot = computing();
        let steps = game(FourRules::default(), &choices);
        let board = Board { is_named: true, turned: 0 };
        let mut inputs = inputs(board, &FourPosition::start(FourRules::default()), &steps);
        let rulings = [
            json!({ "name": "restore-position", "ply": 1 }),
            json!({ "name": "delete-move", "ply": 2 }),
            json!({ "name": "accept-position" }),
            json!({ "name": "resign", "side": "white" }),
            json!({ "name": "result", "value": "0-1" }),
            json!({ "name": "communication-reported" }),
            json!({ "name": "add-time-opponent", "side": "black", "ms": 120_000 }),
            json!({ "name": "castling-ban", "side": "white" }),
        ];
        let at_ms = inputs.last().unwrap().0 + 5_000;
        let without = seen(&told(station(board, |_| ()), &inputs, &[]));
        for (ruling, at_ms) in [(rulings[which].clone(), at_ms), (json!({ "name": "undo", "ruling": 1 }), at_ms + 2_000)] {
            inputs.push((at_ms, Input::Ruling(Ruled::parse(&ruling).unwrap())));
        }
        let with = seen(&told(station(board, |_| ()), &inputs, &[]));
        prop_assert_eq!(moves(&with.events), moves(&without.events));
        let threats = |seen: &Seen| -> Vec<(Value, Value)> {
            let mut open: Vec<(Value, Value)> = Vec::new();
            for event in seen.of_type("mate-threat") {
                open.retain(|(player, _)| *player != event["player"]);
                if event["status"] == "open" {
                    open.push((event["player"].clone(), event["ply"].clone()));
                }
            }
            open
        };
        prop_assert_eq!(threats(&with), threats(&without));
    }
}

/// Squares alone tell moves as well; only what a pawn became may have to wait.
#[test]
fn what_is_played_on_a_board_that_names_nothing_is_told() {
    let board = Board { is_named: false, turned: 0 };
    let start = FourPosition::start(FourRules::default());
    let (mut right, mut all) = (0, 0);
    for seed in 0..12_u16 {
        let choices: Vec<u16> = (0..40).map(|ply| seed.wrapping_mul(7_919).wrapping_add(ply * 613)).collect();
        let steps = game(FourRules::default(), &choices);
        let told = seen(&told(station(board, |_| ()), &inputs(board, &start, &steps), &[]));
        all += 1;
        right += usize::from(moves(&told.events) == played(&steps));
    }
    assert!(right * 100 >= all * 90, "{right} of {all} games");
}

/// Nobody says how a board lies: its men tell, or the first move of whoever begins.
#[test]
fn a_board_may_lie_any_of_four_ways() {
    let start = FourPosition::start(FourRules::default());
    let steps = game(FourRules::default(), &[11, 23, 5, 87, 41, 62, 9, 131]);
    for (quarter, is_named) in (0..4).flat_map(|quarter| [(quarter, true), (quarter, false)]) {
        let board = Board { is_named, turned: quarter * 90 };
        let station = station(board, |open| open.turned = None);
        let told = seen(&told(station, &inputs(board, &start, &steps), &[]));
        assert_eq!(moves(&told.events), played(&steps), "{board:?}");
        assert!(told.of_type("board-orientation-wrong").is_empty());
    }
}

/// Reversed colours are those of the teams.
#[test]
fn teams_change_colours_together() {
    let player =
        |name: &str| adoube_core::event::Player { name: Some(name.to_owned()), ..Default::default() };
    let pairing = adoube_core::station::OpenPairing {
        round: 1,
        number: 2,
        white: player("W"),
        black: player("K"),
        red_blue: Some(Box::new([player("R"), player("B")])),
        ..Default::default()
    };
    let board = Board { is_named: true, turned: 0 };
    let start = FourPosition::start(FourRules::default());
    let mut inputs = inputs(board, &start, &game(FourRules::default(), &[10, 20]));
    let at_ms = inputs.last().unwrap().0 + 2_000;
    inputs.push((at_ms, Input::Ruling(Ruled::parse(&json!({ "name": "swap-colours" })).unwrap())));
    // The name of one is corrected afterwards: they stay where they are.
    let corrected = adoube_core::station::OpenPairing { black: player("K2"), ..pairing.clone() };
    let station = station(board, |_| ());
    inputs.insert(0, (0, Input::Pairing(Some(pairing))));
    inputs.push((at_ms + 1_000, Input::Pairing(Some(corrected))));
    let told = seen(&told(station, &inputs, &[]));
    let names: Vec<Vec<&str>> = told
        .of_type("game-changed")
        .iter()
        .map(|event| {
            ["red", "white", "blue", "black"].map(|army| event[army]["name"].as_str().unwrap()).to_vec()
        })
        .collect();
    assert_eq!(names, [["W", "R", "K", "B"], ["W", "R", "K2", "B"]]);
}

/// A board has the squares of its game, or says so.
#[test]
fn a_board_of_other_squares_is_refused_or_told() {
    let mut open = Open::new("1", "dgt", "test");
    open.variant = GameKind::FourPlayer;
    let error = Station::open(open.clone(), Stamp::default()).unwrap_err();
    assert!(matches!(error, OpenError::Squares { .. }) && error.to_string().contains("160"), "{error}");
    for (protocol, variant, squares) in [("open", GameKind::FourPlayer, 64), (FRAMES, GameKind::Chess, 160)] {
        protocol.clone_into(&mut open.protocol);
        open.variant = variant;
        let mut board = Station::open(open.clone(), Stamp::default()).unwrap();
        let mut output = Output::default();
        for _ in 0..3 {
            let frame = Reading::Frame(Frame::Occupancy(vec![Content::OCCUPIED; squares]));
            board.handle(&Input::Reading(frame), Stamp::default(), &mut output);
        }
        let told = seen(&output.events);
        let faults = told.of_type("sensor-fault");
        assert_eq!(faults.len(), 1, "said once");
        assert_eq!((&faults[0]["fault"], &faults[0]["shown"]), (&json!("other-board"), &json!(squares)));
    }
}

/// Parameters of the four-player game hold there, and nowhere else.
#[test]
fn parameters_of_the_four_player_game_hold_there_alone() {
    for (key, value) in [
        ("board_parity", "dark"),
        ("seat_after_red", "black"),
        ("ep_window", "next-ply"),
        ("ep_window", "next_ply"),
        ("protect_partner", "yes"),
        ("draw_claims", "yes"),
        ("wing_depth", "3"),
    ] {
        let mut open = Open::new("1", FRAMES, "test");
        open.set(key, value).unwrap();
        let error = Station::open(open.clone(), Stamp::default()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{key} belongs to the four-player game")), "{error}");
        open.variant = GameKind::FourPlayer;
        Station::open(open, Stamp::default()).unwrap();
    }
    let mut open = Open::new("1", FRAMES, "test");
    open.variant = GameKind::FourPlayer;
    assert!(open.set("board_parity", "k1").unwrap_err().contains("\"light\", \"dark\""));
    open.set("wing_depth", "2").unwrap();
    let error = Station::open(open, Stamp::default()).unwrap_err().to_string();
    assert!(error.contains("160 squares only"), "{error}");
}

/// A layout that was set and another that stands there: the arbiter is told once.
#[test]
fn another_layout_than_the_one_that_was_set_is_told() {
    let board = Board { is_named: true, turned: 0 };
    let dark = FourRules { parity: adoube_rules::four::Parity::Dark, ..FourRules::default() };
    let frames: Vec<(u64, Input)> =
        (0..10).map(|second| (second * 1_000, board.frame(FourPosition::start(dark).contents()))).collect();
    let subs = |parity: &str| -> Vec<Value> {
        let station = station(board, |open| open.set("board_parity", parity).unwrap());
        let told = seen(&told(station, &frames, &[]));
        told.of_type("start-position-wrong").iter().map(|event| event["sub"].clone()).collect()
    };
    assert_eq!(subs("dark"), [Value::Null; 0]);
    assert_eq!(subs("light"), [json!("other-layout")]);
}

/// Who plays is said with the game, and who is meant with every public event.
#[test]
fn the_public_is_told_of_four_players() {
    let board = Board { is_named: true, turned: 0 };
    let start = FourPosition::start(FourRules::default());
    let steps = game(FourRules::default(), &[10, 20, 30, 40]);
    let player =
        |name: &str| adoube_core::event::Player { name: Some(name.to_owned()), ..Default::default() };
    let pairing = adoube_core::station::OpenPairing {
        round: 1,
        number: 2,
        white: player("W"),
        black: player("K"),
        red_blue: Some(Box::new([player("R"), player("B")])),
        ..Default::default()
    };
    let station = station(board, |open| open.pairing = Some(pairing));
    let mut numbering = Numbering::default();
    let name: Arc<str> = "1".into();
    let public: Vec<Map<String, Value>> = told(station, &inputs(board, &start, &steps), &[])
        .iter()
        .filter_map(|event| adoube_core::event::publish(&numbering.number(&name, event)))
        .map(|event| event.json().clone())
        .collect();
    let opened = public.iter().find(|event| event["type"] == "game-opened").unwrap();
    assert_eq!(opened["variant"], "four-player");
    let names = ["red", "white", "blue", "black"].map(|army| opened[army]["name"].as_str().unwrap());
    assert_eq!(names, ["R", "W", "B", "K"]);
    let seats: Vec<(&str, &str)> = public
        .iter()
        .filter(|event| event["type"] == "move-made")
        .map(|event| (event["player"].as_str().unwrap(), event["seat"].as_str().unwrap()))
        .collect();
    assert_eq!(seats, [("red", "south"), ("white", "west"), ("blue", "north"), ("black", "east")]);
}
