//! Errors as `application/problem+json` (RFC 9457), and how the API's document lists them.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(in crate::web) struct Problem {
    /// The kind of problem: none but what the status says.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// What the status means.
    #[schema(example = "Not Found")]
    title: &'static str,
    /// The HTTP status.
    #[schema(example = 404)]
    status: u16,
    /// What is wrong, where, and what to do.
    #[schema(example = "no board is called \"9\"")]
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

/// Nothing is at that path.
pub(in crate::web) async fn not_found(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("nothing is at {}", uri.path()))
}

/// Something is at that path, but it takes other methods; they stand in the header `Allow`.
pub(in crate::web) async fn not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}; the header Allow says what it takes", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}

/// The answers that handlers name in their `responses(…)`, one type a status.
macro_rules! answers {
    ($($status:literal $name:ident $description:literal)*) => { $(
        #[doc = $description]
        #[derive(IntoResponses)]
        #[response(status = $status, description = $description, content_type = "application/problem+json")]
        #[expect(dead_code, reason = "it stands for an answer in the document")]
        pub(in crate::web) struct $name(Problem);
    )* };
}

answers! {
    400 Malformed "The path or the body cannot be read"
    401 LogIn "Nobody is logged in, or the token is not good"
    403 Forbidden "The role may not do that, or a page of somebody else asks"
    404 Unknown "Nothing has that name"
    409 Refused "It cannot be done as things stand; the detail says why"
    413 TooLarge "The body is larger than 128 KiB"
    413 FileTooLarge "The file is larger than 8 MiB"
    422 Arguments "An argument is missing, unknown or of the wrong kind"
    421 OtherName "The request is for a name that is not this machine's"
    429 Throttled "Too many attempts failed; the header `Retry-After` says how long to wait"
    503 Busy "Too many pictures are being drawn; the header `Retry-After` says how long to wait"
    503 Behind "What came with that id has not come here yet; the header `Retry-After` says how long to wait"
    503 Closing "The daemon is being stopped, or its disk does not answer"
    503 NotOnDisk "The daemon is being stopped; or the ruling was made, but is not on disk yet: the detail says which"
}
