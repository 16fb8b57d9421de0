//! Between those who are logged in and everybody else.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use tower::ServiceExt as _;

use crate::auth::{Auth, Credential, Role, Visitor};

/// Live events end so soon after the right to them does: a stream is one request that never ends.
const LOOK: Duration = Duration::from_secs(2);

/// What the gate knows.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) auth: Arc<Auth>,
    /// Where those go who are not logged in.
    pub(super) spectators: Router,
}

/// Lets operators and arbiters through, and shows everybody else what is public.
pub(super) async fn staff_only(
    State(gate): State<Gate>,
    visitor: Visitor,
    credential: Option<Extension<Credential>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(Extension(credential)) = credential.filter(|_| visitor.role >= Role::Operator) else {
        return gate.spectators.oneshot(request).await.into_response();
    };
    let is_asset = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    if !is_asset {
        // What the arbiter has seen stays on no disk of the machine at which he sat.
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    if !is_stream {
        return response;
    }
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(ended(gate.auth, credential))))
}

/// Comes back when what somebody came in with is no longer good.
async fn ended(auth: Arc<Auth>, credential: Credential) {
    while auth.is_good(&credential) {
        tokio::time::sleep(LOOK).await;
    }
}
