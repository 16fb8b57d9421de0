//! Records: what waits for the arbiter, and what became of it.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::history::read;
use super::problem::{Arguments, Closing, LogIn, Malformed, Unknown};
use super::ruled::tell_undone;
use super::{Desk, Json, Path, Problem, Query};
use crate::feed::records::{self, Record};
use crate::journal::Asked as Search;
use crate::web::openapi::{Record as RecordShown, RecordHistory};

/// Events about one record that are read: an arbiter decides it a few times, not thousands of times.
const ABOUT: usize = 2_000;

/// Which records.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// `open`, `confirmed`, …
    #[param(example = "open")]
    status: Option<String>,
    /// Only of this board.
    board: Option<String>,
}

/// List the records
///
/// All open ones, and the newest closed ones.
#[utoipa::path(
    get,
    path = "/api/v1/records",
    tag = "records",
    params(Asked),
    responses((status = 200, description = "In the order in which they were opened", body = [RecordShown]),
        LogIn, Arguments, Closing),
)]
pub(in crate::web) async fn records(
    State(desk): State<Desk>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let is = |record: &Record, key: &str, value: &Option<String>| {
        value.as_ref().is_none_or(|value| record.get(key).and_then(Value::as_str) == Some(value))
    };
    let chosen = |record: &Record| is(record, "status", &asked.status) && is(record, "board", &asked.board);
    Ok(Json(json!(desk.hall()?.desk.records(chosen))))
}

/// Look at a record
///
/// How it came to what it is, what was ruled about it, and what is proposed.
#[utoipa::path(
    get,
    path = "/api/v1/records/{record}",
    tag = "records",
    params(("record" = u64, Path, description = "Number of the record", example = 23)),
    responses((status = 200, description = "The record", body = RecordHistory), Malformed, LogIn, Unknown, Closing),
)]
pub(in crate::web) async fn record(
    State(desk): State<Desk>,
    Path(number): Path<String>,
) -> Result<Json<Value>, Problem> {
    let hall = desk.hall()?;
    let unknown = || {
        let detail = format!("no record has the number {number}; /api/v1/records lists those that wait");
        Problem::new(StatusCode::NOT_FOUND, detail)
    };
    let number: u64 = number.parse().map_err(|_| unknown())?;
    // What is not on disk, because the disk fails, is known here.
    let kept = hall.desk.record(number);
    let folder = hall.folder.clone();
    let events = desk.look(move || about(&folder, number)).await?;
    let told = told(number, &events);
    let record = kept.or(told.record).ok_or_else(unknown)?;
    let (history, rulings, proposals) = (told.history, told.rulings, told.proposals);
    Ok(Json(json!({ "record": record, "history": history, "rulings": rulings, "proposals": proposals })))
}

/// Every event that could have to do with the record, oldest first.
pub(super) fn about(folder: &std::path::Path, number: u64) -> Result<Vec<Map<String, Value>>, Problem> {
    let first = Search {
        after: Some(number.saturating_sub(1)),
        before: number.checked_add(1),
        limit: 1,
        ..Search::default()
    };
    let Some(first) = read(folder, &first)?.events.pop() else { return Ok(Vec::new()) };
    let text = |key: &str| first.get(key).and_then(Value::as_str).map(str::to_owned);
    let game = text("game");
    // Without a game there is no index, but hardly anything happens either.
    let before = if game.is_some() { None } else { number.checked_add(200_000) };
    let search = Search {
        board: text("board"),
        game,
        about: Some(number),
        after: Some(number.saturating_sub(1)),
        before,
        limit: ABOUT,
        ..Search::default()
    };
    Ok(read(folder, &search)?.events)
}

/// What the events say of one record.
#[derive(Debug, Default)]
struct Told {
    record: Option<Record>,
    history: Vec<Map<String, Value>>,
    rulings: Vec<Map<String, Value>>,
    proposals: Vec<Record>,
}

fn told(number: u64, events: &[Map<String, Value>]) -> Told {
    let mut told = Told::default();
    let mut proposals: BTreeMap<u64, Record> = BTreeMap::new();
    let value = |event: &Map<String, Value>, key: &str| event.get(key).and_then(Value::as_u64);
    for event in events {
        if event.get("type").and_then(Value::as_str) == Some("ruled") {
            let names = |key: &str, of: u64| value(event, key) == Some(of);
            let is_about = names("record", number)
                || proposals.keys().any(|&proposal| names("record", proposal))
                || told
                    .rulings
                    .iter()
                    .any(|ruled| value(ruled, "seq").is_some_and(|seq| names("ruling", seq)));
            if is_about {
                told.rulings.push(event.clone());
            }
        } else if records::record_of(event) == Some(number) {
            told.record = Some(records::changed(told.record.as_ref(), event));
            told.history.push(event.clone());
        } else if let Some(proposal) = records::record_of(event) {
            let changed = records::changed(proposals.get(&proposal), event);
            proposals.insert(proposal, changed);
        }
    }
    tell_undone(told.rulings.iter_mut().rev());
    told.proposals = proposals.into_values().collect();
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_are_those_about_the_record_its_proposals_and_themselves() {
        let events = [
            json!({ "seq": 10, "type": "illegal-move-completed", "record": 10, "status": "open", "at": "a" }),
            json!({ "seq": 11, "type": "restore-position", "record": 11, "of_record": 10, "status": "open", "at": "b" }),
            json!({ "seq": 12, "type": "ruled", "name": "confirm", "record": 10 }),
            json!({ "seq": 13, "type": "illegal-move-completed", "record": 10, "status": "confirmed", "at": "c" }),
            json!({ "seq": 14, "type": "ruled", "name": "confirm", "record": 11 }),
            json!({ "seq": 15, "type": "ruled", "name": "confirm", "record": 9 }),
            json!({ "seq": 16, "type": "restore-position", "record": 11, "of_record": 10, "status": "expired", "at": "d" }),
            json!({ "seq": 17, "type": "ruled", "name": "undo", "ruling": 12 }),
            json!({ "seq": 18, "type": "ruled", "name": "undo", "ruling": 15 }),
        ];
        let told = told(10, &events.map(|event| event.as_object().unwrap().clone()));
        let seqs = |events: &[Map<String, Value>]| {
            events.iter().map(|event| event["seq"].as_u64().unwrap()).collect::<Vec<u64>>()
        };
        assert_eq!(seqs(&told.history), [10, 13]);
        assert_eq!(seqs(&told.rulings), [12, 14, 17]);
        assert_eq!(
            told.rulings.iter().map(|ruling| &ruling["undone"]).collect::<Vec<_>>(),
            [true, false, false]
        );
        assert_eq!(told.record.unwrap()["opened_at"], "a");
        assert_eq!(seqs(&told.proposals), [16]);
        assert_eq!(told.proposals[0]["opened_at"], "b");
    }
}
