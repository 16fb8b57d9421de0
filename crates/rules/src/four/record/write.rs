//! Records as they are written.

use super::{OWN_TAGS, Record, VARIANT, letter, parity, seats};
use crate::four::{FourPlayer, FourPosition, Seat};
use crate::pgn::lines::{Words, tag};
use crate::{GameResult, Position as _, Variant as _};

/// A half-move as a record writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Half {
    /// Long coordinates, `h2-h4`.
    pub text: String,
    /// What stands behind it, without braces.
    pub comment: Option<String>,
}

/// A game in words: of the moves only the text is needed.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// Tags beside those that start and result say themselves.
    pub tags: &'a [(String, String)],
    /// The position from which it starts.
    pub start: &'a FourPosition,
    /// Its moves.
    pub halves: Vec<Half>,
    /// Comments behind the last move, without braces.
    pub end: Vec<String>,
    /// Its result.
    pub result: Option<GameResult>,
}

/// Tags that stand before the result, as in PGN.
const ROSTER: [&str; 8] = ["Event", "Site", "Date", "Round", "Red", "White", "Blue", "Black"];

/// The record, with a blank line at its end.
#[must_use]
pub fn write(record: &Record) -> String {
    let mut position = record.start.clone();
    let half = |&mv| {
        let text = position.san(mv);
        position = position.play(mv);
        Half { text, comment: None }
    };
    let halves = record.moves.iter().map(half).collect();
    let Record { tags, start, result, .. } = record;
    Text { tags, start, halves, end: Vec::new(), result: *result }.write()
}

impl Text<'_> {
    /// Tags, moves, and a blank line at the end.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = String::new();
        self.write_tags(&mut text);
        text.push('\n');
        self.write_moves(&mut text);
        text.push('\n');
        text
    }

    fn write_tags(&self, text: &mut String) {
        let rules = self.start.rules();
        let others = || self.tags.iter().filter(|(name, _)| !OWN_TAGS.contains(&name.as_str()));
        let is_roster = |name: &str| ROSTER.contains(&name);
        others().filter(|(name, _)| is_roster(name)).for_each(|(name, value)| tag(name, value, text));
        let result = match self.result() {
            "*" => "*".to_owned(),
            result => format!("RB {result} WK"),
        };
        tag("Result", &result, text);
        tag("Variant", VARIANT, text);
        tag("Board", &FourPlayer::SQUARES.to_string(), text);
        tag("Seats", &seats(rules), text);
        tag("Parity", parity(rules), text);
        others().filter(|(name, _)| !is_roster(name)).for_each(|(name, value)| tag(name, value, text));
        let start = self.start.fen();
        if start != FourPosition::start(rules).fen() {
            tag("SetUp", "1", text);
            tag("FEN", &start, text);
        }
    }

    fn write_moves(&self, text: &mut String) {
        let (rules, mut seat, mut round) = (self.start.rules(), self.start.seat(), self.start.round());
        let mut words = Words::new(text);
        for (index, half) in self.halves.iter().enumerate() {
            let mut word = String::new();
            if seat == Seat::South || index == 0 {
                word.extend([round.to_string().as_str(), ". "]);
            }
            word.extend([letter(rules.army_at(seat)), ' ']);
            word.push_str(&half.text);
            words.put(&word);
            half.comment.iter().for_each(|comment| words.put(&braced(comment)));
            seat = seat.next();
            round += u32::from(seat == Seat::South);
        }
        self.end.iter().for_each(|comment| words.put(&braced(comment)));
        words.put(self.result());
        words.end();
    }

    /// The result of Red + Blue, as PGN has it.
    fn result(&self) -> &'static str {
        self.result.map_or("*", GameResult::pgn)
    }
}

/// A comment; it ends with the first closing brace, so it has none.
fn braced(comment: &str) -> String {
    format!("{{{}}}", comment.replace('}', ")"))
}
