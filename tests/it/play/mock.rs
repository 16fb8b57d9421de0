//! Lichess as its Board API is documented: streams of lines with empty ones in between, moves that are taken in
//! turn only, and what goes wrong in the wild.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, Position as _};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::daemon::{awaited, reserved_address};

use super::table::PATIENCE;
use super::{legal, uci};

pub(super) const GAME: &str = "5IrD6Gzz";
pub(super) const TOKEN: &str = "lip_test";

/// Lichess sends an empty line every six seconds; nobody waits so long here.
const KEEP_ALIVE: Duration = Duration::from_millis(300);

struct Game {
    start: ChessPosition,
    initial_fen: String,
    variant: &'static str,
    ours: Side,
    position: ChessPosition,
    moves: Vec<String>,
    status: &'static str,
    winner: Option<Side>,
    draw_offer: Option<Side>,
    takeback: Option<Side>,
    /// What the opponent plays next.
    replies: VecDeque<String>,
    /// Answers that come instead of the right one, by the beginning of their path.
    faults: VecDeque<(String, u16, &'static str)>,
    /// Every request, `POST /api/…`.
    asked: Vec<String>,
    /// Moves are taken, but their answers are lost.
    loses_answers: bool,
}

/// A Lichess with one game.
#[derive(Clone)]
pub(super) struct Lichess {
    game: Arc<Mutex<Game>>,
    /// Lines for the streams; `None` breaks them.
    game_lines: broadcast::Sender<Option<String>>,
    event_lines: broadcast::Sender<Option<String>>,
    pub(super) address: SocketAddr,
}

impl Lichess {
    /// A server with a game from `start`, in which the opponent plays `replies`.
    pub(super) async fn listen(start: &str, variant: &'static str, ours: Side, replies: &[String]) -> Self {
        let position = ChessPosition::from_fen(start, variant == "chess960").unwrap();
        let is_usual = position == ChessPosition::default();
        let game = Game {
            start: position.clone(),
            initial_fen: if is_usual { "startpos".to_owned() } else { start.to_owned() },
            variant,
            ours,
            position,
            moves: Vec::new(),
            status: "started",
            winner: None,
            draw_offer: None,
            takeback: None,
            replies: replies.iter().cloned().collect(),
            faults: VecDeque::new(),
            asked: Vec::new(),
            loses_answers: false,
        };
        let lichess = Self {
            game: Arc::new(Mutex::new(game)),
            game_lines: broadcast::channel(64).0,
            event_lines: broadcast::channel(64).0,
            address: reserved_address(),
        };
        if ours == Side::Black {
            lichess.reply();
        }
        let router = Router::new()
            .route("/api/account", get(account))
            .route("/api/stream/event", get(events))
            .route("/api/board/game/stream/{id}", get(stream))
            .route("/api/board/seek", post(seek))
            .route("/api/challenge/{user}", post(challenge))
            .route("/api/board/game/{id}/move/{uci}", post(play))
            .route("/api/board/game/{id}/{what}", post(act))
            .route("/api/board/game/{id}/{what}/{answer}", post(offer))
            .layer(axum::middleware::from_fn_with_state(lichess.clone(), guard))
            .with_state(lichess.clone());
        let listener = TcpListener::bind(lichess.address).await.unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        lichess
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn game(&self) -> MutexGuard<'_, Game> {
        self.game.lock().unwrap()
    }

    pub(super) fn moves(&self) -> Vec<String> {
        self.game().moves.clone()
    }

    /// Requests whose method and path begin so.
    pub(super) fn asked(&self, start: &str) -> Vec<String> {
        self.game().asked.iter().filter(|asked| asked.starts_with(start)).cloned().collect()
    }

    pub(super) async fn has(&self, moves: usize) {
        awaited(&format!("{moves} moves at Lichess"), PATIENCE, async || {
            (self.moves().len() >= moves).then_some(())
        })
        .await;
    }

    /// Waits for a request.
    pub(super) async fn is_asked(&self, start: &str) {
        awaited(start, PATIENCE, async || (!self.asked(start).is_empty()).then_some(())).await;
    }

    /// The next request whose path begins so is answered with that status.
    pub(super) fn fails(&self, path: &str, status: u16, header: &'static str) {
        self.game().faults.push_back((path.to_owned(), status, header));
    }

    /// Moves are taken from now on (or not any more) without an answer that arrives.
    pub(super) fn loses_answers(&self, loses: bool) {
        self.game().loses_answers = loses;
    }

    /// The streams break.
    pub(super) fn drops_streams(&self) {
        let _listeners = self.game_lines.send(None);
        let _listeners = self.event_lines.send(None);
    }

    /// The opponent moves, if it is his turn and he knows what.
    pub(super) fn reply(&self) {
        {
            let mut game = self.game();
            let is_theirs = game.position.turn() != game.ours && game.status == "started";
            let Some(next) = is_theirs.then(|| game.replies.pop_front()).flatten() else { return };
            assert!(game.make(&next), "{next} in {}", game.position.fen());
        }
        self.tell();
    }

    /// We make a move on the site, and the opponent answers it.
    pub(super) fn plays_elsewhere(&self, text: &str) {
        assert!(self.game().make(text));
        self.reply();
    }

    /// Tells the events' stream that the game is there, once somebody listens.
    pub(super) async fn begins(&self) {
        self.is_asked("GET /api/stream/event").await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let _listeners = self.event_lines.send(Some(self.game_start()));
    }

    /// The game ends.
    pub(super) fn ends(&self, status: &'static str, winner: Option<Side>) {
        {
            let mut game = self.game();
            (game.status, game.winner) = (status, winner);
        }
        self.tell();
    }

    /// The game ends, and its streams do not say so.
    pub(super) fn ends_unheard(&self, status: &'static str, winner: Side) {
        let mut game = self.game();
        (game.status, game.winner) = (status, Some(winner));
    }

    /// The opponent offers a draw.
    pub(super) fn offers_draw(&self) {
        {
            let mut game = self.game();
            game.draw_offer = Some(game.ours.other());
        }
        self.tell();
    }

    fn tell(&self) {
        let line = self.game().state().to_string();
        let _listeners = self.game_lines.send(Some(line));
    }

    fn game_start(&self) -> String {
        json!({ "type": "gameStart", "game": { "gameId": GAME, "id": GAME, "color": self.game().ours.name(),
            "compat": { "bot": false, "board": true } } })
        .to_string()
    }
}

impl Game {
    fn make(&mut self, text: &str) -> bool {
        let found = legal(&self.position).into_iter().find(|&mv| uci(&self.position, mv) == text);
        let Some(mv) = found else { return false };
        self.position = self.position.play(mv);
        self.moves.push(text.to_owned());
        self.draw_offer = None;
        if let Some(end) = self.position.end() {
            let is_mate = end.name() == "checkmate";
            self.status = if is_mate { "mate" } else { "stalemate" };
            self.winner = is_mate.then(|| self.position.turn().other());
        }
        true
    }

    fn state(&self) -> Value {
        // Castling of standard chess as newer versions write it, now and then: king takes rook.
        let moves: Vec<&str> = self
            .moves
            .iter()
            .map(|mv| match mv.as_str() {
                "e1g1" if self.variant == "standard" && self.start == ChessPosition::default() => "e1h1",
                other => other,
            })
            .collect();
        let mut state = json!({ "type": "gameState", "moves": moves.join(" "), "wtime": 890_000, "btime": 880_000,
            "winc": 10_000, "binc": 10_000, "status": self.status });
        if let Some(winner) = self.winner {
            state["winner"] = winner.name().into();
        }
        for (key, side) in [("draw", self.draw_offer), ("takeback", self.takeback)] {
            if let Some(side) = side {
                state[format!("{}{key}", &side.name()[..1])] = true.into();
            }
        }
        state
    }

    fn full(&self) -> Value {
        let me = json!({ "id": "tester", "name": "Tester", "rating": 1_500 });
        let other = json!({ "id": "opponent", "name": "Opponent", "title": "CM", "rating": 2_000 });
        let (white, black) = if self.ours == Side::White { (me, other) } else { (other, me) };
        json!({ "type": "gameFull", "id": GAME, "variant": { "key": self.variant }, "speed": "rapid", "rated": false,
            "clock": { "initial": 900_000, "increment": 10_000 }, "white": white, "black": black,
            "initialFen": self.initial_fen, "state": self.state() })
    }
}

/// Asks for the token, notes what is asked, and fails where it shall.
async fn guard(
    State(lichess): State<Lichess>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let fault = {
        let mut game = lichess.game();
        game.asked.push(format!("{} {path}", request.method()));
        let place = game.faults.iter().position(|(start, ..)| path.starts_with(start.as_str()));
        place.and_then(|place| game.faults.remove(place))
    };
    let is_known =
        request.headers().get("authorization").is_some_and(|value| value == &format!("Bearer {TOKEN}"));
    if !is_known {
        return refusal(StatusCode::UNAUTHORIZED, "No such token");
    }
    if let Some((_, status, header)) = fault {
        let mut response = refusal(StatusCode::from_u16(status).unwrap(), "a fault");
        if let Some((name, value)) = header.split_once(": ") {
            let mut headers = HeaderMap::new();
            headers.insert(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
            response.headers_mut().extend(headers);
        }
        return response;
    }
    next.run(request).await
}

fn refusal(status: StatusCode, error: &str) -> Response {
    (status, json!({ "error": error }).to_string()).into_response()
}

async fn account() -> Response {
    json!({ "id": "tester", "username": "Tester" }).to_string().into_response()
}

async fn stream(State(lichess): State<Lichess>, Path(id): Path<String>) -> Response {
    if id != GAME {
        return refusal(StatusCode::NOT_FOUND, "Not found");
    }
    let (full, is_over, lines) = {
        let game = lichess.game();
        (game.full().to_string(), game.status != "started", lichess.game_lines.subscribe())
    };
    ndjson(vec![full], lines, is_over)
}

async fn events(State(lichess): State<Lichess>) -> Response {
    ndjson(Vec::new(), lichess.event_lines.subscribe(), false)
}

/// A stream of lines with empty ones; over after the first ones, or after the end of a game.
fn ndjson(first: Vec<String>, lines: broadcast::Receiver<Option<String>>, is_over: bool) -> Response {
    let state = (VecDeque::from(first), lines, is_over);
    let stream = futures_util::stream::unfold(state, |(mut first, mut lines, mut is_over)| async move {
        let text = match first.pop_front() {
            Some(line) => line,
            None if is_over => return None,
            None => match timeout(KEEP_ALIVE, lines.recv()).await {
                Err(_) => String::new(),
                Ok(Ok(Some(line))) => {
                    is_over = line.contains("\"gameState\"") && !line.contains("\"started\"");
                    line
                }
                // As a proxy does it: in the middle of a line.
                Ok(Ok(None)) => {
                    let broken = Err(std::io::Error::other("the line broke"));
                    return Some((broken, (first, lines, true)));
                }
                Ok(Err(_)) => return None,
            },
        };
        Some((Ok::<Bytes, std::io::Error>(format!("{text}\n").into()), (first, lines, is_over)))
    });
    ([("Content-Type", "application/x-ndjson")], Body::from_stream(stream)).into_response()
}

async fn play(State(lichess): State<Lichess>, Path((id, text)): Path<(String, String)>) -> Response {
    let is_lost = {
        let mut game = lichess.game();
        if id != GAME || game.position.turn() != game.ours || game.status != "started" {
            return refusal(StatusCode::BAD_REQUEST, "Not your turn, or game already over");
        }
        if !game.make(&text) {
            return refusal(
                StatusCode::BAD_REQUEST,
                &format!("Piece on {} cannot move to there", &text[..2]),
            );
        }
        game.loses_answers
    };
    lichess.tell();
    let later = lichess.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        later.reply();
    });
    if is_lost {
        return refusal(StatusCode::BAD_GATEWAY, "lost on the way");
    }
    json!({ "ok": true }).to_string().into_response()
}

async fn act(State(lichess): State<Lichess>, Path((_, what)): Path<(String, String)>) -> Response {
    let ours = lichess.game().ours;
    match what.as_str() {
        "resign" => lichess.ends("resign", Some(ours.other())),
        "abort" => lichess.ends("aborted", None),
        _ => return refusal(StatusCode::NOT_FOUND, "Not found"),
    }
    json!({ "ok": true }).to_string().into_response()
}

async fn offer(
    State(lichess): State<Lichess>,
    Path((_, what, answer)): Path<(String, String, String)>,
) -> Response {
    let is_yes = answer == "yes";
    match what.as_str() {
        "draw" => {
            let is_offered = {
                let mut game = lichess.game();
                let theirs = Some(game.ours.other());
                let is_offered = game.draw_offer == theirs;
                game.draw_offer = is_yes.then_some(game.ours);
                is_offered
            };
            if is_offered && is_yes {
                lichess.ends("draw", None);
            }
        }
        // The opponent lets everything be taken back.
        "takeback" if is_yes => {
            let mut game = lichess.game();
            let back = if game.position.turn() == game.ours { 2 } else { 1 };
            let kept = game.moves.len().saturating_sub(back);
            let moves: Vec<String> = game.moves.drain(..).take(kept).collect();
            game.position = game.start.clone();
            moves.iter().for_each(|mv| assert!(game.make(mv)));
        }
        _ => {}
    }
    lichess.tell();
    json!({ "ok": true }).to_string().into_response()
}

async fn seek(State(lichess): State<Lichess>, body: String) -> Response {
    lichess.game().asked.push(format!("seek {body}"));
    if body.contains("time=5&") {
        return refusal(StatusCode::BAD_REQUEST, "Invalid time control");
    }
    let later = lichess.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let _listeners = later.event_lines.send(Some(later.game_start()));
    });
    ndjson(Vec::new(), broadcast::channel(1).0.subscribe(), false)
}

async fn challenge(State(lichess): State<Lichess>, Path(user): Path<String>, body: String) -> Response {
    lichess.game().asked.push(format!("challenge {user} {body}"));
    let done = if user == "shy" { "declined" } else { "accepted" };
    if done == "accepted" {
        let _listeners = lichess.event_lines.send(Some(lichess.game_start()));
    }
    let first = json!({ "challenge": { "id": GAME } }).to_string();
    ndjson(vec![first, json!({ "done": done }).to_string()], broadcast::channel(1).0.subscribe(), true)
}
