//! Events and records, as the journal has them: what they have in common; each type adds fields of its own.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

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

/// A record: the newest event that opened or changed it. What belongs to its type comes beside these fields.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Record {
    #[serde(flatten)]
    event: Event,
    /// Number of the record: that of the event that opened it.
    #[schema(minimum = 1)]
    record: u64,
    /// When it was opened.
    #[schema(format = DateTime)]
    opened_at: String,
    /// `open`, `confirmed`, `rejected`, `corrected`, `expired` or `withdrawn`.
    #[schema(example = "open")]
    status: String,
    /// `info`, `notice`, `alert` or `critical`; empty if it is no matter of urgency.
    #[schema(example = "critical")]
    severity: String,
    /// `sensed`, `inferred`, `suspected` or `entered`.
    #[schema(example = "sensed")]
    certainty: String,
    /// Article of the Laws that it rests on.
    #[schema(example = "7.5.1")]
    article: Option<String>,
    /// Edition of the Laws.
    #[schema(example = "2023")]
    edition: String,
    /// Until when it can be acted on.
    window: Option<String>,
    /// FEN before it.
    fen_before: Option<String>,
    /// FEN after it.
    fen_after: Option<String>,
    /// Both times then.
    #[schema(value_type = Option<crate::feed::view::TimesView>)]
    clock: Option<Value>,
    /// First and last input that show it.
    #[schema(min_items = 2, max_items = 2)]
    readings: Vec<u64>,
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
