//! What was played and what was seen of it, and the comparison of the two.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// A ply as it was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Played {
    pub(super) board: usize,
    /// Counted from 0 on each board.
    pub(super) game: usize,
    pub(super) ply: usize,
    pub(super) uci: String,
    /// When the last byte of its press was written, nanoseconds since 1970.
    pub(super) pressed_ns: i64,
    /// By so much later than it should have been: the generator did not keep up.
    pub(super) late_us: u32,
}

/// An event that came to the viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Seen {
    Opened { board: usize },
    Made { board: usize, ply: usize, uci: String },
    Retracted { board: usize, ply: usize },
    Completed { board: usize, ply: usize, seq: u64, at_ns: i64, by_press: bool },
}

/// All that the viewer saw.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Watched {
    pub(super) seen: Vec<Seen>,
    /// Events of any kind.
    pub(super) events: u64,
    /// Events whose number is not the one after that of the event before.
    pub(super) out_of_order: u64,
    /// Snapshots after the first: the viewer was too far behind.
    pub(super) resyncs: u64,
    /// Links that were lost.
    pub(super) links_lost: u64,
    /// When each look into the journal was, nanoseconds since 1970, and the last event in it.
    pub(super) journal: Vec<(i64, u64)>,
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) plies: usize,
    /// Plies that are not the ones that were played, or missing.
    pub(super) wrong: usize,
    pub(super) retracted: usize,
    /// From the last byte to the event, nanoseconds: in the journal, and at the viewer.
    pub(super) to_journal_ns: Vec<i64>,
    pub(super) to_viewer_ns: Vec<i64>,
}

impl Tally {
    /// Holds what was seen against what was played.
    pub(super) fn new(played: &[Played], watched: &Watched) -> Self {
        let mut tally = Self { plies: played.len(), ..Self::default() };
        let mut games: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        let mut completed: BTreeMap<(usize, usize, usize), (u64, i64)> = BTreeMap::new();
        // The first game of a board is opened before anybody watches.
        let mut current: BTreeMap<usize, usize> = BTreeMap::new();
        for seen in &watched.seen {
            match seen {
                Seen::Opened { board } => *current.entry(*board).or_default() += 1,
                Seen::Made { board, ply, uci } => {
                    let line = games.entry((*board, game(&current, *board))).or_default();
                    // A ply out of its order stays missing, and is counted so.
                    if *ply == line.len() + 1 {
                        line.push(uci.clone());
                    }
                }
                Seen::Retracted { board, ply } => {
                    tally.retracted += 1;
                    games
                        .entry((*board, game(&current, *board)))
                        .or_default()
                        .truncate(ply.saturating_sub(1));
                }
                Seen::Completed { board, ply, seq, at_ns, by_press: true } => {
                    completed.insert((*board, game(&current, *board), *ply), (*seq, *at_ns));
                }
                Seen::Completed { .. } => {}
            }
        }
        let mut told: usize = games.values().map(Vec::len).sum();
        for ply in played {
            let line = games.get(&(ply.board, ply.game));
            if line.and_then(|line| line.get(ply.ply - 1)) == Some(&ply.uci) {
                told -= 1;
            } else {
                tally.wrong += 1;
            }
            if let Some((seq, at_ns)) = completed.get(&(ply.board, ply.game, ply.ply)) {
                tally.to_viewer_ns.push(at_ns - ply.pressed_ns);
                let look = watched.journal.partition_point(|(_, last)| last < seq);
                tally
                    .to_journal_ns
                    .extend(watched.journal.get(look).map(|(look_ns, _)| look_ns - ply.pressed_ns));
            }
        }
        // What nobody played is as wrong as what is missing.
        tally.wrong += told;
        tally.to_viewer_ns.sort_unstable();
        tally.to_journal_ns.sort_unstable();
        tally
    }
}

fn game(current: &BTreeMap<usize, usize>, board: usize) -> usize {
    current.get(&board).copied().unwrap_or(0)
}

/// The value below which so many thousandths of `sorted` lie.
pub(super) fn per_mille<T: Copy + Default>(sorted: &[T], per_mille: usize) -> T {
    let index = (sorted.len() * per_mille / 1_000).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

pub(super) fn write<T: Serialize>(path: &std::path::Path, value: &T) -> anyhow::Result<()> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    serde_json::to_writer(file, value).with_context(|| path.display().to_string())
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(path: &std::path::Path) -> anyhow::Result<T> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    serde_json::from_reader(std::io::BufReader::new(file)).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(game: usize, ply: usize, uci: &str) -> Played {
        Played { board: 1, game, ply, uci: uci.to_owned(), pressed_ns: 1_000, late_us: 0 }
    }

    fn made(ply: usize, uci: &str) -> Seen {
        Seen::Made { board: 1, ply, uci: uci.to_owned() }
    }

    #[test]
    fn whatever_is_missing_wrong_or_too_much_is_counted() {
        let truth = [played(0, 1, "e2e4"), played(0, 2, "e7e5"), played(1, 1, "d2d4")];
        let wrong = |seen: Vec<Seen>| Tally::new(&truth, &Watched { seen, ..Watched::default() }).wrong;
        let opened = Seen::Opened { board: 1 };
        let retracted = Seen::Retracted { board: 1, ply: 2 };
        let whole = vec![made(1, "e2e4"), made(2, "e7e5"), opened.clone(), made(1, "d2d4")];
        assert_eq!(wrong(whole), 0);
        let put_right = vec![
            made(1, "e2e4"),
            made(2, "c7c5"),
            retracted,
            made(2, "e7e5"),
            opened.clone(),
            made(1, "d2d4"),
        ];
        assert_eq!(wrong(put_right), 0);
        assert_eq!(wrong(vec![made(1, "e2e4"), made(2, "e7e5"), opened.clone()]), 1, "missing");
        assert_eq!(
            wrong(vec![made(2, "e7e5"), made(1, "e2e4"), opened.clone(), made(1, "d2d4")]),
            1,
            "reordered"
        );
        let more = vec![made(1, "e2e4"), made(2, "e7e5"), opened, made(1, "d2d4"), made(2, "d7d5")];
        assert_eq!(wrong(more), 1, "nobody played it");
    }

    #[test]
    fn a_ply_is_in_the_journal_with_the_first_look_that_finds_its_event() {
        let seen =
            vec![made(1, "e2e4"), Seen::Completed { board: 1, ply: 1, seq: 7, at_ns: 9_000, by_press: true }];
        let journal = vec![(2_000, 6), (4_000, 9), (6_000, 9)];
        let tally = Tally::new(&[played(0, 1, "e2e4")], &Watched { seen, journal, ..Watched::default() });
        assert_eq!((tally.to_journal_ns, tally.to_viewer_ns), (vec![3_000], vec![8_000]));
    }

    #[test]
    fn thousandths_are_counted_from_below() {
        let all: Vec<i64> = (0..1_000).collect();
        assert_eq!([0, 500, 990, 1_000].map(|mille| per_mille(&all, mille)), [0, 500, 990, 999]);
        assert_eq!(per_mille::<i64>(&[], 500), 0);
    }
}
