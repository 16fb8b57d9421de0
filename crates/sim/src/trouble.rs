//! What goes wrong between hands and whoever reads the board, beside a square that is sick for good: pieces that are
//! swept off or left where none belongs, codes read wrongly, links that are lost, slow scans, a board that is turned.

use fastrand::Rng;

use super::player::{Game, Performance};
use super::sick::{SickSquare, Sickness};
use adoube_rules::Variant;
use adoube_rules::sensor::{Content, Frame, Role};
use adoube_rules::square::Square;

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The whole picture.
    Frame(Frame),
    /// The link is lost.
    LinkLost,
    /// The link is back; a frame follows.
    LinkBack,
}

/// One thing that goes wrong in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// A square is sick.
    Sick(Sickness),
    /// A square reads another piece than the one that stands there, until that one moves.
    WrongCode,
    /// A piece is gone, until it would move: then somebody has put it back.
    Vanished,
    /// A piece stands where none belongs, until something comes there.
    Added,
    /// The link is lost once, for up to half a minute.
    LinkLost,
    /// The link is lost three times, for some seconds each.
    Outages,
    /// The board looks two to four times a second.
    SlowScan,
    /// The board is turned round while the game is on.
    Turned,
}

/// From one look to the next of slow boards, milliseconds.
const SLOW_MS: [f64; 2] = [250.0, 500.0];
/// How long one lost link is away, milliseconds, and each of several.
const LOST_MS: [u32; 2] = [5_000, 30_000];
const OUTAGE_MS: [u32; 2] = [2_000, 5_000];

impl Trouble {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Sick(Sickness::Dead),
        Self::Sick(Sickness::DiesLater),
        Self::Sick(Sickness::Ghost),
        Self::Sick(Sickness::Flickering),
        Self::WrongCode,
        Self::Vanished,
        Self::Added,
        Self::LinkLost,
        Self::Outages,
        Self::SlowScan,
        Self::Turned,
    ];

    /// What is seen of `game` where a healthy board on a good line shows `frames`; each with its milliseconds.
    #[must_use]
    pub fn befall<V: Variant>(
        self,
        game: &Game<V>,
        performance: &Performance,
        frames: &[(f64, Frame)],
        seed: u64,
    ) -> Vec<(f64, Seen)> {
        let mut rng = Rng::with_seed(seed ^ 0x7402_b1e5);
        let end_ms = frames.last().map_or(0.0, |last| last.0);
        // Some time after the game has begun and before it ends.
        let at_ms = end_ms * (0.2 + 0.5 * rng.f64());
        let shown = match self {
            Self::Sick(sickness) => SickSquare::choose(sickness, game, performance, seed).spoil(frames),
            Self::WrongCode | Self::Vanished | Self::Added => self.disturb(frames, at_ms, &mut rng),
            Self::SlowScan => slowed(frames, SLOW_MS[rng.usize(..2)]),
            Self::Turned => turned::<V>(frames, at_ms),
            Self::LinkLost => return interrupted(frames, 1, LOST_MS, &mut rng),
            Self::Outages => return interrupted(frames, 3, OUTAGE_MS, &mut rng),
        };
        shown.into_iter().map(|(at_ms, frame)| (at_ms, Seen::Frame(frame))).collect()
    }

    /// From the first frame after `at_ms` on, one square shows something else until what really stands there changes.
    fn disturb(self, frames: &[(f64, Frame)], at_ms: f64, rng: &mut Rng) -> Vec<(f64, Frame)> {
        let mut frames = frames.to_vec();
        let Some(first) = frames.iter().position(|frame| frame.0 >= at_ms) else { return frames };
        let contents = frames[first].1.contents().to_vec();
        let is_king = |content: Content| content.role() == Some(Role::King);
        let is_meant = |&(_, &content): &(Square, &Content)| match self {
            Self::Added => content.is_empty(),
            _ => !content.is_empty() && !is_king(content),
        };
        let squares: Vec<(Square, &Content)> = Square::all().zip(&contents).filter(is_meant).collect();
        let Some(&(square, &really)) = rng.choice(&squares) else { return frames };
        let pieces: Vec<Content> = contents
            .iter()
            .copied()
            .filter(|&other| !other.is_empty() && !is_king(other) && other != really)
            .collect();
        let read = match (self, rng.choice(&pieces)) {
            (Self::Vanished, _) => Content::EMPTY,
            (_, Some(&other)) => other,
            // A board that names nothing reads no wrong name.
            (_, None) => return frames,
        };
        for (_, frame) in frames[first..].iter_mut() {
            if frame.contents()[square] != really {
                break;
            }
            *frame = with(frame, square, read);
        }
        frames.dedup_by(|later, earlier| later.1 == earlier.1);
        frames
    }
}

fn with(frame: &Frame, square: Square, content: Content) -> Frame {
    let mut contents = frame.contents().to_vec();
    contents[square] = content;
    match frame {
        Frame::Identity(_) => Frame::Identity(contents),
        Frame::Occupancy(_) => Frame::Occupancy(contents.into_iter().map(Content::occupancy).collect()),
    }
}

/// What a board sees that looks every `every_ms`, where `frames` are what stands on it.
#[must_use]
pub fn slowed(frames: &[(f64, Frame)], every_ms: f64) -> Vec<(f64, Frame)> {
    let mut seen: Vec<(f64, Frame)> = Vec::new();
    for (at_ms, frame) in frames {
        let looked_ms = (at_ms / every_ms).ceil() * every_ms;
        seen.retain(|known| known.0 < looked_ms);
        if seen.last().is_none_or(|(_, last)| last != frame) {
            seen.push((looked_ms, frame.clone()));
        }
    }
    seen
}

/// The board is turned in the middle of the longest rest after `at_ms`.
fn turned<V: Variant>(frames: &[(f64, Frame)], at_ms: f64) -> Vec<(f64, Frame)> {
    let rests = frames.windows(2).filter(|pair| pair[0].0 >= at_ms);
    let longest = rests.max_by(|one, other| (one[1].0 - one[0].0).total_cmp(&(other[1].0 - other[0].0)));
    let Some(pair) = longest else { return frames.to_vec() };
    let turned_ms = (pair[0].0 + pair[1].0) / 2.0;
    let turn = |frame: &Frame| {
        let mut contents = frame.contents().to_vec();
        for (square, &content) in Square::all().zip(frame.contents()) {
            contents[V::turned(square, 180)] = content;
        }
        match frame {
            Frame::Identity(_) => Frame::Identity(contents),
            Frame::Occupancy(_) => Frame::Occupancy(contents),
        }
    };
    let before = frames.iter().filter(|frame| frame.0 < turned_ms).cloned();
    let at = std::iter::once((turned_ms, turn(&pair[0].1)));
    let after =
        frames.iter().filter(|frame| frame.0 >= turned_ms).map(|(at_ms, frame)| (*at_ms, turn(frame)));
    before.chain(at).chain(after).collect()
}

/// The link is lost `times` times, for so long each.
fn interrupted(
    frames: &[(f64, Frame)],
    times: u32,
    [shortest_ms, longest_ms]: [u32; 2],
    rng: &mut Rng,
) -> Vec<(f64, Seen)> {
    let end_ms = frames.last().map_or(0.0, |last| last.0);
    let part_ms = 0.8 * end_ms / f64::from(times);
    let gaps = (0..times).map(|nth| {
        let lost_ms = 0.1 * end_ms + part_ms * (f64::from(nth) + 0.4 * rng.f64());
        let away_ms = f64::from(rng.u32(shortest_ms..longest_ms)).min(0.5 * part_ms);
        (lost_ms, lost_ms + away_ms)
    });
    let gaps: Vec<(f64, f64)> = gaps.collect();
    let is_away = |at_ms: f64| gaps.iter().any(|gap| (gap.0..gap.1).contains(&at_ms));
    let mut seen: Vec<(f64, Seen)> = frames
        .iter()
        .filter(|frame| !is_away(frame.0))
        .map(|(at_ms, frame)| (*at_ms, Seen::Frame(frame.clone())))
        .collect();
    for &(lost_ms, back_ms) in &gaps {
        seen.push((lost_ms, Seen::LinkLost));
        seen.push((back_ms, Seen::LinkBack));
        let stands = frames.iter().rfind(|frame| frame.0 <= back_ms).map(|frame| frame.1.clone());
        seen.extend(stands.map(|frame| (back_ms, Seen::Frame(frame))));
    }
    seen.sort_by(|one, other| one.0.total_cmp(&other.0));
    seen
}

#[cfg(test)]
mod tests {
    use super::super::{Manner, Noise, View, frames, perform, samples};
    use super::*;

    type Timed<T> = Vec<(f64, T)>;

    fn befallen(trouble: Trouble, seed: u64) -> (Timed<Frame>, Timed<Seen>) {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        let manner = Manner { noise: Noise::Light, seed: 4, clock: true, signal_result: false };
        let performance = perform(&game, manner);
        let healthy = frames(&game, &performance, View::default());
        let seen = trouble.befall(&game, &performance, &healthy, seed);
        (healthy, seen)
    }

    fn last(seen: &[(f64, Seen)]) -> &Frame {
        let frame = |one: &'_ (f64, Seen)| matches!(one.1, Seen::Frame(_));
        match &seen.iter().rfind(|one| frame(one)).unwrap().1 {
            Seen::Frame(frame) => frame,
            _ => unreachable!("only frames were looked for"),
        }
    }

    #[test]
    fn every_trouble_shows_and_comes_in_order() {
        for trouble in Trouble::ALL {
            let (healthy, seen) = befallen(trouble, 5);
            let healthy: Vec<(f64, Seen)> =
                healthy.into_iter().map(|(at_ms, frame)| (at_ms, Seen::Frame(frame))).collect();
            assert!(seen.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{trouble:?}");
            let shows = (1..20).any(|seed| befallen(trouble, seed).1 != healthy);
            assert!(shows, "{trouble:?}");
        }
    }

    #[test]
    fn a_link_that_was_lost_is_back_with_the_whole_picture() {
        for (trouble, times) in [(Trouble::LinkLost, 1), (Trouble::Outages, 3)] {
            let (healthy, seen) = befallen(trouble, 3);
            let back: Vec<usize> = (0..seen.len()).filter(|&at| seen[at].1 == Seen::LinkBack).collect();
            assert_eq!(back.len(), times);
            for at in back {
                assert!(matches!(seen[at + 1].1, Seen::Frame(_)));
                assert_eq!(seen[at + 1].0, seen[at].0);
            }
            assert_eq!(last(&seen), &healthy.last().unwrap().1);
        }
    }

    #[test]
    fn a_board_that_was_turned_shows_the_end_from_the_other_side() {
        let (healthy, seen) = befallen(Trouble::Turned, 3);
        let end = &healthy.last().unwrap().1;
        assert!(last(&seen).contents().iter().eq(end.contents().iter().rev()));
    }

    #[test]
    fn a_slow_board_looks_seldom() {
        let (healthy, seen) = befallen(Trouble::SlowScan, 3);
        assert!(seen.windows(2).all(|pair| pair[1].0 - pair[0].0 >= SLOW_MS[0]));
        assert_eq!(last(&seen), &healthy.last().unwrap().1);
    }
}
