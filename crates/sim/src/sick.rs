//! A board with one square that does not say what stands on it.

use fastrand::Rng;

use super::player::{Game, Performance};
use adoube_rules::Variant;
use adoube_rules::sensor::{Army, Content, Frame, Role};
use adoube_rules::square::Square;

/// A flickering square loses its man twice a second, for half of the time.
const FLICKER_MS: f64 = 250.0;

/// The ply with which a square falls ill that was healthy before.
const LATER_PLY: usize = 11;

/// What is wrong with a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sickness {
    /// It reads empty, whatever stands there, from the beginning on.
    Dead,
    /// The same from a later ply on.
    DiesLater,
    /// It reads the same man for good, from a later ply on.
    Ghost,
    /// It reads its man half of the time.
    Flickering,
}

impl Sickness {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Dead, Self::DiesLater, Self::Ghost, Self::Flickering];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::DiesLater => "dies-later",
            Self::Ghost => "ghost",
            Self::Flickering => "flickering",
        }
    }
}

/// A sick square, and since when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SickSquare {
    /// Which it is.
    pub square: Square,
    sickness: Sickness,
    /// What a ghost looks like.
    ghost: Content,
    since_ms: f64,
}

impl SickSquare {
    /// Any square of a board on which `game` is played; a ghost is a small piece in the middle, where play
    /// begins late.
    #[must_use]
    pub fn choose<V: Variant>(
        sickness: Sickness,
        game: &Game<V>,
        performance: &Performance,
        seed: u64,
    ) -> Self {
        let mut rng = Rng::with_seed(seed);
        let men = game.men();
        let may_be_sick = |square: Square| sickness != Sickness::Ghost || men[square].is_empty();
        let squares: Vec<Square> =
            adoube_core::infer::squares::<V>().filter(|&square| may_be_sick(square)).collect();
        let square = squares[rng.usize(..squares.len())];
        let army = Army::new(rng.u8(..2));
        let role = [Role::Pawn, Role::Knight, Role::Bishop][rng.usize(..3)];
        let later = performance.truth.get(LATER_PLY - 1).map_or(0, |ply| ply.placed_ns);
        let since_ns = match sickness {
            Sickness::Dead | Sickness::Flickering => 0,
            Sickness::DiesLater | Sickness::Ghost => later,
        };
        Self { square, sickness, ghost: Content::man(army, role), since_ms: since_ns as f64 / 1e6 }
    }

    /// A man stands on the square after it fell ill; or anything stands there that a board with this ghost shows otherwise.
    #[must_use]
    pub fn matters<V: Variant>(&self, game: &Game<V>, performance: &Performance, occupancy: bool) -> bool {
        use adoube_rules::Position as _;
        let shown = |content: Content| if occupancy { content.occupancy() } else { content };
        let mut position = game.start.clone();
        game.moves.iter().zip(&performance.truth).any(|(&mv, truth)| {
            position = position.play(mv);
            let content = position.content(self.square);
            let differs = match self.sickness {
                Sickness::Ghost => shown(content) != shown(self.ghost),
                _ => !content.is_empty(),
            };
            truth.placed_ns as f64 / 1e6 >= self.since_ms && differs
        })
    }

    /// What a board with this square shows where a healthy one shows `frames`.
    #[must_use]
    pub fn spoil(&self, frames: &[(f64, Frame)]) -> Vec<(f64, Frame)> {
        let end_ms = frames.last().map_or(0.0, |last| last.0);
        let mut times: Vec<f64> = frames.iter().map(|frame| frame.0).collect();
        if self.sickness == Sickness::Flickering {
            let flickers = 1..(end_ms / FLICKER_MS) as u32;
            times.extend(flickers.map(|flicker| f64::from(flicker) * FLICKER_MS));
            times.sort_by(f64::total_cmp);
        }
        let mut healthy = frames.iter().peekable();
        let mut shown = None;
        let mut spoilt: Vec<(f64, Frame)> = Vec::new();
        for at_ms in times {
            while let Some((_, frame)) = healthy.next_if(|frame| frame.0 <= at_ms) {
                shown = Some(frame);
            }
            let Some(frame) = shown else { continue };
            let frame = self.seen(frame, at_ms);
            if spoilt.last().is_none_or(|(_, last)| *last != frame) {
                spoilt.push((at_ms, frame));
            }
        }
        spoilt
    }

    fn seen(&self, frame: &Frame, at_ms: f64) -> Frame {
        let mut contents = frame.contents().to_vec();
        if at_ms >= self.since_ms {
            contents[self.square] = match self.sickness {
                Sickness::Dead | Sickness::DiesLater => Content::EMPTY,
                Sickness::Ghost => self.ghost,
                Sickness::Flickering if (at_ms / FLICKER_MS) as u64 % 2 == 1 => Content::EMPTY,
                Sickness::Flickering => contents[self.square],
            };
        }
        match frame {
            Frame::Identity(_) => Frame::Identity(contents),
            Frame::Occupancy(_) => Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Manner, Noise, View, frames, perform, samples};
    use super::*;

    type Frames = Vec<(f64, Frame)>;

    fn spoilt(sickness: Sickness, seed: u64) -> (SickSquare, Frames, Frames) {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        let manner = Manner { noise: Noise::Light, seed: 4, clock: true, signal_result: false };
        let performance = perform(&game, manner);
        let healthy = frames(&game, &performance, View::default());
        let sick = SickSquare::choose(sickness, &game, &performance, seed);
        let spoilt = sick.spoil(&healthy);
        (sick, healthy, spoilt)
    }

    #[test]
    fn only_the_sick_square_lies() {
        for (sickness, seed) in Sickness::ALL.into_iter().zip(1..) {
            let (sick, healthy, spoilt) = spoilt(sickness, seed);
            for (at_ms, frame) in &spoilt {
                let (_, really) = healthy.iter().rfind(|frame| frame.0 <= *at_ms).unwrap();
                let differing = Square::all()
                    .zip(frame.contents().iter().zip(really.contents()))
                    .filter(|(_, (seen, really))| seen != really);
                assert!(differing.into_iter().all(|(square, _)| square == sick.square), "{sickness:?}");
            }
        }
    }

    #[test]
    fn a_dead_square_is_empty_and_a_ghost_stays() {
        let (sick, _, dead) = spoilt(Sickness::Dead, 3);
        assert!(dead.iter().all(|(_, frame)| frame.contents()[sick.square].is_empty()));
        let (sick, _, ghost) = spoilt(Sickness::Ghost, 3);
        let after = ghost.iter().filter(|(at_ms, _)| *at_ms >= sick.since_ms);
        assert!(after.clone().count() > 1);
        assert!(after.into_iter().all(|(_, frame)| frame.contents()[sick.square] == sick.ghost));
    }

    #[test]
    fn a_flickering_square_comes_and_goes() {
        let flickering = (1..40).find_map(|seed| {
            let (sick, healthy, spoilt) = spoilt(Sickness::Flickering, seed);
            (!healthy[0].1.contents()[sick.square].is_empty()).then_some((sick, spoilt))
        });
        let (sick, spoilt) = flickering.unwrap();
        let read = spoilt.iter().map(|(_, frame)| frame.contents()[sick.square].is_empty());
        let changes = read.collect::<Vec<_>>().windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes > 8, "{changes}");
    }
}
