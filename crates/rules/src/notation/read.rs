//! From a text to the one legal move that it means.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, File, Move, Rank, Role};

use super::{Entry, Fault, Form, Notation, NotationError, castling_side, has_mated, legal_moves};
use crate::ChessPosition;

/// The mark of a draw offer (C.12).
pub(super) const DRAW_OFFER: &str = "(=)";

/// Marks of a capture in passing, as documents have them; any locale takes any.
pub(super) const EN_PASSANT_MARKS: [&str; 4] = ["e.p.", "o.l.", "e.p", "ep"];

/// What a text says of a move.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    what: What,
    says_capture: bool,
    says_en_passant: bool,
    says_mate: bool,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Castling(CastlingSide),
    Man { role: Role, from: (Option<File>, Option<Rank>), to: (File, Rank), promotion: Option<Role> },
}

impl Notation {
    /// The legal move that `text` means. A draw offer beside it is understood and dropped; see
    /// [`Notation::read_entry`].
    ///
    /// # Errors
    /// [`NotationError`] if the text is no move, or means none or several of the legal ones.
    pub fn read(&self, position: &ChessPosition, text: &str) -> Result<Move, NotationError> {
        self.read_entry(position, text).map(|entry| entry.mv)
    }

    /// The legal move that `text` means, and whether a draw was offered with it: `Kb1 (=)`.
    ///
    /// # Errors
    /// As [`Notation::read`].
    pub fn read_entry(&self, position: &ChessPosition, text: &str) -> Result<Entry, NotationError> {
        let whole = text.trim();
        let text = whole.strip_suffix(DRAW_OFFER).map_or(whole, str::trim_end);
        match self.find(position, text) {
            Ok(mv) => Ok(Entry { mv, draw_offer: text.len() < whole.len() }),
            Err(fault) => {
                let reads_in = self.reads_in(position, text, &fault);
                Err(NotationError { text: text.to_owned(), fault, reads_in })
            }
        }
    }

    /// Another locale in which `text` is a legal move. Code points decide: any text in Latin
    /// letters could be meant as Greek.
    fn reads_in(self, position: &ChessPosition, text: &str, fault: &Fault) -> Option<super::Locale> {
        let may_be_meant = matches!(fault, Fault::Malformed { .. } | Fault::Illegal { .. });
        self.others()
            .filter(|_| may_be_meant)
            .map(|other| Self { look_alikes: false, ..other })
            .find(|other| other.find(position, text).is_ok())
            .map(|other| other.locale)
    }

    fn find(self, position: &ChessPosition, text: &str) -> Result<Move, Fault> {
        let moves = legal_moves(position);
        if self.form == Form::Uci {
            return self.find_uci(position, text, &moves);
        }
        let pattern = self.parse(text)?;
        let fitting: Vec<Move> = moves.iter().copied().filter(|&mv| pattern.fits(mv)).collect();
        match fitting.as_slice() {
            &[mv] => pattern.check_signs(position, mv).map(|()| mv),
            [] => Err(self.illegal(position, text, &moves)),
            several => {
                Err(Fault::Ambiguous { moves: several.iter().map(|&mv| self.write(position, mv)).collect() })
            }
        }
    }

    /// Castling is taken in either way of writing it.
    fn find_uci(self, position: &ChessPosition, text: &str, moves: &[Move]) -> Result<Move, Fault> {
        if !matches!(text.parse(), Ok(UciMove::Normal { .. })) {
            return Err(self.malformed("it takes two squares and a promotion, such as e2e4 or e7e8q"));
        }
        let modes = [CastlingMode::Standard, CastlingMode::Chess960];
        moves
            .iter()
            .copied()
            .find(|&mv| modes.iter().any(|&mode| UciMove::from_move(mv, mode).to_string() == text))
            .ok_or_else(|| self.illegal(position, text, moves))
    }

    fn illegal(self, position: &ChessPosition, text: &str, moves: &[Move]) -> Fault {
        let written: Vec<String> = moves.iter().map(|&mv| self.write(position, mv)).collect();
        let nearest = crate::spelling::nearest(text, written.iter().map(String::as_str));
        Fault::Illegal { nearest: Some(nearest.to_owned()).filter(|nearest| !nearest.is_empty()) }
    }

    fn malformed(self, detail: impl Into<String>) -> Fault {
        Fault::Malformed { notation: self.name(), detail: detail.into() }
    }

    fn fold(self, letter: char) -> char {
        match letter {
            // Hyphens and dashes of print, the minus sign, the sign of multiplication.
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '×' => 'x',
            _ if self.look_alikes => self.letters_of().letters().fold(letter),
            _ => letter,
        }
    }

    fn parse(self, text: &str) -> Result<Pattern, Fault> {
        // The selector asks for a figurine as text, not as an emoji.
        let folded: String = text.chars().filter(|&c| c != '\u{fe0e}').map(|c| self.fold(c)).collect();
        let rest = folded.trim_end_matches(['!', '?']);
        // The mark of a capture in passing stands before the sign or behind it.
        let (rest, is_marked_last) = without_mark(rest);
        let (rest, says_mate) = self.without_sign(rest);
        let (rest, is_marked_first) = without_mark(rest);
        let says_en_passant = is_marked_last || is_marked_first;
        let says_capture = rest.contains('x');
        let what = match castling(rest) {
            Some(side) => What::Castling(side),
            None => self.parse_man(rest, text)?,
        };
        Ok(Pattern { what, says_capture, says_en_passant, says_mate })
    }

    /// Cuts off a check or mate sign, and tells whether it claims mate. `++` is a double check in
    /// some books: only a printed score of a known locale may mean mate by it, PGN has no such sign.
    /// Whether `#` is true is not asked in PGN, as no PGN reader does.
    fn without_sign(self, text: &str) -> (&str, bool) {
        if self.form == Form::San {
            return (text.strip_suffix(['+', '#']).unwrap_or(text), false);
        }
        let mut mate_signs = self.locale.letters().mate_signs.iter().chain(&["#"]);
        mate_signs
            .find_map(|sign| text.strip_suffix(sign))
            .map_or_else(|| (text.strip_suffix('+').unwrap_or(text), false), |shorter| (shorter, true))
    }

    fn parse_man(self, body: &str, text: &str) -> Result<What, Fault> {
        let letters = self.letters_of().letters();
        let body: Vec<char> = body.chars().collect();
        let first = *body.first().ok_or_else(|| self.malformed("it is empty"))?;
        if letters.is_pawn(first) && body.get(1).is_some_and(|&next| letters.file_of(next).is_some()) {
            return Err(Fault::PawnLetter { without: text.chars().skip(1).collect() });
        }
        let (role, body) = match letters.role(first) {
            Some(role) => (role, &body[1..]),
            None => (Role::Pawn, &body[..]),
        };
        if role == Role::Pawn && letters.file_of(first).is_none() {
            let code =
                if first.is_ascii() { String::new() } else { format!(" (U+{:04X})", u32::from(first)) };
            let pieces = letters.piece_list();
            return Err(
                self.malformed(format!("\"{first}\"{code} is no piece and no file; pieces are {pieces}"))
            );
        }
        let (promotion, body) = self.split_promotion(body)?;
        let no_square = || self.malformed("it has no square of arrival at its end");
        let (body, rank) = split_last(body, rank).ok_or_else(no_square)?;
        let (body, file) = split_last(body, |letter| letters.file_of(letter)).ok_or_else(no_square)?;
        let body = body.strip_suffix(&['x']).or_else(|| body.strip_suffix(&['-'])).unwrap_or(body);
        let (body, from_rank) = optional(body, self::rank);
        let (body, from_file) = optional(body, |letter| letters.file_of(letter));
        if let Some(letter) = body.last() {
            return Err(self.malformed(format!("\"{letter}\" before the square of arrival says nothing")));
        }
        Ok(What::Man { role, from: (from_file, from_rank), to: (file, rank), promotion })
    }

    /// `D`, `=D` or `d` after the last rank.
    fn split_promotion(self, body: &[char]) -> Result<(Option<Role>, &[char]), Fault> {
        let Some((&last, before)) = body.split_last() else { return Ok((None, body)) };
        if rank(last).is_some() {
            return Ok((None, body));
        }
        let squares = before.strip_suffix(&['=']).unwrap_or(before);
        let letters = self.letters_of().letters();
        match letters.promotion(last) {
            Some(role) if matches!(squares.last(), Some('1' | '8')) => Ok((Some(role), squares)),
            _ => {
                let pieces = letters.piece_list();
                Err(self.malformed(format!("\"{last}\" is no rank and no promotion; pieces are {pieces}")))
            }
        }
    }
}

impl Pattern {
    fn fits(&self, mv: Move) -> bool {
        match (self.what, mv) {
            (What::Castling(side), Move::Castle { king, rook }) => castling_side(king, rook) == side,
            (
                What::Man { role, from: (file, rank), to, promotion },
                Move::Normal { .. } | Move::EnPassant { .. },
            ) => {
                let Some(from) = mv.from() else { return false };
                // A pawn without a file goes straight ahead: the file of a capture may not be left
                // out (C.9.3).
                let file = file.or_else(|| (role == Role::Pawn).then_some(to.0));
                mv.role() == role
                    && (mv.to().file(), mv.to().rank()) == to
                    && file.is_none_or(|file| from.file() == file)
                    && rank.is_none_or(|rank| from.rank() == rank)
                    && mv.promotion() == promotion
                    && (mv.is_capture() || !self.says_capture)
            }
            _ => false,
        }
    }

    /// Signs may be left out (C.13); one that is there must be true, or the move was misread. A
    /// check sign alone is not asked: it is forgotten and added too often.
    fn check_signs(&self, position: &ChessPosition, mv: Move) -> Result<(), Fault> {
        let (said, fact) = if self.says_en_passant && !matches!(mv, Move::EnPassant { .. }) {
            ("a capture in passing", "it is none")
        } else if self.says_mate && !has_mated(position, mv) {
            ("mate", "it is none; a double check is written \"+\"")
        } else {
            return Ok(());
        };
        Err(Fault::FalseSign { said: said.to_owned(), fact: fact.to_owned() })
    }
}

fn without_mark(text: &str) -> (&str, bool) {
    EN_PASSANT_MARKS
        .iter()
        .find_map(|mark| text.strip_suffix(mark))
        .map_or((text, false), |shorter| (shorter.trim_end(), true))
}

/// Castling, with zeros or with the letter O.
fn castling(text: &str) -> Option<CastlingSide> {
    match text.replace(['O', 'o'], "0").as_str() {
        "0-0" => Some(CastlingSide::KingSide),
        "0-0-0" => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

fn rank(letter: char) -> Option<Rank> {
    Rank::from_char(letter)
}

fn split_last<T>(body: &[char], meaning: impl Fn(char) -> Option<T>) -> Option<(&[char], T)> {
    let (&last, before) = body.split_last()?;
    Some((before, meaning(last)?))
}

fn optional<T>(body: &[char], meaning: impl Fn(char) -> Option<T>) -> (&[char], Option<T>) {
    split_last(body, meaning).map_or((body, None), |(before, value)| (before, Some(value)))
}
