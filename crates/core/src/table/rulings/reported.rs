//! What players and arbiters report: a wrong set-up, reversed colours, something illegal that was
//! overlooked (Article 7, A.4.1).

use crate::event::Event;
use crate::event::finding::{
    Claimed, CommunicationReported, ControlBasis, IllegalMoveFoundLate, TimeControlCheck,
};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use crate::table::records::Draft;
use crate::table::scene::{Report, Scene};
use crate::table::{Table, accounts, illegal, setting_up};
use adoube_rules::Variant;
use adoube_rules::laws::Name;

impl<V: Variant> Table<V> {
    /// A ply was illegal, somebody says.
    pub(super) fn report_illegal(&mut self, ply: Ply, out: &mut Vec<Event>) -> Outcome {
        let Some(game) = &self.scene.game else {
            return Err(inapplicable("no game is on this board"));
        };
        let plies = game.plies.last();
        if ply.is_start() || ply > plies {
            return Err(inapplicable(format!("the game has {plies} plies, not {ply}")));
        }
        if game.result.is_some() {
            self.open(Draft::notice(IllegalMoveFoundLate { ply, ignored: Name::GameOver }), out);
            return Ok(());
        }
        let record = game.plies[ply].illegal.and_then(|number| self.records.record(number));
        let Some((number, is_open)) = record.map(|record| (record.number, record.is_open())) else {
            let played = game.tracker.played(ply).map_or_else(String::new, |played| played.san());
            return Err(inapplicable(format!(
                "on record ply {ply} is {played}, a legal move; \"correct-move\" says what was played"
            )));
        };
        if game.plies[ply].is_recovered {
            return Err(inapplicable(format!(
                "nobody saw what was played before ply {ply} stood: answer the gap in the record"
            )));
        }
        if is_open {
            illegal::propose_on_claim(number, &mut self.report(out));
        } else {
            setting_up::refuse_late_claim(Claimed::ReportIllegal, &mut self.report(out));
        }
        Ok(())
    }

    /// Displaced men, found when moves have been made over them (7.6).
    pub(super) fn displacement_found(&mut self, out: &mut Vec<Event>) -> Outcome {
        self.check_playing()?;
        if self.records.open_record(Name::DisplacementFoundLate).is_some() {
            return Ok(());
        }
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        if accounts::displacements(&self.scene, |_| true).is_empty() {
            return Err(inapplicable(
                "no displaced piece is on record; \"set-position\" says what ought to stand",
            ));
        }
        self.move_over_displaced(plies.next(), out);
        Ok(())
    }
}

/// Something is reported of the game on this board: does it count? Found after its result is recorded, it is in the
/// log, and no more (7.2.1, 8.7).
pub(super) fn is_in_play<V: Variant>(scene: &Scene<V>) -> Result<bool, Inapplicable> {
    check_game(scene)?;
    Ok(scene.playing().is_some())
}

/// Something is reported of the game on this board, whether it is over or not.
pub(super) fn check_game<V: Variant>(scene: &Scene<V>) -> Outcome {
    if scene.game.as_ref().is_none() { Err(inapplicable("no game is on this board")) } else { Ok(()) }
}

/// Each report of its own, also while an earlier one is open.
pub(super) fn report_communication<V: Variant>(report: &mut Report<'_, V>) {
    let plies = report.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
    report.open(Draft::open(CommunicationReported { at_ply: plies }));
}

/// The sheets cannot show who overstepped the time: the record is offered as evidence of the moves
/// completed (8.6).
pub(super) fn sheets_incomplete<V: Variant>(report: &mut Report<'_, V>) {
    let [white, black] = report.counts().completed;
    let found = TimeControlCheck {
        side: None,
        period: None,
        completed: None,
        required: None,
        white: Some(white),
        black: Some(black),
        basis: Some(ControlBasis::ScoresheetsIncomplete),
    };
    report.open(Draft::notice(found));
}
