//! Rulings on games that are closed: the board may be on its third game since, or be gone.

use std::path::PathBuf;

use tokio::time::timeout;

use super::PATIENCE;
use super::games::Games;
use crate::feed::view::{GameView, HallView};
use crate::hall::{Hall, RuleError};
use crate::journal::{InputKind, Look, Submission, SubmitError};
use adoube_core::afterwards::Afterwards;
use adoube_core::event::Numbered;
use adoube_core::ruling::{Reference, Ruled, Ruling};
use adoube_core::station::{Open, OpenPairing};

impl Hall {
    /// The game of that name, and the board at which it is or was played: `5-12` is the last game of that pairing,
    /// whatever it was called when it began.
    #[must_use]
    pub fn game_at(&self, name: &str) -> Option<(String, String)> {
        let found = |game: &GameView| (game.game.clone(), game.board.clone());
        self.desk.with_view(|view| view.of_pairing(name).or_else(|| view.game(name)).map(found))
    }

    /// Are they games of the same pairing, or the same one?
    #[must_use]
    pub fn are_of_one_pairing(&self, one: &str, other: &str) -> bool {
        let place =
            |view: &HallView, game: &str| view.game(game).and_then(|game| Some((game.round?, game.number)));
        one == other
            || self.desk.with_view(|view| {
                let (one, other) = (place(view, one), place(view, other));
                one.is_some() && one == other
            })
    }

    /// Carries out a ruling on a game that is closed; `None` if the game is its board's still.
    pub async fn rule_afterwards(
        &self,
        game: &str,
        board: &str,
        ruled: &Ruled,
    ) -> Option<Result<(), RuleError>> {
        let is_closed = self.desk.with_view(|view| view.game(game).is_some_and(|game| game.closed));
        if !is_closed {
            return None;
        }
        // One at a time: each goes on from what the one before it came to.
        let mut told = self.secretary.told.lock().await;
        if !matches!(timeout(PATIENCE, self.journal.settled()).await, Ok(Ok(true))) {
            return Some(Err(SubmitError::Full.into()));
        }
        let said = match said_of(self.folder.clone(), game.to_owned()).await {
            Ok(said) => said,
            Err(error) => return Some(Err(error)),
        };
        let profile = self.opened(board).map_or_else(|| Open::default().profile, |open| open.profile.clone());
        let afterwards = match Afterwards::new(ruled.clone(), game, &profile, &said)? {
            Ok(afterwards) => afterwards,
            Err(refused) => return Some(Err(refused.into())),
        };
        let entered = self.enter(board, &afterwards).await;
        if let (Some(is_annulled), Ok(()) | Err(RuleError::NotOnDisk)) = (afterwards.annuls(), &entered) {
            if is_annulled {
                self.plays_again(board, game).await;
            }
            told.forget(board);
        }
        Some(entered)
    }

    /// The last game of a board does not count: that it was over the board forgets when it is told who plays there.
    async fn plays_again(&self, board: &str, game: &str) {
        let book = self.secretary.book();
        let seat = self.desk.with_view(|view| {
            let known = view.game(game)?;
            let seat = Games::of(view).seats(&book).remove(board)?;
            ((Some(seat.round), seat.number) == (known.round, known.number)).then_some(seat)
        });
        if let Some((handle, seat)) = self.board(board).zip(seat)
            && let Err(error) = handle.pair(Some(OpenPairing { is_over: true, ..seat })).await
        {
            tracing::debug!(%board, "{error}");
        }
    }

    /// The closed game on which a ruling was made that is to be undone.
    pub async fn ruled_on(&self, ruled: &Ruled) -> Option<String> {
        let Ruling::Undo { ruling: Reference::Number(seq) } = ruled.ruling else { return None };
        let folder = self.folder.clone();
        let look = tokio::task::spawn_blocking(move || Look::open(&folder).event(seq)?.game);
        look.await.ok().flatten()
    }

    async fn enter(&self, board: &str, afterwards: &Afterwards) -> Result<(), RuleError> {
        let stamp = self.now();
        let data = serde_json::to_vec(afterwards).expect("texts and numbers can be written as JSON");
        let events = afterwards.events(stamp);
        self.journal
            .submit(Submission { board: board.into(), stamp, kind: InputKind::Game, data, events })
            .await?;
        match timeout(PATIENCE, self.journal.settled()).await {
            Ok(Ok(true)) => Ok(()),
            _ => Err(RuleError::NotOnDisk),
        }
    }
}

/// All that was said of a game, on whatever board it was played, out of the journal in `folder`.
///
/// # Errors
/// [`RuleError::Closed`] if the daemon is being stopped.
pub(in crate::hall) async fn said_of(folder: PathBuf, game: String) -> Result<Vec<Numbered>, RuleError> {
    let look = tokio::task::spawn_blocking(move || {
        let look = Look::open(&folder);
        let events = look.of_game(&game).into_iter().filter_map(|seq| look.told(seq));
        // What another version wrote and this one cannot read decides nothing.
        events.filter_map(|stored| stored.numbered().ok()).collect()
    });
    look.await.map_err(|_| RuleError::Closed)
}
