//! The durable store: what boards said and what was made of it, on disk before anybody sees it.
//!
//! ```text
//! board tasks ── submit ──▶ queue ──▶ writer thread ── commit ──▶ sink: feeds and pages
//!                (bounded)            numbers, chains,     │
//!                                     one commit in flight ▼
//!                                              0001.db, 0002.db, …  ◀── reader, export, verify
//! ```
//!
//! A journal is a directory of SQLite files (DESIGN 4.1). One transaction holds inputs and all
//! events that they produced, so an event is never durable without its cause, nor the other way
//! round. When the disk fails the games go on: see [`JournalState`]. Start reading at `writer`.

mod chain;
mod checkpoint;
mod export;
mod figures;
mod files;
mod handle;
mod hold;
mod inputs;
mod look;
mod note;
mod reader;
mod recover;
mod retention;
mod schema;
#[cfg(test)]
pub(crate) mod simulated;
mod store;
#[cfg(test)]
mod tests;
mod verify;
mod walk;
mod writer;

pub use export::{GameSummary, export, game_of_pairing, games};
pub use figures::Figures;
pub(crate) use handle::PATIENCE;
pub use handle::{Journal, JournalHandle, OwnPlaces, Place, SubmitError};
pub use inputs::{BoardInputs, EventAt, SinceOpen, input_of, since_open};
pub use look::Look;
pub use reader::{Asked, History, Reader, StoredEvent, history};
pub use recover::{Recovered, RecoveredBoard, boards_since_open};
pub use retention::{ParseRetentionError, Pruned, Retention, prune};
pub use verify::{Problem, Report, verify};
pub use walk::{Walked, walk};

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;

use adoube_core::event::{Event, Numbered};
use adoube_core::station::Seen;
use adoube_rules::stamp::Stamp;

/// One input of a board, with the events that its table made of it.
#[derive(Debug)]
pub struct Submission {
    /// Whose input it is.
    pub board: Arc<str>,
    /// When it arrived.
    pub stamp: Stamp,
    /// What it is.
    pub kind: InputKind,
    /// The input as the core took it.
    pub data: Vec<u8>,
    /// What the core said to it, in order.
    pub events: Vec<Event>,
}

/// What an input is (DESIGN 2.1, rule 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// The board's table begins afresh: configuration, profile, pairing, `CORE`. A restart replays
    /// a board from its last input of this kind.
    Open,
    /// Bytes of the board.
    Bytes,
    /// The same bytes several times, each time with nothing to say.
    Quiet,
    /// A reading of a board that needs no protocol.
    Reading,
    /// The link was lost or came back.
    Link,
    /// A ruling or an entry.
    Ruling,
    /// A ruling on a game that was played at the board and that its table has no more.
    Game,
    /// What a linked board shows.
    Neighbour,
    /// Who plays at the board from then on.
    Pairing,
    /// Pairings and rounds of the whole hall, as they stand from then on; of no board.
    Pairings,
    /// The game goes on at another board, or one comes from there.
    Moved,
    /// Which squares of the board earlier games had found sick.
    Sick,
    /// A timer that produced an event.
    Wake,
    /// The journal's own remark on itself; of no board.
    Journal,
}

impl InputKind {
    const ALL: [Self; 14] = [
        Self::Open,
        Self::Bytes,
        Self::Quiet,
        Self::Reading,
        Self::Link,
        Self::Ruling,
        Self::Game,
        Self::Neighbour,
        Self::Pairing,
        Self::Pairings,
        Self::Moved,
        Self::Sick,
        Self::Wake,
        Self::Journal,
    ];

    /// The text in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Bytes => "bytes",
            Self::Quiet => "quiet",
            Self::Reading => "reading",
            Self::Link => "link",
            Self::Ruling => "ruling",
            Self::Game => "game",
            Self::Neighbour => "neighbour",
            Self::Pairing => "pairing",
            Self::Pairings => "pairings",
            Self::Moved => "moved",
            Self::Sick => "sick",
            Self::Wake => "wake",
            Self::Journal => "journal",
        }
    }

    /// The kind with that text.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An input as it lies in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredInput {
    /// Its number, gapless over all boards.
    pub id: u64,
    /// When it arrived.
    pub stamp: Stamp,
    /// What it is.
    pub kind: InputKind,
    /// The input as the core took it.
    pub data: Vec<u8>,
}

/// What may be shown now: the sink gets it on the writer thread, in order.
#[derive(Debug)]
pub struct Committed {
    /// The events with their numbers. If they are not durable, each says `"durable": false`. The
    /// field is not stored: once healing has written the event, it is as durable as any other.
    pub events: Vec<Numbered>,
    /// Are they on disk?
    pub durable: bool,
    /// What may be shown now as well.
    pub asides: Vec<Aside>,
    /// What boards showed, for who looks on.
    pub pictures: Vec<Pictures>,
    /// Heartbeats that came through so far; whoever shows what is committed answers them.
    pub beats: Vec<oneshot::Sender<()>>,
    /// When it was committed.
    pub at: Instant,
}

/// Something to be shown that is no event: it is not stored, and it is not shown before what was handed
/// in before it is on disk, or held.
#[derive(Debug, Clone, PartialEq)]
pub struct Aside {
    /// What it is called.
    pub name: &'static str,
    /// The board that it is about.
    pub board: Arc<str>,
    /// What is shown.
    pub json: Map<String, Value>,
}

/// What a board showed with one of its inputs, in order: not stored, because the input is, and not shown
/// before that is on disk, or held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pictures {
    /// Which board.
    pub board: Arc<str>,
    /// What it said, and what it showed then.
    pub seen: Vec<Seen>,
}

/// How the journal is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalState {
    /// What is shown is on disk.
    Ok,
    /// The disk fails or does not keep up: the games go on in memory.
    Degraded {
        /// Stamp of the first input that is not on disk.
        since: Stamp,
        /// What the disk said.
        reason: String,
    },
}

/// What can be set about a journal; [`Options::new`] gives the defaults.
#[derive(Debug, Clone)]
pub struct Options {
    /// Size in bytes after which a new file is begun.
    pub file_bytes: u64,
    /// Size in bytes of a WAL at which a new file is begun, whoever still reads the old one; from half of it on the
    /// writer waits for its checkpoints.
    pub wal_bytes: u64,
    /// Inputs that may wait for the writer, beside one of each board; boards that find no place read nothing.
    pub queue_inputs: usize,
    /// Inputs of one board that are held in memory while nothing can be written.
    pub held_inputs: usize,
    /// Where the last number used is noted while degraded.
    pub notes: Vec<PathBuf>,
    /// What the disk does.
    #[cfg(test)]
    pub(crate) disk: Arc<simulated::Disk>,
}

/// The runtime directory of the service, and where it notes what a restart has to know (`systemd/adoube.tmpfiles`).
const SERVICE_RUNTIME: &str = "/run/adoube";
const SERVICE_NOTES: &str = "/run/adoube-note";

impl Options {
    /// The defaults for a journal in `dir`.
    ///
    /// The note goes to `$RUNTIME_DIRECTORY/degraded` (and for the service to `/run/adoube-note`, which outlives a
    /// restart), which is no disk and thus works while the disk does not, and beside the journal, which outlives a reboot if it can be written at all.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        let mut notes = vec![dir.join("degraded")];
        if let Some(runtime) = std::env::var_os("RUNTIME_DIRECTORY") {
            notes.push(Path::new(&runtime).join("degraded"));
            // The service's own directory goes with each stop; this one stays until the machine stops.
            if runtime == SERVICE_RUNTIME && Path::new(SERVICE_NOTES).is_dir() {
                notes.push(Path::new(SERVICE_NOTES).join("degraded"));
            }
        }
        Self {
            // A file that still fits an ordinary stick and is checked in a minute.
            file_bytes: 2 << 30,
            // A second of the slowest disks, which a start after a crash reads back.
            wal_bytes: 64 << 20,
            // A thousand boards that move their pieces in the same instant.
            queue_inputs: 4_096,
            // DESIGN 4.1: several hours of a game.
            held_inputs: 10_000,
            notes,
            #[cfg(test)]
            disk: Arc::default(),
        }
    }
}

/// Why a journal cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes it.
    #[error("the journal in {} is in use by another adoube; stop that one or choose another [journal] path", dir.display())]
    Locked {
        /// The directory.
        dir: PathBuf,
    },
    /// A file or directory cannot be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// SQLite refuses a file.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// Which.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// A file holds something that no adoube wrote.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A newer adoube wrote the file.
    #[error("{}: written in journal format {format}, this adoube knows {} and older", path.display(), schema::FORMAT)]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
}
