//! The control socket: how commands on this machine reach the daemon that runs here.
//!
//! It serves the desk's pages and nothing else. The kernel says who connects, so nobody logs in: root is
//! arbiter, the daemon's own user and group are operators, everybody else is a spectator.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::net::unix::UCred;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

use super::socket::Patient;
use crate::auth::{Role, Visitor};

/// Commands at one time: a few people and their scripts; more have to wait.
const CLIENTS: usize = 64;

/// Owner and group may connect, and root.
const MODE: u32 = 0o660;

/// Any user at all.
const OTHERS: u32 = 0o006;

/// Why there is no control socket.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Another daemon answers there.
    #[error(
        "{}: another adoube is running there; stop it, or give this one a folder of its own in $RUNTIME_DIRECTORY", .0.display()
    )]
    InUse(PathBuf),
    /// The system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The socket.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// A control socket; it is there as long as this is.
#[derive(Debug)]
pub struct ControlListener {
    listener: UnixListener,
    path: PathBuf,
    /// Who we are.
    own: (u32, u32),
    places: Arc<Semaphore>,
    /// The kernel frees it when the process ends, however it ends.
    _lock: File,
}

impl Drop for ControlListener {
    fn drop(&mut self) {
        // One that stays behind is replaced by the next daemon.
        drop(fs::remove_file(&self.path));
    }
}

/// Takes `path` for one daemon.
fn lock(path: &Path) -> Result<File, ControlError> {
    let io = |source| ControlError::Io { path: path.to_owned(), source };
    let folder = path.parent().ok_or_else(|| io(io::ErrorKind::InvalidInput.into()))?;
    fs::create_dir_all(folder).map_err(io)?;
    let lock = path.with_extension("lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&lock).map_err(io)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(ControlError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// Could a daemon listen at `path` now?
///
/// # Errors
/// Why not, as [`listen`] says it.
pub fn is_free(path: &Path) -> Result<(), ControlError> {
    lock(path).map(drop)
}

/// Listens at `path`, in the place of what a daemon left there that was killed.
///
/// # Errors
/// [`ControlError`]: another daemon has it, or the folder cannot be used.
pub fn listen(path: &Path) -> Result<ControlListener, ControlError> {
    let io = |source| ControlError::Io { path: path.to_owned(), source };
    let lock = lock(path)?;
    let folder = path.parent().unwrap_or(path);
    // Made where nobody else comes, so that it is never open to more than it should be.
    let private = tempfile::Builder::new().prefix(".control-").tempdir_in(folder).map_err(io)?;
    let new = private.path().join("sock");
    let listener = UnixListener::bind(&new).map_err(io)?;
    fs::set_permissions(&new, Permissions::from_mode(MODE)).map_err(io)?;
    let made = fs::metadata(&new).map_err(io)?;
    fs::rename(&new, path).map_err(io)?;
    Ok(ControlListener {
        listener,
        path: path.to_owned(),
        own: (made.uid(), made.gid()),
        places: Arc::new(Semaphore::new(CLIENTS)),
        _lock: lock,
    })
}

/// Serves the desk there until told to stop.
pub async fn serve(listener: ControlListener, pages: Router, mut stop: watch::Receiver<bool>) {
    let service = pages.into_make_service_with_connect_info::<Local>();
    tokio::select! {
        served = async { axum::serve(listener, service).await } => {
            if let Err(error) = served {
                tracing::error!(%error, "the control socket is gone");
            }
        }
        _ = stop.wait_for(|&stop| stop) => {}
    }
}

/// Who is connected, as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    uid: u32,
    role: Role,
}

impl Local {
    /// As whom he is known at the desk.
    pub(super) fn visitor(self) -> Visitor {
        Visitor { role: self.role, name: Some(user_name(self.uid)) }
    }
}

/// What a user may do who got through to a socket of this mode: `own` and `peer` are user and group.
fn role(own: (u32, u32), peer: (u32, u32), mode: u32) -> Role {
    // Our group may be one of several of his: then it was the kernel that looked, when it let him in.
    let is_ours = peer.0 == own.0 || peer.1 == own.1 || mode & OTHERS == 0;
    match peer.0 {
        0 => Role::Arbiter,
        _ if is_ours => Role::Operator,
        _ => Role::Spectator,
    }
}

/// The name of a user, as the machine's own list has it.
fn user_name(uid: u32) -> String {
    let list = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    found.unwrap_or_else(|| format!("user {uid}"))
}

impl ControlListener {
    fn local(&self, peer: UCred) -> Local {
        // A socket that is gone keeps out nobody.
        let mode = fs::metadata(&self.path).map_or(OTHERS, |socket| socket.permissions().mode());
        Local { uid: peer.uid(), role: role(self.own, (peer.uid(), peer.gid()), mode) }
    }
}

impl Connected<IncomingStream<'_, ControlListener>> for Local {
    fn connect_info(stream: IncomingStream<'_, ControlListener>) -> Self {
        *stream.remote_addr()
    }
}

impl axum::serve::Listener for ControlListener {
    type Io = Patient<UnixStream>;
    type Addr = Local;

    async fn accept(&mut self) -> (Patient<UnixStream>, Local) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.expect("the semaphore is never closed");
            let accepted = self.listener.accept().await;
            match accepted.and_then(|(stream, _)| Ok((stream.peer_cred()?, stream))) {
                Ok((peer, stream)) => return (Patient::new(stream, place.into()), self.local(peer)),
                // Out of files, or a command that was gone before we looked.
                Err(error) => {
                    tracing::warn!(%error, "a command could not connect");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Local> {
        let (uid, _) = self.own;
        Ok(Local { uid, role: Role::Operator })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_who_somebody_is() {
        let own = (990, 980);
        assert_eq!(role(own, (0, 0), MODE), Role::Arbiter);
        assert_eq!(role(own, (990, 7), 0o666), Role::Operator, "our own user");
        assert_eq!(role(own, (1_000, 980), 0o666), Role::Operator, "our own group");
        assert_eq!(role(own, (1_000, 1_000), MODE), Role::Operator, "our group is another of his");
        assert_eq!(role(own, (1_000, 1_000), 0o666), Role::Spectator);
        assert_eq!(user_name(0), "root");
        assert_eq!(user_name(4_000_000_001), "user 4000000001");
    }

    #[tokio::test]
    async fn what_a_dead_daemon_left_is_replaced_and_what_is_used_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adoube/control.sock");
        let first = listen(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        assert!(matches!(listen(&path), Err(ControlError::InUse(_))));
        drop(first);
        assert!(!path.exists());
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "left behind");
        let second = listen(&path).unwrap();
        drop(UnixStream::connect(&path).await.unwrap());
        drop(second);
        let names: Vec<_> = fs::read_dir(folder.path().join("adoube")).unwrap().collect();
        assert_eq!(names.len(), 1, "the lock alone stays: {names:?}");
    }
}
