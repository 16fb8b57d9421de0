//! What calls for the arbiter: how urgent it is, and the line of the log that says it.

use adoube_core::event::{Numbered, Said};
use adoube_rules::laws::Severity;

/// How urgent the record is that this event opens or changes; `None` if it does neither. A ruling names a record, and is
/// none.
#[must_use]
pub fn severity(event: &Numbered) -> Option<Severity> {
    let Said::Record(recorded) = &event.said else { return None };
    recorded.severity.or_else(|| recorded.finding.name().row().severity)
}

/// Says in the log that an alert, or worse, was opened or changed.
pub fn log(event: &Numbered) {
    let (Said::Record(recorded), Some(severity)) = (&event.said, severity(event)) else { return };
    if severity < Severity::Alert {
        return;
    }
    tracing::warn!(
        target: "incident",
        BOARD = &*event.board,
        GAME = event.game.as_deref().unwrap_or("-"),
        INCIDENT = event.name().as_str(),
        severity = severity.as_str(),
        status = recorded.status.as_str(),
        record = recorded.record.0,
        article = recorded.article.as_deref().unwrap_or("-"),
        "incident"
    );
}
