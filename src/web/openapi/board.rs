//! A board as the hubs show it.

use serde::Serialize;
use utoipa::ToSchema;

use super::readings::Readiness;
use super::record::Record;
use super::stream::Play;
use crate::feed::view::GameView;

/// A board and what is on it.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Board {
    /// Its name.
    #[schema(example = "12")]
    board: String,
    /// How its link is; always null in public.
    state: Option<LinkState>,
    /// Name of the game on it.
    #[schema(example = "5-12")]
    game: Option<String>,
    /// Protocol that it speaks; this and all that follows only at the desk.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "dgt")]
    protocol: Option<String>,
    /// Where it is; null: nobody knows.
    #[schema(example = "serial:/dev/ttyACM0")]
    port: Option<String>,
    /// Its own number, as it told it.
    #[schema(example = "10001")]
    serial: Option<String>,
    /// When it was last heard, RFC 3339.
    heard_utc: Option<String>,
    /// How long ago that was, milliseconds.
    age_ms: Option<u64>,
    /// What was last wrong with its link, and what to do.
    reason: Option<String>,
    /// How many readings there were since it was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    readings: Option<u64>,
    /// `configured`, `added` (it was entered at the desk) or `found`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "configured")]
    origin: Option<String>,
    /// The first ply of which the desk is not sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubtful_ply: Option<u64>,
    /// What that ply could be.
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<Vec<Alternative>>,
    /// Whether it is ready for its next game; only at the desk.
    #[serde(skip_serializing_if = "Option::is_none")]
    readiness: Option<Readiness>,
    /// What goes on in its game if it is not being played: `sealing`, `adjourned`, `reconstruction`, `at-home` (its result
    /// is awaited), `moved` (it is being set up here); only at the desk.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "adjourned")]
    stage: Option<String>,
    /// What its player has to do in a game against somebody elsewhere; only at the desk.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<Play>,
}

/// A board with everything that is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct BoardInFull {
    /// Its name.
    board: String,
    /// How its link is.
    state: Option<LinkState>,
    /// The game on it.
    game: Option<GameView>,
    /// Whether it is ready for its next game.
    readiness: Option<Readiness>,
    /// The first ply of which the desk is not sure.
    doubtful_ply: Option<u64>,
    /// What that ply could be.
    alternatives: Option<Vec<Alternative>>,
    /// What its player has to do in a game against somebody elsewhere.
    play: Option<Play>,
    /// Its records.
    records: Vec<Record>,
    /// Time control, if known.
    time_control: Option<String>,
    /// Edition of the Laws and class of play.
    profile: String,
    /// Edition of the Laws.
    edition: Option<String>,
}

/// How a link is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "hubs name them by texts")]
pub(super) enum LinkState {
    /// It was not found yet.
    Waiting,
    /// The board answers.
    Fresh,
    /// It has been silent for a while.
    Stale,
    /// It is gone.
    Lost,
}

/// A move that it may have been.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Alternative {
    /// Standard algebraic notation; null for another than those in the list.
    #[schema(example = "Nf3")]
    san: Option<String>,
    /// How likely it is, 0 to 1.
    chance: f64,
}
