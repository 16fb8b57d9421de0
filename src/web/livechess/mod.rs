//! The API of DGT LiveChess, for programs and web pages that were written for it.
//!
//! ```text
//! GET /api/v1.0/eboards   the boards (`eboard`), as text that looks like LiveChess's (`pretty`)
//! WS  /api/v1.0           a conversation each (`connection`): calls and their answers (`message`), and what
//!                         was subscribed to (`subscription`), which may be a game of its own (`own_game`)
//! ```
//!
//! It tells how things stand, never what happened: whatever wakes a conversation - a picture of the board, an
//! event of the desk - what is to be shown now is held against what was shown last, and the difference goes
//! out. So each position goes out once, and a reader who is slow misses what was in between, but no move.
//! It is on the private side, on loopback, without a login and, like LiveChess, open to every web page.

mod connection;
mod eboard;
mod message;
mod origins;
mod own_game;
mod pretty;
mod subscription;

pub use origins::Origins;

use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use serde::Deserialize;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::config::LiveChessFeed;
use crate::feed::status::Status;
use crate::hall::Hall;
use crate::web;

/// Its name on the desk.
pub const NAME: &str = "livechess";

/// Conversations at one time: pages and programs of one machine.
const CONNECTIONS: usize = 32;

/// Games of their own at one time. Each may grow to a megabyte, as every game may.
const OWN_GAMES: usize = 64;

/// The longest call is a subscription with its serial number, or a FEN.
const MESSAGE_BYTES: usize = 16 << 10;

/// Between two attempts to get the port: somebody may close the other program that has it.
const RETRY: Duration = Duration::from_secs(5);

/// What is offered where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChess {
    /// Where it listens.
    pub address: SocketAddr,
    /// Does it go on although spectators see the games later?
    pub undelayed: bool,
    /// Whose web pages may ask.
    pub origins: Origins,
    /// The board that stands first in lists.
    pub first: Option<String>,
}

impl From<&LiveChessFeed> for LiveChess {
    fn from(feed: &LiveChessFeed) -> Self {
        Self {
            address: feed.address,
            undelayed: feed.undelayed,
            origins: Origins::new(&feed.origins),
            first: feed.first.clone(),
        }
    }
}

/// What all conversations share.
#[derive(Debug)]
struct Server {
    hall: Weak<Hall>,
    origins: Origins,
    first: Option<String>,
    connections: Arc<Semaphore>,
    own_games: Arc<Semaphore>,
    status: Arc<Status>,
    stop: watch::Receiver<bool>,
}

/// What an address may end with: `?board=7`.
#[derive(Debug, Deserialize)]
struct Asked {
    /// The board that shall stand first.
    board: Option<String>,
}

/// Begins to listen, and says how it stands. Spectators who see the games later could see them here at once:
/// then it is off, unless it was told otherwise.
pub fn start(
    livechess: LiveChess,
    hall: &Arc<Hall>,
    is_delayed: bool,
    stop: &watch::Receiver<bool>,
    tasks: &mut JoinSet<()>,
) -> Arc<Status> {
    let LiveChess { address, undelayed, origins, first } = livechess;
    let status = Arc::new(Status::new(NAME, format!("http://{address}")));
    if is_delayed && !undelayed {
        status.off("delayed");
        return status;
    }
    status.note(if origins.are_all() { "any-page" } else { "some-pages" });
    status.set_games(eboard::left_out(hall));
    hall.keep_pictures();
    let server = Arc::new(Server {
        hall: Arc::downgrade(hall),
        origins,
        first,
        connections: Arc::new(Semaphore::new(CONNECTIONS)),
        own_games: Arc::new(Semaphore::new(OWN_GAMES)),
        status: Arc::clone(&status),
        stop: stop.clone(),
    });
    tasks.spawn(listen(address, server));
    status
}

async fn listen(address: SocketAddr, server: Arc<Server>) {
    let mut stop = server.stop.clone();
    let listening = async {
        loop {
            match web::listen(address).await {
                Ok(listener) => {
                    server.status.well();
                    let listener = listener.without_idle_timeout();
                    return web::serve(listener, None, router(&server), server.stop.clone()).await;
                }
                Err(error) => {
                    let error = format!("cannot listen there: {error}; is DGT LiveChess running?");
                    tracing::warn!(feed = NAME, %address, error);
                    server.status.failed(error);
                    sleep(RETRY).await;
                }
            }
        }
    };
    tokio::select! {
        () = listening => {}
        _ = stop.wait_for(|&stop| stop) => {}
    }
}

fn router(server: &Arc<Server>) -> Router {
    Router::new()
        .route("/api/v1.0/eboards", get(eboards))
        .route("/api/v1.0", any(socket))
        .route("/api/v1.0/", any(socket))
        .layer(middleware::from_fn_with_state(Arc::clone(server), admitted_pages_only))
        .with_state(Arc::clone(server))
}

async fn admitted_pages_only(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    server.origins.check(request, next).await
}

async fn eboards(State(server): State<Arc<Server>>, Query(asked): Query<Asked>) -> Response {
    let first = match server.first(asked) {
        Ok(first) => first,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(hall) = server.hall.upgrade() else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    server.status.set_games(eboard::left_out(&hall));
    let boards = eboard::all(&hall, first.as_deref());
    ([(CONTENT_TYPE, "application/json;charset=utf-8")], pretty::json(&boards)).into_response()
}

async fn socket(
    State(server): State<Arc<Server>>,
    Query(asked): Query<Asked>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let first = match server.first(asked) {
        Ok(first) => first,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(place) = Arc::clone(&server.connections).try_acquire_owned() else {
        let detail = format!("{CONNECTIONS} programs are connected already; close one of them");
        return (StatusCode::SERVICE_UNAVAILABLE, detail).into_response();
    };
    if let Some(hall) = server.hall.upgrade() {
        server.status.set_games(eboard::left_out(&hall));
    }
    upgrade.max_message_size(MESSAGE_BYTES).max_frame_size(MESSAGE_BYTES).on_upgrade(async |socket| {
        connection::run(socket, server, first).await;
        drop(place);
    })
}

impl Server {
    /// The board that shall stand first for who asks so.
    fn first(&self, asked: Asked) -> Result<Option<String>, (StatusCode, String)> {
        let Some(board) = asked.board else { return Ok(self.first.clone()) };
        let is_known = self.hall.upgrade().is_some_and(|hall| hall.board(&board).is_some());
        if is_known {
            return Ok(Some(board));
        }
        Err((StatusCode::NOT_FOUND, format!("no board is called \"{board}\"")))
    }
}
