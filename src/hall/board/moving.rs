//! A game goes from one board to another: this board asks the other first, and lets go of it when that has it.

use tokio::time::timeout;

use super::handle::Going;
use super::{BoardTask, RuleError};
use crate::hall::secretary::said_of;
use crate::journal::{PATIENCE, SubmitError};
use adoube_core::ruling::RulingError;
use adoube_core::station::{Input, Moved};

impl BoardTask {
    /// The game goes on at another board. Nothing is read meanwhile: what is handed over is all that there is.
    pub(super) async fn goes(&mut self, Going { game, to, ruled, folder }: Going) -> Result<(), RuleError> {
        let name = ruled.ruling.name();
        let is_stored = timeout(PATIENCE, self.journal.settled()).await;
        if !matches!(is_stored, Ok(Ok(true))) {
            return Err(SubmitError::Full.into());
        }
        let said = said_of(folder, game).await?;
        let handed =
            self.station.hand_over(&said).map_err(|reason| RulingError::Inapplicable { name, reason })?;
        // A place first: from then on nothing can keep this board from letting go.
        self.has_room().await?;
        to.comes(Moved { ruled: ruled.clone(), game: Some(Box::new(handed)) }).await?;
        self.rule(Input::Moved(Box::new(Moved { ruled, game: None }))).await
    }
}
