//! Sockets that give up on viewers who read nothing, and no more of them than we can feed.

use std::future::Future as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::Extension;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use axum_server::accept::Accept;
use axum_server::tls_rustls::RustlsAcceptor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep};

use super::share::Scheme;

/// A viewer that takes no byte for so long is gone, or as good as gone (reliability, rule 5).
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Viewers at one time; more have to wait until one goes. One that watches quietly takes some 30 KiB, so that
/// these fit into a small machine; whoever has more spectators has relays.
const VIEWERS: usize = 16_384;

/// A browser shakes hands in well under a second, even over a telephone's line.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// A listener for pages.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

/// From where somebody is connected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

impl Listener {
    /// Where it listens.
    ///
    /// # Errors
    /// What the socket says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Listens on `address`.
///
/// # Errors
/// The address is in use or not ours.
pub async fn listen(address: SocketAddr) -> io::Result<Listener> {
    let listener = TcpListener::bind(address).await?;
    Ok(Listener { listener, places: Arc::new(Semaphore::new(VIEWERS)) })
}

/// Serves pages until told to stop; over TLS, if there is a certificate.
pub async fn serve(
    listener: Listener,
    tls: Option<RustlsAcceptor>,
    pages: Router,
    mut stop: watch::Receiver<bool>,
) {
    let scheme = Scheme(if tls.is_some() { "https" } else { "http" });
    let service = pages.layer(Extension(scheme)).into_make_service_with_connect_info::<Peer>();
    let served = async {
        match tls {
            None => axum::serve(listener, service).await,
            Some(tls) => axum::serve(Encrypted::new(listener, tls), service).await,
        }
    };
    tokio::select! {
        served = served => {
            if let Err(error) = served {
                tracing::error!(%error, "the pages are gone");
            }
        }
        _ = stop.wait_for(|&stop| stop) => {}
    }
}

impl Connected<IncomingStream<'_, Listener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Listener>) -> Self {
        Self(*stream.remote_addr())
    }
}

impl Connected<IncomingStream<'_, Encrypted>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Encrypted>) -> Self {
        Self(*stream.remote_addr())
    }
}

type Secure = <RustlsAcceptor as Accept<Patient, ()>>::Stream;

/// A listener whose viewers shake hands beside each other: one who hangs holds up nobody. There are no more
/// of them than places.
struct Encrypted {
    listener: Listener,
    tls: RustlsAcceptor,
    handshakes: JoinSet<io::Result<(Secure, SocketAddr)>>,
}

impl Encrypted {
    fn new(listener: Listener, tls: RustlsAcceptor) -> Self {
        Self { listener, tls: tls.handshake_timeout(HANDSHAKE_TIMEOUT), handshakes: JoinSet::new() }
    }
}

impl axum::serve::Listener for Encrypted {
    type Io = Secure;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Secure, SocketAddr) {
        loop {
            tokio::select! {
                (stream, address) = self.listener.accept() => {
                    let shaken = self.tls.accept(stream, ());
                    self.handshakes.spawn(async move { Ok((shaken.await?.0, address)) });
                }
                Some(shaken) = self.handshakes.join_next() => match shaken {
                    Ok(Ok(viewer)) => return viewer,
                    Ok(Err(error)) => tracing::debug!(%error, "no TLS with a viewer"),
                    Err(error) => tracing::error!(%error, "a handshake broke off"),
                },
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl axum::serve::Listener for Listener {
    type Io = Patient;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Patient, SocketAddr) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let place = place.expect("the semaphore is never closed");
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Events are small and each of them is awaited: none shall wait for the next.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "events may come late");
                    }
                    return (Patient::new(stream, place), address);
                }
                // Out of files, or a viewer that was gone before we looked: others may fare better.
                Err(error) => {
                    tracing::warn!(%error, "a viewer could not connect");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A socket whose writes fail once nothing was taken for [`WRITE_TIMEOUT`]: the HTTP library has no
/// time-out for bodies.
#[derive(Debug)]
pub struct Patient<S = TcpStream> {
    stream: S,
    overdue: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl<S> Patient<S> {
    /// A socket that keeps its place until it is closed.
    pub(super) fn new(stream: S, place: OwnedSemaphorePermit) -> Self {
        Self { stream, overdue: None, _place: place }
    }

    /// Passes on what a write gave, and watches the clock while it is pending.
    fn watch<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.overdue = None;
            return written;
        }
        let overdue = self.overdue.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        match overdue.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
