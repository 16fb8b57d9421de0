//! Pieces that are nowhere on the board and in nobody's hand, while the game goes on (7.4): swept off unseen, taken along
//! with a capture, or not read by a sensor of which nothing is known yet.

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{Table, named};
use crate::event::finding::{Finding, PieceMissing, RestorePosition};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// A ply was completed: what has been gone while everybody moved once is missing, for no hand holds it so long.
    pub(super) fn look_for_missing(&mut self, out: &mut Vec<Event>) {
        // What an arbiter enters is not what the board shows.
        if self.scene.is_ruling {
            return;
        }
        let missing = missing(&self.scene);
        for (square, content, since_ply) in missing {
            if self.records.open().any(|record| is_about(record, square)) {
                continue;
            }
            let Some(game) = &self.scene.game else { return };
            let ply = game.tracker.plies();
            let (fen, piece) =
                (game.tracker.position(ply).fen(), V::FAMILY.man_name(content).unwrap_or_default());
            let found = PieceMissing { ply, square: named::<V>(square), piece, since_ply };
            let record = self.open(Draft::open(found).squares(&[square]), out);
            self.propose(Draft::open(RestorePosition { fen, side: None, ply }), record, out);
        }
    }
}

/// The picture is another one: a piece that is back, or that went on from there, is not missing.
pub(super) fn judge_missing<V: Variant>(report: &mut Report<'_, V>) {
    let open: Vec<(RecordId, Square)> = report
        .records
        .open()
        .filter(|record| record.name() == Name::PieceMissing)
        .filter_map(|record| Some((record.number, *record.key.squares.first()?)))
        .collect();
    for (record, square) in open {
        let Some(game) = report.scene.game.as_ref() else { return };
        let expected = report.scene.view.see(game.tracker.position(game.tracker.plies()).content(square));
        if expected.is_empty() || game.tracker.is_doubted(square) {
            report.close(record, Status::Withdrawn);
        } else if game.tracker.at(square) == expected {
            report.close(record, Status::Corrected);
        }
    }
}

fn is_about(record: &Record, square: Square) -> bool {
    matches!(record.finding, Finding::PieceMissing(_)) && record.key.squares.contains(&square)
}

/// Each piece that is missing, where it stood, and the ply after which it was gone.
fn missing<V: Variant>(scene: &Scene<V>) -> Vec<(Square, Content, Ply)> {
    let Some(game) = scene.playing().filter(|game| !game.tracker.is_blind()) else { return Vec::new() };
    let tracker = &game.tracker;
    let position = tracker.position(tracker.plies());
    let is_completed = |ply: &Ply| game.plies.get(*ply).is_some_and(|known| known.completed_ns.is_some());
    let late: Vec<Ply> = tracker.plies().all().rev().filter(is_completed).take(V::ARMIES).collect();
    let Some(&first) = late.last().filter(|_| late.len() == V::ARMIES) else { return Vec::new() };
    let gone = |square: Square| {
        let content = position.content(square);
        let left_ns = tracker.square_lifted_ns(square).unwrap_or(0);
        // Whoever came there in one of these plies was not missing before.
        let is_there = content.is_empty()
            || !tracker.at(square).is_empty()
            || left_ns >= tracker.lifted_ns(first)
            || tracker.position(first.before()).content(square) != content;
        (!is_there).then_some((square, content, first.before()))
    };
    crate::infer::squares::<V>().filter_map(gone).collect()
}
