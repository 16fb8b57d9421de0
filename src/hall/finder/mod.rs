//! Looks for boards: watches the ports, asks who is there, and tells the hall.
//!
//! A port at which a board of the hall is placed is that board's own, and is never asked. Everything here is
//! told again with every look, so that nothing depends on having seen each change.

mod matching;
mod ports;
mod status;
mod unheard;

pub use status::{PortState, PortStatus};

use std::sync::{Mutex, PoisonError, Weak};

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::Hall;
use super::fleet::{BoardStatus, Origin};
use crate::config::{self, Config};
use crate::link::Port;
use crate::link::{Devices, Found, Node, NotFound, Watch, probe};
use adoube_core::station::Open;
use adoube_core::wire::Identity;

use matching::{Choice, Known, choose, new_name};
use ports::{Ports, Task};
use unheard::Unheard;

/// Ports that are asked at one time: a hub of boards is known in seconds, and no USB bus is flooded.
const PROBES: usize = 16;

/// What is looked for, and where.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// Where the system keeps its devices.
    pub devices: Devices,
    /// Ports that are asked although their chip could be in anything, and serial servers.
    pub ports: Vec<Port>,
    /// How a board is opened that nobody named; `None`: it is not.
    pub adds: Option<Box<Open>>,
    /// The boards that are configured.
    pub wanted: Vec<Wanted>,
}

/// A board of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub board: String,
    /// The number that it tells.
    pub serial: Option<String>,
    /// What it speaks, if that must not be found out.
    pub protocol: Option<String>,
    /// It is wherever it answers.
    pub is_auto: bool,
}

impl Wanted {
    /// The boards of `config`.
    #[must_use]
    pub fn of(config: &Config) -> Vec<Self> {
        let wanted = |board: &config::Board| Self {
            board: board.id.clone(),
            serial: board.serial.clone(),
            protocol: board.protocol.clone(),
            is_auto: board.port == Port::Auto,
        };
        config.boards.iter().map(wanted).collect()
    }
}

/// What the rest of the daemon knows of the finder.
#[derive(Debug, Default)]
pub(crate) struct Finding {
    ports: Mutex<Vec<PortStatus>>,
    wanted: Mutex<Vec<Wanted>>,
    changed: Notify,
}

impl Finding {
    /// The ports, and what is known of them.
    pub(super) fn ports(&self) -> Vec<PortStatus> {
        self.ports.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Other boards are configured from now on.
    pub(super) fn want(&self, wanted: Vec<Wanted>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = wanted;
        self.changed.notify_one();
    }

    fn wanted(&self) -> Vec<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn tell(&self, ports: Vec<PortStatus>) {
        *self.ports.lock().unwrap_or_else(PoisonError::into_inner) = ports;
    }
}

/// Looks for boards until told to stop.
pub(crate) async fn run(hall: Weak<Hall>, discovery: Discovery, mut stop: watch::Receiver<bool>) {
    let mut watch = Watch::new(&discovery.devices.dev);
    let mut finder = Finder { ports: Ports::default(), unheard: Unheard::default(), discovery };
    let mut probes = JoinSet::new();
    loop {
        let next = {
            let Some(hall) = hall.upgrade() else { return };
            finder.look(&hall).await;
            finder.ask(&mut probes);
            hall.finding().tell(finder.ports.told());
            finder.ports.next_due()
        };
        let due = async {
            match next {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = watch.changed() => {}
            () = told(&hall) => {}
            () = due, if probes.len() < PROBES => {}
            Some(asked) = probes.join_next(), if !probes.is_empty() => {
                if let Ok((port, node, answer)) = asked {
                    finder.ports.answered(&port, node, answer);
                }
            }
        }
    }
}

/// Waits until other boards are configured. The hall is not kept for that.
async fn told(hall: &Weak<Hall>) {
    match hall.upgrade() {
        Some(hall) => hall.finding().changed.notified().await,
        None => std::future::pending().await,
    }
}

struct Finder {
    discovery: Discovery,
    ports: Ports,
    unheard: Unheard,
}

/// Which port was asked, which of the devices of that name it was, and what came of it.
type Asked = (String, Option<Node>, Result<Found, NotFound>);

impl Finder {
    /// Looks at the ports and at the boards, and brings both together.
    async fn look(&mut self, hall: &Hall) {
        let wanted = hall.finding().wanted();
        let unheard = self.unheard.begin(&hall.boards_now(), &wanted);
        for (board, port) in &unheard {
            tracing::info!(board, %port, "not understood; what does it speak?");
            hall.place_board(board, None);
        }
        let lent = self.unheard.asking().map(|(_, port)| port);
        let gone = self.ports.refresh(&self.discovery, lent, &hall.boards_now());
        for (_, port) in &unheard {
            self.ports.ask_soon(port);
        }
        for board in gone {
            if self.is_auto(&board, &wanted) {
                tracing::info!(board, "unplugged");
                hall.place_board(&board, None);
            }
        }
        self.free_exchanged(hall, &wanted);
        self.give_back(hall).await;
        let mut boards = self.known(&hall.boards_now(), &wanted);
        for (port, found) in self.ports.unused() {
            let adds = self.discovery.adds.is_some();
            match choose(&found, &port, &boards, adds) {
                Choice::Place(board) => {
                    let Some(place) = self.ports.port(&port) else { continue };
                    if self.place(hall, &board, &port, place, &found).await
                        && let Some(known) = boards.iter_mut().find(|known| known.board == board)
                    {
                        known.port = Some(port);
                        known.is_live = true;
                        known.serial = known.serial.take().or_else(|| found.identity.serial.clone());
                    }
                }
                Choice::Add => self.add(hall, &port, &found, &mut boards).await,
                Choice::Leave { reason, advice } => self.ports.leave(&port, reason, advice),
            }
        }
    }

    /// Starts to ask those whose turn it is.
    fn ask(&mut self, probes: &mut JoinSet<Asked>) {
        let room = PROBES.saturating_sub(probes.len());
        for Task { name, port, node, protocols } in self.ports.due(Instant::now(), room) {
            probes.spawn(async move {
                let answer = probe(&port, &protocols).await;
                (name, node, answer)
            });
        }
    }

    /// Is the board wherever it answers? Those that the configuration does not have are.
    fn is_auto(&self, board: &str, wanted: &[Wanted]) -> bool {
        let wanted = wanted.iter().find(|wanted| wanted.board == board);
        wanted.map_or_else(|| self.ports.is_placed(board), |wanted| wanted.is_auto)
    }

    /// The boards of the hall, as far as it matters here.
    fn known(&self, now: &[BoardStatus], wanted: &[Wanted]) -> Vec<Known> {
        let known = |status: &BoardStatus| {
            let configured = wanted.iter().find(|wanted| wanted.board == status.board);
            let serial = configured.and_then(|wanted| wanted.serial.clone());
            let protocol = match configured {
                Some(wanted) => wanted.protocol.clone(),
                None => Some(status.protocol.clone()),
            };
            Known {
                serial: serial
                    .or_else(|| status.serial.clone())
                    .or_else(|| self.ports.number_of(&status.board)),
                protocol,
                is_auto: self.is_auto(&status.board, wanted) || status.port.is_none(),
                port: status.port.clone(),
                is_live: matches!(status.state, "fresh" | "stale"),
                last_port: self.ports.last_port(&status.board),
                board: status.board.clone(),
            }
        };
        // Those whose ports are being asked have a place already.
        now.iter().filter(|status| !self.unheard.is_asking(&status.board)).map(known).collect()
    }

    /// Behind a serial adapter another board can come to a port without a word from the kernel.
    fn free_exchanged(&self, hall: &Hall, wanted: &[Wanted]) {
        for status in hall.boards_now() {
            let Some(configured) = wanted.iter().find(|wanted| wanted.board == status.board) else {
                continue;
            };
            let (Some(expected), Some(told)) = (&configured.serial, &status.serial) else { continue };
            let identity = Identity { serial: Some(told.clone()), ..Identity::default() };
            let is_other = status.port.is_some() && expected.len() < 10 && !identity.has_number(expected);
            if configured.is_auto && is_other && self.ports.is_settled(&status.board) {
                tracing::warn!(board = status.board, expected, told, "another board is at its port");
                hall.place_board(&status.board, None);
            }
        }
    }

    /// Gives boards that nobody understood their ports back, with what they speak, if that is known now.
    async fn give_back(&mut self, hall: &Hall) {
        let asking: Vec<(String, Port)> =
            self.unheard.asking().map(|(board, port)| (board.clone(), port.clone())).collect();
        for (board, port) in asking {
            // Somebody placed it meanwhile, and knows better.
            if hall.boards_now().iter().any(|status| status.board == board && status.port.is_some()) {
                self.unheard.end(&board);
                continue;
            }
            let Some((name, answer)) = self.ports.answer(&port) else { continue };
            self.unheard.end(&board);
            match answer {
                Some(found) => {
                    if !self.place(hall, &board, &name, port.clone(), &found).await {
                        hall.place_board(&board, Some(port));
                    }
                }
                None => hall.place_board(&board, Some(port)),
            }
        }
    }

    /// The board that answers at a port is that one of the hall. False: the hall does not take it so.
    async fn place(&mut self, hall: &Hall, board: &str, port: &str, place: Port, found: &Found) -> bool {
        let serial = found.identity.serial.as_deref().unwrap_or("none");
        tracing::info!(board, port, protocol = found.protocol, serial, "found");
        let other = hall.opened(board).filter(|opened| opened.protocol != found.protocol);
        match other {
            None => hall.place_board(board, Some(place)),
            // Nobody said what it speaks; now it is known.
            Some(opened) => {
                let open = Open { protocol: found.protocol.to_owned(), ..Open::clone(&opened) };
                if let Err(error) = hall.reopen_board(open, Some(place)).await {
                    self.ports.leave(port, error.to_string(), String::new());
                    return false;
                }
            }
        }
        self.ports.placed(port, board, found);
        true
    }

    async fn add(&mut self, hall: &Hall, port: &str, found: &Found, boards: &mut Vec<Known>) {
        let (Some(place), Some(usual)) = (self.ports.port(port), &self.discovery.adds) else { return };
        let is_taken = |name: &str| boards.iter().any(|known| known.board == name);
        // One without a number is known by its port, also after a restart, and nobody else gets its name before.
        let again = hall.fleet.was_at(port, found.protocol).filter(|_| found.identity.serial.is_none());
        let was_here = |name: &str| found.identity.serial.is_none() && hall.fleet.was_here(name);
        let board = again
            .filter(|name| !is_taken(name))
            .unwrap_or_else(|| new_name(&found.identity, &|name: &str| is_taken(name) || was_here(name)));
        let open = Open {
            board: board.clone(),
            protocol: found.protocol.to_owned(),
            port: port.to_owned(),
            ..Open::clone(usual)
        };
        tracing::info!(board, port, protocol = found.protocol, "a new board");
        if let Err(error) = hall.add_board_from(open, Some(place), Origin::Found).await {
            self.ports.leave(port, error.to_string(), "\"adoube doctor\" looks for what is wrong".to_owned());
            return;
        }
        self.ports.placed(port, &board, found);
        boards.push(Known {
            board,
            serial: found.identity.serial.clone(),
            protocol: Some(found.protocol.to_owned()),
            is_auto: true,
            port: Some(port.to_owned()),
            is_live: true,
            last_port: None,
        });
    }
}
