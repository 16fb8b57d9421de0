//! Two players and their hands: a game becomes acts in continuous time.

use serde_json::{Value, json};

use super::act::{Act, TimedAct};
use super::deed::Deed;
use super::ending;
use super::fidget;
use super::habits::{Habits, Noise, SpanMs};
use super::movement::Hand;
use super::script::{Script, nanos};
use adoube_rules::pgn::PgnGame;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::{Chess, GameResult, Position as _, Variant};

/// From the beginning to the clock's start: long enough for a reader to have seen the start array.
const BEFORE_START_MS: f64 = 1_000.0;

/// How soon an instant reply comes after the opponent's release.
const INSTANT_MS: SpanMs = (60.0, 400.0);

/// How long before the opponent's release the hastiest of replies are lifted.
const BEFORE_RELEASE_MS: SpanMs = (30.0, 120.0);

/// From the opponent's press to the first touch of somebody who waited for it.
const REACTION_MS: SpanMs = (80.0, 250.0);

/// How long a forgotten press is forgotten.
const FORGOTTEN_MS: SpanMs = (1_500.0, 4_000.0);

/// No two presses are closer: the lever has to move.
const LEVER_MS: f64 = 100.0;

/// From the last act of a game to the stopping of its clock.
const STOP_MS: SpanMs = (1_000.0, 3_000.0);

/// A game to be played.
#[derive(Debug, Clone)]
pub struct Game<V: Variant = Chess> {
    /// Where it starts.
    pub start: V::Position,
    /// Its moves, each legal where it stands.
    pub moves: Vec<V::Move>,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
}

impl<V: Variant> Game<V> {
    /// The men as they stand before the first move, square by square.
    #[must_use]
    pub fn men(&self) -> Vec<Content> {
        adoube_core::infer::squares::<V>().map(|square| self.start.content(square)).collect()
    }
}

impl From<&PgnGame> for Game {
    fn from(game: &PgnGame) -> Self {
        Self { start: game.start.clone(), moves: game.moves.clone(), result: game.result }
    }
}

/// How a game is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// How tidily.
    pub noise: Noise,
    /// The same seed gives the same acts.
    pub seed: u64,
    /// There is a clock to be pressed.
    pub clock: bool,
    /// The kings go to the centre squares at the end.
    pub signal_result: bool,
}

/// What really happened in one ply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlyTruth {
    /// The move; castling as the position writes it.
    pub uci: String,
    /// When the hand touched the first man of the move, nanoseconds.
    pub lifted_ns: u64,
    /// When the last man came to rest or left the board, nanoseconds.
    pub placed_ns: u64,
    /// When the clock was pressed, nanoseconds; `None` if it was not.
    pub pressed_ns: Option<u64>,
    /// What was peculiar: `plain`, `slide`, `capture:swap`, `castle:rook_first` and so on.
    pub tags: Vec<&'static str>,
}

impl PlyTruth {
    /// The truth as `truth.json` holds it: `uci`, `lifted`, `placed`, `pressed` (milliseconds from
    /// the start, `origin_ns` later than the hands' own) and `tags`.
    #[must_use]
    pub fn to_json(&self, origin_ns: u64) -> Value {
        let ms = |ns: u64| (ns + origin_ns) as f64 / 1e6;
        json!({
            "uci": self.uci,
            "lifted": ms(self.lifted_ns),
            "placed": ms(self.placed_ns),
            "pressed": self.pressed_ns.map(ms),
            "tags": self.tags,
        })
    }
}

/// A whole game as hands played it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Performance {
    /// What was done, in the order of time.
    pub acts: Vec<TimedAct>,
    /// What it meant, a row a ply.
    pub truth: Vec<PlyTruth>,
    /// When everything is over, nanoseconds since the beginning.
    pub end_ns: u64,
}

/// Plays `game` in that manner.
#[must_use]
pub fn perform<V: Variant>(game: &Game<V>, manner: Manner) -> Performance {
    let mut players = Players::new(manner);
    let mut position = game.start.clone();
    for &mv in &game.moves {
        players.ply::<V>(&position, mv);
        position = position.play(mv);
    }
    players.stop();
    if let (true, Some(result)) = (manner.signal_result, game.result) {
        ending::signal::<V>(&mut players.script, &position, result);
    }
    players.finish(&game.men())
}

/// The state of the table between two plies.
#[derive(Debug)]
struct Players {
    script: Script,
    habits: Habits,
    clock: bool,
    /// The last first touch, release and press, milliseconds.
    lifted_ms: f64,
    released_ms: f64,
    pressed_ms: f64,
    /// No reply comes before the release of such a move.
    can_be_answered_early: bool,
    truth: Vec<PlyTruth>,
}

/// When the next ply begins, and what is peculiar about that.
struct Beginning {
    at_ms: f64,
    eager: bool,
    tag: Option<&'static str>,
}

impl Players {
    fn new(manner: Manner) -> Self {
        let mut script = Script::new(manner.seed);
        script.now_ms = BEFORE_START_MS;
        if manner.clock {
            script.act(Act::StartClock);
        }
        Self {
            script,
            habits: Habits::of(manner.noise),
            clock: manner.clock,
            lifted_ms: 0.0,
            released_ms: BEFORE_START_MS,
            pressed_ms: BEFORE_START_MS,
            can_be_answered_early: false,
            truth: Vec::new(),
        }
    }

    fn ply<V: Variant>(&mut self, position: &V::Position, mv: V::Move) {
        self.script.ply += 1;
        let deed = Deed::of::<V>(position, mv);
        let beginning = self.beginning(deed);
        self.script.now_ms = beginning.at_ms;
        let mut hand = Hand::<V> {
            habits: self.habits,
            position,
            eager: beginning.eager,
            set_down: None,
            tags: beginning.tag.into_iter().collect(),
            script: &mut self.script,
        };
        if beginning.tag.is_none() {
            if hand.script.chance(hand.habits.adjust) {
                hand.adjust();
            }
            if hand.script.chance(hand.habits.half_way) {
                hand.go_half_way(deed);
            }
        }
        let lifted_ms = hand.script.now_ms;
        hand.make(deed);
        let mut tags = hand.tags;
        self.lifted_ms = lifted_ms;
        self.released_ms = self.script.now_ms;
        self.can_be_answered_early = deed.is_simple();
        let side = position.turn();
        let ends = position.play(mv).end().is_some();
        let pressed_ns = self.press(side, ends, &mut tags);
        self.truth.push(PlyTruth {
            uci: position.played(mv).uci(),
            lifted_ns: nanos(lifted_ms),
            placed_ns: nanos(self.released_ms),
            pressed_ns,
            tags,
        });
    }

    fn beginning(&mut self, deed: Deed) -> Beginning {
        let first = self.script.ply == 1;
        let may_come_before_release = self.can_be_answered_early && deed.is_simple();
        if !first && may_come_before_release && self.script.chance(self.habits.reply_before_release) {
            let lead_ms = self.script.draw(BEFORE_RELEASE_MS);
            let at_ms = (self.released_ms - lead_ms).max(self.lifted_ms);
            return Beginning { at_ms, eager: true, tag: Some("reply:before_release") };
        }
        if !first && self.script.chance(self.habits.instant_reply) {
            let at_ms = self.released_ms + self.script.draw(INSTANT_MS);
            let early = self.clock && at_ms < self.pressed_ms;
            let tag = if early { "reply:before_press" } else { "reply:instant" };
            return Beginning { at_ms, eager: false, tag: Some(tag) };
        }
        let thought_ms = self.released_ms + self.script.draw(self.habits.think_ms);
        let allowed_ms = self.pressed_ms + self.script.draw(REACTION_MS);
        Beginning { at_ms: thought_ms.max(allowed_ms), eager: false, tag: None }
    }

    /// The press that completes the ply; one that ends the game by itself needs none and gets one
    /// half of the time.
    fn press(&mut self, side: Side, ends: bool, tags: &mut Vec<&'static str>) -> Option<u64> {
        if !self.clock || (ends && self.script.chance(0.5)) {
            return None;
        }
        let mut delay_ms = self.script.draw(self.habits.press_ms);
        if self.script.chance(self.habits.late_press) {
            tags.push("press:late");
            delay_ms += self.script.draw(FORGOTTEN_MS);
        }
        let at_ms = (self.released_ms + delay_ms).max(self.pressed_ms + LEVER_MS);
        self.pressed_ms = at_ms;
        self.script.act_at(at_ms, Act::Press(side));
        Some(nanos(at_ms))
    }

    /// The clock is stopped, a little after everything else.
    fn stop(&mut self) {
        self.script.ply += 1;
        self.script.now_ms = self.released_ms.max(self.pressed_ms);
        self.script.wait(STOP_MS);
        if self.clock {
            self.script.act(Act::StopClock);
        }
    }

    fn finish(mut self, men: &[Content]) -> Performance {
        let end_ms = self.script.now_ms;
        fidget::flicker(&mut self.script, men, self.habits.flicker_per_s, end_ms);
        Performance { acts: self.script.finish(), truth: self.truth, end_ns: nanos(end_ms) }
    }
}

#[cfg(test)]
mod tests;
