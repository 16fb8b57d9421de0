//! What the registry of names fixes about events: their kind, and who may see them.

pub use crate::rules::laws::{Row, See};

use crate::rules::laws;

/// A name that is not in the registry is for the arbiter only.
const UNKNOWN: Row = Row {
    name: "",
    kind: "notice",
    severity: "notice",
    certainty: "inferred",
    articles: [None; 4],
    see: See::Arbiter,
    identity_only: false,
    counted: laws::Counted::No,
};

/// The row of `name`. A name that is not in the table is for the arbiter only.
#[must_use]
pub fn row(name: &str) -> Row {
    laws::row(name).copied().unwrap_or(UNKNOWN)
}

/// May an event of this name and status be public?
#[must_use]
pub fn is_public(name: &str, status: Option<&str>) -> bool {
    let row = row(name);
    match row.see {
        See::Arbiter => false,
        // An outcome that waits for the arbiter would tell that a claim or a dispute is open (12.6).
        See::Public => row.kind != "outcome" || status.is_none_or(|status| status == "confirmed"),
        See::PublicWhenConfirmed => status == Some("confirmed"),
    }
}
