//! Draw offers, agreements, resignations, and the claims of a quickplay finish (5.1.2, 5.2.3, 9.1,
//! guideline III; 2005: Article 10).

use super::Table;
use super::claims::{self, Claims};
use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{ledger, touching};
use crate::event::finding::{
    ClaimFault, Consent, DrawAgreementTooEarly, DrawOffer, DrawOfferLapsed, Finding, IncrementMode, Mate,
    OfferOrder, Outcome, OutcomeKind, PossibleResignation, QpfClaimOpen, Quickplay, QuickplayKind,
    ResignationSign, TimePenaltyKind,
};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Army, Side};
use adoube_rules::stamp::MS;
use adoube_rules::{GameResult, Position as _, Variant};

/// Claims that are open when the game ends have come to nothing.
const CLAIMS: [Name; 9] = [
    Name::ClaimThreefold,
    Name::ClaimThreefoldIntended,
    Name::ClaimFiftyMoves,
    Name::ClaimFiftyMovesIntended,
    Name::ClaimFlagFall,
    Name::ClaimIllegalMove,
    Name::ClaimTouchMove,
    Name::ClaimQpf,
    Name::QpfIncrementRequest,
];

/// `mover` has moved: its opponent's draw offer is refused (9.1.2.1; 2005: 9.1a).
pub(super) fn refused_by_move<V: Variant>(mover: Side, report: &mut Report<'_, V>) {
    lapse(|offerer| offerer == mover.other(), report);
}

impl<V: Variant> Table<V> {
    /// `side` touched a piece with intent: what its opponent did before can no longer be claimed by it (4.8), its
    /// opponent's draw offer is refused (9.1.2.1), and its own right to claim this turn is lost (9.4).
    pub(super) fn touched_with_intent(&mut self, side: Side, out: &mut Vec<Event>) {
        let report = &mut self.report(out);
        let mut lapsed = touching::claim_window_closes(side, report);
        lapsed.extend(lapse(|offerer| offerer == side.other(), report));
        lapsed.extend(claims::claim_lapses(side, report));
        if let Some(game) = &mut self.scene.game {
            game.ledger.lapses(side, lapsed);
        }
        self.end_if_undisputed(out);
    }

    /// Touches were struck: if `side`, which has the move, has touched nothing else in this turn, what lapsed by them
    /// stands again.
    pub(super) fn nothing_lapses(&mut self, side: Side, out: &mut Vec<Event>) {
        let now_ns = self.scene.now.mono_ns;
        let Some(game) = self.scene.playing().filter(|game| game.tracker.best().turn() == side) else {
            return;
        };
        let touches =
            ledger::touches_in(&self.scene, game.tracker.best(), self.scene.turn_began_ns(), now_ns);
        if !touches.is_empty() {
            return;
        }
        let lapsed = self.scene.game.as_mut().map(|game| game.ledger.take_lapsed(side));
        // What an arbiter has decided since stays as he decided it.
        let is_undecided =
            |number: &RecordId| self.records.record(*number).is_some_and(|known| !known.by_arbiter);
        let lapsed: Vec<RecordId> = lapsed.unwrap_or_default().into_iter().filter(is_undecided).collect();
        for number in lapsed {
            self.report(out).amend(number, |record| {
                record.status = match record.status {
                    Status::Expired => Status::Open,
                    _ => Status::Withdrawn,
                }
            });
        }
    }

    /// Both agree: a draw, if both have made the moves that the Laws and the event ask for (5.2.3, 9.1.1), and the event
    /// wants no arbiter's consent. Who gives it rejects the record, or enters the result.
    pub(super) fn draw_agreed(&mut self, out: &mut Vec<Event>) {
        let [white, black] = self.scene.counts().made;
        let minimum = self.scene.profile.draw_agreement_min_moves.max(self.scene.profile.draw_min_moves);
        if white.min(black) < minimum || self.scene.profile.draw_needs_arbiter {
            let ply = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
            let needs = self.scene.profile.draw_needs_arbiter.then_some(Consent::Arbiter);
            let too_early = DrawAgreementTooEarly { ply, white, black, minimum, needs };
            self.open(Draft::open(too_early), out);
            return;
        }
        self.agreement_stands(out);
    }

    /// The game is drawn by agreement: nothing forbade it, or the arbiter consents (9.1.1).
    pub(super) fn agreement_stands(&mut self, out: &mut Vec<Event>) {
        self.close_all(|record| record.name() == Name::DrawOffer, Status::Confirmed, out);
        self.declare(OutcomeKind::DrawAgreement, Outcome::of(GameResult::Draw), out);
    }

    /// A resignation; from 2023 on a draw if the opponent cannot mate (5.1.2).
    pub(super) fn resign(&mut self, side: Side, out: &mut Vec<Event>) {
        self.open_game(out);
        let asked = self.scene.profile.resignation_draw_if_no_mate.then(|| self.scene.ask_mate(side.other()));
        let mate = asked.unwrap_or_default();
        let (kind, result) = if mate.is_no() {
            (OutcomeKind::ResignationDraw, GameResult::Draw)
        } else {
            (OutcomeKind::Resignation, GameResult::win(side.other()))
        };
        self.declare(kind, Outcome { by: Some(side), mate, ..Outcome::of(result) }, out);
    }

    /// A king was lifted, or laid down, while both clocks stand, or is back: a king that is only on its way,
    /// to the centre squares or home, is not off for as long as a piece that was let go of rests.
    pub(super) fn watch_kings(&mut self, out: &mut Vec<Event>) {
        match king_off(&self.scene) {
            Some(_) if self.records.open_record(Name::PossibleResignation).is_none() => {
                self.pending.settle_ns =
                    Some(self.scene.now.mono_ns + u64::from(self.scene.profile.release_dwell_ms) * MS);
            }
            Some(_) => {}
            None => {
                self.close_all(|record| record.name() == Name::PossibleResignation, Status::Corrected, out);
            }
        }
    }

    /// The arbiter's word on a claim of the quickplay finish: agreed, or rejected with time for the
    /// opponent (III.5.1, III.5.3).
    pub(super) fn quickplay_decided(&mut self, record: RecordId, is_agreed: bool, out: &mut Vec<Event>) {
        let Some(known) = self.records.record(record) else { return };
        let is_claim = known.name() == Name::ClaimQpf;
        if is_claim && is_agreed {
            return self.declare(OutcomeKind::QpfDraw, Outcome::of(GameResult::Draw), out);
        }
        // A refused request costs nothing; a granted one, or a rejected claim, two minutes (III.4, III.5.3).
        if is_claim != is_agreed {
            propose_quickplay_bonus(record, &mut self.report(out));
        }
        if let Some(postponed) = self.records.open_number(Name::QpfClaimOpen) {
            self.close(postponed, Status::Rejected, out);
            // A flag that fell meanwhile counts again.
            self.watch(out, |watch, report| watch.flags().propose(report));
        }
    }
}

impl<V: Variant> Claims<V> {
    /// A draw offer: valid at any time, regular after the own move and before its press (9.1.2.1). A
    /// condition does not count, and it cannot be withdrawn.
    pub(super) fn draw_offered(&mut self, side: Side, report: &mut Report<'_, V>) {
        let Some(game) = report.scene.game.as_ref() else { return };
        let count = self.offers(side);
        let ply = game.tracker.plies();
        let is_unpressed = game.plies.newest().is_some_and(|known| known.completed_ns.is_none());
        let is_regular = !ply.is_start() && is_unpressed && report.mover(ply) == Some(side);
        let same = report
            .records
            .iter()
            .find(|known| known.is_open() && known.name() == Name::DrawOffer && known.key.side == Some(side))
            .map(|known| known.number);
        if let Some(same) = same {
            let again = |record: &mut Record| {
                if let Finding::DrawOffer(offer) = &mut record.finding {
                    offer.count = Some(count);
                }
            };
            report.amend(same, again);
            return;
        }
        let order = if is_regular { OfferOrder::Regular } else { OfferOrder::Irregular };
        let offer = DrawOffer { side, ply, order: Some(order), claim: None, count: Some(count) };
        report.open(Draft::open(offer));
    }

    /// `claim-qpf` and `qpf-increment-request`: only whether they are admissible; what the opponent's
    /// play is worth is the arbiter's to judge (III.4, III.5; 2005: 10.2).
    pub(super) fn quickplay(&mut self, kind: QuickplayKind, side: Side, report: &mut Report<'_, V>) {
        if let Err(reason) = quickplay_admits(report.scene, kind, side) {
            let refused = |head, reason| (kind, Quickplay::refused(head, reason));
            return self.inadmissible(side, reason, refused, report);
        }
        let left_ms = report.times().map(|times| times[side.index()]);
        let limit_ms = u64::from(report.profile.qpf_threshold_s) * 1_000;
        // Moves that mate with the claimant's help say nothing of "normal means"; that there are none does.
        let is_claim = kind == QuickplayKind::ClaimQpf;
        let never_mated = is_claim.then(|| report.ask_mate(side.other())).filter(Mate::is_no);
        let claim = Quickplay {
            left_ms: Some(left_ms),
            limit_ms: Some(limit_ms),
            period: Some(report.period_of(side) + 1),
            mate: never_mated.unwrap_or_default(),
            ..Quickplay::of(self.count(report.scene, side))
        };
        let draft = claims::of_position(report.scene, (kind, claim));
        let record = report.open(draft);
        if kind == QuickplayKind::QpfIncrementRequest {
            offered_by_claim(side, kind.into(), report);
            let amount_ms = u64::from(report.profile.qpf_increment_s.unwrap_or_default()) * 1_000;
            report.propose(Draft::open(IncrementMode { amount_ms, both: true }), record);
        } else if report.profile.edition == adoube_rules::laws::Edition::Fide2005 {
            offered_by_claim(side, kind.into(), report);
        }
    }
}

/// A claim counts as a draw offer (9.1.2.3).
pub(super) fn offered_by_claim<V: Variant>(side: Side, claim: Name, report: &mut Report<'_, V>) {
    let ply = report.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
    let offer = DrawOffer { side, ply, order: None, claim: Some(claim), count: None };
    report.open(Draft::open(offer));
}

/// The offers that lapsed, and what says so.
fn lapse<V: Variant>(of: impl Fn(Side) -> bool, report: &mut Report<'_, V>) -> Vec<RecordId> {
    let offers: Vec<(RecordId, Side)> = report
        .records
        .open()
        .filter(|record| record.name() == Name::DrawOffer)
        .filter_map(|record| Some((record.number, record.key.side.filter(|&side| of(side))?)))
        .collect();
    let close = |(number, side)| {
        let lapsed = report.open(Draft::notice(DrawOfferLapsed { side }));
        report.close(number, Status::Expired);
        [lapsed, number]
    };
    offers.into_iter().flat_map(close).collect()
}

/// The game is over: nothing that a player asked for is open any longer.
pub(super) fn requests_lapse<V: Variant>(report: &mut Report<'_, V>) {
    lapse(|_| true, report);
    report.close_all(|record| CLAIMS.contains(&record.name()), Status::Expired);
    if let Some(postponed) = report.records.open_number(Name::QpfClaimOpen) {
        report.close(postponed, Status::Expired);
    }
}

/// The army whose king is off the board, or lies on it so that no sensor sees it.
fn king_off<V: Variant>(scene: &Scene<V>) -> Option<Army> {
    let is_off = |army: &Army| {
        let king = adoube_rules::sensor::Content::man(*army, adoube_rules::sensor::Role::King);
        !scene.shown().contains(&king)
    };
    let mut armies = Army::ALL.into_iter().take(V::ARMIES);
    armies.find(is_off).filter(|_| scene.view == crate::infer::View::Identity)
}

/// A king off its board and both clocks stopped by a player: the arbiter may ask whether somebody
/// resigned (5.1.2). Called when the clocks have been stopped, and when a king has rested off the board.
pub(super) fn judge_resignation_signs<V: Variant>(report: &mut Report<'_, V>) {
    if report.playing().is_none_or(|game| !game.is_started && game.plies.is_empty()) {
        return;
    }
    let is_players = report.timing.pause.as_ref().is_some_and(|pause| pause.is_players);
    if !is_players || report.mode().is_off_the_record() {
        return;
    }
    let Some(army) = king_off(report.scene) else { return };
    let signs = vec![ResignationSign::KingOff, ResignationSign::ClockPaused];
    let resignation = PossibleResignation { side: army.side(), ply: report.ply_to_come(), signs };
    report.open(Draft::open(resignation).player(army));
}

fn quickplay_admits<V: Variant>(scene: &Scene<V>, kind: QuickplayKind, side: Side) -> Result<(), ClaimFault> {
    let profile = &scene.profile;
    let periods = scene.timing.control.as_ref().map_or(0, |control| control.periods().len());
    let is_excluded = !scene.is_qpf_in_force()
        || (kind == QuickplayKind::QpfIncrementRequest && profile.qpf_increment_s.is_none())
        || scene.period_of(side) + 1 < periods;
    if is_excluded {
        return Err(ClaimFault::NotAvailable);
    }
    let Some(reading) = scene.clock.last() else { return Err(ClaimFault::NotAvailable) };
    let left_ms = reading.left_ms[side.index()];
    if reading.flags[side.index()] || left_ms == 0 {
        return Err(ClaimFault::FlagDown);
    }
    if scene.side_on_move() != side {
        return Err(ClaimFault::NotOnMove);
    }
    if left_ms >= u64::from(profile.qpf_threshold_s) * 1_000 {
        return Err(ClaimFault::TimeNotUnderLimit);
    }
    Ok(())
}

/// The claim is postponed: it outlives a flag (III.5.2).
pub(super) fn quickplay_postponed<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    let Some(side) = report.records.record(record).and_then(|known| known.key.side) else { return };
    report.open(Draft::open(QpfClaimOpen { side, claim: record }));
    propose_quickplay_bonus(record, report);
}

fn propose_quickplay_bonus<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    let Some(side) = report.records.record(record).and_then(|known| known.key.side) else { return };
    let bonus_ms = u64::from(report.profile.qpf_bonus_s) * 1_000;
    claims::propose_time(TimePenaltyKind::AddTimeOpponent, side.other(), bonus_ms, record, report);
}
