//! Thirty boards on one line of 9600 baud, in virtual time: the games come out, whatever happens on the cable.

use std::collections::BTreeSet;

use adoube_core::capture::{Header, Item, Line};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::stamp::{MS, SECOND};
use adoube_sim::bus::{Chain, Conversation, Sessions};
use adoube_sim::{BoardConfig, Direction, Game, Noise};

use crate::seen::{Seen, lawful_moves, replay};
use crate::slots::computing;

/// As many boards as DGT puts on one line.
const BOARDS: usize = 30;

/// Address of the first board.
const FIRST: u16 = 1_001;

/// A hall that takes so long hangs.
const LONGEST_NS: u64 = 3_600 * SECOND;

/// After the last move: what is still on its way arrives.
const REST_NS: u64 = 40 * SECOND;

/// A hall of boards on one line.
struct Hall {
    games: Vec<PgnGame>,
    line: Conversation,
    sessions: Sessions,
}

impl Hall {
    fn new(boards: usize, noise: Noise, rate: f64) -> Self {
        let all = read_games(include_bytes!("../../src/demo/games.pgn").as_slice()).unwrap();
        let games: Vec<PgnGame> = all.iter().cycle().take(boards).cloned().collect();
        let boards = (0..).zip(&games).map(|(index, game)| {
            let config = BoardConfig {
                noise,
                seed: u64::from(index),
                serial: u32::from(FIRST + index),
                clock: "600+5".parse().ok(),
                ..BoardConfig::default()
            };
            (Game::from(game), config)
        });
        let chain = Chain::new(&boards.collect::<Vec<_>>(), rate, 7);
        let addresses: Vec<u16> = chain.addresses().collect();
        Self { games, line: Conversation::new(chain, addresses), sessions: Sessions::default() }
    }

    fn open(mut self) -> Self {
        self.line.open(&mut self.sessions);
        self
    }

    fn run(&mut self, seconds: u64) {
        self.line.run(self.line.now_ns() + seconds * SECOND, &mut self.sessions);
    }

    /// Plays to the end of all games that have begun; half a minute is enough for everybody to be found.
    fn finish(&mut self) {
        self.run(30);
        let is_over = |line: &Conversation| {
            line.chain.boards().all(|board| board.origin_ns().is_none() || board.is_finished())
        };
        while self.line.now_ns() < LONGEST_NS && !is_over(&self.line) {
            self.run(1);
        }
        self.line.run(self.line.now_ns() + REST_NS, &mut self.sessions);
    }

    /// What somebody sees who replays what was recorded of the board.
    fn seen(&self, index: usize) -> Seen {
        let address = FIRST + u16::try_from(index).unwrap();
        let header =
            Header { board: address.to_string(), protocol: "dgt-bus".to_owned(), ..Header::default() };
        let held = self.sessions.of(address);
        let chunks = held.map(|held| held.chunks.as_slice()).unwrap_or_default();
        let received = chunks.iter().filter(|chunk| chunk.direction == Direction::FromBoard);
        let lines: Vec<Line> = received
            .map(|chunk| Line {
                t_ns: (chunk.t_ms * MS as f64).round() as u64,
                items: vec![Item::Received(chunk.bytes.clone())],
            })
            .collect();
        replay(&header, &lines)
    }

    /// The boards whose games did not come out.
    fn wrong(&self) -> Vec<String> {
        let is_right = |index: usize| {
            let (game, seen) = (&self.games[index], self.seen(index));
            let moves = seen.moves(0);
            (moves != lawful_moves(game) || seen.games.len() != 1)
                .then(|| format!("board {index}: {} games, {moves:?}", seen.games.len()))
        };
        (0..self.games.len()).filter_map(is_right).collect()
    }
}

#[test]
fn thirty_boards_keep_step() {
    let _slot = computing();
    let mut hall = Hall::new(BOARDS, Noise::Light, 0.0).open();
    hall.finish();
    assert_eq!(hall.wrong(), Vec::<String>::new());
}

#[test]
fn a_bad_cable_costs_time_and_no_move() {
    let _slot = computing();
    // One byte in five hundred: every eighth dump and every fiftieth answer is spoilt.
    let mut hall = Hall::new(BOARDS, Noise::Light, 0.002).open();
    hall.finish();
    assert_eq!(hall.wrong(), Vec::<String>::new());
}

#[test]
fn a_dead_board_costs_the_others_a_time_out_now_and_then() {
    let _slot = computing();
    let mut hall = Hall::new(10, Noise::Light, 0.0);
    hall.line.chain.unplug(4, 0);
    let mut hall = hall.open();
    hall.finish();
    assert!(hall.line.chain.boards().nth(4).unwrap().origin_ns().is_none());
    assert_eq!(hall.wrong(), ["board 4: 0 games, []"]);
    let mut rounds_ns = hall.line.rounds_ns().to_vec();
    rounds_ns.sort_unstable();
    // Ten boards are asked again after a seventh of a second, and a tenth of one more when nobody answers.
    let percentile = |percent: usize| rounds_ns[rounds_ns.len() * percent / 100] / MS;
    assert!(percentile(50) < 250 && percentile(98) < 600, "{} and {} ms", percentile(50), percentile(98));
}

#[test]
fn a_board_that_was_off_the_cable_tells_afterwards_what_happened() {
    let _slot = computing();
    for was_off in [false, true] {
        let mut hall = Hall::new(5, Noise::Light, 0.0).open();
        hall.run(60);
        hall.line.chain.unplug(2, hall.line.now_ns());
        hall.run(50);
        let before = hall.seen(2).moves(0).len();
        hall.line.chain.plug(2, was_off, hall.line.now_ns());
        hall.run(20);
        let after = hall.seen(2).moves(0).len();
        assert!(after >= before + 3, "{before} plies, {after} afterwards");
        hall.finish();
        assert_eq!(hall.wrong(), Vec::<String>::new(), "off: {was_off}");
    }
}

#[test]
fn all_boards_are_found_though_their_answers_collide() {
    let mut hall = Hall::new(BOARDS, Noise::Clean, 0.0);
    let addresses: BTreeSet<u16> = hall.line.chain.addresses().collect();
    hall.line = Conversation::new(hall.line.chain, []);
    let mut hall = hall.open();
    hall.run(20);
    assert_eq!(*hall.line.found(), addresses);
}
