//! What the host says on a bus: four bytes to one board or to all (section 2.8).

use super::{ADDRESS_MAX, checksum};
use crate::wire::dgt::codec::seven_bits;

/// The address that means every board; only some commands may carry it.
pub const BROADCAST: u16 = 0;

/// What a board can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Send the clock's times.
    SendClock,
    /// Send the whole board.
    SendBoard,
    /// Send what changed since this was asked last.
    SendChanges,
    /// Send the last changes once more.
    RepeatChanges,
    /// Write a mark and all pieces into the memory: a game begins.
    StartGame,
    /// Send everything since that mark, but for what waits for [`Command::SendChanges`].
    SendFromStart,
    /// Answer; all boards answer to a broadcast, each at a random moment.
    Ping,
    /// Go into single mode. For the last board on a line only.
    EndBusMode,
    /// Start again, which takes some seconds.
    Reset,
    /// Answer, and leave the next broadcast ping alone.
    IgnoreNextPing,
    /// Send the firmware's version.
    SendVersion,
    /// Send changes, clock and board, one after the other.
    SendAll,
}

const CODES: [(u8, Command); 12] = [
    (0x81, Command::SendClock),
    (0x82, Command::SendBoard),
    (0x83, Command::SendChanges),
    (0x84, Command::RepeatChanges),
    (0x85, Command::StartGame),
    (0x86, Command::SendFromStart),
    (0x87, Command::Ping),
    (0x88, Command::EndBusMode),
    (0x89, Command::Reset),
    (0x8a, Command::IgnoreNextPing),
    (0x8b, Command::SendVersion),
    (0x8d, Command::SendAll),
];

/// A command and whom it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The board, or [`BROADCAST`].
    pub address: u16,
    /// What it shall do.
    pub command: Command,
}

impl Order {
    /// Its bytes. An address above fourteen bits is cut.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        let code = CODES.iter().find(|(_, command)| *command == self.command).map_or(0x87, |(code, _)| *code);
        let [high, low] = seven_bits(self.address & ADDRESS_MAX);
        let mut bytes = vec![code, high, low];
        bytes.push(checksum(&bytes));
        bytes
    }
}

/// Cuts a stream of bytes into commands, as a board does.
#[derive(Debug, Clone, Default)]
pub struct CommandDecoder {
    /// The beginning of a command; at most four bytes.
    partial: Vec<u8>,
    skipped: u64,
}

impl CommandDecoder {
    /// Takes bytes, cut anywhere, and appends the commands that they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Order>) {
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.skip();
            }
            self.partial.push(byte);
            match *self.partial {
                [head, ..] if head & 0x80 == 0 => self.skip(),
                [code, high, low, sum] => {
                    let known = CODES.iter().find(|(known, _)| *known == code);
                    match known.filter(|_| checksum(&[code, high, low]) == sum) {
                        Some(&(_, command)) => {
                            let address = u16::from(high) << 7 | u16::from(low);
                            out.push(Order { address, command });
                            self.partial.clear();
                        }
                        None => self.skip(),
                    }
                }
                _ => {}
            }
        }
    }

    /// Bytes of a command that is not complete.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// Bytes so far that belong to no command.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn skip(&mut self) {
        self.skipped += self.partial.len() as u64;
        self.partial.clear();
    }
}
