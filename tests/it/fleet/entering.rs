//! Boards by the configuration and by the desk: read again, entered, changed, taken away, over restarts.

use serde_json::{Value, json};

use super::PATIENCE;
use crate::daemon::{Daemon, Site, awaited, reserved_address};
use crate::http::{Answer, ask, get};
use crate::played::{self, LONG, Played, SHORT, demo_game};
use adoube_sim::Noise;

const SPEED: f64 = 5.0;

async fn boards(site: &Site) -> Vec<Value> {
    get(site.desk, "/api/v1/boards").await.json().as_array().unwrap().clone()
}

async fn board(site: &Site, name: &str) -> Value {
    boards(site).await.into_iter().find(|board| board["board"] == name).unwrap_or_default()
}

async fn is(site: &Site, name: &str, state: &str) -> Value {
    let is = async || Some(board(site, name).await).filter(|board| board["state"] == state);
    awaited(&format!("board {name} {state}"), PATIENCE, is).await
}

async fn enter(site: &Site, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    ask(site.desk, method, path, &[], &body).await
}

fn names(boards: &[Value]) -> Vec<&str> {
    boards.iter().filter_map(|board| board["board"].as_str()).collect()
}

/// Has the daemon read its configuration, and waits until it says that it has.
async fn hang_up(site: &Site, daemon: &Daemon, said: &str) {
    let before = site.log().matches(said).count();
    daemon.signal("-HUP");
    awaited(said, PATIENCE, async || (site.log().matches(said).count() > before).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hang_up_changes_the_boards_that_differ_and_no_others() {
    let play = |game, seed| Played::on_tcp(played::board(&demo_game(game), Noise::Clean, seed), SPEED);
    let ((_first, at_first), (_second, at_second)) = (play(LONG, 1), play(SHORT, 2));
    let nobody = format!("tcp://{}", reserved_address());
    let site = Site::new(SPEED, &[at_first.clone(), nobody.clone()]);
    let daemon = site.start();
    let before = is(&site, "1", "fresh").await["readings"].as_u64().unwrap();
    is(&site, "2", "lost").await;
    // Board 2 is elsewhere, 3 is new; another key needs a restart.
    site.change(&nobody, &at_second);
    site.add_section(&format!("[[board]]\nid = \"3\"\nport = \"{nobody}\""));
    site.change("Spring Open", "Autumn Open");
    hang_up(&site, &daemon, "the configuration was read again").await;
    let last = site.log().lines().rfind(|line| line.contains("was read again")).unwrap().to_owned();
    assert!(last.contains("added: [\"3\"]") && last.contains("moved: [\"2\"]"), "{last}");
    assert!(last.contains("reopened: []") && last.contains("restart: [\"[tournament] name\"]"), "{last}");
    is(&site, "2", "fresh").await;
    // One that is wrong changes nothing, and says where.
    let whole = std::fs::read_to_string(site.path().join("adoube.toml")).unwrap();
    site.add_section("[[board]]\nid = \"3\"\nport = \"auto\"");
    hang_up(&site, &daemon, "nothing has changed").await;
    let last = site.log().lines().rfind(|line| line.contains("nothing has changed")).unwrap().to_owned();
    let line = whole.lines().count() + 3;
    assert!(
        last.contains(&format!("adoube.toml:{line}: each board needs an id of its own, not \"3\"")),
        "{last}"
    );
    let refused = enter(&site, "POST", "/api/v1/reload", &Value::Null).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(names(&boards(&site).await), ["1", "2", "3"]);
    // Board 3 goes; board 1 has been read all the time.
    std::fs::write(site.path().join("adoube.toml"), whole.split("[[board]]\nid = \"3\"").next().unwrap())
        .unwrap();
    let done = enter(&site, "POST", "/api/v1/reload", &Value::Null).await.json();
    assert_eq!(done["removed"], json!(["3"]), "{done}");
    assert_eq!(names(&boards(&site).await), ["1", "2"]);
    let goes_on =
        async || board(&site, "1").await["readings"].as_u64().filter(|readings| *readings > before + 10);
    awaited("readings of board 1", PATIENCE, goes_on).await;
    // Later its game ends, and its players leave.
    let lost = |line: &&String| line.contains("\"board\":\"1\"") && line.contains("board-lost");
    assert_eq!(site.exported().iter().filter(lost).count(), 0);
    // A game that is played stays where it is, and goes with its last move.
    let path = site.path().join("adoube.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let at = text.rfind("[[board]]").unwrap();
    let moved = async || {
        let shown = get(site.desk, "/api/v1/boards/2").await.json();
        (shown["game"]["moves"].as_array()?.len() > 2).then_some(())
    };
    awaited("moves on board 2", PATIENCE, moved).await;
    std::fs::write(&path, &text[..at]).unwrap();
    let done = enter(&site, "POST", "/api/v1/reload", &Value::Null).await.json();
    assert!(done["remarks"][0].as_str().unwrap().contains("is being played at board 2"), "{done}");
    assert_eq!(names(&boards(&site).await), ["1", "2"]);
    let gone = async || (names(&boards(&site).await) == ["1"]).then_some(());
    awaited("the end of board 2", PATIENCE, gone).await;
    assert_eq!(daemon.terminate().await, Some(0));
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_entered_at_the_desk_outlives_a_restart() {
    let play = |game, seed| Played::on_tcp(played::board(&demo_game(game), Noise::Clean, seed), 1.0);
    let (_first, at) = play(SHORT, 7);
    let [nobody, other] = [(); 2].map(|()| format!("tcp://{}", reserved_address()));
    let site = Site::new(1.0, &[nobody.clone(), other]);
    let daemon = site.start();
    let path = |board: &str| format!("/api/v1/boards/{board}");
    let all = "/api/v1/boards";
    let added = enter(&site, "POST", all, &json!({ "id": "3", "port": at })).await;
    assert_eq!((added.status, &added.json()["added"]), (200, &json!(["3"])), "{added:?}");
    let fresh = is(&site, "3", "fresh").await;
    assert_eq!(
        (&fresh["origin"], &fresh["serial"], &fresh["protocol"]),
        (&json!("added"), &json!("10007"), &json!("dgt"))
    );
    assert_eq!(fresh["port"], json!(at));
    assert!(fresh["age_ms"].as_u64().unwrap() < 15_000);
    let lost = is(&site, "1", "lost").await;
    assert!(lost["reason"].as_str().unwrap().contains("is the serial server running"), "{lost}");
    // What is wrong is refused in words.
    for (body, status, what) in [
        (json!({ "id": "3" }), 409, "a board is called \"3\" already"),
        (json!({ "id": "4", "port": "ttyUSB0" }), 422, "port \"ttyUSB0\" is none of"),
        (json!({ "id": "4", "protocol": "morse" }), 422, "protocol \"morse\" is not known"),
        (json!({ "id": "" }), 422, "cannot be the name of a board"),
        (json!({ "id": "4", "colour": "red" }), 422, "unknown field `colour`"),
    ] {
        let refused = enter(&site, "POST", all, &body).await;
        assert_eq!(refused.status, status, "{refused:?}");
        assert!(refused.json()["detail"].as_str().unwrap().contains(what), "{refused:?}");
    }
    assert_eq!(enter(&site, "PATCH", &path("9"), &json!({ "port": "auto" })).await.status, 404);
    assert_eq!(enter(&site, "DELETE", &path("9"), &Value::Null).await.status, 404);
    // Boards of the configuration can be changed, too; its file is left alone.
    let written = std::fs::read_to_string(site.path().join("adoube.toml")).unwrap();
    let renamed =
        enter(&site, "PATCH", &path("2"), &json!({ "id": "12", "port": "tcp://127.0.0.1:9" })).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    assert_eq!(enter(&site, "DELETE", &path("1"), &Value::Null).await.status, 200);
    let shown = async || (names(&boards(&site).await) == ["3", "12"]).then_some(());
    awaited("the boards", PATIENCE, shown).await;
    assert_eq!(board(&site, "12").await["port"], json!("tcp://127.0.0.1:9"));
    assert_eq!(std::fs::read_to_string(site.path().join("adoube.toml")).unwrap(), written);
    // It is in the list of what was done.
    let audit = get(site.desk, "/api/v1/audit?limit=50").await.body;
    for action in ["board-add", "board-change", "board-remove"] {
        assert!(audit.contains(action), "{audit}");
    }
    daemon.kill();
    let daemon = site.start();
    awaited("the boards", PATIENCE, shown).await;
    let again = is(&site, "3", "fresh").await;
    assert_eq!((&again["origin"], &again["serial"]), (&json!("added"), &json!("10007")));
    assert!(site.log().contains("board 1 of the configuration was taken away at the desk"), "{}", site.log());
    // A board that is there again.
    assert_eq!(enter(&site, "POST", all, &json!({ "id": "1", "port": nobody })).await.status, 200);
    is(&site, "1", "lost").await;
    assert_eq!(daemon.terminate().await, Some(0));
    site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spectators_learn_nothing_of_ports_and_change_nothing() {
    let nobody = format!("tcp://{}", reserved_address());
    let site = Site::new(1.0, &[nobody]);
    let _daemon = site.start();
    let shown = get(site.public, "/api/v1/boards").await.body;
    assert!(shown.contains("\"board\":\"1\""), "{shown}");
    for secret in ["port", "serial", "reason", "tcp://"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    for (method, path) in
        [("POST", "/api/v1/boards"), ("DELETE", "/api/v1/boards/1"), ("POST", "/api/v1/reload")]
    {
        for address in [site.public, site.desk] {
            let answer = crate::http::stranger(address, method, path, &[], "{}").await;
            assert!([401, 404, 405].contains(&answer.status), "{method} {path}: {answer:?}");
        }
    }
}
