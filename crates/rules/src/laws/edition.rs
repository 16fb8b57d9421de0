//! Editions of the Laws, classes of play, and supervision.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An edition of the FIDE Laws of Chess, by the year in which it took effect.
#[derive(
    utoipa::ToSchema,
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
)]
pub enum Edition {
    /// 1 July 2005.
    #[serde(rename = "2005")]
    Fide2005,
    /// 1 July 2017.
    #[serde(rename = "2017")]
    Fide2017,
    /// 1 January 2018.
    #[serde(rename = "2018")]
    Fide2018,
    /// 1 January 2023: the one in force.
    #[serde(rename = "2023")]
    #[default]
    Fide2023,
}

impl Edition {
    /// All, oldest first.
    pub const ALL: [Self; 4] = [Self::Fide2005, Self::Fide2017, Self::Fide2018, Self::Fide2023];

    /// Its year, as events and names of profiles have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fide2005 => "2005",
            Self::Fide2017 => "2017",
            Self::Fide2018 => "2018",
            Self::Fide2023 => "2023",
        }
    }

    /// Its place in [`Edition::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The edition of that year.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edition| edition.name() == name)
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The class of play (A.1, B.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Standard play.
    Standard,
    /// Rapid chess (appendix A; 2005: appendix B).
    Rapid,
    /// Blitz (appendix B; 2005: appendix C).
    Blitz,
}

impl Class {
    /// All, slowest first.
    pub const ALL: [Self; 3] = [Self::Standard, Self::Rapid, Self::Blitz];

    /// Its name, as in names of profiles.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Rapid => "rapid",
            Self::Blitz => "blitz",
        }
    }
}

/// How closely arbiters watch: it decides which rules hold in rapid and blitz (A.3, A.4, B.3, B.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Supervision {
    /// As the Competition Rules want it; always so in standard play since 2017.
    Full,
    /// Fewer arbiters: A.4 (2023: A.5) holds.
    Reduced,
    /// The rules know no such distinction: 2005, and national rules.
    None,
}

/// The class of a game with `base_s` and `increment_s` for each move: by `T` = base + 60 increments
/// (A.1, B.1; 2005: B1, C1).
///
/// A control of several periods gives the sum of its bases.
#[must_use]
pub const fn time_class(edition: Edition, base_s: u32, increment_s: u32) -> Class {
    const MINUTE: u64 = 60;
    let total_s = base_s as u64 + 60 * increment_s as u64;
    // 2005: blitz below 15 minutes, rapid up to 60. Since 2014: blitz up to 10, rapid below 60.
    let (is_blitz, is_rapid) = match edition {
        Edition::Fide2005 => (total_s < 15 * MINUTE, total_s <= 60 * MINUTE),
        _ => (total_s <= 10 * MINUTE, total_s < 60 * MINUTE),
    };
    if is_blitz {
        Class::Blitz
    } else if is_rapid {
        Class::Rapid
    } else {
        Class::Standard
    }
}
