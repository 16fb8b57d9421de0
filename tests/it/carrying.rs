//! A board is opened again in the journal with each game: from there on it says what it would have said anyway.

use std::sync::Arc;

use adoube_core::capture::Item;
use adoube_core::event::{Body, Numbering};
use adoube_core::station::{FRAMES, Input, Open, Opening, Output, Station};
use adoube_rules::pgn::read_games;
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::stamp::{SECOND, Stamp};
use adoube_sim::Noise;
use serde_json::Value;

use crate::hands::capture;
use crate::slots::computing;

/// Two games after each other on one DGT board, whose link breaks between them.
pub(crate) fn two_games(noise: Noise) -> Vec<(Stamp, Input)> {
    let games = read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap();
    let mut at_ns = SECOND;
    let mut inputs = Vec::new();
    for (nth, game) in games.iter().filter(|game| game.moves.len() < 60).take(2).enumerate() {
        inputs.push((at_ns, Input::LinkUp));
        let mut last_ns = 0;
        for line in capture(game, noise, 7 + nth as u64).1 {
            last_ns = line.t_ns;
            for item in line.items {
                if let Item::Received(bytes) = item {
                    inputs.push((at_ns + line.t_ns, Input::Bytes(bytes)));
                }
            }
        }
        at_ns += last_ns + 20 * SECOND;
        inputs.push((at_ns - SECOND, Input::LinkDown));
    }
    let start = Stamp { mono_ns: 0, utc_ns: 1_767_000_000_000_000_000 };
    inputs.into_iter().map(|(at_ns, input)| (start.at(at_ns), input)).collect()
}

/// The same as neutral frames that tell men from empty squares and nothing else.
fn as_occupancy(inputs: &[(Stamp, Input)]) -> Vec<(Stamp, Input)> {
    let mut station = Station::open(Open::new("1", "dgt", "test"), inputs[0].0).unwrap();
    let mut frames = Vec::new();
    let mut before = Vec::new();
    for (at, input) in inputs {
        let mut output = Output { seen: Some(Vec::new()), ..Output::default() };
        station.handle(input, *at, &mut output);
        for seen in output.seen.unwrap() {
            let occupied: Vec<Content> =
                seen.picture.contents.iter().map(|content| content.occupancy()).collect();
            if occupied != before {
                before.clone_from(&occupied);
                frames.push((seen.at, Input::Reading(Reading::Frame(Frame::Occupancy(occupied)))));
            }
        }
    }
    frames
}

/// What a station says to an input, without how often it was read and what its records are numbered.
fn said(station: &mut Station, input: &Input, at: Stamp, numbering: &mut Numbering) -> Vec<Value> {
    let mut output = Output::default();
    station.handle(input, at, &mut output);
    assert_eq!(output.refused, None);
    let board: Arc<str> = "1".into();
    let render = |event| {
        let mut json = numbering.render(&board, &event, 0).json();
        for field in ["readings", "record", "of_record", "displaced"] {
            json.remove(field);
        }
        Value::Object(json)
    };
    output.events.into_iter().map(render).collect()
}

/// How often the board was opened again where it stood: when the array of a game stands, and when the game is opened.
fn goes_on_the_same(protocol: &str, inputs: &[(Stamp, Input)], ruling: Option<Input>) -> usize {
    let open = Open::new("1", protocol, "test");
    let mut stations = vec![(Station::open(open, inputs[0].0).unwrap(), Numbering::default())];
    let (mut games, mut plies, mut was_set_up) = (0, 0, false);
    let mut inputs = inputs.to_vec();
    if let Some(ruling) = ruling {
        let last = inputs.iter().position(|(_, input)| *input == Input::LinkDown).unwrap();
        let at = inputs[last].0;
        inputs.insert(last, (at, ruling));
    }
    for (at, input) in &inputs {
        let mut first: Option<Vec<Value>> = None;
        for (station, numbering) in &mut stations {
            let said = said(station, input, *at, numbering);
            let expected = first.get_or_insert_with(|| said.clone());
            assert_eq!(said, *expected);
            assert_eq!(station.wake_at_ns(), station.wake_at_ns());
        }
        let events = first.unwrap();
        plies += events.iter().filter(|event| event["type"] == "move-made").count();
        let opened = events.iter().rfind(|event| event["type"] == "game-opened");
        let is_set_up = std::mem::replace(&mut was_set_up, stations[0].0.is_set_up());
        if opened.is_none() && (is_set_up || !was_set_up) {
            continue;
        }
        // A game that was opened because its clock was started goes on from its array.
        let name = opened.and_then(|opened| opened["game"].as_str());
        let Some(opening) = stations[0].0.carry(name) else { continue };
        let line = serde_json::to_string(&opening).unwrap();
        assert!(line.len() < 8_192, "{} bytes", line.len());
        let again: Opening = serde_json::from_str(&line).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), line);
        let resumed = Station::resume(again, *at).unwrap();
        assert_eq!(resumed.picture().contents, stations[0].0.picture().contents);
        stations.push((resumed, stations[0].1.clone()));
        games += 1;
    }
    assert!(plies > 50, "{plies} plies");
    games
}

#[test]
fn a_board_goes_on_from_each_new_game_as_if_nothing_had_happened() {
    let _slot = computing();
    let result = serde_json::json!({ "name": "result", "value": "1-0" });
    let result = Input::Ruling(adoube_core::ruling::Ruled::parse(&result).unwrap());
    for noise in [Noise::Clean, Noise::Light] {
        let inputs = two_games(noise);
        assert!(goes_on_the_same("dgt", &inputs, None) >= 2);
        assert!(goes_on_the_same("dgt", &inputs, Some(result.clone())) >= 2);
        assert!(goes_on_the_same(FRAMES, &as_occupancy(&inputs), None) >= 1);
    }
}

#[test]
fn what_is_played_or_waits_for_the_arbiter_is_not_left_behind() {
    let inputs = two_games(Noise::Clean);
    let mut station = Station::open(Open::new("1", "dgt", "test"), inputs[0].0).unwrap();
    let (mut is_played, mut refused) = (false, 0);
    for (at, input) in &inputs {
        let mut output = Output::default();
        station.handle(input, *at, &mut output);
        for event in &output.events {
            match &event.body {
                Body::GameOpened(_) | Body::GameClosed { .. } => is_played = false,
                Body::MoveMade(_) => is_played = true,
                _ => {}
            }
        }
        if is_played {
            assert!(station.carry(Some("free-20260101-1")).is_none());
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}
