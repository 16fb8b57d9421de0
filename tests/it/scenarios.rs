//! Every scenario file, in each edition and on each kind of board.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use adoube_sim::scenario::{Scenario, ScenarioError};

use crate::pinned::{self, Pins};
use crate::slots::computing;

/// Every scenario file below `folder`, in the order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            let is_scenario = path.extension().is_some_and(|extension| extension == "toml");
            if is_scenario { vec![path] } else { Vec::new() }
        }
    };
    paths.into_iter().flat_map(below).collect()
}

#[test]
fn every_scenario_comes_out() {
    let _slot = computing();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let files = files(&folder);
    assert!(!files.is_empty(), "no scenario is in {}", folder.display());
    let (mut runs, mut failures) = (0, String::new());
    let mut pins = Pins::read();
    for file in files {
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        let scenario = match Scenario::parse(&std::fs::read_to_string(&file).unwrap()) {
            Ok(scenario) => scenario,
            Err(error) => {
                writeln!(failures, "{name}: {error}").unwrap();
                continue;
            }
        };
        let mut stream = String::new();
        for case in scenario.cases() {
            runs += 1;
            let place = format!("{name} ({}), {}, {}", scenario.id, case.edition, case.sensor.name());
            match scenario.run(&case, &[]) {
                Ok(verdict) => {
                    pinned::write(
                        &mut stream,
                        &format!("{}, {}", case.edition, case.sensor.name()),
                        &verdict,
                    );
                    if !verdict.is_ok() {
                        writeln!(failures, "{place}: {}", verdict.unmet[0]).unwrap();
                    }
                }
                Err(error) => writeln!(failures, "{place}: {error}").unwrap(),
            }
        }
        pins.take(&format!("scenarios/{name}"), &stream);
    }
    let failed = failures.lines().count();
    assert!(failures.is_empty(), "{failed} of {runs} runs failed:\n{failures}");
    pins.finish();
}

fn error(text: &str) -> ScenarioError {
    Scenario::parse(text).unwrap_err()
}

/// A file that can be run, with `line` in it.
fn with(line: &str) -> String {
    let usual = ["id = \"x\"", "title = \"x\"", "events = \"-e2 +e4=P PW\"", "quiet = true"];
    let key = line.split('=').next().unwrap_or_default().trim();
    let rest = usual.into_iter().filter(|usual| usual.split('=').next().unwrap_or_default().trim() != key);
    rest.chain([line]).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bad_file_is_refused_with_its_place_and_the_nearest_choice() {
    for (line, at, what) in [
        ("evnts = \"PW\"", (5, 1), "no key is called \"evnts\"; did you mean \"events\"?"),
        ("profile = \"rapd\"", (5, 12), "no profile is called \"rapd\"; did you mean \"rapid\"?"),
        (
            "editions = [\"2018\", \"2019\"]",
            (5, 22),
            "no edition is called \"2019\"; editions are 2005, 2017, 2018, 2023",
        ),
        ("expect = [\"move-mad\"]", (5, 12), "no event is called \"move-mad\"; did you mean \"move-made\"?"),
        ("expect = [\"move-made{sann: e4}\"]", (5, 22), "no field is called \"sann\"; did you mean \"san\"?"),
        (
            "forbid = [\"illegal-on-board\"]",
            (5, 12),
            "no event is called \"illegal-on-board\"; use \"illegal-move-pending\"",
        ),
        ("events = \"-e2 +e9=P\"", (4, 15), "\"+e9=P\": \"e9\" is no square; squares are a1 to h8"),
        ("events = \"-e4\"", (4, 11), "nothing stands on e4"),
        ("events = \"play(1.e4 e4)\"", (4, 21), "\"e4\" cannot be played on this board: black to move"),
        (
            "events = \"arb(confrim x)\"",
            (4, 15),
            "no ruling is called \"confrim\"; did you mean \"confirm\"?",
        ),
        ("events = \"@2 PW\"", (4, 14), "no board is called \"2\"; boards are 1"),
        (
            "config = { two_hands_ms = 1 }",
            (5, 12),
            "no parameter is called \"two_hands_ms\"; did you mean \"two_hand_ms\"?",
        ),
        (
            "events = \"cfg(two_hands_ms = 1) PW\"",
            (4, 11),
            "no parameter is called \"two_hands_ms\"; did you mean \"two_hand_ms\"?",
        ),
        ("regulations = [\"qfp\"]", (5, 17), "no regulation is called \"qfp\"; did you mean \"qpf\"?"),
        ("start = \"8/8\"", (5, 10), "\"8/8\" is no FEN placement: \"pieces\" has 2 ranks instead of eight"),
        (
            "control = \"90 min\"",
            (5, 12),
            "\"90 min\" is no time control; write it like 5400+30 or 40/7200:20/3600:900+30",
        ),
        (
            "result = \"2-0\"",
            (5, 11),
            "\"2-0\" is no result; results are *, 1-0, 0-1, 1/2-1/2, +/-, -/+, -/-, 0-0, 0-1/2, 1/2-0, 1/2-1, 1-1/2, 1-1",
        ),
        ("quiet = \"yes\"", (4, 9), "\"quiet\" must be true or false"),
        (
            "clock = { wite = \"1:00:00\" }",
            (5, 11),
            "no key of \"clock\" is called \"wite\"; did you mean \"white\"?",
        ),
        ("variant = \"four\"", (5, 12), "variant \"four\" is not known; use chess, chess960 or four-player"),
        (
            "config = { board_parity = \"dark\" }",
            (1, 1),
            "board_parity belongs to the four-player game, and this board plays chess: set it for a board with \
             variant = \"four-player\"",
        ),
        ("board = \"dgt\"", (5, 10), "board \"dgt\" is not known; use both, identity, occupancy"),
    ] {
        let error = error(&with(line));
        assert_eq!(((error.line, error.column), error.what.as_str()), (at, what), "{line}");
    }
}

#[test]
fn a_file_that_expects_nothing_or_is_no_toml_is_refused() {
    let silent = "id = \"x\"\ntitle = \"x\"\nevents = \"PW\"";
    assert!(error(silent).what.starts_with("nothing is expected"));
    assert_eq!(error("title = \"x\"\nquiet = true").what, "the key \"id\" is missing");
    assert_eq!(error("id = \"x\"\ntitle = ").line, 2);
    let reduced = with("profile = \"rapid-reduced\"\neditions = [\"2005\"]");
    assert!(error(&reduced).what.contains("not in the edition of 2005"));
    let fixed = with("profile = \"fi-2017-rapid\"\neditions = [\"2017\"]");
    assert!(error(&fixed).what.contains("fixes its edition"));
}

#[test]
fn a_scenario_is_run_in_each_edition_on_each_board() {
    let runs = |line: &str| {
        let cases = Scenario::parse(&with(line)).unwrap().cases();
        cases.iter().map(|case| format!("{} {}", case.profile, case.sensor.name())).collect::<Vec<_>>()
    };
    assert_eq!(runs("article = \"1.3\"").len(), 8);
    assert_eq!(runs("board = \"occupancy\"\neditions = [\"2018\"]"), ["fide-2018-standard occupancy"]);
    assert_eq!(runs("board = \"identity\"\nprofile = \"fi-2017-rapid\""), ["fi-2017-rapid identity"]);
    assert_eq!(runs("board = \"identity\"\nprofile = \"blitz-reduced\"").len(), 3);
}

#[test]
fn a_wrong_expectation_fails() {
    for (line, what) in [
        ("expect = [\"move-made{san: d4}\"]", "expected move-made{san: d4}"),
        ("forbid = [\"move-made{san: e4}\"]", "forbidden move-made{san: e4}"),
        ("forbid_public = [\"move-made\"]", "public move-made"),
        ("moves = \"1. d4\"", "moves \"d4\", got \"e4\""),
        ("result = \"1-0\"", "result 1-0, got *"),
    ] {
        let scenario = Scenario::parse(&with(line)).unwrap();
        let verdict = scenario.run(&scenario.cases()[0], &[]).unwrap();
        let complaints: Vec<&str> = verdict.unmet.iter().map(|unmet| unmet.what.as_str()).collect();
        assert_eq!(complaints, [what], "{line}");
    }
}
