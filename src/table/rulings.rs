//! What the arbiter decided.

use crate::event::{Body, Event};
use crate::rules::{GameResult, Variant};
use crate::ruling::{Ruling, RulingError};

use super::Table;

impl<V: Variant> Table<V> {
    pub(super) fn rule(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        if let Some(ruled) = self.rule_clock(ruling, out) {
            return ruled;
        }
        match ruling.name() {
            "note" => {
                self.emit(Body::Ruled(Box::new(ruling.clone())), out);
                Ok(())
            }
            "result" | "change-result" => self.rule_result(ruling, out),
            "setup-wrong" | "orientation-wrong" | "colours-reversed" => {
                self.emit(Body::Ruled(Box::new(ruling.clone())), out);
                match ruling.name() {
                    "setup-wrong" => self.report_set_up(out),
                    "orientation-wrong" => self.report_orientation(out),
                    _ => self.report_colours(out),
                }
                Ok(())
            }
            "transfer-position" => self.rule_transfer(ruling, out),
            _ => Err(ruling.inapplicable("this version cannot carry it out yet")),
        }
    }

    fn rule_transfer(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let turned = ruling.argument("turned").and_then(|turned| match turned.as_str() {
            Some(text) => text.parse().ok(),
            None => turned.as_u64(),
        });
        let known = turned.and_then(|turned| super::orientation::ORIENTATIONS.into_iter().find(|&known| u64::from(known) == turned));
        let Some(turned) = known else {
            return Err(ruling.inapplicable("\"turned\" is 0, 90, 180 or 270"));
        };
        if self.playing().is_none() {
            return Err(ruling.inapplicable("no game is being played on this board"));
        }
        self.emit(Body::Ruled(Box::new(ruling.clone())), out);
        self.transfer(turned, out);
        Ok(())
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
