//! Pushes the games of one Lichess round, one request at a time.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::answer::Answer;
use super::ledger::Ledger;
use super::{Item, Lichess, NAME, Pace};
use crate::feed::http;
use crate::feed::status::Status;
use crate::link::Backoff;

/// Lichess may ask for a longer wait than ours, but not for a whole round.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// An answer with a hundred games is shorter; a longer one is not Lichess's.
const LONGEST_ANSWER: usize = 4 << 20;

/// How long to wait before the next push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// A stop need not wait so long.
    Ours(Duration),
    /// Lichess asked for it.
    Asked(Duration),
}

/// One round of a broadcast.
pub(super) struct Round {
    client: Client,
    pushes: Url,
    shows: Url,
    token: String,
    pace: Pace,
    ledger: Ledger,
    status: Arc<Status>,
    backoff: Backoff,
    /// Lichess showed games since all of them were sent.
    was_seen: bool,
}

impl Round {
    pub(super) fn new(lichess: &Lichess, client: Client, id: &str) -> Self {
        let Lichess { url, token, pace, .. } = lichess;
        let at = |path: String| {
            let mut url = url.clone();
            url.set_path(&path);
            url
        };
        let to = at(format!("/broadcast/-/-/{id}"));
        let seed = crate::world::now().as_nanosecond() as u64;
        Self {
            client,
            pushes: at(format!("/api/broadcast/round/{id}/push")),
            shows: at(format!("/api/broadcast/-/-/{id}")),
            token: token.clone(),
            pace: *pace,
            ledger: Ledger::new(),
            status: Arc::new(Status::new(NAME, to.to_string())),
            backoff: Backoff::between(seed, pace.first_wait, pace.longest_wait),
            was_seen: false,
        }
    }

    pub(super) fn status(&self) -> Arc<Status> {
        Arc::clone(&self.status)
    }

    /// Pushes what changes, until nobody says any more what does; then what is left, within a limit.
    pub(super) async fn run(mut self, items: watch::Receiver<Vec<Item>>) {
        let (flush, mut told) = (self.pace.flush, items.clone());
        let too_late = async move {
            while told.changed().await.is_ok() {}
            sleep(flush).await;
        };
        let status = self.status();
        tokio::select! {
            () = self.push_all(items) => {}
            () = too_late => {
                let left = status.now().queued;
                tracing::warn!(feed = NAME, left, "stopped before Lichess had all games; the next start sends them");
            }
        }
    }

    async fn push_all(&mut self, mut items: watch::Receiver<Vec<Item>>) {
        let mut look = Instant::now() + self.pace.look;
        loop {
            let is_stopping = items.has_changed().is_err();
            let wanted = items.borrow_and_update().clone();
            self.ledger.want(wanted);
            let batch = self.ledger.batch();
            self.show(batch.len());
            if batch.is_empty() {
                if is_stopping {
                    return;
                }
                tokio::select! {
                    _ = items.changed() => {}
                    () = sleep_until(look) => {
                        self.look().await;
                        look = Instant::now() + self.pace.look;
                    }
                }
                continue;
            }
            let answer = self.push(&batch).await;
            let is_taken = matches!(answer, Answer::Taken(_) | Answer::Unreadable(_));
            let wait = self.judge(&batch, answer);
            self.show(0);
            match wait {
                Wait::Asked(_) if is_stopping => return,
                // Nobody comes to put it right in so short a time.
                Wait::Ours(time) if is_stopping && !is_taken && time >= self.pace.flush => return,
                Wait::Ours(time) if is_stopping && !is_taken => sleep(time).await,
                Wait::Ours(_) if is_stopping => {}
                Wait::Ours(time) | Wait::Asked(time) => {
                    tokio::select! {
                        () = sleep(time) => {}
                        () = closed(items.clone()) => {
                            if matches!(wait, Wait::Asked(_)) {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Says on the desk how it stands. What is on its way counts as one, however many games it is.
    fn show(&self, on_its_way: usize) {
        let waiting = self.ledger.pending() - on_its_way + on_its_way.min(1);
        self.status.set_queued(waiting as u64);
        self.status.set_games(self.ledger.problems());
    }

    async fn push(&self, batch: &[Item]) -> Answer {
        let body: String = batch.iter().map(|item| &*item.text).collect();
        let request = self.client.post(self.pushes.clone()).bearer_auth(&self.token);
        let request = request.header(CONTENT_TYPE, "text/plain; charset=utf-8").body(body);
        match answer_to(request, self.pace.patience).await {
            Ok((status, headers, text)) => Answer::read(status, &headers, &text, batch.len()),
            Err(reason) => Answer::Failed(reason),
        }
    }

    /// Takes down what came of a push; gives how long to wait until the next.
    fn judge(&mut self, batch: &[Item], answer: Answer) -> Wait {
        match answer {
            Answer::Taken(errors) => {
                for (item, error) in batch.iter().zip(&errors) {
                    if let Some(error) = error {
                        tracing::warn!(
                            feed = NAME,
                            GAME = item.game,
                            error,
                            "Lichess does not take the game"
                        );
                    }
                }
                for _ in 0..self.ledger.took(batch, errors) {
                    self.status.did();
                }
                self.backoff.reset();
                self.status.well();
                Wait::Ours(self.pace.pause)
            }
            Answer::Unreadable(reason) => {
                if let [culprit] = batch {
                    tracing::warn!(
                        feed = NAME,
                        GAME = culprit.game,
                        reason,
                        "Lichess does not take the game"
                    );
                }
                self.ledger.refused(batch, reason);
                Wait::Ours(self.pace.pause)
            }
            Answer::Misconfigured(what) => {
                self.failed(what);
                Wait::Ours(self.pace.slow_wait)
            }
            Answer::Throttled(asked) => {
                self.failed("Lichess asks to be left alone for a while (429)".to_owned());
                Wait::Asked(asked.unwrap_or(self.pace.slow_wait).min(LONGEST_ASKED).max(self.pace.pause))
            }
            Answer::Failed(reason) => {
                self.ledger.doubted(batch);
                self.failed(reason);
                Wait::Ours(self.backoff.next_wait())
            }
        }
    }

    /// The log says it once, and the desk as long as it lasts.
    fn failed(&self, reason: String) {
        let before = self.status.now();
        if before.failing_since.is_none() || before.last_error.as_ref() != Some(&reason) {
            tracing::warn!(feed = NAME, to = before.to, reason, "games are not pushed; it is tried again");
        }
        self.status.failed(reason);
    }

    /// Looks whether the round was reset there. Single games that somebody took away stay away: he will have known
    /// why.
    async fn look(&mut self) {
        #[derive(Deserialize)]
        struct Shows {
            games: Vec<serde::de::IgnoredAny>,
        }
        if !self.ledger.has_accepted() {
            return;
        }
        let request = self.client.get(self.shows.clone()).bearer_auth(&self.token);
        let answer = answer_to(request, self.pace.patience).await;
        // Whoever may push need not be allowed to read: then nobody knows, and nothing is lost but this.
        let Ok((StatusCode::OK, _, text)) = answer else { return };
        let Ok(Shows { games }) = serde_json::from_str(&text) else { return };
        if games.is_empty() && self.was_seen {
            tracing::warn!(
                feed = NAME,
                to = self.status.now().to,
                "the round was reset: every game is sent again"
            );
            self.ledger.forget();
        }
        // A round with a delay of its own shows nothing for a while: that is no second reset.
        self.was_seen = !games.is_empty();
    }
}

/// Ends when nobody can say anything any more.
async fn closed(mut items: watch::Receiver<Vec<Item>>) {
    while items.changed().await.is_ok() {}
}

/// The answer to a request, or why there is none.
async fn answer_to(
    request: RequestBuilder,
    patience: Duration,
) -> Result<(StatusCode, HeaderMap, String), String> {
    let reason = |error| http::reason(error, patience);
    let mut answer = request.send().await.map_err(reason)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(reason)? {
        if bytes.len() + chunk.len() > LONGEST_ANSWER {
            return Err("the answer is too long to be one of Lichess".to_owned());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok((status, headers, String::from_utf8_lossy(&bytes).into_owned()))
}
