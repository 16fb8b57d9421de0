//! Spectators far from the hall: any number of relays, each of which may end at any time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube_sim::Noise;
use async_nats::jetstream::{consumer, stream};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::browser::browser;
use crate::daemon::{Daemon, PATIENCE, Site, awaited, nowhere, reserved_address};
use crate::http::{Events, Heard, Message, game, get, moves};
use crate::nats::server::{NatsServer, narrow_line, slow_line};
use crate::played::{self, LONG, Line, Played, SHORT, demo_game};

/// A relay on an address that stays the same.
pub(crate) struct Place {
    pub(crate) address: SocketAddr,
    url: String,
}

impl Place {
    pub(crate) fn new(url: &str) -> Self {
        Self { address: reserved_address(), url: url.to_owned() }
    }

    /// Starts it; comes back when it says that it is ready.
    pub(crate) async fn start(&self) -> Daemon {
        let command = self.command();
        let (relay, link) = tokio::task::spawn_blocking(|| Daemon::spawn(command)).await.unwrap();
        assert_eq!(link, format!("http://{}/", self.address));
        relay
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.args(["relay", "--nats", &self.url, "--listen", &self.address.to_string()]);
        command
    }
}

fn hall(index: usize, speed: f64, server: &NatsServer) -> (Site, Played) {
    let (players, port) = Played::on_tcp(played::board(&demo_game(index), Noise::Clean, 4), speed);
    let site = Site::new(speed, &[port]);
    site.add_section(&format!("[feeds.nats]\nurl = \"{}\"", server.url()));
    (site, players)
}

/// What viewers saw, by id.
type Seen = Arc<Mutex<BTreeMap<u64, Message>>>;

/// A viewer who goes to the next relay whenever he is cut off.
struct Viewer {
    relays: Vec<SocketAddr>,
    seen: Seen,
    last: Option<(String, u64)>,
    /// How often he had to go elsewhere.
    moved: Arc<Mutex<u32>>,
}

impl Viewer {
    fn start(relays: &[SocketAddr], seen: &Seen, moved: &Arc<Mutex<u32>>) -> JoinHandle<()> {
        let (seen, moved) = (Arc::clone(seen), Arc::clone(moved));
        tokio::spawn(Self { relays: relays.to_owned(), seen, last: None, moved }.run())
    }

    async fn run(mut self) {
        loop {
            self.relays.rotate_left(1);
            let after = self.last.as_ref().map(|(epoch, number)| format!("{epoch}-{number}"));
            let Ok(mut events) = Events::open(self.relays[0], after.as_deref()).await else {
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            loop {
                match events.next().await {
                    Heard::Message(message) => self.take(message),
                    Heard::Comment => {}
                    Heard::End => break,
                }
            }
            *self.moved.lock().unwrap() += 1;
        }
    }

    fn take(&mut self, message: Message) {
        let (epoch, number) = (message.id.rsplit_once('-').unwrap().0.to_owned(), message.number());
        match &self.last {
            None => assert_eq!(message.name, "snapshot"),
            Some((known, last)) => assert_eq!((&epoch, number), (known, last + 1), "{message:?}"),
        }
        self.last = Some((epoch, number));
        if message.name != "snapshot" {
            let known = self.seen.lock().unwrap().entry(number).or_insert_with(|| message.clone()).clone();
            assert_eq!(known, message);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whose_relay_is_killed_goes_on_at_another_and_misses_nothing() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, 10.0, &server);
    let daemon = site.start();
    // One of them is always a little behind: whoever comes from the other has seen more than it has.
    let slow = slow_line(server.address, Duration::from_millis(100)).await;
    let places = [Place::new(&server.url()), Place::new(&format!("nats://{slow}"))];
    let mut relays = [Some(places[0].start().await), Some(places[1].start().await)];
    let addresses = places.each_ref().map(|place| place.address);
    let (seen, moved) = (Seen::default(), Arc::default());
    let opened = async || game(addresses[0], "1").await;
    awaited("a game at the relay", PATIENCE, opened).await;
    let viewers: Vec<JoinHandle<()>> = (0..40)
        .map(|nth| {
            let order = if nth % 2 == 0 { addresses } else { [addresses[1], addresses[0]] };
            Viewer::start(&order, &seen, &moved)
        })
        .collect();
    let mut rng = fastrand::Rng::with_seed(5);
    for nth in 0..8 {
        sleep(Duration::from_millis(rng.u64(300..1_500))).await;
        relays[nth % 2].take().unwrap().kill();
        sleep(Duration::from_millis(rng.u64(0..300))).await;
        relays[nth % 2] = Some(places[nth % 2].start().await);
    }
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let result = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    let at_the_hall = awaited("result", PATIENCE, result).await;
    let number = async || Events::open(site.public, None).await.unwrap().message(PATIENCE).await.number();
    let last = number().await;
    let has_all = async || seen.lock().unwrap().contains_key(&last).then_some(());
    awaited("last event", PATIENCE, has_all).await;
    for viewer in viewers {
        assert!(!viewer.is_finished(), "a viewer saw something wrong");
        viewer.abort();
    }
    assert!(*moved.lock().unwrap() >= 8 * 20, "{moved:?}");
    // And everything looks the same everywhere.
    for address in addresses {
        assert_eq!(game(address, "1").await, Some(at_the_hall.clone()));
    }
    let ends = [relays[0].take().unwrap().terminate().await, daemon.terminate().await];
    assert_eq!(ends, [Some(0), Some(0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_needs_neither_the_hall_nor_in_the_end_the_server() {
    let Some(mut server) = NatsServer::start().await else { return };
    // There is no stream yet: it waits, and nobody gets in.
    let place = Place::new(&server.url());
    let waiting = tokio::spawn({
        let command = place.command();
        async move { tokio::task::spawn_blocking(|| Daemon::spawn(command)).await.unwrap().0 }
    });
    sleep(Duration::from_millis(500)).await;
    assert!(!waiting.is_finished() && TcpStream::connect(place.address).await.is_err());
    let (site, players) = hall(SHORT, 40.0, &server);
    let daemon = site.start();
    let early = waiting.await.unwrap();
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let result = async || game(place.address, "1").await.filter(|game| game["result"] != "*");
    let seen = awaited("result", PATIENCE, result).await;
    assert_eq!(moves(&seen), players.truth());
    assert_eq!(daemon.terminate().await, Some(0));

    // The hall is empty by now.
    let other = Place::new(&server.url());
    let late = other.start().await;
    assert_eq!(game(other.address, "1").await, Some(seen.clone()));
    for address in [place.address, other.address] {
        let snapshot = Events::open(address, None).await.unwrap().message(PATIENCE).await.json();
        assert_eq!(snapshot["tournament"]["name"], "Spring Open", "{snapshot}");
        assert_eq!(
            (&snapshot["tournament"]["site"], &snapshot["desk"]),
            (&"Þingvellir".into(), &false.into())
        );
        assert!(get(address, "/").await.body.contains("<html"), "the page");
        assert_eq!(get(address, "/api/v1/feeds").await.status, 404, "nothing of the desk is here");
    }
    let (one, two) = (
        Events::open(place.address, None).await.unwrap().message(PATIENCE).await,
        Events::open(other.address, None).await.unwrap().message(PATIENCE).await,
    );
    assert_eq!((&one.id, one.json()["boards"].clone()), (&two.id, two.json()["boards"].clone()));
    // Who has seen more elsewhere is not shown the past.
    let epoch = one.id.rsplit_once('-').unwrap().0;
    let ahead = get(place.address, &format!("/api/v1/events?after={epoch}-999999")).await;
    assert_eq!((ahead.status, ahead.header("retry-after")), (503, Some("1")), "{ahead:?}");

    let heard = async || get(place.address, "/healthz").await.json()["heard"].clone();
    assert!(heard().await["checked_s"].as_u64().is_some_and(|age_s| age_s < 5), "{}", heard().await);
    server.kill();
    sleep(Duration::from_secs(6)).await;
    assert_eq!(game(place.address, "1").await, Some(seen));
    // It goes on, and says how old what it shows is.
    let told = heard().await;
    assert!(told["checked_s"].as_u64().is_some_and(|age_s| age_s >= 5), "{told}");
    assert!(told["event_s"].as_u64() >= told["checked_s"].as_u64(), "{told}");
    let snapshot = Events::open(place.address, None).await.unwrap().message(PATIENCE).await.json();
    assert!(snapshot["heard"]["checked_s"].as_u64().is_some_and(|age_s| age_s >= 5), "{snapshot}");
    assert_eq!(get(place.address, "/readyz").await.json()["ready"], true);
    let metrics = get(place.address, "/metrics").await.body;
    assert!(metrics.contains("\nadoube_relay_checked_seconds ") && metrics.ends_with("# EOF\n"), "{metrics}");
    // The next game, and the server is back: with a journal of its own it is another story.
    server.restart().await;
    let (next, players) = hall(SHORT, 40.0, &server);
    let mut events = Events::open(place.address, Some(&one.id)).await.unwrap();
    let _daemon = next.start();
    let cut_off = async { while !matches!(events.next().await, Heard::End) {} };
    timeout(PATIENCE, cut_off).await.expect("an end of the old story");
    let message = Events::open(place.address, Some(&one.id)).await.unwrap().message(PATIENCE).await;
    assert_eq!(message.name, "resync");
    assert_ne!(message.id.rsplit_once('-').unwrap().0, one.id.rsplit_once('-').unwrap().0);
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    for address in [place.address, other.address] {
        let result = async || game(address, "1").await.filter(|game| game["result"] != "*");
        awaited("result", PATIENCE, result).await;
    }
    drop((early, late));
}

/// Whatever the line carries, a relay gets on: what it has received is not fetched again because an answer is late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_narrow_line_a_relay_catches_up_all_the_same() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, 200.0, &server);
    let daemon = site.start();
    let near = Place::new(&server.url());
    let _near = near.start().await;
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let result = async || game(near.address, "1").await.filter(|game| game["result"] != "*");
    let seen = awaited("result", PATIENCE, result).await;
    // All of it takes far longer than a server is waited for.
    let line = narrow_line(server.address, 12_000).await;
    let far = Place::new(&format!("nats://{line}"));
    let log = site.path().join("relay.log");
    let mut command = far.command();
    command.stderr(std::fs::File::create(&log).unwrap());
    let (_far, _) = tokio::task::spawn_blocking(|| Daemon::spawn(command)).await.unwrap();
    assert_eq!(game(far.address, "1").await, Some(seen));
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains("failures="), "{log}");
    assert_eq!(daemon.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_made_anew_is_read_anew() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, 10.0, &server);
    let daemon = site.start();
    let place = Place::new(&server.url());
    let _relay = place.start().await;
    awaited("some moves", PATIENCE, async || (players.plies() > 6).then_some(())).await;
    server.context().await.delete_stream("ADOUBE_PUBLIC").await.unwrap();
    let plies = async |address| game(address, "1").await.map_or(0, |game| moves(&game).len());
    let goes_on = async || (plies(place.address).await > 12).then_some(());
    awaited("more moves at the relay", PATIENCE, goes_on).await;
    assert_eq!(daemon.terminate().await, Some(0));
}

/// As in a cluster without a leader: some requests are answered, and no consumer is made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_lets_nobody_read_is_asked_ever_more_rarely() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.context().await;
    let stream = context.create_stream(stream::Config {
        name: "ADOUBE_PUBLIC".to_owned(),
        subjects: vec!["adoube.public.>".to_owned()],
        max_consumers: 1,
        ..stream::Config::default()
    });
    let stream = stream.await.unwrap();
    let only = consumer::pull::Config { durable_name: Some("only".to_owned()), ..Default::default() };
    let _only = stream.create_consumer(only).await.unwrap();
    let (line, connections) = counted_line(server.address).await;
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Place::new(&format!("nats://{line}")).command();
    let mut relay = command.stdout(nowhere()).stderr(log.reopen().unwrap()).spawn().unwrap();
    sleep(Duration::from_secs(4)).await;
    relay.kill().unwrap();
    relay.wait().unwrap();
    let (connections, said) =
        (connections.load(Ordering::Relaxed), std::fs::read_to_string(log.path()).unwrap());
    // The stream itself, with pauses from 50 ms on, and once that of the pairings, which is not there.
    // Chance lengthens them: one run in twelve has more than sixteen. Eighteen a second would be seventy-two.
    assert!((3..=40).contains(&connections), "{connections} connections: {said}");
    assert_eq!(said.matches("WARN").count(), 1, "{said}");
}

/// A stream between two leaders answers nobody: whoever asks again a second later is answered by the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_nobody_has_heard_are_made_again() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(SHORT, 40.0, &server);
    let _hall = site.start();
    awaited("some moves", PATIENCE, async || (players.plies() > 6).then_some(())).await;
    let (line, lost) = forgetful_line(server.address).await;
    let log = site.path().join("relay.log");
    let place = Place::new(&format!("nats://{line}"));
    let mut command = place.command();
    command.stderr(std::fs::File::create(&log).unwrap());
    let (_relay, _) = tokio::task::spawn_blocking(|| Daemon::spawn(command)).await.unwrap();
    let seen = async || game(place.address, "1").await.filter(|game| moves(game).len() > 6);
    awaited("the game at the relay", PATIENCE, seen).await;
    let said = std::fs::read_to_string(log).unwrap();
    assert!(!said.contains("failures="), "{said}");
    let lost = lost.lock().unwrap().clone();
    for request in ["STREAM.INFO.ADOUBE_PUBLIC", "CONSUMER.CREATE.ADOUBE_PUBLIC"] {
        assert!(lost.iter().any(|lost| lost.contains(request)), "{request}: {lost:?}");
    }
}

/// A line to `server` on which the first request of each kind about streams and consumers gets lost.
async fn forgetful_line(server: SocketAddr) -> (SocketAddr, Arc<Mutex<BTreeSet<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, lost) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(BTreeSet::new())));
    let all = Arc::clone(&lost);
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(server).await.unwrap();
            let (from_client, mut to_client) = client.into_split();
            let (mut from_server, to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
            tokio::spawn(forget(BufReader::new(from_client), to_server, Arc::clone(&all)));
        }
    });
    (address, lost)
}

/// Passes on what a client of NATS says, but for what gets lost.
async fn forget(
    mut from: BufReader<OwnedReadHalf>,
    mut to: OwnedWriteHalf,
    lost: Arc<Mutex<BTreeSet<String>>>,
) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let mut said = line.clone().into_bytes();
        let words: Vec<&str> = line.split_whitespace().collect();
        if ["PUB", "HPUB"].contains(&words[0]) {
            let mut payload = vec![0; words[words.len() - 1].parse::<usize>().unwrap() + 2];
            from.read_exact(&mut payload).await?;
            said.extend(payload);
            // A consumer that is made has another name each time.
            let kind = words[1].split('.').take(5).collect::<Vec<_>>().join(".");
            let is_asked =
                kind.starts_with("$JS.API.STREAM.INFO") || kind.starts_with("$JS.API.CONSUMER.CREATE");
            if is_asked && lost.lock().unwrap().insert(kind) {
                continue;
            }
        }
        to.write_all(&said).await?;
    }
}

/// Two halls in one stream are two games on each board: the second would take the place of the first, and back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_with_two_sites_is_refused_with_words() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.context().await;
    let create = async |name: &str, subjects: &[&str]| {
        let config = stream::Config {
            name: name.to_owned(),
            subjects: subjects.iter().map(|&subject| subject.to_owned()).collect(),
            ..stream::Config::default()
        };
        context.create_stream(config).await.unwrap();
    };
    let north: &[&str] = &["adoube.north.public.>", "adoube.south.public.>"];
    let log = tempfile::NamedTempFile::new().unwrap();
    for (site, name, subjects, subject) in [
        (Some("north"), "ADOUBE_PUBLIC_NORTH", north, "adoube.south.public.>"),
        (None, "ADOUBE_PUBLIC", &["adoube.>"], "adoube.>"),
    ] {
        create(name, subjects).await;
        let mut command = Place::new(&server.url()).command();
        site.map(|site| command.args(["--site", site]));
        let mut relay = command.stdout(nowhere()).stderr(log.reopen().unwrap()).spawn().unwrap();
        let refused = async || {
            let said = std::fs::read_to_string(log.path()).unwrap();
            said.contains(&format!("holds messages of another site as well ({subject})")).then_some(())
        };
        awaited("a refusal", PATIENCE, refused).await;
        assert!(relay.try_wait().unwrap().is_none(), "the stream may be put right");
        relay.kill().unwrap();
        relay.wait().unwrap();
        context.delete_stream(name).await.unwrap();
    }
}

/// Whoever watches is told how old it is when the hall cannot be reached any more, and when it can be again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_a_relay_says_how_old_it_is() {
    let Some(mut server) = NatsServer::start().await else { return };
    let (site, players) = hall(LONG, 10.0, &server);
    let _hall = site.start();
    awaited("some moves", PATIENCE, async || (players.plies() > 6).then_some(())).await;
    let place = Place::new(&server.url());
    let _relay = place.start().await;
    let browser = browser().await;
    if let Some(browser) = &browser {
        browser.client.goto(&format!("http://{}/", place.address)).await.unwrap();
        browser.sees("document.querySelectorAll('.board').length > 0").await;
        browser.sees("document.getElementById('old').textContent === ''").await;
    }
    let mut events = Events::open(place.address, None).await.unwrap();
    let mut heard = async || {
        loop {
            let message = events.told(PATIENCE).await;
            if message.name == "heard" {
                return message.json()["checked_s"].as_u64().unwrap();
            }
        }
    };
    server.kill();
    assert!(heard().await >= 10);
    let page = get(place.address, "/").await.body;
    assert!(page.contains("The hall cannot be reached: this is how it stood 1"), "{page}");
    if let Some(browser) = &browser {
        browser
            .sees("document.getElementById('old').textContent.startsWith('The hall cannot be reached')")
            .await;
    }
    server.restart().await;
    while heard().await >= 10 {}
    if let Some(browser) = browser {
        browser.sees("document.getElementById('old').textContent === ''").await;
        browser.close().await;
    }
}

/// A line to `server` that counts how often it is called.
async fn counted_line(server: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, count) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            let mut server = TcpStream::connect(server).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
        }
    });
    (address, count)
}

#[test]
fn what_cannot_work_is_said_at_once() {
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let busy = busy.local_addr().unwrap().to_string();
    let errors = [
        vec!["--nats", "http://a"],
        vec!["--nats", "nats://me:word@a"],
        vec!["--nats", "a", "--site", "Hall 2"],
        vec!["--nats", "a", "--credentials", "/nowhere/at/all"],
        vec!["--nats", "a", "--listen", &busy],
    ]
    .map(|arguments| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        let output = command.arg("relay").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap().replace(&busy, "ADDRESS");
        text.lines().next().unwrap().to_owned()
    });
    insta::assert_snapshot!(errors.join("\n"), @r#"
    error: invalid value 'http://a' for '--nats <URL>': "http://a" is no address of a server; write nats://HOST:PORT or tls://HOST:PORT
    error: invalid value 'nats://me:word@a' for '--nats <URL>': names and passwords belong into a file of credentials, not into an address
    error: invalid value 'Hall 2' for '--site <SITE>': "Hall 2" cannot be a site: small letters, digits and _, 32 at most, and none of "public", "private" and "pairings"
    adoube: /nowhere/at/all cannot be read: No such file or directory (os error 2)
    adoube: ADDRESS: cannot listen there: Address already in use (os error 98); is another adoube running?
    "#);
}

/// Spectators may come before the round begins.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_the_first_event_of_all_gets_it() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(SHORT, 20.0, &server);
    players.line.send_replace(Line::Away);
    let _hall = site.start();
    let place = Place::new(&server.url());
    let _relay = place.start().await;
    let mut events = Events::open(place.address, None).await.unwrap();
    assert_eq!(events.message(PATIENCE).await.name, "snapshot");
    players.line.send_replace(Line::Good);
    // He is not cut off by it, which would be a panic here.
    let first = events.message(PATIENCE).await;
    assert_eq!((first.number(), first.json()["board"].as_str()), (1, Some("1")));
    // What the tournament is called, the relay learns with the events.
    let pgn = awaited("the game", PATIENCE, async || {
        Some(get(place.address, "/pgn/games.pgn").await).filter(|answer| answer.status == 200)
    });
    let pgn = pgn.await.body;
    assert!(pgn.contains("[Event \"Spring Open\"]") && pgn.contains("[GameId \"spring-open-"), "{pgn}");
}
