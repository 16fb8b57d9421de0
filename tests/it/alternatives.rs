//! What else a board could show: told at the desk as long as it is uncertain, and never in public.

use std::net::SocketAddr;
use std::time::Duration;

use adoube::auth::Role;
use adoube::daemon::{Daemon, Settings};
use adoube::feed::alternatives::alternatives;
use adoube::feed::hub::ALTERNATIVES;
use adoube_core::event::Event;
use adoube_core::infer::Choice;
use adoube_core::replay::{Replay, open};
use adoube_core::station::{Open, Station};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::board::{Board, Sensor};
use crate::daemon::{PATIENCE, reserved_address};
use crate::http::{Events, Message, get, know};

/// The bishop on d4 takes on b6 or on f6, in one scan of an unnamed board.
const TWO_VICTIMS: &str = "4k3/8/1n3n2/8/3B4/8/8/4K3 w - - 0 1";

/// What a station says of it while `board` is played, each time that it is something else.
fn choices(board: &Board) -> Vec<Option<Choice>> {
    let (header, lines) = board.capture();
    let mut replay = Replay::new(open(&header), header.started_utc_ns).unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    replay.watch(Box::new(move |station: &Station, _: &[Event]| sender.send(station.choice()).unwrap()));
    let mut events = Vec::new();
    lines.iter().for_each(|line| replay.line(line, &mut events));
    replay.finish(&mut events);
    let mut choices: Vec<Option<Choice>> = told.iter().collect();
    choices.dedup();
    choices
}

fn sans(choice: &Choice) -> Vec<Option<String>> {
    choice.moves.iter().map(|(played, _)| played.as_ref().map(adoube_rules::Played::san)).collect()
}

#[test]
fn a_move_that_could_be_another_is_told_until_a_later_move_decides() {
    let mut board = Board::from_fen(Sensor::Occupancy, TWO_VICTIMS);
    board.lift("d4").place("f6", 'B').wait(4_000).play("b6c4").wait(4_000);
    let choices = choices(&board);
    let doubtful: Vec<&Choice> = choices.iter().flatten().collect();
    assert!(!doubtful.is_empty());
    for choice in &doubtful {
        assert_eq!(choice.ply.number(), 1);
        let sans = sans(choice);
        for capture in ["Bxb6", "Bxf6"] {
            assert!(sans.contains(&Some(capture.to_owned())), "{choice:?}");
        }
        let sum: u16 = choice.moves.iter().map(|&(_, chance)| chance).sum();
        assert!((998..=1_002).contains(&sum), "{choice:?}");
        assert!(choice.moves.is_sorted_by(|one, other| one.1 >= other.1), "{choice:?}");
    }
    assert_eq!(choices.first(), Some(&None));
    assert_eq!(choices.last(), Some(&None), "Nc4 has decided it");
}

#[test]
fn ordinary_moves_are_certain() {
    for sensor in [Sensor::Identity, Sensor::Occupancy] {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6");
        board.wait(4_000);
        assert_eq!(choices(&board), [None], "{sensor:?}");
    }
}

/// A daemon in this process with board 7 at `port`: its desk, its public pages, and its folder.
pub(crate) async fn hall(port: &str, speed: f64) -> (Daemon, SocketAddr, SocketAddr, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        boards: vec![(Open::new("7", "dgt", port), port.parse().unwrap())],
        public: Some(reserved_address()),
        speed,
        ..Settings::new(folder.path().join("journal"), reserved_address())
    };
    let daemon = Daemon::start(settings).await.unwrap();
    let (desk, public) = (daemon.desk, daemon.public.unwrap());
    let cookie = daemon.hall.admit(Role::Arbiter, "tester").unwrap();
    know(desk, format!("Cookie: {cookie}\r\nOrigin: http://{desk}"));
    (daemon, desk, public, folder)
}

/// The next that is told of other moves: how ready the board is is told, too.
async fn told(events: &mut Events) -> Message {
    let of_moves = async {
        loop {
            let message = events.told(PATIENCE).await;
            if message.id.is_empty() && message.name == ALTERNATIVES {
                return message;
            }
        }
    };
    timeout(PATIENCE, of_moves).await.expect("other moves in time")
}

fn board_of(boards: &Value) -> &Value {
    boards.as_array().unwrap().iter().find(|board| board["board"] == "7").unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_is_told_and_the_public_is_not() {
    let mut board = Board::from_fen(Sensor::Occupancy, TWO_VICTIMS);
    board.lift("d4").place("f6", 'B').wait(4_000);
    let choice = choices(&board).into_iter().flatten().next_back().unwrap();
    // Nobody answers there.
    let (daemon, desk, public, _folder) = hall(&format!("tcp://{}", reserved_address()), 1.0).await;
    let mut at_desk = Events::open(desk, None).await.unwrap();
    let mut in_public = Events::open(public, None).await.unwrap();
    let snapshot = at_desk.message(PATIENCE).await;
    assert_eq!(board_of(&snapshot.json()["boards"]).get("alternatives"), None);
    assert_eq!(in_public.message(PATIENCE).await.name, "snapshot");

    daemon.hall.desk.tell(ALTERNATIVES, "7", alternatives("7", Some(&choice)));
    let said = told(&mut at_desk).await;
    assert_eq!((said.name.as_str(), said.id.as_str()), ("alternatives", ""));
    let expected: Vec<Value> = choice
        .moves
        .iter()
        .map(|(played, chance)| {
            json!({ "san": played.as_ref().map(|played| played.san()), "chance": f64::from(*chance) / 1e3 })
        })
        .collect();
    assert_eq!(said.json()["alternatives"], json!(expected));
    assert_eq!((&said.json()["board"], &said.json()["doubtful_ply"]), (&json!("7"), &json!(1)));

    // Whoever comes now, and whoever comes back.
    let state = get(desk, "/api/v1/boards").await.json();
    assert_eq!(board_of(&state)["alternatives"], json!(expected));
    let whole = Events::open(desk, None).await.unwrap().message(PATIENCE).await.json();
    assert_eq!(board_of(&whole["boards"])["alternatives"], json!(expected));
    let back = told(&mut Events::open(desk, Some(&snapshot.id)).await.unwrap()).await;
    assert_eq!(back.json(), said.json());

    for path in ["/api/v1/boards", "/api/v1/games"] {
        let answer = get(public, path).await;
        assert_eq!(answer.status, 200);
        assert!(!answer.body.contains("alternatives") && !answer.body.contains("Bx"), "{}", answer.body);
    }
    let first = Events::open(public, None).await.unwrap().message(PATIENCE).await;
    assert!(!first.data.contains("alternatives"), "{first:?}");
    let nothing = timeout(Duration::from_millis(300), in_public.next()).await;
    assert!(nothing.is_err(), "{nothing:?}");

    daemon.hall.desk.tell(ALTERNATIVES, "7", alternatives("7", None));
    assert_eq!(told(&mut at_desk).await.json()["alternatives"], json!([]));
    assert_eq!(board_of(&get(desk, "/api/v1/boards").await.json()).get("alternatives"), None);
    daemon.stop().await;
}
