//! The games of each round as PGN files, replaced as a whole so that nobody reads half of one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::feed::hub::{PublicHub, Start};
use crate::feed::parts::LivePgn;
use crate::feed::pgn::{self, EventTags};
use crate::feed::view::GameView;

/// Readers poll every few seconds; a game changes less often.
const PAUSE: Duration = Duration::from_secs(1);

/// What the files show.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// What the tags say about the event.
    pub(super) tags: EventTags,
    /// What there is of a game that is not one line of legal moves.
    pub(super) live: LivePgn,
}

/// Writes the files under `folder` whenever public games changed, until told to stop.
pub(super) async fn run(folder: PathBuf, hub: Arc<PublicHub>, shown: Shown, mut stop: watch::Receiver<bool>) {
    let mut written: BTreeMap<PathBuf, String> = BTreeMap::new();
    let (Start::Snapshot | Start::Resume(_), mut changes) = hub.subscribe(None);
    loop {
        let files = files(&hub, &shown);
        for (name, text) in files {
            if written.get(&name) == Some(&text) {
                continue;
            }
            match replace(&folder.join(&name), &text) {
                Ok(()) => {
                    written.insert(name, text);
                }
                Err(error) => tracing::warn!(file = %folder.join(&name).display(), %error, "not written"),
            }
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            // Falling behind is no loss here: the files are made from what stands.
            _ = changes.recv() => {}
        }
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => {}
            () = sleep(PAUSE) => {}
        }
        while changes.try_recv().is_ok() {}
    }
}

/// Each round's file and its text.
fn files(hub: &PublicHub, shown: &Shown) -> BTreeMap<PathBuf, String> {
    hub.with_view(|view| {
        let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
        for game in view.games() {
            let text = pgn::live(game, &shown.tags, shown.live);
            let round = files.entry(PathBuf::from(folder_of(game)).join("games.pgn")).or_default();
            if !round.is_empty() {
                round.push('\n');
            }
            round.push_str(&text);
        }
        files
    })
}

/// `round-5`, or the day of a game without a round: `free-20260501`.
fn folder_of(game: &GameView) -> String {
    game.round.map_or_else(
        || game.game.rsplit_once('-').map_or("free", |(day, _)| day).to_owned(),
        |round| format!("round-{round}"),
    )
}

/// Puts `text` in the place of the file, durably: a reader sees the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_data()?;
    // Whoever serves or uploads the folder has to be able to read it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode)?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}
