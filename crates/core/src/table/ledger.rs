//! The touch ledger: every lift, as a fact. Which piece it meant is looked up in the position of the
//! ply that it belongs to, so that another explanation finds the same facts.

use super::Table;
use super::evidence::Evidence;
use super::records::Draft;
use super::scene::Scene;
use super::touching::Let;
use crate::event::finding::{PieceTouched, Turn};
use crate::event::{Event, RecordId, Times};
use crate::ply::Ply;
use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, ms};
use adoube_rules::touch::{Touch, side_of};
use adoube_rules::{Move, Position as _, Variant};

/// Lifts that are kept: a game has a few hundred; only those of the running turn are asked for.
const LIFTS_MAX: usize = 4_096;

/// A piece left its square.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lift {
    pub(super) square: Square,
    /// What the sensor showed there before.
    pub(super) content: Content,
    pub(super) at_ns: u64,
    /// What the clock showed then, and whose time ran.
    pub(super) clock: Option<(Times, Option<Side>)>,
    /// The reading that showed it: lifts of one reading have no order.
    pub(super) group: u64,
    /// When the square showed the same again.
    pub(super) returned_ns: Option<u64>,
    /// The arbiter took it for an adjustment or an accident.
    pub(super) is_struck: bool,
    /// The `piece-touched` that was said of it.
    pub(super) record: Option<RecordId>,
}

/// All lifts of a game, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    lifts: Vec<Lift>,
    /// Every change of a square, and every press.
    evidence: Evidence,
    /// This side has said that it adjusts (4.2.1), until its next move is made.
    adjusting: Option<Side>,
    /// When each side pressed the last two times, by [`Side::index`].
    pressed_ns: [[u64; 2]; 2],
    /// The ply, made or about to be, that an arbiter has reported as made with two hands, until it counts.
    two_handed: Option<Ply>,
    /// What lapsed with the first touch of a turn, and what said so, by whose turn it was ([`Side::index`]).
    lapsed: [Vec<RecordId>; 2],
    /// Pieces that were let go of as (part of) a legal move which was then undone.
    released: Vec<Let>,
}

impl Ledger {
    /// `square` showed `before` and shows `after`; the lift that this puts back, if it does.
    pub(super) fn changed(
        &mut self,
        square: Square,
        before: Content,
        after: Content,
        (at_ns, clock): (u64, Option<(Times, Option<Side>)>),
        group: u64,
    ) -> Option<Lift> {
        if !before.is_empty() {
            if self.lifts.len() == LIFTS_MAX {
                self.lifts.drain(..LIFTS_MAX / 2);
            }
            self.lifts.push(Lift {
                square,
                content: before,
                at_ns,
                clock,
                group,
                returned_ns: None,
                is_struck: false,
                record: None,
            });
        }
        if after.is_empty() {
            return None;
        }
        let open = |lift: &&mut Lift| lift.square == square && lift.returned_ns.is_none();
        let lift = self.lifts.iter_mut().rev().find(open).filter(|lift| lift.content == after)?;
        lift.returned_ns = Some(at_ns);
        Some(*lift)
    }

    /// `side` pressed.
    pub(super) fn pressed(&mut self, side: Side, at_ns: u64) {
        let of_side = &mut self.pressed_ns[side.index()];
        *of_side = [of_side[1], at_ns];
    }

    /// The lift that ended on `square` at `returned_ns` was reported under that number.
    fn reported(&mut self, square: Square, returned_ns: u64, record: RecordId) {
        let is_it = |lift: &&mut Lift| lift.square == square && lift.returned_ns == Some(returned_ns);
        if let Some(lift) = self.lifts.iter_mut().rev().find(is_it) {
            lift.record = Some(record);
        }
    }

    /// The touch that was reported under `record` does not count; false if there is none.
    pub(super) fn strike(&mut self, record: RecordId) -> bool {
        let lift = self.lifts.iter_mut().rev().find(|lift| lift.record == Some(record));
        lift.map(|lift| lift.is_struck = true).is_some()
    }

    /// The last touch that was reported does not count; false if there is none.
    pub(super) fn strike_last(&mut self) -> bool {
        let lift = self.lifts.iter_mut().rev().find(|lift| lift.record.is_some() && !lift.is_struck);
        lift.map(|lift| lift.is_struck = true).is_some()
    }

    /// The lifts after `since_ns` up to `to_ns`, in order.
    pub(super) fn between(&self, since_ns: u64, to_ns: u64) -> impl Iterator<Item = &Lift> {
        self.lifts[self.first_since(since_ns)..].iter().take_while(move |lift| lift.at_ns <= to_ns)
    }

    /// The lifts after `since_ns` were adjustments or accidents.
    pub(super) fn strike_since(&mut self, since_ns: u64) {
        self.since_mut(since_ns).for_each(|lift| lift.is_struck = true);
    }

    /// Those of them on these squares were.
    pub(super) fn strike_on(&mut self, squares: &[Square], since_ns: u64) {
        let on = |lift: &&mut Lift| squares.contains(&lift.square);
        self.since_mut(since_ns).filter(on).for_each(|lift| lift.is_struck = true);
    }

    /// Pieces of these squares that left them in one frame were knocked: nobody meant to touch them.
    pub(super) fn strike_knocked(&mut self, squares: &[Square], since_ns: u64) {
        let on = |lift: &&mut Lift| squares.contains(&lift.square);
        let mut lifts: Vec<&mut Lift> = self.since_mut(since_ns).filter(on).collect();
        for together in lifts.chunk_by_mut(|lift, next| lift.group == next.group) {
            if together.len() > 1 {
                together.iter_mut().for_each(|lift| lift.is_struck = true);
            }
        }
    }

    /// The piece on `square` was knocked from there, and not lifted, after `since_ns`.
    pub(super) fn is_struck(&self, square: Square, since_ns: u64) -> bool {
        self.between(since_ns, u64::MAX).any(|lift| lift.square == square && lift.is_struck)
    }

    /// `side` has said that it adjusts.
    pub(super) fn adjusts(&mut self, side: Side) {
        self.adjusting = Some(side);
    }

    /// Has `side` said that it adjusts?
    pub(super) fn is_adjusting(&self, side: Side) -> bool {
        self.adjusting == Some(side)
    }

    /// `side` has made a move: it adjusts no longer, and what lapsed in its turn has lapsed.
    pub(super) fn moved(&mut self, side: Side) {
        self.adjusting = self.adjusting.filter(|&adjusting| adjusting != side);
        self.lapsed[side.index()].clear();
    }

    /// Ply `ply` is made with two hands.
    pub(super) fn two_hands_at(&mut self, ply: Ply) {
        self.two_handed = Some(ply);
    }

    /// It counts now; false if nobody has reported it.
    pub(super) fn takes_two_hands_at(&mut self, ply: Ply) -> bool {
        self.two_handed.take_if(|reported| *reported == ply).is_some()
    }

    /// The plies from `ply` on are played anew.
    pub(super) fn plays_anew(&mut self, ply: Ply) {
        self.two_handed = self.two_handed.filter(|&reported| reported < ply);
    }

    /// These records lapsed, or say so, because `side` touched a piece.
    pub(super) fn lapses(&mut self, side: Side, records: Vec<RecordId>) {
        self.lapsed[side.index()].extend(records);
    }

    /// It touched nothing after all: what lapsed in its turn.
    pub(super) fn take_lapsed(&mut self, side: Side) -> Vec<RecordId> {
        std::mem::take(&mut self.lapsed[side.index()])
    }

    /// The king rested two squares over, or a move that rested was undone: that binds (4.7).
    pub(super) fn lets_go(&mut self, released: Let) {
        self.released.push(released);
    }

    /// What was let go of in the turn of `ply`: what a pawn was to become says more than where it stood.
    pub(super) fn released_at(&self, ply: Ply) -> Option<Let> {
        let of_turn = || self.released.iter().filter(|released| released.ply == ply);
        of_turn().find(|released| released.promoted.is_some()).or_else(|| of_turn().next()).copied()
    }

    /// Nothing was let go of in this game.
    pub(super) fn is_without_releases(&self) -> bool {
        self.released.is_empty()
    }

    /// `square` changed, or, `None`, somebody pressed.
    pub(super) fn seen(&mut self, square: Option<Square>, at_ns: u64, input: u64) {
        self.evidence.enter(square, at_ns, input);
    }

    /// Every change and press, with the input that showed it.
    pub(super) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    fn since_mut(&mut self, since_ns: u64) -> impl Iterator<Item = &mut Lift> {
        let first = self.first_since(since_ns);
        self.lifts[first..].iter_mut()
    }

    /// The place of the first lift after `since_ns`: from behind, for what is asked about is recent.
    fn first_since(&self, since_ns: u64) -> usize {
        self.lifts.iter().rposition(|lift| lift.at_ns <= since_ns).map_or(0, |before| before + 1)
    }
}

impl<V: Variant> Table<V> {
    /// `square` of the game changed: it enters the ledger, and a piece that was put back is reported.
    pub(super) fn enter_in_ledger(
        &mut self,
        square: Square,
        before: Content,
        after: Content,
        out: &mut Vec<Event>,
    ) {
        let at_ns = self.scene.now.mono_ns;
        let clock = self.scene.clock.last().map(|reading| (reading.left_ms, reading.running));
        let group = self.scene.inputs;
        let Some(game) = self.scene.game.as_mut().filter(|game| game.result.is_none()) else { return };
        let Some(lift) = game.ledger.changed(square, before, after, (at_ns, clock), group) else { return };
        let dwell_ns = at_ns - lift.at_ns;
        if dwell_ns < u64::from(self.scene.profile.touch_dwell_ms) * MS
            || self.scene.mode().is_off_the_record()
        {
            return;
        }
        let Some(game) = &self.scene.game else { return };
        let man = game.tracker.best().content(square);
        let Some((army, _)) = man.seat_role() else { return };
        let owner = army.side();
        let order = game.ledger.between(self.scene.turn_began_ns(), at_ns).count();
        let turn = if self.scene.army_on_move() == army { Turn::On } else { Turn::Off };
        if game.ledger.is_adjusting(owner)
            && let Some(game) = &mut self.scene.game
        {
            game.ledger.strike_since(lift.at_ns.saturating_sub(1));
        }
        let (name, dwell_ms) = (super::named::<V>(square), ms(dwell_ns));
        let found = PieceTouched { square: name, side: owner, order, dwell_ms, turn };
        let record = self.open(Draft::notice(found).squares(&[square]).player(army), out);
        if let Some(game) = &mut self.scene.game {
            game.ledger.reported(square, at_ns, record);
        }
    }
}

impl<V: Variant> Scene<V> {
    /// When the player who has the move came to have it (1.3; 2005: with the completion).
    #[inline]
    pub(super) fn turn_began_ns(&self) -> u64 {
        let Some(game) = self.game.as_ref() else { return 0 };
        self.turn_begins_ns(game.tracker.plies())
    }

    /// When the player to move after `ply` plies came to have the move.
    #[inline]
    pub(super) fn turn_begins_ns(&self, ply: Ply) -> u64 {
        let Some(game) = self.game.as_ref() else { return 0 };
        if ply.is_start() {
            return 0;
        }
        let made_ns = game.tracker.made_ns(ply);
        match self.profile.turn_begins {
            adoube_rules::laws::TurnBegins::Made => made_ns,
            adoube_rules::laws::TurnBegins::Completed => game
                .plies
                .get(ply)
                .and_then(|ply| ply.completed_ns)
                .map_or(u64::MAX, |completed_ns| completed_ns.max(made_ns)),
        }
    }

    /// Who has the move as the edition counts it.
    pub(super) fn side_on_move(&self) -> Side {
        self.army_on_move().side()
    }

    /// The army that has the move as the edition counts it.
    pub(super) fn army_on_move(&self) -> Army {
        let Some(game) = self.game.as_ref() else { return Army::default() };
        let plies = game.tracker.plies();
        // 2005: not before the opponent's move is completed (1.1).
        if !plies.is_start() && self.turn_begins_ns(plies) > self.now.mono_ns {
            game.tracker.position(plies.before()).army()
        } else {
            game.tracker.best().army()
        }
    }
}

/// What was touched in the turn that ended with `ply`, as the obligation asks for it.
pub(super) fn touches_of<V: Variant>(scene: &Scene<V>, ply: Ply) -> Vec<Touch> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let position = game.tracker.position(ply.before());
    let (since_ns, made_ns) = (scene.turn_begins_ns(ply.before()), game.tracker.made_ns(ply));
    let mut touches = touches_in(scene, position, since_ns, made_ns);
    // A reply that was begun before the move was over is no touch of the mover's.
    if ply < game.tracker.plies() {
        let departures = game.tracker.mv(ply.next()).map(Move::departures).unwrap_or_default();
        let is_reply = |square| {
            let mut lifts = game.ledger.between(since_ns, made_ns).filter(|lift| lift.square == square);
            departures.contains(&square)
                && lifts.all(|lift| lift.returned_ns.is_none_or(|returned_ns| returned_ns > made_ns))
        };
        touches.retain(|touch| !is_reply(touch.square));
    }
    touches
}

/// What was touched of `position` after `since_ns` and up to `to_ns`.
pub(super) fn touches_in<V: Variant>(
    scene: &Scene<V>,
    position: &V::Position,
    since_ns: u64,
    to_ns: u64,
) -> Vec<Touch> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let dwell_ns = u64::from(scene.profile.touch_dwell_ms) * MS;
    // Whoever has pressed without a move, or an illegal one, no longer handles the other side's men: their owner does.
    let turn = position.turn();
    let pressed_ns =
        game.ledger.pressed_ns[turn.index()].into_iter().find(|&pressed_ns| pressed_ns > since_ns);
    let mut touches: Vec<Touch> = Vec::new();
    for lift in game.ledger.between(since_ns, to_ns) {
        let is_there = scene.view.see(position.content(lift.square)) == lift.content;
        let lasted = lift.returned_ns.is_none_or(|returned_ns| returned_ns - lift.at_ns >= dwell_ns);
        let is_known = touches.iter().any(|touch| touch.square == lift.square);
        let is_owners = pressed_ns.is_some_and(|pressed_ns| lift.at_ns > pressed_ns)
            && side_of(position.content(lift.square)) == Some(turn.other());
        if is_there && lasted && !lift.is_struck && !is_known && !is_owners {
            touches.push(Touch { square: lift.square, group: lift.group });
        }
    }
    touches
}
