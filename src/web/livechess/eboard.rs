//! The boards as LiveChess lists them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::feed::status::GameProblem;
use crate::hall::Hall;
use adoube_core::station::Seen;
use adoube_rules::GameKind;
use adoube_rules::placement;
use adoube_rules::sensor::{ClockReading, Content, Side};
use adoube_rules::stamp::{MS, Stamp};

/// What is said of a board that is not in the list.
const NO_CHESS: &str = "four-player chess: LiveChess has boards of 64 squares only, so this one is left out";

/// A board of the list. The order of the fields is that of LiveChess.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Eboard {
    pub(super) serialnr: String,
    source: Option<String>,
    state: &'static str,
    battery: Option<()>,
    comment: Option<()>,
    board: Option<String>,
    flipped: bool,
    clock: Option<Clock>,
}

/// The clock of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Clock {
    /// Seconds that are left to White.
    white: u64,
    /// To Black.
    black: u64,
    /// Whose time runs: White's (true), Black's (false) or nobody's.
    run: Option<bool>,
    /// When that was read, milliseconds since 1970.
    time: i64,
}

impl Clock {
    /// What it shows, whenever that was read.
    pub(super) fn shows(self) -> (u64, u64, Option<bool>) {
        (self.white, self.black, self.run)
    }
}

/// Where boards are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Source {
    r#type: &'static str,
    device: String,
    name: Option<()>,
    present: bool,
    active: bool,
    status: Option<()>,
}

/// A board by both of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// In the hall.
    pub(super) board: String,
    /// In lists.
    pub(super) serialnr: String,
    state: Option<&'static str>,
    port: Option<String>,
}

/// All boards, `first` before the others.
pub(super) fn all(hall: &Hall, first: Option<&str>) -> Vec<Eboard> {
    named(hall, first).into_iter().map(|named| eboard(hall, named)).collect()
}

/// The boards of the hall in the order in which people count, but `first` before all others.
pub(super) fn named(hall: &Hall, first: Option<&str>) -> Vec<Named> {
    let mut taken = BTreeSet::new();
    let mut boards: Vec<Named> = hall.desk.with_view(|view| {
        // The journal may tell of boards that are here no more.
        let here = view.boards().filter(|shown| hall.board(&shown.board).is_some());
        let here = here.filter(|shown| !is_of_four(hall, &shown.board));
        here.map(|shown| {
            // Two boards may tell the same number; a program needs one for each.
            let own = shown.serial.clone().filter(|serial| !taken.contains(serial));
            let serialnr = own.unwrap_or_else(|| stand_in(&shown.board));
            taken.insert(serialnr.clone());
            Named { board: shown.board.clone(), serialnr, state: shown.state, port: shown.port.clone() }
        })
        .collect()
    });
    if let Some(at) = first.and_then(|first| boards.iter().position(|named| named.board == first)) {
        boards[..=at].rotate_right(1);
    }
    boards
}

/// A board of 160 squares: no program that knows LiveChess has a place for it.
fn is_of_four(hall: &Hall, board: &str) -> bool {
    hall.opened(board).is_some_and(|open| open.variant == GameKind::FourPlayer)
}

/// The boards that are not in the list, and why.
pub(super) fn left_out(hall: &Hall) -> Vec<GameProblem> {
    let boards: Vec<String> =
        hall.desk.with_view(|view| view.boards().map(|shown| shown.board.clone()).collect());
    let problem = |board| GameProblem { game: board, error: NO_CHESS.to_owned() };
    boards.into_iter().filter(|board| is_of_four(hall, board)).map(problem).collect()
}

/// Where the boards are.
pub(super) fn sources(hall: &Hall) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for Named { board, state, .. } in named(hall, None) {
        let Some(open) = hall.opened(&board) else { continue };
        let present = state == Some("fresh") && has_answered(hall.picture(&board).as_deref());
        let r#type = if open.port.starts_with("tcp:") { "TCP" } else { "SERIAL" };
        let device = device(&open.port);
        match sources.iter_mut().find(|source| source.device == device) {
            Some(source) => source.present |= present,
            None => sources.push(Source { r#type, device, name: None, present, active: true, status: None }),
        }
    }
    sources
}

/// A number for a board that has not told its own: always the same, of ten digits with a nine in front.
pub(super) fn stand_in(board: &str) -> String {
    let mixed = board
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("9{:09}", mixed % 1_000_000_000)
}

fn eboard(hall: &Hall, named: Named) -> Eboard {
    let seen = hall.picture(&named.board);
    let state = match named.state {
        Some("fresh") if has_answered(seen.as_deref()) => "ACTIVE",
        Some(_) if has_answered(seen.as_deref()) => "NOTRESPONDING",
        _ => "INACTIVE",
    };
    Eboard {
        serialnr: named.serialnr,
        source: named
            .port
            .filter(|_| state != "INACTIVE" && named.state != Some("lost"))
            .as_deref()
            .map(device),
        state,
        battery: None,
        comment: None,
        board: seen.as_deref().and_then(|seen| men(seen)).map(placement),
        flipped: false,
        clock: seen.as_deref().and_then(clock),
    }
}

/// Has the board answered since we were started?
fn has_answered(seen: Option<&Seen>) -> bool {
    seen.is_some_and(|seen| !seen.picture.contents.is_empty())
}

/// `ttyACM0` of `serial:/dev/ttyACM0`, `host:port` of `tcp://host:port`.
fn device(port: &str) -> String {
    let name = port.strip_prefix("serial:").and_then(|path| path.rsplit('/').next());
    name.or_else(|| port.strip_prefix("tcp://")).unwrap_or(port).to_owned()
}

/// The men that stand on the board; none of a board that does not name them.
pub(super) fn men(seen: &Seen) -> Option<&[Content]> {
    let is_told = seen.picture.is_named && !seen.picture.contents.is_empty();
    is_told.then_some(seen.picture.contents.as_slice())
}

/// The clock that was read last.
pub(super) fn clock(seen: &Seen) -> Option<Clock> {
    let ClockReading { left_ms: [white_ms, black_ms], running, .. } = seen.picture.clock?;
    let read = seen.at.at(seen.picture.clock_ns?);
    let run = running.map(|side| side == Side::White);
    Some(Clock { white: white_ms / 1_000, black: black_ms / 1_000, run, time: millis(read) })
}

/// Milliseconds since 1970.
pub(super) fn millis(at: Stamp) -> i64 {
    at.utc_ns.div_euclid(MS as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_look_like_serial_numbers_and_stay() {
        let numbers: BTreeSet<String> = (1..=1_000).map(|board| stand_in(&board.to_string())).collect();
        assert_eq!(numbers.len(), 1_000, "no two boards of a hall share one");
        assert!(numbers.iter().all(|number| number.len() == 10 && number.parse::<u64>().is_ok()));
        // Programs remember it.
        assert_eq!((stand_in("1").as_str(), stand_in("Tisch 1").as_str()), ("9997487868", "9077089631"));
    }

    #[test]
    fn devices_are_named_as_the_system_names_them() {
        let names = ["serial:/dev/ttyACM0", "serial:/dev/serial/by-path/pci-0:1", "tcp://hall:4001", "auto"]
            .map(device);
        assert_eq!(names, ["ttyACM0", "pci-0:1", "hall:4001", "auto"]);
    }
}
