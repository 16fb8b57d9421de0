//! A bus line: one opened port with many boards, each of which is a stream of its own to the rest of the daemon.
//!
//! A task owns the line and runs its [`Master`]. A board's stream opens when the board has answered, and closes when
//! the line breaks or the board's reader hangs; what the board says meanwhile waits in its own memory. Lines are kept by
//! their name for the whole process, as a port is: whoever opens `bus:1025@serial:/dev/ttyS0` shares the line with all
//! others on it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, unconstrained};
use tokio::time::{Instant, sleep_until, timeout};

use super::{LinkError, Stream, WRITE_TIMEOUT};
use crate::link::Port;
use adoube_core::wire::dgt::bus::{CommandDecoder, Input, Master, Order, Output, PROTOCOL, Packet};

/// Requests that wait for a line: each of some hundred boards may have a few, and the line takes them at once.
const REQUESTS: usize = 1_024;
/// What a board has said and its reader has not taken: two whole memories, the longest thing that a board says.
const UNREAD: usize = 16 * 1_024;
/// How long a board has to answer: the search for all boards of a line comes first and may take so long.
const PRESENCE: Duration = Duration::from_secs(30);
/// A line that could not be opened is not tried again before; whoever asks meanwhile hears the same.
const CLOSED: Duration = Duration::from_secs(1);
/// A line without boards is closed after this time.
const UNUSED: Duration = Duration::from_secs(60);
/// As much as a line of 9600 baud brings in half a second.
const CHUNK: usize = 512;

/// The lines of this process, by the names of their ports.
static LINES: Mutex<BTreeMap<String, mpsc::Sender<Request>>> = Mutex::new(BTreeMap::new());

type Opened = Result<Box<dyn Stream>, LinkError>;

enum Request {
    /// Somebody wants the board at that address.
    Join(u16, oneshot::Sender<Opened>),
    /// Who has the board's stream of that number asks this.
    Ask(u64, Order),
    /// The stream of that number was closed.
    Leave(u64),
}

/// Opens the stream of the board at `address` on `line`; waits until the board has answered.
///
/// # Errors
/// [`LinkError`] of the line, or that the board does not answer on it.
pub(super) async fn open(line: &Port, address: u16) -> Opened {
    let port = Port::Bus { line: Box::new(line.clone()), address }.to_string();
    let (answer, answered) = oneshot::channel();
    let mut request = Request::Join(address, answer);
    // A line that is just being closed is opened again.
    for _ in 0..2 {
        match requests(line).send(request).await {
            Ok(()) => break,
            Err(refused) => request = refused.0,
        }
    }
    match timeout(PRESENCE, answered).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(_)) => Err(LinkError::Other { port, reason: "the line broke".to_owned() }),
        Err(_) => Err(LinkError::Silent { port }),
    }
}

/// The way to the task of a line, which begins with the first request.
fn requests(line: &Port) -> mpsc::Sender<Request> {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.retain(|_, requests| !requests.is_closed());
    let begin = || {
        let (sender, receiver) = mpsc::channel(REQUESTS);
        tokio::spawn(run(line.clone(), receiver, sender.downgrade()));
        sender
    };
    lines.entry(line.to_string()).or_insert_with(begin).clone()
}

async fn run(port: Port, mut requests: mpsc::Receiver<Request>, own: mpsc::WeakSender<Request>) {
    match Box::pin(super::open(&port, PROTOCOL.line)).await {
        Ok(stream) => {
            tracing::info!(%port, "bus line opened");
            let mut line = Line::new(port, own, UNREAD);
            let reason = line.serve(stream, &mut requests).await;
            tracing::info!(port = %line.port, reason, "bus line closed");
        }
        Err(error) => {
            let until = Instant::now() + CLOSED;
            while let Ok(Some(request)) = tokio::time::timeout_at(until, requests.recv()).await {
                if let Request::Join(_, answer) = request {
                    // Whoever asked may have gone.
                    let _gone = answer.send(Err(error.clone()));
                }
            }
        }
    }
}

/// A board with a reader.
#[derive(Debug)]
struct Seat {
    number: u64,
    said: WriteHalf<DuplexStream>,
    /// Takes what the reader writes.
    pump: AbortHandle,
}

impl Drop for Seat {
    fn drop(&mut self) {
        // With it the last end of the stream on this side is closed.
        self.pump.abort();
    }
}

/// An open line.
struct Line {
    port: Port,
    master: Master,
    seats: BTreeMap<u16, Seat>,
    waiting: BTreeMap<u16, oneshot::Sender<Opened>>,
    /// Boards whose readers read nothing, until the master knows.
    dropped: Vec<u16>,
    own: mpsc::WeakSender<Request>,
    /// Bytes that a reader may leave unread.
    unread: usize,
    last_number: u64,
    began: Instant,
    /// Since when there is no board.
    unused_since: Option<Instant>,
}

impl Line {
    fn new(port: Port, own: mpsc::WeakSender<Request>, unread: usize) -> Self {
        Self {
            port,
            master: Master::new(),
            seats: BTreeMap::new(),
            waiting: BTreeMap::new(),
            dropped: Vec::new(),
            own,
            unread,
            last_number: 0,
            began: Instant::now(),
            unused_since: None,
        }
    }

    /// Serves the boards until the line breaks or nobody needs it; says why.
    async fn serve(
        &mut self,
        mut stream: Box<dyn Stream>,
        requests: &mut mpsc::Receiver<Request>,
    ) -> &'static str {
        // Who is waiting already is searched for together.
        while let Ok(request) = requests.try_recv() {
            let Some(input) = self.requested(request) else { continue };
            if self.tell(input, &mut stream).await.is_err() {
                return "the line takes no bytes";
            }
        }
        if self.tell(Input::LinkUp, &mut stream).await.is_err() {
            return "the line takes no bytes";
        }
        let mut bytes = vec![0; CHUNK];
        loop {
            let wake = self.master.wake_at_ns().map(|at_ns| self.began + Duration::from_nanos(at_ns));
            let close = self.unused_since.map(|since| since + UNUSED);
            let next = wake.into_iter().chain(close).min().unwrap_or_else(|| Instant::now() + UNUSED);
            let told = tokio::select! {
                read = stream.read(&mut bytes) => match read {
                    // No bytes: the other end is gone (reliability 2.3).
                    Ok(0) | Err(_) => return "the link is gone",
                    Ok(count) => self.tell(Input::Bytes(&bytes[..count]), &mut stream).await,
                },
                Some(request) = requests.recv() => match self.requested(request) {
                    Some(input) => self.tell(input, &mut stream).await,
                    None => Ok(()),
                },
                () = sleep_until(next) => self.tell(Input::Wake, &mut stream).await,
            };
            if told.is_err() {
                return "the line takes no bytes";
            }
            if close.is_some_and(|close| Instant::now() >= close) {
                return "no board needs it";
            }
            for address in self.forgotten() {
                if self.tell(Input::Remove(address), &mut stream).await.is_err() {
                    return "the line takes no bytes";
                }
            }
            let is_unused = self.seats.is_empty() && self.waiting.is_empty();
            self.unused_since = is_unused.then(|| self.unused_since.unwrap_or_else(Instant::now));
        }
    }

    /// The boards that nobody reads any more: who waited for them has gone, or was dropped.
    fn forgotten(&mut self) -> Vec<u16> {
        let gone = self.waiting.iter().filter(|(_, answer)| answer.is_closed()).map(|(address, _)| *address);
        self.dropped.extend(gone);
        self.waiting.retain(|_, answer| !answer.is_closed());
        std::mem::take(&mut self.dropped)
    }

    /// What a request means for the master.
    fn requested(&mut self, request: Request) -> Option<Input<'static>> {
        match request {
            Request::Join(address, answer) => {
                // Whoever had the board before has lost it.
                self.seats.remove(&address);
                self.waiting.insert(address, answer);
                Some(Input::Add(address))
            }
            Request::Ask(number, order) => {
                let is_seat = self.seats.get(&order.address).is_some_and(|seat| seat.number == number);
                is_seat.then_some(Input::Ask(order))
            }
            Request::Leave(number) => {
                let address = *self.seats.iter().find(|(_, seat)| seat.number == number)?.0;
                self.seats.remove(&address);
                Some(Input::Remove(address))
            }
        }
    }

    /// Tells the master something, and does what it says.
    async fn tell(&mut self, input: Input<'_>, stream: &mut Box<dyn Stream>) -> Result<(), ()> {
        let mut said = Vec::new();
        self.master.handle(input, self.now_ns(), &mut said);
        for output in said {
            match output {
                Output::Write(bytes) => match timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await {
                    Ok(Ok(())) => {}
                    _ => return Err(()),
                },
                Output::Packet(packet) => self.deliver(&packet).await,
                Output::Found(address) => {
                    tracing::warn!(port = %self.port, address, "a board answers on the bus that no [[board]] names");
                }
                Output::Skipped { bytes } => tracing::debug!(port = %self.port, bytes, "noise on the bus"),
            }
        }
        Ok(())
    }

    /// Hands a packet to the reader of its board. One who reads nothing is dropped: he would hold up the others.
    async fn deliver(&mut self, packet: &Packet) {
        let address = packet.address();
        if let Some(answer) = self.waiting.remove(&address) {
            self.open_seat(address, answer);
        }
        let Some(seat) = self.seats.get_mut(&address) else { return };
        let write = unconstrained(seat.said.write_all(packet.bytes()));
        if !matches!(timeout(Duration::ZERO, write).await, Ok(Ok(()))) {
            self.seats.remove(&address);
            self.dropped.push(address);
        }
    }

    fn open_seat(&mut self, address: u16, answer: oneshot::Sender<Opened>) {
        let (ours, theirs) = tokio::io::duplex(self.unread);
        if answer.send(Ok(Box::new(theirs))).is_err() {
            return;
        }
        let (asked, said) = tokio::io::split(ours);
        self.last_number += 1;
        let number = self.last_number;
        let pump = tokio::spawn(pump(asked, number, self.own.clone())).abort_handle();
        self.seats.insert(address, Seat { number, said, pump });
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Hands on what a board's session asks, until its stream is closed.
async fn pump(mut asked: ReadHalf<DuplexStream>, number: u64, line: mpsc::WeakSender<Request>) {
    let (mut decoder, mut bytes) = (CommandDecoder::default(), [0; 64]);
    loop {
        let count = asked.read(&mut bytes).await.unwrap_or(0);
        let mut orders = Vec::new();
        decoder.push(&bytes[..count], &mut orders);
        let mut wanted: Vec<Request> = orders.into_iter().map(|order| Request::Ask(number, order)).collect();
        if count == 0 {
            wanted.push(Request::Leave(number));
        }
        for request in wanted {
            let Some(line) = line.upgrade() else { return };
            if line.send(request).await.is_err() {
                return;
            }
        }
        if count == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::wire::dgt::bus::{Command, Decoder};
    use adoube_rules::ChessPosition;
    use adoube_sim::bus::Chain;
    use adoube_sim::{BoardConfig, Game};

    const FIRST: u16 = 1_001;

    /// Less than usual, so that it is soon full: seven dumps.
    const UNREAD_HERE: usize = 512;

    /// A line with some boards on which nobody plays, until the end of the test.
    async fn boards(count: u16, mut host: DuplexStream) {
        let game = || Game::<adoube_rules::Chess> {
            start: ChessPosition::default(),
            moves: Vec::new(),
            result: None,
        };
        let config = |index| BoardConfig { serial: u32::from(FIRST + index), ..BoardConfig::default() };
        let boards: Vec<_> = (0..count).map(|index| (game(), config(index))).collect();
        let (mut chain, began, mut heard) = (Chain::new(&boards, 0.0, 1), Instant::now(), [0; 64]);
        loop {
            let mut said = Vec::new();
            chain.poll(began.elapsed().as_nanos() as u64, &mut said);
            if host.write_all(&said).await.is_err() {
                return;
            }
            let wake_ns = chain.wake_at_ns().unwrap_or(u64::MAX / 2);
            let wait =
                Duration::from_nanos(wake_ns).saturating_sub(began.elapsed()).max(Duration::from_millis(1));
            if let Ok(read) = timeout(wait, host.read(&mut heard)).await {
                match read {
                    Ok(0) | Err(_) => return,
                    Ok(bytes) => chain.receive(&heard[..bytes], began.elapsed().as_nanos() as u64),
                }
            }
        }
    }

    /// The line's task, and the streams of its boards.
    async fn opened(
        count: u16,
    ) -> (tokio::task::JoinHandle<()>, tokio::task::JoinHandle<()>, Vec<Box<dyn Stream>>) {
        let (ours, theirs) = tokio::io::duplex(256);
        let (sender, mut requests) = mpsc::channel(REQUESTS);
        let mut answers = Vec::new();
        for index in 0..count {
            let (answer, answered) = oneshot::channel();
            sender.try_send(Request::Join(FIRST + index, answer)).unwrap();
            answers.push(answered);
        }
        let chain = tokio::spawn(boards(count, theirs));
        let line = tokio::spawn(async move {
            let mut line = Line::new(Port::Auto, sender.downgrade(), UNREAD_HERE);
            line.serve(Box::new(ours), &mut requests).await;
            drop(sender);
        });
        let mut streams = Vec::new();
        for answered in answers {
            streams.push(answered.await.unwrap().unwrap());
        }
        (chain, line, streams)
    }

    fn order(address: u16) -> Vec<u8> {
        Order { address, command: Command::SendBoard }.encode()
    }

    /// Reads until the stream ends or two seconds are over; the packets' addresses.
    async fn addresses(stream: &mut Box<dyn Stream>) -> (Vec<u16>, bool) {
        let (mut decoder, mut packets, mut bytes) = (Decoder::default(), Vec::new(), [0; 256]);
        let until = Instant::now() + Duration::from_secs(2);
        let mut has_ended = false;
        while let Ok(Ok(count)) = tokio::time::timeout_at(until, stream.read(&mut bytes)).await {
            if count == 0 {
                has_ended = true;
                break;
            }
            assert_eq!(decoder.push(&bytes[..count], &mut packets), 0, "whole packets, and nothing else");
        }
        (packets.iter().map(Packet::address).collect(), has_ended)
    }

    #[tokio::test]
    async fn each_board_hears_itself_and_all_hear_the_line_break() {
        let (chain, _line, mut streams) = opened(3).await;
        for (address, stream) in (FIRST..).zip(&mut streams) {
            stream.write_all(&order(address)).await.unwrap();
            let (heard, has_ended) = addresses(stream).await;
            assert!(!heard.is_empty() && heard.iter().all(|heard| *heard == address), "{heard:?}");
            assert!(!has_ended);
        }
        chain.abort();
        for stream in &mut streams {
            assert!(addresses(stream).await.1, "the stream ends");
        }
    }

    #[tokio::test]
    async fn who_reads_nothing_is_dropped_and_holds_nobody_up() {
        let (_chain, _line, mut streams) = opened(2).await;
        let mut stuck = streams.remove(0);
        for _ in 0..12 {
            // Who is dropped cannot write any more.
            let _dropped = stuck.write_all(&order(FIRST)).await;
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        streams[0].write_all(&order(FIRST + 1)).await.unwrap();
        let (heard, has_ended) = addresses(&mut streams[0]).await;
        assert!(!heard.is_empty() && !has_ended, "{} packets", heard.len());
        let mut rest = Vec::new();
        timeout(Duration::from_secs(5), stuck.read_to_end(&mut rest)).await.unwrap().unwrap();
        assert!((1..=UNREAD_HERE).contains(&rest.len()), "{}", rest.len());
    }
}
