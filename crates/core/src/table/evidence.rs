//! Which inputs show what a record says: from the first that has to do with it to the last.
//!
//! A record is mostly opened when the picture has come to rest, or when a press is judged. What shows it
//! began earlier: with the first lift of the turn, or of the move. The desk plays these readings back.

use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::square::Square;

use super::records::{Draft, Key, Records};
use super::scene::Scene;
use super::touching::ARTICLE_4;

/// Changes and presses that are kept: as many as lifts.
const SEEN_MAX: usize = 4_096;

/// A square changed, or a press was seen.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// `None`: the clock was pressed.
    square: Option<Square>,
    at_ns: u64,
    input: u64,
}

/// Every change of a square and every press of a game, with the input that showed it.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    seen: Vec<Seen>,
}

impl Evidence {
    /// `square` changed, or, `None`, somebody pressed.
    pub(super) fn enter(&mut self, square: Option<Square>, at_ns: u64, input: u64) {
        if self.seen.len() == SEEN_MAX {
            self.seen.drain(..SEEN_MAX / 2);
        }
        self.seen.push(Seen { square, at_ns, input });
    }

    /// What was seen after `since_ns`, in order.
    fn after(&self, since_ns: u64) -> &[Seen] {
        let first = self.seen.iter().rposition(|seen| seen.at_ns <= since_ns).map_or(0, |last| last + 1);
        &self.seen[first..]
    }

    /// The first input at or after `since_ns`.
    fn first(&self, since_ns: u64) -> Option<u64> {
        self.after(since_ns.saturating_sub(1)).first().map(|seen| seen.input)
    }

    /// The last input up to `to_ns`.
    fn last(&self, to_ns: u64) -> Option<u64> {
        self.seen.iter().rev().find(|seen| seen.at_ns <= to_ns).map(|seen| seen.input)
    }

    /// The input at which `square` changed last; 0 if it never did, or too long ago.
    pub(super) fn last_change(&self, square: Square) -> u64 {
        self.seen.iter().rev().find(|seen| seen.square == Some(square)).map_or(0, |seen| seen.input)
    }

    /// The first change of these squares after `since_ns`; of those that have not changed since, the last
    /// one before.
    fn of_squares(&self, squares: &[Square], since_ns: u64) -> Option<u64> {
        let of = |square: Square| {
            let is_it = |seen: &&Seen| seen.square == Some(square);
            let seen = self.after(since_ns).iter().find(is_it);
            seen.or_else(|| self.seen.iter().rev().find(is_it)).map(|seen| seen.input)
        };
        squares.iter().filter_map(|&square| of(square)).min()
    }
}

impl<V: Variant> Scene<V> {
    /// The inputs that show what `draft` says, as far as they have come: the first and the last.
    pub(super) fn inputs_of(&self, draft: &Draft, records: &Records) -> (u64, u64) {
        let now = self.inputs;
        if let Some(of) = draft.of.and_then(|of| records.record(of)) {
            return of.inputs;
        }
        let first = self.first_shown(&draft.key).unwrap_or(now).min(now);
        (first, self.last_shown(&draft.key).unwrap_or(now).max(first))
    }

    fn first_shown(&self, key: &Key) -> Option<u64> {
        let game = self.game.as_ref()?;
        let evidence = game.ledger.evidence();
        let plies = game.tracker.plies();
        // An offer is spoken: nothing on the board shows it.
        if key.name == Name::DrawOffer {
            return None;
        }
        let before = if key.ply.is_start() { plies } else { key.ply.before().min(plies) };
        let turn_ns = if before.is_start() { 0 } else { game.tracker.made_ns(before) };
        if !key.squares.is_empty() {
            return evidence.of_squares(&key.squares, turn_ns);
        }
        match key.ply {
            Ply::START => None,
            // What was touched before the move is what these rest on.
            ply if ply <= plies && !ARTICLE_4.contains(&key.name) && key.name != Name::ClaimTouchMove => {
                evidence.first(game.tracker.lifted_ns(ply))
            }
            _ => evidence.after(turn_ns).first().map(|seen| seen.input),
        }
    }

    /// What a ruling finds of a move was seen up to that move's completion, not up to the ruling.
    fn last_shown(&self, key: &Key) -> Option<u64> {
        let game = self.game.as_ref().filter(|_| self.is_ruling)?;
        if key.ply.is_start() || key.ply > game.tracker.plies() {
            return None;
        }
        let made_ns = game.tracker.made_ns(key.ply);
        let completed_ns = game.plies.get(key.ply).and_then(|ply| ply.completed_ns);
        game.ledger.evidence().last(completed_ns.map_or(made_ns, |completed_ns| completed_ns.max(made_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        let mut evidence = Evidence::default();
        for (square, at_ns, input) in [(Some(12), 10, 3), (Some(28), 20, 4), (None, 30, 6), (Some(52), 40, 7)]
        {
            evidence.enter(square.map(Square::new), at_ns, input);
        }
        evidence
    }

    #[test]
    fn squares_are_shown_from_their_first_change_in_the_turn() {
        let evidence = evidence();
        assert_eq!(evidence.of_squares(&[Square::new(28), Square::new(12)], 0), Some(3));
        assert_eq!(evidence.of_squares(&[Square::new(28)], 15), Some(4));
        assert_eq!(
            evidence.of_squares(&[Square::new(12), Square::new(52)], 35),
            Some(3),
            "the last change before the turn"
        );
        assert_eq!(evidence.of_squares(&[Square::new(1)], 0), None);
    }

    #[test]
    fn moves_are_shown_from_a_lift_to_a_press() {
        let evidence = evidence();
        assert_eq!((evidence.first(20), evidence.first(21)), (Some(4), Some(6)));
        assert_eq!((evidence.last(30), evidence.last(5)), (Some(6), None));
    }

    #[test]
    fn a_long_game_forgets_its_beginning() {
        let mut evidence = Evidence::default();
        for input in 0..2 * SEEN_MAX as u64 {
            evidence.enter(Some(Square::new(0)), input, input);
        }
        assert!(evidence.seen.len() <= SEEN_MAX);
        assert_eq!(evidence.last(u64::MAX), Some(2 * SEEN_MAX as u64 - 1));
    }
}
