//! `adoube bench`: figures that anybody can measure again.

use clap::{Args, Subcommand};

use super::Answer;
use super::bench_bus::BenchBus;
use super::bench_hall::{self, BenchHall};
use super::bench_inference::BenchInference;
use super::bench_position::BenchPosition;
use super::bench_spectators::BenchSpectators;

/// Measure how fast this machine does it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube bench hall --boards 100")]
pub(super) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Bus(BenchBus),
    Hall(BenchHall),
    /// The boards of "hall"
    #[command(hide = true)]
    HallBoards(bench_hall::Generator),
    /// The restart of "hall"
    #[command(hide = true)]
    HallRestart(bench_hall::Restart),
    /// The viewer of "hall"
    #[command(hide = true)]
    HallViewer(bench_hall::Viewer),
    Inference(BenchInference),
    Position(BenchPosition),
    Spectators(BenchSpectators),
}

impl Bench {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match &self.what {
            What::Bus(command) => command.run(),
            What::Hall(command) => command.run(),
            What::HallBoards(command) => command.run(),
            What::HallRestart(command) => command.run(),
            What::HallViewer(command) => command.run(),
            What::Inference(command) => command.run(),
            What::Position(command) => command.run(),
            What::Spectators(command) => command.run(),
        }
    }
}
