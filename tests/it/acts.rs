//! Bytes read as things that happen to a board, and what must hold whatever they are. `fuzz/` finds bytes
//! that `properties` does not.

use std::sync::Arc;

use adoube_core::event::{Event, Numbering};
use adoube_core::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::sensor::{Army, ClockReading, Content, Frame, Reading, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::{ChessPosition, Position as _};
use serde_json::{Map, Value};

/// Longer than anything waits for.
const AFTER_MS: u64 = 60_000;
/// Events that one input may give rise to: a whole line withdrawn and told anew, with what hangs on it.
const EVENTS_MAX: usize = 2_000;

/// What a board and its link do, as the bytes say.
struct Board<'a> {
    bytes: std::slice::Iter<'a, u8>,
    is_occupancy: bool,
    /// What the hands believe, after each of their moves.
    line: Vec<ChessPosition>,
    contents: Vec<Content>,
    at_ms: u64,
    inputs: Vec<(u64, Input)>,
}

impl Board<'_> {
    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn position(&self) -> ChessPosition {
        self.line.last().cloned().unwrap_or_default()
    }

    fn say(&mut self, input: Input) {
        self.inputs.push((self.at_ms, input));
    }

    fn show(&mut self) {
        let contents = self.contents.clone();
        self.say(Input::Reading(Reading::Frame(if self.is_occupancy {
            Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect())
        } else {
            Frame::Identity(contents)
        })));
    }

    /// A legal move of the position that the hands believe in, each square for itself or unseen.
    fn play(&mut self, is_seen: bool) {
        let position = self.position();
        let (pick, pause_ms) = (usize::from(self.byte()), 4 * u64::from(self.byte()));
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.get(pick % moves.len().max(1)) else { return };
        for &(square, _, after) in position.footprint(mv).changes() {
            self.contents[square] = after;
            if is_seen {
                self.show();
                self.at_ms += pause_ms;
            }
        }
        self.line.push(position.play(mv));
    }

    fn change(&mut self) {
        let (square, content) = (Square::new(self.byte() % 64), self.byte());
        let content = match content % 16 {
            0..4 => Content::EMPTY,
            man => Content::man(Army::new((man - 4) / 6), Role::ALL[usize::from((man - 4) % 6)]),
        };
        self.contents[square] = content;
        if self.is_occupancy || self.byte().is_multiple_of(2) {
            self.show();
        } else {
            self.say(Input::Reading(Reading::Square { square, content }));
        }
    }

    fn clock(&mut self) {
        let (white, black, bits) = (self.byte(), self.byte(), self.byte());
        let side = |white: bool| if white { Side::White } else { Side::Black };
        let lever = Some(side(bits & 1 == 0));
        self.say(Input::Reading(Reading::Clock((bits & 0x30 != 0x30).then_some(ClockReading {
            left_ms: [u64::from(white) * 10_000, u64::from(black) * 10_000],
            running: lever.filter(|_| bits & 2 == 0),
            lever,
            flags: [bits & 0x4c == 0x4c, bits & 0x8c == 0x8c],
            counter: None,
            by_end: false,
        }))));
    }

    fn act(&mut self, act: u8) {
        match act % 16 {
            0..=4 => self.play(true),
            5 => self.play(false),
            6 | 7 => self.change(),
            8..=10 => self.at_ms += 20 * u64::from(self.byte()),
            11 => self.clock(),
            12 => self.say(Input::LinkDown),
            13 => {
                self.say(Input::LinkUp);
                self.show();
            }
            14 => {
                let back = usize::from(self.byte() % 8);
                self.line.truncate(self.line.len().saturating_sub(back).max(1));
                self.contents = self.position().contents();
                self.show();
            }
            _ => {
                self.contents = self.position().contents();
                self.show();
                self.at_ms += 4_000;
            }
        }
    }
}

/// The inputs that `bytes` stand for.
pub(crate) fn inputs(bytes: &[u8]) -> Vec<(u64, Input)> {
    let start = ChessPosition::default();
    let mut board = Board {
        bytes: bytes.iter(),
        is_occupancy: false,
        contents: start.contents(),
        line: vec![start],
        at_ms: 0,
        inputs: Vec::new(),
    };
    board.is_occupancy = board.byte() % 2 == 1;
    board.show();
    board.at_ms = 4_000;
    while let Some(&act) = board.bytes.next() {
        board.act(act);
    }
    board.at_ms += AFTER_MS;
    board.say(Input::Wake);
    board.inputs
}

/// The events of these inputs; `is_watched`: somebody looks between them.
fn events(inputs: &[(u64, Input)], is_watched: bool) -> Vec<Event> {
    let mut station = Station::open(Open::new("1", FRAMES, "fuzz"), Stamp::default()).expect("it opens");
    let mut output = Output::default();
    let mut before_ms = 0;
    for (at_ms, input) in inputs {
        let told = output.events.len();
        if is_watched {
            let between = Stamp::default().at((before_ms + at_ms) / 2 * MS);
            station.handle(&Input::Wake, between, &mut output);
        }
        station.handle(input, Stamp::default().at(at_ms * MS), &mut output);
        assert!(output.events.len() - told <= EVENTS_MAX, "{} events", output.events.len() - told);
        before_ms = *at_ms;
    }
    output.events
}

/// As everybody else gets them.
fn numbered(events: &[Event]) -> Vec<Map<String, Value>> {
    let board: Arc<str> = "1".into();
    let mut numbering = Numbering::default();
    events.iter().map(|event| numbering.number(&board, event).json()).collect()
}

/// The position that a text of ours stands for.
fn position(fen: &str) -> ChessPosition {
    ChessPosition::from_fen(fen, false).expect("a FEN of ours")
}

/// Asserts that each move that is said to be legal is, that plies follow without a hole, and that what is
/// withdrawn was there.
pub(crate) fn assert_legal(events: &[Map<String, Value>]) {
    let mut line: Vec<ChessPosition> = Vec::new();
    for event in events {
        let text = |key: &str| event[key].as_str().expect("a text");
        let ply = || usize::try_from(event["ply"].as_u64().expect("a ply")).expect("a small number");
        match text("type") {
            "game-opened" => line = vec![position(text("start"))],
            "move-made" => {
                assert_eq!(ply(), line.len(), "a hole in the line");
                let before = line.last().expect("a game is open");
                let after = position(text("fen"));
                if event["legal"] == true {
                    let mut moves = Vec::new();
                    before.legal_moves(&mut moves);
                    let made = moves.into_iter().find(|&mv| before.played(mv).uci() == text("uci"));
                    let made = made.unwrap_or_else(|| panic!("{} in {}", text("uci"), before.fen()));
                    assert_eq!(before.play(made).fen(), after.fen());
                }
                line.push(after);
            }
            "move-retracted" => {
                assert!((1..line.len()).contains(&ply()), "nothing to withdraw");
                line.truncate(ply());
            }
            _ => {}
        }
    }
}

/// Checks everything that must hold, whatever the bytes say.
///
/// # Panics
/// If it does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let inputs = inputs(bytes);
    let live = numbered(&events(&inputs, false));
    assert_legal(&live);
    assert_eq!(live, numbered(&events(&inputs, true)), "it depends on who looks");
}
