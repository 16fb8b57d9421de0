//! A small viewer: HTTP requests, and the stream of live events.
//!
//! It speaks HTTP/1.0, so that bodies are what comes until the end. Whoever started a desk is known there
//! (see [`know`]); a [`stranger`] is not.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use crate::daemon::PATIENCE;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// By which header the desk at an address knows us.
static KNOWN: Mutex<BTreeMap<SocketAddr, String>> = Mutex::new(BTreeMap::new());

/// From now on, requests to `address` carry this header, unless they say who asks.
pub(crate) fn know(address: SocketAddr, header: String) {
    KNOWN.lock().unwrap().insert(address, header);
}

/// The address in a login link, and its token.
pub(crate) fn parts(link: &str) -> (SocketAddr, &str) {
    let (address, token) = link.split_once("/#login=").unwrap_or_else(|| panic!("no link: {link}"));
    (address.split_once("://").unwrap().1.parse().unwrap(), token)
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    /// A header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Asks for `path`.
pub(crate) async fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, &[], "").await
}

/// Asks whatever there is to ask; headers are whole lines, without a `Host` there is ours, and a body
/// is JSON.
pub(crate) async fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Answer {
    let known = known(address);
    let mut all = headers.to_vec();
    all.extend(known.as_deref());
    stranger(address, method, path, &all, body).await
}

/// The same by somebody whom nobody knows.
pub(crate) async fn stranger(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Answer {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request(address, method, path, headers, body).as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        io::Result::Ok(text)
    };
    let text = timeout(PATIENCE, exchange).await.expect("an answer in time").unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// Whatever a stranger hears who asks for this and listens for so long once there is an answer: streams do not end.
pub(crate) async fn overhear(address: SocketAddr, method: &str, path: &str, patience: Duration) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request(address, method, path, &[], "{}").as_bytes()).await.unwrap();
    let mut heard = vec![0; 4_096];
    let count = timeout(PATIENCE, stream.read(&mut heard)).await.expect("an answer in time").unwrap();
    heard.truncate(count);
    // The time is up, or the answer is whole.
    let _end = timeout(patience, stream.read_to_end(&mut heard)).await;
    String::from_utf8_lossy(&heard).into_owned()
}

/// The header by which we are known there.
pub(crate) fn known(address: SocketAddr) -> Option<String> {
    KNOWN.lock().unwrap().get(&address).cloned()
}

fn request(address: SocketAddr, method: &str, path: &str, headers: &[&str], body: &str) -> String {
    let mut lines = vec![format!("{method} {path} HTTP/1.0"), format!("Content-Length: {}", body.len())];
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        lines.push(format!("Host: {address}"));
    }
    if !body.is_empty() && !headers.iter().any(|header| header.starts_with("Content-Type:")) {
        lines.push("Content-Type: application/json".to_owned());
    }
    lines.extend(headers.iter().map(|&header| header.to_owned()));
    format!("{}\r\n\r\n{body}", lines.join("\r\n"))
}

/// The game on a board of the desk, or of the public pages; `None` as long as there is none.
pub(crate) async fn game(address: SocketAddr, board: &str) -> Option<Value> {
    let boards = get(address, "/api/v1/boards").await.json();
    let board = boards.as_array()?.iter().find(|one| one["board"] == board)?.clone();
    let name = board["game"].as_str()?;
    Some(get(address, &format!("/api/v1/games/{name}")).await.json())
}

/// The moves of a game.
pub(crate) fn moves(game: &Value) -> Vec<String> {
    let moves = game["moves"].as_array().unwrap();
    moves.iter().map(|mv| mv["uci"].as_str().unwrap().to_owned()).collect()
}

/// One message of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// `EPOCH-NUMBER`.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: String,
}

impl Message {
    /// The number of its id.
    pub(crate) fn number(&self) -> u64 {
        self.id.rsplit_once('-').unwrap().1.parse().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// What comes down the stream.
#[derive(Debug)]
pub(crate) enum Heard {
    Message(Message),
    Comment,
    End,
}

/// A stream of live events.
pub(crate) struct Events {
    reader: BufReader<TcpStream>,
}

impl Events {
    /// Asks for everything after `after`, or for everything.
    pub(crate) async fn open(address: SocketAddr, after: Option<&str>) -> io::Result<Self> {
        Self::open_at(address, "/api/v1/events", after).await
    }

    /// The same, from another path.
    pub(crate) async fn open_at(address: SocketAddr, path: &str, after: Option<&str>) -> io::Result<Self> {
        let opened = timeout(PATIENCE, Self::ask_for(address, path, after)).await;
        opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn ask_for(address: SocketAddr, path: &str, after: Option<&str>) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        let after = after.map(|id| format!("Last-Event-ID: {id}"));
        let headers: Vec<String> = after.into_iter().chain(known(address)).collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let request = request(address, "GET", path, &headers, "");
        stream.write_all(request.as_bytes()).await?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(Self { reader })
    }

    /// What comes next.
    pub(crate) async fn next(&mut self) -> Heard {
        let mut message = Message { id: String::new(), name: String::new(), data: String::new() };
        let mut line = String::new();
        loop {
            line.clear();
            // A line that breaks off was never said.
            match self.reader.read_line(&mut line).await {
                Ok(count) if count > 0 && line.ends_with('\n') => {}
                _ => return Heard::End,
            }
            match line.trim_end().split_once(':') {
                Some(("", _)) => return Heard::Comment,
                Some(("id", id)) => message.id = id.trim_start().to_owned(),
                Some(("event", name)) => message.name = name.trim_start().to_owned(),
                Some(("data", data)) => message.data = data.trim_start().to_owned(),
                None if !message.data.is_empty() => return Heard::Message(message),
                _ => {}
            }
        }
    }

    /// The next event; comments, and what is told aside, are passed over.
    ///
    /// # Panics
    /// If none comes within `patience`.
    pub(crate) async fn message(&mut self, patience: Duration) -> Message {
        // What is told aside may never end.
        let numbered = async {
            loop {
                let message = self.told(patience).await;
                if !message.id.is_empty() {
                    return message;
                }
            }
        };
        timeout(patience, numbered).await.expect("a message in time")
    }

    /// The next message, with a number or without.
    ///
    /// # Panics
    /// If none comes within `patience`.
    pub(crate) async fn told(&mut self, patience: Duration) -> Message {
        let message = async {
            loop {
                match self.next().await {
                    Heard::Message(message) => return message,
                    Heard::Comment => {}
                    Heard::End => panic!("the stream ended"),
                }
            }
        };
        timeout(patience, message).await.expect("a message in time")
    }
}
