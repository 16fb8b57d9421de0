//! The readings that a record names show what it says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use adoube_rules::square::Square;
use adoube_rules::square_from_name;
use adoube_sim::scenario::{Scenario, Verdict};
use serde_json::Value;

use crate::depth::sampled;
use crate::slots::computing;

/// Irregularities and notices whose `squares` are those that somebody touched for it.
const TOUCHED: [&str; 9] = [
    "piece-touched",
    "illegal-move-pending",
    "illegal-move-completed",
    "piece-displaced",
    "displacement-found-late",
    "two-hands-suspected",
    "board-changed-while-paused",
    "promotion-choice-changed",
    "result-signalled",
];

fn squares(event: &Value) -> Vec<Square> {
    let named = event.get("squares").and_then(Value::as_array).into_iter().flatten();
    named.chain(event.get("square")).filter_map(|name| square_from_name(name.as_str()?)).collect()
}

/// What is wrong with the ranges of readings in that run.
fn faults(verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    let boards: Vec<&str> = {
        let mut boards: Vec<&str> = verdict.events.iter().map(|event| &*event.board).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    };
    let mut opened: BTreeMap<(&str, u64), u64> = BTreeMap::new();
    for event in &verdict.events {
        let json = event.json();
        let Some(readings) = json.get("readings").and_then(Value::as_array) else { continue };
        let (first, last) = (readings[0].as_u64().unwrap(), readings[1].as_u64().unwrap());
        let index = boards.iter().position(|board| *board == &*event.board).unwrap();
        let inputs = &verdict.inputs[index];
        let mut fault = |what: String| {
            let place = &json["t_ms"];
            faults.push(format!("{} at {place} ms, readings {first} to {last}: {what}", event.name()));
        };
        if first > last {
            fault("they end before they begin".to_owned());
        }
        if first == 0 || last as usize > inputs.len() {
            fault(format!("the inputs are 1 to {}", inputs.len()));
            continue;
        }
        let record = json["record"].as_u64().unwrap();
        let begins = *opened.entry((&event.board, record)).or_insert(first);
        if begins != first {
            fault(format!("the record began with {begins}"));
        }
        if !TOUCHED.contains(&event.name().as_str()) {
            continue;
        }
        for square in squares(&Value::Object(event.json())) {
            let changed = (1..).zip(inputs).take(last as usize).filter(|(_, shown)| shown.contains(&square));
            if let Some((at, _)) = changed.last().filter(|(at, _)| *at < first as usize) {
                fault(format!("square {square:?} changed last with input {at}"));
            }
        }
    }
    faults
}

#[test]
fn every_record_names_the_readings_that_show_it() {
    let _slot = computing();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let (mut runs, mut wrong) = (0, String::new());
    for file in sampled("files of scenarios", crate::scenarios::files(&folder), 4) {
        let scenario = Scenario::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for case in scenario.cases() {
            runs += 1;
            let verdict = scenario.run(&case, &[]).unwrap();
            for fault in faults(&verdict) {
                let name = file.strip_prefix(&folder).unwrap().display();
                writeln!(wrong, "{name}, {}, {}: {fault}", case.edition, case.sensor.name()).unwrap();
            }
        }
    }
    assert!(runs > 400, "{runs} runs");
    let number = wrong.lines().count();
    let shown: String = wrong.lines().take(40).map(|line| format!("{line}\n")).collect();
    assert!(wrong.is_empty(), "{number} faults:\n{shown}");
}

/// A touch of g1 that the move breaks is shown from the lift of the knight, not from the press.
#[test]
fn a_breach_of_article_4_begins_with_the_touch() {
    let text = r#"
        id = "x"
        title = "x"
        editions = ["2018"]
        board = "identity"
        events = "-g1 wait(2s) +g1=N -e2 +e4=P PW"
        expect = ["touch-move-suspected"]
    "#;
    let scenario = Scenario::parse(text).unwrap();
    let verdict = scenario.run(&scenario.cases()[0], &[]).unwrap();
    let event = verdict.events.iter().find(|event| event.name() == "touch-move-suspected").unwrap();
    let first = event.json()["readings"][0].as_u64().unwrap();
    assert_eq!(verdict.inputs[0][first as usize - 1], vec![square_from_name("g1").unwrap()]);
}
