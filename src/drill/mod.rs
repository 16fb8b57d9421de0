//! What an arbiter practises on: a hall in which things go wrong on cue. Each waits for the ruling, says what a good one
//! would have been, and counts.

mod live_board;
mod scene;
mod walks;

pub use live_board::LiveBoard;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};

use crate::hall::Hall;
use crate::link::Port;
use adoube_core::event::Player;
use adoube_core::pairings::{Pairing, Pairings};
use adoube_core::station::Open;
use scene::Scene;
use tokio::net::TcpSocket;
use tokio::sync::mpsc;
use tokio::time::Instant;
use walks::{WALKS, Walk};

/// The men at the start, as a FEN has them.
const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// The walks of a drill, each on boards of its own.
#[derive(Debug)]
pub(crate) struct Drill {
    walks: Vec<&'static Walk>,
    /// Boards whose walk is over: they stay in the hall.
    gone: Mutex<Vec<LiveBoard>>,
    /// They keep the ports of the boards.
    kept: Mutex<Vec<TcpSocket>>,
}

impl std::fmt::Debug for Walk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Drill {
    /// All walks, or the one of that name.
    ///
    /// # Errors
    /// No walk is called so.
    pub(crate) fn new(name: Option<&str>) -> anyhow::Result<Self> {
        let walks: Vec<&Walk> =
            WALKS.iter().filter(|walk| name.is_none_or(|name| walk.name == name)).collect();
        if let (Some(name), true) = (name, walks.is_empty()) {
            let known = WALKS.map(|walk| walk.name);
            let nearest = adoube_rules::spelling::nearest(name, known.into_iter());
            let hint = if nearest.is_empty() { String::new() } else { format!(" (did you mean {nearest}?)") };
            bail!("--incidents={name}: no incident is called so{hint}; there are {}", known.join(", "));
        }
        Ok(Self { walks, gone: Mutex::default(), kept: Mutex::default() })
    }

    /// The walk of each board, in order.
    fn of_boards(&self) -> impl Iterator<Item = &'static Walk> {
        self.walks.iter().flat_map(|walk| std::iter::repeat_n(*walk, walk.boards))
    }

    /// Its boards, in order, at `speed`: what each is opened as, where it is found, and the board itself.
    ///
    /// # Errors
    /// This machine has no port left.
    pub(crate) fn boards(&self, speed: f64) -> anyhow::Result<Vec<(Open, Port, LiveBoard)>> {
        let board = |(index, walk): (usize, &Walk)| {
            // Bound and not listening: nobody else is given the port before the board listens there.
            let socket = TcpSocket::new_v4()?;
            socket.set_reuseaddr(true)?;
            socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
            let address = socket.local_addr()?;
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(socket);
            let port = Port::Tcp { host: address.ip().to_string(), port: address.port() };
            let mut open = Open::new(&(index + 1).to_string(), "dgt", &port.to_string());
            open.time_control = Some(walk.time_control.to_owned());
            open.agreed = walk.start.map(str::to_owned);
            (walk.open)(&mut open);
            let placement = walk.start.and_then(|fen| fen.split(' ').next()).unwrap_or(ARRAY);
            let setting = walk.time_control.parse().map_err(|error| anyhow!("{}: {error}", walk.name))?;
            Ok((open, port, LiveBoard::lying(walk.is_turned, placement, setting, speed, address)))
        };
        self.of_boards().enumerate().map(board).collect()
    }

    /// Who plays at the boards: the number of a pairing is that of its board.
    fn pairings(&self) -> Pairings {
        let player =
            |side: &str, board: &str| Player { name: Some(format!("{side} {board}")), ..Player::default() };
        let mut pairings = Vec::new();
        let mut first = 1;
        for walk in &self.walks {
            for number in first..first + walk.pairs() {
                let board = number.to_string();
                let (white, black) = (player("White", &board), player("Black", &board));
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                let board = Some(board);
                pairings.push(Pairing { round: 1, number, board, white, black, ..Pairing::default() });
            }
            first += walk.boards;
        }
        Pairings { rounds: BTreeMap::from([(1, pairings)]), ..Pairings::default() }
    }

    /// Plays all of it on these boards, one after the other, and says how it went; how many were not ruled well.
    ///
    /// # Errors
    /// The round does not open.
    pub(crate) async fn run(&self, hall: &Arc<Hall>, boards: Vec<LiveBoard>) -> anyhow::Result<usize> {
        hall.import(self.pairings(), None).await?;
        hall.open_round(1, None).await?;
        let (mut boards, mut first, mut missed) = (boards.into_iter(), 1, 0);
        let mut struck = enter();
        eprintln!("Enter passes over what you do not want to rule on");
        for (index, walk) in self.walks.iter().enumerate() {
            let own = boards.by_ref().take(walk.boards).collect();
            let mut scene = Scene { hall: Arc::clone(hall), boards: own, first };
            println!("{:2}/{} {}, board {first}: {}", index + 1, self.walks.len(), walk.name, walk.what);
            first += walk.boards;
            let since = Instant::now();
            let played = tokio::select! {
                played = (walk.play)(&mut scene) => played,
                () = passed_over(&mut struck) => Ok(false),
            };
            let good = format!("what would have been good: {}", walk.good);
            let verdict = match played {
                Ok(true) => format!("ok   {}, in {} s", walk.name, since.elapsed().as_secs()),
                Ok(false) => format!("not  {}; {good}", walk.name),
                Err(error) => format!("FAIL {}: {error:#}; {good}", walk.name),
            };
            missed += usize::from(!verdict.starts_with("ok"));
            println!("      {verdict}");
            scene.notes(0, &verdict).await;
            self.gone.lock().unwrap_or_else(PoisonError::into_inner).extend(scene.boards);
        }
        println!("{} of {} as they should be", self.walks.len() - missed, self.walks.len());
        Ok(missed)
    }
}

/// Each time that somebody strikes Enter; a terminal can be read by a thread of its own alone.
fn enter() -> mpsc::Receiver<()> {
    let (strike, struck) = mpsc::channel(1);
    std::thread::spawn(move || {
        for _line in std::io::stdin().lines().map_while(Result::ok) {
            if strike.blocking_send(()).is_err() {
                return;
            }
        }
    });
    struck
}

/// Somebody has struck Enter; without anybody at the keyboard, never.
async fn passed_over(struck: &mut mpsc::Receiver<()>) {
    if struck.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}
