//! Changed, cut, turned over.

use proptest::prelude::*;

use super::*;

#[test]
fn the_chain_shows_what_was_changed_cut_out_or_exchanged() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    bench.submit(input("1", 13 * 3_600, InputKind::Bytes, vec![lifted(13 * 3_600)]));
    bench.settle();
    bench.close();
    whole(dir.path());
    let found = [
        "UPDATE input SET data = x'00' WHERE id = 5",
        "UPDATE input SET utc_ns = utc_ns + 1 WHERE id = 5",
        "UPDATE input SET board = '2' WHERE id = 5",
        "UPDATE event SET json = replace(json, '\"e2\"', '\"e3\"') WHERE seq = 3",
        "UPDATE event SET game = '1-2' WHERE seq = 3",
        "UPDATE event SET public_id = NULL WHERE seq = 4",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM input WHERE id = 5",
        "DELETE FROM input WHERE id = 12; DELETE FROM event WHERE input = 12",
        "UPDATE input SET id = 99 WHERE id = 4; UPDATE input SET id = 4 WHERE id = 5; UPDATE input SET id = 5 WHERE id = 99",
        "UPDATE event SET input = 3 WHERE seq = 3",
        "UPDATE meta SET value = '9' WHERE key = 'core'",
        "DELETE FROM input; DELETE FROM event",
    ]
    .map(|sql| {
        let changed = copy(dir.path());
        tamper(changed.path(), 1, sql);
        let problem = verify(changed.path()).problem.unwrap_or_else(|| panic!("not found: {sql}"));
        format!("{}: {}: {}", problem.file.file_name().unwrap().display(), problem.place, problem.what)
    });
    let broken = "the chain is broken: the row, its events or a row before it were changed";
    let found = found.map(|problem| problem.replace(broken, "broken"));
    insta::assert_snapshot!(found.join("\n"), @r"
    0001.db: input 5: broken
    0001.db: input 5: broken
    0001.db: input 5: broken
    0001.db: input 4: broken
    0001.db: input 4: broken
    0001.db: input 4: broken
    0001.db: input 4: broken
    0001.db: input 5: missing
    0001.db: input 12: missing, as all until the next file
    0001.db: input 4: broken
    0001.db: input 3: broken
    0001.db: input 1: broken
    0001.db: input 1: missing, as all until the next file
    ");
    let changed = copy(dir.path());
    fs::remove_file(changed.path().join("0001.db")).unwrap();
    let report = whole(changed.path());
    assert!(report.remarks[0].contains("earlier files are not here"), "{report:?}");
}

/// R11: whatever part of the WAL is there, whole commits survive, and a start goes on after them.
#[test]
fn a_wal_cut_anywhere_keeps_whole_commits() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    for second in 0..12 {
        bench.submit(input("1", second, InputKind::Open, vec![lifted(second), clock_read(second)]));
        bench.settle();
    }
    let killed = copy(dir.path());
    bench.close();
    let wal = fs::read(killed.path().join("0001.db-wal")).unwrap();
    assert!(wal.len() > 12 * 4_120, "the WAL must hold every commit");
    let frames = (0..).map(|frame| 32 + frame * 4_120).take_while(|&cut| cut <= wal.len());
    let mut random = fastrand::Rng::with_seed(11);
    let cuts: Vec<usize> = frames.chain((0..200).map(|_| random.usize(..wal.len()))).collect();
    let mut survived = std::collections::BTreeSet::new();
    for cut in cuts {
        let cut_off = copy(killed.path());
        fs::write(cut_off.path().join("0001.db-wal"), &wal[..cut]).unwrap();
        let report = whole(cut_off.path());
        assert_eq!(report.events, 2 * report.inputs, "cut at {cut}");
        let (bench, recovered) = open(cut_off.path());
        assert_eq!(recovered.last_seq, report.events, "cut at {cut}");
        bench.submit(input("1", 20, InputKind::Bytes, vec![lifted(20)]));
        bench.settle();
        assert_eq!(bench.said(), [(report.events + 1, true)]);
        bench.close();
        assert_eq!(whole(cut_off.path()).events, report.events + 1);
        survived.insert(report.inputs);
    }
    assert_eq!(survived, (0..=12).collect());
}

/// Everything that a reader gets out of a journal; `None` if something is reported as damaged.
fn contents(dir: &Path) -> Option<(Vec<StoredEvent>, Option<String>)> {
    let report = verify(dir);
    let events: Result<Vec<StoredEvent>, JournalError> = Reader::open(dir, 0).collect();
    if report.problem.is_some() { None } else { Some((events.ok()?, report.link)) }
}

/// R12: a bit that turned over is found, or it lies where nothing is stored.
#[test]
fn a_turned_bit_is_found_or_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    bench.close();
    let bytes = fs::read(dir.path().join("0001.db")).unwrap();
    let good = contents(dir.path());
    assert!(good.is_some());
    let mut random = fastrand::Rng::with_seed(12);
    let (mut found, mut harmless) = (0, 0);
    let turned = copy(dir.path());
    for _ in 0..1_500 {
        let mut bytes = bytes.clone();
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.u32(..8);
        fs::write(turned.path().join("0001.db"), &bytes).unwrap();
        match contents(turned.path()) {
            None => found += 1,
            now => {
                assert_eq!(now, good, "byte {at}");
                harmless += 1;
            }
        }
    }
    assert!(found > 100, "found {found}, harmless {harmless}");
}

/// R12: the same in the WAL. SQLite stops before; what is left is a whole beginning.
#[test]
fn a_turned_bit_in_the_wal_ends_the_journal_there() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    fill(&bench);
    let killed = copy(dir.path());
    bench.close();
    let wal = fs::read(killed.path().join("0001.db-wal")).unwrap();
    let mut random = fastrand::Rng::with_seed(13);
    for _ in 0..100 {
        let mut wal = wal.clone();
        let at = random.usize(..wal.len());
        wal[at] ^= 1 << random.u32(..8);
        let turned = copy(killed.path());
        fs::write(turned.path().join("0001.db-wal"), &wal).unwrap();
        let report = whole(turned.path());
        let (bench, recovered) = open(turned.path());
        assert_eq!(recovered.last_seq, report.events, "byte {at}");
        bench.close();
    }
}

#[test]
fn a_file_that_is_no_database_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, recovered) = open(dir.path());
    let epoch = recovered.epoch;
    fill(&bench);
    bench.close();
    fs::write(dir.path().join("0002.db"), vec![0x55; 9_000]).unwrap();
    let (bench, recovered) = open(dir.path());
    assert_eq!(recovered.remarks.len(), 1, "{:?}", recovered.remarks);
    assert_ne!(recovered.epoch, epoch);
    assert!(recovered.boards.iter().all(|board| !board.is_whole && board.inputs.len() == 6));
    // Numbers that the lost file may have used are not used again.
    assert_eq!(recovered.last_seq, 12 + 9_000);
    bench.submit(input("1", 9, InputKind::Bytes, vec![lifted(9)]));
    bench.settle();
    assert_eq!(bench.said(), [(9_013, true)]);
    bench.close();
    assert_eq!(fs::read(dir.path().join("0002.db")).unwrap(), vec![0x55; 9_000]);
    assert!(dir.path().join("0003.db").exists());
    let problem = verify(dir.path()).problem.unwrap();
    assert!(problem.file.ends_with("0002.db"), "{problem}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_as_a_file_are_a_problem_and_no_panic(bytes in prop::collection::vec(any::<u8>(), 1..4_096)) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("0001.db"), bytes).unwrap();
        prop_assert!(verify(dir.path()).problem.is_some());
        open(dir.path()).0.close();
    }
}

#[test]
fn a_file_of_one_byte_is_no_journal() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("0001.db"), [0]).unwrap();
    assert!(verify(dir.path()).problem.is_some());
}
