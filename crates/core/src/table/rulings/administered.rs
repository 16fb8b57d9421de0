//! The game itself: started, annulled, its players exchanged.

use super::position;
use crate::event::finding::GameAnnulled;
use crate::event::{Body, Event, RecordId, Status};
use crate::ruling::{Outcome, inapplicable};
use crate::table::pending::Pending;
use crate::table::records::Draft;
use crate::table::{Table, offered, opening};
use adoube_rules::laws::Name;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// The game does not count, the arbiter says.
    pub(super) fn rule_annul(&mut self, reason: &str, out: &mut Vec<Event>) -> Outcome {
        self.check_playing()?;
        position::settle_executed(Name::AnnulGame, |_| true, &mut self.report(out));
        self.annul(reason, out);
        Ok(())
    }

    /// A game begins, from the position that stands there or from another one.
    pub(super) fn start_by_ruling(
        &mut self,
        fen: Option<&str>,
        variant: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        if let Some(variant) = variant.filter(|variant| *variant != self.scene.setting.variant.name()) {
            return Err(inapplicable(format!(
                "this board plays {}, not {variant}; its configuration says so",
                self.scene.setting.variant
            )));
        }
        let is_played = self.scene.playing().is_some_and(|game| game.is_started || !game.plies.is_empty());
        if is_played {
            return Err(inapplicable(
                "a game is being played; \"set-position\" sets its position, \"annul-game\" or \"result\" ends it",
            ));
        }
        if let Some(text) = fen {
            return self.start_from(text, out);
        }
        if self.scene.playing().is_some() {
            self.starts(out);
            return Ok(());
        }
        let Some((start, turned)) = opening::recognise(&self.scene) else {
            return Err(inapplicable(match offered::position_shown(&self.scene) {
                Some(shown) => {
                    format!("no start array stands on the board; give \"fen\" (it shows {})", shown.fen())
                }
                None => "no start array stands on the board; give \"fen\"".to_owned(),
            }));
        };
        self.begins_by_ruling(start, turned, false, out);
        Ok(())
    }

    /// The game does not count (7.2, 7.3, I.12.2): a new one begins when the start array stands.
    pub(super) fn annul(&mut self, reason: &str, out: &mut Vec<Event>) {
        self.open(Draft::notice(GameAnnulled { reason: reason.to_owned() }), out);
        let open: Vec<RecordId> =
            self.records.iter().filter(|record| record.is_open()).map(|record| record.number).collect();
        for number in open {
            self.close(number, Status::Expired, out);
        }
        let pairing = self.pairing();
        self.close_game(out);
        self.is_played_again(pairing);
        self.pending = Pending::default();
        self.watch_for_start(out);
    }

    /// The names change sides; the result goes with the person (7.3).
    pub(super) fn swap_colours(&mut self, out: &mut Vec<Event>) -> Outcome {
        let Some(game) = self.scene.game.as_mut() else {
            return Err(inapplicable("no game is on this board"));
        };
        let Some(info) = game.info.as_mut() else {
            return Err(inapplicable("no game is open on this board"));
        };
        match &mut info.red_blue {
            // The teams change: Red with White, Blue with Black.
            Some(others) => std::mem::swap(&mut info.players, others),
            None => info.players.swap(0, 1),
        }
        let body = Body::GameChanged { info: info.clone(), result: game.result };
        self.emit(body, out);
        self.close_all(|record| record.name() == Name::ColoursReversed, Status::Corrected, out);
        Ok(())
    }
}
