//! Squares that differ from the position while everybody moves once, and of which nothing is said yet (DESIGN 2.4): a
//! piece that is nowhere on the board and in nobody's hand (7.4), or something read where the position has nothing of the
//! kind, which no hand can have put there unseen by all.

use super::gaps;
use crate::event::finding::{Fault, Finding, PieceMissing, RestorePosition, SensorFault};
use crate::event::{Event, RecordId, Status};
use crate::infer::SICK_MAX;
use crate::ply::Ply;
use crate::table::records::{Draft, Record};
use crate::table::scene::{Report, Scene};
use crate::table::{Table, named};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

/// What is on record about a square, open or answered, accounts for it.
const ACCOUNTS: [Name; 9] = [
    Name::PieceMissing,
    Name::PieceDisplaced,
    Name::DisplacementFoundLate,
    Name::SensorFault,
    Name::UnexplainedPosition,
    Name::RecordGap,
    Name::IllegalMovePending,
    Name::IllegalMoveCompleted,
    Name::PromotionNotReplaced,
];

/// A square that is not as the position has it, through a whole turn of everybody.
struct Differing {
    square: Square,
    expected: Content,
    since_ply: Ply,
}

impl<V: Variant> Table<V> {
    /// A ply was completed: what has differed while everybody moved once is nobody's hand, for none holds so long.
    pub(in crate::table) fn look_for_unaccounted(&mut self, out: &mut Vec<Event>) {
        // What an arbiter enters is not what the board shows.
        if self.scene.is_ruling {
            return;
        }
        let differing: Vec<Differing> = differing(&self.scene)
            .into_iter()
            .filter(|differing| !self.is_known_sick(differing.square))
            .collect();
        // Several at once: it is the line that is wrong, or it was no sensor.
        let are_many = differing.len() > SICK_MAX;
        let is_open = |differing: &Differing| !self.is_accounted(differing.square);
        let is_read = |differing: &Differing| !shown(&self.scene, differing.square).is_empty();
        let (read, gone): (Vec<Differing>, Vec<Differing>) =
            differing.into_iter().filter(is_open).partition(is_read);
        for differing in &gone {
            self.missing(differing, out);
        }
        if are_many && !read.is_empty() {
            let squares: Vec<Square> = read.iter().map(|differing| differing.square).collect();
            return gaps::unexplained(&squares, &mut self.report(out));
        }
        for Differing { square, expected, .. } in read {
            let fault = if expected.is_empty() { Fault::Stuck } else { Fault::WrongPiece };
            suspect(square, fault, &mut self.report(out));
        }
    }

    /// Its sensor was found out, whatever the arbiter has said of that since.
    fn is_known_sick(&self, square: Square) -> bool {
        let is_about = |record: &Record| {
            let is_known = matches!(&record.finding, Finding::SensorFault(fault) if !fault.is_suspected());
            is_known && record.key.squares.contains(&square) && (record.is_open() || record.by_arbiter)
        };
        self.scene.game.as_ref().is_some_and(|game| game.tracker.is_sick(square))
            && self.records.iter().any(is_about)
    }

    /// Something is on record about what `square` shows now. What was answered is, as long as it shows the same.
    fn is_accounted(&self, square: Square) -> bool {
        let Some(game) = &self.scene.game else { return false };
        let changed = game.ledger.evidence().last_change(square);
        let is_answered = |record: &Record| record.by_arbiter && record.inputs.1 >= changed;
        let is_about = |record: &Record| {
            ACCOUNTS.contains(&record.name())
                && record.key.squares.contains(&square)
                && (record.is_open() || is_answered(record))
        };
        self.records.iter().any(is_about)
    }

    fn missing(&mut self, differing: &Differing, out: &mut Vec<Event>) {
        let &Differing { square, since_ply, .. } = differing;
        let Some(game) = &self.scene.game else { return };
        let ply = game.tracker.plies();
        let position = game.tracker.position(ply);
        let piece = V::FAMILY.man_name(position.content(square)).unwrap_or_default();
        let fen = position.fen();
        // What was never seen where it went is hardly gone from there.
        let record = if is_never_seen(&self.scene, square) {
            suspect(square, Fault::Dead, &mut self.report(out))
        } else {
            let found = PieceMissing { ply, square: named::<V>(square), piece, since_ply };
            self.open(Draft::open(found).squares(&[square]), out)
        };
        self.propose(Draft::open(RestorePosition { fen, side: None, ply }), record, out);
    }
}

/// The picture is another one: a piece that is back, or that went on from there, is not missing, and a square that
/// agrees with the position again is suspected no longer.
pub(in crate::table) fn judge_unaccounted<V: Variant>(report: &mut Report<'_, V>) {
    let is_judged = |record: &&Record| match &record.finding {
        Finding::PieceMissing(_) => true,
        Finding::SensorFault(fault) => fault.square.is_some() && fault.is_suspected(),
        _ => false,
    };
    let square = |record: &Record| Some((record.number, *record.key.squares.first()?));
    let open: Vec<(RecordId, Square)> = report.records.open().filter(is_judged).filter_map(square).collect();
    for (record, square) in open {
        let Some(game) = report.scene.game.as_ref() else { return };
        let expected = report.scene.view.see(game.tracker.position(game.tracker.plies()).content(square));
        let is_of_sensor =
            |known: &Record| known.name() == Name::SensorFault && known.key.squares.contains(&square);
        let Some(finding) = report.records.record(record).map(|record| &record.finding) else { continue };
        let read = game.tracker.read_at(square).0;
        let status = match finding {
            Finding::PieceMissing(_) if expected.is_empty() || report.records.open().any(is_of_sensor) => {
                Some(Status::Withdrawn)
            }
            // A dead square reads what is there wherever nothing is; and no square is dead because of a move that was none.
            Finding::SensorFault(fault) if fault.fault == Fault::Dead && read.is_empty() => {
                let has_stood = |ply: Ply| !game.tracker.position(ply).content(square).is_empty();
                (!game.tracker.plies().all().any(has_stood)).then_some(Status::Withdrawn)
            }
            _ => (read == expected).then_some(Status::Corrected),
        };
        if let Some(status) = status {
            report.close(record, status);
        }
    }
}

/// Does one of `squares` still read otherwise than the position has it?
pub(in crate::table) fn still_differ<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> bool {
    let Some(game) = scene.game.as_ref() else { return false };
    let position = game.tracker.position(game.tracker.plies());
    squares.iter().any(|&square| shown(scene, square) != scene.view.see(position.content(square)))
}

/// Nothing has been read on `square` since the piece that the position has there came.
fn is_never_seen<V: Variant>(scene: &Scene<V>, square: Square) -> bool {
    let Some(tracker) = scene.game.as_ref().map(|game| &game.tracker) else { return false };
    let piece = tracker.position(tracker.plies()).content(square);
    let stands = |ply: &Ply| tracker.position(*ply).content(square) == piece;
    let came = tracker.plies().all().rev().take_while(stands).last().filter(|came| !stands(&came.before()));
    let (read, since_ns) = tracker.read_at(square);
    read.is_empty() && came.is_some_and(|came| since_ns < tracker.lifted_ns(came))
}

/// The square says what is not so: suspected, as long as it has not shown it of itself again and again.
fn suspect<V: Variant>(square: Square, fault: Fault, report: &mut Report<'_, V>) -> RecordId {
    let found = SensorFault {
        square: Some(named::<V>(square)),
        fault,
        evidence: Some(SensorFault::SUSPECTED),
        shown: None,
        expected: None,
    };
    report.open(Draft::open(found).squares(&[square]))
}

fn shown<V: Variant>(scene: &Scene<V>, square: Square) -> Content {
    scene.game.as_ref().map_or(Content::EMPTY, |game| game.tracker.read_at(square).0)
}

/// Each square that has differed since before everybody moved last, and the ply after which it did.
fn differing<V: Variant>(scene: &Scene<V>) -> Vec<Differing> {
    let Some(game) = scene.playing().filter(|game| !game.tracker.is_blind()) else { return Vec::new() };
    let tracker = &game.tracker;
    let is_completed = |ply: &Ply| game.plies.get(*ply).is_some_and(|known| known.completed_ns.is_some());
    let late: Vec<Ply> = tracker.plies().all().rev().filter(is_completed).take(V::ARMIES).collect();
    let Some(&first) = late.last().filter(|_| late.len() == V::ARMIES) else { return Vec::new() };
    let (before, now) = (tracker.position(first.before()), tracker.position(tracker.plies()));
    let differs = |square: Square| {
        let expected = scene.view.see(now.content(square));
        let (read, since_ns) = tracker.read_at(square);
        // What was there in one of these plies, or came or went in them, did not differ all the time.
        let is_so = read == expected
            || since_ns >= tracker.lifted_ns(first)
            || scene.view.see(before.content(square)) != expected;
        (!is_so).then_some(Differing { square, expected, since_ply: first.before() })
    };
    crate::infer::squares::<V>().filter_map(differs).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capture::pieces_frame;
    use crate::event::Body;
    use crate::ruling::Ruled;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::laws::Certainty;
    use adoube_rules::sensor::{Frame, Reading};
    use adoube_rules::stamp::{SECOND, Stamp};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    /// What is said of sensors and of what no rule explains, when a board that feels squares shows these
    /// placements and every move is pressed: each with its squares and its status.
    fn said(placements: &[&str]) -> Vec<(String, Status, Certainty)> {
        let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        let sides = ["white", "black"].into_iter().cycle();
        let frame = |placement: &str| {
            let named = pieces_frame(placement).unwrap();
            let occupied = named.contents().iter().map(|content| content.occupancy()).collect();
            Input::Reading(Reading::Frame(Frame::Occupancy(occupied)))
        };
        station.handle(&frame(START), Stamp::default(), &mut output);
        for ((index, placement), side) in (1_u64..).zip(placements).zip(sides) {
            let at = |s: u64| Stamp::default().at((index * 10 + s) * SECOND);
            station.handle(&frame(placement), at(0), &mut output);
            let press = Ruled::parse(&json!({ "name": "press", "side": side })).unwrap();
            station.handle(&Input::Ruling(press), at(5), &mut output);
        }
        let said = |event: &Event| match &event.body {
            Body::Record(said) => {
                let what = match &said.finding {
                    Finding::SensorFault(fault) => {
                        format!("{} {}", fault.square.as_ref()?.0, adoube_rules::words::written(&fault.fault))
                    }
                    Finding::UnexplainedPosition(found) => {
                        found.squares.iter().map(|square| square.0.as_str()).collect::<Vec<_>>().join(" ")
                    }
                    _ => return None,
                };
                Some((what, said.status, said.finding.certainty()))
            }
            _ => None,
        };
        output.events.iter().filter_map(said).collect()
    }

    const PLAYED: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R",
    ];

    #[test]
    fn a_square_that_reads_a_piece_too_many_is_suspected_while_it_does() {
        // Something comes to a3 together with Black's pawn, and is gone with White's bishop.
        let said = said(&[
            PLAYED[0],
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/P7/PPPP1PPP/RNBQKBNR",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/P4N2/PPPP1PPP/RNBQKB1R",
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/P4N2/PPPP1PPP/RNBQKB1R",
            PLAYED[4],
        ]);
        let of = |status: Status| ("a3 stuck".to_owned(), status, Certainty::Suspected);
        assert_eq!(said, [of(Status::Open), of(Status::Corrected)]);
    }

    #[test]
    fn what_is_as_it_was_played_is_no_fault() {
        assert_eq!(said(&PLAYED), []);
    }
}
