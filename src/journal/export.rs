//! The journal for other programs: events as JSON Lines, and which games there are.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{OptionalExtension as _, params};

use super::files::{self, Part};
use super::{JournalError, Reader};

/// A game that the journal knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSummary {
    /// Its id, `5-12`.
    pub game: String,
    /// The board on which it began.
    pub board: String,
    /// Number of its first event.
    pub first_seq: u64,
    /// Number of its last event.
    pub last_seq: u64,
    /// How many events it has.
    pub events: u64,
}

/// The events in `dir` as JSON, one line each, without the line's end: all of them, or those of
/// one game.
pub fn export(dir: &Path, game: Option<&str>) -> impl Iterator<Item = Result<String, JournalError>> + use<> {
    let reader = Reader::open(dir, 0);
    let reader = match game {
        Some(game) => reader.of_game(game),
        None => reader,
    };
    reader.map(|event| event.map(|event| event.json))
}

/// All games in the order in which they began.
///
/// # Errors
/// The first file that cannot be read.
pub fn games(dir: &Path) -> Result<Vec<GameSummary>, JournalError> {
    let (parts, errors) = files::readable_parts(dir);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let mut games: BTreeMap<String, GameSummary> = BTreeMap::new();
    for part in &parts {
        for game in games_of(part)? {
            games
                .entry(game.game.clone())
                .and_modify(|known| {
                    known.last_seq = game.last_seq;
                    known.events += game.events;
                })
                .or_insert(game);
        }
    }
    let mut games: Vec<GameSummary> = games.into_values().collect();
    games.sort_by_key(|game| game.first_seq);
    Ok(games)
}

/// What the game of the pairing `ROUND-NUMBER` was called when it began, before it had one; the last one of several.
///
/// # Errors
/// The first file that cannot be read.
pub fn game_of_pairing(dir: &Path, pairing: &str) -> Result<Option<String>, JournalError> {
    let place = pairing
        .split_once('-')
        .and_then(|(round, number)| Some((round.parse::<u32>().ok()?, number.parse::<u32>().ok()?)));
    let Some((round, number)) = place else { return Ok(None) };
    let (parts, errors) = files::readable_parts(dir);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    for part in parts.iter().rev() {
        let Some((connection, _)) = files::open(&part.file)? else { continue };
        let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
        let sql = "SELECT game FROM event WHERE type = 'game-changed' AND game IS NOT NULL AND seq < ?1 \
                   AND json_extract(json, '$.round') = ?2 AND json_extract(json, '$.number') = ?3 \
                   ORDER BY seq DESC LIMIT 1";
        let end = i64::try_from(part.end_seq).unwrap_or(i64::MAX);
        let found = connection.query_row(sql, params![end, round, number], |row| row.get(0));
        if let Some(game) = found.optional().map_err(sqlite)? {
            return Ok(Some(game));
        }
    }
    Ok(None)
}

fn games_of(part: &Part) -> Result<Vec<GameSummary>, JournalError> {
    let Some((connection, _)) = files::open(&part.file)? else { return Ok(Vec::new()) };
    let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
    // SQLite takes the other columns from the row that has the minimum.
    let sql = "SELECT game, board, MIN(seq), COUNT(*), \
               (SELECT MAX(last.seq) FROM event AS last WHERE last.game = event.game AND last.seq < ?1) \
               FROM event WHERE game IS NOT NULL AND seq < ?1 GROUP BY game";
    let mut statement = connection.prepare(sql).map_err(sqlite)?;
    let rows = statement.query_map(params![i64::try_from(part.end_seq).unwrap_or(i64::MAX)], |row| {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
        Ok(GameSummary {
            game: row.get(0)?,
            board: row.get(1)?,
            first_seq: number(2)?,
            events: number(3)?,
            last_seq: number(4)?,
        })
    });
    rows.and_then(Iterator::collect).map_err(sqlite)
}
