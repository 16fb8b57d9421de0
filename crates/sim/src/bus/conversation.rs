//! The master of a line and the boards on it, in virtual time.

use std::collections::{BTreeMap, BTreeSet};

use super::Chain;
use crate::{Chunk, Direction};
use adoube_core::wire::dgt::bus::{BusSession, Command, CommandDecoder, Input, Master, Order, Output};
use adoube_core::wire::{Session, SessionInput, SessionOutput};
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::MS;

/// Whoever hears what the boards of a line say: sessions, or stations with sessions.
pub trait Listener {
    /// The board at `address` says something, or its link comes up or goes down; `writes` are bus commands.
    fn hear(&mut self, address: u16, input: SessionInput<'_>, at_ns: u64, writes: &mut Vec<Vec<u8>>);

    /// When the listener wants to be woken for that board.
    fn wake_at_ns(&self, address: u16) -> Option<u64>;
}

/// A chain, its master and who listens.
#[derive(Debug)]
pub struct Conversation {
    /// The boards.
    pub chain: Chain,
    /// Who asks them.
    pub master: Master,
    linked: BTreeSet<u16>,
    found: BTreeSet<u16>,
    /// When each board was asked for its changes last, and how long that was after the time before.
    asked_ns: BTreeMap<u16, u64>,
    rounds_ns: Vec<u64>,
    now_ns: u64,
}

impl Conversation {
    /// The line is opened at time 0, and these addresses are asked.
    #[must_use]
    pub fn new(chain: Chain, addresses: impl IntoIterator<Item = u16>) -> Self {
        let (mut master, mut none) = (Master::new(), Vec::new());
        for address in addresses {
            master.handle(Input::Add(address), 0, &mut none);
        }
        Self {
            chain,
            master,
            linked: BTreeSet::new(),
            found: BTreeSet::new(),
            asked_ns: BTreeMap::new(),
            rounds_ns: Vec::new(),
            now_ns: 0,
        }
    }

    /// Boards that answered and that nobody asked for.
    #[must_use]
    pub fn found(&self) -> &BTreeSet<u16> {
        &self.found
    }

    /// How long it was from each turn of a board to its next, nanoseconds.
    #[must_use]
    pub fn rounds_ns(&self) -> &[u64] {
        &self.rounds_ns
    }

    /// The time.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Opens the line.
    pub fn open(&mut self, listener: &mut impl Listener) {
        let mut said = Vec::new();
        self.master.handle(Input::LinkUp, self.now_ns, &mut said);
        self.pass_on(said, listener);
    }

    /// Lets time run until `until_ns`.
    pub fn run(&mut self, until_ns: u64, listener: &mut impl Listener) {
        loop {
            let waking = self
                .linked
                .iter()
                .filter_map(|&address| Some((listener.wake_at_ns(address)?, address)))
                .min();
            let next = [self.chain.wake_at_ns(), self.master.wake_at_ns(), waking.map(|(at_ns, _)| at_ns)];
            let Some(next_ns) = next.into_iter().flatten().min().filter(|&at_ns| at_ns <= until_ns) else {
                break;
            };
            self.now_ns = self.now_ns.max(next_ns);
            if let Some((_, address)) = waking.filter(|(at_ns, _)| *at_ns <= self.now_ns) {
                self.tell(address, SessionInput::Wake, listener);
            }
            let (mut heard, mut said) = (Vec::new(), Vec::new());
            self.chain.poll(self.now_ns, &mut heard);
            let input = if heard.is_empty() { Input::Wake } else { Input::Bytes(&heard) };
            self.master.handle(input, self.now_ns, &mut said);
            self.pass_on(said, listener);
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    fn pass_on(&mut self, said: Vec<Output>, listener: &mut impl Listener) {
        for output in said {
            match output {
                Output::Write(bytes) => self.write(&bytes),
                Output::Packet(packet) => {
                    if self.linked.insert(packet.address()) {
                        self.tell(packet.address(), SessionInput::LinkUp, listener);
                    }
                    self.tell(packet.address(), SessionInput::Bytes(packet.bytes()), listener);
                }
                Output::Found(address) => {
                    self.found.insert(address);
                }
                Output::Skipped { .. } => {}
            }
        }
    }

    fn tell(&mut self, address: u16, input: SessionInput<'_>, listener: &mut impl Listener) {
        let (mut writes, mut orders, mut said) = (Vec::new(), Vec::new(), Vec::new());
        listener.hear(address, input, self.now_ns, &mut writes);
        CommandDecoder::default().push(&writes.concat(), &mut orders);
        for order in orders {
            self.master.handle(Input::Ask(order), self.now_ns, &mut said);
        }
        // A question waits for the board's turn, so that nothing but a command can come of it.
        for output in said {
            if let Output::Write(bytes) = output {
                self.write(&bytes);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.chain.receive(bytes, self.now_ns);
        let mut orders = Vec::new();
        CommandDecoder::default().push(bytes, &mut orders);
        let is_turn = |order: &Order| matches!(order.command, Command::SendChanges | Command::RepeatChanges);
        for order in orders.into_iter().filter(is_turn) {
            let last_ns = self.asked_ns.insert(order.address, self.now_ns);
            self.rounds_ns.extend(last_ns.map(|last_ns| self.now_ns - last_ns));
        }
    }
}

/// The sessions that adoube would hold with the boards of a line, and all that passed between them.
#[derive(Debug, Default)]
pub struct Sessions {
    boards: BTreeMap<u16, Held>,
}

/// A session with one board.
#[derive(Debug)]
pub struct Held {
    session: Box<dyn Session>,
    /// What passed, as a capture holds it.
    pub chunks: Vec<Chunk>,
    /// What the board said, and when that was known.
    pub readings: Vec<(u64, Reading)>,
}

impl Sessions {
    /// What passed with the board at `address`, if it was heard at all.
    #[must_use]
    pub fn of(&self, address: u16) -> Option<&Held> {
        self.boards.get(&address)
    }

    /// The same, to be taken away.
    pub fn take(&mut self, address: u16) -> Option<Held> {
        self.boards.remove(&address)
    }
}

impl Listener for Sessions {
    fn hear(&mut self, address: u16, input: SessionInput<'_>, at_ns: u64, writes: &mut Vec<Vec<u8>>) {
        let held = self.boards.entry(address).or_insert_with(|| Held {
            session: Box::new(BusSession::new()),
            chunks: Vec::new(),
            readings: Vec::new(),
        });
        let t_ms = at_ns as f64 / MS as f64;
        if let SessionInput::Bytes(bytes) = input {
            held.chunks.push(Chunk { t_ms, direction: Direction::FromBoard, bytes: bytes.to_vec() });
        }
        let mut said = Vec::new();
        held.session.handle(input, at_ns, &mut said);
        for output in said {
            match output {
                SessionOutput::Write(bytes) => {
                    held.chunks.push(Chunk { t_ms, direction: Direction::ToBoard, bytes: bytes.clone() });
                    writes.push(bytes);
                }
                SessionOutput::Reading(reading) => held.readings.push((at_ns, reading)),
                _ => {}
            }
        }
    }

    fn wake_at_ns(&self, address: u16) -> Option<u64> {
        self.boards.get(&address)?.session.wake_at_ns()
    }
}
