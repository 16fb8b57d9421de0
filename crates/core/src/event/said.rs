//! What events say, as they are written: one definition for the journal, server-sent events, NATS, the views of the hubs,
//! and the API's document.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::finding::{BothTimes, BySide, Fields, Score, SquareName};
use super::{
    Body, Cause, CompletedBy, GameInfo, Handled, MoveCompleted, MoveMade, MoveRetracted, Player, Recorded,
    Times,
};
use crate::event::TeamMatch;
use crate::ply::Ply;
use crate::ruling::Ruled;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::ms;
use adoube_rules::{GameKind, GameResult, Played, Seated};

/// Milliseconds with at most three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Millis {
    micros: u64,
}

impl Millis {
    /// Of nanoseconds.
    #[must_use]
    pub fn of_ns(ns: u64) -> Self {
        Self { micros: ns / 1_000 }
    }

    /// In microseconds.
    #[must_use]
    pub fn micros(self) -> u64 {
        self.micros
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.micros.is_multiple_of(1_000) {
            serializer.serialize_u64(self.micros / 1_000)
        } else {
            serializer.serialize_f64(self.micros as f64 / 1_000.0)
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ms = f64::deserialize(deserializer)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time is no larger, and not below 0"
        )]
        let micros = (ms * 1_000.0).round() as u64;
        Ok(Self { micros })
    }
}

/// How sure a move is: 0 to 1, three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confidence {
    milli: u16,
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.milli) / 1_000.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_one = f64::deserialize(deserializer)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let milli = (of_one.clamp(0.0, 1.0) * 1_000.0).round() as u16;
        Ok(Self { milli })
    }
}

/// A struct that is written as it stands here.
macro_rules! told {
    ($( $(#[$doc:meta])* $name:ident { $( $(#[$of:meta])* $field:ident: $type:ty, )* } )*) => { $(
        $(#[$doc])*
        #[derive(utoipa::ToSchema)]
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $(
            $(#[$of])*
            pub $field: $type,
        )* }
    )* };
}

told! {
    /// A round that was opened or closed.
    RoundSaid {
        /// Its number.
        round: u32,
        /// Its day, if it is known.
        date: Option<String>,
    }

    /// A game that was opened, or changed.
    GameSaid {
        /// Its round, if there is one.
        round: Option<u32>,
        /// Its number in the round.
        number: u32,
        /// What is played.
        variant: GameKind,
        /// FEN of the start, or the variant's text of a position.
        start: String,
        /// Time control, if known.
        time_control: Option<String>,
        /// White.
        white: Player,
        /// Black.
        black: Player,
        /// Of four players Red, whose partner is Blue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        red: Option<Player>,
        /// Of four players Blue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blue: Option<Player>,
        /// Its place in a match of two teams.
        #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
        team_match: Option<TeamMatch>,
        /// The result, `*` for none.
        result: Score,
    }

    /// A game that was closed.
    ClosedSaid {
        /// The result, `*` for none.
        result: Score,
    }

    /// A board that answers.
    ConnectedSaid {
        /// Its own number, if it told it.
        serial: Option<String>,
        /// Protocol that it speaks.
        protocol: String,
        /// Where it was found.
        port: String,
    }

    /// A board that says nothing, or is gone.
    AgeSaid {
        /// Milliseconds since it was last heard.
        age_ms: u64,
    }

    /// A piece that was lifted or placed.
    HandledSaid {
        /// The square.
        square: SquareName,
        /// The piece, if the board names it.
        piece: Option<String>,
        /// First evidence, milliseconds since the board was opened.
        #[schema(value_type = f64)]
        first_ms: Millis,
    }

    /// What the clock shows; nothing where there is none.
    ClockSaid {
        /// White's time, milliseconds.
        white_ms: Option<u64>,
        /// Black's time, milliseconds.
        black_ms: Option<u64>,
        /// Whose time runs.
        running: Option<Side>,
        /// Whose flags are down.
        flags: Vec<Side>,
        /// Moves that the clock has counted.
        counter: Option<BySide>,
    }

    /// A press.
    PressedSaid {
        /// Who pressed.
        side: Side,
        /// Times at the press; null on a board without a clock.
        clock: Option<BothTimes>,
    }

    /// An announced move.
    MadeSaid {
        /// From 1 at the game's start.
        ply: Ply,
        /// Who moved; of four players their team.
        side: Side,
        /// Of four players who.
        #[serde(flatten)]
        #[schema(value_type = adoube_rules::SeatedIfAny)]
        seated: Option<Seated>,
        /// Standard algebraic notation; of four players long coordinates.
        san: String,
        /// From-to notation.
        uci: String,
        /// FEN after it.
        fen: String,
        /// False only for an illegal move that stands.
        legal: bool,
        /// How sure it is, 0 to 1.
        #[schema(value_type = f64)]
        confidence: Confidence,
        /// First lift of a piece of it, milliseconds since the board was opened.
        first_lift_ms: u64,
        /// When it was made.
        made_ms: u64,
        /// Times then.
        clock: Option<BothTimes>,
        /// Why it is said.
        cause: Cause,
    }

    /// A completed move.
    CompletedSaid {
        /// Its number.
        ply: Ply,
        /// Who moved; of four players their team.
        side: Side,
        /// Of four players who.
        #[serde(flatten)]
        #[schema(value_type = adoube_rules::SeatedIfAny)]
        seated: Option<Seated>,
        /// Standard algebraic notation.
        san: String,
        /// From-to notation.
        uci: String,
        /// By what it was completed.
        by: CompletedBy,
        /// When.
        completed_ms: u64,
        /// Times then.
        clock: Option<BothTimes>,
    }

    /// A move that is withdrawn, with every later one.
    RetractedSaid {
        /// Its number.
        ply: Ply,
        /// Who moved; of four players their team.
        side: Side,
        /// Of four players who.
        #[serde(flatten)]
        #[schema(value_type = adoube_rules::SeatedIfAny)]
        seated: Option<Seated>,
        /// Standard algebraic notation.
        san: String,
        /// From-to notation.
        uci: String,
        /// FEN of the position that holds now.
        fen: String,
        /// Why.
        cause: Cause,
    }
}

/// What an event says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A round was opened.
    RoundOpened(RoundSaid),
    /// A round was closed.
    RoundClosed(RoundSaid),
    /// A game was opened.
    GameOpened(Arc<GameSaid>),
    /// What is known of a game changed.
    GameChanged(Arc<GameSaid>),
    /// A game was closed.
    GameClosed(ClosedSaid),
    /// A board answers.
    BoardConnected(ConnectedSaid),
    /// Nothing comes from a board.
    BoardStale(AgeSaid),
    /// A board is gone.
    BoardLost(AgeSaid),
    /// A piece was lifted.
    PieceLifted(HandledSaid),
    /// A piece was placed.
    PiecePlaced(HandledSaid),
    /// The clock was read.
    ClockRead(ClockSaid),
    /// The clock was pressed.
    Pressed(PressedSaid),
    /// A ruling was carried out.
    Ruled(Box<Ruled>),
    /// A move was announced.
    MoveMade(Arc<MadeSaid>),
    /// A move was completed.
    MoveCompleted(Arc<CompletedSaid>),
    /// A move was withdrawn.
    MoveRetracted(Arc<RetractedSaid>),
    /// A record was opened or changed.
    Record(Box<Recorded>),
}

/// Adds the fields of `said` to those of its envelope.
pub(super) fn write(said: &impl Serialize, fields: &mut Fields) {
    if let Ok(serde_json::Value::Object(own)) = serde_json::to_value(said) {
        fields.extend(own);
    }
}

/// Reads what [`write()`] wrote.
pub(super) fn read<'de, T: Deserialize<'de>>(fields: &'de Fields) -> Result<T, String> {
    T::deserialize(fields).map_err(|error| error.to_string())
}

impl Said {
    /// The `type` of the event.
    #[must_use]
    pub fn name(&self) -> Name {
        match self {
            Self::RoundOpened(_) => Name::RoundOpened,
            Self::RoundClosed(_) => Name::RoundClosed,
            Self::GameOpened(_) => Name::GameOpened,
            Self::GameChanged(_) => Name::GameChanged,
            Self::GameClosed(_) => Name::GameClosed,
            Self::BoardConnected(_) => Name::BoardConnected,
            Self::BoardStale(_) => Name::BoardStale,
            Self::BoardLost(_) => Name::BoardLost,
            Self::PieceLifted(_) => Name::PieceLifted,
            Self::PiecePlaced(_) => Name::PiecePlaced,
            Self::ClockRead(_) => Name::ClockRead,
            Self::Pressed(_) => Name::Pressed,
            Self::Ruled(_) => Name::Ruled,
            Self::MoveMade(_) => Name::MoveMade,
            Self::MoveCompleted(_) => Name::MoveCompleted,
            Self::MoveRetracted(_) => Name::MoveRetracted,
            Self::Record(recorded) => recorded.finding.name(),
        }
    }

    /// Adds its fields to those of its envelope (DESIGN 5.3).
    pub fn write(&self, fields: &mut Fields) {
        match self {
            Self::RoundOpened(said) | Self::RoundClosed(said) => write(said, fields),
            Self::GameOpened(said) | Self::GameChanged(said) => write(&**said, fields),
            Self::GameClosed(said) => write(said, fields),
            Self::BoardConnected(said) => write(said, fields),
            Self::BoardStale(said) | Self::BoardLost(said) => write(said, fields),
            Self::PieceLifted(said) | Self::PiecePlaced(said) => write(said, fields),
            Self::ClockRead(said) => write(said, fields),
            Self::Pressed(said) => write(said, fields),
            Self::Ruled(said) => said.write(fields),
            Self::MoveMade(said) => write(&**said, fields),
            Self::MoveCompleted(said) => write(&**said, fields),
            Self::MoveRetracted(said) => write(&**said, fields),
            Self::Record(said) => said.write(fields),
        }
    }

    /// Reads what an event of that name says.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    pub fn read(name: Name, fields: &Fields) -> Result<Self, String> {
        Ok(match name {
            Name::RoundOpened => Self::RoundOpened(read(fields)?),
            Name::RoundClosed => Self::RoundClosed(read(fields)?),
            Name::GameOpened => Self::GameOpened(Arc::new(read(fields)?)),
            Name::GameChanged => Self::GameChanged(Arc::new(read(fields)?)),
            Name::GameClosed => Self::GameClosed(read(fields)?),
            Name::BoardConnected => Self::BoardConnected(read(fields)?),
            Name::BoardStale => Self::BoardStale(read(fields)?),
            Name::BoardLost => Self::BoardLost(read(fields)?),
            Name::PieceLifted => Self::PieceLifted(read(fields)?),
            Name::PiecePlaced => Self::PiecePlaced(read(fields)?),
            Name::ClockRead => Self::ClockRead(read(fields)?),
            Name::Pressed => Self::Pressed(read(fields)?),
            Name::Ruled => Self::Ruled(Box::new(Ruled::read(fields).map_err(|error| error.to_string())?)),
            Name::MoveMade => Self::MoveMade(Arc::new(read(fields)?)),
            Name::MoveCompleted => Self::MoveCompleted(Arc::new(read(fields)?)),
            Name::MoveRetracted => Self::MoveRetracted(Arc::new(read(fields)?)),
            name => Self::Record(Box::new(Recorded::read(name, fields)?)),
        })
    }
}

fn both(times: Option<Times>) -> Option<BothTimes> {
    times.map(BothTimes::from)
}

impl GameSaid {
    fn of(info: &GameInfo, result: Option<GameResult>) -> Arc<Self> {
        let [white, black] = info.players.clone();
        let (red, blue) = info.red_blue.clone().map(|others| <(Player, Player)>::from(*others)).unzip();
        Arc::new(Self {
            round: info.round,
            number: info.number,
            variant: info.variant,
            start: info.start.clone(),
            time_control: info.time_control.clone(),
            white,
            black,
            red,
            blue,
            team_match: info.team_match,
            result: Score(result),
        })
    }
}

impl From<&Handled> for HandledSaid {
    fn from(handled: &Handled) -> Self {
        Self {
            square: SquareName(handled.family.square_name(handled.square)),
            piece: handled.family.man_name(handled.content),
            first_ms: Millis::of_ns(handled.first_ns),
        }
    }
}

impl From<Option<&ClockReading>> for ClockSaid {
    fn from(reading: Option<&ClockReading>) -> Self {
        let is_down = |reading: &ClockReading, side: Side| reading.flags[side.index()];
        let flags = |reading| Side::BOTH.into_iter().filter(|&side| is_down(reading, side)).collect();
        Self {
            white_ms: reading.map(|reading| reading.left_ms[0]),
            black_ms: reading.map(|reading| reading.left_ms[1]),
            running: reading.and_then(|reading| reading.running),
            flags: reading.map(flags).unwrap_or_default(),
            counter: reading.and_then(|reading| reading.counter).map(BySide::from),
        }
    }
}

/// Who moved, and the move.
fn moved(played: &Played) -> (Side, Option<Seated>, String, String) {
    (played.side(), played.seated(), played.san(), played.uci())
}

impl From<&MoveMade> for MadeSaid {
    fn from(made: &MoveMade) -> Self {
        let (side, seated, san, uci) = moved(&made.played);
        Self {
            ply: made.ply,
            side,
            seated,
            san,
            uci,
            fen: made.played.fen(),
            legal: made.played.is_legal(),
            confidence: Confidence { milli: made.confidence_milli },
            first_lift_ms: ms(made.first_lift_ns),
            made_ms: ms(made.made_ns),
            clock: both(made.clock),
            cause: made.cause,
        }
    }
}

impl From<&MoveCompleted> for CompletedSaid {
    fn from(completed: &MoveCompleted) -> Self {
        let (side, seated, san, uci) = moved(&completed.played);
        let (by, completed_ms) = (completed.by, ms(completed.completed_ns));
        Self { ply: completed.ply, side, seated, san, uci, by, completed_ms, clock: both(completed.clock) }
    }
}

impl From<&MoveRetracted> for RetractedSaid {
    fn from(retracted: &MoveRetracted) -> Self {
        let (side, seated, san, uci) = moved(&retracted.played);
        let (fen, cause) = (retracted.fen.clone(), retracted.cause);
        Self { ply: retracted.ply, side, seated, san, uci, fen, cause }
    }
}

impl Body {
    /// What it says.
    #[must_use]
    pub fn said(&self) -> Said {
        match self {
            Self::Round { is_open, round, date } => {
                let said = RoundSaid { round: *round, date: date.clone() };
                if *is_open { Said::RoundOpened(said) } else { Said::RoundClosed(said) }
            }
            Self::GameOpened(info) => Said::GameOpened(GameSaid::of(info, None)),
            Self::GameChanged { info, result } => Said::GameChanged(GameSaid::of(info, *result)),
            Self::GameClosed { result } => Said::GameClosed(ClosedSaid { result: Score(*result) }),
            Self::BoardConnected { serial, protocol, port } => Said::BoardConnected(ConnectedSaid {
                serial: serial.clone(),
                protocol: (*protocol).to_owned(),
                port: port.clone(),
            }),
            Self::BoardStale { age_ms } => Said::BoardStale(AgeSaid { age_ms: *age_ms }),
            Self::BoardLost { age_ms } => Said::BoardLost(AgeSaid { age_ms: *age_ms }),
            Self::PieceLifted(handled) => Said::PieceLifted(handled.into()),
            Self::PiecePlaced(handled) => Said::PiecePlaced(handled.into()),
            Self::ClockRead(reading) => Said::ClockRead(reading.as_ref().into()),
            Self::Pressed { side, clock } => Said::Pressed(PressedSaid { side: *side, clock: both(*clock) }),
            Self::Ruled(ruled) | Self::RuledAfterwards(ruled) => Said::Ruled(ruled.clone()),
            Self::MoveMade(made) => Said::MoveMade(Arc::new(made.as_ref().into())),
            Self::MoveCompleted(completed) => Said::MoveCompleted(Arc::new(completed.as_ref().into())),
            Self::MoveRetracted(retracted) => Said::MoveRetracted(Arc::new(retracted.as_ref().into())),
            Self::Record(recorded) => Said::Record(recorded.clone()),
            Self::Again(said) => (**said).clone(),
        }
    }
}

/// The fields of an event of that name, for documents.
#[must_use]
pub fn schema(name: Name) -> Vec<super::finding::Schema> {
    use super::RecordHead;
    use super::finding::{Finding, Schema};
    let own = |schema| vec![schema];
    match name {
        Name::RoundOpened | Name::RoundClosed => own(Schema::among::<RoundSaid>()),
        Name::GameOpened | Name::GameChanged => own(Schema::among::<GameSaid>()),
        Name::GameClosed => own(Schema::among::<ClosedSaid>()),
        Name::BoardConnected => own(Schema::among::<ConnectedSaid>()),
        Name::BoardStale | Name::BoardLost => own(Schema::among::<AgeSaid>()),
        Name::PieceLifted | Name::PiecePlaced => own(Schema::among::<HandledSaid>()),
        Name::ClockRead => own(Schema::among::<ClockSaid>()),
        Name::Pressed => own(Schema::among::<PressedSaid>()),
        Name::MoveMade => own(Schema::among::<MadeSaid>()),
        Name::MoveCompleted => own(Schema::among::<CompletedSaid>()),
        Name::MoveRetracted => own(Schema::among::<RetractedSaid>()),
        // Its name, whoever made it, and the arguments of its form.
        Name::Ruled => Vec::new(),
        name => {
            let mut fields = vec![Schema::among::<RecordHead>()];
            fields.extend(Finding::schema(name).into_iter().flatten());
            fields.push(Schema::among::<adoube_rules::SeatedIfAny>());
            if name.row().kind == adoube_rules::laws::RowKind::Proposal {
                // The record that it belongs to, if it does to one.
                fields.extend([
                    Schema::of::<Name>("of", false),
                    Schema::of::<super::RecordId>("of_record", false),
                ]);
            }
            fields
        }
    }
}
