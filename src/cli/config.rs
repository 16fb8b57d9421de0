//! `adoube config`: is the configuration right, and what could be in it?

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Answer;
use crate::config::{Config as Settings, DEFAULT_TOML};

/// Check a configuration, or print a commented one
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube config init > adoube.toml\n  adoube config check --config adoube.toml"
)]
pub(super) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say whether the configuration can be used, and which one it is
    #[command(after_help = "Example:\n  adoube config check --config hall.toml")]
    Check {
        /// Configuration file
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Print everything that can be set, with its default
    #[command(after_help = "Example:\n  adoube config init > adoube.toml")]
    Init,
}

impl Config {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match &self.action {
            Action::Init => print!("{DEFAULT_TOML}"),
            Action::Check { config } => {
                let (settings, file) = Settings::load(config.as_deref())?;
                let boards = match settings.boards.len() {
                    0 => "every board that answers".to_owned(),
                    1 => "1 board".to_owned(),
                    count => format!("{count} boards"),
                };
                match file {
                    Some(file) => println!("{}: ok, {boards}", file.display()),
                    None => println!("no configuration file: {boards}, pages on loopback"),
                }
            }
        }
        Ok(Answer::Yes)
    }
}
