//! Two pairs have played at each other's boards, and one ruling puts it right.

use adoube_rules::sensor::Side;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::daemon::{PATIENCE, awaited};
use crate::house::{House, TWO_ROUNDS};
use crate::http::moves;

/// At board 1 the pair of board 2 has played 1. e4 e5, at board 2 that of board 1 1. d4.
async fn played(house: &House) {
    house.begins().await;
    house.play(1, 2, "e7e5").await;
    house.plies("1-1", 2).await;
    house.play(2, 1, "d2d4").await;
    house.plies("1-2", 1).await;
}

fn exchange() -> Value {
    json!({ "name": "exchange-boards", "board": "2" })
}

/// Where a game is played, by whom, and its moves.
async fn sees(house: &House, game: &str, board: &str, white: &str, played: &[&str]) {
    house
        .sees(game, |game| game["board"] == board && game["white"]["name"] == white && moves(game) == played)
        .await;
}

async fn exchanged(house: &House) {
    sees(house, "1-1", "2", "One, A", &["d2d4"]).await;
    sees(house, "1-2", "1", "Three, C", &["e2e4", "e7e5"]).await;
}

fn pgn(house: &House, game: &str) -> String {
    house.adoube(&["export", "--journal", house.site.journal.to_str().unwrap(), "--game", game, "--pgn"]).1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_pairing_gets_the_game_that_was_played_where_it_sat() {
    let house = House::new("manual", 2);
    let mut daemon = house.site.start();
    let arbiter = house.arbiter();
    played(&house).await;
    for (board, why) in [("1", "with itself"), ("9", "no board is called")] {
        let ruling = json!({ "name": "exchange-boards", "board": board });
        let refused = house.rules(&arbiter, "boards/1", &ruling).await;
        assert!(refused.status != 200 && refused.body.contains(why), "{refused:?}");
    }
    let ruled = house.rules(&arbiter, "games/1-1", &exchange()).await;
    assert_eq!(ruled.status, 200, "{ruled:?}");
    exchanged(&house).await;
    let list = house.pairings(&arbiter, 1).await;
    assert_eq!((&list[0]["board"], &list[1]["board"]), (&json!("2"), &json!("1")), "{list}");
    // Both go on where they are, and a restart does not forget it.
    house.play(1, 3, "g1f3").await;
    house.plies("1-2", 3).await;
    daemon.kill();
    daemon = house.site.start();
    house.plies("1-2", 3).await;
    house.play(2, 2, "d7d5").await;
    house.plies("1-1", 2).await;
    // Results go to who played.
    let result = json!({ "name": "result", "value": "1-0" });
    assert_eq!(house.rules(&arbiter, "boards/1", &result).await.status, 200);
    house.sees("1-2", |game| game["result"] == "1-0").await;
    let list = house.pairings(&arbiter, 1).await;
    assert_eq!((&list[0]["state"], &list[1]["result"]), (&json!("playing"), &json!("1-0")), "{list}");
    let told = pgn(&house, "1-2");
    assert!(told.contains("[White \"Three, C\"]") && told.contains("1. e4"), "{told}");
    assert!(told.contains("[Result \"1-0\"]"), "{told}");
    // A game that is over, and still open, is exchanged with its result.
    let ruled = house.rules(&arbiter, "boards/2", &json!({ "name": "exchange-boards", "board": "1" })).await;
    assert_eq!(ruled.status, 200, "{ruled:?}");
    sees(&house, "1-1", "1", "One, A", &["e2e4", "e7e5", "g1f3"]).await;
    house.sees("1-1", |game| game["result"] == "1-0").await;
    house.sees("1-2", |game| game["result"] == "*" && moves(game) == ["d2d4", "d7d5"]).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

/// The mistake is seen when both clocks run and nobody has moved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_that_are_only_started_are_exchanged() {
    let house = House::new("manual", 2);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import(TWO_ROUNDS);
    house.opens(1);
    house.sees("1-2", |game| game["closed"] == false).await;
    for board in [1, 2] {
        house.boards[board - 1].start_clock();
        house.sees(&format!("1-{board}"), |game| game["clock"]["running"] == "white").await;
    }
    let ruled = house.rules(&arbiter, "boards/1", &exchange()).await;
    assert_eq!(ruled.status, 200, "{ruled:?}");
    sees(&house, "1-1", "2", "One, A", &[]).await;
    house.play(1, 1, "e2e4").await;
    house.play(2, 1, "d2d4").await;
    sees(&house, "1-1", "2", "One, A", &["d2d4"]).await;
    sees(&house, "1-2", "1", "Three, C", &["e2e4"]).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

/// What cannot be exchanged leaves everything as it was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exchange_that_is_refused_changes_nothing() {
    let house = House::new("manual", 2);
    house.site.set("regulations = [\"adjournment\"]");
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    house.sees("1-2", |game| game["closed"] == false).await;
    let adjourns = json!({ "name": "adjourn", "side": "black" });
    assert_eq!(house.rules(&arbiter, "boards/1", &adjourns).await.status, 200);
    let refused = house.rules(&arbiter, "boards/1", &exchange()).await;
    assert_eq!((refused.status, refused.body.contains("the game at board 1 is")), (409, true), "{refused:?}");
    let list = house.pairings(&arbiter, 1).await;
    assert_eq!((&list[0]["board"], &list[1]["board"]), (&json!("1"), &json!("2")), "{list}");
    house.sees("1-2", |game| game["closed"] == false && game["board"] == "2").await;
    house.play(2, 1, "d2d4").await;
    house.plies("1-2", 1).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exchange_is_undone_at_both_boards() {
    let house = House::new("manual", 2);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    played(&house).await;
    assert_eq!(house.rules(&arbiter, "boards/1", &exchange()).await.status, 200);
    exchanged(&house).await;
    let seq = house.last_ruling(&arbiter, "1-1").await["seq"].clone();
    let undo = json!({ "name": "undo", "ruling": seq });
    let by_name = json!({ "name": "undo", "ruling": "exchange-boards" });
    let undone = house.rules(&arbiter, "games/1-1", &by_name).await;
    assert_eq!(undone.status, 200, "{undone:?}");
    sees(&house, "1-1", "1", "One, A", &["e2e4", "e7e5"]).await;
    sees(&house, "1-2", "2", "Three, C", &["d2d4"]).await;
    let again = house.rules(&arbiter, "games/1-1", &undo).await;
    assert_eq!((again.status, again.body.contains("have other games since")), (409, true), "{again:?}");
    let seq = house.last_ruling(&arbiter, "1-1").await["seq"].clone();
    let again = house.rules(&arbiter, "games/1-1", &json!({ "name": "undo", "ruling": seq })).await;
    assert_eq!(again.status, 409, "an exchange that was undone is ruled again: {again:?}");
    house.play(1, 3, "g1f3").await;
    house.plies("1-1", 3).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pair_that_sat_down_first_is_put_right_alone() {
    let house = House::new("manual", 2);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    house.sees("1-2", |game| game["closed"] == false).await;
    let ruled = house.rules(&arbiter, "boards/2", &json!({ "name": "exchange-boards", "board": "1" })).await;
    assert_eq!(ruled.status, 200, "{ruled:?}");
    sees(&house, "1-2", "1", "Three, C", &["e2e4"]).await;
    sees(&house, "1-1", "2", "One, A", &[]).await;
    house.play(2, 1, "d2d4").await;
    sees(&house, "1-1", "2", "One, A", &["d2d4"]).await;
    house.play(1, 2, "e7e5").await;
    house.plies("1-2", 2).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

/// The daemon ends when one of the two boards has its part on disk, and the other one has not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exchange_that_a_crash_has_halved_is_completed() {
    let house = House::new("manual", 2);
    let mut daemon = house.site.start();
    let arbiter = house.arbiter();
    played(&house).await;
    assert_eq!(house.rules(&arbiter, "boards/1", &exchange()).await.status, 200);
    exchanged(&house).await;
    // A knight is in the air when the power goes.
    house.boards[0].lift("g1");
    daemon.kill();
    let file = house.site.journal.join("0001.db");
    let journal = Connection::open(&file).unwrap();
    let half: i64 =
        journal.query_row("SELECT max(id) FROM input WHERE kind = 'moved'", [], |row| row.get(0)).unwrap();
    journal.execute("DELETE FROM event WHERE input >= ?1", [half]).unwrap();
    journal.execute("DELETE FROM input WHERE id >= ?1", [half]).unwrap();
    drop(journal);
    daemon = house.site.start();
    exchanged(&house).await;
    house.boards[0].place("f3", 'N');
    house.boards[0].hands(1_000).await;
    house.boards[0].press(Side::White);
    house.plies("1-2", 3).await;
    let seen = async || (house.pairings(&arbiter, 1).await[0]["board"] == "2").then_some(());
    awaited("the list", PATIENCE, seen).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}
