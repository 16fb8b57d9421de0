//! Capture files: what a board said, one JSON object a line (DESIGN 5.2).
//!
//! This file knows lines; where they come from, and zstd, is the business of the shell.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::ruling::{Ruled, RulingError};
use adoube_rules::four;
use adoube_rules::sensor::{ClockReading, Content, Frame, Side};
use adoube_rules::words::UnknownWord;
use adoube_rules::{GameKind, cross, man_from_letter, placement};

/// The format that this file reads and writes.
pub const FORMAT: &str = "capture/1";

/// The first line of a capture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// The board's name.
    pub board: String,
    /// The name of a protocol, or `frames` for neutral frames.
    pub protocol: String,
    /// When `t_ms` = 0 was, nanoseconds since 1970.
    pub started_utc_ns: i64,
    /// The game.
    pub variant: Option<GameKind>,
    /// FEN of the position from which the game starts.
    pub start: Option<String>,
    /// As TRF-26 field 222 writes it.
    pub time_control: Option<String>,
    /// Full name of a profile.
    pub profile: Option<String>,
    /// The board stands turned: 0, 90, 180 or 270 degrees.
    pub turned: Option<u32>,
    /// The side of the clock's left end, if it is not the usual one.
    pub clock_side: Option<Side>,
    /// Free text.
    pub note: Option<String>,
}

/// What one line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Bytes from the board.
    Received(Vec<u8>),
    /// Bytes to the board; for the reader.
    Sent(Vec<u8>),
    /// A whole frame.
    Frame(Frame),
    /// The clock, or that there is none.
    Clock(Option<ClockReading>),
    /// The link is gone.
    LinkLost,
    /// The link is back.
    LinkBack,
    /// A ruling.
    Ruling(Ruled),
    /// Free text.
    Note(String),
}

/// A line after the first: an instant and what was said then.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Nanoseconds since the capture's start.
    pub t_ns: u64,
    /// In the order in which they are taken.
    pub items: Vec<Item>,
}

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Not the JSON that a capture holds.
    #[error("not a line of a capture: {0}")]
    Json(#[from] serde_json::Error),
    /// The first line does not say that it is a capture.
    #[error("not a capture: the first line must be {{\"adoube\":\"{FORMAT}\",\"board\":…,\"protocol\":…}}")]
    NotACapture,
    /// A capture of a later format.
    #[error("this is a \"{0}\"; this version reads \"{FORMAT}\"")]
    Format(String),
    /// A value that cannot be.
    #[error("\"{key}\" {problem}")]
    Value {
        /// Which key.
        key: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A game that adoube does not play.
    #[error(transparent)]
    Game(#[from] UnknownWord),
    /// A ruling that is none.
    #[error(transparent)]
    Ruling(#[from] RulingError),
}

fn bad(key: &'static str, problem: impl Into<String>) -> CaptureError {
    CaptureError::Value { key, problem: problem.into() }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHeader {
    adoube: String,
    board: Value,
    protocol: String,
    started: Option<String>,
    variant: Option<String>,
    start: Option<String>,
    time_control: Option<String>,
    profile: Option<String>,
    turned: Option<Value>,
    clock_side: Option<Side>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLine<'a> {
    t_ms: f64,
    #[serde(borrow)]
    rx: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tx: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pieces: Option<Cow<'a, str>>,
    #[serde(borrow)]
    occ: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "present")]
    clock: Option<Option<RawClock>>,
    #[serde(borrow)]
    link: Option<Cow<'a, str>>,
    ruling: Option<Value>,
    #[serde(borrow)]
    note: Option<Cow<'a, str>>,
}

/// `null` is a value here, and differs from a key that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<RawClock>>, D::Error> {
    Option::<RawClock>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClock {
    white_ms: u64,
    black_ms: u64,
    running: Option<Side>,
    lever: Option<Side>,
    #[serde(default)]
    flags: Vec<Side>,
    counter: Option<RawCounter>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCounter {
    white: u32,
    black: u32,
}

impl Header {
    /// Reads the first line.
    ///
    /// # Errors
    /// [`CaptureError`]: it is no capture, or one of a later format.
    pub fn parse(line: &str) -> Result<Self, CaptureError> {
        let format = serde_json::from_str::<Value>(line).ok();
        let format = format.as_ref().and_then(|value| value.get("adoube")).and_then(Value::as_str);
        match format {
            Some(FORMAT) => {}
            Some(other) => return Err(CaptureError::Format(other.to_owned())),
            None => return Err(CaptureError::NotACapture),
        }
        let raw: RawHeader = serde_json::from_str(line)?;
        debug_assert_eq!(raw.adoube, FORMAT);
        let board = match raw.board {
            Value::String(name) => name,
            Value::Number(number) => number.to_string(),
            _ => return Err(bad("board", "must be the board's name")),
        };
        let started_utc_ns = match raw.started {
            None => 0,
            Some(text) => adoube_rules::stamp::Stamp::parse_utc(&text).ok_or_else(|| {
                bad("started", format!("\"{text}\" is no date and time like 2026-05-01T10:00:00Z"))
            })?,
        };
        let turned = match raw.turned {
            None | Some(Value::Null) => None,
            Some(Value::Bool(turned)) => Some(if turned { 180 } else { 0 }),
            Some(value) => match value.as_u64() {
                Some(turned @ (0 | 90 | 180 | 270)) => Some(u32::try_from(turned).unwrap_or(0)),
                _ => return Err(bad("turned", "must be 0, 90, 180 or 270")),
            },
        };
        Ok(Self {
            board,
            protocol: raw.protocol,
            started_utc_ns,
            variant: raw.variant.as_deref().map(str::parse).transpose()?,
            start: raw.start,
            time_control: raw.time_control,
            profile: raw.profile,
            turned,
            clock_side: raw.clock_side,
            note: raw.note,
        })
    }

    /// The first line of a capture, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let started = adoube_rules::stamp::Stamp { mono_ns: 0, utc_ns: self.started_utc_ns }.rfc3339();
        let mut object = Map::new();
        object.insert("adoube".into(), FORMAT.into());
        object.insert("board".into(), self.board.clone().into());
        object.insert("protocol".into(), self.protocol.clone().into());
        object.insert("started".into(), started.into());
        let mut optional = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                object.insert(key.into(), value);
            }
        };
        optional("variant", self.variant.map(|variant| variant.name().into()));
        optional("start", self.start.clone().map(Value::from));
        optional("time_control", self.time_control.clone().map(Value::from));
        optional("profile", self.profile.clone().map(Value::from));
        optional("turned", self.turned.map(Value::from));
        optional("clock_side", self.clock_side.map(|side| side.name().into()));
        optional("note", self.note.clone().map(Value::from));
        Value::Object(object).to_string()
    }
}

impl Line {
    /// Reads a line after the first.
    ///
    /// # Errors
    /// [`CaptureError`], which names the key.
    pub fn parse(line: &str) -> Result<Self, CaptureError> {
        let raw: RawLine<'_> = serde_json::from_str(line)?;
        if !raw.t_ms.is_finite() || raw.t_ms < 0.0 || raw.t_ms > 1e12 {
            return Err(bad("t_ms", "must be milliseconds since the start"));
        }
        let mut items = Vec::with_capacity(1);
        if let Some(state) = raw.link {
            items.push(match state.as_ref() {
                "lost" => Item::LinkLost,
                "back" => Item::LinkBack,
                _ => return Err(bad("link", "must be \"lost\" or \"back\"")),
            });
        }
        if let Some(hex) = raw.tx {
            items.push(Item::Sent(bytes_from_hex(&hex).ok_or_else(|| bad("tx", "is not hexadecimal"))?));
        }
        if let Some(hex) = raw.rx {
            items.push(Item::Received(bytes_from_hex(&hex).ok_or_else(|| bad("rx", "is not hexadecimal"))?));
        }
        if let Some(clock) = raw.clock {
            items.push(Item::Clock(clock.map(RawClock::reading)));
        }
        if let Some(placement) = raw.pieces {
            items.push(Item::Frame(pieces_frame(&placement)?));
        }
        if let Some(hex) = raw.occ {
            items.push(Item::Frame(occupancy_frame(&hex)?));
        }
        if let Some(ruling) = raw.ruling {
            items.push(Item::Ruling(Ruled::parse(&ruling)?));
        }
        if let Some(note) = raw.note {
            items.push(Item::Note(note.into_owned()));
        }
        Ok(Self { t_ns: (raw.t_ms * 1e6).round() as u64, items })
    }

    /// The line, without its end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut object = Map::new();
        let micros = self.t_ns / 1_000;
        let t_ms = if micros.is_multiple_of(1_000) {
            Value::from(micros / 1_000)
        } else {
            Value::from(micros as f64 / 1_000.0)
        };
        object.insert("t_ms".into(), t_ms);
        for item in &self.items {
            let (key, value) = item.to_json();
            object.insert(key.into(), value);
        }
        Value::Object(object).to_string()
    }
}

impl Item {
    fn to_json(&self) -> (&'static str, Value) {
        match self {
            Self::Received(bytes) => ("rx", hex_from_bytes(bytes).into()),
            Self::Sent(bytes) => ("tx", hex_from_bytes(bytes).into()),
            Self::Frame(Frame::Identity(contents)) => ("pieces", placement(contents).into()),
            Self::Frame(Frame::Occupancy(contents)) => ("occ", occupancy_hex(contents).into()),
            Self::Clock(reading) => ("clock", reading.as_ref().map_or(Value::Null, clock_json)),
            Self::LinkLost => ("link", "lost".into()),
            Self::LinkBack => ("link", "back".into()),
            Self::Ruling(ruling) => ("ruling", ruling.to_json()),
            Self::Note(text) => ("note", text.clone().into()),
        }
    }
}

impl RawClock {
    fn reading(self) -> ClockReading {
        let mut flags = [false; 2];
        for side in self.flags {
            flags[side.index()] = true;
        }
        ClockReading {
            left_ms: [self.white_ms, self.black_ms],
            running: self.running,
            lever: self.lever.or(self.running),
            flags,
            counter: self.counter.map(|counter| [counter.white, counter.black]),
            by_end: false,
        }
    }
}

/// A reading of the clock, as captures write it.
pub(crate) fn clock_json(reading: &ClockReading) -> Value {
    let flags: Vec<&str> =
        Side::BOTH.into_iter().filter(|side| reading.flags[side.index()]).map(Side::name).collect();
    let mut object = json!({
        "white_ms": reading.left_ms[0],
        "black_ms": reading.left_ms[1],
        "running": reading.running.map(Side::name),
        "lever": reading.lever.map(Side::name),
        "flags": flags,
    });
    if let Some([white, black]) = reading.counter {
        object["counter"] = json!({"white": white, "black": black});
    }
    object
}

/// Reads a piece placement: a FEN's of 64 squares, or one of 160, which has fourteen ranks.
///
/// # Errors
/// [`CaptureError`] that says which rank or letter is wrong.
pub fn pieces_frame(placement: &str) -> Result<Frame, CaptureError> {
    if placement.split('/').count() == usize::from(cross().side()) {
        let men =
            four::read_placement(cross(), placement).map_err(|error| bad("pieces", error.to_string()))?;
        return Ok(Frame::Identity(men));
    }
    let mut contents = vec![Content::EMPTY; 64];
    let mut ranks = 0;
    for (row, rank) in placement.split('/').enumerate() {
        ranks += 1;
        let mut file = 0;
        for letter in rank.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty as usize;
            } else {
                let man = man_from_letter(letter)
                    .ok_or_else(|| bad("pieces", format!("has \"{letter}\", which is no piece")))?;
                if row < 8 && file < 8 {
                    contents[(7 - row) * 8 + file] = man;
                }
                file += 1;
            }
        }
        if file != 8 || row > 7 {
            return Err(bad("pieces", format!("rank {} does not have eight squares", 8 - row.min(8) as i64)));
        }
    }
    if ranks != 8 {
        return Err(bad("pieces", format!("has {ranks} ranks instead of eight")));
    }
    Ok(Frame::Identity(contents))
}

fn occupancy_frame(hex: &str) -> Result<Frame, CaptureError> {
    if hex.len() != 16 && hex.len() != 40 {
        return Err(bad("occ", "must have 16 hexadecimal digits for 64 squares, 40 for 160"));
    }
    let mut contents = Vec::with_capacity(hex.len() * 4);
    for digit in hex.chars().rev() {
        let bits = digit.to_digit(16).ok_or_else(|| bad("occ", "is not hexadecimal"))?;
        contents
            .extend((0..4).map(|bit| if bits >> bit & 1 == 1 { Content::OCCUPIED } else { Content::EMPTY }));
    }
    Ok(Frame::Occupancy(contents))
}

/// Which squares hold something, as captures write it: hexadecimal digits, the lowest bit is a1.
#[must_use]
pub(crate) fn occupancy_hex(contents: &[Content]) -> String {
    let digit = |four: &[Content]| {
        let bits = four.iter().rev().fold(0, |bits, content| bits << 1 | u32::from(!content.is_empty()));
        char::from_digit(bits, 16).unwrap_or('0')
    };
    contents.chunks(4).rev().map(digit).collect()
}

/// The bytes that hexadecimal digits stand for; `None` if they are none.
#[must_use]
pub(crate) fn bytes_from_hex(hex: &str) -> Option<Vec<u8>> {
    if !hex.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    hex.as_bytes().chunks(2).map(|pair| u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()).collect()
}

/// Hexadecimal digits, lower case.
#[must_use]
pub fn hex_from_bytes(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back_as_they_were_written() {
        for text in [
            r#"{"t_ms":0,"rx":"8e00053400"}"#,
            r#"{"t_ms":1.5,"tx":"42"}"#,
            r#"{"t_ms":2,"pieces":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"}"#,
            r#"{"t_ms":3,"occ":"ffff00000000ffff"}"#,
            r#"{"t_ms":4,"clock":null}"#,
            r#"{"t_ms":5,"clock":{"white_ms":1000,"black_ms":2000,"running":null,"lever":"white","flags":["black"],"counter":{"white":3,"black":2}}}"#,
            r#"{"t_ms":6,"link":"lost"}"#,
            r#"{"t_ms":7,"ruling":{"name":"note","text":"x","by":null}}"#,
            r#"{"t_ms":8,"note":"hello"}"#,
        ] {
            assert_eq!(Line::parse(text).unwrap().to_line(), text);
        }
    }

    #[test]
    fn the_lowest_bit_is_a1() {
        let Item::Frame(frame) = &Line::parse(r#"{"t_ms":0,"occ":"8000000000000003"}"#).unwrap().items[0]
        else {
            panic!("no frame");
        };
        let occupied: Vec<usize> = (0..64).filter(|&square| !frame.contents()[square].is_empty()).collect();
        assert_eq!(occupied, [0, 1, 63]);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |text: &str| Line::parse(text).unwrap_err().to_string();
        assert_eq!(message(r#"{"t_ms":0,"rx":"8e0"}"#), "\"rx\" is not hexadecimal");
        assert_eq!(
            message(r#"{"t_ms":0,"pieces":"rnbqkbnr/ppppxppp/8/8/8/8/8/8"}"#),
            "\"pieces\" has \"x\", which is no piece"
        );
        assert_eq!(message(r#"{"t_ms":0,"pieces":"8/8"}"#), "\"pieces\" has 2 ranks instead of eight");
        assert_eq!(message(r#"{"t_ms":-1}"#), "\"t_ms\" must be milliseconds since the start");
        assert!(message(r#"{"t_ms":0,"peices":"8"}"#).contains("unknown field `peices`"));
        assert!(Header::parse("{}").unwrap_err().to_string().starts_with("not a capture"));
        assert!(Header::parse(r#"{"adoube":"capture/9"}"#).unwrap_err().to_string().contains("capture/9"));
    }

    #[test]
    fn a_header_reads_back_as_it_was_written() {
        let line = r#"{"adoube":"capture/1","board":"7","protocol":"dgt","started":"2026-05-01T10:00:00.000Z","variant":"chess960","start":"8/8/8/8/8/8/8/K1k5 w - - 0 1","turned":180,"clock_side":"black"}"#;
        assert_eq!(Header::parse(line).unwrap().to_line(), line);
    }
}
