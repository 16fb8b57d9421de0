//! One board, for the arbiter.

use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::problem::{Closing, LogIn, Malformed, Unknown};
use super::{Desk, Json, Path, Problem};
use crate::web::openapi::BoardInFull;

/// Look at a board
///
/// Its game with all moves, its records, and what is told of it.
#[utoipa::path(
    get,
    path = "/api/v1/boards/{board}",
    tag = "games",
    params(("board" = String, Path, description = "Name of the board", example = "1")),
    responses((status = 200, description = "The board", body = BoardInFull), Malformed, LogIn, Unknown, Closing),
)]
pub(in crate::web) async fn board(
    State(desk): State<Desk>,
    Path(board): Path<String>,
) -> Result<Json<Value>, Problem> {
    let hall = desk.hall()?;
    let opened = hall.opened(&board).ok_or_else(|| unknown(&board))?;
    let shown = hall.desk.with_view(|view| {
        let shown = view.board(&board);
        let game = shown.and_then(|board| view.game(board.game.as_deref()?));
        json!({ "board": board, "state": shown.and_then(|board| board.state), "game": game })
    });
    let (records, told) = hall.desk.of_board(&board);
    let edition = opened.laws().ok().map(|laws| laws.edition.name());
    let mut answer: Map<String, Value> = match shown {
        Value::Object(shown) => shown,
        _ => Map::new(),
    };
    for key in ["readiness", "doubtful_ply", "alternatives", "play"] {
        answer.insert(key.to_owned(), told.get(key).cloned().unwrap_or_default());
    }
    answer.insert("records".into(), json!(records));
    answer.insert("time_control".into(), json!(opened.time_control));
    answer.insert("profile".into(), json!(opened.profile));
    answer.insert("edition".into(), json!(edition));
    Ok(Json(Value::Object(answer)))
}

/// No board has that name.
pub(super) fn unknown(board: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\"; /api/v1/boards lists them"))
}
