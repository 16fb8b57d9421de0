//! Why a replay says what it says: a line or two a move, in columns.

use adoube_core::event::{Body, Cause, Event, MoveMade};
use adoube_core::infer::{Alternative, Evidence};
use adoube_core::ply::Ply;
use adoube_core::station::Station;
use adoube_core::table::Explanation;
use adoube_rules::{Played, square_name};

/// Plies of a runner-up that are written out; by then it is clear what it means.
const PLIES: usize = 4;

/// What came of one input of `station`, explained line by line.
pub(super) fn explain(station: &Station, events: &[Event]) -> Vec<String> {
    let last = events.iter().rev().find_map(|event| match &event.body {
        Body::MoveMade(made) => Some(made.ply),
        _ => None,
    });
    let mut lines = Vec::new();
    for event in events {
        match &event.body {
            Body::MoveMade(made) => {
                let Some(why) = station.explanation(Some(made.ply)) else { continue };
                lines.push(line(event, made.ply, &made.played, &moved(event, made, &why.evidence)));
                // The moves before it were announced with it: what else the picture means, it says.
                if last == Some(made.ply) {
                    lines.extend(runners_up(&why));
                }
            }
            Body::MoveRetracted(retracted) => {
                let why = format!("withdrawn with what followed ({})", retracted.cause.as_str());
                lines.push(line(event, retracted.ply, &retracted.played, &why));
                if last.is_none() {
                    lines.extend(station.explanation(None).iter().flat_map(runners_up));
                }
            }
            Body::Record(recorded) => {
                let (name, status) = (recorded.finding.name(), recorded.status.as_str());
                let fields = serde_json::Value::Object(recorded.fields());
                lines.push(format!("{}  {name} {status} {fields}", time(event.elapsed_ns)));
            }
            _ => {}
        }
    }
    lines
}

fn line(event: &Event, ply: Ply, played: &Played, why: &str) -> String {
    format!("{}  {ply:>3} {:<8} {why}", time(event.elapsed_ns), played.san())
}

/// `12.345`: seconds, in a column.
fn time(at_ns: u64) -> String {
    format!("{:>10}", seconds(at_ns))
}

fn seconds(ns: u64) -> String {
    let ms = ns / 1_000_000;
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

fn percent(milli: u16) -> String {
    format!("{:>5} %", format!("{}.{}", milli / 10, milli % 10))
}

/// How sure a move is and what it rests on.
fn moved(event: &Event, made: &MoveMade, evidence: &Evidence) -> String {
    let handled = || {
        let rested_ms = event.elapsed_ns.saturating_sub(evidence.made_ns) / 1_000_000;
        let (lifted, placed) = (seconds(evidence.first_lift_ns), seconds(evidence.made_ns));
        let rest_ms = evidence.rest_ns / 1_000_000;
        format!("lifted {lifted}, placed {placed}, rested {rested_ms} of {rest_ms} ms")
    };
    let mut remarks = vec![match made.cause {
        Cause::Recovered => "supplied: nobody saw it".to_owned(),
        Cause::Ruling => "by a ruling".to_owned(),
        Cause::Played | Cause::Explanation => handled(),
    }];
    match evidence.is_traced {
        Some(true) => remarks.push("target changed".to_owned()),
        Some(false) => remarks.push("target not seen to change".to_owned()),
        None => {}
    }
    if !evidence.missing.is_empty() {
        let missing: Vec<String> = evidence.missing.iter().map(|&square| square_name(square)).collect();
        remarks.push(format!("missing {}", missing.join(" ")));
    }
    if made.cause == Cause::Explanation {
        remarks.push("instead of what was withdrawn".to_owned());
    }
    format!("{}  {}", percent(made.confidence_milli), remarks.join(", "))
}

/// The other explanations, and the best one as far as it goes on.
fn runners_up(why: &Explanation) -> Vec<String> {
    let best = why.alternatives.first().filter(|best| !best.plies.is_empty()).map(|best| {
        let withdrawn = why.evidence.withdraws.map(|ply| format!("  would withdraw ply {ply}"));
        runner_up("then", best) + &withdrawn.unwrap_or_default()
    });
    let others = why.alternatives.iter().skip(1).map(|other| runner_up("or", other));
    best.into_iter().chain(others).collect()
}

fn runner_up(word: &str, alternative: &Alternative) -> String {
    let mut moves: Vec<String> = alternative.plies.iter().take(PLIES).map(Played::san).collect();
    if alternative.plies.len() > PLIES {
        moves.push("…".to_owned());
    }
    let moves = if moves.is_empty() { "taken back".to_owned() } else { moves.join(" ") };
    let lead = format!("{word} {}", alternative.ply);
    format!("{:>10}  {lead:>7} {moves}  {}", "", percent(alternative.chance_milli).trim_start())
}
