//! One bad board never delays another one, and leaves nothing behind.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adoube::hall::Clock;
use adoube_core::wire::dgt::{ClockEnd, ClockTimes, Command, CommandDecoder, EndTime, Message};
use adoube_rules::ChessPosition;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::{Hall, PATIENCE, open, port};
use crate::daemon::awaited;

/// No event of a good board may be underway for longer than those of the same board in a hall of its own, at the same
/// time: what the machine and its disk are busy with delays both.
const P99: Duration = Duration::from_millis(50);

/// So often it is looked at, at the most: a disk may hold up one of the two journals alone, but not each time.
const LOOKS: usize = 5;

/// Between two messages of a good board's clock.
const PAUSE: Duration = Duration::from_millis(40);

/// When each message of the good board was sent, by its time.
type Sent = Arc<Mutex<BTreeMap<u64, u64>>>;

/// A board that answers as it should; its clock starts and stops all the time, which is an event each.
async fn good(listener: TcpListener, clock: Clock, sent: Sent) {
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut decoder = CommandDecoder::default();
    let (mut heard, mut commands) = ([0; 256], Vec::new());
    let position = ChessPosition::default();
    for seconds in 1.. {
        if let Ok(Ok(count)) = timeout(PAUSE, stream.read(&mut heard)).await {
            if count == 0 {
                return;
            }
            decoder.push(&heard[..count], &mut commands);
            for command in commands.drain(..) {
                let answer = match command {
                    Command::SendBoard => Message::Dump(Box::new(position.contents().try_into().unwrap())),
                    Command::Serial => Message::Serial("10001".to_owned()),
                    Command::Version => Message::Version { major: 3, minor: 1 },
                    _ => continue,
                };
                stream.write_all(&answer.encode()).await.unwrap();
            }
        }
        let end = |seconds| EndTime { seconds, ..EndTime::default() };
        let times = ClockTimes::new(end(seconds), end(3_600), seconds % 2 == 0, ClockEnd::Left);
        sent.lock().unwrap().insert(u64::from(seconds) * 1_000, clock.now().mono_ns);
        stream.write_all(&Message::Clock(times).encode()).await.unwrap();
    }
}

/// A hall with a good board, `1`, and what that board sends.
async fn with_a_good_board(boards: &mut JoinSet<()>, clock: &Clock) -> (Hall, Sent) {
    let sent = Sent::default();
    let (own, at) = listener().await;
    boards.spawn(good(own, clock.clone(), Arc::clone(&sent)));
    let hall = Hall::with(&[("1", &at)], 1.0).await;
    hall.is("1", "fresh").await;
    (hall, sent)
}

/// How long 99 of 100 events of board `1` were underway at most, of the next `count` ones.
async fn underway(hall: &Hall, clock: &Clock, sent: &Sent, count: usize) -> Duration {
    let (_, mut events) = hall.daemon.hall.desk.subscribe(None);
    let mut all = Vec::new();
    let end = Instant::now() + Duration::from_secs(30);
    while all.len() < count {
        // The others say a lot: some of it may have been missed.
        let frame = tokio::time::timeout_at(end, events.recv()).await.expect("events in time");
        let Ok(frame) = frame else { continue };
        let arrived_ns = clock.now().mono_ns;
        if frame.name != "clock-read" || &*frame.board != "1" {
            continue;
        }
        let event: serde_json::Value = serde_json::from_str(&frame.line).unwrap();
        let sent_ns = sent.lock().unwrap().remove(&event["white_ms"].as_u64().unwrap());
        all.extend(sent_ns.map(|sent_ns| Duration::from_nanos(arrived_ns - sent_ns)));
    }
    all.sort_unstable();
    all[all.len() * 99 / 100]
}

/// Our open ends of connections to these ports, and the tasks of this test. Files in general are no measure: other
/// tests of the process have theirs.
fn left(ports: &[u16]) -> (usize, usize) {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let is_ours = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = fields[2].rsplit(':').next().and_then(|port| u16::from_str_radix(port, 16).ok());
        // One whose end was closed has no inode any more.
        fields[9] != "0" && port.is_some_and(|port| ports.contains(&port))
    };
    let links = table.lines().skip(1).filter(is_ours).count();
    (links, tokio::runtime::Handle::current().metrics().num_alive_tasks())
}

fn number(port: &str) -> u16 {
    port.rsplit(':').next().unwrap().parse().unwrap()
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = format!("tcp://{}", listener.local_addr().unwrap());
    (listener, port)
}

/// It takes no bytes: its buffers are full from the start.
async fn stuck(listener: TcpListener) {
    let mut held = Vec::new();
    loop {
        held.push(listener.accept().await.unwrap());
    }
}

/// It comes and goes.
async fn flapping(listener: TcpListener, opened: Arc<Mutex<Vec<Instant>>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        opened.lock().unwrap().push(Instant::now());
        drop(stream);
    }
}

/// It sends as fast as it can: noise, headers of messages that never end, frames without end.
async fn malicious(listener: TcpListener, kind: usize) {
    let noise: Vec<u8> = (0..65_536_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let headers = [0x86, 0x7f, 0x7f].repeat(20_000);
    let position = ChessPosition::default();
    let frame = Message::Dump(Box::new(position.contents().try_into().unwrap())).encode();
    let bytes = vec![noise, headers, frame.repeat(1_000)].swap_remove(kind);
    loop {
        let (mut stream, _): (TcpStream, _) = listener.accept().await.unwrap();
        while stream.write_all(&bytes).await.is_ok() {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_boards_delay_no_good_one_and_leave_nothing_behind() {
    let clock = Clock::start(None, 1.0);
    let opened = Arc::<Mutex<Vec<Instant>>>::default();
    let mut boards = JoinSet::new();
    let (hall, sent) = with_a_good_board(&mut boards, &clock).await;
    let (_, tasks) = left(&[]);
    let (quiet, sent_in_quiet) = with_a_good_board(&mut boards, &clock).await;
    let mut ports = Vec::new();
    for kind in 0..3 {
        let (own, at) = listener().await;
        ports.push(number(&at));
        boards.spawn(malicious(own, kind));
        hall.daemon.hall.add_board(open(&format!("malicious {kind}")), port(&at)).await.unwrap();
    }
    let (own, at) = listener().await;
    ports.push(number(&at));
    boards.spawn(stuck(own));
    hall.daemon.hall.add_board(open("stuck"), port(&at)).await.unwrap();
    let (own, at) = listener().await;
    ports.push(number(&at));
    boards.spawn(flapping(own, Arc::clone(&opened)));
    hall.daemon.hall.add_board(open("flapping"), port(&at)).await.unwrap();
    // A bad board that delays others does so at each look.
    let mut is_prompt = false;
    for _ in 0..LOOKS {
        let (beside, alone) =
            tokio::join!(underway(&hall, &clock, &sent, 200), underway(&quiet, &clock, &sent_in_quiet, 200));
        println!("p99 {alone:?} alone, {beside:?} beside bad boards");
        is_prompt = beside < P99 + 2 * alone;
        if is_prompt {
            break;
        }
    }
    quiet.daemon.stop().await;
    assert!(left(&ports).0 >= 1, "the stuck one is there");
    assert!(is_prompt, "a good board is late beside bad ones");
    // It is said of whoever sends too much, and it is left alone: nothing more of it is read.
    let reason = || hall.status("malicious 2")?.reason.filter(|reason| reason.contains("is left alone"));
    awaited("the reason", PATIENCE, async || reason()).await;
    let readings = || hall.status("malicious 2").unwrap().readings;
    let before = readings();
    sleep(Duration::from_secs(2)).await;
    assert_eq!(readings(), before);
    assert!(hall.status("1").unwrap().state == "fresh");
    // The waits of the one that comes and goes stay within their bounds.
    let times = opened.lock().unwrap().clone();
    let waits: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(!waits.is_empty() && waits.len() < 60, "{waits:?}");
    let bounds = Duration::from_millis(200)..Duration::from_secs(8);
    assert!(waits.iter().all(|wait| bounds.contains(wait)), "{waits:?}");
    let bad: Vec<String> = hall.daemon.hall.boards_now().into_iter().map(|status| status.board).collect();
    for board in bad.iter().filter(|board| *board != "1") {
        hall.daemon.hall.remove_board(board).await.unwrap();
    }
    boards.abort_all();
    // Their links and tasks go with them; those of the boards at the other end ended just now.
    boards.shutdown().await;
    let gone = async || {
        let (links, now) = left(&ports);
        (links == 0 && now < tasks).then_some(())
    };
    awaited("an end of links and tasks", PATIENCE, gone).await;
    hall.daemon.stop().await;
}

/// Two hundred times opened and closed: nothing is left of any of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_comes_and_goes_two_hundred_times_leaves_nothing_behind() {
    let (own, at) = listener().await;
    let opened = Arc::<Mutex<Vec<Instant>>>::default();
    let mut boards = JoinSet::new();
    boards.spawn(flapping(own, Arc::clone(&opened)));
    let hall = Hall::with(&[("1", &at)], 1.0).await;
    awaited("a first time", PATIENCE, async || (!opened.lock().unwrap().is_empty()).then_some(())).await;
    let (_, tasks) = left(&[]);
    let end = Instant::now() + Duration::from_secs(20);
    while opened.lock().unwrap().len() < 200 && Instant::now() < end {
        // Told where it is, it is tried at once.
        hall.daemon.hall.place_board("1", port(&at));
        sleep(Duration::from_millis(5)).await;
    }
    assert!(opened.lock().unwrap().len() >= 200, "{}", opened.lock().unwrap().len());
    let (links, now) = left(&[number(&at)]);
    assert!(links <= 1 && now <= tasks + 1, "{links} links, {now} tasks after {tasks}");
    assert_eq!(hall.daemon.hall.boards_now().len(), 1);
    hall.daemon.stop().await;
}
