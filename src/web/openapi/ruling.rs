//! The body of a ruling: what it may hold, for the document and for whoever posts one.
//!
//! Which arguments a ruling has says the grammar of rulings; of what kind they are says [`kind`] alone, so
//! that what the document promises is what is checked.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::ruling::grammar;

/// `{"name": …, arguments}` of any ruling.
pub(in crate::web) struct RulingBody;

/// Of what kind an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A text; what it means depends.
    Text(&'static str),
    /// One of these texts.
    Choice(&'static str, &'static [&'static str]),
    /// The name of a square.
    Square,
    /// A whole number, at least so much.
    Whole(&'static str, i64),
    /// A whole number, which may be negative.
    Signed(&'static str),
    /// The number of an event, or a text that names one.
    Event(&'static str),
    /// A number or a text.
    Amount,
    /// A name, or several.
    Names(&'static str),
}

/// Of what kind the argument of that name is.
fn kind(ruling: &str, argument: &str) -> Kind {
    match (ruling, argument) {
        ("counter-correction", "value") => Kind::Whole("The move number that the clock should show", 0),
        ("adjust-times", "white_ms" | "black_ms") => {
            Kind::Signed("Milliseconds to add; negative to take away")
        }
        (_, "value") => Kind::Text("1-0, 0-1, 1/2-1/2, …"),
        (_, "record") => Kind::Event("Number of the record; or its type, for the youngest open one"),
        (_, "seq" | "ruling") => Kind::Event("Number (`seq`) of the event"),
        (_, "side") => Kind::Choice("Whose", &["white", "black"]),
        (_, "state") => Kind::Choice("How the link is", &["lost", "back"]),
        (_, "square") => Kind::Square,
        (_, "ply") => Kind::Whole("From 1 at the game's start", 0),
        (_, "ms" | "white_ms" | "black_ms") => Kind::Whole("Milliseconds", 0),
        (_, "turned") => Kind::Whole("Degrees", 0),
        (_, "round") => Kind::Whole("Number of the round", 0),
        (_, "uci") => Kind::Text("From-to notation"),
        (_, "move") => Kind::Text("Algebraic or from-to notation"),
        (_, "fen") => Kind::Text("FEN of a position"),
        (_, "amount") => Kind::Amount,
        (_, "without") => Kind::Names("Names of the proposals that are left out; one, or several"),
        _ => Kind::Text(""),
    }
}

impl Kind {
    fn schema(self) -> RefOr<Schema> {
        let described = |object: ObjectBuilder, text: &'static str| {
            object.description(Some(text).filter(|text| !text.is_empty()))
        };
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let integer = || ObjectBuilder::new().schema_type(Type::Integer);
        let object = match self {
            Self::Text(what) => described(text(), what),
            Self::Choice(what, choices) => described(text().enum_values(Some(choices.iter().copied())), what),
            Self::Square => described(text().pattern(Some("^[a-h][1-8]$")), "Name of a square"),
            Self::Whole(what, least) => described(integer().minimum(Some(least)), what),
            Self::Signed(what) => described(integer(), what),
            Self::Event(what) => {
                let any = AnyOfBuilder::new().item(integer().minimum(Some(0))).item(text());
                return Schema::from(any.description(Some(what)).build()).into();
            }
            Self::Amount => {
                let number_or_text = SchemaType::from_iter([Type::Integer, Type::String]);
                ObjectBuilder::new().schema_type(number_or_text)
            }
            Self::Names(what) => {
                let names = ArrayBuilder::new().items(text());
                let any = AnyOfBuilder::new().item(text()).item(names);
                return Schema::from(any.description(Some(what)).build()).into();
            }
        };
        Schema::from(object).into()
    }

    /// Is this value of the kind?
    fn has(self, value: &Value) -> bool {
        let is_whole = || value.as_u64().is_some() || value.as_f64().is_some_and(is_whole);
        match self {
            Self::Text(_) => value.is_string(),
            Self::Choice(_, choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            Self::Square => value.as_str().is_some_and(|text| crate::rules::square_from_name(text).is_some()),
            Self::Whole(_, least) => is_whole() && value.as_i64().is_none_or(|number| number >= least),
            Self::Signed(_) => is_whole() || value.as_i64().is_some(),
            Self::Names(_) => {
                value.is_string() || value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
            }
            Self::Event(_) | Self::Amount => value.is_string() || is_whole() || value.as_i64().is_some(),
        }
    }

    /// What is asked for, in words.
    fn wanted(self) -> String {
        match self {
            Self::Text(_) => "a text".to_owned(),
            Self::Choice(_, choices) => format!("one of {}", choices.join(", ")),
            Self::Square => "the name of a square".to_owned(),
            Self::Whole(..) => "a whole number, not negative".to_owned(),
            Self::Signed(_) => "a whole number".to_owned(),
            Self::Names(_) => "a text or a list of texts".to_owned(),
            Self::Event(_) | Self::Amount => "a whole number or a text".to_owned(),
        }
    }
}

/// JSON knows one kind of numbers: 1.0 is whole.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number >= 0.0
}

impl RulingBody {
    /// What is wrong with the kind of an argument, if something is. Names that there are not are for
    /// [`crate::ruling::Ruling::parse`] to tell.
    pub(in crate::web) fn fault(body: &Value) -> Option<String> {
        let name = body.get("name")?.as_str()?;
        let arguments = crate::ruling::arguments(name)?;
        let wrong = |argument: &str, wanted: &str| {
            format!("the argument \"{argument}\" of \"{name}\" has to be {wanted}")
        };
        if body.get("by").is_some_and(|by| !by.is_string() && !by.is_null()) {
            return Some(wrong("by", "a text"));
        }
        arguments.iter().map(|argument| argument.trim_start_matches('?')).find_map(|argument| {
            let kind = kind(name, argument);
            let value = body.get(argument)?;
            (!kind.has(value)).then(|| wrong(argument, &kind.wanted()))
        })
    }
}

impl ToSchema for RulingBody {
    fn name() -> Cow<'static, str> {
        "Ruling".into()
    }
}

impl PartialSchema for RulingBody {
    fn schema() -> RefOr<Schema> {
        let rulings = grammar()
            .fold(OneOfBuilder::new(), |rulings, (_, name, arguments)| rulings.item(ruling(name, arguments)));
        let examples = [
            json!({"name": "result", "value": "1-0"}),
            json!({"name": "note", "text": "Black asks for water"}),
        ];
        rulings.description(Some("A ruling by its name, with its arguments")).examples(examples).into()
    }
}

/// One ruling; what may be left out stands behind `?` in the grammar.
fn ruling(name: &str, arguments: &[&str]) -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let text_or_null = SchemaType::from_iter([Type::String, Type::Null]);
    let by = "Of a pause, who stopped the clocks; otherwise it is whoever is logged in";
    let mut object = ObjectBuilder::new()
        .title(Some(name))
        .property("name", text().enum_values(Some([name])))
        .required("name")
        .property("by", ObjectBuilder::new().schema_type(text_or_null).description(Some(by)))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
    for argument in arguments {
        let plain = argument.trim_start_matches('?');
        object = object.property(plain, kind(name, plain).schema());
        if plain == *argument {
            object = object.required(plain);
        }
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_another_kind_are_told() {
        let fault = |body: Value| RulingBody::fault(&body);
        assert_eq!(fault(json!({ "name": "note", "text": "x" })), None);
        assert_eq!(fault(json!({ "name": "confirm", "record": "claim-threefold" })), None);
        assert_eq!(fault(json!({ "name": "confirm", "record": 17 })), None);
        for without in [json!("clock-times"), json!(["clock-times", "add-time-opponent"]), json!([])] {
            assert_eq!(fault(json!({ "name": "confirm", "record": 17, "without": without })), None);
        }
        let adjusted = json!({ "name": "adjust-times", "white_ms": -5, "black_ms": 5, "reason": "x" });
        assert_eq!(fault(adjusted), None);
        let wrong = [
            json!({ "name": "note", "text": 5 }),
            json!({ "name": "press", "side": "red" }),
            json!({ "name": "delete-move", "ply": -1 }),
            json!({ "name": "delete-move", "ply": "3" }),
            json!({ "name": "replace-by-queen", "square": "z9" }),
            json!({ "name": "pause", "by": {} }),
            json!({ "name": "confirm", "record": 17, "without": [5] }),
        ];
        assert_eq!(
            wrong.map(|body| fault(body).unwrap_or_default()),
            [
                "the argument \"text\" of \"note\" has to be a text",
                "the argument \"side\" of \"press\" has to be one of white, black",
                "the argument \"ply\" of \"delete-move\" has to be a whole number, not negative",
                "the argument \"ply\" of \"delete-move\" has to be a whole number, not negative",
                "the argument \"square\" of \"replace-by-queen\" has to be the name of a square",
                "the argument \"by\" of \"pause\" has to be a text",
                "the argument \"without\" of \"confirm\" has to be a text or a list of texts",
            ]
        );
    }
}
