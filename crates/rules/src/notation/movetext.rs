//! A game's moves as one text: `1.e4 e5 2.Rf3 …`.

use shakmaty::Move;

use super::read::{DRAW_OFFER, EN_PASSANT_MARKS};
use super::{Entry, Form, GameError, Notation, NotationError, next_number};
use crate::sensor::Side;
use crate::{ChessPosition, GameResult, Position as _};

/// The moves of a game and what ends them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Movetext {
    /// The moves, each with the draw offer beside it.
    pub entries: Vec<Entry>,
    /// The result behind the last move.
    pub result: Option<GameResult>,
}

impl Movetext {
    /// Moves without offers and without a result.
    #[must_use]
    pub fn of_moves(moves: &[Move]) -> Self {
        let entries = moves.iter().map(|&mv| Entry { mv, draw_offer: false }).collect();
        Self { entries, result: None }
    }
}

impl Notation {
    /// The moves of a game from `start`, on one line.
    ///
    /// PGN has a draw offer as a comment; UCI has neither numbers nor offers nor results.
    #[must_use]
    pub fn write_game(&self, start: &ChessPosition, game: &Movetext) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut position = start.clone();
        let is_san = self.form == Form::San;
        // The first move has its number, and in PGN one behind a comment, whoever makes it.
        let mut needs_number = true;
        for entry in &game.entries {
            let text = self.write(&position, entry.mv);
            let (number, side) = next_number(&position);
            if self.form == Form::Uci || !(needs_number || side == Side::White) {
                words.push(text);
            } else if is_san {
                words.extend([label(number, side), text]);
            } else {
                words.push(label(number, side) + &text);
            }
            if entry.draw_offer && self.form != Form::Uci {
                words.push(if is_san { format!("{{{DRAW_OFFER}}}") } else { DRAW_OFFER.to_owned() });
            }
            needs_number = entry.draw_offer && is_san;
            position = position.play(entry.mv);
        }
        words.extend(game.result.filter(|_| self.form != Form::Uci).map(|result| result.pgn().to_owned()));
        words.join(" ")
    }

    /// Reads the moves of a game from `start`. Numbers, comments, variations and glyphs are passed
    /// over; reading ends with a result.
    ///
    /// # Errors
    /// [`GameError`] at the first text that is not one legal move.
    pub fn read_game(&self, start: &ChessPosition, text: &str) -> Result<Movetext, Box<GameError>> {
        self.read_moves(start, text).map_err(|error| {
            let error = *error;
            let reads_in = self.others().find(|other| other.read_moves(start, text).is_ok());
            // The hint for the one move says less than that for the game.
            let whole = reads_in.map(|other| other.locale);
            let hint = error.error.reads_in.filter(|_| whole.is_none());
            Box::new(GameError {
                error: NotationError { reads_in: hint, ..error.error },
                reads_in: whole,
                ..error
            })
        })
    }

    fn read_moves(self, start: &ChessPosition, text: &str) -> Result<Movetext, Box<GameError>> {
        let (scored, result) = score(text);
        let mut entries = Vec::new();
        let mut position = start.clone();
        for Scored { text, draw_offer } in scored {
            match self.read(&position, &text) {
                Ok(mv) => {
                    entries.push(Entry { mv, draw_offer });
                    position = position.play(mv);
                }
                Err(error) => {
                    let (number, side) = next_number(&position);
                    return Err(Box::new(GameError {
                        number: label(number, side),
                        error,
                        before: entries,
                        reads_in: None,
                    }));
                }
            }
        }
        Ok(Movetext { entries, result })
    }
}

/// What ends a game's text. `0-0` is castling, `+/-` an opinion: neither is a result here.
const TERMINATIONS: [(&str, Option<GameResult>); 5] = [
    ("1-0", Some(GameResult::WhiteWins)),
    ("0-1", Some(GameResult::BlackWins)),
    ("1/2-1/2", Some(GameResult::Draw)),
    ("½-½", Some(GameResult::Draw)),
    ("*", None),
];

/// `12.` or `12...`.
fn label(number: u32, side: Side) -> String {
    let dots = if side == Side::White { "." } else { "..." };
    format!("{number}{dots}")
}

/// A move as it stands in a text.
struct Scored {
    text: String,
    draw_offer: bool,
}

/// The texts of the moves, and the result behind them.
fn score(text: &str) -> (Vec<Scored>, Option<GameResult>) {
    let mut moves: Vec<Scored> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, behind) = match first {
            '{' => split_behind(rest, '}'),
            ';' => split_behind(rest, '\n'),
            '(' => rest.split_at(variation_length(rest)),
            _ => rest
                .split_at(rest.find(|c: char| c.is_whitespace() || "{;(".contains(c)).unwrap_or(rest.len())),
        };
        rest = behind.trim_start();
        if is_draw_offer(word) {
            if let Some(last) = moves.last_mut() {
                last.draw_offer = true;
            }
            continue;
        }
        let word = without_number(word);
        if let Some(&(_, result)) = TERMINATIONS.iter().find(|(termination, _)| *termination == word) {
            return (moves, result);
        }
        match (moves.last_mut(), EN_PASSANT_MARKS.iter().any(|mark| word.starts_with(mark))) {
            (Some(last), true) => last.text.extend([" ", word]),
            _ if is_aside(word) => {}
            _ => moves.push(Scored { text: word.to_owned(), draw_offer: false }),
        }
    }
    (moves, None)
}

fn is_draw_offer(word: &str) -> bool {
    word == DRAW_OFFER
        || word.strip_prefix('{').and_then(|word| word.strip_suffix('}')).map(str::trim) == Some(DRAW_OFFER)
}

/// Comments, variations, glyphs, and what is left of a number that stands alone.
fn is_aside(word: &str) -> bool {
    word.is_empty() || word.starts_with(['{', ';', '(', '$']) || word.chars().all(|c| "!?".contains(c))
}

/// `e4` of `1.e4`, `12...e4` and `12…e4`; nothing of `12.` and `12`.
fn without_number(word: &str) -> &str {
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.is_empty() || behind.starts_with(['.', '…']) {
        behind.trim_start_matches(['.', '…'])
    } else {
        word
    }
}

/// Cuts behind the first `end`, or at the text's end.
fn split_behind(text: &str, end: char) -> (&str, &str) {
    text.split_at(text.find(end).map_or(text.len(), |at| at + end.len_utf8()))
}

/// How long the variation is that `text` begins with, with those inside it and their comments.
fn variation_length(text: &str) -> usize {
    let (mut depth, mut in_comment) = (0_u32, false);
    for (at, c) in text.char_indices() {
        match c {
            '{' => in_comment = true,
            '}' => in_comment = false,
            '(' if !in_comment => depth += 1,
            ')' if !in_comment => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}
