//! A look at a journal as it is now, for who has many short questions: what a start shows first.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::files::{self, Part};
use super::reader::{StoredEvent, stored_event};
use super::schema;

/// The files of a journal, open to be read. Whoever keeps it for long holds up the writer's checkpoints.
#[derive(Debug)]
pub struct Look {
    parts: Vec<(Part, Connection)>,
    is_whole: Cell<bool>,
}

/// The columns of an event, in the order in which they are read.
const EVENT: &str = "seq, public_id, board, game, type, json";

impl Look {
    /// Opens the journal in `dir`. What cannot be read of it is left out, and said in the log.
    #[must_use]
    pub fn open(dir: &Path) -> Self {
        let (parts, errors) = files::readable_parts(dir);
        errors.iter().for_each(|error| tracing::error!("journal: {error}"));
        let is_whole = Cell::new(errors.is_empty());
        let opened = |part: Part| match files::open(&part.file) {
            Ok(found) => found.map(|(connection, _)| (part, connection)),
            Err(error) => {
                is_whole.set(false);
                tracing::error!("journal: {error}");
                None
            }
        };
        Self { parts: parts.into_iter().filter_map(opened).collect(), is_whole }
    }

    /// Asks each file in turn.
    fn each<T>(&self, question: impl Fn(&Connection, &Part) -> rusqlite::Result<Vec<T>>) -> Vec<T> {
        let ask = |(part, connection): &(Part, Connection)| {
            question(connection, part).unwrap_or_else(|error| {
                self.is_whole.set(false);
                tracing::error!("journal: {}: {error}", part.file.path.display());
                Vec::new()
            })
        };
        self.parts.iter().flat_map(ask).collect()
    }

    /// The events that say which games there are and how they ended, in order.
    #[must_use]
    pub fn outline(&self) -> Vec<StoredEvent> {
        self.each(|connection, part| {
            let by = schema::by(connection, "event_outline")?;
            let types = schema::OUTLINE;
            let sql =
                format!("SELECT {EVENT} FROM event {by} WHERE type IN ({types}) AND seq < ?1 ORDER BY seq");
            connection.prepare(&sql)?.query_map(params![bound(part.end_seq)], stored_event)?.collect()
        })
    }

    /// The numbers of the events of a game, in order: out of an index, which is read in an instant.
    #[must_use]
    pub fn of_game(&self, game: &str) -> Vec<u64> {
        self.each(|connection, part| {
            let sql = "SELECT seq FROM event WHERE game = ?1 AND seq < ?2 ORDER BY seq";
            let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map(i64::cast_unsigned);
            let mut numbers = connection.prepare_cached(sql)?;
            numbers.query_map(params![game, bound(part.end_seq)], number)?.collect()
        })
    }

    /// The number of the last event of a game, 0 for none.
    #[must_use]
    pub fn last_of_game(&self, game: &str) -> u64 {
        let last = self.each(|connection, part| {
            let sql = "SELECT MAX(seq) FROM event WHERE game = ?1 AND seq < ?2";
            let number = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
            let mut last = connection.prepare_cached(sql)?;
            Ok(last.query_row(params![game, bound(part.end_seq)], number)?.into_iter().collect())
        });
        last.into_iter().max().map_or(0, i64::cast_unsigned)
    }

    /// The names of all games without a pairing.
    #[must_use]
    pub fn free_games(&self) -> Vec<String> {
        // From each name to the next one: the index of games has a row for every event.
        self.each(|connection, _| {
            let sql = "WITH RECURSIVE free(game) AS (
                           SELECT MIN(game) FROM event WHERE game >= 'free-' AND game < 'free.'
                           UNION ALL
                           SELECT (SELECT MIN(game) FROM event WHERE game > free.game AND game < 'free.')
                           FROM free WHERE free.game IS NOT NULL
                       ) SELECT game FROM free WHERE game IS NOT NULL";
            connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// When the last input of each file was taken, `utc_ns`, by the file's number.
    pub(super) fn last_of_each(&self) -> BTreeMap<u32, i64> {
        let last = self.each(|connection, part| {
            let sql = "SELECT utc_ns FROM input WHERE id < ?1 ORDER BY id DESC LIMIT 1";
            let last =
                connection.query_row(sql, params![bound(part.end_input)], |row| row.get(0)).optional()?;
            Ok(last.map(|last_ns| (part.file.number, last_ns)).into_iter().collect())
        });
        last.into_iter().collect()
    }

    /// Could all that was asked for be read?
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole.get()
    }

    /// The number of the last input that opened `board`; `u64::MAX` if there is none.
    pub(super) fn last_open(&self, board: &str) -> u64 {
        let last = self.each(|connection, part| {
            let sql = "SELECT MAX(id) FROM input WHERE board = ?1 AND kind = 'open' AND id < ?2";
            let id = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
            Ok(connection.query_row(sql, params![board, bound(part.end_input)], id)?.into_iter().collect())
        });
        last.into_iter().max().map_or(u64::MAX, i64::cast_unsigned)
    }

    /// The event of that number; `None` if there is none.
    #[must_use]
    pub fn event(&self, seq: u64) -> Option<StoredEvent> {
        self.event_by(seq, "SELECT seq, public_id, board, game, type, json FROM event WHERE seq = ?1")
    }

    /// The same, but for what hands and presses did, which the moves tell.
    #[must_use]
    pub fn told(&self, seq: u64) -> Option<StoredEvent> {
        let sql = "SELECT seq, public_id, board, game, type, json FROM event \
                   WHERE seq = ?1 AND type NOT IN ('piece-lifted', 'piece-placed', 'pressed')";
        self.event_by(seq, sql)
    }

    fn event_by(&self, seq: u64, sql: &str) -> Option<StoredEvent> {
        let holds = |(part, _): &&(Part, Connection)| part.meta.first_seq <= seq && seq < part.end_seq;
        let (part, connection) = self.parts.iter().rev().find(holds)?;
        let event = connection
            .prepare_cached(sql)
            .and_then(|mut event| event.query_row(params![bound(seq)], stored_event).optional());
        event.inspect_err(|error| tracing::error!("journal: {}: {error}", part.file.path.display())).ok()?
    }

    /// The number of the first event of an input that was taken at `utc_ns` or later; `u64::MAX` if there is none.
    #[must_use]
    pub fn first_since(&self, utc_ns: i64) -> u64 {
        // Times do not go back but for a moment: the first that is late enough is found by halves, in each file.
        let firsts = self.each(|connection, part| {
            let ends = "SELECT MIN(id), MAX(id) FROM input WHERE id < ?1";
            let number = |row: &rusqlite::Row<'_>, index| row.get::<_, Option<i64>>(index);
            let ends = connection.query_row(ends, params![bound(part.end_input)], |row| {
                Ok((number(row, 0)?, number(row, 1)?))
            })?;
            let (Some(mut low), Some(last)) = ends else { return Ok(Vec::new()) };
            let mut high = last + 1;
            let mut at = connection.prepare("SELECT utc_ns FROM input WHERE id >= ?1 ORDER BY id LIMIT 1")?;
            while low < high {
                let middle = low + (high - low) / 2;
                if at.query_row([middle], |row| row.get::<_, i64>(0))? < utc_ns {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if low > last {
                return Ok(Vec::new());
            }
            // 0: there are none.
            let first = super::inputs::first_event(connection, low.cast_unsigned())?;
            Ok(Some(first).filter(|&first| first > 0).into_iter().collect())
        });
        firsts.into_iter().min().unwrap_or(u64::MAX)
    }

    /// The last public number before the event `seq`, 0 for none.
    #[must_use]
    pub fn public_before(&self, seq: u64) -> u64 {
        let sql =
            "SELECT public_id FROM event WHERE public_id IS NOT NULL AND seq < ?1 ORDER BY seq DESC LIMIT 1";
        let last = self.each(|connection, part| {
            let end = bound(seq.min(part.end_seq));
            let last = connection.query_row(sql, params![end], |row| row.get::<_, i64>(0)).optional()?;
            Ok(last.into_iter().collect())
        });
        last.into_iter().max().map_or(0, i64::cast_unsigned)
    }
}

/// A number as SQL has it; `u64::MAX` stands for none.
fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
