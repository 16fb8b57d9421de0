//! What spectators may see.

use serde_json::{Map, Value};

use super::{Numbered, registry};

/// An event that may leave the hall.
///
/// It has its own gapless number. `seq`, `record` and `readings` do not exist in it: gaps in a
/// shared number would tell how often a piece was touched.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicEvent {
    id: u64,
    name: String,
    json: Map<String, Value>,
}

impl PublicEvent {
    /// Its number among public events.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its type.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole object.
    #[must_use]
    pub fn json(&self) -> &Map<String, Value> {
        &self.json
    }

    /// The JSON on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(&self.json).unwrap_or_default()
    }
}

impl PublicEvent {
    /// Reads what [`PublicEvent::to_line`] wrote, wherever it was since: again only public fields are taken.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(line: &[u8]) -> Result<Self, String> {
        let json: Map<String, Value> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let id = json.get("id").and_then(Value::as_u64).ok_or("it has no id")?;
        let name = json.get("type").and_then(Value::as_str).ok_or("it has no type")?;
        Ok(copy(id, name, &json))
    }
}

/// The envelope that a public event has.
const ENVELOPE: [&str; 6] = ["at", "t_ms", "board", "game", "type", "kind"];

/// Fields that not every event of a name has: a match of teams, and players where a side has several.
pub(super) const OPTIONAL: [&str; 5] = ["match", "player", "seat", "red", "blue"];

/// The fields of `name` that may be public; a name that is not here has none.
pub(super) fn fields(name: &str) -> &'static [&'static str] {
    match name {
        "game-opened" | "game-changed" => &[
            "round",
            "number",
            "variant",
            "start",
            "time_control",
            "white",
            "black",
            "red",
            "blue",
            "match",
            "result",
        ],
        "round-opened" | "round-closed" => &["round", "date"],
        "game-closed" => &["result"],
        "clock-read" => &["white_ms", "black_ms", "running"],
        "move-made" => &[
            "ply",
            "side",
            "player",
            "seat",
            "san",
            "uci",
            "fen",
            "legal",
            "confidence",
            "first_lift_ms",
            "made_ms",
            "clock",
            "cause",
        ],
        "move-completed" => &["ply", "side", "player", "seat", "san", "uci", "by", "completed_ms", "clock"],
        "move-retracted" => &["ply", "side", "player", "seat", "san", "uci", "fen", "cause"],
        // A fact of the position: what may be done about it is advice, and stays away (four-player T10).
        "mate-threat" => &["ply", "side", "player", "seat", "status"],
        "result-signalled" | "game-over" | "result-changed" => &["result", "status"],
        // Why a game was annulled is between the players and the arbiter (12.6, 12.7).
        "game-annulled" => &["status"],
        // Whose king it was; whose turn a draw comes with says no more than the moves.
        "checkmate" | "stalemate" => &["result", "player", "seat", "status"],
        name if registry::row(name).kind == "outcome" => &["result", "status"],
        _ => &[],
    }
}

/// The one function that decides what is public, and copies nothing but public fields.
#[must_use]
pub fn publish(event: &Numbered) -> Option<PublicEvent> {
    Some(copy(event.public_id?, &event.name, &event.json))
}

/// The public fields of an event.
pub(super) fn copy(id: u64, name: &str, event: &Map<String, Value>) -> PublicEvent {
    let mut json = Map::new();
    json.insert("id".into(), id.into());
    for field in ENVELOPE.iter().chain(fields(name)) {
        if let Some(value) = event.get(*field) {
            json.insert((*field).into(), value.clone());
        }
    }
    PublicEvent { id, name: name.to_owned(), json }
}
