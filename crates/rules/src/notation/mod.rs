//! Moves as text: PGN, UCI, and the printed forms of several languages (Laws, appendix C;
//! localisation.md).
//!
//! Machine output is always PGN or UCI; the printed forms belong to scoresheets, views and the
//! arbiter's desk. The reader is lenient about what may be left out and strict about what it means:
//! one text, in the locale that was given, is one legal move or an error.

mod error;
mod locale;
mod movetext;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::Position as _;
use std::str::FromStr;

use shakmaty::{CastlingSide, Move, Square};

use super::ChessPosition;
use crate::sensor::Side;

pub use error::{Fault, GameError, NotationError};
pub use locale::{Locale, ParseLocaleError};
pub use movetext::Movetext;

/// How a move is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// PGN's standard algebraic notation: English letters whatever the locale, `O-O`, `=Q`.
    San,
    /// Squares only, as engines write them: `e2e4`, `e7e8q`; castling as the position has it.
    Uci,
    /// Piece and square of arrival: `Rf3`, `exd6 o.l.`, `0-0`, `d8D`.
    Short,
    /// With the square of departure: `Rg1-f3`, `Lb2xe5`.
    Long,
    /// Short, with figurines for the pieces: `♘f3`.
    Figurine,
}

/// A text that names no form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no form of notation is called \"{given}\"; did you mean \"{nearest}\"? (san, uci, short, long, figurine)"
)]
pub struct ParseFormError {
    given: String,
    nearest: &'static str,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::San, Self::Uci, Self::Short, Self::Long, Self::Figurine];

    /// `san`, `uci`, `short`, `long`, `figurine`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::San => "san",
            Self::Uci => "uci",
            Self::Short => "short",
            Self::Long => "long",
            Self::Figurine => "figurine",
        }
    }

    /// True for PGN and UCI, which no locale changes.
    #[must_use]
    pub(crate) fn is_machine(self) -> bool {
        matches!(self, Self::San | Self::Uci)
    }
}

impl FromStr for Form {
    type Err = ParseFormError;

    fn from_str(text: &str) -> Result<Self, ParseFormError> {
        Self::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| ParseFormError {
            given: text.to_owned(),
            nearest: crate::spelling::nearest(text, Self::ALL.into_iter().map(Self::name)),
        })
    }
}

/// A way to read and write moves. The options concern the printed forms; only
/// [`look_alikes`](Self::look_alikes) concerns reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notation {
    /// The language of letters and marks; without effect on [`Form::San`] and [`Form::Uci`].
    pub locale: Locale,
    /// How moves are written. Of the printed forms the reader takes any.
    pub form: Form,
    /// Write `x`. On: PGN and the 2005 Laws require it, later Laws allow it (C.9).
    pub capture_sign: bool,
    /// Write `e.p.` or `o.l.`. On, for the same reason (C.9.3).
    pub en_passant_mark: bool,
    /// Write Latin files in a locale that has its own. Off: only the Greek text of 2005 does.
    pub latin_files: bool,
    /// Read letters of another alphabet that look like the locale's own as those. On: printed
    /// Greek games mix Greek and Latin letters. Off compares code points.
    pub look_alikes: bool,
}

/// A move of a score, and the draw offer noted beside it (C.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The move.
    pub mv: Move,
    /// `(=)` stands beside it.
    pub draw_offer: bool,
}

impl Notation {
    /// PGN.
    pub const SAN: Self = Self::new(Locale::English, Form::San);
    /// From-to notation of engines.
    pub const UCI: Self = Self::new(Locale::English, Form::Uci);

    /// This form and language, as the Laws of 2018 print it.
    #[must_use]
    pub const fn new(locale: Locale, form: Form) -> Self {
        Self {
            locale,
            form,
            capture_sign: true,
            en_passant_mark: true,
            latin_files: false,
            look_alikes: true,
        }
    }

    /// As the Laws of 2005 print it: `x` and `e.p.` are required, files are Latin in Greek too.
    #[must_use]
    pub const fn of_2005(locale: Locale, form: Form) -> Self {
        Self { latin_files: true, ..Self::new(locale, form) }
    }

    /// What messages call it.
    fn name(self) -> &'static str {
        match self.form {
            Form::San => "PGN",
            Form::Uci => "UCI",
            Form::Short | Form::Long | Form::Figurine => self.locale.name(),
        }
    }

    /// The other locales in which a text could have been meant.
    fn others(self) -> impl Iterator<Item = Self> {
        let form = if self.form == Form::San { Form::Short } else { self.form };
        Locale::ALL
            .into_iter()
            .filter(move |&locale| locale != self.letters_of() && self.form != Form::Uci)
            .map(move |locale| Self { locale, form, ..self })
    }

    /// The locale whose letters are used.
    fn letters_of(self) -> Locale {
        if self.form.is_machine() { Locale::English } else { self.locale }
    }
}

/// The side of a castling move, by where the rook stands.
fn castling_side(king: Square, rook: Square) -> CastlingSide {
    if rook.file() > king.file() { CastlingSide::KingSide } else { CastlingSide::QueenSide }
}

// What notation asks of a position, in one place.

fn legal_moves(position: &ChessPosition) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

fn is_check(position: &ChessPosition) -> bool {
    position.is_check()
}

fn is_mate(position: &ChessPosition) -> bool {
    is_check(position) && legal_moves(position).is_empty()
}

fn has_mated(position: &ChessPosition, mv: Move) -> bool {
    is_mate(&position.play(mv))
}

/// The number of the next move, and who makes it.
fn next_number(position: &ChessPosition) -> (u32, Side) {
    (position.fullmoves(), position.turn())
}
