//! A conversation with one program.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep};

use super::eboard::{self, millis};
use super::message::{self, Call, Request};
use super::own_game::OwnGame;
use super::subscription::{Line, Subscription};
use super::{OWN_GAMES, Server};
use crate::feed::hub::Frame;
use crate::hall::Hall;
use adoube_core::station::Seen;

/// Boards that one program follows: those of a big hall.
const SUBSCRIPTIONS: usize = 128;

/// Pictures that wait for a conversation; while it has no room for more, they wait in the tap.
const PICTURES: usize = 64;

/// What belongs together comes within this time: the picture of a move and the move.
const TOGETHER: Duration = Duration::from_millis(20);

/// A picture is this late at most because of its way over the disk: time passes for games of their own once
/// what was seen by then is known.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

/// A subscription and the way on which its board's pictures come.
struct Followed {
    subscription: Subscription,
    /// What the pictures carry, so that none comes to another subscription of the same name.
    number: u64,
    /// Something may be new.
    is_stirred: bool,
    _pictures: JoinSet<()>,
}

struct Connection {
    server: Arc<Server>,
    /// The board that stands first in its lists.
    first: Option<String>,
    /// By the program's name for it, as text: programs may use numbers, texts or both.
    followed: BTreeMap<String, (Value, Followed)>,
    numbers: u64,
    pictures: mpsc::Sender<(u64, Arc<Seen>)>,
    /// Until what belongs together is there.
    together: Option<Pin<Box<Sleep>>>,
}

enum Happening {
    Said(Option<Result<Message, axum::Error>>),
    Shown(u64, Arc<Seen>),
    Told(Result<Arc<Frame>, RecvError>),
    Together,
    Wake,
    Stop,
}

/// Answers and tells until the program is gone, or we are.
pub(super) async fn run(mut socket: WebSocket, server: Arc<Server>, first: Option<String>) {
    let Some(mut desk) = server.hall.upgrade().map(|hall| hall.desk.subscribe(None).1) else { return };
    let (sender, mut pictures) = mpsc::channel(PICTURES);
    let mut stop = server.stop.clone();
    let followed = BTreeMap::new();
    let mut connection = Connection { server, first, followed, numbers: 0, pictures: sender, together: None };
    loop {
        let wake = connection.wake();
        // A call that waits is answered before anything else is said.
        let happening = tokio::select! {
            biased;
            _ = stop.wait_for(|&stop| stop) => Happening::Stop,
            said = socket.recv() => Happening::Said(said),
            Some((number, seen)) = pictures.recv() => Happening::Shown(number, seen),
            frame = desk.recv() => Happening::Told(frame),
            () = together(&mut connection.together) => Happening::Together,
            () = wake => Happening::Wake,
        };
        let messages = match happening {
            Happening::Said(Some(Ok(Message::Text(text)))) => connection.answer(&text),
            Happening::Said(Some(Ok(Message::Binary(_)))) => connection.answer(""),
            // The socket answers those by itself; after a farewell nothing comes.
            Happening::Said(Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_)))) => {
                Some(Vec::new())
            }
            Happening::Said(Some(Err(_)) | None) => return,
            Happening::Shown(number, seen) => {
                connection.shown(number, &seen);
                Some(Vec::new())
            }
            Happening::Told(Ok(frame)) => {
                connection.stir(|subscription| subscription.board == *frame.board);
                Some(Vec::new())
            }
            Happening::Told(Err(RecvError::Lagged(_))) => {
                connection.stir(|_| true);
                Some(Vec::new())
            }
            Happening::Together => connection.news(),
            Happening::Wake => connection.wakes(),
            Happening::Told(Err(RecvError::Closed)) | Happening::Stop => None,
        };
        let Some(messages) = messages else {
            // The hall is closed; whether the program hears that is its own concern.
            let _gone = socket.send(Message::Close(None)).await;
            return;
        };
        for message in messages {
            // A socket that takes nothing for ten seconds fails (`web::socket`).
            if socket.send(Message::text(message)).await.is_err() {
                return;
            }
        }
    }
}

async fn together(sleep: &mut Option<Pin<Box<Sleep>>>) {
    match sleep {
        Some(sleep) => sleep.await,
        None => std::future::pending().await,
    }
}

impl Connection {
    /// What is sent to a call: the answer first, then what is to be told because of it. `None`: the hall is
    /// closed.
    fn answer(&mut self, text: &str) -> Option<Vec<String>> {
        let hall = self.server.hall.upgrade()?;
        let now = millis(hall.clock().now());
        let Request { id, call } = message::read(text);
        let mut news = Vec::new();
        let answered = call.and_then(|call| self.carry_out(call, &id, &hall, &mut news));
        let answer = answered.unwrap_or_else(|error| message::error(&id, &error, now));
        Some(std::iter::once(answer).chain(news).collect())
    }

    fn carry_out(
        &mut self,
        call: Call,
        id: &Value,
        hall: &Arc<Hall>,
        news: &mut Vec<String>,
    ) -> Result<String, String> {
        let now = millis(hall.clock().now());
        match call {
            Call::Eboards => return Ok(message::reply(id, &eboard::all(hall, self.first.as_deref()), now)),
            Call::Sources => return Ok(message::reply(id, &eboard::sources(hall), now)),
            Call::Subscribe { feed, serialnr } => {
                self.subscribe(&feed, serialnr, hall)?;
                self.tell(&feed.to_string(), hall, news);
            }
            Call::Unsubscribe { feed } => {
                self.followed.remove(&feed.to_string()).ok_or_else(|| unknown(&feed))?;
            }
            Call::SetUp { feed, fen } => {
                self.set_up(&feed, &fen, hall)?;
                self.tell(&feed.to_string(), hall, news);
            }
            Call::Flip { feed, flip } => {
                self.known(&feed)?.subscription.flip(flip);
                self.tell(&feed.to_string(), hall, news);
            }
        }
        Ok(message::reply(id, &(), now))
    }

    fn known(&mut self, feed: &Value) -> Result<&mut Followed, String> {
        self.followed.get_mut(&feed.to_string()).map(|(_, followed)| followed).ok_or_else(|| unknown(feed))
    }

    /// A feed that is there already begins anew.
    fn subscribe(&mut self, feed: &Value, serialnr: String, hall: &Hall) -> Result<(), String> {
        let name = feed.to_string();
        if self.followed.len() >= SUBSCRIPTIONS && !self.followed.contains_key(&name) {
            return Err(format!("{SUBSCRIPTIONS} subscriptions are the most; unsubscribe from one"));
        }
        let boards = eboard::named(hall, None);
        // A board that tells its number late is known by its other one from before.
        let is_it = |named: &&eboard::Named| named.serialnr == serialnr;
        let is_stand_in = |named: &&eboard::Named| eboard::stand_in(&named.board) == serialnr;
        let found = boards.iter().find(is_it).or_else(|| boards.iter().find(is_stand_in));
        let none = || {
            format!("no board has the serial number \"{serialnr}\"; call eboards for those that are there")
        };
        let board = found.ok_or_else(none)?.board.clone();
        let receiver = hall.readings(&board).ok_or_else(none)?;
        self.numbers += 1;
        let mut pictures = JoinSet::new();
        pictures.spawn(forward(receiver, self.numbers, self.pictures.clone()));
        let before = line(hall, &board);
        let followed = Followed {
            subscription: Subscription::new(board, serialnr, before),
            number: self.numbers,
            is_stirred: false,
            _pictures: pictures,
        };
        self.followed.insert(name, (feed.clone(), followed));
        Ok(())
    }

    fn set_up(&mut self, feed: &Value, fen: &str, hall: &Hall) -> Result<(), String> {
        let places = Arc::clone(&self.server.own_games);
        let subscription = &mut self.known(feed)?.subscription;
        let announce = hall.opened(&subscription.board).map(|open| open.announce).unwrap_or_default();
        let most = |_| format!("setup: {OWN_GAMES} boards are set up already; close a program");
        let place = places.try_acquire_owned().map_err(most)?;
        let seen = hall.picture(&subscription.board);
        let at = seen.as_ref().map_or_else(|| hall.clock().now(), |seen| seen.at);
        let mut own = OwnGame::new(fen, announce, at, place)?;
        if let Some(seen) = seen {
            own.see(&seen);
        }
        subscription.set_up(own);
        Ok(())
    }

    /// A board was seen.
    fn shown(&mut self, number: u64, seen: &Seen) {
        for (_, followed) in self.followed.values_mut() {
            if followed.number == number {
                if let Some(own) = &mut followed.subscription.own {
                    own.see(seen);
                }
                followed.is_stirred = true;
                self.together.get_or_insert_with(|| Box::pin(sleep(TOGETHER)));
            }
        }
    }

    /// There may be news of these.
    fn stir(&mut self, is_it: impl Fn(&Subscription) -> bool) {
        for (_, followed) in self.followed.values_mut() {
            if is_it(&followed.subscription) {
                followed.is_stirred = true;
                self.together.get_or_insert_with(|| Box::pin(sleep(TOGETHER)));
            }
        }
    }

    /// When the first game of its own wants to be woken.
    fn wake(&self) -> impl Future<Output = ()> + use<> {
        let own = self.followed.values().filter_map(|(_, followed)| followed.subscription.own.as_ref());
        let at_ns = own.filter_map(OwnGame::wake_at_ns).min();
        let hall = self.server.hall.upgrade();
        let wait = at_ns.zip(hall).map(|(at_ns, hall)| {
            let clock = hall.clock();
            let on_its_way_ns = ON_ITS_WAY.as_nanos() as f64 * clock.speed();
            clock.until(at_ns + on_its_way_ns as u64)
        });
        async move {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Wakes the games for which it is time.
    fn wakes(&mut self) -> Option<Vec<String>> {
        let now = self.server.hall.upgrade()?.clock().now();
        for (_, followed) in self.followed.values_mut() {
            let Some(own) = &mut followed.subscription.own else { continue };
            if let Some(due_ns) = own.wake_at_ns().filter(|&due_ns| due_ns <= now.mono_ns) {
                own.wake(now.at(due_ns));
                followed.is_stirred = true;
                self.together.get_or_insert_with(|| Box::pin(sleep(TOGETHER)));
            }
        }
        Some(Vec::new())
    }

    /// What is new.
    fn news(&mut self) -> Option<Vec<String>> {
        self.together = None;
        let hall = self.server.hall.upgrade()?;
        let stirred = self.followed.iter_mut().filter_map(|(name, (_, followed))| {
            std::mem::take(&mut followed.is_stirred).then(|| name.clone())
        });
        let stirred: Vec<String> = stirred.collect();
        let mut news = Vec::new();
        for name in stirred {
            self.tell(&name, &hall, &mut news);
        }
        Some(news)
    }

    /// What is new to the subscription of that name.
    fn tell(&mut self, name: &str, hall: &Hall, news: &mut Vec<String>) {
        let Some((feed, Followed { subscription, .. })) = self.followed.get_mut(name) else { return };
        let now = millis(hall.clock().now());
        let seen = hall.picture(&subscription.board);
        let line = line(hall, &subscription.board);
        for event in subscription.news(seen.as_deref(), line) {
            news.push(message::feed(feed, &event, now));
            self.server.status.delivered();
        }
    }
}

/// The moves of the hall's game on a board.
fn line(hall: &Hall, board: &str) -> Option<Line> {
    hall.desk.with_view(|view| Line::of(view.game(view.board(board)?.game.as_ref()?)?))
}

fn unknown(feed: &Value) -> String {
    format!("there is no subscription with the id {feed}")
}

/// Passes pictures on; those that there is no room for are missed, the oldest first.
async fn forward(
    mut pictures: broadcast::Receiver<Arc<Seen>>,
    number: u64,
    to: mpsc::Sender<(u64, Arc<Seen>)>,
) {
    loop {
        match pictures.recv().await {
            Ok(seen) => {
                if to.send((number, seen)).await.is_err() {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
