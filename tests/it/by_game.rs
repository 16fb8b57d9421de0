//! Rulings by game (DESIGN 2.6): its result before, during and after it is played, whatever its board plays now.

use adoube_rules::sensor::Side;
use serde_json::{Value, json};

use crate::daemon::{PATIENCE, awaited};
use crate::house::{House, TWO_ROUNDS};
use crate::http::{get, moves, stranger};

async fn result_tag(house: &House, game: &str) -> String {
    let pgn = get(house.site.public, &format!("/api/v1/games/{game}.pgn")).await.body;
    let tag = pgn.lines().find(|line| line.starts_with("[Result ")).unwrap();
    tag.trim_matches(['[', ']']).trim_start_matches("Result ").trim_matches('"').to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_put_right_when_the_next_game_stands() {
    let house = House::new("manual", 2);
    let mut daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    let rules = async |path: &str, ruling: Value| {
        let answer = house.rules(&arbiter, path, &ruling).await;
        (answer.status, answer.body)
    };
    assert_eq!(rules("games/1-1", json!({ "name": "result", "value": "0-1" })).await.0, 200);
    assert_eq!(rules("games/1-2", json!({ "name": "result", "value": "+/-" })).await.0, 200, "nobody came");
    house.sees("1-2", |game| game["result"] == "+/-").await;
    assert_eq!(house.adoube(&["round", "close", "1"]), (0, String::new()));
    house.boards[0].carry("e4e2").await;
    house.opens(2);
    house.sees("2-1", |_| true).await;
    house.play(1, 1, "d2d4").await;
    house.plies("2-1", 1).await;

    let change = json!({ "name": "change-result", "value": "1/2-1/2" });
    assert_eq!(rules("games/1-1", change.clone()).await.0, 200);
    house.sees("1-1", |game| game["result"] == "1/2-1/2" && game["closed"] == true).await;
    assert_eq!(result_tag(&house, "1-1").await, "1/2-1/2");
    assert_eq!(house.pairings(&arbiter, 1).await[0]["result"], "1/2-1/2");
    let (status, refused) = rules("games/1-1", change.clone()).await;
    assert_eq!((status, refused.contains("the result is 1/2-1/2 already")), (409, true), "{refused}");
    let (status, refused) = rules("games/1-1", json!({ "name": "delete-move", "ply": 1 })).await;
    assert_eq!(
        (status, refused.contains("1-1 is closed: its result can be changed")),
        (409, true),
        "{refused}"
    );
    let (status, unknown) = rules("games/7-1", change).await;
    assert_eq!((status, unknown.contains("no game is called")), (404, true), "{unknown}");

    // What the board plays now has heard nothing of it.
    let game = house.sees("2-1", |_| true).await;
    assert_eq!((&game["result"], game["moves"].as_array().unwrap().len()), (&json!("*"), 1));
    let ruled = house.last_ruling(&arbiter, "1-1").await;
    assert_eq!(
        (&ruled["board"], &ruled["by"], &ruled["undone"]),
        (&json!("1"), &json!("Maria"), &json!(false))
    );

    daemon.kill();
    daemon = house.site.start();
    house.sees("1-1", |game| game["result"] == "1/2-1/2").await;
    house.sees("2-1", |game| game["closed"] == false).await;
    // By the board on whose page it stands.
    let undo = json!({ "name": "undo", "ruling": ruled["seq"] });
    assert_eq!(rules("boards/1", undo.clone()).await.0, 200);
    house.sees("1-1", |game| game["result"] == "0-1").await;
    assert_eq!(result_tag(&house, "1-1").await, "0-1");
    let (status, refused) = rules("games/1-1", undo).await;
    assert_eq!((status, refused.contains("nothing that was ruled")), (409, true), "{refused}");
    let undone = house.last_ruling(&arbiter, "1-1").await;
    assert_eq!(rules("games/1-1", json!({ "name": "undo", "ruling": undone["seq"] })).await.0, 200);
    house.sees("1-1", |game| game["result"] == "1/2-1/2").await;
    house.play(1, 2, "d7d5").await;
    house.plies("2-1", 2).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_has_not_begun_can_have_a_result() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import(TWO_ROUNDS);
    let refused = house.rules(&arbiter, "games/2-1", &json!({ "name": "pause" })).await;
    assert_eq!((refused.status, refused.body.contains("2-1 has not begun")), (409, true), "{refused:?}");
    let ruling = json!({ "name": "result", "value": "-/+" });
    assert_eq!(house.rules(&arbiter, "games/2-1", &ruling).await.status, 200);
    let shown = house.pairings(&arbiter, 2).await;
    assert_eq!((&shown[0]["result"], &shown[0]["state"]), (&json!("-/+"), &json!("finished")));
    house.opens(2);
    house.sees("2-2", |_| true).await;
    assert!(house.game("2-1").await.is_none_or(|game| game["closed"] == true), "nobody plays it");
    let operator = format!("Authorization: Bearer {}", house.site.add_token("operator", "Otto"));
    assert_eq!(house.rules(&operator, "games/2-1", &ruling).await.status, 403);
}

/// The number of the last ruling on the game of that very name.
async fn ruled_last(house: &House, who: &str, game: &str) -> Value {
    let path = format!("/api/v1/history?game={game}&types=ruled&limit=1");
    stranger(house.site.desk, "GET", &path, &[who], "").await.json()["events"][0]["seq"].clone()
}

/// The open records of a board, by their names.
async fn waiting(house: &House, board: &str) -> Vec<String> {
    let records = get(house.site.desk, "/api/v1/records?status=open").await.json();
    let waiting = records.as_array().unwrap().iter().filter(|record| record["board"] == board);
    waiting.map(|record| record["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_goes_on_at_the_spare_board() {
    let mut house = House::new("manual", 3);
    let mut daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import(TWO_ROUNDS);
    house.opens(1);
    house.sees("1-1", |_| true).await;
    house.boards[0].start_clock();
    house.boards[0].hands(20_000).await;
    for (index, squares) in ["e2e4", "e7e5", "g1f3"].into_iter().enumerate() {
        house.play(1, index + 1, squares).await;
        house.plies("1-1", index + 1).await;
    }
    house.boards[0].stop_clock();
    let shown = house.boards[0].shows();
    // Its clock speaks once a second.
    house.boards[0].hands(3_000).await;
    house.boards[0].unplug();
    let moves_to = |board: &str| json!({ "name": "move-to-board", "board": board });
    for (to, why) in
        [("2", "1-2 is to be played at board 2"), ("1", "at board 1 already"), ("9", "no board is called")]
    {
        let refused = house.rules(&arbiter, "games/1-1", &moves_to(to)).await;
        assert!(refused.status != 200 && refused.body.contains(why), "{refused:?}");
    }
    let moved = house.rules(&arbiter, "games/1-1", &moves_to("3")).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    house.sees("1-1", |game| game["board"] == "3" && moves(game) == ["e2e4", "e7e5", "g1f3"]).await;
    assert_eq!(house.pairings(&arbiter, 1).await[0]["board"], "3");
    let waits = async |board: &str, expected: &[&str]| {
        awaited(board, PATIENCE, async || (waiting(&house, board).await == expected).then_some(())).await;
    };
    waits("1", &[]).await;
    waits("3", &["resolution"]).await;
    // What hands do now is no play, and neither is a press while the clock is set.
    for squares in ["g1f3", "e7e5", "e2e4"] {
        house.boards[2].carry(squares).await;
    }
    house.boards[2].set_clock(shown, Side::Black);
    house.boards[2].start_clock();
    waits("3", &[]).await;
    house.play(3, 4, "b8c6").await;
    house.sees("1-1", |game| moves(game) == ["e2e4", "e7e5", "g1f3", "b8c6"]).await;
    let undone = house.last_ruling(&arbiter, "1-1").await;
    let refused =
        house.rules(&arbiter, "games/1-1", &json!({ "name": "undo", "ruling": undone["seq"] })).await;
    assert_eq!(
        (refused.status, refused.body.contains("have been played at board 3")),
        (409, true),
        "{refused:?}"
    );
    daemon.kill();
    daemon = house.site.start();
    house.sees("1-1", |game| game["board"] == "3" && moves(game).len() == 4).await;
    house.play(3, 5, "f1b5").await;
    house.sees("1-1", |game| moves(game).len() == 5).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_was_sent_to_the_wrong_board_comes_back() {
    let house = House::new("manual", 3);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    let moved = house.rules(&arbiter, "boards/1", &json!({ "name": "move-to-board", "board": "3" })).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    house.sees("1-1", |game| game["board"] == "3").await;
    let seq = house.last_ruling(&arbiter, "1-1").await["seq"].clone();
    let undone = house.rules(&arbiter, "boards/1", &json!({ "name": "undo", "ruling": seq })).await;
    assert_eq!(undone.status, 200, "{undone:?}");
    house.sees("1-1", |game| game["board"] == "1").await;
    assert_eq!(house.pairings(&arbiter, 1).await[0]["board"], "1");
    // It is played there as if it had never left.
    house.play(1, 2, "e7e5").await;
    house.sees("1-1", |game| moves(game) == ["e2e4", "e7e5"]).await;
    let waits = async || {
        (waiting(&house, "1").await.is_empty() && waiting(&house, "3").await.is_empty()).then_some(())
    };
    awaited("no records", PATIENCE, waits).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_postponed_is_played_later() {
    let house = House::new("manual", 2);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import(TWO_ROUNDS);
    house.opens(1);
    house.sees("1-2", |game| game["closed"] == false).await;
    let until = json!({ "name": "postpone-game", "until": "Sunday 10:00" });
    assert_eq!(house.rules(&arbiter, "boards/2", &until).await.status, 200);
    house.sees("1-2", |game| game["closed"] == true).await;
    let pairing = async || house.pairings(&arbiter, 1).await[1].clone();
    let shown = pairing().await;
    assert_eq!((&shown["state"], &shown["postponed"]), (&json!("postponed"), &json!("Sunday 10:00")));
    let again = house.rules(&arbiter, "games/1-2", &until).await;
    assert_eq!((again.status, again.body.contains("postponed already")), (409, true), "{again:?}");
    // What the pairing program says does not know of it.
    house.import(&TWO_ROUNDS.replace("2500", "2501"));
    assert_eq!(pairing().await["state"], "postponed");
    // Nobody plays there, whatever stands on the board.
    house.boards[1].carry("e2e4").await;
    house.boards[1].carry("e4e2").await;
    let undo = json!({ "name": "undo", "ruling": "postpone-game" });
    assert_eq!(house.rules(&arbiter, "games/1-2", &undo).await.status, 200);
    house.sees("1-2", |game| game["closed"] == false).await;
    let again = house.rules(&arbiter, "games/1-2", &undo).await;
    assert_eq!((again.status, again.body.contains("is not postponed")), (409, true), "{again:?}");
    assert_eq!(house.rules(&arbiter, "games/1-2", &until).await.status, 200);
    assert_eq!(house.rules(&arbiter, "games/1-2", &json!({ "name": "resume-game" })).await.status, 200);
    house.sees("1-2", |game| game["closed"] == false).await;
    house.play(2, 1, "d2d4").await;
    house.plies("1-2", 1).await;
    assert_eq!(pairing().await["state"], "playing");
    let begun = house.rules(&arbiter, "games/1-2", &until).await;
    assert_eq!((begun.status, begun.body.contains("1-2 has begun")), (409, true), "{begun:?}");
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_game_that_is_annulled_is_played_again() {
    let house = House::new("manual", 2);
    let daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    let result = json!({ "name": "result", "value": "1-0" });
    assert_eq!(house.rules(&arbiter, "games/1-1", &result).await.status, 200);
    house.boards[0].carry("e4e2").await;
    house.sees("1-1", |game| game["closed"] == true).await;
    let annul = json!({ "name": "annul-game", "reason": "colours-reversed" });
    assert_eq!(house.rules(&arbiter, "games/1-1", &annul).await.status, 200);
    house.sees("1-1", |game| game["annulled"] == true && game["result"] == "*").await;
    house.sees("1-1-2", |_| true).await;
    house.play(1, 1, "d2d4").await;
    house.plies("1-1-2", 1).await;
    // By the pairing's number the game is meant that is played now; by a ruling's the one on which it was made.
    let seq = ruled_last(&house, &arbiter, "1-1").await;
    let other = house.rules(&arbiter, "games/1-2", &json!({ "name": "undo", "ruling": seq })).await;
    assert_eq!(other.status, 409, "{other:?}");
    assert_eq!(
        house.rules(&arbiter, "games/1-1", &json!({ "name": "result", "value": "0-1" })).await.status,
        200
    );
    house.sees("1-1-2", |game| game["result"] == "0-1").await;
    assert_eq!(house.pairings(&arbiter, 1).await[0]["result"], "0-1");
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_put_right_leaves_the_result_that_was_ruled() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    for (close, ruling) in [(true, "result 1-0"), (false, "change-result 0-1")] {
        let (name, value) = ruling.split_once(' ').unwrap();
        let ruling = json!({ "name": name, "value": value });
        assert_eq!(house.rules(&arbiter, "games/1-1", &ruling).await.status, 200);
        if close {
            assert_eq!(house.adoube(&["round", "close", "1"]), (0, String::new()));
            house.sees("1-1", |game| game["closed"] == true).await;
        }
    }
    house.import(&TWO_ROUNDS.replace("Two, B", "Two, Bee"));
    house.sees("1-1", |game| game["black"]["name"] == "Two, Bee" && game["result"] == "0-1").await;
    assert_eq!(house.pairings(&arbiter, 1).await[0]["result"], "0-1");
    // What goes back to the pairing program is the same.
    let table = "round,board,white,white_fide_id,black,black_fide_id,result\n\
                 1,1,\"One, A\",,\"Two, Bee\",,0-1\n1,2,\"Three, C\",,\"Four, D\",,\n";
    assert_eq!(house.adoube(&["pairings", "results", "--round", "1"]), (0, table.to_owned()));
    let report = house.site.path().join("open.trf");
    let line = |number: u32, name: &str, cell: &str| {
        format!("001 {number:>4}      {name:<33}                                  0.0 {number:>4}  {cell}\n")
    };
    let lines = [line(1, "One, A", "   2 w  "), line(2, "Two, Bee", "   1 b  ")].concat();
    std::fs::write(&report, &lines).unwrap();
    let (code, filled) = house.adoube(&["pairings", "results", "--into", report.to_str().unwrap()]);
    let expected = lines.replace("2 w  ", "2 w 0").replace("1 b  ", "1 b 1").replace("0.0    2", "1.0    2");
    assert_eq!(
        (code, filled.lines().take(2).collect::<Vec<_>>()),
        (0, expected.lines().collect()),
        "{filled}"
    );
    let (code, refused) = house.adoube(&["pairings", "results", "--into", "no-such-file.trf"]);
    assert_eq!((code, refused.contains("no-such-file.trf")), (2, true), "{refused}");
}

/// Wherever the process dies while a game goes from board to board, the game is at one of them afterwards, whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_on_its_way_a_game_is_at_one_board() {
    let house = House::new("manual", 3);
    let mut daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import(TWO_ROUNDS);
    house.opens(1);
    house.sees("1-1", |_| true).await;
    for (index, squares) in ["e2e4", "e7e5"].into_iter().enumerate() {
        house.play(1, index + 1, squares).await;
        house.plies("1-1", index + 1).await;
    }
    for wait_ms in [0, 2, 4, 6, 8, 10, 12, 15, 20, 30] {
        let here = house.sees("1-1", |game| moves(game).len() == 2).await["board"].clone();
        let there = if here == "1" { "3" } else { "1" };
        let ruling = json!({ "name": "move-to-board", "board": there });
        let asked = tokio::time::timeout(
            std::time::Duration::from_millis(wait_ms),
            house.rules(&arbiter, "games/1-1", &ruling),
        );
        // It may not have come to an answer.
        let _answer = asked.await;
        daemon.kill();
        daemon = house.site.start();
        house.sees("1-1", |game| game["closed"] == false && moves(game) == ["e2e4", "e7e5"]).await;
        let boards = get(house.site.desk, "/api/v1/boards").await.json();
        let with_it = boards.as_array().unwrap().iter().filter(|board| board["game"] == "1-1");
        let with_it: Vec<&Value> = with_it.map(|board| &board["board"]).collect();
        assert_eq!(with_it.len(), 1, "after {wait_ms} ms: {with_it:?}");
        let games = get(house.site.public, "/api/v1/games").await.json();
        let of_pairing =
            games.as_array().unwrap().iter().filter(|game| game["round"] == 1 && game["number"] == 1);
        assert_eq!(of_pairing.count(), 1, "no second game of the pairing was begun");
    }
    // It can be played where it is.
    let here = house.sees("1-1", |_| true).await["board"].as_str().unwrap().to_owned();
    if here == "3" {
        for squares in ["e2e4", "e7e5"] {
            house.boards[2].carry(squares).await;
        }
    }
    let waive = async || {
        let open = get(house.site.desk, "/api/v1/records?status=open").await.json();
        (!open.as_array().unwrap().iter().any(|record| record["type"] == "resolution")).then_some(())
    };
    let place: usize = here.parse().unwrap();
    house.boards[place - 1].start_clock();
    awaited("the position stands", PATIENCE, waive).await;
    house.play(place, 3, "g1f3").await;
    house.sees("1-1", |game| moves(game).len() == 3).await;
    assert_eq!(daemon.terminate().await, Some(0));
    house.site.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_annulment_that_is_undone_leaves_no_game_waiting() {
    let house = House::new("manual", 2);
    let _daemon = house.site.start();
    let arbiter = house.arbiter();
    house.begins().await;
    // The names change sides before the result: it stays with the person.
    for ruling in [json!({ "name": "swap-colours" }), json!({ "name": "result", "value": "1-0" })] {
        assert_eq!(house.rules(&arbiter, "games/1-1", &ruling).await.status, 200);
    }
    house.boards[0].carry("e4e2").await;
    house.sees("1-1", |game| game["closed"] == true).await;
    let stands = async || house.pairings(&arbiter, 1).await[0].clone();
    let shown = stands().await;
    assert_eq!((&shown["white"]["name"], &shown["result"]), (&json!("Two, B"), &json!("1-0")));
    let annul = json!({ "name": "annul-game", "reason": "colours-reversed" });
    assert_eq!(house.rules(&arbiter, "games/1-1", &annul).await.status, 200);
    house.sees("1-1-2", |_| true).await;
    let seq = ruled_last(&house, &arbiter, "1-1").await;
    assert_eq!(
        house.rules(&arbiter, "games/1-1", &json!({ "name": "undo", "ruling": seq })).await.status,
        200
    );
    house.sees("1-1", |game| game["result"] == "1-0" && game["annulled"] != true).await;
    house.sees("1-1-2", |game| game["closed"] == true).await;
    let shown = stands().await;
    assert_eq!((&shown["state"], &shown["result"]), (&json!("finished"), &json!("1-0")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_that_open_by_themselves_wait_for_no_postponed_game() {
    let house = House::new("auto", 1);
    let _daemon = house.site.start();
    let arbiter = house.arbiter();
    house.import("round,board,white,black\n1,1,A,B\n2,1,B,A\n");
    house.sees("1-1", |_| true).await;
    assert_eq!(house.rules(&arbiter, "games/1-1", &json!({ "name": "postpone-game" })).await.status, 200);
    house.sees("2-1", |game| game["closed"] == false).await;
    house.boards[0].start_clock();
    house.sees("2-1", |game| game["clock"]["running"] == "white").await;
    let late = house.rules(&arbiter, "games/2-1", &json!({ "name": "postpone-game" })).await;
    assert_eq!((late.status, late.body.contains("2-1 has begun")), (409, true), "its clock runs: {late:?}");
}
