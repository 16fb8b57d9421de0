//! The program of the document, compiled for this machine and played on.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use adoube_core::wire::open::OpenSession;
use adoube_core::wire::{Identity, Session as _, SessionInput, SessionOutput};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::square::Square;

use super::blocks;
use crate::depth::say;

/// The document promises a program of sixty lines.
const LINES_MAX: usize = 60;

/// Compiles the program of the document; `None` where no compiler is.
fn compiled(folder: &Path) -> Option<std::path::PathBuf> {
    let [program] = blocks("cpp")[..] else { panic!("not one program") };
    assert!(program.trim_end().lines().count() <= LINES_MAX);
    let (source, binary) = (folder.join("board.cpp"), folder.join("board"));
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/open_board/arduino.h");
    std::fs::write(&source, format!("#include \"{}\"\n{program}", library.display())).unwrap();
    let compiler = Command::new("g++").args(["-Wall", "-Werror", "-o"]).arg(&binary).arg(&source).output();
    match compiler {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(binary)
        }
        Err(_) if std::env::var_os("ADOUBE_REQUIRE_DATA").is_none() => {
            say("skipped: there is no g++ to compile the program of docs/open-board.md");
            None
        }
        Err(error) => panic!("g++: {error}"),
    }
}

/// What the program says when these things happen.
fn said(binary: &Path, steps: &str) -> Vec<u8> {
    let mut child = Command::new(binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(steps.as_bytes()).unwrap();
    child.wait_with_output().unwrap().stdout
}

#[test]
fn the_program_of_the_document_is_a_board() {
    let folder = tempfile::tempdir().unwrap();
    let Some(binary) = compiled(folder.path()) else { return };
    // e2-e4 with a contact that flutters, what the host asks, and nonsense that it may say.
    let steps = ". 50\n> hello open/1\n. 50\n~e2\n. 200\n-e2\n. 50\n+e4\n. 50\n> board\n> lamps e7 e5 z9\n> what is this\n\
                 . 1500\n? e7\n? e5\n? e4\n> lamps\n. 50\n? e7\n";
    let bytes = said(&binary, steps);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("note")).collect();
    assert_eq!(notes, ["note e7 burns", "note e5 burns", "note e4 is dark", "note e7 is dark"]);
    assert!(text.lines().any(|line| line == "alive"));

    let (mut session, mut out) = (OpenSession::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut out);
    session.handle(SessionInput::Bytes(&bytes), 1, &mut out);
    let identity = Identity { serial: Some("1".to_owned()), ..Identity::default() };
    assert!(out.contains(&SessionOutput::Identity(identity)));
    assert!(!out.iter().any(|output| matches!(output, SessionOutput::Skipped { .. })), "{text}");
    let frame = |empty: usize, full: usize| {
        let stands = |square| (!(16..48).contains(&square) && square != empty) || square == full;
        let content = |square| if stands(square) { Content::OCCUPIED } else { Content::EMPTY };
        Reading::Frame(Frame::Occupancy((0..64).map(content).collect()))
    };
    let change = |square, content| Reading::Square { square, content };
    let readings: Vec<Reading> = out
        .into_iter()
        .filter_map(|output| if let SessionOutput::Reading(reading) = output { Some(reading) } else { None })
        .collect();
    let expected = [
        Reading::Clock(None),
        frame(64, 64),
        frame(64, 64),
        change(Square::new(12), Content::EMPTY),
        change(Square::new(28), Content::OCCUPIED),
        frame(12, 28),
    ];
    assert_eq!(readings, expected, "{text}");
}
