//! Has the journal's old files removed, as `[journal] retention` says, and tells the log what went and what had to stay.

use std::path::PathBuf;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::Hall;
use crate::journal::{Retention, prune};
use adoube_rules::stamp::Stamp;

/// Files are closed once a day, or every 2 GiB: nobody waits for an hour of disk.
const AGAIN: Duration = Duration::from_secs(3_600);

/// A file that is just being begun cannot be read: looked at so often before it is said, and so long apart.
const TRIES: u32 = 3;
const SOON: Duration = Duration::from_secs(5);

/// Looks at once and every hour, until told to stop.
pub(crate) async fn run(hall: Weak<Hall>, retention: Retention, mut stopped: watch::Receiver<bool>) {
    let rounds = async {
        // What keeps a file is said once, not every hour.
        let mut kept: Option<PathBuf> = None;
        while let Some(hall) = hall.upgrade() {
            let (folder, now) = (hall.folder.clone(), hall.clock.now());
            drop(hall);
            kept = look(folder, retention, now, kept).await;
            sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = rounds => {}
        _ = stopped.wait_for(|&stop| stop) => {}
    }
}

/// Gives the file that had to stay.
async fn look(folder: PathBuf, retention: Retention, now: Stamp, kept: Option<PathBuf>) -> Option<PathBuf> {
    let mut tries = 0;
    let pruned = loop {
        let folder = folder.clone();
        let pruned = tokio::task::spawn_blocking(move || prune(&folder, retention, now)).await.ok()?;
        tries += 1;
        if pruned.is_ok() || tries == TRIES {
            break pruned;
        }
        sleep(SOON).await;
    };
    match pruned {
        Ok(pruned) => {
            for file in &pruned.files {
                tracing::info!(path = %file.display(), %retention, "a file of the journal was removed");
            }
            if let Some((file, game)) = pruned.needed.filter(|(file, _)| kept.as_ref() != Some(file)) {
                tracing::warn!(path = %file.display(), game, %retention, "a file of the journal stays: a game needs it that is not closed, or whose round is not");
                return Some(file);
            }
            kept
        }
        Err(error) => {
            tracing::error!(%error, %retention, "the journal's old files stay");
            kept
        }
    }
}
