//! The pages themselves, embedded: one binary, works offline. What belongs to the desk lies in a folder of
//! its own, which the spectators' listener does not serve.
//!
//! A debug build reads the files when they are asked for, so that a change shows on the next look.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;

/// What everybody may have: the spectators' page, and what both pages are made of.
#[derive(RustEmbed)]
#[folder = "src/web/assets/"]
struct Shared;

/// The desk's page, and what it alone needs.
#[derive(RustEmbed)]
#[folder = "src/web/desk/"]
struct Desk;

/// The spectators' page.
pub(super) async fn index(headers: HeaderMap) -> Response {
    answer::<Shared>("index.html", &headers)
}

pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer::<Shared>(&name, &headers)
}

/// The arbiter's page.
pub(super) async fn desk_index(headers: HeaderMap) -> Response {
    answer::<Desk>("index.html", &headers)
}

pub(super) async fn desk_asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer::<Desk>(&name, &headers)
}

/// A file, or that the viewer has it already: a new version is seen at once, an old one costs a
/// question.
fn answer<Files: RustEmbed>(name: &str, asked: &HeaderMap) -> Response {
    let Some(file) = Files::get(name) else {
        return (StatusCode::NOT_FOUND, format!("no asset is called \"{name}\"\n")).into_response();
    };
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        _ => "image/svg+xml",
    };
    super::tagged(file.data.into_owned(), asked, [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")])
}
