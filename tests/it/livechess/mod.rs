//! The API of DGT LiveChess as programs that were written for it meet it.

mod bounds;
mod browser_page;
mod clients;
mod four;
mod own_games;
mod traps;

use std::net::SocketAddr;
use std::time::Duration;

use adoube_rules::Position as _;
use adoube_rules::pgn::PgnGame;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::daemon::{Daemon, PATIENCE, Site, awaited, reserved_address};
use crate::http::{get, stranger};
use adoube::drill::LiveBoard;

/// A game of minutes takes seconds.
const SPEED: f64 = 4.0;

/// So long nothing may come that must not; what comes takes a tenth of it.
const QUIET: Duration = Duration::from_millis(1_500);

const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Sets the API of a place up, with more lines of its section; gives where it is.
fn set_up(site: &Site, lines: &str) -> SocketAddr {
    let address = reserved_address();
    site.add_section(&format!("[feeds.livechess]\naddress = \"{address}\"\n{lines}"));
    address
}

/// A hall of one board on which the men of `placement` stand, where `start` is played from.
async fn hall(placement: &str, lines: &str) -> (Site, SocketAddr, Daemon, LiveBoard) {
    let board = LiveBoard::new(placement, "5400+30".parse().unwrap(), SPEED, reserved_address());
    let site = Site::new(SPEED, &[board.port()]);
    let address = set_up(&site, lines);
    let daemon = site.start();
    answers(address).await;
    let active = async || (eboards(address).await[0]["state"] == "ACTIVE").then_some(());
    awaited("an active board", PATIENCE, active).await;
    (site, address, daemon, board)
}

/// Waits until the API is there.
async fn answers(address: SocketAddr) {
    awaited("the API", PATIENCE, async || TcpStream::connect(address).await.ok()).await;
}

/// The boards, by HTTP.
async fn eboards(address: SocketAddr) -> Value {
    stranger(address, "GET", "/api/v1.0/eboards", &[], "").await.json()
}

/// How the feed stands on the desk.
async fn status(site: &Site) -> Value {
    let feeds = get(site.desk, "/api/v1/feeds").await.json();
    feeds.as_array().unwrap().iter().find(|feed| feed["feed"] == "livechess").unwrap().clone()
}

/// The moves of a game as PGN writes them.
fn san(game: &PgnGame) -> Vec<String> {
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    for &mv in &game.moves {
        moves.push(position.played(mv).san());
        position = position.play(mv);
    }
    moves
}

/// The news of feed 1 that a message brings.
fn event(message: Value) -> Value {
    assert_eq!((&message["response"], &message["id"]), (&json!("feed"), &json!(1)), "{message}");
    message["param"].clone()
}

/// A program on the WebSocket.
struct Program {
    socket: WebSocketStream<TcpStream>,
}

impl Program {
    async fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address, "/api/v1.0", None).await.unwrap()
    }

    async fn try_connect(address: SocketAddr, path: &str, origin: Option<&str>) -> Result<Self, Error> {
        let mut request = format!("ws://{address}{path}").into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(address).await?;
        Ok(Self { socket: client_async(request, stream).await?.0 })
    }

    async fn send(&mut self, text: impl Into<String>) {
        self.socket.send(Message::text(text.into())).await.unwrap();
    }

    /// The next text; `None` if the line is closed.
    async fn next(&mut self) -> Option<String> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("a message in time")? {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    async fn message(&mut self) -> Value {
        let text = self.next().await.expect("an open line");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// All messages up to one that is it. A clock that runs says something every second: each message has its
    /// time, and all of them together have that of a whole game.
    async fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut heard = Vec::new();
        let listen = async {
            while !heard.last().is_some_and(&is_it) {
                heard.push(self.message().await);
            }
        };
        let is_heard = timeout(PATIENCE * 3, listen).await.is_ok();
        assert!(is_heard, "still no {what}: {heard:#?}");
        heard
    }

    /// Makes a call and gives its answer, which comes before any more news.
    async fn call(&mut self, name: &str, id: Value, param: Value) -> Value {
        self.send(json!({ "call": name, "id": id, "param": param }).to_string()).await;
        // News may have been on their way already.
        let answer = self.until(name, |message| message["response"] != "feed").await.pop().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Follows a board as feed 1; gives what it is told first.
    async fn subscribe(&mut self, serialnr: &str) -> Value {
        let param = json!({ "feed": "eboardevent", "id": 1, "param": { "serialnr": serialnr } });
        let answer = self.call("subscribe", json!(2), param).await;
        assert_eq!((&answer["response"], &answer["param"]), (&json!("call"), &Value::Null), "{answer}");
        self.event().await
    }

    /// Sets its board up.
    async fn set_up(&mut self, fen: &str) -> Value {
        let param = json!({ "id": 1, "method": "setup", "param": { "fen": fen } });
        self.call("call", json!(3), param).await
    }

    /// The next news of feed 1.
    async fn event(&mut self) -> Value {
        event(self.message().await)
    }

    /// All news of feed 1 up to those that are it.
    async fn events_until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let messages = self.until(what, |message| is_it(&message["param"])).await;
        messages.into_iter().map(event).collect()
    }

    /// The next news that say `key`, and those before them.
    async fn event_with(&mut self, key: &str) -> (Value, Vec<Value>) {
        let mut events = self.events_until(key, |event| !event[key].is_null()).await;
        (events.pop().unwrap(), events)
    }

    /// Waits until the moves are these; gives every list that came on the way.
    async fn moves(&mut self, moves: &str) -> Vec<Vec<String>> {
        let expected: Vec<&str> = moves.split_whitespace().collect();
        let events = self.events_until(moves, |event| event["san"] == json!(expected)).await;
        let lists = events.into_iter().filter_map(|event| event.get("san").cloned());
        lists.map(|list| serde_json::from_value(list).unwrap()).collect()
    }

    /// What comes within a while.
    async fn quiet(&mut self) -> Vec<Value> {
        let mut heard = Vec::new();
        let listen = async {
            loop {
                heard.push(self.message().await["param"].clone());
            }
        };
        let _quiet = timeout(QUIET, listen).await;
        heard
    }
}
