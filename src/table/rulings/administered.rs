//! The game itself: started, annulled, its players exchanged; and the penalties of 12.9.

use crate::event::{Body, Event, Status};
use crate::rules::laws::Penalty;
use crate::rules::{GameResult, Variant};
use crate::ruling::{Ruling, RulingError};

use crate::table::Table;
use crate::table::records::Draft;

/// The penalty ladder by the names of the registry.
const LADDER: [(&str, Penalty); 9] = [
    ("warning", Penalty::Warning),
    ("add-time-opponent", Penalty::AddTimeOpponent),
    ("reduce-time-offender", Penalty::ReduceTimeOffender),
    ("raise-opponent-score", Penalty::RaiseOpponentScore),
    ("reduce-offender-score", Penalty::ReduceOffenderScore),
    ("game-lost", Penalty::GameLost),
    ("fine", Penalty::Fine),
    ("exclude-rounds", Penalty::ExcludeRounds),
    ("expel", Penalty::Expel),
];

impl<V: Variant> Table<V> {
    /// The rulings about the game as such.
    pub(super) fn rule_game(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        match ruling.name() {
            "start-game" => self.start_by_ruling(ruling, out),
            "annul-game" => {
                self.check_playing(ruling)?;
                self.settle_executed("annul-game", |_| true, out);
                let reason = ruling.text("reason").unwrap_or_default().to_owned();
                self.annul(&reason, out);
                Ok(())
            }
            "swap-colours" => self.swap_colours(ruling, out),
            _ => self.penalty(ruling, out),
        }
    }

    /// A game begins, from the position that stands there or from another one.
    fn start_by_ruling(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        if let Some(variant) = ruling.text("variant").filter(|variant| *variant != self.setting.variant) {
            return Err(ruling.inapplicable(format!(
                "this board plays {}, not {variant}; its configuration says so",
                self.setting.variant
            )));
        }
        let is_played = self.playing().is_some_and(|game| game.is_started || !game.plies.is_empty());
        if is_played {
            return Err(ruling.inapplicable("a game is being played; \"annul-game\" or \"result\" ends it"));
        }
        if let Some(text) = ruling.text("fen") {
            let like = self
                .game
                .as_ref()
                .map(|game| game.tracker.best().clone())
                .or_else(|| self.setting.start.clone());
            let Some(like) = like.or_else(|| self.recognise().map(|(start, _)| start)) else {
                return Err(ruling.inapplicable("the board has not shown a position yet"));
            };
            let start = V::read(text, &like).map_err(|fault| ruling.inapplicable(fault))?;
            let turned = self.game.as_ref().map_or(0, |game| game.turned);
            self.leave(out);
            self.begin(start, turned, out);
        } else if self.playing().is_none() {
            let Some((start, turned)) = self.recognise() else {
                return Err(ruling.inapplicable("no start array stands on the board; give \"fen\""));
            };
            self.leave(out);
            self.begin(start, turned, out);
        }
        self.open_game(out);
        if let Some(game) = &mut self.game {
            game.is_started = true;
        }
        self.open(Draft::notice("game-started"), out);
        self.mask(None, out);
        Ok(())
    }

    /// The game does not count (7.2, 7.3, I.12.2): a new one begins when the start array stands.
    pub(super) fn annul(&mut self, reason: &str, out: &mut Vec<Event>) {
        self.open(Draft::notice("game-annulled").with("reason", reason), out);
        let open: Vec<u32> =
            self.records.iter().filter(|record| record.is_open()).map(|record| record.number).collect();
        for number in open {
            self.close(number, Status::Expired, out);
        }
        let pairing = self.pairing();
        self.close_game(out);
        self.is_played_again(pairing);
        self.mode = crate::table::Mode::Running;
        self.press = None;
        self.verdict_ns = None;
        self.settle_ns = None;
        self.release_ns = None;
        self.signal_ns = None;
        self.watch_for_start(out);
    }

    /// The names change sides; the result goes with the person (7.3).
    fn swap_colours(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let Some(game) = self.game.as_mut() else {
            return Err(ruling.inapplicable("no game is on this board"));
        };
        let Some(info) = game.info.as_mut() else {
            return Err(ruling.inapplicable("no game is open on this board"));
        };
        match &mut info.red_blue {
            // The teams change: Red with White, Blue with Black.
            Some(others) => std::mem::swap(&mut info.players, others),
            None => info.players.swap(0, 1),
        }
        let body = Body::GameChanged { info: info.clone(), result: game.result };
        self.emit(body, out);
        self.close_all(|record| record.name() == "colours-reversed", Status::Corrected, out);
        Ok(())
    }

    /// A penalty of the ladder (12.9; 2005: 13.4). Only the loss of the game is carried out here.
    fn penalty(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let side = ruling.side("side")?;
        let given = ruling.text("kind").unwrap_or_default();
        let allowed = || LADDER.iter().filter(|(_, penalty)| self.profile.penalties.contains(penalty));
        let Some(&(name, _)) = allowed().find(|(name, _)| *name == given) else {
            let nearest = crate::ruling::nearest(given, allowed().map(|(name, _)| *name));
            return Err(ruling.inapplicable(format!(
                "the penalties of this edition have no \"{given}\"; the nearest is \"{nearest}\""
            )));
        };
        if name == "game-lost" {
            self.check_playing(ruling)?;
        }
        let target =
            if name.ends_with("-opponent") || name.contains("-opponent-") { side.other() } else { side };
        let is_time = ["add-time-opponent", "reduce-time-offender"].contains(&name);
        let mut draft = if is_time { Draft::open(name) } else { Draft::notice(name) };
        draft = draft.with("side", target.name());
        if let Some(amount) = ruling.argument("amount") {
            draft = draft.with(if is_time { "amount_ms" } else { "amount" }, amount.clone());
        }
        self.open(draft, out);
        if name == "game-lost" {
            self.over("game-lost", GameResult::win(side.other()), out);
        }
        Ok(())
    }
}
