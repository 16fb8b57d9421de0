//! The boards of a hall: a supervised task each, added, taken away, renamed and placed while it is open.
//!
//! No board waits for another one: what is changed about one of them waits for the task of that board alone, and
//! no longer than [`PATIENCE`]. `condition` says how each of them is, `plan` which there ought to be, `entered` what
//! of that was entered at the desk.

mod condition;
mod entered;
mod plan;

pub(super) use condition::Condition;
pub use condition::{BoardStatus, Origin};
pub(super) use entered::Entered;
pub use plan::{BoardEntry, Changes, Source};
pub(crate) use plan::{Plan, placed, run};

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, json};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use super::Hall;
use super::board::{Around, BoardHandle, BoardTask};
use super::neighbours::Neighbours;
use super::restart::{self, GoneOn, go_on};
use super::sensors::Sensors;
use crate::config::{ConfigError, NameError, check_name};
use crate::feed::hub::BOARDS;
use crate::journal::{Aside, InputKind, RecoveredBoard};
use crate::link::Port;
use adoube_core::station::{Input, Moved, Open, OpenError, Station};
use adoube_rules::Family;

/// How long a task that is told to end has for it: a line that takes no bytes holds it up for one second, the
/// journal for no more than the others.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many boards begin before what they said is on disk: thousands of them do not fill the journal's queue by being
/// there.
const WAVE: usize = 256;

/// Why the boards of a hall are not changed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// There is one already.
    #[error("a board is called \"{0}\" already; choose another name, or remove that one first")]
    Taken(String),
    /// There is none.
    #[error("no board is called \"{0}\"; /api/v1/boards lists them")]
    Unknown(String),
    /// Not a name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A game would be lost.
    #[error("{game} is being played at board {board}; it can be changed when that game has a result")]
    Playing {
        /// Where.
        board: String,
        /// Which game.
        game: String,
    },
    /// Another board has to do with it.
    #[error("board {other} names board {board} as its neighbour (linked, pair); change that first")]
    Neighbour {
        /// Which board.
        board: String,
        /// Who names it.
        other: String,
    },
    /// It cannot be opened as it was said.
    #[error("board {board}: {error}")]
    Open {
        /// Which.
        board: String,
        /// Why.
        error: OpenError,
    },
    /// The configuration cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It would be no configuration.
    #[error("{0}")]
    Wrong(String),
    /// It was done, and a restart will not know of it.
    #[error("it was done, and will be forgotten by a restart: {path}: {error}", path = path.display())]
    NotStored {
        /// The file.
        path: PathBuf,
        /// Why it was not written.
        error: String,
    },
    /// The daemon is about to end.
    #[error("the hall is being closed")]
    Closed,
}

/// Until when the task of a board is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It goes on.
    Never,
    /// The daemon ends.
    WithDaemon,
    /// The board is taken away; the others stay.
    Removed,
}

/// One board and its task.
#[derive(Debug)]
struct Member {
    handle: BoardHandle,
    open: Open,
    origin: Origin,
    place: watch::Sender<Option<Port>>,
    ending: watch::Sender<Ending>,
    condition: Arc<Mutex<Condition>>,
    /// It watches the task, and ends with it.
    watcher: JoinHandle<()>,
    task: AbortHandle,
}

impl Member {
    /// Ends the task; comes back when it is gone.
    async fn end(mut self, ending: Ending) {
        self.ending.send_replace(ending);
        if timeout(PATIENCE, &mut self.watcher).await.is_err() {
            tracing::error!(board = self.open.board, "its task does not end and is cut off");
            self.task.abort();
        }
    }
}

/// The boards of a hall.
#[derive(Debug)]
pub(crate) struct Fleet {
    members: Mutex<Members>,
    /// Held while something about the boards is changed.
    changing: tokio::sync::Mutex<()>,
    neighbours: Arc<Neighbours>,
    sensors: Sensors,
    /// What the journal holds of boards that have not been added yet.
    recovered: Mutex<BTreeMap<String, Before>>,
}

/// A board as it was when the daemon ended.
#[derive(Debug)]
struct Before {
    board: RecoveredBoard,
    /// Its game goes on from here.
    going_on: Option<GoneOn>,
}

impl Before {
    fn of(mut board: RecoveredBoard, folder: &Path, owed: Option<Box<Moved>>) -> Self {
        let going_on = go_on(&board, folder, owed);
        // The game has them now.
        board.events = Vec::new();
        board.inputs.retain(|input| matches!(input.kind, InputKind::Open | InputKind::Link));
        Self { board, going_on }
    }
}

/// The games of the boards that the journal holds, being gone through, as many at a time as there are processors.
#[derive(Debug)]
pub(crate) struct Replays(Vec<JoinHandle<Vec<Before>>>);

impl Replays {
    /// Begins at once with `boards` out of the journal in `folder`.
    pub(crate) fn begin(boards: Vec<RecoveredBoard>, folder: &Path) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut owed = restart::exchanges_owed(&boards);
        let owing = |board: RecoveredBoard| {
            let owed = owed.remove(&*board.board);
            (board, owed)
        };
        let queue = Arc::new(Mutex::new(boards.into_iter().map(owing).collect::<Vec<_>>()));
        let work = || {
            let (queue, folder) = (Arc::clone(&queue), folder.to_owned());
            move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                std::iter::from_fn(next)
                    .map(|(board, owed)| Before::of(board, &folder, owed))
                    .collect::<Vec<_>>()
            }
        };
        Self((0..threads).map(|_| tokio::task::spawn_blocking(work())).collect())
    }
}

#[derive(Debug, Default)]
struct Members {
    boards: BTreeMap<String, Member>,
    is_closed: bool,
}

impl Fleet {
    /// None yet; of what comes `sensors` knows which squares are sick.
    pub(crate) fn new(sensors: Sensors) -> Self {
        Self {
            members: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            neighbours: Arc::default(),
            sensors,
            recovered: Mutex::default(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Members) -> T) -> T {
        work(&mut self.members.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A board by its name.
    pub(super) fn handle(&self, board: &str) -> Option<BoardHandle> {
        self.with(|members| members.boards.get(board).map(|member| member.handle.clone()))
    }

    /// What the boards were opened with.
    pub(super) fn opened(&self) -> Vec<Arc<Open>> {
        self.with(|members| members.boards.values().map(|member| member.handle.opened_with()).collect())
    }

    /// What is played at the boards that are for something else than chess.
    pub(super) fn variants(&self) -> BTreeMap<String, String> {
        let other = |(name, member): (&String, &Member)| {
            let variant = member.open.variant;
            (variant.family() != Family::Chess).then(|| (name.clone(), variant.name().to_owned()))
        };
        self.with(|members| members.boards.iter().filter_map(other).collect())
    }

    /// Boards that are added next go on with what the journal holds of them.
    pub(crate) async fn recover(&self, replays: Replays) {
        let mut recovered = BTreeMap::new();
        for worker in replays.0 {
            match worker.await {
                Ok(boards) => {
                    recovered
                        .extend(boards.into_iter().map(|before| (before.board.board.to_string(), before)));
                }
                Err(error) => tracing::error!(%error, "boards start afresh: an error of adoube"),
            }
        }
        *self.recovered.lock().unwrap_or_else(PoisonError::into_inner) = recovered;
    }

    /// What the journal holds of others is not gone on with.
    fn recover_no_more(&self) {
        self.recovered.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What a board spoke when the daemon ended.
    fn spoke(&self, board: &str) -> Option<String> {
        let recovered = self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        let first = recovered.get(board)?.board.inputs.first()?;
        restart::opened(first).ok().map(|open| open.protocol)
    }

    /// The board that was at that port when the daemon ended and spoke that, of those that are not here again.
    pub(super) fn was_at(&self, port: &str, protocol: &str) -> Option<String> {
        let recovered = self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        let was_there = |board: &RecoveredBoard| {
            let open = board.inputs.first().and_then(|first| restart::opened(first).ok());
            let moved = board.inputs.iter().rev().find_map(|stored| match restart::input(stored) {
                Some(Input::Placed(port)) => Some(port),
                _ => None,
            });
            open.is_some_and(|open| open.protocol == protocol && moved.unwrap_or(open.port) == port)
        };
        recovered.iter().find(|(_, before)| was_there(&before.board)).map(|(name, _)| name.clone())
    }

    /// Was there a board of that name when the daemon ended, which is not here again?
    pub(super) fn was_here(&self, board: &str) -> bool {
        self.recovered.lock().unwrap_or_else(PoisonError::into_inner).contains_key(board)
    }

    fn recovered(&self, board: &str) -> Option<GoneOn> {
        self.recovered.lock().unwrap_or_else(PoisonError::into_inner).remove(board)?.going_on
    }

    /// Somebody else wants the board from now on.
    fn come_from(&self, board: &str, origin: Origin) {
        self.with(|members| {
            if let Some(member) = members.boards.get_mut(board) {
                member.origin = origin;
            }
        });
    }

    /// Ends all tasks at once; comes back when they are gone. No board can be added any more.
    pub(crate) async fn stop(&self) {
        let boards = self.with(|members| {
            members.is_closed = true;
            std::mem::take(&mut members.boards)
        });
        for member in boards.values() {
            member.ending.send_replace(Ending::WithDaemon);
        }
        for member in boards.into_values() {
            member.end(Ending::WithDaemon).await;
        }
    }
}

impl Hall {
    /// Adds a board; `None`: nobody knows where it is, and it waits to be placed.
    ///
    /// # Errors
    /// [`FleetError`] if there is one of that name, or it cannot be opened.
    pub async fn add_board(&self, open: Open, port: Option<Port>) -> Result<(), FleetError> {
        self.add_board_from(open, port, Origin::Added).await
    }

    /// The same, for who knows where the wish comes from.
    ///
    /// # Errors
    /// As [`Hall::add_board`].
    pub async fn add_board_from(
        &self,
        open: Open,
        port: Option<Port>,
        origin: Origin,
    ) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        self.add_now(open, port, origin).await
    }

    /// Takes a board away.
    ///
    /// # Errors
    /// [`FleetError`] if there is none of that name, or a game is being played there.
    pub async fn remove_board(&self, board: &str) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        self.check_free(board)?;
        self.remove_now(board).await.map(drop)
    }

    /// Takes a board away that others may name still: they are changed next.
    async fn remove_free(&self, board: &str) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        self.check_not_played(board)?;
        self.remove_now(board).await.map(drop)
    }

    /// Where a board was placed.
    fn place_of(&self, board: &str) -> Option<Port> {
        self.fleet.with(|members| members.boards.get(board)?.place.borrow().clone())
    }

    /// Takes a board away, whatever is being played there: that game is closed without a result.
    ///
    /// # Errors
    /// [`FleetError::Unknown`] if there is none of that name.
    pub async fn remove_board_anyway(&self, board: &str) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        self.remove_now(board).await.map(drop)
    }

    /// Gives a board another name. What was played there keeps the name that it had then.
    ///
    /// # Errors
    /// [`FleetError`] if the name is taken, another board names this one, or a game is being played there.
    pub async fn rename_board(&self, board: &str, name: &str) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        let is_taken = self.fleet.with(|members| members.boards.contains_key(name));
        if board == name && is_taken {
            return Ok(());
        }
        check_name(name)?;
        if is_taken {
            return Err(FleetError::Taken(name.to_owned()));
        }
        self.check_free(board)?;
        let (open, port, origin) = self.remove_now(board).await?;
        self.add_now(Open { board: name.to_owned(), ..open }, port, origin).await
    }

    /// A board is configured otherwise, or speaks another protocol: it begins afresh. If only its place is another
    /// one it is placed there, and goes on.
    ///
    /// # Errors
    /// [`FleetError`] if there is none of that name, it cannot be opened so, or a game is being played there;
    /// nothing has changed then.
    pub async fn reopen_board(&self, open: Open, port: Option<Port>) -> Result<(), FleetError> {
        let _changing = self.fleet.changing.lock().await;
        let board = open.board.clone();
        let before = self.fleet.with(|members| members.boards.get(&board).map(|member| member.open.clone()));
        let before = before.ok_or_else(|| FleetError::Unknown(board.clone()))?;
        if before == (Open { port: before.port.clone(), ..open.clone() }) {
            self.place_board(&board, port);
            return Ok(());
        }
        Station::open(open.clone(), self.now())
            .map_err(|error| FleetError::Open { board: board.clone(), error })?;
        if !self.is_untouched(&board) {
            self.check_not_played(&board)?;
        }
        let (_, _, origin) = self.remove_now(&board).await?;
        self.add_now(open, port, origin).await
    }

    /// A board is there now: its task closes its link and opens that one. `None`: it is unplugged, and nobody
    /// looks for it until it is placed again. Where it is already, it is tried at once if its link is down.
    pub fn place_board(&self, board: &str, port: Option<Port>) {
        self.fleet.with(|members| {
            if let Some(member) = members.boards.get(board) {
                member.place.send_replace(port);
            }
        });
    }

    /// How each board is, in the order of their names.
    #[must_use]
    pub fn boards_now(&self) -> Vec<BoardStatus> {
        let now = self.now();
        self.fleet.with(|members| {
            let status = |member: &Member| {
                let condition = member.condition.lock().unwrap_or_else(PoisonError::into_inner);
                let status = condition.status(&member.open, member.origin, now);
                // Where it was placed, even if its task has not come to it yet.
                BoardStatus { port: member.place.borrow().as_ref().map(Port::to_string), ..status }
            };
            members.boards.values().map(status).collect()
        })
    }

    /// Adds a board when the daemon starts: a game that was open goes on.
    pub(crate) async fn begin_board(
        &self,
        open: Open,
        port: Option<Port>,
        origin: Origin,
    ) -> Result<(), FleetError> {
        // Shown at once, before it says anything.
        self.public.add_board(&open.board);
        self.desk.add_board(&open.board);
        self.add_board_from(open, port, origin).await?;
        if self.fleet.with(|members| members.boards.len().is_multiple_of(WAVE)) {
            // A journal that is gone says so to the boards themselves.
            let _gone = self.settled().await;
        }
        Ok(())
    }

    /// All boards of the beginning are here: what the journal holds of others is not gone on with, and they are
    /// not shown as if they were here.
    ///
    /// `finds_others`: others may still be found, and go on then.
    pub(crate) fn all_have_begun(&self, finds_others: bool) {
        if !finds_others {
            self.fleet.recover_no_more();
        }
        let shown = self.desk.with_view(|view| view.boards().map(|board| board.board.clone()).collect());
        let shown: Vec<String> = shown;
        for board in shown.iter().filter(|board| self.fleet.handle(board).is_none()) {
            self.desk.set_here(board, false);
            self.public.set_here(board, false);
        }
    }

    async fn add_now(&self, open: Open, port: Option<Port>, origin: Origin) -> Result<(), FleetError> {
        let name = open.board.clone();
        check_name(&name)?;
        self.fleet.with(|members| match members {
            Members { is_closed: true, .. } => Err(FleetError::Closed),
            members if members.boards.contains_key(&name) => Err(FleetError::Taken(name.clone())),
            _ => Ok(()),
        })?;
        let at = self.now();
        let going_on = self.fleet.recovered(&name).and_then(|game| game.opened(&open, at, &self.journal));
        let is_new = going_on.is_none();
        let opened =
            going_on.map_or_else(|| Station::open(open.clone(), at).map(|station| (station, None, None)), Ok);
        let (station, taken_over, owed) =
            opened.map_err(|error| FleetError::Open { board: name.clone(), error })?;
        let (place, placed) = watch::channel(port);
        let (ending, ends) = watch::channel(Ending::Never);
        let condition = Arc::<Mutex<Condition>>::default();
        let around = Around {
            neighbours: Arc::clone(&self.fleet.neighbours),
            metrics: Arc::clone(&self.metrics),
            sensors: self.fleet.sensors.clone(),
            tap: self.tap.of(&name),
            place: placed,
            ending: ends,
            condition: Arc::clone(&condition),
        };
        let (mut task, handle) = BoardTask::new(station, self.journal.clone(), self.clock.clone(), around);
        // Who plays there is told anew.
        self.forget_told(&name).await;
        if is_new {
            self.tell_here(&name, true);
            task.opened(&open, at).await;
        } else {
            if let Some(opening) = taken_over {
                task.opened(&opening, at).await;
            }
            task.restarted(owed).await;
        }
        let running = tokio::spawn(task.run());
        let task = running.abort_handle();
        let watcher = tokio::spawn(watch_over(name.clone(), running, Arc::clone(&condition)));
        let member = Member { handle, open, origin, place, ending, condition, watcher, task };
        let late = self.fleet.with(|members| {
            if members.is_closed {
                return Some(member);
            }
            members.boards.insert(name, member);
            None
        });
        match late {
            None => Ok(()),
            Some(member) => {
                member.end(Ending::WithDaemon).await;
                Err(FleetError::Closed)
            }
        }
    }

    async fn remove_now(&self, board: &str) -> Result<(Open, Option<Port>, Origin), FleetError> {
        let member = self.fleet.with(|members| members.boards.remove(board));
        let member = member.ok_or_else(|| FleetError::Unknown(board.to_owned()))?;
        let left = (member.open.clone(), member.place.borrow().clone(), member.origin);
        member.end(Ending::Removed).await;
        self.tell_here(board, false);
        // What comes next of a board of that name is shown after that; a disk that hangs holds up nobody for it.
        let _late = timeout(PATIENCE, self.settled()).await;
        tracing::info!(board, "removed");
        Ok(left)
    }

    /// These boards are not there when the daemon begins anew, which is next; until then none comes back.
    pub(super) async fn leave_boards(&self, boards: &[String]) {
        let _changing = self.fleet.changing.lock().await;
        self.fleet.with(|members| members.is_closed = true);
        for board in boards {
            let _gone_already = self.remove_now(board).await;
        }
    }

    /// Pages learn that a board was added or taken away, after all that was said of it before.
    fn tell_here(&self, board: &str, is_here: bool) {
        let json = Map::from_iter([("board".to_owned(), json!(board)), ("here".to_owned(), json!(is_here))]);
        self.journal.aside(Aside { name: BOARDS, board: board.into(), json });
    }

    /// Nothing is lost if the board goes.
    fn check_free(&self, board: &str) -> Result<(), FleetError> {
        self.check_not_played(board)?;
        let names = |open: &Open| open.linked.iter().chain(&open.pair).any(|other| other == board);
        let other = self.fleet.with(|members| {
            let mut others = members.boards.values().map(|member| &member.open);
            others.find(|open| open.board != board && names(open)).map(|open| open.board.clone())
        });
        other.map_or(Ok(()), |other| Err(FleetError::Neighbour { board: board.to_owned(), other }))
    }

    /// Nothing was ever heard of the board, and nothing is played there: whatever opened there was the pairing alone.
    fn is_untouched(&self, board: &str) -> bool {
        let is_silent = self.boards_now().iter().any(|status| status.board == board && status.readings == 0);
        is_silent
            && self.desk.with_view(|view| {
                let game = view.board(board).and_then(|board| view.game(board.game.as_deref()?));
                game.is_none_or(|game| game.moves.is_empty())
            })
    }

    /// A game that has moves, or belongs to a round, is worth keeping.
    pub(super) fn check_not_played(&self, board: &str) -> Result<(), FleetError> {
        let game = self.desk.with_view(|view| {
            let game = view.game(view.board(board)?.game.as_deref()?)?;
            let is_played = !game.closed && !game.annulled && game.result == "*";
            Some(game.game.clone()).filter(|_| is_played && (game.round.is_some() || !game.moves.is_empty()))
        });
        game.map_or(Ok(()), |game| Err(FleetError::Playing { board: board.to_owned(), game }))
    }
}

/// Waits for the end of a board's task, and says if it was none that was asked for. The others do not notice.
async fn watch_over(board: String, task: JoinHandle<()>, condition: Arc<Mutex<Condition>>) {
    let Err(error) = task.await else { return };
    if error.is_panic() {
        tracing::error!(board, "its task has failed: an error of adoube; the other boards go on");
    }
    condition.lock().unwrap_or_else(PoisonError::into_inner).failed();
}
