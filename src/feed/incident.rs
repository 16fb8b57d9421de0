//! What calls for the arbiter: how urgent it is, and the line of the log that says it.

use serde::Deserialize;
use serde_json::{Map, Value};

/// How urgent a record is, as the registry of names has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// For who looks.
    Info,
    /// Listed; nobody is interrupted.
    Notice,
    /// The arbiter should act soon.
    #[default]
    Alert,
    /// The arbiter should act now.
    Critical,
}

impl Severity {
    /// How urgent the record is that this event opens or changes; `None` if it does neither, or if it is
    /// not a matter of urgency.
    #[must_use]
    pub fn of(event: &Map<String, Value>) -> Option<Self> {
        // A ruling names a record, but has no status.
        event.get("record").filter(|_| event.contains_key("status"))?;
        match event.get("severity").and_then(Value::as_str)? {
            "info" => Some(Self::Info),
            "notice" => Some(Self::Notice),
            "alert" => Some(Self::Alert),
            "critical" => Some(Self::Critical),
            _ => None,
        }
    }
}

/// Says in the log that an alert, or worse, was opened or changed.
pub fn log(event: &Map<String, Value>) {
    if Severity::of(event).is_none_or(|severity| severity < Severity::Alert) {
        return;
    }
    let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or("-");
    tracing::warn!(
        target: "incident",
        BOARD = text("board"),
        GAME = text("game"),
        INCIDENT = text("type"),
        severity = text("severity"),
        status = text("status"),
        record = event.get("record").and_then(|number| number.as_u64()),
        article = text("article"),
        "incident"
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_opens_or_changes_a_record_is_urgent() {
        let severity = |event: Value| Severity::of(event.as_object().unwrap());
        let record = json!({ "record": 5, "status": "open", "severity": "critical" });
        assert_eq!(severity(record), Some(Severity::Critical));
        assert_eq!(severity(json!({ "record": 5, "status": "open", "severity": "" })), None);
        assert_eq!(severity(json!({ "type": "ruled", "name": "confirm", "record": 5 })), None);
        assert_eq!(severity(json!({ "type": "move-made" })), None);
        assert!(Severity::Info < Severity::Notice && Severity::Alert < Severity::Critical);
    }
}
