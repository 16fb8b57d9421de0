//! Games against engines: a real one, and some that go wrong.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use adoube_rules::GameResult;
use adoube_rules::sensor::Side;

use super::table::{START, Table};
use super::{legal, uci, words};
use crate::daemon::skip;

/// Where Debian puts games.
const STOCKFISH: [&str; 2] = ["stockfish", "/usr/games/stockfish"];

/// A stockfish, if there is one.
fn stockfish() -> Option<&'static str> {
    let found = STOCKFISH.into_iter().find(|command| Command::new(command).arg("quit").output().is_ok());
    if found.is_none() {
        skip("there is no stockfish (apt-get install stockfish)");
    }
    found
}

/// An engine of a few lines of shell: `go` is what it does when it is told to think.
fn fake(table: &Table, go: &str) -> String {
    let path = table.path("engine");
    let script = format!(
        "#!/bin/sh\nwhile read -r word rest; do\n  case \"$word\" in\n    uci) echo 'id name Fake 1'; echo 'option name Hash type spin'; \
         echo uciok ;;\n    isready) echo readyok ;;\n    quit) exit 0 ;;\n    go) {go} ;;\n  esac\ndone\n"
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Ten moves each against a stockfish that plays White from `start`; ours are the last legal ones in the order of
/// the generator.
async fn is_what_both_played(stockfish: &str, start: &str, is_chess960: bool) {
    let mut table = Table::new(start, is_chess960, Side::Black);
    let mut arguments =
        vec!["engine", "--cmd", stockfish, "--side", "black", "--depth", "1", "--option", "Threads=1"];
    if is_chess960 {
        arguments.extend(["--start", start, "--chess960"]);
    }
    table.play(&arguments);
    for _ in 0..10 {
        table.answers().await;
        let moves = legal(&table.position);
        let Some(&mv) = moves.last() else { break };
        let text = uci(&table.position, mv);
        table.makes(&text).await;
    }
    table.types("resign");
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    let moves = table.pgn_moves();
    assert_eq!(moves[..], table.moves[..moves.len()]);
    assert!(moves.len() >= table.moves.len() - 1, "the last one may not have been sent: {moves:?}");
    let pgn = table.pgn();
    assert!(pgn.tag("White").is_some_and(|name| name.starts_with("Stockfish")), "{:?}", pgn.tags);
    assert_eq!((pgn.tag("Black"), pgn.result), (Some("Tester"), Some(GameResult::WhiteWins)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_against_stockfish_is_what_both_played() {
    let Some(stockfish) = stockfish() else { return };
    is_what_both_played(stockfish, START, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_of_chess960_against_stockfish_is_what_both_played() {
    let Some(stockfish) = stockfish() else { return };
    is_what_both_played(stockfish, "rk2nnbr/pppppppp/8/8/8/8/PPPPPPPP/RK2NNBR w KQkq - 0 1", true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stockfish_mates_from_a_position_and_the_game_is_over() {
    let Some(stockfish) = stockfish() else { return };
    let start = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    let mut table = Table::new(start, false, Side::Black);
    let arguments = ["engine", "--cmd", stockfish, "--side", "black", "--movetime", "50", "--start", start];
    table.play(&arguments);
    table.answers().await;
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!((table.pgn_moves(), table.pgn().result), (table.moves.clone(), Some(GameResult::WhiteWins)));
    table.says("1-0 (checkmate)").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_can_be_set_has_the_engines_times() {
    let mut table = Table::new(START, false, Side::White);
    table.board.let_clock_be_set();
    let engine = fake(&table, "echo bestmove e7e5");
    table.play(&["engine", "--cmd", &engine, "--time-control", "300+2"]);
    table.says("your move").await;
    crate::daemon::awaited("five minutes on the clock", super::table::PATIENCE, async || {
        (table.board.firmware_shows() == [300, 300]).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn engines_that_go_wrong_are_said_in_a_line_and_leave_nothing_behind() {
    let mut said = Vec::new();
    for go in [
        "exit 3",
        "echo bestmove e2e4",
        "echo bestmove '(none)'",
        "echo nonsense; echo bestmove later",
        "true",
    ] {
        let mut table = Table::new(START, false, Side::White);
        let engine = fake(&table, go);
        table.play(&["engine", "--cmd", &engine, "--movetime", "50"]);
        table.says("your move").await;
        table.makes("e2e4").await;
        assert_eq!(table.ends().await, 2, "{go}: {:#?}", table.said());
        said.push(table.says("adoube: ").await);
        assert_eq!(table.pgn_moves(), words("e2e4"), "{go}: what was played is printed");
        // Its script is the only process with this path.
        let alive = Command::new("pgrep").args(["-f", &engine]).output();
        assert!(alive.is_ok_and(|alive| alive.stdout.is_empty()), "{go}: the engine lives on");
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    adoube: the engine Fake 1 has ended (exit status: 3)
    adoube: the engine Fake 1 plays "e2e4", which is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1; the game cannot go on
    adoube: the engine Fake 1 plays no move, though there are some in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1; the game cannot go on
    adoube: the engine Fake 1 plays "later", which is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1; the game cannot go on
    adoube: the engine Fake 1 does not answer "go" within 10 s
    "#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_engine_is_said_in_a_line() {
    let mut table = Table::new(START, false, Side::White);
    let engine = fake(&table, "true");
    let mut said = Vec::new();
    let tries: [&[&str]; 5] = [
        &["engine", "--cmd", "no-such-engine"],
        &["engine", "--cmd", "true"],
        &["engine", "--cmd", &engine, "--option", "Hahs=16"],
        &["engine", "--cmd", &engine, "--elo", "1500"],
        &["engine", "--cmd", &engine, "--start", "8/8/8/8/8/8/8/8 w - - 0 1"],
    ];
    for arguments in tries {
        table.play(arguments);
        assert_eq!(table.ends().await, 2, "{arguments:?}");
        said.push(table.says("adoube: ").await);
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    adoube: no-such-engine: cannot be started: No such file or directory (os error 2); is the engine installed, and is --cmd its name or path?
    adoube: the engine true has ended; does it speak UCI?
    adoube: the engine Fake 1 has no option "Hahs"; did you mean "Hash"?
    adoube: --elo 1500: Fake 1 cannot be told how strong to play; --option may know a way
    adoube: --start 8/8/8/8/8/8/8/8 w - - 0 1: not a position to play from: illegal position: empty board, missing king
    "#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_are_taken_back_and_a_game_is_gone_on_with() {
    let mut table = Table::new(START, false, Side::White);
    let engine =
        fake(&table, "echo info score cp 30; case \"$moves\" in '') echo bestmove e7e5 ;; esac; moves=1");
    table.play(&["engine", "--cmd", &engine]);
    table.says("your move").await;
    table.makes("e2e4").await;
    assert_eq!(table.answers().await, "e7e5");
    table.clock_shows(None).await;
    table.types("draw");
    table.says("the engine declines the draw").await;
    table.kill();
    table.play(&["engine", "--cmd", &engine, "--resume"]);
    table.says("your move").await;
    table.types("takeback");
    table.says("a move was taken back").await;
    table.clock_shows(Some("undo")).await;
    table.board.carry("e5e7").await;
    table.board.carry("e4e2").await;
    table.clock_shows(None).await;
    table.types("quit");
    assert_eq!(table.ends().await, 0);
}
