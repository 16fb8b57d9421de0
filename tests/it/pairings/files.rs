//! Real files, with a reader of PGN beside ours that knows nothing of pairings.

use std::collections::BTreeMap;
use std::path::Path;

use adoube_core::pairings::{Pairing, read};
use adoube_rules::pgn::read_games;

use crate::data;

/// The PGN files of a folder of the test data.
fn files(folder: &str) -> Vec<std::path::PathBuf> {
    let Some(folder) = data::path(folder) else { return Vec::new() };
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "pgn")).collect();
    paths.sort();
    paths
}

fn names(pairing: &Pairing) -> [Option<&str>; 2] {
    [pairing.white.name.as_deref(), pairing.black.name.as_deref()]
}

/// How many pairings a file has, after a look at each; nothing if it is refused, in a line that it has.
fn looked_at(path: &Path) -> Option<usize> {
    let bytes = std::fs::read(path).unwrap();
    let shown = path.display();
    let pairings = match read("file", &bytes) {
        Ok(pairings) => pairings,
        Err(error) => {
            let lines = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").split(['\n', '\r']).count();
            assert!(error.line >= 1 && error.line as usize <= lines, "{shown}: {error}");
            return None;
        }
    };
    let Ok(text) = std::str::from_utf8(&bytes) else { return Some(pairings.len()) };
    let games = read_games(text.as_bytes()).unwrap();
    // The other reader takes headers without moves between them for one.
    if games.len() != text.lines().filter(|line| line.starts_with("[White \"")).count() {
        return Some(pairings.len());
    }
    // The same games by it, each as often as it is there.
    let mut expected: BTreeMap<[Option<String>; 2], usize> = BTreeMap::new();
    for game in games {
        let name =
            |tag: &str| game.tag(tag).map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        *expected.entry([name("White"), name("Black")]).or_default() += 1;
    }
    for pairing in pairings.iter().filter(|pairing| !pairing.is_bye()) {
        let key = names(pairing).map(|name| name.map(str::to_owned));
        let count = expected.get_mut(&key).unwrap_or_else(|| panic!("{shown}: {key:?} is no game"));
        *count = count.checked_sub(1).unwrap_or_else(|| panic!("{shown}: {key:?} more often than games"));
    }
    assert!(expected.values().all(|left| *left == 0), "{shown}: {expected:?}");
    Some(pairings.len())
}

#[test]
fn files_of_games_are_pairings_or_refused_in_a_line_of_theirs() {
    let all: Vec<_> = ["tiebreak", "games", "pgn"].into_iter().flat_map(files).collect();
    if all.is_empty() {
        return;
    }
    let read: usize = all.iter().filter_map(|path| looked_at(path)).sum();
    assert!(read >= 45 + 9, "only {read} pairings in {} files", all.len());
}

#[test]
fn a_round_robin_of_nine_rounds_is_read() {
    let Some(text) = data::text("tiebreak/uzchesscup.pgn") else { return };
    let pairings = read("uzchesscup.pgn", text.as_bytes()).unwrap();
    assert_eq!(pairings.rounds.len(), 9);
    let mut opponents: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (round, pairings) in &pairings.rounds {
        let numbers: Vec<u32> = pairings.iter().map(|pairing| pairing.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5], "round {round}");
        for Pairing { white, black, result, .. } in pairings {
            assert!(result.is_some() && white.title.is_some() && black.elo.is_some_and(|elo| elo > 2_600));
            let (white, black) = (white.fide_id.unwrap(), black.fide_id.unwrap());
            opponents.entry(white).or_default().push(black);
            opponents.entry(black).or_default().push(white);
        }
    }
    // Each of ten plays each.
    assert_eq!(opponents.len(), 10);
    for (player, mut opponents) in opponents {
        opponents.sort_unstable();
        opponents.dedup();
        assert_eq!(opponents.len(), 9, "{player}");
    }
    assert!(pairings.remarks.is_empty(), "{:?}", pairings.remarks);
}

/// Its hall had two rooms, each with boards from 1: where two games would have one name, nobody guesses.
#[test]
fn two_rooms_that_number_their_boards_alike_are_refused() {
    let Some(text) = data::text("tiebreak/FWWRC.pgn") else { return };
    let error = read("FWWRC.pgn", text.as_bytes()).unwrap_err();
    let lines: Vec<&str> = text.lines().collect();
    let first: usize = error.what.split("line ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap();
    let round = |line: usize| lines[line - 1..].iter().find(|line| line.starts_with("[Round")).unwrap();
    assert!(error.what.starts_with("board 1 of round 1 is here and in line "), "{error}");
    assert_eq!((round(first), round(error.line as usize)), (&"[Round \"1.1\"]", &"[Round \"1.1\"]"));
    assert!(first < error.line as usize);
}
