//! What the stream of server-sent events tells beside events, a schema a message: `stream.snapshot`.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::openapi::schema::{AnyOfBuilder, Components, Schema};
use utoipa::openapi::{OpenApi, OpenApiBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::board::{Alternative, LinkState};
use super::readings::Readiness;
use super::record::Record;
use crate::feed::hub::{ALTERNATIVES, BOARDS, HEARD, Heard, JOURNAL, PAIRINGS, PLAY, READINESS};
use crate::feed::view::{GameView, LastMove};
use adoube_core::event::finding::BothTimes;

/// Everything as it stands: what comes first, and again (`resync`) when a viewer missed too much.
#[derive(Debug, Serialize, ToSchema)]
struct Snapshot {
    /// Now; for spectators the instant that they are shown.
    #[schema(format = DateTime)]
    now: String,
    /// How many times as fast as the world time goes; 1 but in tests.
    speed: f64,
    /// By how many seconds spectators are behind.
    delay_s: u32,
    /// `ok`, or `degraded`: games go on in memory alone.
    #[schema(example = "ok")]
    journal: String,
    /// The tournament.
    tournament: TournamentNames,
    /// At a relay, how old this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    heard: Option<Heard>,
    /// What stands before the numbers in ids.
    epoch: String,
    /// Number of the last event that it holds.
    number: u64,
    /// It is the desk's, and not the spectators'.
    desk: bool,
    /// Every board.
    boards: Vec<BoardOfSnapshot>,
    /// What waits for the arbiter, and what he may look up; only at the desk.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Vec<Record>>,
}

/// What a tournament is called.
#[derive(Debug, Serialize, ToSchema)]
struct TournamentNames {
    /// Its name.
    name: Option<String>,
    /// Where it is.
    site: Option<String>,
}

/// A board of a snapshot; how it stands otherwise only at the desk.
#[derive(Debug, Serialize, ToSchema)]
struct BoardOfSnapshot {
    /// Its name.
    #[schema(example = "12")]
    board: String,
    /// How its link is; always null in public.
    state: Option<LinkState>,
    /// The game on it, with all moves or with the last one.
    game: Option<GameOfSnapshot>,
    /// By how many seconds spectators are behind here, if it is not the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_s: Option<u32>,
    /// What is played here, if it is not chess.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    /// Whether it is ready for its next game.
    #[serde(skip_serializing_if = "Option::is_none")]
    readiness: Option<Readiness>,
    /// What goes on in its game if it is not being played, as boards tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    /// What its player has to do in a game against somebody elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<Play>,
    /// The first ply of which the desk is not sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubtful_ply: Option<u64>,
    /// What that ply could be.
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<Vec<Alternative>>,
}

/// A game with all moves, or with the last one.
#[derive(Debug, Serialize)]
struct GameOfSnapshot;

impl ToSchema for GameOfSnapshot {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        // What these refer to comes with them.
        GameView::schemas(schemas);
        LastMove::schemas(schemas);
        schemas.extend([
            (GameView::name().into_owned(), GameView::schema()),
            (LastMove::name().into_owned(), LastMove::schema()),
        ]);
    }
}

impl PartialSchema for GameOfSnapshot {
    fn schema() -> RefOr<Schema> {
        // Whatever is a game with its last move could be one with all moves as well, and who takes the first form that fits
        // shall not lose how many there are.
        let forms = [LastMove::name(), GameView::name()].map(Ref::from_schema_name);
        forms.into_iter().fold(AnyOfBuilder::new(), AnyOfBuilder::item).into()
    }
}

/// Which games are awaited: on `boards` that show another one than before, or on all of them.
#[derive(Debug, Serialize, ToSchema)]
struct Pairings {
    /// By board the game that it shows now.
    boards: BTreeMap<String, Option<String>>,
    /// Those of them that are awaited.
    games: Vec<GameView>,
}

/// What a ply of which the desk is not sure could be.
#[derive(Debug, Serialize, ToSchema)]
struct Alternatives {
    /// The board.
    board: String,
    /// The first ply of which it is not sure; null once it is.
    doubtful_ply: Option<u64>,
    /// What that ply could be.
    alternatives: Vec<Alternative>,
}

/// A board was added while the hall is open, or taken away.
#[derive(Debug, Serialize, ToSchema)]
struct Boards {
    /// The board.
    board: String,
    /// It is here now.
    here: bool,
}

/// How the journal is: as long as its disk hangs it cannot say so itself.
#[derive(Debug, Serialize, ToSchema)]
struct Journal {
    /// `ok` or `degraded`.
    #[schema(example = "ok")]
    state: String,
}

/// What a player at a board has to do in a game against somebody elsewhere.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Play {
    /// The board.
    board: Option<String>,
    /// `set-up`, `press`, `ours`, `theirs`, `sent`, `made`, `make`, `must-stand`, `other-move`, `take-back` or `gone`.
    #[schema(example = "make")]
    state: String,
    /// The move that it is about.
    san: Option<String>,
    /// The same as from-to notation.
    uci: Option<String>,
    /// The move on the board that does not count.
    made: Option<String>,
    /// Squares to look at.
    #[serde(default)]
    squares: Vec<String>,
    /// The side of who sits at the board.
    side: Option<String>,
    /// The other player.
    opponent: Option<String>,
    /// Where the game can be seen.
    address: Option<String>,
    /// The other player offers a draw.
    draw_offered: Option<bool>,
    /// The other player asks for a move back.
    takeback_asked: Option<bool>,
    /// Why the other side cannot be reached.
    away: Option<String>,
    /// Where something stands wrong.
    #[serde(default)]
    wrong: Vec<WrongPiece>,
    /// What is left.
    times: Option<BothTimes>,
    /// How it ended.
    end: Option<PlayEnd>,
}

/// A square on which something else stands than should.
#[derive(Debug, Serialize, ToSchema)]
struct WrongPiece {
    /// Which.
    square: String,
    /// The piece that is there, as FEN writes it.
    has: Option<String>,
    /// The piece that should be.
    should: Option<String>,
}

/// How a game against somebody elsewhere ended.
#[derive(Debug, Serialize, ToSchema)]
struct PlayEnd {
    /// `*` if there is none.
    #[schema(example = "1-0")]
    result: String,
    /// Why.
    reason: String,
}

/// The messages of a listener's stream that are no events.
pub(super) fn messages(is_desk: bool) -> OpenApi {
    let both = Components::new().with::<Snapshot>("snapshot").with::<Snapshot>("resync");
    let both = both.with::<Pairings>(PAIRINGS).with::<Heard>(HEARD);
    let components = if is_desk {
        both.with::<Readiness>(READINESS)
            .with::<Alternatives>(ALTERNATIVES)
            .with::<Boards>(BOARDS)
            .with::<Journal>(JOURNAL)
            .with::<Play>(PLAY)
    } else {
        both
    };
    OpenApiBuilder::new().components(Some(components)).build()
}

/// Takes in the schema of a message, and what it refers to.
trait With: Sized {
    fn with<T: ToSchema>(self, message: &str) -> Self;
}

impl With for Components {
    fn with<T: ToSchema>(mut self, message: &str) -> Self {
        let mut schemas = Vec::new();
        T::schemas(&mut schemas);
        self.schemas.extend(schemas);
        self.schemas.insert(format!("stream.{message}"), T::schema());
        self
    }
}
