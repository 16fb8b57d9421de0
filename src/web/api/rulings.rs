//! Rulings on a board.

use std::net::IpAddr;
use std::sync::Weak;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::extract::{Json, Path};
use super::problem::{Arguments, Forbidden, LogIn, Malformed, NotOnDisk, Refused, TooLarge, Unknown};
use super::{Problem, rounds};
use crate::auth::{Auth, Entry, Role, Visitor};
use crate::hall::{Hall, RuleError, SecretaryError};
use crate::web::identify::From;
use crate::web::openapi::RulingBody;
use adoube_core::ruling::{Form, Ruled, RulingError};

/// It was done.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Done {
    /// Always true: what was not done is a problem.
    ok: bool,
}

impl Done {
    /// As an answer.
    pub(in crate::web) const fn answer() -> Json<Self> {
        Json(Self { ok: true })
    }
}

/// Carry out a ruling on a board
///
/// It is journalled in the name of who is logged in; `undo` takes it back. What follows from it comes as events.
#[utoipa::path(
    post,
    path = "/api/v1/boards/{board}/rulings",
    tag = "rulings",
    params(("board" = String, Path, description = "Name of the board", example = "1")),
    request_body(content = RulingBody, description = "Name and arguments of a ruling"),
    responses(
        (status = 200, description = "It was carried out and is on disk", body = Done, example = json!({"ok": true})),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, NotOnDisk,
    ),
)]
pub(in crate::web) async fn rule(
    State(hall): State<Weak<Hall>>,
    Path(board): Path<String>,
    visitor: Visitor,
    From(address): From,
    body: Result<Json<Value>, Problem>,
) -> Result<Json<Done>, Problem> {
    asked(&hall, &On::Board(board), &visitor, address, body).await
}

/// Carry out a ruling on a game, whenever it was played
///
/// On the board at which it is played; of a game that is closed the result can be changed, and it can be annulled,
/// whatever its board plays now. `ROUND-NUMBER` names the last game of that pairing; one that has not begun can be given
/// its result.
#[utoipa::path(
    post,
    path = "/api/v1/games/{game}/rulings",
    tag = "rulings",
    params(("game" = String, Path, description = "Name of the game", example = "5-12")),
    request_body(content = RulingBody, description = "Name and arguments of a ruling"),
    responses(
        (status = 200, description = "It was carried out and is on disk", body = Done, example = json!({"ok": true})),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, NotOnDisk,
    ),
)]
pub(in crate::web) async fn rule_game(
    State(hall): State<Weak<Hall>>,
    Path(game): Path<String>,
    visitor: Visitor,
    From(address): From,
    body: Result<Json<Value>, Problem>,
) -> Result<Json<Done>, Problem> {
    asked(&hall, &On::Game(game), &visitor, address, body).await
}

/// On what something is ruled.
enum On {
    /// What is played at a board.
    Board(String),
    /// A game, wherever and whenever it is played.
    Game(String),
}

impl std::fmt::Display for On {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Board(board) => write!(f, "board {board}"),
            Self::Game(game) => write!(f, "game {game}"),
        }
    }
}

async fn asked(
    hall: &Weak<Hall>,
    on: &On,
    visitor: &Visitor,
    address: IpAddr,
    body: Result<Json<Value>, Problem>,
) -> Result<Json<Done>, Problem> {
    let hall = hall
        .upgrade()
        .ok_or_else(|| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the daemon is being stopped"))?;
    let entry = Entry::new("ruling", visitor.name.as_deref(), visitor.role, Some(address));
    let asked = body.as_ref().map_or_else(|_| "unreadable".to_owned(), |Json(ruling)| ruling.to_string());
    let entry = entry.detail(format!("{on}: {asked}"));
    let ruled = match body {
        Ok(Json(ruling)) => carry_out(&hall, on, visitor, ruling).await,
        Err(problem) => Err(problem),
    };
    hall.auth.audit.write(&match &ruled {
        // A ruling that is not on disk yet was made all the same.
        Ok(_) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    ruled?.map_or_else(|| Ok(Done::answer()), Err)
}

/// Carries a ruling out; gives what has to be said of it all the same.
async fn carry_out(
    hall: &Hall,
    on: &On,
    visitor: &Visitor,
    ruling: Value,
) -> Result<Option<Problem>, Problem> {
    let place = place_of(hall, on)?;
    let ruled = Ruled::parse(&signed(ruling, visitor));
    if let Some(form) = ruled.as_ref().map_or_else(RulingError::form, |ruled| Form::of(ruled.ruling.name())) {
        may_rule(&hall.auth, visitor, form)?;
    }
    let wrong = |problem: RulingError| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, problem);
    let ruling = ruled.map_err(wrong)?;
    let (game, board) = match place {
        Place::Pairing(game) => return of_rounds(hall.rule_unplayed(&game, &ruling).await),
        // The number of a ruling says on which game of a pairing it was made.
        Place::Game(game, board) => {
            let meant = hall.ruled_on(&ruling).await.filter(|meant| hall.are_of_one_pairing(meant, &game));
            (meant.or(Some(game)), board)
        }
        Place::Board(board) => (hall.ruled_on(&ruling).await, board),
    };
    if let (Some(game), On::Game(_)) = (&game, on)
        && let Some(ruled) = hall.rule_when(game, &ruling).await
    {
        return of_rounds(ruled);
    }
    let meant = game.as_deref().filter(|_| matches!(on, On::Game(_)));
    if let Some(exchanged) = hall.rule_exchange(&board, meant, &ruling).await {
        return of_rounds(exchanged);
    }
    if let Some(game) = game
        && let Some(ruled) = hall.rule_afterwards(&game, &board, &ruling).await
    {
        return of_board(ruled);
    }
    if let Some(undone) = hall.undo_move(&ruling).await {
        return of_rounds(undone);
    }
    if let Some(ruled) = hall.rule_rounds(&board, &ruling).await {
        return of_rounds(ruled);
    }
    let handle = hall.board(&board).ok_or_else(|| no_board(&board))?;
    of_board(handle.rule(ruling).await)
}

/// Where it is ruled.
enum Place {
    Board(String),
    /// The game, and the board at which it is or was played.
    Game(String, String),
    /// A game that has not begun, and of which no board knows.
    Pairing(String),
}

fn place_of(hall: &Hall, on: &On) -> Result<Place, Problem> {
    match on {
        On::Board(board) if hall.board(board).is_some() => Ok(Place::Board(board.clone())),
        On::Board(board) => Err(no_board(board)),
        On::Game(game) => match hall.game_at(game) {
            Some((game, board)) => Ok(Place::Game(game, board)),
            None if hall.pairings().find(game).is_some() => Ok(Place::Pairing(game.clone())),
            None => {
                let detail =
                    format!("no game is called \"{game}\"; /api/v1/games and /api/v1/pairings list them");
                Err(Problem::new(StatusCode::NOT_FOUND, detail))
            }
        },
    }
}

fn no_board(board: &str) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\""))
}

fn of_rounds(ruled: Result<(), SecretaryError>) -> Result<Option<Problem>, Problem> {
    match ruled {
        Ok(()) => Ok(None),
        Err(error @ SecretaryError::NotOnDisk) => Ok(Some(rounds::problem(error))),
        Err(error) => Err(rounds::problem(error)),
    }
}

fn of_board(ruled: Result<(), RuleError>) -> Result<Option<Problem>, Problem> {
    match ruled {
        Ok(()) => Ok(None),
        Err(problem @ RuleError::NotOnDisk) => {
            Ok(Some(Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem)))
        }
        Err(problem @ RuleError::Refused(_)) => Err(Problem::new(StatusCode::CONFLICT, problem)),
        Err(problem @ (RuleError::Closed | RuleError::Journal(_))) => {
            Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, problem))
        }
    }
}

/// A ruling is made by who is logged in, whatever it says itself; only a pause says which player stopped the
/// clocks.
fn signed(mut value: Value, visitor: &Visitor) -> Value {
    if let Some(ruling) = value.as_object_mut() {
        let is_a_players =
            ruling.contains_key("by") && ruling.get("name").is_some_and(|name| name == "pause");
        // What is no name at all is refused when the ruling is read.
        let is_a_name = ruling.get("by").is_none_or(|by| by.is_string() || by.is_null());
        if is_a_name && !is_a_players {
            ruling.insert("by".to_owned(), visitor.name.clone().into());
        }
    }
    value
}

fn may_rule(auth: &Auth, visitor: &Visitor, form: &Form) -> Result<(), Problem> {
    visitor.must_be(Role::Operator)?;
    if visitor.role.may_rule(form.maker, auth.operator_results) {
        return Ok(());
    }
    let detail = format!("the ruling \"{}\" is the arbiter's; you are {}", form.name, visitor.role);
    Err(Problem::new(StatusCode::FORBIDDEN, detail))
}
