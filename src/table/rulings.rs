//! What the arbiter decided.

use crate::event::{Body, Event};
use crate::rules::{GameResult, Variant};
use crate::ruling::{Ruling, RulingError};

use super::Table;

impl<V: Variant> Table<V> {
    pub(super) fn rule(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        match ruling.name() {
            "note" => {
                self.emit(Body::Ruled(Box::new(ruling.clone())), out);
                Ok(())
            }
            "result" | "change-result" => self.rule_result(ruling, out),
            _ => Err(ruling.inapplicable("this version cannot carry it out yet")),
        }
    }

    fn rule_result(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let value = ruling.text("value").unwrap_or_default();
        let result: GameResult =
            value.parse().map_err(|error| ruling.inapplicable(format!("\"{value}\" is {error}")))?;
        let Some(game) = self.game.as_ref().filter(|game| game.info.is_some()) else {
            return Err(ruling.inapplicable("no game is open on this board"));
        };
        let has_result = game.result.is_some();
        if has_result && ruling.name() == "result" {
            return Err(ruling.inapplicable("the game has a result; use \"change-result\""));
        }
        if !has_result && ruling.name() == "change-result" {
            return Err(ruling.inapplicable("the game has no result yet; use \"result\""));
        }
        self.emit(Body::Ruled(Box::new(ruling.clone())), out);
        self.over("ruling", result, out);
        Ok(())
    }
}
