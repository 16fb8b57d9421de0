//! What a record says: every record, claim, proposal and outcome of the registry with its fields.
//!
//! `list.rs` has them all; from it come the JSON of DESIGN 5.3, its reading back and its schema. What is fixed about each
//! (kind, severity, certainty, articles, who may see it) is the row of its [`Name`](adoube_rules::laws::Name).

mod cause;
mod claims;
mod list;
mod parts;
mod words;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::ply::Ply;
use adoube_rules::departure::Kind;
use adoube_rules::laws::Certainty;
use adoube_rules::sensor::Side;
use adoube_rules::touch::Rule;

pub use list::*;
pub use parts::*;
pub use words::*;

/// The JSON of a finding, or of an event.
pub type Fields = Map<String, Value>;

/// The number of a record: in a table that of the table, which knows no other board; in the journal the `seq` of the
/// event that opened it. [`Numbering`] makes one of the other, in every field of this type.
///
/// [`Numbering`]: super::Numbering
#[derive(
    utoipa::ToSchema,
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct RecordId(pub u64);

impl RecordId {
    /// No record: numbers begin behind it.
    pub const NONE: Self = Self(0);

    /// Marks the number of a record that was opened before its table was: the journal's own number, not one of the
    /// table's. No journal has so many events.
    const IN_JOURNAL: u64 = 1 << 62;

    /// The record that the journal calls by this number, in a table that was not there when it was opened.
    #[must_use]
    pub fn in_journal(self) -> Self {
        Self(self.0 | Self::IN_JOURNAL)
    }

    /// The journal's number, if it is one that a table has taken over.
    #[must_use]
    pub fn taken_over(self) -> Option<Self> {
        (self.0 & Self::IN_JOURNAL != 0).then_some(Self(self.0 & !Self::IN_JOURNAL))
    }
}

/// What of a finding is part of its record's key (DESIGN 2.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About {
    /// The ply, [`Ply::START`] for none.
    pub ply: Ply,
    /// The side.
    pub side: Option<Side>,
}

/// A field that is part of the key.
trait Keyed {
    fn add_to(&self, about: &mut About);
}

impl Keyed for Ply {
    fn add_to(&self, about: &mut About) {
        about.ply = *self;
    }
}

impl Keyed for Side {
    fn add_to(&self, about: &mut About) {
        about.side = Some(*self);
    }
}

impl<T: Keyed> Keyed for Option<T> {
    fn add_to(&self, about: &mut About) {
        self.iter().for_each(|field| field.add_to(about));
    }
}

impl Keyed for ClaimHead {
    fn add_to(&self, about: &mut About) {
        *about = About { ply: self.ply, side: Some(self.side) };
    }
}

/// The value of a field. What is written here is made of words, numbers and texts, and has no map with other keys.
fn value(field: &impl Serialize) -> Value {
    serde_json::to_value(field).unwrap_or_default()
}

/// Reads a field; one that is not there is null.
fn field<T: DeserializeOwned>(fields: &Fields, key: &str) -> Result<T, String> {
    let value = fields.get(key).cloned().unwrap_or_default();
    serde_json::from_value(value).map_err(|error| format!("{key}: {error}"))
}

/// Reads a field that may not be there.
fn maybe<T: DeserializeOwned>(fields: &Fields, key: &str) -> Result<Option<T>, String> {
    fields.contains_key(key).then(|| field(fields, key)).transpose()
}

/// Reads fields that stand among the others.
fn among<T: DeserializeOwned>(fields: &Fields) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields.clone())).map_err(|error| error.to_string())
}

/// The name of a field, where it is a word of Rust another one than its own.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

/// What a field of that mode holds.
macro_rules! held {
    (maybe $type:ty) => { Option<$type> };
    (maybe_key $type:ty) => { Option<$type> };
    ($mode:ident $type:ty) => { $type };
    ($type:ty) => { $type };
}

/// What one field does, by its mode: `key`, `maybe` (not written where there is none), `maybe_key`, `record` (the number
/// of one), `fields` (an object whose fields stand among the others), `key_fields`. Without a mode null is written for none.
macro_rules! mode {
    (write $fields:ident, $key:expr, $of:expr, maybe) => {
        if let Some(held) = &$of { $fields.insert($key.into(), value(held)); }
    };
    (write $fields:ident, $key:expr, $of:expr, maybe_key) => { mode!(write $fields, $key, $of, maybe) };
    (write $fields:ident, $key:expr, $of:expr, fields) => {
        if let Value::Object(among) = value(&$of) { $fields.extend(among); }
    };
    (write $fields:ident, $key:expr, $of:expr, key_fields) => { mode!(write $fields, $key, $of, fields) };
    (write $fields:ident, $key:expr, $of:expr, $($mode:ident)?) => { $fields.insert($key.into(), value(&$of)); };

    (read $fields:ident, $key:expr, maybe) => { maybe($fields, $key)? };
    (read $fields:ident, $key:expr, maybe_key) => { maybe($fields, $key)? };
    (read $fields:ident, $key:expr, fields) => { among($fields)? };
    (read $fields:ident, $key:expr, key_fields) => { among($fields)? };
    (read $fields:ident, $key:expr, $($mode:ident)?) => { field($fields, $key)? };

    (key $about:ident, $of:expr, key) => { Keyed::add_to(&$of, $about) };
    (key $about:ident, $of:expr, maybe_key) => { Keyed::add_to(&$of, $about) };
    (key $about:ident, $of:expr, key_fields) => { Keyed::add_to(&$of, $about) };
    (key $about:ident, $of:expr, $($mode:ident)?) => {};

    (record $each:ident, $of:expr, record) => { $each(&mut $of) };
    (record $each:ident, $of:expr, $($mode:ident)?) => {};

    (schema $key:expr, $type:ty, maybe) => { Schema::of::<$type>($key, false) };
    (schema $key:expr, $type:ty, maybe_key) => { Schema::of::<$type>($key, false) };
    (schema $key:expr, $type:ty, fields) => { Schema::among::<$type>() };
    (schema $key:expr, $type:ty, key_fields) => { Schema::among::<$type>() };
    (schema $key:expr, $type:ty, $($mode:ident)?) => { Schema::of::<$type>($key, true) };
}

/// The struct of one finding, and what follows from its fields.
macro_rules! finding {
    ($(#[$doc:meta])* $name:ident { $($([$mode:ident])? $field:ident $($key:literal)? : $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $(
            #[doc = concat!("The field `", key!($field $($key)?), "`.")]
            pub $field: held!($($mode)? $type),
        )* }

        #[allow(unused_variables, unused_mut, clippy::unnecessary_wraps, reason = "there are findings without fields")]
        impl $name {
            fn write(&self, fields: &mut Fields) {
                $( mode!(write fields, key!($field $($key)?), self.$field, $($mode)?); )*
            }

            fn read(fields: &Fields) -> Result<Self, String> {
                Ok(Self { $( $field: mode!(read fields, key!($field $($key)?), $($mode)?), )* })
            }

            fn add_to(&self, about: &mut About) {
                $( mode!(key about, self.$field, $($mode)?); )*
            }

            fn each_record(&mut self, each: &mut dyn FnMut(&mut RecordId)) {
                $( mode!(record each, self.$field, $($mode)?); )*
            }

            fn schema() -> Vec<Schema> {
                vec![$( mode!(schema key!($field $($key)?), $type, $($mode)?), )*]
            }
        }
    };
}

/// All findings: those of one name, and behind them those whose fields several names share: `Kind of Shape: Names`.
macro_rules! findings {
    (
        own { $( $(#[$doc:meta])* $name:ident { $($fields:tt)* } )* }
        shared { $(
            $(#[$shared_doc:meta])*
            $shape:ident of $kind:ident [ $($of:ident),* $(,)? ] { $($shared:tt)* }
        )* }
    ) => {
        $( finding! { $(#[$doc])* $name { $($fields)* } } )*
        $(
            finding! { $(#[$shared_doc])* $shape { $($shared)* } }

            #[doc = concat!("The names of [`", stringify!($shape), "`].")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
            pub enum $kind { $(
                #[doc = concat!("[`Name::", stringify!($of), "`].")]
                $of,
            )* }

            impl $kind {
                /// The name that is one of these.
                #[must_use]
                pub fn of(name: Name) -> Option<Self> {
                    match name { $( Name::$of => Some(Self::$of), )* _ => None }
                }
            }

            impl From<$kind> for Name {
                fn from(kind: $kind) -> Self {
                    match kind { $( $kind::$of => Self::$of, )* }
                }
            }

            impl From<($kind, $shape)> for Finding {
                fn from((kind, finding): ($kind, $shape)) -> Self {
                    Self::$shape(kind, finding)
                }
            }
        )*

        /// What was found, claimed, proposed or declared.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Finding {
            $( #[doc = concat!("[`", stringify!($name), "`].")] $name($name), )*
            $( #[doc = concat!("[`", stringify!($shape), "`].")] $shape($kind, $shape), )*
        }

        $( impl From<$name> for Finding {
            fn from(finding: $name) -> Self {
                Self::$name(finding)
            }
        } )*

        impl Finding {
            /// Its name.
            #[must_use]
            pub fn name(&self) -> Name {
                match self {
                    $( Self::$name(_) => Name::$name, )*
                    $( Self::$shape(kind, _) => Name::from(*kind), )*
                }
            }

            /// Writes its fields.
            pub fn write(&self, fields: &mut Fields) {
                match self {
                    $( Self::$name(finding) => finding.write(fields), )*
                    $( Self::$shape(_, finding) => finding.write(fields), )*
                }
            }

            /// Reads the finding of that name from what [`Self::write`] wrote; `None` if none has the name.
            ///
            /// # Errors
            /// The field that is missing or of another kind.
            pub fn read(name: Name, fields: &Fields) -> Option<Result<Self, String>> {
                Some(match name {
                    $( Name::$name => $name::read(fields).map(Self::$name), )*
                    $($( Name::$of => $shape::read(fields).map(|finding| Self::$shape($kind::$of, finding)), )*)*
                    _ => return None,
                })
            }

            /// The ply and the side that it is about.
            #[must_use]
            pub fn about(&self) -> About {
                let mut about = About::default();
                match self {
                    $( Self::$name(finding) => finding.add_to(&mut about), )*
                    $( Self::$shape(_, finding) => finding.add_to(&mut about), )*
                }
                about
            }

            /// Each field that is the number of a record.
            pub fn each_record(&mut self, each: &mut dyn FnMut(&mut RecordId)) {
                match self {
                    $( Self::$name(finding) => finding.each_record(each), )*
                    $( Self::$shape(_, finding) => finding.each_record(each), )*
                }
            }

            /// The fields of the finding of that name, for documents; `None` if none has the name.
            #[must_use]
            pub fn schema(name: Name) -> Option<Vec<Schema>> {
                Some(match name {
                    $( Name::$name => $name::schema(), )*
                    $($( Name::$of => $shape::schema(), )*)*
                    _ => return None,
                })
            }
        }
    };
}

use {finding, findings, held, key, mode};

// On what the articles of a record depend beside its name.
impl Finding {
    /// What is wrong with an illegal move.
    #[must_use]
    pub fn kinds(&self) -> &[Kind] {
        match self {
            Self::IllegalMovePending(pending) => &pending.kinds,
            Self::IllegalMoveCompleted(illegal) => &illegal.kinds,
            Self::PromotionNotReplaced(pawn) => pawn.kinds.as_deref().unwrap_or_default(),
            Self::ClockPressedWithoutMove(press) => press.kinds.as_deref().unwrap_or_default(),
            Self::ClaimIllegalMove(claim) => claim.kinds.as_deref().unwrap_or_default(),
            _ => &[],
        }
    }

    /// How sure it is: as its row says, but no board sees which of two partners moved a piece, and a square that said once
    /// what is not so need not be sick.
    #[must_use]
    pub fn certainty(&self) -> Certainty {
        match self {
            Self::MoveOutOfTurn(moved) if moved.sub == OutOfTurn::PartnerMoved => Certainty::Suspected,
            Self::SensorFault(fault) if fault.is_suspected() => Certainty::Suspected,
            _ => self.name().row().certainty,
        }
    }

    /// The rule of Article 4 that was broken.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::TouchMoveSuspected(touched) => Some(touched.rule),
            Self::MoveChangedAfterRelease(changed) => Some(changed.rule),
            Self::PromotionChoiceChanged(changed) => Some(changed.rule),
            Self::ClaimTouchMove(claim) => claim.rule,
            _ => None,
        }
    }
}

/// A field as documents describe it.
#[expect(missing_debug_implementations, reason = "the library's schema has none")]
pub struct Schema {
    /// Its name; `None` of an object whose fields stand among the others.
    pub name: Option<&'static str>,
    /// It is always there.
    pub is_required: bool,
    /// What it may be.
    pub schema: Documented,
    /// What that names, with the names.
    pub named: Vec<(String, Documented)>,
}

/// What documents say of a type.
pub type Documented = utoipa::openapi::RefOr<utoipa::openapi::Schema>;

impl Schema {
    /// That of a field of this name.
    #[must_use]
    pub fn of<T: utoipa::ToSchema>(name: &'static str, is_required: bool) -> Self {
        Self { name: Some(name), is_required, ..Self::among::<T>() }
    }

    /// That of an object whose fields stand among the others.
    #[must_use]
    pub fn among<T: utoipa::ToSchema>() -> Self {
        let mut named = Vec::new();
        T::schemas(&mut named);
        Self { name: None, is_required: true, schema: T::schema(), named }
    }
}
