//! Incidents by HTTP: signed, once by key, in order, through outages and restarts; and nobody else waits for
//! a receiver.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::feed::webhook::signature;
use adoube_sim::Noise;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, PATIENCE, Site, awaited, reserved_address};
use crate::http::{Events, ask, game, get};
use crate::played::{self, LONG, Played, demo_game};

/// Slow enough that the game outlasts a test.
const SPEED: f64 = 4.0;
const SECRET: &str = "no more than a test's secret";

/// One attempt to deliver something.
#[derive(Debug, Clone)]
struct Delivery {
    at: Instant,
    headers: HeaderMap,
    body: String,
    answer: u16,
}

impl Delivery {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn key(&self) -> &str {
        self.header("Adoube-Delivery")
    }

    fn record(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn is_taken(&self) -> bool {
        self.answer == 200
    }
}

/// What a receiver does next.
#[derive(Debug, Clone, Copy)]
enum Act {
    Answer(u16, &'static str),
    Hang(Duration),
}

/// Somebody who is told, and does what he was told to do; then he takes everything.
#[derive(Clone, Default)]
struct Receiver {
    heard: Arc<Mutex<Vec<Delivery>>>,
    acts: Arc<Mutex<VecDeque<Act>>>,
}

impl Receiver {
    fn acting(acts: &[Act]) -> Self {
        let receiver = Self::default();
        receiver.acts.lock().unwrap().extend(acts);
        receiver
    }

    async fn listen(&self, address: SocketAddr) -> JoinHandle<()> {
        let listener = TcpListener::bind(address).await.unwrap();
        let router = Router::new().fallback(any(receive)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() })
    }

    fn heard(&self) -> Vec<Delivery> {
        self.heard.lock().unwrap().clone()
    }

    /// Waits until so many deliveries were taken.
    async fn taken(&self, count: usize) -> Vec<Delivery> {
        let taken = async || {
            let taken: Vec<Delivery> = self.heard().into_iter().filter(Delivery::is_taken).collect();
            (taken.len() >= count).then_some(taken)
        };
        awaited("deliveries", PATIENCE, taken).await
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let act = receiver.acts.lock().unwrap().pop_front();
    let at = Instant::now();
    let (answer, extra) = match act {
        Some(Act::Answer(status, extra)) => (status, extra),
        Some(Act::Hang(time)) => {
            sleep(time).await;
            (200, "")
        }
        None => (200, ""),
    };
    let body = String::from_utf8(body.to_vec()).unwrap();
    receiver.heard.lock().unwrap().push(Delivery { at, headers, body, answer });
    let mut response = StatusCode::from_u16(answer).unwrap().into_response();
    if let Some((name, value)) = extra.split_once(": ") {
        response
            .headers_mut()
            .insert(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    response
}

/// A hall with a game on its board, whose incidents go to `receiver`; who plays must be kept.
async fn hall(receiver: SocketAddr) -> (Site, Daemon, Played) {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(LONG), Noise::Clean, 1), SPEED);
    let site = Site::new(SPEED, &[port]);
    let secret = site.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    site.add_section(&format!(
        "[feeds.webhook]\nurl = \"http://{receiver}/hook?key=private\"\nsecret = \"{}\"\n\
         events = [\"communication-reported\"]",
        secret.display()
    ));
    let daemon = site.start();
    let opened = async || game(site.desk, "1").await;
    awaited("a game", PATIENCE, opened).await;
    (site, daemon, players)
}

/// Makes a ruling.
async fn rule(site: &Site, ruling: Value) {
    let answer = ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &ruling.to_string()).await;
    assert_eq!(answer.status, 200, "{ruling}: {answer:?}");
}

/// Opens a record that is an alert, and closes it: as long as it is open there is no second one.
async fn alert(site: &Site) {
    rule(site, json!({ "name": "communication-reported" })).await;
    rule(site, json!({ "name": "reject", "record": "communication-reported" })).await;
}

async fn feed(site: &Site) -> Value {
    let feeds = get(site.desk, "/api/v1/feeds").await.json();
    feeds.as_array().unwrap().iter().find(|feed| feed["feed"] == "webhook").unwrap().clone()
}

/// Fails unless each was taken once, and each record's events in their order.
fn are_once_and_in_order(taken: &[Delivery]) {
    let keys: BTreeSet<&str> = taken.iter().map(Delivery::key).collect();
    assert_eq!(keys.len(), taken.len(), "{taken:#?}");
    let numbers: Vec<u64> = taken.iter().map(|delivery| delivery.record()["seq"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "a signature says the world's time")]
async fn a_delivery_is_the_record_signed_and_the_log_says_it_too() {
    let (receiver, address) = (Receiver::default(), reserved_address());
    let _listening = receiver.listen(address).await;
    let (site, _daemon, _players) = hall(address).await;
    rule(&site, json!({ "name": "communication-reported" })).await;
    let number = receiver.taken(1).await[0].record()["record"].clone();
    // Less urgent than asked for, and of another type.
    rule(&site, json!({ "name": "note", "text": "nobody needs to know" })).await;
    rule(&site, json!({ "name": "claim-threefold", "side": "white" })).await;
    rule(&site, json!({ "name": "reject", "record": number })).await;
    let taken = receiver.taken(2).await;
    are_once_and_in_order(&taken);
    for delivery in &taken {
        assert_eq!(delivery.header("Content-Type"), "application/json");
        assert_eq!(delivery.header("Adoube-Event"), "communication-reported");
        assert_eq!(delivery.header("Idempotency-Key"), delivery.key());
        let signed = delivery.header("Adoube-Signature");
        let at_s: i64 = signed.split_once(',').unwrap().0.strip_prefix("t=").unwrap().parse().unwrap();
        assert_eq!(signed, signature(SECRET.as_bytes(), at_s, delivery.body.as_bytes()));
        let passed_s = jiff::Timestamp::now().as_second() - at_s;
        assert!((0..60).contains(&passed_s), "{passed_s} s ago");
    }
    let [opened, rejected] = [taken[0].record(), taken[1].record()];
    assert_eq!((&opened["status"], &rejected["status"]), (&json!("open"), &json!("rejected")));
    assert_eq!((&opened["severity"], &opened["board"]), (&json!("alert"), &json!("1")));
    assert_eq!(opened["opened_at"], opened["at"]);
    assert_eq!(rejected["opened_at"], opened["at"]);
    assert_ne!(rejected["at"], opened["at"]);
    let key = format!("-{}-{}", rejected["record"], rejected["seq"]);
    assert!(taken[1].key().ends_with(&key), "{} {key}", taken[1].key());
    let stands = async || Some(feed(&site).await).filter(|feed| feed["delivered"] == 2);
    let feed = awaited("the count", PATIENCE, stands).await;
    assert_eq!((&feed["state"], &feed["queued"]), (&json!("ok"), &json!(0)));
    assert_eq!(feed["to"], format!("http://{address}"), "without path and key");
    let log = site.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("communication-reported")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].contains("WARN") && lines[0].contains("BOARD=\"1\""), "{}", lines[0]);
    assert!(lines[0].contains("status=\"open\"") && lines[1].contains("status=\"rejected\""), "{lines:?}");
    assert!(log.lines().any(|line| line.contains("INCIDENT=\"claim-threefold\"")), "{log}");
    assert!(!log.contains("private") && !log.contains(SECRET), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_delays_and_repeats_nothing() {
    let receiver = Receiver::acting(&[Act::Answer(503, ""), Act::Answer(500, "")]);
    let address = reserved_address();
    let (site, _daemon, _players) = hall(address).await;
    // Nobody listens at first.
    alert(&site).await;
    let failing =
        async || Some(feed(&site).await).filter(|feed| feed["state"] == "failing" && feed["queued"] == 2);
    let failed = awaited("a failure of two", PATIENCE, failing).await;
    assert!(failed["failing_since"].is_string() && failed["last_error"].is_string(), "{failed}");
    let _listening = receiver.listen(address).await;
    alert(&site).await;
    let taken = receiver.taken(4).await;
    are_once_and_in_order(&taken);
    let heard = receiver.heard();
    let answers: Vec<u16> = heard.iter().map(|delivery| delivery.answer).collect();
    assert_eq!(answers, [503, 500, 200, 200, 200, 200]);
    // The same delivery under the same key, until it was taken.
    assert!(heard[..3].iter().all(|delivery| delivery.key() == heard[0].key()), "{heard:#?}");
    // It counts a delivery a moment after the receiver has it.
    let healed = async || {
        let is_counted = |feed: &Value| feed["state"] == "ok" && feed["delivered"] == 4;
        Some(feed(&site).await).filter(is_counted)
    };
    let feed = awaited("health", PATIENCE, healed).await;
    assert_eq!(feed["failing_since"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_may_ask_for_time_and_refuse_but_not_redirect() {
    let receiver = Receiver::acting(&[
        Act::Answer(429, "retry-after: 3"),
        Act::Answer(200, ""),
        Act::Answer(400, ""),
        Act::Answer(302, "location: /elsewhere"),
    ]);
    let address = reserved_address();
    let _listening = receiver.listen(address).await;
    let (site, _daemon, _players) = hall(address).await;
    for _ in 0..2 {
        alert(&site).await;
    }
    let taken = receiver.taken(2).await;
    are_once_and_in_order(&taken);
    let heard = receiver.heard();
    // What was refused is not sent again, and nobody went elsewhere.
    assert_eq!(heard.iter().map(|delivery| delivery.answer).collect::<Vec<_>>(), [429, 200, 400, 302, 200]);
    let waited = heard[1].at - heard[0].at;
    assert!(waited >= Duration::from_secs(3), "{waited:?}");
    let counted = async || Some(feed(&site).await).filter(|feed| feed["delivered"] == 2);
    let feed = awaited("the count", PATIENCE, counted).await;
    assert_eq!((&feed["refused"], &feed["state"]), (&json!(2), &json!("ok")));
    assert!(feed["last_error"].as_str().unwrap().contains("redirects are not followed"), "{feed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_receiver_slows_nobody_else() {
    let receiver = Receiver::acting(&[Act::Hang(Duration::from_secs(5))]);
    let address = reserved_address();
    let _listening = receiver.listen(address).await;
    let (site, _daemon, _players) = hall(address).await;
    let mut events = Events::open(site.desk, None).await.unwrap();
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut alerts = 0;
    while begun.elapsed() < Duration::from_secs(3) {
        let asked = Instant::now();
        alert(&site).await;
        alerts += 1;
        for _ in 0..2 {
            while events.message(PATIENCE).await.name != "communication-reported" {}
        }
        slowest = slowest.max(asked.elapsed());
    }
    assert!(receiver.heard().is_empty(), "it still hangs");
    assert_eq!(feed(&site).await["state"], "behind");
    // Who waited for the receiver would have waited for five seconds.
    assert!(slowest < Duration::from_secs(4), "an event took {slowest:?}");
    are_once_and_in_order(&receiver.taken(2 * alerts).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_goes_on_where_it_was() {
    let (receiver, address) = (Receiver::default(), reserved_address());
    let listening = receiver.listen(address).await;
    let (site, daemon, _players) = hall(address).await;
    alert(&site).await;
    receiver.taken(2).await;
    // A commit of what was sent takes a moment.
    sleep(Duration::from_millis(300)).await;
    listening.abort();
    let gone = async || tokio::net::TcpStream::connect(address).await.err();
    awaited("its end", PATIENCE, gone).await;
    alert(&site).await;
    alert(&site).await;
    // More than the hub keeps: what comes before is read from the journal.
    for _ in 0..300 {
        rule(&site, json!({ "name": "note", "text": "x" })).await;
    }
    alert(&site).await;
    // What is on disk outlives it.
    // (A busy machine may add incidents of its own.)
    let queued =
        async || feed(&site).await["queued"].as_u64().is_some_and(|queued| queued >= 6).then_some(());
    awaited("all of them", PATIENCE, queued).await;
    daemon.kill();
    let _listening = receiver.listen(address).await;
    let _daemon = site.start();
    let taken = receiver.taken(8).await;
    are_once_and_in_order(&taken);
    alert(&site).await;
    let taken = receiver.taken(10).await;
    are_once_and_in_order(&taken);
    assert_eq!(taken.len(), 10);
}
