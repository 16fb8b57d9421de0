//! A game goes from one board to another, or two boards exchange theirs: this board asks the other first, and does its
//! own part when that has done its.

use tokio::time::timeout;

use super::handle::{Elsewhere, Exchanging, Going};
use super::{BoardTask, RuleError};
use crate::hall::secretary::said_of;
use crate::journal::{JournalHandle, PATIENCE, SubmitError};
use adoube_core::event::Numbered;
use adoube_core::ruling::RulingError;
use adoube_core::station::{Input, Moved};
use std::path::PathBuf;

impl BoardTask {
    /// The game goes on at another board. Nothing is read meanwhile: what is handed over is all that there is.
    pub(super) async fn goes(&mut self, Going { game, to, ruled, folder }: Going) -> Result<(), RuleError> {
        let name = ruled.ruling.name();
        let said = all_said(&self.journal.clone(), game, folder).await?;
        let handed =
            self.station.hand_over(&said).map_err(|reason| RulingError::Inapplicable { name, reason })?;
        // A place first: from then on nothing can keep this board from letting go.
        self.has_room().await?;
        let comes = Moved { ruled: ruled.clone(), game: Some(Box::new(handed)), exchange: None };
        to.comes(comes).await?;
        self.rule(Input::Moved(Box::new(Moved { ruled, game: None, exchange: None }))).await
    }

    /// The game is another pairing's; the board `elsewhere` does its part first. Another board that asks may have given up
    /// meanwhile.
    pub(super) async fn exchanges(
        &mut self,
        Exchanging { game, ruled, to, folder, owed }: Exchanging,
        elsewhere: Option<Elsewhere>,
        has_given_up: impl Fn() -> bool,
    ) -> Result<(), RuleError> {
        let name = ruled.ruling.name();
        let said = all_said(&self.journal.clone(), game, folder).await?;
        let exchange = self.station.exchange(&said, ruled, to);
        let mut own = exchange.map_err(|reason| RulingError::Inapplicable { name, reason })?;
        self.has_room().await?;
        match elsewhere {
            Some(Elsewhere::Exchanges(handle, theirs)) => {
                let owed = Some((self.board.to_string(), Box::new(own.clone())));
                handle.exchanges_first(Exchanging { owed, ..*theirs }).await?;
            }
            Some(Elsewhere::Leaves(handle)) => handle.pair(None).await?,
            None if has_given_up() => return Err(RuleError::Closed),
            None => {}
        }
        if let Some(exchange) = &mut own.exchange {
            exchange.other = owed;
        }
        self.rule(Input::Moved(Box::new(own))).await
    }
}

/// All that was said of the game up to now.
async fn all_said(
    journal: &JournalHandle,
    game: String,
    folder: PathBuf,
) -> Result<Vec<Numbered>, RuleError> {
    match timeout(PATIENCE, journal.settled()).await {
        Ok(Ok(true)) => said_of(folder, game).await,
        _ => Err(SubmitError::Full.into()),
    }
}
