//! Lichess as far as its public API describes it: a round of a broadcast to which games are pushed, and the faults
//! that a test wants of it.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use adoube_rules::pgn::{PgnGame, read_games};
use axum::Json;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::daemon::{Site, reserved_address};

/// The only token that it knows.
pub(crate) const TOKEN: &str = "lip_of_a_test";

/// The most games that one push may have.
const MOST: usize = 100;

/// What it does with a push instead of taking it as it should.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// A gateway answers; nothing was taken.
    Status(u16),
    /// Too many requests; `Retry-After` in seconds, if it says so.
    Throttled(Option<u64>),
    /// The connection ends before anything was taken.
    Dropped,
    /// All is taken, and then the connection ends.
    TakenAndDropped,
    /// All is taken, and the answer takes its time.
    Slow(Duration),
    /// Something else answers in its place.
    Nonsense,
}

/// One push as it came.
#[derive(Debug, Clone)]
pub(crate) struct Push {
    pub(crate) round: String,
    pub(crate) at: Instant,
    /// `GameId` of each game.
    pub(crate) ids: Vec<String>,
    /// What it says.
    pub(crate) text: String,
    /// It was answered as the API says.
    pub(crate) is_answered: bool,
}

#[derive(Default)]
struct Inner {
    faults: VecDeque<Fault>,
    pushes: Vec<Push>,
    /// The games of each round by their `GameId`, as they were pushed last.
    rounds: BTreeMap<String, BTreeMap<String, String>>,
    /// Games that it does not like, and whether it says which.
    bad: Vec<(String, bool)>,
    has_source_url: bool,
    denied: Option<(u16, &'static str)>,
    under_way: BTreeMap<String, usize>,
    /// The most requests that were under way for one round at once.
    most_under_way: usize,
    looks: usize,
}

/// Lichess.
#[derive(Clone, Default)]
pub(crate) struct Mock(Arc<Mutex<Inner>>);

impl Mock {
    pub(crate) async fn listen(&self, address: SocketAddr) -> JoinHandle<()> {
        let listener = TcpListener::bind(address).await.unwrap();
        let router = Router::new()
            .route("/api/broadcast/round/{id}/push", post(push))
            .route("/api/broadcast/{tour}/{slug}/{id}", get(show))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// What it does with the next pushes, one after the other.
    pub(crate) fn will(&self, faults: &[Fault]) {
        self.inner().faults.extend(faults);
    }

    /// How many faults are still to come.
    pub(crate) fn faults_left(&self) -> usize {
        self.inner().faults.len()
    }

    /// From now on it does not take this game; it says so of the game, or refuses every push with it.
    pub(crate) fn refuse(&self, id: &str, says_which: bool) {
        self.inner().bad.push((id.to_owned(), says_which));
    }

    /// From now on it takes every game.
    pub(crate) fn accept_all(&self) {
        self.inner().bad.clear();
    }

    /// From now on the round has a source URL, or no longer.
    pub(crate) fn set_source_url(&self, has_source_url: bool) {
        self.inner().has_source_url = has_source_url;
    }

    /// From now on everybody is denied with this answer.
    pub(crate) fn deny(&self, answer: Option<(u16, &'static str)>) {
        self.inner().denied = answer;
    }

    /// `POST /api/broadcast/round/{id}/reset`, by somebody else.
    pub(crate) fn reset(&self, round: &str) {
        self.inner().rounds.remove(round);
    }

    /// The games of a round by their `GameId`.
    pub(crate) fn games(&self, round: &str) -> BTreeMap<String, String> {
        self.inner().rounds.get(round).cloned().unwrap_or_default()
    }

    pub(crate) fn pushes(&self) -> Vec<Push> {
        self.inner().pushes.clone()
    }

    /// A push is being taken.
    pub(crate) fn is_under_way(&self) -> bool {
        self.inner().under_way.values().any(|count| *count > 0)
    }

    pub(crate) fn most_under_way(&self) -> usize {
        self.inner().most_under_way
    }

    /// How often somebody looked at a round.
    pub(crate) fn looks(&self) -> usize {
        self.inner().looks
    }
}

/// The texts of the games of a push, as Lichess takes them apart: at blank lines before tags.
fn split(body: &str) -> Vec<String> {
    let mut games: Vec<String> = Vec::new();
    for (index, piece) in body.split("\n\n[").enumerate() {
        let bracket = if index == 0 { "" } else { "[" };
        games.push(format!("{bracket}{piece}"));
    }
    games
        .into_iter()
        .filter(|game| !game.trim().is_empty())
        .map(|game| format!("{}\n\n", game.trim_end()))
        .collect()
}

fn read(text: &str) -> PgnGame {
    let mut games = read_games(text.as_bytes()).unwrap();
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

fn answered(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

/// A body that breaks off: the connection ends.
fn broken() -> Response {
    let end =
        futures_util::stream::once(async { Err::<Bytes, _>(std::io::Error::other("the connection ends")) });
    Body::from_stream(end).into_response()
}

/// Counts a request as under way as long as it lives.
struct UnderWay(Mock, String);

impl UnderWay {
    fn new(mock: &Mock, round: &str) -> Self {
        let mut inner = mock.inner();
        let count = inner.under_way.entry(round.to_owned()).or_default();
        *count += 1;
        let count = *count;
        inner.most_under_way = inner.most_under_way.max(count);
        Self(mock.clone(), round.to_owned())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        *self.0.inner().under_way.get_mut(&self.1).unwrap() -= 1;
    }
}

async fn push(
    State(mock): State<Mock>,
    Path(round): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let _under_way = UnderWay::new(&mock, &round);
    let text = String::from_utf8(body.to_vec()).unwrap();
    let games: Vec<(PgnGame, String)> = split(&text).into_iter().map(|text| (read(&text), text)).collect();
    let id = |game: &PgnGame| game.tag("GameId").unwrap().to_owned();
    let ids: Vec<String> = games.iter().map(|(game, _)| id(game)).collect();
    let fault = mock.inner().faults.pop_front();
    let answer = 'answer: {
        match fault {
            Some(Fault::Status(status)) => break 'answer answered(status, json!({ "error": "not now" })),
            Some(Fault::Throttled(wait)) => {
                let mut answer = answered(429, json!({ "error": "Too many requests. Try again later." }));
                if let Some(wait) = wait {
                    answer.headers_mut().insert("Retry-After", wait.into());
                }
                break 'answer answer;
            }
            Some(Fault::Dropped) => break 'answer broken(),
            Some(Fault::Nonsense) => {
                break 'answer "<html>Please log in to the network</html>".into_response();
            }
            _ => {}
        }
        let mut inner = mock.inner();
        if let Some((status, error)) = inner.denied {
            break 'answer answered(status, json!({ "error": error }));
        }
        if headers.get("Authorization").is_none_or(|value| *value != format!("Bearer {TOKEN}")) {
            break 'answer answered(401, json!({ "error": "No such token" }));
        }
        assert!(headers["Content-Type"].to_str().unwrap().starts_with("text/plain"), "{headers:?}");
        if inner.has_source_url {
            let error = "The relay has an upstream URL, and cannot be pushed to.";
            break 'answer answered(200, json!({ "games": [{ "tags": {}, "error": error }] }));
        }
        if games.len() > MOST {
            break 'answer answered(400, json!({ "error": "Too many games" }));
        }
        if inner.bad.iter().any(|(bad, says_which)| !says_which && ids.contains(bad)) {
            break 'answer answered(400, json!({ "error": "Cannot parse moves" }));
        }
        let mut said = Vec::new();
        for (game, pgn) in games {
            let tags: serde_json::Map<String, Value> =
                game.tags.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            if inner.bad.iter().any(|(bad, _)| *bad == id(&game)) {
                said.push(json!({ "tags": tags, "error": "Cannot play 12. Bg5" }));
            } else {
                said.push(json!({ "tags": tags, "moves": game.moves.len() }));
                inner.rounds.entry(round.clone()).or_default().insert(id(&game), pgn);
            }
        }
        answered(200, json!({ "games": said }))
    };
    let is_answered = answer.status() == 200 && fault.is_none_or(|fault| matches!(fault, Fault::Slow(_)));
    mock.inner().pushes.push(Push { round, at: Instant::now(), ids, text, is_answered });
    match fault {
        Some(Fault::TakenAndDropped) => broken(),
        Some(Fault::Slow(time)) => {
            sleep(time).await;
            answer
        }
        _ => answer,
    }
}

async fn show(State(mock): State<Mock>, Path((_, _, id)): Path<(String, String, String)>) -> Response {
    mock.inner().looks += 1;
    let games: Vec<Value> = mock.games(&id).keys().map(|id| json!({ "id": id, "name": "A - B" })).collect();
    answered(200, json!({ "tour": {}, "round": { "id": id }, "study": {}, "games": games }))
}

/// A Lichess beside `site`, whose feed has these `settings`.
pub(crate) async fn beside(site: &Site, settings: &str) -> Mock {
    let (lichess, address) = (Mock::default(), reserved_address());
    let _listening = lichess.listen(address).await;
    let token = site.path().join("token");
    std::fs::write(&token, TOKEN).unwrap();
    let token = token.display();
    site.add_section(&format!(
        "[feeds.lichess]\nurl = \"http://{address}\"\ntoken = \"{token}\"\n{settings}"
    ));
    lichess
}
