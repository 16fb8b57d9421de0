//! Rounds: which there are and how far they are, opened and closed.

use std::sync::{Arc, Weak};

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::{
    Arguments, Closing, Forbidden, LogIn, Malformed, NotOnDisk, Refused, TooLarge, Unknown,
};
use super::{Done, Json, Path, Problem};
use crate::auth::{Entry, Role, Visitor};
use crate::hall::{Hall, RoundStatus, SecretaryError};
use crate::web::identify::From;
use adoube_core::rounds::RoundsError;

/// The hall, as long as it runs.
///
/// # Errors
/// It is being stopped.
pub(in crate::web) fn hall(hall: &Weak<Hall>) -> Result<Arc<Hall>, Problem> {
    hall.upgrade().ok_or_else(|| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the daemon is being stopped"))
}

/// What was not done with rounds or pairings.
pub(in crate::web) fn problem(error: SecretaryError) -> Problem {
    let status = match error {
        SecretaryError::Rounds(RoundsError::Unknown(_)) => StatusCode::NOT_FOUND,
        SecretaryError::Rounds(RoundsError::Refused(_)) => StatusCode::CONFLICT,
        SecretaryError::Closed | SecretaryError::NotOnDisk => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error)
}

/// List the rounds
#[utoipa::path(
    get,
    path = "/api/v1/rounds",
    tag = "rounds",
    responses((status = 200, description = "All that are known, in order", body = [RoundStatus]), LogIn, Closing),
)]
pub(in crate::web) async fn rounds(
    State(weak): State<Weak<Hall>>,
    visitor: Visitor,
) -> Result<Json<Vec<RoundStatus>>, Problem> {
    visitor.must_be(Role::Operator)?;
    Ok(Json(hall(&weak)?.rounds()))
}

/// A round was opened.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct RoundOpened {
    /// Always true: what was not done is a problem.
    ok: bool,
    /// Which of its games wait for one that is still being played at their board.
    #[schema(example = json!(["board 12: 4-12 has no result yet; 5-12 opens there as soon as it has one"]))]
    remarks: Vec<String>,
}

/// Open a round
///
/// The games of its pairings open on their boards. A round that was closed can be opened again.
#[utoipa::path(
    post,
    path = "/api/v1/rounds/{round}/open",
    tag = "rounds",
    params(("round" = u16, Path, description = "Number of the round", example = 5)),
    responses(
        (status = 200, description = "It is open", body = RoundOpened),
        Malformed, LogIn, Forbidden, Unknown, Refused, NotOnDisk,
    ),
)]
pub(in crate::web) async fn open_round(
    State(weak): State<Weak<Hall>>,
    visitor: Visitor,
    From(address): From,
    Path(round): Path<u16>,
) -> Result<Json<RoundOpened>, Problem> {
    visitor.must_be(Role::Operator)?;
    let (hall, round) = (hall(&weak)?, u32::from(round));
    let entry = Entry::new("round-open", visitor.name.as_deref(), visitor.role, Some(address));
    let opened = hall.open_round(round, visitor.name.as_deref()).await.map_err(problem);
    let remarks = finish(&hall, entry.detail(format!("round {round}")), opened)?;
    Ok(Json(RoundOpened { ok: true, remarks }))
}

/// How a round is closed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::web) struct Close {
    /// Also while games of it have no result: those are closed without one.
    force: bool,
}

/// Close a round
///
/// Its games are closed with it. It is refused while one of them is being played, unless that is forced.
#[utoipa::path(
    post,
    path = "/api/v1/rounds/{round}/close",
    tag = "rounds",
    params(("round" = u16, Path, description = "Number of the round", example = 5)),
    request_body = Close,
    responses(
        (status = 200, description = "It is closed", body = Done),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, NotOnDisk,
    ),
)]
pub(in crate::web) async fn close_round(
    State(weak): State<Weak<Hall>>,
    visitor: Visitor,
    From(address): From,
    Path(round): Path<u16>,
    body: Result<Json<Close>, Problem>,
) -> Result<Json<Done>, Problem> {
    visitor.must_be(Role::Operator)?;
    let Json(Close { force }) = body?;
    let (hall, round) = (hall(&weak)?, u32::from(round));
    let entry = Entry::new("round-close", visitor.name.as_deref(), visitor.role, Some(address));
    let closed = hall.close_round(round, force, visitor.name.as_deref()).await.map_err(problem);
    let forced = if force { ", forced" } else { "" };
    finish(&hall, entry.detail(format!("round {round}{forced}")), closed)?;
    Ok(Done::answer())
}

/// Writes down what was done, or why not.
fn finish<T>(hall: &Hall, entry: Entry, done: Result<T, Problem>) -> Result<T, Problem> {
    hall.auth.audit.write(&match &done {
        Ok(_) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    done
}
