//! The daemon is killed while a player has seconds left, and comes back: the games go on, and nobody is accused.

use serde_json::Value;

use crate::daemon::{PATIENCE, awaited};
use crate::house::House;
use crate::http::{get, moves};

/// What there is about a board beyond its line, as `type status`.
async fn incidents(house: &House) -> Vec<String> {
    let records = get(house.site.desk, "/api/v1/records?board=1").await.json();
    let mut records: Vec<Value> = records.as_array().unwrap().clone();
    records.sort_by_key(|record| record["record"].as_u64());
    let text = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let counts = records.iter().filter(|record| record["severity"] != "info");
    counts.map(|record| format!("{} {}", text(record, "type"), text(record, "status"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_in_time_trouble_accuses_nobody_and_misses_no_flag() {
    let house = House::timed("manual", 2, "60");
    let daemon = house.site.start();
    house.begins().await;
    house.boards[0].start_clock();
    for (ply, squares) in [(2, "e7e5"), (3, "g1f3")] {
        house.play(1, ply, squares).await;
        house.plies("1-1", ply).await;
    }
    daemon.kill();
    // Both go on playing while nobody listens.
    house.play(1, 4, "b8c6").await;
    house.play(1, 5, "f1b5").await;
    let shown_s = house.boards[0].shows();
    let daemon = house.site.start();
    let all = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"];
    let game = house.sees("1-1", |game| moves(game) == all).await;
    let told_ms = ["white_ms", "black_ms"].map(|key| game["clock"][key].as_u64().unwrap());
    assert!(told_ms[0].abs_diff(shown_s[0] * 1_000) <= 1_000, "{shown_s:?}: {game}");
    assert!(told_ms[1] <= shown_s[1] * 1_000 + 1_000, "{shown_s:?}: {game}");
    // Black thinks until the flag falls: the loss is proposed, and nothing else is.
    let lost = async || {
        let found = incidents(&house).await;
        found.contains(&"time-forfeit open".to_owned()).then_some(found)
    };
    let found = awaited("the loss on time", PATIENCE, lost).await;
    let expected = [
        "recording-assistant-needed confirmed",
        // Two plies were played unseen.
        "record-gap open",
        "confirm-move open",
        "flag-fallen open",
        "flag-fallen confirmed",
        "stop-clocks-update-scoresheets confirmed",
        "time-forfeit open",
        "declare-result open",
    ];
    let others: Vec<&String> = found.iter().filter(|found| !expected.contains(&found.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}
