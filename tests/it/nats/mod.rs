//! Events by NATS, against real servers: what is in the journal is in the streams, once and in order, whatever
//! breaks on the way.

mod cluster;
mod copies;
mod kills;
mod late;
mod secrets;
pub(crate) mod server;
mod sides;
mod trouble;

use std::time::Duration;

use adoube::journal::Reader;
use adoube_core::event::Publisher;
use adoube_sim::Noise;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, PATIENCE, Site, awaited};
use crate::http::get;
use crate::played::{self, Played, demo_game};
use server::{NatsServer, Stored};

/// What is in the journal: the public events by number, and all of them.
struct Truth {
    public: Vec<(u64, String)>,
    private: Vec<(u64, String)>,
}

impl Truth {
    fn of(site: &Site) -> Self {
        let (mut public, mut private, mut publisher) = (Vec::new(), Vec::new(), Publisher::default());
        for stored in Reader::open(&site.journal, 1) {
            let stored = stored.unwrap();
            let events = publisher.publish(&stored.numbered().unwrap());
            public.extend(events.iter().map(|event| (event.id(), event.to_line())));
            private.push((stored.seq, stored.json));
        }
        Self { public, private }
    }
}

/// A place where game `index` is played, whose events go to `url`.
fn hall(index: usize, speed: f64, url: &str, lines: &str) -> (Site, Played) {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(index), Noise::Light, 4), speed);
    let site = Site::new(speed, &[port]);
    site.add_section(&format!("[feeds.nats]\nurl = \"{url}\"\n{lines}"));
    (site, players)
}

/// Fails unless the stream holds exactly these events, each once and in order.
fn is_whole(stream: &[Stored], truth: &[(u64, String)]) {
    for (stored, (number, line)) in stream.iter().zip(truth) {
        assert_eq!((stored.number(), &stored.line), (*number, line), "at {}", stored.sequence);
    }
    let (last, expected) = (stream.last().map(Stored::number), truth.last().map(|(number, _)| *number));
    assert_eq!((stream.len(), last), (truth.len(), expected));
    let sequences: Vec<u64> = stream.iter().map(|stored| stored.sequence).collect();
    assert_eq!(sequences, (1..=stream.len() as u64).collect::<Vec<_>>());
    let epoch = |stored: &Stored| stored.id.rsplit_once('-').unwrap().0.to_owned();
    assert!(stream.iter().all(|stored| epoch(stored) == epoch(&stream[0])));
}

/// How the feed of a stream stands.
async fn feed(site: &Site, stream: &str) -> Value {
    let feeds = get(site.desk, "/api/v1/feeds").await.json();
    let is_it = |feed: &&Value| feed["to"].as_str().unwrap().starts_with(&format!("{stream} at "));
    feeds.as_array().unwrap().iter().find(is_it).unwrap_or(&Value::Null).clone()
}

/// Waits until the feed of a stream stands so, with so much in its last error; gives it.
async fn stands(site: &Site, stream: &str, state: &str, error: &str) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let feed = feed(site, stream).await;
        if feed["state"] == state && feed["last_error"].as_str().unwrap_or_default().contains(error) {
            return feed;
        }
        assert!(Instant::now() < deadline, "still not {state} with \"{error}\": {feed}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the game is over and both streams have all of it.
async fn is_played_out(site: &Site, players: &Played, server: &NatsServer, patience: Duration) {
    awaited("end of the game", patience, async || players.is_finished().then_some(())).await;
    settled(site, server).await;
}

/// Waits until both streams have all that is in the journal.
async fn settled(site: &Site, server: &NatsServer) {
    awaited("all events in the streams", PATIENCE, async || all_of(site, server).await).await;
}

/// What is in the journal, if both streams have all of it.
async fn all_of(site: &Site, server: &NatsServer) -> Option<Truth> {
    let truth = Truth::of(site);
    let context = server.context().await;
    for (stream, last) in [("public", truth.public.last()), ("private", truth.private.last())] {
        let name = format!("ADOUBE_{}", stream.to_uppercase());
        let subject = format!("adoube.{stream}.>");
        let stored = context.get_stream(name).await.ok()?;
        let message = stored.get_last_raw_message_by_subject(&subject).await.ok()?;
        let id = message.headers.get("Nats-Msg-Id")?.as_str().to_owned();
        (id.rsplit_once('-')?.1.parse() == Ok(last?.0)).then_some(())?;
    }
    Some(truth)
}

/// Ends the daemon with all of its journal in both streams. What it writes in its last instant goes out when it is
/// started again: then it is.
async fn ended_whole(site: &Site, mut daemon: Daemon, server: &NatsServer) -> Truth {
    let deadline = Instant::now() + PATIENCE;
    loop {
        settled(site, server).await;
        assert_eq!(daemon.terminate().await, Some(0));
        if let Some(truth) = all_of(site, server).await {
            return truth;
        }
        assert!(Instant::now() < deadline, "each end writes more");
        daemon = site.start();
    }
}
