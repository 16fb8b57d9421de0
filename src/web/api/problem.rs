//! Errors as `application/problem+json` (RFC 9457).

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::web) struct Problem {
    /// The kind of problem: none but what the status says.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the status means.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong, where, and what to do.
    detail: String,
}

impl Problem {
    /// A problem of this status; `detail` is for people.
    pub(in crate::web) fn new(status: StatusCode, detail: impl std::fmt::Display) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.to_string(),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, [(CONTENT_TYPE, "application/problem+json")], Json(self)).into_response()
    }
}

pub(in crate::web) async fn not_found(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("nothing is at {}", uri.path()))
}
