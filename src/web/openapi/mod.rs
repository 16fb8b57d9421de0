//! The document of the API (OpenAPI 3.1), made from the handlers: a route that is not in it does not exist.

mod board;
mod event;
mod names;
mod readings;
mod record;
mod ruling;
mod security;
mod stream;

pub(super) use board::{Board, BoardInFull};
pub(super) use names::{Article, Name, RulingName};
pub(super) use readings::{Readings, Round};
pub(super) use record::{History, Record, RecordHistory, Ruled};
pub(super) use ruling::RulingBody;

use std::collections::BTreeMap;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use utoipa::OpenApi as _;
use utoipa::openapi::{OpenApi, RefOr, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::api::Problem;
use super::tagged;
use crate::feed::view::GameView;

/// What stands at the top of the document.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "adoube",
        description = "Boards, games, live events and rulings of a hall. Errors are `application/problem+json`.",
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later"),
    ),
    tags(
        (name = "games", description = "Boards and games as they stand"),
        (name = "boards", description = "Boards added, changed and taken away"),
        (name = "pictures", description = "Positions and games to look at"),
        (name = "events", description = "What happens, as it happens"),
        (name = "rulings", description = "What the arbiter decides"),
        (name = "records", description = "What waits for the arbiter, and the evidence"),
        (name = "pairings", description = "Who plays whom at which board"),
        (name = "rounds", description = "Rounds, opened and closed"),
        (name = "names", description = "How things are called"),
        (name = "session", description = "Who asks"),
        (name = "tokens", description = "Who may log in, and what they did"),
        (name = "about", description = "This document, and how the daemon is"),
    ),
    // Named by answers that have no body of their own in the document.
    components(schemas(GameView, Problem))
)]
struct Top;

/// Answers by their status.
pub(super) type Answers = BTreeMap<String, RefOr<Response>>;

/// The routes of a part of the API, and what the document says of them.
pub(super) fn split(api: OpenApiRouter) -> (Router, OpenApi) {
    api.split_for_parts()
}

/// The route that tells what `documented` is; `before` are the answers that a listener gives before it looks
/// at the path. The desk's tells of all events, and of which operations only `open` ones are for everybody.
pub(super) fn published(documented: OpenApi, open: Option<&[&OpenApi]>, before: &[Answers]) -> Router {
    let (route, own) = OpenApiRouter::default().routes(routes!(document)).split_for_parts();
    let mut all = Top::openapi();
    all.merge(documented);
    all.merge(own.clone());
    all.merge(event::events(open.is_some()));
    all.merge(stream::messages(open.is_some()));
    if let Some(open) = open {
        security::secure(&mut all, &[open, &[&own]].concat());
    }
    for item in all.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for (status, answer) in before.iter().flatten() {
                operation.responses.responses.entry(status.clone()).or_insert_with(|| answer.clone());
            }
        }
    }
    // The document is made of names and texts; nothing in it can fail to be JSON.
    route.with_state(Bytes::from(serde_json::to_vec(&all).unwrap_or_default()))
}

/// Read this document
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    tag = "about",
    responses(
        (status = 200, description = "An OpenAPI 3.1 document of what this listener answers", body = Object),
        (status = 304, description = "It is what the tag in `If-None-Match` belongs to"),
    ),
)]
async fn document(State(json): State<Bytes>, asked: HeaderMap) -> axum::response::Response {
    tagged(json, &asked, [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-cache")])
}
