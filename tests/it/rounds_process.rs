//! Rounds of a daemon that is a process: opened and closed at the machine and over HTTP, by whoever may, and what a
//! kill in the middle of one leaves.

use serde_json::{Value, json};

use crate::daemon::{PATIENCE, awaited};
use crate::house::{House, TWO_ROUNDS};
use crate::http::{get, moves, stranger};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_the_middle_of_a_round_nothing_of_it_is_lost() {
    let house = House::new("auto", 2);
    let mut daemon = house.site.start();
    house.import(TWO_ROUNDS);
    // Killed as soon as the answer is there: what was answered is on disk.
    daemon.kill();
    daemon = house.site.start();
    house.sees("1-2", |game| game["white"]["name"] == "Three, C").await;
    let line = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"];
    for (index, squares) in line.into_iter().enumerate() {
        house.play(1, index + 1, squares).await;
        house.plies("1-1", index + 1).await;
        if index % 2 == 1 {
            daemon.kill();
            daemon = house.site.start();
            house.sees("1-1", |game| game["closed"] == false).await;
            // The board is heard again.
            let fresh = async || {
                let boards = get(house.site.desk, "/api/v1/boards").await.json();
                (boards[0]["state"] == "fresh").then_some(())
            };
            awaited("board 1", PATIENCE, fresh).await;
        }
    }
    house.import(&TWO_ROUNDS.replace("Two, B", "Two, Bee"));
    daemon.kill();
    daemon = house.site.start();
    house.sees("1-1", |game| game["black"]["name"] == "Two, Bee").await;
    house.play(1, 9, "e1g1").await;
    let game = house.sees("1-1", |game| moves(game).len() >= 8).await;
    assert_eq!(&moves(&game)[..8], line);
    let rounds = get(house.site.desk, "/api/v1/rounds").await.json();
    let expected = json!([
        { "round": 1, "date": null, "state": "open", "games": 2, "finished": 0 },
        { "round": 2, "date": null, "state": "waiting", "games": 2, "finished": 0 },
    ]);
    assert_eq!(rounds, expected);
    let games = get(house.site.public, "/api/v1/games").await.json();
    let of_rounds = games.as_array().unwrap().iter().filter(|game| !game["round"].is_null());
    let names: Vec<&str> = of_rounds.map(|game| game["game"].as_str().unwrap()).collect();
    assert_eq!(names, ["1-1", "1-2"]);
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
    let opened = house.site.exported().iter().filter(|line| line.contains("\"round-opened\"")).count();
    assert_eq!(opened, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_are_opened_and_closed_at_the_machine() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    assert_eq!(house.adoube(&["round", "list"]), (0, String::new()));
    house.import(TWO_ROUNDS);
    let (_, listed) = house.adoube(&["round", "list"]);
    assert_eq!(listed, "1\t-\twaiting\t0 of 2 games finished\n2\t-\twaiting\t0 of 2 games finished\n");
    assert_eq!(house.adoube(&["round", "open", "1"]), (0, String::new()));
    house.sees("1-2", |_| true).await;
    let again = (1, "adoube: round 1 is open already\n".to_owned());
    assert_eq!(house.adoube(&["round", "open", "1"]), again);
    let (code, unknown) = house.adoube(&["round", "open", "7"]);
    assert_eq!((code, unknown.contains("no pairings of round 7 are known (1, 2)")), (2, true), "{unknown}");
    assert_eq!(house.adoube(&["pairings", "board", "1-1", "2"]), (0, String::new()));
    house.sees("1-1", |game| game["board"] == "2").await;
    house.play(2, 1, "e2e4").await;
    house.plies("1-1", 1).await;
    let (code, refused) = house.adoube(&["round", "close", "1"]);
    assert_eq!((code, refused.contains("no result yet in 1-1")), (1, true), "{refused}");
    assert_eq!(house.adoube(&["round", "close", "1", "--force"]), (0, String::new()));
    house.sees("1-1", |game| game["closed"] == true && game["result"] == "*").await;
    let operator = format!("Authorization: Bearer {}", house.site.add_token("operator", "Anna"));
    let shown = stranger(house.site.desk, "GET", "/api/v1/pairings", &[&operator], "").await.json();
    let of_round = shown["rounds"]["1"].as_array().unwrap();
    let states: Vec<_> = of_round.iter().map(|pairing| pairing["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["closed", "closed"], "nobody plays there any more");
    let (_, listed) = house.adoube(&["round", "list", "--json"]);
    let first: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    assert_eq!((&first["round"], &first["state"]), (&json!(1), &json!("closed")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pairing_has_the_result_of_its_game() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    house.import(TWO_ROUNDS);
    assert_eq!(house.adoube(&["round", "open", "1"]), (0, String::new()));
    house.sees("1-1", |_| true).await;
    house.play(1, 1, "e2e4").await;
    house.plies("1-1", 1).await;
    let (desk, arbiter) =
        (house.site.desk, format!("Authorization: Bearer {}", house.site.add_token("arbiter", "Maria")));
    for (ruling, value) in [("result", "0-1"), ("change-result", "1/2-1/2")] {
        let ruled = json!({ "name": ruling, "value": value }).to_string();
        let answer = stranger(desk, "POST", "/api/v1/boards/1/rulings", &[&arbiter], &ruled).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        house.sees("1-1", |game| game["result"] == value).await;
        let shown = stranger(desk, "GET", "/api/v1/pairings", &[&arbiter], "").await.json();
        let pairing = &shown["rounds"]["1"][0];
        assert_eq!((&pairing["result"], &pairing["state"]), (&json!(value), &json!("finished")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_runs_the_rounds_and_a_spectator_does_not() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    house.import(TWO_ROUNDS);
    let desk = house.site.desk;
    let operator = format!("Authorization: Bearer {}", house.site.add_token("operator", "Anna"));
    let rule = async |who: &[&str], ruling: Value| {
        stranger(desk, "POST", "/api/v1/boards/1/rulings", who, &ruling.to_string()).await.status
    };
    let open = json!({ "name": "round-open", "round": 1 });
    assert_eq!(rule(&[], open.clone()).await, 401);
    assert_eq!(stranger(desk, "POST", "/api/v1/rounds/1/open", &[], "{}").await.status, 401);
    assert_eq!(rule(&[&operator], open.clone()).await, 200);
    assert_eq!(rule(&[&operator], open).await, 409);
    assert_eq!(rule(&[&operator], json!({ "name": "round-open", "round": 9 })).await, 404);
    house.sees("1-1", |_| true).await;
    assert_eq!(rule(&[&operator], json!({ "name": "round-start" })).await, 200);
    assert_eq!(rule(&[&operator], json!({ "name": "assign", "board": "2", "game": "1-1" })).await, 200);
    house.sees("1-1", |game| game["board"] == "2").await;
    let rounds = stranger(desk, "GET", "/api/v1/rounds", &[&operator], "").await.json();
    assert_eq!(rounds[0]["state"], "open");
    assert_eq!(stranger(desk, "GET", "/api/v1/rounds", &[], "").await.status, 401);
    let close = stranger(desk, "POST", "/api/v1/rounds/1/close", &[&operator], "{}").await;
    assert_eq!(close.status, 200, "{close:?}");
    house.sees("1-1", |game| game["closed"] == true).await;
    let log = get(desk, "/api/v1/audit?limit=20").await.json();
    let of_anna = |entry: &&Value| entry["who"] == "Anna" && entry["action"] == "round-close";
    assert!(log.as_array().unwrap().iter().any(|entry| of_anna(&entry)), "{log}");
}
