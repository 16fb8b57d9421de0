//! The games of each round as PGN files, replaced as a whole so that nobody reads half of one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::feed::hub::PublicHub;
use crate::feed::sheets::{ALL_GAMES, PublishAt, Sheets};
use crate::feed::status::Status;
use crate::feed::unseen::RecoveredAtFeeds;

/// Its name on the desk.
const NAME: &str = "pgn";

/// Readers poll every few seconds; a game changes less often.
const PAUSE: Duration = Duration::from_secs(1);

/// A disk that was full is tried again after so long.
const AGAIN: Duration = Duration::from_secs(5);

/// Where the files are written, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnFiles {
    /// The folder in which the rounds' folders are.
    pub folder: PathBuf,
    /// Has each game a file of its own, too?
    pub per_game: bool,
    /// When plies are in them that nobody saw.
    pub recovered: RecoveredAtFeeds,
    /// Which moves are in them.
    pub publish_at: PublishAt,
}

/// Begins to write the files; gives how that stands.
pub(crate) fn start(
    files: PgnFiles,
    hub: Arc<PublicHub>,
    sheets: Sheets,
    stop: watch::Receiver<bool>,
) -> (Arc<Status>, impl Future<Output = ()>) {
    let status = Arc::new(Status::new(NAME, files.folder.display().to_string()));
    let writer = Writer { files, sheets, written: BTreeMap::new(), status: Arc::clone(&status) };
    (status, run(writer, hub, stop))
}

/// Writes whenever public games changed, until told to stop.
async fn run(mut writer: Writer, hub: Arc<PublicHub>, mut stop: watch::Receiver<bool>) {
    let (_, mut changes) = hub.subscribe(None);
    let mut due = BTreeSet::new();
    let mut is_first = true;
    loop {
        let is_last = *stop.borrow();
        if is_last {
            writer.sheets.release();
        }
        due.extend(writer.sheets.update(&hub));
        let folders = std::mem::take(&mut due);
        // A disk may be slow, and the boards do not wait for it.
        let done = tokio::task::spawn_blocking(move || {
            if is_first {
                writer.forget_old();
            }
            let failed = writer.write(folders);
            (writer, failed)
        });
        let Ok(back) = done.await else { return };
        (writer, due) = back;
        is_first = false;
        if is_last {
            return;
        }
        let again = sleep(if due.is_empty() { writer.sheets.next_look() } else { AGAIN });
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => continue,
            // Falling behind is no loss here: the files are made from what stands.
            _ = changes.recv() => {}
            () = again => {}
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => {}
            () = sleep(PAUSE) => {}
        }
        while changes.try_recv().is_ok() {}
    }
}

struct Writer {
    files: PgnFiles,
    sheets: Sheets,
    /// What the files hold, by their paths, folder by folder.
    written: BTreeMap<String, BTreeMap<String, String>>,
    status: Arc<Status>,
}

impl Writer {
    /// Brings the files of these folders up to date; gives the folders in which something failed.
    fn write(&mut self, folders: BTreeSet<String>) -> BTreeSet<String> {
        let mut failed = BTreeSet::new();
        for folder in folders {
            let path = self.files.folder.join(&folder);
            if let Err(error) = self.write_folder(&folder, &path) {
                let reason = format!("{}: {error}", path.display());
                if self.status.now().last_error.as_ref() != Some(&reason) || self.status.now().state == "ok" {
                    tracing::warn!(feed = NAME, reason, "not written; it is tried again");
                }
                self.status.failed(reason);
                failed.insert(folder);
            }
        }
        self.status.set_queued(failed.len() as u64);
        if failed.is_empty() {
            self.status.well();
        }
        failed
    }

    fn write_folder(&mut self, folder: &str, path: &Path) -> io::Result<()> {
        let mut files = self.sheets.files(folder);
        if !self.files.per_game {
            files.retain(|name, _| name == ALL_GAMES);
        }
        let written = self.written.entry(folder.to_owned()).or_default();
        if !files.is_empty() {
            make_folder(path)?;
        }
        for (name, text) in files.iter() {
            if written.get(name) != Some(text) {
                replace(path, name, text)?;
                written.insert(name.clone(), text.clone());
                self.status.did();
            }
        }
        // Nobody shall read a game that is elsewhere now.
        let stale: Vec<String> = written.keys().filter(|name| !files.contains_key(*name)).cloned().collect();
        for name in stale {
            remove(&path.join(&name))?;
            written.remove(&name);
        }
        Ok(())
    }

    /// Takes away what an earlier start left and what no longer is: files with our games, in places where they are
    /// not any more. Whatever else lies there is somebody else's.
    fn forget_old(&self) {
        let folders = fs::read_dir(&self.files.folder).into_iter().flatten().flatten();
        for folder in folders.filter(|entry| entry.path().is_dir()) {
            let Ok(name) = folder.file_name().into_string() else { continue };
            let mut expected = self.sheets.files(&name);
            if !self.files.per_game {
                expected.retain(|name, _| name == ALL_GAMES);
            }
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let Ok(name) = file.file_name().into_string() else { continue };
                if !name.ends_with(".pgn") || expected.contains_key(&name) {
                    continue;
                }
                let text = fs::read_to_string(file.path()).unwrap_or_default();
                if self.sheets.is_ours(&text)
                    && let Err(error) = remove(&file.path())
                {
                    tracing::warn!(file = %file.path().display(), %error, "an old file stays");
                }
            }
        }
    }
}

/// Makes a folder, if it is not there, that others may read like the files in it: whoever serves or uploads them is
/// not us.
fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path)?;
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

/// Puts `text` in the place of the file: a reader sees the old one or the new one, also after a loss of power. The
/// folder itself need not be synced: a replacement that is lost leaves the old file, and a start writes it again.
fn replace(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    // The same name each time, so that nothing is left behind; not one that a reader would take for a game's.
    let new = folder.join(format!(".{name}.new"));
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    // Whoever serves or uploads the folder has to be able to read it.
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    fs::rename(new, folder.join(name))
}

/// Removes a file; one that is gone already is removed.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
