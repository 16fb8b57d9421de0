//! What a press means: the press table of laws-model 3, line by line.

mod no_move;
mod rook_first;
mod unseen;

use super::accounts::{Account, Moment};
use super::records::Draft;
use super::scene::{Report, Scene};
use super::{Press, Table, accounts, illegal, neighbours};
use crate::event::finding::{PressedBeforeMove, PressedDuringDisplacement};
use crate::event::{Body, CompletedBy, Event, RecordId, Times};
use crate::ply::Ply;
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Content, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, ms};
use adoube_rules::touch::side_of;
use adoube_rules::{Position, Variant};

/// So long a press may wait for the board to come to rest: a blitz reply takes less than a second.
const REPLY_NS: u64 = 3_000 * MS;
impl<V: Variant> Table<V> {
    /// `side` pressed; `clock` is what the clock showed then.
    pub(super) fn pressed(&mut self, side: Side, clock: Option<Times>, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        self.emit(Body::Pressed { side, clock }, out);
        if let Some(game) = &mut self.scene.game {
            game.ledger.seen(None, at_ns, self.scene.inputs);
            game.ledger.pressed(side, at_ns);
        }
        self.settle_pending_verdict(out);
        if self.scene.playing().is_none()
            || self.scene.mode().is_off_the_record()
            || self.correct_counter(side, clock, out)
        {
            return;
        }
        let press = Press { side, at_ns, clock, is_waiting: false, is_in_hand: false };
        self.note_unseen(press);
        self.unmake_half_of_castling(press, out);
        self.pending.press = Some(press);
        self.with_tracker(out, |tracker, steps| tracker.pressed(side, at_ns, steps));
        let Some(game) = self.scene.playing().filter(|_| self.pending.press.is_some()) else { return };
        // The opponent has not replied: whatever is in the air, the last move is the one.
        let announced = game.tracker.position(game.tracker.plies()).turn();
        // What a slow board has not shown yet is not the last move.
        let is_shown = game.tracker.judges_press_ns().is_none();
        let has_moved = announced != side || (is_shown && game.tracker.best().turn() != side);
        if has_moved && self.late_press(side, at_ns, clock, out) {
            self.pending.press = None;
            self.look_left_behind(side);
            accounts::raise_displaced(&mut self.report(out));
        } else {
            self.pending.verdict_ns = Some(at_ns + u64::from(self.scene.profile.press_settle_ms) * MS);
        }
    }

    /// Line 4: under an open correction of the move counter each side presses once (7.1). True if this
    /// press was one of them.
    fn correct_counter(&mut self, side: Side, clock: Option<Times>, out: &mut Vec<Event>) -> bool {
        let Some(is_done) = self.scene.timing.counter.pressed(side) else { return false };
        // A move that had not been pressed is, now.
        self.late_press(side, self.scene.now.mono_ns, clock, out);
        if is_done {
            self.report(out).counter_corrected();
        }
        true
    }

    /// Line 8: a man that the move just completed could have captured instead was taken off. (Any other
    /// man in the air belongs to the reply.)
    fn look_left_behind(&mut self, side: Side) {
        let Departure::Lifted { squares } = self.scene.departure() else { return };
        let Some(game) = &self.scene.game else { return };
        let ply = game.tracker.plies();
        let Some(mv) = game.tracker.mv(ply) else { return };
        let before = game.tracker.position(ply.before());
        let own = |square: Square| side_of(before.content(square)) == Some(side);
        let from = before
            .footprint(mv)
            .changes()
            .iter()
            .find(|change| change.2.is_empty() && own(change.0))
            .map(|change| change.0);
        let mut moves = Vec::new();
        before.legal_moves(&mut moves);
        let takes = |square: Square| {
            moves.iter().any(|&mv| {
                let footprint = before.footprint(mv);
                let changes = footprint.changes();
                changes.iter().any(|change| Some(change.0) == from && change.2.is_empty())
                    && changes.iter().any(|change| change.0 == square && !change.1.is_empty() && !own(square))
            })
        };
        if squares.iter().all(|&square| takes(square)) {
            // It may be in the opponent's hand after all: a hand hovers no longer than this.
            self.pending.settle_ns =
                Some(self.scene.now.mono_ns + u64::from(2 * self.scene.profile.release_dwell_ms) * MS);
            self.pending.left_behind = Some(squares);
        }
    }

    /// A press that is still waited for when the next one comes is judged now.
    fn settle_pending_verdict(&mut self, out: &mut Vec<Event>) {
        if self.pending.verdict_ns.is_some() {
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| tracker.judge_press_now(at_ns, steps));
            self.judge_press(out);
        }
        // Whose piece was in the air then may have put it down where nobody sees it.
        if let Some(waiting) = self.pending.press.take() {
            self.pending.keep_press(Press { is_waiting: true, ..waiting });
        }
    }

    /// The last move of `side`, if it is not completed: a press completes it, late or not (6.2.2).
    fn late_press(&mut self, side: Side, at_ns: u64, clock: Option<Times>, out: &mut Vec<Event>) -> bool {
        let Some(game) = self.scene.playing() else { return false };
        let announced = game.tracker.plies();
        let is_open =
            |ply: &Ply| self.scene.mover(*ply) == Some(side) && game.plies[*ply].completed_ns.is_none();
        let Some(ply) = announced.all().rev().take(2).find(is_open) else { return false };
        let now_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| tracker.stands_up_to(ply, now_ns, steps));
        self.complete(ply, CompletedBy::Press, Some((at_ns, clock)), out)
    }

    /// Somebody speaks of the press before frames had all the time that they may take: a picture that
    /// has come to rest is judged now.
    pub(super) fn judge_press_at_rest(&mut self, out: &mut Vec<Event>) {
        let rested_ns = self.scene.now.mono_ns.saturating_sub(self.scene.last_change_ns);
        if self.pending.verdict_ns.is_some() && rested_ns >= u64::from(self.scene.profile.settle_ms) * MS {
            self.judge_press(out);
        }
    }

    /// Frames had time to follow the press, and no move of the presser has.
    pub(super) fn judge_press(&mut self, out: &mut Vec<Event>) {
        self.pending.verdict_ns = None;
        let Some(press) = self.pending.press else { return };
        if self.scene.playing().is_none() {
            self.pending.press = None;
            return;
        }
        if let Some(due_ns) = picture_due_ns(&self.scene) {
            self.pending.verdict_ns = Some(due_ns);
            return;
        }
        // What he held at the press has come down, if only just now.
        if let Some(ply) = self.scene.playing().map(|game| game.tracker.plies()).filter(|_| press.is_waiting)
        {
            self.take_press(ply, out);
            if self.pending.press.is_none() {
                return;
            }
        }
        let departure = self.scene.departure();
        if matches!(departure, Departure::None) {
            // A move and its reply that were understood together are not announced yet.
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| tracker.announce_best(at_ns, steps));
            if let Some(due_ns) = self.scene.playing().and_then(|game| game.tracker.announces_ns()) {
                self.pending.verdict_ns = Some(due_ns);
                return;
            }
            if self.pending.press.take().is_none() || self.finishes_castling(press) {
                return;
            }
            return self.pressed_on_a_position(press, out);
        }
        // After a gap nobody knows what the press completed.
        if self.scene.is_after_gap() {
            self.pending.press = None;
            return self.rests(out);
        }
        // The opponent's hand is at work already: what it does will tell the two moves apart.
        let settled_ns = self.scene.last_change_ns + u64::from(self.scene.profile.settle_ms) * MS;
        if settled_ns > self.scene.now.mono_ns && self.scene.now.mono_ns < press.at_ns + REPLY_NS {
            self.pending.verdict_ns = Some(settled_ns);
            return;
        }
        // A move of his own that was not completed explains the press, whatever the opponent holds now.
        if self.scene.turn() != press.side {
            self.pending.press = None;
            if self.late_press(press.side, press.at_ns, press.clock, out) {
                accounts::raise_displaced(&mut self.report(out));
                return;
            }
            if !self.moved_twice(press.side, &departure) {
                self.pending.keep_press(Press { is_waiting: true, ..press });
                return;
            }
            self.pending.press = Some(press);
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| tracker.return_to_announced(at_ns, steps));
        }
        if self.began_otherwise() {
            return;
        }
        // On the other board of the game it is made, and only to be carried out here.
        let is_copy = neighbours::is_copied(&self.scene, self.scene.ply_to_come());
        if is_copy && !matches!(departure, Departure::Lifted { .. }) && self.follows_its_pair(press, out) {
            return;
        }
        match self.account(Moment::Press, out) {
            Account::Move => self.pending.press = Some(Press { is_waiting: true, ..press }),
            Account::Position => self.judge_press(out),
            Account::Irregular(departure) => self.pressed_on(press, departure, out),
            // Asked above, and of a picture at rest.
            Account::Unseen(_) | Account::TooSoon { .. } => {}
        }
    }

    /// Of two pieces of `side`, one may have moved as it can, which nobody announced, and the other one has moved as well: it
    /// is one turn in which both did.
    fn moved_twice(&self, side: Side, departure: &Departure<V::Move>) -> bool {
        let Some(game) = self.scene.playing() else { return false };
        let announced = game.tracker.position(game.tracker.plies());
        let is_own = |mv| Self::army_of_move(game.tracker.best(), mv).side() == side;
        announced.turn() == side && matches!(departure, &Departure::OutOfTurn(mv) if is_own(mv))
    }

    /// The presser has no move, and `departure` is what stands.
    fn pressed_on(&mut self, press: Press, departure: Departure<V::Move>, out: &mut Vec<Event>) {
        // A piece that is in the air, or stands elsewhere, may still turn out to be a move.
        if !matches!(departure, Departure::Lifted { .. } | Departure::Displaced { .. }) {
            self.pending.press = None;
        }
        match departure {
            Departure::None => {}
            Departure::Lifted { squares } => self.pressed_with_men_off(press, &squares, out),
            Departure::CastlingHalf { from, to } => {
                self.complete_illegal(press, &[from, to], &[Kind::CastlingIncomplete], out);
            }
            Departure::PromotionHalf { from, square } => {
                self.promotion_not_replaced(press, from, Some(square), out);
            }
            Departure::Illegal { from, to, kinds, .. } => {
                let is_half = is_half_castled(&self.scene, from, to);
                let kinds = if is_half { vec![Kind::CastlingIncomplete] } else { kinds };
                self.complete_illegal(press, &[from, to], &kinds, out);
            }
            Departure::Several { squares } => {
                self.complete_illegal(press, &squares, &[Kind::SeveralPieces], out);
            }
            Departure::OutOfTurn(mv) => {
                if !self.partners_man_moved(press, mv, out) {
                    self.rests(out);
                }
            }
            Departure::Displaced { squares, missing, extra } => {
                self.pressed_over_displaced(press, (squares, missing, extra), out);
            }
        }
    }

    /// The game began from another array and is derived again: the press is judged then.
    fn began_otherwise(&mut self) -> bool {
        if self.other_layout.is_none() {
            let other = self.scene.playing().and_then(|game| game.tracker.other_layout(true));
            self.other_layout = other.map(Box::new);
        }
        self.other_layout.is_some()
    }

    /// The presser's side has moved a man of the partner of whoever had the move, as that one might in his own turn: out
    /// of turn by its owner, or an illegal move of the other's (four-player T2). The board cannot see whose hand it was,
    /// so nobody is charged; the game goes on from what stands.
    fn partners_man_moved(&mut self, press: Press, mv: V::Move, out: &mut Vec<Event>) -> bool {
        let Some(game) = &self.scene.game else { return false };
        let best = game.tracker.best();
        let army = Self::army_of_move(best, mv);
        if army.side() != press.side {
            return false;
        }
        let Some(record) = self.out_of_turn(mv, out) else { return false };
        self.stand_illegal(record, press, out);
        true
    }

    /// Line 8: a legal move, and other squares displaced; men that are gone are in the hand of the
    /// opponent, who replies.
    fn pressed_over_displaced(
        &mut self,
        press: Press,
        (squares, missing, extra): (Vec<Square>, Vec<Square>, Vec<Square>),
        out: &mut Vec<Event>,
    ) {
        let (squares, missing, extra) = match accounts::move_among(&self.scene, &squares) {
            Some((mv, rest)) if are_off(&self.scene, &rest) => {
                self.with_tracker(out, |tracker, steps| {
                    tracker.take_as_made(mv, press.at_ns, steps);
                });
                if !self.late_press(press.side, press.at_ns, press.clock, out) {
                    self.pending.press = None;
                }
                return;
            }
            Some((_, rest)) => {
                let among = |squares: Vec<Square>| {
                    squares.into_iter().filter(|square| rest.contains(square)).collect()
                };
                (rest.clone(), among(missing), among(extra))
            }
            None => (squares, missing, extra),
        };
        self.displaced(&squares, &missing, &extra, out);
        if self.pending.press.take().is_some() {
            self.pressed_on_a_position(press, out);
        }
    }

    /// Lines 6 and 13 to 19: the picture is a position of the game.
    fn pressed_on_a_position(&mut self, press: Press, out: &mut Vec<Event>) {
        if self.late_press(press.side, press.at_ns, press.clock, out) {
            accounts::raise_displaced(&mut self.report(out));
            return;
        }
        if self.scene.turn() != press.side {
            return;
        }
        // Where the Laws have put a man that the players have not, no record is open (7.5.2): only his own.
        let others: Vec<RecordId> = accounts::displaced_of(&self.scene, press.side.other())
            .into_iter()
            .filter(|&record| record != RecordId::NONE)
            .collect();
        let is_recorded =
            accounts::displacements(&self.scene, |_| true).iter().any(|&record| record != RecordId::NONE);
        if no_move::demands(press, &mut self.report(out)) {
            return;
        }
        if let Some(&record) = others.first() {
            let during = PressedDuringDisplacement {
                by: press.side,
                ply: self.scene.ply_to_come(),
                displaced: record,
                clock_before: illegal::clock_before(&self.scene, press),
            };
            let pressed = self.open(Draft::open(during), out);
            accounts::raise_displaced(&mut self.report(out));
            self.report(out).propose_return_clock(pressed, press);
            self.report(out).propose_clock_times(pressed);
        } else if is_recorded || !accounts::displaced_of(&self.scene, press.side).is_empty() {
            accounts::raise_displaced(&mut self.report(out));
            accounts::pressed_unexplained(&mut self.report(out));
        } else {
            self.pressed_without_a_move(press, out);
        }
    }

    /// Line 15: a piece is in the air, or men are gone.
    fn pressed_with_men_off(&mut self, press: Press, squares: &[Square], out: &mut Vec<Event>) {
        let Some(game) = &self.scene.game else { return };
        let best = game.tracker.best();
        let own = squares.iter().any(|&square| side_of(best.content(square)) == Some(press.side));
        if own {
            if self.records.open_record(Name::PromotionPending).is_some() && squares.len() == 1 {
                self.pending.press = None;
                return self.promotion_not_replaced(press, squares[0], None, out);
            }
            // His own piece is in the air: what he does with it will tell.
            self.pending.press = Some(Press { is_waiting: true, is_in_hand: true, ..press });
            return;
        }
        // So is the piece that he is about to take: it will tell when his own comes.
        let due_ns = press.at_ns + REPLY_NS;
        if self.scene.now.mono_ns < due_ns && squares.len() == 1 && is_takeable(best, squares[0]) {
            self.pending.press = Some(Press { is_waiting: true, is_in_hand: true, ..press });
            self.pending.verdict_ns = Some(due_ns);
            return;
        }
        self.pending.press = None;
        let squares = squares.to_vec();
        self.displaced(&squares, &squares, &[], out);
        self.pressed_on_a_position(press, out);
    }

    /// The piece that was in the air at the press is back where it stood.
    pub(super) fn returned_after_press(&mut self, out: &mut Vec<Event>) {
        let Some(press) = self.pending.press.filter(|press| press.is_waiting) else { return };
        let is_back = self
            .scene
            .playing()
            .is_some_and(|game| game.tracker.is_explained() && game.tracker.best().turn() == press.side);
        if is_back {
            self.pending.press = None;
            self.pressed_on_a_position(press, out);
        }
    }
}

/// Whoever has the move could take what stands on `square`.
fn is_takeable<P: Position>(position: &P, square: Square) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let takes = |change: &(Square, Content, Content)| change.0 == square && !change.2.is_empty();
    moves.into_iter().any(|mv| position.footprint(mv).changes().iter().any(takes))
}

fn are_off<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> bool {
    scene.game.as_ref().is_some_and(|game| squares.iter().all(|&square| game.tracker.at(square).is_empty()))
}

/// The king of whoever has the move went two squares over, took nothing, and nothing else moved (line 9).
fn is_half_castled<V: Variant>(scene: &Scene<V>, from: Square, to: Square) -> bool {
    let is_step = scene.game.as_ref().is_some_and(|game| {
        let best = game.tracker.best();
        let king = Content::man(best.army(), Role::King);
        best.is_castling_step(from, to) && (best.content(from), best.content(to)) == (king, Content::EMPTY)
    });
    is_step && !rook_moved_too(scene, from)
}

fn rook_moved_too<V: Variant>(scene: &Scene<V>, king: Square) -> bool {
    let Some(game) = scene.game.as_ref() else { return false };
    let best = game.tracker.best();
    let contents = game.tracker.contents();
    let changed = Square::all()
        .zip(contents.iter())
        .filter(|&(square, &content)| square != king && scene.view.see(best.content(square)) != content);
    changed.count() > 1
}

/// The piece that was in the air at the press came down as a move: line 15.
pub(super) fn moved_after_press<V: Variant>(ply: Ply, press: Press, report: &mut Report<'_, V>) {
    let made_ns = report.scene.game.as_ref().map_or(0, |game| game.tracker.made_ns(ply));
    let late_ns = made_ns.saturating_sub(press.at_ns);
    if neighbours::followed_its_pair(report) {
        return;
    }
    if late_ns > u64::from(report.profile.press_settle_ms) * MS {
        let before = PressedBeforeMove { by: press.side, ply, board: None, dt_ms: Some(ms(late_ns)) };
        report.open(Draft::open(before));
    }
}

/// The link is back, and the board has not shown what stands on it: what a press completed is not known
/// yet. A board that shows nothing for so long has nothing to show.
fn awaits_its_picture<V: Variant>(scene: &Scene<V>) -> bool {
    scene.link_back_ns.is_some_and(|back_ns| scene.now.mono_ns < back_ns + REPLY_NS)
}

/// When the board will have shown what stood on it at the press, if it has not: a slow one, or one whose link is back.
fn picture_due_ns<V: Variant>(scene: &Scene<V>) -> Option<u64> {
    let slow_ns = scene.playing().and_then(|game| game.tracker.judges_press_ns());
    let again_ns = scene.now.mono_ns + u64::from(scene.profile.press_settle_ms) * MS;
    slow_ns.or_else(|| awaits_its_picture(scene).then_some(again_ns))
}
