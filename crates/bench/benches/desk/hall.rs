//! A hall in which games go on: what its boards say, one event after the other.

use std::collections::VecDeque;
use std::time::Instant;

use adoube_core::event::Numbered;
use adoube_rules::laws::Name;
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::sensor::Side;
use adoube_rules::{Played, Position as _};
use serde_json::{Map, Value, json};

/// Games that are played again and again.
const GAMES: &str = include_str!("../../../../src/demo/games.pgn");

/// Open records when the page is opened.
const OPEN: usize = 40;
/// After so many plies a record is opened, and half way to the next the oldest one is closed.
const PLIES_A_RECORD: usize = 120;
/// From board to board, so that neighbours do not move one after the other.
const STRIDE: usize = 389;

/// Name, kind and severity.
const RECORDS: [(&str, &str, &str); 4] = [
    ("illegal-move-completed", "irregularity", "critical"),
    ("touch-move-suspected", "irregularity", "alert"),
    ("piece-displaced", "irregularity", "notice"),
    ("flag-fallen", "notice", "critical"),
];

/// One game: how far it is, and what its clock shows.
#[derive(Debug)]
struct Game {
    board: String,
    line: usize,
    ply: usize,
    clock_ms: [u64; 2],
}

/// The hall.
#[derive(Debug)]
pub(crate) struct Hall {
    lines: Vec<Vec<Played>>,
    players: Vec<[String; 2]>,
    games: Vec<Game>,
    seq: u64,
    happened: usize,
    opened: usize,
    waiting: VecDeque<Numbered>,
    open: VecDeque<Map<String, Value>>,
    started: Instant,
}

impl Hall {
    /// So many boards, with so many plies to be played in each game.
    pub(crate) fn new(boards: usize, plies: usize) -> Self {
        let mut games = read_games(GAMES.as_bytes()).unwrap();
        // Long enough that they go on while they are looked at.
        games.retain(|game| game.moves.len() > plies + 20);
        let players =
            games.iter().map(|game| ["White", "Black"].map(|side| game.tag(side).unwrap().to_owned()));
        let players = players.collect();
        let lines: Vec<_> = games.iter().map(line).collect();
        let game = |number: usize| Game {
            board: number.to_string(),
            line: number % lines.len(),
            ply: 0,
            clock_ms: [5_400_000; 2],
        };
        let games = (1..=boards).map(game).collect();
        let mut hall = Self {
            lines,
            players,
            games,
            seq: 0,
            happened: 0,
            opened: 0,
            waiting: VecDeque::new(),
            open: VecDeque::new(),
            started: Instant::now(),
        };
        for index in 0..boards {
            hall.open_game(index);
            (0..plies).for_each(|_| hall.play(index));
        }
        (0..OPEN).for_each(|number| hall.open_record(number * boards / OPEN));
        hall
    }

    /// What has happened before the page is opened.
    pub(crate) fn opening(&mut self) -> Vec<Numbered> {
        self.waiting.drain(..).collect()
    }

    /// How many records are open.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// What happens next.
    pub(crate) fn next(&mut self) -> Numbered {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return event;
            }
            self.happened += 1;
            let index = self.happened * STRIDE % self.games.len();
            match self.happened % PLIES_A_RECORD {
                0 => self.open_record(index),
                n if n == PLIES_A_RECORD / 2 => self.close_record(),
                _ => self.play(index),
            }
        }
    }

    /// The last move of each board, as the list writes it.
    pub(crate) fn standing(&self) -> Map<String, Value> {
        let told = |game: &Game| {
            // What waits is not out yet.
            let ahead = self
                .waiting
                .iter()
                .filter(|event| event.name() == Name::MoveMade && *event.board == *game.board);
            let ply = game.ply - ahead.count();
            let dots = if ply % 2 == 1 { "." } else { "…" };
            let san = self.lines[game.line][ply - 1].san();
            (game.board.clone(), json!(format!("{}{dots} {san}", ply.div_ceil(2))))
        };
        self.games.iter().map(told).collect()
    }

    fn open_game(&mut self, index: usize) {
        let [white, black] = self.players[self.games[index].line].clone();
        let start = self.lines[self.games[index].line][0].fen_before();
        let fields = json!({ "round": 1, "number": index + 1, "variant": "chess", "start": start,
            "time_control": "5400+30", "white": { "name": white }, "black": { "name": black }, "result": "*" });
        self.tell(index, "game-opened", "entered", fields);
    }

    /// A ply, as a board with a clock tells it.
    fn play(&mut self, index: usize) {
        let game = &self.games[index];
        let Some(played) = self.lines[game.line].get(game.ply).cloned() else { return };
        let ply = game.ply + 1;
        let (side, other, mover) = match played.side() {
            Side::White => ("white", "black", 0),
            Side::Black => ("black", "white", 1),
        };
        let game = &mut self.games[index];
        game.ply = ply;
        game.clock_ms[mover] = game.clock_ms[mover].saturating_sub(47_000) + 30_000;
        let [white_ms, black_ms] = game.clock_ms;
        let clock = json!({ "white_ms": white_ms, "black_ms": black_ms });
        let (uci, san) = (played.uci(), played.san());
        let made_ms = self.now_ms();
        let square = |field: &str| json!({ "square": field, "piece": null, "first_ms": made_ms });
        self.tell(index, "piece-lifted", "sensed", square(&uci[..2]));
        self.tell(index, "piece-placed", "sensed", square(&uci[2..4]));
        self.tell(
            index,
            "move-made",
            "notice",
            json!({ "ply": ply, "side": side, "san": san, "uci": uci, "fen": played.fen(), "legal": true,
                "confidence": 1.0, "first_lift_ms": made_ms, "made_ms": made_ms, "clock": clock, "cause": "played" }),
        );
        self.tell(index, "pressed", "sensed", json!({ "side": side, "clock": clock }));
        self.tell(
            index,
            "clock-read",
            "sensed",
            json!({ "white_ms": white_ms, "black_ms": black_ms, "running": other, "flags": [], "counter": null }),
        );
        self.tell(
            index,
            "move-completed",
            "notice",
            json!({ "ply": ply, "side": side, "san": san, "uci": uci, "by": "press", "completed_ms": made_ms,
                "clock": clock }),
        );
    }

    fn open_record(&mut self, index: usize) {
        let (name, kind, severity) = RECORDS[self.opened % RECORDS.len()];
        let fields = json!({ "record": self.seq + 1, "status": "open", "severity": severity, "certainty": "likely",
            "article": "7.5.1", "edition": "2023", "window": null, "side": "white", "by": "white",
            "squares": ["g1", "g5"], "ply": 1, "readings": [1, 2], "kinds": [], "move": "Ng5", "count": 1,
            "rule": "4.3.1", "first": "g1", "obligation": [], "played": "Ng5", "arbiter_duty": true, "missing": [],
            "extra": [], "running": null, "number": 1, "made": 1, "completed": 1, "required": null, "period": 1 });
        self.opened += 1;
        self.tell(index, name, kind, fields);
        self.open.push_back(self.waiting[self.waiting.len() - 1].json());
    }

    fn close_record(&mut self) {
        let Some(mut record) = self.open.pop_front() else { return };
        record.insert("status".to_owned(), json!("corrected"));
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        let (board, name, kind) = (text("board"), text("type"), text("kind"));
        let index = self.games.iter().position(|game| game.board == board).unwrap();
        self.tell(index, &name, &kind, Value::Object(record));
    }

    fn tell(&mut self, index: usize, name: &str, kind: &str, fields: Value) {
        self.seq += 1;
        let board = self.games[index].board.clone();
        let game = format!("1-{board}");
        let Value::Object(mut json) = fields else { unreachable!("fields are an object") };
        let envelope = json!({ "seq": self.seq, "at": now(), "t_ms": self.now_ms(), "board": board, "game": game,
            "type": name, "kind": kind });
        json.extend(envelope.as_object().cloned().unwrap());
        let event = Numbered::from_json(&Value::Object(json).to_string(), None).unwrap();
        self.waiting.push_back(event);
    }

    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}

fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

fn line(game: &PgnGame) -> Vec<Played> {
    let mut position = game.start.clone();
    let mut line = Vec::new();
    for &mv in &game.moves {
        line.push(position.played(mv));
        position = position.play(mv);
    }
    line
}
