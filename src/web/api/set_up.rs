//! The first configuration, as somebody is asked for it at the desk.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header::HOST};
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::{Arguments, Closing, Forbidden, LogIn, Malformed, Refused, TooLarge};
use super::{Desk, Json, Problem};
use crate::auth::{Entry, Role, Visitor};
use crate::config::{SetUp, unwritable};
use crate::web::identify::From;
use crate::web::setting_up::{Drafted, SetUpError, Written, draft, write};

/// Whether a configuration is still to be written.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct FirstDay {
    /// Where; null: there is one.
    #[schema(value_type = Option<String>, example = "/home/anna/.config/adoube/adoube.toml")]
    file: Option<PathBuf>,
    /// Why nothing can be written there, as far as that shows; null: nothing speaks against it.
    problem: Option<String>,
    /// A folder for PGN files that may be written.
    #[schema(value_type = String, example = "/home/anna/.local/state/adoube/pgn")]
    pgn: PathBuf,
}

/// Tell whether a configuration is still to be written
#[utoipa::path(
    get,
    path = "/api/v1/set-up",
    tag = "boards",
    responses((status = 200, description = "Where, if it is", body = FirstDay), LogIn, Forbidden, Closing),
)]
pub(in crate::web) async fn first_day(
    State(desk): State<Desk>,
    visitor: Visitor,
) -> Result<Json<FirstDay>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let hall = desk.hall()?;
    let file = hall.unwritten().await;
    let problem = file.as_deref().and_then(|file| Some((file, unwritable(file)?)));
    let problem = problem.map(|(file, error)| format!("{}: {error}", file.display()));
    Ok(Json(FirstDay { file, problem, pgn: hall.folder.join("pgn") }))
}

/// Look at the first configuration before it is written
///
/// The file as it would be, and what is wrong with it. Nothing is written.
#[utoipa::path(
    post,
    path = "/api/v1/set-up/draft",
    tag = "boards",
    request_body = SetUp,
    responses(
        (status = 200, description = "The file, as it would be", body = Drafted),
        Malformed, LogIn, Forbidden, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn drafted(
    State(desk): State<Desk>,
    visitor: Visitor,
    Json(set_up): Json<SetUp>,
) -> Result<Json<Drafted>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let hall = desk.hall()?;
    draft(&hall, &set_up).await.map(Json).map_err(|error| problem(&error))
}

/// Write the first configuration
///
/// The file is the one that was shown as a draft. The daemon begins anew with it at once: its desk is at the address
/// of the answer, which carries a one-time login. A configuration that is there is never changed.
#[utoipa::path(
    put,
    path = "/api/v1/set-up",
    tag = "boards",
    request_body = SetUp,
    responses(
        (status = 200, description = "It is written", body = Written),
        Malformed, LogIn, Forbidden, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn set_up(
    State(desk): State<Desk>,
    visitor: Visitor,
    From(address): From,
    headers: HeaderMap,
    Json(set_up): Json<SetUp>,
) -> Result<Json<Written>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let hall = desk.hall()?;
    let entry = Entry::new("set-up", visitor.name.as_deref(), visitor.role, Some(address));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost").to_owned();
    // It is done to its end, whoever asked for it and went away.
    let work = tokio::spawn(async move {
        let written = write(&hall, set_up, &host).await.map_err(|error| problem(&error));
        hall.auth.audit.write(&match &written {
            Ok(written) => entry.detail(written.file.display().to_string()),
            Err(problem) => entry.refused_because(problem),
        });
        written
    });
    let failed = |error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error);
    work.await.map_err(failed)?.map(Json)
}

fn problem(error: &SetUpError) -> Problem {
    let status = match error {
        SetUpError::Written | SetUpError::Other | SetUpError::Board(_) => StatusCode::CONFLICT,
        SetUpError::Wrong(_) => StatusCode::UNPROCESSABLE_ENTITY,
        SetUpError::Entered(_)
        | SetUpError::Certificate(_)
        | SetUpError::Io { .. }
        | SetUpError::Random(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error)
}
