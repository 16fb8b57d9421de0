//! Boards on a bus: which line, which address.

use super::Board;
use crate::link::Port;
use adoube_core::wire::dgt::bus::{ADDRESS_MAX, PROTOCOL, is_address};

impl Board {
    fn is_on_bus(&self) -> bool {
        self.protocol.as_deref() == Some(PROTOCOL.name)
    }

    /// Its address on a bus: its own key, else the serial number as far as it is one.
    fn bus_address(&self) -> Option<u16> {
        let serial = || self.serial.as_ref()?.parse().ok();
        self.address.or_else(serial).filter(|&address| is_address(address))
    }

    /// Where a board on a bus is, whichever way it was written.
    fn place(&self) -> Option<Port> {
        match &self.port {
            Port::Bus { .. } => Some(self.port.clone()),
            Port::Serial(_) | Port::Tcp { .. } => {
                Some(Port::Bus { line: Box::new(self.port.clone()), address: self.bus_address()? })
            }
            Port::Auto => None,
        }
    }

    /// Gives a board on a bus its port on the line.
    pub(crate) fn onto_its_line(&mut self) {
        if let Some(place) = self.place().filter(|_| self.is_on_bus()) {
            self.port = place;
        }
    }
}

/// The first board that is wrong about its bus, counted from 0, and what is wrong.
pub(super) fn fault(boards: &[Board]) -> Option<(usize, String)> {
    let fault_of = |(nth, board): (usize, &Board)| Some((nth, fault_at(&boards[..nth], board)?));
    boards.iter().enumerate().find_map(fault_of)
}

fn fault_at(before: &[Board], board: &Board) -> Option<String> {
    let Board { id, port, address, serial, .. } = board;
    if !board.is_on_bus() {
        let has_line = matches!(port, Port::Bus { .. });
        let key = if has_line { "a port on a bus" } else { "an address" };
        return (has_line || address.is_some())
            .then(|| format!("board \"{id}\": {key} is for boards with protocol = \"{}\"", PROTOCOL.name))
            .or_else(|| sharing(before, board));
    }
    if *port == Port::Auto {
        return Some(format!(
            "board \"{id}\": a bus line is not looked for; give its port, \"serial:PATH\" or \"tcp://HOST:PORT\""
        ));
    }
    if board.place().is_none() {
        return Some(match (address, serial) {
            (Some(address), _) => {
                format!("board \"{id}\": address {address} is not between 1 and {ADDRESS_MAX}")
            }
            (None, Some(serial)) => {
                format!(
                    "board \"{id}\": serial \"{serial}\" is no address (1 to {ADDRESS_MAX}); give its address"
                )
            }
            (None, None) => {
                format!("board \"{id}\": on a bus a board needs its serial number or its address")
            }
        });
    }
    sharing(before, board)
}

/// Two boards that cannot be on one line.
fn sharing(before: &[Board], board: &Board) -> Option<String> {
    let line_of = |board: &Board| match (&board.port, board.is_on_bus()) {
        (Port::Bus { line, .. }, _) => Some(Port::clone(line)),
        (Port::Auto, _) => None,
        (port, _) => Some(port.clone()),
    };
    let line = line_of(board)?;
    let same_line = |other: &&Board| line_of(other).as_ref() == Some(&line);
    let other = before.iter().filter(same_line).find(|other| {
        let are_on_bus = other.is_on_bus() && board.is_on_bus();
        !are_on_bus || other.place() == board.place()
    })?;
    Some(if !other.is_on_bus() && !board.is_on_bus() {
        format!("board \"{}\": board \"{}\" is at {line} already", board.id, other.id)
    } else if other.is_on_bus() == board.is_on_bus() {
        let address = board.bus_address().unwrap_or_default();
        format!("board \"{}\": board \"{}\" has the address {address} on {line} already", board.id, other.id)
    } else {
        format!(
            "board \"{}\": {line} is the line of board \"{}\", which speaks another protocol",
            board.id, other.id
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn parse(boards: &[&str]) -> Result<Vec<String>, String> {
        let text: String = (1..)
            .zip(boards)
            .map(|(id, keys)| format!("[[board]]\nid = \"{id}\"\n{}\n", keys.replace("; ", "\n")))
            .collect();
        let config = Config::parse("adoube.toml", &text).map_err(|error| error.to_string())?;
        Ok(config.boards.iter().map(|board| board.port.to_string()).collect())
    }

    const LINE: &str = "protocol = \"dgt-bus\"; port = \"serial:/dev/ttyS0\"";

    #[test]
    fn boards_of_one_line_have_addresses_of_their_own() {
        let ports = parse(&[
            &format!("{LINE}; serial = \"01025\""),
            &format!("{LINE}; serial = \"25805\"; address = 7"),
            "protocol = \"dgt-bus\"; port = \"bus:9@tcp://10.0.0.5:4001\"",
        ]);
        let expected = ["bus:1025@serial:/dev/ttyS0", "bus:7@serial:/dev/ttyS0", "bus:9@tcp://10.0.0.5:4001"];
        assert_eq!(ports.unwrap(), expected);
    }

    #[test]
    fn errors_say_which_board_and_what_to_do() {
        let serial = &format!("{LINE}; serial = \"1025\"");
        let errors = [
            parse(&[LINE]),
            parse(&[&format!("{LINE}; serial = \"25805\"")]),
            parse(&[&format!("{LINE}; address = 16384")]),
            parse(&["protocol = \"dgt-bus\"; serial = \"1025\""]),
            parse(&[serial, &format!("{LINE}; address = 1025")]),
            parse(&["port = \"bus:1@serial:/dev/ttyS0\""]),
            parse(&["port = \"serial:/dev/ttyS0\"; address = 4"]),
            parse(&[serial, "port = \"serial:/dev/ttyS0\""]),
        ];
        let errors: Vec<String> = errors.into_iter().map(Result::unwrap_err).collect();
        insta::assert_snapshot!(errors.join("\n"), @r#"
        adoube.toml:2: board "1": on a bus a board needs its serial number or its address
        adoube.toml:2: board "1": serial "25805" is no address (1 to 16383); give its address
        adoube.toml:2: board "1": address 16384 is not between 1 and 16383
        adoube.toml:2: board "1": a bus line is not looked for; give its port, "serial:PATH" or "tcp://HOST:PORT"
        adoube.toml:7: board "2": board "1" has the address 1025 on serial:/dev/ttyS0 already
        adoube.toml:2: board "1": a port on a bus is for boards with protocol = "dgt-bus"
        adoube.toml:2: board "1": an address is for boards with protocol = "dgt-bus"
        adoube.toml:7: board "2": serial:/dev/ttyS0 is the line of board "1", which speaks another protocol
        "#);
    }
}
