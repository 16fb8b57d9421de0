//! The master of one bus line: who is there, whose turn it is, and what to ask again.
//!
//! Sans-I/O, and one command at a time: the line carries one voice. A line of 9600 baud is the budget: a
//! board without news costs ten bytes and its own delay, some 13 ms, so thirty of them are asked for changes
//! twice a second, with room for clocks and dumps. What no answer came to is asked again when the board's turn
//! comes round (a board repeats its last answer as often as it is asked), so a miss costs the others one
//! time-out; a board that goes on missing is asked less and less often.

mod board;

use std::collections::{BTreeSet, VecDeque};

use super::codec::{Decoder, Message, Packet};
use super::command::{BROADCAST, Command, Order};
use super::{ADDRESS_MAX, BYTE_NS};
use adoube_rules::stamp::{MS, SECOND};

use board::Board;

/// Silence after which no answer comes: 80 ms at least (section 2.8), and what serial adapters and servers
/// need to hand it on.
const TIME_OUT: u64 = 100 * MS;
/// A command on the line.
const COMMAND: u64 = 4 * BYTE_NS;
/// From an answer to the next command: lets the board that spoke listen again.
const PAUSE: u64 = MS;
/// How long answers to a broadcast ping can take: 1100 ms, and the last one its time on the line.
const PINGS: u64 = 1_200 * MS;
/// Rounds of searching before play begins; each finds all but those whose answers collided.
const ROUNDS: u8 = 10;
/// Between searches during play: who plugs a board in waits no longer.
const SEARCH: u64 = 60 * SECOND;
/// The least time between two questions to the same board: a scan of its squares takes twice as long.
const PACE: u64 = 100 * MS;
/// A board without news is heard of so often: whoever looks after it gives up after 15 s.
const SIGN_OF_LIFE: u64 = 5 * SECOND;
/// After a reset a board is busy for some seconds (section 2.8).
const RESET: u64 = 5 * SECOND;
/// Strangers that are remembered; a line carries some thirty boards.
const STRANGERS: usize = 256;

/// What happens to a master.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// The line was opened; its boards may be in any mode.
    LinkUp,
    /// The line was closed or broke.
    LinkDown,
    /// Bytes from the line, cut anywhere.
    Bytes(&'a [u8]),
    /// The board at that address is to be asked from now on.
    Add(u16),
    /// It is not to be asked any more.
    Remove(u16),
    /// A board's session wants this; a broadcast is refused.
    Ask(Order),
    /// The instant of [`Master::wake_at_ns`] has come.
    Wake,
}

/// What a master wants done or has found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Bytes for the line.
    Write(Vec<u8>),
    /// A board that was added said this; in the order in which the board said it, and each thing once.
    Packet(Packet),
    /// A board that was not added is there.
    Found(u16),
    /// Bytes that belong to no packet: noise, or answers that collided.
    Skipped {
        /// How many.
        bytes: u64,
    },
}

/// A command to which an answer is awaited.
#[derive(Debug, Clone, Copy)]
struct Awaited {
    order: Order,
    until_ns: u64,
}

/// What the master is doing.
#[derive(Debug)]
enum Phase {
    /// Pings the boards that it knows, each twice if need be: the first may only change the board's mode.
    Calling(VecDeque<(u16, u8)>),
    /// Tells those that answered to leave the next ping alone.
    Hushing(VecDeque<u16>),
    /// Has asked everybody else, and waits.
    Listening { until_ns: u64, news: bool },
    /// Goes round.
    Playing,
}

/// The master of one line. It stays when the line breaks: what a board said last is known when it is back.
#[derive(Debug)]
pub struct Master {
    boards: Vec<Board>,
    strangers: BTreeSet<u16>,
    is_up: bool,
    decoder: Decoder,
    phase: Phase,
    rounds: u8,
    awaited: Option<Awaited>,
    /// When the next command may go out.
    free_ns: u64,
    /// Whose turn it is, and whether it was asked for changes already.
    turn: usize,
    in_turn: bool,
    /// Since when a session's question is on the line, and when there is time for the next.
    asking_ns: Option<u64>,
    spare_ns: u64,
    /// When to look for others again, and who is still to be told to leave that ping alone.
    search_ns: u64,
    hush: VecDeque<u16>,
}

impl Default for Master {
    fn default() -> Self {
        Self::new()
    }
}

impl Master {
    /// A master without boards on a line that is not open.
    #[must_use]
    pub fn new() -> Self {
        Self {
            boards: Vec::new(),
            strangers: BTreeSet::new(),
            is_up: false,
            decoder: Decoder::default(),
            phase: Phase::Playing,
            rounds: 0,
            awaited: None,
            free_ns: 0,
            turn: 0,
            in_turn: false,
            asking_ns: None,
            spare_ns: 0,
            search_ns: 0,
            hush: VecDeque::new(),
        }
    }

    /// Takes what happened at `at_ns`, which never goes back. Unlike a session it acts when it is called and
    /// not when it was due: a board gets its time to answer from the command on.
    pub fn handle(&mut self, input: Input<'_>, at_ns: u64, out: &mut Vec<Output>) {
        match input {
            Input::LinkUp => self.begin(at_ns),
            Input::LinkDown => self.is_up = false,
            Input::Bytes(bytes) => self.hear(bytes, at_ns, out),
            Input::Add(address) => self.add(address, at_ns),
            Input::Remove(address) => {
                if let Some(board) = self.board(address) {
                    board.remove();
                }
            }
            Input::Ask(order) => {
                if let Some(board) = self.board(order.address) {
                    board.ask(order.command);
                }
            }
            Input::Wake => {}
        }
        while self.wake_at_ns().is_some_and(|due_ns| due_ns <= at_ns) {
            self.act(at_ns, out);
        }
    }

    /// When the master has something to do, if nothing happens before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        if !self.is_up {
            return None;
        }
        if let Some(awaited) = &self.awaited {
            return Some(awaited.until_ns);
        }
        let due_ns = match &self.phase {
            Phase::Listening { until_ns, .. } => *until_ns,
            Phase::Calling(_) | Phase::Hushing(_) => self.free_ns,
            Phase::Playing if self.in_turn || !self.hush.is_empty() => self.free_ns,
            Phase::Playing => self.boards.iter().filter_map(Board::due_ns).fold(self.search_ns, u64::min),
        };
        Some(due_ns.max(self.free_ns))
    }

    /// The addresses that answered and that nobody added.
    pub fn strangers(&self) -> impl Iterator<Item = u16> {
        self.strangers.iter().copied()
    }

    fn board(&mut self, address: u16) -> Option<&mut Board> {
        self.boards.iter_mut().find(|board| board.address == address)
    }

    fn add(&mut self, address: u16, at_ns: u64) {
        if address == BROADCAST || address > ADDRESS_MAX {
            return;
        }
        self.strangers.remove(&address);
        match self.board(address) {
            Some(board) => board.add(at_ns),
            None => {
                let place = self.boards.partition_point(|board| board.address < address);
                self.boards.insert(place, Board::new(address, at_ns));
            }
        }
    }

    fn begin(&mut self, at_ns: u64) {
        self.is_up = true;
        self.decoder = Decoder::default();
        self.awaited = None;
        self.free_ns = at_ns;
        self.rounds = 0;
        (self.in_turn, self.hush) = (false, VecDeque::new());
        self.strangers.clear();
        self.boards.iter_mut().for_each(|board| board.link_up(at_ns));
        let known = self.boards.iter().filter(|board| board.is_wanted()).map(|board| (board.address, 1));
        self.phase = Phase::Calling(known.collect());
    }

    // What the master does.

    fn act(&mut self, at_ns: u64, out: &mut Vec<Output>) {
        if self.awaited.is_some() {
            let bytes = self.decoder.abandon();
            if bytes > 0 {
                out.push(Output::Skipped { bytes });
            }
            return self.missed(at_ns);
        }
        match &mut self.phase {
            Phase::Calling(queue) => match queue.pop_front() {
                Some((address, tries)) => {
                    if tries > 0 {
                        queue.push_back((address, tries - 1));
                    }
                    self.send(Order { address, command: Command::Ping }, at_ns, out);
                }
                None => self.phase = Phase::Hushing(self.present()),
            },
            Phase::Hushing(queue) => match queue.pop_front() {
                Some(address) => self.send(Order { address, command: Command::IgnoreNextPing }, at_ns, out),
                None => {
                    self.phase = Phase::Listening { until_ns: at_ns + PINGS, news: false };
                    self.send(Order { address: BROADCAST, command: Command::Ping }, at_ns, out);
                }
            },
            Phase::Listening { news, .. } => {
                self.rounds += 1;
                if *news && self.rounds < ROUNDS {
                    self.phase = Phase::Hushing(self.present());
                } else {
                    self.phase = Phase::Playing;
                    self.search_ns = at_ns + SEARCH;
                }
            }
            Phase::Playing => self.play(at_ns, out),
        }
    }

    /// Those that answered since the line was opened.
    fn present(&self) -> VecDeque<u16> {
        let known = self.boards.iter().filter(|board| board.is_present()).map(|board| board.address);
        known.chain(self.strangers.iter().copied()).collect()
    }

    /// One command of the round: the changes first, then one thing that the session asked for. So a dump
    /// never tells of a change that is still to come by its own record.
    fn play(&mut self, at_ns: u64, out: &mut Vec<Output>) {
        if std::mem::take(&mut self.in_turn) {
            let board = &self.boards[self.turn];
            if let Some(command) = board.asked() {
                self.asking_ns = Some(at_ns);
                return self.send(Order { address: board.address, command }, at_ns, out);
            }
        }
        if at_ns >= self.search_ns {
            self.search_ns = at_ns + SEARCH;
            self.hush = self.present();
            // Nobody waits for the answers: if one collides with a turn, that turn is repeated.
            self.hush.push_back(BROADCAST);
        }
        // One of these between two turns.
        match self.hush.pop_front() {
            Some(BROADCAST) => {
                return self.send(Order { address: BROADCAST, command: Command::Ping }, at_ns, out);
            }
            Some(address) => {
                return self.send(Order { address, command: Command::IgnoreNextPing }, at_ns, out);
            }
            None => {}
        }
        let count = self.boards.len();
        let next = (1..=count).map(|step| (self.turn + step) % count);
        let mut due = next.filter(|&index| self.boards[index].due_ns().is_some_and(|due_ns| due_ns <= at_ns));
        let Some(index) = due.next() else { return };
        self.turn = index;
        let board = &mut self.boards[index];
        let command = board.question();
        board.wait_until(at_ns + if command == Command::Reset { RESET } else { PACE });
        let order = Order { address: board.address, command };
        self.send(order, at_ns, out);
    }

    fn send(&mut self, order: Order, at_ns: u64, out: &mut Vec<Output>) {
        out.push(Output::Write(order.encode()));
        self.free_ns = at_ns + COMMAND + PAUSE;
        let is_answered = order.address != BROADCAST && order.command != Command::Reset;
        self.awaited = is_answered.then_some(Awaited { order, until_ns: at_ns + COMMAND + TIME_OUT });
    }

    /// No answer came, or one that was spoilt.
    fn missed(&mut self, at_ns: u64) {
        let Some(Awaited { order, .. }) = self.awaited.take() else { return };
        self.free(at_ns);
        if let Some(board) = self.board(order.address) {
            board.missed(order.command, at_ns);
        }
    }

    // What the line says.

    fn hear(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<Output>) {
        if !self.is_up {
            return;
        }
        let broken = self.decoder.broken();
        let mut packets = Vec::new();
        let skipped = self.decoder.push(bytes, &mut packets);
        if skipped > 0 {
            out.push(Output::Skipped { bytes: skipped });
            // Answers that collided: somebody is there.
            if let Phase::Listening { news, .. } = &mut self.phase {
                *news = true;
            }
        }
        for packet in packets {
            self.take(packet, at_ns, out);
        }
        if self.decoder.pending() > 0 {
            if let Some(awaited) = &mut self.awaited {
                awaited.until_ns = at_ns + TIME_OUT;
            }
        } else if self.decoder.broken() != broken {
            self.missed(at_ns);
        }
    }

    fn take(&mut self, packet: Packet, at_ns: u64, out: &mut Vec<Output>) {
        let (address, message) = (packet.address(), packet.message());
        let asked = self.awaited.filter(|Awaited { order, .. }| order.address == address);
        let asked = asked.map(|awaited| awaited.order.command);
        if message == Message::Ping {
            self.here(address, at_ns, out);
        }
        let Some(board) = self.boards.iter_mut().find(|board| board.address == address && board.is_wanted())
        else {
            return self.answered(asked, at_ns);
        };
        let Some(verdict) = board.take(&packet, &message, asked, at_ns) else { return };
        if verdict.is_news {
            out.push(Output::Packet(packet));
        }
        if verdict.is_awaited {
            // Its turn goes on with what its session asked for.
            let has_question = asked == Some(Command::SendChanges) && board.asked().is_some();
            self.in_turn = has_question && at_ns >= self.spare_ns;
            self.answered(asked, at_ns);
        }
    }

    fn answered(&mut self, asked: Option<Command>, at_ns: u64) {
        if asked.is_some() {
            self.awaited = None;
            self.free(at_ns);
        }
    }

    /// The line is free again. Sessions get half of it at most: as long as a question took, none follows, so that
    /// nobody's moves wait for thirty dumps.
    fn free(&mut self, at_ns: u64) {
        self.free_ns = at_ns + PAUSE;
        if let Some(began_ns) = self.asking_ns.take() {
            self.spare_ns = at_ns + (at_ns - began_ns);
        }
    }

    /// A board answered a ping.
    fn here(&mut self, address: u16, at_ns: u64, out: &mut Vec<Output>) {
        let mut is_news = false;
        if let Some(board) = self.board(address) {
            is_news = !board.is_present();
            board.here(at_ns);
        }
        let is_known = self.boards.iter().any(|board| board.address == address && board.is_wanted());
        if !is_known && self.strangers.len() < STRANGERS && self.strangers.insert(address) {
            is_news = true;
            out.push(Output::Found(address));
        }
        match &mut self.phase {
            Phase::Calling(queue) => queue.retain(|(waiting, _)| *waiting != address),
            Phase::Listening { news, .. } => *news |= is_news,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
