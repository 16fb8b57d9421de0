//! After a gap that no moves fill, a board that names its pieces is believed as it stands (DESIGN 2.4): the game goes on
//! from there, and the gap stays for the arbiter.

use super::gaps::KNOCKED_OVER_MAX;
use super::records::Record;
use super::rulings::position;
use super::scene::Scene;
use super::{Table, opening, setting_up};
use crate::event::{Event, RecordId};
use crate::infer::{Made, View, squares};
use crate::ply::Ply;
use adoube_rules::sensor::{Army, Content, Role};
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// What stands, and has rested for as long as a piece that was let go of, is the position from now on: `gap` is the record
    /// under which it stands. A hand that holds a piece for longer puts it right when the piece is put down.
    pub(super) fn adopt_what_stands(&mut self, gap: RecordId, out: &mut Vec<Event>) {
        let Some(position) = believable(&self.scene) else { return };
        let search_ns = self.scene.playing().and_then(|game| game.tracker.searches_ns());
        if let Some(search_ns) = search_ns.filter(|&search_ns| search_ns > self.scene.now.mono_ns) {
            self.pending.settle_ns = Some(search_ns);
            return;
        }
        self.stands_after_gap(position, gap, self.scene.last_change_ns, out);
        setting_up::judge_counts(&mut self.report(out));
    }

    /// What was adopted stands, and another player has made `mv` from it, whatever the clock, if there is one, says: nobody
    /// knew whose turn it was.
    pub(super) fn adopted_for_another(&mut self, mv: V::Move, out: &mut Vec<Event>) -> bool {
        let Some((ply, game)) = adopted(&self.scene).zip(self.scene.game.as_ref()) else { return false };
        let (position, made_ns) = (game.tracker.position(ply), game.tracker.made_ns(ply));
        let turned = position.with_army(Self::army_of_move(position, mv));
        let Some(gap) = game.plies.get(ply).and_then(|known| known.illegal) else { return false };
        self.stands_after_gap(turned, gap, made_ns, out);
        let at_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| tracker.changed(&[], at_ns, steps));
        true
    }

    /// One ply after what was there before the gap, `position` stands, since `at_ns`.
    fn stands_after_gap(&mut self, position: V::Position, gap: RecordId, at_ns: u64, out: &mut Vec<Event>) {
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
        && game.tracker.was_lost_after(ply)
        && !scene.is_paused()
        && opening::recognise(scene).is_none();
    let differs = |square| game.tracker.at(square) != known.content(square);
    if !is_play || squares::<V>().filter(|&square| differs(square)).count() <= KNOCKED_OVER_MAX {
        return None;
    }
    let turn = scene.running().unwrap_or_else(|| best.turn());
    let position = known.accepted(&position::standing_now(scene), Some(turn));
    let is_regular = position.illegal_position().is_empty()
        && (V::ARMIES > 2 || !position.with_turn(turn.other()).is_in_check())
        && (0..V::ARMIES)
            .map(|army| Army::new(army as u8))
            .all(|army| has_no_more::<V>(army, known, &position));
    is_regular.then_some(position)
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
