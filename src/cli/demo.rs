//! `adoube demo`: the whole daemon against simulated boards.

use std::collections::BTreeMap;
use std::io;
use std::net::{self, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::to_play::{self, FOUR_PLAYER, ToPlay};
use super::virtual_boards::serve;
use super::{Answer, control};
use crate::config::Rounds;
use crate::daemon::{Daemon, Feeds, Settings, Sockets};
use crate::drill::Drill;
use crate::feed::pgn::EventTags;
use crate::feed::pgn_files::PgnFiles;
use crate::feed::sheets::PublishAt;
use crate::feed::unseen::RecoveredAtFeeds;
use crate::feed::view::{GameView, HallView};
use crate::hall::{Clock, Hall};
use crate::link::Port;
use adoube_core::pairings::{Pairing, Pairings};
use adoube_core::station::{Open, OpenPairing};
use adoube_rules::four::FourPlayer;
use adoube_rules::pgn::read_games;
use adoube_rules::{Chess, GameKind, Position as _, Variant};
use adoube_sim::{BoardConfig, ClockSetting, Noise, VirtualBoard};

/// The games that the project carries.
pub(super) const GAMES: &str = include_str!("../demo/games.pgn");

/// The usual control of long games: nobody loses on time in a demonstration.
const TIME_CONTROL: &str = "5400+30";

/// Where the arbiter's page of a daemon is; a demonstration takes another port if that is in use.
const DESK: u16 = 8064;

/// More boards than this play the same made-up games by other hands.
const FOUR_PLAYER_GAMES: usize = 8;

/// After its game a board rests so long before the next one is set up, in seconds of the demo.
const REST: Duration = Duration::from_secs(15);

/// From a board's being switched on to the first lift: the daemon has just seen the start array.
const FIRST_LIFT_NS: u64 = 600 * adoube_rules::stamp::MS;

/// And at least so long, so that its last move comes through however fast time runs: a mate without a signal of the
/// kings has to stand first.
const REST_LEAST: Duration = Duration::from_secs(2);

/// With `--once` a board stays until its game has come through, and no longer than this: on a busy machine that takes
/// its time, and a game that comes out wrong never does.
const REST_MOST: Duration = Duration::from_secs(30);

/// Show the whole daemon at work on simulated boards
#[derive(Debug, Args)]
#[command(
    after_help = "The first line on stdout is the address of the desk with a one-time login, good once, for an \
                  hour: whoever opens it first is arbiter.\n\n\
                  Example:\n  adoube demo\n  adoube demo --boards 4 --speed 10\n  adoube demo --once --speed 50\n  adoube demo --variant four-player --boards 2 --speed 10\n  adoube demo --incidents"
)]
pub(super) struct Demo {
    /// Games to be played (else eight that the project carries; four-player games are made up)
    #[arg(long, value_name = "PGN")]
    games: Option<PathBuf>,
    /// How many boards
    #[arg(long, value_name = "N", default_value_t = 8)]
    boards: usize,
    /// Let time run so many times as fast
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,
    /// End after the round and print a summary
    #[arg(long)]
    once: bool,
    /// How the hands behave: clean, light or heavy
    #[arg(long, default_value = "light", value_name = "LEVEL")]
    noise: Noise,
    /// The same seed gives the same hands
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Practise: things go wrong on cue, and wait for the arbiter's ruling (all of them, or one by its name)
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "all",
          conflicts_with_all = ["games", "boards", "noise", "seed", "set", "variant"])]
    incidents: Option<String>,
    /// Set a parameter, e.g. publish_at=completed (can be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// chess or four-player
    #[arg(long, value_name = "VARIANT", default_value = "chess")]
    variant: String,
}

impl Demo {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        self.validate()?;
        if let Some(name) = &self.incidents {
            let drill = Drill::new(Some(name.as_str()).filter(|name| *name != "all"))?;
            return self.practise(drill).await;
        }
        if self.variant == FOUR_PLAYER {
            let records = match &self.games {
                Some(path) => to_play::records(path)?,
                None => to_play::made_up_to_the_end(self.boards.min(FOUR_PLAYER_GAMES)),
            };
            return self.show::<FourPlayer>(records.iter().map(ToPlay::from).collect()).await;
        }
        let games = match &self.games {
            Some(path) => to_play::chess(std::slice::from_ref(path))?,
            None => read_games(GAMES.as_bytes())?.iter().map(ToPlay::from).collect(),
        };
        self.show::<Chess>(games).await
    }

    /// Plays these games, each on a board of its own.
    async fn show<V: Variant>(&self, mut games: Vec<ToPlay<V>>) -> anyhow::Result<Answer> {
        games.retain(|game| !game.game.moves.is_empty());
        if games.is_empty() {
            bail!("none of the games has a move");
        }
        let state = state()?;
        let boards = if self.once { self.boards.min(games.len()) } else { self.boards };
        let mut opened = Vec::new();
        let mut listeners = Vec::new();
        for index in 0..boards {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port = listener.local_addr()?.port();
            let port = Port::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port };
            let mut open = self.open(index, &games[index % games.len()], &port);
            for setting in &self.set {
                super::set(&mut open, setting)?;
            }
            opened.push((open, port));
            listeners.push(listener);
        }
        let settings = self.settings(opened, state.path())?;
        let interruption = super::interruption()?;
        let mut hands = JoinSet::new();
        let round = Arc::new(self.playing(games, boards));
        for (index, listener) in listeners.into_iter().enumerate() {
            hands.spawn(Arc::clone(&round).play(index, listener));
        }
        // Boards go on before there are pages: somebody has to be there.
        let daemon = Daemon::start(settings).await?;
        round.hall.get_or_init(|| Arc::downgrade(&daemon.hall));
        super::run::announce(&daemon, false);
        let answer = if self.once {
            while let Some(played) = hands.join_next().await {
                played??;
            }
            summary(&daemon, &round.games[..boards])
        } else {
            eprintln!("Ctrl-C ends the demonstration");
            interruption.await;
            Answer::Yes
        };
        daemon.stop().await;
        Ok(answer)
    }

    /// A hall in which things go wrong, until all have been ruled on.
    async fn practise(&self, drill: Drill) -> anyhow::Result<Answer> {
        let state = state()?;
        let (mut opened, mut boards) = (Vec::new(), Vec::new());
        for (open, port, board) in drill.boards(self.speed)? {
            opened.push((open, port));
            boards.push(board);
        }
        let settings = Settings { rounds: Rounds::Manual, ..self.settings(opened, state.path())? };
        let mut interruption = pin!(super::interruption()?);
        let daemon = Daemon::start(settings).await?;
        super::run::announce(&daemon, false);
        let missed = tokio::select! {
            missed = drill.run(&daemon.hall, boards) => missed?,
            () = &mut interruption => {
                daemon.stop().await;
                return Ok(Answer::Yes);
            }
        };
        if !self.once {
            eprintln!("Ctrl-C ends the practice");
            interruption.await;
        }
        daemon.stop().await;
        Ok(if missed == 0 { Answer::Yes } else { Answer::No })
    }

    /// What the daemon is started with.
    fn settings(&self, boards: Vec<(Open, Port)>, state: &Path) -> anyhow::Result<Settings> {
        let desk = listen(DESK)?;
        Ok(Settings {
            boards,
            tags: EventTags { event: Some("adoube demonstration".to_owned()), site: None },
            feeds: Feeds {
                pgn: Some(PgnFiles {
                    folder: state.join("pgn"),
                    per_game: true,
                    recovered: RecoveredAtFeeds::default(),
                    publish_at: PublishAt::default(),
                }),
                ..Feeds::default()
            },
            public: Some((Ipv4Addr::LOCALHOST, 0).into()),
            // Where another daemon has it, a demonstration goes without.
            control: control::own_place().unwrap_or_default(),
            speed: self.speed,
            sockets: Sockets { desk: Some(Arc::clone(&desk)), public: None },
            ..Settings::new(state.join("journal"), desk.local_addr()?)
        })
    }

    /// The players of these games.
    fn playing<V: Variant>(&self, games: Vec<ToPlay<V>>, boards: usize) -> Playing<V> {
        Playing {
            games,
            boards,
            protocol: self.protocol(),
            noise: self.noise,
            seed: self.seed,
            speed: self.speed,
            once: self.once,
            hall: OnceLock::new(),
            all: Barrier::new(boards),
        }
    }

    fn validate(&self) -> anyhow::Result<()> {
        if !matches!(self.variant.as_str(), "chess" | FOUR_PLAYER) {
            bail!("--variant {}: this version demonstrates chess and {FOUR_PLAYER}", self.variant);
        }
        if !self.speed.is_finite() || self.speed <= 0.0 {
            bail!("--speed {}: must be more than 0", self.speed);
        }
        if !(1..=500).contains(&self.boards) {
            bail!("--boards {}: between 1 and 500", self.boards);
        }
        Ok(())
    }

    fn open<V: Variant>(&self, index: usize, game: &ToPlay<V>, port: &Port) -> Open {
        let mut open = Open::new(&(index + 1).to_string(), self.protocol(), &port.to_string());
        open.time_control = Some(TIME_CONTROL.to_owned());
        open.start.clone_from(&game.start);
        if game.variant == GameKind::FourPlayer {
            open.variant = game.variant;
        }
        let [white, black] = game.players.clone();
        let number = u32::try_from(index + 1).unwrap_or(0);
        let red_blue = game.red_blue.clone();
        let pairing = OpenPairing { round: 1, number, white, black, red_blue, ..OpenPairing::default() };
        open.pairing = Some(pairing);
        open
    }

    /// What the boards speak.
    fn protocol(&self) -> &'static str {
        if self.variant == FOUR_PLAYER { "open" } else { "dgt" }
    }
}

/// The players at all boards.
struct Playing<V: Variant> {
    games: Vec<ToPlay<V>>,
    boards: usize,
    protocol: &'static str,
    noise: Noise,
    seed: u64,
    speed: f64,
    once: bool,
    /// Once it is there.
    hall: OnceLock<Weak<Hall>>,
    /// Where they meet when all have played.
    all: Barrier,
}

impl<V: Variant> Playing<V> {
    /// What is played at a board in a round, which count from 0: each has its own share of the games, over and over.
    fn game(&self, index: usize, round: usize) -> &ToPlay<V> {
        &self.games[(index + round * self.boards) % self.games.len()]
    }

    async fn play(self: Arc<Self>, index: usize, mut listener: TcpListener) -> anyhow::Result<()> {
        let address = listener.local_addr()?;
        // Where time runs faster, the hands wait until the daemon has seen the start array.
        let is_slow = self.speed <= 1.0;
        for round in 0.. {
            let game = self.game(index, round);
            let config = BoardConfig {
                protocol: self.protocol,
                noise: self.noise,
                seed: self.seed.wrapping_add((index + 1_000 * round) as u64),
                serial: 10_001 + u32::try_from(index).unwrap_or(0),
                clock: TIME_CONTROL.parse::<ClockSetting>().ok(),
                signal_result: true,
                start_at_once: is_slow,
                ..BoardConfig::default()
            };
            let board = VirtualBoard::new(&game.game, config);
            // Nobody watches players think before the first move of a demonstration.
            let first_lift_ns = board.truth().first().map_or(0, |ply| ply.lifted_ns);
            let thought_ns = first_lift_ns.saturating_sub(FIRST_LIFT_NS);
            let clock = Clock::starting_at(if is_slow { thought_ns } else { 0 }, self.speed);
            let rest = REST.div_f64(self.speed).max(REST_LEAST);
            let has_come = || {
                let difference = |view: &HallView| difference(view.game(&name(index)), game);
                let is_played = |hall: Arc<Hall>| hall.desk.with_view(difference).is_none();
                self.hall.get().is_some_and(|hall| hall.upgrade().is_none_or(is_played))
            };
            let is_enough =
                |rested: Duration| rested >= rest && (!self.once || rested >= REST_MOST || has_come());
            serve(listener, board, clock, is_enough).await?;
            if self.once {
                break;
            }
            if self.all.wait().await.is_leader() {
                self.pair(round + 1).await;
            }
            // Nobody sits down before the pairings are there.
            self.all.wait().await;
            listener = TcpListener::bind(address).await?;
        }
        Ok(())
    }

    /// Pairs the next round, and opens it.
    async fn pair(&self, round: usize) {
        let Some(hall) = self.hall.get().and_then(Weak::upgrade) else { return };
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        let pairings = (0..self.boards).map(|index| {
            let game = self.game(index, round);
            let [white, black] = game.players.clone();
            let (red, blue) = game.red_blue.clone().map(|players| (*players).into()).unzip();
            let board = Some((index + 1).to_string());
            let (round, number) = (number(round), number(index));
            Pairing { round, number, board, white, black, red, blue, ..Pairing::default() }
        });
        let rounds = BTreeMap::from([(number(round), pairings.collect())]);
        let imported = hall.import(Pairings { rounds, ..Pairings::default() }, None).await;
        let opened = match imported {
            Ok(_) => hall.open_round(number(round), None).await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = opened {
            eprintln!("round {} is played without pairings: {error}", number(round));
        }
    }
}

/// Where a demonstration keeps what it needs, and no longer than it lasts.
fn state() -> anyhow::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("adoube-demo-").tempdir().context("no room for the demo")
}

/// Listens at `port` on loopback, or at any port that is free. Whoever starts at the same time finds it taken.
pub(super) fn listen(port: u16) -> io::Result<Arc<net::TcpListener>> {
    let at = |port| net::TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    at(port).or_else(|_| at(0)).map(Arc::new)
}

/// The name of the first game at a board.
fn name(index: usize) -> String {
    format!("1-{}", index + 1)
}

/// A line for each game: did it come back as it was played?
fn summary<V: Variant>(daemon: &Daemon, games: &[ToPlay<V>]) -> Answer {
    let mut answer = Answer::Yes;
    for (index, expected) in games.iter().enumerate() {
        let played = daemon.hall.desk.with_view(|view| view.game(&name(index)).cloned());
        let verdict = difference(played.as_ref(), expected);
        let (title, plies) = (&expected.title, expected.game.moves.len());
        let open = expected.game.result.filter(|_| played.is_some_and(|game| game.result == "*"));
        let rest =
            open.map_or_else(String::new, |result| format!("; {} is the arbiter's to enter", result.name()));
        match verdict {
            None => println!("ok   board {}: {title}, {plies} plies{rest}", index + 1),
            Some(reason) => {
                answer = Answer::No;
                println!("FAIL board {}: {title}: {reason}", index + 1);
            }
        }
    }
    answer
}

/// In what a game differs from the one that was played; `None` if in nothing.
fn difference<V: Variant>(game: Option<&GameView>, expected: &ToPlay<V>) -> Option<String> {
    let Some(game) = game else { return Some("never opened".to_owned()) };
    let (variant, expected) = (expected.variant, &expected.game);
    let mut position = expected.start.clone();
    let moves = game.moves.all();
    for (ply, &mv) in expected.moves.iter().enumerate() {
        let uci = position.played(mv).uci();
        match moves.get(ply) {
            Some(made) if made.uci == uci => {}
            Some(made) => return Some(format!("ply {}: expected {uci}, got {}", ply + 1, made.uci)),
            None => return Some(format!("stops after {ply} of {} plies", expected.moves.len())),
        }
        position = position.play(mv);
    }
    if moves.len() > expected.moves.len() {
        return Some(format!("goes on after the end with {}", moves[expected.moves.len()].san));
    }
    // No hand on a board of four players can tell a result: what the last position does not say stays open.
    if variant == GameKind::FourPlayer && game.result == "*" && position.end().is_none() {
        return None;
    }
    let result = expected.result.map_or("*", adoube_rules::GameResult::name);
    (game.result != result).then(|| format!("result {} instead of {result}", game.result))
}
