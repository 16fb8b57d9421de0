//! What board and host say to each other, and its characters.

use serde::{Deserialize, Serialize};

use super::frame::{Framer, Kind, byte, hex_digit, wire, with_parity};
use crate::wire::lamps::{Squares, corners};
use adoube_rules::sensor::{Army, Content, Role};

/// Squares on the board.
const SQUARES: usize = 64;
/// Lamps: one at each corner of a square.
const LAMPS: usize = 81;

/// Men by their letters, an empty square, and one on which something stands that the board does not know.
const LETTERS: [(u8, Content); 14] = [
    (b'.', Content::EMPTY),
    (b'?', Content::OCCUPIED),
    (b'P', Content::man(Army::new(0), Role::Pawn)),
    (b'N', Content::man(Army::new(0), Role::Knight)),
    (b'B', Content::man(Army::new(0), Role::Bishop)),
    (b'R', Content::man(Army::new(0), Role::Rook)),
    (b'Q', Content::man(Army::new(0), Role::Queen)),
    (b'K', Content::man(Army::new(0), Role::King)),
    (b'p', Content::man(Army::new(1), Role::Pawn)),
    (b'n', Content::man(Army::new(1), Role::Knight)),
    (b'b', Content::man(Army::new(1), Role::Bishop)),
    (b'r', Content::man(Army::new(1), Role::Rook)),
    (b'q', Content::man(Army::new(1), Role::Queen)),
    (b'k', Content::man(Army::new(1), Role::King)),
];

/// Addresses of the board's settings.
pub mod setting {
    /// Does the board leave the checksums out? In the lowest bit.
    pub const BLOCK_PARITY: u8 = 0x00;
    /// How long a scan takes, in units of 2.048 ms; 15 at least.
    pub const SCAN_TIME: u8 = 0x01;
    /// When the board tells its squares by itself, in the lowest three bits.
    pub const STATUS: u8 = 0x02;
    /// The period of periodic status, in units of 4.096 ms.
    pub const PERIOD: u8 = 0x03;
    /// Of [`STATUS`]: whenever a square changed.
    pub const ON_CHANGE: u8 = 0x03;
}

/// What a board says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// What stands on each square, a1 first, as the sensor has it.
    Board(Box<[Content; SQUARES]>),
    /// The lamps are lit as asked.
    LampsLit,
    /// The lamps are out.
    LampsOut,
    /// The firmware.
    Version {
        /// Before the point.
        major: u8,
        /// After the point.
        minor: u8,
    },
    /// A setting was written.
    Written {
        /// Which.
        address: u8,
        /// Its value now.
        value: u8,
    },
    /// A setting, as it was asked for.
    Setting {
        /// Which.
        address: u8,
        /// Its value.
        value: u8,
    },
}

/// What a host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// What stands there?
    Board,
    /// Light lamps.
    Lamps(Box<Blinking>),
    /// Put all lamps out.
    LampsOut,
    /// Which firmware?
    Version,
    /// Set a setting; the board remembers it when it is switched off.
    Write {
        /// Which.
        address: u8,
        /// Its value.
        value: u8,
    },
    /// What is a setting?
    Read {
        /// Which.
        address: u8,
    },
    /// Begin again; not answered, and silent for three seconds.
    Reset,
}

/// When each lamp is lit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blinking {
    /// How long a slot is, in units of 4.096 ms.
    pub slot: u8,
    /// Eight slots a lamp, the highest bit first; lamps by columns from the a-file's edge, each from the eighth rank's
    /// edge down.
    pub lamps: [u8; LAMPS],
}

impl Blinking {
    /// The lamps at the corners of these squares, lit all the time.
    #[must_use]
    pub(super) fn steady(squares: Squares) -> Self {
        let mut lamps = [0; LAMPS];
        for (column, row) in corners(squares) {
            lamps[9 * column + 8 - row] = 0xff;
        }
        Self { slot: SLOT, lamps }
    }
}

/// A slot of an eighth of a second; all slots are the same in what we show.
const SLOT: u8 = 0x20;

/// The letter of what stands on a square; of what this board does not know, of an empty one.
fn letter(content: Content) -> char {
    let known = LETTERS.iter().find(|(_, known)| *known == content);
    known.map_or('.', |&(letter, _)| char::from(letter))
}

fn content(letter: u8) -> Option<Content> {
    LETTERS.iter().find(|(known, _)| *known == letter).map(|&(_, content)| content)
}

/// The square (a1 = 0) at a place of the board's stream, which begins with a8.
fn square(place: usize) -> usize {
    place ^ 0x38
}

impl Message {
    /// Its bytes on the wire, for a simulated board.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        wire(&match self {
            Self::Board(contents) => {
                "s".chars().chain((0..SQUARES).map(|place| letter(contents[square(place)]))).collect()
            }
            Self::LampsLit => "l".to_owned(),
            Self::LampsOut => "x".to_owned(),
            Self::Version { major, minor } => format!("v{major:02X}{minor:02X}"),
            Self::Written { address, value } => format!("w{address:02X}{value:02X}"),
            Self::Setting { address, value } => format!("r{address:02X}{value:02X}"),
        })
    }

    /// Reads a frame whose letter, characters and checksum are good.
    fn decode(frame: &[u8]) -> Option<Self> {
        let (&letter, rest) = frame.split_first()?;
        let pair = || Some((byte(rest.get(..2)?)?, byte(rest.get(2..4)?)?));
        Some(match letter {
            b's' => {
                let mut contents = Box::new([Content::EMPTY; SQUARES]);
                for (place, &letter) in rest.iter().take(SQUARES).enumerate() {
                    contents[square(place)] = content(letter)?;
                }
                Self::Board(contents)
            }
            b'l' => Self::LampsLit,
            b'x' => Self::LampsOut,
            b'v' => pair().map(|(major, minor)| Self::Version { major, minor })?,
            b'w' => pair().map(|(address, value)| Self::Written { address, value })?,
            b'r' => pair().map(|(address, value)| Self::Setting { address, value })?,
            _ => return None,
        })
    }
}

impl Command {
    /// Its bytes on the wire.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        wire(&match self {
            Self::Board => "S".to_owned(),
            Self::Lamps(blinking) => {
                let lamps = blinking.lamps.iter().map(|lamp| format!("{lamp:02X}"));
                format!("L{:02X}", blinking.slot) + &lamps.collect::<String>()
            }
            Self::LampsOut => "X".to_owned(),
            Self::Version => "V".to_owned(),
            Self::Write { address, value } => format!("W{address:02X}{value:02X}"),
            Self::Read { address } => format!("R{address:02X}"),
            Self::Reset => "T".to_owned(),
        })
    }

    fn decode(frame: &[u8]) -> Option<Self> {
        let (&letter, rest) = frame.split_first()?;
        let at = |place: usize| byte(rest.get(2 * place..2 * place + 2)?);
        Some(match letter {
            b'S' => Self::Board,
            b'L' => {
                let mut lamps = [0; LAMPS];
                for (place, lamp) in (1..).zip(&mut lamps) {
                    *lamp = at(place)?;
                }
                Self::Lamps(Box::new(Blinking { slot: at(0)?, lamps }))
            }
            b'X' => Self::LampsOut,
            b'V' => Self::Version,
            b'W' => Self::Write { address: at(0)?, value: at(1)? },
            b'R' => Self::Read { address: at(0)? },
            b'T' => Self::Reset,
            _ => return None,
        })
    }
}

fn is_hex(character: u8) -> bool {
    hex_digit(character).is_some()
}

fn is_letter(character: u8) -> bool {
    content(character).is_some()
}

fn kind_of_message(letter: u8) -> Option<Kind> {
    match letter {
        b's' => Some((67, is_letter)),
        b'l' | b'x' => Some((3, is_hex)),
        b'v' | b'w' | b'r' => Some((7, is_hex)),
        _ => None,
    }
}

fn kind_of_command(letter: u8) -> Option<Kind> {
    match letter {
        b'S' | b'X' | b'V' | b'T' => Some((3, is_hex)),
        b'R' => Some((5, is_hex)),
        b'W' => Some((7, is_hex)),
        b'L' => Some((167, is_hex)),
        _ => None,
    }
}

/// Cuts what a board sends into messages. Any cutting of the stream gives the same messages.
///
/// Parity is not looked at: boards behind Bluetooth leave it out, and the checksum tells more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Decoder(Framer);

impl Decoder {
    /// Takes bytes, cut anywhere, and appends the messages that they complete. Returns how many bytes turned out to
    /// belong to no message.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Message>) -> u64 {
        let mut skipped = 0;
        for byte in bytes {
            skipped += self.0.push(byte & 0x7f, kind_of_message, |frame| out.extend(Message::decode(frame)));
        }
        skipped
    }

    /// Drops a message that does not go on, and returns how many bytes that were.
    pub fn abandon(&mut self) -> u64 {
        self.0.abandon()
    }

    /// Bytes of a message that is not complete.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.0.pending()
    }
}

/// Cuts what a host sends into commands, as a board does: what has wrong parity is not heard.
#[derive(Debug, Clone, Default)]
pub struct CommandDecoder(Framer);

impl CommandDecoder {
    /// Takes bytes, cut anywhere, and appends the commands that they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Command>) {
        for &byte in bytes {
            if byte == with_parity(byte) {
                self.0.push(byte & 0x7f, kind_of_command, |frame| out.extend(Command::decode(frame)));
            } else {
                self.0.abandon();
            }
        }
    }
}
