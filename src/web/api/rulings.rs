//! Rulings on a board.

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
    let hall = hall
        .upgrade()
        .ok_or_else(|| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the daemon is being stopped"))?;
    let entry = Entry::new("ruling", visitor.name.as_deref(), visitor.role, Some(address));
    let asked = body.as_ref().map_or_else(|_| "unreadable".to_owned(), |Json(ruling)| ruling.to_string());
    let entry = entry.detail(format!("board {board}: {asked}"));
    let ruled = match body {
        Ok(Json(ruling)) => carry_out(&hall, &board, &visitor, ruling).await,
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
    board: &str,
    visitor: &Visitor,
    ruling: Value,
) -> Result<Option<Problem>, Problem> {
    let handle = hall.board(board);
    let handle = handle
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\"")))?;
    let ruled = Ruled::parse(&signed(ruling, visitor));
    if let Some(form) = ruled.as_ref().map_or_else(RulingError::form, |ruled| Form::of(ruled.ruling.name())) {
        may_rule(&hall.auth, visitor, form)?;
    }
    let wrong = |problem: RulingError| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, problem);
    let ruling = ruled.map_err(wrong)?;
    if let Some(ruled) = hall.rule_rounds(board, &ruling).await {
        return match ruled {
            Ok(()) => Ok(None),
            Err(error @ SecretaryError::NotOnDisk) => Ok(Some(rounds::problem(error))),
            Err(error) => Err(rounds::problem(error)),
        };
    }
    match handle.rule(ruling).await {
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
