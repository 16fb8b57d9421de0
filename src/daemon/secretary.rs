//! The hall's secretary: keeps pairings and rounds, journals every change, and tells the boards who plays there.
//!
//! What is decided is in [`Book`]; here is what it takes to make it so. A change is on disk before anybody learns
//! of it. What a board refuses, because a game is being played there, it is told again when that game is over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::board::RuleError;
use super::hall::Hall;
use crate::config::Rounds;
use crate::event::{Event, Publicity};
use crate::feed::hub::READINESS;
use crate::feed::view::{GameView, HallView};
use crate::journal::{InputKind, JournalHandle, Submission};
use crate::pairings::{Change, Pairing, Pairings};
use crate::rounds::{Book, RoundsError, Standing, is_due};
use crate::ruling::Ruling;
use crate::station::OpenPairing;

/// How long who asks waits for the disk: no working one takes so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks at the boards: set up by hands, none is quicker.
const LOOK: Duration = Duration::from_millis(250);
/// A board that was added, or did not answer, is found after so long.
const AGAIN: Duration = Duration::from_secs(2);

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

/// What the journal holds of a change.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    by: Option<String>,
    book: Book,
}

/// Who keeps pairings and rounds.
#[derive(Debug)]
pub(super) struct Secretary {
    journal: JournalHandle,
    rounds: Rounds,
    book: Mutex<Arc<Book>>,
    /// Held while something is changed: what each board was told last.
    told: tokio::sync::Mutex<BTreeMap<String, OpenPairing>>,
}

impl Secretary {
    /// Goes on with what the journal holds.
    pub(super) fn new(journal: JournalHandle, rounds: Rounds, stored: Option<&[u8]>) -> Self {
        let book = stored.map(serde_json::from_slice::<Stored>).transpose().unwrap_or_else(|error| {
            tracing::error!("journal: the pairings cannot be read, import them again: {error}");
            None
        });
        let book = book.map(|stored| stored.book).unwrap_or_default();
        Self { journal, rounds, book: Mutex::new(Arc::new(book)), told: tokio::sync::Mutex::default() }
    }

    fn book(&self) -> Arc<Book> {
        Arc::clone(&self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Hall {
    /// Who plays whom, as far as it is known.
    #[must_use]
    pub fn pairings(&self) -> Pairings {
        self.secretary.book().pairings.clone()
    }

    /// What importing these would change.
    #[must_use]
    pub fn preview(&self, imported: &Pairings) -> Vec<Change> {
        let mut book = (*self.secretary.book()).clone();
        self.desk.with_view(|view| {
            let games = Games::of(view);
            book.import(imported.clone(), |pairing| games.has_begun(pairing))
        })
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
                let is_other = game.round != Some(round.into());
                (is_playing(game) && is_other).then(|| game.game.clone())
            })?;
            let game = pairing.game();
            Some(format!(
                "board {board}: {playing} has no result yet; {game} opens there as soon as it has one"
            ))
        };
        Ok(self.boards_of(&book, round).filter_map(waiting).collect())
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
        self.change(by, |book| {
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
        })
        .await?;
        for board in self.boards_in(round) {
            let Some(handle) = self.board(&board) else { continue };
            let ruling = json!({ "name": "round-close", "by": by });
            if let Ok(ruling) = Ruling::parse(&ruling)
                && let Err(error) = handle.rule(ruling).await
            {
                // It was not begun, and is closed already.
                tracing::debug!(%board, "{error}");
            }
        }
        Ok(())
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
    pub async fn rule_rounds(&self, board: &str, ruling: &Ruling) -> Option<Result<(), SecretaryError>> {
        let by = ruling.by();
        let number = || ruling.number("round").map_err(|error| RoundsError::Refused(error.to_string()));
        let text = |key: &str| match ruling.argument(key) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        Some(match ruling.name() {
            "round-open" => match number() {
                Ok(round) => self.open_round(round, by).await.map(drop),
                Err(error) => Err(error.into()),
            },
            "round-close" => match self.round_at(board) {
                Some(round) => self.close_round(round, false, by).await,
                None => Err(RoundsError::Refused("no round is open".to_owned()).into()),
            },
            "assign" => self.assign(&text("board"), &text("game"), by).await,
            "round-start" if self.open_round_number().is_some() => self.start_round(board, ruling).await,
            _ => return None,
        })
    }

    /// The round that is played at a board, or the first of those that are open.
    fn round_at(&self, board: &str) -> Option<u32> {
        let book = self.secretary.book();
        let here = self.desk.with_view(|view| view.game(view.board(board)?.game.as_deref()?)?.round);
        let here = here.and_then(|round| u32::try_from(round).ok());
        here.filter(|here| book.open_rounds().any(|round| round == *here))
            .or_else(|| book.open_rounds().next())
    }

    /// The round starts on all of its boards (6.6).
    async fn start_round(&self, board: &str, ruling: &Ruling) -> Result<(), SecretaryError> {
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
            let is_open = after.open_rounds().any(|round| round == pairing.round);
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

    /// Changes the book: on disk first, then for everybody.
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
        let stored = Stored { by: by.map(str::to_owned), book: book.clone() };
        let data = serde_json::to_vec(&stored).expect("texts and numbers can be written as JSON");
        let submission = Submission { board: "".into(), stamp: at, kind: InputKind::Pairings, data, events };
        let journal = &self.secretary.journal;
        journal.submit(submission).await.map_err(|_| SecretaryError::Closed)?;
        let is_settled = matches!(timeout(PATIENCE, journal.settled()).await, Ok(Ok(true)));
        *self.secretary.book.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(book);
        self.tell_boards(&mut told).await;
        let is_settled = is_settled && matches!(timeout(PATIENCE, journal.settled()).await, Ok(Ok(true)));
        if is_settled { Ok(changed) } else { Err(SecretaryError::NotOnDisk) }
    }

    /// Tells each board who plays there, if it does not know.
    async fn tell_boards(&self, told: &mut BTreeMap<String, OpenPairing>) {
        let book = self.secretary.book();
        let wanted = self.desk.with_view(|view| Games::of(view).seats(&book));
        let is_other = |one: &OpenPairing, other: &OpenPairing| one.game() != other.game();
        // Who leaves a board does so before he comes to another one: a game is open once.
        let leaving: Vec<String> = told
            .iter()
            .filter(|(board, known)| wanted.get(*board).is_none_or(|next| is_other(next, known)))
            .filter(|(_, known)| {
                let is_elsewhere = wanted.values().any(|next| !is_other(next, known));
                is_elsewhere || book.pairings.find(&known.game()).is_none()
            })
            .map(|(board, _)| board.clone())
            .collect();
        for board in leaving {
            let Some(handle) = self.board(&board) else { continue };
            match handle.pair(None).await {
                Ok(()) => drop(told.remove(&board)),
                Err(error) => tracing::info!(%board, "{error}"),
            }
        }
        for (board, pairing) in wanted {
            if told.get(&board).is_some_and(|known| is_known(known, &pairing)) {
                continue;
            }
            let Some(handle) = self.board(&board) else { continue };
            match handle.pair(Some(pairing.clone())).await {
                Ok(()) => drop(told.insert(board, pairing)),
                // Told again when the game there is over.
                Err(error) => tracing::debug!(%board, "{error}"),
            }
        }
    }

    /// What is due without being asked for: boards that have become free, and in an event whose rounds open by
    /// themselves, rounds that are over and the one that comes next.
    async fn look_at_rounds(&self) {
        self.tell_boards(&mut *self.secretary.told.lock().await).await;
        if self.secretary.rounds == Rounds::Manual {
            return;
        }
        let book = self.secretary.book();
        let next = book.next_round().filter(|round| self.is_due(&book, *round));
        let over: Vec<u32> = book.open_rounds().filter(|round| self.is_over(&book, *round)).collect();
        if next.is_none() && over.is_empty() {
            return;
        }
        let changed = self.change(None, |book| {
            // Somebody may have been quicker.
            over.iter().for_each(|round| drop(book.close(*round)));
            next.iter().for_each(|round| drop(book.open(*round)));
            Ok(())
        });
        if let Err(error) = changed.await {
            tracing::error!("rounds: {error}");
        }
    }

    /// The names of the boards at which a round is played, of those that are here.
    fn boards_of<'a>(&'a self, book: &'a Book, round: u32) -> impl Iterator<Item = (&'a Pairing, String)> {
        let to_play = book.pairings_of(round).filter(|pairing| pairing.result.is_none());
        let boards = to_play.map(|pairing| (pairing, pairing.board_name()));
        boards.filter(|(_, board)| self.board(board).is_some())
    }

    fn is_due(&self, book: &Book, round: u32) -> bool {
        let told = self.desk.told(READINESS);
        let set_up: BTreeSet<&str> = told
            .iter()
            .filter(|told| !told["ready"].is_null() && told["array"]["ok"] == true)
            .filter_map(|told| told["board"].as_str())
            .collect();
        let is_open = book.open_rounds().next().is_some();
        let standing = |(_, board): (&Pairing, String)| Standing {
            shows_array: set_up.contains(board.as_str()),
            is_done: self.desk.with_view(|view| {
                let last = view.board(&board).and_then(|board| view.game(board.game.as_deref()?));
                let last = last.filter(|game| game.round.is_some());
                match last {
                    Some(game) if game.result != "*" => true,
                    Some(game) => game.closed && !is_open,
                    None => !is_open,
                }
            }),
        };
        is_due(&self.boards_of(book, round).map(standing).collect::<Vec<_>>())
    }

    /// Every game of the round that is played here has a result.
    fn is_over(&self, book: &Book, round: u32) -> bool {
        let mut games = self.boards_of(book, round).peekable();
        games.peek().is_some()
            && self.desk.with_view(|view| {
                let played = Games::of(view);
                games.all(|(pairing, _)| played.result(pairing).is_some())
            })
    }
}

/// Looks after the rounds until told to stop.
pub(super) async fn run(hall: Weak<Hall>, mut stop: watch::Receiver<bool>) {
    let Some(mut events) = hall.upgrade().map(|hall| hall.desk.subscribe(None).1) else { return };
    if let Some(hall) = hall.upgrade() {
        *hall.secretary.told.lock().await = hall.desk.with_view(known_before);
    }
    loop {
        {
            let Some(hall) = hall.upgrade() else { return };
            hall.look_at_rounds().await;
        }
        let again = Instant::now() + AGAIN;
        let news = async {
            loop {
                match events.recv().await {
                    Ok(frame) if !is_news(&frame.name) => {}
                    Ok(_) | Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = news => {}
            () = sleep_until(again) => {}
        }
        sleep(LOOK).await;
    }
}

/// Does an event tell that a board may have become free, or ready?
fn is_news(name: &str) -> bool {
    name == READINESS || ["game-closed", "game-over", "result-signalled", "result-changed"].contains(&name)
}

/// The board knows that already: how many games there were, it has counted itself; and that one is over, if it
/// was played there.
fn is_known(known: &OpenPairing, wanted: &OpenPairing) -> bool {
    let counted = OpenPairing { games: wanted.games, is_over: wanted.is_over, ..known.clone() };
    let is_over_known = known.is_over == wanted.is_over || wanted.is_over && wanted.games > 0;
    counted == *wanted && is_over_known
}

/// The games of each pairing: the first, and those that were played again.
struct Games<'a>(BTreeMap<(u64, u64), Vec<&'a GameView>>);

impl<'a> Games<'a> {
    fn of(view: &'a HallView) -> Self {
        let mut games: BTreeMap<_, Vec<&GameView>> = BTreeMap::new();
        for game in view.games() {
            if let Some(round) = game.round {
                games.entry((round, game.number)).or_default().push(game);
            }
        }
        Self(games)
    }

    fn find(&self, pairing: &Pairing) -> &[&'a GameView] {
        self.0.get(&(pairing.round.into(), pairing.number.into())).map_or(&[], Vec::as_slice)
    }

    /// The result of a pairing: that of its last game.
    fn result(&self, pairing: &Pairing) -> Option<&'a str> {
        let last = self.find(pairing).iter().rfind(|game| has_begun(game))?;
        Some(last.result.as_str()).filter(|result| *result != "*")
    }

    /// The board at which a game of the pairing is being played.
    fn played_at(&self, pairing: &Pairing) -> Option<&'a str> {
        self.find(pairing).iter().find(|game| is_playing(game)).map(|game| game.board.as_str())
    }

    fn has_begun(&self, pairing: &Pairing) -> bool {
        self.find(pairing).iter().any(|game| has_begun(game))
    }

    /// What a board is told of a pairing.
    fn told(&self, pairing: &Pairing, is_over: bool) -> OpenPairing {
        let begun = self.find(pairing).iter().filter(|game| has_begun(game)).count();
        OpenPairing {
            round: pairing.round,
            number: pairing.number,
            white: pairing.white.clone(),
            black: pairing.black.clone(),
            team_match: pairing.team_match,
            games: u32::try_from(begun).unwrap_or(u32::MAX),
            is_over: is_over || self.result(pairing).is_some(),
        }
    }

    /// What each board is to be told. A game that is being played stays where it is.
    fn seats(&self, book: &Book) -> BTreeMap<String, OpenPairing> {
        let boards = book.boards();
        let (played, waiting): (Vec<_>, Vec<_>) =
            boards.into_iter().partition(|(_, (pairing, _))| self.played_at(pairing).is_some());
        let mut seats = BTreeMap::new();
        for (board, (pairing, is_over)) in waiting.into_iter().chain(played) {
            let board = self.played_at(pairing).map_or(board, str::to_owned);
            seats.insert(board, self.told(pairing, is_over));
        }
        seats
    }
}

/// Something of it was played, or it has a result.
fn has_begun(game: &GameView) -> bool {
    !game.moves.is_empty() || game.result != "*"
}

fn is_playing(game: &GameView) -> bool {
    !game.moves.is_empty() && game.result == "*" && !game.closed
}

/// The games of a round that stand on their boards and are not closed.
fn open_games(view: &HallView, round: u32) -> impl Iterator<Item = &GameView> {
    let boards = view.boards().filter_map(move |board| view.game(board.game.as_deref()?));
    boards.filter(move |game| game.round == Some(round.into()) && !game.closed)
}

/// What boards knew of their pairings when the daemon stopped: which games were open.
fn known_before(view: &HallView) -> BTreeMap<String, OpenPairing> {
    let boards = view.boards().filter_map(|board| view.game(board.game.as_deref()?));
    let open = boards.filter(|game| !game.closed);
    open.filter_map(|game| {
        let (round, number) = (u32::try_from(game.round?).ok()?, u32::try_from(game.number).ok()?);
        Some((game.board.clone(), OpenPairing { round, number, ..OpenPairing::default() }))
    })
    .collect()
}
