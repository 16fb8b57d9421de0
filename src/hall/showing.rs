//! Shows what the journal has on disk: to the desk at once, to spectators when their time has come.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::beginning::Beginning;
use super::clock::Clock;
use super::metrics::Metrics;
use super::tap::Tap;
use crate::feed::delay::{DelayQueue, Delays};
use crate::feed::hub::{BOARDS, DeskHub, PublicHub};
use crate::feed::incident;
use crate::journal::{Committed, JournalHandle, Reader, Recovered};
use adoube_core::event::{Numbered, PublicEvent, Publisher};
use adoube_rules::stamp::{MS, Stamp};

/// Public events that wait in memory, about a kilobyte each: three quarters of an hour of a thousand boards.
/// What is more waits in the journal.
const WAITING: usize = 250_000;

/// Between two looks at what was committed: fewer commits than may wait fall into it.
const LOOK: Duration = Duration::from_millis(20);

/// Before a delay, seconds: how the journal calls what is shown so late.
const MARK: &str = "shown-after-";

/// Both sides.
#[derive(Debug)]
pub(crate) struct Showing {
    desk: Arc<DeskHub>,
    tap: Arc<Tap>,
    pub(super) release: Release,
    metrics: Arc<Metrics>,
}

impl Showing {
    pub(crate) fn new(desk: Arc<DeskHub>, tap: Arc<Tap>, release: Release, metrics: Arc<Metrics>) -> Self {
        Self { desk, tap, release, metrics }
    }

    /// Waits until somebody has looked what is shown first; with it, what was `committed` meanwhile: boards do not wait for
    /// it. `None` if nobody will.
    pub(crate) fn begins(
        &self,
        beginning: &Receiver<Beginning>,
        committed: &Receiver<Committed>,
    ) -> Option<(Beginning, VecDeque<Committed>)> {
        let mut waiting = VecDeque::new();
        loop {
            waiting.extend(committed.try_iter());
            match beginning.recv_timeout(LOOK) {
                Ok(beginning) => return Some((beginning, waiting)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Shows what the journal holds, as if it were said again, before anything new is; gives what waits behind it, and
    /// what was `committed` meanwhile.
    pub(crate) fn load(
        &mut self,
        folder: &Path,
        beginning: &Beginning,
        mut waiting: VecDeque<Committed>,
        committed: &Receiver<Committed>,
    ) -> VecDeque<Committed> {
        // What comes by so has holes, and nobody can go on behind one.
        for event in beginning.before(folder) {
            self.desk.show(&event);
            self.release.take(&event);
            self.release.release_due();
            waiting.extend(committed.try_iter());
        }
        self.release.is_let_out = true;
        self.desk.begin(beginning.from - 1, &beginning.outlined);
        self.release.public.begin(beginning.public, &beginning.outlined);
        for event in stored(folder, beginning.from).take_while(|event| event.seq <= beginning.last) {
            self.desk.push(&event);
            self.release.take(&event);
            self.release.release_due();
            waiting.extend(committed.try_iter());
        }
        self.release.begin();
        waiting
    }

    /// Lets committed events go out, in order, until the journal is closed; first those that wait.
    pub(crate) fn run(mut self, waiting: VecDeque<Committed>, committed: &Receiver<Committed>) {
        for commit in waiting {
            self.show(commit);
            self.release.release_due();
        }
        loop {
            let commit = match self.release.wait() {
                None => committed.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => committed.recv_timeout(wait),
            };
            match commit {
                Ok(commit) => self.show(commit),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.release.release_due();
        }
    }

    pub(super) fn show(&mut self, commit: Committed) {
        for event in &commit.events {
            self.desk.push(event);
            self.release.take(event);
            incident::log(event);
            self.metrics.event(event);
        }
        if !commit.events.is_empty() {
            self.metrics.shown(commit.at.elapsed());
        }
        for aside in commit.asides {
            if aside.name == BOARDS {
                let is_here = aside.json.get("here") == Some(&true.into());
                // One that comes begins afresh.
                if is_here {
                    self.desk.reopen(&aside.board);
                }
                self.desk.set_here(&aside.board, is_here);
                self.release.public.set_here(&aside.board, is_here);
            }
            self.desk.tell(aside.name, &aside.board, aside.json);
        }
        for pictures in commit.pictures {
            self.tap.show(pictures);
        }
        for beat in commit.beats {
            // Whoever asked may have gone.
            let _gone = beat.send(());
        }
    }
}

/// The way to the spectators: what is public, when its time has come.
#[derive(Debug)]
pub(crate) struct Release {
    public: Arc<PublicHub>,
    publisher: Publisher,
    queue: DelayQueue<PublicEvent>,
    clock: Clock,
    journal: JournalHandle,
    /// The journal's folder, for what has no room in the queue.
    folder: PathBuf,
    /// By delay, the number of the last event that went out, as far as the journal was told.
    sent: BTreeMap<u32, u64>,
    /// From the last input before the start to the start, nanoseconds: what lies before it waits so much longer.
    away_ns: i64,
    started_ns: i64,
    /// The last event that the publisher took.
    seq: u64,
    /// By board, the number of the last event that was given a place.
    placed: BTreeMap<Arc<str>, u64>,
    /// The first event that has no place, and what the publisher knew before it: from there on they wait in the
    /// journal.
    full: Option<(u64, Publisher)>,
    are_alike: bool,
    limit: usize,
    /// What is due is sent to who listens, and kept for who comes back; before that it is shown alone.
    is_let_out: bool,
}

impl Release {
    pub(crate) fn new(
        delays: &Delays,
        public: Arc<PublicHub>,
        clock: Clock,
        journal: JournalHandle,
        (folder, recovered): (&Path, &Recovered),
    ) -> Self {
        let started_ns = clock.now().utc_ns;
        let last_ns = recovered.last_stamp.map_or(started_ns, |last| last.utc_ns);
        let own = |(feed, &number): (&String, _)| Some((feed.strip_prefix(MARK)?.parse().ok()?, number));
        Self {
            public,
            publisher: Publisher::default(),
            queue: DelayQueue::new(delays.clone()),
            clock,
            journal,
            folder: folder.to_owned(),
            sent: recovered.sent.iter().filter_map(own).collect(),
            away_ns: started_ns.saturating_sub(last_ns),
            started_ns,
            seq: 0,
            placed: BTreeMap::new(),
            full: None,
            are_alike: delays.are_alike(),
            limit: WAITING,
            is_let_out: false,
        }
    }

    /// What the journal held is out, as far as its time has come.
    fn begin(&self) {
        self.public.settle();
        // It may have gone out in another order before the restart.
        if !self.are_alike {
            self.public.forget_recent();
        }
    }

    fn take(&mut self, event: &Numbered) {
        // One that was read from the journal comes by again.
        if event.seq <= self.seq || self.full.is_some() {
            return;
        }
        if self.queue.len() >= self.limit {
            self.full = Some((event.seq, self.publisher.clone()));
            return;
        }
        self.seq = event.seq;
        let published = self.publisher.publish(event);
        // Most events of a board are no spectator's.
        if published.is_empty() {
            return;
        }
        // A move that waited for its completion happened, for spectators, with it.
        let at_ns = Stamp::parse_utc(&event.at).unwrap_or_else(|| self.clock.now().utc_ns);
        for public in published {
            self.place(&event.board, public, at_ns);
        }
    }

    fn place(&mut self, board: &Arc<str>, event: PublicEvent, at_ns: i64) {
        let number = event.id;
        if self.placed.get(board).is_some_and(|&placed| number <= placed) {
            return;
        }
        self.placed.insert(Arc::clone(board), number);
        let is_out = self.sent.get(&self.queue.delays.of_s(board)).is_some_and(|&sent| number <= sent);
        let at_ns = match at_ns {
            // What was seen once is seen.
            _ if is_out => i64::MIN,
            // How long nobody was there to see the time pass, only the machine's clock tells, which may have
            // been put right meanwhile: nothing goes out on its word alone.
            at_ns if at_ns < self.started_ns => at_ns.saturating_add(self.away_ns),
            at_ns => at_ns,
        };
        self.queue.push(event, number, board, at_ns);
    }

    pub(super) fn release_due(&mut self) {
        loop {
            let now_ns = self.clock.now().utc_ns;
            while let Some(released) = self.queue.release(now_ns) {
                if self.is_let_out {
                    self.public.push(&released.item);
                } else {
                    self.public.show(&released.item);
                }
                self.note(released.delay_s, released.number);
            }
            if self.queue.len() > self.limit / 2 || !self.refill() {
                return;
            }
        }
    }

    /// Has the journal know what went out, if there is a difference between that and what happened.
    fn note(&mut self, delay_s: u32, number: u64) {
        let sent = self.sent.entry(delay_s).or_default();
        if delay_s > 0 && number > *sent {
            *sent = number;
            self.journal.sent(&format!("{MARK}{delay_s}"), number);
        }
    }

    /// Gives places to what waits in the journal; false if nothing does.
    fn refill(&mut self) -> bool {
        let Some((first, publisher)) = self.full.take() else { return false };
        (self.seq, self.publisher) = (first - 1, publisher);
        for event in stored(&self.folder.clone(), first) {
            self.take(&event);
            if self.full.is_some() {
                break;
            }
        }
        true
    }

    /// How long nothing is due.
    pub(super) fn wait(&self) -> Option<Duration> {
        let due_ns = self.queue.due_ns()?;
        let now = self.clock.now();
        let missing_ns = u64::try_from(due_ns.saturating_sub(now.utc_ns)).unwrap_or(0);
        // A millisecond more: a timer may be early.
        Some(self.clock.until(now.mono_ns + missing_ns) + Duration::from_nanos(MS))
    }
}

/// The events that the journal holds, from the number `first` on.
fn stored(folder: &Path, first: u64) -> impl Iterator<Item = Numbered> {
    Reader::open(folder, first).filter_map(|stored| {
        let stored = stored.map_err(|error| error.to_string()).and_then(|stored| stored.numbered());
        stored.inspect_err(|error| tracing::error!("journal: {error}")).ok()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::feed::hub::Start;
    use crate::journal::{InputKind, Journal, Submission};
    use adoube_core::event::{Body, Event, GameName, Publicity};

    /// An hour and a minute pass in 61 milliseconds.
    const SPEED: f64 = 60_000.0;

    /// Hands in `count` public events of two boards by turns, as they happen.
    async fn submit(journal: &JournalHandle, clock: &Clock, count: u64) {
        for number in 0..count {
            let at = clock.now();
            let game = Some(GameName::Given("1-1".into()));
            let body = Body::ClockRead(None);
            let event = Event { at, elapsed_ns: at.mono_ns, game, publicity: Publicity::Usual, body };
            let board = if number % 2 == 0 { "1" } else { "2" }.into();
            let kind = if number < 2 { InputKind::Open } else { InputKind::Wake };
            let submission = Submission { board, stamp: at, kind, data: Vec::new(), events: vec![event] };
            journal.submit(submission).await.unwrap();
        }
        journal.settled().await.unwrap();
    }

    fn numbers(hub: &PublicHub) -> Vec<u64> {
        match hub.subscribe(Some(("", 0))).0 {
            Start::Resume(frames) => frames.iter().map(|frame| frame.number).collect(),
            Start::Snapshot => panic!("more than a hub keeps"),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a thread waits for its time, as the real one does")]
    #[test]
    fn what_has_no_room_waits_in_the_journal_and_comes_in_its_turn() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (commits, committed) = sync_channel(1_000);
        let sink = move |commit| commits.send(commit).unwrap();
        let (journal, recovered) = Journal::open(folder.path(), 1, sink).unwrap();
        let clock = Clock::start(None, SPEED);
        let public = Arc::new(PublicHub::default());
        let delays = Delays { usual_s: 3_600, boards: BTreeMap::from([("2".to_owned(), 60)]) };
        let mut release = Release::new(
            &delays,
            Arc::clone(&public),
            clock.clone(),
            journal.clone(),
            (folder.path(), &recovered),
        );
        (release.limit, release.is_let_out) = (10, true);
        runtime.block_on(submit(&journal, &clock, 100));
        while let Ok(commit) = committed.try_recv() {
            commit.events.iter().for_each(|event| release.take(event));
        }
        assert!(release.full.is_some());
        assert_eq!(release.queue.len(), 10);
        while let Some(wait) = release.wait() {
            std::thread::sleep(wait);
            release.release_due();
        }
        let out = numbers(&public);
        let of_board = |rest| out.iter().copied().filter(|number| number % 2 == rest).collect::<Vec<_>>();
        assert_eq!(of_board(1), (1..=100).step_by(2).collect::<Vec<_>>());
        assert_eq!(of_board(0), (2..=100).step_by(2).collect::<Vec<_>>());
        journal.close();
    }

    /// A machine that slept, or whose clock was put right meanwhile, says that hours have passed.
    #[test]
    fn time_that_nobody_saw_pass_lets_nothing_out() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let hour = Stamp { mono_ns: 0, utc_ns: 3_600_000_000_000 };
        let first = Clock::start(Some(hour), 1.0);
        let delays = Delays { usual_s: 60, boards: BTreeMap::new() };
        let release = |journal: &JournalHandle, recovered: &Recovered, clock: &Clock| {
            let public = Arc::new(PublicHub::default());
            let released = Release::new(
                &delays,
                Arc::clone(&public),
                clock.clone(),
                journal.clone(),
                (folder.path(), recovered),
            );
            let mut showing = Showing::new(
                Arc::default(),
                Arc::default(),
                released,
                Arc::new(Metrics::new(journal.figures())),
            );
            let beginning = Beginning::of(folder.path(), (recovered.last_seq, recovered.last_stamp), &delays);
            showing.load(folder.path(), &beginning, VecDeque::default(), &std::sync::mpsc::channel().1);
            (public, showing)
        };
        let (journal, _) = Journal::open(folder.path(), 1, drop).unwrap();
        runtime.block_on(submit(&journal, &first, 4));
        journal.sent(&format!("{MARK}60"), 2);
        journal.close();

        let (journal, recovered) = Journal::open(folder.path(), 1, drop).unwrap();
        let mut last = recovered.last_stamp.unwrap();
        last.utc_ns += 3_600_000_000_000;
        let (public, showing) = release(&journal, &recovered, &Clock::start(Some(last), 1.0));
        // Two were out before; of the others a minute must pass that somebody sees.
        assert_eq!(numbers(&public), [1, 2]);
        let wait = showing.release.wait().unwrap();
        assert!(wait > Duration::from_secs(50) && wait < Duration::from_secs(62), "{wait:?}");
        journal.close();
    }
}
