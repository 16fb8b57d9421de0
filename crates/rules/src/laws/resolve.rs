//! Makes profiles: from layers of `profiles.toml` and from what the event sets.

use std::sync::LazyLock;

use toml::{Table, Value};

use super::setting;
use super::{BothFlagsUnknown, Class, Edition, Profile, Supervision};
use crate::spelling::nearest;

/// Why a profile cannot be had or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No profile has that name.
    #[error("no profile is called \"{given}\"; did you mean \"{nearest}\"?")]
    UnknownProfile {
        /// What was written.
        given: String,
        /// The nearest name.
        nearest: &'static str,
    },
    /// Reduced supervision, which 2005 does not know.
    #[error("profile \"{given}\": the Laws of 2005 know no supervision; use \"{instead}\"")]
    NoSupervision {
        /// What was written.
        given: String,
        /// The profile of that class.
        instead: String,
    },
    /// No parameter has that name.
    #[error("no parameter of the Laws is called \"{given}\"; did you mean \"{nearest}\"?")]
    UnknownParameter {
        /// What was written.
        given: String,
        /// The nearest name.
        nearest: String,
    },
    /// The parameter exists, but no profile holds it.
    #[error("parameter \"{given}\" is not set here: {instead}")]
    Elsewhere {
        /// What was written.
        given: String,
        /// What does it instead.
        instead: &'static str,
    },
    /// The parameter cannot have that value.
    #[error("parameter \"{parameter}\" cannot be \"{given}\": {what}")]
    WrongValue {
        /// The parameter, as written.
        parameter: String,
        /// The value, as written.
        given: String,
        /// What it can be.
        what: String,
    },
    /// No regulation has that name.
    #[error("no regulation is called \"{given}\"; did you mean \"{nearest}\"?")]
    UnknownRegulation {
        /// What was written.
        given: String,
        /// The nearest one.
        nearest: &'static str,
    },
    /// A regulation without the number that it needs.
    #[error("regulation \"{given}\" needs a number: \"{given} 30\"")]
    MissingNumber {
        /// What was written.
        given: String,
    },
}

use Class::{Blitz, Rapid, Standard};
use Edition::{Fide2005, Fide2017, Fide2018, Fide2023};
use Supervision::{Full, Reduced};

/// Every profile: edition, class, supervision, and whether it is national.
const PROFILES: [(&str, Edition, Class, Supervision, bool); 24] = [
    ("fide-2005-standard", Fide2005, Standard, Supervision::None, false),
    ("fide-2005-rapid", Fide2005, Rapid, Supervision::None, false),
    ("fide-2005-blitz", Fide2005, Blitz, Supervision::None, false),
    ("fide-2017-standard", Fide2017, Standard, Full, false),
    ("fide-2017-rapid", Fide2017, Rapid, Full, false),
    ("fide-2017-rapid-reduced", Fide2017, Rapid, Reduced, false),
    ("fide-2017-blitz", Fide2017, Blitz, Full, false),
    ("fide-2017-blitz-reduced", Fide2017, Blitz, Reduced, false),
    ("fide-2018-standard", Fide2018, Standard, Full, false),
    ("fide-2018-rapid", Fide2018, Rapid, Full, false),
    ("fide-2018-rapid-reduced", Fide2018, Rapid, Reduced, false),
    ("fide-2018-blitz", Fide2018, Blitz, Full, false),
    ("fide-2018-blitz-reduced", Fide2018, Blitz, Reduced, false),
    ("fide-2023-standard", Fide2023, Standard, Full, false),
    ("fide-2023-rapid", Fide2023, Rapid, Full, false),
    ("fide-2023-rapid-reduced", Fide2023, Rapid, Reduced, false),
    ("fide-2023-blitz", Fide2023, Blitz, Full, false),
    ("fide-2023-blitz-reduced", Fide2023, Blitz, Reduced, false),
    ("fi-2017-standard", Fide2017, Standard, Full, true),
    ("fi-2017-rapid", Fide2017, Rapid, Full, true),
    ("fi-2017-rapid-reduced", Fide2017, Rapid, Reduced, true),
    ("fi-2017-blitz", Fide2017, Blitz, Full, true),
    ("fi-2017-blitz-reduced", Fide2017, Blitz, Reduced, true),
    ("fi-2017-blitz-national", Fide2017, Blitz, Supervision::None, true),
];

/// Regulations, the parameters that they set, and to what; `None`: to the number that follows.
const REGULATIONS: [(&str, &str, Option<&str>); 6] = [
    ("qpf", "qpf_enabled", Some("yes")),
    ("adjournment", "adjournment", Some("yes")),
    ("default-time", "default_time_min", None),
    ("draw-limit", "draw_min_moves", None),
    ("draw-needs-arbiter", "draw_needs_arbiter", Some("yes")),
    ("fide-rated", "fide_rated", Some("yes")),
];

/// `profiles.toml`.
static LAYERS: LazyLock<Table> =
    LazyLock::new(|| include_str!("profiles.toml").parse().expect("profiles.toml is TOML"));

/// The section `path` of `profiles.toml`, empty where there is none.
fn layer(path: &[&str]) -> impl Iterator<Item = (&'static String, &'static Value)> + use<> {
    let section = path.iter().try_fold(&*LAYERS, |table, name| table.get(*name).and_then(Value::as_table));
    // What is a table itself is the section of a class.
    section.into_iter().flatten().filter(|(_, value)| !value.is_table())
}

/// May an event set it even if its games are rated?
fn is_free(key: &str) -> bool {
    ["product", "event"].iter().any(|section| layer(&[section]).any(|(name, _)| name == key))
}

impl Profile {
    /// The profile of that name: `fide-2018-rapid-reduced`.
    ///
    /// # Errors
    /// [`ProfileError`] if there is none, with the nearest name.
    pub fn named(given: &str) -> Result<Self, ProfileError> {
        let Some(&(name, edition, class, supervision, is_national)) =
            PROFILES.iter().find(|(name, ..)| *name == given)
        else {
            let instead = given.strip_suffix("-reduced").filter(|name| name.starts_with("fide-2005-"));
            return Err(match instead.filter(|name| Self::names().any(|known| known == *name)) {
                Some(instead) => {
                    ProfileError::NoSupervision { given: given.to_owned(), instead: instead.to_owned() }
                }
                None => ProfileError::UnknownProfile {
                    given: given.to_owned(),
                    nearest: nearest(given, Self::names()),
                },
            });
        };
        let mut profile: Self = foundation(edition, class, supervision, is_national.then_some(name), false)
            .try_into()
            .expect("every layer of profiles.toml has the fields of a profile");
        profile.take_identity(name, edition, class, supervision, is_national);
        profile.settle_defaults();
        Ok(profile)
    }

    /// The names of all profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().map(|(name, ..)| *name)
    }

    fn take_identity(
        &mut self,
        name: &'static str,
        edition: Edition,
        class: Class,
        supervision: Supervision,
        is_national: bool,
    ) {
        self.name = name;
        self.edition = edition;
        self.class = class;
        self.supervision = supervision;
        self.is_national = is_national;
    }

    /// Values that follow from others.
    fn settle_defaults(&mut self) {
        self.adjourned_default_min = self.adjourned_default_min.or(self.default_time_min);
        // The rule for an unknown order is part of quickplay finish (III.3.1; 2005: 10, 6.12).
        let is_in_force = self.qpf_enabled && !(self.qpf_excluded_blitz && self.class == Blitz);
        if self.both_flags_order_unknown == BothFlagsUnknown::LastPeriodDraw && !is_in_force {
            self.both_flags_order_unknown = BothFlagsUnknown::Undecided;
        }
        for moves in &mut self.assistant_moves {
            *moves &= self.assistant_allowed;
        }
    }

    /// Sets a parameter by its name in this struct or in the rules of an event: `illegal_bonus_s`,
    /// `illegal_bonus_s.rapid` (no effect in other classes), `time_handicap.black`. A time may be
    /// written with its unit: `10 min`.
    ///
    /// Where the game is rated by FIDE, what the Laws fix stays as it is: see [`Self::overruled`].
    ///
    /// # Errors
    /// [`ProfileError`] for an unknown parameter, with the nearest one, or for a value that it
    /// cannot have, with those that it can; then nothing is changed.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ProfileError> {
        let mut trial = self.foundation(false);
        let (parameter, part) = setting::find(&trial, key)?;
        setting::apply(&mut trial, &parameter, part, value).and_then(|()| read(trial, &parameter)).map_err(
            |what| ProfileError::WrongValue { parameter: key.to_owned(), given: value.to_owned(), what },
        )?;
        let mut settings = self.settings.clone();
        settings.insert(setting::written(&parameter, part), value.to_owned());
        let mut changed = Self { settings, ..self.clone() };
        changed.rebuild();
        *self = changed;
        Ok(())
    }

    /// Takes over what the event's regulations announce: `qpf`, `adjournment`, `default-time 30`,
    /// `draw-limit 30`, `draw-needs-arbiter`, `fide-rated`; `qpf off` takes it back.
    ///
    /// # Errors
    /// [`ProfileError`] for an unknown regulation, with the nearest one, or a wrong number.
    pub fn regulation(&mut self, text: &str) -> Result<(), ProfileError> {
        let (given, value) = match text.trim().split_once(' ') {
            Some((given, value)) => (given, Some(value.trim())),
            None => (text.trim(), None),
        };
        let Some((_, key, usual)) = REGULATIONS.iter().find(|(name, ..)| *name == given) else {
            let nearest = nearest(given, REGULATIONS.iter().map(|(name, ..)| *name));
            return Err(ProfileError::UnknownRegulation { given: given.to_owned(), nearest });
        };
        let value =
            value.or(*usual).ok_or_else(|| ProfileError::MissingNumber { given: given.to_owned() })?;
        self.set(key, value)
    }

    /// The settings that have no effect because the game is rated by FIDE and the Laws fix them.
    pub fn overruled(&self) -> impl Iterator<Item = &str> {
        let keys = self.settings.keys().map(String::as_str);
        keys.filter(|key| self.fide_rated && !is_free(setting::parameter(key)))
    }

    /// What holds before the event sets anything.
    fn foundation(&self, is_rated: bool) -> Table {
        let national = self.is_national.then_some(self.name);
        foundation(self.edition, self.class, self.supervision, national, is_rated)
    }

    /// Resolves everything anew, so that the order of settings makes no difference.
    fn rebuild(&mut self) {
        let rated = self.settings.get("fide_rated");
        let is_rated = rated.is_some_and(|text| setting::yes_or_no(text) == Some(true));
        let mut table = self.foundation(is_rated);
        let mut settings: Vec<(&String, &String)> = self.settings.iter().collect();
        // The narrower setting wins: `illegal_limit.rapid_reduced` over `illegal_limit`.
        settings.sort_by_key(|(key, _)| key.len());
        for (key, value) in settings {
            let (parameter, part) = setting::find(&table, key).expect("a setting was found before");
            if part.holds_in(self.class, self.supervision) && (!is_rated || is_free(&parameter)) {
                setting::apply(&mut table, &parameter, part, value).expect("a setting was tried before");
            }
        }
        let mut changed: Self = table.try_into().expect("each setting was tried before");
        changed.take_identity(self.name, self.edition, self.class, self.supervision, self.is_national);
        changed.settings = std::mem::take(&mut self.settings);
        changed.settle_defaults();
        *self = changed;
    }
}

/// What holds before the event sets anything: the layers in their order. A national profile gives
/// its name; rated games take from it only what the Laws leave to the event.
fn foundation(
    edition: Edition,
    class: Class,
    supervision: Supervision,
    national: Option<&str>,
    is_rated: bool,
) -> Table {
    let class = class.name();
    // National blitz builds on reduced supervision: the Laws have nothing less. 2005 has no such layer.
    let supervision = if supervision == Full { "full" } else { "reduced" };
    let both = format!("{class}-{supervision}");
    let sections = |name: &'static str| {
        let of_class = [class, supervision, &both].map(|section| layer(&[name, section]));
        layer(&[name]).chain(of_class.into_iter().flatten())
    };
    let mut table = Table::new();
    let mut take = |(key, value): (&String, &Value)| {
        table.insert(key.clone(), value.clone());
    };
    layer(&["product"]).chain(layer(&["event"])).for_each(&mut take);
    for edition in Edition::ALL.into_iter().filter(|each| *each <= edition) {
        sections(edition.name()).for_each(&mut take);
    }
    if let Some(name) = national {
        let own = name.strip_prefix("fi-2017-").unwrap_or(name);
        let layers = layer(&["fi"]).chain(layer(&["fi", own]));
        layers.filter(|(key, _)| !is_rated || is_free(key)).for_each(&mut take);
    }
    table
}

/// Reads the table in which `parameter` was just set; the error says what it can be.
fn read(table: Table, parameter: &str) -> Result<Profile, String> {
    let profile: Profile = table
        .try_into()
        .map_err(|error: toml::de::Error| setting::possible_values(parameter, error.message()))?;
    if profile.illegal_limit == 0 { Err("give 1 or more".to_owned()) } else { Ok(profile) }
}
