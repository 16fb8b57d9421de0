//! What the desk is told of a hall: records, the readings behind them, history, and who is ready.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::hall::Clock;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::{Chess, ChessPosition, Position as _, Variant as _, man_from_letter, square_from_name};
use adoube_sim::{Act, ClockSetting, Firmware, FirmwareConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::daemon::{Daemon, PATIENCE, Site, awaited, reserved_address};
use crate::http::{Answer, Events, ask, get};

pub(crate) const SPEED: f64 = 5.0;
/// The board's own time between two looks at its line.
const LOOK: Duration = Duration::from_millis(4);

/// A DGT board on a port, and a hand that does what a test says.
pub(crate) struct Hand {
    firmware: Arc<Mutex<Firmware>>,
    clock: Clock,
    pub(crate) port: String,
    task: JoinHandle<()>,
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hand {
    /// A board on which `contents` stand.
    pub(crate) fn new(contents: &[Content], config: FirmwareConfig) -> Self {
        let address = reserved_address();
        let firmware = Arc::new(Mutex::new(Firmware::new(config, contents)));
        let clock = Clock::start(None, SPEED);
        let (board, time) = (Arc::clone(&firmware), clock.clone());
        let task = tokio::spawn(async move {
            let listener = TcpListener::bind(address).await.unwrap();
            loop {
                let mut stream = listener.accept().await.unwrap().0;
                let mut heard = [0; 256];
                loop {
                    let mut said = Vec::new();
                    board.lock().unwrap().poll(time.now().mono_ns, &mut said);
                    if stream.write_all(&said).await.is_err() {
                        break;
                    }
                    match timeout(LOOK, stream.read(&mut heard)).await {
                        Ok(Ok(0) | Err(_)) => break,
                        Ok(Ok(count)) => {
                            board.lock().unwrap().receive(&heard[..count], time.now().mono_ns);
                        }
                        Err(_) => {}
                    }
                }
            }
        });
        Self { firmware, clock, port: format!("tcp://{address}"), task }
    }

    fn at_start(setting: Option<ClockSetting>) -> Self {
        Self::new(&start(), FirmwareConfig { clock: setting, ..FirmwareConfig::default() })
    }

    fn act(&self, act: Act) {
        self.firmware.lock().unwrap().act(act, self.clock.now().mono_ns);
    }

    pub(crate) fn lift(&self, square: &str) {
        self.act(Act::Lift { square: square_from_name(square).unwrap() });
    }

    pub(crate) fn place(&self, square: &str, man: char) {
        self.act(Act::Place {
            square: square_from_name(square).unwrap(),
            man: man_from_letter(man).unwrap(),
        });
    }

    /// Moves a man, and presses; each takes a moment.
    async fn play(&self, from: &str, to: &str, man: char, side: Side) {
        self.lift(from);
        moment(500).await;
        self.place(to, man);
        moment(800).await;
        self.act(Act::Press(side));
        moment(1_500).await;
    }
}

/// So many milliseconds of the board.
pub(crate) async fn moment(ms: u64) {
    sleep(Duration::from_millis(ms).div_f64(SPEED)).await;
}

pub(crate) fn start() -> Vec<Content> {
    let start = ChessPosition::default();
    (0..64).map(|square| start.content(Square::new(square))).collect()
}

/// The clock that the site's time control wants: ninety minutes and half of one with each move.
fn right_clock() -> ClockSetting {
    ClockSetting::equal(5_400, 30)
}

async fn json_of(site: &Site, path: &str) -> Value {
    let answer: Answer = get(site.desk, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

async fn rule(site: &Site, ruling: Value) {
    let path = "/api/v1/boards/1/rulings";
    let answer = ask(site.desk, "POST", path, &["Content-Type: application/json"], &ruling.to_string()).await;
    assert_eq!(answer.status, 200, "{ruling}: {answer:?}");
}

/// The newest record of that type, once it is there.
async fn record(site: &Site, name: &str) -> Value {
    awaited(name, PATIENCE, async || {
        let records = json_of(site, "/api/v1/records").await;
        records.as_array().unwrap().iter().rfind(|record| record["type"] == name).cloned()
    })
    .await
}

/// 1. e4 e5, and then a knight that moves like nothing on earth.
async fn with_an_illegal_move() -> (Hand, Site, Daemon, Value) {
    with_an_illegal_move_beside(&[]).await
}

/// The same on board 1, with `others` beside it.
pub(crate) async fn with_an_illegal_move_beside(others: &[&Hand]) -> (Hand, Site, Daemon, Value) {
    let hand = Hand::at_start(Some(right_clock()));
    let boards = [&hand].into_iter().chain(others.iter().copied());
    let site = Site::new(SPEED, &boards.map(|hand| hand.port.clone()).collect::<Vec<_>>());
    let daemon = site.start();
    awaited("game", PATIENCE, async || crate::http::game(site.desk, "1").await).await;
    hand.act(Act::StartClock);
    moment(2_500).await;
    hand.play("e2", "e4", 'P', Side::White).await;
    hand.play("e7", "e5", 'p', Side::Black).await;
    hand.play("g1", "g5", 'N', Side::White).await;
    let illegal = record(&site, "illegal-move-completed").await;
    (hand, site, daemon, illegal)
}

fn types(events: &Value) -> Vec<&str> {
    events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn squares(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|square| square.as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_is_shown_until_it_is_decided_and_its_readings_show_why() {
    let (_hand, site, _daemon, illegal) = with_an_illegal_move().await;
    let number = illegal["record"].as_u64().unwrap();
    assert_eq!((&illegal["status"], &illegal["opened_at"]), (&json!("open"), &illegal["at"]));

    // The snapshot holds it; that of the spectators holds no record at all.
    let mut at_desk = Events::open(site.desk, None).await.unwrap();
    let snapshot = at_desk.message(PATIENCE).await.json();
    let records = snapshot["records"].as_array().unwrap();
    assert!(records.iter().any(|record| record == &illegal), "{records:?}");
    let public = Events::open(site.public, None).await.unwrap().message(PATIENCE).await;
    assert!(!public.data.contains("record") && !public.data.contains("illegal"), "{public:?}");

    // One record: what came of it, and what is proposed.
    let whole = json_of(&site, &format!("/api/v1/records/{number}")).await;
    assert_eq!(whole["record"], illegal);
    assert_eq!(types(&whole["history"]), ["illegal-move-completed"]);
    assert!(types(&whole["proposals"]).contains(&"restore-position"), "{whole}");
    for proposal in whole["proposals"].as_array().unwrap() {
        assert_eq!(proposal["of_record"], number, "{proposal}");
    }
    assert_eq!(json_of(&site, "/api/v1/records?status=open&board=2").await, json!([]));

    // The readings: a knight goes from g1 to g5.
    let shown = json_of(&site, &format!("/api/v1/boards/1/readings?record={number}&before_ms=4000")).await;
    let frames = shown["frames"].as_array().unwrap();
    assert_eq!((&shown["cut"], &frames[0]["kind"]), (&json!(false), &json!("start")));
    let lifted = frames.iter().position(|frame| squares(&frame["lifted"]) == ["g1"]).expect("g1 is lifted");
    let placed = frames.iter().position(|frame| squares(&frame["placed"]) == ["g5"]).expect("g5 is taken");
    assert!(lifted < placed, "{frames:?}");
    assert_eq!(frames[placed]["pieces"], "rnbqkbnr/pppp1ppp/8/4p1N1/4P3/8/PPPP1PPP/RNBQKB1R");
    assert_eq!(frames[lifted]["clock"]["running"], "white");
    assert_eq!(frames.last().unwrap()["clock"]["running"], "black");
    let said = |frame: &Value| frame["events"].as_array().unwrap().clone();
    let opening =
        frames.iter().flat_map(said).find(|event| event["seq"] == number).expect("it is said there");
    assert_eq!(opening["type"], "illegal-move-completed");
    let is_within = |frame: &&Value| frame["within"] == true;
    assert!(frames.iter().any(|frame| is_within(&frame)), "{frames:?}");
    // The same by inputs.
    let [first, last] = [0, 1].map(|end| illegal["readings"][end].as_u64().unwrap());
    let path = format!("/api/v1/boards/1/readings?from={first}&to={last}");
    let within: Vec<&Value> = frames.iter().filter(is_within).collect();
    let by_inputs = json_of(&site, &path).await;
    let by_inputs: Vec<&Value> = by_inputs["frames"].as_array().unwrap().iter().filter(is_within).collect();
    assert_eq!(
        by_inputs.iter().map(|frame| &frame["input"]).collect::<Vec<_>>(),
        within.iter().map(|frame| &frame["input"]).collect::<Vec<_>>()
    );

    rule(&site, json!({ "name": "confirm", "record": number })).await;
    awaited("decision", PATIENCE, async || {
        let record = json_of(&site, &format!("/api/v1/records/{number}")).await;
        (record["record"]["status"] == "confirmed").then_some(())
    })
    .await;
    let whole = json_of(&site, &format!("/api/v1/records/{number}")).await;
    assert_eq!(
        (&whole["rulings"][0]["name"], &whole["rulings"][0]["record"]),
        (&json!("confirm"), &json!(number))
    );
    assert_eq!(whole["record"]["opened_at"], illegal["at"]);
    assert_eq!(whole["rulings"][0]["undone"], false);
    let open = json_of(&site, "/api/v1/records?status=open").await;
    assert!(!open.as_array().unwrap().iter().any(|record| record["record"] == number), "{open}");
    // What shows it is what showed it before.
    let again = json_of(&site, &format!("/api/v1/boards/1/readings?record={number}&before_ms=4000")).await;
    assert_eq!((&again["from"], &again["to"]), (&json!(first), &json!(last)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rulings_of_a_board_say_what_is_undone() {
    // Nobody answers there; two boards, so that one is told from the other.
    let ports = [0; 2].map(|_| format!("tcp://{}", reserved_address()));
    let site = Site::new(SPEED, &ports);
    let _daemon = site.start();
    let path = "/api/v1/boards/1/rulings";
    assert_eq!(json_of(&site, path).await, json!([]));
    rule(&site, json!({ "name": "note", "text": "one" })).await;
    rule(&site, json!({ "name": "note", "text": "two" })).await;
    let note = json_of(&site, path).await[0].clone();
    assert_eq!(
        (&note["text"], &note["undone"], &note["by"]),
        (&json!("two"), &json!(false), &json!("tester"))
    );
    rule(&site, json!({ "name": "undo", "ruling": note["seq"] })).await;
    let rulings = json_of(&site, path).await;
    let told = |ruling: &Value| (ruling["name"].clone(), ruling["text"].clone(), ruling["undone"].clone());
    let expected =
        [("undo", Value::Null, false), ("note", json!("two"), true), ("note", json!("one"), false)];
    let expected = expected.map(|(name, text, undone)| (json!(name), text, json!(undone)));
    assert_eq!(rulings.as_array().unwrap().iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(json_of(&site, "/api/v1/boards/1/rulings?limit=1").await.as_array().unwrap().len(), 1);
    assert_eq!(json_of(&site, "/api/v1/boards/2/rulings").await, json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_answered_is_a_problem_that_says_why() {
    // Nobody answers there.
    let site = Site::new(SPEED, &[format!("tcp://{}", reserved_address())]);
    let _daemon = site.start();
    for (path, status) in [
        ("/api/v1/records/999999", 404),
        ("/api/v1/records/x", 404),
        ("/api/v1/boards/9", 404),
        ("/api/v1/boards/1/readings?record=999999", 404),
        ("/api/v1/boards/9/readings?record=1", 404),
        ("/api/v1/boards/1/readings", 422),
        ("/api/v1/boards/9/rulings", 404),
        ("/api/v1/boards/1/rulings?limit=many", 422),
        ("/api/v1/boards/1/readings?from=5&to=4", 422),
        ("/api/v1/history?types=move-maid", 422),
        ("/api/v1/history?limit=many", 422),
        ("/api/v1/events?moves=some", 422),
        ("/api/v1/articles/1999/1.1", 404),
        ("/api/v1/articles/2023/99", 404),
    ] {
        let answer = get(site.desk, path).await;
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_is_read_in_pages_from_either_end_and_boards_know_their_records() {
    let (_hand, site, _daemon, illegal) = with_an_illegal_move().await;
    let of = |page: &Value| -> Vec<u64> {
        page["events"].as_array().unwrap().iter().map(|event| event["seq"].as_u64().unwrap()).collect()
    };
    // Newest first, page by page, until nothing is left.
    let (mut all, mut path) = (Vec::new(), "/api/v1/history?limit=7".to_owned());
    loop {
        let page = json_of(&site, &path).await;
        all.extend(of(&page));
        if page["more"] == false {
            break;
        }
        path = format!("/api/v1/history?limit=7&before={}", all.last().unwrap());
    }
    let newest = all[0];
    assert_eq!(all, (1..=newest).rev().collect::<Vec<u64>>());
    // After a number, the oldest first.
    let page = json_of(&site, "/api/v1/history?after=3&limit=4").await;
    assert_eq!((of(&page), &page["more"]), (vec![4, 5, 6, 7], &json!(true)));
    let made = json_of(&site, "/api/v1/history?types=move-made,move-completed&board=1").await;
    assert!(made["events"].as_array().unwrap().len() >= 4, "{made}");
    assert!(types(&made["events"]).iter().all(|name| name.starts_with("move-")), "{made}");
    let game = illegal["game"].as_str().unwrap();
    let of_game = json_of(&site, &format!("/api/v1/history?game={game}&limit=1000")).await;
    assert!(of_game["events"].as_array().unwrap().iter().all(|event| event["game"] == game));
    assert_eq!(json_of(&site, "/api/v1/history?board=2").await["events"], json!([]));

    let board = json_of(&site, "/api/v1/boards/1").await;
    assert_eq!((&board["game"]["game"], &board["game"]["moves"][0]["uci"]), (&json!(game), &json!("e2e4")));
    assert!(board["records"].as_array().unwrap().contains(&illegal));
    assert_eq!((&board["time_control"], &board["edition"]), (&json!("5400+30"), &json!("2023")));
    assert_eq!(board["readiness"], Value::Null, "a game is under way");

    // Who opens a stream anew says what he has as one who comes back does.
    let mut first = Events::open(site.desk, None).await.unwrap();
    let id = first.message(PATIENCE).await.id;
    let (epoch, number) = id.rsplit_once('-').unwrap();
    let before: u64 = number.parse::<u64>().unwrap() - 1;
    let path = format!("/api/v1/events?after={epoch}-{before}");
    let missed = Events::open_at(site.desk, &path, None).await.unwrap().message(PATIENCE).await;
    assert_eq!(missed.id, id);
    assert_ne!(missed.name, "snapshot");

    // A list of boards needs only the last moves.
    let mut last = Events::open_at(site.desk, "/api/v1/events?moves=last", None).await.unwrap();
    let snapshot = last.message(PATIENCE).await.json();
    let game = &snapshot["boards"][0]["game"];
    assert_eq!((&game["plies"], game["moves"].as_array().unwrap().len()), (&json!(2), 1));
    assert_eq!(game["moves"][0]["uci"], "e7e5");

    let article = json_of(&site, &format!("/api/v1/articles/2023/{}", "7.5.1")).await;
    assert_eq!((&article["article"], &article["edition"]), (&json!("7.5.1"), &json!("2023")));
    let names = json_of(&site, "/api/v1/names").await;
    let named =
        |name: &str| names.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!(named("illegal-move-completed")["articles"]["2005"], "7.4a, B6, C3");
    assert_eq!(
        (&named("illegal-move-completed")["public"], &named("move-made")["public"]),
        (&json!(false), &json!(true))
    );
    let rulings = json_of(&site, "/api/v1/rulings").await;
    let confirm = rulings.as_array().unwrap().iter().find(|ruling| ruling["name"] == "confirm").unwrap();
    assert_eq!(
        confirm["arguments"][1],
        json!({ "name": "choice", "optional": true, "kind": "text", "values": [] })
    );
    assert_eq!(confirm["group"], "records");
}

/// What the desk says of board 1 before its game, once `is_it` finds that it is so.
async fn readiness(site: &Site, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    awaited(what, PATIENCE, async || {
        let round = json_of(site, "/api/v1/round").await;
        let board = round["boards"].get(0)?.clone();
        is_it(&board).then(|| {
            assert_eq!(round["ready"], board["ready"]);
            board
        })
    })
    .await
}

fn reasons(board: &Value) -> Vec<&str> {
    board["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_missing_before_the_round_is_said_board_by_board() {
    // A queen is missing, a pawn stands wrong, and the clock has ten minutes too few for White.
    let mut men = start();
    men[3] = Content::EMPTY;
    men.swap(12, 20);
    let setting: ClockSetting = ClockSetting::equal(4_800, 30);
    let hand = Hand::new(&men, FirmwareConfig { clock: Some(setting), ..FirmwareConfig::default() });
    let site = Site::new(SPEED, std::slice::from_ref(&hand.port));
    let _daemon = site.start();
    let mut at_desk = Events::open(site.desk, None).await.unwrap();
    let board = readiness(&site, "wrong array", |board| {
        board["answering"] == true
            && board["clock"]["there"] == true
            && !board["array"]["wrong"].as_array().unwrap().is_empty()
    })
    .await;
    assert_eq!(reasons(&board), ["start-array", "clock-setting"]);
    let wrong = board["array"]["wrong"].as_array().unwrap();
    let of = |square: &str| wrong.iter().find(|wrong| wrong["square"] == square).unwrap();
    assert_eq!(of("d1"), &json!({ "square": "d1", "expected": "Q", "found": null }));
    assert_eq!(of("e3"), &json!({ "square": "e3", "expected": null, "found": "P" }));
    assert_eq!((wrong.len(), &board["turned"]), (3, &json!(0)));
    assert_eq!(board["clock"]["expected_ms"], json!([5_430_000, 5_430_000]));
    assert_eq!((&board["clock"]["white_ms"], &board["clock"]["set"]), (&json!(4_830_000), &json!(false)));

    // The men are put right, and the desk is told by itself.
    hand.place("d1", 'Q');
    hand.lift("e3");
    hand.place("e2", 'P');
    let told = async {
        loop {
            let message = at_desk.told(PATIENCE).await;
            if message.name == "readiness" && message.json()["array"]["ok"] == true {
                assert_eq!(message.id, "");
                return message.json();
            }
        }
    };
    let told = timeout(PATIENCE, told).await.unwrap();
    assert_eq!(reasons(&told), ["clock-setting"]);

    // A game that is under way is no longer before its start.
    hand.act(Act::StartClock);
    hand.play("e2", "e4", 'P', Side::White).await;
    awaited("start", PATIENCE, async || {
        let round = json_of(&site, "/api/v1/round").await;
        round["boards"].as_array().unwrap().is_empty().then_some(())
    })
    .await;
    let snapshot = Events::open(site.desk, None).await.unwrap().message(PATIENCE).await.json();
    assert_eq!(snapshot["boards"][0].get("readiness"), None);
    let public = Events::open(site.public, None).await.unwrap().message(PATIENCE).await;
    assert!(!public.data.contains("readiness"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_lies_wrong_and_one_that_is_silent_are_not_ready() {
    // White's first rank lies on the sensor's a-file.
    let quarter = |square: Square| Square::all().find(|&of| Chess::turned(of, 90) == square).unwrap();
    let men = start();
    let mut lying = vec![Content::EMPTY; 64];
    for square in Square::all().take(64) {
        lying[quarter(square)] = men[square];
    }
    let mut config = FirmwareConfig { clock: Some(right_clock()), ..FirmwareConfig::default() };
    config.serial = 12_345;
    let hand = Hand::new(&lying, config);
    let site = Site::new(SPEED, std::slice::from_ref(&hand.port));
    let _daemon = site.start();
    let board = readiness(&site, "turned board", |board| board["turned"] == 90).await;
    assert!(reasons(&board).contains(&"turned"), "{board}");
    assert_eq!((&board["array"]["ok"], &board["ready"]), (&json!(true), &json!(false)));
    drop(hand);
    let silent = readiness(&site, "silence", |board| board["answering"] == false).await;
    assert_eq!(reasons(&silent)[0], "silent");
}
