//! Plies that nobody saw, at many places of real games: what stands on the board is right again as soon
//! as it rests, and the game goes on from there.

use std::ops::Range;

use adoube_core::capture::{Header, Item, Line};
use adoube_core::replay::{Replay, open};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::sensor::{Content, Frame, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{ChessPosition, Position as _};
use proptest::prelude::*;

use crate::board::{BOTH, Board, Sensor};
use crate::data;
use crate::depth::full;
use crate::seen::{Seen, lawful_moves};
use crate::slots::computing;

/// The start array has stood for longer than it takes to open a game.
const STOOD_MS: u64 = 4_000;
/// How long a hand holds a piece.
const HAND_MS: u64 = 400;
/// From one move to the next: longer than a move rests before it is told.
const THOUGHT_MS: u64 = 2_000;
/// How long the board rests after a gap: all that is tried has been tried.
const REST_MS: u64 = 4_000;

/// How plies get lost.
#[derive(Debug, Clone, Copy)]
enum Loss {
    /// The link is lost, and is back.
    Link,
    /// The link stays, and frames are lost.
    Frames,
}

/// How well games came out that lost `plies` plies somewhere.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    /// What stands on the board was told when it had rested.
    placed: usize,
    /// And so were the turn, castling rights and what may be taken in passing.
    whole: usize,
    /// Every move but the first two after the gap is right, in one game.
    goes_on: usize,
    /// Every move is right.
    line: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.placed += other.placed;
        self.whole += other.whole;
        self.goes_on += other.goes_on;
        self.line += other.line;
        self.wrong.extend(other.wrong);
    }
}

/// A board that plays a game, some of it unseen.
struct Play {
    sensor: Sensor,
    contents: Vec<Content>,
    t_ms: u64,
    lines: Vec<Line>,
}

impl Play {
    fn say(&mut self, item: Item) {
        self.lines.push(Line { t_ns: self.t_ms * MS, items: vec![item] });
    }

    fn show(&mut self) {
        let contents = self.contents.clone();
        self.say(Item::Frame(match self.sensor {
            Sensor::Identity => Frame::Identity(contents),
            Sensor::Occupancy => Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect()),
        }));
    }

    /// One ply as hands do it: off the board what leaves its square, then on it what arrives.
    fn ply(&mut self, changes: &[(Square, Content, Content)]) {
        let lifts = changes.iter().filter(|change| !change.1.is_empty());
        for &(square, _, _) in lifts {
            self.contents[square] = Content::EMPTY;
            self.show();
            self.t_ms += HAND_MS;
        }
        for &(square, _, after) in changes.iter().filter(|change| !change.2.is_empty()) {
            self.contents[square] = after;
            self.show();
            self.t_ms += HAND_MS;
        }
        self.t_ms += THOUGHT_MS;
    }
}

/// A capture of `game` without the plies of `gap`, and when the board has rested after it.
fn play(game: &PgnGame, plies: usize, gap: &Range<usize>, sensor: Sensor, loss: Loss) -> (Vec<Line>, u64) {
    let mut position = game.start.clone();
    let mut play = Play { sensor, contents: position.contents(), t_ms: 0, lines: Vec::new() };
    play.show();
    play.t_ms = STOOD_MS;
    let mut rested_ms = 0;
    for (index, &mv) in game.moves[..plies].iter().enumerate() {
        if index == gap.start && matches!(loss, Loss::Link) {
            play.say(Item::LinkLost);
        }
        let footprint = position.footprint(mv);
        position = position.play(mv);
        if gap.contains(&index) {
            play.contents = position.contents();
        } else {
            play.ply(footprint.changes());
        }
        if index + 1 == gap.end {
            if matches!(loss, Loss::Link) {
                play.t_ms += 60_000;
                play.say(Item::LinkBack);
            }
            play.show();
            play.t_ms += REST_MS;
            rested_ms = play.t_ms;
        }
    }
    (play.lines, rested_ms)
}

/// The FEN that stood at `t_ms`, as the events tell it.
fn fen_at(seen: &Seen, t_ms: u64) -> String {
    let told = seen.events.iter().rev().find(|event| {
        let is_position = ["move-made", "move-retracted"].contains(&event["type"].as_str().unwrap());
        is_position && event["t_ms"].as_f64().unwrap() <= t_ms as f64
    });
    told.map_or_else(|| ChessPosition::default().fen(), |event| event["fen"].as_str().unwrap().to_owned())
}

/// The moves of `range`, as they are written.
fn sans(game: &PgnGame, positions: &[ChessPosition], range: &Range<usize>) -> Vec<String> {
    range.clone().map(|index| positions[index].played(game.moves[index]).san()).collect()
}

/// Placement alone, and what makes positions the same: without the counters.
fn parts(fen: &str) -> (&str, String) {
    let fields: Vec<&str> = fen.split(' ').collect();
    (fields[0], fields[..4].join(" "))
}

/// Takes `gap` plies out of `game` at each of `starts`.
fn lose(game: &PgnGame, gap: usize, starts: &[usize], sensor: Sensor, loss: Loss) -> Tally {
    let moves = lawful_moves(game);
    let mut positions = vec![game.start.clone()];
    for &mv in &game.moves {
        positions.push(positions.last().unwrap().play(mv));
    }
    let mut tally = Tally::default();
    for &start in starts.iter().filter(|&&start| start + gap <= moves.len()) {
        let gap = start..start + gap;
        let (lines, rested_ms) = play(game, moves.len(), &gap, sensor, loss);
        let header = Header {
            board: "1".to_owned(),
            protocol: "frames".to_owned(),
            start: (game.start != ChessPosition::default()).then(|| game.start.fen()),
            ..Header::default()
        };
        let mut replay = Replay::new(open(&header), 0).unwrap();
        let mut events = Vec::new();
        lines.iter().for_each(|line| replay.line(line, &mut events));
        let remarks = replay.finish(&mut events);
        let seen = Seen::new("1", &events, remarks);
        let truth = positions[gap.end].fen();
        let told = fen_at(&seen, rested_ms);
        let (placed, whole) = (parts(&told).0 == parts(&truth).0, parts(&told).1 == parts(&truth).1);
        let line = seen.moves(0);
        let after = &moves[gap.end..];
        // The first moves in sight may be what tells how many there were before.
        let goes_on = line.ends_with(after.get(2..).unwrap_or_default()) && seen.games.len() == 1;
        tally.cases += 1;
        tally.placed += usize::from(placed);
        tally.whole += usize::from(whole);
        tally.goes_on += usize::from(goes_on);
        tally.line += usize::from(line == moves);
        let gaps = seen.of_type("record-gap");
        if let (Loss::Link, [only]) = (loss, &gaps[..])
            && only["since_ply"] == gap.start
            && only["paths"] == 1
            && only["recovered"].as_array().map(Vec::len) == Some(gap.len())
        {
            let recovered: Vec<&str> =
                only["recovered"].as_array().unwrap().iter().map(|san| san.as_str().unwrap()).collect();
            let title = game.title();
            assert_eq!(recovered, sans(game, &positions, &gap), "{title}, plies {gap:?}: the only way there");
        }
        if !placed || !goes_on {
            let title = game.title();
            tally.wrong.push(format!("{title}, plies {gap:?}: {told} is {truth}, goes on {goes_on}"));
        }
    }
    tally
}

/// Loses plies at places spread over all of `games`.
fn lose_everywhere(games: &[PgnGame], gap: usize, step: usize, sensor: Sensor, loss: Loss) -> Tally {
    let mut all = Tally::default();
    for (index, game) in games.iter().enumerate() {
        let starts: Vec<usize> = (1 + index % step..game.moves.len()).step_by(step).collect();
        all.add(lose(game, gap, &starts, sensor, loss));
    }
    println!(
        "{sensor:?}, {loss:?}, {gap} plies lost: {} cases, placed {}, whole position {}, goes on {}, every move {}",
        all.cases, all.placed, all.whole, all.goes_on, all.line
    );
    all.wrong.iter().for_each(|wrong| println!("  {wrong}"));
    all
}

fn demo_games() -> Vec<PgnGame> {
    read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap()
}

/// How far apart the gaps are, in plies: twice as far where not everything is asked; `ADOUBE_RECOVERY_STEP` measures
/// more closely.
fn step(usual: usize) -> usize {
    let usual = if full().is_some() { usual } else { 2 * usual };
    std::env::var("ADOUBE_RECOVERY_STEP").map_or(usual, |step| step.parse().unwrap())
}

#[test]
fn up_to_six_lost_plies_are_found_at_once() {
    let _slot = computing();
    let games = demo_games();
    for gap in 1..=6 {
        let all = lose_everywhere(&games, gap, step(19), Sensor::Identity, Loss::Link);
        assert_eq!((all.placed, all.goes_on), (all.cases, all.cases));
        let all = lose_everywhere(&games, gap, step(19), Sensor::Identity, Loss::Frames);
        // As long as the link is there, two men exchanged on one square look like two that are held, and
        // a king's step to and fro with a move between like a move out of turn.
        assert!(all.placed.min(all.goes_on) * 10 >= all.cases * 9, "{all:#?}");
    }
}

#[test]
fn after_more_lost_plies_the_game_goes_on_from_what_stands() {
    let _slot = computing();
    let games = demo_games();
    for gap in [8, 10, 21] {
        let all = lose_everywhere(&games, gap, step(61), Sensor::Identity, Loss::Link);
        assert!(all.goes_on * 10 >= all.cases * 9, "{all:#?}");
        // After an odd number nobody knows whose turn it is before the next move.
        assert!(gap % 2 == 1 || all.placed * 10 >= all.cases * 9, "{all:#?}");
    }
}

#[test]
fn three_lost_plies_are_found_by_occupancy() {
    let _slot = computing();
    let games = demo_games();
    for gap in 1..=3 {
        let all = lose_everywhere(&games, gap, step(19), Sensor::Occupancy, Loss::Link);
        // Which of two men took a third does not show; the moves after it tell.
        assert!(all.goes_on * 100 >= all.cases * 98, "{all:#?}");
        assert!(gap == 3 || all.line * 100 >= all.cases * 80, "{all:#?}");
    }
}

#[test]
fn lost_plies_of_many_games_are_found() {
    let _slot = computing();
    let Some(games) = data::games("games/fide-world-cup-2025-livechess.pgn") else { return };
    let games: Vec<PgnGame> =
        games.into_iter().filter(|game| game.moves.len() > 40).step_by(9).take(20).collect();
    for gap in [2, 4, 6] {
        let all = lose_everywhere(&games, gap, step(43), Sensor::Identity, Loss::Link);
        assert_eq!(all.placed, all.cases);
        // In an ending of kings and rooks the plies after a gap may go on for long before one of them tells
        // how many there were.
        assert!(all.goes_on * 100 >= all.cases * 99, "{all:#?}");
    }
}

/// 2.Bb5 Nc6, or 2.Be2 Nc6 3.Bb5: the board shows the same, but not the clock.
#[test]
fn the_lever_tells_how_many_plies_it_were() {
    for (lever, plies) in [(Side::White, 4), (Side::Black, 5)] {
        let mut board = Board::new(Sensor::Identity);
        board.clock(Side::White).play_all("e2e4 e7e5");
        board.unseen(|board| {
            board.play_all("f1e2 b8c6 e2b5");
        });
        board.clock(lever).wait(5_000);
        assert_eq!(board.seen().moves(0).len(), plies);
    }
}

/// Squares of the opening below, men of both sides.
const SWEPT: &str = "a1 b1 c1 d1 e1 f1 h1 f3 a2 b2 c2 d2 e4 e5 c6 a8 d8 e8 f8 d7";

/// Sweeps men off the board and sets them up again.
fn sweep(board: &mut Board, squares: &str) {
    let men: Vec<(&str, char)> =
        squares.split(' ').map(|square| (square, board.man_on(square).unwrap())).collect();
    for (square, _) in &men {
        board.lift(square).wait(90);
    }
    board.wait(4_000);
    for &(square, man) in men.iter().rev() {
        board.place(square, man).wait(350);
    }
    board.wait(3_000);
}

#[test]
fn men_swept_off_and_set_up_again_are_no_moves() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3 b8c6");
        sweep(&mut board, SWEPT);
        board.play_all("f1b5 a7a6");
        board.gives("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    }
}

#[test]
fn a_king_dropped_and_set_up_again_is_no_move() {
    for sensor in BOTH {
        let mut board = Board::new(sensor);
        board.play_all("e2e4 e7e5 g1f3 b8c6");
        board.lift("e1").wait(300).place("d4", 'K').wait(8_000);
        board.lift("d4").wait(500).place("e1", 'K').wait(3_000);
        board.play_all("f1b5 a7a6");
        board.gives("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    }
}

#[test]
fn a_position_put_back_takes_the_plies_back() {
    let moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 d2d3 f8c5";
    for sensor in BOTH {
        for back in 1..=9 {
            let mut board = Board::new(sensor);
            let plies: Vec<&str> = moves.split(' ').collect();
            board.play_all(moves).wait(20_000);
            for mv in plies.iter().rev().take(back) {
                let (from, to) = mv.split_at(2);
                let man = board.man_on(to).unwrap();
                board.lift(to).wait(400).place(from, man).wait(700);
            }
            board.wait(5_000);
            let kept = plies[..plies.len() - back].join(" ");
            board.gives(&kept);
        }
    }
}

/// Something is done to a square while a game is disturbed.
#[derive(Debug, Clone, Copy)]
struct Disturbance {
    square: Square,
    /// Lifted men go to a square, or off the board.
    to: Option<Square>,
    ms: u64,
}

fn disturbance() -> impl Strategy<Value = Disturbance> {
    let ms = prop_oneof![3 => 50..400_u64, 1 => 400..4_000_u64];
    (0..64_u8, prop::option::of(0..64_u8), ms).prop_map(|(square, to, ms)| Disturbance {
        square: Square::new(square),
        to: to.map(Square::new),
        ms,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_quiet_board_that_is_right_again_is_in_step(
        which in 0..4_usize,
        plies in 4..40_usize,
        disturbances in prop::collection::vec(disturbance(), 1..24),
        order in prop::collection::vec(0..64_u8, 64),
        hand_ms in 100..700_u64,
    ) {
        let _slot = computing();
        let game = &demo_games()[which];
        let plies = plies.min(game.moves.len() - 1);
        let sensor = Sensor::Identity;
        let (lines, _) = play(game, plies, &(usize::MAX..usize::MAX), sensor, Loss::Frames);
        let mut position = game.start.clone();
        for &mv in &game.moves[..plies] {
            position = position.play(mv);
        }
        let truth = position.contents();
        let t_ms = lines.last().unwrap().t_ns / MS + THOUGHT_MS;
        let mut play = Play { sensor, contents: truth.clone(), t_ms, lines };
        for disturbance in disturbances {
            let man = std::mem::replace(&mut play.contents[disturbance.square], Content::EMPTY);
            if let Some(to) = disturbance.to {
                play.contents[to] = man;
            }
            play.show();
            play.t_ms += disturbance.ms;
        }
        for square in order.into_iter().chain(0..64) {
            let square = usize::from(square);
            if play.contents[square] != truth[square] {
                play.contents[square] = truth[square];
                play.show();
                play.t_ms += hand_ms;
            }
        }
        let header = Header { board: "1".to_owned(), protocol: "frames".to_owned(), ..Header::default() };
        play.t_ms += 6_000;
        play.show();
        let seen = crate::seen::replay(&header, &play.lines);
        // A hand may have mated in passing: what comes after is no play.
        prop_assume!(seen.of_type("checkmate").is_empty());
        let told = fen_at(&seen, u64::MAX);
        let truth = position.fen();
        // (By occupancy alone another capture may explain as much; one time in some hundreds it does so until
        // the next move.)
        let seen = |fen: &str| ChessPosition::from_fen(fen, false).unwrap().contents();
        prop_assert_eq!(seen(&told), seen(&truth), "{} is {}", told, truth);
    }
}
