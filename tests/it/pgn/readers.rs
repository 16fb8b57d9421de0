//! Other people's readers of PGN see every game as it was played: python-chess, pgn-extract, and the one that we
//! use ourselves, pgn-reader.

use std::path::{Path, PathBuf};
use std::process::Command;

use adoube_rules::pgn::read_games;
use shakmaty::CastlingMode;

use super::corpus::{Read, corpus, text};
use crate::daemon::skip;
use crate::data;
use crate::public_hall::{PublicHall, START};
use crate::slots::computing;

/// Prints each game as a line of JSON, and what python-chess does not like about it.
const PYTHON: &str = r#"
import io, json, sys
import chess.pgn
text = io.StringIO(open(sys.argv[1], encoding="utf-8").read())
while (game := chess.pgn.read_game(text)) is not None:
    tags = game.headers
    print(json.dumps({
        "errors": [str(error) for error in game.errors],
        "id": tags["GameId"], "white": tags["White"], "black": tags["Black"], "result": tags["Result"],
        "moves": [move.uci() for move in game.mainline_moves()],
        "clocks": sum(node.clock() is not None for node in game.mainline()),
        "board": tags.get("Board"), "round": tags.get("Round"),
    }))
"#;

/// A Python that has python-chess, if there is one.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("ADOUBE_PYTHON_CHESS").map_or_else(|| "python3".into(), PathBuf::from);
    let found = Command::new(&python).args(["-c", "import chess.pgn"]).output();
    if found.is_ok_and(|found| found.status.success()) {
        return Some(python);
    }
    skip("there is no Python with python-chess (ADOUBE_PYTHON_CHESS)");
    None
}

/// pgn-extract, if it is there: Debian has it among the games.
fn pgn_extract() -> Option<PathBuf> {
    let places = ["pgn-extract", "/usr/games/pgn-extract"];
    let found = places.into_iter().find(|place| Command::new(place).arg("--version").output().is_ok());
    if found.is_none() {
        skip("there is no pgn-extract");
    }
    found.map(PathBuf::from)
}

/// The PGN as a file in `folder`.
fn file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("games.pgn");
    std::fs::write(&path, text).unwrap();
    path
}

fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (said, complained) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{said}{complained}");
    (said, complained)
}

/// The games as python-chess reads them, with how many moves had a clock.
fn by_python_chess(python: &Path, text: &str) -> Vec<(Read, usize)> {
    let folder = tempfile::tempdir().unwrap();
    let (said, complained) = run(Command::new(python).args(["-c", PYTHON]).arg(file(folder.path(), text)));
    assert_eq!(complained, "");
    let read = |line: &str| {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(game["errors"], serde_json::json!([]), "{line}");
        let clocks = usize::try_from(game["clocks"].as_u64().unwrap()).unwrap();
        let read: Read = serde_json::from_value(game).unwrap();
        // It leaves the escapes in tags as they are.
        (Read { white: unescaped(&read.white), black: unescaped(&read.black), ..read }, clocks)
    };
    said.lines().map(read).collect()
}

fn unescaped(value: &str) -> String {
    value.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The games as pgn-extract writes them with moves in from-to notation.
fn by_pgn_extract(program: &Path, text: &str) -> Vec<Read> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    let (said, complained) =
        run(command.args(["-s", "-Wuci", "-C", "-V", "-w100000"]).arg(file(folder.path(), text)));
    // What it does not like it says there, with the line.
    let complaints: Vec<&str> = complained
        .lines()
        .filter(|line| {
            !line.starts_with("Processing ")
                && !line.contains(" game matched ")
                && !line.contains(" games matched ")
        })
        .collect();
    assert!(complaints.iter().all(|line| line.trim().is_empty()), "{complaints:#?}");
    let mut games: Vec<Read> = Vec::new();
    for paragraph in said.split("[Event ").skip(1) {
        let tag = |name: &str| {
            let value =
                paragraph.split_once(&format!("[{name} \"")).unwrap().1.split_once("\"]\n").unwrap().0;
            unescaped(value)
        };
        let mut moves: Vec<String> =
            paragraph.split("\n\n").nth(1).unwrap().split_whitespace().map(str::to_owned).collect();
        // It writes the piece of a promotion as a capital.
        moves.iter_mut().for_each(|mv| mv.make_ascii_lowercase());
        let result = moves.pop().unwrap();
        assert_eq!(result, tag("Result"));
        games.push(Read { id: tag("GameId"), white: tag("White"), black: tag("Black"), result, moves });
    }
    games
}

fn by_pgn_reader(text: &str) -> Vec<Read> {
    let games = read_games(text.as_bytes()).unwrap();
    let read = |game: &adoube_rules::pgn::PgnGame| {
        assert_eq!(game.fault, None, "{game:?}");
        let tag = |name: &str| game.tag(name).unwrap_or("?").to_owned();
        let mode =
            if game.tag("Variant").is_some() { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let moves = game.moves.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
        Read { id: tag("GameId"), white: tag("White"), black: tag("Black"), result: tag("Result"), moves }
    };
    games.iter().map(read).collect()
}

#[test]
fn pgn_reader_sees_every_game() {
    let (hall, expected) = corpus();
    assert_eq!(by_pgn_reader(&text(&hall)), expected);
}

#[test]
fn python_chess_sees_every_game() {
    let Some(python) = python() else { return };
    let (hall, expected) = corpus();
    let (read, clocks): (Vec<Read>, Vec<usize>) = by_python_chess(&python, &text(&hall)).into_iter().unzip();
    assert_eq!(read, expected);
    // Every move has its clock, but those that nobody saw.
    let made = expected.iter().map(|game| if game.id.ends_with("5-4-2") { 1 } else { game.moves.len() });
    assert_eq!(clocks, made.collect::<Vec<_>>());
}

#[test]
fn pgn_extract_sees_every_game() {
    let Some(program) = pgn_extract() else { return };
    let (hall, expected) = corpus();
    let read = by_pgn_extract(&program, &text(&hall));
    assert_eq!(read, expected);
}

/// The games of a round as LiveChess sent them out, played again here.
#[test]
fn readers_see_real_games_as_they_were_played() {
    let _slot = computing();
    let Some(games) = data::games("games/fide-world-cup-2025-livechess.pgn") else { return };
    let mut hall = PublicHall::default();
    let mut expected = Vec::new();
    for (number, game) in (1..).zip(games.iter().filter(|game| game.tag("FEN").is_none()).take(100)) {
        let name = format!("5-{number}");
        let player = |side: &str| {
            let number =
                |tag: &str| game.tag(&format!("{side}{tag}")).and_then(|text| text.parse::<u64>().ok());
            serde_json::json!({ "name": game.tag(side), "elo": number("Elo"), "fide_id": number("FideId") })
        };
        hall.open_with(
            &name,
            serde_json::json!({ "start": START, "white": player("White"), "black": player("Black"),
                "time_control": game.tag("TimeControl") }),
        );
        for mv in &game.moves {
            hall.make(&name, mv, "played", true);
        }
        if let Some(result) = game.result {
            hall.end(&name, result.name());
        }
        expected.push(super::corpus::expected(&hall, &name));
        assert_eq!(expected.last().unwrap().moves.len(), game.moves.len());
    }
    assert_eq!(expected.len(), 100);
    let text = text(&hall);
    assert_eq!(by_pgn_reader(&text), expected);
    if let Some(python) = python() {
        let read: Vec<Read> = by_python_chess(&python, &text).into_iter().map(|(read, _)| read).collect();
        assert_eq!(read, expected);
    }
    if let Some(program) = pgn_extract() {
        assert_eq!(by_pgn_extract(&program, &text), expected);
    }
}
