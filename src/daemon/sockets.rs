//! Sockets that the service manager opened for us: they stay open while we are away, so that nobody who connects
//! during a restart is turned away.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use listenfd::ListenFd;

use super::StartError;
use crate::web::{self, Listener};

/// The names of the sockets (`FileDescriptorName=`) in the environment, as systemd has it.
const NAMES: &str = "LISTEN_FDNAMES";

/// Why the manager's sockets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Nobody knows what it is for.
    #[error(
        "the service manager hands over a socket \"{0}\": FileDescriptorName= must be \"desk\" or \"public\""
    )]
    Name(String),
    /// Two for the same.
    #[error("the service manager hands over two sockets \"{0}\"; one address each is enough")]
    Twice(String),
    /// It is no TCP socket.
    #[error("the service manager's socket \"{name}\": {error}; it must be a TCP socket that listens")]
    Kind {
        /// Its name.
        name: String,
        /// What is wrong.
        error: std::io::Error,
    },
}

/// What is open already: the service manager did that, or a command that takes whatever port is free.
#[derive(Debug, Clone, Default)]
pub struct Sockets {
    /// Where the arbiter's pages are.
    pub desk: Option<Arc<TcpListener>>,
    /// Where the spectators' pages are.
    pub public: Option<Arc<TcpListener>>,
}

impl Sockets {
    /// Those that this process was started with.
    ///
    /// # Errors
    /// [`SocketError`] if there is one that is of no use: whoever set it up shall know.
    pub fn inherited() -> Result<Self, SocketError> {
        let mut handed = ListenFd::from_env();
        let names = std::env::var(NAMES).unwrap_or_default();
        let mut names = names.split(':');
        let mut sockets = Self::default();
        for index in 0..handed.len() {
            let name = names.next().unwrap_or_default().to_owned();
            let socket = handed.take_tcp_listener(index);
            let socket = socket.map_err(|error| SocketError::Kind { name: name.clone(), error })?;
            let place = match name.as_str() {
                "desk" => &mut sockets.desk,
                "public" => &mut sockets.public,
                _ => return Err(SocketError::Name(name)),
            };
            if place.is_some() {
                return Err(SocketError::Twice(name));
            }
            *place = socket.map(Arc::new);
        }
        Ok(sockets)
    }
}

/// Where pages will be: at the manager's socket, or else at the address of the configuration.
pub(super) fn address(given: Option<&Arc<TcpListener>>, configured: SocketAddr) -> SocketAddr {
    given.and_then(|socket| socket.local_addr().ok()).unwrap_or(configured)
}

/// Listens there.
pub(super) async fn listen(
    given: Option<&Arc<TcpListener>>,
    configured: SocketAddr,
) -> Result<Listener, StartError> {
    let listener = match given {
        Some(socket) => socket.try_clone().and_then(web::take_over),
        None => web::listen(configured).await,
    };
    listener.map_err(|error| StartError::Listen { address: address(given, configured), error })
}
