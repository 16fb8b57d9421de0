//! Boards with a square that does not say what stands on it (DESIGN 2.5): the game is read all the same, and the arbiter
//! is told which square it is.

use std::collections::BTreeMap;

use adoube_core::capture::{Header, Item, Line};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_sim::{ClockSetting, Game, Manner, Noise, SickSquare, Sickness};
use serde_json::{Map, Value};

use crate::seen::{Seen, lawful_moves, replay};
use crate::slots::computing;

/// Hands play every game of the demonstration so often, each time before another sick square.
const SEEDS: std::ops::Range<u64> = 1..6;

/// Squares of forty games that may be taken for sick beside the one that is: a line that was lost takes others with it.
const HEALTHY_MAX: usize = 12;

fn games() -> Vec<PgnGame> {
    read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap()
}

/// `game` by light hands with a clock, before a board with a sick square or a healthy one; the square, if it matters.
fn played(game: &PgnGame, sickness: Option<Sickness>, occupancy: bool, seed: u64) -> (Option<Square>, Seen) {
    let hands = Game::from(game);
    let manner = Manner { noise: Noise::Light, seed, clock: true, signal_result: false };
    let performance = adoube_sim::perform(&hands, manner);
    let healthy = adoube_sim::frames(&hands, &performance, adoube_sim::View { occupancy, turned: false });
    let sick = sickness.map(|sickness| SickSquare::choose(sickness, &hands, &performance, seed));
    let frames = sick.map_or_else(|| healthy.clone(), |sick| sick.spoil(&healthy));
    let clock = adoube_sim::clock_readings(&performance, ClockSetting::equal(5_400, 30));
    let mut items: Vec<(f64, Item)> =
        frames.into_iter().map(|(at_ms, frame)| (at_ms, Item::Frame(frame))).collect();
    items.extend(clock.into_iter().map(|(at_ms, reading)| (at_ms, Item::Clock(Some(reading)))));
    items.sort_by(|one, other| one.0.total_cmp(&other.0));
    let line =
        |(at_ms, item): (f64, Item)| Line { t_ns: (at_ms * MS as f64).round() as u64, items: vec![item] };
    let lines: Vec<Line> = items.into_iter().map(line).collect();
    let header = Header { board: "1".to_owned(), protocol: "frames".to_owned(), ..Header::default() };
    let square = sick.filter(|sick| sick.matters(&hands, &performance, occupancy)).map(|sick| sick.square);
    (square, replay(&header, &lines))
}

/// The squares that were said to be sick.
pub(crate) fn named(seen: &Seen) -> Vec<String> {
    let opened = |fault: &&Map<String, Value>| fault["status"] == "open";
    let faults = seen.of_type("sensor-fault").into_iter().filter(opened);
    // What is suspected first and found out later is one record.
    let faults = faults.map(|fault| (fault["record"].as_u64(), fault.get("square").and_then(Value::as_str)));
    let faults: BTreeMap<_, _> = faults.collect();
    faults.into_values().filter_map(|square| square.map(str::to_owned)).collect()
}

fn name(square: Square) -> String {
    let (file, rank) = (square.number() % 8, square.number() / 8);
    format!("{}{}", char::from(b'a' + file), rank + 1)
}

/// Games read right, squares named and those that mattered, healthy squares named, of every game and seed.
fn counts(sickness: Option<Sickness>, occupancy: bool) -> [usize; 4] {
    let mut counts = [0; 4];
    for game in &games() {
        for seed in SEEDS {
            let (sick, seen) = played(game, sickness, occupancy, seed);
            let (named, sick) = (named(&seen), sick.map(name));
            counts[0] += usize::from(seen.moves(0) == lawful_moves(game) && seen.games.len() == 1);
            counts[1] += usize::from(sick.as_ref().is_some_and(|sick| named.contains(sick)));
            counts[2] += usize::from(sick.is_some());
            counts[3] += named.iter().filter(|named| Some(*named) != sick.as_ref()).count();
        }
    }
    counts
}

#[test]
fn healthy_squares_are_trusted() {
    let _slot = computing();
    assert_eq!(counts(None, false), [40, 0, 0, 0]);
    assert_eq!(counts(None, true)[1..], [0, 0, 0]);
}

/// Of forty games; what is asked of boards that name their men (docs/inference.md has what came of it).
#[test]
fn a_sick_square_costs_few_games_and_is_named() {
    let _slot = computing();
    let at_least = [
        (Sickness::Dead, 35, 30),
        (Sickness::DiesLater, 33, 24),
        (Sickness::Ghost, 39, 37),
        (Sickness::Flickering, 40, 35),
    ];
    for (sickness, right_min, named_min) in at_least {
        let [right, named, sick, healthy] = counts(Some(sickness), false);
        let counts = format!("{}: {right} right, {named} of {sick} named, {healthy} others", sickness.name());
        assert!(right >= right_min && named >= named_min && healthy <= HEALTHY_MAX, "{counts}");
    }
}
