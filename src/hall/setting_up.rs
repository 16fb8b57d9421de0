//! The first day: whether there is a configuration, and the daemon that begins anew once one was written.

use std::path::{Path, PathBuf};

use tokio::sync::{Mutex, MutexGuard, watch};

use super::fleet::Entered;
use super::{FleetError, Hall};

/// Whoever writes the first configuration, and who waits for it.
#[derive(Debug)]
pub(crate) struct SettingUp {
    writing: Mutex<()>,
    /// The secret of the one-time link of the daemon that begins with what was written; `None` as long as nothing was.
    link: watch::Sender<Option<String>>,
}

/// Somebody is about to write the configuration, and nobody else is.
#[derive(Debug)]
pub(crate) struct Writing<'a> {
    hall: &'a Hall,
    /// The boards that were entered at the desk before.
    entered: Entered,
    _alone: MutexGuard<'a, ()>,
}

impl Default for SettingUp {
    fn default() -> Self {
        Self { writing: Mutex::default(), link: watch::Sender::new(None) }
    }
}

impl Writing<'_> {
    /// What was entered at the desk will be in the file: with both the daemon would not start.
    ///
    /// # Errors
    /// [`FleetError`]; it is as it was.
    pub(crate) async fn forget_entered(&mut self) -> Result<(), FleetError> {
        self.entered = self.hall.enter_instead(Entered::default()).await?;
        Ok(())
    }

    /// There is no file: what was entered holds again.
    pub(crate) async fn give_up(self) {
        if let Err(error) = self.hall.enter_instead(self.entered).await {
            tracing::error!("the boards that were entered at the desk are forgotten: {error}");
        }
    }

    /// It is written: the daemon begins anew, without the boards that leave, and with a one-time link of that secret.
    pub(crate) async fn begin_anew(self, leaving: &[String], link: String) {
        self.hall.leave_boards(leaving).await;
        self.hall.setting_up.link.send_replace(Some(link));
    }
}

impl Hall {
    /// Waits until nobody else writes the configuration.
    pub(crate) async fn setting_up(&self) -> Writing<'_> {
        Writing { _alone: self.setting_up.writing.lock().await, hall: self, entered: Entered::default() }
    }

    /// Why one of these boards cannot leave: a game is being played there.
    pub(crate) fn stays(&self, boards: &[String]) -> Option<FleetError> {
        boards.iter().find_map(|board| self.check_not_played(board).err())
    }

    /// Where the configuration is still to be written; `None`: there is one, or nobody would read it.
    pub(crate) async fn unwritten(&self) -> Option<PathBuf> {
        let is_written = self.setting_up.link.borrow().is_some();
        let plan = self.plan.lock().await;
        plan.source().unwritten().filter(|_| !is_written).map(Path::to_owned)
    }

    /// Waits until a configuration was written; gives the secret of the one-time link to begin anew with.
    pub async fn has_set_up(&self) -> String {
        let mut link = self.setting_up.link.subscribe();
        loop {
            if let Some(secret) = link.borrow_and_update().clone() {
                return secret;
            }
            if link.changed().await.is_err() {
                // The sender is the hall's own.
                std::future::pending::<()>().await;
            }
        }
    }
}
