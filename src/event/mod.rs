//! What the core says: typed events, the numbers that the journal gives them, and the public ones.
//!
//! [`Event`] is what a table decided. [`Numbered`] is the same as one JSON object with its place in
//! the journal; [`PublicEvent`] is what spectators may see of it. [`publish`] is the only way from
//! one to the other (DESIGN 2): everything public is built from [`PublicEvent`] alone. [`Publisher`] does it
//! for a row of them, some of which wait for others.

mod numbering;
mod public;
pub mod registry;
mod withhold;

pub use numbering::{Numbered, Numbering, OF_RECORD};
pub use public::{PublicEvent, publish};
pub use withhold::{Publicity, Publisher, Withholding};

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::pairings::TeamMatch;
use crate::rules::laws::{Edition, Name};
use crate::rules::{Family, GameResult, Played, Seated, Shown};
use crate::ruling::Ruled;
use crate::sensor::{ClockReading, Content, Side};
use crate::stamp::{MS, Stamp, ms};

/// Something that a table decided.
#[derive(Debug, Clone)]
pub struct Event {
    /// When it was decided.
    pub at: Stamp,
    /// The same, in nanoseconds since the board was opened or the capture began.
    pub elapsed_ns: u64,
    /// The game that it belongs to.
    pub game: Option<GameName>,
    /// How far it goes, if its name is public.
    pub publicity: Publicity,
    /// What happened.
    pub body: Body,
}

/// How a table names a game (DESIGN 5.7).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum GameName {
    /// By its pairing: `5-12`; or as the journal has called it before.
    Given(Arc<str>),
    /// The n-th game without a pairing on this board. The journal, which knows the other boards,
    /// turns it into `free-20260501-3`.
    Free(u32),
}

/// What happened (DESIGN 5.3; laws-registry section 0 for the first group).
#[derive(Debug, Clone)]
pub enum Body {
    /// A round was opened or closed; of no board.
    Round {
        /// It was opened.
        is_open: bool,
        /// Its number.
        round: u32,
        /// Its day, if it is known.
        date: Option<String>,
    },
    /// A game begins on this board.
    GameOpened(Box<GameInfo>),
    /// What is known of the game changed: who plays which colour.
    GameChanged {
        /// As it is now.
        info: Box<GameInfo>,
        /// The result (`None`: none).
        result: Option<GameResult>,
    },
    /// The game is closed, with the result that it has (`None`: none).
    GameClosed {
        /// The result.
        result: Option<GameResult>,
    },
    /// A board answers.
    BoardConnected {
        /// Its own number, if it told it.
        serial: Option<String>,
        /// Protocol that it speaks.
        protocol: &'static str,
        /// Where it was found.
        port: String,
    },
    /// The board's link stands, and nothing comes through it.
    BoardStale {
        /// Milliseconds since it was last heard.
        age_ms: u64,
    },
    /// The board's link is gone.
    BoardLost {
        /// Milliseconds since it was last heard.
        age_ms: u64,
    },
    /// A piece left a square and stayed away.
    PieceLifted(Handled),
    /// A piece came to stand on a square and stayed.
    PiecePlaced(Handled),
    /// The clock shows something that the last reading did not predict.
    ClockRead(Option<ClockReading>),
    /// A player pressed the clock.
    Pressed {
        /// Who.
        side: Side,
        /// Times at the press; `None` on a board without a clock.
        clock: Option<Times>,
    },
    /// A ruling was carried out.
    Ruled(Box<Ruled>),
    /// A move is announced.
    MoveMade(Box<MoveMade>),
    /// A move is completed.
    MoveCompleted(Box<MoveCompleted>),
    /// A move and all later ones are withdrawn.
    MoveRetracted(Box<MoveRetracted>),
    /// Any other name of the registry.
    Finding(Box<Finding>),
}

/// A piece lifted or placed.
#[derive(Debug, Clone, Copy)]
pub struct Handled {
    /// The square, as the game has it.
    pub square: u8,
    /// What was lifted or placed.
    pub content: Content,
    /// First evidence, nanoseconds since the board was opened.
    pub first_ns: u64,
    /// The board and the men, for their names.
    pub family: Family,
}

/// Both times, milliseconds, by [`Side::index`].
pub type Times = [u64; 2];

/// A player, as pairings and PGN headers know him.
#[cfg_attr(feature = "daemon", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// "Last, First".
    pub name: Option<String>,
    /// GM, WIM, …
    #[serde(default)]
    pub title: Option<String>,
    /// FIDE number.
    #[serde(default)]
    pub fide_id: Option<u64>,
    /// Three letters.
    #[serde(default)]
    pub federation: Option<String>,
    /// Rating.
    #[serde(default)]
    pub elo: Option<u32>,
    /// Team.
    #[serde(default)]
    pub team: Option<String>,
}

/// What is known of a game when it opens.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GameInfo {
    /// Its name.
    pub name: GameName,
    /// Round, if there is one.
    pub round: Option<u32>,
    /// Number in the round, or of the free game on this board.
    pub number: u32,
    /// `chess`, `chess960`, `four-player`. It is the table's, and not written down beside it.
    #[serde(skip)]
    pub variant: &'static str,
    /// FEN, or the variant's text, of the position that it starts from.
    pub start: String,
    /// Time control, if known.
    pub time_control: Option<String>,
    /// White and Black.
    pub players: [Player; 2],
    /// Red and Blue, the two others of a four-player game.
    pub red_blue: Option<Box<[Player; 2]>>,
    /// Its place in a match of two teams.
    pub team_match: Option<TeamMatch>,
}

/// An announced move.
#[derive(Debug, Clone)]
pub struct MoveMade {
    /// Its number, from 1 at the game's start.
    pub ply: u32,
    /// The move.
    pub played: Played,
    /// How sure it is, in thousandths.
    pub confidence_milli: u16,
    /// First lift of a piece of this move, nanoseconds since the board was opened.
    pub first_lift_ns: u64,
    /// First frame of the position that settled.
    pub made_ns: u64,
    /// Times then.
    pub clock: Option<Times>,
    /// Why it is said.
    pub cause: Cause,
}

/// Why a move is announced or withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The players did it.
    Played,
    /// Another explanation of the readings became better.
    Explanation,
    /// A ruling.
    Ruling,
    /// Supplied after a gap in the record.
    Recovered,
}

impl Cause {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Explanation => "explanation",
            Self::Ruling => "ruling",
            Self::Recovered => "recovered",
        }
    }
}

/// A completed move.
#[derive(Debug, Clone)]
pub struct MoveCompleted {
    /// Its number.
    pub ply: u32,
    /// The move.
    pub played: Played,
    /// By what it was completed.
    pub by: CompletedBy,
    /// When, nanoseconds since the board was opened.
    pub completed_ns: u64,
    /// Times then.
    pub clock: Option<Times>,
}

/// What completes a move (6.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletedBy {
    /// The player's press.
    Press,
    /// The same side's next move.
    NextMove,
    /// The end of the game.
    GameEnd,
    /// A ruling.
    Ruling,
}

impl CompletedBy {
    fn name(self) -> &'static str {
        match self {
            Self::Press => "press",
            Self::NextMove => "next-move",
            Self::GameEnd => "game-end",
            Self::Ruling => "ruling",
        }
    }
}

/// A withdrawn move; every later one goes with it.
#[derive(Debug, Clone)]
pub struct MoveRetracted {
    /// Its number.
    pub ply: u32,
    /// The move.
    pub played: Played,
    /// FEN of the position that holds now.
    pub fen: String,
    /// Why.
    pub cause: Cause,
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Waiting.
    Open,
    /// An arbiter confirmed it, or it needs no confirmation.
    Confirmed,
    /// An arbiter rejected it.
    Rejected,
    /// What it asked for was done.
    Corrected,
    /// Its window closed.
    Expired,
    /// The reading on which it rested turned out otherwise.
    Withdrawn,
}

impl Status {
    /// As events write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Confirmed => "confirmed",
            Self::Rejected => "rejected",
            Self::Corrected => "corrected",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A notice, irregularity, claim, outcome or proposal of the registry.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its name.
    pub name: Name,
    /// The table's own number of the record; the journal turns it into the `seq` that opened it.
    pub record: u32,
    /// Where it stands.
    pub status: Status,
    /// The edition of the Laws that it rests on.
    pub edition: Edition,
    /// The articles that it cites, if the edition has any for it.
    pub article: Option<String>,
    /// The severity, where this case is more or less urgent than the name's.
    pub severity: Option<&'static str>,
    /// Until when it can be acted on.
    pub window: Option<String>,
    /// The positions before and after, where there is a before and an after.
    pub fens: Option<[Shown; 2]>,
    /// Times, if a clock is there.
    pub clock: Option<Times>,
    /// The first and last input that show it.
    pub readings: (u64, u64),
    /// The payload of the registry, keys in snake case.
    pub payload: Map<String, Value>,
    /// The keys of the payload that are the table's own numbers of records, which the journal turns into their `seq`.
    pub references: Vec<&'static str>,
}

impl Body {
    /// The `type` of the event.
    #[must_use]
    pub fn name(&self) -> Name {
        match self {
            Self::Round { is_open: true, .. } => Name::RoundOpened,
            Self::Round { is_open: false, .. } => Name::RoundClosed,
            Self::GameOpened(_) => Name::GameOpened,
            Self::GameChanged { .. } => Name::GameChanged,
            Self::GameClosed { .. } => Name::GameClosed,
            Self::BoardConnected { .. } => Name::BoardConnected,
            Self::BoardStale { .. } => Name::BoardStale,
            Self::BoardLost { .. } => Name::BoardLost,
            Self::PieceLifted(_) => Name::PieceLifted,
            Self::PiecePlaced(_) => Name::PiecePlaced,
            Self::ClockRead(_) => Name::ClockRead,
            Self::Pressed { .. } => Name::Pressed,
            Self::Ruled(_) => Name::Ruled,
            Self::MoveMade(_) => Name::MoveMade,
            Self::MoveCompleted(_) => Name::MoveCompleted,
            Self::MoveRetracted(_) => Name::MoveRetracted,
            Self::Finding(finding) => finding.name,
        }
    }

    /// The fields of DESIGN 5.3, without the envelope.
    fn write(&self, fields: &mut Map<String, Value>) {
        match self {
            Self::Round { is_open: _, round, date } => {
                fields.insert("round".into(), (*round).into());
                fields.insert("date".into(), date.clone().into());
            }
            Self::GameOpened(info) => info.write(fields),
            Self::GameChanged { info, result } => {
                info.write(fields);
                fields.insert("result".into(), result.map_or("*", GameResult::name).into());
            }
            Self::GameClosed { result } => {
                fields.insert("result".into(), result.map_or("*", GameResult::name).into());
            }
            Self::BoardConnected { serial, protocol, port } => {
                fields.insert("serial".into(), serial.clone().into());
                fields.insert("protocol".into(), (*protocol).into());
                fields.insert("port".into(), port.clone().into());
            }
            Self::BoardStale { age_ms } | Self::BoardLost { age_ms } => {
                fields.insert("age_ms".into(), (*age_ms).into());
            }
            Self::PieceLifted(handled) | Self::PiecePlaced(handled) => {
                fields.insert("square".into(), handled.family.square_name(handled.square).into());
                fields.insert("piece".into(), handled.family.man_name(handled.content).into());
                fields.insert("first_ms".into(), millis(handled.first_ns));
            }
            Self::ClockRead(reading) => write_clock_read(reading.as_ref(), fields),
            Self::Pressed { side, clock } => {
                fields.insert("side".into(), side.name().into());
                fields.insert("clock".into(), times(*clock));
            }
            Self::Ruled(ruling) => ruling.write(fields),
            Self::MoveMade(made) => made.write(fields),
            Self::MoveCompleted(completed) => completed.write(fields),
            Self::MoveRetracted(retracted) => retracted.write(fields),
            Self::Finding(finding) => finding.write(fields),
        }
    }
}

/// Milliseconds with at most three decimals, as `t_ms` is written.
fn millis(ns: u64) -> Value {
    let micros = ns / 1_000;
    if micros.is_multiple_of(1_000) { (micros / 1_000).into() } else { (micros as f64 / 1_000.0).into() }
}

fn times(times: Option<Times>) -> Value {
    times.map_or(
        Value::Null,
        |[white_ms, black_ms]| serde_json::json!({ "white_ms": white_ms, "black_ms": black_ms }),
    )
}

/// Times as payloads write them: milliseconds for each side, or null.
#[must_use]
pub fn times_value(times: Option<Times>) -> Value {
    self::times(times)
}

fn write_clock_read(reading: Option<&ClockReading>, fields: &mut Map<String, Value>) {
    let side = |side: Option<Side>| Value::from(side.map(Side::name));
    let flags: Vec<&str> = reading
        .map(|reading| {
            Side::BOTH.into_iter().filter(|side| reading.flags[side.index()]).map(Side::name).collect()
        })
        .unwrap_or_default();
    fields.insert("white_ms".into(), reading.map(|reading| reading.left_ms[0]).into());
    fields.insert("black_ms".into(), reading.map(|reading| reading.left_ms[1]).into());
    fields.insert("running".into(), side(reading.and_then(|reading| reading.running)));
    fields.insert("flags".into(), flags.into());
    let counter = reading.and_then(|reading| reading.counter);
    fields.insert(
        "counter".into(),
        counter.map_or(Value::Null, |[white, black]| serde_json::json!({ "white": white, "black": black })),
    );
}

impl GameInfo {
    fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("round".into(), self.round.into());
        fields.insert("number".into(), self.number.into());
        fields.insert("variant".into(), self.variant.into());
        fields.insert("start".into(), self.start.clone().into());
        fields.insert("time_control".into(), self.time_control.clone().into());
        let others = self.red_blue.iter().flat_map(|others| ["red", "blue"].into_iter().zip(others.iter()));
        for (name, player) in ["white", "black"].into_iter().zip(&self.players).chain(others) {
            let player = serde_json::to_value(player).unwrap_or(Value::Null);
            fields.insert(name.into(), player);
        }
        if let Some(TeamMatch { number, board }) = self.team_match {
            fields.insert("match".into(), serde_json::json!({ "number": number, "board": board }));
        }
        fields.insert("result".into(), "*".into());
    }
}

/// Who moved: his side, and which of its players he is where it has several.
fn write_mover(played: &Played, fields: &mut Map<String, Value>) {
    fields.insert("side".into(), played.side().name().into());
    if let Some(Seated { player, seat }) = played.seated() {
        fields.insert("player".into(), player.into());
        fields.insert("seat".into(), seat.into());
    }
}

impl MoveMade {
    fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("ply".into(), self.ply.into());
        write_mover(&self.played, fields);
        fields.insert("san".into(), self.played.san().into());
        fields.insert("uci".into(), self.played.uci().into());
        fields.insert("fen".into(), self.played.fen().into());
        fields.insert("legal".into(), self.played.is_legal().into());
        fields.insert("confidence".into(), (f64::from(self.confidence_milli) / 1_000.0).into());
        fields.insert("first_lift_ms".into(), ms(self.first_lift_ns).into());
        fields.insert("made_ms".into(), ms(self.made_ns).into());
        fields.insert("clock".into(), times(self.clock));
        fields.insert("cause".into(), self.cause.name().into());
    }
}

impl MoveCompleted {
    fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("ply".into(), self.ply.into());
        write_mover(&self.played, fields);
        fields.insert("san".into(), self.played.san().into());
        fields.insert("uci".into(), self.played.uci().into());
        fields.insert("by".into(), self.by.name().into());
        fields.insert("completed_ms".into(), ms(self.completed_ns).into());
        fields.insert("clock".into(), times(self.clock));
    }
}

impl MoveRetracted {
    fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("ply".into(), self.ply.into());
        write_mover(&self.played, fields);
        fields.insert("san".into(), self.played.san().into());
        fields.insert("uci".into(), self.played.uci().into());
        fields.insert("fen".into(), self.fen.clone().into());
        fields.insert("cause".into(), self.cause.name().into());
    }
}

impl Finding {
    fn write(&self, fields: &mut Map<String, Value>) {
        // The journal puts the `seq` of the opening event here.
        fields.insert("record".into(), self.record.into());
        fields.insert("status".into(), self.status.name().into());
        let row = self.name.row();
        fields.insert("severity".into(), self.severity.unwrap_or(row.severity).into());
        fields.insert("certainty".into(), row.certainty.into());
        fields.insert("article".into(), self.article.clone().into());
        fields.insert("edition".into(), self.edition.name().into());
        fields.insert("window".into(), self.window.clone().into());
        let (before, after) = self.fens.as_ref().map(|[before, after]| (before.fen(), after.fen())).unzip();
        fields.insert("fen_before".into(), before.into());
        fields.insert("fen_after".into(), after.into());
        fields.insert("clock".into(), times(self.clock));
        fields.insert("readings".into(), vec![self.readings.0, self.readings.1].into());
        fields.extend(self.payload.clone());
    }
}

impl Event {
    /// `t_ms` of the envelope.
    #[must_use]
    pub fn t_ms(&self) -> Value {
        millis(self.elapsed_ns)
    }

    /// Whole milliseconds since the board was opened.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.elapsed_ns / MS
    }
}
