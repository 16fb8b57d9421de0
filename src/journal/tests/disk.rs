//! Disks that are full, fail, or do not keep up.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::json;

use super::*;

/// A tmpfs of a given size: a disk that can really be full. Needs the right to mount.
struct SmallDisk {
    dir: TempDir,
}

impl SmallDisk {
    fn new(kib: u32) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(dir.path()).status();
        assert!(mount.is_ok_and(|status| status.success()), "this test must be able to mount a tmpfs");
        Self { dir }
    }

    fn journal(&self) -> PathBuf {
        self.dir.path().join("journal")
    }

    /// Takes all that is free, in pages.
    fn fill(&self) {
        use std::io::Write as _;
        let mut ballast = fs::File::create(self.dir.path().join("ballast")).unwrap();
        while ballast.write_all(&[0; 4_096]).is_ok() {}
    }

    fn free(&self) {
        fs::remove_file(self.dir.path().join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.dir.path()).status();
        assert!(unmounted.is_ok());
    }
}

fn is_degraded(state: &JournalState) -> bool {
    matches!(state, JournalState::Degraded { .. })
}

/// Submits big inputs until the disk is full; gives the last second used.
fn submit_until_full(bench: &Bench) -> u64 {
    for second in 1..200 {
        let data = vec![1; 8_000];
        bench.submit(Submission { data, ..input("1", second, InputKind::Bytes, vec![clock_read(second)]) });
        bench.settle();
        if is_degraded(&bench.handle.state()) {
            return second;
        }
    }
    panic!("the disk never filled");
}

/// R17: the games go on, and what was held is written when there is room again.
#[test]
fn a_full_disk_degrades_and_heals() {
    let disk = SmallDisk::new(1_024);
    let dir = disk.journal();
    let notes = tempfile::tempdir().unwrap();
    let note = notes.path().join("degraded");
    let options = Options { notes: vec![note.clone()], ..Options::new(&dir) };
    let (bench, _) = open_with(&dir, options).unwrap();
    bench.submit(input("1", 0, InputKind::Open, vec![]));
    bench.settle();
    disk.fill();
    let second = submit_until_full(&bench);
    bench.submit(input("2", second + 1, InputKind::Bytes, vec![lifted(second + 1)]));
    bench.settle();
    assert!(fs::read_to_string(&note).unwrap().contains(&format!("\"seq\":{}", second + 2)));
    {
        let said = bench.said.lock().unwrap();
        let unsafe_events: Vec<&Numbered> =
            said.iter().filter(|batch| !batch.durable).flat_map(|batch| &batch.events).collect();
        let names: Vec<&str> = unsafe_events.iter().map(|event| event.name().as_str()).collect();
        assert_eq!(names, ["clock-read", "journal-degraded", "piece-lifted"]);
        assert!(unsafe_events.iter().all(|event| event.json()["durable"] == json!(false)));
    }
    disk.free();
    bench.wait_for("healed", |state| *state == JournalState::Ok);
    bench.submit(input("2", second + 2, InputKind::Bytes, vec![lifted(second + 2)]));
    bench.settle();
    let said = bench.said();
    assert_eq!(said.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), (1..=second + 4).collect::<Vec<_>>());
    assert_eq!(said.last(), Some(&(second + 4, true)));
    bench.close();
    assert!(!note.exists());
    let report = whole(&dir);
    assert_eq!(report.events, second + 4);
    let stored: Vec<StoredEvent> = Reader::open(&dir, 0).map(Result::unwrap).collect();
    let gap = stored.iter().find(|event| event.name == "journal-gap").unwrap().numbered().unwrap();
    let numbers = ["first_seq", "last_seq", "lost_events"].map(|key| gap.json()[key].as_u64().unwrap());
    assert_eq!(numbers, [second, second + 2, 0]);
    assert!(stored.iter().all(|event| !event.json.contains("durable")));
}

/// What finds no room in memory is lost: the gap says so, and the board is not replayed as if whole.
#[test]
fn what_cannot_be_held_is_accounted_for() {
    let disk = SmallDisk::new(1_024);
    let dir = disk.journal();
    let options = || Options { held_inputs: 3, ..Options::new(&dir) };
    let (bench, _) = open_with(&dir, options()).unwrap();
    for board in ["1", "2"] {
        bench.submit(input(board, 0, InputKind::Open, vec![]));
    }
    bench.settle();
    disk.fill();
    let second = submit_until_full(&bench);
    for later in second + 1..second + 6 {
        bench.submit(input("1", later, InputKind::Bytes, vec![clock_read(later)]));
        bench.submit(input(
            "2",
            later,
            InputKind::Bytes,
            if later == second + 5 { vec![] } else { vec![lifted(later)] },
        ));
        bench.settle();
    }
    disk.free();
    bench.wait_for("healed", |state| *state == JournalState::Ok);
    bench.close();
    whole(&dir);
    let stored: Vec<StoredEvent> = Reader::open(&dir, 0).map(Result::unwrap).collect();
    let gap = stored.iter().find(|event| event.name == "journal-gap").unwrap().numbered().unwrap();
    assert_eq!(
        ["lost_inputs", "lost_events", "lost_public"].map(|key| gap.json()[key].as_u64().unwrap()),
        [5, 4, 3]
    );
    assert_eq!(gap.json()["lost_boards"], json!(["1", "2"]));
    let (bench, recovered) = open(&dir);
    assert!(recovered.boards.iter().all(|board| !board.is_whole));
    bench.close();
    // Without the gap's word for it, missing numbers are a problem.
    tamper(
        &dir,
        files::list(&dir).unwrap().last().unwrap().number,
        "DELETE FROM event WHERE type = 'journal-gap'",
    );
    assert!(verify(&dir).problem.is_some());
}

/// Killed while degraded: the numbers that were said are not used again, and the epoch is new.
#[test]
fn numbers_lost_with_a_process_begin_a_new_epoch() {
    let disk = SmallDisk::new(1_024);
    let dir = disk.journal();
    let notes = tempfile::tempdir().unwrap();
    let options = || Options { notes: vec![notes.path().join("degraded")], ..Options::new(&dir) };
    let (bench, recovered) = open_with(&dir, options()).unwrap();
    let epoch = recovered.epoch;
    bench.submit(input("1", 0, InputKind::Open, vec![]));
    bench.settle();
    disk.fill();
    let second = submit_until_full(&bench);
    // Closing cannot write either: what was held is gone with the process.
    bench.close();
    disk.free();
    let (bench, recovered) = open_with(&dir, options()).unwrap();
    assert_ne!(recovered.epoch, epoch);
    assert_eq!(recovered.last_seq, second + 1);
    assert!(!recovered.boards[0].is_whole);
    bench.submit(input("1", second + 9, InputKind::Bytes, vec![lifted(second + 9)]));
    bench.settle();
    bench.wait_for("healed", |state| *state == JournalState::Ok);
    let said = bench.said();
    assert_eq!(said, [(second + 2, true), (second + 3, true)], "the gap, then the event");
    bench.close();
    let report = whole(&dir);
    assert_eq!(report.events, second - 1 + 2);
    let (bench, recovered) = open_with(&dir, options()).unwrap();
    assert!(!recovered.boards[0].is_whole, "the gap is remembered");
    bench.close();
}

/// R16: a file whose sync failed is not written again; its rows stand in the next.
#[test]
fn a_failed_file_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    // Somebody else holds the file for longer than a writer waits: a commit that fails.
    let other = Connection::open(dir.path().join("0001.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    bench.submit(input("1", 8, InputKind::Bytes, vec![lifted(8)]));
    bench.settle();
    assert_eq!(bench.said().last(), Some(&(13, true)));
    assert_eq!(bench.handle.state(), JournalState::Ok);
    other.execute_batch("ROLLBACK").unwrap();
    let before = fs::read(dir.path().join("0001.db-wal")).unwrap();
    bench.submit(input("1", 9, InputKind::Bytes, vec![lifted(9)]));
    bench.settle();
    bench.close();
    assert_eq!(fs::read(dir.path().join("0001.db-wal")).unwrap(), before);
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs, report.events), (2, 14, 14));
}

/// Hands in `inputs` of 64 KiB each without a pause, and gives the largest WAL that was seen.
fn written_without_a_pause(bench: &Bench, inputs: u64) -> i64 {
    let sizes = (1..=inputs).map(|second| {
        let data = vec![0x20; 64 << 10];
        bench.submit(Submission { data, ..input("1", second, InputKind::Bytes, vec![lifted(second)]) });
        bench.handle.figures().wal_bytes.get()
    });
    sizes.max().unwrap()
}

/// The WAL of a file that is written all the time is emptied in time.
#[test]
fn a_writer_without_a_pause_keeps_its_wal_small() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) =
        open_with(dir.path(), Options { wal_bytes: 8 << 20, ..Options::new(dir.path()) }).unwrap();
    let largest = written_without_a_pause(&bench, 1_000);
    bench.settle();
    bench.close();
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs), (1, 1_000));
    assert!((2 << 20..8 << 20).contains(&largest), "{largest} bytes");
}

/// Somebody who reads the file, and does not end, keeps its WAL: the journal goes on in another file.
#[test]
fn a_reader_that_never_ends_holds_up_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) =
        open_with(dir.path(), Options { wal_bytes: 8 << 20, ..Options::new(dir.path()) }).unwrap();
    fill(&bench);
    let reader = Connection::open(dir.path().join("0001.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM input").unwrap();
    let largest = written_without_a_pause(&bench, 300);
    bench.settle();
    drop(reader);
    bench.close();
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs), (2, 312));
    // One commit may pass the limit.
    assert!(largest < 10 << 20, "{largest} bytes");
}

/// A disk that answers nothing: boards wait for a place before they handle anything, and after a second the journal says
/// so. Nothing is lost, and how long it was stands in the journal.
#[test]
fn who_finds_no_place_waits_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { queue_inputs: 2, held_inputs: 2, ..Options::new(dir.path()) };
    let (bench, _) = open_with(dir.path(), options).unwrap();
    let said = Arc::clone(&bench.said);
    // While the sink waits for this lock the writer stands still.
    let lock = said.lock().unwrap();
    for second in [1, 2] {
        bench.submit(input("1", second, InputKind::Bytes, vec![lifted(second)]));
    }
    assert_eq!(bench.handle.state(), JournalState::Ok);
    let waiting = |patience| {
        let place = bench.handle.place(at(3));
        bench.runtime.block_on(async { tokio::time::timeout(patience, place).await })
    };
    assert!(waiting(Duration::from_millis(1_500)).is_err());
    assert!(matches!(bench.handle.state(), JournalState::Degraded { since, .. } if since == at(3)));
    drop(lock);
    let place = waiting(Duration::from_secs(10)).unwrap().unwrap();
    bench.handle.hand_in(place, input("1", 3, InputKind::Bytes, vec![lifted(3)])).unwrap();
    bench.settle();
    bench.wait_for("free again", |state| *state == JournalState::Ok);
    bench.submit(input("1", 4, InputKind::Bytes, vec![lifted(4)]));
    bench.settle();
    bench.close();
    whole(dir.path());
    let stored: Vec<StoredEvent> = Reader::open(dir.path(), 0).map(Result::unwrap).collect();
    let lifts = stored.iter().filter(|event| event.name == "piece-lifted").count();
    let gaps: Vec<Numbered> = stored
        .iter()
        .filter(|event| event.name == "journal-gap")
        .map(|event| event.numbered().unwrap())
        .collect();
    assert_eq!((lifts, gaps.len(), &gaps[0].json()["lost_inputs"]), (4, 1, &json!(0)));
    assert_eq!(gaps[0].json()["since"], json!(at(3).rfc3339()));
}

/// Boards at which nothing happens hold two places each, and however many they are, who has something to say finds one.
#[test]
fn a_board_that_is_silent_takes_no_place_from_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { queue_inputs: 2, ..Options::new(dir.path()) };
    let (bench, _) = open_with(dir.path(), options).unwrap();
    let place = |second| {
        let place = bench.handle.place(at(second));
        bench.runtime.block_on(async { tokio::time::timeout(Duration::from_millis(300), place).await })
    };
    let boards: Vec<_> = (0..20).map(|_| bench.handle.own_places()).collect();
    let silent: Vec<_> = (0..40).map(|second| place(second % 20).unwrap().unwrap()).collect();
    for second in 20..30 {
        let place = place(second).unwrap().unwrap();
        bench.handle.hand_in(place, input("1", second, InputKind::Bytes, vec![lifted(second)])).unwrap();
        bench.settle();
    }
    // They go, and their places with them.
    drop((silent, boards));
    let left: Vec<_> = (30..32).map(|second| place(second).unwrap().unwrap()).collect();
    assert!(place(32).is_err());
    drop(left);
    bench.close();
    assert_eq!(whole(dir.path()).events, 10);
}

/// Whoever tidies up the state folder while games are played takes nothing away.
#[test]
fn a_file_that_is_removed_while_it_is_written_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let journal = dir.path().join("journal");
    let (bench, _) = open(&journal);
    fill(&bench);
    let mode = fs::metadata(journal.join("0001.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // All of it, then the file alone, under the eyes of the writer, and once more right before the end.
    fs::remove_dir_all(&journal).unwrap();
    bench.submit(input("1", 8, InputKind::Bytes, vec![lifted(8)]));
    bench.settle();
    bench.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(60)).await });
    bench.submit(input("1", 9, InputKind::Bytes, vec![lifted(9)]));
    bench.settle();
    for name in ["0001.db", "0001.db-wal"] {
        let mode = fs::metadata(journal.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    bench.submit(input("1", 10, InputKind::Bytes, vec![lifted(10)]));
    bench.settle();
    fs::remove_file(journal.join("0001.db")).unwrap();
    bench.submit(input("1", 11, InputKind::Bytes, vec![lifted(11)]));
    bench.close();
    let report = whole(&journal);
    assert_eq!((report.files, report.inputs, report.events), (1, 16, 16));
}
