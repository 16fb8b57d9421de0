//! Boards on one cable of 9600 baud that carries one voice at a time.
//!
//! A byte takes its time. What two say at once nobody understands: so it is with the answers to a broadcast ping,
//! and with a command that is called into an answer.

use fastrand::Rng;

use crate::{BoardConfig, Game, VirtualBoard};
use adoube_core::wire::dgt::bus::{BROADCAST, BYTE_NS, Command, Order};
use adoube_rules::Variant;

/// The longest piece in which a serial adapter hands bytes on.
const PIECE: usize = 16;

/// Boards and the cable between them. Sans-I/O, as [`VirtualBoard`] is.
#[derive(Debug)]
pub struct Chain {
    seats: Vec<Seat>,
    /// What is on the cable; a burst leaves it when its last byte is over.
    cable: Vec<Burst>,
    host_free_ns: u64,
    /// What has arrived at the host's end.
    arrived: Vec<u8>,
    /// The chance that a byte is lost or changed, 0 to 1.
    rate: f64,
    rng: Rng,
    now_ns: u64,
}

#[derive(Debug)]
struct Seat {
    board: VirtualBoard,
    address: u16,
    is_plugged: bool,
    free_ns: u64,
    wake_ns: Option<u64>,
}

/// Bytes of one voice, one after the other.
#[derive(Debug)]
struct Burst {
    /// The seat; `None` is the host.
    from: Option<usize>,
    start_ns: u64,
    bytes: Vec<u8>,
    /// Somebody else spoke during this byte.
    spoilt: Vec<bool>,
}

impl Burst {
    fn end_ns(&self) -> u64 {
        self.start_ns + self.bytes.len() as u64 * BYTE_NS
    }

    /// Spoils the bytes that are on the cable between these instants.
    fn spoil(&mut self, from_ns: u64, to_ns: u64) {
        for (index, spoilt) in self.spoilt.iter_mut().enumerate() {
            let start_ns = self.start_ns + index as u64 * BYTE_NS;
            *spoilt |= start_ns < to_ns && from_ns < start_ns + BYTE_NS;
        }
    }
}

impl Chain {
    /// The boards on which these games are played, each with an address of its own: its serial number. A byte
    /// suffers on the cable with the chance `rate`.
    #[must_use]
    pub fn new<V: Variant>(games: &[(Game<V>, BoardConfig)], rate: f64, seed: u64) -> Self {
        let seat = |(game, config): &(Game<V>, BoardConfig)| {
            // The cable is all that can go wrong between them.
            let config = BoardConfig { protocol: "dgt-bus", fault_rate: 0.0, ..*config };
            let board = VirtualBoard::new(game, config);
            let address = (config.serial & u32::from(adoube_core::wire::dgt::bus::ADDRESS_MAX)) as u16;
            Seat { wake_ns: board.wake_at_ns(), board, address, is_plugged: true, free_ns: 0 }
        };
        Self {
            seats: games.iter().map(seat).collect(),
            cable: Vec::new(),
            host_free_ns: 0,
            arrived: Vec::new(),
            rate,
            rng: Rng::with_seed(seed),
            now_ns: 0,
        }
    }

    /// Takes bytes from the host; they reach the boards when they are through the cable.
    pub fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        let start_ns = self.host_free_ns.max(now_ns);
        self.host_free_ns = start_ns + bytes.len() as u64 * BYTE_NS;
        self.say(None, start_ns, bytes);
    }

    /// Appends what arrived at the host until `now_ns`.
    pub fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        out.append(&mut self.arrived);
    }

    /// When something may happen, if the host says nothing before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        if !self.arrived.is_empty() {
            return Some(self.now_ns);
        }
        let cable = self.cable.iter().map(Burst::end_ns);
        cable.chain(self.seats.iter().filter_map(|seat| seat.wake_ns)).min()
    }

    /// Everybody has played, and what they did has been seen by their boards.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.seats.iter().all(|seat| seat.board.is_finished())
    }

    /// The boards, in the order of the games.
    pub fn boards(&self) -> impl Iterator<Item = &VirtualBoard> {
        self.seats.iter().map(|seat| &seat.board)
    }

    /// Their addresses.
    pub fn addresses(&self) -> impl Iterator<Item = u16> {
        self.seats.iter().map(|seat| seat.address)
    }

    /// Takes the `index`-th board off the cable: it hears nothing and nobody hears it. Its players go on.
    pub fn unplug(&mut self, index: usize, now_ns: u64) {
        self.advance(now_ns);
        if let Some(seat) = self.seats.get_mut(index) {
            seat.is_plugged = false;
        }
    }

    /// Puts it back; it may have been without power meanwhile, and then begins as when it is switched on.
    pub fn plug(&mut self, index: usize, was_off: bool, now_ns: u64) {
        self.advance(now_ns);
        let Some(seat) = self.seats.get_mut(index) else { return };
        seat.is_plugged = true;
        if was_off {
            let reset = Order { address: BROADCAST, command: Command::Reset };
            seat.board.receive(&reset.encode(), now_ns);
            seat.wake_ns = seat.board.wake_at_ns();
        }
    }

    /// Lets everything happen at its own time.
    fn advance(&mut self, now_ns: u64) {
        loop {
            let ended = (0..self.cable.len()).min_by_key(|&index| self.cable[index].end_ns());
            let ended = ended.map(|index| (self.cable[index].end_ns(), index));
            let woken =
                self.seats.iter().enumerate().filter_map(|(index, seat)| Some((seat.wake_ns?, index))).min();
            match (ended, woken) {
                (Some((at_ns, index)), woken)
                    if at_ns <= now_ns && woken.is_none_or(|(wake_ns, _)| at_ns <= wake_ns) =>
                {
                    let burst = self.cable.swap_remove(index);
                    self.arrive(burst, at_ns);
                }
                (_, Some((at_ns, index))) if at_ns <= now_ns => self.poll_seat(index, at_ns.max(self.now_ns)),
                _ => break,
            }
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    fn poll_seat(&mut self, index: usize, at_ns: u64) {
        let (mut said, seat) = (Vec::new(), &mut self.seats[index]);
        seat.board.poll(at_ns, &mut said);
        seat.wake_ns = seat.board.wake_at_ns().map(|wake_ns| wake_ns.max(at_ns + 1));
        if !seat.is_plugged {
            return;
        }
        for piece in said.chunks(PIECE) {
            let seat = &mut self.seats[index];
            let start_ns = seat.free_ns.max(at_ns);
            seat.free_ns = start_ns + piece.len() as u64 * BYTE_NS;
            self.say(Some(index), start_ns, piece);
        }
    }

    fn say(&mut self, from: Option<usize>, start_ns: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut burst = Burst { from, start_ns, bytes: bytes.to_vec(), spoilt: vec![false; bytes.len()] };
        for other in self.cable.iter_mut().filter(|other| other.from != from) {
            let (start_ns, end_ns) = (other.start_ns, other.end_ns());
            other.spoil(burst.start_ns, burst.end_ns());
            burst.spoil(start_ns, end_ns);
        }
        self.cable.push(burst);
    }

    fn arrive(&mut self, burst: Burst, at_ns: u64) {
        let mut bytes = Vec::with_capacity(burst.bytes.len());
        for (byte, spoilt) in burst.bytes.into_iter().zip(burst.spoilt) {
            let dice = self.rng.f64();
            match (spoilt, dice < self.rate) {
                (true, _) => bytes.push(self.rng.u8(..)),
                (false, false) => bytes.push(byte),
                (false, true) if self.rng.bool() => bytes.push(byte ^ (1 << self.rng.u8(0..8))),
                (false, true) => {}
            }
        }
        if burst.from.is_some() {
            return self.arrived.extend(bytes);
        }
        for seat in self.seats.iter_mut().filter(|seat| seat.is_plugged) {
            seat.board.receive(&bytes, at_ns);
            seat.wake_ns = seat.board.wake_at_ns();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::wire::dgt::bus::{Decoder, Packet};
    use adoube_rules::ChessPosition;
    use adoube_rules::stamp::{MS, SECOND};

    const FIRST: u16 = 1_001;

    fn chain(boards: u16, rate: f64) -> Chain {
        let game = || Game::<adoube_rules::Chess> {
            start: ChessPosition::default(),
            moves: Vec::new(),
            result: None,
        };
        let board = |index: u16| {
            let config = BoardConfig {
                serial: u32::from(FIRST + index),
                seed: u64::from(index),
                ..BoardConfig::default()
            };
            (game(), config)
        };
        Chain::new(&(0..boards).map(board).collect::<Vec<_>>(), rate, 3)
    }

    /// The packets that come until `until_ns`, and the bytes that are none.
    fn heard(chain: &mut Chain, until_ns: u64) -> (Vec<Packet>, u64) {
        let (mut bytes, mut packets) = (Vec::new(), Vec::new());
        chain.poll(until_ns, &mut bytes);
        let mut decoder = Decoder::default();
        decoder.push(&bytes, &mut packets);
        decoder.abandon();
        (packets, decoder.skipped())
    }

    fn ask(chain: &mut Chain, address: u16, command: Command, now_ns: u64) {
        chain.receive(&Order { address, command }.encode(), now_ns);
    }

    #[test]
    fn bytes_take_their_time() {
        let mut chain = chain(1, 0.0);
        ask(&mut chain, FIRST, Command::SendBoard, SECOND);
        // Four bytes there, 70 back, and a moment's thought.
        assert_eq!(heard(&mut chain, SECOND + 73 * MS).0.len(), 0);
        let mut bytes = Vec::new();
        chain.poll(SECOND + 83 * MS, &mut bytes);
        assert!((1..70).contains(&bytes.len()), "the rest of what was on its way");
    }

    #[test]
    fn who_speaks_at_once_is_not_understood() {
        let mut chain = chain(2, 0.0);
        ask(&mut chain, FIRST, Command::SendBoard, SECOND);
        ask(&mut chain, FIRST + 1, Command::SendBoard, SECOND);
        let (packets, skipped) = heard(&mut chain, 2 * SECOND);
        assert!(packets.len() < 2 && skipped > 0, "{packets:?}, {skipped}");
    }

    #[test]
    fn a_board_off_the_cable_is_not_there() {
        let mut chain = chain(2, 0.0);
        chain.unplug(0, 0);
        for (second, answers) in [(1, 0), (2, 1)] {
            ask(&mut chain, FIRST, Command::Ping, second * SECOND);
            assert_eq!(heard(&mut chain, second * SECOND + 500 * MS).0.len(), answers);
            chain.plug(0, false, second * SECOND + 600 * MS);
        }
    }

    #[test]
    fn a_bad_cable_spoils_some() {
        let mut chain = chain(1, 0.01);
        for second in 1..=100 {
            ask(&mut chain, FIRST, Command::SendBoard, second * SECOND);
        }
        let (packets, skipped) = heard(&mut chain, 102 * SECOND);
        // Of 74 bytes every one arrives in 0.99 to the power of 74 of all cases: 48 %.
        assert!((30..66).contains(&packets.len()) && skipped > 500, "{} {skipped}", packets.len());
    }
}
