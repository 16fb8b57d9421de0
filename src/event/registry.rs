//! The names of laws-registry.md that are in use, with what the registry fixes about each.

/// The edition whose articles [`row`] gives.
pub const EDITION: &str = "2023";

/// One row of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The event's `type`.
    pub name: &'static str,
    /// `sensed`, `entered`, `notice`, `irregularity`, `claim`, `outcome`, `proposal`.
    pub kind: &'static str,
    /// `info`, `notice`, `alert`, `critical`; empty where the registry gives none.
    pub severity: &'static str,
    /// `sensed`, `inferred`, `suspected`, `entered`.
    pub certainty: &'static str,
    /// Article of the 2023 edition, or `None`.
    pub article: Option<&'static str>,
    /// Who may see it.
    pub see: See,
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

const fn row_of(
    name: &'static str,
    kind: &'static str,
    severity: &'static str,
    certainty: &'static str,
    article: Option<&'static str>,
    see: See,
) -> Row {
    Row { name, kind, severity, certainty, article, see }
}

use See::{Arbiter, Public, PublicWhenConfirmed};

const ROWS: [Row; 29] = [
    row_of("round-opened", "entered", "", "entered", None, Public),
    row_of("round-closed", "entered", "", "entered", None, Public),
    row_of("game-opened", "entered", "", "entered", None, Public),
    row_of("game-changed", "entered", "", "entered", None, Public),
    row_of("game-closed", "entered", "", "entered", None, Public),
    row_of("board-connected", "sensed", "", "sensed", None, Arbiter),
    row_of("board-stale", "sensed", "", "sensed", None, Arbiter),
    row_of("board-lost", "sensed", "", "sensed", None, Arbiter),
    row_of("piece-lifted", "sensed", "", "sensed", None, Arbiter),
    row_of("piece-placed", "sensed", "", "sensed", None, Arbiter),
    row_of("pressed", "sensed", "", "sensed", None, Arbiter),
    row_of("clock-read", "sensed", "", "sensed", None, Public),
    row_of("ruled", "entered", "", "entered", None, Arbiter),
    row_of("journal-degraded", "sensed", "", "sensed", None, Arbiter),
    row_of("journal-gap", "sensed", "", "sensed", None, Arbiter),
    row_of("move-made", "notice", "info", "inferred", Some("4.7"), Public),
    row_of("move-completed", "notice", "info", "sensed", Some("6.2.1"), Public),
    row_of("move-retracted", "notice", "notice", "inferred", Some("7.1"), Public),
    row_of("game-started", "notice", "info", "sensed", Some("6.6"), Public),
    row_of("promotion-piece-unknown", "notice", "notice", "sensed", Some("3.7.3.3"), Arbiter),
    row_of("ambiguous-move", "notice", "notice", "inferred", None, Arbiter),
    row_of("record-gap", "irregularity", "alert", "inferred", Some("7.2.1"), Arbiter),
    row_of("unexplained-position", "irregularity", "alert", "inferred", Some("Preface"), Arbiter),
    row_of("board-rotated-180", "notice", "info", "sensed", Some("2.1"), Arbiter),
    row_of("result-signalled", "notice", "notice", "sensed", Some("8.7"), Public),
    row_of("checkmate", "outcome", "critical", "sensed", Some("5.1.1"), Public),
    row_of("stalemate", "outcome", "critical", "sensed", Some("5.2.1"), Public),
    row_of("dead-position", "outcome", "critical", "inferred", Some("5.2.2"), Public),
    row_of("game-over", "notice", "notice", "sensed", Some("8.7"), Public),
];

const UNKNOWN: Row = row_of("", "notice", "notice", "inferred", None, Arbiter);

/// The row of `name`. A name that is not in the table is for the arbiter only.
#[must_use]
pub fn row(name: &str) -> Row {
    ROWS.iter().find(|row| row.name == name).copied().unwrap_or(UNKNOWN)
}

/// May an event of this name and status be public?
#[must_use]
pub fn is_public(name: &str, status: Option<&str>) -> bool {
    match row(name).see {
        Arbiter => false,
        Public => true,
        PublicWhenConfirmed => status == Some("confirmed"),
    }
}
