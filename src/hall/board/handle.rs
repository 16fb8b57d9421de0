//! A board from the side of the rest of the daemon: what it can be asked and told.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::journal::{JournalHandle, SubmitError};
use adoube_core::ruling::{Ruled, RulingError};
use adoube_core::station::{Moved, Open, OpenPairing, Other};
use adoube_core::table::Picture;
use adoube_core::wire::Announcement;

/// Rulings that may wait for a board: an arbiter is slower than this.
const COMMANDS: usize = 16;
/// How long who rules waits for the disk: no working one takes so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long who gives a board its pairing waits: it is busy with a line that takes no bytes, at the most.
const ANSWER: Duration = Duration::from_secs(2);

/// How long a board that gives its game away waits for the other: that may wait for a place in the journal, and for a line
/// that takes no bytes, before it answers.
const COMING: Duration = Duration::from_secs(10);

/// Why a ruling was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The table refused it.
    #[error(transparent)]
    Refused(#[from] RulingError),
    /// The board's task is gone.
    #[error("the board is being closed")]
    Closed,
    /// The journal, which knows what the ruling refers to, does not answer.
    #[error(transparent)]
    Journal(#[from] SubmitError),
    /// It was carried out, and would be lost if the daemon ended now.
    #[error(
        "the ruling was made, but it is not on disk yet: the disk does not answer; do not repeat it, and look at the journal's state"
    )]
    NotOnDisk,
}

/// What a board's task is asked.
pub(in crate::hall) enum Command {
    Rule(Ruled, oneshot::Sender<Result<(), RuleError>>),
    Pair(Option<Box<OpenPairing>>, oneshot::Sender<Result<(), RuleError>>),
    /// The game goes on at that board.
    Goes(Box<Going>, oneshot::Sender<Result<(), RuleError>>),
    /// A game comes from another board.
    Comes(Box<Moved>, oneshot::Sender<Result<(), RuleError>>),
    /// What was played here and at another board are each other's games.
    Exchanges(Box<Exchanging>, Option<Box<Elsewhere>>, oneshot::Sender<Result<(), RuleError>>),
    Announce(Announcement),
    Look(oneshot::Sender<Picture>),
}

/// A game that goes to another board.
#[derive(Debug)]
pub(in crate::hall) struct Going {
    pub(in crate::hall) game: String,
    pub(in crate::hall) to: BoardHandle,
    /// What both boards say.
    pub(in crate::hall) ruled: Ruled,
    /// Where the journal is, which knows what was said of the game.
    pub(in crate::hall) folder: PathBuf,
}

/// A game that turns out to be that of another pairing.
#[derive(Debug)]
pub(in crate::hall) struct Exchanging {
    pub(in crate::hall) game: String,
    pub(in crate::hall) ruled: Ruled,
    /// Which it is.
    pub(in crate::hall) to: Other,
    /// Where the journal is, which knows what was said of the game.
    pub(in crate::hall) folder: PathBuf,
    /// The board that asks for it, and what it takes itself as soon as this one has.
    pub(in crate::hall) owed: Option<(String, Box<Moved>)>,
}

/// What the other board does first.
#[derive(Debug)]
pub(in crate::hall) enum Elsewhere {
    /// It exchanges its own game.
    Exchanges(BoardHandle, Box<Exchanging>),
    /// It leaves the game that has not begun there: a game is open once.
    Leaves(BoardHandle),
}

/// A board from the side of the rest of the daemon.
#[derive(Debug, Clone)]
pub struct BoardHandle {
    board: Arc<str>,
    opened_with: Arc<Open>,
    journal: JournalHandle,
    commands: mpsc::Sender<Command>,
}

impl BoardHandle {
    /// A handle, and where its task hears what it is asked.
    pub(in crate::hall) fn new(
        board: Arc<str>,
        open: &Open,
        journal: JournalHandle,
    ) -> (Self, mpsc::Receiver<Command>) {
        let (commands, asked) = mpsc::channel(COMMANDS);
        (Self { board, opened_with: Arc::new(open.clone()), journal, commands }, asked)
    }

    /// Its name.
    pub(in crate::hall) fn board(&self) -> &str {
        &self.board
    }

    /// What the board was opened with.
    pub(in crate::hall) fn opened_with(&self) -> Arc<Open> {
        Arc::clone(&self.opened_with)
    }

    /// Gives the board a pairing, or takes it away; comes back when that is handed to the journal.
    ///
    /// # Errors
    /// [`RuleError`] if it was refused, or the board is gone or does not answer.
    pub(in crate::hall) async fn pair(&self, pairing: Option<OpenPairing>) -> Result<(), RuleError> {
        let (answer, answered) = oneshot::channel();
        let ask = async {
            self.commands
                .send(Command::Pair(pairing.map(Box::new), answer))
                .await
                .map_err(|_| RuleError::Closed)?;
            answered.await.map_err(|_| RuleError::Closed)?
        };
        // A board that hangs is told again later, and holds up the others no longer than this.
        timeout(ANSWER, ask).await.unwrap_or(Err(RuleError::Closed))
    }

    /// Has the game that is played here go on at another board; comes back when both boards are on disk.
    ///
    /// # Errors
    /// [`RuleError`] if either board refused it or is gone, or it is not on disk after five seconds.
    pub(in crate::hall) async fn goes(&self, going: Going) -> Result<(), RuleError> {
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Goes(Box::new(going), answer)).await.map_err(|_| RuleError::Closed)?;
        answered.await.map_err(|_| RuleError::Closed)??;
        self.is_on_disk().await
    }

    /// Exchanges the game that is played here for that of the board `elsewhere`, which does its part first. Comes back when
    /// it is on disk.
    ///
    /// # Errors
    /// [`RuleError`] if either board refused it or is gone, or it is not on disk after five seconds.
    pub(in crate::hall) async fn exchanges(
        &self,
        own: Exchanging,
        elsewhere: Option<Elsewhere>,
    ) -> Result<(), RuleError> {
        let (answer, answered) = oneshot::channel();
        let asked = Command::Exchanges(Box::new(own), elsewhere.map(Box::new), answer);
        self.commands.send(asked).await.map_err(|_| RuleError::Closed)?;
        answered.await.map_err(|_| RuleError::Closed)??;
        self.is_on_disk().await
    }

    /// Has the board exchange its game before the one that asks.
    ///
    /// # Errors
    /// As [`BoardHandle::comes`].
    pub(in crate::hall) async fn exchanges_first(&self, own: Exchanging) -> Result<(), RuleError> {
        self.asked(|answer| Command::Exchanges(Box::new(own), None, answer)).await
    }

    /// Has a game come here from another board.
    ///
    /// # Errors
    /// [`RuleError`] if it was refused, or the board is gone or does not answer: then it does not come any more.
    pub(in crate::hall) async fn comes(&self, moved: Moved) -> Result<(), RuleError> {
        self.asked(|answer| Command::Comes(Box::new(moved), answer)).await
    }

    /// Asks for another board, which waits for the answer.
    async fn asked(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<(), RuleError>>) -> Command,
    ) -> Result<(), RuleError> {
        let (answer, mut answered) = oneshot::channel();
        let ask = async {
            self.commands.send(command(answer)).await.map_err(|_| RuleError::Closed)?;
            (&mut answered).await.map_err(|_| RuleError::Closed)?
        };
        if let Ok(answer) = timeout(COMING, ask).await {
            return answer;
        }
        answered.close();
        // It may have said so at this moment.
        answered.try_recv().unwrap_or(Err(RuleError::Closed))
    }

    /// Has a ruling carried out; comes back when it is on disk.
    ///
    /// # Errors
    /// [`RuleError`] if it was refused, the board is gone, or it is not on disk after five seconds.
    pub async fn rule(&self, ruling: Ruled) -> Result<(), RuleError> {
        // Those who rule know events by their `seq`; only the journal knows what the table calls them.
        let ruling = self.journal.own(&self.board, ruling)?;
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Rule(ruling, answer)).await.map_err(|_| RuleError::Closed)?;
        answered.await.map_err(|_| RuleError::Closed)??;
        self.is_on_disk().await
    }

    async fn is_on_disk(&self) -> Result<(), RuleError> {
        match timeout(PATIENCE, self.journal.settled()).await {
            Ok(Ok(true)) => Ok(()),
            _ => Err(RuleError::NotOnDisk),
        }
    }
}

impl BoardHandle {
    /// What board and clock show now; `None` if the board is being closed.
    pub async fn picture(&self) -> Option<Picture> {
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Look(answer)).await.ok()?;
        answered.await.ok()
    }

    /// Has the board show its players something, as far as it can.
    pub async fn announce(&self, announcement: Announcement) {
        // A board that is being closed shows nothing any more.
        let _gone = self.commands.send(Command::Announce(announcement)).await;
    }
}
