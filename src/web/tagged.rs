//! Answers with a tag of their content.

use axum::http::header::{ETAG, HeaderName, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

/// Something that may be asked for again and again: with a tag of its content, and nothing but
/// "not modified" for who has it already.
pub(super) fn tagged<const N: usize>(
    body: impl AsRef<[u8]> + IntoResponse,
    asked: &HeaderMap,
    headers: [(HeaderName, &'static str); N],
) -> Response {
    let digest = Sha256::digest(body.as_ref());
    let tag = format!("\"{}\"", adoube_core::capture::hex_from_bytes(&digest[..8]));
    let has_it = asked
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag));
    if has_it {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    (headers, [(ETAG, tag)], body).into_response()
}
