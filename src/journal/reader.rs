//! Reads the stored events in their order, while the writer goes on.

use std::collections::VecDeque;
use std::path::Path;

use rusqlite::{Row, params};

use super::JournalError;
use super::files::{self, Part};
use adoube_core::event::Numbered;

mod history;

pub use history::{Asked, History, history};

/// Rows read with one connection: a few milliseconds, so that no checkpoint waits long for it.
const ROWS: i64 = 1_000;

/// An event as it lies in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number.
    pub seq: u64,
    /// Its public number; `None` if it is not public.
    pub public_id: Option<u64>,
    /// Its board; empty for remarks of the journal on itself.
    pub board: String,
    /// Its game.
    pub game: Option<String>,
    /// Its type.
    pub name: String,
    /// The JSON, on one line.
    pub json: String,
}

impl StoredEvent {
    /// Reads its JSON.
    ///
    /// # Errors
    /// What is wrong with the JSON.
    pub fn numbered(&self) -> Result<Numbered, String> {
        Numbered::from_json(&self.json, self.public_id)
    }
}

/// Reads `seq, public_id, board, game, type, json`.
pub(super) fn stored_event(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        seq: row.get::<_, i64>(0)?.cast_unsigned(),
        public_id: row.get::<_, Option<i64>>(1)?.map(i64::cast_unsigned),
        board: row.get(2)?,
        game: row.get(3)?,
        name: row.get(4)?,
        json: row.get(5)?,
    })
}

/// All events of a journal in order: an iterator.
///
/// It holds nothing open between two batches. What a damaged file no longer gives comes as one
/// error, then it goes on with the next file.
#[derive(Debug)]
pub struct Reader {
    parts: VecDeque<Part>,
    errors: VecDeque<JournalError>,
    batch: VecDeque<StoredEvent>,
    game: Option<String>,
    next_seq: u64,
}

impl Reader {
    /// Reads the journal in `dir` as it is now, from the number `from_seq` on.
    #[must_use]
    pub fn open(dir: &Path, from_seq: u64) -> Self {
        let (parts, errors) = files::readable_parts(dir);
        Self {
            parts: parts.into(),
            errors: errors.into(),
            batch: VecDeque::new(),
            game: None,
            next_seq: from_seq,
        }
    }

    /// Only the events of this game.
    #[must_use]
    pub fn of_game(self, game: &str) -> Self {
        Self { game: Some(game.to_owned()), ..self }
    }

    /// The next rows of `part`; fewer than [`ROWS`] are the last.
    fn read(&self, part: &Part) -> Result<Vec<StoredEvent>, JournalError> {
        let Some((connection, _)) = files::open(&part.file)? else { return Ok(Vec::new()) };
        let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
        let game = if self.game.is_some() { "game = ?4" } else { "?4 IS NULL" };
        let sql = format!(
            "SELECT seq, public_id, board, game, type, json FROM event \
             WHERE seq >= ?1 AND seq < ?2 AND {game} ORDER BY seq LIMIT ?3"
        );
        let bound = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
        let mut statement = connection.prepare(&sql).map_err(sqlite)?;
        let rows = statement.query_map(
            params![bound(self.next_seq), bound(part.end_seq), ROWS, self.game.as_deref()],
            stored_event,
        );
        rows.and_then(Iterator::collect).map_err(sqlite)
    }
}

impl Iterator for Reader {
    type Item = Result<StoredEvent, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.errors.pop_front() {
                return Some(Err(error));
            }
            if let Some(event) = self.batch.pop_front() {
                return Some(Ok(event));
            }
            let part = self.parts.pop_front()?;
            match self.read(&part) {
                Ok(rows) => {
                    if let Some(last) = rows.last() {
                        self.next_seq = last.seq.saturating_add(1);
                    }
                    let is_last = rows.len() < usize::try_from(ROWS).unwrap_or(usize::MAX);
                    self.batch = rows.into();
                    if !is_last {
                        self.parts.push_front(part);
                    }
                }
                Err(error) => self.errors.push_back(error),
            }
        }
    }
}
