//! Bounds: whatever programs do, the hall goes on.

use adoube::daemon::{Daemon as Inner, Settings};
use adoube::web::livechess::{self, LiveChess, Origins};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::*;
use crate::feeds::established;
use crate::http::ask;

/// A hall whose board never answers.
async fn quiet_hall() -> (Site, SocketAddr, Daemon) {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let address = set_up(&site, "");
    let daemon = site.start();
    answers(address).await;
    (site, address, daemon)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_are_no_more_programs_and_subscriptions_than_places() {
    let (_site, address, _daemon) = quiet_hall().await;
    let mut programs = Vec::new();
    for _ in 0..32 {
        programs.push(Program::connect(address).await);
    }
    let Err(Error::Http(refused)) = Program::try_connect(address, "/api/v1.0", None).await else {
        panic!("one too many")
    };
    assert_eq!(refused.status().as_u16(), 503);
    // Who goes makes room.
    programs.pop();
    let free = async || Program::try_connect(address, "/api/v1.0", None).await.ok();
    programs.push(awaited("a free place", PATIENCE, free).await);
    // Lists by HTTP need none.
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let program = &mut programs[0];
    let subscribe = async |program: &mut Program, feed: Value| {
        let param = json!({ "feed": "eboardevent", "id": feed, "param": { "serialnr": serialnr } });
        program.call("subscribe", json!(0), param).await["response"].as_str().unwrap().to_owned()
    };
    for feed in 0..128 {
        assert_eq!(subscribe(program, json!(feed)).await, "call", "{feed}");
    }
    assert_eq!(subscribe(program, json!(128)).await, "error");
    // The same name again begins anew, and a text is another name.
    assert_eq!(subscribe(program, json!(5)).await, "call");
    assert_eq!(subscribe(program, json!("5")).await, "error");
    assert_eq!(program.call("unsubscribe", json!(0), json!({ "id": 7 })).await["response"], "call");
    assert_eq!(subscribe(program, json!("5")).await, "call");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_of_their_own_are_bounded_and_end_with_their_program() {
    let (_site, address, _daemon) = quiet_hall().await;
    let serialnr = eboards(address).await[0]["serialnr"].as_str().unwrap().to_owned();
    let follow = async |feeds: usize| {
        let mut program = Program::connect(address).await;
        let mut answers = Vec::new();
        for feed in 0..feeds {
            let param = json!({ "feed": "eboardevent", "id": feed, "param": { "serialnr": serialnr } });
            program.call("subscribe", json!(0), param).await;
            let param = json!({ "id": feed, "method": "setup", "param": { "fen": START } });
            answers.push(program.call("call", json!(0), param).await["response"].clone());
        }
        (program, answers)
    };
    let (first, answers) = follow(64).await;
    assert!(answers.iter().all(|answer| answer == "call"), "{answers:?}");
    assert_eq!(follow(1).await.1, ["error"]);
    drop(first);
    let free = async || Some(follow(1).await).filter(|(_, answers)| answers[0] == "call");
    awaited("a free place", PATIENCE, free).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_too_long_ends_its_conversation_alone() {
    let (_site, address, _daemon) = quiet_hall().await;
    let mut other = Program::connect(address).await;
    let mut program = Program::connect(address).await;
    program.send(format!("{{\"call\":\"eboards\",\"id\":\"{}\"}}", "x".repeat(16_000))).await;
    assert_eq!(program.message().await["response"], "call");
    // The line may break while it is still being written.
    let text = format!("{{\"call\":\"eboards\",\"id\":\"{}\"}}", "x".repeat(17_000));
    let _broken = program.socket.send(Message::text(text)).await;
    assert_eq!(program.next().await, None);
    assert_eq!(other.call("eboards", json!(1), Value::Null).await["response"], "call");
}

/// A program that asks and reads nothing is closed after ten seconds, and nobody else waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_of_nothing_is_closed() {
    let (site, address, _daemon) = quiet_hall().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let stream = socket.connect(address).await.unwrap();
    let port = stream.local_addr().unwrap().port();
    let request = format!("ws://{address}/api/v1.0").into_client_request().unwrap();
    let mut stuck = client_async(request, stream).await.unwrap().0;
    // A masked frame, so that it can be written again and again.
    let text = format!("{{\"call\":\"eboards\",\"id\":\"{}\"}}", "x".repeat(15_000));
    let mut frame = vec![0x81, 0xfe];
    frame.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    let mut other = Program::connect(address).await;
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;
    while established(port, address.port()) == 1 {
        // Before the ten seconds begin, the buffers between the two must be full.
        assert!(begun.elapsed() < PATIENCE, "still open");
        let _full = timeout(Duration::from_millis(20), stuck.get_mut().write_all(&frame)).await;
        let asked = Instant::now();
        other.call("eboards", json!(1), Value::Null).await;
        let note =
            ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], r#"{"name":"note","text":"x"}"#).await;
        assert_eq!(note.status, 200);
        slowest = slowest.max(asked.elapsed());
    }
    assert!(begun.elapsed() > Duration::from_secs(9), "closed after {:?}", begun.elapsed());
    // Whoever waited for it would wait ten seconds; a busy machine and its disk take two.
    assert!(slowest < Duration::from_secs(5), "others waited {slowest:?}");
}

/// The other program may be closed later: then it is our turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_in_use_is_said_and_tried_again() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    site.add_section(&format!("[feeds.livechess]\naddress = \"{address}\""));
    let _daemon = site.start();
    let failing = async || Some(status(&site).await).filter(|feed| feed["state"] == "failing");
    let feed = awaited("a failing feed", PATIENCE, failing).await;
    assert!(feed["last_error"].as_str().unwrap().contains("is DGT LiveChess running?"), "{feed}");
    drop(taken);
    let well = async || Some(status(&site).await).filter(|feed| feed["state"] == "ok");
    awaited("a feed that is well", PATIENCE, well).await;
    assert_eq!(eboards(address).await[0]["state"], "INACTIVE");
}

/// Spectators who see the games later shall not see them here at once, unless somebody said so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_off_while_spectators_are_behind() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Inner::start(Settings::new(folder.path().to_owned(), reserved_address())).await.unwrap();
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut start = |undelayed: bool| {
        let origins = Origins::new(&["*".to_owned()]);
        let feed = LiveChess { address: reserved_address(), undelayed, origins, first: None };
        let address = feed.address;
        (livechess::start(feed, &daemon.hall, true, &stopped, &mut tasks).now(), address)
    };
    let (status, address) = start(false);
    assert_eq!((status.state, status.note), ("off", Some("delayed")));
    let (status, open) = start(true);
    assert_eq!((status.state, status.note), ("ok", Some("any-page")));
    answers(open).await;
    assert!(TcpStream::connect(address).await.is_err());
    stop.send(true).unwrap();
    while tasks.join_next().await.is_some() {}
    daemon.stop().await;
}
