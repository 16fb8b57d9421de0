//! The journal as the daemon uses it: what all tests share.

mod damage;
mod disk;
mod looking;
mod restart;
mod retention;

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use adoube_core::event::finding::{Paths, RecordGap};
use adoube_core::event::{Body, Handled, RecordId, Recorded, Status};
use adoube_core::ply::Ply;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::SECOND;

const CORE: u32 = 3;

/// What the sink got, batch by batch.
type Said = Arc<Mutex<Vec<Committed>>>;

/// A journal under test: commands are synchronous here.
struct Bench {
    runtime: tokio::runtime::Runtime,
    handle: JournalHandle,
    said: Said,
}

fn open_with(dir: &Path, options: Options) -> Result<(Bench, Recovered), JournalError> {
    let said = Said::default();
    let sink = Arc::clone(&said);
    let (handle, recovered) =
        Journal::open_with(dir, CORE, options, move |committed| sink.lock().unwrap().push(committed))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    Ok((Bench { runtime, handle, said }, recovered))
}

fn open(dir: &Path) -> (Bench, Recovered) {
    open_with(dir, Options::new(dir)).unwrap()
}

impl Bench {
    fn submit(&self, submission: Submission) {
        self.runtime.block_on(self.handle.submit(submission)).unwrap();
    }

    fn settle(&self) {
        self.runtime.block_on(self.handle.settled()).unwrap();
    }

    fn close(self) {
        self.handle.close();
    }

    /// The numbers said so far, with whether they were durable.
    fn said(&self) -> Vec<(u64, bool)> {
        let said = self.said.lock().unwrap();
        said.iter().flat_map(|batch| batch.events.iter().map(|event| (event.seq, batch.durable))).collect()
    }

    fn wait_for(&self, what: &str, is_so: impl Fn(&JournalState) -> bool) {
        for _ in 0..100 {
            if is_so(&self.handle.state()) {
                return;
            }
            self.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(50)).await });
        }
        panic!("the journal did not become {what}: {:?}", self.handle.state());
    }
}

/// The `second`-th second of 2026-05-01, from noon.
fn at(second: u64) -> Stamp {
    let noon = Stamp::parse_utc("2026-05-01T12:00:00Z").unwrap();
    Stamp { mono_ns: 0, utc_ns: noon }.at(second * SECOND)
}

fn event(second: u64, body: Body) -> Event {
    Event {
        at: at(second),
        elapsed_ns: second * SECOND,
        game: Some(adoube_core::event::GameName::Given("1-1".into())),
        publicity: adoube_core::event::Publicity::Usual,
        body,
    }
}

/// An event for the arbiter only.
fn lifted(second: u64) -> Event {
    event(
        second,
        Body::PieceLifted(Handled {
            square: Square::new(12),
            content: Content::OCCUPIED,
            first_ns: 0,
            family: Default::default(),
        }),
    )
}

/// A public event: a restart goes on with a board that has a game.
fn opened(second: u64) -> Event {
    let info = adoube_core::event::GameInfo {
        name: adoube_core::event::GameName::Given("1-1".into()),
        round: Some(1),
        number: 1,
        variant: adoube_rules::GameKind::Chess,
        start: String::new(),
        time_control: None,
        players: Default::default(),
        red_blue: None,
        team_match: None,
    };
    event(second, Body::GameOpened(Box::new(info)))
}

/// A public event.
fn clock_read(second: u64) -> Event {
    event(second, Body::ClockRead(None))
}

fn finding(second: u64, record: u64, status: Status) -> Event {
    let gap = RecordGap {
        ply: Ply::FIRST,
        squares: None,
        since_ply: Ply::START,
        paths: Paths::NONE,
        recovered: Vec::new(),
    };
    event(second, Body::Record(Box::new(Recorded::of(RecordId(record), status, gap))))
}

fn input(board: &str, second: u64, kind: InputKind, events: Vec<Event>) -> Submission {
    Submission {
        board: board.into(),
        stamp: at(second),
        kind,
        data: format!("input {second}").into(),
        events,
    }
}

/// Two boards, twelve inputs, twelve events of which eight are public.
fn fill(bench: &Bench) {
    for board in ["1", "2"] {
        bench.submit(input(board, 0, InputKind::Open, vec![]));
        for second in 1..6 {
            let first = if second == 1 { opened(second) } else { lifted(second) };
            let events = vec![first, clock_read(second)];
            bench.submit(input(
                board,
                second,
                InputKind::Bytes,
                if second % 2 == 0 { vec![] } else { events },
            ));
        }
        bench.settle();
    }
}

fn whole(dir: &Path) -> Report {
    let report = verify(dir);
    assert_eq!(report.problem, None);
    report
}

fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        // The lock and shared memory belong to the process that has them.
        if !path.to_str().unwrap().ends_with("-shm") {
            fs::copy(&path, to.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    to
}

/// Runs SQL on a closed file, as somebody who wants to change what happened.
fn tamper(dir: &Path, file: u32, sql: &str) {
    Connection::open(files::path_of(dir, file)).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn what_is_said_aside_comes_after_what_it_rests_on_and_is_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    bench.submit(input("1", 1, InputKind::Bytes, vec![lifted(1)]));
    let json = Map::from_iter([("alternatives".to_owned(), Value::Array(Vec::new()))]);
    let aside = Aside { name: "alternatives", board: "1".into(), json };
    bench.handle.aside(aside.clone());
    let pictures = Pictures { board: "1".into(), seen: Vec::new() };
    bench.handle.pictures(pictures.clone());
    bench.submit(input("1", 2, InputKind::Bytes, vec![lifted(2)]));
    bench.settle();
    let said = bench.said.lock().unwrap();
    let asides: Vec<&Aside> = said.iter().flat_map(|batch| &batch.asides).collect();
    assert_eq!(asides, [&aside]);
    let shown: Vec<&Pictures> = said.iter().flat_map(|batch| &batch.pictures).collect();
    assert_eq!(shown, [&pictures]);
    let before = said.iter().take_while(|batch| batch.asides.is_empty() && batch.pictures.is_empty());
    assert!(before.flat_map(|batch| &batch.events).any(|event| event.seq == 1));
    drop(said);
    bench.close();
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.last_seq, 2);
    assert!(bench.said.lock().unwrap().is_empty());
    bench.close();
}
