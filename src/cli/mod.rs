//! The commands, one file each.
//!
//! Data goes to stdout, everything else to stderr. Exit 0: done; 1: the answer is no; 2: usage or bad
//! input, with one clear line.

mod bench;
mod bench_bus;
mod bench_hall;
mod bench_inference;
mod bench_position;
mod bench_spectators;
mod boards;
mod cert;
mod columns;
mod config;
mod control;
mod demo;
mod doctor;
mod expected;
mod explain;
mod input;
mod journal;
mod log;
mod man;
mod pairings;
mod play;
mod play_board;
mod position;
mod qr;
mod record;
mod relay;
mod replay;
mod round;
mod run;
mod scenario;
mod simulate;
mod to_play;
mod token;
mod virtual_boards;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::process;

/// How a command ended, if nothing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
}

#[derive(Debug, Parser)]
#[command(name = "adoube", version, about, max_term_width = 100, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the whole daemon at work on simulated boards
    Demo(demo::Demo),
    /// Run the daemon
    Run(run::Run),
    /// Serve spectators from NATS, without boards
    Relay(relay::Relay),
    /// Show what is attached and what answers
    Boards(boards::Boards),
    /// Write down what a real board says, as a capture
    Record(record::Record),
    /// Look for what is wrong with this machine, and say what to do
    Doctor(doctor::Doctor),
    /// Put a recording through the same core as a live board
    Replay(replay::Replay),
    /// Run scenario files: what hands did, what must come of it
    Scenario(scenario::Command),
    /// Play games by virtual hands on virtual boards
    Simulate(simulate::Simulate),
    /// Say whether positions are legal, and who can still mate
    Position(position::Position),
    /// Play a game on a board against an engine, or on lichess.org
    Play(play::Play),
    /// Take games or events out of the journal
    Export(journal::Export),
    /// Check that nothing in the journal was changed or cut out
    Verify(journal::Verify),
    /// Import pairings, list them, move games to other boards
    Pairings(pairings::Command),
    /// Open, close and list rounds
    Round(round::Round),
    /// Say who may log in at the desk
    Token(token::Token),
    /// Make a certificate for the desk
    Cert(cert::Cert),
    /// Measure how fast this machine does it
    Bench(bench::Bench),
    /// Check a configuration, or print a commented one
    Config(config::Config),
    /// Print completions for a shell
    #[command(after_help = "Example:\n  adoube completions bash > /etc/bash_completion.d/adoube")]
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man(man::Man),
}

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One TLS library in the process; only a second installation could fail.
    let _first = rustls::crypto::ring::default_provider().install_default();
    // Simulated boards come and go on purpose.
    let is_demo = matches!(arguments.command, Command::Demo(_));
    log::start(if is_demo { tracing::Level::ERROR } else { tracing::Level::WARN });
    let answer = match arguments.command {
        Command::Demo(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Relay(command) => command.run(),
        Command::Boards(command) => command.run(),
        Command::Record(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Position(command) => command.run(),
        Command::Play(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Pairings(command) => command.run(),
        Command::Round(command) => command.run(),
        Command::Token(command) => command.run(),
        Command::Cert(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Config(command) => command.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "adoube", &mut std::io::stdout());
            Ok(Answer::Yes)
        }
        Command::Man(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Scenario(command) => command.run(),
        Command::Simulate(command) => command.run(),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("adoube: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whoever read our output has enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// Sets one parameter of a board from `KEY=VALUE`.
fn set(open: &mut adoube_core::station::Open, setting: &str) -> anyhow::Result<()> {
    let Some((key, value)) = setting.split_once('=') else {
        anyhow::bail!("--set {setting}: write KEY=VALUE, e.g. announce=fast");
    };
    open.set(key, value).map_err(|error| anyhow::anyhow!("--set {setting}: {error}"))
}

/// Waits for Ctrl-C or SIGTERM.
async fn interrupted() -> anyhow::Result<()> {
    interruption()?.await;
    Ok(())
}

/// What waits for Ctrl-C or SIGTERM: neither ends the process at once from now on.
fn interruption() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut pressed, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = pressed.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}
