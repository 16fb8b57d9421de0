//! Written, closed, opened again.

use serde_json::json;

use super::*;
use crate::journal::files::lock;

#[test]
fn what_was_said_reads_back_and_goes_on_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, recovered) = open(dir.path());
    assert_eq!((recovered.last_stamp, recovered.boards.len()), (None, 0));
    let epoch = recovered.epoch;
    fill(&bench);
    bench.handle.sent("nats", 7);
    let said: Vec<Numbered> =
        bench.said.lock().unwrap().drain(..).flat_map(|committed| committed.events).collect();
    assert_eq!(said.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    bench.close();
    assert!(!dir.path().join("0001.db-wal").exists(), "a closed file is one file");

    let stored: Vec<Numbered> =
        Reader::open(dir.path(), 0).map(|event| event.unwrap().numbered().unwrap()).collect();
    assert_eq!(stored, said);
    assert_eq!(Reader::open(dir.path(), 11).count(), 2);

    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.epoch, epoch);
    assert_eq!((recovered.last_stamp, recovered.last_seq, recovered.last_public), (Some(at(5)), 12, 8));
    assert_eq!(recovered.sent.get("nats"), Some(&7));
    let [one, two] = &recovered.boards[..] else { panic!("{:?}", recovered.boards) };
    assert!(one.is_same_core && one.is_whole && &*one.board == "1" && &*two.board == "2");
    let kinds: Vec<InputKind> = two.inputs.iter().map(|input| input.kind).collect();
    assert_eq!(kinds, [&[InputKind::Open][..], &[InputKind::Bytes; 5]].concat());
    assert_eq!(two.inputs[3].data, b"input 3");
    let events: Vec<Numbered> = two.events.iter().map(|event| event.numbered().unwrap()).collect();
    assert_eq!(events, said[6..]);

    bench.submit(input("2", 6, InputKind::Bytes, vec![clock_read(6)]));
    bench.settle();
    let next = bench.said.lock().unwrap()[0].events[0].clone();
    assert_eq!((next.seq, next.public_id), (13, Some(9)));
    bench.close();
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs, report.events), (1, 13, 13));
}

#[test]
fn pairings_are_found_however_long_ago_they_came() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.pairings, None);
    let entered = |by: &str| {
        let entered = adoube_core::rounds::Entered { by: Some(by.to_owned()), ..Default::default() };
        let data = serde_json::to_vec(&entered).unwrap();
        Submission { data, ..input("", 1, InputKind::Pairings, Vec::new()) }
    };
    bench.submit(entered("one"));
    bench.submit(entered("two"));
    bench.settle();
    let last = entered("two").data;
    // A week of days on which nobody changes anything.
    for day in 1..=7 {
        let second = day * 24 * 3_600;
        bench.submit(input("1", second, InputKind::Bytes, vec![lifted(second)]));
        bench.settle();
    }
    bench.close();
    assert!(dir.path().join("0008.db").exists());
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.pairings.as_ref(), Some(&last));
    // And the file after that, begun by the process that found them.
    let second = 8 * 24 * 3_600;
    bench.submit(input("1", second, InputKind::Bytes, vec![lifted(second)]));
    bench.settle();
    bench.close();
    fs::remove_file(dir.path().join("0001.db")).unwrap();
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.pairings.as_ref(), Some(&last));
    bench.close();
    assert_eq!(whole(dir.path()).events, 8);
}

#[test]
fn a_round_that_nobody_opened_is_found() {
    let opened = |rounds: &[u32]| {
        let book = adoube_core::rounds::Book {
            rounds: rounds.iter().map(|round| (*round, adoube_core::rounds::Opened::Open)).collect(),
            ..Default::default()
        };
        serde_json::to_vec(&adoube_core::rounds::Entered { by: None, book }).unwrap()
    };
    let said = |round| event(1, Body::Round { is_open: true, round, date: None });
    let journal = |events: Vec<Event>| {
        let dir = tempfile::tempdir().unwrap();
        let (bench, _) = open(dir.path());
        let kind = InputKind::Pairings;
        bench.submit(Submission { data: opened(&[1]), ..input("", 1, kind, vec![said(1)]) });
        bench.submit(Submission { data: opened(&[1, 2]), ..input("", 1, kind, events) });
        bench.close();
        verify(dir.path()).problem.map(|problem| problem.what)
    };
    assert_eq!(journal(vec![said(2)]), None);
    for wrong in [vec![], vec![said(3)], vec![said(2), said(2)]] {
        let problem = journal(wrong).unwrap();
        assert!(problem.contains("the rounds that it opens and closes"), "{problem}");
    }
}

#[test]
fn a_board_is_replayed_from_its_last_open_over_files() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    // Board 1 begins again; then midnight passes.
    bench.submit(input("1", 10, InputKind::Open, vec![lifted(10)]));
    let tomorrow = 13 * 3_600;
    bench.submit(input("1", tomorrow, InputKind::Bytes, vec![lifted(tomorrow)]));
    bench.settle();
    bench.close();
    assert!(dir.path().join("0002.db").exists());
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.boards[0].inputs.len(), 2);
    assert_eq!(recovered.boards[0].events.iter().map(|event| event.seq).collect::<Vec<_>>(), [13, 14]);
    assert_eq!(recovered.boards[1].inputs.len(), 6);
    bench.close();
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs, report.events), (2, 14, 14));
    let games = games(dir.path()).unwrap();
    assert_eq!((games.len(), games[0].first_seq, games[0].last_seq, games[0].events), (1, 1, 14, 14));
    assert_eq!(export(dir.path(), Some("1-1")).count(), 14);
    assert_eq!(export(dir.path(), Some("1-2")).count(), 0);
}

/// An adjourned game goes on after days on which others played.
#[test]
fn a_game_is_found_however_long_ago_it_was_opened() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    bench.submit(input("1", 0, InputKind::Open, vec![]));
    bench.submit(input("1", 1, InputKind::Pairing, vec![opened(1)]));
    for day in 1..6 {
        bench.submit(input("2", day * 86_400, InputKind::Open, vec![lifted(day * 86_400)]));
        bench.settle();
    }
    bench.close();
    let (bench, recovered) = open(dir.path());
    let [one, two] = &recovered.boards[..] else { panic!("{:?}", recovered.boards) };
    assert_eq!((one.game.is_some(), one.inputs.len(), one.events.len()), (true, 2, 1));
    // Nothing is played there: there is nothing to go on with.
    assert_eq!((two.game.is_some(), two.inputs.len(), two.events.len()), (false, 1, 0));
    bench.close();
}

#[test]
fn records_keep_the_number_that_opened_them() {
    let dir = tempfile::tempdir().unwrap();
    let opening = finding(1, 4, Status::Open);
    let (bench, _) = open(dir.path());
    bench.submit(input("1", 0, InputKind::Open, vec![opened(0)]));
    bench.submit(input("1", 1, InputKind::Bytes, vec![opening.clone()]));
    bench.settle();
    bench.close();
    let (bench, recovered) = open(dir.path());
    let mut known = adoube_core::event::Numbering::default();
    let stored = &recovered.boards[0].events[1];
    known.recall(&"1".into(), &opening, stored.seq, stored.game.as_deref());
    bench.handle.recall(known);
    bench.submit(input("1", 2, InputKind::Ruling, vec![finding(2, 4, Status::Confirmed)]));
    bench.settle();
    let confirmed = bench.said.lock().unwrap()[0].events[0].clone();
    assert_eq!((confirmed.seq, &confirmed.json()["record"]), (3, &json!(2)));
    // Another opening of the board begins its records afresh.
    bench.submit(input("1", 3, InputKind::Open, vec![]));
    bench.submit(input("1", 4, InputKind::Bytes, vec![finding(4, 4, Status::Open)]));
    bench.settle();
    assert_eq!(bench.said.lock().unwrap()[1].events[0].json()["record"], json!(4));
    bench.close();
}

#[test]
fn events_are_committed_at_once_and_readings_wait_for_company() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    let rows = || {
        let part = files::JournalFile { number: 1, path: files::path_of(dir.path(), 1) };
        let (connection, _) = files::open(&part).unwrap().unwrap();
        connection.query_row("SELECT COUNT(*) FROM input", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    bench.submit(input("1", 0, InputKind::Open, vec![]));
    bench.settle();
    assert_eq!(rows(), 1);
    for second in 1..40 {
        bench.submit(input("1", second, InputKind::Bytes, vec![]));
    }
    bench.wait_for("idle", |_| rows() == 40);
    bench.submit(input("1", 40, InputKind::Bytes, vec![lifted(40)]));
    bench.submit(input("1", 41, InputKind::Bytes, vec![lifted(41)]));
    bench.wait_for("heard", |_| bench.said().len() == 2);
    // The sink is told after the commit, in order.
    assert_eq!(rows(), 42);
    assert_eq!(bench.said(), [(1, true), (2, true)]);
    bench.close();
}

#[test]
fn a_file_that_is_full_is_followed_by_another() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) =
        open_with(dir.path(), Options { file_bytes: 64 << 10, ..Options::new(dir.path()) }).unwrap();
    for second in 0..60 {
        let data = vec![7; 4_000];
        bench.submit(Submission { data, ..input("1", second, InputKind::Bytes, vec![lifted(second)]) });
        bench.settle();
    }
    bench.close();
    let report = whole(dir.path());
    assert!(report.files >= 4, "{report:?}");
    assert_eq!((report.inputs, report.events), (60, 60));
    assert_eq!(
        Reader::open(dir.path(), 0).map(|event| event.unwrap().seq).collect::<Vec<_>>(),
        (1..=60).collect::<Vec<_>>()
    );
}

#[test]
fn another_core_begins_a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    bench.close();
    let (handle, recovered) = Journal::open(dir.path(), CORE + 1, |_| {}).unwrap();
    assert!(recovered.boards.iter().all(|board| !board.is_same_core && board.is_whole));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(handle.submit(input("1", 9, InputKind::Wake, vec![lifted(9)]))).unwrap();
    handle.close();
    assert_eq!(whole(dir.path()).files, 2);
}

#[test]
fn two_journals_in_one_directory_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    let error = open_with(dir.path(), Options::new(dir.path())).err().unwrap();
    assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("in use by another adoube"));
    let handle = bench.handle.clone();
    bench.close();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let late = runtime.block_on(handle.submit(input("1", 1, InputKind::Bytes, vec![])));
    assert_eq!(late, Err(SubmitError::Closed));
    open(dir.path()).0.close();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "another process lets go in real time")]
fn a_journal_that_is_let_go_of_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let held = lock(dir.path()).unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
    });
    assert!(lock(dir.path()).is_ok());
    holder.join().unwrap();
}
