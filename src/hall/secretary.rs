//! The hall's secretary: keeps pairings and rounds, journals every change, and tells the boards who plays there.
//!
//! What is decided is in [`Book`]; here is what it takes to make it so. A change is on disk before anybody learns
//! of it. What a board refuses, because a game is being played there, it is told again when that game is over.

mod afterwards;
mod beforehand;
mod exchanging;
mod games;
mod looking;
mod moving;
mod publishing;
mod told;

pub(in crate::hall) use afterwards::said_of;
pub(crate) use looking::run;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, join_all, ready};
use serde::Serialize;
use tokio::time::{Instant, timeout, timeout_at};

use super::Hall;
use super::board::{BoardHandle, RuleError};
use crate::config::{PublishPairings, Rounds};
use crate::journal::{InputKind, JournalHandle, Submission};
use adoube_core::event::{Event, Publicity};
use adoube_core::pairings::{Change, Pairing, Pairings};
use adoube_core::rounds::{Book, Entered, RoundsError};
use adoube_core::ruling::{Ruled, Ruling};
use adoube_core::station::OpenPairing;
use adoube_core::table::other_game;
use adoube_rules::Family;

use games::{Games, is_playing, open_games};
use publishing::Published;
use told::Told;

/// How long who asks waits for the disk: no working one takes so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long boards are told one after the other: a thousand that work take a tenth of it, and those that hang do
/// not hold up the rest for longer.
const IN_ORDER: Duration = Duration::from_millis(500);

/// Why pairings or rounds were not changed.
#[derive(Debug, thiserror::Error)]
pub enum SecretaryError {
    /// What was asked.
    #[error(transparent)]
    Rounds(#[from] RoundsError),
    /// Nothing was changed.
    #[error("the journal takes nothing: the daemon is being stopped, or its disk does not answer")]
    Closed,
    /// It was done, and would be lost if the daemon ended now.
    #[error("it was done, but it is not on disk yet: the disk does not answer; look at the journal's state")]
    NotOnDisk,
}

/// How a round is, for pages and scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RoundStatus {
    /// Its number.
    #[schema(example = 5)]
    pub round: u32,
    /// Its day, as the pairings have it.
    #[schema(example = "2026-05-01")]
    pub date: Option<String>,
    /// `waiting`, `open` or `closed`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// How many games it has.
    pub games: usize,
    /// How many of them have a result.
    pub finished: usize,
}

/// Who keeps pairings and rounds.
#[derive(Debug)]
pub(crate) struct Secretary {
    journal: JournalHandle,
    rounds: Rounds,
    book: Mutex<Arc<Book>>,
    /// Held while something is changed: what each board was told last.
    told: tokio::sync::Mutex<Told>,
    /// When spectators learn who plays, and what they know.
    publish_pairings: PublishPairings,
    published: Mutex<Published>,
}

impl Secretary {
    /// Goes on with what the journal holds.
    pub(crate) fn new(
        journal: JournalHandle,
        rounds: Rounds,
        publish_pairings: PublishPairings,
        stored: Option<&[u8]>,
    ) -> Self {
        let book = stored.map(serde_json::from_slice::<Entered>).transpose().unwrap_or_else(|error| {
            tracing::error!("journal: the pairings cannot be read, import them again: {error}");
            None
        });
        let book = book.map(|stored| stored.book).unwrap_or_default();
        Self {
            journal,
            rounds,
            book: Mutex::new(Arc::new(book)),
            told: tokio::sync::Mutex::default(),
            publish_pairings,
            published: Mutex::default(),
        }
    }

    /// A board begins afresh, or is gone: it knows of no pairing.
    async fn forget(&self, board: &str) {
        self.told.lock().await.forget(board);
    }

    fn book(&self) -> Arc<Book> {
        Arc::clone(&self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Hall {
    /// A board begins afresh, and is told anew who plays there.
    pub(super) async fn forget_told(&self, board: &str) {
        self.secretary.forget(board).await;
    }

    /// Who plays whom, as far as it is known.
    #[must_use]
    pub fn pairings(&self) -> Pairings {
        self.secretary.book().pairings.clone()
    }

    /// What importing these would change, and which of the games could not be played at their boards then.
    #[must_use]
    pub fn preview(&self, imported: &Pairings) -> (Vec<Change>, Vec<String>) {
        let mut book = (*self.secretary.book()).clone();
        let changes = self.desk.with_view(|view| {
            let games = Games::of(view);
            book.import(imported.clone(), |pairing| games.has_begun(pairing))
        });
        (changes, self.misplaced(&book, imported.rounds.keys()))
    }

    /// Why games of these rounds, as pairings stand, cannot be played at their boards.
    #[must_use]
    pub fn misplaced_games(&self, rounds: &[u32]) -> Vec<String> {
        self.misplaced(&self.secretary.book(), rounds)
    }

    fn misplaced<'a>(&self, book: &Book, rounds: impl IntoIterator<Item = &'a u32>) -> Vec<String> {
        let in_round = |&round: &u32| {
            let boards = self.boards_of(book, round);
            boards.filter_map(|(pairing, board)| self.other_game_at(pairing, &board)).collect::<Vec<_>>()
        };
        rounds.into_iter().flat_map(in_round).collect()
    }

    /// Takes pairings over; boards of open rounds learn of it at once.
    ///
    /// # Errors
    /// [`SecretaryError`]
    pub async fn import(&self, imported: Pairings, by: Option<&str>) -> Result<Vec<Change>, SecretaryError> {
        self.change(by, |book| {
            Ok(self.desk.with_view(|view| {
                let games = Games::of(view);
                book.import(imported, |pairing| games.has_begun(pairing))
            }))
        })
        .await
    }

    /// Every round that is known, and how far it is.
    #[must_use]
    pub fn rounds(&self) -> Vec<RoundStatus> {
        let book = self.secretary.book();
        self.desk.with_view(|view| {
            let games = Games::of(view);
            let status = |round| {
                let finished =
                    |pairing: &&Pairing| pairing.result.is_some() || games.result(pairing).is_some();
                RoundStatus {
                    round,
                    date: book.pairings.dates.get(&round).cloned(),
                    state: book.state(round),
                    games: book.pairings_of(round).count(),
                    finished: book.pairings_of(round).filter(finished).count(),
                }
            };
            book.numbers().into_iter().map(status).collect()
        })
    }

    /// The round that is played: the last one that is open.
    #[must_use]
    pub fn open_round_number(&self) -> Option<u32> {
        self.secretary.book().open_rounds().next_back()
    }

    /// The round that comes next, and the games that are to be played in it, by board; `None` as long as a game of an open
    /// round waits or is played.
    #[must_use]
    pub fn next_round(&self) -> Option<(u32, BTreeMap<String, Pairing>)> {
        let book = self.secretary.book();
        let round = book.next_round()?;
        let is_on = self.desk.with_view(|view| {
            let mut open = book.open_rounds();
            open.any(|open| open_games(view, open).any(|game| game.result == "*"))
        });
        if is_on {
            return None;
        }
        let to_play = |pairing: &&Pairing| pairing.result.is_none() && pairing.postponed.is_none();
        let games = book.pairings_of(round).filter(to_play);
        Some((round, games.map(|pairing| (pairing.board_name(), pairing.clone())).collect()))
    }

    /// Opens a round: the games of its pairings open on their boards. Gives what has to be said: which of them
    /// wait for a game that is still being played there.
    ///
    /// # Errors
    /// [`SecretaryError`] if there is no such round, or it is open.
    pub async fn open_round(&self, round: u32, by: Option<&str>) -> Result<Vec<String>, SecretaryError> {
        self.change(by, |book| Ok(book.open(round)?)).await?;
        let book = self.secretary.book();
        let waiting = |(pairing, board): (&Pairing, String)| {
            let playing = self.desk.with_view(|view| {
                let game = view.board(&board).and_then(|board| view.game(board.game.as_deref()?))?;
                let is_other = game.round != Some(round);
                (is_playing(game) && is_other).then(|| game.game.clone())
            })?;
            let game = pairing.game();
            Some(format!(
                "board {board}: {playing} has no result yet; {game} opens there as soon as it has one"
            ))
        };
        let mut told = self.misplaced(&book, &[round]);
        told.extend(self.boards_of(&book, round).filter_map(waiting));
        Ok(told)
    }

    /// Why the game of a pairing is not played at a board that is there: it has other players than the board's game.
    fn other_game_at(&self, pairing: &Pairing, board: &str) -> Option<String> {
        let family = self.board(board)?.opened_with().variant.family();
        let is_other = match family {
            Family::Chess => pairing.is_of_four(),
            Family::FourPlayer => {
                !pairing.is_of_four() && pairing.players().any(|(_, player)| player.name.is_some())
            }
        };
        is_other.then(|| other_game(&pairing.game(), board, family))
    }

    /// Closes a round and its games. While one of them is played it is refused, unless `is_forced`.
    ///
    /// # Errors
    /// [`SecretaryError`] if it is not open, or a game of it has no result.
    pub async fn close_round(
        &self,
        round: u32,
        is_forced: bool,
        by: Option<&str>,
    ) -> Result<(), SecretaryError> {
        let closing = self.change(by, |book| {
            book.close(round)?;
            let unfinished: Vec<String> = self.desk.with_view(|view| {
                let playing = open_games(view, round).filter(|game| is_playing(game));
                playing.map(|game| game.game.clone()).collect()
            });
            if !unfinished.is_empty() && !is_forced {
                let games = unfinished.join(", ");
                return Err(RoundsError::Refused(format!(
                    "round {round}: no result yet in {games}; enter the results first, or force it, which closes \
                     those games without one"
                ))
                .into());
            }
            Ok(())
        });
        let closed = closing.await;
        // A slow disk keeps no round open.
        if !matches!(closed, Ok(()) | Err(SecretaryError::NotOnDisk)) {
            return closed;
        }
        for board in self.boards_in(round) {
            let Some(handle) = self.board(&board) else { continue };
            let ruled = Ruled { ruling: Ruling::RoundClose {}, by: by.map(str::to_owned) };
            if let Err(error) = handle.rule(ruled).await {
                // It was not begun, and is closed already.
                tracing::debug!(%board, "{error}");
            }
        }
        closed
    }

    /// The boards on which a game of the round is open.
    fn boards_in(&self, round: u32) -> Vec<String> {
        self.desk.with_view(|view| open_games(view, round).map(|game| game.board.clone()).collect())
    }

    /// Gives a game another board; whoever was to play there goes to the board that becomes free.
    ///
    /// # Errors
    /// [`SecretaryError`] if there is no such game or board, or something else is played there.
    pub async fn assign(&self, board: &str, game: &str, by: Option<&str>) -> Result<(), SecretaryError> {
        self.change(by, |book| {
            let before = book.clone();
            book.assign(game, board)?;
            self.check_boards(&before, book)
        })
        .await
    }

    /// Gives several games of a round other boards, all at once.
    ///
    /// # Errors
    /// As [`Hall::assign`].
    pub async fn reorder(
        &self,
        round: u32,
        boards: &BTreeMap<String, String>,
        by: Option<&str>,
    ) -> Result<(), SecretaryError> {
        self.change(by, |book| {
            let before = book.clone();
            book.reorder(round, boards)?;
            self.check_boards(&before, book)
        })
        .await
    }

    /// Carries out a ruling about rounds and pairings that was made at `board`; `None` if it is none of those.
    pub async fn rule_rounds(&self, board: &str, ruled: &Ruled) -> Option<Result<(), SecretaryError>> {
        let by = ruled.by.as_deref();
        Some(match &ruled.ruling {
            Ruling::RoundOpen { round } => self.open_round(*round, by).await.map(drop),
            Ruling::RoundClose {} => match self.round_at(board) {
                Some(round) => self.close_round(round, false, by).await,
                None => Err(RoundsError::Refused("no round is open".to_owned()).into()),
            },
            Ruling::PostponeGame { .. } => match self.game_on(board) {
                Some(game) => return self.rule_when(&game, ruled).await,
                None => Err(RoundsError::Refused(format!("no game is to be played at board {board}")).into()),
            },
            Ruling::MoveToBoard { board: to } => self.move_game(board, to, ruled).await,
            Ruling::Assign { board, game } => self.assign(board, game, by).await,
            Ruling::RoundStart { .. } if self.open_round_number().is_some() => {
                self.start_round(board, ruled).await
            }
            _ => return None,
        })
    }

    /// The round that is played at a board, or the first of those that are open.
    fn round_at(&self, board: &str) -> Option<u32> {
        let book = self.secretary.book();
        let here = self.desk.with_view(|view| view.game(view.board(board)?.game.as_deref()?)?.round);
        here.filter(|here| book.open_rounds().any(|round| round == *here))
            .or_else(|| book.open_rounds().next())
    }

    /// The round starts on all of its boards (6.6).
    async fn start_round(&self, board: &str, ruling: &Ruled) -> Result<(), SecretaryError> {
        let round = self.round_at(board).unwrap_or_default();
        for board in self.boards_in(round) {
            let Some(handle) = self.board(&board) else { continue };
            match handle.rule(ruling.clone()).await {
                Ok(()) => {}
                Err(RuleError::Refused(error)) => return Err(RoundsError::Refused(error.to_string()).into()),
                Err(RuleError::NotOnDisk) => return Err(SecretaryError::NotOnDisk),
                Err(error) => tracing::warn!(%board, "{error}"),
            }
        }
        Ok(())
    }

    /// Refuses boards that are not there, and those at which something else is being played, or from which a game
    /// that is being played would go.
    fn check_boards(&self, before: &Book, after: &Book) -> Result<(), SecretaryError> {
        let moved: Vec<&Pairing> = after
            .pairings
            .iter()
            .filter(|pairing| {
                let former = before.pairings.find(&pairing.game());
                former.is_some_and(|former| former.board_name() != pairing.board_name())
            })
            .collect();
        for pairing in moved {
            let (game, board) = (pairing.game(), pairing.board_name());
            // Not every board of an event has a sensor.
            let is_played_at = before.pairings.iter().any(|other| other.board_name() == board);
            if self.board(&board).is_none() && !is_played_at {
                return Err(RoundsError::Unknown(format!("no board is called \"{board}\"")).into());
            }
            if let Some(reason) = self.other_game_at(pairing, &board) {
                return Err(RoundsError::Refused(reason).into());
            }
            let is_open = after.open_rounds().any(|round| round == pairing.round);
            // Spectators would be shown the game at its new board before they saw it leave the old one.
            let former = before.pairings.find(&game).map(|former| self.delays.of_s(&former.board_name()));
            if is_open && former.is_some_and(|former_s| former_s != self.delays.of_s(&board)) {
                return Err(RoundsError::Refused(format!(
                    "{game} cannot be moved to board {board} while its round is open: spectators see that board with \
                     another delay"
                ))
                .into());
            }
            let playing = self.desk.with_view(|view| {
                let at_board = view.board(&board).and_then(|board| view.game(board.game.as_deref()?));
                let games = Games::of(view);
                let own = games.find(pairing).iter().copied().find(|own| is_playing(own));
                let other = at_board.filter(|other| is_open && is_playing(other));
                let [other, own] = [other, own].map(|game| {
                    game.filter(|game| own.is_none_or(|own| own.game != game.game) || game.board != board)
                });
                other.or(own).map(|playing| (playing.game.clone(), playing.board.clone()))
            });
            if let Some((playing, at)) = playing {
                return Err(RoundsError::Refused(format!(
                    "{game} cannot be played at board {board}: {playing} is being played at board {at}"
                ))
                .into());
            }
        }
        Ok(())
    }

    /// Changes the book; comes back when that is on disk and the boards know. Should nobody wait for it any more,
    /// the boards are told at the next look.
    async fn change<T>(
        &self,
        by: Option<&str>,
        change: impl FnOnce(&mut Book) -> Result<T, SecretaryError>,
    ) -> Result<T, SecretaryError> {
        let mut told = self.secretary.told.lock().await;
        let before = self.secretary.book();
        let mut book = (*before).clone();
        let changed = change(&mut book)?;
        if book == *before {
            return Ok(changed);
        }
        let at = self.now();
        let event =
            |body| Event { at, elapsed_ns: at.mono_ns, game: None, publicity: Publicity::Usual, body };
        let events = before.events(&book).into_iter().map(event).collect();
        let stored = Entered { by: by.map(str::to_owned), book: book.clone() };
        let data = serde_json::to_vec(&stored).expect("texts and numbers can be written as JSON");
        let submission = Submission { board: "".into(), stamp: at, kind: InputKind::Pairings, data, events };
        let journal = &self.secretary.journal;
        journal.submit(submission).await.map_err(|_| SecretaryError::Closed)?;
        // At once: whoever asked may go away while the disk works, and nothing goes on here then.
        *self.secretary.book.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(book);
        let is_settled = matches!(timeout(PATIENCE, journal.settled()).await, Ok(Ok(true)));
        self.tell_boards(&mut told).await;
        let is_settled = is_settled && matches!(timeout(PATIENCE, journal.settled()).await, Ok(Ok(true)));
        // Where nothing is late the games are open by now, and nobody has to be told that they are awaited.
        self.publish_pairings();
        if is_settled { Ok(changed) } else { Err(SecretaryError::NotOnDisk) }
    }

    /// Tells each board who plays there, if it does not know.
    async fn tell_boards(&self, told: &mut Told) {
        let book = self.secretary.book();
        let wanted = self.desk.with_view(|view| Games::of(view).seats(&book));
        // Who plays there may have been said when the board was opened, and is none of the book's.
        let is_of_book = |handle: &BoardHandle| handle.opened_with().pairing.is_none();
        let leaving: Vec<_> = told
            .leaving(&wanted, &book)
            .into_iter()
            .filter_map(|(board, game)| Some((self.board(&board).filter(is_of_book)?, (board, game))))
            .collect();
        let mut held = Vec::new();
        for ((board, game), left) in
            in_order(leaving.into_iter().map(|(handle, left)| (left, handle, None))).await
        {
            match left {
                Ok(()) => told.forget(&board),
                // It is asked again at the next look; until then the game opens nowhere else.
                Err(error) => {
                    tracing::info!(%board, "{error}");
                    held.push(game);
                }
            }
        }
        let mut news = Vec::new();
        for (board, pairing) in wanted {
            if !held.contains(&pairing.game())
                && !told.is_told(&board, &pairing)
                && let Some(handle) = self.board(&board)
            {
                told.asks(&board, pairing.clone());
                news.push((board, handle, Some(pairing)));
            }
        }
        for (board, paired) in in_order(news.into_iter()).await {
            told.answered(&board, paired);
        }
    }
}

/// Gives boards their pairings, one after the other, so that their games open in that order; those that do not
/// answer at once are waited for together at the end.
async fn in_order<T>(
    tellings: impl Iterator<Item = (T, BoardHandle, Option<OpenPairing>)>,
) -> Vec<(T, Result<(), RuleError>)> {
    let end = Instant::now() + IN_ORDER;
    let (mut boards, mut answers) = (Vec::new(), Vec::new());
    for (board, handle, pairing) in tellings {
        boards.push(board);
        let mut answer = Box::pin(async move { handle.pair(pairing).await });
        // Once the time is up the rest is still asked, and not waited for.
        answers.push(match timeout_at(end, &mut answer).await {
            Ok(answer) => Either::Left(ready(answer)),
            Err(_) => Either::Right(answer),
        });
    }
    boards.into_iter().zip(join_all(answers).await).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use adoube_core::station::{CORE, FRAMES, Open};

    /// Thirty boards that hang cost no more than one of them.
    #[tokio::test]
    async fn boards_that_hang_are_waited_for_together() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(folder.path(), CORE, |_| {}).unwrap();
        let open = Open::new("1", FRAMES, "test");
        // Their tasks never look at what they are asked.
        let hung: Vec<_> = (0..30).map(|_| BoardHandle::new("1".into(), &open, journal.clone())).collect();
        let since = Instant::now();
        let told = hung.iter().enumerate().map(|(place, (handle, _))| (place, handle.clone(), None));
        let answers = in_order(told).await;
        assert!(answers.iter().enumerate().all(|(at, (place, answer))| at == *place && answer.is_err()));
        assert_eq!(answers.len(), 30);
        assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
        journal.close();
    }
}
