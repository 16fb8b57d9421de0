//! A UCI engine in a process of its own.
//!
//! Whatever it does wrong ends the game with one sentence, and never the daemon: it may be missing, die, fall
//! silent, talk nonsense or play what is not legal.

mod game;

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{Instant, timeout, timeout_at};

use game::Game;

use super::lines::Lines;
use super::opponent::{Opening, Opponent, Order, Said};
pub use super::uci::Limit;
use super::uci::{self, Heard};
use adoube_rules::ChessPosition;
use adoube_rules::spelling::nearest;

/// An engine that loads a big net from a slow disk says who it is within this time.
const HANDSHAKE: Duration = Duration::from_secs(20);
/// What a good engine is late by, on a busy machine.
const LATE: Duration = Duration::from_secs(10);
/// Depth alone says nothing of time.
const DEPTH: Duration = Duration::from_mins(10);
/// It stops thinking within this time when it is told to, and ends when it is told to.
const STOPS: Duration = Duration::from_secs(3);
/// A line is taken at once by an engine that lives.
const WRITE: Duration = Duration::from_secs(5);

/// What is wrong with an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It cannot be started.
    #[error("{command}: cannot be started: {error}; is the engine installed, and is --cmd its name or path?")]
    Start {
        /// How it was called.
        command: String,
        /// Why.
        error: std::io::Error,
    },
    /// It ended.
    #[error("the engine {0} has ended{1}")]
    Died(String, String),
    /// It does not answer.
    #[error("the engine {0} does not answer \"{1}\" within {2} s{hint}", hint = if *.1 == "uci" { "; does it speak UCI?" } else { "" })]
    Silent(String, &'static str, u64),
    /// It has no such option.
    #[error("the engine {engine} has no option \"{name}\"; did you mean \"{nearest}\"?")]
    Option {
        /// Its name.
        engine: String,
        /// What was given.
        name: String,
        /// The nearest option that it has.
        nearest: String,
    },
    /// It plays what cannot be played.
    #[error("the engine {engine} plays {what}; the game cannot go on")]
    Illegal {
        /// Its name.
        engine: String,
        /// What it plays, and where.
        what: String,
    },
}

/// A running engine that has said who it is.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    /// Its id, with which alone it is ended.
    stdin: ChildStdin,
    stdout: ChildStdout,
    lines: Lines,
    /// Lines that were not looked at yet.
    heard: std::collections::VecDeque<String>,
    name: String,
    options: Vec<String>,
    limit: Limit,
    opening: Option<Opening>,
}

impl Engine {
    /// Starts `command` (a program and its arguments, separated by blanks) and asks who it is.
    ///
    /// # Errors
    /// [`EngineError`] if it cannot be started or does not speak UCI.
    pub async fn start(command: &str, limit: Limit) -> Result<Self, EngineError> {
        let mut words = command.split_whitespace();
        let mut process = Command::new(words.next().unwrap_or_default());
        process.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C at the terminal is ours to handle: the engine is told to quit.
        process.process_group(0).kill_on_drop(true);
        let start = |error| EngineError::Start { command: command.to_owned(), error };
        let mut child = process.spawn().map_err(start)?;
        let missing = || start(std::io::Error::other("no pipe to it"));
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let name = command.split_whitespace().next().unwrap_or_default().to_owned();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let mut engine = Self {
            child,
            stdin,
            stdout,
            lines: Lines::default(),
            heard: std::collections::VecDeque::new(),
            name,
            options: Vec::new(),
            limit,
            opening: None,
        };
        // One that has ended already is found out by its silence.
        let _gone = engine.write("uci").await;
        let until = Instant::now() + HANDSHAKE;
        loop {
            let heard = engine.next("uci", until, HANDSHAKE).await.map_err(|error| match error {
                EngineError::Died(name, how) => EngineError::Died(name, format!("{how}; does it speak UCI?")),
                other => other,
            });
            match heard? {
                Heard::Name(name) if !name.is_empty() => engine.name = name,
                Heard::Option(name) => engine.options.push(name),
                Heard::Ok => return Ok(engine),
                _ => {}
            }
        }
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Has it this option?
    #[must_use]
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|known| known.eq_ignore_ascii_case(option))
    }

    /// Sets an option.
    ///
    /// # Errors
    /// [`EngineError::Option`] if it has none of that name.
    pub async fn set(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let known = self.options.iter().find(|known| known.eq_ignore_ascii_case(name));
        let Some(known) = known.cloned() else {
            let nearest = nearest(name, self.options.iter().map(String::as_str)).to_owned();
            return Err(EngineError::Option { engine: self.name.clone(), name: name.to_owned(), nearest });
        };
        self.write(&uci::option(&known, value)).await
    }

    /// Gets ready for this game.
    ///
    /// # Errors
    /// [`EngineError`] if it does not get ready, or knows no Chess960.
    pub async fn prepare(&mut self, opening: Opening) -> Result<(), EngineError> {
        if opening.is_chess960 {
            self.set("UCI_Chess960", "true").await?;
        }
        self.opening = Some(opening);
        self.write("ucinewgame").await?;
        self.write("isready").await?;
        let until = Instant::now() + HANDSHAKE;
        while self.next("isready", until, HANDSHAKE).await? != Heard::Ready {}
        Ok(())
    }

    async fn write(&mut self, line: &str) -> Result<(), EngineError> {
        let bytes = format!("{line}\n");
        let written = timeout(WRITE, async {
            self.stdin.write_all(bytes.as_bytes()).await?;
            self.stdin.flush().await
        });
        match written.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.died().await),
            Err(_) => Err(EngineError::Silent(self.name.clone(), "a line", WRITE.as_secs())),
        }
    }

    /// The next thing of interest that it says in answer to `question`.
    async fn next(
        &mut self,
        question: &'static str,
        until: Instant,
        patience: Duration,
    ) -> Result<Heard, EngineError> {
        loop {
            while let Some(line) = self.heard.pop_front() {
                if let Some(heard) = uci::heard(&line) {
                    return Ok(heard);
                }
            }
            let mut bytes = [0; 4096];
            match timeout_at(until, self.stdout.read(&mut bytes)).await {
                Err(_) => return Err(EngineError::Silent(self.name.clone(), question, patience.as_secs())),
                Ok(Ok(0) | Err(_)) => return Err(self.died().await),
                Ok(Ok(count)) => self.heard.extend(self.lines.push(&bytes[..count])),
            }
        }
    }

    /// It has closed its end: how did it die?
    async fn died(&mut self) -> EngineError {
        let how = match timeout(STOPS, self.child.wait()).await {
            Ok(Ok(status)) if !status.success() => format!(" ({status})"),
            _ => String::new(),
        };
        EngineError::Died(self.name.clone(), how)
    }

    /// Tells it to end, and ends it if it does not.
    async fn quit(mut self) {
        // One that is gone already needs no telling.
        let _gone = self.write("quit").await;
        if timeout(STOPS, self.child.wait()).await.is_err() {
            // By its id; nobody else's process is touched.
            let _gone = self.child.kill().await;
        }
    }
}

/// Why the engine stopped thinking.
enum Thought {
    Move(String),
    /// We told it something else meanwhile.
    Interrupted(Order),
    Closed,
}

impl Opponent for Engine {
    async fn play(mut self, mut orders: Receiver<Order>, said: Sender<Said>) {
        if let Err(error) = self.game(&mut orders, &said).await {
            // Nobody listens any more: nobody wants to know.
            let _gone = said.send(Said::Gone(error.to_string())).await;
        }
        self.quit().await;
    }
}

impl Engine {
    async fn game(&mut self, orders: &mut Receiver<Order>, said: &Sender<Said>) -> Result<(), EngineError> {
        let Some(opening) = self.opening.take() else { return Ok(()) };
        let Some(mut game) = Game::new(opening, self.limit) else {
            return Err(self.illegal("from a position that it cannot play from".to_owned()));
        };
        loop {
            if said.send(Said::State(game.state())).await.is_err() || game.end.is_some() {
                return Ok(());
            }
            let order = if game.is_engines_turn() {
                match self.think(&mut game, orders).await? {
                    Thought::Move(mv) => {
                        let before = game.line.fen_after(game.moves.len());
                        if !game.made(&mv, self.limit) {
                            return Err(self.illegal(format!("\"{mv}\", which is not legal in {before}")));
                        }
                        continue;
                    }
                    Thought::Interrupted(order) => order,
                    Thought::Closed => return Ok(()),
                }
            } else {
                match orders.recv().await {
                    Some(order) => order,
                    None => return Ok(()),
                }
            };
            if let Some(answer) = game.take(order, self.limit)
                && said.send(answer).await.is_err()
            {
                return Ok(());
            }
        }
    }

    fn illegal(&self, what: String) -> EngineError {
        EngineError::Illegal { engine: self.name.clone(), what }
    }

    /// Has it think until it moves or we tell it something else.
    async fn think(&mut self, game: &mut Game, orders: &mut Receiver<Order>) -> Result<Thought, EngineError> {
        let start = (game.start != ChessPosition::default()).then(|| game.opening.start.clone());
        self.write(&uci::position(start.as_deref(), &game.moves)).await?;
        self.write(&uci::go(self.limit, game.times_now())).await?;
        let patience = LATE
            + match self.limit {
                Limit::MoveTime(ms) => Duration::from_millis(ms),
                Limit::Depth(_) => DEPTH,
                Limit::Clock { .. } => Duration::from_millis(game.engines_ms()),
            };
        let until = Instant::now() + patience;
        loop {
            let heard = tokio::select! {
                heard = self.next("go", until, patience) => heard?,
                order = orders.recv() => {
                    self.stop().await?;
                    return Ok(order.map_or(Thought::Closed, Thought::Interrupted));
                }
            };
            match heard {
                Heard::Score(score) => game.score = Some(score),
                Heard::BestMove(Some(mv)) => return Ok(Thought::Move(mv)),
                Heard::BestMove(None) => {
                    let fen = game.line.fen_after(game.moves.len());
                    return Err(self.illegal(format!("no move, though there are some in {fen}")));
                }
                _ => {}
            }
        }
    }

    /// Has it stop; what it says then is of no interest any more.
    async fn stop(&mut self) -> Result<(), EngineError> {
        self.write("stop").await?;
        let until = Instant::now() + STOPS;
        while !matches!(self.next("stop", until, STOPS).await?, Heard::BestMove(_)) {}
        Ok(())
    }
}
