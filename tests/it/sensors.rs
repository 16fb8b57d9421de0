//! What a daemon learns of a board's squares outlives the game, the daemon and the cable.

use adoube_rules::sensor::Side;
use adoube_sim::ClockSetting;
use serde_json::{Value, json};

use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::{ask, game, get, moves};
use adoube::drill::LiveBoard;

/// A minute of play takes four seconds.
const SPEED: f64 = 16.0;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const D2_IS_DEAD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR";

fn board(placement: &str) -> LiveBoard {
    let setting: ClockSetting = "5400+30".parse().unwrap();
    LiveBoard::new(placement, setting, SPEED, reserved_address())
}

/// What is said of the array on the only board, once that is so.
async fn array(site: &Site, is_it: impl Fn(&Value) -> bool) -> Value {
    awaited("the array", PATIENCE, async || {
        let array = get(site.desk, "/api/v1/boards/1").await.json()["readiness"]["array"].take();
        is_it(&array).then_some(array)
    })
    .await
}

/// Plays these moves, each once the one before is there.
async fn play(site: &Site, board: &LiveBoard, squares: &[&str], side: Side) {
    let mut side = side;
    for (ply, squares) in (1..).zip(squares) {
        board.play(squares, side).await;
        side = side.other();
        let is_there = async || (moves(&game(site.desk, "1").await?).len() >= ply).then_some(());
        awaited(squares, PATIENCE, is_there).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_square_that_died_yesterday_is_known_today_wherever_the_board_is_plugged_in() {
    let yesterday = board(START);
    let site = Site::new(SPEED, &[yesterday.port()]);
    let daemon = site.start();
    array(&site, |array| array["ok"] == true).await;
    yesterday.start_clock();
    yesterday.play("e2e4", Side::White).await;
    // The square dies: the pawn stands there, and is not read.
    yesterday.lift("d2");
    for (squares, side) in
        [("e7e5", Side::Black), ("g1f3", Side::White), ("b8c6", Side::Black), ("f1b5", Side::White)]
    {
        yesterday.play(squares, side).await;
    }
    let is_told = async || {
        let board = get(site.desk, "/api/v1/boards/1").await.json();
        let told = board["records"]
            .as_array()?
            .iter()
            .any(|one| one["type"] == "sensor-fault" && one["square"] == "d2");
        told.then_some(())
    };
    awaited("a fault", PATIENCE, is_told).await;
    yesterday.stop_clock();
    let result = json!({ "name": "result", "value": "1/2-1/2" }).to_string();
    let ruled = ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &result).await;
    assert_eq!(ruled.status, 200, "{ruled:?}");
    // The operator's last act of the day.
    assert_eq!(daemon.terminate().await, Some(0));
    site.verify();
    drop(yesterday);

    // The same board at another port.
    let today = board(D2_IS_DEAD);
    let again = Site::with_journal(SPEED, &[today.port()], &site.path().join("journal"));
    let daemon = again.start();
    let shown = array(&again, |array| array["ok"] == true).await;
    assert_eq!(shown["sick"], json!([{ "square": "d2", "fault": "dead" }]), "{shown}");
    today.start_clock();
    play(&again, &today, &["e2e4", "e7e5", "d1h5"], Side::White).await;
    assert_eq!(moves(&game(again.desk, "1").await.unwrap()), ["e2e4", "e7e5", "d1h5"]);
    daemon.kill();
    again.verify();
}
