//! Everything that a journal holds, in order: each input with the events that came of it.

use std::path::Path;

use rusqlite::params;

use super::files::{self, Part};
use super::reader::{StoredEvent, stored_event};
use super::{InputKind, JournalError, StoredInput};
use adoube_rules::stamp::Stamp;

/// An input and what came of it.
#[derive(Debug)]
pub struct Walked {
    /// Whose input it is; empty for the hall and the journal.
    pub board: String,
    /// The `CORE` that took it.
    pub core: u32,
    /// The input.
    pub input: StoredInput,
    /// The events that it produced, in order.
    pub events: Vec<StoredEvent>,
}

/// Walks through the journal in `dir`. The errors say what could not be read.
pub fn walk(dir: &Path, mut take: impl FnMut(Walked)) -> Vec<JournalError> {
    let (parts, mut errors) = files::readable_parts(dir);
    for part in &parts {
        if let Err(error) = walk_part(part, &mut take) {
            errors.push(error);
        }
    }
    errors
}

fn walk_part(part: &Part, take: &mut impl FnMut(Walked)) -> Result<(), JournalError> {
    let Some((connection, _)) = files::open(&part.file)? else { return Ok(()) };
    let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let inputs = "SELECT id, board, mono_ns, utc_ns, kind, data FROM input WHERE id < ?1 ORDER BY id";
    let mut inputs = connection.prepare(inputs).map_err(sqlite)?;
    let mut inputs = inputs.query(params![bound(part.end_input)]).map_err(sqlite)?;
    let events =
        "SELECT seq, public_id, board, game, type, json, input FROM event WHERE seq < ?1 ORDER BY seq";
    let mut events = connection.prepare(events).map_err(sqlite)?;
    let mut events = events.query(params![bound(part.end_seq)]).map_err(sqlite)?;
    let mut event = events.next().map_err(sqlite)?;
    while let Some(row) = inputs.next().map_err(sqlite)? {
        let number = |index| row.get::<_, i64>(index).map_err(sqlite);
        let id = number(0)?.cast_unsigned();
        let kind: String = row.get(4).map_err(sqlite)?;
        let what = || format!("input {id} is of no known kind: {kind}");
        let kind = InputKind::from_name(&kind)
            .ok_or_else(|| JournalError::Damaged { path: part.file.path.clone(), what: what() })?;
        let stamp = Stamp { mono_ns: number(2)?.cast_unsigned(), utc_ns: number(3)? };
        let input = StoredInput { id, stamp, kind, data: row.get(5).map_err(sqlite)? };
        let mut said = Vec::new();
        while let Some(row) = event.filter(|row| row.get(6).is_ok_and(|of: i64| of.cast_unsigned() <= id)) {
            said.push(stored_event(row).map_err(sqlite)?);
            event = events.next().map_err(sqlite)?;
        }
        let board = row.get(1).map_err(sqlite)?;
        take(Walked { board, core: part.meta.core, input, events: said });
    }
    Ok(())
}
