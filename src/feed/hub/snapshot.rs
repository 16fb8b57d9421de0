//! Everything as it stands, for a viewer that begins: written out a few times a second at the most, however many
//! come.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{About, Beside, Frame, Heard, Hub, Inner, Outgoing, Place};
use crate::feed::view::{BoardView, GameView, LastMove};

/// What was written so long ago is good for the next viewer, with what has come since: a thousand who come back at
/// once must not hold up those who are there. Longer would mean more to catch up with.
const GOOD: Duration = Duration::from_secs(1);

/// So many viewers within that time get a text of their own, with all that was let out: more only come at once after
/// an outage, and then each of theirs would hold up the others.
const FRESH: u32 = 8;

/// How many moves of its games a snapshot holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Moves {
    /// All of them.
    #[default]
    All,
    /// The last of each game, and how many there are: enough for a list of a thousand boards.
    Last,
}

/// Everything as it stood at a place, and what has come since.
#[derive(Debug)]
pub struct Snapshot {
    /// The event up to which it holds.
    pub place: Place,
    /// What is told anew to each viewer: an object without its last brace.
    head: String,
    /// The other fields, the same bytes for all, to the end of the message.
    rest: Bytes,
    /// What was let out and told since.
    pub since: Vec<Arc<Frame>>,
}

impl Snapshot {
    /// The object on one line.
    #[must_use]
    pub fn text(&self) -> String {
        self.head.clone() + String::from_utf8_lossy(&self.rest).trim_end()
    }

    /// The message of that name for a stream of server-sent events, in parts.
    #[must_use]
    pub fn message(&self, epoch: &str, name: &str) -> [Bytes; 2] {
        let (number, head) = (self.place.number, &self.head);
        [format!("id: {epoch}-{number}\nevent: {name}\ndata: {head}").into(), self.rest.clone()]
    }
}

/// A text that may be good for the next viewer as well.
#[derive(Debug)]
pub(super) struct Written {
    place: Place,
    rest: Bytes,
    at: Instant,
}

/// What is kept of one kind of text.
#[derive(Debug, Default)]
pub(super) struct Kept {
    written: Option<Written>,
    /// When the first of those was written that count, and how many were.
    began: Option<Instant>,
    count: u32,
}

impl Kept {
    /// May one more be written now?
    fn may_write(&mut self) -> bool {
        if self.began.is_none_or(|began| began.elapsed() >= GOOD) {
            (self.began, self.count) = (Some(Instant::now()), 0);
        }
        self.count += 1;
        self.count <= FRESH
    }

    /// What was written holds no more.
    pub(super) fn forget(&mut self) {
        self.written = None;
    }
}

impl<E: Outgoing> Hub<E> {
    /// Everything as it stands.
    pub fn snapshot(&self, about: &About, moves: Moves) -> Snapshot {
        let mut head = serde_json::to_string(&Head::of(about)).unwrap_or_default();
        // The other fields follow in the same object.
        head.pop();
        head.push(',');
        self.with(|inner| {
            let must_write = inner.kept[moves as usize].may_write();
            let is_good = |kept: &Written| kept.at.elapsed() < GOOD && inner.has_since(kept.place.position);
            let written = inner.kept[moves as usize].written.as_ref();
            if let Some(kept) = written.filter(|kept| !must_write && is_good(kept)) {
                let (place, rest) = (kept.place, kept.rest.clone());
                let missed = inner.recent.iter().filter(|frame| frame.position > place.position).cloned();
                let told = inner.beside.told().into_iter().map(|told| inner.aside(told));
                return Snapshot { place, head, rest, since: missed.chain(told).collect() };
            }
            let place = Place { number: inner.last, position: inner.position };
            let rest = Bytes::from(inner.write::<E>(about, moves));
            inner.kept[moves as usize].written =
                Some(Written { place, rest: rest.clone(), at: Instant::now() });
            Snapshot { place, head, rest, since: Vec::new() }
        })
    }
}

impl<S> Inner<S> {
    /// Is everything still there that was let out after `position`?
    fn has_since(&self, position: u64) -> bool {
        self.position - position <= self.recent.len() as u64
    }

    /// Lets go of texts that nobody will be given any more: that of a large hall is long.
    pub(super) fn drop_old(&mut self) {
        for kept in &mut self.kept {
            kept.written.take_if(|written| written.at.elapsed() >= GOOD);
        }
    }

    fn write<E: Outgoing<Beside = S>>(&self, about: &About, moves: Moves) -> String
    where
        S: Beside<E>,
    {
        let game = |name: &String| {
            let game = self.view.game(name)?;
            Some(match moves {
                Moves::All => Game::Whole(game),
                Moves::Last => Game::Last(Box::new(LastMove::of(game))),
            })
        };
        let boards = self.view.boards().map(|board| Shown {
            delay_s: about.delays.boards.get(&board.board).copied(),
            variant: about.variants.get(&board.board).map(String::as_str),
            ..self.shown::<E>(board, board.game.as_ref().and_then(game))
        });
        let rest = Rest {
            epoch: &self.epoch,
            number: self.last,
            desk: E::IS_DESK,
            boards: boards.collect(),
            beside: self.beside.snapshot(),
        };
        let text = serde_json::to_string(&rest).unwrap_or_default();
        format!("{}\n\n", text.trim_start_matches('{'))
    }

    /// A board as a page gets it, with `game` on it; only the desk learns how its link is and what else
    /// there is to say.
    pub(super) fn shown<'a, E: Outgoing<Beside = S>>(
        &'a self,
        board: &'a BoardView,
        game: Option<Game<'a>>,
    ) -> Shown<'a>
    where
        S: Beside<E>,
    {
        let state = board.state.filter(|_| E::IS_DESK);
        Shown {
            board: &board.board,
            state,
            game,
            delay_s: None,
            variant: None,
            beside: self.beside.board(&board.board),
        }
    }
}

/// The fields that no two viewers need have alike.
#[derive(Serialize)]
struct Head<'a> {
    now: &'a str,
    speed: f64,
    /// By how many seconds spectators are behind.
    delay_s: u32,
    journal: &'a str,
    tournament: Tournament<'a>,
    /// At a relay, how old this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    heard: Option<Heard>,
}

impl<'a> Head<'a> {
    fn of(about: &'a About) -> Self {
        let tournament = Tournament { name: about.name.as_deref(), site: about.site.as_deref() };
        let About { now, speed, journal, delays, heard, .. } = about;
        Self { now, speed: *speed, delay_s: delays.usual_s, journal, tournament, heard: *heard }
    }
}

#[derive(Serialize)]
struct Tournament<'a> {
    name: Option<&'a str>,
    site: Option<&'a str>,
}

/// The others, written out without a detour: a hall of a thousand boards has a big text.
#[derive(Serialize)]
struct Rest<'a> {
    epoch: &'a str,
    number: u64,
    desk: bool,
    boards: Vec<Shown<'a>>,
    #[serde(flatten)]
    beside: Map<String, Value>,
}

/// A board in a list.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    board: &'a str,
    state: Option<&'a str>,
    game: Option<Game<'a>>,
    /// By how many seconds spectators are behind here, if it is not the usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_s: Option<u32>,
    /// What is played here, if it is not chess: a board without a game is drawn as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    #[serde(flatten)]
    beside: Map<String, Value>,
}

/// So much of a game.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Game<'a> {
    Name(&'a str),
    Whole(&'a GameView),
    Last(Box<LastMove<'a>>),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::feed::hub::{DeskHub, READINESS};
    use adoube_core::event::Numbered;
    use adoube_core::event::testing::numbered;

    /// That of a board of its own.
    fn event(seq: u64) -> Numbered {
        of_board(seq, seq)
    }

    fn of_board(board: u64, seq: u64) -> Numbered {
        numbered(json!({ "seq": seq, "board": board.to_string(), "type": "board-connected" }))
    }

    fn numbers(snapshot: &Snapshot) -> Vec<u64> {
        snapshot.since.iter().filter(|frame| !frame.is_aside).map(|frame| frame.number).collect()
    }

    fn shown(snapshot: &Snapshot) -> usize {
        let object: Value = serde_json::from_str(&snapshot.text()).unwrap();
        object["boards"].as_array().unwrap().len()
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_who_come_at_once_most_get_the_same_text_and_what_has_come_since() {
        let (hub, about) = (DeskHub::default(), About::default());
        hub.set_epoch("e");
        hub.push(&event(1));
        // Who comes alone gets everything.
        for seq in 2..=u64::from(FRESH) {
            assert_eq!(hub.snapshot(&about, Moves::All).place.number, seq - 1);
            hub.push(&event(seq));
        }
        let few = u64::from(FRESH);
        let first = hub.snapshot(&about, Moves::All);
        assert_eq!((first.place.number, numbers(&first)), (few, vec![]));
        hub.push(&event(few + 1));
        hub.tell(READINESS, "1", Map::new());
        let second = hub.snapshot(&About { now: "later".to_owned(), ..About::default() }, Moves::All);
        assert_eq!(second.rest.as_ptr(), first.rest.as_ptr(), "it is not written again");
        assert_eq!((shown(&second), second.place.number), (shown(&first), few));
        assert_eq!(numbers(&second), [few + 1]);
        assert!(second.since.iter().any(|frame| frame.name == READINESS), "what was told aside since");
        assert!(second.text().contains("\"now\":\"later\""));
        // Those who want less get a text of their own.
        assert_eq!(shown(&hub.snapshot(&about, Moves::Last)), shown(&first) + 1);
        tokio::time::advance(GOOD).await;
        let third = hub.snapshot(&about, Moves::All);
        assert_eq!((third.place.number, numbers(&third)), (few + 1, vec![]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_is_not_used_when_what_came_since_is_not_there_any_more() {
        let (hub, about) = (DeskHub::default(), About::default());
        hub.push(&event(1));
        (0..FRESH).for_each(|_| assert_eq!(shown(&hub.snapshot(&about, Moves::All)), 1));
        (2..=300).for_each(|seq| hub.push(&of_board(1, seq)));
        let snapshot = hub.snapshot(&about, Moves::All);
        assert_eq!((snapshot.place.number, numbers(&snapshot)), (300, vec![]));
        hub.push(&event(301));
        hub.forget_recent();
        assert_eq!(shown(&hub.snapshot(&about, Moves::All)), 2);
        // A board that has not said anything is no event.
        hub.add_board("last");
        assert_eq!(shown(&hub.snapshot(&about, Moves::All)), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_is_let_go_of_with_the_next_event() {
        let hub = DeskHub::default();
        hub.snapshot(&About::default(), Moves::All);
        tokio::time::advance(GOOD).await;
        hub.push(&event(1));
        assert!(hub.with(|inner| inner.kept.iter().all(|kept| kept.written.is_none())));
    }
}
