//! Rulings on games that are closed: the board may be on its third game since, or be gone.

use std::path::PathBuf;

use tokio::time::timeout;

use super::games::{Games, has_begun};
use super::{PATIENCE, SecretaryError};
use crate::feed::view::{GameView, HallView};
use crate::hall::{Hall, RuleError};
use crate::journal::{InputKind, Look, Submission, SubmitError};
use adoube_core::afterwards::Afterwards;
use adoube_core::event::Numbered;
use adoube_core::pairings::Pairing;
use adoube_core::rounds::{Book, RoundsError};
use adoube_core::ruling::{Reference, Ruled, Ruling};
use adoube_core::station::{Open, OpenPairing};

impl Hall {
    /// The game of that name, and the board at which it is or was played: `5-12` is the last game of that pairing,
    /// whatever it was called when it began.
    #[must_use]
    pub fn game_at(&self, name: &str) -> Option<(String, String)> {
        let found = |game: &GameView| (game.game.clone(), game.board.clone());
        self.desk.with_view(|view| by_pairing(view, name).or_else(|| view.game(name)).map(found))
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
            told.remove(board);
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

    /// Carries out a ruling on a game that has not begun and of which no board knows: it can be given its result, and
    /// postponed.
    ///
    /// # Errors
    /// [`SecretaryError`] if it is another ruling, or it is so already.
    pub async fn rule_unplayed(&self, game: &str, ruled: &Ruled) -> Result<(), SecretaryError> {
        if let Some(done) = self.rule_when(game, ruled).await {
            return done;
        }
        let value = match &ruled.ruling {
            Ruling::Result { value, .. } | Ruling::ChangeResult { value } => value.name(),
            _ => {
                let refused =
                    format!("{game} has not begun: nothing but its result and its postponement can be ruled");
                return Err(RoundsError::Refused(refused).into());
            }
        };
        self.change(ruled.by.as_deref(), |book| Ok(book.set_result(game, value)?)).await
    }

    /// Postpones a game that has not begun, or has one that was postponed played after all: as soon as its board is free,
    /// if its round is open. `None` if something else is ruled.
    pub async fn rule_when(&self, game: &str, ruled: &Ruled) -> Option<Result<(), SecretaryError>> {
        let book = self.secretary.book();
        let pairing = self.pairing_of(&book, game);
        let until = match &ruled.ruling {
            Ruling::PostponeGame { until } => Some(until.as_deref().unwrap_or_default()),
            Ruling::ResumeGame {} if pairing.is_some_and(|pairing| pairing.postponed.is_some()) => None,
            _ => return None,
        };
        let Some(pairing) = pairing else {
            return Some(Err(RoundsError::Refused(format!("{game} is no game of a round")).into()));
        };
        // Of one that is annulled nothing counts; one whose clock runs has begun.
        let is_begun = self.desk.with_view(|view| {
            let begun = |game: &&GameView| (has_begun(game) || game.started) && !game.annulled;
            Games::of(view).find(pairing).iter().any(begun)
        });
        if is_begun {
            let begun = format!("{game} has begun; \"adjourn\" interrupts it");
            return Some(Err(RoundsError::Refused(begun).into()));
        }
        let game = pairing.game();
        Some(self.change(ruled.by.as_deref(), |book| Ok(book.postpone(&game, until)?)).await)
    }

    /// The pairing of a game, or of that name.
    fn pairing_of<'a>(&self, book: &'a Book, game: &str) -> Option<&'a Pairing> {
        let known = self.desk.with_view(|view| view.game(game).map(|game| (game.round, game.number)));
        let is_it = |pairing: &&Pairing| known == Some((Some(pairing.round), pairing.number));
        book.pairings.find(game).or_else(|| book.pairings.iter().find(is_it))
    }

    /// The game of the round that waits or is played at a board.
    pub(super) fn game_on(&self, board: &str) -> Option<String> {
        self.desk.with_view(|view| view.board(board)?.game.clone())
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

/// The last game of the pairing `ROUND-NUMBER`.
fn by_pairing<'a>(view: &'a HallView, name: &str) -> Option<&'a GameView> {
    let (round, number) = name.split_once('-')?;
    let (round, number) = (round.parse().ok()?, number.parse().ok()?);
    let of_pairing = || view.games().filter(|game| (game.round, game.number) == (Some(round), number));
    of_pairing().filter(|game| has_begun(game) && !game.annulled).last().or_else(|| of_pairing().last())
}
