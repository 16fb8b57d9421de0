//! Where bytes come from: serial ports and TCP. Moves bytes and knows no protocol.

mod backoff;
mod bus;
mod discover;
mod holder;
mod overhear;
mod port;
mod probe;
#[cfg(test)]
pub(crate) mod simulated;
mod talk;
mod watch;

pub use backoff::Backoff;
pub use discover::{Candidate, Devices, Node, Usb, candidates};
pub use holder::{Holder, holder};
pub use port::Port;
pub use probe::{Found, NotFound, probe, protocols_for, standing};
pub use talk::{Passed, Talk};
pub use watch::Watch;

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_serial::{SerialPort, SerialPortBuilderExt as _, SerialStream};

use adoube_core::wire::LineSettings;

/// A serial server that does not answer within this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A board that takes no byte for so long hangs (reliability 2.3: such a write pends for ever).
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// An open link.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + Debug> Stream for T {}

/// Why a port could not be opened, and what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LinkError {
    /// It is not there.
    #[error("{port}: no such port; is the board plugged in? \"adoube boards\" shows what is there")]
    Missing {
        /// Which.
        port: String,
    },
    /// Somebody else has it.
    #[error("{port}: busy; another program has it open (LiveChess, ModemManager, another adoube?)")]
    Busy {
        /// Which.
        port: String,
    },
    /// We may not.
    #[error(
        "{port}: not permitted; add yourself to its group (sudo usermod -aG dialout $USER, then log in again), \
         or install the udev rule"
    )]
    NotPermitted {
        /// Which.
        port: String,
    },
    /// Nobody listens there.
    #[error("{port}: {reason}; is the serial server running, and the address right?")]
    Unreachable {
        /// Which.
        port: String,
        /// What the network said.
        reason: String,
    },
    /// Anything else.
    #[error("{port}: {reason}")]
    Other {
        /// Which.
        port: String,
        /// What the system said.
        reason: String,
    },
    /// The line of a bus is open, and the board does not answer on it.
    #[error(
        "{port}: the board does not answer on its line; has it power, is it plugged in, and is that its number?"
    )]
    Silent {
        /// Which.
        port: String,
    },
    /// `auto` is no port.
    #[error("\"auto\" names no port; write serial:PATH or tcp://HOST:PORT")]
    Auto,
}

/// Opens a port; a serial one is set as its board wants it.
///
/// # Errors
/// [`LinkError`] says why not, and what to do.
pub async fn open(port: &Port, line: LineSettings) -> Result<Box<dyn Stream>, LinkError> {
    #[cfg(test)]
    if let Some(opened) = simulated::open(port) {
        return opened;
    }
    match port {
        Port::Serial(path) => Ok(Box::new(open_serial(path, line)?)),
        Port::Tcp { .. } => Ok(Box::new(open_tcp(port).await?)),
        Port::Bus { line, address } => bus::open(line, *address).await,
        Port::Auto => Err(LinkError::Auto),
    }
}

fn open_serial(path: &Path, line: LineSettings) -> Result<SerialStream, LinkError> {
    let port = path.display().to_string();
    // A dangling name is told apart from a port that is in use.
    if let Err(error) = std::fs::metadata(path) {
        return Err(serial_error(port, &error));
    }
    let mut stream = tokio_serial::new(path.to_string_lossy(), line.baud)
        .open_native_async()
        .map_err(|error| serial_error(port, &io::Error::from(error)))?;
    let raised = SerialPort::write_data_terminal_ready(&mut stream, line.dtr)
        .and_then(|()| SerialPort::write_request_to_send(&mut stream, line.dtr));
    // Pseudo-terminals have no modem lines: what they say to that is no fault (dgt-protocol 1.3).
    if let Err(error) = raised {
        tracing::debug!(%error, "no modem lines");
    }
    Ok(stream)
}

fn serial_error(port: String, error: &io::Error) -> LinkError {
    let text = error.to_string().to_lowercase();
    match error.kind() {
        io::ErrorKind::ResourceBusy => LinkError::Busy { port },
        // The serial library calls a port that is in use a device that is not there.
        _ if text.contains("busy") || text.contains("exclusive lock") => LinkError::Busy { port },
        io::ErrorKind::NotFound => LinkError::Missing { port },
        io::ErrorKind::PermissionDenied => LinkError::NotPermitted { port },
        _ if text.contains("permission") => LinkError::NotPermitted { port },
        _ => LinkError::Other { port, reason: error.to_string() },
    }
}

async fn open_tcp(port: &Port) -> Result<TcpStream, LinkError> {
    let name = port.to_string();
    let address = name.strip_prefix("tcp://").unwrap_or(&name).to_owned();
    let unreachable = |reason: String| LinkError::Unreachable { port: name.clone(), reason };
    let stream = timeout(CONNECT_TIMEOUT, TcpStream::connect(address))
        .await
        .map_err(|_| unreachable(format!("no answer within {} s", CONNECT_TIMEOUT.as_secs())))?
        .map_err(|error| unreachable(error.to_string()))?;
    stream.set_nodelay(true).map_err(|error| unreachable(error.to_string()))?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let told = |kind, text: &str| {
            let error = io::Error::new(kind, text);
            serial_error("/dev/x".to_owned(), &error).to_string()
        };
        let busy = "/dev/x: busy; another program has it open";
        for text in ["Unable to acquire exclusive lock on serial port", "Device or resource busy"] {
            assert!(told(io::ErrorKind::NotFound, text).starts_with(busy), "{text}");
        }
        assert!(
            told(io::ErrorKind::NotFound, "No such file or directory").starts_with("/dev/x: no such port")
        );
        for (kind, text) in
            [(io::ErrorKind::PermissionDenied, ""), (io::ErrorKind::Other, "Permission denied")]
        {
            assert!(told(kind, text).contains("usermod -aG dialout"), "{text}");
        }
        assert_eq!(told(io::ErrorKind::Other, "Not a typewriter"), "/dev/x: Not a typewriter");
    }
}
