//! Where events go out to whoever watches: a snapshot first, then every event once.
//!
//! There are two hubs, and they do not know each other: the desk's holds private events, the public
//! one is fed with [`PublicEvent`]s alone.

use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use super::view::{BoardView, HallView};
use crate::event::{Numbered, PublicEvent};

/// Events that a viewer may be behind before it gets a snapshot instead (DESIGN 4.1).
const RECENT: usize = 256;

/// One event on its way to the viewers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its number in this hub.
    pub number: u64,
    /// Its type.
    pub name: String,
    /// Its JSON on one line.
    pub line: String,
    /// It is no event and has no number of its own: the number is that of the last event before it.
    pub is_aside: bool,
}

/// What a viewer gets first.
#[derive(Debug)]
pub enum Start {
    /// Everything as it stands, and the number up to which that holds.
    Snapshot(u64),
    /// The events since the last one that it has.
    Resume(Vec<Arc<Frame>>),
}

#[derive(Debug)]
struct Inner {
    view: HallView,
    recent: VecDeque<Arc<Frame>>,
    last: u64,
    epoch: String,
    /// What was last told aside of each board.
    asides: BTreeMap<String, Map<String, Value>>,
}

/// An event that a hub can let out.
pub trait Outgoing {
    /// The arbiter's channel, rather than the public one.
    const IS_DESK: bool;
    /// Its number among its kind.
    fn number(&self) -> u64;
    /// Its type.
    fn name(&self) -> &str;
    /// The whole object.
    fn json(&self) -> &Map<String, Value>;
}

impl Outgoing for PublicEvent {
    const IS_DESK: bool = false;

    fn number(&self) -> u64 {
        self.id()
    }

    fn name(&self) -> &str {
        self.name()
    }

    fn json(&self) -> &Map<String, Value> {
        self.json()
    }
}

impl Outgoing for Numbered {
    const IS_DESK: bool = true;

    fn number(&self) -> u64 {
        self.seq
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn json(&self) -> &Map<String, Value> {
        &self.json
    }
}

/// What spectators see: public events alone.
pub type PublicHub = Hub<PublicEvent>;

/// What the arbiter sees: every event.
pub type DeskHub = Hub<Numbered>;

/// A hub of one kind of events.
#[derive(Debug)]
pub struct Hub<E> {
    inner: Mutex<Inner>,
    sender: broadcast::Sender<Arc<Frame>>,
    kind: PhantomData<fn(E)>,
}

impl<E: Outgoing> Default for Hub<E> {
    fn default() -> Self {
        let inner = Inner {
            view: HallView::default(),
            recent: VecDeque::new(),
            last: 0,
            epoch: String::new(),
            asides: BTreeMap::new(),
        };
        Self { inner: Mutex::new(inner), sender: broadcast::channel(RECENT).0, kind: PhantomData }
    }
}

impl<E: Outgoing> Hub<E> {
    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the epoch that stands before the numbers.
    pub fn set_epoch(&self, epoch: &str) {
        self.with(|inner| epoch.clone_into(&mut inner.epoch));
    }

    /// The epoch that stands before the numbers.
    #[must_use]
    pub fn epoch(&self) -> String {
        self.with(|inner| inner.epoch.clone())
    }

    /// Shows a board that has not said anything yet.
    pub fn add_board(&self, board: &str) {
        self.with(|inner| inner.view.add_board(board));
    }

    /// Looks at the games.
    pub fn with_view<T>(&self, look: impl FnOnce(&HallView) -> T) -> T {
        self.with(|inner| look(&inner.view))
    }

    /// Lets an event out. One that is out already is not repeated.
    pub fn push(&self, event: &E) {
        let line = serde_json::to_string(event.json()).unwrap_or_default();
        let frame =
            Arc::new(Frame { number: event.number(), name: event.name().to_owned(), line, is_aside: false });
        self.with(|inner| {
            if frame.number <= inner.last {
                return;
            }
            inner.view.apply(event.json());
            inner.last = frame.number;
            if inner.recent.len() == RECENT {
                inner.recent.pop_front();
            }
            inner.recent.push_back(Arc::clone(&frame));
            // Sent under the lock: a viewer that subscribes meanwhile misses nothing and gets
            // nothing twice. Nobody listening is no error.
            let _listeners = self.sender.send(frame);
        });
    }

    /// A viewer that has everything up to `after` (epoch and number), or nothing yet.
    pub fn subscribe(&self, after: Option<(&str, u64)>) -> (Start, broadcast::Receiver<Arc<Frame>>) {
        self.with(|inner| {
            let receiver = self.sender.subscribe();
            let snapshot = Start::Snapshot(inner.last);
            let Some((epoch, number)) = after else { return (snapshot, receiver) };
            let oldest = inner.recent.front().map_or(inner.last + 1, |frame| frame.number);
            if epoch != inner.epoch || number > inner.last || number + 1 < oldest {
                return (snapshot, receiver);
            }
            let missed = inner.recent.iter().filter(|frame| frame.number > number).cloned();
            // Of what was told aside, only how it stands is of interest.
            let asides = inner.asides.values().map(|json| aside(inner.last, json));
            (Start::Resume(missed.chain(asides).collect()), receiver)
        })
    }

    /// Every board, with the name of the game on it.
    #[must_use]
    pub fn boards(&self) -> Value {
        self.with(|inner| {
            inner.view.boards().map(|board| inner.shown::<E>(board, json!(board.game))).collect()
        })
    }

    /// Everything as it stands: the number up to which it holds, and the JSON.
    pub fn snapshot(&self, about: &About) -> (u64, String) {
        self.with(|inner| {
            let boards: Vec<Value> = inner
                .view
                .boards()
                .map(|board| {
                    let game = board.game.as_ref().and_then(|game| inner.view.game(game));
                    inner.shown::<E>(board, json!(game))
                })
                .collect();
            let snapshot = json!({
                "epoch": inner.epoch,
                "number": inner.last,
                "now": about.now,
                "speed": about.speed,
                "desk": E::IS_DESK,
                "journal": about.journal,
                "tournament": { "name": about.name, "site": about.site },
                "boards": boards,
            });
            (inner.last, snapshot.to_string())
        })
    }
}

impl Inner {
    /// A board as a page gets it, with `game` on it; only the desk learns how its link is and what is
    /// uncertain.
    fn shown<E: Outgoing>(&self, board: &BoardView, game: Value) -> Value {
        let state = board.state.filter(|_| E::IS_DESK);
        let mut shown = json!({ "board": board.board, "state": state, "game": game });
        let told = self.asides.get(&board.board).filter(|_| E::IS_DESK);
        let value = |key: &str| told.and_then(|told| told.get(key)).cloned();
        if let Some(ply) = value("doubtful_ply").filter(|ply| !ply.is_null()) {
            shown["doubtful_ply"] = ply;
            shown["alternatives"] = value("alternatives").unwrap_or_default();
        }
        shown
    }
}

/// The frame of what is told aside.
fn aside(number: u64, json: &Map<String, Value>) -> Arc<Frame> {
    let line = serde_json::to_string(json).unwrap_or_default();
    Arc::new(Frame { number, name: "alternatives".to_owned(), line, is_aside: true })
}

// Only the desk is told anything aside: a public hub has no way to take it.
impl DeskHub {
    /// Tells what else `board` could show ([`super::alternatives`]): how it stands, not what happened.
    pub fn tell(&self, board: &str, json: Map<String, Value>) {
        self.with(|inner| {
            // Nobody listening is no error.
            let _listeners = self.sender.send(aside(inner.last, &json));
            inner.asides.insert(board.to_owned(), json);
        });
    }
}

/// What a snapshot says beside the games.
#[derive(Debug, Clone)]
pub struct About {
    /// Now, RFC 3339.
    pub now: String,
    /// How many times as fast as the world time goes.
    pub speed: f64,
    /// `ok` or `degraded`.
    pub journal: &'static str,
    /// Name of the tournament.
    pub name: Option<String>,
    /// Where it is.
    pub site: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub_with(count: u64) -> DeskHub {
        let hub = DeskHub::default();
        hub.set_epoch("e");
        for seq in 1..=count {
            hub.push(&Numbered {
                seq,
                public_id: None,
                releases: 0,
                board: "1".into(),
                game: None,
                name: "ruled".to_owned(),
                json: Map::new(),
            });
        }
        hub
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
    fn an_unknown_or_distant_number_gets_a_snapshot() {
        let hub = hub_with(300);
        for after in [None, Some(("other", 299)), Some(("e", 301)), Some(("e", 43))] {
            assert!(matches!(hub.subscribe(after).0, Start::Snapshot(300)), "{after:?}");
        }
        assert!(matches!(hub.subscribe(Some(("e", 44))).0, Start::Resume(missed) if missed.len() == 256));
    }
}
