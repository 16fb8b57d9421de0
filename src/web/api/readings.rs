//! What a board showed: the readings out of its journal, frame by frame.

use std::collections::BTreeMap;
use std::path::Path as Folder;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::problem::{Arguments, Closing, LogIn, Malformed, Unknown};
use super::records::about;
use super::{Desk, Json, Path, Problem, Query};
use crate::feed::records::record_of;
use crate::hall::{reopened, stored_inputs};
use crate::journal::{InputKind, JournalError, SinceOpen, input_of, since_open};
use crate::web::openapi::Readings;
use adoube_core::event::finding::RecordId;
use adoube_core::event::{Numbered, Recorded, Status};
use adoube_core::evidence::{Evidence, Frames, Range, Said};
use adoube_rules::stamp::MS;

/// Shown before and after the readings of a record, unless something else is asked for.
const USUAL_MS: (u64, u64) = (10_000, 5_000);
/// At most so long: a game's longest think.
const MOST_MS: u64 = 3_600_000;
/// Frames in one answer at most.
const MOST_FRAMES: usize = 2_000;

/// Which readings: those of a record, or a range of inputs.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// A record.
    #[param(example = 23, format = "uint64")]
    record: Option<u64>,
    /// So long before its first reading as well.
    #[param(format = "uint64")]
    before_ms: Option<u64>,
    /// So long after its last.
    #[param(format = "uint64")]
    after_ms: Option<u64>,
    /// The first input, as `readings` of records count them.
    #[param(format = "uint64")]
    from: Option<u64>,
    /// The last input.
    #[param(format = "uint64")]
    to: Option<u64>,
}

/// Look at what a board showed, frame by frame
///
/// Around a `record`, or `from` one input `to` another.
#[utoipa::path(
    get,
    path = "/api/v1/boards/{board}/readings",
    tag = "records",
    params(("board" = String, Path, description = "Name of the board", example = "1"), Asked),
    responses(
        (status = 200, description = "The frames", body = Readings),
        Malformed, LogIn, Unknown, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn readings(
    State(desk): State<Desk>,
    Path(board): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let hall = desk.hall_of(&board)?;
    // What has been seen may still wait for company on its way to the disk; only what is said again and again waits
    // longer, and looks like what was said before it.
    hall.settled().await.map_err(|error| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error))?;
    let folder = hall.folder.clone();
    drop(hall);
    desk.look(move || look(&folder, &board, asked)).await.map(Json)
}

fn look(folder: &Folder, board: &str, asked: Asked) -> Result<Value, Problem> {
    let mut board = board.to_owned();
    let (range, input) = match asked {
        Asked { record: Some(record), before_ms, after_ms, from: None, to: None } => {
            let (readings, input, seen_at) = of_record(folder, &board, record)?;
            board = seen_at;
            let ns = |asked: Option<u64>, usual: u64| asked.unwrap_or(usual).min(MOST_MS) * MS;
            let [first, last] = readings;
            let (before_ns, after_ns) = (ns(before_ms, USUAL_MS.0), ns(after_ms, USUAL_MS.1));
            (Range { first, last, before_ns, after_ns, most: MOST_FRAMES }, Some(input))
        }
        Asked { record: None, before_ms: None, after_ms: None, from: Some(first), to: Some(last) }
            if first <= last =>
        {
            (Range { first, last, before_ns: 0, after_ns: 0, most: MOST_FRAMES }, None)
        }
        _ => {
            let detail = "ask for \"record\" with \"before_ms\" and \"after_ms\", or for \"from\" and \"to\", which is not less";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
        }
    };
    let stretch = since_open(folder, &board, input).map_err(|error| unreadable(&error))?;
    let stretch = stretch.ok_or_else(|| {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("the journal has nothing of board \"{board}\" since then"),
        )
    })?;
    let frames = replayed(&stretch, range)?;
    let numbers = numbers(&stretch, &frames)?;
    let seq_of = |said: &Said| {
        let (seq, name) = numbers.get(&said.input)?.get(said.place)?;
        // Another version may have said something else then.
        (said.name == name.as_str()).then_some(*seq)
    };
    let shown: Vec<Value> = frames.frames.iter().map(|frame| frame.to_json(seq_of)).collect();
    Ok(
        json!({ "board": board, "from": range.first, "to": range.last, "cut": frames.is_cut, "frames": shown }),
    )
}

/// The readings that show a record, the input that opened it, and the board at which that was: its game may have gone on at
/// `board` since.
fn of_record(folder: &Folder, board: &str, record: u64) -> Result<([u64; 2], u64, String), Problem> {
    let none = || {
        let detail = format!("board \"{board}\" has no record with the number {record} in its journal");
        Problem::new(StatusCode::NOT_FOUND, detail)
    };
    let events = about(folder, record)?;
    let its: Vec<(&Numbered, &Recorded)> = events
        .iter()
        .filter_map(|event| Some((event, record_of(event)?)))
        .filter(|(_, recorded)| recorded.record == RecordId(record))
        .collect();
    let (first, opened) = its.first().ok_or_else(none)?;
    if !its.iter().any(|(event, _)| *event.board == *board) {
        return Err(none());
    }
    // What was seen up to the last change while it was open: a ruling that closes it shows nothing.
    let there = its.iter().filter(|(event, _)| event.board == first.board);
    let open = there.rev().find(|(_, recorded)| recorded.status == Status::Open);
    let readings = open.map_or(opened.readings, |(_, last)| last.readings);
    let input = input_of(folder, record).map_err(|error| unreadable(&error))?.ok_or_else(none)?;
    Ok((readings.into(), input, first.board.to_string()))
}

fn unreadable(error: &JournalError) -> Problem {
    tracing::error!("journal: {error}");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, error)
}

/// Puts the inputs through a station again.
fn replayed(stretch: &SinceOpen, range: Range) -> Result<Frames, Problem> {
    let damaged = |error: String| {
        tracing::error!("journal: {error}");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("the journal cannot be replayed: {error}"))
    };
    let mut evidence: Option<Evidence> = None;
    for stored in stretch.inputs() {
        let stored = stored.map_err(|error| unreadable(&error))?;
        let wrong = |what: &str| damaged(format!("input {}: {what}", stored.id));
        let Some(evidence) = &mut evidence else {
            if stored.kind != InputKind::Open {
                return Err(wrong("the board was not opened before it"));
            }
            evidence = Some(Evidence::new(reopened(&stored).map_err(damaged)?, range));
            continue;
        };
        // What was ruled on another game is none of this board's readings.
        if stored.kind == InputKind::Game {
            continue;
        }
        let inputs = stored_inputs(&stored).ok_or_else(|| wrong("not understood"))?;
        if !inputs.into_iter().all(|(input, at)| evidence.take(stored.id, &input, at)) {
            break;
        }
    }
    Ok(evidence.map(Evidence::finish).unwrap_or_default())
}

/// The events of the frames by their input, in order: number and type.
fn numbers(stretch: &SinceOpen, frames: &Frames) -> Result<BTreeMap<u64, Vec<(u64, String)>>, Problem> {
    let inputs = || frames.frames.iter().flat_map(|frame| &frame.said).map(|said| said.input);
    let mut numbers: BTreeMap<u64, Vec<(u64, String)>> = BTreeMap::new();
    let Some((first, last)) = inputs().min().zip(inputs().max()) else { return Ok(numbers) };
    for event in stretch.events(first, last).map_err(|error| unreadable(&error))? {
        numbers.entry(event.input).or_default().push((event.seq, event.name));
    }
    Ok(numbers)
}
