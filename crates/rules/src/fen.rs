//! FENs of positions of any kind, those that cannot be played from included.

use shakmaty::Setup;
use shakmaty::fen::{Fen, ParseFenError};

/// Why a text is no FEN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenTextError {
    /// Not four to six fields.
    #[error("a FEN has four to six fields (men, turn, castling, en passant, counters); this has {0}")]
    Fields(usize),
    /// Not eight rows.
    #[error("a FEN has eight rows of men; this has {0}")]
    Rows(usize),
    /// A row that is not of eight squares.
    #[error("row \"{row}\" has {squares} squares, not 8")]
    Row {
        /// The row.
        row: String,
        /// The squares that it names.
        squares: u32,
    },
    /// A letter that is no man.
    #[error(
        "row \"{row}\" has \"{letter}\"; men are PNBRQK and pnbrqk, empty squares are digits from 1 to 8"
    )]
    Man {
        /// The row.
        row: String,
        /// The letter.
        letter: char,
    },
    /// A field after the men that says nothing.
    #[error("{field} \"{text}\" is not {expected}")]
    Field {
        /// What the field is.
        field: &'static str,
        /// What is there.
        text: String,
        /// What could be there.
        expected: &'static str,
    },
}

/// Reads a FEN of four to six fields (PGN standard, 16.1.3; castling also as Shredder-FEN writes it). What
/// it says may be impossible.
///
/// # Errors
/// `FenTextError` with the field that is wrong.
pub fn read_setup(text: &str) -> Result<Setup, FenTextError> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if !(4..=6).contains(&fields.len()) {
        return Err(FenTextError::Fields(fields.len()));
    }
    men(fields[0])?;
    for (index, field) in [(4, "half-move clock"), (5, "move number")] {
        let Some(text) = fields.get(index) else { continue };
        if text.parse::<u32>().is_err() || !text.starts_with(|first: char| first.is_ascii_digit()) {
            let text = (*text).to_owned();
            return Err(FenTextError::Field { field, text, expected: "a number" });
        }
    }
    fields.join(" ").parse::<Fen>().map(Fen::into_setup).map_err(|error| {
        let (index, field, expected) = match error {
            ParseFenError::InvalidTurn => (1, "turn", "w or b"),
            ParseFenError::InvalidCastling => (2, "castling", "- or letters like KQkq or HAha"),
            ParseFenError::InvalidEpSquare => (3, "en passant", "- or a square like e3"),
            ParseFenError::InvalidHalfmoveClock => (4, "half-move clock", "a number below 4294967296"),
            ParseFenError::InvalidFullmoves => (5, "move number", "a number below 4294967296"),
            _ => (0, "position", "a FEN"),
        };
        FenTextError::Field { field, text: fields.get(index).unwrap_or(&"").to_string(), expected }
    })
}

fn men(field: &str) -> Result<(), FenTextError> {
    let rows: Vec<&str> = field.split('/').collect();
    for &row in &rows {
        let mut squares = 0;
        for letter in row.chars() {
            squares += match letter {
                '1'..='8' => letter.to_digit(10).unwrap_or(0),
                _ if "PNBRQKpnbrqk".contains(letter) => 1,
                _ => return Err(FenTextError::Man { row: row.to_owned(), letter }),
            };
        }
        if squares != 8 {
            return Err(FenTextError::Row { row: row.to_owned(), squares });
        }
    }
    if rows.len() == 8 { Ok(()) } else { Err(FenTextError::Rows(rows.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_cannot_be_played_are_read() {
        for fen in
            ["8/8/8/8/8/8/8/8 w - -", "kK6/8/8/8/8/8/8/P6p b KQkq e3 0", "4k3/8/8/8/8/8/8/4K2R w H - 3 9"]
        {
            assert!(read_setup(fen).is_ok(), "{fen}");
        }
    }

    #[test]
    fn what_is_no_fen_says_where() {
        let said = |fen: &str| read_setup(fen).unwrap_err().to_string();
        assert_eq!(said("8/8/8/8/8/8/8/8 x - -"), "turn \"x\" is not w or b");
        assert_eq!(said("8/8/8/8/8/8/8/8 w - e9"), "en passant \"e9\" is not - or a square like e3");
        assert_eq!(said("8/8/8/8/8/8/8/8 w ! -"), "castling \"!\" is not - or letters like KQkq or HAha");
        assert_eq!(said("8/8/8/8/8/8/8/8 w - - +3"), "half-move clock \"+3\" is not a number");
        assert_eq!(said("8/8/7/8/8/8/8/8 w - -"), "row \"7\" has 7 squares, not 8");
        assert_eq!(said("8/8/8/8 w - -"), "a FEN has eight rows of men; this has 4");
        assert!(said("e4").starts_with("a FEN has four to six fields"));
        assert!(said("8/8/8/8/8/8/7x/8 w - -").starts_with("row \"7x\" has \"x\""));
    }
}
