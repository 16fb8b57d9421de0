//! Words that choose: the names that serde gives to the choices of an enum.

use serde::Serialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer as _};

/// Enums whose variants are written as these texts.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident { $( $(#[$of:meta])* $variant:ident = $text:literal ),* $(,)? }
    )*) => { $(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $(
            $(#[$of])*
            #[doc = concat!("`", $text, "`")]
            #[serde(rename = $text)]
            $variant,
        )* }

        impl From<$name> for serde_json::Value {
            fn from(word: $name) -> Self {
                word.as_str().into()
            }
        }

        impl utoipa::__dev::ComposeSchema for $name {
            fn compose(
                _generics: Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>>,
            ) -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .description(Some(concat!($($doc),*).trim()))
                    .enum_values(Some([$($text),*]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}

        impl $name {
            /// As it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $text, )* }
            }
        }
    )* };
}

#[doc(inline)]
pub use __words as words;

/// A word that is none of those that may stand there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} \"{given}\" is not known; use {known}")]
pub struct UnknownWord {
    key: &'static str,
    given: String,
    known: String,
}

/// The word for `choice`, as serde writes it.
pub fn written<T: Serialize>(choice: &T) -> String {
    serde_json::to_value(choice).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Reads the choice that `given` names.
///
/// # Errors
/// [`UnknownWord`] with `key` and every word that may stand there.
pub fn read<T: DeserializeOwned>(key: &'static str, given: &str) -> Result<T, UnknownWord> {
    let word: StrDeserializer<'_, Error> = given.into_deserializer();
    T::deserialize(word).map_err(|error| {
        // "unknown variant `x`, expected one of `a`, `b`, `c`".
        let message = error.to_string();
        let known = message.rsplit("expected ").next().unwrap_or_default();
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let known = match known.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => known.concat(),
        };
        UnknownWord { key, given: given.to_owned(), known }
    })
}

#[cfg(test)]
mod tests {
    super::words! {
        Announce { Fast = "fast", Balanced = "balanced", Careful = "careful" }
    }

    #[test]
    fn an_unknown_word_is_told_what_may_stand_there() {
        assert_eq!(super::read("announce", "careful"), Ok(Announce::Careful));
        for given in ["slow", "`expected `", ""] {
            let error = super::read::<Announce>("announce", given).unwrap_err().to_string();
            assert_eq!(error, format!("announce \"{given}\" is not known; use fast, balanced or careful"));
        }
    }
}
