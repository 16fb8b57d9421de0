//! A game that nobody saw begin: a position in mid-game is offered as its start, and the arbiter may begin it from any
//! position that he names (DESIGN 2.5).

use serde::{Deserialize, Serialize};

use super::records::{Draft, Record, Records};
use super::scene::Scene;
use super::{Table, all_named, orientation, pairing, setting_up};
use crate::event::finding::{Finding, GameStarted, SetPosition, UnexplainedPosition};
use crate::event::{Body, Event, RecordId, Status};
use crate::infer::View;
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::draw::History;
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::Content;
use adoube_rules::stamp::SECOND;
use adoube_rules::{Position as _, Variant};

/// A position has to rest so long to be offered: hands that set one up rest less.
const RESTED_NS: u64 = 5 * SECOND;
/// The same while the clock runs: nobody sets up then, and a fast game hardly rests longer.
const RESTED_IN_PLAY_NS: u64 = SECOND;

/// What stands on the board, as a start that may be offered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Offer {
    due_ns: Option<u64>,
    /// What stood there when the last game was closed that was played here; `None` once another has begun.
    left: Option<Vec<Content>>,
    /// The arbiter has said that what goes on there is no game.
    is_declined: bool,
}

impl Offer {
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    /// A game that was played is over, and this is left of it.
    pub(super) fn was_played(&mut self, sensed: &[Content]) {
        self.left = Some(sensed.to_vec());
    }

    /// Another game waits for its array.
    pub(super) fn awaits_another(&mut self) {
        self.is_declined = false;
    }

    /// The arbiter has said that no game is played.
    pub(super) fn was_declined(&mut self) {
        self.is_declined = true;
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
        if self.may_begin() {
            let is_array = self.opening.due_ns().is_some();
            let is_running = self.scene.running().is_some();
            let rested_ns = if is_running { RESTED_IN_PLAY_NS } else { RESTED_NS };
            self.offer.due_ns = (!is_array).then_some(self.scene.now.mono_ns + rested_ns);
        } else if let Some((record, _)) = offered(&self.records) {
            self.close(record, Status::Withdrawn, out);
        }
    }

    /// A game waits for its array, which does not stand, and the arbiter has not said that nothing is played.
    fn may_begin(&self) -> bool {
        let is_free = |game: &super::Game<V>| game.info.is_none() && game.plies.is_empty();
        self.scene.is_waiting() && !self.offer.is_declined && self.scene.game.as_ref().is_none_or(is_free)
    }

    /// Is one played here that nobody saw begin? Beside a clock, its running tells, unless that was never stopped; without
    /// one, what is left of a game is often looked at together.
    fn has_begun_unseen(&self) -> bool {
        match self.scene.clock.last() {
            Some(reading) => {
                reading.running.is_some() && self.offer.left.as_ref() != Some(&self.scene.sensed)
            }
            None => self.offer.left.is_none(),
        }
    }

    /// A position in mid-game has rested: it is offered, and never begun by itself, for it may be analysis.
    pub(super) fn offer(&mut self, out: &mut Vec<Event>) {
        self.offer.due_ns = None;
        let Some(start) = position_shown(&self.scene).filter(|_| self.may_begin() && self.has_begun_unseen())
        else {
            return;
        };
        let found = UnexplainedPosition { ply: Ply::FIRST, squares: Vec::new() };
        let draft = Draft::open(found).severity(Severity::Notice).fens(start.shown(), start.shown());
        let now = SetPosition { fen: start.fen() };
        let Some((record, proposal)) = offered(&self.records) else {
            let record = self.open(draft, out);
            return self.propose(Draft::open(now), record, out);
        };
        // The game went on meanwhile, or hands were at work that left it as it was.
        let now = Finding::from(now);
        if self.records.record(proposal).is_some_and(|known| known.finding != now) {
            self.amend(record, |record| record.fens = Some([start.shown(), start.shown()]), out);
            self.amend(proposal, |known| known.finding = now, out);
        }
    }

    /// The position `text` that was offered is the start.
    pub(super) fn start_offered(&mut self, text: &str, out: &mut Vec<Event>) -> Outcome {
        let is_turn_assumed = self.scene.running().is_none();
        self.start_from(text, out)?;
        if let Some(game) = &mut self.scene.game {
            game.is_turn_assumed = is_turn_assumed;
        }
        Ok(())
    }

    /// The first move from a position that was offered is one of the other side: it was to move.
    pub(super) fn watch_for_turn(&mut self, out: &mut Vec<Event>) {
        let is_open = |game: &&super::Game<V>| game.is_turn_assumed && game.plies.is_empty();
        let Some(game) = self.scene.playing().filter(is_open).filter(|game| !game.tracker.is_explained())
        else {
            return;
        };
        let start = game.tracker.position(Ply::START);
        let contents: Vec<Content> =
            crate::infer::squares::<V>().map(|square| start.content(square)).collect();
        let start = pairing::usual_start(&self.scene).accepted(&contents, Some(start.turn().other()));
        let began_ns = game.tracker.made_ns(Ply::START);
        let mut tracker = self.scene.tracker(start.clone(), game.turned, began_ns);
        let changes = orientation::differences(&self.scene, &tracker, game.turned);
        tracker.changed(&changes, self.scene.now.mono_ns, &mut Vec::new());
        if !tracker.is_explained() || tracker.best().turn() == start.turn() {
            return;
        }
        let Some(game) = &mut self.scene.game else { return };
        (game.tracker, game.start, game.history) = (tracker, start.fen(), History::new(&start));
        let Some(info) = &mut game.info else { return };
        info.start = start.fen();
        let info = info.clone();
        self.emit(Body::GameChanged { info, result: None }, out);
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
        self.begins_by_ruling(start, turned, true, out);
        Ok(())
    }

    /// The game begins from `start` here and now; one that waits for its array is the one that begins.
    /// Of a position that is given the clock has run, whatever it does now.
    pub(super) fn begins_by_ruling(
        &mut self,
        start: V::Position,
        turned: u32,
        is_given: bool,
        out: &mut Vec<Event>,
    ) {
        if !self.scene.is_waiting() {
            self.leave(out);
        }
        self.begin(start, turned, out);
        if let Some(game) = &mut self.scene.game {
            game.is_given = is_given;
        }
        self.scene.timing.is_started |= is_given;
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

    /// The board shows the start, or what a few plies made of it before anybody knew; else the start has to be set up, and
    /// it is said where it is not.
    fn follow_from_start(&mut self, out: &mut Vec<Event>) {
        if self.scene.sensed.is_empty() {
            return;
        }
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &self.scene.game else { return };
        let changes = orientation::differences(&self.scene, &game.tracker, game.turned);
        if !changes.is_empty() {
            self.with_tracker(out, |tracker, steps| tracker.went_on_unseen(&changes, at_ns, steps));
        }
        let squares = setting_up::differing_squares(&self.scene);
        let record = (!squares.is_empty()).then(|| {
            let found = UnexplainedPosition { ply: Ply::FIRST, squares: all_named::<V>(&squares) };
            self.open(Draft::open(found).squares(&squares), out)
        });
        self.mask(record, out);
    }

    /// The first picture of a game that began before anything was seen.
    pub(super) fn seen_at_last(&mut self, out: &mut Vec<Event>) {
        let Some(known) = self.scene.game.as_ref().map(|game| &game.tracker) else { return };
        let start = known.position(Ply::START).clone();
        let turned = orientation::orientation_of(&self.scene, &start);
        let mut tracker = self.scene.tracker(start.clone(), turned, known.made_ns(Ply::START));
        // What the arbiter has entered meanwhile was played.
        let entered = known.plies().all().map_while(|ply| Some((known.mv(ply)?, known.made_ns(ply))));
        for (mv, made_ns) in entered {
            tracker.take_as_made(mv, made_ns, &mut Vec::new());
        }
        let is_same = tracker.plies() == known.plies();
        if let Some(game) = &mut self.scene.game {
            game.turned = turned;
            if is_same {
                game.tracker = tracker;
            }
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

/// Is a position in mid-game offered by it?
pub(super) fn is_offer(record: &Record) -> bool {
    record.name() == Name::UnexplainedPosition && record.severity == Some(Severity::Notice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::pieces_frame;
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
    fn a_game_begun_in_its_middle_accuses_nobody_of_its_beginning() {
        for is_black in [false, true] {
            let mut board = Board::paired();
            board.shows(1, SPANISH);
            board.at(10, &Input::Wake);
            assert_eq!(board.ruled(11, json!({ "name": "confirm", "record": "unexplained-position" })), None);
            // Nobody knows who is to move.
            let first =
                if is_black { "r1bqkb1r/1ppp1ppp/p1n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R" } else { BA4 };
            board.clock(15, None);
            board.shows(20, first);
            board.clock(25, Some(if is_black { Side::White } else { Side::Black }));
            board.at(40, &Input::Wake);
            let turn = if is_black { "b" } else { "w" };
            assert_eq!(board.played().0.last(), Some(&format!("{SPANISH} {turn} KQkq - 0 1")));
            assert_eq!(board.played().1, [if is_black { "Nf6" } else { "Ba4" }]);
            let names: Vec<&str> = board.1.events.iter().map(|event| event.body.name().as_str()).collect();
            for wrong in
                ["start-position-wrong", "move-out-of-turn", "wrong-clock-started", "clock-setting-wrong"]
            {
                assert!(!names.contains(&wrong), "{wrong}: {names:?}");
            }
            assert_eq!(names.iter().filter(|&&name| name == "game-started").count(), 1);
            assert_eq!(names.iter().filter(|&&name| name == "game-closed").count(), 0);
        }
    }

    #[test]
    fn what_the_arbiter_entered_before_the_board_was_seen_stays() {
        let mut board = Board::new();
        let fen = format!("{SPANISH} w KQkq - 0 1");
        assert_eq!(board.ruled(1, json!({ "name": "start-game", "fen": fen })), None);
        for (ply, uci) in [(1, "b5a4"), (2, "g8f6")] {
            assert_eq!(board.ruled(2, json!({ "name": "insert-move", "ply": ply, "uci": uci })), None);
        }
        board.shows(5, NF6);
        board.clock(7, Some(Side::White));
        board.shows(10, CASTLED);
        board.at(20, &Input::Wake);
        assert_eq!(board.played().1, ["Ba4", "Nf6", "O-O"]);
    }

    #[test]
    fn a_start_that_the_board_does_not_show_is_said_until_it_does() {
        let mut board = Board::new();
        let fen = format!("{SPANISH} w KQkq - 0 1");
        let without_a2 = SPANISH.replace("PPPP1PPP", "1PPP1PPP");
        board.shows(1, &without_a2);
        assert_eq!(board.ruled(5, json!({ "name": "start-game", "fen": fen })), None);
        board.shows(10, SPANISH);
        let said: Vec<Status> = board.offers().into_iter().map(|said| said.1).collect();
        assert_eq!(said, [Status::Open, Status::Corrected]);
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
        assert_eq!(board.offers(), [(62, Status::Open, format!("{SPANISH} b KQkq - 0 1"))]);
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
        // As the journal goes on with the next game; somebody looks at the last one.
        let carried = board.0.carry(None).unwrap();
        board.0 = Station::resume(carried, Stamp::default().at(100 * SECOND)).unwrap();
        board.shows(110, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
        board.at(200, &Input::Wake);
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
