//! `adoube play`: a game on one board against an engine, or on lichess.org.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, Subcommand};

use super::Answer;
use super::play_board::PlayBoard;
use crate::play::lichess::{Ask, Client, LichessGame, Wish, find};
use crate::play::{Engine, Limit, Opening};
use adoube_core::event::Player;
use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, Position as _};
use adoube_sim::ClockSetting;

/// What a thinking time is where nothing else is said, milliseconds.
const MOVE_TIME_MS: u64 = 1_000;

/// Play a game on a board against an engine, or on lichess.org
#[derive(Debug, Args)]
pub(super) struct Play {
    #[command(subcommand)]
    opponent: Opponent,
}

#[derive(Debug, Subcommand)]
enum Opponent {
    Engine(Box<EngineGame>),
    Lichess(Box<Lichess>),
}

/// Play against a UCI engine on this machine
#[derive(Debug, Args)]
#[command(
    after_help = "Move your men on the board; the engine's moves are shown on the clock, on the page and here. At \
                        the keyboard: resign, draw, takeback, abort, quit.\n\n\
                        Example:\n  adoube play engine --cmd stockfish --elo 1500\n  \
                        adoube play engine --cmd \"gnuchess --uci\" --side black --time-control 600+5"
)]
struct EngineGame {
    /// The engine and its arguments
    #[arg(long, value_name = "COMMAND")]
    cmd: String,
    /// The side that you play: white, black or random
    #[arg(long, value_name = "SIDE", default_value = "white", value_parser = side)]
    side: Chosen,
    /// Seconds for each side and for each move, e.g. 600+5
    #[arg(long, value_name = "BASE+INCREMENT", conflicts_with_all = ["movetime", "depth"])]
    time_control: Option<ClockSetting>,
    /// It thinks so many milliseconds a move
    #[arg(long, value_name = "MS", conflicts_with = "depth", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// It looks so many plies ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// It plays about that strong, if it can
    #[arg(long, value_name = "N")]
    elo: Option<u32>,
    /// Position from which the game starts
    #[arg(long, value_name = "FEN")]
    start: Option<String>,
    /// Castle as in Chess960
    #[arg(long, requires = "start")]
    chess960: bool,
    /// Set an option of the engine, e.g. Hash=64 (can be repeated)
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Go on with the last game on this board, which was broken off
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    board: PlayBoard,
}

/// Play on lichess.org
#[derive(Debug, Args)]
#[command(
    after_help = "Without --game, --seek or --challenge: the game that is going on, or the next one that you begin on \
                        the site. A token with the permission to play with boards is made at\n\
                        https://lichess.org/account/oauth/token/create?scopes[]=board:play\n\
                        At the keyboard: resign, draw, no, takeback, abort, quit.\n\n\
                        Example:\n  adoube play lichess --seek 15+10\n  adoube play lichess --token key --game 5IrD6Gzz"
)]
struct Lichess {
    /// File with the token (else lichess-token among the service's credentials, or in ~/.config/adoube)
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// Another Lichess
    #[arg(long, value_name = "URL", default_value = "https://lichess.org")]
    url: String,
    /// Go on with this game
    #[arg(long, value_name = "ID", conflicts_with_all = ["seek", "challenge"])]
    game: Option<String>,
    /// Seek somebody for a game of so many minutes and seconds a move
    #[arg(long, value_name = "MINUTES+SECONDS", value_parser = pace, conflicts_with = "challenge")]
    seek: Option<Pace>,
    /// Challenge this player
    #[arg(long, value_name = "USER")]
    challenge: Option<String>,
    /// Minutes and seconds a move of a challenge
    #[arg(long, value_name = "MINUTES+SECONDS", value_parser = pace, default_value = "15+10")]
    pace: Pace,
    /// The side that you want in a seek or a challenge: white, black or random
    #[arg(long, value_name = "SIDE", default_value = "random", value_parser = side)]
    side: Chosen,
    /// The game sought counts for the rating
    #[arg(long)]
    rated: bool,
    /// Chess960
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    board: PlayBoard,
}

/// A side, if it does not matter none.
type Chosen = Choice;

#[derive(Debug, Clone, Copy)]
struct Choice(Option<Side>);

/// Minutes, and seconds a move.
#[derive(Debug, Clone, Copy)]
struct Pace(u32, u32);

fn side(text: &str) -> Result<Choice, String> {
    match text {
        "white" => Ok(Choice(Some(Side::White))),
        "black" => Ok(Choice(Some(Side::Black))),
        "random" => Ok(Choice(None)),
        _ => Err("use white, black or random".to_owned()),
    }
}

fn pace(text: &str) -> Result<Pace, String> {
    let parts = text
        .split_once('+')
        .and_then(|(minutes, seconds)| Some((minutes.parse().ok()?, seconds.parse().ok()?)));
    match parts {
        Some((minutes @ 0..=180, seconds @ 0..=180)) => Ok(Pace(minutes, seconds)),
        _ => Err("write minutes and seconds a move, like 15+10; 180 of each at most".to_owned()),
    }
}

impl Play {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        match &self.opponent {
            Opponent::Engine(game) => game.run().await,
            Opponent::Lichess(game) => game.run().await,
        }
    }
}

impl EngineGame {
    async fn run(&self) -> anyhow::Result<Answer> {
        let start = match &self.start {
            Some(fen) => ChessPosition::start_from_fen(fen, self.chess960)
                .map_err(|error| anyhow!("--start {fen}: {error}"))?,
            None => ChessPosition::default(),
        };
        let limit = self.limit();
        let mut engine = Engine::start(&self.cmd, limit).await?;
        for option in &self.option {
            let (name, value) = option
                .split_once('=')
                .with_context(|| format!("--option {option}: write NAME=VALUE, e.g. Hash=64"))?;
            engine.set(name.trim(), value.trim()).await?;
        }
        if let Some(elo) = self.elo {
            if !engine.has("UCI_Elo") {
                bail!(
                    "--elo {elo}: {} cannot be told how strong to play; --option may know a way",
                    engine.name()
                );
            }
            engine.set("UCI_LimitStrength", "true").await?;
            engine.set("UCI_Elo", &elo.to_string()).await?;
        }
        let ours = self.side.0.unwrap_or_else(|| if fastrand::bool() { Side::White } else { Side::Black });
        let me = Player { name: Some(self.board.player()), ..Player::default() };
        let it = Player { name: Some(engine.name().to_owned()), elo: self.elo, ..Player::default() };
        let mut opening = Opening {
            start: start.fen(),
            is_chess960: self.chess960,
            ours,
            players: if ours == Side::White { [me, it] } else { [it, me] },
            time_control: self
                .time_control
                .map(|setting| format!("{}+{}", setting.base_s[0], setting.increment_s[0])),
            moves: Vec::new(),
            skipped: 0,
            address: None,
        };
        let prepared = self.board.prepare(&mut opening, self.resume).await?;
        engine.prepare(opening.clone()).await?;
        prepared.play(opening, engine).await
    }

    fn limit(&self) -> Limit {
        match (self.time_control, self.depth) {
            (Some(setting), _) => Limit::Clock {
                base_ms: setting.base_s[0] * 1_000,
                increment_ms: setting.increment_s[0] * 1_000,
            },
            (None, Some(depth)) => Limit::Depth(depth),
            (None, None) => Limit::MoveTime(self.movetime.unwrap_or(MOVE_TIME_MS)),
        }
    }
}

impl Lichess {
    async fn run(&self) -> anyhow::Result<Answer> {
        let client = Client::new(&self.url, &self.token()?).map_err(anyhow::Error::msg)?;
        let id = match &self.game {
            Some(id) => id.clone(),
            None => {
                let ask = self.ask();
                let found = find(&client, &ask, |note| eprintln!("{note}"));
                tokio::select! {
                    id = found => id.map_err(anyhow::Error::msg)?,
                    left = super::interrupted() => return left.map(|()| Answer::Yes),
                }
            }
        };
        let game = LichessGame::join(client, &id).await.map_err(anyhow::Error::msg)?;
        let mut opening = game.opening().clone();
        let prepared = self.board.prepare(&mut opening, true).await?;
        prepared.play(opening, game).await
    }

    fn ask(&self) -> Ask {
        let wish = |Pace(minutes, increment_s): Pace| Wish {
            minutes,
            increment_s,
            side: self.side.0,
            is_rated: self.rated,
            is_chess960: self.chess960,
        };
        match (&self.seek, &self.challenge) {
            (Some(pace), _) => Ask::Seek(wish(*pace)),
            (None, Some(user)) => Ask::Challenge(user.clone(), wish(self.pace)),
            (None, None) => Ask::Next,
        }
    }

    /// The token, from the first place that has one.
    fn token(&self) -> anyhow::Result<String> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let home = || Some(variable("HOME")?.join(".config"));
        let usual = || {
            let credential = variable("CREDENTIALS_DIRECTORY").map(|folder| folder.join("lichess-token"));
            let own =
                variable("XDG_CONFIG_HOME").or_else(home).map(|folder| folder.join("adoube/lichess-token"));
            credential.filter(|file| file.exists()).or(own)
        };
        let file = self.token.clone().or_else(usual).context("no token: name its file with --token")?;
        let text = std::fs::read_to_string(&file).map_err(|error| no_token(&file, &error.to_string()))?;
        let token = text.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!(no_token(&file, "it holds no token"));
        }
        Ok(token.to_owned())
    }
}

fn no_token(file: &Path, error: &str) -> anyhow::Error {
    anyhow!(
        "{}: {error}; make a token at https://lichess.org/account/oauth/token/create?scopes[]=board:play and put it into \
         that file, or name another with --token",
        file.display()
    )
}
