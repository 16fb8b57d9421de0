//! What a request says, read once: what cannot be read becomes a [`Problem`].

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Problem;

/// The largest body, bytes: a ruling is a line, a note is a page.
pub(in crate::web) const BODY_BYTES: usize = 16 * 1024;

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

/// A body in JSON.
pub(in crate::web) struct Json<T>(pub(in crate::web) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let json = axum::Json::from_request(request, state).await;
        let axum::Json(value) = json.map_err(|rejection: JsonRejection| {
            let status = rejection.status();
            let detail = match &rejection {
                JsonRejection::MissingJsonContentType(_) => {
                    "send the body with the header Content-Type: application/json".to_owned()
                }
                _ if status == StatusCode::PAYLOAD_TOO_LARGE => {
                    format!("the body is larger than {BODY_BYTES} bytes")
                }
                JsonRejection::JsonSyntaxError(error) => format!("not JSON: {}", cause(error)),
                JsonRejection::JsonDataError(error) => cause(error),
                _ => format!("the body cannot be read: {}", rejection.body_text()),
            };
            Problem::new(status, detail)
        })?;
        Ok(Self(value))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// What lies at the bottom of an error: the reader's own words.
fn cause(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
