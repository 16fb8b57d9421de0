//! Arguments of rulings: of which types they are, how they are read and written, and what a form asks for.

use serde_json::Value;

use crate::ply::Ply;
use adoube_rules::GameResult;
use adoube_rules::laws::Penalty;
use adoube_rules::sensor::Side;
use adoube_rules::words::{self, words};

/// An event that a ruling is about: a record, a touch, another ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// By its number: `seq` for whoever makes the ruling, the table's own number for the table.
    Number(u64),
    /// By its type or name: the youngest that is open, or that was made.
    Name(String),
}

/// A number, or a text that stands for one.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// How somebody says that the link to a board is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// Nothing comes.
    Lost,
    /// It is there again.
    Back,
}

impl LinkState {
    fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Back => "back",
        }
    }
}

words! {
    /// What hands have to do for a ruling, by the ruling that asks for it alone.
    Task { Position = "restore-position", Clock = "clock-times", Running = "resume" }
}

impl Task {
    /// Every task, as it is written.
    pub(super) const NAMES: &[&str] = &["restore-position", "clock-times", "resume"];
}

/// The JSON that an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text; what it means depends on the game.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A whole number, not negative.
    Whole,
    /// A whole number.
    Signed,
    /// The number of an event, or a text that names one.
    Event,
    /// A whole number or a text.
    Amount,
    /// A text or a list of texts.
    Names,
}

impl Shape {
    /// What is asked for, in words.
    #[must_use]
    pub fn wanted(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
            Self::Whole => "a whole number, not negative".to_owned(),
            Self::Signed => "a whole number".to_owned(),
            Self::Event | Self::Amount => "a whole number or a text".to_owned(),
            Self::Names => "a text or a list of texts".to_owned(),
        }
    }
}

/// The meaning of an argument: which field a form has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A side.
    Side,
    /// A ply, from 1 at the game's start.
    Ply,
    /// A move, in algebraic or from-to notation.
    Move,
    /// A time on a clock, milliseconds.
    Time,
    /// Milliseconds to add to a time, or to take away.
    Difference,
    /// A position.
    Fen,
    /// A square.
    Square,
    /// A result.
    Result,
    /// Degrees by which a board is turned.
    Turned,
    /// A number.
    Number,
    /// One of these names.
    Name(&'static [&'static str]),
    /// One of these reasons, or another one.
    Reason(&'static [&'static str]),
    /// A record.
    Record,
    /// An event.
    Event,
    /// Proposals of the record.
    Proposals,
    /// A text.
    Text,
}

/// Quarters of a turn.
const QUARTERS: [&str; 3] = ["90", "180", "270"];

impl Kind {
    /// Its name for forms.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Side => "side",
            Self::Ply => "ply",
            Self::Move => "move",
            Self::Time => "time",
            Self::Difference => "difference",
            Self::Fen => "fen",
            Self::Square => "square",
            Self::Result => "result",
            Self::Turned | Self::Number | Self::Record | Self::Event => "number",
            Self::Name(_) => "name",
            Self::Reason(_) => "reason",
            Self::Proposals | Self::Text => "text",
        }
    }

    /// The values that a form offers; empty if it takes any.
    #[must_use]
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Self::Name(values) | Self::Reason(values) => values,
            Self::Turned => &QUARTERS,
            Self::Result => &GameResult::NAMES,
            _ => &[],
        }
    }

    /// The meaning, in words; empty where the argument's name says it.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Side => "Whose",
            Self::Ply => "From 1 at the game's start",
            Self::Move => "Algebraic or from-to notation",
            Self::Time => "Milliseconds",
            Self::Difference => "Milliseconds to add; negative to take away",
            Self::Fen => "FEN of a position",
            Self::Square => "Name of a square",
            Self::Turned => "Degrees",
            Self::Record => "Number of the record; or its type, for the youngest open one",
            Self::Event => "Number (`seq`) of the event",
            Self::Proposals => "Names of the proposals that are left out; one, or several",
            Self::Result | Self::Number | Self::Name(_) | Self::Reason(_) | Self::Text => "",
        }
    }
}

/// A type of arguments.
pub(super) trait Argument: Sized {
    /// The JSON that it may be.
    const SHAPE: Shape;
    /// It may be left out.
    const IS_OPTIONAL: bool = false;

    /// Reads it; `None` if it is of another shape, or missing and needed.
    fn read(value: Option<&Value>) -> Option<Self>;

    /// Writes it; `None` if it is left out.
    fn write(&self) -> Option<Value>;
}

/// The number, if it is whole: JSON knows one kind of numbers, and 1.0 is whole.
fn whole(value: &Value) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() <= LARGEST;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and below 2 to the 53rd")]
    let from_float = || value.as_f64().filter(is_whole).map(|number| number as i64);
    value.as_i64().or_else(from_float)
}

/// A type that is written as a number or a text, with its shape.
macro_rules! arguments {
    ($($type:ty, $shape:expr, |$value:ident| $read:expr, |$this:ident| $write:expr;)*) => {$(
        impl Argument for $type {
            const SHAPE: Shape = $shape;

            fn read(value: Option<&Value>) -> Option<Self> {
                let $value = value?;
                $read
            }

            fn write(&self) -> Option<Value> {
                let $this = self;
                Some($write)
            }
        }
    )*};
}

arguments! {
    String, Shape::Text, |value| value.as_str().map(str::to_owned), |text| text.as_str().into();
    u32, Shape::Whole, |value| u32::try_from(whole(value)?).ok(), |number| (*number).into();
    Ply, Shape::Whole, |value| u32::try_from(whole(value)?).ok().map(Ply::new), |ply| ply.number().into();
    u64, Shape::Whole, |value| u64::try_from(whole(value)?).ok(), |number| (*number).into();
    i64, Shape::Signed, |value| whole(value), |number| (*number).into();
    Side, Shape::Choice(&["white", "black"]),
        |value| Side::BOTH.into_iter().find(|side| value.as_str() == Some(side.name())), |side| side.name().into();
    GameResult, Shape::Choice(&GameResult::NAMES),
        |value| value.as_str()?.parse().ok(), |result| result.name().into();
    Penalty, Shape::Choice(&Penalty::NAMES),
        |value| Penalty::from_name(value.as_str()?), |penalty| penalty.name().into();
    LinkState, Shape::Choice(&["lost", "back"]),
        |value| [Self::Lost, Self::Back].into_iter().find(|state| value.as_str() == Some(state.name())),
        |state| state.name().into();
    Task, Shape::Choice(Self::NAMES), |value| words::read("part", value.as_str()?).ok(), |task| task.as_str().into();
    Reference, Shape::Event,
        |value| match value {
            Value::String(name) => Some(Self::Name(name.clone())),
            number => u64::try_from(whole(number)?).ok().map(Self::Number),
        },
        |reference| match reference {
            Self::Number(number) => (*number).into(),
            Self::Name(name) => name.as_str().into(),
        };
    Amount, Shape::Amount,
        |value| match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            number => whole(number).map(Self::Number),
        },
        |amount| amount.to_json();
}

impl Amount {
    /// The number or the text.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
}

/// Names, of which there may be none; one may stand without its list.
impl Argument for Vec<String> {
    const SHAPE: Shape = Shape::Names;
    const IS_OPTIONAL: bool = true;

    fn read(value: Option<&Value>) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(Self::new()),
            Some(Value::String(name)) => Some(vec![name.clone()]),
            Some(Value::Array(names)) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
        }
    }

    fn write(&self) -> Option<Value> {
        (!self.is_empty()).then(|| self.as_slice().into())
    }
}

impl<T: Argument> Argument for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_OPTIONAL: bool = true;

    fn read(value: Option<&Value>) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(None),
            given => T::read(given).map(Some),
        }
    }

    fn write(&self) -> Option<Value> {
        self.as_ref().and_then(T::write)
    }
}
