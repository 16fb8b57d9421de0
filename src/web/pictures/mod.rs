//! Pictures of games, drawn here: for links, for pages of others, for whoever wants one.
//!
//! The men and the colours are those of the page ([`shapes`]). What was drawn is kept for a while; only so
//! many are drawn at a time, so that pictures never take the processor from the tables.

mod animation;
mod board;
pub(super) mod card;
mod men;
mod placement;
mod png;
mod shapes;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::api::problem::{Arguments, Busy, Malformed, Refused, Unknown};
use super::api::{Path, Problem, Query};
use super::{Pages, tagged};
use crate::feed::hub::Outgoing;
use crate::feed::view::GameView;
use board::Shown;
use png::DrawError;

/// So many are drawn at a time: one core is left for the tables even on a small machine.
const AT_ONCE: usize = 2;

/// Whoever waits longer shall come back.
const PATIENCE: Duration = Duration::from_secs(2);

/// What was drawn is kept up to so many bytes: a round of a hundred boards, with a card, a board and some of
/// the animations.
const KEPT_BYTES: usize = 16 << 20;

/// A longer game has no animation: nobody watches it to the end.
const LONGEST_PLIES: usize = 600;

/// A board may be so wide, in pixels.
const SIZES: std::ops::RangeInclusive<u32> = 64..=1_024;
/// If nobody says how wide.
const SIZE: u32 = 640;

/// An animation may be so wide, in pixels.
const FILM_SIZES: std::ops::RangeInclusive<u32> = 160..=640;
/// If nobody says how wide.
const FILM_SIZE: u32 = 400;

/// What draws, and what was drawn.
#[derive(Debug)]
pub(super) struct Pictures {
    places: Arc<Semaphore>,
    /// What was asked for last stands at the end.
    kept: Mutex<VecDeque<(String, Bytes)>>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), kept: Mutex::default() }
    }
}

impl Pictures {
    /// What was drawn under `key`, or what `draw` gives now.
    async fn get(
        &self,
        key: String,
        draw: impl FnOnce() -> Result<Vec<u8>, DrawError> + Send + 'static,
    ) -> Result<Bytes, Refusal> {
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let Ok(Ok(place)) = timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await else {
            return Err(Refusal::Busy);
        };
        let drawn = tokio::task::spawn_blocking(move || {
            let _place = place;
            draw()
        });
        let failed = |error: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error);
        let drawn = drawn.await.map_err(|error| failed(error.to_string()))?;
        let bytes = Bytes::from(drawn.map_err(|error| failed(error.to_string()))?);
        self.keep(key, bytes.clone());
        Ok(bytes)
    }

    fn known(&self, key: &str) -> Option<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| known == key)?;
        let entry = kept.remove(place)?;
        let bytes = entry.1.clone();
        kept.push_back(entry);
        Some(bytes)
    }

    fn keep(&self, key: String, bytes: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((key, bytes));
        while kept.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > KEPT_BYTES {
            kept.pop_front();
        }
    }
}

/// Which position is wanted, and how large.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AskedPosition {
    /// After how many plies; without it the position now.
    ply: Option<usize>,
    /// Width in pixels, at least 64 and at most 1024.
    size: Option<u16>,
}

/// Which position is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AskedPly {
    /// After how many plies; without it the position now.
    ply: Option<usize>,
}

/// How large an animation is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AskedFilm {
    /// Width in pixels, at least 160 and at most 640.
    size: Option<u16>,
}

/// Why there is no picture.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It cannot be drawn.
    Problem(Problem),
    /// Others come first.
    Busy,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Problem(problem) => problem.into_response(),
            Self::Busy => {
                let detail = "too many pictures are being drawn; ask again in a second";
                let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail);
                ([(RETRY_AFTER, "1")], problem).into_response()
            }
        }
    }
}

fn game<E: Outgoing>(pages: &Pages<E>, name: &str) -> Result<GameView, Problem> {
    let unknown = || format!("no game is called \"{name}\"; /api/v1/games lists them");
    pages
        .hub
        .with_view(|view| view.find(name).cloned())
        .map(GameView::unpacked)
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, unknown()))
}

/// The position of `game` now, as SVG; none if it cannot be drawn.
pub(super) fn position_of(game: &GameView) -> Option<String> {
    Shown::of(game, game.moves.len()).map(|shown| shown.svg())
}

/// The position of `game` after `ply` plies, or the last one, and which that is.
fn position(game: &GameView, ply: Option<usize>) -> Result<(usize, Shown), Problem> {
    let (ply, plies) = (ply.unwrap_or(game.moves.len()), game.moves.len());
    if ply > plies {
        let detail = format!("game {} has {plies} plies, so there is no ply {ply}", game.game);
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    }
    shown(game, ply).map(|shown| (ply, shown))
}

fn shown(game: &GameView, ply: usize) -> Result<Shown, Problem> {
    let detail = || format!("the board of game {} cannot be drawn", game.game);
    Shown::of(game, ply).ok_or_else(|| Problem::new(StatusCode::CONFLICT, detail()))
}

/// The bytes of a picture, for the document.
struct Picture;

impl ToSchema for Picture {}

impl PartialSchema for Picture {
    fn schema() -> RefOr<Schema> {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(binary)).into()
    }
}

fn picture(bytes: impl AsRef<[u8]> + IntoResponse, kind: &'static str, asked: &HeaderMap) -> Response {
    tagged(bytes, asked, [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")])
}

/// Look at a position as PNG
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/position.png",
    tag = "pictures",
    params(("game" = String, Path, description = "Name of the game", example = "5-12"), AskedPosition),
    responses(
        (status = 200, description = "The board, without words", body = Picture, content_type = "image/png"),
        (status = 304, description = "It is what the tag in `If-None-Match` belongs to"),
        Malformed, Unknown, Refused, Arguments, Busy,
    ),
)]
pub(super) async fn position_png<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    Query(asked): Query<AskedPosition>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, shown) = position(&game(&pages, &name)?, asked.ply)?;
    let size = asked.size.map_or(SIZE, u32::from).clamp(*SIZES.start(), *SIZES.end());
    let svg = shown.svg();
    let bytes = pages.pictures.get(format!("{size} {svg}"), move || png::png(&svg, size)).await?;
    Ok(picture(bytes, "image/png", &headers))
}

/// Look at a position as SVG
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/position.svg",
    tag = "pictures",
    params(("game" = String, Path, description = "Name of the game", example = "5-12"), AskedPly),
    responses(
        (status = 200, description = "The board, without words", body = String, content_type = "image/svg+xml"),
        (status = 304, description = "It is what the tag in `If-None-Match` belongs to"),
        Malformed, Unknown, Refused, Arguments,
    ),
)]
pub(super) async fn position_svg<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    Query(asked): Query<AskedPly>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (_, shown) = position(&game(&pages, &name)?, asked.ply)?;
    Ok(picture(shown.svg(), "image/svg+xml", &headers))
}

/// Look at the card of a game
///
/// What programs show beside a link to it: the board, both clocks and the result, 1200 by 630 pixels.
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/card.png",
    tag = "pictures",
    params(("game" = String, Path, description = "Name of the game", example = "5-12"), AskedPly),
    responses(
        (status = 200, description = "The card", body = Picture, content_type = "image/png"),
        (status = 304, description = "It is what the tag in `If-None-Match` belongs to"),
        Malformed, Unknown, Refused, Arguments, Busy,
    ),
)]
pub(super) async fn card_png<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    Query(asked): Query<AskedPly>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let game = game(&pages, &name)?;
    let (ply, shown) = position(&game, asked.ply)?;
    let svg = card::svg(&game, ply, &shown);
    let bytes = pages.pictures.get(svg.clone(), move || png::png(&svg, card::WIDTH)).await?;
    Ok(picture(bytes, "image/png", &headers))
}

/// Watch a finished game as GIF
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/game.gif",
    tag = "pictures",
    params(("game" = String, Path, description = "Name of the game", example = "5-12"), AskedFilm),
    responses(
        (status = 200, description = "A frame for the start and one for each ply", body = Picture, content_type = "image/gif"),
        (status = 304, description = "It is what the tag in `If-None-Match` belongs to"),
        Malformed, Unknown, Refused, Arguments, Busy,
    ),
)]
pub(super) async fn game_gif<E: Outgoing>(
    State(pages): State<Pages<E>>,
    Path(name): Path<String>,
    Query(asked): Query<AskedFilm>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let game = game(&pages, &name)?;
    let refused = |detail: String| Refusal::from(Problem::new(StatusCode::CONFLICT, detail));
    if game.result == "*" {
        let detail = format!("game {name} is not over; its GIF can be had when it has a result");
        return Err(refused(detail));
    }
    if game.moves.len() > LONGEST_PLIES {
        let plies = game.moves.len();
        return Err(refused(format!("game {name} has {plies} plies; a GIF has {LONGEST_PLIES} at most")));
    }
    let positions: Vec<Shown> =
        (0..=game.moves.len()).map(|ply| shown(&game, ply)).collect::<Result<_, _>>()?;
    let size = asked.size.map_or(FILM_SIZE, u32::from).clamp(*FILM_SIZES.start(), *FILM_SIZES.end());
    // Whole pixels for each square.
    let columns = positions.first().map_or(1, Shown::columns);
    let side = u32::try_from(columns).map_or(0, |columns| size / columns);
    let side = u16::try_from(side).unwrap_or_default();
    let mut key = format!("gif {side} {}", game.start);
    for mv in &*game.moves.all() {
        write!(key, " {} {}", mv.uci, mv.fen).ok();
    }
    let bytes = pages.pictures.get(key, move || animation::animation(&positions, side)).await?;
    Ok(picture(bytes, "image/gif", &headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_drawn_is_kept_until_there_is_too_much() {
        let pictures = Pictures::default();
        let drawn = async |key: &str, length: usize| {
            pictures.get(key.to_owned(), move || Ok(vec![0; length])).await.unwrap().len()
        };
        assert_eq!(drawn("a", KEPT_BYTES / 2).await, KEPT_BYTES / 2);
        assert_eq!(drawn("a", 1).await, KEPT_BYTES / 2, "drawn once");
        assert_eq!(drawn("b", KEPT_BYTES / 2).await, KEPT_BYTES / 2);
        assert!(pictures.known("a").is_some() && pictures.known("b").is_some());
        drawn("c", 1).await;
        assert!(pictures.known("a").is_none() && pictures.known("c").is_some(), "the oldest goes");
    }

    #[tokio::test]
    async fn whoever_waits_too_long_is_told_to_come_back() {
        let pictures = Pictures::default();
        let places = Arc::clone(&pictures.places).acquire_many_owned(AT_ONCE as u32).await.unwrap();
        let answer = pictures.get(String::new(), || Ok(Vec::new())).await.unwrap_err().into_response();
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer.headers().contains_key(RETRY_AFTER));
        drop(places);
        assert!(pictures.get(String::new(), || Ok(Vec::new())).await.is_ok());
    }
}
