//! From the tracker's steps to events: moves made, completed and withdrawn.

use super::scene::{Report, Scene};
use super::{
    Known, Press, Table, accounts, doubts, draws, illegal, offers, pressing, sensors, threats, touching,
};
use crate::event::{Body, Cause, CompletedBy, Event, MoveCompleted, MoveMade, MoveRetracted, Times};
use crate::infer::{Made, Retracted, Step, Tracker};
use crate::ply::Ply;
use adoube_rules::sensor::Side;
use adoube_rules::stamp::MS;
use adoube_rules::touch::{Release, side_of};
use adoube_rules::{Move as _, Position as _, Variant};

use super::rulings::line;
use super::touching::Let;

/// A press and the move that it completes may reach us this far apart, either way round
/// (dgt-protocol 4.1: clock data lag up to a second).
const PRESS_NS: u64 = 1_000 * MS;

impl<V: Variant> Table<V> {
    /// Lets the tracker work and says what came of it.
    pub(super) fn with_tracker(
        &mut self,
        out: &mut Vec<Event>,
        work: impl FnOnce(&mut Tracker<V>, &mut Vec<Step<V>>),
    ) {
        let mut steps = std::mem::take(&mut self.steps);
        if let Some(game) = self.scene.game.as_mut().filter(|game| game.result.is_none()) {
            game.tracker.mask(!game.displaced.is_empty());
            work(&mut game.tracker, &mut steps);
        }
        for index in 0..steps.len() {
            // What stood for an instant only, and was withdrawn in the same one, did not stand.
            let withdrawn = steps[index + 1..].iter().filter_map(|step| match step {
                Step::Retracted(retracted) => Some(retracted.ply),
                _ => None,
            });
            let stands_max = withdrawn.min().map_or(Ply::new(u32::MAX), Ply::before);
            match &steps[index] {
                Step::Made(made) => self.made(made.clone(), out),
                Step::Retracted(retracted) => self.retracted(retracted, out),
                Step::Stands { ply } if !stands_max.is_start() => self.stands((*ply).min(stands_max), out),
                Step::Stands { .. } => {}
                Step::Gap(gap) => self.gap(gap, out),
                Step::Diagnosed(diagnosis) => sensors::judge_square(*diagnosis, &mut self.report(out)),
                Step::OtherLayout(layout) => self.other_layout = Some(layout.clone()),
            }
        }
        let changed = steps.iter().filter_map(|step| match step {
            Step::Made(made) => Some(made.ply),
            Step::Retracted(retracted) => Some(retracted.ply),
            _ => None,
        });
        if let Some(first) = changed.min() {
            self.account_for_recovered(first, out);
        }
        let is_bridged = steps.iter().any(|step| matches!(step, Step::Gap(gap) if gap.paths > 0));
        steps.clear();
        self.steps = steps;
        if is_bridged {
            self.complete_unseen(out);
        }
    }

    pub(super) fn made(&mut self, made: Made, out: &mut Vec<Event>) {
        self.open_game(out);
        let clock = self.clock_then.unwrap_or_else(|| self.scene.times());
        let (made_ns, first_lift_ns) =
            (self.scene.elapsed_ns(made.made_ns), self.scene.elapsed_ns(made.first_lift_ns));
        let Some(game) = &mut self.scene.game else { return };
        let before = made.ply.before();
        game.plies.cut_after(before);
        game.history.truncate(before.count());
        game.is_started = true;
        let cause = match (made.recovered, made.explanation, self.scene.is_ruling) {
            (_, _, true) => Cause::Ruling,
            (true, _, _) => Cause::Recovered,
            (false, true, _) => Cause::Explanation,
            (false, false, _) => Cause::Played,
        };
        let is_held = game.plies.newest().is_some_and(|known| known.is_held);
        let event = Box::new(MoveMade {
            ply: made.ply,
            played: made.played,
            confidence_milli: made.confidence_milli,
            first_lift_ns,
            made_ns,
            clock,
            cause,
        });
        let (held, said) = if is_held { (Some(event), None) } else { (None, Some(event)) };
        game.plies.push(Known {
            clock,
            is_held,
            is_recovered: made.recovered,
            made: held,
            ..Known::default()
        });
        if let Some(event) = said {
            self.emit(Body::MoveMade(event), out);
        }
        self.watch_play(made.ply);
    }

    fn retracted(&mut self, retracted: &Retracted<V>, out: &mut Vec<Event>) {
        let ply = retracted.ply;
        let known =
            self.scene.game.as_ref().and_then(|game| game.plies.get(ply)).cloned().unwrap_or_default();
        // Of two moves that could not be told apart, the other one was played all along.
        let is_adopted = known.is_recovered && known.illegal.is_some();
        let is_explanation = retracted.explanation || is_adopted || self.records.is_doubted(ply);
        if !is_explanation && !self.scene.is_ruling {
            self.undone_after_release(retracted, &known);
        }
        self.keep_presses(retracted, is_explanation);
        if let Some(game) = &mut self.scene.game {
            game.plies.cut_after(ply.before());
            game.history.truncate(ply.before().count());
            game.held_ns = None;
            if self.scene.is_ruling {
                game.ledger.plays_anew(ply);
            }
        }
        self.watch_withdrawn(ply);
        if !known.is_held {
            let event = MoveRetracted {
                ply,
                played: retracted.played.clone(),
                fen: retracted.position.fen(),
                cause: match (self.scene.is_ruling, is_explanation) {
                    (true, _) => Cause::Ruling,
                    (false, true) => Cause::Explanation,
                    (false, false) => Cause::Played,
                },
            };
            self.emit(Body::MoveRetracted(Box::new(event)), out);
        }
        // What was an illegal move stays one, wherever its pieces stand now.
        let first = if known.illegal.is_some() { ply.next() } else { ply };
        self.report(out).withdraw_from(first);
        threats::judge_threats(ply.before(), &mut self.report(out));
    }

    /// A move that had been let go of and was not completed is taken back: that still binds (4.7).
    fn undone_after_release(&mut self, retracted: &Retracted<V>, known: &Known) {
        let Some(mv) = retracted.mv else { return };
        let dwell_ns = u64::from(self.scene.profile.release_dwell_ms) * MS;
        if known.completed_ns.is_some() || known.illegal.is_some() || retracted.rested_ns < dwell_ns {
            return;
        }
        let footprint = retracted.position.footprint(mv);
        let turn = retracted.position.turn();
        let own = |content| side_of(content) == Some(turn);
        if mv.castling().is_some() {
            return;
        }
        let from = footprint.changes().iter().find(|change| own(change.1) && change.2.is_empty());
        let to = footprint.changes().iter().find(|change| own(change.2));
        if let (Some(from), Some(to), Some(game)) = (from, to, &mut self.scene.game) {
            let promoted = (to.2 != from.1).then_some(to.2);
            let release = Release { from: from.0, to: to.0 };
            game.ledger.lets_go(Let { ply: retracted.ply, release, promoted });
        }
    }

    /// Ply `ply` stands, and every one before it: what hangs on a made move is said now (DESIGN 2.3).
    pub(super) fn stands(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        // Plies are judged in their order: what has been stands at the beginning of the line.
        let is_judged = |(ply, known): (Ply, &Known)| known.is_judged.then_some(ply);
        let judged = game.plies.iter().rev().find_map(is_judged).unwrap_or(Ply::START);
        debug_assert!(judged.all().all(|ply| game.plies[ply].is_judged));
        for ply in judged.next().to(ply) {
            let Some(known) = self.scene.game.as_mut().and_then(|game| game.plies.get_mut(ply)) else {
                return;
            };
            if !std::mem::replace(&mut known.is_judged, true) {
                self.judge(ply, out);
            }
        }
        self.judge_doubts(ply, out);
    }

    /// What the Laws say of a made move, in the order in which it is said.
    fn judge(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let Some(mover) = self.scene.mover(ply) else { return };
        if self.scene.profile.retro_completion && !ply.back(2).is_start() {
            // The same side's next move completes the one before it (6.2.1.2); every earlier one was
            // completed so when the ply before this was judged.
            self.complete(ply.back(2), CompletedBy::NextMove, None, out);
            debug_assert!(
                self.scene.game.as_ref().is_none_or(|game| {
                    ply.back(2).all().all(|ply| game.plies[ply].completed_ns.is_some())
                })
            );
        }
        self.illegal_window_closes(ply, mover, out);
        if !self.take_press_left(ply, out) {
            self.take_press(ply, out);
        }
        self.push_history();
        accounts::put_right(&mut self.report(out));
        if ply == Ply::FIRST {
            self.play_begins(out);
        }
        self.compare_with_pair(out);
        doubts::judge_promotion(ply, &mut self.report(out));
        self.strike_put_back(ply);
        touching::judge_touches(ply, &mut self.report(out));
        self.claims(out, |claims, report| claims.judge_announced(ply, report));
        self.resumption_played(ply, out);
        line::replaced(ply, &mut self.report(out));
        touching::judge_hands(ply, &mut self.report(out));
        self.count_reported_hands(ply, out);
        self.move_over_displaced(ply, out);
        // To move is to touch with intent, whatever was said before; it refuses an offer, whoever had not pressed yet.
        if self.scene.game.as_ref().is_some_and(|game| game.ledger.is_adjusting(mover)) {
            self.touched_with_intent(mover, out);
        } else {
            offers::refused_by_move(mover, &mut self.report(out));
        }
        if let Some(game) = &mut self.scene.game {
            game.ledger.moved(mover);
        }
        threats::judge_threats(ply, &mut self.report(out));
        self.judge_end(ply, out);
        draws::judge_draws(ply, &mut self.report(out));
    }

    /// What was pressed stays pressed, whatever was played. If it was taken back on the board, what is played now has to
    /// have been made by then.
    fn keep_presses(&mut self, retracted: &Retracted<V>, is_explanation: bool) {
        let Some(game) = self.scene.game.as_ref().filter(|_| !self.scene.is_ruling) else { return };
        let turn = retracted.position.turn();
        let sides = [turn, turn.other()].into_iter().cycle();
        let presses = retracted.ply.to(game.plies.last()).zip(sides).filter_map(|(ply, side)| {
            let known = game.plies.get(ply).filter(|known| known.completed_by == Some(CompletedBy::Press))?;
            let (at_ns, clock) = (known.completed_ns?, known.clock);
            Some(Press { side, at_ns, clock, is_waiting: !is_explanation, is_in_hand: false })
        });
        presses.for_each(|press| self.pending.keep_press(press));
    }

    /// The press of what was taken for another ply until now: the first since the piece was lifted. True if there is one.
    fn take_press_left(&mut self, ply: Ply, out: &mut Vec<Event>) -> bool {
        let game = self.scene.game.as_ref().filter(|_| self.clock_then.is_none());
        let Some((game, side)) = game.zip(self.scene.mover(ply)) else { return false };
        let (tracker, before) = (&game.tracker, ply.before());
        let is_unseen = game.plies[ply].is_recovered;
        // A reply may have been begun, and pressed, before the move was over.
        let departure = tracker.mv(ply).map(|mv| mv.departures()[0]);
        let left_ns = departure.and_then(|square| tracker.square_lifted_ns(square)).unwrap_or(u64::MAX);
        let lifted_ns = if is_unseen { tracker.made_ns(before) } else { tracker.lifted_ns(ply).min(left_ns) };
        let replied_ns = game.plies.get(before).and_then(|known| known.completed_ns);
        let since_ns = lifted_ns.max(replied_ns.unwrap_or(0));
        // Frames come a little later than the press; a piece that was in the air was not placed then.
        let until_ns =
            tracker.made_ns(ply).saturating_sub(u64::from(self.scene.profile.press_settle_ms) * MS);
        let is_its = |press: &Press| {
            let is_made = is_unseen || !press.is_waiting || until_ns <= press.at_ns;
            press.side == side && since_ns <= press.at_ns && is_made
        };
        let Some(index) = self.pending.presses_left.iter().position(is_its) else {
            // It was pressed with the piece in the hand, and the opponent has pressed as well since then.
            let is_early = |press: &Press| {
                press.side == side && press.is_in_hand && (since_ns..until_ns).contains(&press.at_ns)
            };
            if let Some(index) = self.pending.presses_left.iter().position(is_early) {
                let press = self.pending.presses_left.remove(index);
                pressing::moved_after_press(ply, press, &mut self.report(out));
            }
            return false;
        };
        let press = self.pending.presses_left.remove(index);
        let now_ns = self.scene.now.mono_ns;
        if let Some(game) = &mut self.scene.game {
            game.tracker.was_pressed(ply, now_ns);
        }
        self.complete(ply, CompletedBy::Press, Some((press.at_ns, press.clock)), out)
    }

    /// A press that came before its move was understood.
    pub(super) fn take_press(&mut self, ply: Ply, out: &mut Vec<Event>) {
        // A ply that is told again is not what was pressed just now.
        let Some(press) = self.pending.press.filter(|_| self.clock_then.is_none()) else { return };
        let age_ns = self.scene.now.mono_ns.saturating_sub(press.at_ns);
        if self.scene.mover(ply) == Some(press.side)
            && (age_ns <= PRESS_NS || press.is_waiting || self.pending.verdict_ns.is_some())
        {
            self.pending.forget_press();
            pressing::moved_after_press(ply, press, &mut self.report(out));
            let made_ns = self.scene.game.as_ref().map_or(0, |game| game.tracker.made_ns(ply));
            // Frames come a little later than the press; a piece that was in the air was not placed then.
            let lag_ns = u64::from(self.scene.profile.press_settle_ms) * MS;
            let at_ns = if made_ns > press.at_ns + lag_ns { made_ns } else { press.at_ns };
            self.complete(ply, CompletedBy::Press, Some((at_ns, press.clock)), out);
            accounts::raise_displaced(&mut self.report(out));
        }
    }

    /// Says that `ply` is completed, once; true if it was said now.
    pub(super) fn complete(
        &mut self,
        ply: Ply,
        by: CompletedBy,
        press: Option<(u64, Option<Times>)>,
        out: &mut Vec<Event>,
    ) -> bool {
        let (at_ns, clock) = press.unzip();
        let clock = clock.flatten();
        let at_ns = at_ns.unwrap_or(self.scene.now.mono_ns);
        let Some(game) = &mut self.scene.game else { return false };
        let Some(known) = game.plies.get_mut(ply).filter(|known| known.completed_ns.is_none()) else {
            return false;
        };
        known.completed_ns = Some(at_ns);
        known.completed_by = Some(by);
        known.clock = clock.or(known.clock);
        if !known.is_held {
            say_completed(ply, &mut self.report(out));
        }
        self.watch_completed(ply, by);
        if by == CompletedBy::Press {
            doubts::judge_castling_in_place(ply, &mut self.report(out));
            self.count_reported_hands(ply, out);
        } else if let Some(game) = &mut self.scene.game {
            // Nobody has pressed: what was reported of it does not count.
            game.ledger.takes_two_hands_at(ply);
        }
        illegal::judge_illegal_position(&mut self.report(out));
        self.judge_set_up_window(out);
        self.look_for_unaccounted(out);
        true
    }

    /// Publishes what was held back, as far as nothing illegal that is still open lies before it.
    pub(super) fn release_held(&mut self, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        // A ply after one that is held back is held back as well.
        if game.plies.newest().is_none_or(|newest| !newest.is_held) {
            debug_assert!(game.plies.iter().all(|(_, known)| !known.is_held));
            return;
        }
        for ply in game.plies.last().all() {
            let Some(game) = &self.scene.game else { return };
            let known = &game.plies[ply];
            if !known.is_held {
                continue;
            }
            let stands = known
                .illegal
                .filter(|_| !known.is_recovered)
                .is_none_or(|record| self.records.record(record).is_none_or(|record| !record.is_open()));
            if !stands {
                return;
            }
            let Some(played) = game.tracker.played(ply) else { return };
            let event = known.made.as_deref().cloned().unwrap_or_else(|| MoveMade {
                ply,
                played,
                confidence_milli: 1_000,
                first_lift_ns: self.scene.elapsed_ns(game.tracker.lifted_ns(ply)),
                made_ns: self.scene.elapsed_ns(game.tracker.made_ns(ply)),
                clock: known.clock,
                cause: Cause::Played,
            });
            if let Some(game) = &mut self.scene.game {
                game.plies[ply].is_held = false;
            }
            self.emit(Body::MoveMade(Box::new(event)), out);
            say_completed(ply, &mut self.report(out));
        }
    }
}

impl<V: Variant> Scene<V> {
    /// Who made ply `ply`.
    #[inline]
    pub(super) fn mover(&self, ply: Ply) -> Option<Side> {
        let game = self.game.as_ref()?;
        (!ply.is_start()).then(|| game.tracker.position(ply.before()).turn())
    }
}

fn say_completed<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let known = &game.plies[ply];
    let (Some(at_ns), Some(played)) = (known.completed_ns, game.tracker.played(ply)) else { return };
    let event = MoveCompleted {
        ply,
        played,
        by: known.completed_by.unwrap_or(CompletedBy::Press),
        completed_ns: report.elapsed_ns(at_ns),
        clock: known.clock,
    };
    report.emit(Body::MoveCompleted(Box::new(event)));
}
