//! Boards, games, PGN: for everybody.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::Problem;
use crate::feed::hub::Outgoing;
use crate::feed::pgn;
use crate::feed::view::GameView;
use crate::web::{Pages, tagged};

/// Every board and the game on it.
pub(in crate::web) async fn boards<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<Value> {
    Json(pages.hub.boards())
}

/// Every game, without its moves.
pub(in crate::web) async fn games<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<Value> {
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
pub(in crate::web) async fn game<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    asked: HeaderMap,
) -> Response {
    let (name, is_pgn) = match name.strip_suffix(".pgn") {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let Some(game) = pages.hub.with_view(|view| view.game(name).cloned()) else {
        let detail = format!("no game is called \"{name}\"; /api/v1/games lists them");
        return Problem::new(StatusCode::NOT_FOUND, detail).into_response();
    };
    if is_pgn {
        // Broadcasters take anything textual without a charset for Latin 1 (feeds.md 3.2).
        let headers = [(CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
        return tagged(pgn::game(&game, &pages.context.tags), &asked, headers);
    }
    Json(game).into_response()
}
