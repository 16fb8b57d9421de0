//! Which board of the hall is it that answers there?
//!
//! The number that a board tells of itself decides, wherever it is plugged in (reliability, rule 8). Boards
//! without one are told apart by their sockets alone, so nothing is guessed where several could be meant.

use crate::link::Found;
use adoube_core::wire::Identity;

/// A board of the hall, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Known {
    pub(super) board: String,
    /// The number by which it is looked for: configured, else the one that it told.
    pub(super) serial: Option<String>,
    /// What it has to speak, if that is said.
    pub(super) protocol: Option<String>,
    /// It is wherever it answers.
    pub(super) is_auto: bool,
    /// Where it is.
    pub(super) port: Option<String>,
    /// It answers there.
    pub(super) is_live: bool,
    /// A board without a number that was at this port before.
    pub(super) last_port: Option<String>,
}

/// What becomes of a board that answers at a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// It is this board of the hall.
    Place(String),
    /// It is a new one.
    Add,
    /// It is not used; and why, and what to do.
    Leave { reason: String, advice: String },
}

/// Which of `boards` is it that answers at `port`? `adds`: whoever is unknown becomes a board.
pub(super) fn choose(found: &Found, port: &str, boards: &[Known], adds: bool) -> Choice {
    let number =
        |known: &&Known| known.serial.as_deref().is_some_and(|serial| found.identity.has_number(serial));
    if let Some(known) = boards.iter().find(number) {
        return same_number(found, port, known);
    }
    let speaks = |known: &Known| known.protocol.as_deref().is_none_or(|protocol| protocol == found.protocol);
    let waits =
        |known: &&Known| known.is_auto && known.port.is_none() && known.serial.is_none() && speaks(known);
    let has_number = found.identity.serial.is_some();
    let was_here = |known: &&Known| !has_number && known.last_port.as_deref() == Some(port);
    let waiting: Vec<&Known> = boards.iter().filter(waits).collect();
    if let Some(known) = waiting.iter().copied().find(was_here) {
        return Choice::Place(known.board.clone());
    }
    // One that was somewhere before is looked for there.
    let unplaced: Vec<&Known> = waiting.into_iter().filter(|known| known.last_port.is_none()).collect();
    match unplaced.as_slice() {
        [] if adds => Choice::Add,
        [] => nobody(found, port),
        [only] => Choice::Place(only.board.clone()),
        several => ambiguous(found, port, several),
    }
}

fn same_number(found: &Found, port: &str, known: &Known) -> Choice {
    let board = &known.board;
    let serial = found.identity.serial.as_deref().unwrap_or_default();
    if let Some(at) = known.port.as_deref().filter(|at| known.is_live && *at != port) {
        return Choice::Leave {
            reason: format!(
                "two boards say that their number is {serial}: the other one is board \"{board}\" at {at}"
            ),
            advice: "unplug the one that is not meant; two boards of one number cannot be told apart"
                .to_owned(),
        };
    }
    if let Some(protocol) = known.protocol.as_deref().filter(|protocol| *protocol != found.protocol) {
        let speaks = found.protocol;
        return Choice::Leave {
            reason: format!("board \"{board}\" has to speak {protocol}, and this one speaks {speaks}"),
            advice: format!("set protocol = \"{speaks}\" in its [[board]], or leave it out"),
        };
    }
    if known.is_auto {
        return Choice::Place(board.clone());
    }
    let at = known.port.as_deref().unwrap_or("another port");
    Choice::Leave {
        reason: format!("this is board \"{board}\", which the configuration has at {at}"),
        advice: format!(
            "plug it in there, or set port = \"auto\" and serial = \"{serial}\" in its [[board]]"
        ),
    }
}

fn nobody(found: &Found, port: &str) -> Choice {
    let (reason, key) = match &found.identity.serial {
        Some(serial) => (format!("no [[board]] has the number {serial}"), format!("serial = \"{serial}\"")),
        None => ("no [[board]] waits for a board without a number".to_owned(), format!("port = \"{port}\"")),
    };
    let advice = format!("add a [[board]] with an id and {key}, or set add = true in [discovery]");
    Choice::Leave { reason, advice }
}

fn ambiguous(found: &Found, port: &str, several: &[&Known]) -> Choice {
    let names: Vec<String> = several.iter().map(|known| format!("\"{}\"", known.board)).collect();
    let key = match &found.identity.serial {
        Some(serial) => format!("serial = \"{serial}\""),
        None => format!("port = \"{port}\""),
    };
    Choice::Leave {
        reason: format!("it could be any of the boards {}", names.join(", ")),
        advice: format!("set {key} in the [[board]] that it is"),
    }
}

/// The name of a new board: the digits of its number, else the lowest number that no board has.
pub(super) fn new_name(identity: &Identity, taken: &dyn Fn(&str) -> bool) -> String {
    let digits = |number: &String| -> String { number.chars().filter(char::is_ascii_digit).collect() };
    let of_number = identity.serial.as_ref().map(digits).filter(|name| !name.is_empty() && !taken(name));
    let mut free = (1_u32..).map(|number| number.to_string()).filter(|name| !taken(name));
    of_number.or_else(|| free.next()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(serial: &str, long_serial: &str) -> Found {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let identity =
            Identity { serial: text(serial), long_serial: text(long_serial), ..Identity::default() };
        Found { protocol: "dgt", identity }
    }

    fn auto(board: &str, serial: &str) -> Known {
        let serial = Some(serial.to_owned()).filter(|serial| !serial.is_empty());
        Known { board: board.to_owned(), serial, is_auto: true, ..Known::default() }
    }

    fn at(port: &str, is_live: bool, known: Known) -> Known {
        Known { port: Some(port.to_owned()), is_live, ..known }
    }

    fn place(board: &str) -> Choice {
        Choice::Place(board.to_owned())
    }

    #[track_caller]
    fn left(choice: &Choice) -> String {
        let Choice::Leave { reason, advice } = choice else { panic!("{choice:?}") };
        format!("{reason}; {advice}")
    }

    #[test]
    fn a_board_is_its_number_wherever_it_is() {
        let boards = [auto("1", "21334"), auto("2", "1025"), auto("3", "")];
        assert_eq!(choose(&found("21334", ""), "here", &boards, false), place("1"));
        assert_eq!(choose(&found("01025", ""), "here", &boards, false), place("2"));
        assert_eq!(choose(&found("777", ""), "here", &boards, false), place("3"), "the one without a number");
        // It was pulled out there and is plugged in here before anybody noticed.
        let moved = [at("there", false, auto("1", "21334"))];
        assert_eq!(choose(&found("21334", ""), "here", &moved, false), place("1"));
    }

    #[test]
    fn the_long_number_counts_where_it_is_meant() {
        let boards = [auto("1", "0200021334"), auto("2", "0200099999")];
        assert_eq!(choose(&found("21334", "0200099999"), "here", &boards, false), place("2"));
        assert_eq!(choose(&found("21334", "0200021334"), "here", &boards, false), place("1"));
        let choice = choose(&found("21334", "0200055555"), "here", &boards, false);
        assert!(left(&choice).starts_with("no [[board]] has the number 21334"), "{choice:?}");
    }

    #[test]
    fn one_number_twice_is_the_first_one_s() {
        let boards = [at("there", true, auto("1", "21334"))];
        let choice = choose(&found("21334", ""), "here", &boards, true);
        assert!(left(&choice).contains("the other one is board \"1\" at there; unplug"), "{choice:?}");
    }

    #[test]
    fn nothing_is_guessed_where_several_could_be_meant() {
        let boards = [auto("1", ""), auto("2", "")];
        let choice = choose(&found("", ""), "serial:/dev/x", &boards, false);
        assert_eq!(
            left(&choice),
            "it could be any of the boards \"1\", \"2\"; set port = \"serial:/dev/x\" in the [[board]] that it is"
        );
        // Their protocols tell them apart.
        let other = Known { protocol: Some("certabo".to_owned()), ..auto("1", "") };
        assert_eq!(choose(&found("", ""), "here", &[other.clone(), auto("2", "")], false), place("2"));
        let choice = choose(&found("", ""), "serial:/dev/x", &[other], false);
        assert!(left(&choice).contains("port = \"serial:/dev/x\""), "{choice:?}");
    }

    #[test]
    fn a_board_without_a_number_goes_back_to_its_socket() {
        let was = |port: &str, known: Known| Known { last_port: Some(port.to_owned()), ..known };
        let boards = [was("left", auto("1", "")), was("right", auto("2", ""))];
        assert_eq!(choose(&found("", ""), "right", &boards, true), place("2"));
        assert_eq!(choose(&found("", ""), "elsewhere", &boards, true), Choice::Add);
    }

    #[test]
    fn what_the_configuration_says_is_said_back() {
        let fixed = Known { is_auto: false, ..at("serial:/dev/a", false, auto("4", "7")) };
        let choice = choose(&found("7", ""), "here", &[fixed], false);
        assert!(left(&choice).contains("has at serial:/dev/a; plug it in there, or set port = \"auto\""));
        let other = Known { protocol: Some("certabo".to_owned()), ..auto("5", "7") };
        let choice = choose(&found("7", ""), "here", &[other], false);
        assert!(left(&choice).contains("has to speak certabo, and this one speaks dgt"));
    }

    #[test]
    fn a_new_board_is_called_by_its_number() {
        let name = |serial: &str, taken: &[&str]| {
            new_name(&found(serial, "").identity, &|name| taken.contains(&name))
        };
        assert_eq!(name("21334", &[]), "21334");
        assert_eq!(name("21334", &["21334", "1"]), "2");
        assert_eq!(name("", &["1", "2"]), "3");
        assert_eq!(name("X/..", &[]), "1");
    }
}
