//! `adoube bench inference`: its figures for games that are known, and what it refuses.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Two games with a capture, a castling and a mate.
const GAMES: &str = "[Event \"1\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n\
                     [Event \"2\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nf6 *\n";

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

struct Folder(TempDir);

impl Folder {
    /// A folder with `games.pgn` in it.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::write(folder.path("games.pgn"), GAMES).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn adoube(&self, arguments: &str) -> Said {
        let output = Command::new(env!("CARGO_BIN_EXE_adoube"))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The objects that it prints.
    fn rows(&self, arguments: &str) -> Vec<Value> {
        let said = self.adoube(&format!("bench inference --json {arguments}"));
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{arguments}");
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn clean_hands_are_read_without_a_mistake_and_in_time() {
    let folder = Folder::new();
    let rows = folder.rows("--only accuracy --games games.pgn --level clean --view identity --boards 6");
    assert_eq!(rows.len(), 2);
    for (row, clock) in rows.iter().zip([false, true]) {
        assert_eq!((&row["hands"], &row["board"]), (&"clean".into(), &"identity".into()));
        assert_eq!((&row["clock"], &row["announce"]), (&clock.into(), &"balanced".into()));
        // Three times both games.
        for (key, count) in [
            ("games", 6),
            ("games_right", 6),
            ("plies", 45),
            ("plies_right", 45),
            ("wrong", 0),
            ("retracted", 0),
        ] {
            assert_eq!(row[key], count, "{key}");
        }
        let p50 = row["made_ms"]["p50"].as_u64().unwrap();
        assert!((20..600).contains(&p50) && row["made_ms"]["count"] == 45, "{row}");
        // A mate needs no press.
        let completed = row["completed_ms"]["count"].as_u64().unwrap();
        assert_eq!(completed > 40, clock, "{row}");
    }
}

/// Boards that name no men tell many captures apart only later; what a player has pressed is not taken back meanwhile.
#[test]
fn what_was_right_and_pressed_is_not_withdrawn() {
    let folder = Folder::new();
    let rows = folder.rows("--only accuracy --level light --view occupancy --clock with --boards 64");
    assert_eq!(rows.len(), 1);
    let count = |key: &str| rows[0][key].as_u64().unwrap();
    assert!(count("plies") > 3_000 && count("games_right") >= 63, "{}", rows[0]);
    assert_eq!(count("undone"), 0);
}

#[test]
fn every_kind_of_hands_board_and_clock_has_a_row_for_each_policy() {
    let folder = Folder::new();
    let rows = folder.rows("--only accuracy --games . --limit 1 --announce all");
    let kinds: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {} {} {}", row["hands"], row["board"], row["clock"], row["announce"]))
        .collect();
    let mut different = kinds.clone();
    different.sort();
    different.dedup();
    // Three kinds of hands, and four of squares that are sick.
    assert_eq!((kinds.len(), different.len()), (84, 84));
    assert!(rows.iter().all(|row| row["games"] == 1 && row["plies"] == 7), "{rows:?}");
    assert_eq!(
        folder.rows("--only accuracy --games . --limit 1 --announce all"),
        rows,
        "same seed, same hands"
    );
    let sum_of_p50 = |policy: &str| {
        rows.iter()
            .filter(|row| row["announce"] == policy)
            .map(|row| row["made_ms"]["p50"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert!(sum_of_p50("fast") < sum_of_p50("balanced") && sum_of_p50("balanced") < sum_of_p50("careful"));
}

/// What `simulate` writes can be measured, whatever the board speaks.
#[test]
fn recordings_are_held_against_the_truth_beside_them() {
    let folder = Folder::new();
    for (options, board, clock) in [
        ("--protocol dgt --noise light --out all/light-dgt", "identity", true),
        ("--occupancy --no-clock --noise clean --out all/odd", "occupancy", false),
    ] {
        assert_eq!(folder.adoube(&format!("simulate games.pgn {options}")).code, Some(0), "{options}");
        let out = options.rsplit(' ').next().unwrap();
        let [row] = &folder.rows(&format!("--frames {out}"))[..] else { panic!("one row") };
        assert_eq!((&row["board"], &row["clock"]), (&board.into(), &clock.into()));
        assert_eq!((&row["games"], &row["games_right"], &row["plies"]), (&2.into(), &2.into(), &15.into()));
    }
    let rows = folder.rows("--frames all");
    assert_eq!(rows.iter().map(|row| &row["hands"]).collect::<Vec<_>>(), ["odd", "light"]);
    assert_eq!(folder.rows("--frames all --level light --limit 1")[0]["games"], 1);

    // A truth that is not what was played: the third ply of the first game.
    let path = folder.path("all/odd/truth.json");
    let truth = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, truth.replace("h5", "g4").replace("g4f7", "g4d7")).unwrap();
    let [row] = &folder.rows("--frames all/odd")[..] else { panic!("one row") };
    assert_eq!((&row["games_right"], &row["wrong"]), (&1.into(), &2.into()), "{row}");
}

#[test]
fn nothing_is_published_before_its_press_where_only_completed_moves_are() {
    let folder = Folder::new();
    let rows = folder.rows(
        "--only accuracy --games games.pgn --level light --view identity --clock with --publish-at completed",
    );
    for row in &rows {
        assert_eq!((&row["publish_at"], &row["wrong"]), (&"completed".into(), &0.into()), "{row}");
        // The hands of the simulator take 300 ms at least to press.
        assert!(row["made_ms"]["p50"].as_u64().unwrap() >= 300, "{row}");
        assert!(row["completed_ms"]["p50"].as_u64().unwrap() < 300, "{row}");
    }
}

#[test]
fn tables_stand_aligned_or_as_documents_hold_them() {
    let folder = Folder::new();
    let options = "--only accuracy --games games.pgn --level clean --view identity --clock without";
    let text = folder.adoube(&format!("bench inference {options}")).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].find("announce"), lines[1].find("balanced"));
    let markdown = folder.adoube(&format!("bench inference {options} --markdown")).out;
    let columns: Vec<usize> = markdown.lines().map(|line| line.matches('|').count()).collect();
    assert_eq!(columns, [13; 3]);
    assert!(markdown.contains("| clean | identity | without | balanced | 2/2 | 100.0 | 0.0 |"), "{markdown}");
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let folder = Folder::new();
    std::fs::write(folder.path("unplayed.pgn"), "[Event \"1\"]\n[Result \"1-0\"]\n\n1-0\n").unwrap();
    for name in ["empty", "nothing", "lost", "wrong", "broken"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    let truths = [
        ("nothing", "{}"),
        ("lost", r#"{"g000":[{"uci":"e2e4","placed":9}]}"#),
        ("wrong", r#"{"g000":[{"uci":"e2e5","placed":9}]}"#),
        ("broken", "[]"),
    ];
    for (name, truth) in truths {
        std::fs::write(folder.path(&format!("{name}/truth.json")), truth).unwrap();
    }
    let header = r#"{"adoube":"capture/1","board":"1","protocol":"frames"}"#;
    std::fs::write(folder.path("wrong/g000.jsonl"), header).unwrap();
    for (options, line) in [
        ("--games none.pgn", "none.pgn: no such file"),
        ("--games unplayed.pgn", "the games have no moves"),
        ("--games empty", "empty: no PGN files in this folder"),
        ("--frames none", "none: no such folder"),
        ("--frames games.pgn", "games.pgn: is no folder; name the one that holds it"),
        (
            "--frames empty",
            "empty: no truth.json there; captures are measured against one, as `adoube simulate --out` writes it",
        ),
        ("--frames nothing", "nothing/truth.json: speaks of no capture"),
        ("--frames lost", "lost/g000.jsonl: no such file"),
        ("--frames wrong", "wrong/g000.jsonl: its truth is wrong: ply 1, e2e5, is no legal move"),
        ("--frames broken", "broken/truth.json: invalid type: sequence, expected a map at line 1 column 1"),
    ] {
        let said = folder.adoube(&format!("bench inference {options}"));
        assert_eq!((said.code, said.err, said.out), (Some(2), format!("adoube: {line}\n"), String::new()));
    }
}
