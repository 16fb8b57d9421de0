//! `adoube bench position`: what it counts for positions that are known, and what it refuses.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_adoube")).args(["bench", "position"]).args(arguments).output().unwrap()
}

#[test]
fn both_sides_of_every_position_are_asked_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    // Bare kings; White mates and Black has nothing; both kings in check, which nobody can play from.
    let fens = ["4k3/8/8/8/8/8/8/4K3 w - -", "7k/5K2/8/6Q1/8/8/8/8 w - -", "4k3/4R3/8/8/8/8/4r3/4K3 w - -"];
    std::fs::write(&file, fens.join("\n\n")).unwrap();
    let said = bench(&[file.to_str().unwrap(), "--json"]);
    let left_out = format!("adoube: {}: 1 position is left out, nobody can play from it\n", file.display());
    assert_eq!((said.status.code(), String::from_utf8(said.stderr).unwrap()), (Some(0), left_out));
    let text = String::from_utf8(said.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counts = |row: &Value| {
        ["form", "questions", "yes", "no", "unknown"].map(|key| row[key].to_string().replace('"', ""))
    };
    assert_eq!(counts(&rows[0]), ["quick", "4", "0", "3", "1"]);
    assert_eq!(counts(&rows[1]), ["full", "4", "1", "3", "0"]);
    for row in &rows {
        let us = ["p50_us", "p99_us", "worst_us"].map(|key| row[key].as_f64().unwrap());
        assert!(us.is_sorted() && us[0] > 0.0, "{row}");
        assert!(row["per_second"].as_f64().unwrap() > 0.0, "{row}");
    }
}

#[test]
fn a_file_without_positions_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    let name = file.display().to_string();
    for (content, line) in [
        ("", format!("{name}: no positions to play from; write a FEN a line")),
        ("\n4k3 w - -", format!("{name}, line 2: a FEN has eight rows of men; this has 1")),
    ] {
        std::fs::write(&file, content).unwrap();
        let said = bench(&[&name]);
        assert_eq!(said.status.code(), Some(2));
        assert_eq!(String::from_utf8(said.stderr).unwrap(), format!("adoube: {line}\n"));
    }
}
