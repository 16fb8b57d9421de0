//! Events picked out of the journal, from either end, in short looks.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{StoredEvent, stored_event};
use crate::journal::JournalError;
use crate::journal::files::{self, Part};

/// Numbers looked through in one statement: a few milliseconds, so that no checkpoint waits for it.
/// (In tests next to nothing, so that their journals have many of them.)
const SLICE: u64 = if cfg!(test) { 3 } else { 20_000 };
/// Numbers looked through for one question that no index answers; then the answer says where to go on.
const LOOKED: u64 = if cfg!(test) { 20 } else { 1_000_000 };

/// Which events, and how many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Only of this board.
    pub board: Option<String>,
    /// Only of this game.
    pub game: Option<String>,
    /// Only of these types; empty: all.
    pub types: Vec<String>,
    /// Only those that open or change the record of that number or a proposal of it, and rulings.
    pub about: Option<u64>,
    /// Only those after this number: then the oldest come first.
    pub after: Option<u64>,
    /// Only those before this number.
    pub before: Option<u64>,
    /// So many at most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct History {
    /// The events, newest first unless they were asked for after a number.
    pub events: Vec<StoredEvent>,
    /// Where to go on if there may be more: the last number that was looked at.
    pub next: Option<u64>,
}

/// Looks for events in the journal in `dir`. The errors say which files could not be read.
#[must_use]
pub fn history(dir: &Path, asked: &Asked) -> (History, Vec<JournalError>) {
    let (mut parts, mut errors) = files::readable_parts(dir);
    if asked.after.is_none() {
        parts.reverse();
    }
    let mut search = Search { asked, found: Vec::new(), looked: 0 };
    let mut next = None;
    for part in &parts {
        match search.part(part) {
            Ok(None) => {}
            Ok(stopped) => {
                next = stopped;
                break;
            }
            Err(error) => errors.push(error),
        }
    }
    (History { events: search.found, next }, errors)
}

struct Search<'a> {
    asked: &'a Asked,
    found: Vec<StoredEvent>,
    looked: u64,
}

impl Search<'_> {
    /// Looks through one file; where it stopped, if it has enough.
    fn part(&mut self, part: &Part) -> Result<Option<u64>, JournalError> {
        let Some((connection, _)) = files::open(&part.file)? else { return Ok(None) };
        let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
        let is_forward = self.asked.after.is_some();
        let last: Option<i64> =
            connection.query_row("SELECT MAX(seq) FROM event", [], |row| row.get(0)).map_err(sqlite)?;
        let Some(last) = last.map(i64::cast_unsigned) else { return Ok(None) };
        let mut from = part.meta.first_seq.max(self.asked.after.map_or(0, |after| after.saturating_add(1)));
        let mut to = last.saturating_add(1).min(part.end_seq).min(self.asked.before.unwrap_or(u64::MAX));
        // A game has an index: all of it is one short look.
        let slice = if self.asked.game.is_some() { u64::MAX } else { SLICE };
        while from < to {
            if self.looked >= LOOKED {
                return Ok(Some(if is_forward { from - 1 } else { to }));
            }
            let (low, high) = if is_forward {
                (from, to.min(from.saturating_add(slice)))
            } else {
                (from.max(to.saturating_sub(slice)), to)
            };
            let room = self.asked.limit - self.found.len();
            let events = self.slice(&connection, low, high, room).map_err(sqlite)?;
            self.looked = self.looked.saturating_add(if slice == u64::MAX { 0 } else { high - low });
            self.found.extend(events);
            if self.found.len() >= self.asked.limit {
                return Ok(self.found.last().map(|event| event.seq));
            }
            if is_forward { from = high } else { to = low }
        }
        Ok(None)
    }

    /// The events from `low` on and before `high`, `room` at most.
    fn slice(
        &self,
        connection: &Connection,
        low: u64,
        high: u64,
        room: usize,
    ) -> rusqlite::Result<Vec<StoredEvent>> {
        let number = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let asked = self.asked;
        let mut filters = vec!["seq >= ?".to_owned(), "seq < ?".to_owned()];
        let mut values = vec![number(low), number(high)];
        for (column, value) in [("board", &asked.board), ("game", &asked.game)] {
            if let Some(value) = value {
                filters.push(format!("{column} = ?"));
                values.push(Value::Text(value.clone()));
            }
        }
        if !asked.types.is_empty() {
            filters.push(format!("type IN ({})", vec!["?"; asked.types.len()].join(", ")));
            values.extend(asked.types.iter().cloned().map(Value::Text));
        }
        if let Some(record) = asked.about {
            let of = |field: &str| format!("json_extract(json, '$.{field}') = ?");
            filters.push(format!("(type = 'ruled' OR {} OR {})", of("record"), of("of_record")));
            values.extend([number(record), number(record)]);
        }
        values.push(number(room as u64));
        let order = if asked.after.is_some() { "ASC" } else { "DESC" };
        let sql = format!(
            "SELECT seq, public_id, board, game, type, json FROM event WHERE {} ORDER BY seq {order} LIMIT ?",
            filters.join(" AND ")
        );
        let mut statement = connection.prepare(&sql)?;
        statement.query_map(params_from_iter(values), stored_event)?.collect()
    }
}
