//! A game that is not one line of legal moves: an illegal move stands, and PGN has two games of it.

use std::path::Path;
use std::process::Command;

use adoube_core::capture::{Header, Line};
use adoube_rules::pgn::read_games;

use crate::seen::replay;

/// 1.e4 e5 2.Bg5 Nc6 with the clock pressed after each move: White's bishop passes over his own pawn.
/// Black does not see it, so in rapid with reduced supervision it stands once he has moved (A.4.2).
const CAPTURE: &str = r#"{"adoube":"capture/1","board":"12","protocol":"frames","profile":"fide-2018-rapid-reduced","time_control":"1500"}
{"t_ms":0,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR","clock":{"white_ms":1500000,"black_ms":1500000,"running":null,"lever":"white"}}
{"t_ms":4000,"clock":{"white_ms":1500000,"black_ms":1500000,"running":"white","lever":"white"}}
{"t_ms":6000,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":6500,"pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":8000,"clock":{"white_ms":1496000,"black_ms":1500000,"running":"black","lever":"black"}}
{"t_ms":10000,"pieces":"rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":10500,"pieces":"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"}
{"t_ms":12000,"clock":{"white_ms":1496000,"black_ms":1496000,"running":"white","lever":"white"}}
{"t_ms":14000,"pieces":"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RN1QKBNR"}
{"t_ms":14500,"pieces":"rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR"}
{"t_ms":16000,"clock":{"white_ms":1492000,"black_ms":1496000,"running":"black","lever":"black"}}
{"t_ms":18000,"pieces":"r1bqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR"}
{"t_ms":18500,"pieces":"r1bqkbnr/pppp1ppp/2n5/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR"}
{"t_ms":20000,"clock":{"white_ms":1492000,"black_ms":1492000,"running":"white","lever":"white"}}
{"t_ms":30000,"ruling":{"name":"result","value":"0-1"}}
"#;

/// What stands on the board after 2.Bg5.
const AFTER_BG5: &str = "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR b KQkq - 1 2";

#[test]
fn the_illegal_move_is_in_the_game_and_marked() {
    let mut lines = CAPTURE.lines();
    let header = Header::parse(lines.next().unwrap()).unwrap();
    let lines: Vec<Line> = lines.map(|line| Line::parse(line).unwrap()).collect();
    let seen = replay(&header, &lines);
    let line = seen.games[0].moves.all();
    let moves: Vec<(&str, bool)> = line.iter().map(|mv| (mv.san.as_str(), mv.legal)).collect();
    assert_eq!(moves, [("e4", true), ("e5", true), ("Bg5", false), ("Nc6", true)]);
    assert_eq!(seen.of_type("illegal-move-stands").len(), 1);
}

/// What `replay` prints of the capture in `folder`.
fn printed(folder: &Path, options: &[&str]) -> String {
    std::fs::write(folder.join("12.jsonl"), CAPTURE).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    let output = command.current_dir(folder).args(["replay", "12.jsonl"]).args(options).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn readers_of_pgn_take_both_games_that_replay_prints() {
    let folder = tempfile::tempdir().unwrap();
    let text = printed(folder.path(), &[]);
    let games = read_games(text.as_bytes()).unwrap();
    let [first, second] = &games[..] else { panic!("two games:\n{text}") };
    assert_eq!((&first.fault, first.moves.len()), (&None, 2), "{text}");
    assert_eq!((&second.fault, second.moves.len()), (&None, 1), "{text}");
    assert_eq!((first.tag("FEN"), second.tag("FEN")), (None, Some(AFTER_BG5)));
    assert_eq!(second.tag("SetUp"), Some("1"));
    // Clients close the first game too.
    for game in [first, second] {
        assert_eq!(game.tag("Result"), Some("0-1"), "{text}");
        assert_eq!((game.tag("Board"), game.tag("White")), (Some("12"), None));
    }
    let id = first.tag("GameId").unwrap();
    assert_eq!(second.tag("GameId"), Some(format!("{id}/b").as_str()));
    assert!(text.contains(&format!("{{illegal move Bg5 stood; goes on as {id}/b}} 0-1\n")), "{text}");
    assert!(text.contains("\n2... Nc6 {[%clk 0:24:52] [%emt 0:00:04]} 0-1\n"), "{text}");
}

#[test]
fn replay_agrees_with_what_it_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("12.pgn"), printed(folder.path(), &[])).unwrap();
    let checked = printed(folder.path(), &["--check", "12.pgn"]);
    assert_eq!(checked, "ok   12: 2 plies\nok   12: 1 plies\n");
}
