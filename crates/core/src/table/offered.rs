//! A game that nobody saw begin: a position in mid-game is offered as its start, and the arbiter may begin it from any
//! position that he names (DESIGN 2.5).

use super::records::{Draft, Record, Records};
use super::scene::Scene;
use super::{Table, orientation, pairing};
use crate::event::finding::{Finding, GameStarted, SetPosition, UnexplainedPosition};
use crate::event::{Event, RecordId, Status};
use crate::infer::{Tracker, View};
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::Content;
use adoube_rules::stamp::SECOND;
use adoube_rules::{Position as _, Variant};

/// A position has to rest so long to be offered: hands that set one up rest less.
const RESTED_NS: u64 = 5 * SECOND;

/// What stands on the board, as a start that may be offered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Offer {
    due_ns: Option<u64>,
    /// A game was played here, and none has begun since: what stands may be what is left of it.
    is_left_over: bool,
}

impl Offer {
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    /// A game was closed of which so many plies were played.
    pub(super) fn was_closed(&mut self, plies: Ply) {
        self.is_left_over |= !plies.is_start();
    }

    /// A game begins.
    pub(super) fn begins(&mut self) {
        *self = Self::default();
    }
}

impl<V: Variant> Table<V> {
    /// The board or its clock shows something new: a game may be on that waits for its array.
    pub(super) fn watch_for_offer(&mut self, out: &mut Vec<Event>) {
        self.offer.due_ns = None;
        if self.may_be_played() {
            let is_array = self.opening.due_ns().is_some();
            self.offer.due_ns = (!is_array).then_some(self.scene.now.mono_ns + RESTED_NS);
        } else if let Some((record, _)) = offered(&self.records) {
            self.close(record, Status::Withdrawn, out);
        }
    }

    /// Is a game played here that nobody saw begin? Beside a clock, its running tells.
    fn may_be_played(&self) -> bool {
        let is_under_way = match self.scene.clock.last() {
            Some(reading) => reading.running.is_some(),
            None => !self.offer.is_left_over,
        };
        let is_free = |game: &super::Game<V>| game.info.is_none() && game.plies.is_empty();
        // Analysis, the arbiter has said.
        let is_declined =
            self.records.iter().any(|record| is_offer(record) && record.status == Status::Rejected);
        let may_begin = self.scene.is_waiting() && self.scene.game.as_ref().is_none_or(is_free);
        is_under_way && may_begin && !is_declined
    }

    /// A position in mid-game has rested: it is offered, and never begun by itself, for it may be analysis.
    pub(super) fn offer(&mut self, out: &mut Vec<Event>) {
        self.offer.due_ns = None;
        let Some(start) = position_shown(&self.scene).filter(|_| self.may_be_played()) else { return };
        let now = SetPosition { fen: start.fen() };
        match offered(&self.records) {
            // The game went on meanwhile, or hands were at work that left it as it was.
            Some((_, known)) => {
                let now = Finding::from(now);
                if self.records.record(known).is_some_and(|known| known.finding != now) {
                    self.amend(known, |known| known.finding = now, out);
                }
            }
            None => {
                let found = UnexplainedPosition { ply: Ply::FIRST, squares: Vec::new() };
                let draft = Draft::open(found).severity(Severity::Notice).fens(start.shown(), start.shown());
                let record = self.open(draft, out);
                self.propose(Draft::open(now), record, out);
            }
        }
    }

    /// A game begins from the position `text`, the arbiter says; the board may show it, be a few plies on, or have to be
    /// set up so.
    pub(super) fn start_from(&mut self, text: &str, out: &mut Vec<Event>) -> Outcome {
        let known = self.scene.game.as_ref().map(|game| game.tracker.best());
        let like = known.unwrap_or_else(|| pairing::usual_start(&self.scene));
        let start = V::read(text, like).map_err(inapplicable)?;
        let known = self.scene.game.as_ref().map(|game| game.turned);
        let turned = self.scene.setting.turned.or(known);
        let turned = turned.unwrap_or_else(|| orientation::orientation_of(&self.scene, &start));
        self.begins_by_ruling(start, turned, out);
        Ok(())
    }

    /// The game begins from `start` here and now; one that waits for its array is the one that begins.
    pub(super) fn begins_by_ruling(&mut self, start: V::Position, turned: u32, out: &mut Vec<Event>) {
        if self.scene.game.is_some() || !self.scene.is_waiting() {
            self.leave(out);
        }
        self.begin(start, turned, out);
        self.starts(out);
    }

    /// The game on the board is played from now on, whatever its clock does.
    pub(super) fn starts(&mut self, out: &mut Vec<Event>) {
        self.open_game(out);
        if let Some(game) = &mut self.scene.game {
            game.is_started = true;
        }
        self.open(Draft::notice(GameStarted {}), out);
        self.follow_from_start(out);
    }

    /// The board shows the start, or what a few plies made of it before anybody knew; else the start has to be set up.
    pub(super) fn follow_from_start(&mut self, out: &mut Vec<Event>) {
        if self.scene.sensed.is_empty() {
            return;
        }
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &self.scene.game else { return };
        let changes = orientation::differences(&self.scene, &game.tracker, game.turned);
        if !changes.is_empty() {
            self.with_tracker(out, |tracker, steps| tracker.went_on_unseen(&changes, at_ns, steps));
        }
        self.mask(None, out);
    }

    /// The first picture of a game that began before anything was seen.
    pub(super) fn seen_at_last(&mut self, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        let start = game.tracker.position(Ply::START).clone();
        let turned = orientation::orientation_of(&self.scene, &start);
        let (view, parameters) = (self.scene.view, self.scene.setting.parameters);
        if let Some(game) = &mut self.scene.game {
            game.tracker = Tracker::new(view, start, parameters, game.tracker.made_ns(Ply::START));
            game.turned = turned;
        }
        orientation::say_orientation(turned, &mut self.report(out));
        self.follow_from_start(out);
    }
}

/// The position on a board that names its pieces, as a game may have come to it: whose time runs is to move.
pub(super) fn position_shown<V: Variant>(scene: &Scene<V>) -> Option<V::Position> {
    if scene.view != View::Identity || scene.sensed.is_empty() {
        return None;
    }
    let usual = pairing::usual_start(scene);
    let contents = orientation::oriented(scene, orientation::orientation_of(scene, usual));
    // Pieces that stand on their squares of the array alone are on their way there.
    let is_at_home =
        |(square, content): (_, &Content)| content.is_empty() || usual.content(square) == *content;
    if crate::infer::squares::<V>().zip(&contents).all(is_at_home) {
        return None;
    }
    let turn = scene.clock.last().and_then(|reading| reading.running).unwrap_or_else(|| usual.turn());
    let shown = usual.accepted(&contents, Some(turn));
    let is_possible = shown.impossible_counts().is_empty() && V::read(&shown.fen(), usual).is_ok();
    is_possible.then_some(shown)
}

/// The record by which a position is offered as a start, and its proposal.
fn offered(records: &Records) -> Option<(RecordId, RecordId)> {
    let record = records.open().find(|record| is_offer(record))?.number;
    let proposal = records.open().find(|known| known.of == Some(record))?.number;
    Some((record, proposal))
}

fn is_offer(record: &Record) -> bool {
    record.name() == Name::UnexplainedPosition && record.severity == Some(Severity::Notice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::pieces_frame;
    use crate::event::Body;
    use crate::ruling::Ruled;
    use crate::station::{FRAMES, Input, Open, OpenPairing, Output, Station};
    use adoube_rules::sensor::{ClockReading, Frame, Reading, Side};
    use adoube_rules::stamp::Stamp;
    use serde_json::json;

    const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const SPANISH: &str = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R";
    const BA4: &str = "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R";
    const NF6: &str = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R";
    const CASTLED: &str = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1";

    struct Board(Station, Output);

    impl Board {
        fn new() -> Self {
            let station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
            Self(station, Output::default())
        }

        fn paired() -> Self {
            let mut board = Self::new();
            let pairing = OpenPairing { round: 1, number: 1, ..OpenPairing::default() };
            board.at(0, &Input::Pairing(Some(pairing)));
            board
        }

        fn at(&mut self, second: u64, input: &Input) {
            self.0.handle(input, Stamp::default().at(second * SECOND), &mut self.1);
        }

        fn shows(&mut self, second: u64, placement: &str) {
            self.at(second, &Input::Reading(Reading::Frame(pieces_frame(placement).unwrap())));
        }

        fn ruled(&mut self, second: u64, ruling: serde_json::Value) -> Option<String> {
            self.1.refused = None;
            self.at(second, &Input::Ruling(Ruled::parse(&ruling).unwrap()));
            self.1.refused.as_ref().map(ToString::to_string)
        }

        fn clock(&mut self, second: u64, running: Option<Side>) {
            let reading = ClockReading {
                left_ms: [3_600_000; 2],
                running,
                lever: running,
                flags: [false; 2],
                counter: None,
                by_end: false,
            };
            self.at(second, &Input::Reading(Reading::Clock(Some(reading))));
        }

        /// Each change of the record that offers a start: when, its status, and the position then.
        fn offers(&self) -> Vec<(u64, Status, String)> {
            let mut fen = String::new();
            let mut offers = Vec::new();
            for event in self.1.events.iter().rev() {
                let Body::Record(said) = &event.body else { continue };
                match &said.finding {
                    Finding::SetPosition(set) => fen.clone_from(&set.fen),
                    Finding::UnexplainedPosition(_) => {
                        offers.push((event.elapsed_ns / SECOND, said.status, fen.clone()));
                    }
                    _ => {}
                }
            }
            offers.reverse();
            offers
        }

        /// Where games began, and the moves that were made.
        fn played(&self) -> (Vec<String>, Vec<String>) {
            let mut starts = Vec::new();
            let mut moves = Vec::new();
            for event in &self.1.events {
                match &event.body {
                    Body::GameOpened(info) => starts.push(info.start.clone()),
                    Body::GameChanged { info, .. } => starts.push(info.start.clone()),
                    Body::MoveMade(made) => moves.push(made.played.san()),
                    _ => {}
                }
            }
            (starts, moves)
        }
    }

    #[test]
    fn a_position_that_rests_where_a_game_is_awaited_is_offered_and_begins_by_the_arbiter_alone() {
        let mut board = Board::paired();
        board.shows(1, SPANISH);
        board.at(60, &Input::Wake);
        let fen = format!("{SPANISH} w KQkq - 0 1");
        assert_eq!(board.offers(), [(6, Status::Open, fen.clone())]);
        assert_eq!(board.played().0, [format!("{ARRAY} w KQkq - 0 1")]);
        assert_eq!(board.ruled(61, json!({ "name": "confirm", "record": "unexplained-position" })), None);
        for (second, placement) in [(70, BA4), (80, NF6), (90, CASTLED)] {
            board.shows(second, placement);
        }
        board.at(100, &Input::Wake);
        assert_eq!(board.played().0.last(), Some(&fen));
        assert_eq!(board.played().1, ["Ba4", "Nf6", "O-O"]);
        assert_eq!(board.offers().last().map(|offer| offer.1), Some(Status::Confirmed));
    }

    #[test]
    fn an_offer_goes_with_the_game_and_is_over_when_the_array_stands() {
        let mut board = Board::paired();
        board.shows(1, SPANISH);
        board.shows(10, BA4);
        board.at(20, &Input::Wake);
        let set = board.1.events.iter().rev().find_map(|event| match &event.body {
            Body::Record(said) => match &said.finding {
                Finding::SetPosition(set) => Some(set.fen.clone()),
                _ => None,
            },
            _ => None,
        });
        assert_eq!(set, Some(format!("{BA4} w KQkq - 0 1")), "nobody knows whose turn it is");
        board.shows(30, ARRAY);
        board.at(40, &Input::Wake);
        assert_eq!(
            board.offers().iter().map(|offer| offer.1).collect::<Vec<_>>().last(),
            Some(&Status::Corrected)
        );
    }

    #[test]
    fn what_the_arbiter_takes_for_analysis_is_offered_no_more() {
        let mut board = Board::paired();
        board.shows(1, SPANISH);
        board.at(10, &Input::Wake);
        assert_eq!(board.ruled(11, json!({ "name": "reject", "record": "unexplained-position" })), None);
        board.shows(20, BA4);
        board.at(40, &Input::Wake);
        let statuses: Vec<Status> = board.offers().into_iter().map(|offer| offer.1).collect();
        assert_eq!(statuses, [Status::Open, Status::Rejected]);
    }

    #[test]
    fn whose_clock_runs_is_to_move_and_a_clock_that_stands_offers_nothing() {
        let mut board = Board::paired();
        board.clock(0, None);
        board.shows(1, SPANISH);
        board.at(60, &Input::Wake);
        assert_eq!(board.offers(), []);
        board.clock(61, Some(Side::Black));
        board.at(70, &Input::Wake);
        assert_eq!(board.offers(), [(66, Status::Open, format!("{SPANISH} b KQkq - 0 1"))]);
    }

    #[test]
    fn what_is_left_of_a_game_is_not_the_next_one() {
        let mut board = Board::new();
        board.shows(1, ARRAY);
        board.shows(10, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        board.at(20, &Input::Wake);
        assert_eq!(board.ruled(30, json!({ "name": "result", "value": "1-0" })), None);
        let pairing = OpenPairing { round: 2, number: 1, ..OpenPairing::default() };
        board.at(40, &Input::Pairing(Some(pairing)));
        board.at(100, &Input::Wake);
        assert_eq!(board.offers(), []);
    }

    #[test]
    fn a_board_that_nobody_is_paired_to_may_be_analysed() {
        let mut board = Board::new();
        board.shows(1, SPANISH);
        board.at(60, &Input::Wake);
        assert_eq!(board.offers(), []);
        let refused = board.ruled(61, json!({ "name": "start-game" })).unwrap();
        assert!(refused.contains(SPANISH), "{refused}");
    }

    #[test]
    fn a_ruling_begins_a_game_before_the_board_has_shown_anything() {
        let mut board = Board::new();
        let fen = format!("{SPANISH} w KQkq - 0 1");
        assert_eq!(board.ruled(1, json!({ "name": "start-game", "fen": fen })), None);
        board.shows(5, SPANISH);
        board.shows(10, BA4);
        board.at(20, &Input::Wake);
        assert_eq!(board.played(), (vec![fen], vec!["Ba4".to_owned()]));
    }

    #[test]
    fn a_ruling_begins_a_game_that_is_some_plies_on() {
        let mut board = Board::new();
        board.shows(1, CASTLED);
        let fen = format!("{SPANISH} w KQkq - 0 1");
        assert_eq!(board.ruled(5, json!({ "name": "start-game", "fen": fen })), None);
        board.at(20, &Input::Wake);
        assert_eq!(board.played(), (vec![fen], ["Ba4", "Nf6", "O-O"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_ruling_names_the_pieces_of_a_board_that_does_not() {
        let mut board = Board::new();
        let shows = |board: &mut Board, second, placement: &str| {
            let named = pieces_frame(placement).unwrap();
            let occupied = named.contents().iter().map(|content| content.occupancy()).collect();
            board.at(second, &Input::Reading(Reading::Frame(Frame::Occupancy(occupied))));
        };
        shows(&mut board, 1, SPANISH);
        let fen = format!("{SPANISH} w KQkq - 0 1");
        assert_eq!(board.ruled(5, json!({ "name": "start-game", "fen": fen })), None);
        shows(&mut board, 10, BA4);
        board.at(20, &Input::Wake);
        assert_eq!(board.played(), (vec![fen], vec!["Ba4".to_owned()]));
    }
}
