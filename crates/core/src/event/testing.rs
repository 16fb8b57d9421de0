//! Events for tests: what matters to a test is given, the rest is made up.

// What a test gives wrongly fails it.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use serde_json::{Value, json};

use super::{Numbered, PublicEvent};

/// The event with these fields, and with others made up so that it is one of its type.
fn filled(given: Value) -> Value {
    let kind = given["type"].as_str().unwrap().to_owned();
    let mut event = json!({ "seq": 1, "id": 1, "at": "2026-05-01T10:00:00.000Z", "t_ms": 0, "board": "1",
        "game": null });
    let record = given.get("seq").cloned().unwrap_or_else(|| 1.into());
    let own = match kind.as_str() {
        "game-opened" | "game-changed" => {
            json!({ "round": null, "number": 1, "variant": "chess", "start": "",
            "time_control": null, "white": { "name": null }, "black": { "name": null }, "result": "*" })
        }
        "move-made" | "move-completed" | "move-retracted" => json!({ "ply": 1, "side": "white", "san": "",
            "uci": "", "fen": "", "legal": true, "confidence": 1.0, "first_lift_ms": 0, "made_ms": 0,
            "clock": null, "cause": "played", "by": "press", "completed_ms": 0 }),
        "clock-read" => json!({ "flags": [] }),
        "board-connected" => json!({ "serial": null, "protocol": "dgt", "port": "" }),
        _ => {
            json!({ "ply": 1, "side": "white", "record": record, "status": "confirmed", "severity": "notice",
            "certainty": "sensed", "edition": "2023", "readings": [0, 0], "reason": "ruling" })
        }
    };
    for fields in [own, given] {
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    }
    event
}

/// That event, as the journal has it.
#[must_use]
pub fn numbered(given: Value) -> Numbered {
    Numbered::from_json(&filled(given).to_string(), None).unwrap()
}

/// That event, as spectators get it.
#[must_use]
pub fn public(given: Value) -> PublicEvent {
    PublicEvent::read(filled(given).to_string().as_bytes()).unwrap()
}
