//! The task of one board: its link, its station, its way into the journal.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::clock::Clock;
use super::neighbours::{Neighbours, Said};
use super::restart;
use crate::config::Port;
use crate::event::Event;
use crate::feed::alternatives::alternatives;
use crate::feed::hub::{ALTERNATIVES, READINESS};
use crate::feed::readiness::readiness;
use crate::infer::Choice;
use crate::journal::{Aside, InputKind, JournalHandle, Pictures, Submission, SubmitError};
use crate::link::{self, Backoff, LinkError, Stream, WRITE_TIMEOUT};
use crate::ruling::{Ruling, RulingError};
use crate::stamp::{SECOND, Stamp};
use crate::station::{Input, Open, OpenPairing, Output, Seen, SeenKind, Station};
use crate::table::{Neighbour, Picture, Readiness};
use crate::wire::{self, Announcement, LineSettings, LostReason, dgt};

/// Rulings that may wait for a board: an arbiter is slower than this.
const COMMANDS: usize = 16;
/// What is told of a board before its game changes with every man put down: once a second is enough.
const READINESS_NS: u64 = SECOND;
/// How long who rules waits for the disk: no working one takes so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long who gives a board its pairing waits: it is busy with a line that takes no bytes, at the most.
const ANSWER: Duration = Duration::from_secs(2);
/// After so long a link counts as good, and the next retry is quick again (reliability, rule 6).
const GOOD_NS: u64 = 30 * SECOND;

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

enum Command {
    Rule(Ruling, oneshot::Sender<Result<(), RuleError>>),
    Pair(Option<Box<OpenPairing>>, oneshot::Sender<Result<(), RuleError>>),
    Announce(Announcement),
    Look(oneshot::Sender<Picture>),
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
    /// What the board was opened with.
    pub(super) fn opened_with(&self) -> Arc<Open> {
        Arc::clone(&self.opened_with)
    }

    /// Gives the board a pairing, or takes it away; comes back when that is handed to the journal.
    ///
    /// # Errors
    /// [`RuleError`] if it was refused, or the board is gone or does not answer.
    pub(super) async fn pair(&self, pairing: Option<OpenPairing>) -> Result<(), RuleError> {
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

    /// Has a ruling carried out; comes back when it is on disk.
    ///
    /// # Errors
    /// [`RuleError`] if it was refused, the board is gone, or it is not on disk after five seconds.
    pub async fn rule(&self, ruling: Ruling) -> Result<(), RuleError> {
        // Those who rule know events by their `seq`; only the journal knows what the table calls them.
        let ruling = self.journal.own(&self.board, ruling).await??;
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Rule(ruling, answer)).await.map_err(|_| RuleError::Closed)?;
        answered.await.map_err(|_| RuleError::Closed)??;
        match timeout(PATIENCE, self.journal.settled()).await {
            Ok(Ok(true)) => Ok(()),
            _ => Err(RuleError::NotOnDisk),
        }
    }
}

/// Who else has to do with a board.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) neighbours: Arc<Neighbours>,
    /// Does anybody look on?
    pub(super) tap: watch::Receiver<bool>,
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

/// What the board's task owns.
pub(super) struct BoardTask {
    pub(super) board: Arc<str>,
    pub(super) port: Port,
    line: LineSettings,
    pub(super) station: Station,
    pub(super) journal: JournalHandle,
    pub(super) clock: Clock,
    pub(super) stop: watch::Receiver<bool>,
    commands: mpsc::Receiver<Command>,
    link: Link,
    backoff: Backoff,
    linked_ns: u64,
    failures: u32,
    neighbours: Arc<Neighbours>,
    tap: watch::Receiver<bool>,
    ear: watch::Receiver<Said>,
    /// What the station has heard, and what it last told.
    heard: Said,
    told: Neighbour,
    /// What the desk was last told of other moves.
    choice: Option<Choice>,
    /// What it was last told before the game, and when it may be told again.
    ready: Option<(bool, Option<Readiness>)>,
    ready_due_ns: u64,
}

type Opening = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, LinkError>> + Send>>;

enum Link {
    Opening(Opening),
    Open(Box<dyn Stream>),
}

/// What happens to a board.
enum Happening {
    Opened(Result<Box<dyn Stream>, LinkError>),
    Received(std::io::Result<Vec<u8>>),
    Command(Command),
    /// A board that this one has to do with said something.
    Heard,
    /// Somebody looks on, or nobody does any more.
    Watched,
    Wake,
    Stop,
}

fn opening(port: Port, line: LineSettings, wait: Duration) -> Link {
    Link::Opening(Box::pin(async move {
        sleep(wait).await;
        link::open(&port, line).await
    }))
}

impl BoardTask {
    /// A task that goes on with `station`.
    pub(super) fn new(
        port: Port,
        station: Station,
        journal: JournalHandle,
        clock: Clock,
        stop: watch::Receiver<bool>,
        Around { neighbours, tap }: Around,
    ) -> (Self, BoardHandle) {
        let (sender, commands) = mpsc::channel(COMMANDS);
        let board: Arc<str> = station.board().into();
        let seed =
            board.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let ear = neighbours.ear(&board);
        let protocol = wire::protocol(&station.opened_with().protocol).unwrap_or(&dgt::PROTOCOL);
        let line = protocol.line;
        let handle = BoardHandle {
            board: Arc::clone(&board),
            opened_with: Arc::new(station.opened_with().clone()),
            journal: journal.clone(),
            commands: sender,
        };
        let task = Self {
            neighbours,
            tap,
            ear,
            heard: Said::new(),
            told: Neighbour::default(),
            choice: None,
            ready: None,
            ready_due_ns: 0,
            link: opening(port.clone(), line, Duration::ZERO),
            line,
            board,
            port,
            station,
            journal,
            clock,
            stop,
            commands,
            backoff: Backoff::new(seed),
            linked_ns: 0,
            failures: 0,
        };
        (task, handle)
    }

    /// Records that the board was opened afresh.
    pub(super) async fn opened(&mut self, open: &Open, at: Stamp) {
        let data = serde_json::to_vec(open).unwrap_or_default();
        self.submit(at, InputKind::Open, data, Vec::new()).await;
    }

    /// Records that the link was lost when the daemon stopped: what happened since was not seen.
    pub(super) async fn restarted(&mut self) {
        self.take(Input::LinkDown).await;
    }

    /// Serves the board until told to stop.
    pub(super) async fn run(mut self) {
        loop {
            match self.next().await {
                Happening::Opened(Ok(stream)) => self.linked(stream).await,
                Happening::Opened(Err(error)) => self.not_opened(&error),
                Happening::Received(Ok(bytes)) if !bytes.is_empty() => {
                    self.take(Input::Bytes(bytes)).await;
                }
                // No bytes: the other end is gone (reliability 2.3).
                Happening::Received(_) => self.unlinked("the link is gone").await,
                Happening::Command(Command::Rule(ruling, answer)) => {
                    let ruled = self.take(Input::Ruling(ruling)).await;
                    // Whoever asked may have gone.
                    let _gone = answer.send(ruled.map_or(Ok(()), Err));
                }
                // Whoever asked has given up, and asks again for what is wanted then.
                Happening::Command(Command::Pair(_, answer)) if answer.is_closed() => {}
                Happening::Command(Command::Pair(pairing, answer)) => {
                    let paired = self.take(Input::Pairing(pairing.map(|pairing| *pairing))).await;
                    let _gone = answer.send(paired.map_or(Ok(()), Err));
                }
                Happening::Command(Command::Announce(announcement)) => {
                    self.take(Input::Announce(announcement)).await;
                }
                Happening::Command(Command::Look(answer)) => {
                    // Whoever asked may have gone.
                    let _gone = answer.send(self.station.picture());
                }
                Happening::Heard => self.listen().await,
                Happening::Watched => self.show_now(),
                Happening::Wake => {
                    self.take(Input::Wake).await;
                }
                Happening::Stop => return,
            }
        }
    }

    async fn next(&mut self) -> Happening {
        let untold_ns = self.readiness_news().map(|_| self.ready_due_ns);
        let wake = self.station.wake_at_ns().into_iter().chain(untold_ns).min();
        let wake = wake.map(|at_ns| self.clock.until(at_ns));
        let wake = async {
            match wake {
                Some(wait) => {
                    sleep(wait).await;
                    // What arrived while we were held up is heard before the time that passed.
                    tokio::task::yield_now().await;
                }
                None => std::future::pending().await,
            }
        };
        let link = async {
            match &mut self.link {
                Link::Opening(opening) => Happening::Opened(opening.await),
                Link::Open(stream) => {
                    // As much as a serial line brings in half a second.
                    let mut bytes = vec![0; 512];
                    let read = stream.read(&mut bytes).await;
                    Happening::Received(read.map(|count| {
                        bytes.truncate(count);
                        bytes
                    }))
                }
            }
        };
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|&stop| stop) => Happening::Stop,
            Some(command) = self.commands.recv() => Happening::Command(command),
            Ok(()) = self.ear.changed() => Happening::Heard,
            Ok(()) = self.tap.changed() => Happening::Watched,
            happening = link => happening,
            () = wake => Happening::Wake,
        }
    }

    /// Takes an input through the station, hands both to the journal, and writes what the station
    /// wants written. The journal comes first: a board that takes no bytes is the next input.
    /// Gives why it was not done, if it was refused or the journal has no room for it.
    async fn take(&mut self, input: Input) -> Option<RuleError> {
        let at = self.clock.now();
        let mut output = Output { seen: self.tap.borrow().then(Vec::new), ..Output::default() };
        self.station.handle(&input, at, &mut output);
        let is_answer = matches!(input, Input::Bytes(_));
        // A ruling that was refused left nothing behind but the timers that were due by then.
        // An announcement is for the players' eyes alone.
        let is_without_trace = output.refused.is_some() || matches!(input, Input::Announce(_));
        let input = if is_without_trace { Input::Wake } else { input };
        let mut is_lost = false;
        // A wake that changed nothing changes nothing in a replay either.
        if !(input == Input::Wake && output.events.is_empty()) {
            let (kind, data) = restart::stored(&input);
            is_lost = !self.submit(at, kind, data, output.events).await;
        }
        self.show(output.seen.unwrap_or_default());
        self.tell();
        self.tell_desk();
        self.tell_readiness(at);
        for bytes in output.writes {
            self.write(&bytes).await;
        }
        // What had waited while we did not look is an answer, and the session goes on with it.
        if let Some(reason) = output.lost.filter(|&reason| !(is_answer && reason == LostReason::Silent)) {
            Box::pin(self.unlinked(&format!("the board does not answer ({reason:?})"))).await;
        }
        output.refused.map(RuleError::Refused).or_else(|| is_lost.then_some(RuleError::NotOnDisk))
    }

    /// Passes on what was seen, for who looks on.
    fn show(&self, seen: Vec<Seen>) {
        if !seen.is_empty() {
            self.journal.pictures(Pictures { board: Arc::clone(&self.board), seen });
        }
    }

    /// Whoever begins to look on is shown what stands there: the next reading may be long in coming.
    fn show_now(&self) {
        let picture = self.station.picture();
        if *self.tap.borrow() && !picture.contents.is_empty() {
            let at = self.clock.now();
            self.show(vec![Seen { kind: SeenKind::Reading, at, picture, events_before: 0 }]);
        }
    }

    /// Takes what other boards said and this one has not heard yet.
    async fn listen(&mut self) {
        let said = self.ear.borrow_and_update().clone();
        for (board, news) in said {
            if self.heard.get(&board) != Some(&news) {
                self.heard.insert(board, news.clone());
                self.take(Input::Neighbour(news)).await;
            }
        }
    }

    /// Tells the boards that have to do with this one what it shows, if that is new.
    fn tell(&mut self) {
        if self.station.neighbours().next().is_none() {
            return;
        }
        let news = self.station.as_neighbour();
        if news != self.told {
            for board in self.station.neighbours() {
                self.neighbours.tell(board, &news);
            }
            self.told = news;
        }
    }

    /// Tells the desk what else the board could show, if that is new.
    fn tell_desk(&mut self) {
        let choice = self.station.choice();
        if choice != self.choice {
            let json = alternatives(&self.board, choice.as_ref());
            self.journal.aside(Aside { name: ALTERNATIVES, board: Arc::clone(&self.board), json });
            self.choice = choice;
        }
    }

    /// Whether the board is ready for its game, if the desk was told otherwise.
    fn readiness_news(&self) -> Option<(bool, Option<Readiness>)> {
        let now = (self.station.is_answering(), self.station.readiness());
        // During a game only that it is under way.
        let now = if now.1.is_none() { (true, None) } else { now };
        (self.ready.as_ref() != Some(&now)).then_some(now)
    }

    /// Tells the desk how far the board is ready for its game, if that is new and not too soon.
    fn tell_readiness(&mut self, at: Stamp) {
        let Some(news) = self.readiness_news().filter(|_| at.mono_ns >= self.ready_due_ns) else { return };
        let json = readiness(&self.board, news.0, news.1.as_ref());
        self.journal.aside(Aside { name: READINESS, board: Arc::clone(&self.board), json });
        self.ready_due_ns = at.mono_ns + READINESS_NS;
        self.ready = Some(news);
    }

    #[expect(clippy::needless_pass_by_ref_mut, reason = "a shared borrow of a stream may not cross threads")]
    async fn submit(&mut self, stamp: Stamp, kind: InputKind, data: Vec<u8>, events: Vec<Event>) -> bool {
        let submission = Submission { board: Arc::clone(&self.board), stamp, kind, data, events };
        let submitted = self.journal.submit(submission).await;
        if let Err(error) = &submitted {
            tracing::error!(board = %self.board, %error, "an input is not in the journal");
        }
        submitted.is_ok()
    }

    async fn write(&mut self, bytes: &[u8]) {
        let Link::Open(stream) = &mut self.link else { return };
        let written = timeout(WRITE_TIMEOUT, stream.write_all(bytes)).await;
        // A link that is broken says so to the next read; one that is stuck is closed here.
        if written.is_err() {
            Box::pin(self.unlinked("the board takes no bytes")).await;
        }
    }

    async fn linked(&mut self, stream: Box<dyn Stream>) {
        tracing::info!(board = %self.board, port = %self.port, "linked");
        self.link = Link::Open(stream);
        self.linked_ns = self.clock.now().mono_ns;
        self.failures = 0;
        self.take(Input::LinkUp).await;
    }

    async fn unlinked(&mut self, reason: &str) {
        if !matches!(self.link, Link::Open(_)) {
            return;
        }
        tracing::warn!(board = %self.board, port = %self.port, reason, "unlinked");
        if self.clock.now().mono_ns.saturating_sub(self.linked_ns) > GOOD_NS {
            self.backoff.reset();
        }
        self.link = opening(self.port.clone(), self.line, self.backoff.next_wait());
        self.take(Input::LinkDown).await;
    }

    fn not_opened(&mut self, error: &LinkError) {
        self.failures += 1;
        // The first, the second, the fourth …: nobody reads the same line a thousand times.
        if self.failures.is_power_of_two() {
            tracing::warn!(board = %self.board, tries = self.failures, "{error}");
        }
        self.link = opening(self.port.clone(), self.line, self.backoff.next_wait());
    }
}
