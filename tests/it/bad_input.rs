//! Bad input to the real program: the exit code, and one clear line on stderr that says where.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const HEADER: &str = r#"{"adoube":"capture/1","board":"1","protocol":"frames"}"#;
const DGT: &str = r#"{"adoube":"capture/1","board":"1","protocol":"dgt"}"#;
const START: &str = r#"{"t_ms":0,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"}"#;
const LIFTED: &str = r#"{"t_ms":4000,"pieces":"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"}"#;
const PLACED: &str = r#"{"t_ms":4500,"pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}"#;

/// The start array and 1.e4 as a DGT board says them.
const DGT_START: &str = "86004308090a0c0b0a09080707070707070707000000000000000000000000000000000000000000000000000000000000000001010101010101010203040605040302";
const DGT_E4: &str = "8e000534008e00052401";

/// What the program said.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

/// A folder with files for the program.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Runs the program in the folder.
    fn run(&self, arguments: &[&str]) -> Said {
        let output =
            Command::new(env!("CARGO_BIN_EXE_adoube")).args(arguments).current_dir(self.0.path()).output();
        let output = output.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Replays a capture with these lines.
    fn replay(&self, lines: &[&str]) -> Said {
        self.file("c.jsonl", lines.join("\n") + "\n");
        self.run(&["replay", "c.jsonl"])
    }
}

/// Asserts that the program refused with exactly this line.
#[track_caller]
fn assert_refused(said: &Said, line: &str) {
    assert_eq!((said.code, said.err.as_str()), (Some(2), format!("adoube: {line}\n").as_str()));
    assert_eq!(said.out, "");
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new();
    assert_refused(&folder.run(&["replay", "none.jsonl"]), "none.jsonl: no such file");
    assert_refused(&folder.run(&["simulate", "none.pgn", "--out", "x"]), "none.pgn: no such file");
    folder.file("empty.jsonl", "");
    assert_refused(&folder.run(&["replay", "empty.jsonl"]), "empty.jsonl: the file is empty");
    assert_refused(&folder.run(&["replay", "."]), ".: is a folder; name the files in it");
}

#[test]
fn what_is_no_capture_is_refused() {
    let folder = Folder::new();
    let no_capture = "c.jsonl, line 1: not a capture: the first line must be \
                      {\"adoube\":\"capture/1\",\"board\":…,\"protocol\":…}";
    for first in ["1. e4 e5 2. Nf3", "{}", "[1,2]", "\u{feff}", r#"{"adoube":1}"#] {
        assert_refused(&folder.replay(&[first]), no_capture);
    }
    let later = r#"{"adoube":"capture/9","board":"1","protocol":"dgt"}"#;
    assert_refused(
        &folder.replay(&[later]),
        r#"c.jsonl, line 1: this is a "capture/9"; this version reads "capture/1""#,
    );
}

#[test]
fn a_capture_that_cannot_be_opened_is_refused() {
    let folder = Folder::new();
    let with = |protocol: &str, more: &str| {
        folder.replay(&[&format!(r#"{{"adoube":"capture/1","board":"1","protocol":"{protocol}"{more}}}"#)])
    };
    assert_refused(
        &with("morse", ""),
        r#"c.jsonl: protocol "morse" is not known; this version speaks dgt, dgt-bus, chesslink, certabo, sentio, open and frames"#,
    );
    assert_refused(
        &with("dgt", r#","variant":"shogi""#),
        r#"c.jsonl, line 1: variant "shogi" is not known; use chess, chess960 or four-player"#,
    );
    let said = with("dgt", r#","start":"8/8/8/8/8/8/8/8 w - - 0 1""#);
    assert_eq!(said.code, Some(2));
    assert!(said.err.starts_with(r#"adoube: c.jsonl: start position "8/8/8/8/8/8/8/8 w - - 0 1": "#));
    assert_refused(&with("dgt", r#","turned":45"#), r#"c.jsonl, line 1: "turned" must be 0, 90, 180 or 270"#);
}

#[test]
fn a_bad_line_is_named() {
    let folder = Folder::new();
    let third = |line: &str| folder.replay(&[HEADER, START, line]);
    assert_refused(&third(r#"{"t_ms":1,"rx":"8e000"}"#), r#"c.jsonl, line 3: "rx" is not hexadecimal"#);
    assert_refused(&third(r#"{"t_ms":1,"rx":"zz"}"#), r#"c.jsonl, line 3: "rx" is not hexadecimal"#);
    assert_refused(
        &third(r#"{"t_ms":1,"occ":"ffff"}"#),
        r#"c.jsonl, line 3: "occ" must have 16 hexadecimal digits for 64 squares, 40 for 160"#,
    );
    assert_refused(
        &third(r#"{"t_ms":1,"pieces":"x7/8/8/8/8/8/8/8"}"#),
        r#"c.jsonl, line 3: "pieces" has "x", which is no piece"#,
    );
    assert_refused(
        &third(r#"{"t_ms":1,"link":"maybe"}"#),
        r#"c.jsonl, line 3: "link" must be "lost" or "back""#,
    );
    let unknown = third(r#"{"t_ms":1,"peices":"8/8/8/8/8/8/8/8"}"#);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.err.starts_with("adoube: c.jsonl, line 3: not a line of a capture: unknown field `peices`")
    );
    assert_eq!(unknown.err.lines().count(), 1);
}

#[test]
fn time_that_falls_is_refused() {
    let folder = Folder::new();
    assert_refused(
        &folder.replay(&[HEADER, START, LIFTED, START]),
        r#"c.jsonl, line 4: "t_ms" falls; the lines of a capture are in order of time"#,
    );
}

#[test]
fn a_last_line_that_was_cut_off_is_left_out() {
    let folder = Folder::new();
    let whole = [HEADER, START, LIFTED, PLACED].join("\n");
    folder.file("c.jsonl", format!("{whole}\n{}", &LIFTED[..30]));
    let said = folder.run(&["replay", "c.jsonl"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), "adoube: c.jsonl, line 5: cut off; left out\n"));
    assert!(said.out.contains("1. e4"), "{}", said.out);
    // In the middle it is no accident.
    let said = folder.replay(&[HEADER, START, &LIFTED[..30], PLACED]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.starts_with("adoube: c.jsonl, line 3: not a line of a capture: "), "{}", said.err);
}

/// A start that the capture does not show: no move, and why.
#[test]
fn a_start_that_never_stood_is_told() {
    let folder = Folder::new();
    folder.file("c.jsonl", [HEADER, START, LIFTED, PLACED].join("\n") + "\n");
    let said = folder.run(&["replay", "c.jsonl", "--start", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"]);
    let told = "adoube: c.jsonl: nothing was played from the position given as its start; did it stand on the board?\n";
    assert_eq!((said.code, said.err.as_str()), (Some(0), told));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let said = folder.run(&["replay", "c.jsonl", "--start", start]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    assert!(said.out.contains("1. e4"), "{}", said.out);
}

/// A capture of a DGT board that says `bytes`, with noise where the caller wants it.
fn dgt(folder: &Folder, bytes: &[&str]) -> Said {
    let rx = |(index, hex): (usize, &&str)| format!(r#"{{"t_ms":{},"rx":"{hex}"}}"#, index * 1_000);
    let lines: Vec<String> =
        std::iter::once(DGT.to_owned()).chain(bytes.iter().enumerate().map(rx)).collect();
    folder.replay(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn bytes_of_another_protocol_are_counted() {
    let folder = Folder::new();
    let board = b"s................................................................"
        .map(|byte| format!("{byte:02x}"));
    let board = board.concat();
    let said = dgt(&folder, &[board.as_str(); 4]);
    assert_eq!(
        (said.code, said.err.as_str()),
        (Some(0), "adoube: c.jsonl: 260 bytes belong to no message\n")
    );
    assert_eq!(said.out, "");
}

#[test]
fn garbage_between_messages_costs_only_itself() {
    let folder = Folder::new();
    let said = dgt(&folder, &["0102", DGT_START, "7f007f", "", "", "", DGT_E4, "ff"]);
    assert_eq!(said.code, Some(0));
    assert!(said.err.starts_with("adoube: c.jsonl: ") && said.err.ends_with(" bytes belong to no message\n"));
    assert!(said.out.contains("1. e4"), "{}", said.out);
}

#[test]
fn unknown_and_oversized_messages_are_passed_over() {
    let folder = Folder::new();
    // An id that is not known, with its length; a length that no message has; a bare id at the end.
    for noise in ["fa00050102", "8e7f7f0102", "860003", "8e0003", "8d000a", "fa7f7f"] {
        let said = dgt(&folder, &[DGT_START, noise, "", "", "", DGT_E4]);
        assert_eq!(said.code, Some(0), "{noise}: {}", said.err);
        assert!(said.out.contains("1. e4"), "{noise}: {} {}", said.out, said.err);
    }
}

#[test]
fn an_illegal_move_of_a_pgn_is_named_and_the_other_games_are_simulated() {
    let folder = Folder::new();
    folder.file(
        "g.pgn",
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke3 d6 *\n\n[White \"C\"]\n[Black \"D\"]\n\n1. d4 d5 *\n",
    );
    let said = folder.run(&["simulate", "g.pgn", "--noise", "clean", "--no-clock", "--out", "out"]);
    let expected = "adoube: g.pgn, game 1 (A – B): 2.Ke3 cannot be played: illegal san\n\
                    adoube: some games end early because of a move that cannot be played (see above)\n";
    assert_eq!((said.code, said.err.as_str()), (Some(2), expected));
    for (name, moves) in [("out/g000.jsonl", "1. e4 e5"), ("out/g001.jsonl", "1. d4 d5")] {
        let said = folder.run(&["replay", name]);
        assert_eq!(said.code, Some(0));
        assert!(said.out.contains(moves), "{}", said.out);
    }
}

#[test]
fn values_that_are_not_known_are_refused() {
    let folder = Folder::new();
    folder.file("g.pgn", "1. d4 d5 *\n");
    folder.file("c.jsonl", [HEADER, START].join("\n") + "\n");
    let said = folder.run(&["simulate", "g.pgn", "--noise", "loud", "--out", "x"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("invalid value 'loud' for '--noise <LEVEL>'"), "{}", said.err);
    assert!(said.err.contains("clean, light or heavy"), "{}", said.err);
    assert_refused(
        &folder.run(&["replay", "c.jsonl", "--set", "anounce=fast"]),
        r#"--set anounce=fast: no parameter is called "anounce"; did you mean "announce"?"#,
    );
    assert_refused(
        &folder.run(&["replay", "c.jsonl", "--set", "announce=soon"]),
        r#"--set announce=soon: announce "soon" is not known; use fast, balanced or careful"#,
    );
    assert_refused(
        &folder.run(&["replay", "c.jsonl", "--set", "announce"]),
        "--set announce: write KEY=VALUE, e.g. announce=fast",
    );
    assert_eq!(folder.run(&["repaly", "c.jsonl"]).code, Some(2));
}

#[test]
fn a_check_says_where_the_moves_part() {
    let folder = Folder::new();
    folder.file("c.jsonl", [HEADER, START, LIFTED, PLACED].join("\n") + "\n");
    for (pgn, code, answer) in [
        ("1. e4 *\n", 0, "ok   1: 1 plies\n"),
        ("1. d4 *\n", 1, "FAIL 1: parts at 1. expected d4, got e4\n"),
        ("1. e4 e5 *\n", 1, "FAIL 1: stops after 1 of 2 plies; 1...e5 is missing\n"),
        ("[White \"A\"]\n\n*\n", 1, "FAIL 1: goes on after the end with e4 (1 plies more)\n"),
    ] {
        folder.file("g.pgn", pgn);
        let said = folder.run(&["replay", "c.jsonl", "--check", "g.pgn"]);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(code), answer, ""), "{pgn}");
    }
    folder.file("no.pgn", "");
    assert_refused(
        &folder.run(&["replay", "c.jsonl", "--check", "no.pgn"]),
        "no.pgn: no games found; this must be a PGN file",
    );
}

fn packed(path: &Path) -> Vec<u8> {
    zstd::encode_all(std::fs::File::open(path).unwrap(), 0).unwrap()
}

#[test]
fn a_packed_capture_reads_the_same() {
    let folder = Folder::new();
    let plain = folder.file("c.jsonl", [HEADER, START, LIFTED, PLACED].join("\n") + "\n");
    let packed = packed(&plain);
    folder.file("c.jsonl.zst", &packed);
    let said = folder.run(&["replay", "c.jsonl", "--events"]);
    assert!(said.out.contains("move-made"), "{}", said.out);
    let of_packed = folder.run(&["replay", "c.jsonl.zst", "--events"]);
    assert_eq!((of_packed.code, of_packed.out), (Some(0), said.out));
    folder.file("cut.zst", &packed[..packed.len() / 2]);
    let cut = folder.run(&["replay", "cut.zst"]);
    assert_eq!(cut.code, Some(2));
    assert!(cut.err.starts_with("adoube: cut.zst") && cut.err.lines().count() == 1, "{}", cut.err);
}

#[test]
fn noisy_files_never_panic() {
    // Panics exit with 101.
    let folder = Folder::new();
    let mut noise = fastrand::Rng::with_seed(7);
    for _ in 0..40 {
        let length = noise.usize(..400);
        let mut bytes: Vec<u8> = std::iter::repeat_with(|| noise.u8(..)).take(length).collect();
        if noise.bool() {
            let at = noise.usize(..=bytes.len());
            bytes.splice(at..at, [DGT, "\n"].concat().bytes());
        }
        folder.file("c.jsonl", &bytes);
        let said = folder.run(&["replay", "c.jsonl"]);
        assert!(matches!(said.code, Some(0 | 2)), "{:?} {}", said.code, said.err);
    }
}
