//! Pairings over HTTP.

use serde_json::{Value, json};

use super::ROUND;
use crate::daemon::Site;
use crate::http::{Answer, ask, get, stranger};

async fn post(site: &Site, query: &str, file: &str) -> Answer {
    ask(site.desk, "POST", &format!("/api/v1/pairings?{query}"), &["Content-Type: text/plain"], file).await
}

async fn put(site: &Site, path: &str, body: Value) -> Answer {
    ask(site.desk, "PUT", &format!("/api/v1/{path}"), &[], &body.to_string()).await
}

/// `kind game` of each change.
fn changes(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let json = answer.json();
    let text = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
    let changes = json["changes"].as_array().unwrap().iter();
    changes.map(|change| format!("{} {}", text(change, "kind"), text(change, "game"))).collect()
}

async fn pairings(site: &Site) -> Value {
    let answer = get(site.desk, "/api/v1/pairings").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn a_preview_changes_nothing_and_an_import_what_it_said() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    let expected = ["added 9-41", "added 9-42", "added 9-43", "added 9-44"];
    let preview = post(&site, "preview=true", ROUND).await;
    assert_eq!(changes(&preview), expected);
    assert_eq!(preview.json()["imported"], false);
    assert_eq!(pairings(&site).await["rounds"], json!({}));
    let import = post(&site, "name=round.csv", ROUND).await;
    assert_eq!(
        (changes(&import), &import.json()["imported"]),
        (expected.map(str::to_owned).to_vec(), &json!(true))
    );
    let known = pairings(&site).await;
    let round = known["rounds"]["9"].as_array().unwrap();
    let white = json!({
        "name": "Player, One", "title": "GM", "fide_id": 1200, "federation": "GRE", "elo": 2500, "team": null,
    });
    assert_eq!(round[0]["white"], white);
    let states: Vec<_> = round.iter().map(|pairing| pairing["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["waiting", "waiting", "waiting", "finished"]);
    let boards: Vec<_> = round.iter().map(|pairing| pairing["board"].as_str().unwrap()).collect();
    assert_eq!(boards, ["41", "42", "43", "44"]);
    // Twice is once.
    assert!(changes(&post(&site, "", ROUND).await).is_empty());
    let corrected = ROUND.replace("2500", "2510").replace("9,43,\"Player, Five\"", "9,45,\"Player, Nine\"");
    let expected = ["changed 9-41", "withdrawn 9-43", "withdrawn 9-44", "added 9-45", "added 9-46"];
    let found = changes(&post(&site, "preview=true", &corrected).await);
    // The bye comes after all games, and moves with them.
    assert!(found.len() <= expected.len() && found.contains(&"changed 9-41".to_owned()), "{found:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_said_with_its_line() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    for (query, file, status, detail) in [
        (
            "",
            ROUND.replace("2500", "high").as_str(),
            422,
            "line 2: column 5 (white_elo): \"high\" is no rating",
        ),
        ("preview=true", "", 422, "line 1: the file is empty"),
        ("preview=true&round=7", ROUND, 422, "line 1: the file has no pairing of round 7; it has 9"),
        ("preview=perhaps", ROUND, 422, "the query cannot be read"),
    ] {
        let answer = post(&site, query, file).await;
        let said = answer.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(said.starts_with(detail), "{said}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    assert_eq!(pairings(&site).await["rounds"], json!({}));
    // More than a ruling may have, less than a file.
    let many: String = (1..=2_000).fold("round,board,white,black\n".to_owned(), |text, board| {
        text + &format!("1,{board},\"White, {board}\",\"Black, {board}\"\n")
    });
    assert!(many.len() > 16 * 1024);
    assert_eq!(changes(&post(&site, "preview=true", &many).await).len(), 2_000);
    let answer = post(&site, "preview=true", &"x".repeat(8 * 1024 * 1024 + 1)).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    // Nobody who is not logged in sees or changes any.
    for (method, path) in
        [("GET", "/api/v1/pairings"), ("POST", "/api/v1/pairings"), ("PUT", "/api/v1/pairings/9-41")]
    {
        assert_eq!(stranger(site.desk, method, path, &[], "").await.status, 401, "{method} {path}");
    }
}

#[tokio::test]
async fn games_change_boards_and_players_are_put_right() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    changes(&post(&site, "", ROUND).await);
    let boards = async || -> Vec<String> {
        let known = pairings(&site).await;
        let round = known["rounds"]["9"].as_array().unwrap().clone();
        round.iter().map(|pairing| pairing["board"].as_str().unwrap().to_owned()).collect()
    };
    // One: an exchange. Several: as they say.
    assert_eq!(put(&site, "rounds/9/boards", json!({ "9-41": "43" })).await.status, 200);
    assert_eq!(boards().await, ["43", "42", "41", "44"]);
    let all = json!({ "9-41": "41", "9-42": "43", "9-43": "42" });
    assert_eq!(put(&site, "rounds/9/boards", all).await.status, 200);
    assert_eq!(boards().await, ["41", "43", "42", "44"]);
    let twice = json!({ "9-41": "42", "9-42": "42" });
    assert_eq!(put(&site, "rounds/9/boards", twice).await.status, 409);
    assert_eq!(put(&site, "rounds/9/boards", json!({ "9-41": "77" })).await.status, 422);
    assert_eq!(put(&site, "rounds/9/boards", json!({ "9-77": "41" })).await.status, 404);
    assert_eq!(put(&site, "rounds/8/boards", json!({ "9-41": "42" })).await.status, 404);
    // An import does not undo what was moved.
    assert!(changes(&post(&site, "", ROUND).await).is_empty());
    assert_eq!(boards().await, ["41", "43", "42", "44"]);

    let right = json!({
        "white": { "name": " Player,  Uno ", "title": "im", "elo": 2400 },
        "black": { "name": "Player, Due", "fide_id": 77 },
    });
    assert_eq!(changes(&put(&site, "pairings/9-41", right.clone()).await), ["changed 9-41", "changed 9-41"]);
    let known = pairings(&site).await;
    let first = &known["rounds"]["9"][0];
    assert_eq!((&first["white"]["name"], &first["white"]["title"]), (&json!("Player, Uno"), &json!("IM")));
    assert_eq!((&first["black"]["fide_id"], &first["white"]["fide_id"]), (&json!(77), &Value::Null));
    assert_eq!(put(&site, "pairings/9-77", right).await.status, 404);
    let wrong = json!({ "white": { "name": "A", "federation": "Greece" }, "black": { "name": "B" } });
    let answer = put(&site, "pairings/9-41", wrong).await;
    let said = answer.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(
        (answer.status, said.starts_with("white: \"Greece\" is no federation")),
        (422, true),
        "{said}"
    );
}
