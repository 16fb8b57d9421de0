//! The last numbers used while nothing could be written, kept where a failing disk does not reach.
//!
//! The next start reads it: a number that was said is never said again for something else, and a
//! file that failed is not written again, not even after a restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What is noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// Epoch of the numbers.
    pub(super) epoch: String,
    /// The last `seq` used.
    pub(super) seq: u64,
    /// The last public number used.
    pub(super) public: u64,
    /// The first `seq` that can never be stored, because there was no room to hold its event.
    pub(super) first_lost: Option<u64>,
}

impl Note {
    /// Writes the note to each of `paths`; one that works is enough.
    pub(super) fn write(&self, paths: &[PathBuf]) {
        let text = serde_json::to_string(self).unwrap_or_default();
        let written = paths.iter().filter(|path| replace(path, &text).is_ok()).count();
        if written == 0 {
            tracing::error!("cannot note the last number used anywhere: a restart now may use numbers twice");
        }
    }

    /// The latest note at `paths`. A note that cannot be read counts as one with no numbers: it
    /// still tells that a file failed.
    pub(super) fn read(paths: &[PathBuf]) -> Option<Self> {
        let unreadable = || Self { epoch: String::new(), seq: 0, public: 0, first_lost: None };
        let texts = paths.iter().filter_map(|path| fs::read(path).ok());
        texts
            .map(|text| serde_json::from_slice(&text).unwrap_or_else(|_| unreadable()))
            .max_by_key(|note| note.seq)
    }

    /// Removes the notes: everything said is on disk, or its loss is.
    pub(super) fn remove(paths: &[PathBuf]) {
        for path in paths {
            // One that was never written cannot be removed either.
            drop(fs::remove_file(path));
        }
    }
}

/// Puts `text` in the place of the note: whoever is killed meanwhile leaves the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let replaced = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    if replaced.is_err() {
        // What a full disk took of it helps nobody.
        drop(fs::remove_file(&new));
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_note_counts() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("a"), dir.path().join("missing/b"), dir.path().join("c")];
        assert_eq!(Note::read(&paths), None);
        let note = |seq| Note { epoch: "e".into(), seq, public: 1, first_lost: None };
        note(5).write(&paths[..1]);
        note(9).write(&paths[2..]);
        assert_eq!(Note::read(&paths), Some(note(9)));
        let names = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(names, 2, "nothing half-written lies about");
        fs::write(&paths[2], "{\"epo").unwrap();
        assert_eq!(Note::read(&paths), Some(note(5)));
        Note::remove(&paths);
        assert_eq!(Note::read(&paths), None);
    }
}
