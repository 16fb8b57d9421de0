//! Logging in and out, tokens, and the log of what was done.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::token::Token;
use super::{Audit, Auth, Credential, Entry, From, Role, TokenError, Visitor, lock, rfc3339};
use crate::web::api::Problem;

/// Lines of the log that are given at once, unless told, and at most.
const LINES: usize = 100;
const MOST_LINES: usize = 1_000;

/// Everything here is behind [`super::identify`].
pub(in crate::web) fn routes(auth: Arc<Auth>) -> Router {
    Router::new()
        .route("/api/v1/login", post(log_in))
        .route("/api/v1/logout", post(log_out))
        .route("/api/v1/session", get(session))
        .route("/api/v1/tokens", get(tokens).post(add_token))
        .route("/api/v1/tokens/{id}", delete(revoke_token))
        .route("/api/v1/audit", get(audit))
        .with_state(auth)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    token: String,
}

/// Exchanges a token, or what the one-time link carries, for a session.
async fn log_in(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    body: Bytes,
) -> Result<Response, Problem> {
    let login: Login = read(&body)?;
    let (visitor, key, expires_at) = match auth.log_in(login.token.trim(), address) {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal.into_response()),
    };
    let answer = json!({ "role": visitor.role, "name": visitor.name, "expires_at": rfc3339(expires_at) });
    Ok(([(SET_COOKIE, auth.cookie(&key))], Json(answer)).into_response())
}

/// Ends the session, if there is one.
async fn log_out(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    credential: Option<Extension<Credential>>,
) -> Response {
    if let Some(Extension(Credential::Session(digest))) = credential {
        lock(&auth.sessions).close(&digest);
        auth.audit.write(&Entry::new("logout", visitor.name.as_deref(), visitor.role, Some(address)));
    }
    ([(SET_COOKIE, auth.no_cookie())], Json(json!({ "ok": true }))).into_response()
}

/// Who is logged in here.
async fn session(
    State(auth): State<Arc<Auth>>,
    visitor: Visitor,
    credential: Option<Extension<Credential>>,
) -> Json<Value> {
    let session = match &credential {
        Some(Extension(Credential::Session(digest))) => auth.session(digest),
        _ => None,
    };
    let expires_at = session.map(|session| rfc3339(session.expires_at));
    Json(json!({ "role": visitor.role, "name": visitor.name, "expires_at": expires_at }))
}

/// All tokens, without their secrets.
async fn tokens(State(auth): State<Arc<Auth>>, visitor: Visitor) -> Result<Json<Value>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let shown = |token: &Token| {
        json!({
            "id": token.id, "role": token.role, "name": token.name, "created_at": token.created_at,
            "revoked_at": token.revoked_at, "last_used_at": auth.last_used_at(&token.id),
        })
    };
    Ok(Json(auth.tokens.list().map_err(problem)?.iter().map(shown).collect()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewToken {
    role: String,
    name: String,
}

/// Makes a token; the answer is the only place where its secret is ever shown.
async fn add_token(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    body: Bytes,
) -> Result<(StatusCode, Json<Value>), Problem> {
    visitor.must_be(Role::Arbiter)?;
    let wanted: NewToken = read(&body)?;
    let role: Role =
        wanted.role.parse().map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error))?;
    let entry = Entry::new("token-add", visitor.name.as_deref(), visitor.role, Some(address));
    let (token, secret) = change(&auth, move |auth| auth.tokens.add(role, &wanted.name)).await?;
    auth.audit.write(&entry.detail(format!("token {} for {role} {}", token.id, token.name)));
    let answer = json!({ "id": token.id, "role": role, "name": token.name, "token": secret });
    Ok((StatusCode::CREATED, Json(answer)))
}

/// Revokes a token: from the next request on it lets nobody in.
async fn revoke_token(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let entry = Entry::new("token-revoke", visitor.name.as_deref(), visitor.role, Some(address));
    let token = change(&auth, move |auth| auth.tokens.revoke(&id)).await?;
    auth.audit.write(&entry.detail(format!("token {} of {} {}", token.id, token.role, token.name)));
    Ok(Json(json!({ "ok": true })))
}

#[derive(Deserialize)]
struct Lines {
    limit: Option<usize>,
}

/// What was done at the desk, newest first.
async fn audit(
    State(auth): State<Arc<Auth>>,
    visitor: Visitor,
    Query(lines): Query<Lines>,
) -> Result<Json<Vec<Entry>>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let limit = lines.limit.unwrap_or(LINES).min(MOST_LINES);
    let newest = spawn_blocking(move || Audit::newest(&auth.audit, limit)).await;
    newest.map(Json).map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error))
}

/// Changes the file of the tokens: that may take as long as a disk does.
async fn change<T: Send + 'static>(
    auth: &Arc<Auth>,
    change: impl FnOnce(&Auth) -> Result<T, TokenError> + Send + 'static,
) -> Result<T, Problem> {
    let auth = Arc::clone(auth);
    match spawn_blocking(move || change(&auth)).await {
        Ok(changed) => changed.map_err(problem),
        Err(error) => Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error)),
    }
}

fn problem(error: TokenError) -> Problem {
    let status = match error {
        TokenError::Name => StatusCode::UNPROCESSABLE_ENTITY,
        TokenError::Unknown(_) => StatusCode::NOT_FOUND,
        TokenError::TooMany => StatusCode::CONFLICT,
        TokenError::Io { .. } | TokenError::Damaged { .. } | TokenError::Random(_) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    Problem::new(status, error)
}

/// Reads a body: 400 if it is no JSON, 422 if it is not what is asked for.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| {
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        Problem::new(status, error)
    })
}
