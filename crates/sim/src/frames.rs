//! The same hands seen by a neutral sensor: whole frames, one each scan, only those that differ
//! from the one before.

use super::act::Surface;
use super::clock::{ChessClock, ClockSetting, Display};
use super::player::{Game, Performance};
use adoube_rules::Variant;
use adoube_rules::sensor::{ClockReading, Content, Frame};
use adoube_rules::stamp::MS;

/// How often a neutral sensor looks, milliseconds: fast boards need 40 to 50.
pub const SCAN_MS: u64 = 50;

/// What a neutral sensor can tell and how it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// It sees only whether a square is occupied.
    pub occupancy: bool,
    /// It lies turned by 180°.
    pub turned: bool,
}

/// The frames of `performance`, each with its milliseconds since the beginning.
#[must_use]
pub fn frames<V: Variant>(game: &Game<V>, performance: &Performance, view: View) -> Vec<(f64, Frame)> {
    let mut surface = Surface::new(&game.men());
    let mut acts = performance.acts.iter().peekable();
    let mut seen: Vec<(f64, Frame)> = Vec::new();
    // One scan after the end, so that the last act is seen.
    let scans = performance.end_ns.div_ceil(SCAN_MS * MS) + 1;
    for scan in 0..=scans {
        let at_ns = scan * SCAN_MS * MS;
        while let Some(act) = acts.next_if(|act| act.at_ns <= at_ns) {
            surface.apply(act.act, act.at_ns);
        }
        let frame = look(&surface, at_ns, view);
        if seen.last().is_none_or(|(_, last)| *last != frame) {
            seen.push(((scan * SCAN_MS) as f64, frame));
        }
    }
    seen
}

fn look(surface: &Surface, at_ns: u64, view: View) -> Frame {
    let mut contents: Vec<Content> =
        (0..surface.standing().len()).map(|square| surface.sensed(square, at_ns)).collect();
    if view.turned {
        contents.reverse();
    }
    if view.occupancy {
        Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect())
    } else {
        Frame::Identity(contents)
    }
}

/// What the clock beside the board shows, each time that it differs, with milliseconds since the
/// beginning.
#[must_use]
pub fn clock_readings(performance: &Performance, setting: ClockSetting) -> Vec<(f64, ClockReading)> {
    let mut clock = ChessClock::new(setting);
    let mut acts = performance.acts.iter().peekable();
    let mut seen: Vec<(f64, ClockReading)> = Vec::new();
    let scans = performance.end_ns.div_ceil(SCAN_MS * MS) + 1;
    for scan in 0..=scans {
        let at_ns = scan * SCAN_MS * MS;
        while let Some(act) = acts.next_if(|act| act.at_ns <= at_ns) {
            clock.act(act.act, act.at_ns);
        }
        clock.advance(at_ns);
        let reading = reading(clock.display());
        if seen.last().is_none_or(|(_, last)| *last != reading) {
            seen.push(((scan * SCAN_MS) as f64, reading));
        }
    }
    seen
}

fn reading(display: Display) -> ClockReading {
    ClockReading {
        left_ms: display.left_s.map(|s| s * 1_000),
        running: display.running.then_some(display.lever),
        lever: Some(display.lever),
        flags: display.flags,
        counter: None,
        by_end: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::super::{Manner, Noise, perform};
    use super::*;
    use adoube_rules::Position as _;

    fn played(noise: Noise) -> (Game, Performance) {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        let performance = perform(&game, Manner { noise, seed: 4, clock: true, signal_result: false });
        (game, performance)
    }

    #[test]
    fn frames_begin_and_end_with_the_game_and_never_repeat() {
        let (game, performance) = played(Noise::Heavy);
        let frames = frames(&game, &performance, View::default());
        let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
        assert_eq!(frames[0], (0.0, Frame::Identity(game.start.contents())));
        assert_eq!(frames.last().map(|last| last.1.contents()), Some(&last.contents()[..]));
        assert!(frames.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
        assert!(frames.len() > 2 * game.moves.len());
    }

    #[test]
    fn a_turned_view_is_the_same_from_the_other_side() {
        let (game, performance) = played(Noise::Light);
        let straight = frames(&game, &performance, View { occupancy: true, turned: false });
        let turned = frames(&game, &performance, View { occupancy: true, turned: true });
        assert_eq!(straight.len(), turned.len());
        for ((_, one), (_, other)) in straight.iter().zip(&turned) {
            assert!(one.contents().iter().eq(other.contents().iter().rev()));
            assert!(one.contents().iter().all(|&content| content == content.occupancy()));
        }
    }

    #[test]
    fn the_clock_is_seen_started_pressed_and_stopped() {
        let (_, performance) = played(Noise::Clean);
        let readings = clock_readings(&performance, ClockSetting::equal(180, 2));
        assert_eq!(readings[0].1.left_ms, [182_000, 182_000]);
        assert_eq!(readings[0].1.running, None);
        let levers = readings.windows(2).filter(|pair| pair[0].1.lever != pair[1].1.lever).count();
        assert_eq!(levers, performance.truth.iter().filter(|truth| truth.pressed_ns.is_some()).count());
        assert_eq!(readings.last().and_then(|last| last.1.running), None);
    }
}
