//! Records: what waits for the arbiter, and what became of it.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::history::read;
use super::problem::{Arguments, Closing, LogIn, Malformed, Unknown};
use super::ruled::shown;
use super::{Desk, Json, Path, Problem, Query};
use crate::feed::records::Record;
use crate::journal::Asked as Search;
use crate::web::openapi::{Record as RecordShown, RecordHistory};
use adoube_core::event::finding::{Fields, RecordId};
use adoube_core::event::{Numbered, Said, Status};
use adoube_core::ruling::About;

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
    let is = |asked: &Option<String>, value: &str| asked.as_ref().is_none_or(|asked| asked == value);
    let chosen = |record: &Record| {
        is(&asked.status, record.status().map_or("", Status::as_str)) && is(&asked.board, &record.event.board)
    };
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
    let history: Vec<Fields> = told.history.iter().map(Numbered::json).collect();
    let rulings = shown(&told.rulings);
    Ok(Json(json!({ "record": record, "history": history, "rulings": rulings, "proposals": told.proposals })))
}

/// Every event that could have to do with the record, oldest first.
pub(super) fn about(folder: &std::path::Path, number: u64) -> Result<Vec<Numbered>, Problem> {
    let first = Search {
        after: Some(number.saturating_sub(1)),
        before: number.checked_add(1),
        limit: 1,
        ..Search::default()
    };
    let Some(first) = read(folder, &first)?.events.pop() else { return Ok(Vec::new()) };
    let game = first.game.as_deref().map(str::to_owned);
    // Without a game there is no index, but hardly anything happens either.
    let before = if game.is_some() { None } else { number.checked_add(200_000) };
    // A game may have gone on at another board.
    let search = Search {
        board: game.is_none().then(|| first.board.to_string()),
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
    history: Vec<Numbered>,
    /// The oldest first.
    rulings: Vec<Numbered>,
    proposals: Vec<Record>,
}

fn told(number: u64, events: &[Numbered]) -> Told {
    let mut told = Told::default();
    let mut proposals: BTreeMap<RecordId, Record> = BTreeMap::new();
    for event in events {
        match &event.said {
            Said::Ruled(ruled) => {
                let is_about = match ruled.ruling.clone().refers() {
                    Some((About::Record, of)) => *of == number || proposals.contains_key(&RecordId(*of)),
                    Some((About::Ruling, of)) => told.rulings.iter().any(|ruled| ruled.seq == *of),
                    Some((About::Touch, _)) | None => false,
                };
                if is_about {
                    told.rulings.push(event.clone());
                }
            }
            Said::Record(recorded) if recorded.record == RecordId(number) => {
                told.record = Some(Record::changed(told.record.as_ref(), event));
                told.history.push(event.clone());
            }
            Said::Record(recorded) => {
                let changed = Record::changed(proposals.get(&recorded.record), event);
                proposals.insert(recorded.record, changed);
            }
            _ => {}
        }
    }
    told.proposals = proposals.into_values().collect();
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::finding::{BoardDisconnected, Finding, SetPosition};
    use adoube_core::event::{Recorded, said::Millis};
    use adoube_core::ruling::Ruled;

    fn event(seq: u64, said: Said) -> Numbered {
        let (at, t_ms, board) = (format!("at {seq}").into(), Millis::of_ns(0), "1".into());
        Numbered { seq, public_id: None, releases: 0, at, t_ms, board, game: None, said, is_durable: true }
    }

    fn record(seq: u64, record: u64, status: Status, finding: impl Into<Finding>) -> Numbered {
        event(seq, Said::Record(Box::new(Recorded::of(RecordId(record), status, finding))))
    }

    fn ruled(seq: u64, ruling: Value) -> Numbered {
        event(seq, Said::Ruled(Box::new(Ruled::parse(&ruling).unwrap())))
    }

    #[test]
    fn rulings_are_those_about_the_record_its_proposals_and_themselves() {
        let set = || SetPosition { fen: String::new() };
        let events = [
            record(10, 10, Status::Open, BoardDisconnected {}),
            record(11, 11, Status::Open, set()),
            ruled(12, json!({ "name": "confirm", "record": 10 })),
            record(13, 10, Status::Confirmed, BoardDisconnected {}),
            ruled(14, json!({ "name": "confirm", "record": 11 })),
            ruled(15, json!({ "name": "confirm", "record": 9 })),
            record(16, 11, Status::Expired, set()),
            ruled(17, json!({ "name": "undo", "ruling": 12 })),
            ruled(18, json!({ "name": "undo", "ruling": 15 })),
        ];
        let told = told(10, &events);
        let seqs = |events: &[Numbered]| events.iter().map(|event| event.seq).collect::<Vec<u64>>();
        assert_eq!(seqs(&told.history), [10, 13]);
        assert_eq!(seqs(&told.rulings), [12, 14, 17]);
        let undone: Vec<Value> =
            shown(&told.rulings).into_iter().map(|ruled| ruled["undone"].clone()).collect();
        assert_eq!(undone, [true, false, false]);
        assert_eq!(told.record.unwrap().opened_at, "at 10");
        assert_eq!((told.proposals[0].event.seq, told.proposals[0].opened_at.as_str()), (16, "at 11"));
    }
}
