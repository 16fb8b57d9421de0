//! What stands: restoring, setting and accepting positions, castling bans, a board that is turned.
//!
//! The men on the board may still stand otherwise: they are masked, so that the tracker is shown what
//! ought to stand, until they are put there.

use super::decided;
use crate::event::finding::{Finding, SquareName};
use crate::event::{Event, RecordId, Status};
use crate::infer::View;
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use crate::table::accounts::Displaced;
use crate::table::records::Record;
use crate::table::scene::{Report, Scene};
use crate::table::touching::ARTICLE_4;
use crate::table::{Table, accounts, named, orientation, setting_up, threats};
use adoube_rules::draw::History;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Table<V> {
    /// The position after `ply` stands again, the arbiter says.
    pub(super) fn rule_restore(&mut self, ply: Ply, out: &mut Vec<Event>) -> Outcome {
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        if ply > plies {
            return Err(inapplicable(format!("the game has {plies} plies, not {ply}")));
        }
        // Restoring a position by hand accuses nobody: a suspicion goes with its move.
        let suspected = self.records.open().filter(|record| ARTICLE_4.contains(&record.name()));
        let suspected: Vec<RecordId> = suspected.map(|record| record.number).collect();
        let is_it = |record: &Record| {
            matches!(&record.finding, Finding::RestorePosition(to) if to.ply == ply)
                && record.of.is_none_or(|of| !suspected.contains(&of))
        };
        settle_executed(Name::RestorePosition, is_it, &mut self.report(out));
        self.restore(ply, out);
        self.restoring_begins(ply);
        Ok(())
    }

    /// Another position stands, the arbiter says.
    pub(super) fn rule_set(&mut self, fen: &str, out: &mut Vec<Event>) -> Outcome {
        if self.scene.is_waiting() {
            settle_executed(Name::SetPosition, |_| true, &mut self.report(out));
            return self.start_from(fen, out);
        }
        let Some(game) = &self.scene.game else { return Ok(()) };
        let position = V::read(fen, game.tracker.best()).map_err(inapplicable)?;
        settle_executed(Name::SetPosition, |_| true, &mut self.report(out));
        self.set(position, out);
        Ok(())
    }

    /// The position on the board stands, with `side` to move.
    pub(super) fn accept_position(&mut self, side: Option<Side>, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.best().accepted(&standing_now(&self.scene), side);
        self.set(position, out);
    }

    /// The pawn that waits on the square of that name is a queen (7.5.2).
    pub(super) fn rule_queen(&mut self, name: &str, out: &mut Vec<Event>) -> Outcome {
        let Some(square) = V::FAMILY.square(name) else {
            return Err(inapplicable(format!("\"{name}\" is no square; {}", V::FAMILY.square_range())));
        };
        let is_meant =
            |record: &&Record| record.is_open() && waiting_pawn(record) == Some(&named::<V>(square));
        let Some(number) = self.records.iter().rev().find(is_meant).map(|record| record.number) else {
            return Err(inapplicable(format!("no pawn waits to be replaced on {name}")));
        };
        settle_executed(Name::ReplaceByQueen, |record| record.of == Some(number), &mut self.report(out));
        self.queen_for(Some(number), out);
        Ok(())
    }

    /// `side` may not castle, or not with the rook on the square of that name (A.4.1.2).
    pub(super) fn rule_castling_ban(
        &mut self,
        side: Side,
        rook: Option<&str>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        let square = |name: &str| {
            let unknown = || inapplicable(format!("\"{name}\" is no square; name the rook's, like h1"));
            V::FAMILY.square(name).ok_or_else(unknown)
        };
        let rook = rook.map(square).transpose()?;
        settle_executed(Name::CastlingBan, |record| record.key.side == Some(side), &mut self.report(out));
        self.ban_castling(side, rook, out);
        Ok(())
    }

    /// Withdraws the plies after `ply`.
    pub(in crate::table) fn cut(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| tracker.cut(ply.min(tracker.plies()), at_ns, steps));
    }

    /// The position after `ply` stands again.
    pub(super) fn restore(&mut self, ply: Ply, out: &mut Vec<Event>) {
        self.pending.forget_presses();
        self.strike_annulled(ply);
        self.cut(ply, out);
        self.rest_again(out);
    }

    /// The plies after `ply` are annulled, and with them what was touched for them. An illegal move alone binds whoever
    /// makes another one in its place to what he touched for it (7.5.1).
    fn strike_annulled(&mut self, ply: Ply) {
        let turn_began_ns = self.scene.turn_begins_ns(ply);
        let Some(game) = &mut self.scene.game else { return };
        if ply >= game.tracker.plies() {
            return;
        }
        let first = ply.next();
        let is_illegal = game.plies.get(first).is_some_and(|known| known.illegal.is_some());
        let since_ns = if is_illegal { game.tracker.made_ns(first) } else { turn_began_ns };
        game.ledger.strike_since(since_ns);
    }

    /// Another position stands from here on: no ply, and the history has a break.
    pub(super) fn set(&mut self, position: V::Position, out: &mut Vec<Event>) {
        self.pending.forget_presses();
        let Some(plies) = self.scene.game.as_ref().map(|game| game.tracker.plies()) else { return };
        // What is best may not be announced yet; the position takes its place.
        self.cut(plies, out);
        self.push_history();
        let Some(game) = &mut self.scene.game else { return };
        game.tracker.revise(position.clone());
        if plies.is_start() {
            game.history = History::new(&position);
        } else {
            game.history.truncate(plies.before().count());
            game.history.push_break(&position);
        }
        let answered = [Name::UnexplainedPosition, Name::RecordGap, Name::DisplacementFoundLate];
        self.close_all(|record| answered.contains(&record.name()), Status::Corrected, out);
        setting_up::judge_counts(&mut self.report(out));
        self.rest_again(out);
        threats::judge_threats(plies, &mut self.report(out));
    }

    /// The picture is what the ruling says, wherever the men still stand.
    fn rest_again(&mut self, out: &mut Vec<Event>) {
        self.pending.forget_picture();
        accounts::put_right(&mut self.report(out));
        self.mask(None, out);
    }

    /// Shows the tracker what ought to stand where the board shows something else, until it does.
    /// `record` is closed then; without one, records of displaced men keep the squares that they had.
    pub(in crate::table) fn mask(&mut self, record: Option<RecordId>, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        let differing = setting_up::differing_squares(&self.scene);
        let view = self.scene.view;
        let Some(game) = &mut self.scene.game else { return };
        let best = game.tracker.best().clone();
        let expected = |square: Square| (square, view.see(best.content(square)));
        let mut left = differing;
        let mut restored = Vec::new();
        for displaced in &mut game.displaced {
            displaced.squares.retain(|(square, _)| left.contains(square));
            for known in &mut displaced.squares {
                *known = expected(known.0);
                left.retain(|square| *square != known.0);
            }
            if displaced.squares.is_empty() {
                restored.push(displaced.record);
            }
        }
        game.displaced.retain(|displaced| !displaced.squares.is_empty());
        if !left.is_empty() {
            game.displaced.push(Displaced {
                squares: left.iter().map(|&square| expected(square)).collect(),
                record: record.unwrap_or(RecordId::NONE),
                since_ns: at_ns,
                since_ply: game.tracker.plies(),
                is_found_late: record.is_none(),
            });
        }
        let shown: Vec<(Square, Content)> = crate::infer::squares::<V>()
            .map(expected)
            .filter(|&(square, content)| game.tracker.at(square) != content)
            .collect();
        for record in restored {
            self.close(record, Status::Corrected, out);
        }
        if !shown.is_empty() {
            self.with_tracker(out, |tracker, steps| tracker.changed(&shown, at_ns, steps));
        }
    }

    /// Shows the tracker the board as it is.
    pub(in crate::table) fn show_really(&mut self, out: &mut Vec<Event>) {
        if let Some(game) = &mut self.scene.game {
            game.displaced.clear();
        }
        self.show_to_tracker(out);
        self.watch_for_rest(out);
    }

    /// The pawn of an unreplaced promotion is a queen (7.5.2); where it stood as a pawn until now, the
    /// line has the queen instead.
    pub(super) fn queen_for(&mut self, record: Option<RecordId>, out: &mut Vec<Event>) {
        let Some(record) = record.and_then(|number| self.records.record(number)) else { return };
        let (number, ply, clock) = (record.number, record.key.ply, self.scene.times());
        decided::decide(number, Status::Confirmed, &mut self.report(out));
        let Some(game) = &self.scene.game else { return };
        if ply.is_start() || ply > game.tracker.plies() || game.tracker.mv(ply).is_some() {
            return;
        }
        let position = game.tracker.position(ply.before()).clone();
        let square = self.records.record(number).and_then(waiting_pawn);
        let square = square.and_then(|name| V::FAMILY.square(&name.0));
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let is_queen = |mv: &V::Move| {
            let footprint = position.footprint(*mv);
            let changes = footprint.changes();
            let pawn = changes.iter().any(|change| {
                change.2.is_empty() && change.1.role() == Some(adoube_rules::sensor::Role::Pawn)
            });
            pawn && !mv.is_unusual_promotion()
                && changes.iter().any(|change| {
                    Some(change.0) == square
                        && !change.2.is_empty()
                        && change.2.role() != Some(adoube_rules::sensor::Role::Pawn)
                })
        };
        let Some(mv) = moves.into_iter().find(is_queen) else { return };
        let at_ns = self.scene.now.mono_ns;
        self.cut(ply.before(), out);
        self.with_tracker(out, |tracker, steps| {
            tracker.take_as_made(mv, at_ns, steps);
            tracker.fix();
        });
        self.complete_by_ruling(ply, out);
        if let Some(known) = self.scene.game.as_mut().and_then(|game| game.plies.get_mut(ply)) {
            known.clock = known.clock.or(clock);
        }
        self.rest_again(out);
    }

    /// `side` may not castle, or not with the rook on one square (A.4.1.2).
    pub(super) fn ban_castling(&mut self, side: Side, rook: Option<Square>, out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        let plies = game.tracker.plies();
        let position = game.tracker.position(plies).without_castling(side, rook);
        self.cut(plies, out);
        if let Some(game) = &mut self.scene.game {
            game.tracker.revise(position);
        }
        self.rest_again(out);
    }

    /// The board lies turned by so many degrees: the position is carried over (7.2.2).
    /// What proposes it closes when the position stands on the board as it lies then.
    pub(super) fn rule_transfer(&mut self, turned: u32, out: &mut Vec<Event>) -> Outcome {
        if !orientation::ORIENTATIONS.contains(&turned) {
            return Err(inapplicable(format!("{turned} is no quarter of a turn; use 0, 90, 180 or 270")));
        }
        self.transfer(turned, out);
        Ok(())
    }
}

/// The square of a pawn that was not replaced.
fn waiting_pawn(record: &Record) -> Option<&SquareName> {
    match &record.finding {
        Finding::PromotionNotReplaced(pawn) => pawn.square.as_ref(),
        _ => None,
    }
}

/// The arbiter did what was proposed: the proposal and its record are settled.
pub(in crate::table) fn settle_executed<V: Variant>(
    name: Name,
    is_meant: impl Fn(&Record) -> bool,
    report: &mut Report<'_, V>,
) {
    let meant = report
        .records
        .iter()
        .rev()
        .find(|record| record.is_open() && record.name() == name && is_meant(record));
    let Some((number, of)) = meant.map(|record| (record.number, record.of)) else { return };
    decided::decide(number, Status::Confirmed, report);
    if let Some(of) = of.filter(|&of| report.records.record(of).is_some_and(Record::is_open)) {
        decided::decide(of, Status::Confirmed, report);
    }
}

/// The men on the board, by the squares of the game; an occupancy board does not name them: there
/// they are those of the position, as far as it has some on these squares.
pub(in crate::table) fn standing_now<V: Variant>(scene: &Scene<V>) -> Vec<Content> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let best = game.tracker.best();
    Square::all()
        .zip(orientation::oriented(scene, game.turned))
        .map(|(square, content)| {
            let known = best.content(square);
            let is_named = scene.view == View::Identity || content.is_empty() || known.is_empty();
            if is_named { content } else { known }
        })
        .collect()
}
