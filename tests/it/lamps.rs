//! What players are shown on boards with lamps: help before a game, a position that the arbiter restores, and
//! nothing else (Laws 12.6, 12.7).

use std::fmt::Write as _;
use std::path::Path;

use adoube_core::event::{Numbered, Said};
use adoube_core::ruling::Ruled;
use adoube_core::station::{Input, Open, Output, Station};
use adoube_rules::GameKind;
use adoube_rules::four::{FourPosition, FourRules, Geometry, WingDepth};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::{SECOND, Stamp};
use adoube_sim::scenario::Scenario;
use serde_json::json;

use crate::depth::sampled;
use crate::four_board::{ranks, sign};
use crate::scenarios::files;
use crate::slots::computing;

const START: &str = "board rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR";

/// A board of the open protocol with lamps, told line by line.
struct Bench {
    station: Station,
    second: u64,
    /// The last line about lamps that the board was told.
    lamps: Option<String>,
}

impl Bench {
    fn new(open: Open) -> Self {
        Self::of(64, open)
    }

    fn of(squares: usize, open: Open) -> Self {
        let mut bench =
            Self { station: Station::open(open, Stamp::default()).unwrap(), second: 0, lamps: None };
        bench.handle(&Input::LinkUp);
        bench.say(&format!("open/1 squares={squares} sensing=identity can=lamps,beep,display"));
        bench
    }

    fn handle(&mut self, input: &Input) {
        let mut output = Output::default();
        for input in [input, &Input::Wake] {
            self.second += 1;
            self.station.handle(input, Stamp::default().at(self.second * SECOND), &mut output);
        }
        assert_eq!(output.refused, None);
        for bytes in output.writes {
            let line = String::from_utf8(bytes).unwrap();
            assert!(!line.starts_with("beep") && !line.starts_with("text"), "{line}");
            if line.starts_with("lamps") {
                self.lamps = Some(line.trim_end().to_owned());
            }
        }
    }

    fn say(&mut self, line: &str) {
        self.handle(&Input::Bytes(format!("{line}\n").into_bytes()));
    }

    fn rule(&mut self, ruling: &serde_json::Value) {
        self.handle(&Input::Ruling(Ruled::parse(ruling).unwrap()));
    }

    /// The squares that burn; none before anything was lit.
    fn lit(&self) -> &str {
        self.lamps.as_deref().unwrap_or("lamps")
    }
}

fn open() -> Open {
    Open::new("1", "open", "test")
}

#[test]
fn who_sets_the_men_up_is_shown_what_is_still_wrong() {
    let mut bench = Bench::new(open());
    bench.say("board ......../......../......../......../......../......../......../........");
    bench.say("board r.bqkbnr/pppppppp/......../......../......../......../PPPP.PPP/RNBKQBNR");
    assert_eq!(bench.lit(), "lamps d1 e1 e2 b8");
    bench.say("square e2 P");
    assert_eq!(bench.lit(), "lamps d1 e1 b8");
    bench.say("square d1 Q");
    bench.say("square e1 K");
    bench.say("square b8 n");
    assert_eq!(bench.lit(), "lamps");
    bench.say("square e2 .");
    bench.say("square e4 P");
    assert_eq!(bench.lit(), "lamps", "a move is no setting up");
}

#[test]
fn the_help_can_be_turned_off() {
    let mut quiet = open();
    assert!(quiet.set("setup_lamps", "maybe").unwrap_err().contains("true or false"));
    quiet.set("setup_lamps", "false").unwrap();
    let mut bench = Bench::new(quiet);
    bench.say("board ......../......../......../......../......../......../......../........");
    bench.say(&START.replace("RNBQ", "RNB."));
    assert_eq!(bench.lit(), "lamps", "dark from the beginning");
}

#[test]
fn a_turned_board_is_lit_by_its_own_squares() {
    let mut turned = open();
    turned.turned = Some(180);
    let mut bench = Bench::new(turned);
    bench.say("board ......../......../......../......../......../......../......../........");
    // White's king's pawn is missing: it stands on the board's d7.
    bench.say("board RNBKQBNR/PPP.PPPP/......../......../......../......../pppppppp/rnbkqbnr");
    assert_eq!(bench.lit(), "lamps d7");
}

/// On the cross as well, whichever side of it lies South.
#[test]
fn four_players_who_set_their_men_up_are_shown_what_is_still_wrong() {
    let geometry = Geometry::of(WingDepth::Three);
    let start = FourPosition::start(FourRules::default()).contents().to_vec();
    for (turned, [pawn, bishop]) in [(None, ["h2", "a9"]), (Some(180), ["g13", "n6"])] {
        let mut open = open();
        open.variant = GameKind::FourPlayer;
        open.turned = turned;
        let mut bench = Bench::of(160, open);
        let at = |name: &str| {
            (0..160_u8).find(|&square| geometry.name(Square::new(square)).as_deref() == Some(name))
        };
        // The board's own squares: turned round, what stands on h2 is told as g13.
        let mut told = start.clone();
        if turned.is_some() {
            told.reverse();
        }
        let men = told.clone();
        let say = |bench: &mut Bench, told: &[Content]| bench.say(&format!("board {}", ranks(told)));
        say(&mut bench, &[Content::EMPTY; 160]);
        for name in [pawn, bishop] {
            told[usize::from(at(name).unwrap())] = Content::EMPTY;
        }
        say(&mut bench, &told);
        assert_eq!(bench.lit(), format!("lamps {pawn} {bishop}"));
        let square = usize::from(at(pawn).unwrap());
        bench.say(&format!("square {pawn} {}", sign(men[square])));
        assert_eq!(bench.lit(), format!("lamps {bishop}"));
        say(&mut bench, &men);
        assert_eq!(bench.lit(), "lamps");
    }
}

#[test]
fn a_position_is_lit_while_the_arbiter_has_it_restored_and_never_before() {
    let mut bench = Bench::new(open());
    bench.say(START);
    for line in ["square e2 .", "square e4 P", "square e7 .", "square e5 p"] {
        bench.say(line);
    }
    // The king walks to e3: no legal move.
    for line in ["square e1 .", "square e3 K", "alive", "alive"] {
        bench.say(line);
        assert_eq!(bench.lit(), "lamps", "{line}");
    }
    bench.rule(&json!({ "name": "restore-position", "ply": 2 }));
    assert_eq!(bench.lit(), "lamps e1 e3");
    bench.say("square e3 .");
    assert_eq!(bench.lit(), "lamps e1");
    bench.say("square e1 K");
    assert_eq!(bench.lit(), "lamps");
    bench.say("square d2 .");
    assert_eq!(bench.lit(), "lamps", "it stood: the next lift is a move");
}

#[test]
fn another_ruling_and_a_game_that_goes_on_put_the_lamps_out() {
    let begun = || {
        let mut bench = Bench::new(open());
        bench.say(START);
        for line in ["square e2 .", "square e4 P", "square e7 .", "square e5 p"] {
            bench.say(line);
        }
        bench.rule(&json!({ "name": "restore-position", "ply": 1 }));
        assert_eq!(bench.lit(), "lamps e5 e7");
        bench
    };
    let mut ruled = begun();
    ruled.rule(&json!({ "name": "note", "text": "seen" }));
    assert_eq!(ruled.lit(), "lamps e5 e7", "a note decides nothing about what stands");
    ruled.rule(&json!({ "name": "accept-position", "side": "white" }));
    assert_eq!(ruled.lit(), "lamps");
    let mut over = begun();
    over.rule(&json!({ "name": "result", "value": "1-0" }));
    assert_eq!(over.lit(), "lamps");
}

/// What a game under way on `board` has had said by `at_ns`: the last ruling, if the game has begun and is not over.
fn ruled_in_play(events: &[Numbered], board: &str, at_ns: u64) -> Option<&'static str> {
    let said = |event: &&Numbered| {
        let t_ms = event.json()["t_ms"].as_f64().unwrap();
        &*event.board == board && t_ms * 1e6 <= at_ns as f64 + 1.0
    };
    let (mut is_under_way, mut ruled) = (false, "");
    for event in events.iter().filter(said) {
        match event.name().as_str() {
            "game-opened" | "game-closed" => is_under_way = false,
            "move-made" | "game-started" | "pressed" => is_under_way = true,
            // Clocks that are stopped change nothing about what was restored.
            "ruled" => match &event.said {
                Said::Ruled(said) if said.ruling.name() != "pause" => ruled = said.ruling.name(),
                _ => {}
            },
            _ => {}
        }
    }
    is_under_way.then_some(ruled)
}

#[test]
fn no_scenario_lights_anything_but_a_restored_position() {
    let _slot = computing();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let (mut restored, mut wrong) = (0, String::new());
    for file in sampled("files of scenarios", files(&folder), 3) {
        let Ok(scenario) = Scenario::parse(&std::fs::read_to_string(&file).unwrap()) else { continue };
        // The editions differ in nothing that lights a lamp: the oldest and the newest of each will do.
        let cases: Vec<_> = scenario.cases().into_iter().collect();
        for case in cases.first().into_iter().chain(cases.last().filter(|_| cases.len() > 1)) {
            let Ok(verdict) = scenario.run(case, &[]) else { continue };
            for lit in verdict.lamps.iter().filter(|lit| !lit.squares.is_empty()) {
                match ruled_in_play(&verdict.events, &lit.board, lit.at_ns) {
                    // A proposal that is confirmed is the ruling of its name.
                    Some("restore-position" | "confirm") => restored += 1,
                    None => {}
                    Some(ruled) => {
                        let (file, squares) = (file.display(), &lit.squares);
                        writeln!(wrong, "{file}: {squares:?} at {} after \"{ruled}\"", lit.at_ns).unwrap();
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(restored > 0, "no scenario restores a position");
}
