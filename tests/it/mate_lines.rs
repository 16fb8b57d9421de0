//! What the arbiter is told wherever the Laws ask whether a player can be mated: the moves mate, and nobody
//! else hears of them.

use std::path::Path;

use adoube_core::event::publish;
use adoube_sim::scenario::{Scenario, Verdict};
use serde_json::{Map, Value};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

fn run(file: &str) -> Vec<Verdict> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(file);
    let scenario = Scenario::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    scenario.cases().iter().map(|case| scenario.run(case, &[]).unwrap()).collect()
}

/// The first event of that name of each run.
fn first(file: &str, name: &str) -> Vec<Map<String, Value>> {
    let found = run(file).into_iter().map(|verdict| {
        verdict
            .events
            .iter()
            .find(|event| event.name() == name)
            .unwrap_or_else(|| panic!("{file}: {name}"))
            .json()
    });
    found.collect()
}

fn text<'a>(event: &'a Map<String, Value>, key: &str) -> &'a str {
    event[key].as_str().unwrap_or_else(|| panic!("{key} of {event:?}"))
}

/// Plays the line of `event` from where it says; how many plies it has.
fn mates(event: &Map<String, Value>) -> usize {
    let fen: Fen = text(event, "mate_fen").parse().unwrap();
    let mut chess: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let line = event["mate_line"].as_array().unwrap();
    for step in line {
        let uci: UciMove = step["uci"].as_str().unwrap().parse().unwrap();
        let mv = uci.to_move(&chess).unwrap();
        assert_eq!(SanPlus::from_move(chess.clone(), mv).to_string(), step["san"].as_str().unwrap());
        chess.play_unchecked(mv);
    }
    assert!(chess.is_checkmate(), "{event:?}");
    let loser = if chess.turn().is_white() { "white" } else { "black" };
    assert_ne!(text(event, "mate_side"), loser);
    assert_eq!(text(event, "mate_end"), Fen::from_position(&chess, EnPassantMode::Legal).to_string());
    assert_eq!(event["mate_plies"], line.len());
    line.len()
}

#[test]
fn a_loss_comes_with_moves_that_mate() {
    for (file, name) in [
        ("clock/flag-mate-by-underpromotion.toml", "time-forfeit"),
        ("clock/flag-mate-by-the-losers-men.toml", "time-forfeit"),
        ("illegal/second-loses-to-a-knight.toml", "illegal-move-forfeit"),
        ("results/resignation-to-a-knight-2023.toml", "resignation"),
    ] {
        for event in first(file, name) {
            assert!(mates(&event) > 0, "{file}");
        }
    }
}

/// A queen would never be mated by a knight.
#[test]
fn where_only_less_than_a_queen_helps_the_line_has_it() {
    for event in first("clock/flag-mate-by-underpromotion.toml", "time-forfeit") {
        let promotion = &event["mate_line"][0];
        assert!(["f7f8r", "f7f8b", "f7f8n"].contains(&promotion["uci"].as_str().unwrap()), "{promotion}");
    }
}

/// After an illegal move the last legal position is asked, not what stands on the board.
#[test]
fn an_illegal_move_that_stands_is_not_what_is_asked() {
    for event in first("illegal/second-loses-to-a-knight.toml", "illegal-move-forfeit") {
        assert_eq!(text(&event, "mate_fen"), "4k3/8/8/8/8/8/8/n3KB2 w - - 0 60");
    }
}

#[test]
fn the_position_after_the_last_move_is_what_is_asked() {
    for verdict in run("clock/control-move-not-pressed.toml") {
        let last = |name: &str| verdict.events.iter().rfind(|event| event.name() == name).unwrap().json();
        assert_eq!(text(&last("time-forfeit"), "mate_fen"), text(&last("move-made"), "fen"));
    }
}

#[test]
fn what_was_not_settled_says_so() {
    for event in first("clock/mate-search-without-budget.toml", "time-forfeit") {
        assert_eq!(text(&event, "mate_test"), "unknown");
        assert_eq!(text(&event, "mate_basis"), "material sufficient");
        assert_eq!(event["mate_nodes"], 0);
        assert!(!event.contains_key("mate_line"));
    }
}

#[test]
fn a_dead_position_says_why_neither_side_mates() {
    for event in first("draws/dead-position.toml", "dead-position") {
        let reasons = event["mate_reasons"].as_array().unwrap();
        let told: Vec<_> = reasons
            .iter()
            .map(|one| (one["side"].as_str().unwrap(), one["reason"].as_str().unwrap()))
            .collect();
        assert_eq!(told, [("white", "bare-king"), ("black", "bare-king")]);
    }
    for event in first("draws/dead-position-closed-wall.toml", "dead-position") {
        assert_eq!(event["mate_reasons"].as_array().unwrap().len(), 2, "{event:?}");
    }
}

/// Spectators learn the result, and nothing of why (12.6); the same inputs give the same answer.
#[test]
fn nobody_but_the_arbiter_hears_of_it_and_it_is_the_same_each_time() {
    for file in ["clock/flag-behind-a-wall.toml", "clock/flag-mate-by-underpromotion.toml"] {
        let (once, again) = (run(file), run(file));
        let lines = |runs: &[Verdict]| -> Vec<String> {
            runs.iter().flat_map(|run| &run.events).map(|event| format!("{:?}", event.json())).collect()
        };
        assert_eq!(lines(&once), lines(&again));
        let public: Vec<_> = once.iter().flat_map(|run| &run.events).filter_map(publish).collect();
        assert!(
            public.iter().any(|event| event.name().as_str().starts_with("time-")),
            "{file}: the result is public"
        );
        for event in public {
            assert!(!event.to_line().contains("mate_"), "{}", event.to_line());
        }
    }
}
