//! `adoube position`: one FEN, files of them, and what is no FEN.

use std::io::Write as _;
use std::process::{Command, Stdio};

use adoube_rules::ChessPosition;
use adoube_rules::sensor::Side;
use serde_json::{Value, json};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position as _};

use crate::children::{Ended, Lines};
use crate::daemon::PATIENCE;
use crate::data;
use crate::slots::computing;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const BOTH_IN_CHECK: &str = "4k3/4R3/8/8/8/8/4r3/4K3 w - - 0 1";
const BARE_KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - -";

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    fn objects(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs `adoube position` with these arguments and this on stdin.
fn position(arguments: &[&str], input: &str) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adoube"))
        .arg("position")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A program that refuses its arguments reads nothing.
    drop(writer.join().unwrap());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn one_position_is_answered_in_words() {
    let said = position(&["8/8/8/8/8/8/4k3/q3K3 w - -"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!(said.out, @r"
    8/8/8/8/8/8/4k3/q3K3 w - -
      legal  no
             kings-adjacent: The kings stand beside each other.
      white  cannot mate: a bare king
      black  unknown (material sufficient)
      dead   unknown
    ");
    let said = position(&["k1K5/8/8/8/8/8/8/1Q6 w - - 0 60"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(said.out, @r"
    k1K5/8/8/8/8/8/8/1Q6 w - - 0 60
      legal  unknown
      white  can mate (1 ply): 60.Qa1#
      black  cannot mate: a bare king
      dead   no
    ");
}

#[test]
fn a_fen_need_not_be_quoted() {
    let fields: Vec<&str> = START.split(' ').chain(["--json"]).collect();
    let said = position(&fields, "");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(said.objects()[0]["fen"], START);
    assert_eq!(said.objects()[0]["legal"], "yes");
}

#[test]
fn a_batch_keeps_its_order_and_answers_around_bad_lines() {
    let _slot = computing();
    let mut lines: Vec<String> = (1..=1_500).map(|number| format!("{BARE_KINGS} 0 {number}")).collect();
    lines[700] = "4k3/8/8 w - -".to_owned();
    lines[1_200] = BOTH_IN_CHECK.to_owned();
    let said = position(&["-", "--json"], &(lines.join("\n") + "\n"));
    assert_eq!(
        (said.code, said.err.as_str()),
        (Some(2), "adoube: stdin, line 701: not a FEN; the others are answered\n")
    );
    let objects = said.objects();
    let fens: Vec<&str> = objects.iter().map(|object| object["fen"].as_str().unwrap()).collect();
    assert_eq!(fens, lines);
    let error = "a FEN has eight rows of men; this has 3";
    assert_eq!(objects[700], json!({"fen": lines[700], "error": error, "line_number": 701}));
    assert_eq!(
        objects[0],
        json!({"fen": lines[0], "legal": "unknown", "reasons": [], "white_can_mate": "no",
               "black_can_mate": "no", "dead": "yes",
               "white_reason": "a bare king", "white_proof": {"kind": "material", "material": "bare-king"},
               "black_reason": "a bare king", "black_proof": {"kind": "material", "material": "bare-king"}})
    );
    assert_eq!((&objects[1_200]["legal"], &objects[1_200]["dead"]), (&json!("no"), &json!("unknown")));
    assert_eq!(objects[1_200]["reasons"][0]["name"], "both-in-check");
}

#[test]
fn a_file_is_answered_and_exits_0_whatever_is_illegal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    std::fs::write(&file, format!("{BOTH_IN_CHECK}\n\n{BARE_KINGS}")).unwrap();
    let said = position(&[file.to_str().unwrap(), "--json"], "");
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let legal: Vec<Value> = said.objects().iter().map(|object| object["legal"].clone()).collect();
    assert_eq!(legal, ["no", "unknown"]);
}

#[test]
fn a_winner_is_asked_for_alone_and_comes_with_the_moves() {
    let said = position(&["-", "--json", "--winner", "white"], "7k/5K2/8/6Q1/8/8/8/8 w - -\n");
    let object = &said.objects()[0];
    let keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["fen", "legal", "reasons", "white_can_mate", "line"]);
    assert_eq!(object["white_can_mate"], "yes");
    assert!(!object["line"].as_array().unwrap().is_empty());
}

/// A wall of pawns; who asks gets the numbers, or all that it takes to check it.
#[test]
fn a_no_comes_with_its_proof() {
    let wall = "8/5k2/8/p1p1p1p1/P1P1P1P1/8/5K2/8 b - - 0 1";
    let short = &position(&[wall, "--json"], "").objects()[0];
    assert_eq!(short["dead"], "yes");
    assert_eq!(short["black_reason"], "blocked by pawns");
    assert_eq!(short["black_proof"], json!({"kind": "fence", "men": 10}));
    let whole = &position(&[wall, "--json", "--proof", "--winner", "white"], "").objects()[0];
    let men = whole["proof"]["men"].as_array().unwrap();
    assert_eq!(men.len(), 10);
    let pawn = json!({"man": "P", "origin": "a4", "squares": ["a4"], "promoted": [], "may_be_taken": false});
    assert!(men.contains(&pawn), "{men:?}");
    let said = position(&[wall, "--proof", "--winner", "white"], "");
    assert!(said.out.contains("\n         P a4: a4\n"), "{}", said.out);
}

/// What is left is forced: all of it is listed.
#[test]
fn a_forced_line_is_proved_by_its_positions() {
    let taken = "7k/8/8/8/8/8/6q1/7K w - - 0 1";
    let object = &position(&[taken, "--json", "--proof", "--winner", "black"], "").objects()[0];
    assert_eq!(object["proof"]["kind"], "closed");
    assert_eq!(object["proof"]["positions"], json!([taken]));
    let leaf = json!({"fen": "7k/8/8/8/8/8/6K1/8 b - - 0 1",
                      "proof": {"kind": "material", "material": "bare-king"}});
    assert_eq!(object["proof"]["leaves"], json!([leaf]));
}

#[test]
fn what_was_not_settled_says_how_much_was_looked_at() {
    let said = position(&[START, "--json", "--winner", "black", "--nodes", "20"], "");
    let object = &said.objects()[0];
    assert_eq!((&object["black_can_mate"], &object["nodes"]), (&json!("unknown"), &json!(20)));
    assert_eq!(object["basis"], "material sufficient");
}

/// Nobody is kept waiting for a whole block.
#[test]
fn a_line_is_answered_before_the_next_is_written() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["position", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Ended(command.spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    let answers = Lines::of(&mut child.0);
    for number in 1..=3 {
        let fen = format!("{BARE_KINGS} 0 {number}");
        stdin.write_all(format!("{fen}\n").as_bytes()).unwrap();
        let answer: Value = serde_json::from_str(&answers.next(PATIENCE)).unwrap();
        assert_eq!(answer["fen"], *fen);
    }
    drop(stdin);
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}

#[test]
fn bytes_that_are_no_text_are_one_bad_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    let long = "x".repeat(1 << 20);
    let bytes =
        [b"\xef\xbb\xbf", BARE_KINGS.as_bytes(), b"\r\n\xff\xfe\n", long.as_bytes(), b"\n", START.as_bytes()];
    std::fs::write(&file, bytes.concat()).unwrap();
    let said = position(&[file.to_str().unwrap(), "--json"], "");
    let line = format!(
        "adoube: {}: 2 lines are not FENs, the first is line 2; the others are answered\n",
        file.display()
    );
    assert_eq!((said.code, said.err.as_str()), (Some(2), line.as_str()));
    let objects = said.objects();
    assert_eq!((&objects[0]["fen"], &objects[3]["fen"]), (&json!(BARE_KINGS), &json!(START)));
    assert!(objects[1]["error"].is_string() && objects[2]["error"].is_string());
}

/// Constructed to be hard, and some that no game reaches: `VV fen`, who of White and Black can mate.
/// Wrong is never said, a line of moves is legal and mates, and a "no" has its reason.
#[test]
fn hard_positions_are_answered_in_their_order() {
    let _slot = computing();
    let Some(text) = data::text("unwin/cha-positions.txt") else { return };
    // Those that shakmaty refuses, and every sixth of the others.
    let is_asked =
        |&(number, line): &(usize, &str)| number.is_multiple_of(6) || regular(&line[3..]).is_none();
    let lines = text.lines().enumerate().filter(is_asked);
    let (verdicts, fens): (Vec<&str>, Vec<&str>) = lines.map(|(_, line)| line.split_at(3)).unzip();
    let said = position(&["-", "--json", "--nodes", "1000"], &fens.join("\n"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let objects = said.objects();
    assert_eq!(objects.len(), fens.len());
    let (mut played, mut decided) = (0, 0);
    for ((verdict, fen), object) in verdicts.into_iter().zip(fens).zip(objects) {
        assert_eq!(object["fen"], fen);
        for (side, name, can) in
            [(Side::White, "white", verdict.starts_with('W')), (Side::Black, "black", &verdict[1..2] == "B")]
        {
            match object[format!("{name}_can_mate")].as_str().unwrap() {
                "yes" => {
                    assert!(can, "{object}");
                    played += usize::from(mates(fen, side, &object[format!("{name}_line")]));
                    decided += 1;
                }
                "no" => {
                    assert!(!can, "{object}");
                    assert!(object[format!("{name}_reason")].is_string(), "{object}");
                    decided += 1;
                }
                _ => assert!(object[format!("{name}_nodes")].is_number(), "{object}"),
            }
        }
    }
    // Measured: 540 decided by so few nodes, 185 of them by a line.
    assert!(played > 150 && decided > 500, "{played} {decided}");
}

/// Plays the line where a game can go on from the position as it is; fails if it is not legal or does not mate.
fn mates(fen: &str, side: Side, line: &Value) -> bool {
    let Some(mut chess) = regular(fen) else { return false };
    for uci in line.as_array().unwrap() {
        let uci: UciMove = uci.as_str().unwrap().parse().unwrap();
        chess = chess.clone().play(uci.to_move(&chess).unwrap()).unwrap();
    }
    assert!(chess.is_checkmate() && chess.turn().is_white() == (side == Side::Black), "{fen} {line}");
    true
}

fn regular(fen: &str) -> Option<Chess> {
    ChessPosition::from_fen(&format!("{fen} 0 1"), false).unwrap().regular().cloned()
}

#[test]
fn castling_of_chess960_needs_its_variant() {
    let fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -";
    let said = position(&[fen, "--json"], "");
    assert_eq!((said.code, &said.objects()[0]["legal"]), (Some(1), &json!("no")));
    let said = position(&[fen, "--json", "--variant", "chess960"], "");
    assert_eq!((said.code, &said.objects()[0]["legal"]), (Some(0), &json!("yes")));
}

#[test]
fn positions_that_nobody_can_play_are_answered() {
    for fen in [
        "8/8/8/8/8/8/8/8 w - -",
        "KKKK1kkk/8/8/8/8/8/8/8 w - -",
        "8/8/8/8/1k1Pp3/8/8/4B3 b - d3",
        "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - -",
        "PPPPPPPP/8/8/8/8/8/8/pppppppp b KQkq e3",
        "4k1n1/pppppppp/8/8/8/8/PPPPPPPP/4K3 w KQkq e3",
    ] {
        for variant in ["chess", "chess960"] {
            let said = position(&[fen, "--variant", variant], "");
            assert_eq!((said.code, said.err.as_str()), (Some(1), ""), "{fen}");
            assert!(said.out.contains("\n  legal  no\n"), "{}", said.out);
        }
    }
}

#[test]
fn what_is_no_position_is_refused_in_one_line() {
    for (arguments, line) in [
        (&["none.txt"][..], "none.txt: no such file"),
        (&[""], "nothing is given; give one FEN, one file or -"),
        (&["4k3/8/8/8/8/8/8/4K3 x - -"], "\"4k3/8/8/8/8/8/8/4K3 x - -\": turn \"x\" is not w or b"),
        (&["e4", "e5"], "\"e4 e5\" is no FEN; give one FEN, one file or -"),
        (&["/n/o/n/e/o/f/it"], "/n/o/n/e/o/f/it: no such file"),
        (
            &["4k3/8/8/8/8/8/8/4K3"],
            "\"4k3/8/8/8/8/8/8/4K3\": a FEN has four to six fields (men, turn, castling, en passant, counters); this has 1",
        ),
        (&["/"], "/: is a folder; name the files in it"),
    ] {
        let said = position(arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
        assert_eq!(said.err, format!("adoube: {line}\n"));
    }
    let said = position(&[START, "--winner", "red"], "");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("invalid value 'red' for '--winner <SIDE>'"), "{}", said.err);
}

const FOUR_START: &str = "bRbNbBbKbQbBbNbR/bPbPbPbPbPbPbPbP/8/wRwP10kPkR/wNwP10kPkN/wBwP10kPkB/wKwP10kPkQ/\
                          wQwP10kPkK/wBwP10kPkB/wNwP10kPkN/wRwP10kPkR/8/rPrPrPrPrPrPrPrP/rRrNrBrQrKrBrNrR";
/// Red in check by White and by Black, at his turn: mate by both together.
const JOINT_MATE: &str = "4bK3/8/8/14/14/4kR9/3wR9kK/wK13/14/14/14/8/8/rK7 r";

#[test]
fn positions_of_four_players_are_answered() {
    let four = |arguments: &[&str], input: &str| {
        position(&[&["--variant", "four-player"], arguments].concat(), input)
    };
    let said = four(&[&format!("{FOUR_START} r rKQwKQbKQkKQ"), "--json", "--perft", "3"], "");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let start = &said.objects()[0];
    assert_eq!(
        (&start["legal"], &start["turn"], &start["moves"]),
        (&"yes".into(), &"red".into(), &20.into())
    );
    assert_eq!(start["perft"], json!([20, 399, 7_960]));
    // The same of chess.
    let chess = position(&[START, "--json", "--perft", "4"], "");
    assert_eq!(chess.objects()[0]["perft"], json!([20, 400, 8_902, 197_281]));
    // A file of many, with one that is none and one that cannot be.
    let file = format!("{JOINT_MATE}\n8/8\n\n{}\n", JOINT_MATE.replace("rK7", "8"));
    let said = four(&["-", "--json"], &file);
    assert_eq!(
        (said.code, said.err.as_str()),
        (Some(2), "adoube: stdin, line 2: not a FEN; the others are answered\n")
    );
    let objects = said.objects();
    let of = |key: &str| objects.iter().map(|object| object[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("end"), ["checkmate".into(), Value::Null, Value::Null]);
    assert_eq!(of("legal"), ["unknown".into(), Value::Null, "no".into()]);
    assert_eq!(of("error")[1], "the board has 14 ranks; this has 2");
    assert_eq!(objects[2]["reasons"][0]["name"], "king-missing");
    let said = four(&[JOINT_MATE.trim_end_matches(" r"), "b"], "");
    assert!(said.out.contains("threat   red is mated unless somebody helps"), "{}", said.out);
    // A position of the other game comes with what to do.
    let said = four(&[START], "");
    assert!(
        said.err.ends_with("has 14 ranks; this has 8; this looks like chess: leave out --variant\n"),
        "{}",
        said.err
    );
    for arguments in [vec![JOINT_MATE], JOINT_MATE.split(' ').collect()] {
        let said = position(&arguments, "");
        let hint = "; this looks like the four-player game: --variant four-player\n";
        assert!(said.code == Some(2) && said.err.ends_with(hint), "{}", said.err);
    }
}
