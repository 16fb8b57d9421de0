//! `adoube config`: is the configuration right, and what could be in it?

use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, Subcommand};

use super::Answer;
use crate::config::{Config as Settings, DEFAULT_TOML, LichessFeed, NatsFeed, WebhookFeed};
use crate::web;

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
                if let Err(Lack { section, key, what }) = needs(&settings) {
                    match file.map(|file| (line_of(&file, section, key), file)) {
                        Some((line, file)) => bail!("{}:{line}: {what}", file.display()),
                        None => bail!("{what}"),
                    }
                }
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

/// What the machine has not, and where the configuration asks for it.
struct Lack {
    section: &'static str,
    key: &'static str,
    what: String,
}

/// Is everything there that `config` names: files that can be read, folders that can be written?
fn needs(config: &Settings) -> Result<(), Lack> {
    fn of<T, E: ToString>(
        section: &'static str,
        key: &'static str,
        done: Option<Result<T, E>>,
    ) -> Result<(), Lack> {
        let lack = |error: E| Lack { section, key, what: error.to_string() };
        done.transpose().map(drop).map_err(lack)
    }
    let folder = |path: &Path| {
        let what =
            |error: io::Error| format!("path = \"{}\": no file can be made there: {error}", path.display());
        make_file(path).map_err(what)
    };
    let feeds = &config.feeds;
    of("[web.tls]", "certificate", config.web.tls.as_ref().map(web::acceptor))?;
    of("[feeds.pgn]", "path", feeds.pgn.as_ref().map(|feed| folder(&feed.path)))?;
    of("[feeds.lichess]", "token", feeds.lichess.as_ref().map(LichessFeed::open))?;
    of("[feeds.nats]", "credentials", feeds.nats.as_ref().map(NatsFeed::open))?;
    of("[feeds.webhook]", "secret", feeds.webhook.as_ref().map(WebhookFeed::open))?;
    let journal = config.state_directory().map_err(|error| error.to_string());
    of("[journal]", "path", Some(journal.and_then(|path| folder(&path))))
}

/// Makes a file in `folder`, or in what is there of it, which is gone at once.
fn make_file(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or_else(|| Path::new("."));
    tempfile::tempfile_in(there).map(drop)
}

/// The line of `key` in `section`, from 1, or of what comes nearest to it.
fn line_of(file: &Path, section: &str, key: &str) -> usize {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = || (1..).zip(text.lines().map(str::trim_start));
    let Some((begin, _)) = lines().find(|(_, line)| line.starts_with(section)) else { return 1 };
    let mut own = lines().skip(begin).take_while(|(_, line)| !line.starts_with('['));
    own.find(|(_, line)| line.starts_with(key)).map_or(begin, |(line, _)| line)
}
