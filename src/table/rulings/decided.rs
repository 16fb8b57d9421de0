//! Confirming, rejecting and postponing records, and carrying out one proposal.

use serde_json::Value;

use crate::event::{Event, Status};
use crate::rules::laws::Name;
use crate::rules::{Position as _, Variant};
use crate::ruling::{Inapplicable, Outcome, Reference, inapplicable};
use crate::sensor::Side;
use crate::table::Table;
use crate::table::illegal::COMPLETED;
use crate::table::records::{Draft, Record};
use crate::table::results::is_outcome;
use crate::table::touching::ARTICLE_4;

use super::line::ASKING;

/// Proposals that decide their record when one of them is carried out by itself.
const DECIDING: [Name; 6] = [
    Name::RestorePosition,
    Name::ReplaceByQueen,
    Name::AnnulGame,
    Name::CastlingBan,
    Name::TransferPosition,
    Name::SetPosition,
];

impl<V: Variant> Table<V> {
    /// The record is not borne out.
    pub(super) fn rule_reject(&mut self, record: &Reference, out: &mut Vec<Event>) -> Outcome {
        let number = self.meant(record, false)?;
        self.reject(number, out);
        Ok(())
    }

    /// The record that a ruling means: a number, or the youngest open one of a name. To be confirmed there is
    /// also one of Article 4 whose window has closed, because the arbiter's duty does not end with it, and one
    /// that is decided and has proposals left.
    fn meant(&self, record: &Reference, is_confirmed: bool) -> Result<u32, Inapplicable> {
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
                    inapplicable(match crate::ruling::nearest(name, open) {
                        "" => format!("no {name} is open, nor anything else"),
                        nearest => format!("no {name} is open; the nearest that is, is {nearest}"),
                    })
                });
            }
            Reference::Number(number) => number,
        };
        let Some(record) = u32::try_from(*number).ok().and_then(|number| self.record(number)) else {
            return Err(inapplicable(format!("no record has the number {number}")));
        };
        if !is_due(&record) {
            return Err(inapplicable(format!("{} is {} already", record.name(), record.status.name())));
        }
        Ok(record.number)
    }

    /// Closes a record by the arbiter's word; its proposals stay.
    pub(in crate::table) fn decide(&mut self, number: u32, status: Status, out: &mut Vec<Event>) {
        let Some(record) = self.record(number) else { return };
        if record.status == status {
            return;
        }
        self.amend(
            number,
            |record| {
                record.status = status;
                record.by_arbiter = true;
            },
            out,
        );
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
        let Some(record) = self.record(number).cloned() else { return Ok(()) };
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
        let is_over = self.playing().is_none();
        if is_over && (is_outcome(&record) || ARTICLE_4.contains(&name) || COMPLETED.contains(&name)) {
            return Err(inapplicable("the game is over; \"change-result\" changes its result"));
        }
        if is_outcome(&record) {
            self.outcome_confirmed(number, out);
        } else if ARTICLE_4.contains(&name) || name == Name::ClaimedMoveNotPlayed {
            self.confirm_article_4(&record, out);
        } else if record.of.is_some() {
            self.confirm_proposal(&record, out)?;
        } else {
            self.confirm_named(&record, out)?;
        }
        Ok(())
    }

    /// A player's claim of an illegal move or of a touch: what is on record is confirmed with it.
    fn confirm_offence_claimed(&mut self, record: &Record, out: &mut Vec<Event>) -> Outcome {
        self.decide(record.number, Status::Confirmed, out);
        let names: &[Name] = if record.name() == Name::ClaimTouchMove { &ARTICLE_4 } else { &COMPLETED };
        let offender = record.key.side.map(Side::other);
        let claimed = self
            .records
            .iter()
            .rev()
            .find(|known| known.is_open() && names.contains(&known.name()) && known.key.side == offender);
        match claimed.cloned() {
            Some(claimed) if ARTICLE_4.contains(&claimed.name()) => {
                self.confirm_article_4(&claimed, out);
            }
            Some(claimed) => self.confirm_whole(claimed.number, out)?,
            None => {}
        }
        Ok(())
    }

    fn confirm_named(&mut self, record: &Record, out: &mut Vec<Event>) -> Outcome {
        let number = record.number;
        match record.name() {
            Name::DrawOffer => {
                self.check_playing()?;
                self.draw_agreed(out);
            }
            Name::ClaimThreefold
            | Name::ClaimThreefoldIntended
            | Name::ClaimFiftyMoves
            | Name::ClaimFiftyMovesIntended => {
                if self.outcome_of(number).is_none() {
                    self.propose_draw(number, out);
                }
                if let Some(outcome) = self.outcome_of(number) {
                    self.outcome_confirmed(outcome, out);
                }
            }
            Name::ClaimQpf => {
                self.decide(number, Status::Confirmed, out);
                self.quickplay_decided(number, true, out);
            }
            Name::QpfIncrementRequest => {
                self.confirm_whole(number, out)?;
                self.quickplay_decided(number, true, out);
            }
            // The claim that was postponed is decided now (III.5.2).
            Name::QpfClaimOpen => {
                self.decide(number, Status::Confirmed, out);
                if let Some(claim) = self.open_number(Name::ClaimQpf) {
                    self.decide(claim, Status::Confirmed, out);
                    self.quickplay_decided(claim, true, out);
                }
            }
            Name::ClaimFlagFall => {
                let outcome = self.outcome_of(number);
                let said = || {
                    [Name::TimeForfeit, Name::TimeDraw].into_iter().find_map(|name| self.open_number(name))
                };
                if let Some(outcome) = outcome.or_else(said) {
                    self.outcome_confirmed(outcome, out);
                }
                self.decide(number, Status::Confirmed, out);
            }
            Name::ClaimIllegalMove | Name::ClaimTouchMove => {
                self.confirm_offence_claimed(record, out)?;
            }
            Name::PossibleResignation => {
                self.decide(number, Status::Confirmed, out);
                if let Some(side) = record.key.side {
                    self.resign(side, out);
                }
            }
            Name::ResultSignalled => {
                self.decide(number, Status::Confirmed, out);
                let result = record.payload.get("result").and_then(Value::as_str);
                if let Some(result) = result.and_then(|text| text.parse().ok()) {
                    self.over(Name::ResultSignalled, result, out);
                }
            }
            Name::TwoHandsSuspected => {
                self.decide(number, Status::Confirmed, out);
                if let Some(side) = record.key.side {
                    self.count_two_hands(side, record.key.ply, out);
                }
            }
            _ => self.confirm_whole(number, out)?,
        }
        Ok(())
    }

    /// `choice`: one of the proposals of a record, by its name.
    fn choose(&mut self, record: &Record, choice: &str, out: &mut Vec<Event>) -> Outcome {
        if ASKING.contains(&record.name()) {
            self.check_playing()?;
            let at_ply = record.payload.get("at_ply").and_then(Value::as_u64);
            let ply = at_ply.and_then(|ply| u32::try_from(ply).ok()).unwrap_or(record.key.ply);
            if choice != "none" {
                self.correct(ply, choice, out)?;
            }
            self.close(record.number, Status::Confirmed, out);
            return Ok(());
        }
        let proposal = self.proposed_as(record, choice)?.clone();
        if is_outcome(&proposal) {
            self.check_playing()?;
            self.outcome_confirmed(proposal.number, out);
            return Ok(());
        }
        self.confirm_proposal(&proposal, out)?;
        self.decide(record.number, Status::Confirmed, out);
        Ok(())
    }

    /// A proposal is carried out; one that needs a hand on the clock or on the board is approved.
    pub(super) fn confirm_proposal(&mut self, proposal: &Record, out: &mut Vec<Event>) -> Outcome {
        let field = |key: &str| proposal.payload.get(key);
        let ply = field("ply").and_then(Value::as_u64).and_then(|ply| u32::try_from(ply).ok());
        match (proposal.name(), ply) {
            (Name::DeclareResult, _) => {
                self.check_playing()?;
                self.decide(proposal.number, Status::Confirmed, out);
                self.result_declared(proposal, out);
                return Ok(());
            }
            (Name::RestorePosition, Some(ply)) => {
                self.check_playing()?;
                self.settle_proposal(proposal, out);
                self.restore(ply, out);
                self.restoring_begins(ply);
                return Ok(());
            }
            (Name::AnnulGame, _) => {
                self.check_playing()?;
                let reason = field("reason").and_then(Value::as_str).unwrap_or("start-position").to_owned();
                self.settle_proposal(proposal, out);
                self.annul(&reason, out);
                return Ok(());
            }
            (Name::ReplaceByQueen, _) => {
                self.check_playing()?;
                self.queen_for(proposal.of, out);
            }
            (Name::CastlingBan, _) => {
                self.check_playing()?;
                let rook = field("rook").and_then(Value::as_str).and_then(|name| V::FAMILY.square(name));
                if let Some(side) = proposal.key.side {
                    self.ban_castling(side, rook, out);
                }
            }
            (Name::ConfirmMove, _) => {
                self.check_playing()?;
                let uci = field("uci").and_then(Value::as_str).map(str::to_owned);
                if let Some(uci) = uci.filter(|_| proposal.key.ply > 0) {
                    self.correct(proposal.key.ply, &uci, out)?;
                }
            }
            (Name::SetPosition, _) => {
                self.check_playing()?;
                let (Some(fen), Some(game)) = (field("fen").and_then(Value::as_str), &self.game) else {
                    return Ok(());
                };
                let position = V::read(fen, game.tracker.best()).map_err(inapplicable)?;
                self.settle_proposal(proposal, out);
                self.set(position, out);
                return Ok(());
            }
            (Name::TransferPosition, _) => {
                let turned =
                    field("turned").and_then(Value::as_u64).and_then(|turned| u32::try_from(turned).ok());
                self.transfer(turned.unwrap_or(0), out);
                return Ok(());
            }
            _ => {}
        }
        self.settle_proposal(proposal, out);
        self.clock_proposal_confirmed(proposal, out);
        Ok(())
    }

    fn settle_proposal(&mut self, proposal: &Record, out: &mut Vec<Event>) {
        self.decide(proposal.number, Status::Confirmed, out);
        self.answer_alternatives(proposal, out);
        let is_deciding = DECIDING.contains(&proposal.name());
        let of = proposal.of.and_then(|of| self.record(of));
        if let Some(of) = of.filter(|of| is_deciding && of.is_open()).map(|of| of.number) {
            self.decide(of, Status::Confirmed, out);
        }
    }

    /// A breach of Article 4: the move is withdrawn, the position before it stands, and the obligation
    /// tells what may be played instead. Never counted.
    fn confirm_article_4(&mut self, record: &Record, out: &mut Vec<Event>) {
        self.decide(record.number, Status::Confirmed, out);
        if record.name() == Name::PromotionChoiceChanged {
            // The first piece was final (4.4.4): the move is that one.
            let choice = self
                .records
                .iter()
                .rev()
                .find(|known| known.of == Some(record.number) && known.name() == Name::ConfirmMove)
                .and_then(|known| Some((known.number, known.payload.get("uci")?.as_str()?.to_owned())));
            if let Some((proposal, uci)) = choice {
                self.decide(proposal, Status::Confirmed, out);
                self.replay_with(record.key.ply, &uci, out);
                return;
            }
        }
        let ply = record.key.ply;
        let Some(game) = &self.game else { return };
        if ply == 0 || ply > game.tracker.plies() {
            return;
        }
        let fen = game.tracker.position(ply - 1).fen();
        let draft = Draft::open(Name::RestorePosition)
            .with("fen", fen)
            .with("ply", ply - 1)
            .status(Status::Confirmed);
        self.propose(draft, record.number, out);
        self.propose_obligation(record.number, out);
        self.bind_to_replacement(record.number, out);
        self.propose_clock_times(record.number, out);
        self.restore(ply - 1, out);
    }

    /// What may be played instead is binding now.
    pub(super) fn bind_to_replacement(&mut self, number: u32, out: &mut Vec<Event>) {
        if let Some(proposal) = self.replacement_of(number) {
            self.decide(proposal, Status::Confirmed, out);
        }
    }

    fn replacement_of(&self, number: u32) -> Option<u32> {
        let is_it = |known: &&Record| {
            known.of == Some(number) && known.is_open() && known.name() == Name::ReplacementMoves
        };
        self.records.iter().find(is_it).map(|known| known.number)
    }

    /// What may be played instead, as the record says it, if that is not open already.
    pub(in crate::table) fn propose_obligation(&mut self, number: u32, out: &mut Vec<Event>) {
        let is_open = self.replacement_of(number).is_some();
        let obligation = self.record(number).and_then(|record| record.payload.get("obligation")).cloned();
        if let Some(moves) = obligation.filter(|_| !is_open) {
            self.propose(Draft::open(Name::ReplacementMoves).with("moves", moves), number, out);
        }
    }

    pub(super) fn outcome_of(&self, number: u32) -> Option<u32> {
        let known = |record: &&Record| record.of == Some(number) && record.is_open() && is_outcome(record);
        self.records.iter().find(known).map(|record| record.number)
    }

    pub(super) fn reject(&mut self, number: u32, out: &mut Vec<Event>) {
        let Some(record) = self.record(number).cloned() else { return };
        match record.name() {
            Name::ClaimThreefold
            | Name::ClaimThreefoldIntended
            | Name::ClaimFiftyMoves
            | Name::ClaimFiftyMovesIntended => {
                self.decide(number, Status::Rejected, out);
                // What follows a wrong claim is proposed already, unless the record bore it out.
                if let Some(outcome) = self.outcome_of(number) {
                    self.decide(outcome, Status::Rejected, out);
                    self.refuse_claim(number, None, out);
                }
            }
            Name::ClaimQpf | Name::QpfIncrementRequest => {
                self.close(number, Status::Rejected, out);
                self.quickplay_decided(number, false, out);
            }
            Name::QpfClaimOpen => {
                self.close(number, Status::Rejected, out);
                if let Some(claim) = self.open_number(Name::ClaimQpf) {
                    self.reject(claim, out);
                }
                self.propose_by_flags(out);
            }
            Name::DeclareResult => {
                self.close(number, Status::Rejected, out);
                let outcome = record.payload.get("outcome").and_then(Value::as_str);
                if let Some(outcome) =
                    outcome.and_then(Name::read).and_then(|outcome| self.open_number(outcome))
                {
                    self.close(outcome, Status::Rejected, out);
                }
            }
            name => {
                self.close(number, Status::Rejected, out);
                let declares = |known: &Record| {
                    let outcome = known.payload.get("outcome").and_then(Value::as_str);
                    known.name() == Name::DeclareResult && outcome == Some(name.as_str())
                };
                self.close_all(declares, Status::Rejected, out);
                self.records.change(number, |known| known.by_arbiter = true);
                if COMPLETED.contains(&name) {
                    if let Some(side) = record.key.side {
                        self.discount_illegal(side, record.key.ply);
                    }
                    self.release_held(out);
                }
                if ARTICLE_4.contains(&name) {
                    self.end_if_undisputed(out);
                }
                if name == Name::ClockSettingWrong {
                    self.times_are_waived(&record);
                }
                self.doubt_decided(out);
                let since = record.payload.get("since_ply").and_then(Value::as_u64);
                if let (true, Some(since)) = (name == Name::RecordGap && self.playing().is_some(), since) {
                    // Nobody saw these plies: the last good position holds until the arbiter sets another.
                    self.restore(u32::try_from(since).unwrap_or(0), out);
                }
            }
        }
    }

    /// Only a claim of the quickplay finish can be postponed (III.5.2); another record simply stays open.
    pub(super) fn rule_postpone(&mut self, record: &Reference, out: &mut Vec<Event>) -> Outcome {
        let number = self.meant(record, false)?;
        match self.record(number).map(Record::name) {
            Some(Name::ClaimQpf) if self.open_record(Name::QpfClaimOpen).is_none() => {
                self.check_playing()?;
                self.quickplay_postponed(number, out);
                Ok(())
            }
            Some(Name::ClaimQpf) => Err(inapplicable("the claim is postponed already")),
            _ => Ok(()),
        }
    }
}
