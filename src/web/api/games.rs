//! Boards, games, PGN: for everybody.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::Problem;
use super::extract::{Path, Query};
use super::problem::{Arguments, Malformed, Unknown};
use crate::feed::hub::Outgoing;
use crate::feed::pgn;
use crate::feed::view::{GameView, MoveView};
use crate::hall::BoardStatus;
use crate::web::openapi::Board;
use crate::web::{Pages, tagged};
use adoube_core::event::Player;
use adoube_core::event::TeamMatch;
use adoube_rules::GameKind;

/// List the boards and the game on each
#[utoipa::path(
    get,
    path = "/api/v1/boards",
    tag = "games",
    responses((status = 200, description = "Every board, in the order in which people count", body = [Board])),
)]
pub(in crate::web) async fn boards<E: Outgoing>(State(pages): State<Pages<E>>) -> Json<serde_json::Value> {
    let mut boards = pages.hub.boards();
    if let Some(fleet) = &pages.context.fleet {
        join(&mut boards, fleet());
    }
    Json(boards)
}

/// Adds to each board how it is. Boards that are not there, or not yet, in what is shown are or are not in the list
/// all the same.
fn join(boards: &mut Value, fleet: Vec<BoardStatus>) {
    let Some(boards) = boards.as_array_mut() else { return };
    let mut known: BTreeMap<String, BoardStatus> =
        fleet.into_iter().map(|status| (status.board.clone(), status)).collect();
    boards.retain_mut(|board| {
        let status = board["board"].as_str().and_then(|name| known.remove(name));
        let status = status.and_then(|status| serde_json::to_value(status).ok());
        match (board.as_object_mut(), status) {
            (Some(board), Some(Value::Object(status))) => {
                board.extend(status);
                true
            }
            _ => false,
        }
    });
    for status in known.into_values() {
        if let Ok(Value::Object(mut board)) = serde_json::to_value(status) {
            board.insert("game".to_owned(), Value::Null);
            boards.push(Value::Object(board));
        }
    }
}

/// Which games are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct AskedGames {
    /// Those of this round alone.
    round: Option<u16>,
}

/// List the games, without their moves
#[utoipa::path(
    get,
    path = "/api/v1/games",
    tag = "games",
    params(AskedGames),
    responses(
        (status = 200, description = "Every game, in the order in which they were opened", body = [GameSummary]),
        Arguments,
    ),
)]
pub(in crate::web) async fn games<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Query(asked): Query<AskedGames>,
) -> Json<Vec<GameSummary>> {
    let is_wanted = |game: &&GameView| asked.round.is_none_or(|round| game.round == Some(round.into()));
    Json(pages.hub.with_view(|view| view.games().filter(is_wanted).map(GameSummary::of).collect()))
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
    round: Option<u32>,
    /// Number in the round.
    number: u32,
    /// `chess`, `chess960`, `four-player`.
    variant: GameKind,
    /// White.
    white: Player,
    /// Black.
    black: Player,
    /// Of four players Red, whose partner is Blue.
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<Player>,
    /// Of four players Blue.
    #[serde(skip_serializing_if = "Option::is_none")]
    blue: Option<Player>,
    /// `*` as long as there is none.
    #[schema(example = "1-0")]
    result: String,
    /// FEN of the start.
    start: String,
    /// Time control, if known.
    time_control: Option<String>,
    /// How many plies were played.
    plies: usize,
    /// The last of them.
    last_move: Option<MoveView>,
    /// FEN of the position now.
    fen: String,
    /// When it was opened.
    #[schema(format = DateTime)]
    opened_at: String,
    /// Who plays is known, and nothing else yet; then `opened_at` is when it was published.
    awaited: bool,
    /// It is closed.
    closed: bool,
    /// It does not count: another one may be played in its place.
    annulled: bool,
    /// Its place in a match of teams.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    team_match: Option<TeamMatch>,
}

impl GameSummary {
    fn of(game: &GameView) -> Self {
        Self {
            game: game.game.clone(),
            board: game.board.clone(),
            round: game.round,
            number: game.number,
            variant: game.variant,
            white: game.white.clone(),
            black: game.black.clone(),
            red: game.red.clone(),
            blue: game.blue.clone(),
            result: game.result.clone(),
            start: game.start.clone(),
            time_control: game.time_control.clone(),
            plies: game.moves.len(),
            last_move: game.moves.last().cloned(),
            fen: game.fen().to_owned(),
            opened_at: game.opened_at.clone(),
            awaited: game.awaited,
            closed: game.closed,
            annulled: game.annulled,
            team_match: game.team_match,
        }
    }
}

/// Look at a game
///
/// `ROUND-NUMBER` also names a game that began before its round was open, as `free-…`. With `.pgn` behind its name it comes as PGN.
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
    let Some(game) = pages.hub.with_view(|view| view.find(name).cloned()) else {
        let detail = format!("no game is called \"{name}\"; /api/v1/games lists them");
        return Problem::new(StatusCode::NOT_FOUND, detail).into_response();
    };
    if is_pgn {
        // Broadcasters take anything textual without a charset for Latin 1 (feeds.md 3.2).
        let headers = [(CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
        return tagged(pgn::game(&game, &(pages.context.shown)().tags), &asked, headers);
    }
    Json(game).into_response()
}
