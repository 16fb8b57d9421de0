//! The task of one board: its link, its station, its way into the journal.

mod budget;
mod handle;
mod moving;
mod storing;

use budget::Budget;
use handle::Command;
pub use handle::{BoardHandle, RuleError};
pub(super) use handle::{Elsewhere, Exchanging, Going};

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::clock::Clock;
use super::fleet::{Condition, Ending};
use super::metrics::{LinkFault, Metrics};
use super::neighbours::{Neighbours, Said};
use super::quiet::Quiet;
use super::restart;
use super::sensors::{Remembered, Sensors};
use crate::feed::alternatives::alternatives;
use crate::feed::hub::{ALTERNATIVES, READINESS};
use crate::feed::readiness::readiness;
use crate::journal::{Aside, JournalHandle, OwnPlaces, PATIENCE, Pictures, Place, SubmitError};
use crate::link::Port;
use crate::link::{self, Backoff, LinkError, Stream, WRITE_TIMEOUT};
use adoube_core::event::Body;
use adoube_core::infer::Choice;
use adoube_core::ruling::RulingError;
use adoube_core::station::{Input, Moved, Output, Seen, SeenKind, Station};
use adoube_core::table::{Neighbour, Readiness};
use adoube_core::wire::{self, LineSettings, LostReason, dgt};
use adoube_rules::stamp::{SECOND, Stamp};

/// What is told of a board before its game changes with every man put down: once a second is enough.
const READINESS_NS: u64 = SECOND;
/// After so long a link counts as good, and the next retry is quick again (reliability, rule 6).
const GOOD_NS: u64 = 30 * SECOND;
/// Does the board answer, how far is it ready, and what goes on in its game?
type Ready = (bool, Option<Readiness>, Option<&'static str>);

/// What is said of a link that brings more than a board can say.
const FLOOD: &str =
    "it sends more than a board can, and is read at the speed of a line; is it a board at all?";

/// What is said of one that goes on like that.
const ALONE: &str = "it sends more than a board can, and is left alone for a minute; is it a board at all?";
/// So long it is left alone: it costs a seventh of a busy board then, and who repairs it waits no longer.
const ALONE_FOR: Duration = Duration::from_secs(60);

/// Who else has to do with a board.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) neighbours: Arc<Neighbours>,
    pub(super) metrics: Arc<Metrics>,
    /// What is known of boards that were here before.
    pub(super) sensors: Sensors,
    /// Does anybody look on?
    pub(super) tap: watch::Receiver<bool>,
    /// Where the board is, as whoever looks for boards has it.
    pub(super) place: watch::Receiver<Option<Port>>,
    /// Until when the task is there.
    pub(super) ending: watch::Receiver<Ending>,
    /// How the board is, for who asks.
    pub(super) condition: Arc<Mutex<Condition>>,
}

/// What the board's task owns.
pub(super) struct BoardTask {
    pub(super) board: Arc<str>,
    /// Where it is; `None`: nobody knows.
    port: Option<Port>,
    line: LineSettings,
    pub(super) station: Station,
    pub(super) journal: JournalHandle,
    pub(super) clock: Clock,
    ending: watch::Receiver<Ending>,
    place: watch::Receiver<Option<Port>>,
    condition: Arc<Mutex<Condition>>,
    commands: mpsc::Receiver<Command>,
    link: Link,
    backoff: Backoff,
    linked_ns: u64,
    /// How fast it is read.
    budget: Budget,
    failures: u32,
    neighbours: Arc<Neighbours>,
    metrics: Arc<Metrics>,
    remembered: Remembered,
    tap: watch::Receiver<bool>,
    ear: watch::Receiver<Said>,
    /// What the station has heard, and what it last told.
    heard: Said,
    told: Neighbour,
    /// What the desk was last told of other moves.
    choice: Option<Choice>,
    /// What it was last told before the game, and when it may be told again.
    ready: Option<Ready>,
    ready_due_ns: u64,
    /// The place in the journal of what comes next: without one nothing is read.
    room: Option<Place>,
    /// So that the others do not wait for it while nothing comes.
    _own_places: OwnPlaces,
    /// The last bytes, and what is being said again and again.
    last: Vec<u8>,
    quiet: Option<Quiet>,
    /// So many inputs lie in the journal since the board was opened there.
    since_open: u32,
}

type Opening = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, LinkError>> + Send>>;

enum Link {
    /// It is told where the board is first.
    Nowhere,
    Opening(Opening),
    Open(Box<dyn Stream>),
}

/// What happens to a board.
enum Happening {
    Opened(Result<Box<dyn Stream>, LinkError>),
    Received(std::io::Result<Vec<u8>>),
    Command(Command),
    /// The board is somewhere else.
    Placed,
    /// A board that this one has to do with said something.
    Heard,
    /// Somebody looks on, or nobody does any more.
    Watched,
    Wake,
    /// There is a place for what comes next.
    Room(Place),
    Stop,
}

fn opening(port: Option<&Port>, line: LineSettings, wait: Duration) -> Link {
    let Some(port) = port.cloned() else { return Link::Nowhere };
    Link::Opening(Box::pin(async move {
        sleep(wait).await;
        link::open(&port, line).await
    }))
}

impl BoardTask {
    /// A task that goes on with `station`.
    pub(super) fn new(
        station: Station,
        journal: JournalHandle,
        clock: Clock,
        Around { neighbours, metrics, sensors, tap, mut place, ending, condition }: Around,
    ) -> (Self, BoardHandle) {
        let board: Arc<str> = station.board().into();
        let seed =
            board.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let ear = neighbours.ear(&board);
        let protocol = wire::protocol(&station.opened_with().protocol).unwrap_or(&dgt::PROTOCOL);
        let line = protocol.line;
        let (handle, commands) = BoardHandle::new(Arc::clone(&board), station.opened_with(), journal.clone());
        let port = place.borrow_and_update().clone();
        let task = Self {
            neighbours,
            metrics,
            remembered: Remembered::new(sensors),
            tap,
            ear,
            heard: Said::new(),
            told: Neighbour::default(),
            choice: None,
            ready: None,
            ready_due_ns: 0,
            room: None,
            _own_places: journal.own_places(),
            last: Vec::new(),
            quiet: None,
            since_open: 0,
            link: opening(port.as_ref(), line, Duration::ZERO),
            line,
            board,
            port,
            station,
            journal,
            clock,
            ending,
            place,
            condition,
            commands,
            backoff: Backoff::new(seed),
            linked_ns: 0,
            budget: Budget::default(),
            failures: 0,
        };
        (task, handle)
    }

    /// Records that nobody looked since the daemon stopped; what the board was about to take then it takes now.
    pub(super) async fn restarted(&mut self, owed: Option<Box<Moved>>) {
        // First: what would fall due until now belongs to the game under its other name.
        if let Some(owed) = owed {
            self.take(Input::Moved(owed)).await;
        }
        self.take(Input::Restarted).await;
    }

    /// Serves the board until told to stop.
    pub(super) async fn run(mut self) {
        self.tell_place().await;
        self.report();
        loop {
            match self.next().await {
                Happening::Opened(Ok(stream)) => self.linked(stream).await,
                Happening::Opened(Err(error)) => self.not_opened(&error),
                Happening::Received(Ok(bytes)) if !bytes.is_empty() => {
                    self.metrics.received(bytes.len());
                    self.pay(bytes.len());
                    self.take(Input::Bytes(bytes)).await;
                    if self.budget.is_hopeless() {
                        self.unlinked(ALONE).await;
                        self.link = opening(self.port.as_ref(), self.line, ALONE_FOR);
                    }
                }
                // No bytes: the other end is gone (reliability 2.3).
                Happening::Received(_) => self.unlinked("the link is gone").await,
                Happening::Command(Command::Rule(ruling, answer)) => {
                    // Whoever asked may have gone.
                    let _gone = answer.send(self.rule(Input::Ruling(ruling)).await);
                }
                // Whoever asked has given up, and asks again for what is wanted then.
                Happening::Command(Command::Pair(_, answer)) if answer.is_closed() => {}
                Happening::Command(Command::Pair(pairing, answer)) => {
                    let pairing = Input::Pairing(pairing.map(|pairing| *pairing));
                    let _gone = answer.send(self.rule(pairing).await);
                }
                Happening::Command(Command::Goes(going, answer)) => {
                    let _gone = answer.send(self.goes(*going).await);
                }
                Happening::Command(Command::Exchanges(own, elsewhere, answer)) => {
                    let elsewhere = elsewhere.map(|elsewhere| *elsewhere);
                    let exchanged = self.exchanges(*own, elsewhere, || answer.is_closed()).await;
                    let _gone = answer.send(exchanged);
                }
                Happening::Command(Command::Comes(moved, answer)) => {
                    let room = self.has_room().await;
                    // The other board has given up, and keeps its game.
                    if !answer.is_closed() {
                        let come = match room {
                            Ok(()) => self.rule(Input::Moved(moved)).await,
                            Err(error) => Err(error),
                        };
                        let _gone = answer.send(come);
                    }
                }
                Happening::Command(Command::Announce(announcement)) => {
                    self.take(Input::Announce(announcement)).await;
                }
                Happening::Command(Command::Look(answer)) => {
                    // Whoever asked may have gone.
                    let _gone = answer.send(self.station.picture());
                }
                Happening::Placed => self.placed().await,
                Happening::Heard => self.listen().await,
                Happening::Watched => self.show_now(),
                Happening::Wake => {
                    let now = self.clock.now();
                    if self.quiet.as_ref().is_some_and(|quiet| quiet.due_ns() <= now.mono_ns) {
                        self.hand_in_quiet(now);
                    }
                    self.take(Input::Wake).await;
                }
                Happening::Room(place) => self.room = Some(place),
                Happening::Stop => return self.end().await,
            }
        }
    }

    async fn next(&mut self) -> Happening {
        let untold_ns = self.readiness_news().map(|_| self.ready_due_ns);
        let quiet_ns = self.quiet.as_ref().map(Quiet::due_ns);
        let wake = self.station.wake_at_ns().into_iter().chain(untold_ns).chain(quiet_ns).min();
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
        let pause = Some(self.clock.until(self.budget.resume_ns())).filter(|pause| !pause.is_zero());
        let link = async {
            match &mut self.link {
                Link::Nowhere => std::future::pending().await,
                Link::Opening(opening) => Happening::Opened(opening.await),
                Link::Open(stream) => {
                    if let Some(pause) = pause {
                        sleep(pause).await;
                    }
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
        let has_room = self.room.is_some();
        tokio::select! {
            biased;
            _ = self.ending.wait_for(|&ending| ending != Ending::Never) => Happening::Stop,
            Ok(()) = self.place.changed() => Happening::Placed,
            Some(command) = self.commands.recv() => Happening::Command(command),
            Ok(()) = self.tap.changed() => Happening::Watched,
            Ok(place) = self.journal.place(self.clock.now()), if !has_room => Happening::Room(place),
            Ok(()) = self.ear.changed(), if has_room => Happening::Heard,
            happening = link, if has_room => happening,
            () = wake, if has_room => Happening::Wake,
        }
    }

    /// Takes what somebody decided, unless the disk hangs.
    async fn rule(&mut self, input: Input) -> Result<(), RuleError> {
        self.has_room().await?;
        match self.take(input).await {
            Some(refused) => Err(refused.into()),
            None => Ok(()),
        }
    }

    async fn has_room(&mut self) -> Result<(), RuleError> {
        if self.room.is_none() {
            let room = timeout(PATIENCE, self.journal.place(self.clock.now())).await;
            self.room = Some(room.map_err(|_| SubmitError::Full)??);
        }
        Ok(())
    }

    /// Takes an input through the station, once there is a place for it, hands both to the journal, and writes what
    /// the station wants written. The journal comes first: a board that takes no bytes is the next input.
    /// Gives why it was not done, if it was refused.
    async fn take(&mut self, input: Input) -> Option<RulingError> {
        // Of what comes once the journal is closed nobody will hear.
        let place = self.next_room().await?;
        let at = self.clock.now();
        let mut output = Output { seen: self.tap.borrow().then(Vec::new), ..Output::default() };
        let (began, before) = (Instant::now(), self.station.readings());
        self.station.handle(&input, at, &mut output);
        self.metrics.took(began.elapsed(), self.station.readings() - before, output.skipped_bytes);
        let is_answer = matches!(input, Input::Bytes(_));
        // A ruling that was refused left nothing behind but the timers that were due by then.
        // An announcement is for the players' eyes alone.
        let is_without_trace = output.refused.is_some() || matches!(input, Input::Announce(_));
        let input = if is_without_trace { Input::Wake } else { input };
        let has = |is_it: fn(&Body) -> bool| output.events.iter().any(|event| is_it(&event.body));
        let is_new_game = has(|body| matches!(body, Body::GameOpened(_)))
            || has(|body| matches!(body, Body::GameClosed { .. })) && self.station.is_set_up();
        let known = self.remembered.after(&output.events, &self.station);
        // A wake that changed nothing changes nothing in a replay either.
        if input == Input::Wake && output.events.is_empty() {
            self.room = Some(place);
        } else if let Input::Bytes(bytes) = &input
            && output.events.is_empty()
            && *bytes == self.last
        {
            self.quieten(place, at);
            self.open_again(is_new_game, at).await;
        } else {
            let (kind, data) = restart::stored(&input);
            if let Input::Bytes(bytes) = input {
                self.last = bytes;
            }
            self.hand_in(place, at, kind, data, output.events);
            self.open_again(is_new_game, at).await;
        }
        self.report();
        self.show(output.seen.unwrap_or_default());
        self.tell();
        self.tell_desk();
        self.tell_readiness(at);
        for bytes in output.writes {
            self.write(&bytes).await;
        }
        // What had waited while we did not look is an answer, and the session goes on with it.
        if let Some(reason) = output.lost.filter(|&reason| !(is_answer && reason == LostReason::Silent)) {
            Box::pin(self.unlinked(&reason.to_string())).await;
        }
        if let Some(known) = known {
            Box::pin(self.take(known)).await;
        }
        output.refused
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
    fn readiness_news(&self) -> Option<Ready> {
        // During a game only that it is under way, or what goes on in it.
        let now = match self.station.readiness() {
            None => (true, None, self.station.stage()),
            some => (self.station.is_answering(), some, None),
        };
        (self.ready.as_ref() != Some(&now)).then_some(now)
    }

    /// Tells the desk how far the board is ready for its game, if that is new and not too soon.
    fn tell_readiness(&mut self, at: Stamp) {
        let Some(news) = self.readiness_news().filter(|_| at.mono_ns >= self.ready_due_ns) else { return };
        let json = readiness(&self.board, self.station.family(), news.0, news.1.as_ref(), news.2);
        self.journal.aside(Aside { name: READINESS, board: Arc::clone(&self.board), json });
        self.ready_due_ns = at.mono_ns + READINESS_NS;
        self.ready = Some(news);
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
        tracing::info!(board = %self.board, port = %Shown(self.port.as_ref()), "linked");
        self.link = Link::Open(stream);
        self.linked_ns = self.clock.now().mono_ns;
        self.budget = Budget::default();
        self.failures = 0;
        self.metrics.linked();
        self.take(Input::LinkUp).await;
    }

    async fn unlinked(&mut self, reason: &str) {
        if !matches!(self.link, Link::Open(_)) {
            return;
        }
        tracing::warn!(board = %self.board, port = %Shown(self.port.as_ref()), reason, "unlinked");
        if self.clock.now().mono_ns.saturating_sub(self.linked_ns) > GOOD_NS {
            self.backoff.reset();
        }
        self.link = opening(self.port.as_ref(), self.line, self.backoff.next_wait());
        self.with_condition(|condition| condition.reason = Some(reason.to_owned()));
        self.metrics.unlinked(LinkFault::Lost);
        self.take(Input::LinkDown).await;
    }

    /// So much was read; one that says too much is named when that is clear.
    fn pay(&mut self, count: usize) {
        let before = self.budget.is_flooded();
        self.budget.take(count, self.clock.now().mono_ns);
        if !before && self.budget.is_flooded() {
            tracing::warn!(board = %self.board, port = %Shown(self.port.as_ref()), "{FLOOD}");
        }
    }

    fn not_opened(&mut self, error: &LinkError) {
        self.failures += 1;
        self.metrics.unlinked(LinkFault::NotOpened);
        // The first, the second, the fourth …: nobody reads the same line a thousand times.
        if self.failures.is_power_of_two() {
            tracing::warn!(board = %self.board, tries = self.failures, "{error}");
        }
        self.with_condition(|condition| condition.reason = Some(error.to_string()));
        self.link = opening(self.port.as_ref(), self.line, self.backoff.next_wait());
    }

    /// The board is somewhere else now, or nowhere; where it is already, it is tried at once.
    async fn placed(&mut self) {
        let port = self.place.borrow_and_update().clone();
        let is_open = matches!(self.link, Link::Open(_));
        if port == self.port && is_open {
            return;
        }
        tracing::info!(board = %self.board, port = %Shown(port.as_ref()), "placed");
        self.port = port;
        (self.failures, self.linked_ns) = (0, 0);
        self.backoff.reset();
        self.link = opening(self.port.as_ref(), self.line, Duration::ZERO);
        self.with_condition(|condition| condition.reason = None);
        if is_open {
            self.take(Input::LinkDown).await;
        }
        self.tell_place().await;
        self.report();
    }

    /// The station says where its board is, and has to know.
    async fn tell_place(&mut self) {
        let Some(port) = self.port.as_ref().map(Port::to_string) else { return };
        if self.station.opened_with().port != port {
            self.take(Input::Placed(port)).await;
        }
    }

    /// A board that goes while the others stay is lost from then on.
    async fn end(mut self) {
        let ending = *self.ending.borrow();
        if ending != Ending::Removed {
            return;
        }
        if matches!(std::mem::replace(&mut self.link, Link::Nowhere), Link::Open(_)) {
            self.take(Input::LinkDown).await;
        }
        self.take(Input::Removed).await;
    }

    /// Says how the board is, for who asks.
    fn report(&self) {
        let is_linked = matches!(self.link, Link::Open(_));
        let (port, station) = (self.port.as_ref(), &self.station);
        self.with_condition(|condition| condition.update(port, is_linked, station));
        if is_linked && self.budget.is_flooded() {
            self.with_condition(|condition| condition.reason = Some(FLOOD.to_owned()));
        }
    }

    fn with_condition(&self, change: impl FnOnce(&mut Condition)) {
        change(&mut self.condition.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Where a board is, for people.
struct Shown<'a>(Option<&'a Port>);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(port) => port.fmt(f),
            None => f.write_str("nowhere"),
        }
    }
}
