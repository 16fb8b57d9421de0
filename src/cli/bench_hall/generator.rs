//! The boards of the bench: a process of its own, so that what they take is told apart from the daemon's.
//!
//! It prints the ports on which they are, plays from the line `play` on its input until that ends, and then
//! writes down what was played.

use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::super::Answer;
use super::super::demo::GAMES;
use super::Pace;
use super::hostile;
use super::orders::{self, Orders};
use super::table::Table;
use super::truth::{self, Played};
use crate::hall::Clock;
use adoube_core::wire::dgt::{Command, CommandDecoder, Message};
use adoube_rules::ChessPosition;
use adoube_rules::pgn::{PgnGame, read_games};

/// Shorter ones are over before a hall is busy.
const PLIES_MIN: usize = 40;

/// A daemon that takes no byte for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The boards of "bench hall"
#[derive(Debug, Args)]
pub(in crate::cli) struct Generator {
    #[arg(long)]
    boards: usize,
    #[arg(long)]
    hostile: usize,
    #[arg(long)]
    speed: f64,
    #[command(flatten)]
    pace: Pace,
    /// Where the plies are written down.
    #[arg(long)]
    out: PathBuf,
}

/// What the boards are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Wait,
    Play,
    /// No more is played, and the boards stay.
    Rest,
    End,
}

impl Generator {
    #[tokio::main]
    pub(in crate::cli) async fn run(&self) -> anyhow::Result<Answer> {
        super::super::process::allow_many_files();
        let mut games: Vec<PgnGame> = read_games(GAMES.as_bytes())?;
        games.retain(|game| game.moves.len() >= PLIES_MIN && game.start == ChessPosition::default());
        let games = Arc::new(games);
        let (tell, told) = watch::channel(Told::Wait);
        let clock = Clock::start(None, self.speed);
        let (mut boards, mut ports) = (JoinSet::new(), String::new());
        for number in 0..self.boards {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            write!(ports, "{} ", listener.local_addr()?.port())?;
            let board = Board {
                number,
                table: Table::new(number, self.pace, Arc::clone(&games)),
                clock: clock.clone(),
                wall: Clock::start(None, 1.0),
                speed: self.speed,
                ply_ns: self.pace.ply_ns,
                told: told.clone(),
                has_begun: false,
                end: None,
                played: Vec::new(),
            };
            boards.spawn(board.serve(listener));
        }
        for number in 0..self.hostile {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            write!(ports, "{} ", listener.local_addr()?.port())?;
            tokio::spawn(hostile::send(number, listener, told.clone()));
        }
        let mut orders = Orders::read();
        orders::answer(&ports)?;
        if orders.next().await.as_deref() == Some("play") {
            tell.send_replace(Told::Play);
        }
        while let Some(order) = orders.next().await {
            if order == "rest" {
                tell.send_replace(Told::Rest);
            }
        }
        tell.send_replace(Told::End);
        let mut played = Vec::new();
        while let Some(ended) = boards.join_next().await {
            played.extend(ended??);
        }
        truth::write(&self.out, &played)?;
        Ok(Answer::Yes)
    }
}

/// A board and its line.
struct Board {
    number: usize,
    table: Table,
    clock: Clock,
    /// The world's time, in which delays are told.
    wall: Clock,
    speed: f64,
    ply_ns: u64,
    told: watch::Receiver<Told>,
    has_begun: bool,
    /// When all is over, once the end was told.
    end: Option<Instant>,
    played: Vec<Played>,
}

/// How a line ended.
enum Ended {
    Lost,
    Over,
}

impl Board {
    /// Plays until it is told to end, and gives what was played.
    async fn serve(mut self, mut listener: TcpListener) -> anyhow::Result<Vec<Played>> {
        let address = listener.local_addr()?;
        let mut told = self.told.clone();
        loop {
            let mut stream = tokio::select! {
                accepted = listener.accept() => accepted?.0,
                _ = told.wait_for(|&told| told == Told::End) => return Ok(self.played),
            };
            // One file for each board: ten thousand are many.
            drop(listener);
            stream.set_nodelay(true)?;
            // A daemon that could not keep up comes back.
            if let Ended::Over = self.speak_on(&mut stream).await? {
                return Ok(self.played);
            }
            drop(stream);
            listener = TcpListener::bind(address).await?;
        }
    }

    /// Is the board at the other end of `stream`.
    async fn speak_on(&mut self, stream: &mut TcpStream) -> anyhow::Result<Ended> {
        let (mut decoder, mut commands) = (CommandDecoder::default(), Vec::new());
        let (mut heard, mut told) = ([0; 64], self.told.clone());
        // What was told on an earlier line is told on this one as well.
        told.mark_changed();
        loop {
            let end = self.end;
            let over = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            let due_ns = self.table.due_ns();
            let wait = async {
                match due_ns {
                    Some(due_ns) => sleep(self.clock.until(due_ns)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                changed = told.changed() => {
                    changed?;
                    let now = *told.borrow_and_update();
                    self.listen(now);
                }
                // The daemon looks for its boards until it ends.
                () = over => return Ok(Ended::Over),
                () = wait => {
                    if self.speak(stream).await.is_err() {
                        return Ok(self.ended());
                    }
                }
                read = stream.read(&mut heard) => {
                    // Broken or closed: the daemon is gone, or begins anew.
                    let count = read.unwrap_or(0);
                    if count == 0 {
                        return Ok(self.ended());
                    }
                    commands.clear();
                    decoder.push(&heard[..count], &mut commands);
                    for command in &commands {
                        if self.answer(command, stream).await.is_err() {
                            return Ok(self.ended());
                        }
                    }
                }
            }
        }
    }

    fn ended(&self) -> Ended {
        if self.end.is_some() { Ended::Over } else { Ended::Lost }
    }

    /// Does what all boards are told, once.
    fn listen(&mut self, told: Told) {
        match told {
            Told::Play if !self.has_begun => {
                self.has_begun = true;
                self.begin();
            }
            Told::Rest => self.table.end(),
            Told::End if self.end.is_none() => {
                self.table.end();
                self.end = Some(Instant::now() + super::LAST_WORDS);
            }
            _ => {}
        }
    }

    /// Not all boards begin at once.
    fn begin(&mut self) {
        let share = self.number as f64 * 0.618 % 1.0;
        let begin_ns = self.clock.now().mono_ns + (self.ply_ns as f64 * share) as u64;
        self.table.begin(begin_ns);
    }

    async fn speak(&mut self, stream: &mut TcpStream) -> anyhow::Result<()> {
        let mut said = Vec::new();
        let now_ns = self.clock.now().mono_ns;
        let pressed = self.table.act(now_ns, &mut said);
        timeout(WRITE_TIMEOUT, stream.write_all(&said)).await.context("the daemon does not read")??;
        if let Some(pressed) = pressed {
            let late_us = (now_ns.saturating_sub(pressed.due_ns)) as f64 / 1e3 / self.speed;
            self.played.push(Played {
                board: self.number + 1,
                game: pressed.game,
                ply: pressed.ply,
                uci: pressed.uci,
                pressed_ns: self.wall.now().utc_ns,
                late_us: late_us as u32,
            });
        }
        Ok(())
    }

    async fn answer(&self, command: &Command, stream: &mut TcpStream) -> anyhow::Result<()> {
        let message = match command {
            Command::SendBoard => self.table.contents().map(Message::Dump),
            Command::SendClock => Some(self.table.clock(self.clock.now().mono_ns)),
            Command::Serial => Some(Message::Serial(format!("{:05}", 10_001 + self.number))),
            Command::Version => Some(Message::Version { major: 3, minor: 1 }),
            _ => None,
        };
        if let Some(message) = message {
            timeout(WRITE_TIMEOUT, stream.write_all(&message.encode()))
                .await
                .context("the daemon does not read")??;
        }
        Ok(())
    }
}
