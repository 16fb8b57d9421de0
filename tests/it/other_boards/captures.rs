//! Recordings of simulated boards, and what `adoube replay` says of them.

use std::process::Command;

use serde_json::Value;

/// The game in all of them: castling, an en-passant capture and a recapture.
const MOVES: &str = "e4 Nf6 e5 d5 exd6 exd6 Nf3 Be7 Be2 O-O O-O Bg4";

/// What is said of men in the first six plies, with their letters where the board knows them.
const NAMED: &str = "g8n e4P d7p";
const FELT: &str = "g8 e4 d7";

fn events(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    let output =
        Command::new(env!("CARGO_BIN_EXE_adoube")).args(["replay", "--events", &path]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn told(events: &[Value], name: &str, fields: [&str; 2]) -> Vec<String> {
    let of_type = events.iter().filter(|event| event["type"] == name);
    of_type.map(|event| fields.map(|field| event[field].as_str().unwrap_or_default()).concat()).collect()
}

#[test]
fn captures_say_what_they_should() {
    for (name, lifted, is_turned) in [
        ("chesslink-cable-right.jsonl", NAMED, true),
        ("certabo.jsonl.zst", NAMED, false),
        ("sentio.jsonl.zst", FELT, false),
    ] {
        let events = events(name);
        assert_eq!(told(&events, "move-made", ["san", ""]).join(" "), MOVES, "{name}");
        assert!(told(&events, "move-retracted", ["san", ""]).is_empty(), "{name}");
        let lifts = told(&events, "piece-lifted", ["square", "piece"]).join(" ");
        assert!(lifts.contains(lifted), "{name}: {lifts}");
        let turned = told(&events, "board-rotated-180", ["san", ""]);
        assert_eq!(turned.len(), usize::from(is_turned), "{name}");
    }
}
