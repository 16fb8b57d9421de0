//! Taking a ruling back: what it closed is open again, what it opened is withdrawn, counts, struck
//! touches and results are what they were. Moves that it changed are not brought back by themselves:
//! since then the board has shown other things.

use serde_json::Value;

use crate::event::{Body, Event, Status};
use crate::rules::{GameResult, Variant};
use crate::ruling::{Ruling, RulingError};

use crate::table::records::Draft;
use crate::table::{Illegal, Mode, Table};

/// Rulings that can still be taken back.
const REMEMBERED: usize = 64;

/// What a ruling may change, as it was.
#[derive(Debug, Clone)]
pub(in crate::table) struct Before {
    statuses: Vec<(u32, Status, bool)>,
    numbered: u32,
    plies: Option<u32>,
    illegal: [Illegal; 2],
    result: Option<GameResult>,
    ended_by: Option<&'static str>,
    mode: Mode,
    assistants: [bool; 2],
    struck: Vec<u32>,
}

/// A ruling that was carried out.
#[derive(Debug, Clone)]
pub(in crate::table) struct Undoing {
    /// The how-manieth ruling of this table it was, from 1.
    number: u32,
    name: &'static str,
    before: Before,
    /// The last record that it opened.
    numbered: u32,
    has_changed_moves: bool,
    is_undone: bool,
}

impl<V: Variant> Table<V> {
    pub(super) fn before_ruling(&self) -> Before {
        Before {
            statuses: self
                .records
                .iter()
                .map(|record| (record.number, record.status, record.by_arbiter))
                .collect(),
            numbered: self.numbered,
            plies: self.game.as_ref().map(|game| game.tracker.plies()),
            illegal: self.illegal.clone(),
            result: self.game.as_ref().and_then(|game| game.result),
            ended_by: self.game.as_ref().and_then(|game| game.ended_by),
            mode: self.mode,
            assistants: self.profile.assistant_moves,
            struck: self.game.as_ref().map(|game| game.ledger.struck()).unwrap_or_default(),
        }
    }

    /// A ruling was carried out and said this.
    pub(super) fn remember_ruling(&mut self, name: &'static str, mut before: Before, said: &[Event]) {
        self.ruled += 1;
        let plies = self.game.as_ref().map(|game| game.tracker.plies());
        let has_changed_moves = plies != before.plies
            || said.iter().any(|event| {
                matches!(
                    event.body,
                    Body::MoveMade(_)
                        | Body::MoveRetracted(_)
                        | Body::GameOpened(_)
                        | Body::GameClosed { .. }
                )
            });
        let records = &self.records;
        before.statuses.retain(|(number, status, _)| {
            records.iter().any(|record| record.number == *number && record.status != *status)
        });
        if self.undoings.len() == REMEMBERED {
            self.undoings.remove(0);
        }
        self.undoings.push(Undoing {
            number: self.ruled,
            name,
            before,
            numbered: self.numbered,
            has_changed_moves,
            is_undone: false,
        });
    }

    /// `undo`: a number, or the name of the youngest ruling that has it.
    pub(super) fn rule_undo(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let is_meant: Box<dyn Fn(&Undoing) -> bool> = match ruling.argument("ruling").and_then(Value::as_str)
        {
            Some(name) => {
                let name = name.to_owned();
                Box::new(move |known| known.name == name && !known.is_undone)
            }
            None => {
                let number = ruling.number("ruling")?;
                Box::new(move |known| known.number == number)
            }
        };
        let Some(index) = self.undoings.iter().rposition(is_meant) else {
            return Err(
                ruling.inapplicable("no such ruling was carried out on this board, or it is too long ago")
            );
        };
        let known = self.undoings[index].clone();
        let reason = match known.name {
            _ if known.is_undone => Some("it is undone already"),
            "undo" => Some("an undoing is not undone; make the ruling again"),
            "set-position" | "accept-position" | "castling-ban" | "transfer-position" => {
                Some("it set the position; \"set-position\" sets another one")
            }
            "swap-colours" => Some("make it again"),
            _ if known.has_changed_moves => {
                Some("it changed the moves; \"restore-position\" and \"correct-move\" change them again")
            }
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(ruling.inapplicable(format!("{} is not undone: {reason}", known.name)));
        }
        self.undoings[index].is_undone = true;
        self.take_back(&known, out);
        Ok(())
    }

    fn take_back(&mut self, known: &Undoing, out: &mut Vec<Event>) {
        let opened: Vec<u32> = self
            .records
            .iter()
            .filter(|record| record.number > known.before.numbered && record.number <= known.numbered)
            .filter(|record| matches!(record.status, Status::Open | Status::Confirmed))
            .map(|record| record.number)
            .collect();
        for number in opened {
            self.amend(number, |record| record.status = Status::Withdrawn, out);
        }
        for &(number, status, by_arbiter) in &known.before.statuses {
            self.amend(
                number,
                |record| {
                    record.status = status;
                    record.by_arbiter = by_arbiter;
                },
                out,
            );
        }
        for (now, before) in self.illegal.iter_mut().zip(&known.before.illegal) {
            now.plies.clone_from(&before.plies);
        }
        self.mode = known.before.mode;
        self.profile.assistant_moves = known.before.assistants;
        let Some(game) = &mut self.game else { return };
        game.ledger.strike_only(&known.before.struck);
        match known.name {
            "adjusting" => game.ledger.adjusting = None,
            "adjourn" => game.adjournment = None,
            name if name.ends_with("-intended") => game.claims.announced = None,
            _ => {}
        }
        let is_changed = game.result != known.before.result;
        let from = std::mem::replace(&mut game.result, known.before.result);
        game.ended_by = known.before.ended_by;
        if is_changed {
            let name = |result: Option<GameResult>| result.map_or("*", GameResult::name);
            let draft = Draft::notice("result-changed")
                .with("from", name(from))
                .with("to", name(known.before.result))
                .with("result", name(known.before.result));
            self.open(draft, out);
            // What happened on the board meanwhile is play again.
            if known.before.result.is_none() {
                self.show_really(out);
            }
        }
    }
}
