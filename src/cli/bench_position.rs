//! `adoube bench position`: how long it takes to know who can still mate.

use std::hint::black_box;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use shakmaty::{CastlingMode, Chess};

use super::Answer;
use super::columns::columns;
use super::input::{open, progress};
use super::position::answer::playable;
use adoube_rules::fen::read_setup;
use adoube_rules::mate::{self, CanMate};
use adoube_rules::pgn::read_games;
use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, Position as _};

/// Where no file is named: the games of the demonstration.
const GAMES: &str = include_str!("../demo/games.pgn");

/// Rounds, of which the median of each question counts.
const ROUNDS: usize = 3;

/// How long it takes to know who can still mate
///
/// Of every position both sides are asked for, on one core: the quick form, as after every ply, and the full one,
/// as when a flag falls. A question's time is the median of three.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube bench position\n  adoube bench position fallen-flags.txt --json")]
pub(super) struct BenchPosition {
    /// A FEN a line (else every position of the demonstration's games)
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Positions that the search for a mate may look at
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    nodes: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What came of all questions in one form.
struct Figures {
    form: &'static str,
    /// Nanoseconds of each question, the shortest first.
    times_ns: Vec<u64>,
    yes: usize,
    no: usize,
    unknown: usize,
}

impl BenchPosition {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let positions = match &self.file {
            Some(file) => positions(file)?,
            None => demonstration()?,
        };
        let questions: Vec<(Chess, Side)> =
            positions.iter().flat_map(|chess| Side::BOTH.map(|side| (chess.clone(), side))).collect();
        // What the quick form does not rule out it does not know.
        let quick = |(chess, side): &(Chess, Side)| mate::cannot_mate(chess, (*side).into()).map(|_| false);
        let full = |(chess, side): &(Chess, Side)| match mate::can_mate(chess, (*side).into(), self.nodes) {
            CanMate::Yes(_) => Some(true),
            CanMate::No(_) => Some(false),
            CanMate::Unknown(_) => None,
        };
        let rows = [measure("quick", &questions, quick), measure("full", &questions, full)];
        if self.json {
            rows.iter().for_each(|row| println!("{}", row.json()));
        } else {
            let head =
                ["FORM", "QUESTIONS", "A SECOND", "P50 µs", "P99 µs", "WORST µs", "YES", "NO", "UNKNOWN"];
            let rows: Vec<_> =
                std::iter::once(head.map(str::to_owned)).chain(rows.iter().map(Figures::row)).collect();
            print!("{}", columns(&rows));
        }
        Ok(Answer::Yes)
    }
}

/// Every position of the games, the starts included.
fn demonstration() -> anyhow::Result<Vec<Chess>> {
    let mut positions = Vec::new();
    for game in read_games(GAMES.as_bytes())? {
        let mut position: ChessPosition = game.start;
        positions.extend(position.regular().cloned());
        for mv in game.moves {
            position = position.play(mv);
            positions.extend(position.regular().cloned());
        }
    }
    Ok(positions)
}

/// The positions of a file; those that nobody can play from are left out, and said.
fn positions(file: &Path) -> anyhow::Result<Vec<Chess>> {
    let name = file.display();
    let (mut positions, mut left_out) = (Vec::new(), 0_u32);
    for (number, line) in (1_u32..).zip(open(file)?.lines()) {
        let at = || format!("{name}, line {number}");
        let line = line.with_context(at)?;
        if line.trim().is_empty() {
            continue;
        }
        let setup = read_setup(&line).with_context(at)?;
        match playable(&setup, CastlingMode::Chess960) {
            Some(chess) => positions.push(chess),
            None => left_out += 1,
        }
    }
    match left_out {
        0 => {}
        1 => eprintln!("adoube: {name}: 1 position is left out, nobody can play from it"),
        many => eprintln!("adoube: {name}: {many} positions are left out, nobody can play from them"),
    }
    if positions.is_empty() {
        bail!("{name}: no positions to play from; write a FEN a line");
    }
    Ok(positions)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about time")]
fn measure<Q>(form: &'static str, questions: &[Q], answer: impl Fn(&Q) -> Option<bool>) -> Figures {
    let bar = progress(questions.len() as u64, form);
    let mut figures = Figures { form, times_ns: Vec::new(), yes: 0, no: 0, unknown: 0 };
    for question in questions {
        let mut said = None;
        let mut times_ns = [0; ROUNDS].map(|_: u64| {
            let started = Instant::now();
            said = black_box(answer(black_box(question)));
            u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)
        });
        times_ns.sort_unstable();
        figures.times_ns.push(times_ns[ROUNDS / 2]);
        match said {
            Some(true) => figures.yes += 1,
            Some(false) => figures.no += 1,
            None => figures.unknown += 1,
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    figures.times_ns.sort_unstable();
    figures
}

impl Figures {
    fn a_second(&self) -> f64 {
        let sum: u64 = self.times_ns.iter().sum();
        self.times_ns.len() as f64 * 1e9 / sum.max(1) as f64
    }

    /// So many of a hundred questions take no longer, in microseconds.
    fn percentile_us(&self, percent: usize) -> f64 {
        let last = self.times_ns.len().saturating_sub(1);
        let at = (self.times_ns.len() * percent / 100).min(last);
        self.times_ns.get(at).map_or(0.0, |&ns| ns as f64 / 1e3)
    }

    fn row(&self) -> [String; 9] {
        let us = |percent| format!("{:.1}", self.percentile_us(percent));
        let count = |number: usize| number.to_string();
        [
            self.form.to_owned(),
            count(self.times_ns.len()),
            format!("{:.0}", self.a_second()),
            us(50),
            us(99),
            us(100),
            count(self.yes),
            count(self.no),
            count(self.unknown),
        ]
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "form": self.form, "questions": self.times_ns.len(), "per_second": self.a_second().round(),
            "p50_us": self.percentile_us(50), "p99_us": self.percentile_us(99),
            "worst_us": self.percentile_us(100), "yes": self.yes, "no": self.no, "unknown": self.unknown,
        })
    }
}
