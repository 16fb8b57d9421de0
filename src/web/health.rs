//! How the daemon is, for who watches machines: on this machine without a login, from elsewhere for operators.
//!
//! The numbers tell of incidents: they are no spectator's business, and the public listener has none of this.

use std::sync::{Arc, Weak};

use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::auth::{Role, Visitor};
use super::control::Local;
use super::socket::Peer;
use crate::daemon::{Hall, Unfit};

/// The kind of text that metrics are.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Headers by which a proxy says for whom it asks.
const PROXIED: [&str; 3] = ["forwarded", "x-forwarded-for", "x-real-ip"];

/// `/healthz`, `/readyz` and `/metrics`.
pub(super) fn routes(hall: &Arc<Hall>) -> Router {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(Arc::downgrade(hall))
        .layer(middleware::from_fn(this_machine_or_staff))
}

/// Lets through who is on this machine, or logged in.
async fn this_machine_or_staff(visitor: Visitor, request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let is_local = extensions.get::<ConnectInfo<Local>>().is_some();
    let peer = extensions.get::<ConnectInfo<Peer>>();
    let is_near = peer.is_some_and(|ConnectInfo(Peer(address))| address.ip().to_canonical().is_loopback());
    // Whoever comes through a proxy on this machine may be anybody.
    let is_proxied = PROXIED.iter().any(|header| request.headers().contains_key(*header));
    if is_local || is_near && !is_proxied {
        return next.run(request).await;
    }
    match visitor.must_be(Role::Operator) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Does a heartbeat still go through runtime, journal and pages?
async fn alive(State(hall): State<Weak<Hall>>) -> Response {
    let is_alive = hall.upgrade().is_some_and(|hall| hall.is_alive());
    if is_alive {
        said(StatusCode::OK, json!({ "alive": true }))
    } else {
        unavailable(json!({ "alive": false }))
    }
}

/// Is the daemon fit to be asked?
async fn ready(State(hall): State<Weak<Hall>>) -> Response {
    match hall.upgrade().map_or(Some(Unfit::Stopping), |hall| hall.unfit()) {
        None => said(StatusCode::OK, json!({ "ready": true })),
        Some(unfit) => unavailable(why(&unfit)),
    }
}

fn why(unfit: &Unfit) -> Value {
    let (reason, detail) = match unfit {
        Unfit::Starting => ("starting", "the journal is being read".to_owned()),
        Unfit::Stopping => ("stopping", "the daemon was told to stop".to_owned()),
        Unfit::Stuck { silent_s } => ("stuck", format!("no heartbeat for {silent_s} s: the disk may hang")),
        Unfit::Degraded { reason } => ("degraded", format!("the games go on in memory alone: {reason}")),
    };
    json!({ "ready": false, "reason": reason, "detail": detail })
}

async fn metrics(State(hall): State<Weak<Hall>>) -> Response {
    match hall.upgrade().and_then(|hall| hall.metrics_text().ok()) {
        Some(text) => ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response(),
        None => unavailable(why(&Unfit::Stopping)),
    }
}

fn unavailable(json: Value) -> Response {
    said(StatusCode::SERVICE_UNAVAILABLE, json)
}

fn said(status: StatusCode, json: Value) -> Response {
    (status, [(CACHE_CONTROL, "no-store")], axum::Json(json)).into_response()
}
