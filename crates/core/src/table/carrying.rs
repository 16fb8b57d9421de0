//! What outlives a game at its table: enough to go on from where a game opens, without what went before.

use serde::{Deserialize, Serialize};

use super::scene::Scene;
use super::{Game, Mode, Neighbour, Pressed, Setting, Table, opening};
use crate::event::{GameInfo, GameName};
use crate::infer::{SickSquare, View};
use adoube_rules::clock::ClockLog;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::stamp::Stamp;
use adoube_rules::{Position as _, Variant};

use super::lever::Lever;
use super::offered::Offer;
use super::pairing::Paired;
use super::round::Round;
use super::taking_over::TakenOver;

/// All that a table knows at which nothing has been played of the next game, or whose game goes on as it was published.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    opened_ns: u64,
    heard_ns: u64,
    link_back_ns: Option<u64>,
    last_change_ns: u64,
    running_at_change: Option<Side>,
    sensed: Vec<Content>,
    view: View,
    clock: ClockLog,
    lever: Lever,
    round: Round,
    pressed: Option<Pressed>,
    neighbours: Vec<Neighbour>,
    free_games: u32,
    paired: Paired,
    // A journal from before has none.
    #[serde(default)]
    offer: Offer,
    #[serde(default)]
    sick: Vec<SickSquare>,
    /// The array stands on the board.
    game: Option<Standing>,
    /// Or a game goes on as it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) taken_over: Option<TakenOver>,
}

/// A game that may begin, or has just been opened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Standing {
    /// How the board lies under it, degrees.
    turned: u32,
    /// When it will be opened,
    due_ns: Option<u64>,
    /// or what it was opened as.
    info: Option<Box<GameInfo>>,
}

impl Carried {
    /// The name of the game that is open, if its array stands.
    #[must_use]
    pub fn game(&self) -> Option<&str> {
        match &self.game.as_ref()?.info.as_ref()?.name {
            GameName::Given(name) => Some(name),
            GameName::Free(_) => None,
        }
    }
}

impl<V: Variant> Game<V> {
    /// Nothing has happened in it.
    pub(super) fn is_untouched(&self) -> bool {
        self.plies.is_empty()
            && !self.is_started
            && self.result.is_none()
            && self.held_ns.is_none()
            && self.transfer.is_none()
            && self.ledger.is_without_releases()
            && self.displacements == 0
            && self.claims.is_untouched()
            && self.adjournment.is_none()
            && self.going_home.is_none()
            && self.going_on.is_none()
    }
}

impl<V: Variant> Table<V> {
    /// The number of the game that is open, if it has none of a pairing: the journal calls it by another name.
    #[must_use]
    pub fn free_game(&self) -> Option<u32> {
        match self.scene.info()?.name {
            GameName::Free(number) => Some(number),
            GameName::Given(_) => None,
        }
    }

    /// What the table knows, if that is no more than [`Carried`] holds: no game is open, or nothing of it has been
    /// played, and nothing waits for the arbiter. `name` is what the journal calls [`Table::free_game`].
    #[must_use]
    pub fn carry(&self, name: Option<&str>) -> Option<Carried> {
        let is_quiet = self.scene.mode() == Mode::Running
            && self.restoring.is_none()
            && !self.scene.timing.counter.is_being_corrected()
            && self.records.open().next().is_none()
            && self.pending.is_quiet()
            && self.link.due_ns().is_none();
        // A game from a given position is the only one of its board, and begins with its first frame.
        if !is_quiet || self.scene.setting.start.is_some() || self.scene.setting.in_progress {
            return None;
        }
        let game = match &self.scene.game {
            None => None,
            Some(game) => Some(self.standing(game, name)?),
        };
        Some(self.all_carried(game))
    }

    /// What the table knows beside its game; `game` as it is carried.
    pub(super) fn all_carried(&self, game: Option<Standing>) -> Carried {
        Carried {
            opened_ns: self.scene.opened_ns,
            heard_ns: self.heard_ns,
            link_back_ns: self.scene.link_back_ns,
            last_change_ns: self.scene.last_change_ns,
            running_at_change: self.running_at_change,
            sensed: self.scene.sensed.clone(),
            view: self.scene.view,
            clock: self.scene.clock,
            lever: self.scene.timing.lever,
            round: self.scene.timing.round.clone(),
            pressed: self.pressed,
            neighbours: self.scene.neighbours.clone(),
            free_games: self.free_games,
            paired: self.scene.paired.clone(),
            offer: self.offer.clone(),
            sick: self.sick_squares(),
            game,
            taken_over: None,
        }
    }

    fn standing(&self, game: &Game<V>, name: Option<&str>) -> Option<Standing> {
        let due_ns = self.opening.due_ns();
        let is_next =
            game.is_untouched() && !self.scene.timing.is_started && game.info.is_some() != due_ns.is_some();
        let (start, turned) = opening::recognise(&self.scene).filter(|_| is_next)?;
        if turned != game.turned || start.fen() != game.start {
            return None;
        }
        let mut info = game.info.clone();
        if let Some(info) = info.as_mut().filter(|info| matches!(info.name, GameName::Free(_))) {
            info.name = GameName::Given(name?.into());
        }
        Some(Standing { turned, due_ns, info })
    }

    /// The array of a game stands that is not open yet.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        self.scene.game.as_ref().is_some_and(|game| game.info.is_none()) && self.opening.due_ns().is_some()
    }

    /// A table that knows what is carried.
    pub(super) fn carried(setting: Setting<V>, carried: Carried, at: Stamp) -> Self {
        let Carried { opened_ns, heard_ns, link_back_ns, last_change_ns, running_at_change, .. } = carried;
        let Carried { sensed, view, clock, pressed, neighbours, free_games, mut paired, game, .. } = carried;
        let variant = setting.variant;
        paired.infos_mut().for_each(|info| info.variant = variant);
        let mut scene = Scene::new(setting, at);
        (scene.opened_ns, scene.link_back_ns, scene.last_change_ns) =
            (opened_ns, link_back_ns, last_change_ns);
        (scene.sensed, scene.view, scene.clock) = (sensed, view, clock);
        (scene.neighbours, scene.paired) = (neighbours, paired);
        scene.sick = carried.sick;
        (scene.timing.lever, scene.timing.round) = (carried.lever, carried.round);
        let (offer, taken_over) = (carried.offer, carried.taken_over);
        let mut table =
            Self { heard_ns, running_at_change, pressed, free_games, offer, ..Self::in_scene(scene) };
        if let Some(taken_over) = taken_over {
            table.goes_on_as_published(taken_over);
            table.shows_what_was_published();
        }
        if let Some(Standing { turned, due_ns, info }) = game
            && let Some((start, _)) = opening::recognise(&table.scene).filter(|(_, lies)| *lies == turned)
        {
            let is_begun = |other: &V::Position| info.as_ref().is_some_and(|info| info.start == other.fen());
            let start = match start.other_layout().filter(is_begun) {
                // A move of an earlier game has told.
                Some(other) => {
                    table.scene.setting.usual = other.clone();
                    other
                }
                None => start,
            };
            // How the board lies was said when it was seen.
            table.begin(start, turned, &mut Vec::new());
            table.opening.stands_until(due_ns);
            let now_ns = table.scene.now.mono_ns;
            let lever = table.scene.clock.last().and_then(|reading| reading.lever);
            if let Some(game) = &mut table.scene.game {
                game.info = info.map(|info| Box::new(GameInfo { variant, ..*info }));
                game.tracker.lever(lever, now_ns);
            }
        }
        table
    }
}
