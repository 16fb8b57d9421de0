//! After a gap that no moves fill, a board that names its pieces is believed as it stands (DESIGN 2.4): the game goes on
//! from there, and the gap stays for the arbiter.

use super::accounts::{self, KNOCKED_OVER_MAX};
use super::records::{Draft, Record};
use super::scene::Scene;
use super::setting_up::{self, differing_squares};
use super::{Table, all_named, opening};
use crate::event::finding::{Finding, Paths, RecordGap};
use crate::event::{Event, RecordId, Status};
use crate::infer::{Made, View, squares};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Army, Content, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::{End, Position as _, Variant};

impl<V: Variant> Table<V> {
    /// What stands, and has rested for as long as a piece that was let go of, is the position from now on: `gap` is the record
    /// under which it stands. A hand that holds a piece for longer puts it right when the piece is put down.
    pub(super) fn adopt_what_stands(&mut self, gap: RecordId, out: &mut Vec<Event>) {
        if adopted(&self.scene).is_some()
            && accounts::only_kings(&self.scene, &differing_squares(&self.scene))
        {
            return;
        }
        let Some(position) = believable(&self.scene) else { return };
        self.stands_after_gap(position, gap, self.scene.last_change_ns, out);
        self.nothing_is_to_be_set(gap, out);
        setting_up::judge_counts(&mut self.report(out));
    }

    /// What was adopted stands, and another player has made `mv` from it: nobody knew whose turn it was, and the clock may
    /// not have been pressed.
    pub(super) fn adopted_for_another(&mut self, mv: V::Move, out: &mut Vec<Event>) -> bool {
        let Some((ply, game)) = adopted(&self.scene).zip(self.scene.game.as_ref()) else { return false };
        let (position, made_ns) = (game.tracker.position(ply), game.tracker.made_ns(ply));
        let turned = position.with_army(Self::army_of_move(position, mv));
        let Some(gap) = game.plies.get(ply).and_then(|known| known.illegal) else { return false };
        self.stands_after_gap(turned, gap, made_ns, out);
        self.nothing_is_to_be_set(gap, out);
        let at_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| tracker.changed(&[], at_ns, steps));
        true
    }

    /// The last plies are some that nobody saw, and what happens now is not for whoever would have the move after them: they
    /// were more, or fewer, and which they were is not known. What stands does, with `turn` to move.
    pub(super) fn miscounted(
        &mut self,
        turn: impl Fn(&V::Position) -> V::Position,
        out: &mut Vec<Event>,
    ) -> bool {
        let Some(game) = self.scene.playing() else { return false };
        let last = game.tracker.plies();
        let ends_here = |record: &&Record| match &record.finding {
            Finding::RecordGap(gap) => {
                gap.paths != Paths::NONE && gap.since_ply.count() + gap.recovered.len() == last.count()
            }
            _ => false,
        };
        let is_recovered = game.plies.get(last).is_some_and(|known| known.is_recovered);
        let gap = self.records.open().find(ends_here).filter(|_| is_recovered && !game.tracker.is_blind());
        let Some(since_ply) = gap.and_then(|gap| match &gap.finding {
            Finding::RecordGap(gap) => Some(gap.since_ply),
            _ => None,
        }) else {
            return false;
        };
        let (before, made_ns) = (game.tracker.position(since_ply), game.tracker.made_ns(last));
        let turned = turn(game.tracker.position(last));
        if !is_regular::<V>(before, &turned) {
            return false;
        }
        let differs = |&square: &Square| before.content(square) != turned.content(square);
        let squares: Vec<Square> = squares::<V>().filter(differs).collect();
        self.cut(since_ply, out);
        let found = RecordGap {
            ply: since_ply.next(),
            squares: Some(all_named::<V>(&squares)),
            since_ply,
            paths: Paths::NONE,
            recovered: Vec::new(),
        };
        let gap = self.open(Draft::open(found).squares(&squares), out);
        accounts::propose_candidates(gap, since_ply, &mut self.report(out));
        self.stands_after_gap(turned, gap, made_ns, out);
        let at_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| tracker.changed(&[], at_ns, steps));
        true
    }

    /// The moves before a position that was adopted are others now: it stands after them, and if `gap` was open, it is.
    pub(super) fn adopt_again(
        &mut self,
        position: &V::Position,
        gap: &Record,
        made_ns: u64,
        out: &mut Vec<Event>,
    ) {
        let plies = self.scene.game.as_ref().map(|game| game.tracker.plies());
        let (Some(since_ply), Finding::RecordGap(found)) = (plies, &gap.finding) else { return };
        let found = RecordGap { ply: since_ply.next(), since_ply, ..found.clone() };
        let number = if gap.is_open() {
            self.open(Draft::open(found).squares(&gap.key.squares), out)
        } else {
            gap.number
        };
        self.stands_after_gap(position.clone(), number, made_ns, out);
    }

    /// What was proposed for the gap has come about, and is history with the next move.
    fn nothing_is_to_be_set(&mut self, gap: RecordId, out: &mut Vec<Event>) {
        let is_it = |record: &Record| record.of == Some(gap) && record.name() == Name::SetPosition;
        self.close_all(is_it, Status::Expired, out);
    }

    /// One ply after what was there before the gap, `position` stands, since `at_ns`.
    pub(super) fn stands_after_gap(
        &mut self,
        position: V::Position,
        gap: RecordId,
        at_ns: u64,
        out: &mut Vec<Event>,
    ) {
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        let before = adopted(&self.scene).map_or(plies, Ply::before);
        // What is best may not be announced yet; the position takes its place.
        self.cut(before, out);
        let Some(game) = &mut self.scene.game else { return };
        game.tracker.adopt_position(position, at_ns);
        let ply = game.tracker.plies();
        let Some(played) = game.tracker.played(ply) else { return };
        let made = Made {
            ply,
            played,
            first_lift_ns: at_ns,
            made_ns: at_ns,
            confidence_milli: 1_000,
            explanation: false,
            recovered: true,
        };
        self.made(made, out);
        if let Some(known) = self.scene.game.as_mut().and_then(|game| game.plies.get_mut(ply)) {
            known.illegal = Some(gap);
        }
        self.stands(ply, out);
    }
}

/// The last ply, if it is a position that was adopted and nothing has been played from it.
pub(super) fn adopted<V: Variant>(scene: &Scene<V>) -> Option<Ply> {
    let game = scene.game.as_ref().filter(|game| game.tracker.is_adopted())?;
    Some(game.tracker.plies())
}

/// Does a position that was adopted stand under `record`?
pub(super) fn is_of_adopted<V: Variant>(scene: &Scene<V>, record: &Record) -> bool {
    let is_its = |known: &super::Known| known.illegal == Some(record.number);
    scene.game.as_ref().is_some_and(|game| game.plies.iter().any(|(_, known)| is_its(known)))
}

/// What stands, if it can have come about by moves that were made while the link was away, and by more than a hand that
/// knocked something over. Whose clock runs is to move. Where the array stands again, the game is over, or another one
/// begins.
fn believable<V: Variant>(scene: &Scene<V>) -> Option<V::Position> {
    let game = scene.playing().filter(|game| game.displaced.is_empty())?;
    let best = game.tracker.best();
    let ply = adopted(scene).map_or_else(|| game.tracker.plies(), Ply::before);
    let known = game.tracker.position(ply);
    let is_play = scene.view == View::Identity
        && (game.tracker.was_lost_after(ply) || game.tracker.was_lost_after(game.tracker.plies()))
        && !scene.is_paused()
        && opening::recognise(scene).is_none();
    let differs = |square| game.tracker.at(square) != known.content(square);
    if !is_play || squares::<V>().filter(|&square| differs(square)).count() <= KNOCKED_OVER_MAX {
        return None;
    }
    let contents = game.tracker.contents();
    let position = |turn: Side| known.accepted(&contents, Some(turn));
    // Without a clock it is the turn of whoever's turn it was before, unless that cannot be.
    let turns = match scene.running() {
        Some(turn) => vec![turn],
        None => vec![best.turn(), best.turn().other()],
    };
    let is_known = turns.len() == 1;
    let may_be = |position: &V::Position| is_known || position.end() != Some(End::Stalemate);
    turns.into_iter().map(position).filter(|position| is_regular::<V>(known, position)).find(may_be)
}

/// Moves can have led from `before` to `after`, as far as pieces and kings tell.
fn is_regular<V: Variant>(before: &V::Position, after: &V::Position) -> bool {
    let has_moved = after.with_turn(after.turn().other());
    after.illegal_position().is_empty()
        && (V::ARMIES > 2 || !has_moved.is_in_check())
        && armies::<V>().all(|army| has_no_more::<V>(army, before, after))
}

fn armies<V: Variant>() -> impl Iterator<Item = Army> {
    (0_u8..).map(Army::new).take(V::ARMIES)
}

/// No army gains pieces, or pawns, or loses its king.
fn has_no_more<V: Variant>(army: Army, before: &V::Position, after: &V::Position) -> bool {
    let count = |position: &V::Position, is_it: fn(Role) -> bool| {
        let own = |content: Content| content.seat_role().is_some_and(|(of, role)| of == army && is_it(role));
        squares::<V>().filter(|&square| own(position.content(square))).count()
    };
    let [pieces, pawns, kings]: [fn(Role) -> bool; 3] =
        [|_| true, |role| role == Role::Pawn, |role| role == Role::King];
    count(after, pieces) <= count(before, pieces)
        && count(after, pawns) <= count(before, pawns)
        && count(after, kings) == count(before, kings)
}
