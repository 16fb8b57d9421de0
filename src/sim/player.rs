//! Two players and their hands: a game becomes acts in continuous time.

use serde_json::{Value, json};
use shakmaty::Move;

use super::act::{Act, TimedAct};
use super::ending;
use super::fidget;
use super::habits::{Habits, Noise, SpanMs};
use super::movement::Hand;
use super::script::{Script, nanos};
use crate::rules::{Chess, ChessPosition, GameResult, Variant as _};
use crate::sensor::Side;

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
pub struct Game {
    /// Where it starts.
    pub start: ChessPosition,
    /// Its moves, each legal where it stands.
    pub moves: Vec<Move>,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
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
pub fn perform(game: &Game, manner: Manner) -> Performance {
    let mut players = Players::new(manner);
    let mut position = game.start.clone();
    for &mv in &game.moves {
        players.ply(&position, mv);
        position = Chess::play(&position, mv);
    }
    players.stop();
    if let (true, Some(result)) = (manner.signal_result, game.result) {
        ending::signal(&mut players.script, &position, result);
    }
    players.finish(&game.start)
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

    fn ply(&mut self, position: &ChessPosition, mv: Move) {
        self.script.ply += 1;
        let beginning = self.beginning(mv);
        self.script.now_ms = beginning.at_ms;
        let mut hand = Hand {
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
                hand.go_half_way(mv);
            }
        }
        let lifted_ms = hand.script.now_ms;
        hand.make(mv);
        let mut tags = hand.tags;
        self.lifted_ms = lifted_ms;
        self.released_ms = self.script.now_ms;
        self.can_be_answered_early = matches!(mv, Move::Normal { promotion: None, .. });
        let side = Chess::turn(position);
        let ends = Chess::end(&Chess::play(position, mv)).is_some();
        let pressed_ns = self.press(side, ends, &mut tags);
        self.truth.push(PlyTruth {
            uci: Chess::played(position, mv).uci(),
            lifted_ns: nanos(lifted_ms),
            placed_ns: nanos(self.released_ms),
            pressed_ns,
            tags,
        });
    }

    fn beginning(&mut self, mv: Move) -> Beginning {
        let first = self.script.ply == 1;
        if !first && self.may_come_before_release(mv) && self.script.chance(self.habits.reply_before_release)
        {
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

    fn may_come_before_release(&self, mv: Move) -> bool {
        self.can_be_answered_early && Hand::may_be_eager(mv)
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

    fn finish(mut self, start: &ChessPosition) -> Performance {
        let end_ms = self.script.now_ms;
        fidget::flicker(&mut self.script, start, self.habits.flicker_per_s, end_ms);
        Performance { acts: self.script.finish(), truth: self.truth, end_ns: nanos(end_ms) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::act::Surface;
    use super::super::samples;
    use super::*;
    use crate::stamp::MS;

    const LEVELS: [Noise; 3] = [Noise::Clean, Noise::Light, Noise::Heavy];

    fn manner(noise: Noise, seed: u64) -> Manner {
        Manner { noise, seed, clock: true, signal_result: false }
    }

    /// How often each tag comes in many random games.
    fn tags(noise: Noise) -> (BTreeMap<&'static str, usize>, usize) {
        let mut counts = BTreeMap::new();
        let mut plies = 0;
        for seed in 0..60 {
            let performance = perform(&samples::random_game(seed, 200), manner(noise, seed));
            plies += performance.truth.len();
            for tag in performance.truth.iter().flat_map(|truth| &truth.tags) {
                *counts.entry(*tag).or_insert(0) += 1;
            }
        }
        (counts, plies)
    }

    #[test]
    fn the_same_seed_gives_the_same_acts() {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        assert_eq!(perform(&game, manner(Noise::Heavy, 7)), perform(&game, manner(Noise::Heavy, 7)));
        assert_ne!(
            perform(&game, manner(Noise::Heavy, 7)).acts,
            perform(&game, manner(Noise::Heavy, 8)).acts
        );
    }

    #[test]
    fn after_each_ply_the_board_stands_as_the_position_says() {
        for (game, noise, seed) in samples::games()
            .into_iter()
            .flat_map(|game| LEVELS.map(|noise| (game.clone(), noise)))
            .flat_map(|(game, noise)| [1, 2, 3].map(|seed| (game.clone(), noise, seed)))
        {
            let performance = perform(&game, manner(noise, seed));
            let mut position = game.start.clone();
            for (ply, &mv) in (1u32..).zip(&game.moves) {
                position = Chess::play(&position, mv);
                let mut surface = Surface::new(&game.start.contents());
                for act in performance.acts.iter().filter(|act| act.ply <= ply) {
                    surface.apply(act.act, act.at_ns);
                }
                let tags = &performance.truth[ply as usize - 1].tags;
                assert_eq!(surface.standing().to_vec(), position.contents(), "{mv:?} {tags:?}");
            }
        }
    }

    /// At the time that the truth names, and not before, the position stands.
    #[test]
    fn the_truth_names_the_instant_at_which_the_last_man_rests() {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        let performance = perform(&game, manner(Noise::Clean, 3));
        let mut position = game.start.clone();
        for (truth, &mv) in performance.truth.iter().zip(&game.moves) {
            position = Chess::play(&position, mv);
            let stands = |until_ns: u64| {
                let mut surface = Surface::new(&game.start.contents());
                for act in performance.acts.iter().filter(|act| act.at_ns <= until_ns) {
                    surface.apply(act.act, act.at_ns);
                }
                surface.standing().to_vec() == position.contents()
            };
            assert!(stands(truth.placed_ns) && !stands(truth.placed_ns - 1), "{truth:?}");
            assert!(truth.lifted_ns < truth.placed_ns);
            assert!(truth.pressed_ns.is_some_and(|pressed_ns| pressed_ns > truth.placed_ns));
        }
    }

    #[test]
    fn captures_come_in_the_orders_of_the_recorded_boards() {
        let (counts, _) = tags(Noise::Light);
        let count = |tag| counts.get(tag).copied().unwrap_or(0) as f64;
        let orders = ["capture:swap", "capture:captured_first", "capture:own_first", "capture:placed_first"]
            .map(count);
        let all: f64 = orders.iter().sum();
        assert!(all > 1_000.0, "{all}");
        for (share, wanted) in orders.map(|n| n / all).into_iter().zip([0.70, 0.20, 0.09, 0.01]) {
            assert!((share - wanted).abs() < 0.03, "{share} for {wanted}");
        }
    }

    #[test]
    fn clean_hands_do_nothing_besides() {
        let (counts, _) = tags(Noise::Clean);
        for tag in counts.keys() {
            let ordinary =
                ["plain", "capture:", "castle:", "ep:", "promo:"].iter().any(|name| tag.starts_with(name));
            assert!(ordinary, "{tag}");
        }
    }

    #[test]
    fn heavy_hands_do_everything() {
        let (counts, plies) = tags(Noise::Heavy);
        for tag in [
            "slide",
            "hesitate",
            "adjust:own",
            "adjust:opp",
            "halfway:touch",
            "halfway:air",
            "bounce",
            "pushed",
        ] {
            assert!(counts.contains_key(tag), "{tag}");
        }
        for tag in
            ["placed_first", "reply:instant", "reply:before_press", "reply:before_release", "press:late"]
        {
            assert!(counts.contains_key(tag), "{tag}");
        }
        let adjusted = (counts["adjust:own"] + counts["adjust:opp"]) as f64 / plies as f64;
        assert!((adjusted - 0.12).abs() < 0.03, "{adjusted}");
    }

    #[test]
    fn the_lever_goes_to_and_fro() {
        for noise in LEVELS {
            let performance = perform(&samples::random_game(5, 200), manner(noise, 5));
            let presses: Vec<Side> = performance
                .acts
                .iter()
                .filter_map(|act| if let Act::Press(side) = act.act { Some(side) } else { None })
                .collect();
            let pressed = performance.truth.iter().filter(|truth| truth.pressed_ns.is_some()).count();
            assert!(presses.len() == pressed && pressed > 90, "{pressed}");
            for (index, &side) in presses.iter().enumerate() {
                assert_eq!(side, Side::BOTH[index % 2], "press {index}");
            }
        }
    }

    #[test]
    fn without_a_clock_nobody_presses() {
        let game = samples::game(samples::LONG_CASTLES);
        let performance = perform(&game, Manner { clock: false, ..manner(Noise::Light, 1) });
        assert!(
            performance
                .acts
                .iter()
                .all(|act| !matches!(act.act, Act::Press(_) | Act::StartClock | Act::StopClock))
        );
        assert!(performance.truth.iter().all(|truth| truth.pressed_ns.is_none()));
    }

    #[test]
    fn the_kings_signal_the_result_and_are_both_lifted_first() {
        for result in [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw] {
            for seed in 0..20 {
                let game = Game { result: Some(result), ..samples::random_game(seed, 60) };
                let performance =
                    perform(&game, Manner { signal_result: true, ..manner(Noise::Clean, seed) });
                let mut surface = Surface::new(&game.start.contents());
                for act in &performance.acts {
                    surface.apply(act.act, act.at_ns);
                }
                let signal = Chess::king_signal(surface.standing()).expect("kings in the centre");
                assert_eq!(signal.result, result);
                let last = performance.acts.last().expect("some acts");
                assert!(performance.end_ns >= last.at_ns + 5_000 * MS);
            }
        }
    }
}
