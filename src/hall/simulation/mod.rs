//! A whole hall on virtual time and a virtual disk: boards, clocks and hands; lines that are cut and lie; rulings; a disk
//! that is slow, full, or fails after it has written; a daemon that is stopped and killed, in the middle of a commit too.
//!
//! All parts are the daemon's own, on one thread, and everything follows from a seed. What must hold is in `checks`.
//! `ADOUBE_SEED=17 cargo test --lib simulation` plays one day, and keeps its journal; `.ci/full` plays a thousand.

mod checks;
mod life;
mod plan;
mod table;

use std::path::Path;
use std::sync::Mutex;

use life::{End, World};
use plan::Plan;
use table::Table;

/// So many seeds in the gate.
const SAMPLE: u64 = 16;

/// So many where nothing is sampled.
const FULL: u64 = 1_000;

/// A fast place for the files of a disk that is virtual anyway.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

/// Plays the day of a seed; gives what was wrong with it, and all that the journal holds.
fn play(seed: u64) -> (Vec<String>, Vec<String>) {
    let plan = Plan::of(seed);
    let folder = folder();
    let tables = plan.games.iter().map(|(game, config)| Table::new(game, *config)).collect();
    let mut world = World::new(&plan, folder.path(), tables);
    loop {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        // What is still running when the daemon is killed goes with the runtime.
        match runtime.unwrap().block_on(world.live()) {
            End::Away(away) => world.pass(away),
            End::Over => break,
        }
    }
    world.look_back();
    let mut journal = Vec::new();
    crate::journal::walk(folder.path(), |walked| journal.push(format!("{walked:?}")));
    let mut wrong = world.wrong;
    if !wrong.is_empty() {
        wrong.extend(plan.troubles.iter().map(|(at_ns, trouble)| format!("  at {at_ns} ns: {trouble:?}")));
        if seed_asked().is_some() {
            wrong.push(format!("  the journal is in {}", folder.keep().display()));
        }
    }
    (wrong, journal)
}

/// The one day that is to be played.
fn seed_asked() -> Option<u64> {
    std::env::var("ADOUBE_SEED").ok()?.parse().ok()
}

/// The days to be played: the one that is asked for, all, or a few.
fn seeds() -> std::ops::Range<u64> {
    match seed_asked() {
        Some(seed) => seed..seed + 1,
        None if std::env::var_os("ADOUBE_FULL").is_some() => 0..FULL,
        None => 0..SAMPLE,
    }
}

#[test]
fn whatever_happens_nothing_is_lost_unmarked_and_every_board_is_read_in_the_end() {
    let (coming, wrong) = (Mutex::new(seeds()), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some(seed) = coming.lock().unwrap().next() else { return };
            let (what, _) = play(seed);
            if !what.is_empty() {
                wrong.lock().unwrap().push(format!("seed {seed}:\n{}", what.join("\n")));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two days on which the daemon is killed; on the second a line lies.
#[test]
fn the_same_seed_gives_the_same_journal() {
    for seed in [5, 29] {
        let ((wrong, first), (wrong_again, again)) = (play(seed), play(seed));
        assert_eq!(wrong, wrong_again, "seed {seed}");
        let other = first.iter().zip(&again).find(|(one, other)| one != other);
        assert_eq!(other, None, "seed {seed}");
        assert_eq!(first.len(), again.len(), "seed {seed}");
    }
}
