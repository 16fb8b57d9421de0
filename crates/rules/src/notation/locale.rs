//! Letters of the languages in which moves are printed (localisation.md 1; Laws, appendix C).

use std::fmt;
use std::str::FromStr;

use shakmaty::{File, Role};

/// A language of printed moves. It is fixed for a document or an event and never guessed: `R` is a
/// rook in English and a knight in Finnish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Locale {
    /// K Q R B N.
    English,
    /// K D T L R.
    Finnish,
    /// Ρ Β Π Α Ι, files α to θ.
    Greek,
}

/// A text that names no locale.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no locale is called \"{given}\"; did you mean \"{nearest}\"? (en, fi, el)")]
pub struct ParseLocaleError {
    given: String,
    nearest: &'static str,
}

impl Locale {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::English, Self::Finnish, Self::Greek];

    /// The language code of ISO 639-1: `en`, `fi`, `el`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Finnish => "fi",
            Self::Greek => "el",
        }
    }

    /// The English name of the language.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Finnish => "Finnish",
            Self::Greek => "Greek",
        }
    }

    pub(super) fn letters(self) -> &'static Letters {
        match self {
            Self::English => &ENGLISH,
            Self::Finnish => &FINNISH,
            Self::Greek => &GREEK,
        }
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Locale {
    type Err = ParseLocaleError;

    fn from_str(text: &str) -> Result<Self, ParseLocaleError> {
        Self::ALL.into_iter().find(|locale| locale.code() == text).ok_or_else(|| ParseLocaleError {
            given: text.to_owned(),
            nearest: crate::spelling::nearest(text, Self::ALL.into_iter().map(Self::code)),
        })
    }
}

/// The kinds of men that have a letter, in the order of [`Letters::pieces`].
const PIECES: [Role; 5] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// White and black figurines, in the same order.
const FIGURINES: [[char; 2]; 5] = [['♔', '♚'], ['♕', '♛'], ['♖', '♜'], ['♗', '♝'], ['♘', '♞']];

/// What one language writes.
pub(super) struct Letters {
    /// King, queen, rook, bishop, knight.
    pieces: [char; 5],
    /// What some write for a pawn, although it has no letter (C.4).
    pawn: &'static [char],
    files: [char; 8],
    /// Letters of another alphabet that look the same, and the letter that is meant.
    look_alikes: &'static [(char, char)],
    /// How a capture in passing is marked; `e.p.` is understood everywhere.
    pub(super) en_passant: &'static str,
    /// Signs that say mate, besides `#`.
    pub(super) mate_signs: &'static [&'static str],
}

const LATIN_FILES: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const ENGLISH: Letters = Letters {
    pieces: ['K', 'Q', 'R', 'B', 'N'],
    pawn: &['P', 'p'],
    files: LATIN_FILES,
    look_alikes: &[],
    en_passant: "e.p.",
    mate_signs: &["++"],
};

const FINNISH: Letters = Letters {
    pieces: ['K', 'D', 'T', 'L', 'R'],
    pawn: &['s', 'S'],
    files: LATIN_FILES,
    look_alikes: &[],
    en_passant: "o.l.",
    mate_signs: &["++", "X"],
};

const GREEK: Letters = Letters {
    pieces: ['Ρ', 'Β', 'Π', 'Α', 'Ι'],
    pawn: &['π'],
    files: ['α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ'],
    // Latin P, B, A, I and x, and the Greek O of castling: texts mix the two alphabets.
    look_alikes: &[('P', 'Ρ'), ('B', 'Β'), ('A', 'Α'), ('I', 'Ι'), ('χ', 'x'), ('Ο', 'O')],
    en_passant: "e.p.",
    mate_signs: &["++"],
};

impl Letters {
    pub(super) fn piece(&self, role: Role) -> Option<char> {
        PIECES.iter().position(|&piece| piece == role).map(|index| self.pieces[index])
    }

    pub(super) fn figurine(role: Role) -> Option<char> {
        PIECES.iter().position(|&piece| piece == role).map(|index| FIGURINES[index][0])
    }

    pub(super) fn file(&self, file: File, latin: bool) -> char {
        let files = if latin { &LATIN_FILES } else { &self.files };
        files[file as usize]
    }

    /// The piece that a capital letter or a figurine stands for.
    pub(super) fn role(&self, letter: char) -> Option<Role> {
        let index =
            (0..5).find(|&index| self.pieces[index] == letter || FIGURINES[index].contains(&letter))?;
        Some(PIECES[index])
    }

    /// The piece that a pawn becomes: the letter in either case, and the international `Q`, which
    /// is no letter of any other piece (localisation.md 3).
    pub(super) fn promotion(&self, letter: char) -> Option<Role> {
        let capital = letter.to_uppercase().next().unwrap_or(letter);
        self.role(capital).or_else(|| (capital == 'Q').then_some(Role::Queen))
    }

    /// The file of a letter. Latin letters are understood everywhere: the Greek text of 2005 has
    /// them, and no Greek file looks like the Latin letter of another one.
    pub(super) fn file_of(&self, letter: char) -> Option<File> {
        let index = (0..8).find(|&index| self.files[index] == letter || LATIN_FILES[index] == letter)?;
        Some(File::ALL[index])
    }

    pub(super) fn is_pawn(&self, letter: char) -> bool {
        self.pawn.contains(&letter)
    }

    pub(super) fn fold(&self, letter: char) -> char {
        self.look_alikes.iter().find(|(from, _)| *from == letter).map_or(letter, |&(_, to)| to)
    }

    /// `K D T L R`, for messages.
    pub(super) fn piece_list(&self) -> String {
        self.pieces.map(String::from).join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_is_named_by_its_code() {
        for locale in Locale::ALL {
            assert_eq!(locale.code().parse(), Ok(locale));
        }
        let error = "fin".parse::<Locale>().unwrap_err();
        assert_eq!(error.to_string(), "no locale is called \"fin\"; did you mean \"fi\"? (en, fi, el)");
    }

    #[test]
    fn no_letter_means_two_things() {
        for locale in Locale::ALL {
            let letters = locale.letters();
            for letter in letters.pieces {
                assert_eq!(letters.file_of(letter), None);
                assert!(!letters.is_pawn(letter));
            }
            for (_, meant) in letters.look_alikes {
                assert_eq!(letters.fold(*meant), *meant);
            }
        }
    }
}
