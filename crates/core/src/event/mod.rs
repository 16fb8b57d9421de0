//! What the core says: typed events, the numbers that the journal gives them, and the public ones.
//!
//! [`Event`] is what a table decided. [`Numbered`] is the same as one JSON object with its place in
//! the journal; [`PublicEvent`] is what spectators may see of it. [`publish`] is the only way from
//! one to the other (DESIGN 2): everything public is built from [`PublicEvent`] alone. [`Publisher`] does it
//! for a row of them, some of which wait for others.

pub mod finding;
mod numbering;
pub mod public;
pub mod said;
// For tests, those of other crates among them.
#[doc(hidden)]
pub mod testing;
mod withhold;

pub use finding::{Finding, RecordId};
pub use numbering::{Numbered, Numbering};
pub use public::{PublicClock, PublicEvent, PublicResult, PublicSaid, PublicStatus, PublicThreat, publish};
pub use said::Said;
pub use withhold::{Publicity, Publisher, Withholding};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ply::Ply;
use crate::ruling::Ruled;
use adoube_rules::laws::{Certainty, Edition, Name, Severity};
use adoube_rules::sensor::{ClockReading, Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::words::words;
use adoube_rules::{Family, GameKind, GameResult, Played, Seated, Shown};
use finding::{BothTimes, Fields, Window};

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
    /// A ruling was carried out on a game that no table has any more; it names what it is about by its `seq`.
    RuledAfterwards(Box<Ruled>),
    /// A move is announced.
    MoveMade(Box<MoveMade>),
    /// A move is completed.
    MoveCompleted(Box<MoveCompleted>),
    /// A move and all later ones are withdrawn.
    MoveRetracted(Box<MoveRetracted>),
    /// Any other name of the registry.
    Record(Box<Recorded>),
    /// What was said under another name.
    Again(Box<Said>),
}

/// A piece lifted or placed.
#[derive(Debug, Clone, Copy)]
pub struct Handled {
    /// The square, as the game has it.
    pub square: Square,
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
#[derive(utoipa::ToSchema, Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// What is played. It is the table's, and not written down beside it.
    #[serde(skip)]
    pub variant: GameKind,
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

/// The place of a game in a match of two teams.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamMatch {
    /// The match in its round, from 1.
    pub number: u32,
    /// The board in the match, from 1.
    pub board: u32,
}

/// An announced move.
#[derive(Debug, Clone)]
pub struct MoveMade {
    /// Its number, from 1 at the game's start.
    pub ply: Ply,
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

words! {
    /// Why a move is announced or withdrawn.
    Cause {
        /// The players did it.
        Played = "played",
        /// Another explanation of the readings became better.
        Explanation = "explanation",
        /// A ruling.
        Ruling = "ruling",
        /// Supplied after a gap in the record.
        Recovered = "recovered",
    }

    /// What completes a move (6.2.1).
    CompletedBy {
        /// The player's press.
        Press = "press",
        /// The same side's next move.
        NextMove = "next-move",
        /// The end of the game.
        GameEnd = "game-end",
        /// A ruling.
        Ruling = "ruling",
    }

    /// Where a record stands.
    Status {
        /// Waiting.
        Open = "open",
        /// An arbiter confirmed it, or it needs no confirmation.
        Confirmed = "confirmed",
        /// An arbiter rejected it.
        Rejected = "rejected",
        /// What it asked for was done.
        Corrected = "corrected",
        /// Its window closed.
        Expired = "expired",
        /// The reading on which it rested turned out otherwise.
        Withdrawn = "withdrawn",
    }
}

/// A completed move.
#[derive(Debug, Clone)]
pub struct MoveCompleted {
    /// Its number.
    pub ply: Ply,
    /// The move.
    pub played: Played,
    /// By what it was completed.
    pub by: CompletedBy,
    /// When, nanoseconds since the board was opened.
    pub completed_ns: u64,
    /// Times then.
    pub clock: Option<Times>,
}

/// A withdrawn move; every later one goes with it.
#[derive(Debug, Clone)]
pub struct MoveRetracted {
    /// Its number.
    pub ply: Ply,
    /// The move.
    pub played: Played,
    /// FEN of the position that holds now.
    pub fen: String,
    /// Why.
    pub cause: Cause,
}

/// The record of a notice, irregularity, claim, outcome or proposal of the registry, as it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Which.
    pub record: RecordId,
    /// Where it stands.
    pub status: Status,
    /// The edition of the Laws that it rests on.
    pub edition: Edition,
    /// The articles that it cites, if the edition has any for it.
    pub article: Option<String>,
    /// The severity, where this case is more or less urgent than the name's.
    pub severity: Option<Severity>,
    /// Until when it can be acted on.
    pub window: Option<Window>,
    /// The positions before and after, where there is a before and an after.
    pub fens: Option<[Shown; 2]>,
    /// Times, if a clock is there.
    pub clock: Option<Times>,
    /// The first and last input that show it.
    pub readings: (u64, u64),
    /// What was found.
    pub finding: Finding,
    /// The record that a proposal belongs to.
    pub of: Option<OfRecord>,
    /// Of several players of a side, whom it is about.
    pub seated: Option<Seated>,
}

/// The record that a proposal belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfRecord {
    /// Its name.
    pub of: Name,
    /// Which.
    pub of_record: RecordId,
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
            Self::Ruled(_) | Self::RuledAfterwards(_) => Name::Ruled,
            Self::MoveMade(_) => Name::MoveMade,
            Self::MoveCompleted(_) => Name::MoveCompleted,
            Self::MoveRetracted(_) => Name::MoveRetracted,
            Self::Record(recorded) => recorded.finding.name(),
            Self::Again(said) => said.name(),
        }
    }
}

impl Recorded {
    /// A record of no table: nothing is known but what was found.
    #[must_use]
    pub fn of(record: RecordId, status: Status, finding: impl Into<Finding>) -> Self {
        Self {
            record,
            status,
            edition: Edition::default(),
            article: None,
            severity: None,
            window: None,
            fens: None,
            clock: None,
            readings: (0, 0),
            finding: finding.into(),
            of: None,
            seated: None,
        }
    }

    /// What was found, for a reader who sees no numbers of records.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let mut fields = Fields::new();
        self.finding.write(&mut fields);
        self.of.iter().for_each(|of| drop(fields.insert("of".into(), of.of.into())));
        self.seated.iter().for_each(|seated| said::write(seated, &mut fields));
        fields
    }

    /// Each number of a record in it.
    pub(crate) fn each_record(&mut self, each: &mut dyn FnMut(&mut RecordId)) {
        each(&mut self.record);
        self.of.iter_mut().for_each(|of| each(&mut of.of_record));
        self.finding.each_record(each);
    }

    fn write(&self, fields: &mut Fields) {
        let (fen_before, fen_after) = self.fens.as_ref().map(|[one, two]| (one.fen(), two.fen())).unzip();
        let row = self.finding.name().row();
        let head = RecordHead {
            record: self.record,
            status: self.status,
            severity: self.severity.or(row.severity),
            certainty: self.finding.certainty(),
            article: self.article.clone(),
            edition: self.edition,
            window: self.window,
            fen_before,
            fen_after,
            clock: self.clock.map(BothTimes::from),
            readings: self.readings,
        };
        said::write(&head, fields);
        self.finding.write(fields);
        self.of.iter().for_each(|of| said::write(of, fields));
        self.seated.iter().for_each(|seated| said::write(seated, fields));
    }

    /// Reads the record of that name.
    fn read(name: Name, fields: &Fields) -> Result<Self, String> {
        let head: RecordHead = said::read(fields)?;
        let finding = Finding::read(name, fields).ok_or_else(|| format!("{name} is no record"))??;
        let has = |key: &str| fields.contains_key(key);
        Ok(Self {
            record: head.record,
            status: head.status,
            edition: head.edition,
            article: head.article,
            severity: head.severity,
            window: head.window,
            fens: head.fen_before.zip(head.fen_after).map(|(one, two)| [Shown::Text(one), Shown::Text(two)]),
            clock: head.clock.map(Times::from),
            readings: head.readings,
            finding,
            of: has("of_record").then(|| said::read(fields)).transpose()?,
            seated: has("seat").then(|| said::read(fields)).transpose()?,
        })
    }
}

/// How urgent a record is, empty if it is no matter of urgency.
mod urgency {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use adoube_rules::laws::Severity;

    // Serde gives a reference.
    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref)]
    pub(super) fn serialize<S: Serializer>(
        severity: &Option<Severity>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match severity {
            Some(severity) => severity.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Severity>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(None);
        }
        adoube_rules::words::read("severity", &text).map(Some).map_err(serde::de::Error::custom)
    }
}

/// What every record says.
#[derive(utoipa::ToSchema, Debug, Clone, Serialize, Deserialize)]
pub struct RecordHead {
    /// Its number: the `seq` of the event that opened it.
    pub record: RecordId,
    /// Where it stands.
    pub status: Status,
    /// How urgent it is; empty if it is no matter of urgency.
    #[serde(with = "urgency")]
    #[schema(value_type = String, example = "critical")]
    pub severity: Option<Severity>,
    /// On what it rests.
    pub certainty: Certainty,
    /// The articles that it cites.
    pub article: Option<String>,
    /// The edition of the Laws that they are of.
    pub edition: Edition,
    /// Until when it can be acted on.
    pub window: Option<Window>,
    /// The position before it.
    pub fen_before: Option<String>,
    /// The position after it.
    pub fen_after: Option<String>,
    /// Times.
    pub clock: Option<BothTimes>,
    /// The first and the last input that show it.
    #[schema(value_type = [u64; 2])]
    pub readings: (u64, u64),
}

impl Event {
    /// Whole milliseconds since the board was opened.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.elapsed_ns / MS
    }
}
