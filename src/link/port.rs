//! Where a board is, as the configuration and commands name it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use adoube_core::wire::dgt::bus::is_address;

/// Where a board is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum Port {
    /// Wherever a board with that serial number answers.
    #[default]
    Auto,
    /// A serial device.
    Serial(PathBuf),
    /// A board, or a box with boards, in the network.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
    /// One of many boards on a line.
    Bus {
        /// Where the line is.
        line: Box<Self>,
        /// The board's address, 1 to 16383.
        address: u16,
    },
}

impl TryFrom<String> for Port {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("port \"{text}\" is none of \"serial:PATH\", \"tcp://HOST:PORT\", \"auto\"");
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some((address, line)) = text.strip_prefix("bus:").and_then(|rest| rest.split_once('@')) {
            return bus_port(address, line).ok_or_else(|| {
                format!(
                    "port \"{text}\" is not \"bus:ADDRESS@serial:PATH\" or \"bus:ADDRESS@tcp://HOST:PORT\""
                )
            });
        }
        if let Some(path) = text.strip_prefix("serial:").filter(|path| !path.is_empty()) {
            return Ok(Self::Serial(path.into()));
        }
        let (host, port) =
            text.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':')).ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        // An IPv6 address stands in brackets.
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() { Err(wrong()) } else { Ok(Self::Tcp { host: host.to_owned(), port }) }
    }
}

impl Serialize for Port {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Bus { line, address } => write!(f, "bus:{address}@{line}"),
            Self::Serial(path) => write!(f, "serial:{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
        }
    }
}

/// The port of a board on a bus, from the two halves of `ADDRESS@LINE`.
fn bus_port(address: &str, line: &str) -> Option<Port> {
    let address = address.parse().ok().filter(|&address| is_address(address))?;
    let line: Port = line.parse().ok()?;
    matches!(line, Port::Serial(_) | Port::Tcp { .. }).then(|| Port::Bus { line: Box::new(line), address })
}
