//! What fields of findings are made of.

use serde::{Deserialize, Serialize};

use crate::event::Times;
use crate::ply::Ply;
use crate::ruling::Task;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::{GameResult, MateBasis, MateReason};

use super::{Absent, FirstFlag, Many, MateWord, PartState};

/// Both times, milliseconds.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BothTimes {
    /// White's.
    pub white_ms: u64,
    /// Black's.
    pub black_ms: u64,
}

impl From<Times> for BothTimes {
    fn from([white_ms, black_ms]: Times) -> Self {
        Self { white_ms, black_ms }
    }
}

impl From<BothTimes> for Times {
    fn from(times: BothTimes) -> Self {
        [times.white_ms, times.black_ms]
    }
}

/// A number of each side.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySide {
    /// White's.
    pub white: u32,
    /// Black's.
    pub black: u32,
}

impl From<[u32; 2]> for BySide {
    fn from([white, black]: [u32; 2]) -> Self {
        Self { white, black }
    }
}

/// The name of a square, such as `e4`.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SquareName(pub String);

/// A result as events write it: `1-0`, `+/-`, `*` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score(pub Option<GameResult>);

impl Score {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.map_or("*", GameResult::name)
    }
}

impl From<GameResult> for Score {
    fn from(result: GameResult) -> Self {
        Self(Some(result))
    }
}

impl Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        match text.as_ref() {
            "*" => Ok(Self(None)),
            text => text.parse().map(|result| Self(Some(result))).map_err(serde::de::Error::custom),
        }
    }
}

/// By what a game ended, as events write it: the outcome's name, or `ruling`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The outcome of that name.
    Outcome(Name),
    /// A ruling that rests on no outcome.
    Ruling,
}

impl EndedBy {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outcome(name) => name.as_str(),
            Self::Ruling => "ruling",
        }
    }
}

impl<T: Into<Name>> From<T> for EndedBy {
    fn from(name: T) -> Self {
        Self::Outcome(name.into())
    }
}

impl Serialize for EndedBy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EndedBy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        match text.as_ref() {
            "ruling" => Ok(Self::Ruling),
            text => {
                Name::read(text).map(Self::Outcome).ok_or_else(|| serde::de::Error::custom("no such name"))
            }
        }
    }
}

/// What a claim that was not admitted was about: a claim of the registry, or a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// The claim of that name.
    Claim(Name),
    /// The pieces were set up wrong.
    SetupWrong,
    /// The board lies wrong.
    OrientationWrong,
    /// A ply was illegal.
    ReportIllegal,
}

impl Claimed {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claim(name) => name.as_str(),
            Self::SetupWrong => "setup-wrong",
            Self::OrientationWrong => "orientation-wrong",
            Self::ReportIllegal => "report-illegal",
        }
    }
}

impl<T: Into<Name>> From<T> for Claimed {
    fn from(name: T) -> Self {
        Self::Claim(name.into())
    }
}

impl Serialize for Claimed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Claimed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        match text.as_ref() {
            "setup-wrong" => Ok(Self::SetupWrong),
            "orientation-wrong" => Ok(Self::OrientationWrong),
            "report-illegal" => Ok(Self::ReportIllegal),
            text => {
                Name::read(text).map(Self::Claim).ok_or_else(|| serde::de::Error::custom("no such claim"))
            }
        }
    }
}

/// How many series of moves explain what the board shows: 0, 1, or `many`.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Paths {
    /// None, or one.
    Counted(u8),
    /// Several.
    Several(Many),
}

impl Paths {
    /// None does.
    pub const NONE: Self = Self::Counted(0);

    /// So many do.
    #[must_use]
    pub fn of(count: usize) -> Self {
        match count {
            0 => Self::NONE,
            1 => Self::Counted(1),
            _ => Self::Several(Many::Many),
        }
    }
}

mod schemas {
    use utoipa::ToSchema;
    use utoipa::openapi::schema::{ObjectBuilder, Type};
    use utoipa::openapi::{RefOr, Schema};
    // What a generic type such as `Option` asks of its part.
    use utoipa::__dev::ComposeSchema;

    use super::{Claimed, EndedBy, Score};

    fn text(description: &str) -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).description(Some(description)).into()
    }

    macro_rules! text {
        ($($type:ty: $description:literal),*) => { $(
            impl ComposeSchema for $type {
                fn compose(_generics: Vec<RefOr<Schema>>) -> RefOr<Schema> {
                    text($description)
                }
            }

            impl ToSchema for $type {}
        )* };
    }

    text!(
        Score: "A result: `1-0`, `0-1`, `1/2-1/2`, `+/-`, `-/+`, `-/-`, `0-0`, `0-1/2`, `1/2-0`, `1/2-1`, `1-1/2`, `1-1`; `*` for none",
        EndedBy: "The name of an outcome, or `ruling`",
        Claimed: "The name of a claim, or of a report"
    );
}

/// What every claim says.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimHead {
    /// Who claims.
    pub side: Side,
    /// After which ply.
    pub ply: Ply,
    /// Its conditions are met.
    pub admissible: bool,
    /// The how many-th claim of that side it is.
    pub count: u32,
}

/// A position that proves a claim.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofPosition {
    /// After so many plies.
    pub ply: usize,
    /// The move that led to it.
    pub san: Option<String>,
    /// The position.
    pub fen: String,
    /// When that move was made.
    pub made_ms: Option<u64>,
    /// It is one of those that count.
    pub counts: bool,
}

/// A flag that is down.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagDown {
    /// Whose.
    pub side: Side,
    /// When it fell.
    pub at_ms: u64,
    /// In which period, from 1.
    pub period: usize,
    /// Moves made.
    pub made: u32,
    /// Moves completed.
    pub completed: u32,
    /// Moves that the period asks for.
    pub required: Option<u32>,
}

impl From<Side> for FirstFlag {
    fn from(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

impl From<Side> for Absent {
    fn from(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

/// A piece that was touched.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// Where it stood.
    pub square: SquareName,
    /// Which.
    pub piece: Option<String>,
    /// When it was lifted.
    pub at_ms: u64,
    /// When it was put back.
    pub returned_ms: Option<u64>,
}

/// A position that can be gone back to.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// After so many plies.
    pub ply: Ply,
    /// The position.
    pub fen: String,
    /// Times then.
    pub clock: Option<BothTimes>,
    /// Moves completed then.
    pub completed: BySide,
}

/// What hands have to do for a ruling, and how far it is.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolutionPart {
    /// What.
    pub name: Task,
    /// How far it is.
    pub state: PartState,
    /// The position after this ply stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// Its squares that were never right yet; one that was put right goes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub squares: Vec<SquareName>,
    /// Whose clock shows it, or whose time runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// What it shows, penalties included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_ms: Option<u64>,
    /// What of that was given, or taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_ms: Option<i64>,
}

/// A move of a line that mates.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineMove {
    /// From-to notation.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
}

/// Why a side cannot mate.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoMate {
    /// The side.
    pub side: Side,
    /// The reason.
    pub reason: MateReason,
    /// How many positions were played through, where that is the reason.
    pub positions: Option<u32>,
}

/// A field that is there, even if it is null.
fn told<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(fields: D) -> Result<Option<T>, D::Error> {
    T::deserialize(fields).map(Some)
}

/// Whether a player can still be mated, and what the answer rests on; nothing where it was not asked.
#[derive(utoipa::ToSchema, Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mate {
    /// The answer.
    #[serde(rename = "mate_test", default, skip_serializing_if = "Option::is_none")]
    pub test: Option<MateWord>,
    /// Who is to mate.
    #[serde(rename = "mate_side", default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The position of which it was asked: the last legal one; null where there is none.
    #[serde(
        rename = "mate_fen",
        default,
        deserialize_with = "told",
        skip_serializing_if = "Option::is_none"
    )]
    pub fen: Option<Option<String>>,
    /// Moves from there that mate, as many as are written out.
    #[serde(rename = "mate_line", default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<LineMove>>,
    /// How many plies it is to the mate.
    #[serde(rename = "mate_plies", default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
    /// The mate.
    #[serde(rename = "mate_end", default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Why there is none.
    #[serde(rename = "mate_reason", default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<MateReason>,
    /// How many positions were played through, where that is the reason.
    #[serde(rename = "mate_positions", default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u32>,
    /// What speaks for one or the other.
    #[serde(rename = "mate_basis", default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<MateBasis>,
    /// How many positions were looked at for nothing.
    #[serde(rename = "mate_nodes", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// Of a dead position, why neither side mates.
    #[serde(rename = "mate_reasons", default, skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<NoMate>>,
}

impl Mate {
    /// It is proved that there is no mate.
    #[must_use]
    pub fn is_no(&self) -> bool {
        self.test == Some(MateWord::No)
    }
}
