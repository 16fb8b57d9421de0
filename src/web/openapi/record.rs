//! Events and records, as the journal has them: what they have in common; each type adds fields of its own.

use serde::Serialize;
use utoipa::ToSchema;

use adoube_core::event::RecordHead;

/// An event; beside these fields it has those of its type.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Event {
    /// Number in the journal, gapless over all boards.
    #[schema(minimum = 1)]
    seq: u64,
    /// When it was decided.
    #[schema(format = DateTime)]
    at: String,
    /// The same in milliseconds since the board was opened.
    t_ms: f64,
    /// Its board; empty for remarks of the journal on itself.
    #[schema(example = "12")]
    board: String,
    /// Its game.
    #[schema(example = "5-12")]
    game: Option<String>,
    /// A name of `/api/v1/names`.
    #[serde(rename = "type")]
    #[schema(example = "illegal-move-completed")]
    name: String,
    /// What kind of name that is.
    #[schema(example = "irregularity")]
    kind: String,
}

/// A record: the newest event that opened or changed it, with the fields of its type (see `/api/v1/events`).
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Record {
    #[serde(flatten)]
    event: Event,
    #[serde(flatten)]
    head: RecordHead,
    /// When it was opened.
    #[schema(format = DateTime)]
    opened_at: String,
}

/// A ruling that was made; beside these fields it has its arguments.
///
/// An argument that is called like a field of every event (`at`, `board`, `game`, `kind`, `seq`) stands here as
/// `argument_at`, `argument_board` and so on.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Ruled {
    #[serde(flatten)]
    event: Event,
    /// A name of `/api/v1/rulings`.
    #[schema(example = "confirm")]
    name: String,
    /// Who made it; of a pause, who stopped the clocks.
    by: Option<String>,
    /// A later ruling undid it.
    undone: bool,
}

/// A record, and how it came to what it is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct RecordHistory {
    /// As it is now.
    record: Record,
    /// Every event of it, the oldest first.
    history: Vec<Event>,
    /// The rulings about it, the oldest first.
    rulings: Vec<Ruled>,
    /// What is proposed because of it.
    proposals: Vec<Record>,
}

/// A piece of the past.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct History {
    /// The newest first, or after a number the oldest first.
    events: Vec<Event>,
    /// There are more.
    more: bool,
    /// Where to go on: `before` this number, or `after` it.
    next: Option<u64>,
}
