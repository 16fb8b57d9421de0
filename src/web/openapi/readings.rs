//! What boards show: frame by frame in the past, and before the round.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use adoube_core::pairings::Pairing;

/// The frames of a range.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Readings {
    /// The board.
    board: String,
    /// The first input that was asked for.
    from: u64,
    /// The last one.
    to: u64,
    /// There were too many frames: some are left out.
    cut: bool,
    /// In order.
    frames: Vec<Frame>,
}

/// What a board shows after an input.
#[derive(Debug, Serialize, ToSchema)]
struct Frame {
    /// The input, as `readings` of records count them.
    input: u64,
    /// When, milliseconds since the board was opened.
    t_ms: f64,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// `start` (how it stood), `reading`, `link` or `ruling`.
    kind: String,
    /// What stands where, as the first field of a FEN, if the board knows pieces.
    pieces: Option<String>,
    /// Which squares are occupied, if it does not: 16 hexadecimal digits, the lowest bit is a1.
    occupied: Option<String>,
    /// Squares whose man went.
    lifted: Vec<String>,
    /// Squares to which one came.
    placed: Vec<String>,
    /// What the clock shows.
    #[schema(value_type = Option<Object>)]
    clock: Option<Value>,
    /// `back` or `lost`.
    link: Option<String>,
    /// What was said from here on, before the next frame.
    events: Vec<Said>,
    /// It is between the first and the last reading of the record.
    within: bool,
}

/// An event of a frame.
#[derive(Debug, Serialize, ToSchema)]
struct Said {
    /// Its number in the journal.
    seq: u64,
    /// Its type.
    #[serde(rename = "type")]
    name: String,
}

/// The boards on which no game is under way.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Round {
    /// Number of the round, if there is one.
    round: Option<u32>,
    /// Whether each is ready for its next game.
    boards: Vec<Readiness>,
    /// All of them are, for the round that comes next where none is open: those without a game in it need not be.
    ready: bool,
    /// The round that comes next.
    next: Option<NextRound>,
}

/// A round that is not open yet.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct NextRound {
    /// Its number.
    round: u32,
    /// The games that are to be played, by board.
    games: BTreeMap<String, Pairing>,
}

/// Whether a board is ready for its next game. While one is under way `ready` is null and the rest is not there.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Readiness {
    /// The board.
    board: String,
    /// It is.
    ready: Option<bool>,
    /// What goes on in its game if it is not being played, as boards tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    /// The board answers.
    answering: bool,
    /// What stands on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<Array>,
    /// How it lies, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    turned: Option<u32>,
    /// Its clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<ClockReady>,
    /// Whose time would run first.
    #[serde(skip_serializing_if = "Option::is_none")]
    lever: Option<String>,
    /// Nobody of the pairing lacks a name; without a pairing anybody may play.
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<bool>,
    /// Why it is not ready, the gravest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<String>>,
}

/// The array on a board.
#[derive(Debug, Serialize, ToSchema)]
struct Array {
    /// It is right.
    ok: bool,
    /// Where it is not.
    wrong: Vec<WrongSquare>,
    /// Squares that earlier games found sick: what they show is not believed.
    sick: Vec<SickSquare>,
    /// A piece that is assumed to stand there, because the board feels squares only: it and others may stand otherwise,
    /// until a move tells.
    assumed: Option<Assumed>,
}

/// A square that is not believed.
#[derive(Debug, Serialize, ToSchema)]
struct SickSquare {
    /// Which.
    square: String,
    /// `dead`, `stuck` or `flickering`.
    #[schema(example = "dead")]
    fault: String,
}

/// A piece that nobody has seen.
#[derive(Debug, Serialize, ToSchema)]
struct Assumed {
    /// Where.
    square: String,
    /// Its FEN letter.
    piece: String,
}

/// A square that shows something else.
#[derive(Debug, Serialize, ToSchema)]
struct WrongSquare {
    /// Which.
    square: String,
    /// FEN letter of what should stand there.
    expected: Option<String>,
    /// FEN letter of what does; `?` if the board does not know pieces.
    found: Option<String>,
}

/// A clock before the game.
#[derive(Debug, Serialize, ToSchema)]
struct ClockReady {
    /// One is there.
    there: bool,
    /// White's time, milliseconds.
    white_ms: Option<u64>,
    /// Black's.
    black_ms: Option<u64>,
    /// What both should be.
    expected_ms: Option<Vec<u64>>,
    /// They are.
    set: Option<bool>,
    /// Whose time runs.
    running: Option<String>,
}
