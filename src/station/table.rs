//! The table of a board, whichever game is played there: chosen once, when the board is opened.

use crate::rules::four::FourPlayer;
use crate::rules::{Chess, Family};
use crate::stamp::Stamp;
use crate::table::Derived;

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
    pub(super) fn open(open: &Open, at: Stamp) -> Result<Self, OpenError> {
        Ok(match open.family()? {
            Family::Chess => Self::Chess(Box::new(Derived::new(open.chess()?, at))),
            Family::FourPlayer => Self::Four(Box::new(Derived::new(open.four_player()?, at))),
        })
    }

    pub(super) fn family(&self) -> Family {
        match self {
            Self::Chess(_) => Family::Chess,
            Self::Four(_) => Family::FourPlayer,
        }
    }
}
