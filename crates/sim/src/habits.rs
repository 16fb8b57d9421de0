//! How tidy the hands are: three levels, from an exhibition game to a blitz café.

use std::str::FromStr;

/// How much the hands and the sensors disturb a reader of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Noise {
    /// Unhurried players and perfect sensors.
    #[default]
    Clean,
    /// A tournament game.
    Light,
    /// Blitz, on a board that has seen years of it.
    Heavy,
}

/// A text that names no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a noise level; use clean, light or heavy")]
pub struct ParseNoiseError;

impl FromStr for Noise {
    type Err = ParseNoiseError;

    fn from_str(text: &str) -> Result<Self, ParseNoiseError> {
        match text {
            "clean" => Ok(Self::Clean),
            "light" => Ok(Self::Light),
            "heavy" => Ok(Self::Heavy),
            _ => Err(ParseNoiseError),
        }
    }
}

/// A length of time, drawn evenly between two bounds, milliseconds.
pub(super) type SpanMs = (f64, f64);

/// How often and how long: chances are between 0 and 1, per ply where nothing else is said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    /// From the opponent's release to one's own first touch.
    pub(super) think_ms: SpanMs,
    /// From lifting a man to setting him down.
    pub(super) hover_ms: SpanMs,
    /// From the release to the press.
    pub(super) press_ms: SpanMs,
    /// Between the two halves of castling.
    pub(super) castling_pause_ms: SpanMs,
    /// A man dragged over the board, of the moves that pass a square.
    pub(super) slide: f64,
    /// How long a dragged man is on a square that he passes.
    pub(super) slide_square_ms: SpanMs,
    /// A man set down half way and moved on, of the moves that pass a square.
    pub(super) hesitate: f64,
    /// A man put right on his square, one's own or the opponent's.
    pub(super) adjust: f64,
    /// A move begun and taken back before the real one.
    pub(super) half_way: f64,
    /// Men lost by their sensor, per second, the whole board together.
    pub(super) flicker_per_s: f64,
    /// A man who tips when he is set down.
    pub(super) bounce: f64,
    /// A man seen on his new square before he has left the old one, of the quiet moves.
    pub(super) place_before_lift: f64,
    /// The rook moved before the king, of the castlings.
    pub(super) rook_first: f64,
    /// King and rook in the air together, of the castlings.
    pub(super) both_in_hand: f64,
    /// A victim pushed to a neighbouring square, of the captures without a hand for the victim.
    pub(super) pushed_victim: f64,
    /// A reply that does not wait for the opponent's press.
    pub(super) instant_reply: f64,
    /// A reply begun before the opponent has let go.
    pub(super) reply_before_release: f64,
    /// A press forgotten for a few seconds.
    pub(super) late_press: f64,
}

impl Habits {
    /// The rates of `noise`: those on which other readers of such boards were measured (peers 4),
    /// pushed victims as on the recorded boards (dgt-protocol 4.1, 5 of 36 captures).
    pub(super) fn of(noise: Noise) -> Self {
        match noise {
            Noise::Clean => CLEAN,
            Noise::Light => LIGHT,
            Noise::Heavy => HEAVY,
        }
    }
}

const CLEAN: Habits = Habits {
    think_ms: (1_200.0, 4_000.0),
    hover_ms: (250.0, 900.0),
    press_ms: (300.0, 900.0),
    castling_pause_ms: (250.0, 900.0),
    slide: 0.0,
    slide_square_ms: (60.0, 200.0),
    hesitate: 0.0,
    adjust: 0.0,
    half_way: 0.0,
    flicker_per_s: 0.0,
    bounce: 0.0,
    place_before_lift: 0.0,
    rook_first: 0.2,
    both_in_hand: 0.0,
    pushed_victim: 0.0,
    instant_reply: 0.0,
    reply_before_release: 0.0,
    late_press: 0.0,
};

const LIGHT: Habits = Habits {
    slide: 0.15,
    hesitate: 0.01,
    adjust: 0.04,
    half_way: 0.02,
    flicker_per_s: 0.05,
    bounce: 0.02,
    place_before_lift: 0.01,
    both_in_hand: 0.15,
    pushed_victim: 0.14,
    instant_reply: 0.02,
    late_press: 0.01,
    ..CLEAN
};

const HEAVY: Habits = Habits {
    think_ms: (250.0, 2_500.0),
    hover_ms: (150.0, 750.0),
    press_ms: (120.0, 500.0),
    castling_pause_ms: (150.0, 2_500.0),
    slide: 0.35,
    slide_square_ms: (60.0, 350.0),
    hesitate: 0.04,
    adjust: 0.12,
    half_way: 0.06,
    flicker_per_s: 0.33,
    bounce: 0.1,
    rook_first: 0.3,
    both_in_hand: 0.1,
    instant_reply: 0.1,
    reply_before_release: 0.01,
    late_press: 0.02,
    ..LIGHT
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() {
        assert_eq!("heavy".parse(), Ok(Noise::Heavy));
        assert_eq!("Heavy".parse::<Noise>(), Err(ParseNoiseError));
    }
}
