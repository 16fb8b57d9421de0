//! A game goes on at another board (DESIGN 2.6): the table that has it hands over what was said of it and stands, the
//! other goes on as it was published. What happens there is play when the position stands; until then it is being set up.

use serde::{Deserialize, Serialize};

use super::exchanging::Exchange;
use super::records::Record;
use super::taking_over::TakenOver;
use super::watch::adjustments::Grant;
use super::{Game, Known, Mode, Pending, Table, orientation, pairing};
use crate::event::finding::Finding;
use crate::event::{Body, Event, Numbered, RecordId, Status, Times};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, Ruled, inapplicable};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::stamp::Stamp;
use adoube_rules::{GameKind, Variant};

/// A game on its way from one board to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandedOver {
    variant: GameKind,
    game: TakenOver,
    /// What the clock showed, with what was ruled and not set yet; none, if there was no clock.
    left_ms: Option<Times>,
}

/// A game leaves the board or comes to it, by a ruling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The ruling, which both boards say.
    #[serde(with = "crate::ruling::as_json")]
    pub ruled: Ruled,
    /// The game that comes; none: the one that is here goes.
    pub game: Option<Box<HandedOver>>,
    /// None goes or comes: two boards have had each other's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Box<Exchange>>,
}

impl Moved {
    /// What would fall due now is not in what was handed over: it falls due afterwards.
    pub(crate) fn takes_what_stood(&self) -> bool {
        self.game.is_none()
    }
}

impl HandedOver {
    /// What was said of the game and stands, from its opening on.
    pub(crate) fn said(&self) -> Vec<Numbered> {
        self.game.said().cloned().collect()
    }
}

impl<V: Variant> Table<V> {
    /// The game as another board needs it to go on; `said` is all that was said of it, in order.
    ///
    /// # Errors
    /// A sentence that says why it cannot leave.
    pub(crate) fn hand_over(&self, said: &[Numbered]) -> Result<HandedOver, Inapplicable> {
        self.check_may_go()?;
        let stuck = || inapplicable("what was said of the game does not lead to where it stands");
        // An illegal move that waits for the arbiter was not published: the game goes on before it.
        let is_published = |(_, known): &(Ply, &Known)| !known.is_held;
        let plies = self.scene.game.as_ref().map_or(0, |game| game.plies.iter().filter(is_published).count());
        let game = self.as_published(said).filter(|game| game.plies() == plies).ok_or_else(stuck)?;
        let watch = &self.scene.timing.watch;
        let target = watch.ruled().iter().find_map(|grant| match grant {
            Grant::To(times) => Some(*times),
            Grant::By(..) | Grant::May(_) => None,
        });
        let shown = target.or_else(|| self.scene.times());
        Ok(HandedOver {
            variant: self.scene.setting.variant,
            game: game.without(is_of_board).by_the_clock_of_the_hall(self),
            left_ms: shown.map(|shown| Side::BOTH.map(|side| watch.ruled_ms(side, shown).0)),
        })
    }

    /// The game goes on at another board, or one comes from there.
    ///
    /// # Errors
    /// [`Inapplicable`]: what is left of the table then is of no use.
    pub(super) fn moved(&mut self, moved: &Moved, at: Stamp, out: &mut Vec<Event>) -> Outcome {
        if moved.takes_what_stood() {
            self.scene.now = at;
        } else {
            self.advance(at, out);
        }
        self.scene.inputs += 1;
        match (&moved.exchange, &moved.game) {
            (Some(exchange), _) => return self.exchanged(exchange, &moved.ruled, out),
            (None, Some(game)) => self.comes(game, &moved.ruled, out)?,
            (None, None) => self.goes(&moved.ruled, out)?,
        }
        self.watch_for_start(out);
        self.watch_resolution(out);
        Ok(())
    }

    /// Why the game cannot leave the board.
    fn check_may_go(&self) -> Outcome {
        if self.scene.setting.pair.is_some() {
            return Err(inapplicable("the game is played on two boards, and stays there"));
        }
        self.check_playing()?;
        let Some(game) =
            self.scene.game.as_ref().filter(|game| !game.plies.is_empty() && game.info.is_some())
        else {
            return Err(inapplicable("nothing has been played; \"assign\" gives the game another board"));
        };
        match game.mode {
            Mode::Running | Mode::AtHome | Mode::Moved => Ok(()),
            mode => Err(inapplicable(format!("the game is {}", mode.name()))),
        }
    }

    /// The game goes: what is here belongs to none until another one begins.
    fn goes(&mut self, ruled: &Ruled, out: &mut Vec<Event>) -> Outcome {
        self.check_may_go()?;
        self.emit(Body::Ruled(Box::new(ruled.clone())), out);
        // The rest goes with the game.
        self.close_all(|record| is_of_board(&record.finding), Status::Corrected, out);
        self.keep_sick();
        self.offer.was_played(&self.scene.sensed);
        self.records.clear();
        (self.pending, self.restoring, self.resolution) = (Pending::default(), None, None);
        self.scene.game = None;
        self.scene.paired.is_elsewhere();
        Ok(())
    }

    /// A game comes, and is set up here.
    fn comes(&mut self, handed: &HandedOver, ruled: &Ruled, out: &mut Vec<Event>) -> Outcome {
        let (here, variant) = (&self.scene.setting.board, self.scene.setting.variant);
        if variant != handed.variant {
            return Err(inapplicable(format!(
                "board {here} plays {variant}, and the game is {}",
                handed.variant
            )));
        }
        if self.scene.setting.pair.is_some() {
            return Err(inapplicable(format!("board {here} is one of two on which one game is played")));
        }
        let of_round = self.scene.info().filter(|info| info.round.is_some());
        if let Some(info) = of_round.filter(|_| self.scene.is_waiting() || self.scene.playing().is_some()) {
            let name = pairing::name_of(info);
            return Err(inapplicable(format!(
                "{name} is to be played at board {here}; give it another board first"
            )));
        }
        if self.scene.playing().is_some_and(Game::has_begun) {
            return Err(inapplicable(format!("another game is being played at board {here}")));
        }
        self.leave(out);
        self.scene.paired.is_elsewhere();
        self.goes_on_as_published(handed.game.clone());
        let Some(game) = &mut self.scene.game else {
            return Err(inapplicable("what was said of the game does not lead to where it stands"));
        };
        game.mode = Mode::Moved;
        let plies = game.tracker.plies();
        let changed = game.info.clone().map(|info| Body::GameChanged { info, result: None });
        self.emit(Body::Ruled(Box::new(ruled.clone())), out);
        if let Some(changed) = changed {
            self.emit(changed, out);
        }
        // What the clock here shows is told from now on; or that there is none.
        self.emit(Body::ClockRead(self.scene.clock.last().copied()), out);
        self.say_again(out);
        if let Some(left_ms) = handed.left_ms {
            self.watch(out, |watch, report| watch.grant_times(left_ms, report));
        }
        self.restoring = Some(plies);
        self.watch_moved(out);
        self.resolution_begins(RecordId::NONE, out);
        Ok(())
    }

    /// What waits for the arbiter waits here from now on.
    fn say_again(&mut self, out: &mut Vec<Event>) {
        let waiting = |record: &&Record| {
            record.is_open() || self.records.open().any(|open| open.of == Some(record.number))
        };
        let waiting: Vec<RecordId> =
            self.records.iter().filter(waiting).map(|record| record.number).collect();
        for number in waiting {
            // What hands had to do at the other board they need not do there any more.
            match self.records.record(number).map(Record::name) {
                Some(Name::Resolution) => self.close(number, Status::Expired, out),
                _ => self.amend(number, |_| (), out),
            }
        }
    }

    /// The position may stand by now: from then on the game is played here.
    pub(super) fn watch_moved(&mut self, out: &mut Vec<Event>) {
        if self.scene.mode() != Mode::Moved || self.scene.sensed.is_empty() {
            return;
        }
        // Whoever sets the board up may have it either way round: that is clear at the latest when all stands.
        let ways = orientation::orientations(&self.scene);
        let wrong = ways.map(|turned| (self.wrong_if(turned), turned)).min_by_key(|(wrong, _)| *wrong);
        let Some((wrong, turned)) = wrong else { return };
        if self.scene.game.as_ref().is_some_and(|game| game.turned != turned) {
            self.lies(turned, out);
        }
        if wrong == 0 {
            self.restoring = None;
            orientation::say_orientation(turned, &mut self.report(out));
            self.moved_game_is_played(out);
        }
    }

    /// How many squares are still wrong, if the board lies so; what a sick one shows nobody can put right.
    fn wrong_if(&self, turned: u32) -> usize {
        let sick = self.scene.sick_on_board(turned);
        let is_sick = |square: &Square| sick.iter().any(|(known, _)| known == square);
        orientation::differing(&self.scene, turned).filter(|square| !is_sick(square)).count()
    }

    /// What happens from now on is play, whatever still stands otherwise.
    pub(super) fn moved_game_is_played(&mut self, out: &mut Vec<Event>) {
        if self.scene.mode() == Mode::Moved {
            self.scene.set_mode(Mode::Running);
            self.pending.touches.clear();
            // What was away while it was set up is back.
            let at_ns = self.scene.now.mono_ns;
            if let Some(game) = &mut self.scene.game {
                game.tracker.back(at_ns);
            }
            self.mask(None, out);
        }
    }
}

/// It is about the board, and no matter of the game when that is played elsewhere.
fn is_of_board(finding: &Finding) -> bool {
    matches!(finding, Finding::BoardDisconnected(_) | Finding::SensorFault(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::station::{FRAMES, Input, Open, Station};
    use crate::table::testing::{ARRAY, E4, E5, E6, Hall, NF3};
    use serde_json::json;

    #[test]
    fn nothing_is_play_before_the_position_stands() {
        let mut hall = Hall::new();
        hall.moved(1, 2).unwrap();
        let parts = |hall: &Hall| hall.last(Name::Resolution)["parts"].clone();
        assert_eq!(parts(&hall)[0]["squares"], json!(["e2", "e4", "e5", "e7"]));
        let since = hall.said.last().unwrap().seq;
        // The clock is set, pressed and started while the pieces are brought.
        hall.clock(2, [5_340, 5_340], None);
        hall.clock(2, [5_340, 5_340], Some(Side::Black));
        hall.shows(2, E4);
        hall.clock(2, [5_340, 5_339], Some(Side::White));
        hall.clock(2, [5_340, 5_340], None);
        hall.shows(2, E5);
        let said = hall.names(2, since);
        let expected = ["resolution", "clock-read", "pressed", "resolution-done"];
        assert!(said.iter().all(|name| expected.contains(name)), "{said:?}");
        assert_eq!(parts(&hall)[0]["state"], "done");
        hall.clock(2, [5_340, 5_340], Some(Side::White));
        assert!(hall.names(2, since).contains(&"resolution-done"));
        hall.moves(2, NF3, [5_300, 5_340], Side::Black);
        assert_eq!((hall.moves_made(1).len(), hall.moves_made(2)), (2, vec!["g1f3".to_owned()]));
        assert_eq!(hall.last(Name::MoveMade)["ply"], 3);
        // Where it was, nothing is played any more.
        let since = hall.said.last().unwrap().seq;
        hall.shows(1, NF3);
        hall.clock(1, [5_000, 5_340], Some(Side::Black));
        assert_eq!(hall.names(1, since), ["clock-read", "pressed"]);
    }

    #[test]
    fn the_new_board_may_lie_either_way_round() {
        let mut hall = Hall::new();
        hall.moved(1, 2).unwrap();
        hall.shows_turned(2, E4);
        assert_eq!(hall.last(Name::Resolution)["parts"][0]["squares"], json!(["e5", "e7"]));
        hall.shows_turned(2, E5);
        assert_eq!(hall.last(Name::Resolution)["parts"][0]["state"], "done");
        hall.shows_turned(2, NF3);
        hall.second += 5;
        hall.take(2, &Input::Wake);
        assert_eq!(hall.moves_made(2), ["g1f3"]);
    }

    #[test]
    fn what_was_counted_and_what_waits_comes_along() {
        let mut hall = Hall::new();
        hall.moves(1, E6, [5_300, 5_340], Side::Black);
        let illegal = hall.last(Name::IllegalMoveCompleted);
        assert_eq!((&illegal["board"], &illegal["count"]), (&json!("1"), &json!(1)), "{illegal}");
        hall.moved(1, 2).unwrap();
        let waits = hall.last(Name::IllegalMoveCompleted);
        assert_eq!(
            (&waits["board"], &waits["record"], &waits["status"]),
            (&json!("2"), &illegal["seq"], &json!("open"))
        );
        // Ruled where the game is now, under the number by which the arbiter knows it.
        assert_eq!(hall.rules(2, &json!({ "name": "confirm", "record": illegal["seq"] })), None);
        assert_eq!(hall.last(Name::IllegalMoveCompleted)["status"], "confirmed");
        hall.shows(2, E5);
        hall.clock(2, [5_340, 5_460], None);
        hall.clock(2, [5_340, 5_460], Some(Side::White));
        hall.moves(2, E6, [5_300, 5_460], Side::Black);
        let second = hall.last(Name::IllegalMoveCompleted);
        assert_eq!((&second["board"], &second["count"]), (&json!("2"), &json!(2)), "{second}");
        assert_eq!(hall.last(Name::IllegalMoveForfeit)["status"], "open");
    }

    #[test]
    fn what_the_board_is_to_blame_for_stays_there() {
        let mut hall = Hall::new();
        hall.take(1, &Input::LinkDown);
        let since = hall.said.last().unwrap().seq;
        hall.moved(1, 2).unwrap();
        assert!(!hall.names(2, since).contains(&"board-disconnected"));
        assert_eq!(hall.last(Name::BoardDisconnected)["status"], "corrected");
    }

    #[test]
    fn it_is_refused_unless_both_boards_can() {
        let mut hall = Hall::new();
        hall.clock(2, [5_400, 5_400], Some(Side::White));
        hall.moves(2, E4, [5_390, 5_400], Side::Black);
        let since = hall.said.last().unwrap().seq;
        let refused = hall.moved(1, 2).unwrap_err();
        assert!(refused.contains("another game is being played at board 2"), "{refused}");
        assert!(hall.names(2, since).is_empty() && hall.names(1, since).is_empty());
        hall.rules(2, &json!({ "name": "result", "value": "1-0" }));
        hall.rules(1, &json!({ "name": "result", "value": "1-0" }));
        let refused = hall.moved(1, 2).unwrap_err();
        assert!(refused.contains("the game is over"), "{refused}");
        let mut hall = Hall::new();
        hall.second += 5;
        hall.take(2, &Input::Wake);
        let refused = hall.moved(2, 1).unwrap_err();
        assert!(refused.contains("nothing has been played"), "{refused}");
    }

    #[test]
    fn what_was_ruled_before_is_the_other_boards() {
        let mut hall = Hall::new();
        hall.rules(1, &json!({ "name": "note", "text": "late" }));
        hall.moved(1, 2).unwrap();
        for ruling in [1, 2] {
            let undo = Ruled::parse(&json!({ "name": "undo", "ruling": ruling })).unwrap();
            let refused = hall.take(1, &Input::Ruling(undo)).unwrap();
            assert!(refused.contains("too long ago"), "{refused}");
        }
    }

    #[test]
    fn a_position_that_is_left_as_it_stands_is_played_on_from() {
        let mut hall = Hall::new();
        hall.moved(1, 2).unwrap();
        hall.clock(2, [5_340, 5_340], None);
        hall.shows(2, E4);
        let waive =
            json!({ "name": "waive", "record": "resolution", "part": "restore-position", "text": "no pawn" });
        assert_eq!(hall.rules(2, &waive), None);
        hall.clock(2, [5_340, 5_340], Some(Side::White));
        hall.shows(2, "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R");
        hall.second += 5;
        hall.take(2, &Input::Wake);
        assert_eq!(hall.moves_made(2), ["g1f3"]);
    }

    #[test]
    fn a_board_that_has_shown_nothing_has_everything_to_do() {
        let mut hall = Hall::new();
        hall.boards[1] = Station::open(Open::new("2", FRAMES, "test"), Stamp::default()).unwrap();
        hall.moved(1, 2).unwrap();
        let state = |hall: &Hall| hall.last(Name::Resolution)["parts"][0]["state"].clone();
        assert_eq!(state(&hall), "to-do");
        hall.clock(2, [5_340, 5_340], None);
        assert_eq!(state(&hall), "to-do");
        hall.shows(2, E5);
        assert_eq!(state(&hall), "done");
    }

    #[test]
    fn a_dead_square_of_the_new_board_keeps_nobody_from_playing() {
        const NOTHING_ON_E5: &str = "rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        let mut hall = Hall::new();
        let e5 = Square::new(36);
        hall.take(2, &Input::Sick(vec![(e5, crate::infer::Sickness::Dead)]));
        hall.moved(1, 2).unwrap();
        hall.shows(2, NOTHING_ON_E5);
        assert_eq!(hall.last(Name::Resolution)["parts"][0]["state"], "done");
        hall.clock(2, [5_340, 5_340], None);
        hall.clock(2, [5_340, 5_340], Some(Side::White));
        hall.moves(2, "rnbqkbnr/pppp1ppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R", [5_300, 5_340], Side::Black);
        assert_eq!(hall.moves_made(2), ["g1f3"]);
    }

    #[test]
    fn a_line_that_drops_while_the_position_is_set_up_hides_no_move() {
        let mut hall = Hall::new();
        hall.moved(1, 2).unwrap();
        hall.take(2, &Input::LinkDown);
        hall.take(2, &Input::LinkUp);
        hall.shows(2, E5);
        hall.shows(2, NF3);
        hall.second += 5;
        hall.take(2, &Input::Wake);
        let made = hall.last(Name::MoveMade);
        assert_eq!((&made["uci"], &made["cause"]), (&json!("g1f3"), &json!("played")), "{made}");
    }

    #[test]
    fn a_game_that_ends_before_it_is_set_up_leaves_the_board_free() {
        let mut hall = Hall::new();
        hall.moved(1, 2).unwrap();
        assert_eq!(hall.rules(2, &json!({ "name": "resign", "side": "white" })), None);
        assert_eq!(hall.last(Name::Resolution)["status"], "expired");
        hall.shows(2, E4);
        hall.shows(2, ARRAY);
        hall.second += 5;
        hall.take(2, &Input::Wake);
        assert_eq!(hall.names(2, 0).iter().filter(|name| **name == "game-opened").count(), 2);
    }
}
