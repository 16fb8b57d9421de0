//! Virtual boards on the outside: TCP ports and pseudo-terminals.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::hall::Clock;
use adoube_rules::Variant;
use adoube_sim::bus::Chain;
use adoube_sim::{BoardConfig, Game, VirtualBoard};

/// A board with nothing to do looks up so often.
const IDLE: Duration = Duration::from_millis(250);

/// A host that takes no byte for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// What can be at the other end of a line.
pub(super) trait Simulated {
    fn receive(&mut self, bytes: &[u8], now_ns: u64);
    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>);
    fn wake_at_ns(&self) -> Option<u64>;
    fn is_finished(&self) -> bool;
}

macro_rules! simulated {
    ($what:ty) => {
        impl Simulated for $what {
            fn receive(&mut self, bytes: &[u8], now_ns: u64) {
                Self::receive(self, bytes, now_ns);
            }

            fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
                Self::poll(self, now_ns, out);
            }

            fn wake_at_ns(&self) -> Option<u64> {
                Self::wake_at_ns(self)
            }

            fn is_finished(&self) -> bool {
                Self::is_finished(self)
            }
        }
    };
}

simulated!(VirtualBoard);
simulated!(Chain);

/// Is a line with many boards on one port, until every game has been played.
pub(super) async fn listen_chain(address: &str, chain: Chain, speed: f64) -> anyhow::Result<()> {
    let (host, port) = host_port(address)?;
    let listener = TcpListener::bind((host, port))
        .await
        .map_err(|error| anyhow!("{address}: cannot listen there: {error}"))?;
    let addresses: Vec<String> = chain.addresses().map(|address| address.to_string()).collect();
    eprintln!("a bus line listens on tcp://{}; its boards: {}", listener.local_addr()?, addresses.join(", "));
    serve(listener, chain, Clock::start(None, speed), at_once).await
}

/// The two parts of `tcp://ADDR:PORT`.
fn host_port(address: &str) -> anyhow::Result<(&str, u16)> {
    let host_port = address
        .strip_prefix("tcp://")
        .ok_or_else(|| anyhow!("--listen {address}: write tcp://ADDR:PORT, e.g. tcp://127.0.0.1:9000"))?;
    let (host, port) = host_port
        .rsplit_once(':')
        .and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)))
        .ok_or_else(|| anyhow!("--listen {address}: no port; write tcp://ADDR:PORT"))?;
    Ok((host.trim_matches(['[', ']']), port))
}

/// Is the board of each game on a port of its own, upwards from the one in `address`, until every
/// game has been played.
pub(super) async fn listen<V: Variant>(
    address: &str,
    boards: Vec<(Game<V>, BoardConfig)>,
    speed: f64,
) -> anyhow::Result<()> {
    let (host, port) = host_port(address)?;
    let mut tasks = JoinSet::new();
    for (offset, (game, config)) in (0_u16..).zip(boards) {
        let port = port
            .checked_add(offset)
            .ok_or_else(|| anyhow!("--listen {address}: not enough ports above it"))?;
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|error| anyhow!("tcp://{host}:{port}: cannot listen there: {error}"))?;
        eprintln!("board {} listens on tcp://{}", offset + 1, listener.local_addr()?);
        tasks.spawn(serve(listener, VirtualBoard::new(&game, config), Clock::start(None, speed), at_once));
    }
    while let Some(finished) = tasks.join_next().await {
        finished??;
    }
    Ok(())
}

/// A board that need not stay when its game is over, however long it has rested.
fn at_once(_rested: Duration) -> bool {
    true
}

/// Serves one board on a listener until its game is over and it has rested as long as `is_enough` asks.
pub(super) async fn serve(
    listener: TcpListener,
    mut board: impl Simulated,
    clock: Clock,
    is_enough: impl Fn(Duration) -> bool,
) -> anyhow::Result<()> {
    while !board.is_finished() {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A host may come and go; the game goes on over there.
        if let Err(error) = speak(stream, &mut board, &clock, &is_enough).await {
            tracing::debug!(%error, "the host has gone");
        }
    }
    Ok(())
}

/// Is the board at the other end of `stream` until the game is over and it has rested.
async fn speak(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    board: &mut impl Simulated,
    clock: &Clock,
    is_enough: impl Fn(Duration) -> bool,
) -> anyhow::Result<()> {
    let mut heard = [0; 256];
    let mut said = Vec::new();
    let mut over = None;
    loop {
        if board.is_finished() && is_enough(over.get_or_insert_with(tokio::time::Instant::now).elapsed()) {
            return Ok(());
        }
        said.clear();
        board.poll(clock.now().mono_ns, &mut said);
        if !said.is_empty() {
            timeout(WRITE_TIMEOUT, stream.write_all(&said)).await.context("the host does not read")??;
        }
        // Woken now and then, so that a rest ends in time.
        let wait = board.wake_at_ns().map_or(IDLE, |at_ns| clock.until(at_ns)).min(IDLE);
        if let Ok(read) = timeout(wait, stream.read(&mut heard)).await {
            match read? {
                0 => bail!("the host closed the connection"),
                bytes => board.receive(&heard[..bytes], clock.now().mono_ns),
            }
        }
    }
}

/// Is one board on a pseudo-terminal whose name is `link`.
pub(super) async fn pty(link: &Path, mut board: impl Simulated, speed: f64) -> anyhow::Result<()> {
    use tokio_serial::SerialPort as _;
    let (board_end, host_end) = tokio_serial::SerialStream::pair().context("no pseudo-terminal")?;
    let name = host_end.name().ok_or_else(|| anyhow!("the pseudo-terminal has no name"))?;
    if link.is_symlink() {
        std::fs::remove_file(link).with_context(|| link.display().to_string())?;
    }
    std::os::unix::fs::symlink(&name, link).with_context(|| link.display().to_string())?;
    eprintln!("the board is at {}", link.display());
    let clock = Clock::start(None, speed);
    let spoken = speak(Lossy(board_end), &mut board, &clock, at_once).await;
    std::fs::remove_file(link).with_context(|| link.display().to_string())?;
    drop(host_end);
    spoken
}

/// A line that loses what nobody takes from it, as a serial port does: the board goes on speaking.
struct Lossy<S>(S);

impl<S: AsyncRead + Unpin> AsyncRead for Lossy<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lossy<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.0).poll_write(cx, bytes) {
            Poll::Pending => Poll::Ready(Ok(bytes.len())),
            written => written,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn what_nobody_takes_from_a_line_is_lost_and_the_board_goes_on() {
        let (near, mut far) = duplex(64);
        let mut line = Lossy(near);
        line.write_all(&[1; 1_000]).await.unwrap();
        line.write_all(&[2; 1_000]).await.unwrap();
        let mut taken = [0; 64];
        far.read_exact(&mut taken).await.unwrap();
        assert_eq!(taken, [1; 64]);
        line.write_all(&[3; 10]).await.unwrap();
        far.read_exact(&mut taken[..10]).await.unwrap();
        assert_eq!(taken[..10], [3; 10]);
    }
}
