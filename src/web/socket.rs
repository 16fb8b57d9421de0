//! Sockets that give up on viewers who read nothing or ask for nothing, and no more of them than we can feed.

use std::future::{Future as _, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Extension;
use axum::extract::connect_info::Connected;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::serve::IncomingStream;
use axum_server::accept::Accept;
use axum_server::tls_rustls::RustlsAcceptor;
use futures_util::StreamExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep};

use super::proxies::{Proxies, real_address};
use super::share::Scheme;
use crate::config::Proxy;
use crate::hall::{Place, Places, Viewers};

/// A viewer that takes no byte for so long is gone, or as good as gone (reliability, rule 5).
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Whoever is told nothing for so long has asked for nothing, or takes forever to say what: the HTTP library
/// waits for both without end. Live events are not silent for a quarter of it (`sse::COMMENT`), and no answer
/// takes so long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// A browser shakes hands in well under a second, even over a telephone's line.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// A listener for pages.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    places: Places,
    proxies: Proxies,
    /// After so long without an answer a connection is closed.
    idle_timeout: Option<Duration>,
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

    /// How many are connected, from now on.
    #[must_use]
    pub fn viewers(&self) -> Viewers {
        self.places.viewers()
    }

    /// Whoever comes through one of these proxies is where it says.
    #[must_use]
    pub fn behind(self, proxies: &[Proxy]) -> Self {
        Self { proxies: Proxies::new(proxies), ..self }
    }

    /// Whoever is connected may be silent, and be told nothing, for as long as he likes: for web sockets of
    /// programs that wait for the next game.
    #[must_use]
    pub fn without_idle_timeout(self) -> Self {
        Self { idle_timeout: None, ..self }
    }
}

/// Listens on `address`.
///
/// # Errors
/// The address is in use or not ours.
pub async fn listen(address: SocketAddr) -> io::Result<Listener> {
    TcpListener::bind(address).await.map(listener)
}

/// Takes over a socket that somebody else opened and bound.
///
/// # Errors
/// It cannot be used without blocking.
pub fn take_over(socket: std::net::TcpListener) -> io::Result<Listener> {
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket).map(listener)
}

fn listener(listener: TcpListener) -> Listener {
    let (places, proxies) = (Places::default(), Proxies::default());
    Listener { listener, places, proxies, idle_timeout: Some(IDLE_TIMEOUT) }
}

/// Serves pages until told to stop; over TLS, if there is a certificate.
pub async fn serve(
    listener: Listener,
    tls: Option<RustlsAcceptor>,
    pages: Router,
    mut stop: watch::Receiver<bool>,
) {
    let scheme = Scheme(if tls.is_some() { "https" } else { "http" });
    let stopped = stop.clone();
    let pages = pages.layer(map_response(move |answer| ready(ending(answer, stopped.clone()))));
    let pages = pages.layer(from_fn_with_state(listener.proxies.clone(), real_address));
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

/// A stream of live events ends with its daemon, which may begin anew in the same process.
fn ending(answer: Response, mut stop: watch::Receiver<bool>) -> Response {
    let is_live = answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    if !is_live {
        return answer;
    }
    let stopped = async move {
        let _gone = stop.wait_for(|&stop| stop).await;
    };
    answer.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(stopped))))
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
            let place = self.places.next().await;
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Events are small and each of them is awaited: none shall wait for the next.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "events may come late");
                    }
                    // All who come through a proxy come from one address.
                    let is_proxy = self.proxies.has(address.ip());
                    let seat =
                        if is_proxy { Some(place.into()) } else { self.places.seat(place, address.ip()) };
                    let Some(place) = seat else {
                        tracing::debug!(%address, "too many connections from one address");
                        continue;
                    };
                    return (Patient::new(stream, place).with_idle_timeout(self.idle_timeout), address);
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

/// A socket whose writes fail once nothing was taken for [`WRITE_TIMEOUT`], and whose reads do once nothing was
/// written for an idle time-out: the HTTP library has no time-outs for either.
#[derive(Debug)]
pub struct Patient<S = TcpStream> {
    stream: S,
    overdue: Option<Pin<Box<Sleep>>>,
    idle: Option<Idle>,
    _place: Place,
}

/// The end of a connection on which nothing is written.
#[derive(Debug)]
struct Idle {
    limit: Duration,
    written: Instant,
    /// Set when it is first waited for, and put off when it fires too soon: writing costs no timer.
    over: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    /// Is it over?
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let over = self.over.get_or_insert_with(|| Box::pin(sleep(self.limit)));
        while over.as_mut().poll(cx).is_ready() {
            let due = self.written + self.limit;
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            over.as_mut().reset(due);
        }
        Poll::Pending
    }
}

impl<S> Patient<S> {
    /// A socket that keeps its place until it is closed.
    pub(super) fn new(stream: S, place: Place) -> Self {
        Self { stream, overdue: None, idle: None, _place: place }
    }

    /// The same, closed when nothing was written for `limit`: reading does not put that off, so that nobody keeps a
    /// connection by sending a byte now and then.
    fn with_idle_timeout(self, limit: Option<Duration>) -> Self {
        let idle = limit.map(|limit| Idle { limit, written: Instant::now(), over: None });
        Self { idle, ..self }
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
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        match &mut self.idle {
            Some(idle) if read.is_pending() => idle.poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into())),
            _ => read,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let (Poll::Ready(Ok(1..)), Some(idle)) = (&written, &mut self.idle) {
            idle.written = Instant::now();
        }
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

#[cfg(test)]
mod tests;
