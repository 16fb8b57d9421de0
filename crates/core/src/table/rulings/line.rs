//! What was played: a ply confirmed, corrected, supplied or struck out. The plies that followed are
//! played again, with the times that they had, as far as they still are legal moves.

use crate::event::finding::Finding;
use crate::event::{CompletedBy, Event, RecordId, Status, Times};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use crate::table::records::{Record, Records};
use crate::table::scene::{Report, Scene};
use crate::table::{Table, accounts, written};
use adoube_rules::laws::Name;
use adoube_rules::{Position as _, Variant};

/// Records that ask what a ply was.
pub(super) const ASKING: [Name; 3] = [Name::AmbiguousMove, Name::PromotionPieceUnknown, Name::RecordGap];

/// A ply as it was played.
struct Past<V: Variant> {
    uci: String,
    /// It was no move: the position that was adopted after a gap, and the record of that.
    adopted: Option<(V::Position, Record)>,
    /// First lift and made.
    times_ns: [u64; 2],
    clock: Option<Times>,
    completed: Option<(u64, CompletedBy)>,
}

impl<V: Variant> Table<V> {
    /// Ply `ply` was `uci`, the arbiter says.
    pub(super) fn rule_correct(
        &mut self,
        ply: Ply,
        uci: &str,
        may_be_new: bool,
        out: &mut Vec<Event>,
    ) -> Outcome {
        check_ply(&self.scene, ply, may_be_new)?;
        self.correct(ply, uci, out)
    }

    /// Before ply `ply` the move `uci` was played.
    pub(super) fn rule_insert(&mut self, ply: Ply, uci: &str, out: &mut Vec<Event>) -> Outcome {
        check_ply(&self.scene, ply, true)?;
        let played = readable(&self.scene, ply, uci)?;
        let followers = past(&self.scene, &self.records, ply);
        self.cut(ply.before(), out);
        self.play_now(&played, out);
        self.play_again(&followers, out);
        self.restore_board(out);
        Ok(())
    }

    /// Ply `ply` was not played.
    pub(super) fn rule_delete(&mut self, ply: Ply, out: &mut Vec<Event>) -> Outcome {
        check_ply(&self.scene, ply, false)?;
        let followers = past(&self.scene, &self.records, ply.next());
        self.cut(ply.before(), out);
        self.play_again(&followers, out);
        self.restore_board(out);
        Ok(())
    }

    /// Ply `ply` was `uci`: confirmed if it is that already, else corrected.
    pub(super) fn correct(&mut self, ply: Ply, uci: &str, out: &mut Vec<Event>) -> Outcome {
        let uci = readable(&self.scene, ply, uci)?;
        if self.scene.game.as_ref().is_some_and(|game| game.tracker.plies().next() == ply) {
            self.cut(ply.before(), out);
            self.play_now(&uci, out);
            self.restore_board(out);
            self.answered(ply, out);
            return Ok(());
        }
        let is_same = self
            .scene
            .game
            .as_ref()
            .and_then(|game| game.tracker.played(ply))
            .is_some_and(|played| played.uci() == uci);
        if !is_same {
            self.replay_with(ply, &[uci], out);
        } else if let Some(game) = &mut self.scene.game {
            game.tracker.confirm(ply);
        }
        self.answered(ply, out);
        Ok(())
    }

    /// What asked for this ply has its answer.
    fn answered(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let is_asked = |record: &Record| {
            let at_ply = match &record.finding {
                Finding::PromotionPieceUnknown(unknown) => unknown.at_ply,
                _ => record.key.ply,
            };
            ASKING.contains(&record.name()) && (record.key.ply == ply || at_ply == ply)
        };
        let asked: Vec<RecordId> = self
            .records
            .iter()
            .filter(|record| record.is_open() && is_asked(record))
            .map(|record| record.number)
            .collect();
        for number in asked {
            self.close(number, Status::Confirmed, out);
        }
        self.doubt_decided(out);
    }

    /// Puts `ucis` in the place of ply `ply` and those after it.
    pub(super) fn replay_with(&mut self, ply: Ply, ucis: &[String], out: &mut Vec<Event>) {
        let mut past = past(&self.scene, &self.records, ply);
        for (past, uci) in past.iter_mut().zip(ucis) {
            uci.clone_into(&mut past.uci);
        }
        self.cut(ply.before(), out);
        self.play_again(&past, out);
        self.restore_board(out);
    }

    fn play_again(&mut self, past: &[Past<V>], out: &mut Vec<Event>) {
        for ply in past {
            if let Some((position, gap)) = &ply.adopted {
                self.adopt_again(position, gap, ply.times_ns[1], out);
            } else if !self.play(&ply.uci, Some(ply), out) {
                return;
            }
        }
    }

    fn play_now(&mut self, uci: &str, out: &mut Vec<Event>) {
        self.play(uci, None, out);
    }

    /// Plays `uci` after the line; false if it is no legal move there.
    fn play(&mut self, uci: &str, past: Option<&Past<V>>, out: &mut Vec<Event>) -> bool {
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &self.scene.game else { return false };
        let ply = game.tracker.plies().next();
        let position = game.tracker.position(ply.before());
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let Some(mv) = moves.into_iter().find(|&mv| position.played(mv).uci() == uci) else {
            return false;
        };
        let times_ns = past.map_or([at_ns; 2], |past| past.times_ns);
        self.clock_then = past.map(|past| past.clock);
        self.with_tracker(out, |tracker, steps| {
            tracker.take_as_made_then(mv, times_ns, at_ns, steps);
        });
        self.clock_then = None;
        match past.map(|past| past.completed) {
            Some(Some((completed_ns, by))) => {
                self.complete_then(ply, by, completed_ns, out);
            }
            Some(None) => {}
            None => self.complete_by_ruling(ply, out),
        }
        true
    }

    /// Ply `ply` was completed, at the time at which it was.
    fn complete_then(&mut self, ply: Ply, by: CompletedBy, completed_ns: u64, out: &mut Vec<Event>) {
        let clock = self.scene.game.as_ref().and_then(|game| game.plies.get(ply)?.clock);
        self.complete(ply, by, Some((completed_ns, clock)), out);
    }

    fn restore_board(&mut self, out: &mut Vec<Event>) {
        self.pending.forget_picture();
        accounts::put_right(&mut self.report(out));
        self.mask(None, out);
    }
}

/// A ply of the line; `may_be_new`: or the next one, which the board does not show.
fn check_ply<V: Variant>(scene: &Scene<V>, ply: Ply, may_be_new: bool) -> Outcome {
    let plies = scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
    let last = if may_be_new { plies.next() } else { plies };
    if ply.is_start() || ply > last {
        return Err(inapplicable(format!("ply {ply} is not one of 1 to {last}")));
    }
    Ok(())
}

/// The from-to notation of what a ruling calls ply `ply`, if that is a legal move there.
fn readable<V: Variant>(scene: &Scene<V>, ply: Ply, text: &str) -> Result<String, Inapplicable> {
    let Some(game) = scene.game.as_ref().filter(|game| !ply.is_start() && ply <= game.tracker.plies().next())
    else {
        return Err(inapplicable(format!("there is no ply {ply}")));
    };
    let position = game.tracker.position(ply.before());
    match written::read::<V>(position, text) {
        Ok(mv) => Ok(position.played(mv).uci()),
        Err(fault) => {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let known: Vec<String> = moves.into_iter().map(|mv| position.played(mv).uci()).collect();
            let nearest = adoube_rules::spelling::nearest(text, known.iter().map(String::as_str)).to_owned();
            Err(inapplicable(format!(
                "\"{text}\" is {} as ply {ply}; the nearest legal move is {nearest}",
                fault.as_str()
            )))
        }
    }
}

/// The plies from `ply` on, as they were.
fn past<V: Variant>(scene: &Scene<V>, records: &Records, ply: Ply) -> Vec<Past<V>> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    ply.to(game.tracker.plies())
        .filter_map(|ply| {
            let known = game.plies.get(ply)?;
            let gap = known.illegal.filter(|_| known.is_recovered).and_then(|gap| records.record(gap));
            Some(Past {
                adopted: gap.map(|gap| (game.tracker.position(ply).clone(), gap.clone())),
                uci: game.tracker.played(ply)?.uci(),
                times_ns: [game.tracker.lifted_ns(ply), game.tracker.made_ns(ply)],
                // What the clock showed when nobody looked is not known.
                clock: known.clock.filter(|_| !known.is_recovered),
                completed: known.completed_ns.zip(known.completed_by),
            })
        })
        .collect()
}

/// Ply `ply` stands: the moves that might be played instead of an earlier one are history.
pub(in crate::table) fn replaced<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let is_past = |record: &Record| record.name() == Name::ReplacementMoves && record.key.ply <= ply;
    let past: Vec<(RecordId, Option<RecordId>)> = report
        .records
        .open()
        .filter(|record| is_past(record))
        .map(|record| (record.number, record.of))
        .collect();
    for (number, of) in past {
        // As long as the record itself waits, so does what it proposes.
        if of.and_then(|of| report.records.record(of)).is_none_or(|of| !of.is_open()) {
            report.close(number, Status::Corrected);
        }
    }
}
