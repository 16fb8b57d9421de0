//! Accounts: why the board does not show the published position (DESIGN 2.4).
//!
//! Explanations by moves compete in the tracker, each with a weight, and with them squares that lie. What none of them
//! reaches is accounted for here, by one list for a picture at rest (`at_rest`) and for one over which a clock is pressed
//! (`pressing`). The first of these that holds is its account:
//!
//! 1. a legal move stands, in whatever order its squares came to change;
//! 2. a castling that only national rules know (`mirrored`);
//! 3. a hand is still at work: what would accuse somebody has to rest as long as a piece that was let go of;
//! 4. the board was turned;
//! 5. plies that nobody saw: a link was lost, and no moves lead to what stands (`gaps`, `adopting`);
//! 6. plies that nobody saw were miscounted: another player has moved than who would have had to;
//! 7. the last ply was half of a castling, and this is the other half;
//! 8. a square lied before, and nothing broke a rule;
//! 9. a move half done, an illegal one, a move out of turn, pieces displaced (`patterns`, `displaced`).
//!
//! What differs through a whole turn of everybody, and nothing of that was said, is looked for when a ply is completed
//! (`standing`).
//!
//! The order is that of what each takes for granted: nobody is accused of what a move, a turned board, a lost link or a
//! sensor explains. So there is no weight to compare: two that hold at once differ in who would be accused, and the earlier
//! accuses nobody.

mod at_rest;
mod displaced;
mod gaps;
mod mirrored;
mod patterns;
mod shown;
mod standing;

pub(super) use at_rest::put_right;
pub(super) use displaced::{Displaced, displaced_of, displacements, raise_displaced};
pub(super) use gaps::{KNOCKED_OVER_MAX, pressed_unexplained, propose_candidates};
pub(super) use shown::{move_among, only_kings};

use super::Table;
use crate::event::Event;
use crate::infer::Tracker;
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::stamp::MS;
use adoube_rules::{Position as _, Variant};

/// What a picture comes to.
pub(super) enum Account<M> {
    /// A position of the game, for which it was taken just now.
    Position,
    /// A legal move, which the tracker does not believe yet.
    Move,
    /// Not to be told before then: a hand may be at work, or what nobody saw is still searched for.
    TooSoon {
        /// When it is asked again.
        until_ns: u64,
    },
    /// Plies that nobody saw, and no moves lead to what stands.
    Unseen(Departure<M>),
    /// It breaks a rule, or is on its way to a move.
    Irregular(Departure<M>),
}

/// When somebody asks what stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// It has come to rest.
    Rest,
    /// A clock was pressed over it: whoever pressed says that his move is made.
    Press,
}

impl<V: Variant> Table<V> {
    /// The account of a picture that is not the position of the tracker's best line; what it shows to be a position of the game is taken for one.
    pub(super) fn account(&mut self, moment: Moment, out: &mut Vec<Event>) -> Account<V::Move> {
        if self.scene.is_move_shown() {
            return Account::Move;
        }
        if self.mirrored_castling(out) {
            return Account::Position;
        }
        let departure = self.scene.departure();
        let is_alarming = matches!(departure, Departure::Displaced { .. } | Departure::OutOfTurn(_));
        let is_unseen = self.scene.is_after_gap();
        let hand_ns = u64::from(self.scene.profile.release_dwell_ms) * MS;
        let until_ns = self.scene.last_change_ns + hand_ns;
        if moment == Moment::Rest && (is_alarming || is_unseen) && self.scene.now.mono_ns < until_ns {
            return Account::TooSoon { until_ns };
        }
        // What nobody saw may still be found.
        let search_ns = self.scene.playing().and_then(|game| game.tracker.searches_ns());
        if let Some(until_ns) = search_ns.filter(|&at_ns| is_unseen && at_ns > self.scene.now.mono_ns) {
            return Account::TooSoon { until_ns };
        }
        if is_alarming && self.was_turned(out) {
            return Account::Position;
        }
        if is_unseen {
            return Account::Unseen(departure);
        }
        if let &Departure::OutOfTurn(mv) = &departure
            && self.miscounted(|position| position.with_army(Self::army_of_move(position, mv)), out)
        {
            return Account::Position;
        }
        // An illegal move that is not pressed accuses nobody yet, and its player may still put it right.
        let may_have_lied = is_alarming || moment == Moment::Press;
        if self.castled_after_all(&departure, out) || (may_have_lied && self.lied(&departure, out)) {
            return Account::Position;
        }
        Account::Irregular(departure)
    }

    /// What looks like a king's illegal move may end a castling whose rook went first.
    fn castled_after_all(&mut self, departure: &Departure<V::Move>, out: &mut Vec<Event>) -> bool {
        let mut is_castling = false;
        if matches!(departure, Departure::Illegal { .. }) {
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| is_castling = tracker.castled_after_all(at_ns, steps));
        }
        is_castling
    }

    /// A square lied, and all is explained: what `departure` would accuse somebody of was nothing. What breaks a rule by
    /// what was played before could always be explained away by reading that otherwise.
    fn lied(&mut self, departure: &Departure<V::Move>, out: &mut Vec<Event>) -> bool {
        let is_asked = match departure {
            Departure::Illegal { kinds, .. } => {
                !kinds.iter().any(|kind| matches!(kind, Kind::CastlingRightLost | Kind::EnPassantLate))
            }
            Departure::Several { .. } | Departure::OutOfTurn(_) | Departure::Displaced { .. } => true,
            _ => false,
        };
        // One piece went from one square to another: both were seen.
        let is_last_sure = matches!(departure, Departure::Illegal { .. });
        let at_ns = self.scene.now.mono_ns;
        let mut has_castled = false;
        if is_asked && is_last_sure {
            let castled = |tracker: &mut Tracker<V>, steps: &mut _| {
                has_castled = tracker.castled_against_the_laws(at_ns, steps);
            };
            self.with_tracker(out, castled);
        }
        if !is_asked || has_castled {
            return false;
        }
        let Some(game) = &self.scene.game else { return false };
        let hidden = displaced::really_on(&self.scene, &game.displaced);
        let mut has_lied = false;
        self.with_tracker(out, |tracker, steps| {
            has_lied = tracker.look_back(&hidden, is_last_sure, at_ns, steps);
        });
        if has_lied {
            self.nothing_is_displaced(out);
        }
        has_lied
    }
}
