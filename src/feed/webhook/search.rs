//! Finds the incidents: in the hub as they come, in the journal those that the hub has no more.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::Sender;
use tokio::time::sleep;

use super::{Source, Webhook};
use crate::feed::hub::{Frame, Start};
use crate::feed::incident::severity;
use crate::feed::records::{Record, record_of};
use crate::feed::status::Status;
use crate::journal::{Reader, StoredEvent};
use adoube_core::event::Numbered;

/// Events read from the journal at once.
const BATCH: usize = 1_000;

/// So many events without an incident are worth a note of how far the search is: a restart passes over
/// them again.
const NOTE: u64 = 1_000;

/// The journal does not have yet what the hub has no more: only while it cannot be written.
const PAUSE: Duration = Duration::from_secs(1);

/// What goes through the queue.
#[derive(Debug)]
pub(super) enum Item {
    /// Something to deliver.
    Incident(Incident),
    /// Up to here nothing else is to be delivered.
    Passed(u64),
}

/// A record as one event left it.
#[derive(Debug)]
pub(super) struct Incident {
    /// Number of the event.
    pub(super) seq: u64,
    /// The same for every delivery of it, and for no other: epoch, record and `seq`.
    pub(super) key: String,
    /// Its type.
    pub(super) name: &'static str,
    /// When it happened, RFC 3339.
    pub(super) at: String,
    /// What is sent.
    pub(super) body: String,
}

/// The queue has no other end any more.
struct Over;

pub(super) struct Search {
    webhook: Webhook,
    source: Source,
    queue: Sender<Item>,
    status: Arc<Status>,
    /// The last event that was looked at, and the last one that the other end was told of.
    cursor: u64,
    told: u64,
}

impl Search {
    pub(super) fn new(webhook: Webhook, source: Source, queue: Sender<Item>, status: Arc<Status>) -> Self {
        let cursor = source.after;
        Self { webhook, source, queue, status, cursor, told: cursor }
    }

    pub(super) async fn run(mut self) {
        loop {
            let epoch = self.source.hub.epoch();
            let (start, receiver) = self.source.hub.subscribe(Some((&epoch, self.cursor)));
            let done = match start {
                Start::Resume(missed) => self.follow(missed, receiver).await,
                Start::Snapshot => self.catch_up().await,
            };
            if done.is_err() {
                return;
            }
        }
    }

    /// Takes events as they come, until it is too far behind.
    async fn follow(&mut self, missed: Vec<Arc<Frame>>, mut live: Receiver<Arc<Frame>>) -> Result<(), Over> {
        for frame in missed {
            self.look_at(&frame).await?;
        }
        loop {
            match live.recv().await {
                Ok(frame) => self.look_at(&frame).await?,
                Err(RecvError::Lagged(_)) => return Ok(()),
                Err(RecvError::Closed) => return Err(Over),
            }
        }
    }

    async fn look_at(&mut self, frame: &Frame) -> Result<(), Over> {
        if frame.is_aside || frame.number <= self.cursor {
            Ok(())
        } else {
            self.take(frame.number, &frame.line).await
        }
    }

    /// Reads the journal from where it is to its end.
    async fn catch_up(&mut self) -> Result<(), Over> {
        let mut reader = Reader::open(&self.source.folder, self.cursor + 1);
        loop {
            let read = tokio::task::spawn_blocking(move || {
                let events: Vec<_> = reader.by_ref().take(BATCH).collect();
                (reader, events)
            });
            // A thread that is gone took the runtime with it.
            let (goes_on, events) = read.await.map_err(|_| Over)?;
            reader = goes_on;
            if events.is_empty() {
                sleep(PAUSE).await;
                return Ok(());
            }
            for event in events {
                match event {
                    Ok(StoredEvent { seq, json, .. }) => self.take(seq, &json).await?,
                    Err(error) => tracing::error!(feed = super::NAME, "journal: {error}"),
                }
            }
        }
    }

    async fn take(&mut self, seq: u64, line: &str) -> Result<(), Over> {
        self.cursor = seq;
        let item = match self.wanted(line) {
            Some(event) => {
                let incident = self.incident(seq, event).await;
                self.status.queued();
                Item::Incident(incident)
            }
            None if seq >= self.told + NOTE => Item::Passed(seq),
            None => return Ok(()),
        };
        self.told = seq;
        self.queue.send(item).await.map_err(|_| Over)
    }

    /// The event, if it is to be delivered.
    fn wanted(&self, line: &str) -> Option<Record> {
        // Most events are of no record; they need not be read.
        let line = Some(line).filter(|line| line.contains("\"severity\""))?;
        let event = Numbered::from_json(line, None).ok()?;
        let is_urgent = severity(&event)? >= self.webhook.severity;
        let wanted = &self.webhook.events;
        let is_meant = wanted.is_empty() || wanted.iter().any(|wanted| event.name() == wanted.as_str());
        (is_urgent && is_meant).then(|| Record::changed(None, &event))
    }

    /// The record as the desk shows it: the event, and when the first event of its record was.
    async fn incident(&self, seq: u64, shown: Record) -> Incident {
        let (name, at) = (shown.event.name().as_str(), shown.event.at.to_string());
        let record = record_of(&shown.event).map_or(seq, |recorded| recorded.record.0);
        let mut body = shown.json();
        if record != seq {
            body.insert("opened_at".into(), self.opened_at(record).await.into());
        }
        let key = format!("{}-{record}-{seq}", self.source.hub.epoch());
        Incident { seq, key, name, at, body: Value::Object(body).to_string() }
    }

    async fn opened_at(&self, record: u64) -> Option<String> {
        let folder = self.source.folder.clone();
        let first = move || {
            let event = Reader::open(&folder, record).flatten().next().filter(|event| event.seq == record)?;
            Some(event.numbered().ok()?.at.to_string())
        };
        tokio::task::spawn_blocking(first).await.ok().flatten()
    }
}
