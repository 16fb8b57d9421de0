//! What happens in a simulated hall, all of it out of one seed: who plays what, and what goes wrong when.

use std::time::Duration;

use fastrand::Rng;
use serde_json::json;

use crate::journal::simulated::{Death, Mood};
use adoube_core::ruling::Ruled;
use adoube_core::station::PublishAt;
use adoube_rules::Chess;
use adoube_rules::stamp::{MS, SECOND};
use adoube_sim::{BoardConfig, ClockSetting, Game, Noise, random_play};

/// What goes wrong, or is done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trouble {
    /// Each batch takes the disk so long from now on.
    Slow(Duration),
    /// The disk is so from now on.
    Disk(Mood),
    /// The daemon is killed, at a commit if that is said, and is not there for so long.
    Killed(Option<Death>, Duration),
    /// The daemon is stopped as it should be, and is not there for so long.
    Stopped(Duration),
    /// A board has no line from now on.
    Cut(usize),
    /// It has one again.
    Mended(usize),
    /// A board says something that no board says.
    Garbage(usize, Garbage),
    /// An arbiter rules.
    Ruled(usize, Ruled),
}

/// Bytes that no board says.
#[derive(Clone, PartialEq)]
pub(super) struct Garbage(pub(super) Vec<u8>);

impl std::fmt::Debug for Garbage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// A hall and its day.
#[derive(Debug)]
pub(super) struct Plan {
    /// What is played at each board.
    pub(super) games: Vec<(Game<Chess>, BoardConfig)>,
    /// What happens, in order, nanoseconds after the doors were opened.
    pub(super) troubles: Vec<(u64, Trouble)>,
    /// So small are the journal's files, its queue, and what it holds of a board.
    pub(super) file_bytes: u64,
    pub(super) queue_inputs: usize,
    pub(super) held_inputs: usize,
    /// Spectators see it so much later, seconds.
    pub(super) delay_s: u32,
    /// Which moves they see.
    pub(super) publish_at: PublishAt,
}

/// The daemon is never away for longer.
pub(super) const AWAY_MAX: Duration = Duration::from_secs(20);

/// When hands are over that play `plies`: they take some three seconds for each.
const PLY_NS: u64 = 3 * SECOND;

impl Plan {
    pub(super) fn of(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let boards = rng.usize(1..=5);
        let plies = rng.usize(8..=40);
        let games = (0..boards).map(|board| Self::game(&mut rng, seed, board, plies)).collect();
        let end_ns = plies as u64 * PLY_NS;
        let mut troubles = Vec::new();
        for _ in 0..rng.usize(1..=8) {
            let at_ns = rng.u64(0..end_ns);
            troubles.extend(Self::trouble(&mut rng, boards, at_ns));
        }
        troubles.sort_by_key(|(at_ns, _)| *at_ns);
        let file_bytes = *rng.choice(&[128 << 10, 1 << 20, 1 << 30]).expect("there are three");
        let queue_inputs = *rng.choice(&[1, 8, 4_096]).expect("there are three");
        let held_inputs = *rng.choice(&[30, 10_000, 10_000]).expect("there are three");
        let delay_s = *rng.choice(&[0, 0, 5, 60]).expect("there are four");
        let publish_at = if rng.u8(0..4) == 0 { PublishAt::Completed } else { PublishAt::Made };
        Self { games, troubles, file_bytes, queue_inputs, held_inputs, delay_s, publish_at }
    }

    fn game(rng: &mut Rng, seed: u64, board: usize, plies: usize) -> (Game<Chess>, BoardConfig) {
        let seed = seed.wrapping_mul(1_000).wrapping_add(board as u64);
        let noise = *rng.choice(&[Noise::Clean, Noise::Light, Noise::Light]).expect("there are three");
        let is_dgt = rng.u8(0..3) > 0;
        let protocol = if is_dgt { "dgt" } else { "certabo" };
        let clock = (is_dgt && rng.bool()).then(|| ClockSetting::equal(600, 5));
        // Whole pictures in text are never read if one byte in a hundred is wrong.
        let fault_rate = if is_dgt && rng.u8(0..4) == 0 { 0.002 } else { 0.0 };
        let config = BoardConfig { protocol, noise, seed, clock, fault_rate, ..BoardConfig::default() };
        (random_play(seed, plies), config)
    }

    /// Something that begins then, and its end.
    fn trouble(rng: &mut Rng, boards: usize, at_ns: u64) -> Vec<(u64, Trouble)> {
        let board = rng.usize(0..boards);
        let away = AWAY_MAX * rng.u32(0..1_000) / 1_000;
        let end_ns = at_ns + rng.u64(10 * MS..40 * SECOND);
        match rng.u8(0..12) {
            0 | 1 => {
                let delay_ms = *rng.choice(&[1, 30, 400, 3_000, 15_000, 60_000]).expect("there are six");
                let slow = |delay_ms| Trouble::Slow(Duration::from_millis(delay_ms));
                vec![(at_ns, slow(delay_ms)), (end_ns, slow(0))]
            }
            2 => vec![(at_ns, Trouble::Disk(Mood::Full)), (end_ns, Trouble::Disk(Mood::Well))],
            3 => vec![(at_ns, Trouble::Disk(Mood::Liar)), (end_ns, Trouble::Disk(Mood::Well))],
            4 | 5 => vec![(at_ns, Trouble::Killed(None, away))],
            6 | 7 => {
                let commit = rng.u32(1..=20);
                let death = if rng.bool() { Death::Before(commit) } else { Death::After(commit) };
                vec![(at_ns, Trouble::Killed(Some(death), away))]
            }
            8 => vec![(at_ns, Trouble::Stopped(away))],
            9 => vec![(at_ns, Trouble::Cut(board)), (end_ns, Trouble::Mended(board))],
            10 => {
                let bytes = (0..rng.usize(1..3_000)).map(|_| rng.u8(..)).collect();
                vec![(at_ns, Trouble::Garbage(board, Garbage(bytes)))]
            }
            _ => {
                let side = if rng.bool() { "white" } else { "black" };
                let ruling = match rng.u8(0..4) {
                    0 => json!({"name": "note", "text": "a spectator spoke"}),
                    1 => json!({"name": "draw-offer", "side": side}),
                    2 => json!({"name": "adjusting", "side": side}),
                    _ => json!({"name": "result", "value": "1/2-1/2"}),
                };
                let ruled = Ruled::parse(&ruling).expect("rulings of the list");
                vec![(at_ns, Trouble::Ruled(board, ruled))]
            }
        }
    }

    /// Does anything end the game of that board before its last move?
    pub(super) fn is_ended_early(&self, board: usize) -> bool {
        self.troubles.iter().any(|(_, trouble)| {
            matches!(trouble, Trouble::Ruled(at, Ruled { ruling, .. })
                if *at == board && ruling.name() == "result")
        })
    }
}
