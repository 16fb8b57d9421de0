//! Live events for a browser: a snapshot, then every event once, in order.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use serde::Deserialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use super::Pages;
use super::api::problem::{Arguments, Behind};
use super::api::{Problem, Query};
use crate::feed::hub::{Frame, Moves, Outgoing, Start};

/// A comment so often shows both ends that the line is there.
const COMMENT: Duration = Duration::from_secs(15);

/// A viewer comes back after so long: soon, but not all at once with the next scan.
const RETRY: Duration = Duration::from_secs(2);

/// A relay that is behind another one is so by milliseconds.
const BEHIND: Duration = Duration::from_secs(1);

/// What a viewer may ask for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// How many moves of each game the snapshot holds: `all`, or the `last` one and their number.
    #[serde(default)]
    #[param(inline)]
    moves: Option<AskedMoves>,
    /// As the header `Last-Event-ID`, for a browser that opens a stream anew.
    #[serde(default)]
    #[param(example = "d41d8c-17")]
    after: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum AskedMoves {
    All,
    Last,
}

struct Viewer<E: Outgoing> {
    pages: Pages<E>,
    moves: Moves,
    receiver: Receiver<Arc<Frame>>,
    waiting: VecDeque<Bytes>,
    /// How many were out with the last one that it has.
    position: u64,
}

impl<E: Outgoing> Viewer<E> {
    /// What comes first: what was missed, or everything.
    fn new(pages: Pages<E>, moves: Moves, after: Option<(&str, u64)>) -> Self {
        let (start, receiver) = pages.hub.subscribe(after);
        let mut viewer = Self { pages, moves, receiver, waiting: VecDeque::new(), position: 0 };
        match start {
            Start::Snapshot => viewer.snapshot(if after.is_some() { "resync" } else { "snapshot" }),
            Start::Resume(missed) => missed.iter().for_each(|frame| viewer.queue(frame)),
        }
        let first = viewer.waiting.pop_front().unwrap_or_default();
        let retry = format!("retry: {}\n\n", RETRY.as_millis());
        viewer.waiting.push_front([retry.as_bytes(), &first].concat().into());
        viewer
    }

    fn snapshot(&mut self, name: &str) {
        let hub = &self.pages.hub;
        let snapshot = hub.snapshot(&(self.pages.context.about)(), self.moves);
        self.position = snapshot.place.position;
        self.waiting.extend(snapshot.message(&hub.epoch(), name));
        snapshot.since.iter().for_each(|frame| self.queue(frame));
    }

    /// An event that a snapshot holds already is not repeated.
    fn queue(&mut self, frame: &Frame) {
        if frame.is_aside {
            self.waiting.push_back(frame.message.clone());
        } else if frame.position > self.position {
            self.position = frame.position;
            self.waiting.push_back(frame.message.clone());
        }
    }

    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some((Ok(message), self));
            }
            match timeout(COMMENT, self.receiver.recv()).await {
                Ok(Ok(frame)) => self.queue(&frame),
                // Too slow: it gets everything anew.
                Ok(Err(RecvError::Lagged(_))) => {
                    self.receiver = self.receiver.resubscribe();
                    self.snapshot("resync");
                }
                Ok(Err(RecvError::Closed)) => return None,
                Err(_) => self.waiting.push_back(Bytes::from_static(b":\n\n")),
            }
        }
    }
}

/// Follow live events
///
/// A stream of server-sent events that does not end: `snapshot` with everything as it stands, then every event
/// once, in order, under its own name. Ids are `EPOCH-NUMBER`. Who comes back with the last id in the header
/// `Last-Event-ID` gets what he missed, or `resync`, a new snapshot, if that was too long ago. A relay that has not got
/// so far yet says 503, so that nobody is shown the past: come back a second later. Events without an
/// id say how something stands, not what happened. What an event holds is the schema `event.NAME`.
#[utoipa::path(
    get,
    path = "/api/v1/events",
    tag = "events",
    params(Asked, ("Last-Event-ID" = Option<String>, Header, description = "Id of the last event that came", example = "d41d8c-17")),
    responses((status = 200, description = "The stream", body = String, content_type = "text/event-stream"), Arguments, Behind),
)]
pub(super) async fn events<E: Outgoing + 'static>(
    State(pages): State<Pages<E>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let moves = match asked.moves {
        None | Some(AskedMoves::All) => Moves::All,
        Some(AskedMoves::Last) => Moves::Last,
    };
    let after = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = after.or(asked.after.as_deref());
    // An id that is none is as unknown as one of another journal.
    let after = after.map(|id| {
        let parts = id.rsplit_once('-').and_then(|(epoch, number)| Some((epoch, number.parse().ok()?)));
        parts.unwrap_or(("", 0))
    });
    if pages.context.is_relay
        && let Some((epoch, number)) = after
        && !pages.hub.reach(epoch, number, BEHIND).await
    {
        let detail = "you have seen what has not come here yet; come back, with the same id";
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail);
        return Ok(([(RETRY_AFTER, "1")], problem).into_response());
    }
    let viewer = Viewer::new(pages, moves, after);
    // Written by hand: axum's own stream would put every event together anew for every viewer.
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((headers, Body::from_stream(unfold(viewer, Viewer::next))).into_response())
}
