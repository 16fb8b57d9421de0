//! How many changes and frames one core takes in a second, from reading to event.

use indicatif::ProgressBar;

use super::stream::Stream;
use crate::hall::Clock;
use adoube_core::capture::Item;
use adoube_core::infer::Parameters;
use adoube_core::table::{Setting, Table};
use adoube_rules::sensor::Reading;
use adoube_rules::square::Square;
use adoube_rules::stamp::{SECOND, Stamp};
use adoube_rules::{GameKind, Variant};

/// Rounds of which the median counts: one core of a shared machine is rarely left alone.
pub(super) const ROUNDS: usize = 5;

/// A round has at least so many changes, so that it lasts long enough to be measured.
pub(super) const CHANGES_MIN: usize = 150_000;

/// After the last change every timer of a table has fired.
const AFTER_NS: u64 = 60 * SECOND;

/// What one core does with the streams of one kind of board.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speed {
    /// The board sends the squares that change.
    pub(super) changes: Rate,
    /// The board sends whole frames.
    pub(super) frames: Rate,
}

/// A round that was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    /// Changes or frames.
    pub(super) count: usize,
    /// What a clock on the wall showed.
    pub(super) seconds: f64,
    /// What this thread had of its core meanwhile, where the system tells it.
    pub(super) cpu_seconds: Option<f64>,
}

impl Rate {
    /// Other programs on a busy machine take nothing from this figure.
    pub(super) fn per_second(self) -> u64 {
        (self.count as f64 / self.cpu_seconds.unwrap_or(self.seconds)) as u64
    }
}

/// Readings of one board, decoded already: the whole board first.
struct Readings<'a, V: Variant> {
    stream: &'a Stream<V>,
    readings: Vec<(u64, Reading)>,
}

/// Measures `streams`, which have no clocks, over at least so many changes a round; `bar` is moved on by
/// each round.
pub(super) fn measure<V: Variant>(streams: &[Stream<V>], changes_min: usize, bar: &ProgressBar) -> Speed {
    let changes: Vec<Readings<'_, V>> = streams.iter().map(Readings::changes).collect();
    let frames: Vec<Readings<'_, V>> = streams.iter().map(Readings::frames).collect();
    let once: usize = changes.iter().map(Readings::count).sum();
    let times = changes_min.div_ceil(once.max(1));
    Speed { changes: rate(&changes, times, bar), frames: rate(&frames, times, bar) }
}

fn rate<V: Variant>(boards: &[Readings<'_, V>], times: usize, bar: &ProgressBar) -> Rate {
    let count = boards.iter().map(Readings::count).sum::<usize>() * times;
    let clock = Clock::start(None, 1.0);
    let mut rounds: Vec<Rate> = (0..ROUNDS)
        .map(|_| {
            let (start_ns, start_cpu_ns) = (clock.now().mono_ns, cpu_ns());
            (0..times).flat_map(|_| boards).for_each(Readings::play);
            let cpu_ns = start_cpu_ns.and_then(|start_ns| Some(cpu_ns()? - start_ns));
            bar.inc(1);
            let seconds = in_seconds(clock.now().mono_ns - start_ns);
            Rate { count, seconds, cpu_seconds: cpu_ns.map(in_seconds) }
        })
        .collect();
    rounds.sort_by_key(|round| round.per_second());
    rounds[ROUNDS / 2]
}

impl<'a, V: Variant> Readings<'a, V> {
    fn frames(stream: &'a Stream<V>) -> Self {
        let frames = stream.lines.iter().flat_map(|line| {
            line.items.iter().filter_map(|item| match item {
                Item::Frame(frame) => Some((line.t_ns, Reading::Frame(frame.clone()))),
                _ => None,
            })
        });
        Self { stream, readings: frames.collect() }
    }

    fn changes(stream: &'a Stream<V>) -> Self {
        let mut readings = Vec::new();
        let mut shown = Vec::new();
        for (at_ns, reading) in Self::frames(stream).readings {
            let Reading::Frame(frame) = &reading else { continue };
            let contents = frame.contents().to_vec();
            if shown.is_empty() {
                readings.push((at_ns, reading));
            } else {
                let squares = Square::all().zip(shown.iter().zip(&contents));
                readings.extend(
                    squares
                        .filter(|(_, (old, new))| old != new)
                        .map(|(square, (_, &content))| (at_ns, Reading::Square { square, content })),
                );
            }
            shown = contents;
        }
        Self { stream, readings }
    }

    /// All readings but the first.
    fn count(&self) -> usize {
        self.readings.len().saturating_sub(1)
    }

    /// Lets a table read it all; what it says is dropped unwritten.
    fn play(&self) {
        let mut table = Table::<V>::new(self.setting(), Stamp::default());
        let mut events = Vec::new();
        for (at_ns, reading) in &self.readings {
            table.reading(reading, Stamp::default().at(*at_ns), &mut events);
            events.clear();
        }
        let end_ns = self.readings.last().map_or(0, |(at_ns, _)| *at_ns) + AFTER_NS;
        table.advance(Stamp::default().at(end_ns), &mut events);
    }

    fn setting(&self) -> Setting<V> {
        let Stream { open, start, .. } = self.stream;
        Setting {
            board: "bench".to_owned(),
            profile: adoube_rules::laws::Profile::default(),
            agreed: None,
            in_progress: false,
            illegal: [0; 4],
            variant: open.variant,
            start: open.start.is_some().then(|| start.clone()),
            usual: V::array(),
            layout_set: Vec::new(),
            shuffled: open.variant == GameKind::Chess960,
            turned: Some(0),
            clock_swapped: false,
            parameters: Parameters::default(),
            board_results: true,
            time_control: None,
            pairing: None,
            pair: None,
        }
    }
}

fn in_seconds(ns: u64) -> f64 {
    ns as f64 / SECOND as f64
}

/// How long this thread has run on a core, nanoseconds, as Linux counts it.
fn cpu_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::to_play::ToPlay;
    use super::*;
    use adoube_rules::pgn::read_games;
    use adoube_sim::{Manner, Noise};

    /// Two plies without a capture: each lifts a man and sets him down.
    #[test]
    fn changes_and_frames_are_counted_without_the_first_picture() {
        let game = ToPlay::from(&read_games("1. e4 e5 *".as_bytes()).unwrap()[0]);
        let manner = Manner { noise: Noise::Clean, seed: 1, clock: false, signal_result: false };
        let streams =
            [false, true].map(|view| Stream::simulated(&game, manner, (view, adoube_sim::SCAN_MS), None));
        let speed = measure(&streams, 9, &ProgressBar::hidden());
        assert_eq!((speed.changes.count, speed.frames.count), (16, 16), "twice what both streams hold");
        assert!(speed.changes.per_second() > 0 && speed.frames.per_second() > 0);
    }
}
