//! A picture beside a position: the squares that differ, and what they look like whatever the game.

use super::Departure;
use crate::Footprint;
use crate::sensor::Content;
use crate::square::Square;

/// One square that shows something else than the position has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) square: Square,
    pub(crate) before: Content,
    pub(crate) after: Content,
}

/// From where to where a king and a rook of one army went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KingAndRook {
    pub(crate) king: (Square, Square),
    pub(crate) rook: (Square, Square),
}

/// What differs, as a sensor sees it that tells men apart (`named`) or does not.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) named: bool,
    pub(crate) changes: Vec<Change>,
}

impl Picture {
    /// The picture `contents` beside the men of a position.
    pub(crate) fn of(men: impl IntoIterator<Item = Content>, contents: &[Content], named: bool) -> Self {
        let mut changes = Vec::new();
        for (square, (before, &after)) in Square::all().zip(men.into_iter().zip(contents)) {
            let expected = if named { before } else { before.occupancy() };
            if expected != after {
                changes.push(Change { square, before, after });
            }
        }
        Self { named, changes }
    }

    /// Could `shown` be `man`, as far as the sensor tells?
    pub(crate) fn shows(&self, shown: Content, man: Content) -> bool {
        if self.named { shown == man } else { !shown.is_empty() && shown == man.occupancy() }
    }

    pub(crate) fn at(&self, square: Square) -> Option<&Change> {
        self.changes.iter().find(|change| change.square == square)
    }

    pub(crate) fn squares(&self) -> Vec<Square> {
        self.changes.iter().map(|change| change.square).collect()
    }

    /// Nothing, or men that were lifted.
    pub(crate) fn plain<M>(&self) -> Option<Departure<M>> {
        if self.changes.is_empty() {
            return Some(Departure::None);
        }
        let is_lifted = self.changes.iter().all(|change| change.after.is_empty());
        is_lifted.then(|| Departure::Lifted { squares: self.squares() })
    }

    /// The footprint makes every change and no other.
    pub(crate) fn is(&self, footprint: &Footprint) -> bool {
        footprint.changes().len() == self.changes.len()
            && footprint.changes().iter().all(|&(square, _, after)| {
                self.at(square)
                    .is_some_and(|change| change.after == if self.named { after } else { after.occupancy() })
            })
    }

    /// The man that moved, from and to: two squares changed, one was left by a man who `is_own` and
    /// the other shows him, or what he may have become.
    pub(crate) fn single_mover(
        &self,
        is_own: impl Fn(Content) -> bool,
        is_promotion: impl Fn(&Change, &Change) -> bool,
    ) -> Option<(Change, Change)> {
        let &[first, second] = self.changes.as_slice() else { return None };
        [(first, second), (second, first)].into_iter().find(|(from, to)| {
            let arrives = self.shows(to.after, from.before) || is_promotion(from, to);
            is_own(from.before) && from.after.is_empty() && arrives
        })
    }

    /// King and rook left their squares for others, and that is all: every way to read it.
    pub(crate) fn king_and_rook(&self, king: Content, rook: Content) -> Vec<KingAndRook> {
        let left = |man: Content| self.changes.iter().filter(move |change| change.before == man);
        let reached = |man| {
            let arrives = move |change: &&Change| self.shows(change.after, man);
            self.changes.iter().filter(arrives).map(|change| change.square)
        };
        let mut ways = Vec::new();
        for (king_from, rook_from) in left(king).flat_map(|king| left(rook).map(move |rook| (king, rook))) {
            for (king_to, rook_to) in
                reached(king).flat_map(|king| reached(rook).map(move |rook| (king, rook)))
            {
                let squares = [king_from.square, rook_from.square, king_to, rook_to];
                let is_all = self.changes.iter().all(|change| squares.contains(&change.square));
                if is_all && king_to != rook_to {
                    ways.push(KingAndRook {
                        king: (king_from.square, king_to),
                        rook: (rook_from.square, rook_to),
                    });
                }
            }
        }
        ways
    }

    /// As if castling, but king and rook stand elsewhere, where nothing stood (3.8): the king's squares, if it went
    /// further than one step, the furthest if the sensor cannot tell the two apart.
    pub(crate) fn castled_wrongly(
        &self,
        king: Content,
        rook: Content,
        steps: impl Fn(Square, Square) -> u32,
    ) -> Option<(Square, Square)> {
        let is_vacant = |change: &Change| change.before.is_empty() || [king, rook].contains(&change.before);
        if !self.changes.iter().all(is_vacant) {
            return None;
        }
        let ways = self.king_and_rook(king, rook);
        let kings = ways.iter().map(|way| way.king);
        if kings.clone().any(|(from, to)| steps(from, to) < 2) {
            return None;
        }
        kings.max_by_key(|&(from, to)| steps(from, to))
    }

    /// Several men, each of which could have gone where it stands.
    pub(crate) fn several<M>(&self, goes: impl Fn(&Change, &Change) -> bool) -> Option<Departure<M>> {
        let left: Vec<&Change> = self.changes.iter().filter(|change| change.after.is_empty()).collect();
        let mut free: Vec<&Change> = self.changes.iter().filter(|change| !change.after.is_empty()).collect();
        if left.len() < 2 || left.len() != free.len() {
            return None;
        }
        for from in left {
            let index = free.iter().position(|to| goes(from, to))?;
            free.remove(index);
        }
        Some(Departure::Several { squares: self.squares() })
    }

    pub(crate) fn displaced<M>(&self) -> Departure<M> {
        // Each man that arrived is one that left, if one of its kind did.
        let mut missing: Vec<&Change> =
            self.changes.iter().filter(|change| !change.before.is_empty()).collect();
        let mut extra = Vec::new();
        for change in self.changes.iter().filter(|change| !change.after.is_empty()) {
            match missing.iter().position(|left| self.shows(change.after, left.before)) {
                Some(index) => {
                    missing.remove(index);
                }
                None => extra.push(change.square),
            }
        }
        let missing = missing.iter().map(|change| change.square).collect();
        Departure::Displaced { squares: self.squares(), missing, extra }
    }
}
