//! Who did what at the desk, a line each, in files that only grow and are only read.

use crate::world;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::{Role, hand_over, rfc3339};

/// The newest lines, in the state directory; older ones stand in `audit.1.jsonl` and so on.
const FILE: &str = "audit.jsonl";

/// A file becomes the next older one at so many bytes, some 40,000 lines: what an editor opens. None is ever removed:
/// who did what is asked long after the event.
const ROTATE: u64 = 8 << 20;

/// Longest detail, in characters; a ruling's text stands in the journal in full.
const DETAIL: usize = 500;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct Entry {
    /// When, RFC 3339.
    pub(crate) at: String,
    /// Who, if that is known.
    pub(crate) who: Option<String>,
    /// As what.
    pub(crate) role: Role,
    /// From where; `None`: at the machine's command line.
    #[schema(value_type = Option<String>, example = "127.0.0.1")]
    pub(crate) address: Option<IpAddr>,
    /// What was done: `login`, `logout`, `token-add`, `token-revoke`, `ruling`.
    pub(crate) action: String,
    /// `ok`, or `refused`.
    pub(crate) outcome: String,
    /// What exactly, or why not.
    pub(crate) detail: String,
}

impl Entry {
    /// A line of now.
    pub(crate) fn new(action: &str, who: Option<&str>, role: Role, address: Option<IpAddr>) -> Self {
        Self {
            at: rfc3339(world::now()),
            who: who.map(str::to_owned),
            role,
            address,
            action: action.to_owned(),
            outcome: "ok".to_owned(),
            detail: String::new(),
        }
    }

    /// The same with what exactly was done.
    pub(crate) fn detail(mut self, detail: impl ToString) -> Self {
        self.detail = detail.to_string();
        if let Some((at, _)) = self.detail.char_indices().nth(DETAIL) {
            self.detail.truncate(at);
            self.detail.push('…');
        }
        self
    }

    /// The same, refused.
    pub(crate) fn refused(mut self) -> Self {
        "refused".clone_into(&mut self.outcome);
        self
    }

    /// The same, refused for this reason.
    pub(crate) fn refused_because(mut self, reason: impl std::fmt::Display) -> Self {
        self.detail = format!("{reason}: {}", self.detail);
        self.refused()
    }
}

/// The audit log of a state directory.
#[derive(Debug)]
pub(crate) struct Audit {
    folder: PathBuf,
    /// Lines that could not be written since the last one that was.
    lost: AtomicU64,
}

impl Audit {
    /// The log that lies in `folder`; it need not exist yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), lost: AtomicU64::new(0) }
    }

    /// Writes a line. What cannot be written is in the log of the process, and the next line that can be
    /// written says how many are missing.
    pub(crate) fn write(&self, entry: &Entry) {
        let lost = self.lost.load(Ordering::Relaxed);
        let mut lines = String::new();
        if lost > 0 {
            let gap = Entry::new("audit-gap", None, Role::Spectator, None);
            lines += &line(&gap.detail(format!("{lost} lines could not be written before this one")));
        }
        lines += &line(entry);
        match self.append(&lines) {
            Ok(()) => {
                self.lost.fetch_sub(lost, Ordering::Relaxed);
            }
            Err(error) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                tracing::error!(entry = %line(entry).trim_end(), "the audit log cannot be written: {error}");
            }
        }
    }

    /// The newest lines, newest first; lines that are none are passed over.
    pub(crate) fn newest(&self, limit: usize) -> Vec<Entry> {
        let mut found = Vec::new();
        for number in 0..=self.older() {
            // What is not there yet has no lines.
            let text = fs::read(self.path(number)).unwrap_or_default();
            let lines = text.rsplit(|&byte| byte == b'\n');
            let entries = lines.filter_map(|line| serde_json::from_slice(line).ok());
            found.extend(entries.take(limit - found.len()));
            if found.len() == limit {
                break;
            }
        }
        found
    }

    /// How many older files there are.
    fn older(&self) -> u32 {
        (1..).take_while(|&number| self.path(number).exists()).count() as u32
    }

    fn path(&self, number: u32) -> PathBuf {
        match number {
            0 => self.folder.join(FILE),
            number => self.folder.join(format!("audit.{number}.jsonl")),
        }
    }

    /// Appends lines in one write; the file is opened anew each time, since the command line writes it, too.
    fn append(&self, lines: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let open = || OpenOptions::new().create(true).append(true).mode(0o600).open(self.path(0));
        let mut file = open()?;
        hand_over(&file, &self.folder)?;
        file.lock()?;
        if fs::metadata(self.path(0))?.len() >= ROTATE {
            for number in (0..=self.older()).rev() {
                fs::rename(self.path(number), self.path(number + 1))?;
            }
            file = open()?;
            hand_over(&file, &self.folder)?;
        }
        // A line that breaks off, on a full disk, must not swallow the next one.
        let before = file.metadata()?.len();
        file.write_all(lines.as_bytes()).inspect_err(|_| {
            let _cut = file.set_len(before);
        })
    }
}

fn line(entry: &Entry) -> String {
    // Texts and names: nothing that JSON does not have.
    serde_json::to_string(entry).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(detail: &str) -> Entry {
        Entry::new("ruling", Some("Ann"), Role::Arbiter, None).detail(detail)
    }

    #[test]
    fn the_newest_line_comes_first_over_all_files() {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::new(&folder.path().join("state"));
        assert_eq!(audit.newest(10), []);
        audit.write(&entry("1"));
        let padding = "\n".repeat(usize::try_from(ROTATE).unwrap());
        let mut first = fs::read_to_string(audit.path(0)).unwrap();
        first += &padding;
        fs::write(audit.path(0), first).unwrap();
        audit.write(&entry("2"));
        audit.write(&entry("3").refused());
        assert!(audit.path(1).exists());
        let details = |limit| audit.newest(limit).into_iter().map(|entry| entry.detail).collect::<Vec<_>>();
        assert_eq!(details(10), ["3", "2", "1"]);
        assert_eq!(details(2), ["3", "2"]);
        assert_eq!(audit.newest(1)[0].outcome, "refused");
    }

    #[test]
    fn no_file_is_ever_removed_and_long_details_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::new(folder.path());
        let full = "\n".repeat(usize::try_from(ROTATE).unwrap());
        for number in 0..8 {
            fs::write(audit.path(0), format!("{}{full}", line(&entry(&number.to_string())))).unwrap();
            audit.write(&entry(&"ü".repeat(2 * DETAIL)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 9);
        assert_eq!(audit.newest(100).last().unwrap().detail, "0", "the first line of all");
        assert_eq!(audit.newest(1)[0].detail.chars().count(), DETAIL + 1);
    }

    #[test]
    fn what_could_not_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::new(&folder.path().join("state"));
        // A file stands where the folder should be.
        fs::write(folder.path().join("state"), "").unwrap();
        audit.write(&entry("1"));
        audit.write(&entry("2"));
        fs::remove_file(folder.path().join("state")).unwrap();
        audit.write(&entry("3"));
        audit.write(&entry("4"));
        let newest = audit.newest(10);
        assert_eq!(newest.len(), 3);
        assert_eq!(newest[2].action, "audit-gap");
        assert!(newest[2].detail.starts_with("2 lines"), "{newest:?}");
    }
}
