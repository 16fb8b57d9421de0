//! Rulings on a board.

use std::sync::Weak;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Problem;
use crate::daemon::{Hall, RuleError};
use crate::ruling::Ruling;

/// Carries out a ruling on a board.
pub(in crate::web) async fn rule(
    State(hall): State<Weak<Hall>>,
    Path(board): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let handle = hall.upgrade().and_then(|hall| hall.board(&board));
    let handle = handle
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, format!("no board is called \"{board}\"")))?;
    let value: Value = serde_json::from_slice(&body)
        .map_err(|problem| Problem::new(StatusCode::BAD_REQUEST, format!("not JSON: {problem}")))?;
    let ruling = Ruling::parse(&value).map_err(|problem| Problem::new(StatusCode::BAD_REQUEST, problem))?;
    handle.rule(ruling).await.map_err(|problem| {
        let status = match &problem {
            RuleError::Refused(_) => StatusCode::CONFLICT,
            RuleError::Closed | RuleError::Journal(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Problem::new(status, problem)
    })?;
    Ok(Json(json!({ "ok": true })))
}
