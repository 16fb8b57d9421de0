//! `adoube bench inference`: how many changes of squares one core takes in a second.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::Answer;
use super::input::games;
use super::simulate::sim_game;
use crate::daemon::Clock;
use crate::event::{Body, Event};
use crate::infer::Parameters;
use crate::rules::pgn::{PgnGame, read_games};
use crate::rules::{Chess, ChessPosition, Variant as _};
use crate::sensor::Reading;
use crate::sim::{self, Manner, Noise, View};
use crate::stamp::{MS, SECOND, Stamp};
use crate::table::{Setting, Table};

/// Where no file is named: the games of the demonstration.
const GAMES: &str = include_str!("../demo/games.pgn");

/// Rounds of which the median counts: one core of a shared machine is rarely left alone.
const ROUNDS: usize = 5;

/// A round has at least so many changes, so that it lasts long enough to be measured.
const CHANGES_MIN: usize = 300_000;

/// After the last change every timer of a table has fired.
const AFTER_NS: u64 = 60 * SECOND;

/// Changes of squares that one core takes in a second, from reading to event
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube bench inference\n  adoube bench inference --games round-5.pgn --json"
)]
pub(super) struct BenchInference {
    /// Games, played by simulated hands (else those of the demonstration)
    #[arg(long, value_name = "PGN")]
    games: Option<PathBuf>,
    /// A JSON object for each kind of board
    #[arg(long)]
    json: bool,
}

/// What one board said in one game, decoded already.
struct Stream {
    start: ChessPosition,
    is_chess960: bool,
    /// When, nanoseconds; the whole board first, then squares that changed.
    readings: Vec<(u64, Reading)>,
    /// The moves that were played.
    moves: Vec<String>,
}

/// What was measured on one kind of board.
struct Figures {
    changes: usize,
    plies: usize,
    games: usize,
    games_right: usize,
    /// What a clock on the wall showed.
    seconds: f64,
    /// What this thread had of its core meanwhile, where the system tells it.
    cpu_seconds: Option<f64>,
}

impl BenchInference {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let mut games = match &self.games {
            Some(path) => games(path)?,
            None => read_games(GAMES.as_bytes())?,
        };
        games.retain(|game| !game.moves.is_empty());
        if games.is_empty() {
            bail!("the games have no moves");
        }
        for (name, is_occupancy) in [("identity", false), ("occupancy", true)] {
            let streams: Vec<Stream> =
                (1..).zip(&games).map(|(seed, game)| Stream::new(game, seed, is_occupancy)).collect();
            self.report(name, &measure(&streams));
        }
        Ok(Answer::Yes)
    }

    fn report(&self, name: &str, figures: &Figures) {
        let Figures { changes, plies, games, games_right, seconds, cpu_seconds } = *figures;
        // Other programs on a busy machine take nothing from this figure.
        let per_second = (changes as f64 / cpu_seconds.unwrap_or(seconds)) as u64;
        if self.json {
            let object = json!({
                "board": name, "changes_per_s": per_second, "changes": changes, "plies": plies,
                "games": games, "games_right": games_right, "seconds": seconds, "cpu_seconds": cpu_seconds,
            });
            println!("{object}");
        } else {
            let cpu = cpu_seconds.map(|seconds| format!(", {seconds:.3} s of a core")).unwrap_or_default();
            println!(
                "{name:<10}{per_second:>10} changes/s  ({changes} changes, {plies} plies in {seconds:.3} s{cpu}; \
                 {games_right} of {games} games right)"
            );
        }
    }
}

impl Stream {
    fn new(game: &PgnGame, seed: u64, occupancy: bool) -> Self {
        let played = sim_game(game);
        let manner = Manner { noise: Noise::Light, seed, clock: false, signal_result: false };
        let frames = sim::frames(&played, &sim::perform(&played, manner), View { occupancy, turned: false });
        let mut readings = Vec::new();
        let mut shown = Vec::new();
        for (at_ms, frame) in frames {
            let at_ns = (at_ms * MS as f64) as u64;
            let contents = frame.contents().to_vec();
            if shown.is_empty() {
                readings.push((at_ns, Reading::Frame(frame)));
            } else {
                let squares = (0_u8..).zip(shown.iter().zip(&contents));
                readings.extend(
                    squares
                        .filter(|(_, (old, new))| old != new)
                        .map(|(square, (_, &content))| (at_ns, Reading::Square { square, content })),
                );
            }
            shown = contents;
        }
        Self {
            start: game.start.clone(),
            is_chess960: game.start.is_chess960(),
            readings,
            moves: lawful_moves(game),
        }
    }

    /// Changes of single squares: all readings but the first.
    fn changes(&self) -> usize {
        self.readings.len() - 1
    }

    fn setting(&self) -> Setting<Chess> {
        let is_usual = self.start == ChessPosition::default();
        Setting {
            board: "bench".to_owned(),
            profile: crate::rules::laws::Profile::default(),
            agreed: None,
            in_progress: false,
            illegal: [0; 2],
            variant: if self.is_chess960 { "chess960" } else { "chess" },
            start: (!is_usual).then(|| self.start.clone()),
            shuffled: self.is_chess960,
            turned: Some(0),
            clock_swapped: false,
            parameters: Parameters::default(),
            board_results: true,
            time_control: None,
            pairing: None,
            pair: None,
        }
    }

    /// Lets a table read it all; `take` gets the events of each reading.
    fn play(&self, mut take: impl FnMut(&mut Vec<Event>)) {
        let mut table = Table::<Chess>::new(self.setting(), Stamp::default());
        let mut events = Vec::new();
        for (at_ns, reading) in &self.readings {
            table.reading(reading, Stamp::default().at(*at_ns), &mut events);
            take(&mut events);
        }
        let end_ns = self.readings.last().map_or(0, |(at_ns, _)| *at_ns) + AFTER_NS;
        table.advance(Stamp::default().at(end_ns), &mut events);
        take(&mut events);
    }

    /// True if exactly its moves come out.
    fn comes_out(&self) -> bool {
        let mut line: Vec<String> = Vec::new();
        self.play(|events| {
            for event in events.drain(..) {
                match event.body {
                    Body::MoveMade(made) => line.push(made.played.uci()),
                    Body::MoveRetracted(retracted) => line.truncate(retracted.ply as usize - 1),
                    _ => {}
                }
            }
        });
        line == self.moves
    }
}

/// The moves of `game` up to the position that ends it by itself, whatever its source says.
fn lawful_moves(game: &PgnGame) -> Vec<String> {
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    for &mv in &game.moves {
        if Chess::end(&position).is_some() {
            break;
        }
        moves.push(Chess::played(&position, mv).uci());
        position = Chess::play(&position, mv);
    }
    moves
}

fn measure(streams: &[Stream]) -> Figures {
    let once: usize = streams.iter().map(Stream::changes).sum();
    let times = CHANGES_MIN.div_ceil(once.max(1));
    let clock = Clock::start(None, 1.0);
    let mut rounds: Vec<(f64, Option<f64>)> = (0..ROUNDS)
        .map(|_| {
            let (start_ns, start_cpu_ns) = (clock.now().mono_ns, cpu_ns());
            for stream in (0..times).flat_map(|_| streams) {
                stream.play(Vec::clear);
            }
            let cpu_ns = start_cpu_ns.and_then(|start_ns| Some(cpu_ns()? - start_ns));
            (in_seconds(clock.now().mono_ns - start_ns), cpu_ns.map(in_seconds))
        })
        .collect();
    rounds.sort_by(|a, b| a.1.unwrap_or(a.0).total_cmp(&b.1.unwrap_or(b.0)));
    let (seconds, cpu_seconds) = rounds[ROUNDS / 2];
    Figures {
        changes: once * times,
        plies: streams.iter().map(|stream| stream.moves.len()).sum::<usize>() * times,
        games: streams.len(),
        games_right: streams.iter().filter(|stream| stream.comes_out()).count(),
        seconds,
        cpu_seconds,
    }
}

fn in_seconds(ns: u64) -> f64 {
    ns as f64 / SECOND as f64
}

/// How long this thread has run on a core, nanoseconds, as Linux counts it.
fn cpu_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
