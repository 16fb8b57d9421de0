//! Is the daemon alive, and is it fit to be asked?
//!
//! A heartbeat goes through the runtime, the journal's thread and the thread that shows what is committed, and
//! only when it has come back is the service manager told that we live: a timer that pings by itself would
//! prove nothing (reliability, rule 9). A board has no part in it: a dead one must not end the others' games.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use serde_json::Map;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::Hall;
use super::manager;
use crate::feed::hub::JOURNAL;
use crate::journal::{JournalHandle, JournalState};

/// Between two heartbeats, or half of what the manager waits for, if that is less.
const BEAT: Duration = Duration::from_secs(5);

/// Without a heartbeat for so long we do not count as alive: the manager would end us then, too.
const ALIVE: Duration = Duration::from_secs(10);

/// What is known of the daemon's own health.
#[derive(Debug)]
pub(crate) struct Health {
    beaten: Mutex<Instant>,
    is_started: AtomicBool,
    is_stopping: AtomicBool,
}

impl Health {
    pub(crate) fn new() -> Self {
        // The first heartbeat has as long as any other.
        Self {
            beaten: Mutex::new(Instant::now()),
            is_started: AtomicBool::new(false),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// A heartbeat came through.
    pub(crate) fn beat(&self) {
        *self.beaten.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long no heartbeat has come through.
    pub(super) fn silence(&self) -> Duration {
        self.beaten.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Does the daemon live?
    pub(super) fn is_alive(&self) -> bool {
        self.silence() < ALIVE
    }

    /// Journal, pages and boards are there.
    pub(crate) fn started(&self) {
        self.is_started.store(true, Ordering::Release);
    }

    /// From now on it is on its way out.
    pub(crate) fn stopping(&self) {
        self.is_stopping.store(true, Ordering::Release);
    }

    /// Why the daemon is not fit to be asked; `None` if it is.
    pub(super) fn unfit(&self, journal: &JournalState) -> Option<Unfit> {
        if self.is_stopping.load(Ordering::Acquire) {
            return Some(Unfit::Stopping);
        }
        if !self.is_started.load(Ordering::Acquire) {
            return Some(Unfit::Starting);
        }
        if !self.is_alive() {
            return Some(Unfit::Stuck { silent_s: self.silence().as_secs() });
        }
        match journal {
            JournalState::Ok => None,
            JournalState::Degraded { reason, .. } => Some(Unfit::Degraded { reason: reason.clone() }),
        }
    }
}

/// Why a daemon is not fit to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It is not there yet.
    Starting,
    /// It is on its way out.
    Stopping,
    /// Journal or pages hang.
    Stuck {
        /// For so long, seconds.
        silent_s: u64,
    },
    /// The journal cannot be written: the games go on in memory.
    Degraded {
        /// What the disk said.
        reason: String,
    },
}

impl Hall {
    /// A heartbeat came through.
    fn beat(&self) {
        self.health.beat();
        self.metrics.beat();
    }

    /// Does a heartbeat still go through runtime, journal and what shows it?
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.health.is_alive()
    }

    /// Why nobody should ask us now; `None` if we are fit to be asked.
    #[must_use]
    pub fn unfit(&self) -> Option<Unfit> {
        self.health.unfit(&self.journal_state())
    }

    /// How the journal is.
    pub(super) fn journal_state(&self) -> JournalState {
        self.journal.state()
    }

    /// How we stand, on one line for `systemctl status`.
    fn status_line(&self) -> String {
        let boards = self.boards_now();
        let count = |state| boards.iter().filter(|board| board.state == state).count();
        let journal =
            if self.journal_state() == JournalState::Ok { "ok" } else { "DEGRADED, games in memory only" };
        let [fresh, stale, lost, waiting] = ["fresh", "stale", "lost", "waiting"].map(count);
        let boards = boards.len();
        format!(
            "{boards} boards: {fresh} fresh, {stale} stale, {lost} lost, {waiting} waiting; journal {journal}"
        )
    }
}

/// Tells the desk how the journal is, until told to stop: what the journal says of itself comes when its disk works.
pub(crate) async fn tell_journal(
    hall: Weak<Hall>,
    journal: JournalHandle,
    mut stopped: watch::Receiver<bool>,
) {
    let mut states = journal.states();
    loop {
        tokio::select! {
            _ = stopped.wait_for(|&stop| stop) => return,
            changed = states.changed() => if changed.is_err() { return },
        }
        let is_ok = *states.borrow_and_update() == JournalState::Ok;
        let Some(hall) = hall.upgrade() else { return };
        let state = if is_ok { "ok" } else { "degraded" };
        hall.desk.tell(JOURNAL, "", Map::from_iter([("state".to_owned(), state.into())]));
    }
}

/// Sends heartbeats until told to stop, and passes them on to the service manager.
pub(crate) async fn run(hall: Weak<Hall>, journal: JournalHandle, mut stopped: watch::Receiver<bool>) {
    let wait = manager::watchdog().map_or(BEAT, |limit| BEAT.min(limit / 2));
    let mut status = String::new();
    let beats = async {
        loop {
            // Without the hall there is nothing left to live for.
            if journal.beat().await.is_err() {
                return;
            }
            let Some(hall) = hall.upgrade() else { return };
            hall.beat();
            let now = hall.status_line();
            manager::alive((now != status).then_some(&now));
            status = now;
            drop(hall);
            sleep(wait).await;
        }
    };
    tokio::select! {
        () = beats => {}
        _ = stopped.wait_for(|&stop| stop) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::stamp::Stamp;

    #[tokio::test(start_paused = true)]
    async fn who_is_silent_for_ten_seconds_is_not_alive() {
        let health = Health::new();
        health.started();
        let degraded = JournalState::Degraded { since: Stamp::default(), reason: "full".to_owned() };
        assert_eq!(health.unfit(&JournalState::Ok), None);
        assert_eq!(health.unfit(&degraded), Some(Unfit::Degraded { reason: "full".to_owned() }));
        assert!(health.is_alive(), "a failing disk is no reason to end the games");
        tokio::time::advance(Duration::from_millis(9_900)).await;
        assert!(health.is_alive());
        tokio::time::advance(Duration::from_millis(200)).await;
        assert!(!health.is_alive());
        assert_eq!(health.unfit(&JournalState::Ok), Some(Unfit::Stuck { silent_s: 10 }));
        health.beat();
        assert_eq!(health.unfit(&JournalState::Ok), None);
        health.stopping();
        assert_eq!(health.unfit(&JournalState::Ok), Some(Unfit::Stopping));
    }

    #[test]
    fn who_has_not_started_is_not_fit() {
        assert_eq!(Health::new().unfit(&JournalState::Ok), Some(Unfit::Starting));
    }
}
