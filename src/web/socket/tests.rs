use axum::routing::get;
use futures_util::stream::unfold;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc;

use super::*;

/// A listener for pipes.
struct Pipes(mpsc::Receiver<DuplexStream>, Places);

impl axum::serve::Listener for Pipes {
    type Io = Patient<DuplexStream>;
    type Addr = u8;

    async fn accept(&mut self) -> (Self::Io, u8) {
        let Some(stream) = self.0.recv().await else { return std::future::pending().await };
        let place = self.1.next().await.into();
        (Patient::new(stream, place).with_idle_timeout(Some(IDLE_TIMEOUT)), 0)
    }

    fn local_addr(&self) -> io::Result<u8> {
        Ok(0)
    }
}

/// A comment every quarter of a minute, as live events have it.
async fn comments() -> Body {
    Body::from_stream(unfold((), async |()| {
        sleep(Duration::from_secs(15)).await;
        Some((io::Result::Ok(":\n\n"), ()))
    }))
}

/// A server with a page and a stream, and what connects to it.
fn served() -> mpsc::Sender<DuplexStream> {
    let (connect, pipes) = mpsc::channel(1);
    let pages = Router::new().route("/", get(async || "page")).route("/stream", get(comments));
    tokio::spawn(async move { axum::serve(Pipes(pipes, Places::default()), pages).await });
    connect
}

async fn connected(connect: &mpsc::Sender<DuplexStream>) -> DuplexStream {
    let (near, far) = duplex(65_536);
    connect.send(far).await.unwrap();
    near
}

/// For how long the connection stands from now on.
async fn stands(stream: &mut DuplexStream) -> Duration {
    let began = Instant::now();
    let mut bytes = [0; 1_024];
    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    began.elapsed()
}

fn is_minute(time: Duration) -> bool {
    (IDLE_TIMEOUT..IDLE_TIMEOUT + Duration::from_secs(1)).contains(&time)
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_nothing_is_gone_after_a_minute() {
    let connect = served();
    let mut silent = connected(&connect).await;
    let stood = stands(&mut silent).await;
    assert!(is_minute(stood), "{stood:?}");
    // Nor does a byte now and then keep it.
    let stream = connected(&connect).await;
    let (mut reading, mut writing) = tokio::io::split(stream);
    let dribble = tokio::spawn(async move {
        writing.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX: ").await.unwrap();
        while writing.write_all(b"a").await.is_ok() {
            sleep(Duration::from_secs(5)).await;
        }
    });
    let began = Instant::now();
    let mut bytes = [0; 1_024];
    // What it is told, if anything, is that it is over.
    while reading.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    let stood = began.elapsed();
    dribble.abort();
    assert!(is_minute(stood), "{stood:?}");
}

#[tokio::test(start_paused = true)]
async fn who_has_his_answer_may_ask_again_for_a_minute() {
    let connect = served();
    let mut stream = connected(&connect).await;
    let request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    for _ in 0..3 {
        stream.write_all(request).await.unwrap();
        let mut bytes = [0; 1_024];
        let count = stream.read(&mut bytes).await.unwrap();
        assert!(bytes[..count].starts_with(b"HTTP/1.1 200"));
        sleep(Duration::from_secs(50)).await;
    }
    let stood = stands(&mut stream).await;
    assert!((Duration::from_secs(9)..Duration::from_secs(11)).contains(&stood), "{stood:?}");
}

#[tokio::test(start_paused = true)]
async fn live_events_are_not_idle() {
    let connect = served();
    let mut stream = connected(&connect).await;
    stream.write_all(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let hour = tokio::time::timeout(Duration::from_secs(3_600), stands(&mut stream)).await;
    assert!(hour.is_err(), "it ended after {hour:?}");
}
