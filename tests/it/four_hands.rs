//! Four-player games by virtual hands: made up, simulated, replayed, shown, and on a line to the daemon.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use adoube_core::capture::{Header, Item, Line};
use adoube_core::replay::Replay;
use adoube_core::ruling::Ruled;
use adoube_rules::Position as _;
use adoube_rules::four::{FourPlayer, FourPosition, FourRules, Parity};
use adoube_rules::stamp::MS;
use adoube_sim::{BoardConfig, ClockSetting, Direction, Game, Noise, random_play, random_play_from, record};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::children::Ended;
use crate::daemon::{PATIENCE, Site, awaited, nowhere};
use crate::demo::demo;
use crate::depth::cases;
use crate::http::{game, moves};
use crate::properties::cut;
use crate::seen::{Seen, replay};
use crate::slots::computing;

fn adoube(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A capture of a made-up game, cut off after some plies, on an open board of 160 squares.
pub(crate) fn capture(seed: u64, config: BoardConfig) -> (Header, Vec<Line>, Vec<String>) {
    let clock = Some(ClockSetting::equal(5_400, 30));
    played(random_play(seed, 40), BoardConfig { seed, clock, ..config })
}

/// The capture of a game that nobody finishes.
fn played(mut game: Game<FourPlayer>, config: BoardConfig) -> (Header, Vec<Line>, Vec<String>) {
    game.result = None;
    let header = Header {
        board: "1".to_owned(),
        protocol: "open".to_owned(),
        variant: Some(adoube_rules::GameKind::FourPlayer),
        ..Header::default()
    };
    let config = BoardConfig { protocol: "open", ..config };
    let chunks = record(&game, config).chunks.into_iter();
    let lines = chunks.filter(|chunk| chunk.direction == Direction::FromBoard).map(|chunk| Line {
        t_ns: (chunk.t_ms * MS as f64).round() as u64,
        items: vec![Item::Received(chunk.bytes)],
    });
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    for &mv in &game.moves {
        moves.push(position.played(mv).uci());
        position = position.play(mv);
    }
    (header, lines.collect(), moves)
}

/// Each ply that stands in the end, when it was completed, and by what; nobody played what was only told again.
fn completed(seen: &Seen) -> BTreeMap<u64, [Value; 3]> {
    let mut line = BTreeMap::new();
    let mut changed_at = Value::Null;
    for event in &seen.events {
        let ply = event.get("ply").and_then(Value::as_u64).unwrap_or_default();
        let is_told_again = changed_at == event["t_ms"];
        match event["type"].as_str().unwrap() {
            "game-changed" => changed_at = event["t_ms"].clone(),
            "move-retracted" => drop(line.split_off(&ply)),
            "move-made" => assert!(!is_told_again || event["cause"] != "played", "{event:?}"),
            "move-completed" => {
                line.insert(ply, ["uci", "completed_ms", "by"].map(|field| event[field].clone()));
            }
            _ => {}
        }
    }
    line
}

/// What this comes to where the layout is set.
fn told(header: &Header, lines: &[Line], board_parity: Option<&str>) -> Seen {
    let mut open = adoube_core::replay::open(header);
    if let Some(value) = board_parity {
        open.set("board_parity", value).unwrap();
    }
    let mut replay = Replay::new(open, header.started_utc_ns).unwrap();
    let mut events = Vec::new();
    lines.iter().for_each(|line| replay.line(line, &mut events));
    let remarks = replay.finish(&mut events);
    Seen::new(&header.board, &events, remarks)
}

/// Where only squares are felt, the array does not show which of king and queen stands where: what moves does.
#[test]
fn either_layout_of_king_and_queen_is_followed_where_squares_only_are_felt() {
    let _slot = computing();
    let dark = FourPosition::start(FourRules { parity: Parity::Dark, ..FourRules::default() });
    let (mut wrong, mut decided, mut games) = (Vec::new(), 0, 0);
    for seed in 0..u64::from(cases(12)) {
        for clock in [None, Some(ClockSetting::equal(5_400, 30))] {
            for noise in [Noise::Clean, Noise::Light] {
                let config = BoardConfig { occupancy: true, seed, clock, noise, ..BoardConfig::default() };
                let (header, lines, moves) = played(random_play_from(dark.clone(), seed, 60), config);
                let seen = replay(&header, &lines);
                games += 1;
                if !seen.of_type("game-changed").is_empty() {
                    decided += 1;
                    let set = told(&header, &lines, Some("dark"));
                    assert_eq!(completed(&seen), completed(&set), "{seed} {noise:?}");
                }
                let accuses = ["illegal-move-completed", "move-out-of-turn", "clock-pressed-without-move"];
                let accused: Vec<&str> =
                    accuses.into_iter().filter(|name| !seen.of_type(name).is_empty()).collect();
                // What a pawn becomes is not felt.
                let squares = |moves: &[String]| -> Vec<String> {
                    moves.iter().map(|mv| mv.trim_end_matches(['q', 'r', 'b', 'n']).to_owned()).collect()
                };
                if squares(&seen.moves(0)) != squares(&moves) || !accused.is_empty() {
                    let same =
                        seen.moves(0).iter().zip(&moves).take_while(|(seen, played)| seen == played).count();
                    let clock = if clock.is_some() { "clock" } else { "no clock" };
                    wrong.push(format!("{seed} {noise:?} {clock}: {same} of {}, {accused:?}", moves.len()));
                }
            }
        }
    }
    assert!(decided > 0);
    // Of boards that lie as is assumed, as many are lost.
    assert!(20 * wrong.len() <= games, "{wrong:#?}");
}

/// A layout that a move tells in the second game of a board.
#[test]
fn the_next_game_may_begin_from_the_other_layout() {
    let _slot = computing();
    let array = |parity| FourPosition::start(FourRules { parity, ..FourRules::default() });
    let config = BoardConfig { occupancy: true, seed: 1, noise: Noise::Clean, ..BoardConfig::default() };
    let game = |parity, plies| played(random_play_from(array(parity), 1, plies), config);
    let (header, mut lines, first) = game(Parity::Light, 8);
    let (_, next, second) = game(Parity::Dark, 60);
    let end_ns = lines.last().unwrap().t_ns;
    let draw = Ruled::parse(&json!({ "name": "result", "value": "1/2-1/2" })).unwrap();
    lines.push(Line { t_ns: end_ns + 5_000 * MS, items: vec![Item::Ruling(draw)] });
    lines.extend(next.into_iter().map(|line| Line { t_ns: line.t_ns + end_ns + 60_000 * MS, ..line }));
    let seen = told(&header, &lines, None);
    assert_eq!((seen.moves(0), seen.moves(1)), (first, second));
    assert_eq!(seen.of_type("game-changed").len(), 1);
}

/// What somebody has set is not left for what a move could have been, and a ruling from before can be undone after.
#[test]
fn a_layout_that_is_set_stands_and_what_was_ruled_can_be_undone_in_the_other() {
    let _slot = computing();
    let dark = FourPosition::start(FourRules { parity: Parity::Dark, ..FourRules::default() });
    let config = BoardConfig { occupancy: true, seed: 1, noise: Noise::Clean, ..BoardConfig::default() };
    let (header, mut lines, moves) = played(random_play_from(dark, 1, 60), config);
    let assumed = told(&header, &lines, None);
    assert_eq!((assumed.of_type("game-changed").len(), assumed.moves(0)), (1, moves.clone()));
    let changed_ms = assumed.of_type("game-changed")[0]["t_ms"].as_f64().unwrap();
    assert_eq!(told(&header, &lines, Some("light")).of_type("game-changed").len(), 0);
    assert_eq!(told(&header, &lines, Some("dark")).moves(0), moves);

    // Ruled while the wrong layout was assumed, and undone when that was known.
    let ruled = |at_ms: f64, ruling: Value| Line {
        t_ns: (at_ms * MS as f64) as u64,
        items: vec![Item::Ruling(Ruled::parse(&ruling).unwrap())],
    };
    lines.push(ruled(changed_ms - 1.0, json!({ "name": "draw-offer", "side": "white" })));
    lines.push(ruled(changed_ms + 1.0, json!({ "name": "undo", "ruling": "draw-offer" })));
    lines.sort_by_key(|line| line.t_ns);
    let undone = told(&header, &lines, None);
    let offers = undone.of_type("draw-offer");
    let status: Vec<&Value> = offers.iter().map(|offer| &offer["status"]).collect();
    assert_eq!((undone.of_type("game-changed").len(), undone.moves(0)), (1, moves));
    assert_eq!(status.last().and_then(|status| status.as_str()), Some("withdrawn"), "{status:?}");
}

#[test]
fn made_up_games_come_back_from_every_board() {
    let _slot = computing();
    let folder = tempfile::tempdir().unwrap();
    for (index, options) in
        ["--noise heavy", "--noise clean --occupancy", "--protocol frames --no-clock", "--turned 180"]
            .into_iter()
            .enumerate()
    {
        let made = format!("simulate --variant four-player --games 2 --seed 7 {options} --out {index}");
        let simulated = adoube(folder.path(), &made);
        assert_eq!((simulated.status.code(), err(&simulated)), (Some(0), String::new()), "{options}");
        let check = format!("replay {index}/g000.jsonl {index}/g001.jsonl --check {index}/truth.pgn");
        let replayed = adoube(folder.path(), &check);
        let lines = out(&replayed);
        assert_eq!(
            lines.lines().filter(|line| line.starts_with("ok   g00")).count(),
            2,
            "{options}: {lines}"
        );
        let truth = std::fs::read_to_string(folder.path().join(format!("{index}/truth.json"))).unwrap();
        let truth: Value = serde_json::from_str(&truth).unwrap();
        let plies = truth["g001"].as_array().unwrap().len();
        assert!(lines.contains(&format!("ok   g001: {plies} plies")), "{lines}");
    }
}

#[test]
fn a_record_is_played_as_it_stands_and_a_difference_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[Red \"A\"]\n[Variant \"4p-team\"]\n\n1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 2. R g1-h2 *\n";
    std::fs::write(folder.path().join("own.pgn"), text).unwrap();
    let other = text.replace("g13-g11", "g13-g12");
    std::fs::write(folder.path().join("other.pgn"), other).unwrap();
    let simulated =
        adoube(folder.path(), "simulate --variant four-player own.pgn --noise clean --out one.jsonl");
    assert_eq!(simulated.status.code(), Some(0), "{}", err(&simulated));
    let replayed = adoube(folder.path(), "replay one.jsonl --check own.pgn");
    assert_eq!((out(&replayed).as_str(), replayed.status.code()), ("ok   g000: 5 plies\n", Some(0)));
    let replayed = adoube(folder.path(), "replay one.jsonl --check other.pgn");
    let said = "FAIL g000: parts at 1. B expected g13-g12, got g13-g11\n";
    assert_eq!((out(&replayed).as_str(), replayed.status.code()), (said, Some(1)));
}

#[test]
fn one_made_up_game_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let made = "simulate --variant four-player --noise clean --protocol frames --out single.jsonl";
    assert_eq!(adoube(folder.path(), made).status.code(), Some(0));
    assert!(folder.path().join("single.jsonl").is_file());
    let replayed = adoube(folder.path(), "replay single.jsonl --check single.truth.pgn");
    assert_eq!(replayed.status.code(), Some(0), "{}{}", out(&replayed), err(&replayed));
}

#[test]
fn what_cannot_be_simulated_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (options, said) in [
        (
            "--variant four-player --protocol dgt --out x",
            "no dgt board has the 160 squares of this game; use --protocol open or frames",
        ),
        ("--out x", "name the PGN files to be played (four-player games can be made up: --games N)"),
        ("--games 2 --out x", "--games: only four-player games are made up; name PGN files of chess"),
        (
            "--variant four-player --games 1 --signal-result --out x",
            "--signal-result: the four-player game has no places of the kings that tell a result",
        ),
        ("--variant four-player none.pgn --out x", "none.pgn: no such file"),
        (
            "--variant three-player none.pgn --out x",
            "variant \"three-player\" is not known; use chess, chess960 or four-player",
        ),
    ] {
        let output = adoube(folder.path(), &format!("simulate {options}"));
        assert_eq!((err(&output), output.status.code()), (format!("adoube: {said}\n"), Some(2)), "{options}");
    }
    std::fs::write(folder.path().join("bad.pgn"), "[Variant \"4p-team\"]\n\n1. R h2-h5 *\n").unwrap();
    let output = adoube(folder.path(), "simulate --variant four-player bad.pgn --out x");
    let said = err(&output);
    assert!(said.starts_with("adoube: bad.pgn: line 3: ") && said.lines().count() == 1, "{said}");
    assert!(!said.contains("chess"), "{said}");
    for command in ["simulate bad.pgn --out x", "demo --once --games bad.pgn"] {
        let output = adoube(folder.path(), command);
        let said = "adoube: bad.pgn, game 1: is of the four-player game; say --variant four-player\n";
        assert_eq!((err(&output).as_str(), output.status.code()), (said, Some(2)), "{command}");
    }
    std::fs::write(folder.path().join("chess.pgn"), "[White \"A\"]\n\n1. e4 e5 *\n").unwrap();
    let output = adoube(folder.path(), "simulate --variant four-player chess.pgn --out x");
    let said = err(&output);
    assert!(said.ends_with("; this looks like chess: leave out --variant\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_plays_four_player_games_to_their_end() {
    let shown = demo(10, &["--variant", "four-player", "--boards", "2"]).await;
    let lines = out(&shown);
    assert_eq!(shown.status.code(), Some(0), "{lines}{}", err(&shown));
    assert_eq!(lines.lines().filter(|line| line.starts_with("ok   board ")).count(), 2, "{lines}");
    // A draw that was agreed is in the record, and nowhere on the board.
    let drawn = "[Red \"A\"]\n[Variant \"4p-team\"]\n\n1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 1/2-1/2\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drawn.pgn");
    std::fs::write(&file, drawn).unwrap();
    let shown = demo(20, &["--variant", "four-player", "--games", file.to_str().unwrap()]).await;
    let lines = out(&shown);
    assert_eq!(shown.status.code(), Some(0), "{lines}{}", err(&shown));
    assert!(lines.contains(", 4 plies; 1/2-1/2 is the arbiter's to enter\n"), "{lines}");
}

#[test]
fn inference_is_measured_as_it_is_for_chess() {
    let _slot = computing();
    let folder = tempfile::tempdir().unwrap();
    let measured = adoube(
        folder.path(),
        "bench inference --variant four-player --limit 2 --only accuracy --level clean --clock with --json",
    );
    assert_eq!(measured.status.code(), Some(0), "{}", err(&measured));
    for line in out(&measured).lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&row["games"], &row["games_right"]), (&2.into(), &2.into()), "{row}");
    }
    let made = "simulate --variant four-player --games 1 --protocol frames --noise clean --out clean";
    assert_eq!(adoube(folder.path(), made).status.code(), Some(0));
    let measured = adoube(folder.path(), "bench inference --frames clean");
    assert!(
        err(&measured).contains("its variant is four-player; say so with --variant"),
        "{}",
        err(&measured)
    );
    let measured = adoube(folder.path(), "bench inference --variant four-player --frames clean --json");
    let row: Value = serde_json::from_str(&out(&measured)).unwrap();
    assert_eq!((&row["games"], &row["games_right"]), (&1.into(), &1.into()), "{row}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_daemon_follows_a_board_of_160_squares_on_a_pseudo_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (link, pgn) = (folder.path().join("board"), folder.path().join("game.pgn"));
    let text = "[Variant \"4p-team\"]\n\n1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 2. R i1-g3 W a8-b7 *\n";
    std::fs::write(&pgn, text).unwrap();
    let mut simulate = Command::new(env!("CARGO_BIN_EXE_adoube"));
    simulate.args(["simulate", "--variant", "four-player", "--speed", "5", "--noise", "clean", "--pty"]);
    simulate.arg(&link).arg(&pgn).stdin(Stdio::null()).stdout(nowhere()).stderr(nowhere());
    let _board = Ended(simulate.spawn().unwrap());
    awaited("the terminal", PATIENCE, async || link.exists().then_some(())).await;
    let site = Site::new(5.0, &[format!("serial:{}", link.display())]);
    let mut config = OpenOptions::new().append(true).open(site.config()).unwrap();
    // The last table of the file is that of the board.
    writeln!(config, "protocol = \"open\"\nvariant = \"four-player\"").unwrap();
    let _daemon = site.start();
    let played = async || game(site.desk, "1").await.filter(|game| moves(game).len() == 6);
    let game = awaited("six plies", PATIENCE, played).await;
    assert_eq!(moves(&game), ["h2h4", "b7d7", "g13g11", "m8k8", "i1g3", "a8b7"]);
    assert_eq!(game["variant"], "four-player");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Where a line cuts the bytes changes no event, on 160 squares as on 64.
    #[test]
    fn cuts_change_nothing(
        seed in 0_u64..1_000,
        occupancy: bool,
        cuts in prop::collection::vec(1_usize..40, 1..8),
    ) {
        let _slot = computing();
        let noise = [Noise::Light, Noise::Heavy][seed as usize % 2];
        let (header, lines, moves) = capture(seed, BoardConfig { noise, occupancy, ..BoardConfig::default() });
        let whole = replay(&header, &lines);
        prop_assert!(occupancy || whole.moves(0) == moves, "{:?}", whole.moves(0));
        prop_assert_eq!(replay(&header, &cut(&lines, &cuts)).lines(), whole.lines());
    }
}
