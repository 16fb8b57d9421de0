//! What the desk's page is told of the game.

use serde_json::json;

use super::Driver;
use crate::feed::hub::PLAY;
use crate::play::line::Step;
use crate::play::shown;
use adoube_rules::sensor::Side;

impl Driver {
    /// Tells the desk's page.
    pub(super) fn tell(&mut self, step: &Step) {
        let mut json = shown::fields(step, self.opening.ours);
        if !self.is_set_up {
            json.insert("state".into(), "set-up".into());
        } else if self.must_press {
            json.insert("state".into(), "press".into());
        }
        let ours = self.opening.ours;
        let offers = |side: Option<Side>| side.is_some_and(|side| side != ours);
        let times =
            self.state.times.map(|times| json!({ "white_ms": times.white_ms, "black_ms": times.black_ms }));
        let end = self.state.end.as_ref();
        let end = end.map(
            |end| json!({ "result": end.result.map_or("*", |result| result.name()), "reason": end.reason }),
        );
        let more = [
            ("board", self.board.as_str().into()),
            ("side", ours.name().into()),
            ("opponent", json!(self.opening.players[ours.other().index()].name)),
            ("address", json!(self.opening.address)),
            ("draw_offered", offers(self.state.draw_offer).into()),
            ("takeback_asked", offers(self.state.takeback).into()),
            ("away", json!(self.away)),
            ("wrong", shown::wrong_json(&self.wrong)),
            ("times", json!(times)),
            ("end", json!(end)),
        ];
        json.extend(more.map(|(key, value)| (key.to_owned(), value)));
        if self.told.as_ref() != Some(&json) {
            self.hall.desk.tell(PLAY, &self.board, json.clone());
            self.told = Some(json);
        }
    }

    /// Tells it that the game cannot go on.
    pub(super) fn tell_gone(&mut self, reason: &str) {
        let mut json = self.told.take().unwrap_or_default();
        json.insert("state".into(), "gone".into());
        json.insert("away".into(), reason.into());
        self.hall.desk.tell(PLAY, &self.board, json);
    }
}
