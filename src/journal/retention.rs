//! How long closed files stay. Whatever is asked for, nothing goes that a running round or game needs, nothing of the
//! last day, and nothing of a journal that cannot be read whole: what is wrong with it is for somebody to look at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use adoube_core::event::Said;
use adoube_rules::stamp::{SECOND, Stamp};

use super::files::{self, JournalFile};
use super::schema::Meta;
use super::{JournalError, Look, chain};

/// Lies beside the journal and says what was removed of it.
const NOTE: &str = "removed.json";

const DAY_NS: i64 = 24 * 3_600 * SECOND as i64;

/// What becomes of closed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum Retention {
    /// They stay until somebody takes them away.
    #[default]
    Keep,
    /// They go when all that they hold is older than so many days.
    Days(u32),
    /// The oldest go while all files take up more than so many bytes.
    Bytes(u64),
}

/// A text that is no retention.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("retention = \"{0}\": use \"keep\", a time like \"30 days\" or a size like \"10 GiB\"")]
pub struct ParseRetentionError(String);

impl FromStr for Retention {
    type Err = ParseRetentionError;

    fn from_str(text: &str) -> Result<Self, ParseRetentionError> {
        let error = || ParseRetentionError(text.to_owned());
        if text == "keep" {
            return Ok(Self::Keep);
        }
        let (number, unit) = text.split_once(' ').ok_or_else(error)?;
        let number = number.parse::<u32>().ok().filter(|&number| number > 0).ok_or_else(error)?;
        match unit {
            "day" | "days" => Ok(Self::Days(number)),
            "MiB" => Ok(Self::Bytes(u64::from(number) << 20)),
            "GiB" => Ok(Self::Bytes(u64::from(number) << 30)),
            _ => Err(error()),
        }
    }
}

impl TryFrom<String> for Retention {
    type Error = ParseRetentionError;

    fn try_from(text: String) -> Result<Self, ParseRetentionError> {
        text.parse()
    }
}

impl fmt::Display for Retention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep => formatter.write_str("keep"),
            Self::Days(1) => formatter.write_str("1 day"),
            Self::Days(days) => write!(formatter, "{days} days"),
            Self::Bytes(bytes) if bytes.is_multiple_of(1 << 30) => write!(formatter, "{} GiB", bytes >> 30),
            Self::Bytes(bytes) => write!(formatter, "{} MiB", bytes >> 20),
        }
    }
}

/// What [`prune`] did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The files that went, oldest first.
    pub files: Vec<PathBuf>,
    /// A file that should have gone, and the game that needs it, or another after it.
    pub needed: Option<(PathBuf, String)>,
}

/// Removes the closed files of the journal in `dir` that `retention` does not keep at `now`.
///
/// # Errors
/// [`JournalError`] if a file cannot be read, or removed; those that went before are gone.
pub fn prune(dir: &Path, retention: Retention, now: Stamp) -> Result<Pruned, JournalError> {
    let mut pruned = Pruned::default();
    let days = match retention {
        Retention::Keep => return Ok(pruned),
        Retention::Days(days) => days,
        Retention::Bytes(_) => 1,
    };
    let (parts, errors) = files::readable_parts(dir);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let limit_ns = now.utc_ns - i64::from(days) * DAY_NS;
    let mut kept_bytes = files::bytes(dir);
    let fits = |kept_bytes: u64| matches!(retention, Retention::Bytes(bytes) if kept_bytes <= bytes);
    let look = Look::open(dir);
    let needs = needs(&look);
    let last_ns = look.last_of_each();
    if !look.is_whole() {
        let what = "it cannot be read whole; \"adoube verify\" says more".to_owned();
        return Err(JournalError::Damaged { path: dir.to_owned(), what });
    }
    // Files that are open give no room back.
    drop(look);
    let mut left = files::list(dir)?.into_iter().peekable();
    for pair in parts.windows(2) {
        let (part, next) = (&pair[0], &pair[1]);
        let is_old = last_ns.get(&part.file.number).is_some_and(|&last_ns| last_ns < limit_ns);
        if !is_old || fits(kept_bytes) {
            break;
        }
        if let Some(need) = needs.iter().find(|need| need.input < part.end_input || need.seq < part.end_seq) {
            pruned.needed = Some((part.file.path.clone(), need.game.clone()));
            break;
        }
        Removed::before(&next.meta, now).note(dir)?;
        // Files without a row stand between those that have some.
        while let Some(file) = left.next_if(|file| file.number <= part.file.number) {
            kept_bytes = kept_bytes.saturating_sub(remove(&file)?);
            pruned.files.push(file.path);
        }
    }
    Ok(pruned)
}

fn remove(file: &JournalFile) -> Result<u64, JournalError> {
    let mut bytes = 0;
    for suffix in ["", "-wal", "-shm"] {
        let path = files::beside(&file.path, suffix);
        bytes += std::fs::metadata(&path).map_or(0, |file| file.len());
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(JournalError::Io { path, source });
            }
            _ => {}
        }
    }
    Ok(bytes)
}

/// The first rows that a game needs.
struct Need {
    game: String,
    /// An input, for a board that would go on from there after a restart.
    input: u64,
    /// An event.
    seq: u64,
}

/// What the games need that are not closed, and those of their rounds.
fn needs(look: &Look) -> Vec<Need> {
    struct Known {
        round: Option<u32>,
        board: String,
        is_closed: bool,
    }
    let mut games: BTreeMap<String, Known> = BTreeMap::new();
    for event in look.outline() {
        let Some(game) = event.game.clone() else { continue };
        match event.numbered().map(|event| event.said) {
            Ok(Said::GameOpened(opened)) => {
                let known = Known { round: opened.round, board: event.board, is_closed: false };
                games.insert(game, known);
            }
            Ok(Said::GameClosed(_)) => {
                if let Some(known) = games.get_mut(&game) {
                    known.is_closed = true;
                }
            }
            // It may have gone to another board.
            Ok(Said::GameChanged(_)) => {
                if let Some(known) = games.get_mut(&game) {
                    known.board = event.board;
                }
            }
            // Of a game of which not all can be read nobody knows whether it is closed.
            Err(_) => {
                let known = Known { round: None, board: event.board, is_closed: false };
                games.insert(game, known);
            }
            _ => {}
        }
    }
    let rounds: BTreeSet<u32> =
        games.values().filter(|game| !game.is_closed).filter_map(|game| game.round).collect();
    let need = |(game, known): (String, Known)| {
        let is_of_round = known.round.is_some_and(|round| rounds.contains(&round));
        (!known.is_closed || is_of_round).then(|| Need {
            input: if known.is_closed { u64::MAX } else { look.last_open(&known.board) },
            seq: look.of_game(&game).first().copied().unwrap_or(u64::MAX),
            game,
        })
    };
    games.into_iter().filter_map(need).collect()
}

/// What was removed, up to where the first file begins that is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Removed {
    /// Number of the last input that is gone.
    last_input: u64,
    /// Number of the last event that is gone.
    last_seq: u64,
    /// The link of the chain behind them, in hex.
    chain: String,
    /// The day on which the file begins that is left.
    until: String,
    /// When they went.
    at: String,
}

impl Removed {
    fn before(meta: &Meta, now: Stamp) -> Self {
        Self {
            last_input: meta.first_input - 1,
            last_seq: meta.first_seq - 1,
            chain: chain::to_hex(&meta.chain),
            until: meta.day.clone(),
            at: now.rfc3339(),
        }
    }

    /// The note stands before the files go: who is killed in between leaves files that the next time takes.
    fn note(&self, dir: &Path) -> Result<(), JournalError> {
        let path = dir.join(NOTE);
        let written = || {
            let mut file = tempfile::NamedTempFile::new_in(dir)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.as_file().sync_all()?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        };
        written().map_err(|source| JournalError::Io { path: path.clone(), source })
    }

    /// What is not there before the first file, as `meta` has it, in words; `None` if that is not known.
    pub(super) fn told(dir: &Path, meta: &Meta) -> Option<String> {
        let text = std::fs::read(dir.join(NOTE)).ok()?;
        let removed: Self = serde_json::from_slice(&text).ok()?;
        let is_it = removed.last_input + 1 == meta.first_input && removed.chain == chain::to_hex(&meta.chain);
        is_it.then(|| {
            let Self { last_input, last_seq, until, at, .. } = removed;
            format!(
                "inputs 1 to {last_input} and events 1 to {last_seq}, from before {until}, were removed on {at}, as [journal] retention has it"
            )
        })
    }
}
