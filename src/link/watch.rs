//! Ports come and go: says when it is worth looking again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::discover::is_port;

/// From the kernel's first word to the look: by then udev has given the node its names and its group.
const SETTLE: Duration = Duration::from_millis(150);

/// Without a word there is a look so often: where the system cannot watch, and for what it cannot tell.
const POLL: Duration = Duration::from_secs(3);

/// Where udev puts the names that stay with the sockets.
const BY_PATH: [&str; 2] = ["serial", "serial/by-path"];

/// Watches a folder of devices.
#[derive(Debug)]
pub struct Watch {
    dev: PathBuf,
    changed: Arc<Notify>,
    /// `None` where the system cannot watch.
    watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Watches `dev` from now on.
    #[must_use]
    pub fn new(dev: &Path) -> Self {
        let changed = Arc::<Notify>::default();
        let bell = Arc::clone(&changed);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // What the watcher could not tell is worth a look, too.
            if event.is_ok_and(|event| !matters(&event)) {
                return;
            }
            bell.notify_one();
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(dev, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        let watcher = match watcher {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                tracing::warn!(%error, "{}: cannot be watched; looked at every {} s", dev.display(), POLL.as_secs());
                None
            }
        };
        let mut watch = Self { dev: dev.to_owned(), changed, watcher };
        watch.follow();
        watch
    }

    /// The folders of names come with the first port and go with the last one.
    fn follow(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for folder in BY_PATH {
            // One that is not there is looked for again; one that is watched already stays so.
            let _missing = watcher.watch(&self.dev.join(folder), RecursiveMode::NonRecursive);
        }
    }

    /// Waits until it is worth looking at the ports again.
    pub async fn changed(&mut self) {
        if timeout(POLL, self.changed.notified()).await.is_ok() {
            // A hub brings many at once: what comes until then is the same look.
            sleep(SETTLE).await;
        }
        self.follow();
    }
}

/// Did a port or a name of one come, go or change hands? Opening and writing is everybody's business.
fn matters(event: &Event) -> bool {
    if event.need_rescan() {
        return true;
    }
    let is_change = match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Data(_)),
        _ => false,
    };
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        is_port(name)
            || path.parent().is_some_and(|folder| folder.ends_with("serial/by-path"))
            || name == "serial"
            || name == "by-path"
    };
    is_change && event.paths.iter().any(is_ours)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use notify::event::Flag;
    use tokio::time::Instant;

    use super::*;

    /// Far less than between two looks without a word.
    const SOON: Duration = Duration::from_millis(1_500);

    async fn is_told(watch: &mut Watch) -> bool {
        timeout(SOON, watch.changed()).await.is_ok()
    }

    #[tokio::test]
    async fn ports_and_their_names_are_told_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let dev = root.path();
        let mut watch = Watch::new(dev);
        fs::write(dev.join("null"), "x").unwrap();
        assert!(!is_told(&mut watch).await, "not a port");
        fs::write(dev.join("ttyACM0"), "").unwrap();
        assert!(is_told(&mut watch).await, "a port came");
        // As udev does it: the folder comes with the first name, and its first name may come before it is watched.
        fs::create_dir_all(dev.join("serial/by-path")).unwrap();
        assert!(is_told(&mut watch).await, "the folder of names came");
        let _more = is_told(&mut watch).await;
        std::os::unix::fs::symlink(dev.join("ttyACM0"), dev.join("serial/by-path/port-1")).unwrap();
        assert!(is_told(&mut watch).await, "a name came");
        fs::remove_file(dev.join("serial/by-path/port-1")).unwrap();
        assert!(is_told(&mut watch).await, "a name went");
        fs::remove_file(dev.join("ttyACM0")).unwrap();
        assert!(is_told(&mut watch).await, "a port went");
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_watched_is_looked_at_now_and_then() {
        let mut watch = Watch::new(Path::new("/nowhere/at/all"));
        tokio::time::pause();
        let before = Instant::now();
        watch.changed().await;
        assert!(before.elapsed() >= POLL && before.elapsed() < POLL * 2);
    }

    #[test]
    fn an_overflow_means_to_look_again() {
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(matters(&lost));
        assert!(!matters(&Event::new(EventKind::Other)));
    }
}
