//! Tables and `meta` of a journal file (DESIGN 4.1), and how a file is opened.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};

use super::JournalError;
use super::chain::{self, Chain, Link};

/// The format that this adoube writes. A higher number is refused, never guessed at.
pub(super) const FORMAT: u32 = 1;

/// How long a writer waits for another process that holds the file, for example a `sqlite3` in the
/// hands of an arbiter: as long as a board may wait for the journal.
const BUSY: Duration = Duration::from_secs(1);

const TABLES: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE input(
    id INTEGER PRIMARY KEY, board TEXT NOT NULL, mono_ns INTEGER NOT NULL, utc_ns INTEGER NOT NULL,
    kind TEXT NOT NULL, data BLOB NOT NULL, chain BLOB NOT NULL) STRICT;
CREATE TABLE event(
    seq INTEGER PRIMARY KEY, public_id INTEGER, input INTEGER NOT NULL, board TEXT NOT NULL,
    game TEXT, type TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE sent(feed TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- A restart looks for each board's last 'open', where it was last and what it lost, for the pairings, and for which games
-- there are and how they ended; an export for one game among many.
CREATE INDEX input_open ON input(board, id) WHERE kind = 'open';
CREATE INDEX input_rare ON input(id) WHERE kind IN ('link', 'journal');
CREATE INDEX input_pairings ON input(id) WHERE kind = 'pairings';
CREATE INDEX event_game ON event(game, seq) WHERE game IS NOT NULL;
CREATE INDEX event_outline ON event(seq) WHERE type IN (OUTLINE);
";

/// The types of events that say which games there are and how they ended, as SQL lists them. A file that was begun
/// with another list is searched without its index.
pub(super) const OUTLINE: &str = "'game-opened', 'game-changed', 'game-closed', 'game-annulled', 'game-over', \
                                  'result-signalled', 'result-changed'";

/// How a query names `index` of this file, if it has it: older files have not. Left alone, SQLite may look through
/// all rows instead.
pub(super) fn by(connection: &Connection, index: &str) -> rusqlite::Result<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let made: Option<String> = connection.query_row(sql, params![index], |row| row.get(0)).optional()?;
    let is_ours = made.is_some_and(|made| index != "event_outline" || made.contains(OUTLINE));
    Ok(if is_ours { format!("INDEXED BY {index}") } else { String::new() })
}

/// What a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meta {
    /// Which journal it belongs to, since the last loss of numbers.
    pub(super) epoch: String,
    /// The core that made its events.
    pub(super) core: u32,
    /// UTC day for which it was begun, `2026-05-01`.
    pub(super) day: String,
    /// Number of the first input in it.
    pub(super) first_input: u64,
    /// `seq` of the first event in it.
    pub(super) first_seq: u64,
    /// Public number of the first public event in it.
    pub(super) first_public: u64,
    /// Link of the last row before it.
    pub(super) chain: Link,
}

impl Meta {
    fn rows(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("chain", chain::to_hex(&self.chain)),
            ("core", self.core.to_string()),
            ("day", self.day.clone()),
            ("epoch", self.epoch.clone()),
            ("first_input", self.first_input.to_string()),
            ("first_public", self.first_public.to_string()),
            ("first_seq", self.first_seq.to_string()),
            ("format", FORMAT.to_string()),
        ])
    }

    /// The link with which the file begins.
    pub(super) fn link(&self) -> Link {
        let mut link = Chain::after(&self.chain);
        for (key, value) in self.rows().iter().filter(|(key, _)| **key != "chain") {
            link.meta(key, value);
        }
        link.link()
    }

    /// Reads `meta`; `None` if the file has no tables at all, as when the power went while it was
    /// being created.
    pub(super) fn read(connection: &Connection, path: &Path) -> Result<Option<Self>, JournalError> {
        let sqlite = |source| JournalError::Sqlite { path: path.to_owned(), source };
        let tables: i64 = connection
            .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(sqlite)?;
        if tables == 0 {
            return Ok(None);
        }
        let mut statement = connection.prepare("SELECT key, value FROM meta").map_err(sqlite)?;
        let rows: BTreeMap<String, String> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(Iterator::collect)
            .map_err(sqlite)?;
        let damaged =
            |key: &str| JournalError::Damaged { path: path.to_owned(), what: format!("meta.{key}") };
        let text = |key: &str| rows.get(key).ok_or_else(|| damaged(key));
        let number = |key: &str| text(key)?.parse::<u64>().map_err(|_| damaged(key));
        let small = |key: &str| text(key)?.parse::<u32>().map_err(|_| damaged(key));
        let format = small("format")?;
        if format > FORMAT {
            return Err(JournalError::Newer { path: path.to_owned(), format });
        }
        Ok(Some(Self {
            epoch: text("epoch")?.clone(),
            core: small("core")?,
            day: text("day")?.clone(),
            first_input: number("first_input")?,
            first_seq: number("first_seq")?,
            first_public: number("first_public")?,
            chain: chain::from_hex(text("chain")?).ok_or_else(|| damaged("chain"))?,
        }))
    }
}

/// Creates a file and all that stands in it from the beginning, in one transaction.
pub(super) fn create(path: &Path, meta: &Meta, sent: &BTreeMap<String, u64>) -> rusqlite::Result<Connection> {
    // Where that fails SQLite says why.
    super::files::make(path).unwrap_or_default();
    let mut connection = open_for_writing(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(&TABLES.replace("OUTLINE", OUTLINE))?;
    for (key, value) in meta.rows() {
        transaction.execute("INSERT INTO meta VALUES (?1, ?2)", params![key, value])?;
    }
    for (feed, seq) in sent {
        transaction.execute("INSERT INTO sent VALUES (?1, ?2)", params![feed, seq.cast_signed()])?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// Opens a file to write it on.
pub(super) fn open_for_writing(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    // A file that failed is never written again, not even by closing it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Each commit is on the disk when it returns.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // A second connection checkpoints, so that no commit has to wait for it.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

/// Opens a file to read it, and nothing else.
///
/// Where all is in the main file it is opened as immutable: no lock, and no `-shm` left behind
/// that the daemon's user could not write. Otherwise the writer's `-wal` is needed too.
pub(super) fn open_for_reading(path: &Path) -> rusqlite::Result<Connection> {
    let wal = std::fs::metadata(super::files::beside(path, "-wal"));
    let whole = wal.map_or(true, |wal| wal.len() == 0);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}?{}", escaped(path), if whole { "immutable=1" } else { "mode=ro" });
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// The path as it stands in a `file:` URI.
fn escaped(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escape = |&byte: &u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.as_os_str().as_bytes().iter().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta() -> Meta {
        Meta {
            epoch: "abc".into(),
            core: 7,
            day: "2026-05-01".into(),
            first_input: 1,
            first_seq: 1,
            first_public: 1,
            chain: chain::START,
        }
    }

    #[test]
    fn meta_reads_back_and_a_newer_format_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b?.db");
        let connection = create(&path, &meta(), &BTreeMap::new()).unwrap();
        let reading = open_for_reading(&path).unwrap();
        assert_eq!(Meta::read(&reading, &path).unwrap(), Some(meta()));
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'format'", []).unwrap();
        let error = Meta::read(&reading, &path).unwrap_err();
        assert!(matches!(error, JournalError::Newer { format: 99, .. }), "{error}");
        assert!(reading.execute("DELETE FROM meta", []).is_err(), "a reader must not write");
    }

    #[test]
    fn a_files_first_link_covers_its_meta() {
        let later = Meta { core: 8, ..meta() };
        assert_ne!(meta().link(), later.link());
        let elsewhere = Meta { chain: [1; 16], ..meta() };
        assert_ne!(meta().link(), elsewhere.link());
    }
}
