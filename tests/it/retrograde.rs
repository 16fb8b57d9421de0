//! Who can still mate, against every position with three men and a sample of those with four, solved backwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use adoube::rules::mate::{CanMate, can_mate, cannot_mate};
use adoube::rules::retrograde::{Men, Solution};
use adoube::sensor::Side;
use shakmaty::{Chess, Position as _};

/// `mate_search_nodes` of the Laws.
const NODES: u32 = 200_000;

/// Asks for White and, with colours exchanged, for Black; fails on a wrong answer and on none.
fn agrees(chess: &Chess, can: bool, winner: Side) {
    if cannot_mate(chess, winner).is_some() {
        assert!(!can, "{chess:?} {winner:?}");
    }
    match can_mate(chess, winner, NODES) {
        CanMate::Yes(line) => {
            assert!(can, "{chess:?} {winner:?}: {line:?}");
            let mut after = chess.clone();
            for mv in line {
                after = after.play(mv).unwrap();
            }
            assert!(after.is_checkmate() && after.turn().is_white() == (winner == Side::Black));
        }
        CanMate::No(proof) => assert!(!can, "{chess:?} {winner:?}: {proof:?}"),
        CanMate::Unknown(effort) => panic!("{chess:?} {winner:?}: {effort:?}"),
    }
}

/// Does the parts of a work, as many at a time as there are cores.
fn on_all_cores(parts: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(part) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < parts)
                {
                    work(part);
                }
            });
        }
    });
}

/// Rights to castle included.
#[test]
fn every_position_with_three_men_is_answered_rightly() {
    let solution = Solution::with_men(3);
    let parts: Vec<(Men, usize)> = Men::groups(3)
        .concat()
        .into_iter()
        .flat_map(|men| (0..solution.parts(men)).map(move |part| (men, part)))
        .collect();
    let asked = AtomicUsize::new(0);
    on_all_cores(parts.len(), |index| {
        let (men, part) = parts[index];
        for (chess, can) in solution.positions(men, part) {
            agrees(&chess, can, Side::White);
            asked.fetch_add(1, Ordering::Relaxed);
        }
    });
    println!("{asked:?} positions");
}
