//! What retention takes away, and what it must not.

use super::*;
use adoube_core::event::{GameInfo, GameName};
use adoube_rules::GameResult;

const DAY: u64 = 24 * 3_600;

fn name(round: Option<u32>, number: u32) -> GameName {
    GameName::Given(
        round.map_or_else(|| format!("free-20260501-{number}"), |round| format!("{round}-{number}")).into(),
    )
}

fn of_game(name: &GameName, second: u64, body: Body) -> Event {
    Event { game: Some(name.clone()), ..event(second, body) }
}

/// A game that is opened on `day` at `board`.
fn opens(bench: &Bench, board: &str, day: u64, round: Option<u32>, number: u32) {
    let name = name(round, number);
    let Body::GameOpened(info) = opened(0).body else { panic!("a game is opened") };
    let info = Box::new(GameInfo { name: name.clone(), round, number, ..*info });
    let second = day * DAY;
    bench.submit(input(board, second, InputKind::Open, vec![]));
    bench.submit(input(
        board,
        second + 1,
        InputKind::Bytes,
        vec![of_game(&name, second + 1, Body::GameOpened(info))],
    ));
    bench.settle();
}

fn closes(bench: &Bench, board: &str, day: u64, round: Option<u32>, number: u32) {
    let second = day * DAY + 2;
    let body = Body::GameClosed { result: Some(GameResult::Draw) };
    bench.submit(input(board, second, InputKind::Bytes, vec![of_game(&name(round, number), second, body)]));
    bench.settle();
}

fn plays(bench: &Bench, board: &str, day: u64, round: Option<u32>, number: u32) {
    opens(bench, board, day, round, number);
    closes(bench, board, day, round, number);
}

fn numbers(dir: &Path) -> Vec<u32> {
    files::list(dir).unwrap().iter().map(|file| file.number).collect()
}

fn noon_of(day: u64) -> Stamp {
    at(day * DAY)
}

/// Ten days with a game each.
fn ten_days(bench: &Bench) {
    (0..10).for_each(|day| plays(bench, "1", day, None, day as u32 + 1));
}

#[test]
fn what_is_older_goes_and_verify_says_what_went() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    ten_days(&bench);
    assert_eq!(prune(dir.path(), Retention::Keep, noon_of(100)).unwrap(), Pruned::default());
    // All that the first six files hold is three days old; that of the seventh is a second younger.
    let pruned = prune(dir.path(), Retention::Days(3), noon_of(9)).unwrap();
    assert_eq!((pruned.files.len(), pruned.needed), (6, None));
    assert_eq!(numbers(dir.path()), [7, 8, 9, 10]);
    // Nothing is left to do, and the journal goes on.
    assert_eq!(prune(dir.path(), Retention::Days(3), noon_of(9)).unwrap(), Pruned::default());
    plays(&bench, "1", 10, None, 11);
    bench.close();
    let report = whole(dir.path());
    assert_eq!((report.files, report.inputs, report.events), (5, 15, 10));
    let said =
        "inputs 1 to 18 and events 1 to 12, from before 2026-05-07, were removed on 2026-05-10T12:00:00.000Z";
    assert!(report.remarks[0].contains(said), "{report:?}");
    let (bench, recovered) = open(dir.path());
    assert_eq!((recovered.last_seq, recovered.boards.len()), (22, 1));
    bench.close();
    // What else is missing was not removed by us.
    fs::remove_file(dir.path().join("0007.db")).unwrap();
    assert!(verify(dir.path()).remarks[0].contains("earlier files are not here"));
}

#[test]
fn the_oldest_go_until_the_rest_fits_and_the_last_day_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    ten_days(&bench);
    bench.close();
    let bytes = files::bytes(dir.path());
    let pruned = prune(dir.path(), Retention::Bytes(bytes * 3 / 4), noon_of(9)).unwrap();
    assert!(files::bytes(dir.path()) <= bytes * 3 / 4 + 4_096, "{pruned:?}");
    assert_eq!((pruned.files.len(), numbers(dir.path()).len()), (3, 7));
    // However little is allowed: what is of the last day.
    prune(dir.path(), Retention::Bytes(1), noon_of(9)).unwrap();
    assert_eq!(numbers(dir.path()), [9, 10]);
    whole(dir.path());
}

#[test]
fn what_a_running_game_or_its_round_needs_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    plays(&bench, "1", 0, Some(1), 1);
    plays(&bench, "1", 2, Some(2), 1);
    // An adjourned game of the second round, and a free one on another board.
    opens(&bench, "2", 3, Some(2), 2);
    for day in 4..20 {
        plays(&bench, "1", day, Some(day as u32), 1);
    }
    let prune = || prune(dir.path(), Retention::Days(2), noon_of(20)).unwrap();
    let pruned = prune();
    assert_eq!((pruned.files.len(), numbers(dir.path())[0]), (1, 2));
    assert_eq!(pruned.needed, Some((dir.path().join("0002.db"), "2-1".into())));
    closes(&bench, "2", 20, Some(2), 2);
    assert_eq!((prune().needed, numbers(dir.path())[0]), (None, 18));
    bench.close();
    whole(dir.path());
}

/// An `open` may be older than the game: the board goes on from there.
#[test]
fn a_board_with_a_running_game_finds_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    bench.submit(input("1", 0, InputKind::Open, vec![]));
    bench.settle();
    plays(&bench, "2", 3, None, 1);
    let body = opened(5 * DAY).body;
    bench.submit(input("1", 5 * DAY, InputKind::Bytes, vec![of_game(&name(Some(1), 1), 5 * DAY, body)]));
    bench.settle();
    (6..10).for_each(|day| plays(&bench, "2", day, None, day as u32));
    assert_eq!(prune(dir.path(), Retention::Days(1), noon_of(9)).unwrap().files, Vec::<PathBuf>::new());
    bench.close();
    let (bench, recovered) = open(dir.path());
    assert!(recovered.boards.iter().any(|board| &*board.board == "1"));
    bench.close();
}

#[test]
fn a_journal_that_cannot_be_read_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    ten_days(&bench);
    bench.close();
    fs::write(dir.path().join("0004.db"), "what is this").unwrap();
    let error = prune(dir.path(), Retention::Days(1), noon_of(20)).unwrap_err().to_string();
    assert!(error.contains("0004.db"), "{error}");
    assert_eq!(numbers(dir.path()).len(), 10);
}

/// A file that opens, but does not tell its games, may be one that a running game needs.
#[test]
fn games_that_cannot_be_read_keep_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = open(dir.path());
    ten_days(&bench);
    bench.close();
    tamper(dir.path(), 4, "DROP TABLE event");
    let error = prune(dir.path(), Retention::Days(1), noon_of(20)).unwrap_err().to_string();
    assert!(error.contains("cannot be read whole"), "{error}");
    assert_eq!(numbers(dir.path()).len(), 10);
}

#[test]
fn retention_is_read_as_it_is_written() {
    for text in ["keep", "1 day", "30 days", "10 GiB", "512 MiB"] {
        assert_eq!(text.parse::<Retention>().unwrap().to_string(), text);
    }
    for text in ["", "30", "30d", "0 days", "-1 days", "1.5 GiB", "10 GB", "5000000000 days", "Keep"] {
        let error = text.parse::<Retention>().unwrap_err().to_string();
        assert!(error.contains("\"30 days\""), "{error}");
    }
}
