//! Pairings as PGN: one game each, with tags and without moves, or with whatever was played.
//!
//! `rules::pgn` checks moves and knows no lines; here only the tags count, and where they stand.

use super::Fault;
use super::field::{self, Field};
use super::rows::{Found, Row, place};
use super::text::line_number;
use adoube_rules::four::record::VARIANT;

/// A tag and its line.
#[derive(Debug)]
struct Tag {
    line: u32,
    name: String,
    value: String,
}

impl Tag {
    fn fault(&self, error: &str) -> Fault {
        Fault::new(self.line, format!("{}: {error}", self.name))
    }
}

/// Reads the games of `text`; those that have no round are of `round`.
pub(super) fn read(text: &str, round: Option<u32>) -> Result<Found, Fault> {
    let mut found = Found::default();
    let mut common = [Common::default(), Common::default(), Common::default()];
    for game in games(text)? {
        let row = row(&game, round)?;
        for (common, name) in common.iter_mut().zip(["Event", "Site", "TimeControl"]) {
            common.add(value(&game, name, field::text)?);
        }
        let day = match value(&game, "Date", field::date)? {
            None => value(&game, "UTCDate", field::date)?,
            day => day,
        };
        if let Some(day) = day {
            found.dates.entry(row.round).or_insert(day);
        }
        found.rows.push(row);
    }
    [found.event, found.site, found.time_control] =
        common.map(|common| common.value.filter(|_| !common.differs));
    Ok(found)
}

/// What all games have in common. What differs from game to game is nothing that the event has.
#[derive(Debug, Default)]
struct Common {
    value: Option<String>,
    differs: bool,
}

impl Common {
    fn add(&mut self, value: Option<String>) {
        if value.is_some() {
            self.differs |= self.value.is_some() && self.value != value;
            self.value = value;
        }
    }
}

fn row(game: &[Tag], round: Option<u32>) -> Result<Row, Fault> {
    let line = game.first().map_or(1, |tag| tag.line);
    let place = value(game, "Round", place)?.or_else(|| Some([Some(round?), None, None]));
    let Some([Some(round), second, third]) = place else {
        let what = "this game has no round; add [Round \"5.12\"] (round and board), or say which round it is (--round 5)";
        return Err(Fault::new(line, what));
    };
    // The record of a game of four players says how many squares its board has, and whose result it is.
    let is_of_four = find(game, "Variant").is_some_and(|tag| tag.value == VARIANT);
    let result = |value: &str| {
        let inside = value.strip_prefix("RB ").and_then(|rest| rest.strip_suffix(" WK"));
        field::result(inside.filter(|_| is_of_four).unwrap_or(value))
    };
    let mut row = Row {
        line,
        round,
        second,
        board: third,
        team_match: second.filter(|_| third.is_some()),
        result: value(game, "Result", result)?,
        ..Row::default()
    };
    if third.is_none() {
        let board = if is_of_four { None } else { value(game, "Board", field::number)? };
        row.board = match board {
            None => value(game, "Table", field::number)?,
            board => board,
        };
    }
    let mut players = vec![("White", &mut row.white), ("Black", &mut row.black)];
    if is_of_four {
        players.push(("Red", row.red.get_or_insert_default()));
        players.push(("Blue", row.blue.get_or_insert_default()));
    }
    for (side, player) in players {
        if find(game, side).is_none() {
            let what = format!("this game has no {side}; add [{side} \"Last, First\"] to its tags");
            return Err(Fault::new(line, what));
        }
        for (suffix, field) in PLAYER_TAGS {
            if let Some(tag) = game.iter().find(|tag| tag.name.strip_prefix(side) == Some(suffix)) {
                field.put(player, &tag.value).map_err(|error| tag.fault(&error))?;
            }
        }
    }
    Ok(row)
}

/// What stands behind `White` and `Black` in the name of a tag.
const PLAYER_TAGS: [(&str, Field); 9] = [
    ("", Field::Name),
    ("Title", Field::Title),
    ("Elo", Field::Elo),
    ("FideId", Field::FideId),
    ("FideID", Field::FideId),
    ("Federation", Field::Federation),
    ("Fed", Field::Federation),
    ("Country", Field::Federation),
    ("Team", Field::Team),
];

fn find<'a>(game: &'a [Tag], name: &str) -> Option<&'a Tag> {
    game.iter().find(|tag| tag.name == name)
}

/// The value of a tag, if it is there and known.
fn value<T>(
    game: &[Tag],
    name: &str,
    read: impl Fn(&str) -> Result<Option<T>, String>,
) -> Result<Option<T>, Fault> {
    find(game, name).map_or(Ok(None), |tag| read(&tag.value).map_err(|error| tag.fault(&error)))
}

/// The tags of each game. A game begins with a tag after an empty line or after moves.
fn games(text: &str) -> Result<Vec<Vec<Tag>>, Fault> {
    let mut games: Vec<Vec<Tag>> = Vec::new();
    let mut header: Vec<Tag> = Vec::new();
    // Where a comment of the moves began that is not at its end yet.
    let mut comment: Option<u32> = None;
    for (at, line) in text.split('\n').enumerate() {
        let number = line_number(at);
        let trimmed = line.trim();
        if comment.is_none() && trimmed.starts_with('[') {
            tags(number, trimmed, &mut header)?;
            continue;
        }
        if !header.is_empty() {
            games.push(std::mem::take(&mut header));
        }
        if !line.starts_with('%') {
            comment = after_moves(trimmed, number, comment);
        }
    }
    if let Some(line) = comment {
        return Err(Fault::new(line, "a comment begins here and has no end; close it with }"));
    }
    games.extend((!header.is_empty()).then_some(header));
    Ok(games)
}

/// Reads the tags of a line: `[White "Player, One"]`, several at most in unusual files.
fn tags(number: u32, line: &str, tags: &mut Vec<Tag>) -> Result<(), Fault> {
    let wrong = || Fault::new(number, format!("\"{}\" is no tag; write [Name \"value\"]", short(line)));
    let mut rest = line;
    while let Some(inside) = rest.strip_prefix('[') {
        let (name, quoted) = inside.split_once('"').ok_or_else(wrong)?;
        let mut value = String::new();
        let mut letters = quoted.char_indices();
        let end = loop {
            match letters.next() {
                Some((at, '"')) => break at + 1,
                Some((_, '\\')) => value.extend(letters.next().map(|(_, letter)| letter)),
                Some((_, letter)) => value.push(letter),
                None => return Err(wrong()),
            }
        };
        rest = quoted[end..].trim_start().strip_prefix(']').ok_or_else(wrong)?.trim_start();
        tags.push(Tag { line: number, name: name.trim().to_owned(), value });
    }
    Ok(())
}

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Whether a comment is still open after a line of moves: the line where it began.
fn after_moves(line: &str, number: u32, comment: Option<u32>) -> Option<u32> {
    let mut comment = comment;
    for letter in line.chars() {
        match (letter, comment) {
            ('}', Some(_)) => comment = None,
            ('{', None) => comment = Some(number),
            (';', None) => break,
            _ => {}
        }
    }
    comment
}
