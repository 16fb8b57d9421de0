//! The demonstration: every board plays its game, and every game comes back as it was played.

use std::process::{Command, Output};
use std::time::Duration;

use crate::daemon::{self, Daemon};
use crate::{children, http};

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
