//! How the sensor lies under the game (2.1): found out from the start array, put right by carrying the
//! position over (7.2.2). Only what the sensor says is mapped; the game knows its own squares alone.

use super::records::Draft;
use super::scene::{Report, Scene};
use super::{Table, accounts, setting_up};
use crate::event::finding::{BoardOrientationWrong, BoardRotated180, Claimed, Finding, TransferPosition};
use crate::event::{Event, Status};
use crate::infer::{Tracker, View};
use crate::ply::Ply;
use adoube_rules::departure::Departure;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

/// So many squares differ at least where the whole board was turned: fewer are pieces that were exchanged.
const TURNED_MIN: usize = 6;

/// The ways in which a board can lie, the usual ones first: an array that fits two lies in the first.
pub(super) const ORIENTATIONS: [u32; 4] = [0, 180, 90, 270];

impl<V: Variant> Table<V> {
    /// The position is carried over to the board as it lies then. Until it stands there, what the
    /// board shows is not play.
    pub(super) fn transfer(&mut self, turned: u32, out: &mut Vec<Event>) {
        if let Some(game) = &mut self.scene.game {
            game.transfer = Some(turned);
        }
        self.is_transferring(out);
    }

    /// True while the position is being carried over, and when that ends with this picture.
    pub(super) fn is_transferring(&mut self, out: &mut Vec<Event>) -> bool {
        let Some(game) = &self.scene.game else { return false };
        let candidates: Vec<u32> = match game.transfer {
            Some(turned) => vec![turned],
            // Nobody ruled, and yet it was done.
            None if self.records.open_record(Name::BoardOrientationWrong).is_some() => {
                ORIENTATIONS.into_iter().filter(|&turned| turned != game.turned).collect()
            }
            None => return false,
        };
        let best = game.tracker.best();
        let stands = |&turned: &u32| {
            let contents = oriented(&self.scene, turned);
            Square::all()
                .zip(&contents)
                .all(|(square, &content)| self.scene.view.see(best.content(square)) == content)
        };
        let Some(turned) = candidates.into_iter().find(stands) else { return game.transfer.is_some() };
        self.lies(turned, out);
        if let Some(game) = &mut self.scene.game {
            game.transfer = None;
        }
        self.pending.touches.clear();
        self.show_to_tracker(out);
        // The proposal by itself as well, where its record was confirmed before.
        let names = [Name::BoardOrientationWrong, Name::TransferPosition];
        self.close_all(|record| names.contains(&record.name()), Status::Corrected, out);
        true
    }

    /// An occupancy board does not show which way round its start array stands. A first move that
    /// only the other side of the board could have made does.
    pub(super) fn watch_for_turned(&mut self, out: &mut Vec<Event>) {
        let is_open = self.scene.view == View::Occupancy && self.scene.setting.turned.is_none();
        let Some(game) = self.scene.game.as_ref().filter(|_| is_open) else { return };
        let is_first = game.plies.is_empty()
            && game.displaced.is_empty()
            && game.result.is_none()
            && (V::ARMIES > 2 || matches!(game.turned, 0 | 90));
        if !is_first || game.tracker.is_explained() {
            return;
        }
        // A man that is only lifted may come down anywhere; turned, it may look like a capture made.
        if matches!(self.scene.departure(), Departure::Lifted { .. }) {
            return;
        }
        // Two sit opposite each other, four all around.
        let others: &[u32] = if V::ARMIES > 2 { &[90, 180, 270] } else { &[180] };
        let others = others.iter().map(|further| (game.turned + further) % 360);
        let found =
            others.into_iter().find_map(|turned| Some((turned, first_move_if_turned(&self.scene, turned)?)));
        let Some((turned, tracker)) = found else { return };
        if let Some(game) = &mut self.scene.game {
            game.tracker = tracker;
            game.turned = turned;
            // Its squares were the other side's.
            game.ledger = super::Ledger::default();
        }
        self.pending.touches.clear();
        match self.records.open_number(Name::BoardOrientationWrong) {
            Some(number) => self.amend(
                number,
                |record| {
                    if let Finding::BoardOrientationWrong(wrong) = &mut record.finding {
                        wrong.turn = turned;
                    }
                },
                out,
            ),
            None => say_orientation(turned, &mut self.report(out)),
        }
    }

    /// The board was turned while the game was on: every piece stands where it belongs, seen from another side.
    pub(super) fn was_turned(&mut self, out: &mut Vec<Event>) -> bool {
        let Some(game) = self.scene.playing() else { return false };
        let before = game.turned;
        let mut others = ORIENTATIONS.into_iter().filter(|&turned| turned != before);
        let Some(turned) = others.find(|&turned| differing(&self.scene, turned).next().is_none()) else {
            return false;
        };
        if differing(&self.scene, before).count() < TURNED_MIN {
            return false;
        }
        // The clock stays where it stood.
        let is_by_end = self.scene.clock.last().is_some_and(|reading| reading.by_end);
        self.scene.timing.lever.is_swapped ^= is_by_end && (before == 180) != (turned == 180);
        self.lies(turned, out);
        // Nobody has touched what the turn moved.
        self.pending.touches.clear();
        let since_ns = self.scene.turn_began_ns();
        if let Some(game) = &mut self.scene.game {
            game.ledger.strike_since(since_ns);
        }
        self.nothing_is_displaced(out);
        self.show_to_tracker(out);
        accounts::put_right(&mut self.report(out));
        let by = (turned + 360 - before) % 360;
        match turned {
            // It lies as it should.
            0 => {}
            _ if by == 180 => drop(self.open(Draft::notice(BoardRotated180 {}), out)),
            _ => say_orientation(turned, &mut self.report(out)),
        }
        true
    }

    /// Gives the tracker a board that does not show its start.
    pub(super) fn show_to_tracker(&mut self, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        let at_ns = self.scene.now.mono_ns;
        let changes = differences(&self.scene, &game.tracker, game.turned);
        if !changes.is_empty() {
            self.with_tracker(out, |tracker, steps| tracker.changed(&changes, at_ns, steps));
        }
    }
}

/// The game is played on a board that lies wrong: it goes on, and the position is to be carried
/// over to a board that lies right (7.2.2).
pub(super) fn raise_orientation<V: Variant>(report: &mut Report<'_, V>) {
    let Some(open) = report.records.open_record(Name::BoardOrientationWrong) else { return };
    let (number, is_raised) = (open.number, open.severity == Some(Severity::Alert));
    if !is_raised {
        report.amend(number, |record| record.severity = Some(Severity::Alert));
    }
    // An occupancy board tells by the first move which of two ways it lies.
    if report.view == View::Occupancy && report.scene.game.as_ref().is_some_and(|game| game.plies.is_empty())
    {
        return;
    }
    // Nothing is said twice: an open proposal stays what it is.
    report.propose(Draft::open(TransferPosition { turned: 0 }), number);
}

/// Somebody says that the board lies wrong (7.2.2, A.4.1.2).
pub(super) fn report_orientation<V: Variant>(report: &mut Report<'_, V>) {
    if report.playing().is_none() {
        return;
    }
    if setting_up::set_up_window_is_closed(report.scene) {
        return setting_up::refuse_late_claim(Claimed::OrientationWrong, report);
    }
    let turned = report.scene.game.as_ref().map_or(0, |game| game.turned);
    report.open(Draft::open(BoardOrientationWrong { turn: turned }).severity(Severity::Alert));
    raise_orientation(report);
}

fn looks_the_same_turned<V: Variant>(scene: &Scene<V>, start: &V::Position, degrees: u32) -> bool {
    let sees = |square: Square| scene.view.see(start.content(square));
    crate::infer::squares::<V>().all(|square| sees(square) == sees(V::turned(square, degrees)))
}

/// The sensor's square under `square` of the game.
pub(super) fn sensor_square<V: Variant>(scene: &Scene<V>, square: Square) -> Square {
    let turned = scene.game.as_ref().map_or(0, |game| game.turned);
    V::turned(square, (360 - turned) % 360)
}

/// What stands on the game's squares if the board lies so.
pub(super) fn oriented<V: Variant>(scene: &Scene<V>, turned: u32) -> Vec<Content> {
    let mut contents = vec![Content::EMPTY; scene.sensed.len()];
    for (square, &content) in Square::all().zip(&scene.sensed) {
        contents[V::turned(square, turned)] = content;
    }
    contents
}

/// The squares that show something else than the game's position, if the board lies so.
pub(super) fn differing<V: Variant>(scene: &Scene<V>, turned: u32) -> impl Iterator<Item = Square> {
    let contents = scene.game.as_ref().map(|_| oriented(scene, turned)).unwrap_or_default();
    Square::all().zip(contents).filter_map(move |(square, content)| {
        let best = scene.game.as_ref()?.tracker.best();
        (scene.view.see(best.content(square)) != content).then_some(square)
    })
}

/// The ways in which this board may lie, as far as it is known.
pub(super) fn orientations<V: Variant>(scene: &Scene<V>) -> impl Iterator<Item = u32> + use<V> {
    let known = scene.setting.turned;
    ORIENTATIONS.into_iter().filter(move |&turned| known.is_none_or(|known| known == turned))
}

/// How the board lies if it is to show `start`. A quarter of a turn has to fit exactly: nobody
/// plays so on purpose.
pub(super) fn orientation_of<V: Variant>(scene: &Scene<V>, start: &V::Position) -> u32 {
    let view = scene.view;
    let differing = |turned: u32| {
        let contents = oriented(scene, turned);
        let sees = |square: Square| view.see(start.content(square));
        Square::all().zip(&contents).filter(|&(square, &content)| sees(square) != content).count()
    };
    orientations(scene)
        .map(|turned| (differing(turned), turned))
        .filter(|&(count, turned)| count == 0 || turned % 180 == 0 || scene.setting.turned.is_some())
        .min_by_key(|&(count, _)| count)
        .map_or(0, |(_, turned)| turned)
}

/// Says how the board lies, if that is not as usual and nobody has told.
pub(super) fn say_orientation<V: Variant>(turned: u32, report: &mut Report<'_, V>) {
    match turned {
        // Four players sit all around: Red's side is South, wherever the board's own is.
        _ if report.setting.turned.is_some() || V::ARMIES > 2 => {}
        180 => {
            report.open(Draft::notice(BoardRotated180 {}));
        }
        90 | 270 => {
            let draft = Draft::open(BoardOrientationWrong { turn: turned }).severity(Severity::Notice);
            report.open(draft);
        }
        _ => {}
    }
}

/// The tracker of a board that lies so, if its array looks the same and one move from it stands there.
fn first_move_if_turned<V: Variant>(scene: &Scene<V>, turned: u32) -> Option<Tracker<V>> {
    let game = scene.game.as_ref()?;
    let start = game.tracker.position(Ply::START);
    if !looks_the_same_turned(scene, start, (360 + turned - game.turned) % 360) {
        return None;
    }
    let mut tracker = scene.tracker(start.clone(), turned, game.tracker.made_ns(Ply::START));
    let changes = differences(scene, &tracker, turned);
    tracker.changed(&changes, scene.now.mono_ns, &mut Vec::new());
    // One move: of two, the other side's could have come first either way round.
    let is_one = tracker.is_explained() && tracker.best().turn() != tracker.position(Ply::START).turn();
    is_one.then_some(tracker)
}

/// Where the board, lying so, shows something else than the tracker has.
pub(super) fn differences<V: Variant>(
    scene: &Scene<V>,
    tracker: &Tracker<V>,
    turned: u32,
) -> Vec<(Square, Content)> {
    Square::all()
        .zip(oriented(scene, turned))
        .filter(|&(square, content)| tracker.at(square) != content)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::capture::pieces_frame;
    use crate::event::{Body, Event};
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::{Frame, Reading};
    use adoube_rules::stamp::{SECOND, Stamp};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    const E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
    const NF3: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
    const NC6: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";

    /// The same, seen from the other side.
    fn turned(placement: &str) -> String {
        placement.chars().rev().collect()
    }

    /// What is said when a board shows these placements, one every five seconds.
    fn said(placements: &[String], is_named: bool) -> Vec<Event> {
        let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        for (index, placement) in (0_u64..).zip(placements) {
            let mut frame = pieces_frame(placement).unwrap();
            if !is_named {
                frame =
                    Frame::Occupancy(frame.contents().iter().map(|content| content.occupancy()).collect());
            }
            let at = Stamp::default().at(index * 5 * SECOND);
            station.handle(&Input::Reading(Reading::Frame(frame)), at, &mut output);
        }
        station.handle(&Input::Wake, Stamp::default().at(60 * SECOND), &mut output);
        output.events
    }

    fn moves(events: &[Event]) -> Vec<String> {
        let made = |event: &Event| match &event.body {
            Body::MoveMade(made) => Some(made.played.san()),
            _ => None,
        };
        events.iter().filter_map(made).collect()
    }

    fn named(events: &[Event], name: &str) -> usize {
        events.iter().filter(|event| event.body.name().as_str() == name).count()
    }

    #[test]
    fn a_board_that_was_turned_while_the_game_was_on_is_followed_as_it_lies_then() {
        let placements = [START.to_owned(), E4.into(), E5.into(), NF3.into(), turned(NF3), turned(NC6)];
        for is_named in [true, false] {
            let events = said(&placements, is_named);
            assert_eq!(moves(&events), ["e4", "e5", "Nf3", "Nc6"]);
            assert_eq!(named(&events, "board-rotated-180"), 1);
            for accused in ["piece-displaced", "touch-move-suspected", "move-out-of-turn"] {
                assert_eq!(named(&events, accused), 0, "{accused}");
            }
        }
    }

    #[test]
    fn pieces_that_were_exchanged_are_no_board_that_was_turned() {
        // Two kings that change places look the same from the other side.
        let mut open = Open::new("1", FRAMES, "test");
        open.start = Some("4k3/8/8/8/8/8/8/3K4 w - - 0 1".to_owned());
        open.in_progress = true;
        let mut station = Station::open(open, Stamp::default()).unwrap();
        let mut output = Output::default();
        for (second, placement) in [(0, "4k3/8/8/8/8/8/8/3K4"), (5, "4K3/8/8/8/8/8/8/3k4")] {
            let frame = Input::Reading(Reading::Frame(pieces_frame(placement).unwrap()));
            station.handle(&frame, Stamp::default().at(second * SECOND), &mut output);
        }
        station.handle(&Input::Wake, Stamp::default().at(30 * SECOND), &mut output);
        assert_eq!(named(&output.events, "board-rotated-180"), 0);
    }
}
