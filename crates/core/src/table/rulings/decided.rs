//! Confirming, rejecting and postponing records, and carrying out one proposal.

use super::line::ASKING;
use super::whole;
use crate::event::finding::{Finding, QuickplayKind, ReplacementMoves, RestorePosition, SquareName};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, Reference, Task, inapplicable};
use crate::table::draws::DRAWN;
use crate::table::illegal::COMPLETED;
use crate::table::records::{Draft, Record, Records};
use crate::table::results::{declares, is_outcome};
use crate::table::scene::Report;
use crate::table::touching::ARTICLE_4;
use crate::table::watch::adjustments::is_reminder;
use crate::table::{Table, claims, doubts, offered, offers, resolution};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::{Position as _, Variant};

/// Proposals that decide their record when one of them is carried out by itself.
const DECIDING: [Name; 6] = [
    Name::RestorePosition,
    Name::ReplaceByQueen,
    Name::AnnulGame,
    Name::CastlingBan,
    Name::TransferPosition,
    Name::SetPosition,
];

impl Records {
    fn replacement_of(&self, number: RecordId) -> Option<RecordId> {
        let is_it = |known: &&Record| known.of == Some(number) && known.name() == Name::ReplacementMoves;
        self.open().find(is_it).map(|known| known.number)
    }

    pub(super) fn outcome_of(&self, number: RecordId) -> Option<RecordId> {
        let is_it = |record: &&Record| record.of == Some(number) && is_outcome(record);
        self.open().find(is_it).map(|record| record.number)
    }
}

impl<V: Variant> Table<V> {
    /// The record is not borne out.
    pub(super) fn rule_reject(&mut self, record: &Reference, out: &mut Vec<Event>) -> Outcome {
        let number = self.meant(record, false)?;
        let known = self.records.record(number);
        let is_claim = known.is_some_and(|known| matches!(known.finding, Finding::DrawClaim(..)));
        if !is_claim || self.records.outcome_of(number).is_some() {
            self.reject(number, out);
            return Ok(());
        }
        // What follows a wrong claim was proposed with it, and is ruled with it (9.5.3); what only its rejection brings up
        // nobody has seen yet: that waits.
        self.finished_by_hands(number, out, |table, out| {
            table.reject(number, out);
            table.resolve(number, out)
        })
    }

    /// The record that a ruling means: a number, or the youngest open one of a name. To be confirmed there is
    /// also one of Article 4 whose window has closed, because the arbiter's duty does not end with it, and one
    /// that is decided and has proposals left.
    fn meant(&self, record: &Reference, is_confirmed: bool) -> Result<RecordId, Inapplicable> {
        let number = self.found(record, is_confirmed)?;
        if self.records.record(number).is_some_and(resolution::is_resolution) {
            return Err(inapplicable(
                "it is done when board and clock show it; \"waive\" leaves a part of it out",
            ));
        }
        Ok(number)
    }

    fn found(&self, record: &Reference, is_confirmed: bool) -> Result<RecordId, Inapplicable> {
        let is_due = |record: &&Record| {
            let is_late = record.status == Status::Expired && ARTICLE_4.contains(&record.name());
            record.is_open() || is_confirmed && (is_late || self.has_proposals_left(record))
        };
        let number = match record {
            Reference::Name(name) => {
                let of_name = || self.records.iter().rev().filter(|record| record.name() == name.as_str());
                let found = of_name().find(|record| record.is_open()).or_else(|| of_name().find(is_due));
                return found.map(|record| record.number).ok_or_else(|| {
                    let open = self
                        .records
                        .iter()
                        .filter(|record| record.is_open())
                        .map(|record| record.name().as_str());
                    inapplicable(match adoube_rules::spelling::nearest(name, open) {
                        "" => format!("no {name} is open, nor anything else"),
                        nearest => format!("no {name} is open; the nearest that is, is {nearest}"),
                    })
                });
            }
            Reference::Number(number) => number,
        };
        let Some(record) = self.records.record(RecordId(*number)) else {
            return Err(inapplicable(format!("no record has the number {number}")));
        };
        if !is_due(&record) {
            return Err(inapplicable(format!("{} is {} already", record.name(), record.status.as_str())));
        }
        Ok(record.number)
    }

    /// The record is borne out, by one `choice` among its proposals, or with all of them but those `without` which
    /// it is confirmed.
    pub(super) fn rule_confirm(
        &mut self,
        record: &Reference,
        choice: Option<&str>,
        without: &[String],
        out: &mut Vec<Event>,
    ) -> Outcome {
        let number = self.meant(record, true)?;
        self.finished_by_hands(number, out, |table, out| table.confirm(number, choice, without, out))
    }

    /// Decides about a record; if hands have something more to do for that, its resolution begins.
    fn finished_by_hands(
        &mut self,
        number: RecordId,
        out: &mut Vec<Event>,
        decide: impl FnOnce(&mut Self, &mut Vec<Event>) -> Outcome,
    ) -> Outcome {
        let before = (self.restoring, self.scene.timing.watch.ruled().to_vec());
        decide(self, out)?;
        if (self.restoring, self.scene.timing.watch.ruled()) != (before.0, &before.1) {
            self.resolution_begins(number, out);
        }
        Ok(())
    }

    fn confirm(
        &mut self,
        number: RecordId,
        choice: Option<&str>,
        without: &[String],
        out: &mut Vec<Event>,
    ) -> Outcome {
        let Some(record) = self.records.record(number).cloned() else { return Ok(()) };
        for proposal in self.left_out(without, &record)? {
            self.reject(proposal, out);
        }
        if let Some(choice) = choice {
            return self.choose(&record, choice, out);
        }
        let name = record.name();
        if record.is_decided() {
            self.check_playing()?;
            return self.resolve(number, out);
        }
        let is_over = self.scene.playing().is_none();
        if is_over && (is_outcome(&record) || ARTICLE_4.contains(&name) || COMPLETED.contains(&name)) {
            return Err(inapplicable("the game is over; \"change-result\" changes its result"));
        }
        if is_outcome(&record) {
            self.outcome_confirmed(number, out);
        } else if ARTICLE_4.contains(&name) || name == Name::ClaimedMoveNotPlayed {
            self.confirm_article_4(&record, out)?;
        } else if record.of.is_some() {
            self.confirm_proposal(&record, out)?;
        } else {
            self.confirm_named(&record, out)?;
        }
        Ok(())
    }

    /// A player's claim of an illegal move or of a touch: what is on record is confirmed with it.
    fn confirm_offence_claimed(&mut self, record: &Record, out: &mut Vec<Event>) -> Outcome {
        decide(record.number, Status::Confirmed, &mut self.report(out));
        let names: &[Name] = if record.name() == Name::ClaimTouchMove { &ARTICLE_4 } else { &COMPLETED };
        let offender = record.key.side.map(Side::other);
        let claimed = self
            .records
            .iter()
            .rev()
            .find(|known| known.is_open() && names.contains(&known.name()) && known.key.side == offender);
        match claimed.cloned() {
            Some(claimed) if ARTICLE_4.contains(&claimed.name()) => {
                self.confirm_article_4(&claimed, out)?;
            }
            Some(claimed) => self.confirm_whole(claimed.number, out)?,
            None => {}
        }
        Ok(())
    }

    fn confirm_named(&mut self, record: &Record, out: &mut Vec<Event>) -> Outcome {
        let number = record.number;
        match &record.finding {
            Finding::DrawOffer(_) => {
                self.check_playing()?;
                self.draw_agreed(out);
            }
            Finding::DrawClaim(..) => {
                if self.records.outcome_of(number).is_none() {
                    claims::propose_draw(number, &mut self.report(out));
                }
                if let Some(outcome) = self.records.outcome_of(number) {
                    self.outcome_confirmed(outcome, out);
                }
            }
            Finding::Quickplay(QuickplayKind::ClaimQpf, _) => {
                decide(number, Status::Confirmed, &mut self.report(out));
                self.quickplay_decided(number, true, out);
            }
            Finding::Quickplay(QuickplayKind::QpfIncrementRequest, _) => {
                self.confirm_whole(number, out)?;
                self.quickplay_decided(number, true, out);
            }
            // The claim that was postponed is decided now (III.5.2).
            Finding::QpfClaimOpen(_) => {
                decide(number, Status::Confirmed, &mut self.report(out));
                if let Some(claim) = self.records.open_number(Name::ClaimQpf) {
                    decide(claim, Status::Confirmed, &mut self.report(out));
                    self.quickplay_decided(claim, true, out);
                }
            }
            Finding::ClaimFlagFall(_) => {
                let outcome = self.records.outcome_of(number);
                let said = || {
                    [Name::TimeForfeit, Name::TimeDraw]
                        .into_iter()
                        .find_map(|name| self.records.open_number(name))
                };
                if let Some(outcome) = outcome.or_else(said) {
                    self.outcome_confirmed(outcome, out);
                }
                decide(number, Status::Confirmed, &mut self.report(out));
            }
            Finding::ClaimIllegalMove(_) | Finding::ClaimTouchMove(_) => {
                self.confirm_offence_claimed(record, out)?;
            }
            Finding::PossibleResignation(_) => {
                decide(number, Status::Confirmed, &mut self.report(out));
                if let Some(side) = record.key.side {
                    self.resign(side, out);
                }
            }
            Finding::ResultSignalled(signalled) => {
                decide(number, Status::Confirmed, &mut self.report(out));
                if let Some(result) = signalled.result.0 {
                    self.over(Name::ResultSignalled, result, out);
                }
            }
            Finding::TwoHandsSuspected(_) => {
                decide(number, Status::Confirmed, &mut self.report(out));
                if let Some(side) = record.key.side {
                    self.count_two_hands(side, record.key.ply, out);
                }
            }
            _ => self.confirm_whole(number, out)?,
        }
        Ok(())
    }

    /// `choice`: one of the proposals of a record, by its name; or the moves that were played in a gap.
    fn choose(&mut self, record: &Record, choice: &str, out: &mut Vec<Event>) -> Outcome {
        if record.name() == Name::RecordGap && choice.contains(' ') {
            return self.confirm_way(record, choice, out);
        }
        if ASKING.contains(&record.name()) {
            self.check_playing()?;
            let ply = match &record.finding {
                Finding::PromotionPieceUnknown(unknown) => unknown.at_ply,
                _ => record.key.ply,
            };
            if choice != "none" {
                self.correct(ply, choice, out)?;
            }
            self.close(record.number, Status::Confirmed, out);
            let is_made = self.scene.playing().is_some_and(|game| ply <= game.tracker.plies());
            if choice == "none" && is_made && doubts::may_be_none(record) {
                self.rule_delete(ply, out)?;
            }
            return Ok(());
        }
        if let (Finding::ClockTimes(times), "start") = (&record.finding, choice) {
            self.check_playing()?;
            if times.start.is_none() {
                return Err(inapplicable("the move began with the times that are proposed"));
            }
            settle_proposal(record, &mut self.report(out));
            self.times_confirmed(record, times.start, out);
            return Ok(());
        }
        let proposal = self.proposed_as(record, choice)?.clone();
        if is_outcome(&proposal) {
            self.check_playing()?;
            self.outcome_confirmed(proposal.number, out);
            return Ok(());
        }
        self.confirm_proposal(&proposal, out)?;
        decide(record.number, Status::Confirmed, &mut self.report(out));
        Ok(())
    }

    /// A proposal is carried out; one that needs a hand on the clock or on the board is approved.
    pub(super) fn confirm_proposal(&mut self, proposal: &Record, out: &mut Vec<Event>) -> Outcome {
        match &proposal.finding {
            Finding::DeclareResult(_) => {
                self.check_playing()?;
                decide(proposal.number, Status::Confirmed, &mut self.report(out));
                self.result_declared(proposal, out);
                return Ok(());
            }
            Finding::RestorePosition(RestorePosition { ply, .. }) => {
                self.check_playing()?;
                settle_proposal(proposal, &mut self.report(out));
                self.restore(*ply, out);
                self.restoring_begins(*ply);
                if let Some(of) = proposal.of {
                    self.bind_to_replacement(of, out);
                }
                return Ok(());
            }
            Finding::AnnulGame(annul) => {
                self.check_playing()?;
                settle_proposal(proposal, &mut self.report(out));
                self.annul(&annul.reason, out);
                return Ok(());
            }
            Finding::ReplaceByQueen(_) => {
                self.check_playing()?;
                self.queen_for(proposal.of, out);
            }
            Finding::CastlingBan(ban) => {
                self.check_playing()?;
                let rook = ban.rook.as_ref().and_then(|SquareName(rook)| V::FAMILY.square(rook));
                self.ban_castling(ban.side, rook, out);
            }
            Finding::ConfirmMove(confirm) => {
                self.check_playing()?;
                if let Some(uci) = confirm.uci.as_ref().filter(|_| !proposal.key.ply.is_start()) {
                    self.correct(proposal.key.ply, uci, out)?;
                }
            }
            Finding::SetPosition(set) if self.scene.is_waiting() => {
                settle_proposal(proposal, &mut self.report(out));
                return self.start_offered(&set.fen, out);
            }
            Finding::SetPosition(set) => {
                self.check_playing()?;
                let Some(game) = &self.scene.game else { return Ok(()) };
                let position = V::read(&set.fen, game.tracker.best()).map_err(inapplicable)?;
                self.restoring = None;
                settle_proposal(proposal, &mut self.report(out));
                self.set(position, out);
                return Ok(());
            }
            Finding::TransferPosition(transfer) => {
                self.transfer(transfer.turned, out);
                return Ok(());
            }
            _ => {}
        }
        settle_proposal(proposal, &mut self.report(out));
        self.clock_proposal_confirmed(proposal, out);
        Ok(())
    }

    /// A breach of Article 4: the move is withdrawn, the position before it stands, and the obligation
    /// tells what may be played instead. Never counted. Where that was not proposed with the record, or its window had
    /// closed, it is proposed now: nobody has seen those times yet, and they wait.
    fn confirm_article_4(&mut self, record: &Record, out: &mut Vec<Event>) -> Outcome {
        decide(record.number, Status::Confirmed, &mut self.report(out));
        if record.name() == Name::PromotionChoiceChanged {
            // The first piece was final (4.4.4): the move is that one.
            let of = |known: &&Record| known.of == Some(record.number);
            let choice = self.records.iter().rev().filter(of).find_map(|known| match &known.finding {
                Finding::ConfirmMove(confirm) => Some((known.number, confirm.uci.clone()?)),
                _ => None,
            });
            if let Some((proposal, uci)) = choice {
                decide(proposal, Status::Confirmed, &mut self.report(out));
                self.replay_with(record.key.ply, &[uci], out);
                return Ok(());
            }
        }
        let is_withdrawal =
            |known: &Record| known.of == Some(record.number) && known.name() == Name::RestorePosition;
        if record.is_open() && self.records.iter().any(is_withdrawal) {
            return self.resolve(record.number, out);
        }
        propose_withdrawal(record.number, &mut self.report(out));
        let Some(position) = self.records.open().find(|known| is_withdrawal(known)).cloned() else {
            return Ok(());
        };
        self.confirm_proposal(&position, out)
    }

    /// What may be played instead is binding now.
    pub(super) fn bind_to_replacement(&mut self, number: RecordId, out: &mut Vec<Event>) {
        if let Some(proposal) = self.records.replacement_of(number) {
            decide(proposal, Status::Confirmed, &mut self.report(out));
        }
    }

    pub(super) fn reject(&mut self, number: RecordId, out: &mut Vec<Event>) {
        let Some(record) = self.records.record(number).cloned() else { return };
        match &record.finding {
            Finding::DrawClaim(..) => {
                decide(number, Status::Rejected, &mut self.report(out));
                // What follows a wrong claim is proposed already, unless the record bore it out.
                if let Some(outcome) = self.records.outcome_of(number) {
                    decide(outcome, Status::Rejected, &mut self.report(out));
                    self.claims(out, |claims, report| claims.refuse_claim(number, None, report));
                    self.not_drawn(out);
                }
            }
            Finding::Quickplay(..) => {
                self.close(number, Status::Rejected, out);
                self.quickplay_decided(number, false, out);
            }
            Finding::QpfClaimOpen(_) => {
                self.close(number, Status::Rejected, out);
                if let Some(claim) = self.records.open_number(Name::ClaimQpf) {
                    self.reject(claim, out);
                }
                self.watch(out, |watch, report| watch.flags().propose(report));
            }
            // The arbiter consents to what was agreed (9.1.1), unless the players have gone on; a move each is not his to
            // waive (5.2.3).
            Finding::DrawAgreementTooEarly(agreed) => {
                self.close(number, Status::Rejected, out);
                let has_each_moved =
                    agreed.white.min(agreed.black) >= self.scene.profile.draw_agreement_min_moves;
                let is_last = self.scene.playing().is_some_and(|game| game.tracker.plies() == agreed.ply);
                if is_last && has_each_moved {
                    self.agreement_stands(out);
                }
            }
            Finding::DeclareResult(declare) => {
                self.close(number, Status::Rejected, out);
                if let Some(outcome) = declare.outcome.and_then(|outcome| self.records.open_number(outcome)) {
                    self.close(outcome, Status::Rejected, out);
                }
            }
            Finding::SensorFault(_) => {
                self.is_well(&record.key.squares);
                self.close(number, Status::Rejected, out);
            }
            finding => {
                let name = finding.name();
                if offered::is_offer(&record) {
                    self.offer.was_declined();
                }
                self.close(number, Status::Rejected, out);
                self.close_all(|known| declares(known, name), Status::Rejected, out);
                self.records.change(number, |known| known.by_arbiter = true);
                if COMPLETED.contains(&name) {
                    self.release_held(out);
                }
                if ARTICLE_4.contains(&name) || COMPLETED.contains(&name) {
                    self.end_if_undisputed(out);
                }
                if DRAWN.contains(&name) {
                    self.not_drawn(out);
                }
                if is_reminder(&record) {
                    self.leave_undone(Task::Clock, record.key.side);
                    self.scene.timing.watch.times_are_waived(&record);
                }
                self.doubt_decided(out);
                if let (Finding::RecordGap(gap), Some(_)) = (finding, self.scene.playing()) {
                    // Nobody saw these plies: the last good position holds until the arbiter sets another.
                    self.restore(gap.since_ply, out);
                }
            }
        }
    }

    /// A draw was rejected: what came after it counts.
    fn not_drawn(&mut self, out: &mut Vec<Event>) {
        self.watch(out, |watch, report| watch.flags().propose(report));
        let plies = self.scene.playing().map_or(Ply::START, |game| game.tracker.plies());
        self.judge_end(plies, out);
    }

    /// Only a claim of the quickplay finish can be postponed (III.5.2); another record simply stays open.
    pub(super) fn rule_postpone(&mut self, record: &Reference, out: &mut Vec<Event>) -> Outcome {
        let number = self.meant(record, false)?;
        match self.records.record(number).map(Record::name) {
            Some(Name::ClaimQpf) if self.records.open_record(Name::QpfClaimOpen).is_none() => {
                self.check_playing()?;
                offers::quickplay_postponed(number, &mut self.report(out));
                Ok(())
            }
            Some(Name::ClaimQpf) => Err(inapplicable("the claim is postponed already")),
            _ => Ok(()),
        }
    }
}

/// The moves to which a player was bound, where the record says so.
fn obligation(finding: &Finding) -> Option<Vec<String>> {
    match finding {
        Finding::TouchMoveSuspected(touch) => Some(touch.obligation.clone()),
        Finding::CastlingRookFirst(castling) => Some(castling.obligation.clone()),
        Finding::MoveChangedAfterRelease(change) => Some(change.obligation.clone()),
        Finding::ClaimedMoveNotPlayed(claimed) => Some(vec![claimed.announced.clone()]),
        _ => None,
    }
}

/// Closes a record by the arbiter's word; its proposals stay.
pub(in crate::table) fn decide<V: Variant>(number: RecordId, status: Status, report: &mut Report<'_, V>) {
    let Some(record) = report.records.record(number) else { return };
    if record.status == status {
        return;
    }
    report.amend(number, |record| {
        record.status = status;
        record.by_arbiter = true;
    });
}

fn settle_proposal<V: Variant>(proposal: &Record, report: &mut Report<'_, V>) {
    decide(proposal.number, Status::Confirmed, report);
    whole::answer_alternatives(proposal, report);
    let is_deciding = DECIDING.contains(&proposal.name());
    let of = proposal.of.and_then(|of| report.records.record(of));
    if let Some(of) = of.filter(|of| is_deciding && of.is_open()).map(|of| of.number) {
        decide(of, Status::Confirmed, report);
    }
}

/// The move of a breach of Article 4 is withdrawn: the position before it, what may be played instead, and the times.
pub(in crate::table) fn propose_withdrawal<V: Variant>(number: RecordId, report: &mut Report<'_, V>) {
    let Some(record) = report.records.record(number) else { return };
    let (ply, obligation) = (record.key.ply, obligation(&record.finding));
    let Some(game) = report.scene.game.as_ref() else { return };
    if ply.is_start() || ply > game.tracker.plies() {
        return;
    }
    let fen = game.tracker.position(ply.before()).fen();
    report.propose(Draft::open(RestorePosition { fen, side: None, ply: ply.before() }), number);
    if let Some(moves) = obligation {
        report.propose(Draft::open(ReplacementMoves { moves }), number);
    }
    report.propose_clock_times(number);
}
