//! The Laws as data: editions, the values that they and their classes of play give, and the names
//! of everything that can be said about a game.
//!
//! A [`Profile`] holds one value for each parameter of the Laws, already resolved for edition,
//! class and supervision: code asks `profile.illegal_limit`, never which edition is in force.

mod articles;
mod cited;
mod edition;
mod four;
mod names;
mod parameter;
mod profile;
mod resolve;
mod rows;
mod setting;
mod synonyms;
#[cfg(test)]
mod tests;

pub use articles::{Wording, wording};
pub use cited::Case;
pub use edition::{Class, Edition, Supervision, time_class};
pub use four::{FOUR_PLAYER, four_player_article};
pub use names::{Certainty, Counted, Row, RowKind, See, Severity, hint, names, row};
pub use parameter::{
    ArbiterActs, BoardParity, BothFlags, BothFlagsUnknown, ClaimRight, ClaimScope, CounterScope, CountsFrom,
    EpWindow, FlagCall, GameEnd, IllegalPosition, MisplacedCastling, Penalty, SeatAfterRed, TurnBegins,
    UnreplacedPawn, Until,
};
pub use profile::Profile;
pub use resolve::ProfileError;
pub use rows::{ILLEGAL_KINDS, Name, START_POSITION_SUBS};
