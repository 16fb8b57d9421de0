//! Records as they are read: every move against the legal ones, every fault with its line.

use super::{OWN_TAGS, Record, RecordError, VARIANT, capital, letter, parity, seats};
use crate::four::{Army, FourMove, FourPlayer, FourPosition, FourRules, read_move};
use crate::{GameResult, Position as _, Variant as _};

/// Reads every record of `text`.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn read(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut cursor = Cursor::new(text);
    let mut records = Vec::new();
    while !cursor.is_at_end() {
        records.push(record(&mut cursor)?);
    }
    Ok(records)
}

/// Reads movetext alone, from `start`; letters of players and numbers of rounds may be left out.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn moves(start: &FourPosition, text: &str) -> Result<Vec<FourMove>, RecordError> {
    let mut cursor = Cursor::new(text);
    let read = movetext(&mut cursor, start)?;
    if cursor.is_at_end() {
        return Ok(read.moves);
    }
    Err(cursor.fault("something stands behind the moves"))
}

fn record(cursor: &mut Cursor<'_>) -> Result<Record, RecordError> {
    let line = cursor.line;
    let header = Header::read(cursor)?;
    let start = header.start()?;
    let read = movetext(cursor, &start)?;
    let result = match (header.result()?, read.result) {
        (Some((line, tag)), Some(end)) if tag != end => {
            let (tag, end) = (written(tag), written(end));
            let what = format!("the tag Result says {tag}, and {end} stands behind the moves");
            return Err(RecordError { line, what });
        }
        (Some((_, tag)), _) => tag,
        (None, end) => end.flatten(),
    };
    if header.tags.is_empty() && read.moves.is_empty() && read.result.is_none() {
        return Err(RecordError {
            line,
            what: "no record begins here: there are neither tags nor moves".to_owned(),
        });
    }
    cursor.skip_comments()?;
    let tags = header.tags.into_iter().filter(|tag| !OWN_TAGS.contains(&tag.name.as_str()));
    let tags = tags.map(|tag| (tag.name, tag.value)).collect();
    Ok(Record { line, tags, start, moves: read.moves, result })
}

fn written(result: Option<GameResult>) -> &'static str {
    result.map_or("*", GameResult::pgn)
}

struct Tag {
    line: usize,
    name: String,
    value: String,
}

impl Tag {
    fn fault(&self, what: &str) -> RecordError {
        let Self { line, name, value } = self;
        RecordError { line: *line, what: format!("[{name} \"{value}\"]: {what}") }
    }
}

/// The tags of a record.
struct Header {
    tags: Vec<Tag>,
}

impl Header {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, RecordError> {
        let mut header = Self { tags: Vec::new() };
        while let Some(tag) = cursor.tag()? {
            if header.find(&tag.name).is_some() {
                return Err(tag.fault("a record has each tag once"));
            }
            header.tags.push(tag);
        }
        if let Some(other) = header.find("Variant").filter(|tag| tag.value != VARIANT) {
            return Err(other.fault(&format!("is no four-player team chess, which is \"{VARIANT}\"")));
        }
        let squares = FourPlayer::SQUARES.to_string();
        if let Some(other) = header.find("Board").filter(|tag| tag.value != squares) {
            return Err(other.fault(&format!("the board has {squares} squares")));
        }
        Ok(header)
    }

    fn find(&self, name: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The position from which the game starts: that of the tags, or the array as they have it.
    fn start(&self) -> Result<FourPosition, RecordError> {
        let Some(fen) = self.find("FEN") else { return Ok(FourPosition::start(self.layout()?)) };
        let start = FourPosition::read(&fen.value, FourRules::default())
            .map_err(|error| fen.fault(&error.to_string()))?;
        let said = [("Seats", seats(start.rules())), ("Parity", parity(start.rules()).to_owned())];
        let other = |(name, said): &(&str, String)| self.find(name).filter(|tag| tag.value != *said);
        match said.iter().find_map(other) {
            Some(tag) => Err(tag.fault("the position in the tag FEN says otherwise")),
            None => Ok(start),
        }
    }

    fn layout(&self) -> Result<FourRules, RecordError> {
        let usual = FourRules::default();
        let mut rules: Vec<FourRules> = FourPosition::layouts(usual).collect();
        for (name, said) in
            [("Seats", &seats as &dyn Fn(FourRules) -> String), ("Parity", &|rules| parity(rules).to_owned())]
        {
            let wanted = self.find(name);
            let value = wanted.map_or_else(|| said(usual), |tag| tag.value.clone());
            rules.retain(|rules| said(*rules) == value);
            if let (Some(tag), []) = (wanted, rules.as_slice()) {
                let known = format!("is not \"{}\" or the like", said(usual));
                return Err(tag.fault(&known));
            }
        }
        Ok(rules.first().copied().unwrap_or(usual))
    }

    /// The result and its line; `None` without the tag.
    fn result(&self) -> Result<Option<(usize, Option<GameResult>)>, RecordError> {
        let Some(tag) = self.find("Result") else { return Ok(None) };
        let inside = tag.value.strip_prefix("RB ").and_then(|rest| rest.strip_suffix(" WK"));
        let result = match (tag.value.as_str(), inside) {
            ("*", _) => None,
            (_, Some(inside)) if RESULTS.contains(&inside) => inside.parse().ok(),
            _ => return Err(tag.fault("write \"RB 1-0 WK\", \"RB 0-1 WK\", \"RB 1/2-1/2 WK\" or \"*\"")),
        };
        Ok(Some((tag.line, result)))
    }
}

/// So many characters of a line that is no tag stand in the message.
const SHOWN: usize = 60;

/// Results that stand behind moves.
const RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];

/// Moves that were read.
struct Movetext {
    moves: Vec<FourMove>,
    /// What stands behind them, if anything does: a result, or that there is none.
    result: Option<Option<GameResult>>,
}

fn movetext(cursor: &mut Cursor<'_>, start: &FourPosition) -> Result<Movetext, RecordError> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    while let Some(word) = cursor.word()? {
        let place = format!("{}. {}", position.round(), letter(position.player()));
        if word == "*" || RESULTS.contains(&word) {
            return Ok(Movetext { moves, result: Some(word.parse().ok()) });
        }
        let word = match numbered(word) {
            Some((number, rest)) => {
                if number != position.round().to_string() {
                    return Err(cursor.fault(&format!("round {number} stands where {place} is to move")));
                }
                rest
            }
            None => word,
        };
        if word.is_empty() {
            continue;
        }
        if let Some(army) = player(word) {
            if army != position.player() {
                let (said, turn) = (capital(army), capital(position.player()));
                return Err(cursor.fault(&format!("{place}: it is {turn}'s turn, not {said}'s")));
            }
            continue;
        }
        // Signs of who annotates; the record has none.
        let word = word.trim_end_matches(['+', '#', '!', '?']);
        let mv = read_move(&position, word).map_err(|error| cursor.fault(&format!("{place}: {error}")))?;
        moves.push(mv);
        position = position.play(mv);
    }
    Ok(Movetext { moves, result: None })
}

/// The number of a round and what stands behind its dot: `12.` or `12.h2-h4`.
fn numbered(word: &str) -> Option<(&str, &str)> {
    let (number, rest) = word.split_once('.')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((number.trim_start_matches('0'), rest.trim_start_matches('.')))
}

/// The player whose letter `word` is.
fn player(word: &str) -> Option<Army> {
    let mut letters = word.chars();
    let (first, None) = (letters.next()?, letters.next()) else { return None };
    Army::ALL.into_iter().find(|army| letter(*army) == first)
}

/// A place in a text.
struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        // What some editors begin a file with.
        let mut cursor = Self { rest: text.trim_start_matches('\u{feff}'), line: 1 };
        cursor.skip_blank();
        cursor
    }

    fn fault(&self, what: &str) -> RecordError {
        RecordError { line: self.line, what: what.to_owned() }
    }

    fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Goes on by `bytes`.
    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
        passed
    }

    fn skip_blank(&mut self) {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.pass(blank);
    }

    /// Goes on behind the first `end`.
    fn pass_through(&mut self, end: char) -> bool {
        let found = self.rest.find(end);
        self.pass(found.map_or(self.rest.len(), |at| at + end.len_utf8()));
        found.is_some()
    }

    /// The next tag, unless something else comes.
    fn tag(&mut self) -> Result<Option<Tag>, RecordError> {
        self.skip_blank();
        if !self.rest.starts_with('[') {
            return Ok(None);
        }
        let line = self.line;
        let text = self.rest.split('\n').next().unwrap_or_default();
        let wrong = || {
            let shown: String = text.chars().take(SHOWN).collect();
            RecordError { line, what: format!("{} is no tag; write [Name \"value\"]", shown.trim_end()) }
        };
        let (name, quoted) = text[1..].split_once('"').ok_or_else(wrong)?;
        let mut value = String::new();
        let mut letters = quoted.char_indices();
        let end = loop {
            match letters.next().ok_or_else(wrong)? {
                (at, '"') => break at + 1,
                (_, '\\') => value.push(letters.next().ok_or_else(wrong)?.1),
                (_, letter) => value.push(letter),
            }
        };
        let behind = quoted[end..].trim_start().strip_prefix(']').ok_or_else(wrong)?;
        self.pass(text.len() - behind.len());
        let name = name.trim().to_owned();
        self.skip_blank();
        if name.is_empty() { Err(wrong()) } else { Ok(Some(Tag { line, name, value })) }
    }

    /// The next word of the moves, without comments and variations; `None` at the end or before a tag.
    fn word(&mut self) -> Result<Option<&'a str>, RecordError> {
        loop {
            self.skip_blank();
            match self.rest.chars().next() {
                None | Some('[') => return Ok(None),
                Some('{') => self.comment()?,
                Some(';' | '%') => {
                    self.pass_through('\n');
                }
                Some('(') => self.variation()?,
                Some(_) => {
                    let end =
                        self.rest.find(|letter: char| letter.is_whitespace() || "{;([".contains(letter));
                    let word = self.pass(end.unwrap_or(self.rest.len()));
                    // What annotators put there.
                    if !word.starts_with('$') {
                        return Ok(Some(word));
                    }
                }
            }
        }
    }

    /// Comments behind a result belong to the game before.
    fn skip_comments(&mut self) -> Result<(), RecordError> {
        self.skip_blank();
        while self.rest.starts_with(['{', ';']) {
            if self.rest.starts_with('{') {
                self.comment()?;
            } else {
                self.pass_through('\n');
            }
            self.skip_blank();
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), RecordError> {
        let line = self.line;
        if self.pass_through('}') {
            return Ok(());
        }
        Err(RecordError { line, what: "a comment begins here and has no end; close it with }".to_owned() })
    }

    fn variation(&mut self) -> Result<(), RecordError> {
        let (line, mut depth) = (self.line, 0_usize);
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '{' => {
                    self.comment()?;
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.pass(letter.len_utf8());
            if depth == 0 {
                return Ok(());
            }
        }
        Err(RecordError { line, what: "a variation begins here and has no end; close it with )".to_owned() })
    }
}
