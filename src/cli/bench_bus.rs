//! `adoube bench bus`: how long a move takes from the hand to its reading, by the number of boards on a line.

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;

use super::Answer;
use adoube_rules::pgn::read_games;
use adoube_rules::sensor::Reading;
use adoube_rules::square_from_name;
use adoube_rules::stamp::{MS, SECOND};
use adoube_sim::bus::{Chain, Conversation, Held, Sessions};
use adoube_sim::{BoardConfig, ClockSetting, Game, Noise, PlyTruth, VirtualBoard};

/// Time from a move on a board of a simulated bus line to its reading, by the number of boards
///
/// Time is virtual: what is measured is the line of 9600 baud, not this machine.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube bench bus\n  adoube bench bus --boards 30 --faults 0.001 --json")]
pub(super) struct BenchBus {
    /// Boards on the line, 1 to 100 (else 1, 5, 10, 20 and 30 in turn)
    #[arg(long, value_name = "N")]
    boards: Option<u16>,
    /// Chance that a byte suffers on the line, 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    faults: f64,
    /// Seconds that are played
    #[arg(long, value_name = "S", default_value_t = 600)]
    seconds: u16,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// The usual numbers of boards.
const COUNTS: [u16; 5] = [1, 5, 10, 20, 30];

/// More than DGT puts on a line.
const MOST: u16 = 100;

/// A move that is not read within this time is lost.
const LOST_NS: u64 = 60 * SECOND;

/// Before that all boards are looked at for the first time; nobody plays yet, or hardly.
const WARM_UP_NS: u64 = 30 * SECOND;

/// Address of the first board.
const FIRST: u16 = 1_001;

/// What was measured, nanoseconds, sorted.
struct Measured {
    moves_ns: Vec<u64>,
    presses_ns: Vec<u64>,
    rounds_ns: Vec<u64>,
    lost: usize,
}

impl BenchBus {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        if self.boards.is_some_and(|boards| !(1..=MOST).contains(&boards)) {
            bail!("--boards: between 1 and {MOST}");
        }
        if !(0.0..=1.0).contains(&self.faults) {
            bail!("--faults {}: a rate lies between 0 and 1", self.faults);
        }
        if !self.json {
            println!("boards  moves  p50 ms  p99 ms  press p50  p99 ms  round p50  p99 ms  lost");
        }
        for boards in self.boards.map_or_else(|| COUNTS.to_vec(), |boards| vec![boards]) {
            self.report(boards, &self.measure(boards)?);
        }
        Ok(Answer::Yes)
    }

    fn measure(&self, count: u16) -> anyhow::Result<Measured> {
        let games =
            read_games(include_bytes!("../demo/games.pgn").as_slice()).context("the games of the demo")?;
        let boards = (0..count).zip(games.iter().cycle()).map(|(index, game)| {
            let config = BoardConfig {
                noise: Noise::Light,
                seed: index.into(),
                serial: (FIRST + index).into(),
                clock: Some(ClockSetting::equal(180, 2)),
                ..BoardConfig::default()
            };
            (Game::from(game), config)
        });
        let chain = Chain::new(&boards.collect::<Vec<_>>(), self.faults, 1);
        let addresses: Vec<u16> = chain.addresses().collect();
        let (mut line, mut sessions) = (Conversation::new(chain, addresses.clone()), Sessions::default());
        line.open(&mut sessions);
        line.run(WARM_UP_NS, &mut sessions);
        let rounds_before = line.rounds_ns().len();
        line.run(WARM_UP_NS + u64::from(self.seconds) * SECOND, &mut sessions);
        let rounds_ns = line.rounds_ns()[rounds_before..].to_vec();
        let mut measured = Measured { moves_ns: Vec::new(), presses_ns: Vec::new(), rounds_ns, lost: 0 };
        for (board, address) in line.chain.boards().zip(addresses) {
            let held = sessions.of(address).with_context(|| format!("board {address} was not found"))?;
            measured.board(board, held, line.now_ns());
        }
        measured.moves_ns.sort_unstable();
        measured.presses_ns.sort_unstable();
        measured.rounds_ns.sort_unstable();
        Ok(measured)
    }

    fn report(&self, boards: u16, measured: &Measured) {
        let Measured { moves_ns, presses_ns, rounds_ns, lost } = measured;
        let [moves, presses, rounds] =
            [moves_ns, presses_ns, rounds_ns].map(|all| [percentile_ms(all, 50), percentile_ms(all, 99)]);
        if self.json {
            let object = json!({
                "boards": boards, "moves": moves_ns.len(), "move_p50_ms": moves[0], "move_p99_ms": moves[1],
                "press_p50_ms": presses[0], "press_p99_ms": presses[1],
                "round_p50_ms": rounds[0], "round_p99_ms": rounds[1], "lost": lost,
            });
            println!("{object}");
        } else {
            println!(
                "{boards:6}  {:5}  {:6}  {:6}  {:9}  {:6}  {:9}  {:6}  {lost:4}",
                moves_ns.len(),
                moves[0],
                moves[1],
                presses[0],
                presses[1],
                rounds[0],
                rounds[1]
            );
        }
    }
}

impl Measured {
    /// Adds the moves of a board: from the man's coming to rest to the reading of his square, and from the press to the
    /// reading of the clock.
    fn board(&mut self, board: &VirtualBoard, held: &Held, now_ns: u64) {
        let Some(origin_ns) = board.origin_ns() else { return };
        // Castlings and captures come to rest with another square than that of the move.
        let is_plain = |ply: &&PlyTruth| ply.tags.iter().all(|tag| *tag == "plain");
        for ply in board.truth().iter().filter(is_plain) {
            let placed_ns = origin_ns + ply.placed_ns;
            if placed_ns < WARM_UP_NS || placed_ns + LOST_NS > now_ns {
                continue;
            }
            let to = ply.uci.get(2..4).and_then(square_from_name);
            let is_man = |reading: &Reading| matches!(reading, Reading::Square { square, content } if Some(*square) == to && !content.is_empty());
            match first(held, placed_ns, is_man) {
                Some(at_ns) => self.moves_ns.push(at_ns - placed_ns),
                None => self.lost += 1,
            }
            let Some(pressed_ns) = ply.pressed_ns.map(|pressed_ns| origin_ns + pressed_ns) else { continue };
            let lever = |reading: &Reading| match reading {
                Reading::Clock(Some(clock)) => clock.lever,
                _ => None,
            };
            let before = held.readings.iter().rev().filter(|(at_ns, _)| *at_ns < pressed_ns);
            let before = before.map(|(_, reading)| lever(reading)).find(Option::is_some).flatten();
            let is_press = |reading: &Reading| lever(reading).is_some_and(|now| Some(now) != before);
            self.presses_ns.extend(first(held, pressed_ns, is_press).map(|at_ns| at_ns - pressed_ns));
        }
    }
}

/// When something was read for the first time from `from_ns` on.
fn first(held: &Held, from_ns: u64, is_it: impl Fn(&Reading) -> bool) -> Option<u64> {
    let after = held.readings.iter().filter(|(at_ns, _)| (from_ns..from_ns + LOST_NS).contains(at_ns));
    after
        .map(|(at_ns, reading)| (*at_ns, reading))
        .find(|(_, reading)| is_it(reading))
        .map(|(at_ns, _)| at_ns)
}

/// Whole milliseconds.
fn percentile_ms(sorted_ns: &[u64], percent: usize) -> u64 {
    let index = (sorted_ns.len() * percent / 100).min(sorted_ns.len().saturating_sub(1));
    sorted_ns.get(index).map_or(0, |ns| ns / MS)
}
