//! The games as PGN, in the places that the files have (feeds.md 3.2): for Lichess and whoever else asks again and
//! again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::api::Problem;
use super::api::extract::Path;
use super::{Context, tagged};
use crate::feed::hub::{Hub, Outgoing};
use crate::feed::sheets::{ALL_GAMES, Sheets, Shown};

/// Games of a hub, written again when they have changed and somebody asks.
struct Games<E: Outgoing> {
    hub: Arc<Hub<E>>,
    kept: Mutex<Kept>,
    /// What is shown of them; a relay is told later.
    shown: Arc<dyn Fn() -> Shown + Send + Sync>,
}

struct Kept {
    shown: Shown,
    sheets: Sheets,
    /// Folders as they were asked for last; those in which something changed are not there.
    folders: BTreeMap<String, BTreeMap<String, Bytes>>,
}

impl Kept {
    fn new(shown: Shown) -> Self {
        Self { sheets: Sheets::new(shown.clone()), shown, folders: BTreeMap::new() }
    }
}

/// `/pgn/round-5/games.pgn`, `/pgn/round-5/game-12.pgn`, and `/pgn/games.pgn`, which is the current round.
pub(super) fn routes<E: Outgoing + 'static>(hub: Arc<Hub<E>>, context: &Context) -> Router {
    let kept = Mutex::new(Kept::new((context.shown)()));
    Router::new()
        .route("/pgn/games.pgn", get(current::<E>))
        .route("/pgn/{folder}/{file}", get(file::<E>))
        .with_state(Arc::new(Games { hub, kept, shown: Arc::clone(&context.shown) }))
}

impl<E: Outgoing> Games<E> {
    /// The text of a file; without a folder, of the current one.
    fn text(&self, folder: Option<&str>, file: &str) -> Option<Bytes> {
        // What panicked there left nothing half done: sheets are replaced as a whole.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = (self.shown)();
        if kept.shown != shown {
            *kept = Kept::new(shown);
        }
        let Kept { sheets, folders, .. } = &mut *kept;
        for changed in sheets.update(&self.hub) {
            folders.remove(&changed);
        }
        let folder = folder.or_else(|| sheets.current())?.to_owned();
        if !folders.contains_key(&folder) {
            let files = sheets.files(&folder);
            // Nothing is kept for names that somebody makes up.
            if files.is_empty() {
                return None;
            }
            let files = files.into_iter().map(|(name, text)| (name, text.into())).collect();
            folders.insert(folder.clone(), files);
        }
        folders.get(&folder)?.get(file).cloned()
    }

    fn answer(&self, folder: Option<&str>, file: &str, asked: &HeaderMap) -> Response {
        let Some(text) = self.text(folder, file) else {
            let detail = match folder {
                None => "no game has been opened yet".to_owned(),
                Some(folder) => {
                    format!("there is no {folder}/{file}; the games of round 5 are round-5/games.pgn")
                }
            };
            return Problem::new(StatusCode::NOT_FOUND, detail).into_response();
        };
        // Broadcasters take anything textual without a charset for Latin 1.
        let headers = [(CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
        tagged(text, asked, headers)
    }
}

async fn current<E: Outgoing>(State(games): State<Arc<Games<E>>>, asked: HeaderMap) -> Response {
    games.answer(None, ALL_GAMES, &asked)
}

async fn file<E: Outgoing>(
    State(games): State<Arc<Games<E>>>,
    Path((folder, file)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    games.answer(Some(&folder), &file, &asked)
}
