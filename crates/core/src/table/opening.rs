//! How a game begins: the start array on the board, whichever way round it stands.

use super::pending::Pending;
use super::scene::Scene;
use super::{Game, Mode, Table, orientation, setting_up};
use crate::event::{Body, Event, Status};
use crate::infer::View;
use crate::ply::Plies;
use adoube_rules::draw::History;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::SECOND;
use adoube_rules::{Position as _, Variant};

use super::ledger::Ledger;

/// A start array has to stand so long to open a game by itself (DESIGN 5.7).
const STOOD_NS: u64 = 3 * SECOND;

/// A start array on the board that is not yet a game.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opening {
    due_ns: Option<u64>,
}

impl Opening {
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    pub(super) fn stands_until(&mut self, due_ns: Option<u64>) {
        self.due_ns = due_ns;
    }
}

impl<V: Variant> Table<V> {
    /// The first picture of the board: a game from a given position begins with it.
    pub(super) fn first_frame(&mut self, out: &mut Vec<Event>) {
        let Some(start) = self.scene.setting.start.clone() else { return self.watch_for_start(out) };
        let turned = orientation::orientation_of(&self.scene, &start);
        self.begin(given_start(&self.scene, start), turned, out);
        setting_up::judge_array(&mut self.report(out));
        if self.scene.setting.in_progress || self.records.open_record(Name::StartPositionWrong).is_none() {
            self.open_game(out);
            setting_up::judge_counts(&mut self.report(out));
        }
        if self.scene.setting.in_progress {
            self.play_begins(out);
        }
        self.show_to_tracker(out);
    }

    /// Notices the start of the next game.
    pub(super) fn watch_for_start(&mut self, out: &mut Vec<Event>) {
        self.watch_for_array(out);
        self.watch_for_offer(out);
    }

    /// Notices a start array where none is expected.
    fn watch_for_array(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        self.opening.due_ns = None;
        let is_kept = self.scene.paired.is_kept() && self.scene.info().is_none();
        // Where a position is being set up, the array is what stood there before.
        if is_kept || self.scene.mode() == Mode::Moved {
            return;
        }
        let is_unstarted = |game: &Game<V>| game.plies.is_empty() && !game.is_started;
        if self.scene.setting.start.is_some() && self.scene.game.is_some() {
            // An array that is put right before anybody starts the clock is the start after all.
            let is_wrong = self.records.open_record(Name::StartPositionWrong).is_some();
            let is_open = is_wrong && self.scene.game.as_ref().is_some_and(is_unstarted);
            if let Some((start, turned)) = recognise(&self.scene).filter(|_| is_open) {
                self.begin(start, turned, out);
                self.open_game(out);
            }
            return;
        }
        let is_waiting = match &self.scene.game {
            None => true,
            Some(game) if game.result.is_some() => true,
            Some(game) if is_unstarted(game) => true,
            Some(game) if game.info.is_none() => game.plies.is_empty(),
            // Reached by play it opens nothing; set up out of the middle of a game it does.
            Some(game) => {
                game.is_taken_back_too_far()
                    || (!game.plies.is_empty() && (self.scene.is_paused() || !game.tracker.is_explained()))
            }
        };
        if !is_waiting {
            return;
        }
        // Once a game is open from its array, a man that is wrong is a man displaced.
        let is_open =
            self.scene.game.as_ref().is_some_and(|game| game.info.is_some() && game.result.is_none());
        let is_played =
            self.scene.game.as_ref().is_some_and(|game| !game.plies.is_empty() && game.result.is_none());
        let Some((start, turned)) = array_shown(&self.scene, !is_played && !is_open) else { return };
        let is_fresh = match &self.scene.game {
            None => true,
            Some(game) if game.result.is_some() => true,
            Some(game) => {
                // What was doubted has spoken after all.
                let is_right_now = game.tracker.began_wrong() && recognise(&self.scene).is_some();
                is_unstarted(game) && (game.turned != turned || game.start != start.fen() || is_right_now)
            }
        };
        if is_fresh {
            // A game that is open, and of which nothing was played, is the same one on a board that
            // was turned or put right.
            let text = start.fen();
            let info = self
                .scene
                .game
                .as_mut()
                .filter(|game| game.result.is_none() && game.start == text)
                .and_then(|game| game.info.take());
            let is_open = info.is_some();
            // A game that waits for its array is not over because one is recognised.
            if !is_open && self.scene.game.as_ref().is_some_and(|game| game.info.is_some()) {
                self.close_game(out);
                if self.scene.paired.is_kept() {
                    return;
                }
            }
            self.begin(start, turned, out);
            self.doubt_what_differs();
            if let Some(game) = &mut self.scene.game {
                game.info = info;
            }
        }
        let is_open =
            self.scene.game.as_ref().is_some_and(|game| game.info.is_some() && game.plies.is_empty());
        self.opening.due_ns = (!is_open).then_some(at_ns + STOOD_NS);
    }

    /// The start array has stood long enough, or one that is nearly it.
    pub(super) fn array_stood(&mut self, out: &mut Vec<Event>) {
        self.opening.due_ns = None;
        let Some((start, turned)) = recognise(&self.scene) else {
            // It is put right, or the game starts from it all the same.
            if self.is_setting_up() {
                setting_up::judge_array(&mut self.report(out));
            }
            return;
        };
        if is_reached_by_play(&self.scene) {
            return;
        }
        self.men_went_home(out);
        if self.scene.game.as_ref().is_some_and(|game| !game.plies.is_empty()) {
            if self.awaits_result() {
                return;
            }
            self.close_game(out);
            self.begin(start, turned, out);
        }
        self.open_game(out);
        setting_up::judge_layout(&mut self.report(out));
    }

    /// Follows the board from `start` on, without saying so yet.
    pub(super) fn begin(&mut self, start: V::Position, turned: u32, out: &mut Vec<Event>) {
        let text = start.fen();
        let history = History::new(&start);
        let timing = self.scene.timing.begin(&self.scene.setting, &start, self.scene.now.mono_ns);
        self.keep_sick();
        let tracker = self.scene.tracker(start, turned, self.scene.now.mono_ns);
        self.pending = Pending::default();
        self.offer.begins();
        let is_of_set_up = |record: &super::Record| {
            [
                Name::StartPositionWrong,
                Name::BoardOrientationWrong,
                Name::UnexplainedPosition,
                Name::SetPosition,
            ]
            .contains(&record.name())
        };
        self.close_all(is_of_set_up, Status::Corrected, out);
        self.records.clear();
        self.scene.timing = timing;
        self.scene.clock.begin_game();
        self.scene.game = Some(Game {
            tracker,
            turned,
            transfer: None,
            info: None,
            plies: Plies::default(),
            is_started: self.scene.setting.in_progress,
            is_given: false,
            is_turn_assumed: false,
            result: None,
            start: text,
            ledger: Ledger::default(),
            displaced: Vec::new(),
            displacements: 0,
            history,
            claims: Default::default(),
            mode: Mode::Running,
            adjournment: None,
            going_home: None,
            going_on: None,
            ended_by: None,
            pair_ended: None,
            before_pair: None,
            held_ns: None,
        });
        orientation::say_orientation(turned, &mut self.report(out));
    }

    /// A game may begin although a square contradicts its array: that is not believed.
    pub(super) fn doubt_what_differs(&mut self) {
        let at_ns = self.scene.now.mono_ns;
        let sick = array_with_a_sick_square(&self.scene).map(|(_, _, square)| square);
        let Some((game, square)) = self.scene.game.as_mut().zip(sick) else { return };
        let content = self.scene.sensed[V::turned(square, (360 - game.turned) % 360)];
        game.tracker.doubt(square, content, at_ns);
    }

    /// Opens the game that stands on the board, if that has not been said.
    pub(super) fn open_game(&mut self, out: &mut Vec<Event>) {
        if self.scene.game.as_ref().is_none_or(|game| game.info.is_some()) {
            return;
        }
        self.opening.due_ns = None;
        let Some(start) = self.scene.game.as_ref().map(|game| game.start.clone()) else { return };
        // One that waited for its array was said to be open when it was paired.
        let waiting = self.waiting_info(&start, out);
        let is_said = waiting.is_some();
        let info = waiting.unwrap_or_else(|| Box::new(self.next_info(start)));
        if let Some(game) = &mut self.scene.game {
            game.info = Some(info.clone());
        }
        if !is_said {
            self.emit(Body::GameOpened(info), out);
        }
    }

    /// Closes the game on the board, if one is open.
    pub(super) fn close_game(&mut self, out: &mut Vec<Event>) {
        if let Some(info) = self.scene.info().cloned() {
            let result = self.scene.game.as_ref().and_then(|game| game.result);
            if self.scene.game.as_ref().is_some_and(|game| !game.plies.is_empty()) {
                self.offer.was_played(&self.scene.sensed);
            }
            // The table forgets them with the game: nobody can decide them any more.
            self.close_all(|_| true, Status::Expired, out);
            self.emit(Body::GameClosed { result }, out);
            self.was_closed(info, result);
        }
        self.keep_sick();
        self.scene.game = None;
    }
}

/// A given position stands as it is once the game has begun. Before that it is an array, and who
/// may castle follows from the one that was agreed.
fn given_start<V: Variant>(scene: &Scene<V>, start: V::Position) -> V::Position {
    let setting = &scene.setting;
    if setting.in_progress || (setting.agreed.is_none() && !setting.shuffled) {
        return start;
    }
    let contents: Vec<Content> = crate::infer::squares::<V>().map(|square| start.content(square)).collect();
    match &setting.agreed {
        Some(agreed) => V::start_from(&contents, Some(agreed), setting.shuffled),
        None => V::recognise_start(&contents, true, setting.shuffled).unwrap_or(start),
    }
}

/// The start array that stands on the board was played, or taken back, to.
fn is_reached_by_play<V: Variant>(scene: &Scene<V>) -> bool {
    let is_reached = |game: &Game<V>| game.info.is_some() && !game.is_taken_back_too_far();
    // What the tracker was not shown, because of a pause or as displaced men, is no play.
    scene.playing().is_some_and(is_reached) && setting_up::differing_squares(scene).is_empty()
}

/// The start array, as far as the board shows it: whole, or, if it `may_be_wrong`, with men who do not stand right or a
/// square that is not to be believed.
fn array_shown<V: Variant>(scene: &Scene<V>, may_be_wrong: bool) -> Option<(V::Position, u32)> {
    let whole = recognise(scene);
    if whole.is_some() || !may_be_wrong {
        return whole;
    }
    nearly_an_array(scene).or_else(|| {
        let (start, turned, _) = array_with_a_sick_square(scene)?;
        Some((start, turned))
    })
}

/// The start array, and how the board lies that shows it.
pub(super) fn recognise<V: Variant>(scene: &Scene<V>) -> Option<(V::Position, u32)> {
    let named = scene.view == View::Identity;
    // Most pictures of a running game have too few men, whichever way the board lies.
    let men = scene.sensed.iter().filter(|content| !content.is_empty()).count();
    if scene.setting.agreed.is_none() && men.abs_diff(V::MEN) > scene.sick_before_play().len() {
        return None;
    }
    let belongs = scene.setting.agreed.as_ref().unwrap_or(&scene.setting.usual);
    orientation::orientations(scene).find_map(|turned| {
        let contents = scene.believed(turned, belongs);
        let start = match &scene.setting.agreed {
            Some(agreed) => {
                V::wrong_start(&contents, Some(agreed), named, false).is_none().then(|| agreed.clone())
            }
            None => V::recognise_start(&contents, named, scene.setting.shuffled).map(|start| {
                // Squares alone tell nothing of how men and colours lie on them.
                if named { start.under(&scene.setting.usual) } else { scene.setting.usual.clone() }
            }),
        };
        start.map(|start| (start, turned))
    })
}

/// The start array but for a square that has said nothing since the last game was played: whatever stands there, nobody
/// has put it there. (Two would be one man who has not gone home yet.) Where the array itself is open to lot, nobody knows
/// what belongs there.
fn array_with_a_sick_square<V: Variant>(scene: &Scene<V>) -> Option<(V::Position, u32, Square)> {
    let setting = &scene.setting;
    if scene.sensed.is_empty() || (setting.shuffled && setting.agreed.is_none()) {
        return None;
    }
    let start = setting.agreed.as_ref().unwrap_or(&setting.usual);
    orientation::orientations(scene).find_map(|turned| {
        let contents = scene.believed(turned, start);
        let belongs = |square: Square| scene.view.see(start.content(square));
        let mut differing =
            Square::all().zip(contents).filter(|&(square, content)| belongs(square) != content);
        let (square, content) = differing.next()?;
        let is_sick = differing.next().is_none()
            && (content.is_empty() || belongs(square).is_empty())
            && !scene.spoke.contains(V::turned(square, (360 - turned) % 360));
        is_sick.then(|| (start.clone(), turned, square))
    })
}

/// Men on all the squares of the start array, and nowhere else, but not each on its own: a game
/// may start from there. Only a board that names them shows it.
fn nearly_an_array<V: Variant>(scene: &Scene<V>) -> Option<(V::Position, u32)> {
    if scene.view != View::Identity {
        return None;
    }
    let (agreed, shuffled) = (scene.setting.agreed.as_ref(), scene.setting.shuffled);
    let wrong = |turned: u32| {
        let contents = scene.believed(turned, agreed.unwrap_or(&scene.setting.usual));
        let occupied: Vec<Content> = contents.iter().map(|content| content.occupancy()).collect();
        V::recognise_start(&occupied, false, false)?;
        let wrong = V::wrong_start(&contents, agreed, true, shuffled)?;
        Some((wrong.squares.len(), turned, contents))
    };
    let nearest = orientation::orientations(scene).filter_map(wrong).min_by_key(|(count, ..)| *count);
    nearest.map(|(_, turned, contents)| {
        let start = V::start_from(&contents, agreed, shuffled);
        (start.under(&scene.setting.usual), turned)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::capture::pieces_frame;
    use crate::event::finding::Finding;
    use crate::event::{Body, Event, Status};
    use crate::ruling::Ruled;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::Reading;
    use adoube_rules::stamp::{SECOND, Stamp};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    #[test]
    fn a_correction_of_the_counter_ends_with_its_game() {
        let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        let frame = |placement: &str| Input::Reading(Reading::Frame(pieces_frame(placement).unwrap()));
        let ruling = |json| Input::Ruling(Ruled::parse(&json).unwrap());
        let inputs = [
            frame(START),
            frame(E4),
            ruling(json!({ "name": "counter-correction" })),
            ruling(json!({ "name": "result", "value": "1-0" })),
            frame(START),
            Input::Wake,
            frame(E4),
            ruling(json!({ "name": "press", "side": "white" })),
            ruling(json!({ "name": "press", "side": "black" })),
            Input::Wake,
        ];
        for (index, input) in (0_u64..).zip(&inputs) {
            station.handle(input, Stamp::default().at(index * 5 * SECOND), &mut output);
            assert_eq!(output.refused, None);
        }
        let said: Vec<&str> = output.events.iter().map(|event| event.body.name().as_str()).collect();
        assert!(!said.contains(&"counter-corrected"), "{said:?}");
        assert!(
            said.contains(&"clock-pressed-without-move"),
            "Black's press is one without a move: {said:?}"
        );
    }

    #[test]
    fn what_waits_for_the_arbiter_does_not_outlive_its_game() {
        let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        let frame = |placement: &str| Input::Reading(Reading::Frame(pieces_frame(placement).unwrap()));
        let ruling = |json| Input::Ruling(Ruled::parse(&json).unwrap());
        let inputs = [
            frame(START),
            frame(E4),
            ruling(json!({ "name": "claim-touch-move", "side": "black" })),
            ruling(json!({ "name": "result", "value": "1-0" })),
            frame(START),
            Input::Wake,
        ];
        for (index, input) in (0_u64..).zip(&inputs) {
            station.handle(input, Stamp::default().at(index * 5 * SECOND), &mut output);
            assert_eq!(output.refused, None);
        }
        let claims = |event: &Event| match &event.body {
            Body::Record(said) if said.finding.name() == "claim-touch-move" => Some(said.status),
            _ => None,
        };
        let statuses: Vec<Status> = output.events.iter().filter_map(claims).collect();
        assert_eq!(statuses.last(), Some(&Status::Expired), "{statuses:?}");
        let at = |name: &str| output.events.iter().rposition(|event| event.body.name() == name);
        assert!(at("claim-touch-move") < at("game-closed") && at("game-closed") < at("game-opened"));
    }

    /// What a board says that shows these placements or is ruled on, one every five seconds.
    fn said(inputs: &[Input]) -> Vec<Event> {
        let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        for (index, input) in (0_u64..).zip(inputs) {
            station.handle(input, Stamp::default().at(index * 5 * SECOND), &mut output);
            assert_eq!(output.refused, None);
        }
        output.events
    }

    fn shows(placement: &str) -> Input {
        Input::Reading(Reading::Frame(pieces_frame(placement).unwrap()))
    }

    /// Each change of what was said of squares: which, what is wrong there, and whether it still is.
    fn faults(events: &[Event]) -> Vec<(String, Status)> {
        let fault = |event: &Event| match &event.body {
            Body::Record(said) => match &said.finding {
                Finding::SensorFault(fault) => Some((
                    format!("{} {}", fault.square.as_ref()?.0, adoube_rules::words::written(&fault.fault)),
                    said.status,
                )),
                _ => None,
            },
            _ => None,
        };
        events.iter().filter_map(fault).collect()
    }

    const NO_D2: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR";
    const NO_D2_NF3: &str = "rnbqkbnr/pppppppp/8/8/8/5N2/PPP1PPPP/RNBQKB1R";
    const NF3_NF6: &str = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R";

    #[test]
    fn a_square_that_reads_again_is_well_and_not_stuck() {
        let events = said(&[shows(NO_D2), shows(NO_D2_NF3), shows(NF3_NF6), shows(NF3_NF6), Input::Wake]);
        let moves = events.iter().filter(|event| matches!(event.body, Body::MoveMade(_))).count();
        assert_eq!(moves, 2);
        let said: Vec<(String, Status)> = faults(&events);
        assert_eq!(said, [("d2 dead".to_owned(), Status::Open), ("d2 dead".to_owned(), Status::Corrected)]);
    }

    #[test]
    fn a_man_who_is_set_up_last_was_no_sick_square() {
        let no_e2 = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
        let events = said(&[shows(no_e2), shows(START), shows(E4), Input::Wake]);
        assert!(events.iter().any(|event| matches!(event.body, Body::MoveMade(_))));
        assert_eq!(faults(&events), []);
    }

    /// In the next round the square that died in this one is silent.
    #[test]
    fn a_square_that_died_in_one_game_keeps_no_other_from_beginning() {
        let result = Input::Ruling(Ruled::parse(&json!({ "name": "result", "value": "1-0" })).unwrap());
        let e4_without_d2 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPP2PPP/RNBQKBNR";
        let events = said(&[
            shows(START),
            shows(E4),
            shows(e4_without_d2),
            result,
            shows(NO_D2),
            Input::Wake,
            shows(NO_D2_NF3),
            Input::Wake,
        ]);
        let opened = events.iter().filter(|event| matches!(event.body, Body::GameOpened(_))).count();
        assert_eq!(opened, 2);
        assert_eq!(faults(&events).last(), Some(&("d2 dead".to_owned(), Status::Open)));
    }
}
