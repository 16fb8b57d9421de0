//! The names of everything that can be said about a game, with what is fixed about each.
//!
//! Code, events, feeds and scenarios use these names and no others; a name is never reused for
//! another meaning. The names themselves stand in `rows.rs`, those that they replaced in
//! `synonyms.rs`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::rows::{Name, ROWS};
use super::synonyms::SYNONYMS;
use super::{ArbiterActs, Edition, FlagCall, Penalty, Profile};
use crate::End;
use crate::spelling::nearest;
use crate::words::words;

words! {
    /// What an event is.
    RowKind {
        /// A sensor said it.
        Sensed = "sensed",
        /// Somebody entered it.
        Entered = "entered",
        /// A fact to know.
        Notice = "notice",
        /// Something against the Laws.
        Irregularity = "irregularity",
        /// A player asks for something.
        Claim = "claim",
        /// A way in which a game ends.
        Outcome = "outcome",
        /// Something that the arbiter may do.
        Proposal = "proposal",
    }

    /// How urgent a record is, from the least.
    Severity {
        /// For who looks.
        Info = "info",
        /// Listed; nobody is interrupted.
        Notice = "notice",
        /// The arbiter should act soon.
        Alert = "alert",
        /// The arbiter should act now.
        Critical = "critical",
    }

    /// On what a record rests.
    Certainty {
        /// On frames, presses and readings alone.
        Sensed = "sensed",
        /// On these and a model of the rules.
        Inferred = "inferred",
        /// On a hint: the arbiter must confirm.
        Suspected = "suspected",
        /// On what somebody entered.
        Entered = "entered",
    }
}

/// What is fixed about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The event's `type`.
    pub name: &'static str,
    /// What it is.
    pub kind: RowKind,
    /// How urgent it is; none for a proposal, which is as urgent as its record. What a profile makes of it:
    /// [`Profile::severity`].
    pub severity: Option<Severity>,
    /// On what it rests.
    pub certainty: Certainty,
    /// The articles, by [`Edition::index`]; `None` where the edition has no rule.
    pub articles: [Option<&'static str>; 4],
    /// Who may see it.
    pub see: See,
    /// Does it need a board that tells pieces apart?
    pub identity_only: bool,
    /// Does it count as an illegal move? What a profile makes of it: [`Profile::counted`].
    pub counted: Counted,
}

/// Who may see an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum See {
    /// The arbiter's channel only.
    Arbiter,
    /// The public feed too.
    Public,
    /// The public feed once its status is `confirmed`.
    PublicWhenConfirmed,
}

/// Whether a record counts as an illegal move of its player (7.5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It does not.
    No,
    /// It does, unless the arbiter rejects it.
    Yes,
    /// It does once the arbiter has confirmed it.
    WhenConfirmed,
}

impl Name {
    /// What is fixed about it.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The event's `type`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// The name that is written so, if there is one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        static BY_TEXT: LazyLock<BTreeMap<&str, Name>> =
            LazyLock::new(|| Name::ALL.iter().map(|name| (name.as_str(), *name)).collect());
        BY_TEXT.get(text).copied()
    }

    /// The article on which it rests in that edition; `None` where the edition has no rule.
    #[must_use]
    pub fn article(self, edition: Edition) -> Option<&'static str> {
        self.row().articles[edition.index()]
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<End> for Name {
    fn from(end: End) -> Self {
        match end {
            End::Checkmate => Self::Checkmate,
            End::Stalemate => Self::Stalemate,
            End::DeadPosition => Self::DeadPosition,
        }
    }
}

impl From<Penalty> for Name {
    fn from(penalty: Penalty) -> Self {
        match penalty {
            Penalty::Warning => Self::Warning,
            Penalty::AddTimeOpponent => Self::AddTimeOpponent,
            Penalty::ReduceTimeOffender => Self::ReduceTimeOffender,
            Penalty::RaiseOpponentScore => Self::RaiseOpponentScore,
            Penalty::ReduceOffenderScore => Self::ReduceOffenderScore,
            Penalty::GameLost => Self::GameLost,
            Penalty::Fine => Self::Fine,
            Penalty::ExcludeRounds => Self::ExcludeRounds,
            Penalty::Expel => Self::Expel,
        }
    }
}

impl From<Name> for Value {
    fn from(name: Name) -> Self {
        name.as_str().into()
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| serde::de::Error::custom(format!("no name of the registry: {text}")))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, text: &str) -> bool {
        self.as_str() == text
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == *text
    }
}

/// The row of `name`, if there is one.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    Name::read(name).map(Name::row)
}

/// Every name, in the order of the registry.
pub fn names() -> impl Iterator<Item = &'static str> {
    Name::ALL.iter().map(|name| name.as_str())
}

/// What to use instead of a name that does not exist: what replaced it, or the nearest name.
#[must_use]
pub fn hint(given: &str) -> String {
    match SYNONYMS.iter().find(|(old, _)| *old == given) {
        Some((_, now)) => format!("use {now}"),
        None => format!("did you mean \"{}\"?", nearest(given, names())),
    }
}

impl Profile {
    /// How urgent a record of that name is: the registry's severity, lowered where the rules leave the
    /// matter to the players (2005 rapid and blitz: B5 to B7, C2) or do not punish it.
    #[must_use]
    pub fn severity(&self, name: Name) -> Option<Severity> {
        // 2005 rapid: he acts on the gross ones only, which are told by their kinds.
        let is_evidence = matches!(self.illegal_arbiter_acts, ArbiterActs::OnlyGross | ArbiterActs::Never);
        match name {
            Name::IllegalMoveCompleted if is_evidence => Some(Severity::Info),
            Name::TouchMoveSuspected if !self.article4_arbiter_duty => Some(Severity::Info),
            Name::FlagFallen if self.flag_called_by == FlagCall::PlayerOnly => Some(Severity::Info),
            Name::ClockPressedWithoutMove if !self.press_without_move_is_illegal => Some(Severity::Notice),
            _ => name.row().severity,
        }
    }

    /// Whether a record of that name counts as an illegal move. Where the arbiter does not act by
    /// himself, it is the opponent's complaint that counts it.
    #[must_use]
    pub fn counted(&self, name: Name) -> Counted {
        match name {
            Name::ClockPressedWithoutMove if !self.press_without_move_is_illegal => Counted::No,
            Name::TwoHandsSuspected if !self.two_hands_is_illegal => Counted::No,
            _ => name.row().counted,
        }
    }
}
impl utoipa::__dev::ComposeSchema for Name {
    fn compose(
        _generics: Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>>,
    ) -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .description(Some("A name of the registry"))
            .into()
    }
}

impl utoipa::ToSchema for Name {
    // What the list of names says of one has the other name.
    fn name() -> std::borrow::Cow<'static, str> {
        "EventName".into()
    }
}
