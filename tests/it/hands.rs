//! Games played by simulated hands on a simulated DGT board, over the wire and back.

use adoube_rules::Position as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use adoube_core::capture::{Header, Item, Line};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::stamp::MS;
use adoube_sim::{BoardConfig, ClockSetting, Direction, Game, Noise, record};

use crate::data;
use crate::depth::sampled;
use crate::seen::{Seen, lawful_moves, replay};
use crate::slots::computing;

/// A capture of `game` on a DGT board with a clock.
pub(crate) fn capture(game: &PgnGame, noise: Noise, seed: u64) -> (Header, Vec<Line>) {
    let header = Header {
        board: "1".to_owned(),
        protocol: "dgt".to_owned(),
        variant: game.start.is_chess960().then_some(adoube_rules::GameKind::Chess960),
        start: (game.start != Default::default()).then(|| game.start.fen()),
        ..Header::default()
    };
    let clock = Some(ClockSetting::equal(5_400, 30));
    let config = BoardConfig { noise, seed, clock, ..BoardConfig::default() };
    let played = Game::from(game);
    let lines = record(&played, config).chunks.into_iter().map(|chunk| {
        let item = match chunk.direction {
            Direction::FromBoard => Item::Received(chunk.bytes),
            Direction::ToBoard => Item::Sent(chunk.bytes),
        };
        Line { t_ns: (chunk.t_ms * MS as f64).round() as u64, items: vec![item] }
    });
    (header, lines.collect())
}

/// True if exactly the moves of `game` came out, as far as the Laws let it go, in one game.
fn is_right(game: &PgnGame, seen: &Seen) -> bool {
    seen.moves(0) == lawful_moves(game) && seen.games.len() <= 1
}

/// The games that did not come out, with their seeds.
fn wrong(games: &[PgnGame], noise: Noise, seeds: &[u64]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let tasks: Vec<(&PgnGame, u64)> =
        games.iter().flat_map(|game| seeds.iter().map(move |&seed| (game, seed))).collect();
    let work = || {
        let mut wrong = Vec::new();
        while let Some(&(game, seed)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (header, lines) = capture(game, noise, seed);
            if !is_right(game, &replay(&header, &lines)) {
                wrong.push(format!("game {} ({}), {noise:?}, seed {seed}", game.number, game.title()));
            }
        }
        wrong
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn historic_games_come_out_whatever_the_seed() {
    let _slot = computing();
    let games = read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap();
    assert!(games.len() >= 8 && games.iter().all(|game| game.fault.is_none()));
    assert_eq!(wrong(&games, Noise::Clean, &[1, 2, 3]), Vec::<String>::new());
    assert_eq!(wrong(&games, Noise::Light, &[1, 2, 3, 4, 5]), Vec::<String>::new());
}

/// Some of the games of a file, spread over it.
fn some(name: &str, count: usize) -> Option<Vec<PgnGame>> {
    let games = data::games(name)?;
    let step = (games.len() / count).max(1);
    Some(games.into_iter().filter(|game| !game.moves.is_empty()).step_by(step).take(count).collect())
}

#[test]
fn real_games_come_out_clean_and_light() {
    let _slot = computing();
    let Some(mut games) = some("games/fide-world-cup-2025-livechess.pgn", 100) else { return };
    games.extend(some("games/twic1599.pgn", 120).unwrap_or_default());
    assert!(games.len() >= 200, "{} games", games.len());
    let games = sampled("real games", games, 3);
    assert_eq!(wrong(&games, Noise::Clean, &[11]), Vec::<String>::new());
    let light = wrong(&games, Noise::Light, &[12]);
    assert!(light.len() <= games.len().div_ceil(100), "{} of {}: {light:#?}", light.len(), games.len());
    light.iter().for_each(|game| println!("wrong: {game}"));
}
