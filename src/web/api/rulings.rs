//! Rulings on a board.

use std::sync::Weak;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Problem;
use crate::daemon::{Hall, RuleError};
use crate::ruling::{Ruling, RulingError};
use crate::web::auth::{Auth, Entry, From, Role, Visitor};

/// Carries out a ruling on a board, in the name of who made it.
pub(in crate::web) async fn rule(
    State(hall): State<Weak<Hall>>,
    Path(board): Path<String>,
    visitor: Visitor,
    From(address): From,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let hall = hall
        .upgrade()
        .ok_or_else(|| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the daemon is being stopped"))?;
    let entry = Entry::new("ruling", visitor.name.as_deref(), visitor.role, Some(address));
    let entry = entry.detail(format!("board {board}: {}", String::from_utf8_lossy(&body)));
    let ruled = carry_out(&hall, &board, &visitor, &body).await;
    hall.auth.audit.write(&match &ruled {
        Ok(()) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    ruled.map(|()| Json(json!({ "ok": true })))
}

async fn carry_out(hall: &Hall, board: &str, visitor: &Visitor, body: &[u8]) -> Result<(), Problem> {
    let handle = hall.board(board);
    let handle = handle
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\"")))?;
    let value: Value = serde_json::from_slice(body)
        .map_err(|problem| Problem::new(StatusCode::BAD_REQUEST, format!("not JSON: {problem}")))?;
    let ruling = Ruling::parse(&signed(value, visitor));
    if let Some(name) = ruling.as_ref().map_or_else(RulingError::ruling, |ruling| Some(ruling.name())) {
        may_rule(&hall.auth, visitor, name)?;
    }
    let ruling = ruling.map_err(|problem| Problem::new(StatusCode::BAD_REQUEST, problem))?;
    handle.rule(ruling).await.map_err(|problem| {
        let status = match &problem {
            RuleError::Refused(_) => StatusCode::CONFLICT,
            RuleError::Closed | RuleError::Journal(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Problem::new(status, problem)
    })
}

/// A ruling is made by who is logged in, whatever it says itself; only a pause says which player stopped the
/// clocks.
fn signed(mut value: Value, visitor: &Visitor) -> Value {
    if let Some(ruling) = value.as_object_mut() {
        let is_a_players =
            ruling.contains_key("by") && ruling.get("name").is_some_and(|name| name == "pause");
        if !is_a_players {
            ruling.insert("by".to_owned(), visitor.name.clone().into());
        }
    }
    value
}

fn may_rule(auth: &Auth, visitor: &Visitor, name: &str) -> Result<(), Problem> {
    visitor.must_be(Role::Operator)?;
    if visitor.role.may_rule(name, auth.operator_results) {
        return Ok(());
    }
    let detail = format!("the ruling \"{name}\" is the arbiter's; you are {}", visitor.role);
    Err(Problem::new(StatusCode::FORBIDDEN, detail))
}
