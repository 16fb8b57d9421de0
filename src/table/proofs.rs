//! What a claim rests on, for the players and the arbiter to check (11.12): positions, times, touches.

use serde_json::{Value, json};

use crate::rules::draw::{ClaimVerdict, Evidence};
use crate::rules::{Position as _, Variant};
use crate::sensor::Side;
use crate::stamp::ms;

use super::Table;
use super::records::Draft;

impl<V: Variant> Table<V> {
    /// The report on a claim of Article 9: the plies, and the positions themselves. `intended` is the move
    /// that was written down.
    pub(super) fn report(&self, draft: Draft, verdict: &ClaimVerdict, intended: Option<V::Move>) -> Draft {
        let mut draft = draft.with("verdict", if verdict.is_correct { "correct" } else { "incorrect" });
        if let Some(ply) = verdict.broken_at {
            draft = draft.with("gap", ply);
        }
        match &verdict.evidence {
            Evidence::Same(plies) => draft
                .with("occurrences", plies.len())
                .with("plies", plies.clone())
                .with("positions", self.alike(plies, intended)),
            Evidence::Halfmoves { count, by, since } => {
                let last = self.game.as_ref().map_or(0, |game| game.history.ply());
                let last = last + usize::from(intended.is_some());
                let ends = since.iter().copied().chain([last]);
                let positions: Vec<Value> = ends.filter_map(|ply| self.proof(ply, intended, true)).collect();
                by.iter()
                    .fold(draft, |draft, (side, made)| draft.with(side.name(), *made))
                    .with("half_moves", *count)
                    .with("last_pawn_move", *since)
                    .with("positions", positions)
            }
            Evidence::IllegalMove => draft.with("reason", "illegal-move"),
        }
    }

    /// Every position with the men and the turn of the one that is claimed; those that differ by castling
    /// rights or en passant do not count (9.2.2).
    fn alike(&self, plies: &[usize], intended: Option<V::Move>) -> Vec<Value> {
        let Some(game) = &self.game else { return Vec::new() };
        let last = game.history.ply() + usize::from(intended.is_some());
        let men = |ply: usize| {
            let fen = self.fen_of(ply, intended)?;
            Some(fen.split(' ').take(2).collect::<Vec<_>>().join(" "))
        };
        let claimed = men(last);
        (0..=last)
            .filter(|&ply| men(ply) == claimed)
            .filter_map(|ply| self.proof(ply, intended, plies.contains(&ply)))
            .collect()
    }

    fn fen_of(&self, ply: usize, intended: Option<V::Move>) -> Option<String> {
        let history = &self.game.as_ref()?.history;
        match history.position(ply) {
            Some(position) => Some(position.fen()),
            None => Some(history.position(history.ply())?.play(intended?).fen()),
        }
    }

    /// The position after `ply` plies: its FEN, the move that led to it and when that was made.
    fn proof(&self, ply: usize, intended: Option<V::Move>, counts: bool) -> Option<Value> {
        let game = self.game.as_ref()?;
        let fen = self.fen_of(ply, intended)?;
        let number = u32::try_from(ply).ok()?;
        let is_played = number > 0 && number <= game.tracker.plies();
        let played = is_played.then(|| game.tracker.played(number)).flatten();
        let made_ms = is_played.then(|| ms(self.elapsed_ns(game.tracker.made_ns(number))));
        Some(json!({
            "ply": ply,
            "san": played.map(|played| played.san()),
            "fen": fen,
            "made_ms": made_ms,
            "counts": counts,
        }))
    }

    /// Both times after the stop, each flag that is down with the moves made, completed and required, and
    /// which fell first (6.8, A.4.3).
    pub(super) fn flags_proved(&self, draft: Draft) -> Draft {
        let counts = self.counts();
        let fallen = |side: Side| {
            let index = side.index();
            let fell_ns = self.timing.flags.fell_ns(side)?;
            let period = self.period_of(side);
            let required = self.timing.control.as_ref().and_then(|control| control.required_by(period));
            Some(json!({
                "side": side.name(),
                "at_ms": ms(self.elapsed_ns(fell_ns)),
                "period": period + 1,
                "made": counts.made[index],
                "completed": counts.completed[index],
                "required": required,
            }))
        };
        let flags: Vec<Value> = Side::BOTH.into_iter().filter_map(fallen).collect();
        let first = match flags.len() {
            0 => None,
            1 => flags[0].get("side").and_then(Value::as_str).map(str::to_owned),
            _ => Some(self.timing.flags.first().map_or("unknown", Side::name).to_owned()),
        };
        draft
            .with("times", crate::event::times_value(self.times()))
            .with("flags", flags)
            .with("first_flag", first)
    }

    /// What was touched in the turn of ply `ply`, in order, and when.
    pub(super) fn touches_proved(&self, ply: u32) -> Vec<Value> {
        let Some(game) = self.game.as_ref().filter(|_| ply > 0) else { return Vec::new() };
        let (since_ns, made_ns) = (self.turn_begins_ns(ply - 1), game.tracker.made_ns(ply));
        let position = game.tracker.position(ply - 1);
        let lifts = game.ledger.between(since_ns, made_ns).filter(|lift| !lift.is_struck);
        lifts
            .map(|lift| {
                json!({
                    "square": V::FAMILY.square_name(lift.square),
                    "piece": V::FAMILY.man_name(position.content(lift.square)),
                    "at_ms": ms(self.elapsed_ns(lift.at_ns)),
                    "returned_ms": lift.returned_ns.map(|at_ns| ms(self.elapsed_ns(at_ns))),
                })
            })
            .collect()
    }
}
