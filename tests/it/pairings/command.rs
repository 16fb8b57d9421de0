//! `adoube pairings`.

use std::path::Path;
use std::process::{Command, Output};

use super::ROUND;
use crate::daemon::Site;

fn pairings(runtime: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.arg("pairings").args(arguments).env("RUNTIME_DIRECTORY", runtime).output().unwrap()
}

/// Its exit code, what it printed, what it said.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn without_a_daemon_only_a_preview_works() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("round.csv");
    std::fs::write(&file, ROUND).unwrap();
    let file = file.to_str().unwrap();
    let (code, printed, said) = told(&pairings(folder.path(), &["import", file, "--dry-run"]));
    assert_eq!((code, said.as_str()), (Some(0), "no daemon was asked: this is what the file holds"));
    insta::assert_snapshot!(printed, @r#"
    9-41     added      Player, One – Player, Two
    9-42     added      Player, Three – Player, Four
    9-43     added      Player, Five – Player, Six
    9-44     added      Player, Seven (bye)
    "#);
    let (code, _, said) = told(&pairings(folder.path(), &["import", file]));
    assert_eq!(code, Some(2));
    assert!(said.starts_with("adoube: no adoube is running here (no answer at "), "{said}");
    std::fs::write(folder.path().join("round.csv"), ROUND.replace("\"Player, Two\"", "")).unwrap();
    std::fs::write(folder.path().join("bad.csv"), ROUND.replace("9,42", "9,x")).unwrap();
    let bad = folder.path().join("bad.csv");
    let (code, _, said) = told(&pairings(folder.path(), &["import", bad.to_str().unwrap(), "--dry-run"]));
    assert_eq!(code, Some(2));
    assert_eq!(
        said,
        format!("adoube: {}:3: column 2 (board): \"x\" is no number from 1 to 9999", bad.display())
    );
    let (code, _, said) = told(&pairings(folder.path(), &["import", "/nowhere/at.all", "--dry-run"]));
    assert_eq!(
        (code, said.as_str()),
        (Some(2), "adoube: /nowhere/at.all: No such file or directory (os error 2)")
    );
}

#[test]
fn a_daemon_takes_pairings_over() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    let runtime = site.path().join("runtime");
    let file = site.path().join("round 9.csv");
    std::fs::write(&file, ROUND).unwrap();
    let file = file.to_str().unwrap();
    let run = |arguments: &[&str]| told(&pairings(&runtime, arguments));
    let (code, preview, said) = run(&["import", file, "--dry-run"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(run(&["list"]).1, "");
    assert_eq!(run(&["import", file]), (Some(0), preview, "imported".to_owned()));
    assert_eq!(run(&["import", file]), (Some(0), String::new(), "nothing to change".to_owned()));
    assert_eq!(run(&["board", "9-41", "42"]), (Some(0), String::new(), String::new()));
    insta::assert_snapshot!(run(&["list"]).1, @r#"
    9-41     board 42     waiting   Player, One – Player, Two
    9-42     board 41     waiting   Player, Three – Player, Four
    9-43     board 43     waiting   Player, Five – Player, Six
    9-44     board 44     finished  Player, Seven – ?  bye
    "#);
    let (_, json, _) = run(&["list", "--json", "--round", "9"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["game"], &first["board"]), (&"9-41".into(), &"42".into()));
    let (code, _, said) = run(&["board", "9-47", "42"]);
    assert_eq!(
        (code, said.as_str()),
        (Some(2), "adoube: no pairing is called \"9-47\"; /api/v1/pairings lists them")
    );
}
