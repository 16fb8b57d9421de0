//! Who asks: found out once for each request of the desk, by its session, its token, or the kernel.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::api::Problem;
use super::control::Local;
use super::guard::is_own_write;
use super::socket::Peer;
use crate::auth::{Auth, COOKIE_NAME, Credential, Refusal, Role, Visitor, digest};

/// What anybody may ask for with a session that is over: what leads to a new one.
pub(super) const TO_LOG_IN: [&str; 3] = ["/api/v1/login", "/api/v1/logout", "/api/v1/session"];

impl Visitor {
    /// Refuses who is less than `role`.
    pub(super) fn must_be(&self, role: Role) -> Result<(), Problem> {
        if self.role >= role {
            Ok(())
        } else if self.role == Role::Spectator {
            Err(log_in())
        } else {
            let detail = format!("this takes the role {role}; you are {}", self.role);
            Err(Problem::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// The refusal of who is not logged in.
pub(super) fn log_in() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "log in first: by the link that adoube printed when it started, or with a token of \"adoube token add\"",
    )
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Wrong(detail) => Problem::new(StatusCode::UNAUTHORIZED, detail).into_response(),
            Self::Wait(seconds) => {
                let detail = format!("too many attempts failed; try again in {seconds} s");
                let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, detail);
                ([(RETRY_AFTER, seconds.to_string())], problem).into_response()
            }
            Self::Random(error) => {
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("no random bits: {error}"))
                    .into_response()
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    /// Where nobody looked who asks, nobody is logged in.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or(Self::SPECTATOR))
    }
}

/// From where a request comes.
#[derive(Debug, Clone, Copy)]
pub(super) struct From(pub(super) IpAddr);

impl<S: Sync> FromRequestParts<S> for From {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>();
        // Requests without a socket are made within the process.
        Ok(Self(peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(Peer(address))| address.ip())))
    }
}

/// Finds out who asks, and lets pass who is nobody, or is who he says.
pub(super) async fn identify(
    State(auth): State<Arc<Auth>>,
    From(address): From,
    mut request: Request,
    next: Next,
) -> Response {
    let (visitor, credential) = match known(&auth, address, &request) {
        Ok(known) => known.unzip(),
        Err(refusal) => return *refusal,
    };
    request.extensions_mut().insert(visitor.unwrap_or(Visitor::SPECTATOR));
    credential.map(|credential| request.extensions_mut().insert(credential));
    next.run(request).await
}

/// Who asks, if he says so.
fn known(
    auth: &Auth,
    address: IpAddr,
    request: &Request,
) -> Result<Option<(Visitor, Credential)>, Box<Response>> {
    let headers = request.headers();
    if let Some(authorization) = headers.get(AUTHORIZATION) {
        let bearer = authorization.to_str().ok().and_then(|value| value.split_once(' '));
        let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
        let Some((_, secret)) = bearer else {
            return Err(Box::new(unauthorised("the desk takes \"Authorization: Bearer TOKEN\"")));
        };
        return match auth.bearer(secret.trim(), address) {
            Ok(known) => Ok(Some(known)),
            Err(refusal) => Err(Box::new(refusal.into_response())),
        };
    }
    if let Some(ConnectInfo(local)) = request.extensions().get::<ConnectInfo<Local>>() {
        return Ok(Some((local.visitor(), Credential::Local)));
    }
    let Some(key) = cookie(headers) else { return Ok(None) };
    let digest = digest(key);
    let Some(session) = auth.session(&digest) else {
        let path = request.uri().path();
        // Without it, a page would go on as a spectator's and not know why.
        if path.starts_with("/api/") && !TO_LOG_IN.contains(&path) {
            let mut response = unauthorised("the session is over; log in again");
            response.headers_mut().insert(SET_COOKIE, auth.no_cookie());
            return Err(Box::new(response));
        }
        return Ok(None);
    };
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !is_read && !is_own_write(headers, auth.scheme()) {
        let detail = "with a session the desk takes changes from its own pages only (Origin or Sec-Fetch-Site); \
                      programs send \"Authorization: Bearer TOKEN\"";
        return Err(Box::new(Problem::new(StatusCode::FORBIDDEN, detail).into_response()));
    }
    Ok(Some((session.visitor, Credential::Session(digest))))
}

fn unauthorised(detail: &str) -> Response {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, detail);
    ([(WWW_AUTHENTICATE, "Bearer")], problem).into_response()
}

/// The key of the session, as the browser holds it.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, key)| key)
}
