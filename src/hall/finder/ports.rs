//! The ports that are there, and how far it is known who is at each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use super::status::{PortState, PortStatus};
use super::{BoardStatus, Discovery};
use crate::link::Port;
use crate::link::{Backoff, Candidate, Found, LinkError, Node, NotFound, holder, protocols_for};
use adoube_core::wire::Protocol;

/// A port where nobody answers is asked again after this time: a board may be switched on later.
const AGAIN: Duration = Duration::from_secs(5);
/// And never later than this.
const AGAIN_AT_LAST: Duration = Duration::from_secs(60);
/// One that is busy or not permitted costs nothing to try: ModemManager lets go after a while, and udev sets the
/// group after the node is there.
const BUSY: Duration = Duration::from_secs(2);

/// A board's task lets go of its port within this time: a write that pends is given up after a second.
const LET_GO: Duration = Duration::from_millis(1_200);
/// A board that was placed has told its number within this time.
const SETTLED: Duration = Duration::from_secs(5);

/// All ports, by their names in a configuration.
#[derive(Debug, Default)]
pub(super) struct Ports {
    all: BTreeMap<String, Seen>,
    /// What is remembered of boards that were placed.
    placed: BTreeMap<String, Placed>,
    /// Boards at ports that are not ours to ask, e.g. in the network.
    elsewhere: Vec<PortStatus>,
}

/// Where a board was placed last.
#[derive(Debug)]
struct Placed {
    port: String,
    number: Option<String>,
    since: Instant,
}

/// A port.
#[derive(Debug)]
struct Seen {
    port: Port,
    /// Which device of that name it is.
    node: Option<Node>,
    protocols: Vec<&'static Protocol>,
    status: PortStatus,
    found: Option<Found>,
    is_asking: bool,
    /// When it is asked again; `None`: not by itself.
    due: Option<Instant>,
    backoff: Backoff,
    /// The board of the hall that has it.
    board: Option<String>,
}

/// A port that is to be asked.
pub(super) struct Task {
    pub(super) name: String,
    pub(super) port: Port,
    pub(super) node: Option<Node>,
    pub(super) protocols: Vec<&'static Protocol>,
}

impl Seen {
    fn new(candidate: &Candidate, port: Port, is_asked: bool) -> Self {
        let name = port.to_string();
        let is_serial = matches!(port, Port::Serial(_));
        let device = (candidate.device != candidate.path).then(|| candidate.device.display().to_string());
        let mut status =
            PortStatus { port: name.clone(), device, usb_id: candidate.usb_id(), ..PortStatus::default() };
        if !is_asked {
            status.not_asked();
        }
        let seed =
            name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self {
            node: is_serial.then_some(candidate.node),
            protocols: protocols_for(candidate),
            port,
            status,
            found: None,
            is_asking: false,
            due: is_asked.then(Instant::now),
            backoff: Backoff::between(seed, AGAIN, AGAIN_AT_LAST),
            board: None,
        }
    }
}

impl Ports {
    /// Looks at what is there now, and which boards are where; gives the boards whose ports are gone.
    ///
    /// `lent`: ports that are asked although their boards are known.
    pub(super) fn refresh<'a>(
        &mut self,
        discovery: &'a Discovery,
        lent: impl Iterator<Item = &'a Port>,
        boards: &[BoardStatus],
    ) -> Vec<String> {
        let mut now = seen_now(discovery, discovery.ports.iter().chain(lent));
        let mut gone = Vec::new();
        self.all.retain(|name, seen| {
            let is_same = now.get(name).is_some_and(|now| now.node == seen.node);
            if !is_same {
                gone.extend(seen.board.take());
            }
            is_same
        });
        now.retain(|name, _| !self.all.contains_key(name));
        self.all.append(&mut now);
        self.assign(boards);
        gone
    }

    /// Which boards are where.
    fn assign(&mut self, boards: &[BoardStatus]) {
        let places: Vec<(String, &BoardStatus)> =
            boards.iter().filter_map(|status| Some((device(status.port.as_deref()?), status))).collect();
        for (name, seen) in &mut self.all {
            let own = device(name);
            let here = places.iter().find(|(place, _)| *place == own).map(|(_, status)| *status);
            match here {
                Some(status) => {
                    seen.board = Some(status.board.clone());
                    seen.due = None;
                    used(&mut seen.status, status);
                }
                None if seen.board.take().is_some() => {
                    // Whoever was there is not any more: who is?
                    seen.found = None;
                    seen.status.board = None;
                    seen.status.state = PortState::Asking;
                    seen.due = Some(Instant::now());
                }
                None => {}
            }
        }
        let known: Vec<String> = self.all.keys().map(|name| device(name)).collect();
        self.elsewhere = places
            .iter()
            .filter(|(place, _)| !known.contains(place))
            .map(|(_, status)| {
                let port = status.port.clone().unwrap_or_default();
                let mut told = PortStatus { port, ..PortStatus::default() };
                used(&mut told, status);
                told
            })
            .collect();
    }

    /// Those to be asked now, `room` at most.
    pub(super) fn due(&mut self, now: Instant, room: usize) -> Vec<Task> {
        let due = self.all.iter_mut().filter(|(_, seen)| {
            !seen.is_asking && seen.board.is_none() && seen.due.is_some_and(|due| due <= now)
        });
        due.take(room)
            .map(|(name, seen)| {
                seen.is_asking = true;
                let Seen { port, node, protocols, .. } = seen;
                Task { name: name.clone(), port: port.clone(), node: *node, protocols: protocols.clone() }
            })
            .collect()
    }

    /// When the next one is to be asked.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let waiting = self.all.values().filter(|seen| !seen.is_asking && seen.board.is_none());
        waiting.filter_map(|seen| seen.due).min()
    }

    /// What came of asking.
    pub(super) fn answered(&mut self, name: &str, node: Option<Node>, answer: Result<Found, NotFound>) {
        // Another one may have been plugged in there meanwhile; that one is asked itself.
        let Some(seen) = self.all.get_mut(name).filter(|seen| seen.node == node) else { return };
        seen.is_asking = false;
        if seen.board.is_some() {
            return;
        }
        match answer {
            Ok(found) => {
                seen.status.found(&found);
                seen.found = Some(found);
                seen.due = None;
                seen.backoff.reset();
            }
            Err(error) => {
                seen.status.not_found(&error);
                let is_busy =
                    matches!(error, NotFound::Link(LinkError::Busy { .. } | LinkError::NotPermitted { .. }));
                if let (NotFound::Link(LinkError::Busy { .. }), Port::Serial(path)) = (&error, &seen.port) {
                    name_holder(&mut seen.status, path);
                }
                let wait = if is_busy { BUSY } else { seen.backoff.next_wait() };
                seen.due = Some(Instant::now() + wait);
            }
        }
    }

    /// Asks at a port once its board has let go of it, whatever is known of it.
    pub(super) fn ask_soon(&mut self, port: &Port) {
        let own = device(&port.to_string());
        if let Some((_, seen)) = self.all.iter_mut().find(|(name, _)| device(name) == own) {
            seen.board = None;
            seen.found = None;
            seen.status.state = PortState::Asking;
            seen.due = Some(Instant::now() + LET_GO);
        }
    }

    /// What came of asking there, and the port's name here; `None` as long as nothing did.
    pub(super) fn answer(&self, port: &Port) -> Option<(String, Option<Found>)> {
        let own = device(&port.to_string());
        let (name, seen) = self.all.iter().find(|(name, _)| device(name) == own)?;
        let is_known = !seen.is_asking && matches!(seen.status.state, PortState::NoBoard | PortState::Unused);
        is_known.then(|| (name.clone(), seen.found.clone()))
    }

    /// Boards that answered and have no place in the hall.
    pub(super) fn unused(&self) -> Vec<(String, Found)> {
        let unused = self.all.iter().filter(|(_, seen)| seen.board.is_none());
        unused.filter_map(|(name, seen)| Some((name.clone(), seen.found.clone()?))).collect()
    }

    /// The board at a port stays without a place.
    pub(super) fn leave(&mut self, name: &str, reason: String, advice: String) {
        let Some(seen) = self.all.get_mut(name) else { return };
        if seen.status.reason.as_ref() != Some(&reason) {
            tracing::warn!(port = name, "not used: {reason}; {advice}");
        }
        seen.status.reason = Some(reason);
        seen.status.advice = Some(advice).filter(|advice| !advice.is_empty());
    }

    /// The board at a port is that one of the hall.
    pub(super) fn placed(&mut self, name: &str, board: &str, found: &Found) {
        let number = found.identity.serial.clone();
        let placed = Placed { port: name.to_owned(), number, since: Instant::now() };
        self.placed.insert(board.to_owned(), placed);
        if let Some(seen) = self.all.get_mut(name) {
            seen.board = Some(board.to_owned());
            seen.status.board = Some(board.to_owned());
            seen.status.state = PortState::Used;
            (seen.status.reason, seen.status.advice) = (None, None);
        }
    }

    /// Was it we who placed the board?
    pub(super) fn is_placed(&self, board: &str) -> bool {
        self.placed.contains_key(board)
    }

    /// Has it been where it is for so long that what it tells is what is there?
    pub(super) fn is_settled(&self, board: &str) -> bool {
        self.placed.get(board).is_some_and(|placed| placed.since.elapsed() >= SETTLED)
    }

    /// The number that a board told when it was found.
    pub(super) fn number_of(&self, board: &str) -> Option<String> {
        self.placed.get(board)?.number.clone()
    }

    /// Where a board without a number was last.
    pub(super) fn last_port(&self, board: &str) -> Option<String> {
        self.placed.get(board).map(|placed| placed.port.clone())
    }

    pub(super) fn port(&self, name: &str) -> Option<Port> {
        self.all.get(name).map(|seen| seen.port.clone())
    }

    /// All of it, for people and scripts.
    pub(super) fn told(&self) -> Vec<PortStatus> {
        let seen = self.all.values().map(|seen| &seen.status);
        seen.chain(&self.elsewhere).cloned().collect()
    }
}

/// The ports that are there now.
fn seen_now<'a>(discovery: &Discovery, named: impl Iterator<Item = &'a Port>) -> BTreeMap<String, Seen> {
    let named: Vec<(String, &Port)> = named.map(|port| (device(&port.to_string()), port)).collect();
    let candidates = discovery.devices.candidates();
    let mut now = BTreeMap::new();
    let mut devices = Vec::new();
    for candidate in &candidates {
        let port = Port::Serial(candidate.path.clone());
        let name = port.to_string();
        let own = device(&name);
        let is_asked = candidate.is_known || named.iter().any(|(device, _)| *device == own);
        now.insert(name, Seen::new(candidate, port, is_asked));
        devices.push(own);
    }
    // Serial servers, and ports whose names are none of the usual.
    for (own, port) in named {
        if devices.contains(&own) {
            continue;
        }
        let candidate = Candidate::named(port);
        now.insert(port.to_string(), Seen::new(&candidate, port.clone(), true));
    }
    now
}

/// What a port really is, under whatever name: two names of one device are one place.
fn device(port: &str) -> String {
    // Boards of a bus share their line, which is what is in use.
    let line = port.split_once('@').map_or(port, |(_, line)| line);
    let Some(path) = line.strip_prefix("serial:") else { return line.to_owned() };
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    format!("serial:{}", real.display())
}

/// A board of the hall is there.
fn used(told: &mut PortStatus, status: &BoardStatus) {
    told.board = Some(status.board.clone());
    told.state = PortState::Used;
    told.answers = matches!(status.state, "fresh" | "stale");
    told.protocol = Some(status.protocol.clone());
    if status.serial.is_some() {
        told.serial.clone_from(&status.serial);
    }
    told.reason.clone_from(&status.reason);
    told.advice = None;
}

/// Who has a busy port, if we may know.
fn name_holder(status: &mut PortStatus, path: &Path) {
    let Some(holder) = holder(Path::new("/proc"), path) else { return };
    status.reason = Some(format!("busy: {} (process {}) has it open", holder.name, holder.pid));
    status.advice = Some(if holder.pid == std::process::id() {
        "that is this daemon itself; it lets go of it within a minute".to_owned()
    } else {
        format!("stop it if it should not: kill {}", holder.pid)
    });
}
