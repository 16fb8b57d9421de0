//! The files of a journal directory: their names, their order, and where each ends.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::JournalError;
use super::schema::{self, Meta};

/// SQLite's files are whole pages, and no page is smaller.
const SMALLEST_PAGE_BYTES: u64 = 512;

/// Who has the journal may be about to let go of it: a daemon that is on its way out, or a program that one has just
/// started and that has its files until it is on its own feet.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// Between two tries.
const LOCK_LOOK: Duration = Duration::from_millis(20);

/// One file of a journal.
#[derive(Debug, Clone)]
pub(super) struct JournalFile {
    pub(super) number: u32,
    pub(super) path: PathBuf,
}

/// A file with what it says of itself, and where the next one goes on.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) file: JournalFile,
    pub(super) meta: Meta,
    /// Rows from this input and this `seq` on were not acknowledged when the file failed; the next
    /// file has them.
    pub(super) end_input: u64,
    pub(super) end_seq: u64,
}

/// Path of the file with that number: `0001.db`.
pub(super) fn path_of(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:04}.db"))
}

/// `0001.db` and `-wal` give `0001.db-wal`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Bytes of all files in `dir`, those of SQLite beside them included; what cannot be looked at counts for nothing.
pub(super) fn bytes(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
}

/// All files in their order; other names are not ours.
pub(super) fn list(dir: &Path) -> Result<Vec<JournalFile>, JournalError> {
    let io = |source| JournalError::Io { path: dir.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".db"));
        if let Some(number) = name.filter(|name| name.len() >= 4).and_then(|name| name.parse().ok()) {
            files.push(JournalFile { number, path });
        }
    }
    files.sort_by_key(|file| file.number);
    Ok(files)
}

/// Opens `file` to read it and reads its `meta`; `None` if it holds nothing yet.
pub(super) fn open(file: &JournalFile) -> Result<Option<(Connection, Meta)>, JournalError> {
    let sqlite = |source| JournalError::Sqlite { path: file.path.clone(), source };
    let length = fs::metadata(&file.path).map_or(0, |file| file.len());
    // SQLite takes so short a file for an empty one, but writes none.
    if (1..SMALLEST_PAGE_BYTES).contains(&length) {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
        return Err(sqlite(rusqlite::Error::SqliteFailure(code, None)));
    }
    let connection = schema::open_for_reading(&file.path).map_err(sqlite)?;
    Ok(Meta::read(&connection, &file.path)?.map(|meta| (connection, meta)))
}

/// All files that hold something and can be opened, each with its end, and why others cannot.
pub(super) fn readable_parts(dir: &Path) -> (Vec<Part>, Vec<JournalError>) {
    let mut errors = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    let files = list(dir).unwrap_or_else(|error| {
        errors.push(error);
        Vec::new()
    });
    for file in files {
        match open(&file) {
            Ok(Some((_, meta))) => {
                end_at(&mut parts, &meta);
                parts.push(Part { file, meta, end_input: u64::MAX, end_seq: u64::MAX });
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    (parts, errors)
}

/// Lets the last part end where `next` begins; one without any row goes.
fn end_at(parts: &mut Vec<Part>, next: &Meta) {
    while parts.pop_if(|part| part.meta.first_input >= next.first_input).is_some() {}
    if let Some(before) = parts.last_mut() {
        (before.end_input, before.end_seq) = (next.first_input, next.first_seq);
    }
}

/// Makes an empty file that only its owner reads, which SQLite takes for a new one; what lies beside it gets the same
/// rights.
pub(super) fn make(path: &Path) -> std::io::Result<()> {
    File::options().write(true).create(true).truncate(false).mode(0o600).open(path).map(drop)
}

/// Removes a file in which nothing was ever acknowledged. What cannot be removed stays behind as
/// a file without rows, which every reader passes over.
pub(super) fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let path = beside(path, suffix);
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), %error, "cannot remove an empty journal file");
        }
    }
}

/// Takes the directory for one writer. The kernel frees it when the process ends, however it ends.
///
/// # Errors
/// [`JournalError::Locked`] if another process has it and keeps it.
#[expect(clippy::disallowed_methods, reason = "another process lets go in real time")]
pub(super) fn lock(dir: &Path) -> Result<File, JournalError> {
    let path = dir.join("lock");
    let io = |source| JournalError::Io { path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < LOCK_PATIENCE => sleep(LOCK_LOOK),
            Err(TryLockError::WouldBlock) => return Err(JournalError::Locked { dir: dir.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
    }
}
