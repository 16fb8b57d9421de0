//! The demonstration: every board plays its game, and every game comes back as it was played.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::daemon::{self, Daemon};
use crate::{children, http, roles};

/// A demonstration of these games takes half a minute; on a busy machine it may be held up.
const PATIENCE: Duration = Duration::from_secs(150);

/// `adoube demo --once`, which no other daemon of this machine knows of.
pub(crate) async fn demo(speed: u32, arguments: &[&str]) -> Output {
    let runtime = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["demo", "--once", "--speed", &speed.to_string()]).args(arguments);
    command.env("RUNTIME_DIRECTORY", runtime.path());
    // It lasts as long as its games do.
    children::output(command, 2 * PATIENCE).await
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn eight_boards_come_back_as_they_were_played() {
    let output = demo(20, &[]).await;
    let lines = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(lines[0].starts_with("http://127.0.0.1:"), "{lines:?}");
    assert_eq!(lines.len(), 9, "{lines:?}");
    for (number, line) in (1..).zip(&lines[1..]) {
        assert!(line.starts_with(&format!("ok   board {number}: ")), "{line}");
    }
}

#[tokio::test]
async fn own_games_are_played_and_an_illegal_one_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.pgn");
    let own = "[White \"Müller\"]\n[Black \"Őze\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    std::fs::write(&path, own).unwrap();
    let output = demo(50, &["--games", path.to_str().unwrap()]).await;
    assert_eq!(lines(&output)[1..], ["ok   board 1: Müller – Őze, 4 plies"], "{output:?}");
    assert_eq!(output.status.code(), Some(0));

    std::fs::write(&path, "[White \"A\"]\n\n*\n").unwrap();
    let output = demo(50, &["--games", path.to_str().unwrap()]).await;
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "adoube: none of the games has a move\n");
}

/// Whoever leaves it on sees the next round, with its players.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_round_has_its_players() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.pgn");
    let own = "[White \"Müller\"]\n[Black \"Őze\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
               [White \"Ek\"]\n[Black \"Dam\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";
    std::fs::write(&path, own).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["demo", "--boards", "2", "--speed", "20", "--games"]).arg(&path);
    command.env("RUNTIME_DIRECTORY", folder.path());
    let (_demo, link) = Daemon::spawn(command);
    let (desk, _) = http::parts(&link);
    for (name, white) in [("2-1", "Müller"), ("2-2", "Ek")] {
        let is_played = async || {
            let answer = http::get(desk, &format!("/api/v1/games/{name}")).await;
            Some(answer.json()).filter(|game| answer.status == 200 && !http::moves(game).is_empty())
        };
        let game = daemon::awaited("a move of the second round", PATIENCE, is_played).await;
        assert_eq!(game["white"]["name"], white);
    }
}

/// Whoever practises learns what would have been good, and a script that not all was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ruling_that_was_not_good_is_told_and_counts() {
    let runtime = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["demo", "--incidents=illegal-move", "--once", "--speed", "8"]);
    command.env("RUNTIME_DIRECTORY", runtime.path()).stderr(daemon::nowhere()).stdout(Stdio::piped());
    let mut drill = children::Ended(command.spawn().unwrap());
    let lines = children::Lines::of(&mut drill.0);
    let link = lines.next(PATIENCE);
    let (desk, token) = http::parts(&link);
    let arbiter = roles::cookie(&roles::log_in(desk, token).await);
    let ask = async |method: &str, path: &str, body: &str| {
        http::stranger(desk, method, path, &[&arbiter, "Sec-Fetch-Site: same-origin"], body).await
    };
    assert!(lines.next(PATIENCE).contains("illegal-move, board 1: "));
    let illegal = daemon::awaited("the illegal move", PATIENCE, async || {
        let records = ask("GET", "/api/v1/records?board=1&status=open", "").await.json();
        let illegal = records.as_array()?.iter().find(|record| record["type"] == "illegal-move-completed")?;
        illegal["record"].as_u64()
    });
    let reject = serde_json::json!({ "name": "reject", "record": illegal.await });
    assert_eq!(ask("POST", "/api/v1/boards/1/rulings", &reject.to_string()).await.status, 200);
    let verdict = lines.next(PATIENCE);
    assert!(verdict.starts_with("      not  illegal-move; what would have been good: confirm"), "{verdict}");
    assert_eq!(lines.next(PATIENCE), "0 of 1 as they should be");
    assert_eq!(drill.0.wait().unwrap().code(), Some(1));

    let output = demo(8, &["--incidents=ilegal-move"]).await;
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("did you mean illegal-move?") && said.contains("wrong-result"), "{said}");
}
