//! What happened, out of the journal.

use std::path::Path;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::problem::{Arguments, Closing, LogIn};
use super::{Desk, Json, Problem, Query};
use crate::journal::{Asked as Search, StoredEvent, history as search};
use crate::web::openapi::History;
use adoube_core::event::Numbered;
use adoube_core::event::finding::Fields;
use adoube_rules::laws;

/// Events in one answer, unless another number is asked for.
const USUAL: usize = 100;
/// Events in one answer at most.
const MOST: usize = 1_000;

/// Which events.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// Only of this board.
    board: Option<String>,
    /// Only of this game.
    game: Option<String>,
    /// Names of the registry with commas between them.
    #[param(example = "move-made,move-retracted")]
    types: Option<String>,
    /// Only events after this number, the oldest first.
    #[param(format = "uint64")]
    after: Option<u64>,
    /// Only events before this number.
    #[param(format = "uint64")]
    before: Option<u64>,
    /// So many at most; 100 unless told, and never more than 1,000.
    #[param(example = 20)]
    limit: Option<usize>,
}

/// How many events an answer has where `asked` were asked for.
pub(super) fn limit(asked: Option<usize>) -> usize {
    asked.unwrap_or(USUAL).clamp(1, MOST)
}

/// Read what happened, out of the journal
///
/// The newest first, or the oldest of those after a number.
#[utoipa::path(
    get,
    path = "/api/v1/history",
    tag = "events",
    params(Asked),
    responses((status = 200, description = "Some of the past", body = History), LogIn, Arguments, Closing),
)]
pub(in crate::web) async fn history(
    State(desk): State<Desk>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let types: Vec<String> =
        asked.types.iter().flat_map(|types| types.split(',')).map(str::to_owned).collect();
    if let Some(unknown) = types.iter().find(|name| laws::row(name).is_none()) {
        let detail = format!("no event is called \"{unknown}\"; {}", laws::hint(unknown));
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
    }
    let limit = limit(asked.limit);
    let search = Search {
        board: asked.board,
        game: asked.game,
        types,
        about: None,
        after: asked.after,
        before: asked.before,
        // One more than is shown tells whether there are more.
        limit: limit + 1,
    };
    let folder = desk.hall()?.folder.clone();
    let Page { mut events, mut next } = desk.look(move || read(&folder, &search)).await?;
    if events.len() > limit {
        events.truncate(limit);
        next = events.last().map(|event| event.seq);
    }
    let events: Vec<Fields> = events.iter().map(Numbered::json).collect();
    Ok(Json(json!({ "events": events, "more": next.is_some(), "next": next })))
}

/// Some events, and where to go on if there may be more.
pub(super) struct Page {
    pub(super) events: Vec<Numbered>,
    pub(super) next: Option<u64>,
}

/// Reads events; what cannot be read is left out, and said.
pub(super) fn read(folder: &Path, asked: &Search) -> Result<Page, Problem> {
    let (found, errors) = search(folder, asked);
    for error in &errors {
        tracing::error!("journal: {error}");
    }
    // Part of the past is better than none of it.
    if let Some(error) = errors.first().filter(|_| found.events.is_empty()) {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, error));
    }
    let numbered = |event: &StoredEvent| {
        event.numbered().inspect_err(|error| tracing::error!("journal, seq {}: {error}", event.seq)).ok()
    };
    let events = found.events.iter().filter_map(numbered).collect();
    Ok(Page { events, next: found.next })
}
