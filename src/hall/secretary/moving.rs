//! A game goes on at another board: refused unless both boards can, and undone by going back.

use tokio::time::timeout;

use super::{PATIENCE, SecretaryError, said_of};
use crate::hall::Hall;
use crate::hall::board::{BoardHandle, Going, RuleError};
use adoube_core::event::finding::RecordId;
use adoube_core::event::{Numbered, Said};
use adoube_core::rounds::RoundsError;
use adoube_core::ruling::{Reference, Ruled, Ruling};

pub(super) fn refused(why: impl Into<String>) -> SecretaryError {
    RoundsError::Refused(why.into()).into()
}

impl Hall {
    /// The game that is played at `from` goes on at `to`.
    pub(super) async fn move_game(&self, from: &str, to: &str, ruled: &Ruled) -> Result<(), SecretaryError> {
        let mut told = self.secretary.told.lock().await;
        let [from, to] = [self.placed(from)?, self.placed(to)?];
        let game = self.may_move(&from, &to)?;
        let going =
            Going { game: game.clone(), to: to.clone(), ruled: ruled.clone(), folder: self.folder.clone() };
        let moved = from.goes(going).await;
        if !matches!(moved, Ok(()) | Err(RuleError::NotOnDisk)) {
            return moved.map_err(of_board);
        }
        // Both are told anew who plays there: a game that is being played has its pairing with it.
        told.forget(from.board());
        told.forget(to.board());
        moved.map_err(of_board)
    }

    pub(super) fn placed(&self, board: &str) -> Result<BoardHandle, SecretaryError> {
        let unknown = || RoundsError::Unknown(format!("no board is called \"{board}\""));
        Ok(self.board(board).ok_or_else(unknown)?)
    }

    /// The game that may go from one board to the other, as far as the boards need not be asked.
    fn may_move(&self, from: &BoardHandle, to: &BoardHandle) -> Result<String, SecretaryError> {
        let (here, there) = (from.board(), to.board());
        if here == there {
            return Err(refused(format!("the game is played at board {there} already")));
        }
        let game = self.desk.with_view(|view| {
            let game = view.game(view.board(here)?.game.as_deref()?)?;
            let is_here = game.board == here && !game.closed;
            is_here.then(|| game.game.clone())
        });
        let game = game.ok_or_else(|| refused(format!("no game is open at board {here}")))?;
        // Spectators would be shown moves before those that led to them.
        if self.delays.of_s(here) != self.delays.of_s(there)
            || from.opened_with().publish_at != to.opened_with().publish_at
        {
            return Err(refused(format!(
                "spectators see board {there} with another delay than board {here}"
            )));
        }
        let [one, other] = [from, to].map(BoardHandle::opened_with);
        if (&one.time_control, &one.profile, &one.set) != (&other.time_control, &other.profile, &other.set) {
            return Err(refused(format!("board {there} is set up for another time control, or other Laws")));
        }
        Ok(game)
    }

    /// Undoes that a game went to another board: it goes back. `None` if the ruling that is to be undone was another one.
    pub async fn undo_move(&self, ruled: &Ruled) -> Option<Result<(), SecretaryError>> {
        let Ruling::Undo { ruling: Reference::Number(seq) } = ruled.ruling else { return None };
        // Most rulings are others, and are their table's to undo.
        let game = self.ruled_on(ruled).await?;
        let _stored = timeout(PATIENCE, self.journal.settled()).await;
        let said = said_of(self.folder.clone(), game.clone()).await.ok()?;
        if !is_move(&said, seq) {
            return None;
        }
        let from = self.desk.with_view(|view| view.game(&game).map(|game| game.board.clone()))?;
        let back = said.iter().rfind(|event| *event.board != *from).map(|event| event.board.to_string());
        let is_last = is_last_move(&said, seq);
        let was_played = said.iter().any(|event| event.seq > seq && matches!(event.said, Said::MoveMade(_)));
        let Some(back) = back.filter(|_| is_last) else {
            return Some(Err(refused(format!("{game} has gone to another board since; undo that first"))));
        };
        if was_played {
            return Some(Err(refused(format!(
                "moves have been played at board {from} since; \"move-to-board\" with board {back} takes them back there"
            ))));
        }
        let ruling = Ruling::Undo { ruling: Reference::Number(RecordId(seq).in_journal().0) };
        Some(self.move_game(&from, &back, &Ruled { ruling, by: ruled.by.clone() }).await)
    }
}

/// Did the ruling with that number bring the game to another board, or back?
fn is_move(said: &[Numbered], seq: u64) -> bool {
    let ruled = said.iter().find(|event| event.seq == seq).map(|event| &event.said);
    match ruled {
        Some(Said::Ruled(ruled)) => match &ruled.ruling {
            Ruling::MoveToBoard { .. } => true,
            Ruling::Undo { ruling: Reference::Number(undone) } => *undone < seq && is_move(said, *undone),
            _ => false,
        },
        _ => false,
    }
}

/// Both boards say the ruling by which the game went; is it the last of those?
fn is_last_move(said: &[Numbered], seq: u64) -> bool {
    let moves = said.iter().filter(|event| matches!(event.said, Said::Ruled(_)) && is_move(said, event.seq));
    moves.map(|event| event.seq).rev().take(2).any(|last| last == seq)
}

pub(super) fn of_board(error: RuleError) -> SecretaryError {
    match error {
        RuleError::Refused(error) => refused(error.to_string()),
        RuleError::NotOnDisk => SecretaryError::NotOnDisk,
        RuleError::Closed => refused("the board does not answer, and nothing was changed"),
        RuleError::Journal(error) => refused(error.to_string()),
    }
}
