//! Delivers what was found, one after the other: what happened to a record later arrives later.

use crate::world;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

use super::search::{Incident, Item};
use super::{NAME, Webhook, signature};
use crate::feed::http;
use crate::feed::status::Status;
use crate::journal::JournalHandle;
use crate::link::Backoff;

/// A receiver that has not answered after so long shall be asked again.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits between two attempts: a restart of the receiver takes seconds, and after a longer absence it
/// gets what it missed within minutes.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// A receiver may ask for a longer wait than ours, but not for a whole round.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// The round in which the incident was is over; nobody acts on it any more.
const EXPIRY: SignedDuration = SignedDuration::from_hours(24);

/// What came of an attempt.
enum Attempt {
    Taken,
    /// It would be so again.
    Refused(String),
    /// It may be otherwise later; not before this time, if the receiver said one.
    Failed(String, Option<Duration>),
}

pub(super) struct Delivery {
    client: Client,
    url: Url,
    secret: Vec<u8>,
    journal: JournalHandle,
    status: Arc<Status>,
    backoff: Backoff,
}

impl Delivery {
    pub(super) fn new(
        webhook: &Webhook,
        journal: JournalHandle,
        status: Arc<Status>,
    ) -> reqwest::Result<Self> {
        let client = http::client(PATIENCE)?;
        let seed = world::now().as_nanosecond() as u64;
        let backoff = Backoff::between(seed, FIRST_WAIT, LONGEST_WAIT);
        Ok(Self {
            client,
            url: webhook.url.clone(),
            secret: webhook.secret.clone(),
            journal,
            status,
            backoff,
        })
    }

    pub(super) async fn run(mut self, mut queue: Receiver<Item>) {
        while let Some(item) = queue.recv().await {
            let done = match item {
                Item::Incident(incident) => {
                    self.deliver(&incident).await;
                    incident.seq
                }
                Item::Passed(seq) => seq,
            };
            self.journal.sent(NAME, done);
        }
    }

    /// Delivers it, or gives it up.
    async fn deliver(&mut self, incident: &Incident) {
        let key = &incident.key;
        loop {
            if is_expired(&incident.at, world::now()) {
                tracing::warn!(feed = NAME, delivery = key, "not delivered within a day: given up");
                return self.status.expired();
            }
            match self.attempt(incident).await {
                Attempt::Taken => {
                    self.backoff.reset();
                    return self.status.delivered();
                }
                Attempt::Refused(reason) => {
                    tracing::warn!(feed = NAME, delivery = key, reason, "refused: given up");
                    self.backoff.reset();
                    return self.status.refused(reason);
                }
                Attempt::Failed(reason, asked) => {
                    let wait = self.backoff.next_wait().max(asked.unwrap_or_default().min(LONGEST_ASKED));
                    let wait_ms = wait.as_millis() as u64;
                    tracing::warn!(feed = NAME, delivery = key, reason, wait_ms, "not delivered yet");
                    self.status.failed(reason);
                    sleep(wait).await;
                }
            }
        }
    }

    async fn attempt(&self, incident: &Incident) -> Attempt {
        let signature = signature(&self.secret, world::now().as_second(), incident.body.as_bytes());
        let request = self
            .client
            .post(self.url.clone())
            .header("Content-Type", "application/json")
            .header("Adoube-Event", incident.name)
            .header("Adoube-Delivery", &incident.key)
            .header("Idempotency-Key", &incident.key)
            .header("Adoube-Signature", signature)
            .body(incident.body.clone());
        match request.send().await {
            Ok(answer) => judged(&answer),
            Err(error) => Attempt::Failed(http::reason(error, PATIENCE), None),
        }
    }
}

fn judged(answer: &Response) -> Attempt {
    let status = answer.status();
    let reason = format!("the receiver answers {status}");
    match status {
        status if status.is_success() => Attempt::Taken,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Attempt::Failed(reason, http::retry_after(answer.headers()))
        }
        status if status.is_server_error() => Attempt::Failed(reason, http::retry_after(answer.headers())),
        status if status.is_redirection() => {
            Attempt::Refused(format!("{reason}; redirects are not followed"))
        }
        _ => Attempt::Refused(reason),
    }
}

/// An event without a time, which there is not, would never expire.
fn is_expired(at: &str, now: Timestamp) -> bool {
    at.parse::<Timestamp>().is_ok_and(|at| now.duration_since(at) > EXPIRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_expires_a_day_after_it_happened() {
        let now: Timestamp = "2026-05-02T10:00:00Z".parse().unwrap();
        assert!(!is_expired("2026-05-01T10:00:00.000Z", now));
        assert!(is_expired("2026-05-01T09:59:59.999Z", now));
        assert!(!is_expired("2026-05-03T10:00:00.000Z", now));
    }
}
