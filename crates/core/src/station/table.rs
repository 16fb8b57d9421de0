//! The table of a board, whichever game is played there: chosen once, when the board is opened.

use crate::table::{Carried, Derived, Setting};
use adoube_rules::four::FourPlayer;
use adoube_rules::stamp::Stamp;
use adoube_rules::{Chess, Family, Variant};

use super::open::Settings;
use super::{Open, OpenError};

/// A table of one of the games.
#[derive(Debug)]
pub(super) enum Table {
    /// Chess and Chess960.
    Chess(Box<Derived<Chess>>),
    /// Four-player team chess.
    Four(Box<Derived<FourPlayer>>),
}

/// Does the same with either table.
macro_rules! of {
    ($table:expr, $either:ident => $work:expr) => {
        match $table {
            Table::Chess($either) => $work,
            Table::Four($either) => $work,
        }
    };
}
pub(super) use of;

impl Table {
    pub(super) fn open(open: &Open, carried: Option<Carried>, at: Stamp) -> Result<Self, OpenError> {
        Ok(match open.settings()? {
            Settings::Chess(setting) => Self::Chess(Box::new(table(*setting, carried, at))),
            Settings::Four(setting) => Self::Four(Box::new(table(*setting, carried, at))),
        })
    }

    pub(super) fn family(&self) -> Family {
        match self {
            Self::Chess(_) => Family::Chess,
            Self::Four(_) => Family::FourPlayer,
        }
    }
}

fn table<V: Variant>(setting: Setting<V>, carried: Option<Carried>, at: Stamp) -> Derived<V> {
    match carried {
        Some(carried) => Derived::carried(setting, carried, at),
        None => Derived::new(setting, at),
    }
}
