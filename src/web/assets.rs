//! The page itself, embedded: one binary, works offline.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

macro_rules! assets {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("assets/", $name)))),+]
    };
}

const INDEX: &[u8] = include_bytes!("assets/index.html");

const ASSETS: &[(&str, &[u8])] = assets![
    "app.js",
    "board.js",
    "clock.js",
    "dom.js",
    "favicon.svg",
    "feed.js",
    "game.css",
    "game.js",
    "grid.css",
    "grid.js",
    "moves.js",
    "pieces.js",
    "player.js",
    "state.js",
    "style.css",
    "theme.js",
    "words.js",
];

pub(super) async fn index(headers: HeaderMap) -> Response {
    answer("index.html", INDEX, &headers)
}

pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match ASSETS.iter().find(|(known, _)| *known == name) {
        Some((name, bytes)) => answer(name, bytes, &headers),
        None => (StatusCode::NOT_FOUND, format!("no asset is called \"{name}\"\n")).into_response(),
    }
}

/// A file, or that the viewer has it already: a new version is seen at once, an old one costs a
/// question.
fn answer(name: &str, bytes: &'static [u8], asked: &HeaderMap) -> Response {
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    super::api::tagged(bytes, asked, [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")])
}
