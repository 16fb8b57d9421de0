//! Whether a position can have arisen by legal moves (Laws 3.10.3), and why not.
//!
//! Every reason is a proof: what is looked at only ever leaves out positions that no game reaches. Where
//! nothing is found the answer is "unknown", and "yes" only where a game was found. In order:
//!
//! | file | what it proves from |
//! |---|---|
//! | `count` | how many men there are, pawns on an outer rank |
//! | `state` | checks against the side that moved, castling rights, the en passant field |
//! | `locked` | men that can never have moved, and where all others can have come from |
//! | `pawns` | which captures the pawns need, all sixteen together |
//! | `retract` | whether there is a last move, and one before it |
//! | `proof` | a short game to the position |
//!
//! Numbers of moves (parity) prove nothing here: kings, queens and rooks lose moves too easily.

mod count;
mod locked;
mod pawns;
mod proof;
mod retract;
mod state;

use std::fmt;

use shakmaty::{Board, CastlingMode, Setup};

/// Whether a position can have arisen by legal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legal {
    /// A game leads to it.
    Yes,
    /// No game leads to it.
    No,
    /// Nothing speaks against it.
    Unknown,
}

impl Legal {
    /// `yes`, `no` or `unknown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a position cannot have arisen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Its name, e.g. `no-last-move`.
    pub name: &'static str,
    /// A sentence for the arbiter.
    pub text: String,
}

impl Reason {
    fn new(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, text: text.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.name, self.text)
    }
}

/// What is known about a position's past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it can have arisen.
    pub legal: Legal,
    /// Why not; empty unless the answer is no.
    pub reasons: Vec<Reason>,
}

/// Judges a position that arose, or did not, from the start array, or with [`CastlingMode::Chess960`]
/// from any of its arrays. The en passant field is the square behind a pawn that has just moved two
/// squares, whether or not it can be captured; "-" says nothing. The move counters are not looked at.
#[must_use]
pub fn judge(setup: &Setup, mode: CastlingMode) -> Verdict {
    let reasons = reasons(setup, mode);
    let legal = match reasons.as_slice() {
        [] if proof::is_reached(setup, mode) => Legal::Yes,
        [] => Legal::Unknown,
        _ => Legal::No,
    };
    Verdict { legal, reasons }
}

/// What the numbers of men alone rule out. A man beyond the first set was a pawn: promotions on record
/// need not be known, their pawns are missing.
#[must_use]
pub fn counts(board: &Board) -> Vec<Reason> {
    count::reasons(board)
}

/// What follows stands on what came before: a position with three kings is not asked for its last move.
fn reasons(setup: &Setup, mode: CastlingMode) -> Vec<Reason> {
    let mut reasons = count::reasons(&setup.board);
    if reasons.is_empty() {
        reasons = state::reasons(setup, mode);
    }
    if reasons.is_empty() {
        reasons = history(setup, mode);
        let is_known = !reasons.is_empty();
        reasons.extend(retract::reason(setup, mode, is_known));
    }
    reasons
}

/// What the men that never moved and the pawns say.
fn history(setup: &Setup, mode: CastlingMode) -> Vec<Reason> {
    let locked = match locked::Locked::new(setup, mode) {
        Ok(locked) => locked,
        Err(reason) => return vec![reason],
    };
    locked::origins(&setup.board, mode, &locked)
        .and_then(|needs| pawns::structure(&setup.board, &locked, &needs))
        .err()
        .into_iter()
        .collect()
}
