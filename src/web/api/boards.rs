//! The boards of the hall, for the arbiter's help: each in full, and added, changed, taken away.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::problem::{Arguments, Closing, Forbidden, LogIn, Malformed, Refused, TooLarge, Unknown};
use super::{Desk, Json, Path, Problem, Query};
use crate::auth::{Entry, Role, Visitor};
use crate::hall::{BoardEntry, Changes, FleetError, Hall};
use crate::web::identify::From;
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

/// Add a board
///
/// While the hall is open; the others do not notice. It outlives a restart.
#[utoipa::path(
    post,
    path = "/api/v1/boards",
    tag = "boards",
    request_body = BoardEntry,
    responses(
        (status = 200, description = "It is there", body = Changes),
        Malformed, LogIn, Forbidden, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn add(
    State(desk): State<Desk>,
    visitor: Visitor,
    From(address): From,
    Json(board): Json<BoardEntry>,
) -> Result<Json<Changes>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let entry = Entry::new("board-add", visitor.name.as_deref(), visitor.role, Some(address));
    let added = hall.enter_board(&board).await;
    finish(&hall, entry.detail(board.id.as_deref().unwrap_or_default()), added)
}

/// Change a board
///
/// Its name, its place, its number or what it speaks; what is absent stays. A board that is only somewhere else goes
/// on with its game; anything else is refused while one is played there. It outlives a restart, also for a board of
/// the configuration, which is not written.
#[utoipa::path(
    patch,
    path = "/api/v1/boards/{board}",
    tag = "boards",
    params(("board" = String, Path, description = "Name of the board", example = "1")),
    request_body = BoardEntry,
    responses(
        (status = 200, description = "It is so", body = Changes),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn change(
    State(desk): State<Desk>,
    Path(board): Path<String>,
    visitor: Visitor,
    From(address): From,
    Json(wanted): Json<BoardEntry>,
) -> Result<Json<Changes>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let detail = match &wanted.id {
        Some(name) if *name != board => format!("{board}, {name} from now on"),
        _ => board.clone(),
    };
    let entry =
        Entry::new("board-change", visitor.name.as_deref(), visitor.role, Some(address)).detail(detail);
    let changed = hall.change_board(&board, &wanted).await;
    finish(&hall, entry, changed)
}

/// How a board is taken away.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct AskedRemoval {
    /// Also while a game is played there: it is closed without a result.
    #[serde(default)]
    #[param(example = false)]
    force: bool,
}

/// Take a board away
#[utoipa::path(
    delete,
    path = "/api/v1/boards/{board}",
    tag = "boards",
    params(("board" = String, Path, description = "Name of the board", example = "1"), AskedRemoval),
    responses(
        (status = 200, description = "It is gone; what was played there is not", body = Changes),
        Malformed, LogIn, Forbidden, Unknown, Refused, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn remove(
    State(desk): State<Desk>,
    Path(board): Path<String>,
    Query(asked): Query<AskedRemoval>,
    visitor: Visitor,
    From(address): From,
) -> Result<Json<Changes>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let entry =
        Entry::new("board-remove", visitor.name.as_deref(), visitor.role, Some(address)).detail(&board);
    let removed = hall.take_board(&board, asked.force).await;
    finish(&hall, entry, removed)
}

/// Read the configuration again
///
/// Boards that are configured otherwise than before are changed, the others go on untouched. A configuration that is
/// wrong changes nothing. The answer names the keys that need a restart.
#[utoipa::path(
    post,
    path = "/api/v1/reload",
    tag = "boards",
    responses(
        (status = 200, description = "It was read", body = Changes),
        LogIn, Forbidden, Refused, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn reload(
    State(desk): State<Desk>,
    visitor: Visitor,
    From(address): From,
) -> Result<Json<Changes>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let entry = Entry::new("reload", visitor.name.as_deref(), visitor.role, Some(address));
    let reloaded = hall.reload().await;
    finish(&hall, entry, reloaded)
}

/// Enters what was done, or why it was not, in the list of what was done at the desk.
fn finish(hall: &Hall, entry: Entry, done: Result<Changes, FleetError>) -> Result<Json<Changes>, Problem> {
    let done = done.map_err(problem);
    hall.auth.audit.write(&match &done {
        Ok(_) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    done.map(Json)
}

fn problem(error: FleetError) -> Problem {
    let status = match error {
        FleetError::Unknown(_) => StatusCode::NOT_FOUND,
        FleetError::Taken(_) | FleetError::Playing { .. } | FleetError::Neighbour { .. } => {
            StatusCode::CONFLICT
        }
        FleetError::Name(_) | FleetError::Open { .. } | FleetError::Wrong(_) | FleetError::Config(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        FleetError::NotStored { .. } | FleetError::Closed => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error)
}

/// No board has that name.
pub(super) fn unknown(board: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\"; /api/v1/boards lists them"))
}
