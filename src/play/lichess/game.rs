//! One game on Lichess, as an opponent.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::sleep;

use super::super::opponent::{Opening, Opponent, Order, Said, State};
use super::client::{Client, ClientError, Line, NdJson};
use super::said;
use crate::link::Backoff;

/// Waits between two attempts at a stream that broke: a hiccup is over at once, an outage takes minutes.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A move is sent so often before the player is told that it is not through.
const MOVE_TRIES: u32 = 3;

/// A game that is going on.
#[derive(Debug)]
pub struct LichessGame {
    client: Client,
    id: String,
    opening: Opening,
    stream: Option<NdJson>,
    state: State,
    backoff: Backoff,
}

impl LichessGame {
    /// Joins the game `id` of the token's owner.
    ///
    /// # Errors
    /// A sentence that says why it cannot be played here.
    pub async fn join(client: Client, id: &str) -> Result<Self, String> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(format!("--game {id}: a game's id is eight letters and digits, as in its address"));
        }
        // The address of one's own side has four more.
        let id = &id[..id.len().min(8)];
        let account = patiently(async || client.get("/api/account").await).await?;
        let me = account.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (full, stream) = patiently(async || open(&client, id).await).await?;
        let opening = said::opening(&full, &me, client.page(id))?;
        let state = said::state(full.get("state").unwrap_or(&Value::Null));
        let seed = id.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        let backoff = Backoff::between(seed, FIRST_WAIT, LONGEST_WAIT);
        Ok(Self { client, id: id.to_owned(), opening, stream: Some(stream), state, backoff })
    }

    /// How it began, with the moves up to now.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }
}

/// Opens the stream of a game, up to its first line.
async fn open(client: &Client, id: &str) -> Result<(Value, NdJson), ClientError> {
    let mut stream = client.stream(Method::GET, &format!("/api/board/game/stream/{id}"), &[]).await?;
    loop {
        match stream.next().await? {
            Line::Json(json) if json.get("type").and_then(Value::as_str) == Some("gameFull") => {
                return Ok((json, stream));
            }
            Line::Json(_) | Line::Alive => {}
            Line::End => {
                let reason = "the stream ended before the game".to_owned();
                return Err(ClientError::Later { reason, wait: Duration::ZERO });
            }
        }
    }
}

/// Tries it a few times.
///
/// # Errors
/// What Lichess says, once it says no or does not answer.
pub(super) async fn patiently<T>(mut work: impl AsyncFnMut() -> Result<T, ClientError>) -> Result<T, String> {
    let mut backoff = Backoff::between(1, FIRST_WAIT, LONGEST_WAIT);
    for _ in 1..MOVE_TRIES {
        match work().await {
            Ok(done) => return Ok(done),
            Err(ClientError::Refused(reason)) => return Err(reason),
            Err(ClientError::Later { reason, wait }) => {
                // Whoever waits is told the reason once, when nothing came of it.
                tracing::info!(reason, "Lichess is asked again");
                sleep(wait.max(backoff.next_wait())).await;
            }
        }
    }
    work().await.map_err(|error| error.to_string())
}

impl Opponent for LichessGame {
    async fn play(mut self, mut orders: Receiver<Order>, said: Sender<Said>) {
        if said.send(Said::State(self.state.clone())).await.is_err() {
            return;
        }
        let mut is_away = false;
        while self.state.end.is_none() {
            let heard = match &mut self.stream {
                Some(stream) => {
                    tokio::select! {
                        line = stream.next() => line,
                        order = orders.recv() => {
                            let Some(order) = order else { return };
                            if self.carry_out(order, &said).await.is_err() {
                                return;
                            }
                            continue;
                        }
                    }
                }
                None => match open(&self.client, &self.id).await {
                    Ok((full, stream)) => {
                        self.stream = Some(stream);
                        self.backoff.reset();
                        if std::mem::take(&mut is_away) && said.send(Said::Away(None)).await.is_err() {
                            return;
                        }
                        Ok(Line::Json(full))
                    }
                    Err(error) => Err(error),
                },
            };
            let told = match heard {
                Ok(Line::Json(json)) => self.take(&json),
                Ok(Line::Alive) => None,
                // The server ends the stream with the game: the next one begins with how it stands.
                Ok(Line::End) => {
                    self.stream = None;
                    sleep(self.backoff.next_wait()).await;
                    None
                }
                Err(ClientError::Refused(reason)) => Some(Said::Gone(reason)),
                Err(ClientError::Later { reason, wait }) => {
                    self.stream = None;
                    let is_news = !std::mem::replace(&mut is_away, true);
                    if is_news && said.send(Said::Away(Some(reason))).await.is_err() {
                        return;
                    }
                    sleep(wait.max(self.backoff.next_wait())).await;
                    None
                }
            };
            let is_gone = matches!(told, Some(Said::Gone(_)));
            if let Some(told) = told
                && (said.send(told).await.is_err() || is_gone)
            {
                return;
            }
        }
    }
}

impl LichessGame {
    /// Takes a line of the stream.
    fn take(&mut self, json: &Value) -> Option<Said> {
        match json.get("type").and_then(Value::as_str)? {
            "gameFull" => self.state = said::state(json.get("state")?),
            "gameState" => self.state = said::state(json),
            "chatLine" if json.get("room").and_then(Value::as_str) == Some("player") => {
                let text = |key| json.get(key).and_then(Value::as_str).unwrap_or_default();
                return Some(Said::Note(format!("{}: {}", text("username"), text("text"))));
            }
            "opponentGone" if json.get("gone") == Some(&Value::Bool(true)) => {
                return Some(Said::Note("your opponent has left the game".to_owned()));
            }
            _ => return None,
        }
        Some(Said::State(self.state.clone()))
    }

    /// Does what the player did. An error: nobody listens any more.
    async fn carry_out(&mut self, order: Order, said: &Sender<Said>) -> Result<(), ()> {
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let path = match &order {
            Order::Move { uci, .. } => format!("move/{uci}"),
            Order::Resign => "resign".to_owned(),
            Order::Draw(accept) => format!("draw/{}", yes(*accept)),
            Order::Takeback(accept) => format!("takeback/{}", yes(*accept)),
            Order::Abort => "abort".to_owned(),
        };
        let path = format!("/api/board/game/{}/{path}", self.id);
        let Err(reason) = self.post(&path, said).await else { return Ok(()) };
        let Order::Move { ply, .. } = order else {
            return said.send(Said::Note(format!("Lichess: {reason}"))).await.map_err(drop);
        };
        // It may have come through although its answer did not, or come too late: the stream knows.
        self.look().await;
        if self.state.moves.len() < ply {
            said.send(Said::Refused { ply, reason }).await.map_err(drop)?;
        }
        said.send(Said::State(self.state.clone())).await.map_err(drop)
    }

    async fn post(&self, path: &str, said: &Sender<Said>) -> Result<(), String> {
        let mut backoff = Backoff::between(3, FIRST_WAIT, LONGEST_WAIT);
        let mut tries = 0;
        loop {
            match self.client.post(path, &[]).await {
                Ok(()) => return Ok(()),
                Err(ClientError::Refused(reason)) => return Err(reason),
                Err(ClientError::Later { reason, wait }) => {
                    tries += 1;
                    if tries == MOVE_TRIES {
                        return Err(reason);
                    }
                    // A player who waits wants to know why; one who is gone does not.
                    let _gone = said.send(Said::Note(format!("{reason}; it is sent again"))).await;
                    sleep(wait.max(backoff.next_wait())).await;
                }
            }
        }
    }

    /// Asks how the game stands, by a fresh stream.
    async fn look(&mut self) {
        match open(&self.client, &self.id).await {
            Ok((full, stream)) => {
                self.stream = Some(stream);
                self.state = said::state(full.get("state").unwrap_or(&Value::Null));
            }
            Err(_) => self.stream = None,
        }
    }
}
