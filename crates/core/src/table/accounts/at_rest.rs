//! A picture that has come to rest.

use super::patterns::{self, close_pending_but};
use super::{Account, Moment, displaced, gaps, shown, standing};
use crate::event::{Event, Status};
use crate::table::records::Record;
use crate::table::scene::Report;
use crate::table::{Table, adopting, offers};
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::laws::Name;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// The picture changed: when it will have come to rest, if nothing explains it.
    pub(in crate::table) fn watch_for_rest(&mut self, out: &mut Vec<Event>) {
        self.pending.left_behind = None;
        self.pending.settle_ns = None;
        let Some(game) = self.scene.playing() else { return };
        let is_explained = game.tracker.is_explained();
        let is_begun = game.tracker.begun_castling().is_some();
        let is_masked = !game.displaced.is_empty();
        standing::judge_unaccounted(&mut self.report(out));
        if is_explained {
            put_right(&mut self.report(out));
        }
        if !is_explained || is_masked || is_begun {
            self.pending.settle_ns =
                Some(self.scene.now.mono_ns + u64::from(self.scene.profile.settle_ms) * MS);
        }
    }

    /// The picture rests: what it comes to is said.
    pub(in crate::table) fn rests(&mut self, out: &mut Vec<Event>) {
        self.pending.settle_ns = None;
        if self.scene.playing().is_none() || self.scene.mode().is_off_the_record() || self.is_setting_up() {
            return;
        }
        if self.scene.is_paused() {
            offers::judge_resignation_signs(&mut self.report(out));
        }
        self.look_under_displaced(out);
        if let Some((from, to)) = self.scene.playing().and_then(|game| game.tracker.begun_castling()) {
            return self.half_castled(from, to, out);
        }
        if self.scene.playing().is_some_and(|game| game.tracker.is_explained()) {
            return;
        }
        match self.account(Moment::Rest, out) {
            Account::Position | Account::Move => {}
            Account::TooSoon { until_ns } => self.pending.settle_ns = Some(until_ns),
            Account::Unseen(departure) => self.nobody_saw(departure, out),
            Account::Irregular(departure) => self.rests_irregular(departure, out),
        }
    }

    fn rests_irregular(&mut self, departure: Departure<V::Move>, out: &mut Vec<Event>) {
        match departure {
            Departure::None => {}
            Departure::Lifted { squares } if self.pending.left_behind.as_ref() == Some(&squares) => {
                self.displaced(&squares, &squares, &[], out);
                displaced::raise_displaced(&mut self.report(out));
            }
            Departure::Lifted { squares } => patterns::lifted_only(&squares, &mut self.report(out)),
            Departure::CastlingHalf { from, to } => self.half_castled(from, to, out),
            Departure::PromotionHalf { from, square } => self.half_promoted(from, square, out),
            Departure::Illegal { from, to, kinds, .. } => {
                patterns::illegal_pending(&[from, to], &kinds, &mut self.report(out));
            }
            Departure::Several { squares } => {
                patterns::illegal_pending(&squares, &[Kind::SeveralPieces], &mut self.report(out));
            }
            Departure::OutOfTurn(mv) => drop(self.out_of_turn(mv, out)),
            Departure::Displaced { squares, .. } if shown::only_kings(&self.scene, &squares) => {}
            Departure::Displaced { squares, missing, extra } => {
                match shown::pushed_aside(&self.scene, &squares) {
                    Some(square) => self.displaced(&[square], &[], &[square], out),
                    None => self.displaced(&squares, &missing, &extra, out),
                }
            }
        }
    }

    /// What rests after a gap, and no path leads to it.
    fn nobody_saw(&mut self, departure: Departure<V::Move>, out: &mut Vec<Event>) {
        match departure {
            Departure::Several { squares } => self.gap_without_path(&squares, true, out),
            Departure::Displaced { squares, missing, extra } => {
                let is_knocked_over = missing.is_empty() && extra.is_empty();
                self.gap_without_path(&squares, is_knocked_over, out);
            }
            Departure::Illegal { from, to, .. } => self.gap_without_path(&[from, to], false, out),
            Departure::OutOfTurn(mv) if self.adopted_for_another(mv, out) => {}
            Departure::OutOfTurn(mv) => {
                let Some(game) = &self.scene.game else { return };
                let best = game.tracker.best();
                let footprint = best.with_army(Self::army_of_move(best, mv)).footprint(mv);
                let squares: Vec<Square> = footprint.changes().iter().map(|change| change.0).collect();
                self.gap_without_path(&squares, false, out);
            }
            _ => {}
        }
    }
}

/// The picture is a position again: what was pending is over.
pub(in crate::table) fn put_right<V: Variant>(report: &mut Report<'_, V>) {
    close_pending_but(None, report);
    if report.scene.game.as_ref().is_none_or(|game| game.displaced.is_empty()) {
        let scene = report.scene;
        let is_over = |record: &Record| match record.name() {
            Name::UnexplainedPosition => !standing::still_differ(scene, &record.key.squares),
            _ => gaps::is_gap_without_path(record) && !adopting::is_of_adopted(scene, record),
        };
        report.close_all(is_over, Status::Corrected);
    }
}
