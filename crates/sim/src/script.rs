//! Writing down acts in continuous time, with a seeded dice.

use fastrand::Rng;

use super::act::{Act, TimedAct};
use super::habits::SpanMs;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;

/// A list of acts being written: a pen with a watch.
#[derive(Debug)]
pub(super) struct Script {
    rng: Rng,
    /// Where the pen is, milliseconds since the hands began.
    pub(super) now_ms: f64,
    /// The ply that the acts belong to.
    pub(super) ply: u32,
    acts: Vec<TimedAct>,
}

impl Script {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), now_ms: 0.0, ply: 0, acts: Vec::new() }
    }

    /// The acts in the order of time; those of one instant stay as they were written.
    pub(super) fn finish(mut self) -> Vec<TimedAct> {
        self.acts.sort_by_key(|act| act.at_ns);
        self.acts
    }

    pub(super) fn acts(&self) -> &[TimedAct] {
        &self.acts
    }

    pub(super) fn chance(&mut self, chance: f64) -> bool {
        self.rng.f64() < chance
    }

    /// A number between 0 and 1, for a choice between several things.
    pub(super) fn dice(&mut self) -> f64 {
        self.rng.f64()
    }

    pub(super) fn draw(&mut self, (low, high): SpanMs) -> f64 {
        low + (high - low) * self.rng.f64()
    }

    /// Time until something that happens `per_second` on average, milliseconds.
    pub(super) fn until_next(&mut self, per_second: f64) -> f64 {
        -(1.0 - self.rng.f64()).ln() * 1_000.0 / per_second
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.rng.usize(..from.len())])
    }

    pub(super) fn wait(&mut self, span: SpanMs) {
        self.now_ms += self.draw(span);
    }

    pub(super) fn lift(&mut self, square: Square) {
        self.act(Act::Lift { square });
    }

    pub(super) fn place(&mut self, square: Square, man: Content) {
        self.act(Act::Place { square, man });
    }

    /// The sensor of `square` fails `length_ms` from `at_ms` on.
    pub(super) fn dropout(&mut self, at_ms: f64, square: Square, length_ms: f64) {
        self.act_at(at_ms, Act::Dropout { square, length_ns: nanos(length_ms) });
    }

    pub(super) fn act(&mut self, act: Act) {
        self.act_at(self.now_ms, act);
    }

    pub(super) fn act_at(&mut self, at_ms: f64, act: Act) {
        self.acts.push(TimedAct { at_ns: nanos(at_ms), ply: self.ply, act });
    }
}

/// Whole nanoseconds; nothing happens before the beginning.
pub(super) fn nanos(ms: f64) -> u64 {
    (ms * MS).max(0.0) as u64
}
