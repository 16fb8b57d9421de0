//! Pieces displaced: the game goes on over them until they are back on their squares (7.4, 7.6; laws-model 5).

use super::{gaps, patterns};
use crate::event::finding::{DisplacementFoundLate, Finding, PieceDisplaced, RestorePosition};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::table::records::{Draft, Record};
use crate::table::scene::{Report, Scene};
use crate::table::{Table, all_named, orientation};
use adoube_rules::laws::{Name, Severity};
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::touch::side_of;
use adoube_rules::{Position as _, Variant};

/// Pieces that stand on wrong squares, while the game goes on over them: the tracker is shown what
/// ought to stand there.
#[derive(Debug, Clone, Default)]
pub(in crate::table) struct Displaced {
    /// Square, what ought to stand there.
    pub(in crate::table) squares: Vec<(Square, Content)>,
    pub(in crate::table) record: RecordId,
    pub(in crate::table) since_ns: u64,
    pub(in crate::table) since_ply: Ply,
    /// It was there when a later move was made.
    pub(in crate::table) is_found_late: bool,
}

impl Displaced {
    pub(in crate::table) fn expects(&self, square: Square) -> Option<Content> {
        self.squares.iter().find(|(displaced, _)| *displaced == square).map(|(_, content)| *content)
    }
}

impl<V: Variant> Table<V> {
    /// Pieces stand where no move brought them. The feed stays at the last legal position; the tracker
    /// is shown what ought to stand on those squares.
    pub(in crate::table) fn displaced(
        &mut self,
        squares: &[Square],
        missing: &[Square],
        extra: &[Square],
        out: &mut Vec<Event>,
    ) {
        patterns::close_pending_but(None, &mut self.report(out));
        let at_ns = self.scene.now.mono_ns;
        let running = self.running_at_change;
        // Knocked over is not touched with intent.
        let since_ns = self.scene.turn_began_ns();
        if let Some(game) = &mut self.scene.game {
            game.ledger.strike_on(squares, since_ns);
        }
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.best().clone();
        let since_ply = game.tracker.plies();
        let letters = |squares: &[Square], of: &dyn Fn(Square) -> Content| -> Vec<String> {
            let name = |&square: &Square| V::FAMILY.man_name(of(square));
            squares.iter().map(|at| name(at).unwrap_or_else(|| V::FAMILY.square_name(*at))).collect()
        };
        let missing = letters(missing, &|square| position.content(square));
        let extra = letters(extra, &|square| game.tracker.at(square));
        let masked: Vec<(Square, Content)> =
            squares.iter().map(|&square| (square, self.scene.view.see(position.content(square)))).collect();
        let number = game.displacements + 1;
        let found = PieceDisplaced {
            ply: since_ply.next(),
            squares: all_named::<V>(squares),
            missing,
            extra,
            running,
            number,
            restored_after_ms: None,
        };
        let draft = Draft::open(found).squares(squares).fens(position.shown(), position.shown());
        let record = self.open(draft, out);
        if let Some(game) = &mut self.scene.game {
            game.displacements = number;
            game.displaced.push(Displaced {
                squares: masked.clone(),
                record,
                since_ns: self.scene.last_change_ns,
                since_ply,
                is_found_late: false,
            });
        }
        self.with_tracker(out, |tracker, steps| tracker.shown(&masked, at_ns, steps));
    }

    /// Shows the tracker what really stands on displaced squares: perhaps a move goes over them.
    pub(in crate::table) fn look_under_displaced(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &self.scene.game else { return };
        if game.displaced.is_empty() {
            return;
        }
        let really = really_on(&self.scene, &game.displaced);
        // While the clocks stand pieces are put back, one by one: what looks like a move on the way is none.
        let is_restoring = self.scene.is_paused();
        if is_restoring || really.iter().all(|&(square, content)| game.tracker.at(square) == content) {
            return;
        }
        let records: Vec<RecordId> = game.displaced.iter().map(|displaced| displaced.record).collect();
        let known: Vec<Displaced> = game.displaced.clone();
        if let Some(game) = &mut self.scene.game {
            game.displaced.clear();
        }
        self.with_tracker(out, |tracker, steps| tracker.shown(&really, at_ns, steps));
        let is_explained = self.scene.game.as_ref().is_some_and(|game| game.tracker.is_explained());
        if is_explained {
            for record in records {
                self.close(record, Status::Corrected, out);
            }
            return;
        }
        // Not so: what was displaced still is, and the rest is looked at by itself.
        let masked: Vec<(Square, Content)> =
            known.iter().flat_map(|displaced| displaced.squares.clone()).collect();
        if let Some(game) = &mut self.scene.game {
            game.displaced = known;
        }
        self.with_tracker(out, |tracker, steps| tracker.shown(&masked, at_ns, steps));
    }

    /// Takes from `changes` what concerns displaced squares; a piece that is back on its square is no
    /// longer displaced.
    pub(in crate::table) fn hide_displaced(
        &mut self,
        changes: &mut Vec<(Square, Content)>,
        out: &mut Vec<Event>,
    ) {
        let Some(game) = &self.scene.game else { return };
        if game.displaced.is_empty() {
            return;
        }
        let is_hidden =
            |square: Square| game.displaced.iter().any(|displaced| displaced.expects(square).is_some());
        let hidden: Vec<(Square, Content)> = changes.extract_if(.., |change| is_hidden(change.0)).collect();
        let at_ns = self.scene.now.mono_ns;
        if let Some(game) = &mut self.scene.game {
            game.tracker.note_changes(&hidden, at_ns);
        }
        let Some(game) = &self.scene.game else { return };
        let view = self.scene.view;
        let restored: Vec<(RecordId, u64, Ply)> = game
            .displaced
            .iter()
            .filter(|displaced| {
                really_on(&self.scene, std::slice::from_ref(displaced)).iter().all(|&(square, content)| {
                    displaced.expects(square).map(|expected| view.see(expected)) == Some(content)
                })
            })
            .map(|displaced| (displaced.record, displaced.since_ns, displaced.since_ply))
            .collect();
        for (record, since_ns, since_ply) in restored {
            // The queen stands where the Laws have put it (7.5.2).
            let is_done =
                |record: &Record| record.name() == Name::ReplaceByQueen && record.key.ply == since_ply;
            self.close_all(is_done, Status::Corrected, out);
            let after_ms = adoube_rules::stamp::ms(self.scene.now.mono_ns - since_ns);
            self.records.change(record, |record| {
                if let Finding::PieceDisplaced(displaced) = &mut record.finding {
                    displaced.restored_after_ms = Some(after_ms);
                }
            });
            self.close(record, Status::Corrected, out);
            if let Some(game) = &mut self.scene.game {
                game.displaced.retain(|displaced| displaced.record != record);
            }
        }
    }

    /// What seemed to be displaced stands where it belongs: a square had lied.
    pub(in crate::table) fn nothing_is_displaced(&mut self, out: &mut Vec<Event>) {
        let displaced = self.scene.game.as_mut().map(|game| std::mem::take(&mut game.displaced));
        for displaced in displaced.into_iter().flatten() {
            self.close(displaced.record, Status::Withdrawn, out);
        }
    }

    /// A move was made over displaced pieces: found late (7.6).
    pub(in crate::table) fn move_over_displaced(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let Some(game) = &mut self.scene.game else { return };
        let late: Vec<(RecordId, Ply, Vec<Square>)> = game
            .displaced
            .iter_mut()
            .filter(|displaced| !displaced.is_found_late && displaced.since_ply < ply)
            .map(|displaced| {
                displaced.is_found_late = true;
                let squares = displaced.squares.iter().map(|(square, _)| *square).collect();
                (displaced.record, displaced.since_ply, squares)
            })
            .collect();
        for (record, since_ply, squares) in late {
            let Some(game) = &self.scene.game else { return };
            let fen = game.tracker.position(since_ply).fen();
            let names = all_named::<V>(&squares);
            let found = DisplacementFoundLate { ply, squares: names, since_ply, displaced: record };
            let late = self.open(Draft::open(found).squares(&squares), out);
            self.propose(Draft::open(RestorePosition { fen, side: None, ply: since_ply }), late, out);
            gaps::propose_candidates(late, since_ply, &mut self.report(out));
            self.report(out).propose_clock_times(late);
        }
    }
}

/// Displacements that are open and whose men belong to `side` alone.
pub(in crate::table) fn displaced_of<V: Variant>(scene: &Scene<V>, side: Side) -> Vec<RecordId> {
    displacements(scene, |owner| owner == side)
}

/// Men of both sides stand elsewhere.
pub(in crate::table) fn are_of_both<V: Variant>(scene: &Scene<V>, displaced: &Displaced) -> bool {
    let Some(game) = scene.game.as_ref() else { return false };
    let owner = |&(square, _): &(Square, Content)| side_of(game.tracker.best().content(square));
    let owners: Vec<Side> = displaced.squares.iter().filter_map(owner).collect();
    [Side::White, Side::Black].iter().all(|side| owners.contains(side))
}

/// All open displacements.
pub(in crate::table) fn displacements<V: Variant>(
    scene: &Scene<V>,
    of: impl Fn(Side) -> bool,
) -> Vec<RecordId> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    game.displaced
        .iter()
        .filter(|displaced| {
            let mut owners = displaced
                .squares
                .iter()
                .filter_map(|&(square, _)| side_of(game.tracker.best().content(square)));
            owners.all(&of)
        })
        .map(|displaced| displaced.record)
        .collect()
}

/// Raises open displacements to alert: they were there at a press.
pub(in crate::table) fn raise_displaced<V: Variant>(report: &mut Report<'_, V>) {
    for record in displacements(report.scene, |_| true) {
        if report.records.record(record).is_some_and(|record| record.is_open() && record.severity.is_none()) {
            report.amend(record, |record| record.severity = Some(Severity::Alert));
        }
    }
}

pub(in crate::table) fn really_on<V: Variant>(
    scene: &Scene<V>,
    displaced: &[Displaced],
) -> Vec<(Square, Content)> {
    displaced
        .iter()
        .flat_map(|displaced| &displaced.squares)
        .map(|&(square, _)| (square, scene.sensed[orientation::sensor_square(scene, square)]))
        .collect()
}
