//! Logging in and out, tokens, and the log of what was done.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::api::problem::{
    Arguments, Closing, Forbidden, LogIn, Malformed, Refused, Throttled, TooLarge, Unknown,
};
use super::api::{Done, Json, Path, Problem, Query};
use super::identify::From;
use crate::auth::{Audit, Auth, Credential, Entry, Role, Token, TokenError, Visitor, rfc3339};

/// Lines of the log that are given at once, unless told, and at most.
const LINES: usize = 100;
const MOST_LINES: usize = 1_000;

/// Everything here is behind [`super::identify::identify`].
pub(super) fn routes(auth: Arc<Auth>) -> OpenApiRouter {
    OpenApiRouter::default()
        .routes(routes!(log_in))
        .routes(routes!(log_out))
        .routes(routes!(session))
        .routes(routes!(tokens, add_token))
        .routes(routes!(revoke_token))
        .routes(routes!(audit))
        .with_state(auth)
}

/// What somebody logs in with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    /// A token, or what the one-time link carries.
    #[schema(example = "7f8a0c3d5e6b49218f0e1d2c3b4a5968")]
    token: String,
}

/// Who is logged in.
#[derive(Serialize, ToSchema)]
struct Session {
    /// As what.
    role: Role,
    /// The name on the token.
    #[schema(example = "Anna")]
    name: Option<String>,
    /// When the session ends, RFC 3339; null without one.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// At the control socket, where the daemon keeps its tokens and its journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/var/lib/adoube")]
    state_directory: Option<String>,
}

/// Exchange a token for a session
///
/// The session is a cookie. Programs need none: they send `Authorization: Bearer TOKEN` with each request.
#[utoipa::path(
    post,
    path = "/api/v1/login",
    tag = "session",
    request_body = Login,
    responses(
        (status = 200, description = "A session is open", body = Session,
            headers(("Set-Cookie" = String, description = "The session's cookie"))),
        Malformed, LogIn, TooLarge, Arguments, Throttled, Closing,
    ),
)]
async fn log_in(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    Json(login): Json<Login>,
) -> Result<Response, Problem> {
    let (visitor, key, expires_at) = match auth.log_in(login.token.trim(), address) {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal.into_response()),
    };
    let session = Session {
        role: visitor.role,
        name: visitor.name,
        expires_at: Some(rfc3339(expires_at)),
        state_directory: None,
    };
    Ok(([(SET_COOKIE, auth.cookie(&key))], Json(session)).into_response())
}

/// End the session
#[utoipa::path(
    post,
    path = "/api/v1/logout",
    tag = "session",
    responses(
        (status = 200, description = "There is no session any more", body = Done,
            headers(("Set-Cookie" = String, description = "Takes the cookie away"))),
    ),
)]
async fn log_out(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    credential: Option<Extension<Credential>>,
) -> Response {
    if let Some(Extension(Credential::Session(digest))) = credential {
        auth.close(&digest);
        auth.audit.write(&Entry::new("logout", visitor.name.as_deref(), visitor.role, Some(address)));
    }
    ([(SET_COOKIE, auth.no_cookie())], Done::answer()).into_response()
}

/// Tell who is logged in
#[utoipa::path(
    get,
    path = "/api/v1/session",
    tag = "session",
    responses((status = 200, description = "Who asks; a spectator who is not logged in", body = Session)),
)]
async fn session(
    State(auth): State<Arc<Auth>>,
    visitor: Visitor,
    credential: Option<Extension<Credential>>,
) -> Json<Session> {
    let session = match &credential {
        Some(Extension(Credential::Session(digest))) => auth.session(digest),
        _ => None,
    };
    let expires_at = session.map(|session| rfc3339(session.expires_at));
    // Whoever is here may look for himself.
    let is_here = matches!(credential, Some(Extension(Credential::Local)));
    let state_directory = is_here.then(|| auth.tokens.folder().display().to_string());
    Json(Session { role: visitor.role, name: visitor.name, expires_at, state_directory })
}

/// A token, without its secret.
#[derive(Serialize, ToSchema)]
struct TokenShown {
    /// A number that is never given twice.
    #[schema(example = "3")]
    id: String,
    /// What its bearer may do.
    role: Role,
    /// Who that is.
    #[schema(example = "Anna")]
    name: String,
    /// When it was made, RFC 3339.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was revoked.
    #[schema(format = DateTime)]
    revoked_at: Option<String>,
    /// When it was last used since the daemon started.
    #[schema(format = DateTime)]
    last_used_at: Option<String>,
}

/// List the tokens, without their secrets
#[utoipa::path(
    get,
    path = "/api/v1/tokens",
    tag = "tokens",
    responses((status = 200, description = "All of them", body = [TokenShown]), LogIn, Forbidden, Closing),
)]
async fn tokens(State(auth): State<Arc<Auth>>, visitor: Visitor) -> Result<Json<Vec<TokenShown>>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let shown = |token: Token| TokenShown {
        last_used_at: auth.last_used_at(&token.id),
        id: token.id,
        role: token.role,
        name: token.name,
        created_at: token.created_at,
        revoked_at: token.revoked_at,
    };
    Ok(Json(auth.tokens.list().map_err(problem)?.into_iter().map(shown).collect()))
}

/// A role that can be given to somebody.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it stands for its names in the document")]
enum GivenRole {
    Operator,
    Arbiter,
}

/// Who is to get a token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What its bearer may do.
    #[schema(value_type = GivenRole)]
    role: String,
    /// Who that is; it stands beside every ruling.
    #[schema(example = "Anna", min_length = 1, max_length = 64)]
    name: String,
}

/// A token that was just made.
#[derive(Serialize, ToSchema)]
struct TokenMade {
    /// Its number.
    #[schema(example = "3")]
    id: String,
    /// What its bearer may do.
    role: Role,
    /// Who that is.
    #[schema(example = "Anna")]
    name: String,
    /// The secret; this is the only time that it is shown.
    token: String,
}

/// Make a token
#[utoipa::path(
    post,
    path = "/api/v1/tokens",
    tag = "tokens",
    request_body = NewToken,
    responses(
        (status = 201, description = "The token; it is not shown again", body = TokenMade),
        Malformed, LogIn, Forbidden, Refused, TooLarge, Arguments, Closing,
    ),
)]
async fn add_token(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    wanted: Result<Json<NewToken>, Problem>,
) -> Result<(StatusCode, Json<TokenMade>), Problem> {
    visitor.must_be(Role::Arbiter)?;
    let Json(wanted) = wanted?;
    let role: Role =
        wanted.role.parse().map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error))?;
    let entry = Entry::new("token-add", visitor.name.as_deref(), visitor.role, Some(address));
    let (token, secret) = change(&auth, move |auth| auth.tokens.add(role, &wanted.name)).await?;
    auth.audit.write(&entry.detail(format!("token {} for {role} {}", token.id, token.name)));
    let made = TokenMade { id: token.id, role, name: token.name, token: secret };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Revoke a token
///
/// From the next request on it lets nobody in, and its sessions are over.
#[utoipa::path(
    delete,
    path = "/api/v1/tokens/{id}",
    tag = "tokens",
    params(("id" = String, Path, description = "Number of the token", example = "3")),
    responses(
        (status = 200, description = "It is revoked", body = Done),
        Malformed, LogIn, Forbidden, Unknown, Closing,
    ),
)]
async fn revoke_token(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Done>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let entry = Entry::new("token-revoke", visitor.name.as_deref(), visitor.role, Some(address));
    let token = change(&auth, move |auth| auth.tokens.revoke(&id)).await?;
    auth.audit.write(&entry.detail(format!("token {} of {} {}", token.id, token.role, token.name)));
    Ok(Done::answer())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Lines {
    /// So many at most; 100 unless told, and never more than 1,000.
    #[param(example = 10)]
    limit: Option<usize>,
}

/// List what was done at the desk, the newest first
#[utoipa::path(
    get,
    path = "/api/v1/audit",
    tag = "tokens",
    params(Lines),
    responses(
        (status = 200, description = "The newest lines of the log", body = [Entry]),
        LogIn, Forbidden, Arguments,
    ),
)]
async fn audit(
    State(auth): State<Arc<Auth>>,
    visitor: Visitor,
    lines: Result<Query<Lines>, Problem>,
) -> Result<Json<Vec<Entry>>, Problem> {
    visitor.must_be(Role::Arbiter)?;
    let Query(lines) = lines?;
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
