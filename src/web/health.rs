//! How the daemon is, for who watches machines: on this machine without a login, from elsewhere for operators.
//!
//! The numbers tell of incidents: they are no spectator's business, and the public listener has none of this. Which
//! kinds of incidents there were is told to who is logged in alone; others get their sum.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use axum::extract::connect_info::ConnectInfo;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::{Value, json};

use super::control::Local;
use super::socket::Peer;
use crate::auth::{Role, Visitor};
use crate::hall::{Hall, Unfit};

/// The kind of text that metrics are.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is told by the kind of incident.
const BY_KIND: [&str; 2] = ["adoube_incidents_total", "adoube_open_records"];

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
async fn this_machine_or_staff(visitor: Visitor, mut request: Request, next: Next) -> Response {
    let is_staff = visitor.must_be(Role::Operator).is_ok() || is_by_socket(&request);
    request.extensions_mut().insert(Staff(is_staff));
    let extensions = request.extensions();
    let is_local = is_by_socket(&request);
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

/// Does it come by the control socket?
fn is_by_socket(request: &Request) -> bool {
    request.extensions().get::<ConnectInfo<Local>>().is_some()
}

/// May whoever asks know what the arbiter knows?
#[derive(Debug, Clone, Copy)]
struct Staff(bool);

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

async fn metrics(State(hall): State<Weak<Hall>>, Extension(Staff(is_staff)): Extension<Staff>) -> Response {
    let text = hall.upgrade().and_then(|hall| hall.metrics_text().ok());
    match text.map(|text| if is_staff { text } else { without_kinds(&text) }) {
        Some(text) => ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response(),
        None => unavailable(why(&Unfit::Stopping)),
    }
}

/// The same text with the sums of what is told by the kind of incident.
fn without_kinds(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut sums: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for line in text.lines() {
        let told = line.split_once('{').filter(|(name, _)| BY_KIND.contains(name));
        let Some((name, rest)) = told else {
            lines.push(line.to_owned());
            continue;
        };
        let (_, sum) = sums.entry(name).or_insert_with(|| {
            lines.push(String::new());
            (lines.len() - 1, 0)
        });
        *sum += rest.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok()).unwrap_or_default();
    }
    for (name, (at, sum)) in sums {
        lines[at] = format!("{name}{{type=\"any\"}} {sum}");
    }
    lines.push(String::new());
    lines.join("\n")
}

fn unavailable(json: Value) -> Response {
    said(StatusCode::SERVICE_UNAVAILABLE, json)
}

fn said(status: StatusCode, json: Value) -> Response {
    (status, [(CACHE_CONTROL, "no-store")], axum::Json(json)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_get_sums() {
        let text = "# TYPE adoube_incidents counter\nadoube_incidents_total{type=\"a\"} 1\n\
                    adoube_incidents_total{type=\"b\"} 2\nadoube_boards{state=\"lost\"} 3\n# EOF\n";
        let told = "# TYPE adoube_incidents counter\nadoube_incidents_total{type=\"any\"} 3\n\
                    adoube_boards{state=\"lost\"} 3\n# EOF\n";
        assert_eq!(without_kinds(text), told);
    }
}
