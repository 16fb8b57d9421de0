//! Much that comes late: a hall whose server was away, and boards that are not equally late.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::feed::hub::{Frame, PublicHub};
use adoube::feed::nats::{self, Nats, Past, Server, Side, Source, Tournament};
use adoube::feed::status::Status;
use adoube::journal::{Journal, JournalHandle};
use adoube_core::station::CORE;
use adoube_sim::Noise;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::Truth;
use super::server::{NatsServer, Stored};
use crate::daemon::{PATIENCE, Site, awaited};
use crate::played::{self, LONG, Played, SHORT, demo_game};
use crate::public_hall::public;

/// What the journal has, and how much of it may be seen.
#[derive(Debug, Default)]
struct Shown {
    frames: Vec<Arc<Frame>>,
    released: Mutex<BTreeSet<u64>>,
}

impl Shown {
    fn new(count: u64) -> Arc<Self> {
        let hub = PublicHub::default();
        let (_, mut frames) = hub.subscribe(None);
        let frame = |id| {
            let clock =
                json!({ "id": id, "board": "1", "game": "1-1", "type": "clock-read", "white_ms": id });
            hub.push(&public(clock));
            frames.try_recv().unwrap()
        };
        Arc::new(Self { frames: (1..=count).map(frame).collect(), released: Mutex::default() })
    }

    fn release(&self, numbers: impl IntoIterator<Item = u64>) {
        self.released.lock().unwrap().extend(numbers);
    }
}

impl Past for Shown {
    fn after(&self, after: u64, limit: usize) -> Vec<Arc<Frame>> {
        let released = self.released.lock().unwrap();
        let is_seen = |frame: &&Arc<Frame>| frame.number > after && released.contains(&frame.number);
        self.frames.iter().filter(is_seen).take(limit).cloned().collect()
    }
}

/// A publisher of what is shown, from the journal alone; it ends with this value.
struct Publisher {
    _tasks: JoinSet<()>,
    _stop: watch::Sender<bool>,
    status: Arc<Status>,
}

impl Publisher {
    fn start(server: &NatsServer, past: &Arc<Shown>, journal: &JournalHandle) -> Self {
        let urls = vec![server.url().parse().unwrap()];
        let nats = Nats {
            server: Server { urls, credentials: None, tls_ca: None, tls_client: None },
            site: None,
            is_public: true,
            is_private: false,
            is_sensed: false,
            replicas: 1,
        };
        let hub = Arc::new(PublicHub::default());
        hub.set_epoch("e");
        // So much is out that the hub does not have all of it.
        for id in past.frames.len() as u64 + 1..=past.frames.len() as u64 + 300 {
            hub.push(&public(json!({ "id": id, "board": "1", "type": "clock-read" })));
        }
        let past = Arc::clone(past) as Arc<dyn Past>;
        let source = Source {
            hub,
            past,
            tournament: Tournament::default(),
            journal: journal.clone(),
            noted: None,
            given: u64::MAX,
            renew: tokio::sync::mpsc::channel(1).0,
        };
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let status = nats::start(&nats, Side::Public, source, &stopped, &mut tasks);
        Self { _tasks: tasks, _stop: stop, status }
    }
}

fn numbers(stored: &[Stored]) -> Vec<u64> {
    stored.iter().map(Stored::number).collect()
}

/// What is in the stream once it has `count` messages.
async fn holds(server: &NatsServer, count: usize) -> Vec<Stored> {
    let look = async || Some(server.contents("ADOUBE_PUBLIC").await).filter(|found| found.len() >= count);
    awaited("the messages", PATIENCE, look).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_thousand_events_are_made_up_for_in_seconds() {
    const COUNT: u64 = 20_000;
    let Some(server) = NatsServer::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(folder.path(), CORE, drop).unwrap();
    let shown = Shown::new(COUNT);
    shown.release(1..=COUNT);
    let begun = Instant::now();
    let publisher = Publisher::start(&server, &shown, &journal);
    let is_behind = async || (publisher.status.now().state == "behind").then_some(());
    awaited("its admission that it is behind", PATIENCE, is_behind).await;
    let is_done = async || (publisher.status.now().delivered == COUNT).then_some(());
    awaited("the end", PATIENCE, is_done).await;
    let took = begun.elapsed();
    println!("{COUNT} events in {took:?}: {:.0} a second", COUNT as f64 / took.as_secs_f64());
    assert_eq!(numbers(&server.contents("ADOUBE_PUBLIC").await), (1..=COUNT).collect::<Vec<_>>());
    assert_eq!(publisher.status.now().last_error, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_let_out_before_older_events_is_not_let_out_again() {
    let Some(server) = NatsServer::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(folder.path(), CORE, drop).unwrap();
    let shown = Shown::new(1_000);
    // One board of two is late: every other event is out.
    shown.release(1..=100);
    shown.release((101..=1_000).step_by(2));
    let publisher = Publisher::start(&server, &shown, &journal);
    let found = holds(&server, 550).await;
    assert_eq!(found.iter().map(|stored| stored.whole).max(), Some(101));
    drop(publisher);
    // Now the other one, by and by, over restarts.
    for to in [300, 301, 302, 700, 1_000] {
        shown.release(1..=to);
        let count = shown.released.lock().unwrap().len();
        let publisher = Publisher::start(&server, &shown, &journal);
        holds(&server, count).await;
        drop(publisher);
    }
    let found = server.contents("ADOUBE_PUBLIC").await;
    let mut sorted = numbers(&found);
    assert!(!sorted.is_sorted());
    sorted.sort_unstable();
    assert_eq!(sorted, (1..=1_000).collect::<Vec<_>>(), "each of them once");
    assert_eq!(found.last().map(|stored| stored.whole), Some(1_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_that_are_not_equally_late_are_in_the_stream_once_however_often_the_daemon_is_killed() {
    const SPEED: f64 = 10.0;
    let Some(server) = NatsServer::start().await else { return };
    let games: Vec<(Played, String)> = [(LONG, 4), (SHORT, 5)]
        .map(|(game, seed)| Played::on_tcp(played::board(&demo_game(game), Noise::Clean, seed), SPEED))
        .into();
    let site = Site::new(SPEED, &[games[0].1.clone(), games[1].1.clone()]);
    // A minute is three seconds here.
    site.change("id = \"1\"", "id = \"1\"\nfeed_delay_s = 60");
    site.add_section(&format!("[feeds.nats]\nurl = \"{}\"\nprivate = false", server.url()));
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..8 {
        let daemon = site.start();
        sleep(Duration::from_millis(rng.u64(200..2_000))).await;
        daemon.kill();
    }
    let daemon = site.start();
    let over = async || games.iter().all(|(players, _)| players.is_finished()).then_some(());
    awaited("end of the games", PATIENCE, over).await;
    let has_all = async || {
        let (truth, found) = (Truth::of(&site).public, server.contents("ADOUBE_PUBLIC").await);
        // What was written between the two is waited for as well.
        (found.len() == truth.len()).then_some((truth, found))
    };
    let (truth, found) = awaited("all events", PATIENCE, has_all).await;
    assert_eq!(daemon.terminate().await, Some(0));
    let numbers = numbers(&found);
    assert!(!numbers.is_sorted(), "one board is ahead of the other");
    let by_number: BTreeMap<u64, &String> =
        found.iter().map(|stored| (stored.number(), &stored.line)).collect();
    let expected: BTreeMap<u64, &String> = truth.iter().map(|(number, line)| (*number, line)).collect();
    assert_eq!((by_number, found.len()), (expected, truth.len()), "each of them once");
    for board in ["1", "2"] {
        let mark = format!("\"board\":\"{board}\"");
        let of_board = found.iter().filter(|stored| stored.line.contains(&mark)).map(Stored::number);
        assert!(of_board.is_sorted(), "board {board} in its order");
    }
}
