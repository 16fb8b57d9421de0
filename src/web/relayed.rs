//! How a relay is, for who watches machines: it goes on without the hall, and says how old what it shows is.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse as _;
use axum::routing::get;
use serde_json::json;

use super::Context;
use super::health::OPEN_METRICS;

/// `/healthz`, `/readyz` and `/metrics`. It listens once it has caught up, and is ready from then on: another relay of the
/// same stream would have no more.
pub(super) fn routes(context: &Context) -> Router {
    let [alive, ready, metrics] = [(); 3].map(|()| context.clone());
    let told = |key: &'static str, context: Context| async move {
        let heard = (context.about)().heard;
        ([(CACHE_CONTROL, "no-store")], axum::Json(json!({ key: true, "heard": heard }))).into_response()
    };
    Router::new()
        .route("/healthz", get(move || told("alive", alive.clone())))
        .route("/readyz", get(move || told("ready", ready.clone())))
        .route(
            "/metrics",
            get(move || async move {
                let heard = (metrics.about)().heard;
                let gauges = [
                    (
                        "checked",
                        "Since a relay had all that the stream held",
                        heard.map(|heard| heard.checked_s),
                    ),
                    ("event", "Since the hall said its last word", heard.and_then(|heard| heard.event_s)),
                ];
                let lines = gauges.into_iter().filter_map(|(name, help, age_s)| {
                    let (name, age_s) = (format!("adoube_relay_{name}_seconds"), age_s?);
                    Some(format!(
                        "# HELP {name} {help}.\n# TYPE {name} gauge\n# UNIT {name} seconds\n{name} {age_s}\n"
                    ))
                });
                let text: String = lines.chain(["# EOF\n".to_owned()]).collect();
                ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response()
            }),
        )
}
