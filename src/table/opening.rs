//! How a game begins: the start array on the board, whichever way round it stands.

use crate::event::{Body, Event, GameInfo, GameName};
use crate::infer::{Tracker, View};
use crate::rules::Variant;
use crate::rules::draw::History;
use crate::sensor::{Content, Side};
use crate::stamp::SECOND;

use super::ledger::Ledger;
use super::records::Draft;
use super::{Game, Table};

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
}

impl<V: Variant> Table<V> {
    /// The first picture of the board: a game from a given position begins with it.
    pub(super) fn first_frame(&mut self, out: &mut Vec<Event>) {
        if let Some(start) = self.setting.start.clone() {
            let turned = self.setting.turned.unwrap_or_else(|| self.fits_better_turned(&start));
            self.begin(start, turned, out);
            self.open_game(out);
            self.show_to_tracker(out);
        } else {
            self.watch_for_start(out);
        }
    }

    fn fits_better_turned(&self, start: &V::Position) -> bool {
        let view = self.view;
        let differing = |turned: bool| {
            (0_u8..)
                .zip(&self.sensed)
                .filter(|&(square, &content)| {
                    let square = if turned { V::turned(square) } else { square };
                    view.see(V::content(start, square)) != content
                })
                .count()
        };
        differing(true) < differing(false)
    }

    /// Notices a start array where none is expected: the next game.
    pub(super) fn watch_for_start(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.now.mono_ns;
        self.opening.due_ns = None;
        if self.setting.start.is_some() && self.game.is_some() {
            return;
        }
        let is_waiting = match &self.game {
            None => true,
            Some(game) if game.result.is_some() => true,
            Some(game) if game.info.is_none() => game.plies.is_empty(),
            // Reached by play it opens nothing; set up out of the middle of a game it does.
            Some(game) => !game.plies.is_empty() && !game.tracker.is_explained(),
        };
        if !is_waiting {
            return;
        }
        let Some((start, turned)) = self.recognise() else { return };
        let is_fresh = match &self.game {
            None => true,
            Some(game) => game.result.is_some() || (game.info.is_none() && game.turned != turned),
        };
        if is_fresh {
            self.close_game(out);
            self.begin(start, turned, out);
        }
        self.opening.due_ns = Some(at_ns + STOOD_NS);
    }

    /// The start array has stood long enough.
    pub(super) fn array_stood(&mut self, out: &mut Vec<Event>) {
        self.opening.due_ns = None;
        let Some((start, turned)) = self.recognise() else { return };
        if self.game.as_ref().is_some_and(|game| !game.plies.is_empty()) {
            self.close_game(out);
            self.begin(start, turned, out);
        }
        self.open_game(out);
    }

    fn recognise(&self) -> Option<(V::Position, bool)> {
        let named = self.view == View::Identity;
        let look = |turned: bool| {
            if self.setting.turned.is_some_and(|known| known != turned) {
                return None;
            }
            let recognised = if turned {
                let contents: Vec<_> = self.sensed.iter().rev().copied().collect();
                V::recognise_start(&contents, named, self.setting.shuffled)
            } else {
                V::recognise_start(&self.sensed, named, self.setting.shuffled)
            };
            recognised.map(|start| (start, turned))
        };
        look(false).or_else(|| look(true))
    }

    /// Follows the board from `start` on, without saying so yet.
    fn begin(&mut self, start: V::Position, turned: bool, out: &mut Vec<Event>) {
        let text = V::fen(&start);
        let history = History::new(&start);
        let tracker = Tracker::new(self.view, start, self.setting.parameters, self.now.mono_ns);
        self.touches.clear();
        self.press = None;
        self.verdict_ns = None;
        self.settle_ns = None;
        self.release_ns = None;
        self.signal_ns = None;
        self.mode = super::Mode::Running;
        self.records.clear();
        for illegal in &mut self.illegal {
            illegal.plies.clear();
        }
        self.game = Some(Game {
            tracker,
            turned,
            info: None,
            plies: Vec::new(),
            is_started: self.setting.in_progress,
            result: None,
            start: text,
            ledger: Ledger::default(),
            released: Vec::new(),
            displaced: Vec::new(),
            displacements: 0,
            history,
        });
        if turned && self.setting.turned.is_none() {
            self.open(Draft::notice("board-rotated-180"), out);
        }
    }

    /// Gives the tracker a board that does not show its start.
    fn show_to_tracker(&mut self, out: &mut Vec<Event>) {
        let Some(game) = &self.game else { return };
        let at_ns = self.now.mono_ns;
        let changes = self.differences(&game.tracker, game.turned);
        if !changes.is_empty() {
            self.with_tracker(out, |tracker, steps| tracker.changed(&changes, at_ns, steps));
        }
    }

    /// Where the board, standing so, shows something else than the tracker has.
    fn differences(&self, tracker: &Tracker<V>, turned: bool) -> Vec<(u8, Content)> {
        (0_u8..)
            .zip(self.sensed.iter().copied())
            .map(|(square, content)| (if turned { V::turned(square) } else { square }, content))
            .filter(|&(square, content)| tracker.at(square) != content)
            .collect()
    }

    /// An occupancy board does not show which way round its start array stands. A first move that
    /// only the other side of the board could have made does.
    pub(super) fn watch_for_turned(&mut self, out: &mut Vec<Event>) {
        let is_open = self.view == View::Occupancy && self.setting.turned.is_none();
        let Some(game) = self.game.as_ref().filter(|_| is_open) else { return };
        if game.turned || !game.plies.is_empty() || game.result.is_some() || game.tracker.is_explained() {
            return;
        }
        let at_ns = self.now.mono_ns;
        let start = game.tracker.position(0).clone();
        let mut tracker = Tracker::new(self.view, start, self.setting.parameters, game.tracker.made_ns(0));
        let changes = self.differences(&tracker, true);
        let mut steps = Vec::new();
        tracker.changed(&changes, at_ns, &mut steps);
        if !tracker.is_explained() {
            return;
        }
        if let Some(game) = &mut self.game {
            game.tracker = tracker;
            game.turned = true;
        }
        self.touches.clear();
        self.open(Draft::notice("board-rotated-180"), out);
    }

    /// Opens the game that stands on the board, if that has not been said.
    pub(super) fn open_game(&mut self, out: &mut Vec<Event>) {
        if self.game.as_ref().is_none_or(|game| game.info.is_some()) {
            return;
        }
        self.free_games += 1;
        let number = self.free_games;
        let pairing = self.setting.pairing.clone().filter(|_| number == 1);
        let Some(game) = &mut self.game else { return };
        let info = GameInfo {
            name: pairing
                .as_ref()
                .map_or(GameName::Free(number), |pairing| GameName::Given(pairing.game.clone())),
            round: pairing.as_ref().map(|pairing| pairing.round),
            number: pairing.as_ref().map_or(number, |pairing| pairing.number),
            variant: self.setting.variant,
            start: game.start.clone(),
            time_control: self.setting.time_control.clone(),
            players: pairing.map(|pairing| pairing.players).unwrap_or_default(),
        };
        game.info = Some(Box::new(info.clone()));
        self.opening.due_ns = None;
        self.emit(Body::GameOpened(Box::new(info)), out);
    }

    /// Closes the game on the board, if one is open.
    pub(super) fn close_game(&mut self, out: &mut Vec<Event>) {
        let Some(game) = &self.game else { return };
        if game.info.is_some() {
            let result = game.result;
            self.emit(Body::GameClosed { result }, out);
        }
        self.game = None;
    }

    /// The clock was started: the first time, that is the start of the game (6.6).
    pub(super) fn game_started(&mut self, side: Side, out: &mut Vec<Event>) {
        let Some(game) = &mut self.game else { return };
        if game.is_started || game.result.is_some() || side != Side::White || !game.plies.is_empty() {
            return;
        }
        game.is_started = true;
        self.open_game(out);
        self.open(Draft::notice("game-started"), out);
    }
}
