//! Boards, games, PGN: for everybody.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::Problem;
use super::extract::Path;
use super::problem::{Malformed, Unknown};
use crate::event::Player;
use crate::feed::hub::Outgoing;
use crate::feed::pgn;
use crate::feed::view::GameView;
use crate::web::openapi::Board;
use crate::web::{Pages, tagged};

/// List the boards and the game on each
#[utoipa::path(
    get,
    path = "/api/v1/boards",
    tag = "games",
    responses((status = 200, description = "Every board, in the order in which people count", body = [Board])),
)]
pub(in crate::web) async fn boards<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<serde_json::Value> {
    Json(pages.hub.boards())
}

/// List the games, without their moves
#[utoipa::path(
    get,
    path = "/api/v1/games",
    tag = "games",
    responses((status = 200, description = "Every game, in the order in which they were opened", body = [GameSummary])),
)]
pub(in crate::web) async fn games<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<Vec<GameSummary>> {
    Json(pages.hub.with_view(|view| view.games().map(GameSummary::of).collect()))
}

/// A game without its moves.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct GameSummary {
    /// Its name.
    #[schema(example = "5-12")]
    game: String,
    /// The board on which it is played.
    #[schema(example = "12")]
    board: String,
    /// Round, if there is one.
    round: Option<u64>,
    /// Number in the round.
    number: u64,
    /// `chess`, `chess960`.
    variant: String,
    /// White.
    white: Player,
    /// Black.
    black: Player,
    /// `*` as long as there is none.
    #[schema(example = "1-0")]
    result: String,
    /// How many plies were played.
    plies: usize,
    /// FEN of the position now.
    fen: String,
    /// When it was opened.
    #[schema(format = DateTime)]
    opened_at: String,
    /// It is closed.
    closed: bool,
}

impl GameSummary {
    fn of(game: &GameView) -> Self {
        Self {
            game: game.game.clone(),
            board: game.board.clone(),
            round: game.round,
            number: game.number,
            variant: game.variant.clone(),
            white: game.white.clone(),
            black: game.black.clone(),
            result: game.result.clone(),
            plies: game.moves.len(),
            fen: game.fen().to_owned(),
            opened_at: game.opened_at.clone(),
            closed: game.closed,
        }
    }
}

/// Look at a game
///
/// With `.pgn` behind its name it comes as PGN.
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}",
    tag = "games",
    params(("game" = String, Path, description = "Name of the game, with `.pgn` for PGN", example = "5-12.pgn")),
    responses(
        (status = 200, description = "The game with its moves", content(
            (GameView = "application/json"),
            (String = "application/x-chess-pgn"),
        )),
        (status = 304, description = "Of PGN: it is what the tag in `If-None-Match` belongs to"),
        Malformed, Unknown,
    ),
)]
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
