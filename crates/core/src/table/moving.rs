//! A game goes on at another board (DESIGN 2.6): the table that has it hands over what was said of it and stands, the
//! other goes on as it was published. What happens there is play when the position stands; until then it is being set up.

use serde::{Deserialize, Serialize};

use super::records::Record;
use super::taking_over::TakenOver;
use super::watch::adjustments::Grant;
use super::{Game, Mode, Pending, Table, orientation, pairing};
use crate::event::finding::Finding;
use crate::event::{Body, Event, Numbered, RecordId, Status, Times};
use crate::ruling::{Inapplicable, Outcome, Ruled, inapplicable};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
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
        let plies = self.scene.game.as_ref().map_or(0, |game| game.tracker.plies().count());
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
        self.advance(at, out);
        self.scene.inputs += 1;
        self.men_do_not_go_home();
        self.goes_on_no_more();
        match &moved.game {
            Some(game) => self.comes(game, &moved.ruled, out)?,
            None => self.goes(&moved.ruled, out)?,
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
        let nearest = ways.min_by_key(|&turned| orientation::differing(&self.scene, turned));
        let Some(turned) = nearest else { return };
        if let Some(game) = &mut self.scene.game {
            game.turned = turned;
        }
        if orientation::differing(&self.scene, turned) == 0 {
            self.restoring = None;
            orientation::say_orientation(turned, &mut self.report(out));
            self.moved_game_is_played(out);
        }
    }

    /// What happens from now on is play, whatever still stands otherwise.
    pub(super) fn moved_game_is_played(&mut self, out: &mut Vec<Event>) {
        if self.scene.mode() == Mode::Moved {
            self.scene.set_mode(Mode::Running);
            self.pending.touches.clear();
            self.mask(None, out);
        }
    }
}

/// It is about the board, and no matter of the game when that is played elsewhere.
fn is_of_board(finding: &Finding) -> bool {
    matches!(finding, Finding::BoardDisconnected(_) | Finding::SensorFault(_))
}
