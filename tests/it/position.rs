//! `adoube position`: one FEN, files of them, and what is no FEN.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

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
      white  can mate: 60.Qa1#
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
               "black_can_mate": "no", "dead": "yes"})
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
        (&["4k3/8/8/8/8/8/8/4K3 x - -"], "\"4k3/8/8/8/8/8/8/4K3 x - -\": turn \"x\" is not w or b"),
        (&["e4", "e5"], "\"e4 e5\" is no FEN; give one FEN, one file or -"),
    ] {
        let said = position(arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
        assert_eq!(said.err, format!("adoube: {line}\n"));
    }
    let said = position(&[START, "--winner", "red"], "");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("invalid value 'red' for '--winner <SIDE>'"), "{}", said.err);
}
