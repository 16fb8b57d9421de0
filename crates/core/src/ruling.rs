//! Rulings and entries: what an arbiter, an operator or a capture file decides (DESIGN 5.6).
//!
//! [`Ruling`] is written down once, in the list of `list.rs`: its name, its group, who may make it, its arguments with
//! their types and with the field that a form has for each. Parsing, roles, the document of the API, the forms of
//! the desk and the `ruled` event come from there, and a ruling that no table carries out does not compile.

mod argument;
mod list;
mod measure;

use serde_json::{Map, Value};

use adoube_rules::spelling::nearest;
use argument::Argument;
pub use argument::{Amount, Kind, LinkState, Reference, Shape, Task};
pub use list::{FORMS, Field, Form, Group, Maker, Ruling};
pub use measure::Measure;

/// A ruling and who made it.
///
/// One object everywhere: posted to the desk, a line of a capture, the `ruled` event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    /// The ruling.
    pub ruling: Ruling,
    /// Who made it; of a pause, who stopped the clocks.
    pub by: Option<String>,
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
        /// The name that was written.
        given: String,
        /// The nearest name.
        nearest: &'static str,
    },
    /// The ruling has no such argument.
    #[error("ruling \"{name}\" has no argument \"{given}\"{hint}")]
    UnknownArgument {
        /// The ruling.
        name: &'static str,
        /// The argument that was written.
        given: String,
        /// The arguments that it has.
        hint: String,
    },
    /// An argument is missing.
    #[error("ruling \"{name}\" needs the argument \"{argument}\"")]
    Missing {
        /// The ruling.
        name: &'static str,
        /// The argument.
        argument: &'static str,
    },
    /// An argument is of another kind.
    #[error("the argument \"{argument}\" of \"{name}\" has to be {wanted}")]
    WrongKind {
        /// The ruling.
        name: &'static str,
        /// The argument.
        argument: &'static str,
        /// The kind, in words.
        wanted: String,
    },
    /// The ruling cannot apply now.
    #[error("ruling \"{name}\" cannot apply: {reason}")]
    Inapplicable {
        /// The ruling.
        name: &'static str,
        /// The reason.
        reason: String,
    },
}

impl RulingError {
    /// The form of the ruling that was meant, if there is such a ruling.
    #[must_use]
    pub fn form(&self) -> Option<&'static Form> {
        match self {
            Self::NotAnObject | Self::UnknownName { .. } => None,
            Self::UnknownArgument { name, .. }
            | Self::Missing { name, .. }
            | Self::WrongKind { name, .. }
            | Self::Inapplicable { name, .. } => Form::of(name),
        }
    }
}

/// A ruling cannot apply now, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inapplicable(pub(crate) String);

/// The error that a ruling cannot apply now.
pub(crate) fn inapplicable(reason: impl Into<String>) -> Inapplicable {
    Inapplicable(reason.into())
}

/// What a ruling came to.
pub(crate) type Outcome = Result<(), Inapplicable>;

impl Form {
    /// The form of the ruling of that name; `None`: no ruling has it.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        FORMS.iter().find(|form| form.name == name)
    }

    fn argument<T: Argument>(
        &'static self,
        argument: &'static str,
        given: &Map<String, Value>,
    ) -> Result<T, RulingError> {
        let name = self.name;
        let wrong = || RulingError::WrongKind { name, argument, wanted: T::SHAPE.wanted() };
        T::read(given.get(argument)).ok_or_else(wrong)
    }

    /// Checks the names of the arguments.
    fn check(&self, given: &Map<String, Value>) -> Result<(), RulingError> {
        let name = self.name;
        let known =
            |key: &str| ["name", "by"].contains(&key) || self.fields.iter().any(|field| field.name == key);
        if let Some(unknown) = given.keys().find(|key| !known(key)) {
            return Err(RulingError::UnknownArgument { name, given: unknown.clone(), hint: self.hint() });
        }
        let is_missing = |field: &&Field| !field.is_optional && !given.contains_key(field.name);
        match self.fields.iter().find(is_missing) {
            Some(field) => Err(RulingError::Missing { name, argument: field.name }),
            None => Ok(()),
        }
    }

    fn hint(&self) -> String {
        match self.fields {
            [] => "; it takes none".to_owned(),
            fields => {
                let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                format!("; it takes {}", names.join(", "))
            }
        }
    }
}

/// The fields of an event that are its own.
const ENVELOPE: [&str; 7] = ["seq", "at", "t_ms", "board", "game", "type", "kind"];

/// What an argument is called among the fields of the event.
pub fn told(argument: &str) -> String {
    if ENVELOPE.contains(&argument) { format!("argument_{argument}") } else { argument.to_owned() }
}

/// A ruling that nobody has signed; a pause says by itself who stopped the clocks.
impl From<Ruling> for Ruled {
    fn from(ruling: Ruling) -> Self {
        let by = if let Ruling::Pause { by } = &ruling { by.clone() } else { None };
        Self { ruling, by }
    }
}

impl Ruled {
    /// Reads a ruling from its JSON object.
    ///
    /// # Errors
    /// [`RulingError`] for an unknown name or argument, with the nearest known one, a missing argument, or one
    /// of another kind.
    pub fn parse(value: &Value) -> Result<Self, RulingError> {
        let object = value.as_object().ok_or(RulingError::NotAnObject)?;
        let given = object.get("name").and_then(Value::as_str).ok_or(RulingError::NotAnObject)?;
        let form = Form::of(given).ok_or_else(|| RulingError::UnknownName {
            given: given.to_owned(),
            nearest: nearest(given, FORMS.iter().map(|form| form.name)),
        })?;
        form.check(object)?;
        let by = match object.get("by") {
            None | Some(Value::Null) => None,
            Some(Value::String(by)) => Some(by.clone()),
            Some(_) => {
                let wanted = Shape::Text.wanted();
                return Err(RulingError::WrongKind { name: form.name, argument: "by", wanted });
            }
        };
        Ok(Self { ruling: Ruling::read(form, object)?, by })
    }

    /// The JSON object that [`Ruled::parse`] reads.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        self.write_as(&mut object, str::to_owned);
        Value::Object(object)
    }

    /// Reads what [`Ruled::write`] has added to the fields of an event.
    ///
    /// # Errors
    /// As [`Ruled::parse`].
    pub(crate) fn read(fields: &Map<String, Value>) -> Result<Self, RulingError> {
        let name = fields.get("name").and_then(Value::as_str).ok_or(RulingError::NotAnObject)?;
        let arguments = Form::of(name).map_or(&[][..], |form| form.fields);
        let arguments = arguments.iter().map(|field| field.name).filter(|argument| *argument != "by");
        let mut given = Map::new();
        for argument in ["name", "by"].into_iter().chain(arguments) {
            if let Some(value) = fields.get(&told(argument)) {
                given.insert(argument.to_owned(), value.clone());
            }
        }
        Self::parse(&Value::Object(given))
    }

    /// Adds the fields of the `ruled` event to those of its envelope.
    ///
    /// The envelope is the event's own: an argument that is called like one of its fields (the `at` of
    /// `round-start`, the `board` of `move-to-board`, the `kind` of `penalty`) stands there as `argument_at`,
    /// `argument_board`, `argument_kind`. Rulings are read back from the stored input, never from the event.
    pub(crate) fn write(&self, fields: &mut Map<String, Value>) {
        self.write_as(fields, told);
    }

    fn write_as(&self, fields: &mut Map<String, Value>, called: impl Fn(&str) -> String) {
        fields.insert("name".into(), self.ruling.name().into());
        for (argument, value) in self.ruling.arguments() {
            fields.insert(called(argument), value);
        }
        fields.insert("by".into(), self.by.clone().into());
    }
}

/// A ruling within what is stored: as [`Ruled::to_json`] writes it.
pub(crate) mod as_json {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use serde_json::Value;

    use super::Ruled;

    pub(crate) fn serialize<S: Serializer>(ruled: &Ruled, serializer: S) -> Result<S::Ok, S::Error> {
        ruled.to_json().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ruled, D::Error> {
        Ruled::parse(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// What kind of event a ruling is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A record.
    Record,
    /// A ruling.
    Ruling,
    /// A touch.
    Touch,
}

impl About {
    /// The argument that refers to it.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Ruling => "ruling",
            Self::Touch => "seq",
        }
    }
}

impl Ruling {
    /// The event that it is about, if it is about one.
    pub fn reference(&mut self) -> Option<(About, &mut Reference)> {
        match self {
            Self::Confirm { record, .. }
            | Self::Waive { record, .. }
            | Self::Reject { record }
            | Self::Postpone { record } => Some((About::Record, record)),
            Self::Undo { ruling } => Some((About::Ruling, ruling)),
            Self::StrikeTouch { seq } => Some((About::Touch, seq)),
            _ => None,
        }
    }

    /// The number of the event that it is about, if it gives one.
    pub fn refers(&mut self) -> Option<(About, &mut u64)> {
        match self.reference()? {
            (about, Reference::Number(number)) => Some((about, number)),
            (_, Reference::Name(_)) => None,
        }
    }

    /// The error that this ruling cannot apply now.
    pub(crate) fn refused(&self, Inapplicable(reason): Inapplicable) -> RulingError {
        RulingError::Inapplicable { name: self.name(), reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::GameResult;
    use serde_json::json;

    #[test]
    fn a_ruling_reads_back_as_it_was_written() {
        let given = json!({"name": "result", "value": "1-0", "by": "arbiter"});
        let ruled = Ruled::parse(&given).unwrap();
        assert_eq!(ruled.ruling, Ruling::Result { value: GameResult::WhiteWins, basis: None });
        assert_eq!((ruled.to_json(), ruled.by), (given, Some("arbiter".to_owned())));
    }

    #[test]
    fn an_argument_called_like_a_field_of_the_event_is_itself_but_in_the_event() {
        let given = json!({ "name": "penalty", "kind": "warning", "side": "white", "by": null });
        let ruled = Ruled::parse(&given).unwrap();
        assert_eq!(ruled.to_json(), given);
        let mut fields = Map::from_iter([("kind".to_owned(), json!("decided"))]);
        ruled.write(&mut fields);
        assert_eq!((&fields["kind"], &fields["argument_kind"]), (&json!("decided"), &json!("warning")));
        assert_eq!(Ruled::read(&fields).unwrap(), ruled);
    }

    #[test]
    fn names_are_one_or_several_or_none() {
        let names = |without: Value| {
            let ruled = Ruled::parse(&json!({"name": "confirm", "record": 7, "without": without}));
            ruled.map(|ruled| ruled.to_json()["without"].clone()).map_err(|error| error.to_string())
        };
        assert_eq!(names(json!("clock-times")).unwrap(), json!(["clock-times"]));
        assert_eq!(
            names(json!(["clock-times", "castling-ban"])).unwrap(),
            json!(["clock-times", "castling-ban"])
        );
        assert_eq!([json!([]), Value::Null].map(|none| names(none).unwrap()), [Value::Null, Value::Null]);
        let refused = "the argument \"without\" of \"confirm\" has to be a text or a list of texts";
        assert_eq!([json!(7), json!([7])].map(|without| names(without).unwrap_err()), [refused; 2]);
    }

    #[test]
    fn an_argument_of_another_kind_is_refused() {
        let refused =
            |ruling: Value| Ruled::parse(&ruling).map_or_else(|error| error.to_string(), |_| String::new());
        for (ruling, wanted) in [
            (json!({ "name": "note", "text": 5 }), "the argument \"text\" of \"note\" has to be a text"),
            (
                json!({ "name": "press", "side": "red" }),
                "the argument \"side\" of \"press\" has to be one of white, black",
            ),
            (
                json!({ "name": "delete-move", "ply": -1 }),
                "the argument \"ply\" of \"delete-move\" has to be a whole number, not negative",
            ),
            (
                json!({ "name": "delete-move", "ply": "3" }),
                "the argument \"ply\" of \"delete-move\" has to be a whole number, not negative",
            ),
            (json!({ "name": "delete-move", "ply": 3.0 }), ""),
            (json!({ "name": "pause", "by": {} }), "the argument \"by\" of \"pause\" has to be a text"),
            (json!({ "name": "confirm", "record": "claim-threefold" }), ""),
            (json!({ "name": "adjust-times", "white_ms": -5, "black_ms": 5, "reason": "x" }), ""),
            (
                json!({ "name": "result", "value": "2-0" }),
                "the argument \"value\" of \"result\" has to be one of 1-0, 0-1, 1/2-1/2, +/-, -/+, -/-, 0-0, 0-1/2, 1/2-0, 1/2-1, 1-1/2, 1-1",
            ),
        ] {
            assert_eq!(refused(ruling.clone()), wanted, "{ruling}");
        }
    }

    #[test]
    fn an_unknown_name_names_the_nearest() {
        let error = Ruled::parse(&json!({"name": "set-positon", "fen": "x"})).unwrap_err();
        assert_eq!(error.to_string(), "no ruling is called \"set-positon\"; did you mean \"set-position\"?");
        let error = Ruled::parse(&json!({"name": "note", "txt": "x"})).unwrap_err();
        assert_eq!(error.to_string(), "ruling \"note\" has no argument \"txt\"; it takes text");
        let error = Ruled::parse(&json!({"name": "note"})).unwrap_err();
        assert_eq!(error.to_string(), "ruling \"note\" needs the argument \"text\"");
    }
}
