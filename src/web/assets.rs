//! The pages themselves, embedded: one binary, works offline. What belongs to the desk lies in a folder of
//! its own, which the spectators' listener does not serve.
//!
//! A debug build reads the files when they are asked for, so that a change shows on the next look.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::extract::{Path, RawQuery};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use super::bundle;
use crate::feed::hub::ASIDES;
use adoube_rules::laws::{Name, See};

/// What everybody may have: the spectators' page, and what both pages are made of.
#[derive(RustEmbed)]
#[folder = "src/web/assets/"]
struct Shared;

/// The desk's page, and what it alone needs.
#[derive(RustEmbed)]
#[folder = "src/web/desk/"]
struct Desk;

/// The style sheets of the spectators' page, in their order.
const STYLES: [&str; 7] =
    ["style.css", "plain.css", "grid.css", "game.css", "four.css", "round.css", "embed.css"];

/// What the spectators' page names with its version.
pub(super) const VERSIONED: [&str; 4] = ["page.css", "page.js", "theme.js", "favicon.svg"];

/// What the page is put together from does not change while a daemon runs.
static MADE: LazyLock<BTreeMap<&'static str, Vec<u8>>> = LazyLock::new(|| {
    let made = VERSIONED.into_iter().filter_map(|name| Some((name, made(name)?.into_owned())));
    made.collect()
});

/// A file that everybody may have.
pub(super) fn shared(name: &str) -> Option<Cow<'static, [u8]>> {
    if cfg!(debug_assertions) {
        return made(name);
    }
    MADE.get(name).map(|content| Cow::Borrowed(content.as_slice())).or_else(|| made(name))
}

fn made(name: &str) -> Option<Cow<'static, [u8]>> {
    let files = |name: &str| match name {
        "names.js" => Some(names().into_bytes().into()),
        _ => Shared::get(name).map(|file| file.data),
    };
    let made = match name {
        "page.js" => bundle::script("app.js", &files),
        "page.css" => bundle::style(&STYLES, &files),
        _ => return files(name),
    };
    let logged = made.inspect_err(|error| tracing::error!(%error, "the page cannot be put together"));
    logged.ok().map(|text| text.into_bytes().into())
}

/// The names that the pages listen to, as the registry has them, and those of what is told aside.
fn names() -> String {
    let named = |of: &dyn Fn(Name) -> bool| -> Vec<&str> {
        Name::ALL.iter().filter(|name| of(**name)).map(|name| name.as_str()).collect()
    };
    let is_link = |name| matches!(name, Name::BoardConnected | Name::BoardStale | Name::BoardLost);
    let lists = [
        ("May be public.", "PUBLIC", named(&|name| name.row().see != See::Arbiter)),
        ("Whether a board is there.", "LINKS", named(&is_link)),
        ("They have no number: they say how something stands, not what happened.", "ASIDES", ASIDES.to_vec()),
    ];
    let line = |(about, name, list): (&str, &str, Vec<&str>)| {
        format!(
            "/** {about} */\nexport const {name} = [{}];\n",
            list.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        )
    };
    lists.into_iter().map(line).collect()
}

/// By what a version of `content` is known.
pub(super) fn version(content: &[u8]) -> String {
    adoube_core::capture::hex_from_bytes(&Sha256::digest(content)[..6])
}

pub(super) async fn asset(
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let file = shared(&name);
    // What has its version in its address never changes there.
    let is_versioned =
        query.zip(file.as_ref()).is_some_and(|(query, file)| query == format!("v={}", version(file)));
    answer(
        file,
        &name,
        if is_versioned { "public, max-age=31536000, immutable" } else { "no-cache" },
        &headers,
    )
}

/// The arbiter's page.
pub(super) async fn desk_index(headers: HeaderMap) -> Response {
    desk_file("index.html", &headers)
}

pub(super) async fn desk_asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    desk_file(&name, &headers)
}

fn desk_file(name: &str, headers: &HeaderMap) -> Response {
    answer(Desk::get(name).map(|file| file.data), name, "no-cache", headers)
}

/// A file, or that the viewer has it already: a new version is seen at once, an old one costs a
/// question.
fn answer(file: Option<Cow<'static, [u8]>>, name: &str, cached: &'static str, asked: &HeaderMap) -> Response {
    let Some(file) = file else {
        return (StatusCode::NOT_FOUND, format!("no asset is called \"{name}\"\n")).into_response();
    };
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        _ => "image/svg+xml",
    };
    super::tagged(file.into_owned(), asked, [(CONTENT_TYPE, kind), (CACHE_CONTROL, cached)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_listen_to_what_may_be_public() {
        let names = String::from_utf8(shared("names.js").unwrap().into_owned()).unwrap();
        let public = names.lines().find(|line| line.starts_with("export const PUBLIC")).unwrap();
        assert!(public.contains("\"move-made\"") && public.contains("\"time-forfeit\""), "{public}");
        assert!(!public.contains("piece-lifted") && !public.contains("illegal-move-completed"), "{public}");
    }

    #[test]
    fn the_page_can_be_put_together() {
        for name in VERSIONED {
            assert!(shared(name).is_some_and(|file| file.len() > 200), "{name}");
        }
        let script = String::from_utf8(shared("page.js").unwrap().into_owned()).unwrap();
        assert!(script.contains("const _app = (() => {") && !script.contains("\nimport "));
    }
}
