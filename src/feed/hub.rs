//! Where events go out to whoever watches: a snapshot first, then every event once.
//!
//! There are two hubs, and they do not know each other: the desk's holds private events, the public
//! one is fed with [`PublicEvent`]s alone.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use super::view::{GameView, HallView};
use adoube_core::event::{Numbered, PublicEvent};
use adoube_rules::laws::Name;

use snapshot::{Game, Kept};

mod about;
mod awaited;
mod desk;
mod relayed;
mod snapshot;

pub use about::{About, Heard};
pub use awaited::{PAIRINGS, Published};
pub use desk::{ALTERNATIVES, ASIDES, BOARDS, DeskSide, JOURNAL, PLAY, READINESS};
pub use relayed::HEARD;
pub use snapshot::{Moves, Snapshot};

/// Events that a viewer may be behind before it gets a snapshot instead (DESIGN 4.1).
const RECENT: usize = 256;

/// And so many for each board: a hall of a thousand says seven thousand in its busiest second, in bursts, and a
/// viewer that reads as fast as that must not be sent back for them.
const RECENT_PER_BOARD: usize = 8;

/// A hall of which nobody says how large it is: boards that come by themselves, or what a relay passes on.
pub const UNKNOWN: usize = 200;

/// For so long a hub knows when a move was let out.
const FRESH: Duration = Duration::from_secs(3);

/// How many events there is room for in a hall of so many boards.
fn room_for(boards: usize) -> usize {
    RECENT.max(boards.saturating_mul(RECENT_PER_BOARD))
}

/// One event on its way to the viewers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its number among its kind. What is public may be let out in another order.
    pub number: u64,
    /// How many were let out here up to it.
    pub position: u64,
    /// Its type.
    pub name: &'static str,
    /// The board that it is of; empty for the hall as a whole.
    pub board: Arc<str>,
    /// The game that it is of, if there is one.
    pub game: Option<Arc<str>>,
    /// Its JSON on one line.
    pub line: String,
    /// The same as server-sent events write it, once for all viewers.
    pub message: Bytes,
    /// It is no event and has no number of its own: the number is that of the last event before it.
    pub is_aside: bool,
}

/// What a viewer gets first.
#[derive(Debug)]
pub enum Start {
    /// Everything as it stands.
    Snapshot,
    /// The events since the last one that it has.
    Resume(Vec<Arc<Frame>>),
}

/// The last event that is out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number among its kind.
    pub number: u64,
    /// How many were let out with it.
    pub position: u64,
}

#[derive(Debug)]
struct Inner<S> {
    sender: broadcast::Sender<Arc<Frame>>,
    view: HallView,
    recent: VecDeque<Arc<Frame>>,
    /// Snapshots that may be good for the next viewer.
    kept: [Kept; 2],
    /// By board, the number of the last one that was let out.
    out: BTreeMap<Arc<str>, u64>,
    /// All up to this number were.
    all_out: u64,
    /// How many were let out, and the number of the last one.
    position: u64,
    last: u64,
    epoch: String,
    /// When the last moves were let out, by game; of the last seconds.
    fresh: Fresh,
    /// The games that are to be awaited, and what is told of those that are, as long as it holds.
    published: watch::Sender<Published>,
    awaited: Option<Arc<Frame>>,
    /// Somebody may have been told of awaited games.
    has_awaited: bool,
    beside: S,
}

/// When the last moves were let out.
#[derive(Debug, Default)]
struct Fresh {
    at: BTreeMap<String, Instant>,
    /// When those of long ago were forgotten.
    pruned: Option<Instant>,
}

impl Fresh {
    fn note(&mut self, name: Name, game: Option<&str>) {
        let Some(game) = game else { return };
        match name {
            Name::MoveMade => {}
            // The one before it stood.
            Name::MoveRetracted => {
                self.at.remove(game);
                return;
            }
            _ => return,
        }
        let now = Instant::now();
        if self.pruned.is_none_or(|pruned| now - pruned > FRESH) {
            self.at.retain(|_, at| now - *at < FRESH);
            self.pruned = Some(now);
        }
        self.at.insert(game.to_owned(), now);
    }
}

/// What a hub keeps beside the games.
pub trait Beside<E>: fmt::Debug + Default + Send + 'static {
    /// Takes an event that goes out.
    fn take(&mut self, event: &E);
    /// More fields of a snapshot.
    fn snapshot(&self) -> Map<String, Value>;
    /// More fields of a board.
    fn board(&self, board: &str) -> Map<String, Value>;
    /// A board was taken away.
    fn forget(&mut self, board: &str);
    /// What was told aside and still holds.
    fn told(&self) -> Vec<Told<'_>>;
}

/// Something that was told aside.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    name: &'static str,
    json: &'a Map<String, Value>,
}

/// In public there is nothing beside the games, and no place for it.
impl Beside<PublicEvent> for () {
    fn take(&mut self, _: &PublicEvent) {}

    fn snapshot(&self) -> Map<String, Value> {
        Map::new()
    }

    fn board(&self, _: &str) -> Map<String, Value> {
        Map::new()
    }

    fn forget(&mut self, _: &str) {}

    fn told(&self) -> Vec<Told<'_>> {
        Vec::new()
    }
}

/// An event that a hub can let out.
pub trait Outgoing: Sized {
    /// The arbiter's channel, rather than the public one.
    const IS_DESK: bool;
    /// What its hub keeps beside the games.
    type Beside: Beside<Self>;
    /// Its number among its kind.
    fn number(&self) -> u64;
    /// Its type.
    fn name(&self) -> Name;
    /// The board that it is of.
    fn board(&self) -> &Arc<str>;
    /// Its game.
    fn game(&self) -> Option<&Arc<str>>;
    /// The JSON on one line.
    fn line(&self) -> String;
    /// Shows it among the games.
    fn show(&self, view: &mut HallView);
}

impl Outgoing for PublicEvent {
    const IS_DESK: bool = false;
    type Beside = ();

    fn number(&self) -> u64 {
        self.id
    }

    fn name(&self) -> Name {
        self.name()
    }

    fn board(&self) -> &Arc<str> {
        &self.board
    }

    fn game(&self) -> Option<&Arc<str>> {
        self.game.as_ref()
    }

    fn line(&self) -> String {
        self.to_line()
    }

    fn show(&self, view: &mut HallView) {
        view.apply(self);
    }
}

impl Outgoing for Numbered {
    const IS_DESK: bool = true;
    type Beside = DeskSide;

    fn number(&self) -> u64 {
        self.seq
    }

    fn name(&self) -> Name {
        self.name()
    }

    fn board(&self) -> &Arc<str> {
        &self.board
    }

    fn game(&self) -> Option<&Arc<str>> {
        self.game.as_ref()
    }

    fn line(&self) -> String {
        self.to_line()
    }

    fn show(&self, view: &mut HallView) {
        view.apply_private(self);
    }
}

/// What spectators see: public events alone.
pub type PublicHub = Hub<PublicEvent>;

/// What the arbiter sees: every event.
pub type DeskHub = Hub<Numbered>;

/// A hub of one kind of events.
#[derive(Debug)]
pub struct Hub<E: Outgoing> {
    inner: Mutex<Inner<E::Beside>>,
}

impl<E: Outgoing> Default for Hub<E> {
    fn default() -> Self {
        Self::for_boards(UNKNOWN)
    }
}

impl<E: Outgoing> Hub<E> {
    /// A hub whose viewers may be behind by the events of so many boards.
    #[must_use]
    pub fn for_boards(boards: usize) -> Self {
        let inner = Inner {
            sender: broadcast::channel(room_for(boards)).0,
            view: HallView::default(),
            recent: VecDeque::new(),
            kept: Default::default(),
            out: BTreeMap::new(),
            all_out: 0,
            position: 0,
            last: 0,
            epoch: String::new(),
            fresh: Fresh::default(),
            published: watch::Sender::default(),
            awaited: None,
            has_awaited: false,
            beside: E::Beside::default(),
        };
        Self { inner: Mutex::new(inner) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner<E::Beside>) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the epoch that stands before the numbers.
    pub fn set_epoch(&self, epoch: &str) {
        self.with(|inner| {
            epoch.clone_into(&mut inner.epoch);
            // They say the one before.
            inner.recent.clear();
            inner.kept.iter_mut().for_each(Kept::forget);
        });
    }

    /// The epoch that stands before the numbers.
    #[must_use]
    pub fn epoch(&self) -> String {
        self.with(|inner| inner.epoch.clone())
    }

    /// Shows a board that has not said anything yet.
    pub fn add_board(&self, board: &str) {
        self.with(|inner| {
            inner.view.add_board(board);
            inner.kept.iter_mut().for_each(Kept::forget);
        });
    }

    /// A board was added or taken away. Spectators go on seeing one on which a game was played: what of it is
    /// delayed is still to come.
    pub fn set_here(&self, board: &str, is_here: bool) {
        self.with(|inner| {
            inner.kept.iter_mut().for_each(Kept::forget);
            if is_here {
                inner.view.add_board(board);
                return;
            }
            inner.view.remove_board(board, !E::IS_DESK);
            inner.beside.forget(board);
            self.tell_awaited(inner);
        });
    }

    /// Looks at the games, and when the last moves were let out, by game, as far as that was not long ago.
    pub fn with_fresh<T>(&self, look: impl FnOnce(&HallView, &BTreeMap<String, Instant>) -> T) -> T {
        self.with(|inner| look(&inner.view, &inner.fresh.at))
    }

    /// What was let out so far stands: it is from before the start.
    pub fn settle(&self) {
        self.with(|inner| inner.fresh = Fresh::default());
    }

    /// Looks at the games.
    pub fn with_view<T>(&self, look: impl FnOnce(&HallView) -> T) -> T {
        self.with(|inner| look(&inner.view))
    }

    /// Takes an event that was let out before this hub was there: what it says stands, and nobody is sent it.
    pub fn show(&self, event: &E) {
        self.with(|inner| inner.take(event));
    }

    /// Lets an event out; each one once.
    pub fn push(&self, event: &E) {
        let line = event.line();
        let (board, game) = (Arc::clone(event.board()), event.game().cloned());
        let (number, name) = (event.number(), event.name().as_str());
        self.with(|inner| {
            inner.take(event);
            inner.fresh.note(event.name(), game.as_deref());
            if [Name::GameOpened, Name::GameChanged, Name::GameClosed].contains(&event.name()) {
                inner.awaited = None;
            }
            inner.position += 1;
            let position = inner.position;
            let message = message(Some((&inner.epoch, number)), name, &line);
            let frame =
                Arc::new(Frame { number, position, name, board, game, line, message, is_aside: false });
            // Whoever comes back finds more in a larger hall, however many boards were expected.
            let room = room_for(inner.view.boards().len());
            let surplus = (inner.recent.len() + 1).saturating_sub(room);
            inner.recent.drain(..surplus);
            inner.recent.push_back(Arc::clone(&frame));
            // Sent under the lock: a viewer that subscribes meanwhile misses nothing and gets
            // nothing twice. Nobody listening is no error.
            let _listeners = inner.sender.send(frame);
            self.tell_awaited(inner);
        });
    }

    /// Was that event let out? Those of one board are in the order of their numbers.
    pub fn is_out(&self, event: &E) -> bool {
        self.with(|inner| {
            let last = inner.out.get(event.board()).copied().unwrap_or(0).max(inner.all_out);
            event.number() <= last
        })
    }

    /// All events up to `number` were let out, whether or not they came by here; of the games of those names only the
    /// outline did.
    pub fn begin(&self, number: u64, outlined: &[String]) {
        self.with(|inner| {
            inner.all_out = number;
            inner.recent.clear();
            inner.view.outline(outlined);
        });
    }

    /// The moves of a game of which there was only the outline.
    pub fn complete(&self, game: GameView) {
        self.with(|inner| {
            inner.view.complete(game);
            inner.kept.iter_mut().for_each(Kept::forget);
        });
    }

    /// Nobody may go on after what was let out before: it may have been in another order.
    pub fn forget_recent(&self) {
        self.with(|inner| inner.recent.clear());
    }

    /// A viewer that has everything up to `after` (epoch and number), or nothing yet.
    pub fn subscribe(&self, after: Option<(&str, u64)>) -> (Start, broadcast::Receiver<Arc<Frame>>) {
        self.with(|inner| {
            let receiver = inner.sender.subscribe();
            let position = after.filter(|(epoch, _)| *epoch == inner.epoch);
            let Some(position) = position.and_then(|(_, number)| inner.position_of(number)) else {
                return (Start::Snapshot, receiver);
            };
            let missed = inner.recent.iter().filter(|frame| frame.position > position).cloned();
            // Of what was told aside, only how it stands is of interest.
            let told = inner.beside.told().into_iter().map(|told| inner.aside(told));
            let missed: Vec<_> = missed.chain(told).collect();
            (Start::Resume(missed.into_iter().chain(inner.all_awaited::<E>()).collect()), receiver)
        })
    }

    /// Every board, with the name of the game on it.
    #[must_use]
    pub fn boards(&self) -> Value {
        self.with(|inner| {
            let shown = |board| inner.shown::<E>(board, board.game.as_deref().map(Game::Name));
            inner.view.boards().map(|board| serde_json::to_value(shown(board)).unwrap_or_default()).collect()
        })
    }

    /// Sends what is told aside to whoever listens; nobody listening is no error.
    fn send_aside(&self, inner: &Inner<E::Beside>, name: &'static str, json: &Map<String, Value>) {
        let _listeners = inner.sender.send(inner.aside(Told { name, json }));
    }
}

impl<S> Inner<S> {
    /// What `event` says stands from now on.
    fn take<E: Outgoing<Beside = S>>(&mut self, event: &E)
    where
        S: Beside<E>,
    {
        event.show(&mut self.view);
        self.beside.take(event);
        self.drop_old();
        self.last = event.number();
        self.out.insert(Arc::clone(event.board()), self.last);
    }

    /// The frame of what is told aside.
    fn aside(&self, told: Told<'_>) -> Arc<Frame> {
        let line = serde_json::to_string(told.json).unwrap_or_default();
        let board = told.json.get("board").and_then(Value::as_str).unwrap_or_default().into();
        let (number, position, name) = (self.last, self.position, told.name);
        // Without an id: whoever comes back asks for the events after the last one.
        let message = message(None, told.name, &line);
        Arc::new(Frame { number, position, name, board, game: None, line, message, is_aside: true })
    }

    /// How many were out with the event of that number, if what came after it is still there.
    fn position_of(&self, number: u64) -> Option<u64> {
        if number == 0 {
            return Some(0).filter(|_| self.recent.len() as u64 == self.position);
        }
        let has = |frame: &&Arc<Frame>| frame.number == number;
        self.recent.iter().rev().find(has).map(|frame| frame.position)
    }
}

/// An event as the stream of server-sent events writes it; `data` is one line.
#[must_use]
pub fn message(id: Option<(&str, u64)>, name: &str, data: &str) -> Bytes {
    let id = id.map(|(epoch, number)| format!("id: {epoch}-{number}\n")).unwrap_or_default();
    format!("{id}event: {name}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::testing::numbered;

    fn hub_with(count: u64) -> DeskHub {
        let hub = DeskHub::default();
        hub.set_epoch("e");
        (1..=count).for_each(|seq| hub.push(&event(seq)));
        hub
    }

    fn event(seq: u64) -> Numbered {
        numbered(serde_json::json!({ "seq": seq, "type": "ruled", "name": "note", "text": "" }))
    }

    #[test]
    fn who_comes_back_gets_what_he_missed() {
        let hub = hub_with(10);
        let (Start::Resume(missed), _) = hub.subscribe(Some(("e", 7))) else { panic!("no resume") };
        assert_eq!(missed.iter().map(|frame| frame.number).collect::<Vec<_>>(), [8, 9, 10]);
        let (Start::Resume(missed), _) = hub.subscribe(Some(("e", 10))) else { panic!("no resume") };
        assert!(missed.is_empty());
    }

    #[test]
    fn in_a_larger_hall_who_comes_back_may_have_missed_more() {
        let hub = hub_with(1);
        (1..=100).for_each(|board| hub.add_board(&board.to_string()));
        (2..=900).for_each(|seq| hub.push(&event(seq)));
        assert!(matches!(hub.subscribe(Some(("e", 101))).0, Start::Resume(missed) if missed.len() == 799));
        assert!(matches!(hub.subscribe(Some(("e", 100))).0, Start::Snapshot));
    }

    #[test]
    fn an_unknown_or_distant_number_gets_a_snapshot() {
        let hub = hub_with(300);
        for after in [None, Some(("other", 299)), Some(("e", 301)), Some(("e", 44)), Some(("e", 0))] {
            assert!(matches!(hub.subscribe(after).0, Start::Snapshot), "{after:?}");
        }
        assert!(matches!(hub.subscribe(Some(("e", 45))).0, Start::Resume(missed) if missed.len() == 255));
        hub.forget_recent();
        assert!(matches!(hub.subscribe(Some(("e", 300))).0, Start::Snapshot));
    }

    /// Boards that are not equally late let their events out in another order than that of their numbers.
    #[test]
    fn who_comes_back_gets_what_was_let_out_after_his_last_event_in_that_order() {
        let hub = DeskHub::default();
        hub.set_epoch("e");
        assert!(matches!(hub.subscribe(Some(("e", 0))).0, Start::Resume(missed) if missed.is_empty()));
        for number in [2, 4, 1, 5, 3] {
            hub.push(&event(number));
        }
        let missed = |after| match hub.subscribe(Some(("e", after))).0 {
            Start::Resume(missed) => missed.iter().map(|frame| frame.number).collect(),
            Start::Snapshot => Vec::new(),
        };
        assert_eq!(missed(0), [2, 4, 1, 5, 3]);
        assert_eq!(missed(4), [1, 5, 3]);
        assert_eq!(missed(3), [0; 0]);
    }
}
