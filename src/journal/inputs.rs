//! The inputs of one board since it was opened, in short looks, while the writer goes on.

use std::collections::VecDeque;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::files::{self, Part};
use super::{InputKind, JournalError, StoredInput};
use adoube_rules::stamp::Stamp;

/// Inputs of all boards looked through in one statement: a few milliseconds.
/// (In tests next to nothing, so that their journals have many of them.)
const SLICE: u64 = if cfg!(test) { 3 } else { 20_000 };
/// Events read at most: far more than anybody looks at at once.
const EVENTS: i64 = 20_000;

/// The number of an event, and the input that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventAt {
    /// Its number.
    pub seq: u64,
    /// The input.
    pub input: u64,
    /// Its type.
    pub name: String,
}

/// A stretch of the journal: one board from an [`InputKind::Open`] up to the next.
#[derive(Debug)]
pub struct SinceOpen {
    board: String,
    /// The files that hold it.
    parts: Vec<Part>,
    open: u64,
    end: u64,
}

/// The input that led to the event `seq`; `None` if the journal in `dir` has no such event.
///
/// # Errors
/// [`JournalError`] if its file cannot be read.
pub fn input_of(dir: &Path, seq: u64) -> Result<Option<u64>, JournalError> {
    let (parts, _) = files::readable_parts(dir);
    let holds = |part: &&Part| part.meta.first_seq <= seq && seq < part.end_seq;
    let Some(part) = parts.iter().rev().find(holds) else { return Ok(None) };
    let sql = "SELECT input FROM event WHERE seq = ?1";
    ask(part, |connection| {
        connection.query_row(sql, params![bound(seq)], |row| row.get::<_, i64>(0)).optional()
    })
    .map(|input| input.flatten().map(i64::cast_unsigned))
}

/// `board` from its last opening at or before `input`, or from its last one; `None` if it was never
/// opened.
///
/// # Errors
/// [`JournalError`] if a file that holds it cannot be read.
pub fn since_open(dir: &Path, board: &str, input: Option<u64>) -> Result<Option<SinceOpen>, JournalError> {
    let (mut parts, errors) = files::readable_parts(dir);
    let mut end = u64::MAX;
    for index in (0..parts.len()).rev() {
        let part = &parts[index];
        let limit = input.map_or(u64::MAX, |input| input.saturating_add(1)).min(part.end_input);
        let last = "SELECT MAX(id) FROM input WHERE board = ?1 AND kind = 'open' AND id < ?2";
        let next = "SELECT MIN(id) FROM input WHERE board = ?1 AND kind = 'open' AND id >= ?2 AND id < ?3";
        let number = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
        let found = ask(part, |connection| {
            let next =
                connection.query_row(next, params![board, bound(limit), bound(part.end_input)], number)?;
            Ok((next, connection.query_row(last, params![board, bound(limit)], number)?))
        })?;
        let Some((next, open)) = found else { continue };
        end = next.map_or(end, i64::cast_unsigned);
        if let Some(open) = open.map(i64::cast_unsigned) {
            let parts = parts.split_off(index);
            return Ok(Some(SinceOpen { board: board.to_owned(), parts, open, end }));
        }
    }
    errors.into_iter().next().map_or(Ok(None), Err)
}

impl SinceOpen {
    /// Its inputs, in order, the opening first.
    #[must_use]
    pub fn inputs(&self) -> BoardInputs<'_> {
        BoardInputs { of: self, part: 0, from: self.open, batch: VecDeque::new(), connection: None }
    }

    /// The events of its inputs `first` to `last`, in order.
    ///
    /// # Errors
    /// [`JournalError`] if a file cannot be read.
    pub fn events(&self, first: u64, last: u64) -> Result<Vec<EventAt>, JournalError> {
        let mut events = Vec::new();
        let is_in = |part: &&Part| part.meta.first_input <= last && first < part.end_input;
        for part in self.parts.iter().filter(is_in) {
            let found = ask(part, |connection| {
                let (from, to) =
                    (first_event(connection, first)?, first_event(connection, last.saturating_add(1))?);
                let sql = "SELECT seq, input, type FROM event \
                           WHERE seq >= ?1 AND seq < ?2 AND seq < ?3 AND board = ?4 ORDER BY seq LIMIT ?5";
                let mut statement = connection.prepare(sql)?;
                let read = |row: &rusqlite::Row<'_>| {
                    let number = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
                    Ok(EventAt { seq: number(0)?, input: number(1)?, name: row.get(2)? })
                };
                let values = params![bound(from), bound(to), bound(part.end_seq), self.board, EVENTS];
                statement.query_map(values, read)?.collect::<rusqlite::Result<Vec<_>>>()
            })?;
            events.extend(found.into_iter().flatten());
        }
        Ok(events)
    }
}

/// The number of the first event of the input `input` or a later one. Numbers of inputs rise with those
/// of events, and only the latter have an index: it is looked for by halves.
pub(super) fn first_event(connection: &Connection, input: u64) -> rusqlite::Result<u64> {
    let ends = "SELECT MIN(seq), MAX(seq) FROM event";
    let (low, high): (Option<i64>, Option<i64>) =
        connection.query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(mut low), Some(high)) = (low, high) else { return Ok(0) };
    let mut high = high + 1;
    let mut at = connection.prepare("SELECT input FROM event WHERE seq >= ?1 ORDER BY seq LIMIT 1")?;
    while low < high {
        let middle = low + (high - low) / 2;
        if at.query_row([middle], |row| row.get::<_, i64>(0))?.cast_unsigned() < input {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low.cast_unsigned())
}

/// The inputs of a [`SinceOpen`]: an iterator.
#[derive(Debug)]
pub struct BoardInputs<'a> {
    of: &'a SinceOpen,
    part: usize,
    from: u64,
    batch: VecDeque<StoredInput>,
    /// The open file, and its last input when it was opened.
    connection: Option<(Connection, u64)>,
}

impl BoardInputs<'_> {
    /// Reads on; false at the end.
    fn read(&mut self) -> Result<bool, JournalError> {
        let Some(part) = self.of.parts.get(self.part) else { return Ok(false) };
        let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
        if self.connection.is_none() {
            self.connection = match files::open(&part.file)? {
                Some((connection, _)) => {
                    let sql = "SELECT MAX(id) FROM input";
                    let last =
                        connection.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).map_err(sqlite)?;
                    Some((connection, last.map_or(0, i64::cast_unsigned)))
                }
                None => None,
            };
        }
        let end = part.end_input.min(self.of.end);
        let Some((connection, _)) =
            self.connection.as_ref().filter(|(_, last)| self.from <= *last && self.from < end)
        else {
            self.connection = None;
            self.part += 1;
            return Ok(true);
        };
        let to = self.from.saturating_add(SLICE).min(end);
        let sql = "SELECT id, mono_ns, utc_ns, kind, data FROM input \
                   WHERE id >= ?1 AND id < ?2 AND board = ?3 ORDER BY id";
        let read = |row: &rusqlite::Row<'_>| {
            let stamp = Stamp { mono_ns: row.get::<_, i64>(1)?.cast_unsigned(), utc_ns: row.get(2)? };
            let (id, kind) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, String>(3)?);
            Ok((id, stamp, kind, row.get(4)?))
        };
        let rows = connection.prepare(sql).and_then(|mut rows| {
            rows.query_map(params![bound(self.from), bound(to), self.of.board], read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        for (id, stamp, kind, data) in rows.map_err(sqlite)? {
            let what = || format!("input {id} is of no known kind: {kind}");
            let kind = InputKind::from_name(&kind)
                .ok_or_else(|| JournalError::Damaged { path: part.file.path.clone(), what: what() })?;
            self.batch.push_back(StoredInput { id, stamp, kind, data });
        }
        self.from = to;
        Ok(true)
    }
}

impl Iterator for BoardInputs<'_> {
    type Item = Result<StoredInput, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(input) = self.batch.pop_front() {
                return Some(Ok(input));
            }
            match self.read() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    // What comes behind a hole cannot be understood.
                    self.part = self.of.parts.len();
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Asks one file; `None` if nothing is in it yet.
fn ask<T>(
    part: &Part,
    question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<Option<T>, JournalError> {
    let Some((connection, _)) = files::open(&part.file)? else { return Ok(None) };
    let sqlite = |source| JournalError::Sqlite { path: part.file.path.clone(), source };
    question(&connection).map(Some).map_err(sqlite)
}

/// A number as SQL has it; `u64::MAX` stands for none.
fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
