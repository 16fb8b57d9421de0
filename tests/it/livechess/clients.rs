//! Whole games as programs of others see them, in their own languages and on sockets of their own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, TryRecvError};

use adoube_sim::Noise;
use tokio::time::{Instant, sleep};

use super::*;
use crate::children::Ended;
use crate::daemon::skip;
use crate::played::{self, Played, SHORT, demo_game};

const FAST: f64 = 10.0;

/// The Python that has the package; see `.ci/run`.
const PACKAGE: &str = "ADOUBE_LIVECHESS";

/// A WebSocket for Node, for one that has none of its own; see there.
const WS: &str = "ADOUBE_WS";

/// A program that runs, and what it says, a line of JSON each.
struct Running {
    child: Ended,
    lines: Receiver<Value>,
}

impl Running {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/livechess/clients");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(script).stdout(Stdio::piped());
        let mut child = Ended(command.spawn().unwrap());
        let said = BufReader::new(child.0.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next thing that it says.
    async fn next(&mut self) -> Value {
        self.next_until(Instant::now() + PATIENCE).await
    }

    async fn next_until(&mut self, deadline: Instant) -> Value {
        loop {
            match self.lines.try_recv() {
                Ok(line) => return line,
                Err(TryRecvError::Disconnected) => panic!("it ended: {:?}", self.child.0.try_wait()),
                Err(TryRecvError::Empty) => assert!(Instant::now() < deadline, "it does not say it"),
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Everything until it says `key`, that last.
    async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        // The longest is a whole game; a clock that runs says something every second.
        let deadline = Instant::now() + PATIENCE * 3;
        let mut said = Vec::new();
        loop {
            said.push(self.next_until(deadline).await);
            if is_it(&said[said.len() - 1]) {
                return said;
            }
        }
    }
}

/// A page, if there is a Node with a WebSocket: of a package, or of its own.
fn page(address: SocketAddr, fen: Option<&str>) -> Option<Running> {
    let own: &[&str] = if std::env::var_os(WS).is_some() { &[] } else { &["--experimental-websocket"] };
    let mut look = Command::new("node");
    look.args(own).args(["-e", "0"]).stderr(Stdio::null());
    if !look.status().is_ok_and(|status| status.success()) {
        skip(&format!("there is no node that has a WebSocket, and {WS} names none"));
        return None;
    }
    let url = format!("ws://{address}/api/v1.0");
    let mut arguments = own.to_vec();
    arguments.extend(["page.mjs", &url, "300"]);
    arguments.extend(fen);
    Some(Running::start("node", &arguments))
}

/// The strict program, if there is a Python.
fn strict(address: SocketAddr) -> Option<Running> {
    if Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_err() {
        skip("there is no python3");
        return None;
    }
    let (ip, port) = (address.ip().to_string(), address.port().to_string());
    Some(Running::start("python3", &["strict.py", &ip, &port, "https://lichess.org"]))
}

/// Reads the list once, with a package for operators of live boards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_package_for_operators_reads_the_list() {
    let Some(python) = std::env::var_os(PACKAGE) else {
        return skip(&format!("{PACKAGE} does not say which Python has the package livechess"));
    };
    let (_site, address, _daemon, board) = hall(ARRAY, "").await;
    board.start_clock();
    let runs = async || (eboards(address).await[0]["clock"]["run"] == true).then_some(());
    awaited("a running clock", PATIENCE, runs).await;
    let (ip, port) = (address.ip().to_string(), address.port().to_string());
    let mut package = Running::start(python.to_str().unwrap(), &["package.py", &ip, &port]);
    let boards = package.next().await;
    let read = &boards[0];
    let [state, serialnr] = ["state", "serialnr"].map(|key| read[key].as_str().unwrap());
    assert_eq!((state, serialnr, &read["men"]), ("ACTIVE", "00001", &json!(32)), "{boards}");
    let times = read["times"].as_str().unwrap();
    assert!(times.starts_with("● 1:30:") && times.contains(" - 1:30:30"), "{times}");
}

fn played(noise: Noise) -> (Site, SocketAddr, Played) {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), noise, 1), FAST);
    let site = Site::new(FAST, &[port]);
    let address = set_up(&site, "");
    (site, address, players)
}

async fn is_active(address: SocketAddr) {
    answers(address).await;
    let active = async || (eboards(address).await[0]["state"] == "ACTIVE").then_some(());
    awaited("an active board", PATIENCE, active).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_strict_program_sees_a_game_to_its_end() {
    let (site, address, _players) = played(Noise::Light);
    let _daemon = site.start();
    is_active(address).await;
    let Some(mut program) = strict(address) else { return };
    let truth = san(&demo_game(SHORT));
    let said = program.until(|line| line["event"]["san"].as_array().map(Vec::len) == Some(truth.len())).await;
    assert_eq!(said[0]["boards"][0]["serialnr"], "10001");
    assert_eq!(said.last().unwrap()["event"]["san"], json!(truth));
    let events = said.iter().filter(|line| line["event"].is_object()).map(|line| &line["event"]);
    let lists: Vec<&Value> = events.clone().filter_map(|event| event.get("san")).collect();
    let start: Vec<&Value> = events.filter_map(|event| event.get("start")).collect();
    assert_eq!(start, [&json!(START)], "said once");
    assert!(lists.windows(2).all(|pair| pair[0] != pair[1]));
    let times: Vec<u64> = said.iter().filter_map(|line| line["time"].as_u64()).collect();
    assert!(times.is_sorted());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_plays_a_game_that_it_set_up_and_comes_back_after_a_restart() {
    let (site, address, daemon, board) = hall(ARRAY, "").await;
    let Some(mut page) = page(address, Some(START)) else { return };
    page.until(|line| line.get("setup").is_some()).await;
    // A man a word; a king and his rook are carried one after the other.
    let game = "e2e4 d7d5 e4d5 d8d5 g1f3 b8c6 f1e2 c8g4 e1g1,h1f1 e8c8,a8d8 b1c3 d5e5";
    let truth = ["e4", "d5", "exd5", "Qxd5", "Nf3", "Nc6", "Be2", "Bg4", "O-O", "O-O-O", "Nc3", "Qe5"];
    for (ply, (carried, san)) in (1_u64..).zip(game.split(' ').zip(truth)) {
        board.hands(1_200).await;
        for squares in carried.split(',') {
            board.carry(squares).await;
        }
        let said = page.until(|line| line["ply"] == ply).await;
        assert_eq!(said, [json!({ "move": san, "ply": ply })]);
    }
    daemon.kill();
    let _daemon = site.start();
    let again = page.until(|line| line.get("setup").is_some()).await;
    assert!(again.iter().any(|line| line["board"] == "00001"), "{again:?}");
    assert!(again.iter().all(|line| line.get("odd").is_none()), "{again:?}");
}
