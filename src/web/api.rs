//! What scripts ask for: boards, games, PGN; and rulings, on the desk.

use std::sync::Weak;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Pages;
use crate::daemon::{Hall, RuleError};
use crate::feed::hub::Outgoing;
use crate::feed::pgn;
use crate::feed::view::GameView;
use crate::ruling::Ruling;

fn error(status: StatusCode, text: impl std::fmt::Display) -> Response {
    (status, Json(json!({ "error": text.to_string() }))).into_response()
}

/// Something that may be asked for again and again: with a tag of its content, and nothing but
/// "not modified" for who has it already.
pub(super) fn tagged<const N: usize>(
    body: impl AsRef<[u8]> + IntoResponse,
    asked: &HeaderMap,
    headers: [(HeaderName, &'static str); N],
) -> Response {
    let digest = Sha256::digest(body.as_ref());
    let tag = format!("\"{}\"", crate::capture::hex_from_bytes(&digest[..8]));
    let has_it = asked
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag));
    if has_it {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    (headers, [(ETAG, tag)], body).into_response()
}

pub(super) async fn not_found(uri: Uri) -> Response {
    error(StatusCode::NOT_FOUND, format!("nothing is at {}", uri.path()))
}

/// Every board and the game on it.
pub(super) async fn boards<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<Value> {
    Json(pages.hub.boards())
}

/// Every game, without its moves.
pub(super) async fn games<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<Value> {
    Json(pages.hub.with_view(|view| view.games().map(summary).collect()))
}

fn summary(game: &GameView) -> Value {
    json!({
        "game": game.game, "board": game.board, "round": game.round, "number": game.number,
        "variant": game.variant, "white": game.white, "black": game.black, "result": game.result,
        "plies": game.moves.len(), "fen": game.fen(), "opened_at": game.opened_at, "closed": game.closed,
    })
}

/// One game, as JSON; with `.pgn` behind its name as PGN.
pub(super) async fn game<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    asked: HeaderMap,
) -> Response {
    let (name, is_pgn) = match name.strip_suffix(".pgn") {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let Some(game) = pages.hub.with_view(|view| view.game(name).cloned()) else {
        return error(
            StatusCode::NOT_FOUND,
            format!("no game is called \"{name}\"; /api/v1/games lists them"),
        );
    };
    if is_pgn {
        // Broadcasters take anything textual without a charset for Latin 1 (feeds.md 3.2).
        let headers = [(CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
        return tagged(pgn::game(&game, &pages.context.tags), &asked, headers);
    }
    Json(game).into_response()
}

/// Carries out a ruling on a board.
pub(super) async fn rule(State(hall): State<Weak<Hall>>, Path(board): Path<String>, body: Bytes) -> Response {
    let Some(board_handle) = hall.upgrade().and_then(|hall| hall.board(&board)) else {
        return error(StatusCode::NOT_FOUND, format!("no board is called \"{board}\""));
    };
    let ruling = match serde_json::from_slice(&body) {
        Ok(value) => Ruling::parse(&value),
        Err(problem) => return error(StatusCode::BAD_REQUEST, format!("not JSON: {problem}")),
    };
    let ruling = match ruling {
        Ok(ruling) => ruling,
        Err(problem) => return error(StatusCode::BAD_REQUEST, problem),
    };
    match board_handle.rule(ruling).await {
        Ok(()) => Json(json!({ "ok": true })).into_response(),
        Err(RuleError::Refused(problem)) => error(StatusCode::CONFLICT, problem),
        Err(problem @ (RuleError::Closed | RuleError::Journal(_))) => {
            error(StatusCode::SERVICE_UNAVAILABLE, problem)
        }
    }
}
