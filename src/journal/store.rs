//! The file that is being written: whole batches or nothing.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior, params};

use super::InputKind;
use super::chain::{Chain, Link};
use super::checkpoint::Checkpointer;
use super::schema::{self, Meta};
use adoube_core::event::Numbered;
use adoube_rules::stamp::Stamp;

/// Commits between two checkpoints: about 4 MiB of WAL at four pages a commit, which a restart
/// reads back in a blink.
const COMMITS_A_CHECKPOINT: u32 = 256;

/// What the WAL may grow by before another checkpoint, whatever a commit takes.
const BYTES_A_CHECKPOINT: u64 = 4 << 20;

/// An input with its numbered events, on its way to the disk.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) board: Arc<str>,
    pub(super) stamp: Stamp,
    pub(super) kind: InputKind,
    pub(super) data: Vec<u8>,
    pub(super) events: Vec<Numbered>,
}

/// The last row that is certainly on disk: where the next one goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    pub(super) input: u64,
    pub(super) seq: u64,
    pub(super) public: u64,
    pub(super) link: Link,
}

/// An open journal file.
#[derive(Debug)]
pub(super) struct Store {
    // Before `connection`: the last connection to close cleans up, and that must be the writer's.
    checkpointer: Checkpointer,
    connection: Connection,
    path: PathBuf,
    inode: Option<u64>,
    meta: Meta,
    position: Position,
    is_empty: bool,
    bytes: u64,
    page_bytes: i64,
    wal: Wal,
    commits: u32,
}

/// The WAL of a file.
#[derive(Debug)]
struct Wal {
    path: PathBuf,
    bytes: u64,
    /// As it was at the last checkpoint that was asked for.
    nudged_bytes: u64,
    /// What it may take up.
    max_bytes: u64,
}

impl Store {
    /// Creates the file that `meta` describes.
    pub(super) fn create(
        path: &Path,
        meta: Meta,
        sent: &BTreeMap<String, u64>,
        wal_bytes: u64,
    ) -> rusqlite::Result<Self> {
        let connection = schema::create(path, &meta, sent)?;
        let position = Position {
            input: meta.first_input - 1,
            seq: meta.first_seq - 1,
            public: meta.first_public - 1,
            link: meta.link(),
        };
        let mut store = Self::new(connection, path, meta, position, wal_bytes)?;
        store.is_empty = true;
        Ok(store)
    }

    /// Goes on in a file whose last row is `position`.
    pub(super) fn resume(
        path: &Path,
        meta: Meta,
        position: Position,
        wal_bytes: u64,
    ) -> rusqlite::Result<Self> {
        Self::new(schema::open_for_writing(path)?, path, meta, position, wal_bytes)
    }

    fn new(
        connection: Connection,
        path: &Path,
        meta: Meta,
        position: Position,
        wal_bytes: u64,
    ) -> rusqlite::Result<Self> {
        let checkpointer = Checkpointer::start(path)?;
        // It stays what it was when the file was made.
        let page_bytes = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        let wal = Wal::new(path, wal_bytes);
        // A WAL that begins again from its start gives back what it took beyond that.
        connection.pragma_update(None, "journal_size_limit", wal.step_bytes().cast_signed())?;
        let (path, inode) = (path.to_owned(), inode(path));
        let (is_empty, bytes, commits) = (false, 0, 0);
        Ok(Self {
            checkpointer,
            connection,
            path,
            inode,
            meta,
            position,
            is_empty,
            bytes,
            page_bytes,
            wal,
            commits,
        })
    }

    /// Writes `records` and what feeds have sent, all or nothing, and comes back when it is on the
    /// disk. After an error the file must be abandoned.
    pub(super) fn append(
        &mut self,
        records: &[Record],
        sent: &BTreeMap<String, u64>,
    ) -> rusqlite::Result<Position> {
        let mut position = self.position;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for record in records {
            insert(&transaction, record, &mut position)?;
        }
        for (feed, seq) in sent {
            let mut statement = transaction.prepare_cached("INSERT OR REPLACE INTO sent VALUES (?1, ?2)")?;
            statement.execute(params![feed, seq.cast_signed()])?;
        }
        transaction.commit()?;
        self.position = position;
        self.is_empty = false;
        self.bytes = size(&self.connection, self.page_bytes)?;
        self.commits += 1;
        self.wal.measure();
        if self.commits.is_multiple_of(COMMITS_A_CHECKPOINT) || self.wal.has_grown() {
            self.checkpoint();
        }
        Ok(position)
    }

    /// Asks for a checkpoint; waits for it where those beside the writer have not kept the WAL small.
    fn checkpoint(&mut self) {
        self.wal.nudged_bytes = self.wal.bytes;
        if self.wal.bytes < self.wal.max_bytes / 2 {
            self.checkpointer.nudge();
        } else {
            self.checkpointer.catch_up();
        }
    }

    /// Was the file taken away, or another one put in its place, while it is being written?
    pub(super) fn is_gone(&self) -> bool {
        inode(&self.path) != self.inode
    }

    /// Puts the file back where it was: what was taken away is still there as long as it is open.
    pub(super) fn put_back(self) -> Result<Self, String> {
        let Self { checkpointer, connection, path, meta, position, wal, .. } = self;
        let restore = || {
            let folder = path.parent().unwrap_or_else(|| Path::new("."));
            std::fs::create_dir_all(folder)?;
            let new = super::files::beside(&path, ".new");
            drop(std::fs::remove_file(&new));
            super::files::make(&new)?;
            connection
                .execute("VACUUM INTO ?1", params![new.to_string_lossy()])
                .map_err(std::io::Error::other)?;
            std::fs::File::open(&new)?.sync_all()?;
            // What lies beside the place now belongs to no file of ours.
            super::files::remove(&path);
            std::fs::rename(&new, &path)?;
            std::fs::File::open(folder)?.sync_all()
        };
        restore().map_err(|error| error.to_string())?;
        drop(checkpointer);
        drop(connection);
        Self::resume(&path, meta, position, wal.max_bytes).map_err(|error| error.to_string())
    }

    /// Did a checkpoint of this file fail?
    pub(super) fn failed(&self) -> bool {
        self.checkpointer.failed()
    }

    /// Bytes in the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes in its WAL.
    pub(super) fn wal_bytes(&self) -> u64 {
        self.wal.bytes
    }

    /// Has the WAL all that it may take up? Somebody reads the file and does not end.
    pub(super) fn has_full_wal(&self) -> bool {
        self.wal.bytes >= self.wal.max_bytes
    }

    /// UTC day for which it was begun.
    pub(super) fn day(&self) -> &str {
        &self.meta.day
    }

    /// Brings everything into the main file and closes it: from now on it can be copied and packed
    /// as one file.
    pub(super) fn close(self) {
        let Self { checkpointer, connection, path, .. } = self;
        let failed = checkpointer.failed();
        drop(checkpointer);
        if failed {
            return;
        }
        let checkpoint =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match checkpoint {
            // Only now may closing remove the WAL.
            Ok(0) => drop(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)),
            Ok(_) => {
                tracing::info!(path = %path.display(), "a reader is busy: the WAL stays beside the file");
            }
            Err(error) => tracing::warn!(path = %path.display(), %error, "the WAL stays beside the file"),
        }
    }

    /// Leaves the file as it is. One in which nothing was acknowledged is removed.
    ///
    /// Gives back whether the file is still there.
    pub(super) fn abandon(self) -> bool {
        let Self { checkpointer, connection, path, is_empty, .. } = self;
        drop(checkpointer);
        drop(connection);
        if is_empty {
            super::files::remove(&path);
        }
        !is_empty
    }
}

impl Wal {
    fn new(path: &Path, max_bytes: u64) -> Self {
        Self { path: super::files::beside(path, "-wal"), bytes: 0, nudged_bytes: 0, max_bytes }
    }

    fn measure(&mut self) {
        // A file that cannot be looked at cannot be written either, and the next commit says so.
        self.bytes = std::fs::metadata(&self.path).map_or(self.bytes, |wal| wal.len());
        self.nudged_bytes = self.nudged_bytes.min(self.bytes);
    }

    fn has_grown(&self) -> bool {
        self.bytes >= self.nudged_bytes + self.step_bytes()
    }

    /// What is written between two checkpoints.
    fn step_bytes(&self) -> u64 {
        BYTES_A_CHECKPOINT.min(self.max_bytes / 4)
    }
}

/// Which file stands at `path`; `None` if none does.
fn inode(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|file| file.ino())
}

/// Writes one record as the next row after `position`.
fn insert(connection: &Connection, record: &Record, position: &mut Position) -> rusqlite::Result<()> {
    let Record { board, stamp, kind, data, events } = record;
    let id = position.input + 1;
    let mut chain = Chain::after(&position.link);
    chain.input(id, board, *stamp, kind.name(), data, events.len());
    for event in events {
        let (name, json) = (event.name().as_str(), event.to_line());
        chain.event(event.seq, event.public_id, event.game.as_deref(), name, &json);
        let mut statement =
            connection.prepare_cached("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        let public_id = event.public_id.map(u64::cast_signed);
        statement.execute(params![
            event.seq.cast_signed(),
            public_id,
            id.cast_signed(),
            &**board,
            event.game.as_deref(),
            name,
            json
        ])?;
        position.seq = event.seq;
        position.public = event.public_id.unwrap_or(position.public);
    }
    position.input = id;
    position.link = chain.link();
    let mut statement = connection.prepare_cached("INSERT INTO input VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mono_ns = stamp.mono_ns.cast_signed();
    statement.execute(params![
        id.cast_signed(),
        &**board,
        mono_ns,
        stamp.utc_ns,
        kind.name(),
        data,
        position.link
    ])?;
    Ok(())
}

/// Bytes in the file, those in its WAL included, where a page has `page_bytes`. It is asked after every commit, so
/// the question is kept.
fn size(connection: &Connection, page_bytes: i64) -> rusqlite::Result<u64> {
    let pages: i64 = connection.prepare_cached("PRAGMA page_count")?.query_row([], |row| row.get(0))?;
    Ok((pages * page_bytes).cast_unsigned())
}
