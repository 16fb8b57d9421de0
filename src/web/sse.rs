//! Live events for a browser: a snapshot, then every event once, in order.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::Pages;
use crate::feed::hub::{Frame, Outgoing, Start};

/// A comment so often shows both ends that the line is there.
const COMMENT: Duration = Duration::from_secs(15);

/// A viewer comes back after so long: soon, but not all at once with the next scan.
const RETRY: Duration = Duration::from_secs(2);

struct Viewer<E> {
    pages: Pages<E>,
    receiver: Receiver<Arc<Frame>>,
    waiting: VecDeque<Event>,
    last: u64,
}

impl<E: Outgoing> Viewer<E> {
    /// What comes first: what was missed, or everything.
    fn new(pages: Pages<E>, after: Option<(&str, u64)>) -> Self {
        let (start, receiver) = pages.hub.subscribe(after);
        let last = after.map_or(0, |(_, number)| number);
        let mut viewer = Self { pages, receiver, waiting: VecDeque::new(), last };
        match start {
            Start::Snapshot(_) => viewer.snapshot(if after.is_some() { "resync" } else { "snapshot" }),
            Start::Resume(missed) => missed.iter().for_each(|frame| viewer.queue(frame)),
        }
        viewer
    }

    fn event(&self, number: u64, name: &str, data: &str) -> Event {
        Event::default()
            .id(format!("{}-{number}", self.pages.hub.epoch()))
            .event(name)
            .retry(RETRY)
            .data(data)
    }

    fn snapshot(&mut self, name: &str) {
        let (number, json) = self.pages.hub.snapshot(&(self.pages.context.about)());
        self.last = number;
        let event = self.event(number, name, &json);
        self.waiting.push_back(event);
    }

    /// An event that a snapshot holds already is not repeated.
    fn queue(&mut self, frame: &Frame) {
        if frame.is_aside {
            // Without an id: whoever comes back asks for the events after the last one.
            let event = Event::default().event(&frame.name).data(&frame.line);
            return self.waiting.push_back(event);
        }
        if frame.number > self.last {
            self.last = frame.number;
            let event = self.event(frame.number, &frame.name, &frame.line);
            self.waiting.push_back(event);
        }
    }

    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some((Ok(event), self));
            }
            match self.receiver.recv().await {
                Ok(frame) => self.queue(&frame),
                // Too slow: it gets everything anew.
                Err(RecvError::Lagged(_)) => {
                    self.receiver = self.receiver.resubscribe();
                    self.snapshot("resync");
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

pub(super) async fn events<E: Outgoing + 'static>(
    State(pages): State<Pages<E>>,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let after = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    // An id that is none is as unknown as one of another journal.
    let after = after.map(|id| {
        let parts = id.rsplit_once('-').and_then(|(epoch, number)| Some((epoch, number.parse().ok()?)));
        parts.unwrap_or(("", 0))
    });
    let viewer = Viewer::new(pages, after);
    Sse::new(unfold(viewer, Viewer::next)).keep_alive(KeepAlive::new().interval(COMMENT))
}
