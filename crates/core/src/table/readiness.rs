//! Whether a game may start on the board: the array, how it lies, the clock and its lever. And what the
//! board and the clock show, for whoever looks back.

use super::scene::Scene;
use super::{Table, orientation};
use crate::infer::{SickSquare, View};
use adoube_rules::clock::Expected;
use adoube_rules::sensor::{ClockReading, Content, Side};
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

/// More squares than this that show something else are no array that is nearly right: nobody can say then
/// how the board lies.
const NEARLY: usize = 8;
/// A clock shows whole seconds, and may be a second late (dgt-protocol 4.4).
const TOLERANCE_MS: u64 = 1_000;
/// The longest time that a clock shows: 9:59:59 (dgt-protocol 3.5).
const LONGEST_MS: u64 = (9 * 3_600 + 59 * 60 + 59) * 1_000;

/// A square of the start array that shows something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongSquare {
    /// Which, as the game has it.
    pub square: Square,
    /// What should stand there; `None` if several things may (Chess960).
    pub expected: Option<Content>,
    /// What the board shows.
    pub found: Content,
}

/// The array on a board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Array {
    /// It is the one that the game is to start from.
    pub is_right: bool,
    /// Where it is not.
    pub wrong: Vec<WrongSquare>,
    /// The board lies turned by so many degrees; `None` if the array does not tell.
    pub turned: Option<u32>,
    /// It lies by a quarter of a turn, and nobody said that it should.
    pub is_turned_wrong: bool,
    /// Squares that earlier games found sick: what they show is not believed.
    pub sick: Vec<SickSquare>,
    /// A piece of it that is assumed to stand there, because the board feels squares only and nobody has said how the pieces
    /// are laid out: with the others of its kind it may stand otherwise, until a move tells.
    pub assumed: Option<(Square, Content)>,
}

/// The clock before the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReady {
    /// What it shows; `None`: no clock is there.
    pub reading: Option<ClockReading>,
    /// What it should show, by [`Side::index`]; `None` without a time control.
    pub expected_ms: Option<[u64; 2]>,
    /// It shows that; `None` without a clock or a time control.
    pub is_set: Option<bool>,
}

/// What a table can say of a board before the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The array.
    pub array: Array,
    /// The clock.
    pub clock: ClockReady,
    /// Nobody of the pairing lacks a name; without a pairing anybody may play.
    pub players: bool,
}

/// What a board and its clock show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// How many inputs the table had taken, this one with them: what `readings` of a record count.
    pub input: u64,
    /// What stands on each square of the game; empty before the first frame.
    pub contents: Vec<Content>,
    /// The board tells men apart.
    pub is_named: bool,
    /// The clock, its sides as the game has them.
    pub clock: Option<ClockReading>,
    /// When that was read, on the line of [`adoube_rules::stamp::Stamp::mono_ns`].
    pub clock_ns: Option<u64>,
}

impl<V: Variant> Table<V> {
    /// How the sensor lies under the game, degrees, as far as anybody knows.
    #[must_use]
    pub fn turned(&self) -> u32 {
        self.scene.game.as_ref().map(|game| game.turned).or(self.scene.setting.turned).unwrap_or(0)
    }

    /// The sensor's square under `square` of the game, as far as anybody knows how the board lies.
    #[must_use]
    pub fn lying(&self, square: Square) -> Square {
        V::turned(square, (360 - self.turned()) % 360)
    }

    /// A game is being played, and is not over.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        is_played(&self.scene)
    }

    /// How far the board is ready for its next game; `None` while a game is under way.
    #[must_use]
    pub fn readiness(&self) -> Option<Readiness> {
        if self.is_under_way() {
            return None;
        }
        Some(Readiness {
            array: array(&self.scene),
            clock: clock_ready(&self.scene),
            players: self.scene.paired.has_names(),
        })
    }

    /// The squares, as the sensor counts them, that differ from the array of the next game; `None` while one is
    /// under way, or before anything was seen.
    #[must_use]
    pub fn setting_up(&self) -> Option<Vec<Square>> {
        if is_played(&self.scene) || self.scene.sensed.is_empty() {
            return None;
        }
        let turned_wrong = |turned: u32| (wrong_squares(&self.scene, turned), turned);
        let (wrong, turned) =
            orientation::orientations(&self.scene).map(turned_wrong).min_by_key(|(wrong, _)| wrong.len())?;
        Some(wrong.into_iter().map(|wrong| V::turned(wrong.square, (360 - turned) % 360)).collect())
    }

    /// What board and clock show now.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let turned = self.turned();
        Picture {
            input: self.scene.inputs,
            contents: orientation::oriented(&self.scene, turned),
            is_named: self.scene.view == View::Identity,
            clock: self.scene.clock.last().copied(),
            clock_ns: self.scene.clock.last_at().map(|(_, at_ns)| at_ns),
        }
    }
}

fn is_played<V: Variant>(scene: &Scene<V>) -> bool {
    scene.playing().is_some_and(|game| game.is_started || !game.plies.is_empty() || scene.timing.is_started)
}

fn array<V: Variant>(scene: &Scene<V>) -> Array {
    if scene.sensed.is_empty() {
        return Array::default();
    }
    let wrong = |turned: u32| (wrong_squares(scene, turned), turned);
    let Some((wrong, turned)) =
        orientation::orientations(scene).map(wrong).min_by_key(|(wrong, _)| wrong.len())
    else {
        return Array::default();
    };
    let turned = Some(turned).filter(|_| wrong.len() <= NEARLY || scene.setting.turned.is_some());
    let is_quarter = V::ARMIES == 2 && turned.is_some_and(|turned| turned % 180 != 0);
    let is_turned_wrong = scene.setting.turned.is_none() && is_quarter;
    let assumed = assumed(scene).filter(|_| wrong.is_empty());
    let on_board = |(square, sickness): SickSquare| (V::turned(square, turned.unwrap_or(0)), sickness);
    let sick = scene.sick_squares().into_iter().map(on_board).collect();
    Array { is_right: wrong.is_empty(), wrong, turned, is_turned_wrong, sick, assumed }
}

/// The first square on which two layouts differ that look the same there, and what is assumed.
fn assumed<V: Variant>(scene: &Scene<V>) -> Option<(Square, Content)> {
    let usual = &scene.setting.usual;
    let other = scene.setting.assumed_layout().filter(|_| scene.view == View::Occupancy)?;
    let differs = |&square: &Square| usual.content(square) != other.content(square);
    let square = Square::all().take(V::SQUARES).find(differs)?;
    Some((square, usual.content(square)))
}

/// Where the board differs from the array, if it lies so.
fn wrong_squares<V: Variant>(scene: &Scene<V>, turned: u32) -> Vec<WrongSquare> {
    let setting = &scene.setting;
    // A position that is given is what the game starts from, array or not.
    let agreed = setting.agreed.as_ref().or(setting.start.as_ref());
    let contents = scene.believed(turned, agreed.unwrap_or(&setting.usual));
    let is_named = scene.view == View::Identity;
    let Some(wrong) = V::wrong_start(&contents, agreed, is_named, setting.shuffled) else {
        return Vec::new();
    };
    let is_open = setting.shuffled && agreed.is_none();
    let array = agreed.cloned().unwrap_or_else(|| V::nearest_array(&contents, &setting.usual, is_named));
    let expected = |square: Square| (!is_open).then(|| array.content(square));
    let squares = wrong.squares.into_iter();
    let found = |square: Square| contents.get(square.index()).copied().unwrap_or_default();
    squares.map(|square| WrongSquare { square, expected: expected(square), found: found(square) }).collect()
}

fn clock_ready<V: Variant>(scene: &Scene<V>) -> ClockReady {
    let reading = scene.clock.last().copied();
    let control = scene.setting.time_control.as_deref().and_then(|text| text.parse().ok());
    let expected_ms = control.map(|control: adoube_rules::clock::TimeControl| {
        Side::BOTH.map(|side| {
            let handicap_s = scene.profile.time_handicap_s[side.index()];
            Expected::start(control.clone(), scene.clock_rules(), handicap_s).left_ms().min(LONGEST_MS)
        })
    });
    let is_set = expected_ms.zip(reading).map(|(expected_ms, reading)| {
        let shown = expected_ms.iter().zip(reading.left_ms);
        shown.into_iter().all(|(expected_ms, shown_ms)| expected_ms.abs_diff(shown_ms) <= TOLERANCE_MS)
    });
    ClockReady { reading, expected_ms, is_set }
}

#[cfg(test)]
mod tests {
    use crate::capture::pieces_frame;
    use crate::station::{FRAMES, Input, Open, OpenPairing, Output, Station};
    use adoube_rules::sensor::{Frame, Reading};
    use adoube_rules::stamp::{SECOND, Stamp};
    use adoube_rules::{letter, square_name};

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn reading(left_s: [u64; 2]) -> ClockReading {
        ClockReading {
            left_ms: left_s.map(|left_s| left_s * 1_000),
            running: None,
            lever: Some(Side::White),
            flags: [false; 2],
            counter: None,
            by_end: false,
        }
    }

    fn identity(placement: &str) -> Reading {
        Reading::Frame(pieces_frame(placement).unwrap())
    }

    fn occupancy(placement: &str) -> Reading {
        let frame = pieces_frame(placement).unwrap();
        Reading::Frame(Frame::Occupancy(frame.contents().iter().map(|content| content.occupancy()).collect()))
    }

    /// The station of a board that says these things, a second each.
    fn station(change: impl FnOnce(&mut Open), readings: &[Reading]) -> Station {
        let mut open = Open::new("1", FRAMES, "test");
        change(&mut open);
        let at = |second: u64| Stamp { mono_ns: second * SECOND, utc_ns: 0 };
        let mut station = Station::open(open, at(0)).unwrap();
        let mut output = Output::default();
        for (second, reading) in (1..).zip(readings) {
            station.handle(&Input::Reading(reading.clone()), at(second), &mut output);
        }
        station
    }

    fn ready(change: impl FnOnce(&mut Open), readings: &[Reading]) -> Readiness {
        station(change, readings).readiness().unwrap()
    }

    /// Square, what should stand there, and what does.
    fn wrong(readiness: &Readiness) -> Vec<(String, Option<char>, Option<char>)> {
        let named = |wrong: &WrongSquare| {
            (square_name(wrong.square), wrong.expected.and_then(letter), letter(wrong.found))
        };
        readiness.array.wrong.iter().map(named).collect()
    }

    #[test]
    fn the_array_is_right_however_the_board_lies() {
        let white_on_top: String = START.chars().rev().collect();
        for (placement, turned) in [(START, 0), (white_on_top.as_str(), 180)] {
            for reading in [identity(placement), occupancy(placement)] {
                let array = ready(|_| (), std::slice::from_ref(&reading)).array;
                assert!(array.is_right && array.wrong.is_empty() && !array.is_turned_wrong, "{reading:?}");
                // A board that names nothing does not tell one end from the other.
                let tells = matches!(reading, Reading::Frame(Frame::Identity(_)));
                assert_eq!(array.turned, Some(if tells { turned } else { 0 }));
            }
        }
    }

    #[test]
    fn a_quarter_of_a_turn_is_wrong_unless_somebody_said_so() {
        let lying = "RP4pr/NP4pn/BP4pb/QP4pq/KP4pk/BP4pb/NP4pn/RP4pr";
        let array = |turned: Option<u32>| ready(|open| open.turned = turned, &[identity(lying)]).array;
        let found = array(None);
        assert!(
            found.is_right && found.is_turned_wrong && found.turned.is_some_and(|turned| turned % 180 == 90)
        );
        let said = array(found.turned);
        assert!(said.is_right && !said.is_turned_wrong);
        assert!(!array(Some(0)).is_right);
    }

    #[test]
    fn squares_that_show_something_else_are_named() {
        let swapped = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBKQBNR";
        let found = wrong(&ready(|_| (), &[identity(swapped)]));
        let square = |square: &str, expected, found| (square.to_owned(), expected, found);
        let expected = [
            square("d1", Some('Q'), Some('K')),
            square("e1", Some('K'), Some('Q')),
            square("e2", Some('P'), None),
            square("e3", None, Some('P')),
        ];
        assert_eq!(found, expected);
        // An unnamed board sees only where somebody stands.
        let unnamed = ready(|_| (), &[occupancy(swapped)]);
        assert_eq!(wrong(&unnamed), [square("e2", Some('P'), None), square("e3", None, None)]);
        assert_eq!(unnamed.array.wrong[1].found, Content::OCCUPIED);
        // Far from an array nobody knows how the board lies.
        let empty = ready(|_| (), &[identity("8/8/8/8/8/8/8/8")]);
        assert_eq!((empty.array.wrong.len(), empty.array.turned), (32, None));
        assert_eq!(ready(|_| (), &[]).array, Array::default(), "nothing seen");
    }

    #[test]
    fn chess960_takes_any_array_and_a_given_position_is_its_own() {
        let chess960 = |open: &mut Open| open.variant = adoube_rules::GameKind::Chess960;
        assert!(ready(chess960, &[identity("bnrkqbrn/pppppppp/8/8/8/8/PPPPPPPP/BNRKQBRN")]).array.is_right);
        let wrong = ready(chess960, &[identity("bnrkqbrn/pppppppp/8/8/8/8/PPPPPPPP/BNRKQBNR")]);
        assert!(!wrong.array.is_right && wrong.array.wrong.iter().all(|wrong| wrong.expected.is_none()));
        let given = |open: &mut Open| open.start = Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned());
        assert!(ready(given, &[identity("4k3/8/8/8/8/8/8/4K2R")]).array.is_right);
        let wrong = self::wrong(&ready(given, &[identity("4k3/8/8/8/8/8/8/4K3")]));
        assert_eq!(wrong, [("h1".to_owned(), Some('R'), None)]);
    }

    #[test]
    fn the_clock_is_held_against_the_time_control() {
        let clock = |control: Option<&str>, left_s: Option<[u64; 2]>| {
            let control = control.map(str::to_owned);
            let readings = [identity(START), Reading::Clock(left_s.map(reading))];
            ready(|open| open.time_control = control, &readings).clock
        };
        for (control, left_s, is_set) in [
            ("5400+30", [5_430, 5_430], true),
            // A second late, and one too many.
            ("5400+30", [5_429, 5_430], true),
            ("5400+30", [5_428, 5_430], false),
            ("5400+30", [5_400, 5_430], false),
            ("40/7200:3600", [7_200, 7_200], true),
            // The display goes no further than 9:59:59.
            ("36000", [35_999, 35_999], true),
            ("36000", [35_990, 35_999], false),
        ] {
            assert_eq!(clock(Some(control), Some(left_s)).is_set, Some(is_set), "{control} {left_s:?}");
        }
        assert_eq!(clock(None, Some([60, 60])).is_set, None);
        let gone = clock(Some("300"), None);
        assert_eq!((gone.reading, gone.is_set, gone.expected_ms), (None, None, Some([300_000; 2])));
    }

    #[test]
    fn players_of_a_pairing_have_names() {
        let pairing = |names: [Option<&str>; 2]| {
            let [white, black] = names.map(|name| crate::event::Player {
                name: name.map(str::to_owned),
                ..crate::event::Player::default()
            });
            Some(OpenPairing { round: 1, number: 1, white, black, ..OpenPairing::default() })
        };
        let known = |names| ready(|open| open.pairing = pairing(names), &[identity(START)]).players;
        assert!(known([Some("A"), Some("B")]) && !known([Some("A"), None]));
        assert!(ready(|_| (), &[identity(START)]).players, "a free game has no pairing");
    }

    #[test]
    fn a_game_under_way_is_not_before_its_start() {
        let moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        let mut readings = vec![identity(START); 5];
        assert!(station(|_| (), &readings).readiness().is_some());
        readings.extend(vec![identity(moved); 5]);
        assert!(station(|_| (), &readings).readiness().is_none());
        let started = ClockReading { running: Some(Side::White), ..reading([300, 300]) };
        let readings =
            [identity(START), Reading::Clock(Some(reading([300, 300]))), Reading::Clock(Some(started))];
        assert!(station(|_| (), &readings).readiness().is_none());
    }
}
