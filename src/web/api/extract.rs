//! What a request says, read once: what cannot be read becomes a [`Problem`].

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Problem;

/// The largest body, bytes: a ruling is a line, a note is a page, and a thousand boards are named in 60 kB.
pub(in crate::web) const BODY_BYTES: usize = 128 * 1024;

/// The parts of the path that have a name.
pub(in crate::web) struct Path<T>(pub(in crate::web) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        let axum::extract::Path(value) = path.map_err(|rejection: PathRejection| {
            Problem::new(rejection.status(), format!("the path cannot be read: {}", rejection.body_text()))
        })?;
        Ok(Self(value))
    }
}

/// What stands behind the question mark.
pub(in crate::web) struct Query<T>(pub(in crate::web) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        let axum::extract::Query(value) = query.map_err(|rejection: QueryRejection| {
            // The rejection's own text begins with what it is; what is wrong stands behind the colon.
            let text = rejection.body_text();
            let what = text.split_once(": ").map_or(text.as_str(), |(_, what)| what);
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("the query cannot be read: {what}"))
        })?;
        Ok(Self(value))
    }
}

/// A body in JSON, whatever its header calls it: what scripts send by default is no form here, and who may
/// write is told by more than the kind of a body.
pub(in crate::web) struct Json<T>(pub(in crate::web) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let body = Bytes::from_request(request, state).await.map_err(|rejection: BytesRejection| {
            let status = rejection.status();
            let detail = if status == StatusCode::PAYLOAD_TOO_LARGE {
                format!("the body is larger than {BODY_BYTES} bytes")
            } else {
                format!("the body cannot be read: {}", rejection.body_text())
            };
            Problem::new(status, detail)
        })?;
        // Serde takes a list for the fields of an object, in their order; nobody means that.
        if body.trim_ascii_start().starts_with(b"[") {
            let detail = "the body is a list; it has to be an object";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
        }
        let value = serde_json::from_slice(&body).map_err(|error| {
            if error.is_data() {
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error)
            } else {
                Problem::new(StatusCode::BAD_REQUEST, format!("not JSON: {error}"))
            }
        })?;
        Ok(Self(value))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}
