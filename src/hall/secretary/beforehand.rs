//! Rulings on games that have not begun: their results, and whether they are played in their round or later.

use super::SecretaryError;
use super::games::{Games, has_begun};
use crate::feed::view::GameView;
use crate::hall::Hall;
use adoube_core::pairings::Pairing;
use adoube_core::rounds::{Book, RoundsError};
use adoube_core::ruling::{Reference, Ruled, Ruling};

impl Hall {
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
            // No board has told of it, so that it has no number.
            Ruling::Undo { ruling: Reference::Name(name) } if name == "postpone-game" => None,
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
}
