//! Ended again and again between two instructions: nothing that anybody saw is lost, repeated under
//! another number, or changed.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::journal::Reader;
use adoube_core::event::publish;
use adoube_rules::Position as _;
use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::daemon::{PATIENCE, Site, awaited};
use crate::depth;
use crate::http::{Events, Heard, Message, ask, game, get, moves};
use crate::played::{self, LONG, Played, demo_game};

/// How often the daemon is killed in a game.
const CYCLES: usize = 25;

/// Games: with `bash .ci/full` it is killed a thousand times.
const GAMES: u64 = 40;

/// One kill in so many comes while the daemon starts.
const AT_THE_START: usize = 4;

/// No more once so many plies are left: the last one is to see the end of the game.
const SEEN_TO_THE_END: usize = 15;

/// So that a game lasts about as long as all that killing.
const SPEED: f64 = 6.0;

/// What subscribers saw, by number.
type Seen = Arc<Mutex<BTreeMap<u64, Message>>>;

/// A subscriber that comes back whenever it is cut off.
struct Subscriber {
    address: SocketAddr,
    seen: Seen,
    /// It claims to have so many events less than it has, and so gets them again.
    forgets: u64,
    last: Option<(String, u64)>,
}

impl Subscriber {
    fn start(address: SocketAddr, seen: &Seen, forgets: u64) -> JoinHandle<()> {
        let subscriber = Self { address, seen: Arc::clone(seen), forgets, last: None };
        tokio::spawn(subscriber.run())
    }

    async fn run(mut self) {
        loop {
            if let Some((_, number)) = &mut self.last {
                *number = number.saturating_sub(self.forgets).max(1);
            }
            let after = self.last.as_ref().map(|(epoch, number)| format!("{epoch}-{number}"));
            if let Ok(mut events) = Events::open(self.address, after.as_deref()).await {
                loop {
                    match events.next().await {
                        Heard::Message(message) if !message.id.is_empty() => self.take(message),
                        Heard::Message(_) | Heard::Comment => {}
                        Heard::End => break,
                    }
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn take(&mut self, message: Message) {
        let (epoch, number) = (message.id.rsplit_once('-').unwrap().0.to_owned(), message.number());
        match &self.last {
            None => assert_eq!(message.name, "snapshot"),
            Some((known, last)) => {
                assert_eq!((&epoch, number), (known, last + 1), "{message:?}");
            }
        }
        self.last = Some((epoch, number));
        if message.name == "snapshot" {
            return;
        }
        let known = self.seen.lock().unwrap().entry(number).or_insert_with(|| message.clone()).clone();
        assert_eq!(known, message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_loses_nothing_that_anybody_saw() {
    let games = if depth::full().is_some() { GAMES } else { 1 };
    let mut killed = 0;
    for seed in 9..9 + games {
        killed += kills_in_a_game(seed).await;
        depth::say(&format!("killed {killed} times: nothing is lost"));
    }
}

/// Plays a game while the daemon is killed again and again; how often it was.
async fn kills_in_a_game(seed: u64) -> usize {
    // What is missed while nobody hears it is another matter (`links`, `recovery`): a busy machine starts a daemon late.
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(LONG), Noise::Light, 4), SPEED);
    let site = Site::new(SPEED, &[port]);
    let (desk, public) = (Seen::default(), Seen::default());
    let subscribers: Vec<JoinHandle<()>> = [(site.desk, &desk), (site.public, &public)]
        .into_iter()
        .flat_map(|(address, seen)| [0, 3].map(|forgets| Subscriber::start(address, seen, forgets)))
        .collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut killed = 0;
    while killed < CYCLES && players.plies() + SEEN_TO_THE_END < players.truth().len() {
        let daemon = site.start();
        let after_ms = if killed % AT_THE_START == 0 { rng.u64(0..250) } else { rng.u64(100..1_800) };
        sleep(Duration::from_millis(after_ms)).await;
        daemon.kill();
        killed += 1;
    }
    let daemon = site.start();
    awaited("end of the game", 3 * PATIENCE, async || players.is_finished().then_some(())).await;
    let finished =
        awaited("result", PATIENCE, async || game(site.desk, "1").await.filter(|game| game["result"] != "*"))
            .await;
    is_the_game(&finished, &players.truth(), &site.log());
    assert_eq!(finished["result"], "1-0");
    // The subscribers see the last of it, too, and none of them has found a fault.
    let last = site.exported().len() as u64;
    let has_all = async || desk.lock().unwrap().contains_key(&last).then_some(());
    awaited("last event", PATIENCE, has_all).await;
    for subscriber in subscribers {
        assert!(!subscriber.is_finished(), "a subscriber saw something wrong");
        subscriber.abort();
    }
    assert_eq!(daemon.terminate().await, Some(0));
    compare(&site, &desk.lock().unwrap(), &public.lock().unwrap(), killed);
    site.verify();
    killed
}

/// The game that was played. Of plies that nobody saw, only where they led is known: a rook that went from h8 to a4
/// in two of them may have gone by a8 or by a1, or have waited while both sides made one more; whoever starts slowly
/// misses many at once. What was seen was played, in this order, if perhaps by another piece.
fn is_the_game(game: &Value, truth: &[String], log: &str) {
    let found = moves(game);
    let plies = game["moves"].as_array().unwrap();
    let is_recovered = |mv: &Value| mv["recovered"] == true;
    let seen = || (0..).zip(plies).filter(|(_, mv)| !is_recovered(mv));
    let mut played = truth.iter();
    for (index, mv) in seen() {
        // After plies that nobody saw another piece may be taken for the one that moved: where it went was seen.
        let is_sure = !plies[..index].iter().any(is_recovered);
        let arrival = |uci: &str| uci.get(2..4).map(str::to_owned);
        let uci = mv["uci"].as_str().unwrap();
        let is_alike = |played: &String| !is_sure && arrival(played) == arrival(uci);
        let mut exact = played.clone();
        let mut alike = played.clone();
        if exact.any(|played| played == uci) {
            played = exact;
        } else if alike.any(is_alike) {
            played = alike;
        } else {
            // A piece that was being dragged when the daemon was killed had rested where it never stayed.
            let is_last_seen = plies.get(index + 1).is_some_and(is_recovered);
            assert!(is_last_seen, "{mv}: where was it played? {found:?}\n{log}");
        }
    }
    assert!(2 * seen().count() > truth.len(), "more is supposed than was seen: {found:?}\n{log}");
    let played = demo_game(LONG);
    let position = played.moves.iter().fold(played.start, |position, &mv| position.play(mv));
    let placement = |fen: &str| fen.split(' ').next().unwrap().to_owned();
    let last = game["moves"].as_array().unwrap().last().unwrap();
    assert_eq!(placement(last["fen"].as_str().unwrap()), placement(&position.fen()), "{log}");
}

/// Everything that was seen is in the journal, as it was seen, and it is one game.
fn compare(site: &Site, desk: &BTreeMap<u64, Message>, public: &BTreeMap<u64, Message>, killed: usize) {
    let exported = site.exported();
    for (&number, message) in desk {
        assert_eq!(exported[number as usize - 1], message.data);
    }
    let stored: BTreeMap<u64, String> = Reader::open(&site.journal, 1)
        .filter_map(|stored| publish(&stored.unwrap().numbered().unwrap()))
        .map(|event| (event.id(), event.to_line()))
        .collect();
    for (number, message) in public {
        assert_eq!(stored.get(number), Some(&message.data));
    }
    assert!(desk.len() > 200 && public.len() > 60, "{} and {} seen", desk.len(), public.len());
    let of_type = |name: &str| {
        let mark = format!("\"type\":\"{name}\"");
        exported.iter().filter(|line| line.contains(&mark)).count()
    };
    assert_eq!(of_type("game-opened"), 1);
    assert!(
        killed >= CYCLES / 5 && of_type("board-lost") >= killed / 2,
        "{killed}: {}",
        of_type("board-lost")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ruling_that_was_answered_outlives_the_daemon() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let path = "/api/v1/boards/1/rulings";
    let mut made = 0;
    for round in 1..=5 {
        let daemon = site.start();
        for ruling in [
            json!({ "name": "note", "text": format!("round {round}") }),
            json!({ "name": "round-start", "at": "10:00" }),
            json!({ "name": "note", "text": format!("and {round} again") }),
        ] {
            let answer = ask(site.desk, "POST", path, &[], &ruling.to_string()).await;
            made += usize::from(answer.status == 200);
            assert!([200, 409].contains(&answer.status), "{ruling}: {answer:?}");
        }
        daemon.kill();
        let rulings = site.exported().into_iter().filter(|line| line.contains("\"ruled\"")).count();
        assert_eq!(rulings, made, "in round {round}: {}", site.log());
    }
    let daemon = site.start();
    let shown = get(site.desk, "/api/v1/history?types=ruled").await.json();
    assert_eq!(shown["events"].as_array().map(Vec::len), Some(made), "{shown}");
    assert!(shown["events"][0]["text"] == "and 5 again" && made >= 10, "{shown}");
    assert_eq!(daemon.terminate().await, Some(0));
    site.verify();
}
