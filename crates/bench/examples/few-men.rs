//! Who can still mate, asked of every position with three or four men, against a solution from the mates backwards:
//! `cargo run --release -p adoube-bench --example few-men -- 3`, explained in docs/retrograde.md.

// The solver is written for a test, where public items need no documentation.
#![allow(missing_docs)]

// Some of what the solver offers its tests is not asked for here.
#[allow(dead_code)]
#[path = "../../winnable/tests/it/retrograde/mod.rs"]
mod retrograde;

use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position as _};

use adoube_winnable::{CanMate, can_mate, cannot_mate, check};
use clap::Parser;
use retrograde::{Men, Solution};

/// `mate_search_nodes` of the Laws' parameters.
const NODES: u32 = 200_000;
/// So many wrong answers are shown; they are counted all the same.
const SHOWN: usize = 10;

/// What came of asking about positions with the same men.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Figures {
    positions: usize,
    /// By the solution; the rest cannot.
    can: usize,
    unknown: usize,
    wrong: usize,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.positions += other.positions;
        self.can += other.can;
        self.unknown += other.unknown;
        self.wrong += other.wrong;
    }
}

impl Figures {
    fn print(&self, men: &str, json: bool) {
        let cannot = self.positions - self.can;
        let Self { positions, can, unknown, wrong } = self;
        if json {
            let line = json!({
                "men": men, "positions": positions, "can_mate": can, "cannot_mate": cannot,
                "unknown": unknown, "wrong": wrong,
            });
            println!("{line}");
        } else {
            println!("{men:6} {positions:>11} {can:>11} {cannot:>11} {unknown:>9} {wrong:>7}");
        }
    }
}

/// Every position with 3 or 4 men, against a solution from the mates backwards
#[derive(Debug, Parser)]
struct FewMen {
    /// How many men, kings included
    #[arg(value_parser = clap::value_parser!(u8).range(3..=4))]
    pieces: u8,
    /// Ask about one position in N only
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZeroUsize,
    /// Begin with this set of men, as in KQkp: to go on with a run that was ended
    #[arg(long, value_name = "MEN")]
    from: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Exits with 1 if an answer was wrong.
fn main() -> anyhow::Result<ExitCode> {
    let wrong = FewMen::parse().run()?;
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl FewMen {
    /// Solves all positions with up to so many men, asks whether White can mate of those with just as many, and prints a row
    /// for each set of men. Says how many answers were wrong.
    fn run(self) -> anyhow::Result<usize> {
        let Self { pieces, every, from, json } = self;
        let mut sets = Men::groups(usize::from(pieces)).concat();
        if let Some(from) = from {
            let Some(first) = sets.iter().position(|men| men.name() == from) else {
                let names: Vec<String> = sets.iter().map(Men::name).collect();
                bail!("--from {from}: no set of {pieces} men; they are {}", names.join(" "));
            };
            sets.drain(..first);
        }
        let solution = solve(usize::from(pieces));
        let bar = progress(sets.iter().map(|&men| solution.parts(men) as u64).sum(), "asking");
        if !json {
            println!("MEN      POSITIONS   CAN MATE      CANNOT   UNKNOWN   WRONG");
        }
        let mut all = Figures::default();
        for men in sets {
            let parts: Vec<usize> = (0..solution.parts(men)).collect();
            let mut figures = Figures::default();
            for part in in_parallel(&parts, &bar, |&part| ask(&solution, men, part, every, &bar)) {
                figures += part;
            }
            bar.suspend(|| figures.print(&men.name(), json));
            all += figures;
        }
        bar.finish_and_clear();
        if !json {
            all.print("all", json);
        }
        Ok(all.wrong)
    }
}

/// A bar for so much work, where somebody looks.
fn progress(work: u64, what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg} {wide_bar} {percent} % {eta}").expect("a template that is one");
    ProgressBar::new(work).with_style(style).with_message(what)
}

fn solve(most: usize) -> Solution {
    let groups: Vec<Vec<Men>> = (3..=most).flat_map(Men::groups).collect();
    let bar = progress(groups.iter().map(|group| group.len() as u64).sum(), "solving");
    let mut solution = Solution::default();
    for group in groups {
        for solved in in_parallel(&group, &bar, |&men| solution.solve(men)) {
            solution.insert(solved);
        }
    }
    bar.finish_and_clear();
    solution
}

fn ask(solution: &Solution, men: Men, part: usize, every: NonZeroUsize, bar: &ProgressBar) -> Figures {
    let mut figures = Figures::default();
    // Parts differ in which they begin with, so that no square is left out.
    for (chess, can) in solution.positions(men, part).into_iter().skip(part % every).step_by(every.get()) {
        let verdict = verdict(&chess);
        let is_wrong = match verdict {
            Ok(verdict) => verdict.is_some_and(|verdict| verdict != can),
            Err(_) => true,
        };
        figures += Figures {
            positions: 1,
            can: usize::from(can),
            unknown: usize::from(verdict == Ok(None)),
            wrong: usize::from(is_wrong),
        };
        if is_wrong && figures.wrong <= SHOWN {
            let fen = Fen::from_position(&chess, EnPassantMode::Legal);
            let what = verdict.err().unwrap_or(if can { "can" } else { "cannot" });
            bar.suspend(|| eprintln!("wrong: {fen}: White {what}"));
        }
    }
    figures
}

/// Whether White can mate, where it is known. Lines are played and the two forms compared.
fn verdict(chess: &Chess) -> Result<Option<bool>, &'static str> {
    let is_ruled_out = cannot_mate(chess, Color::White).is_some();
    match can_mate(chess, Color::White, NODES) {
        CanMate::Yes(_) if is_ruled_out => Err("can and cannot, in the full and in the quick form"),
        CanMate::Yes(line) if !mates(chess, &line) => Err("is given moves that do not mate"),
        CanMate::Yes(_) => Ok(Some(true)),
        CanMate::No(proof) if check(chess, Color::White, &proof).is_err() => {
            Err("is given a proof that is none")
        }
        CanMate::No(_) => Ok(Some(false)),
        CanMate::Unknown(_) => Ok(is_ruled_out.then_some(false)),
    }
}

fn mates(chess: &Chess, line: &[Move]) -> bool {
    let mut position = chess.clone();
    for &mv in line {
        if !position.is_legal(mv) {
            return false;
        }
        position.play_unchecked(mv);
    }
    position.is_checkmate() && position.turn().is_black()
}

/// Does each job on some core; the results are in the order of the jobs.
fn in_parallel<J: Sync, R: Send>(jobs: &[J], bar: &ProgressBar, job: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(jobs.len()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let take = || next.fetch_add(1, Ordering::Relaxed);
                while let Some((index, work)) = Some(take()).and_then(|index| Some((index, jobs.get(index)?)))
                {
                    let result = job(work);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                    bar.inc(1);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    #[test]
    fn a_verdict_is_proved() {
        let chess =
            |fen: &str| fen.parse::<Fen>().unwrap().into_position::<Chess>(CastlingMode::Standard).unwrap();
        let queen = chess("7k/8/6K1/8/8/8/Q7/8 w - - 0 1");
        assert_eq!(verdict(&queen), Ok(Some(true)));
        assert!(!mates(&queen, &[]));
        assert_eq!(verdict(&chess("7k/8/6K1/8/8/8/8/B7 b - - 0 1")), Ok(Some(false)));
    }

    #[test]
    fn positions_are_dealt_out_to_all_and_counted() {
        let solution = solve(3);
        let men = Men::groups(3).concat().into_iter().find(|men| men.name() == "KQk").expect("a set of men");
        let bar = ProgressBar::hidden();
        let parts: Vec<usize> = (0..solution.parts(men)).collect();
        let counted = in_parallel(&parts, &bar, |&part| solution.positions(men, part).len());
        let some = in_parallel(&parts, &bar, |&part| {
            ask(&solution, men, part, NonZeroUsize::new(500).unwrap(), &bar)
        });
        let positions: usize = some.iter().map(|figures| figures.positions).sum();
        assert!((60..130).contains(&positions) && counted.iter().sum::<usize>() > 40_000, "{positions}");
        assert!(some.iter().all(|figures| figures.wrong == 0));
    }
}
