//! What hands do, as a line of text, and what has to come of it.
//!
//! A script is a row of acts; a number after an act says how many milliseconds pass until the next.
//!
//! | act | what happens |
//! |---|---|
//! | `-e2` | the man on e2 is lifted |
//! | `+e4=P` | a white pawn is set down on e4, in the place of whatever stands there |
//! | `-e2&+e4=P` | both, in one scan |
//! | `.` | the move is over: whoever's time runs presses, if there is a clock |
//! | `e2e4` | an ordinary move with its press; the captured man is taken off first |
//! | `e2e4~` | the same without the press |
//! | `lost`, `back` | the link is lost, the link is back |
//! | `=PLACEMENT` | these men stand there, all at once |

use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, Position as _};

use super::scanning::scanned;
use crate::board::{BOTH, Board, Sensor};
use crate::seen::Seen;

/// Between two acts, where a script says nothing else.
const HAND_MS: u64 = 300;
/// From a move to the next one, where a script says nothing else.
const THOUGHT_MS: u64 = 3_000;
/// From a move to its press, if there is time.
const PRESS_MS: u64 = 400;
/// What the sensor tells, it tells on this grid.
const SCAN_MS: u64 = 50;
/// How long the board stands still at the end: longer than anything waits for.
const QUIET_MS: u64 = 10_000;

/// A board that names its men.
pub(super) const NAMED: &[Sensor] = &[Sensor::Identity];
/// A board that does not.
pub(super) const UNNAMED: &[Sensor] = &[Sensor::Occupancy];

/// The clock beside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    None,
    /// It tells of a press at once.
    Prompt,
    /// It tells of a press with its next full second, as some boards do (dgt-protocol 4.1).
    Late,
}

/// How the board looks at its squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// At all of them at once.
    AtOnce,
    /// At one after another.
    OneByOne,
}

/// One situation, on every kind of board that can tell it.
pub(super) struct Situation {
    start: Option<&'static str>,
    turned: bool,
    hands: String,
    sensors: &'static [Sensor],
    clocks: &'static [Clock],
    scans: &'static [Scan],
    undone: &'static str,
}

/// A situation out of a game from its beginning.
pub(super) fn game(hands: impl Into<String>) -> Situation {
    Situation {
        start: None,
        turned: false,
        hands: hands.into(),
        sensors: &BOTH,
        clocks: &[Clock::None, Clock::Prompt, Clock::Late],
        scans: &[Scan::AtOnce, Scan::OneByOne],
        undone: "",
    }
}

/// A situation from a given position.
pub(super) fn from(fen: &'static str, hands: impl Into<String>) -> Situation {
    Situation { start: Some(fen), ..game(hands) }
}

/// What one form of a situation told.
pub(super) struct Told {
    pub(super) label: String,
    pub(super) seen: Seen,
}

impl Situation {
    /// Only these boards can tell.
    pub(super) fn on(self, sensors: &'static [Sensor]) -> Self {
        Self { sensors, ..self }
    }

    /// Only with these clocks.
    pub(super) fn clocks(self, clocks: &'static [Clock]) -> Self {
        Self { clocks, ..self }
    }

    /// Only on a board that sees all squares at once: one that takes 200 ms to look round misses half of it.
    pub(super) fn seen_at_once(self) -> Self {
        Self { scans: &[Scan::AtOnce], ..self }
    }

    /// The board lies the other way round.
    pub(super) fn turned(self) -> Self {
        Self { turned: true, ..self }
    }

    /// These moves were made and are taken back: they are announced, and withdrawn.
    pub(super) fn undoing(self, undone: &'static str) -> Self {
        Self { undone, ..self }
    }

    /// This line comes out, and nothing else was announced on the way.
    #[track_caller]
    pub(super) fn never_wrong(self, line: &str) -> Vec<Told> {
        self.judge("", line)
    }

    /// This line comes out; on the way only `wrong` may have been announced, because it rested for
    /// long enough to be meant.
    #[track_caller]
    pub(super) fn may_correct(self, wrong: &str, line: &str) -> Vec<Told> {
        self.judge(wrong, line)
    }

    /// What each form told, whatever it is.
    pub(super) fn told(&self) -> Vec<Told> {
        let mut told = Vec::new();
        for &sensor in self.sensors {
            for &clock in self.clocks {
                let board = self.board(sensor, clock);
                for &scan in self.scans {
                    let seen = match scan {
                        Scan::AtOnce => board.seen(),
                        Scan::OneByOne => board.seen_through(scanned),
                    };
                    told.push(Told { label: format!("{sensor:?}, clock {clock:?}, scan {scan:?}"), seen });
                }
            }
        }
        told
    }

    /// The board after everything was done.
    pub(super) fn board(&self, sensor: Sensor, clock: Clock) -> Board {
        let mut board = match (self.start, self.turned) {
            (None, false) => Board::new(sensor),
            (None, true) => Board::turned(sensor),
            (Some(fen), false) => Board::from_fen(sensor, fen),
            (Some(fen), true) => Board::turned_from_fen(sensor, fen),
        };
        if clock != Clock::None {
            let is_black = self.start.is_some_and(|fen| fen.contains(" b "));
            board.start_clock(if is_black { Side::Black } else { Side::White }).wait(2_000);
        }
        if clock == Clock::Late {
            board.delay_clock();
        }
        act(&mut board, &self.hands);
        board.wait(QUIET_MS);
        board
    }

    #[track_caller]
    fn judge(self, wrong: &str, line: &str) -> Vec<Told> {
        let told = self.told();
        let faults: Vec<String> = told
            .iter()
            .flat_map(|told| {
                let faults = faults(&told.seen, line, wrong, self.undone);
                faults.into_iter().map(|fault| format!("{}: {fault}", told.label))
            })
            .collect();
        assert!(faults.is_empty(), "{}\n{}", self.hands, faults.join("\n"));
        told
    }
}

/// What is wrong with what was told, if `line` is what was played.
fn faults(seen: &Seen, line: &str, wrong: &str, undone: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let line: Vec<&str> = line.split_whitespace().collect();
    let listed = |moves: &str, uci: &str| moves.split_whitespace().any(|listed| listed == uci);
    if seen.games.len() != 1 {
        faults.push(format!("{} games", seen.games.len()));
    }
    if seen.moves(0) != line {
        faults.push(format!("the line is {}", seen.moves(0).join(" ")));
    }
    faults.extend(illegal_announcements(seen));
    for event in &seen.events {
        let (Some(uci), Some(ply)) = (event.get("uci").and_then(|uci| uci.as_str()), event.get("ply")) else {
            continue;
        };
        let is_played = line.get(ply.as_u64().unwrap() as usize - 1) == Some(&uci);
        let is_allowed = listed(wrong, uci) || listed(undone, uci);
        match event["type"].as_str() {
            Some("move-made") if !is_played && !is_allowed => {
                faults.push(format!("{uci} announced at {} as ply {ply}", event["t_ms"]));
            }
            Some("move-retracted") if !is_allowed => {
                faults.push(format!("{uci} withdrawn at {}", event["t_ms"]));
            }
            _ => {}
        }
    }
    let is_announced = |uci: &str| seen.of_type("move-made").iter().any(|event| event["uci"] == uci);
    faults.extend(undone.split_whitespace().filter(|uci| !is_announced(uci)).map(|uci| format!("no {uci}")));
    faults
}

/// Moves announced as legal that are not.
pub(super) fn illegal_announcements(seen: &Seen) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fens: Vec<String> = Vec::new();
    for event in &seen.events {
        let text = |key: &str| event.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        match event["type"].as_str() {
            Some("game-opened") => fens = vec![text("start")],
            Some("move-retracted") => fens.truncate(event["ply"].as_u64().unwrap() as usize),
            Some("move-made") => {
                let before = ChessPosition::from_fen(fens.last().unwrap(), false).unwrap();
                let mut legal = Vec::new();
                before.legal_moves(&mut legal);
                let is_legal = legal.into_iter().any(|mv| before.played(mv).uci() == text("uci"));
                if event["legal"] != is_legal {
                    faults.push(format!(
                        "{} after {} is told as legal: {}",
                        text("uci"),
                        before.fen(),
                        event["legal"]
                    ));
                }
                fens.push(text("fen"));
            }
            _ => {}
        }
    }
    faults
}

/// Does what the script says.
pub(super) fn act(board: &mut Board, script: &str) {
    let mut acts = script.split_whitespace().peekable();
    while let Some(act) = acts.next() {
        let gap_ms = acts.next_if(|next| next.parse::<u64>().is_ok()).map(|ms| ms.parse().unwrap());
        if let Ok(ms) = act.parse() {
            board.wait(ms);
        } else if act == "." {
            press(board, gap_ms.unwrap_or(THOUGHT_MS));
        } else if act.starts_with(char::is_alphabetic) && act.len() < 6 && act != "lost" && act != "back" {
            ordinary(board, act.trim_end_matches('~'));
            match act.ends_with('~') {
                true => board.wait(gap_ms.unwrap_or(THOUGHT_MS)),
                false => press(board, gap_ms.unwrap_or(THOUGHT_MS)),
            };
        } else {
            if act.contains('&') {
                board.at_once(|board| act.split('&').for_each(|act| touch(board, act)));
            } else {
                touch(board, act);
            }
            board.wait(gap_ms.unwrap_or(HAND_MS));
        }
    }
}

fn ordinary(board: &mut Board, mv: &str) {
    let (from, to) = mv.split_at(2);
    if board.man_on(to).is_some() {
        board.lift(to).wait(HAND_MS);
    }
    let man = board.man_on(from).unwrap_or_else(|| panic!("{from} is empty"));
    board.lift(from).wait(HAND_MS).place(to, man);
}

/// The clock is pressed, and `gap_ms` after the last act the next one follows.
fn press(board: &mut Board, gap_ms: u64) -> &mut Board {
    let before_ms = PRESS_MS.min(gap_ms / 2 / SCAN_MS * SCAN_MS);
    board.wait(before_ms).press().wait(gap_ms - before_ms)
}

fn touch(board: &mut Board, act: &str) {
    match (act, act.split_at(1)) {
        ("lost", _) => board.lose_link(),
        ("back", _) => board.restore_link(),
        (_, ("-", square)) => board.lift(square),
        (_, ("=", placement)) => board.set_up(placement),
        (_, ("+", square)) => {
            let (square, man) = square.split_once('=').unwrap_or_else(|| panic!("{act}: which man?"));
            board.place(square, man.parse().unwrap())
        }
        _ => panic!("{act} is no act"),
    };
}
