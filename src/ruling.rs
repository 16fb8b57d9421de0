//! Rulings and entries: what an arbiter, an operator or a capture file decides (DESIGN 5.6).

use serde_json::{Map, Value};

use crate::sensor::Side;

/// A ruling: its name, its arguments, and who made it.
///
/// One object everywhere: posted to the desk, a line of a capture, the `ruled` event.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    name: &'static str,
    by: Option<String>,
    arguments: Map<String, Value>,
}

/// Why a ruling was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulingError {
    /// It is no JSON object with a `name`.
    #[error("a ruling is an object with a \"name\"")]
    NotAnObject,
    /// No ruling has that name.
    #[error("no ruling is called \"{given}\"; did you mean \"{nearest}\"?")]
    UnknownName {
        /// What was written.
        given: String,
        /// The nearest name.
        nearest: &'static str,
    },
    /// The ruling has no such argument.
    #[error("ruling \"{name}\" has no argument \"{given}\"{hint}")]
    UnknownArgument {
        /// The ruling.
        name: &'static str,
        /// What was written.
        given: String,
        /// The arguments that it has.
        hint: String,
    },
    /// An argument is missing.
    #[error("ruling \"{name}\" needs the argument \"{argument}\"")]
    Missing {
        /// The ruling.
        name: &'static str,
        /// What is missing.
        argument: &'static str,
    },
    /// The ruling cannot apply now.
    #[error("ruling \"{name}\" cannot apply: {reason}")]
    Inapplicable {
        /// The ruling.
        name: &'static str,
        /// Why.
        reason: String,
    },
}

/// The first ruling of each group, in the order of [`RULINGS`].
const GROUPS: [(&str, &str); 10] = [
    ("confirm", "records"),
    ("restore-position", "position"),
    ("pause", "clock"),
    ("adjusting", "touch"),
    ("claim-threefold", "claims"),
    ("setup-wrong", "reports"),
    ("start-game", "game"),
    ("result", "result"),
    ("penalty", "penalty"),
    ("round-open", "operator"),
];

impl RulingError {
    /// The ruling that was meant, if there is such a ruling.
    #[must_use]
    pub fn ruling(&self) -> Option<&'static str> {
        match self {
            Self::NotAnObject | Self::UnknownName { .. } => None,
            Self::UnknownArgument { name, .. }
            | Self::Missing { name, .. }
            | Self::Inapplicable { name, .. } => Some(name),
        }
    }
}

/// Each ruling with its arguments; those that may be left out stand behind `?`.
const RULINGS: &[(&str, &[&str])] = &[
    ("confirm", &["record", "?choice", "?without"]),
    ("reject", &["record"]),
    ("postpone", &["record"]),
    ("undo", &["ruling"]),
    ("restore-position", &["ply"]),
    ("set-position", &["fen"]),
    ("accept-position", &["?side"]),
    ("confirm-move", &["ply", "uci"]),
    ("correct-move", &["ply", "uci"]),
    ("insert-move", &["ply", "uci"]),
    ("delete-move", &["ply"]),
    ("replace-by-queen", &["square"]),
    ("castling-ban", &["side", "?rook"]),
    ("transfer-position", &["turned"]),
    ("pause", &["?by"]),
    ("resume", &["side"]),
    ("press", &["side"]),
    ("clock-times", &["white_ms", "black_ms"]),
    ("add-time-opponent", &["side", "ms"]),
    ("reduce-time-offender", &["side", "ms"]),
    ("adjust-times", &["white_ms", "black_ms", "reason"]),
    ("return-clock", &["side"]),
    ("undo-press", &["side"]),
    ("counter-correction", &["?value"]),
    ("increment-mode", &[]),
    ("adjusting", &["side"]),
    ("strike-touch", &["seq"]),
    ("assistant", &["side"]),
    ("two-hands", &["side"]),
    ("wrong-hand", &["side", "decision"]),
    ("claim-threefold", &["side"]),
    ("claim-threefold-intended", &["side", "move"]),
    ("claim-fifty-moves", &["side"]),
    ("claim-fifty-moves-intended", &["side", "move"]),
    ("claim-flag-fall", &["side"]),
    ("claim-illegal-move", &["side"]),
    ("claim-touch-move", &["side"]),
    ("claim-qpf", &["side"]),
    ("qpf-increment-request", &["side"]),
    ("draw-offer", &["side", "?text"]),
    ("draw-agreed", &[]),
    ("resign", &["side"]),
    ("setup-wrong", &["?side"]),
    ("orientation-wrong", &[]),
    ("colours-reversed", &[]),
    ("report-illegal", &["ply"]),
    ("displacement-found", &[]),
    ("scoresheets-incomplete", &[]),
    ("communication-reported", &[]),
    ("start-game", &["?fen", "?variant"]),
    ("annul-game", &["reason"]),
    ("swap-colours", &[]),
    ("move-to-board", &["board"]),
    ("reconstruct", &[]),
    ("end-reconstruct", &[]),
    ("adjourn", &["side"]),
    ("seal-move", &["text"]),
    ("sealer-absent", &[]),
    ("resume-game", &[]),
    ("result", &["value", "?basis"]),
    ("change-result", &["value"]),
    ("penalty", &["kind", "side", "?amount"]),
    ("note", &["text"]),
    ("round-open", &["round"]),
    ("round-start", &["?at"]),
    ("round-close", &[]),
    ("assign", &["board", "game"]),
    ("clock-start", &["side"]),
    ("link", &["state"]),
];

/// The argument that is the number of another ruling.
pub(crate) const RULING: &str = "ruling";

/// The argument that is the number of a touch.
const TOUCH: &str = "seq";

/// Arguments that are numbers of events: of records, of rulings and of touches.
const REFERENCES: [&str; 3] = ["record", RULING, TOUCH];

/// The arguments of the ruling `name`, those that may be left out behind `?`; `None`: no ruling has
/// that name.
pub(crate) fn arguments(name: &str) -> Option<&'static [&'static str]> {
    RULINGS.iter().find(|(known, _)| *known == name).map(|(_, arguments)| *arguments)
}

/// Every ruling with its group and its arguments, those that may be left out behind `?`.
pub fn grammar() -> impl Iterator<Item = (&'static str, &'static str, &'static [&'static str])> {
    let mut group = "";
    RULINGS.iter().map(move |&(name, arguments)| {
        group = GROUPS.iter().find(|(first, _)| *first == name).map_or(group, |(_, of)| of);
        (group, name, arguments)
    })
}

impl Ruling {
    /// Reads a ruling from its JSON object.
    ///
    /// # Errors
    /// [`RulingError`] for an unknown name or argument, with the nearest known one, or a missing
    /// argument.
    pub fn parse(value: &Value) -> Result<Self, RulingError> {
        let object = value.as_object().ok_or(RulingError::NotAnObject)?;
        let given = object.get("name").and_then(Value::as_str).ok_or(RulingError::NotAnObject)?;
        let Some(&(name, known)) = RULINGS.iter().find(|(name, _)| *name == given) else {
            let nearest = nearest(given, RULINGS.iter().map(|(name, _)| *name));
            return Err(RulingError::UnknownName { given: given.to_owned(), nearest });
        };
        let mut arguments = Map::new();
        for (key, value) in object.iter().filter(|(key, _)| *key != "name" && *key != "by") {
            if !known.iter().any(|argument| argument.trim_start_matches('?') == key) {
                return Err(RulingError::UnknownArgument { name, given: key.clone(), hint: hint(known) });
            }
            arguments.insert(key.clone(), value.clone());
        }
        for &argument in known.iter().filter(|argument| !argument.starts_with('?')) {
            if !arguments.contains_key(argument) {
                return Err(RulingError::Missing { name, argument });
            }
        }
        let by = object.get("by").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { name, by, arguments })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Who made it; of a pause, who stopped the clocks.
    #[must_use]
    pub fn by(&self) -> Option<&str> {
        self.by.as_deref()
    }

    /// The side that an argument names.
    ///
    /// # Errors
    /// [`RulingError::Inapplicable`] if it names none.
    pub fn side(&self, key: &str) -> Result<Side, RulingError> {
        match self.text(key) {
            Some("white") => Ok(Side::White),
            Some("black") => Ok(Side::Black),
            given => Err(self.inapplicable(format!(
                "\"{}\" is no side; use \"white\" or \"black\"",
                given.unwrap_or_default()
            ))),
        }
    }

    /// An argument that is a whole number.
    ///
    /// # Errors
    /// [`RulingError::Inapplicable`] if it is none.
    pub fn number(&self, key: &str) -> Result<u32, RulingError> {
        let number = self.argument(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.inapplicable(format!("\"{key}\" is no whole number")))
    }

    /// An argument.
    #[must_use]
    pub fn argument(&self, key: &str) -> Option<&Value> {
        self.arguments.get(key)
    }

    /// An argument that is a text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.argument(key).and_then(Value::as_str)
    }

    /// An argument that is a name or a list of names; none, if it is not given.
    ///
    /// # Errors
    /// [`RulingError::Inapplicable`] if it is anything else.
    pub fn names(&self, key: &str) -> Result<Vec<&str>, RulingError> {
        let names = match self.argument(key) {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::String(name)) => Some(vec![name.as_str()]),
            Some(Value::Array(names)) => names.iter().map(Value::as_str).collect(),
            Some(_) => None,
        };
        names.ok_or_else(|| self.inapplicable(format!("\"{key}\" is a name or a list of names")))
    }

    /// The argument by which it refers to an event, if it gives its number.
    pub(crate) fn refers(&self) -> Option<(&'static str, u64)> {
        REFERENCES.into_iter().find_map(|key| Some((key, self.argument(key)?.as_u64()?)))
    }

    /// The same ruling about the event that has the number `number`.
    #[must_use]
    pub(crate) fn referring_to(mut self, key: &str, number: u64) -> Self {
        self.arguments.insert(key.to_owned(), number.into());
        self
    }

    /// The JSON object that [`Ruling::parse`] reads.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        self.write(&mut object);
        Value::Object(object)
    }

    /// Adds the fields of the `ruled` event to those of its envelope.
    ///
    /// The envelope is the event's own: an argument that is called like one of its fields (the `at` of
    /// `round-start`, the `board` of `move-to-board`, the `kind` of `penalty`) stands there as `argument_at`,
    /// `argument_board`, `argument_kind`. Rulings are read back from the stored input, never from the event.
    pub(crate) fn write(&self, fields: &mut Map<String, Value>) {
        fields.insert("name".into(), self.name.into());
        for (argument, value) in &self.arguments {
            let is_taken = fields.contains_key(argument);
            let told = if is_taken { format!("argument_{argument}") } else { argument.clone() };
            fields.insert(told, value.clone());
        }
        fields.insert("by".into(), self.by.clone().into());
    }

    /// The error that this ruling cannot apply now.
    #[must_use]
    pub fn inapplicable(&self, reason: impl Into<String>) -> RulingError {
        RulingError::Inapplicable { name: self.name, reason: reason.into() }
    }
}

fn hint(known: &[&str]) -> String {
    if known.is_empty() {
        return "; it takes none".to_owned();
    }
    let names: Vec<&str> = known.iter().map(|argument| argument.trim_start_matches('?')).collect();
    format!("; it takes {}", names.join(", "))
}

/// The name that differs from `given` in the fewest letters.
pub(crate) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> &'a str {
    names.min_by_key(|name| distance(given, name)).unwrap_or("")
}

/// Insertions, deletions and exchanges of a letter from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let exchanged = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_ruling_reads_back_as_it_was_written() {
        let given = json!({"name": "result", "value": "1-0", "by": "arbiter"});
        let ruling = Ruling::parse(&given).unwrap();
        assert_eq!(ruling.text("value"), Some("1-0"));
        assert_eq!(Ruling::parse(&ruling.to_json()).unwrap(), ruling);
    }

    #[test]
    fn names_are_one_or_several_or_none() {
        let names = |without: Value| {
            let ruling = Ruling::parse(&json!({"name": "confirm", "record": 7, "without": without})).unwrap();
            ruling.names("without").map(|names| names.join(" ")).map_err(|error| error.to_string())
        };
        assert_eq!(names(json!("clock-times")).unwrap(), "clock-times");
        assert_eq!(names(json!(["clock-times", "castling-ban"])).unwrap(), "clock-times castling-ban");
        assert_eq!(names(json!([])).unwrap(), "");
        assert_eq!(names(Value::Null).unwrap(), "");
        let refused = "ruling \"confirm\" cannot apply: \"without\" is a name or a list of names";
        assert_eq!([json!(7), json!([7])].map(|without| names(without).unwrap_err()), [refused; 2]);
    }

    #[test]
    fn an_unknown_name_names_the_nearest() {
        let error = Ruling::parse(&json!({"name": "set-positon", "fen": "x"})).unwrap_err();
        assert_eq!(error.to_string(), "no ruling is called \"set-positon\"; did you mean \"set-position\"?");
        let error = Ruling::parse(&json!({"name": "note", "txt": "x"})).unwrap_err();
        assert_eq!(error.to_string(), "ruling \"note\" has no argument \"txt\"; it takes text");
        let error = Ruling::parse(&json!({"name": "note"})).unwrap_err();
        assert_eq!(error.to_string(), "ruling \"note\" needs the argument \"text\"");
    }
}
