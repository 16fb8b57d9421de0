//! Claims of the players, as the arbiter enters them: what the record says of them, and what follows
//! (Article 9, guideline III, A.4; laws-model 8).
//!
//! A claim is a record that stays open until the arbiter confirms or rejects it; its `verdict` is what
//! the record bears out. What the Laws attach to a verdict is proposed at once.

use super::illegal::COMPLETED;
use super::records::{Draft, Record};
use super::rulings::decided;
use super::scene::{Report, Scene};
use super::touching::ARTICLE_4;
use super::watch::flags::FlagClaim;
use super::{draws, illegal, ledger, named, offers, proofs, touching, written};
use crate::event::finding::{
    ClaimFault, ClaimFlagFall, ClaimHead, ClaimIllegalMove, ClaimInadmissible, ClaimRightLost,
    ClaimTouchMove, ClaimedMoveNotPlayed, DrawClaim, DrawClaimKind, Finding, Lapsed, OutcomeKind, SealFault,
    SquareName, TimePenalty, TimePenaltyKind, Verdict,
};
use crate::event::{RecordId, Status, finding};
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::draw::{self, ClaimVerdict, Evidence};
use adoube_rules::laws::{ClaimRight, Class, Name, Severity};
use adoube_rules::sensor::Side;
use adoube_rules::touch::{Touch, side_of};
use adoube_rules::{GameResult, Position as _, Variant};

/// What the players of one game have claimed and offered.
#[derive(Debug, Clone)]
pub(super) struct Claims<V: Variant> {
    /// Claims of each player, by [`Side::index`] (11.5).
    claims: [u32; 2],
    /// Draw offers of each player.
    offers: [u32; 2],
    /// The move that was written down for a claim that failed, and its ply: it must be played (9.5.3).
    announced: Option<(Ply, V::Move)>,
}

impl<V: Variant> Claims<V> {
    /// Another draw offer of `side`: how many it has made now.
    pub(super) fn offers(&mut self, side: Side) -> u32 {
        self.offers[side.index()] += 1;
        self.offers[side.index()]
    }

    /// Nobody has claimed or offered anything.
    pub(super) fn is_untouched(&self) -> bool {
        (self.claims, self.offers) == ([0; 2], [0; 2]) && self.announced.is_none()
    }
}

impl<V: Variant> Default for Claims<V> {
    fn default() -> Self {
        Self { claims: [0; 2], offers: [0; 2], announced: None }
    }
}

impl<V: Variant> Claims<V> {
    /// Another claim of `side` (11.5).
    pub(super) fn count(&mut self, scene: &Scene<V>, side: Side) -> ClaimHead {
        self.claims[side.index()] += 1;
        let ply = scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        ClaimHead { side, ply, admissible: true, count: self.claims[side.index()] }
    }

    /// A claim whose conditions fail: nothing follows from it. Its name.
    fn refuse<F: Into<Finding>>(
        &mut self,
        side: Side,
        reason: ClaimFault,
        claim: impl FnOnce(ClaimHead, ClaimFault) -> F,
        report: &mut Report<'_, V>,
    ) -> Name {
        let head = ClaimHead { admissible: false, ..self.count(report.scene, side) };
        let draft = of_position(report.scene, claim(head, reason)).status(Status::Rejected);
        let name = draft.key.name;
        report.open(draft);
        name
    }

    /// The same, and the players are told so.
    pub(super) fn inadmissible<F: Into<Finding>>(
        &mut self,
        side: Side,
        reason: ClaimFault,
        claim: impl FnOnce(ClaimHead, ClaimFault) -> F,
        report: &mut Report<'_, V>,
    ) {
        let claim = self.refuse(side, reason, claim, report);
        report.open(Draft::notice(ClaimInadmissible { reason, claim: claim.into(), side: Some(side) }));
    }

    /// A draw is claimed by repetition or by counting moves, with the move that is `written` down or without one.
    pub(super) fn claim_draw(
        &mut self,
        kind: DrawClaimKind,
        side: Side,
        written: Option<&String>,
        report: &mut Report<'_, V>,
    ) -> Outcome {
        if !draws::has_draw_claims(report.scene) {
            return Err(inapplicable(
                "this game is not drawn by repetition or by counting moves (R-21; draw_claims = true \
                 allows it)",
            ));
        }
        let Some(game) = report.scene.game.as_ref() else { return Ok(()) };
        let position = game.tracker.position(game.tracker.plies());
        let announced = written.map(|text| written::read::<V>(position, text));
        if let (Some(text), Some(Err(SealFault::Unclear))) = (written, announced) {
            return Err(inapplicable(format!("\"{text}\" is no move; write it like Nf3, exd5, O-O or g1f3")));
        }
        let refused = |head, reason| (kind, DrawClaim::refused(head, reason));
        if report.side_on_move() != side {
            self.inadmissible(side, ClaimFault::NotOnMove, refused, report);
            return Ok(());
        }
        if has_lost_claim(report.scene, side) {
            self.refuse(side, ClaimFault::ClaimRightLost, refused, report);
            claim_right_lost(side, None, report);
            return Ok(());
        }
        let Some(game) = report.scene.game.as_ref() else { return Ok(()) };
        let history = &game.history;
        let mv = announced.and_then(Result::ok);
        let verdict = match (kind, mv) {
            (DrawClaimKind::ClaimThreefold, _) => draw::claim_threefold(history),
            (DrawClaimKind::ClaimFiftyMoves, _) => draw::claim_fifty(history),
            (DrawClaimKind::ClaimThreefoldIntended, Some(mv)) => draw::claim_threefold_intended(history, mv),
            (_, Some(mv)) => draw::claim_fifty_intended(history, mv),
            (_, None) => ClaimVerdict {
                is_correct: false,
                evidence: Evidence::IllegalMove,
                broken_at: history.broken_at(history.ply()),
            },
        };
        let is_intended =
            matches!(kind, DrawClaimKind::ClaimThreefoldIntended | DrawClaimKind::ClaimFiftyMovesIntended);
        let head = self.count(report.scene, side);
        let found = proofs::drawn(report.scene, head, &verdict, mv.filter(|_| is_intended));
        let draft = of_position(report.scene, (kind, DrawClaim { intended: written.cloned(), ..found }));
        let record = report.open(draft);
        offers::offered_by_claim(side, kind.into(), report);
        if verdict.is_correct {
            propose_draw(record, report);
        } else {
            self.refuse_claim(record, mv, report);
        }
        Ok(())
    }

    /// The claim is wrong: time for the opponent, in 2005 less for the claimant, and the move that was
    /// written down must be played (9.5.3; 2005: 9.5b).
    pub(super) fn refuse_claim(
        &mut self,
        record: RecordId,
        announced: Option<V::Move>,
        report: &mut Report<'_, V>,
    ) {
        let Some((ply, Some(side))) =
            report.records.record(record).map(|known| (known.key.ply, known.key.side))
        else {
            return;
        };
        let bonus_ms = u64::from(report.profile.wrong_claim_bonus_s) * 1_000;
        propose_time(TimePenaltyKind::AddTimeOpponent, side.other(), bonus_ms, record, report);
        let left_ms = report.times().map(|times| times[side.index()]);
        let cut_ms = left_ms.filter(|_| report.profile.wrong_claim_cuts_claimant).map(claimants_cut_ms);
        if let Some(cut_ms) = cut_ms.filter(|cut_ms| *cut_ms > 0) {
            propose_time(TimePenaltyKind::ReduceTimeOffender, side, cut_ms, record, report);
        }
        let Some(mv) = announced else { return };
        let Some(game) = report.scene.game.as_ref() else { return };
        self.announced = Some((ply.next(), mv));
        let position = game.tracker.position(ply).clone();
        touching::propose_replacement(record, &position, &[mv], report);
    }

    /// Ply `ply` stands: is it the move that was written down for a claim that failed?
    pub(super) fn judge_announced(&mut self, ply: Ply, report: &mut Report<'_, V>) {
        let Some((at, announced)) = self.announced.filter(|(at, _)| *at <= ply) else { return };
        self.announced = None;
        let Some(game) = report.scene.game.as_ref() else { return };
        let Some(played) = game.tracker.mv(ply).filter(|&played| at == ply && played != announced) else {
            return;
        };
        let position = game.tracker.position(ply.before());
        let not_played = ClaimedMoveNotPlayed {
            ply,
            announced: position.played(announced).bare_san(),
            played: position.played(played).bare_san(),
            by: report.mover(ply),
        };
        let record = report.open(Draft::open(not_played));
        decided::propose_withdrawal(record, report);
    }

    /// The opponent's flag (6.8, A.4.3; 2005: 6.9, B8, B9).
    pub(super) fn claim_flag(&mut self, side: Side, report: &mut Report<'_, V>) {
        let refused = ClaimFlagFall::refused;
        if report.clock.last().is_none() {
            return self.inadmissible(side, ClaimFault::NotAvailable, refused, report);
        }
        match report.scene.timing.watch.flags().judge_claim(side, report) {
            FlagClaim::OwnFlagDown => self.inadmissible(side, ClaimFault::ClaimantFlagDown, refused, report),
            FlagClaim::Correct => self.verdict_on_flags(side, Verdict::Correct, report),
            FlagClaim::Incorrect => self.verdict_on_flags(side, Verdict::Incorrect, report),
        }
    }

    fn verdict_on_flags(&mut self, side: Side, verdict: Verdict, report: &mut Report<'_, V>) {
        let head = self.count(report.scene, side);
        let draft = of_position(report.scene, proofs::flags_proved(report.scene, head, verdict));
        report.open(draft);
    }

    /// A completed illegal move of the opponent, before the window closes (A.4.2; 2005: B6, C3).
    pub(super) fn claim_illegal(&mut self, side: Side, report: &mut Report<'_, V>) {
        // A press without a move is not everywhere an illegal move (7.5.3).
        let is_illegal = |name: Name| {
            COMPLETED.contains(&name)
                && (name != Name::ClockPressedWithoutMove || report.profile.press_without_move_is_illegal)
        };
        let is_his = |record: &&Record| is_illegal(record.name()) && record.key.side == Some(side.other());
        let open = report
            .records
            .iter()
            .rev()
            .filter(is_his)
            .find(|record| record.is_open() || is_of_last_move(report.scene, record))
            .map(|known| known.number);
        let Some(record) = open else {
            let lapsed =
                report.records.iter().rev().find(is_his).is_some_and(|known| known.status == Status::Expired);
            if lapsed {
                self.inadmissible(side, ClaimFault::WindowClosed, ClaimIllegalMove::refused, report);
            } else {
                let head = self.count(report.scene, side);
                let draft = of_position(report.scene, ClaimIllegalMove::of(head, Verdict::Incorrect));
                report.open(draft);
            }
            return;
        };
        let Some(known) = report.records.record(record).cloned() else { return };
        let head = self.count(report.scene, side);
        // The move that is complained of, and the positions before and after it.
        let mut draft = of_position(report.scene, complaint(head, &known.finding));
        if let Some([before, after]) = known.fens.clone() {
            draft = draft.fens(before, after);
        }
        report.open(draft);
        let is_proposed = report.records.iter().any(|record| record.of == Some(known.number));
        if !is_proposed && known.is_open() {
            // Evidence only, until the opponent asks: now he has.
            report.amend(record, |record| record.severity = Some(Severity::Critical));
            illegal::propose_on_claim(record, report);
        }
    }

    /// A breach of Article 4 by the opponent, before the claimant's own touch (4.8).
    pub(super) fn claim_touch(&mut self, side: Side, report: &mut Report<'_, V>) {
        let is_his =
            |record: &&Record| ARTICLE_4.contains(&record.name()) && record.key.side == Some(side.other());
        let last =
            report.records.iter().rev().find(is_his).map(|known| (known.number, known.status, known.name()));
        if last.is_some_and(|(_, status, _)| status == Status::Expired) {
            return self.inadmissible(side, ClaimFault::WindowClosed, ClaimTouchMove::refused, report);
        }
        let open = last.filter(|(_, status, _)| *status == Status::Open);
        let ply = report.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        let mut claim = ClaimTouchMove {
            open: Some(open.map(|(_, _, name)| name)),
            squares: Some(touched_by_opponent(report.scene)),
            touches: Some(proofs::touches_proved(report.scene, ply)),
            ..ClaimTouchMove::of(self.count(report.scene, side))
        };
        // What no sensor saw may have been so all the same: nothing is said against the claim.
        if let Some(known) = open.and_then(|(number, ..)| report.records.record(number)) {
            claim = ClaimTouchMove { verdict: Some(Verdict::Correct), ..bound(claim, &known.finding) };
        }
        let draft = of_position(report.scene, claim);
        report.open(draft);
        let Some((record, ..)) = open else { return };
        // 2005, rapid and blitz: the arbiter rules on Article 4 when he is asked (B5).
        if !report.profile.article4_arbiter_duty && report.profile.class != Class::Standard {
            report.amend(record, |record| record.severity = Some(Severity::Alert));
            // A piece that was chosen first stands: nothing is withdrawn (4.4.4).
            if !matches!(open, Some((.., Name::PromotionChoiceChanged))) {
                decided::propose_withdrawal(record, report);
            }
        }
    }
}

/// The complaint of an illegal move that is on record.
fn complaint(head: ClaimHead, of: &Finding) -> ClaimIllegalMove {
    let claim = ClaimIllegalMove { open: Some(of.name()), ..ClaimIllegalMove::of(head, Verdict::Correct) };
    match of {
        Finding::IllegalMoveCompleted(illegal) => ClaimIllegalMove {
            kinds: Some(illegal.kinds.clone()),
            played: Some(illegal.played.clone()),
            squares: illegal.squares.clone(),
            counts: Some(illegal.count),
            ..claim
        },
        Finding::PromotionNotReplaced(pawn) => ClaimIllegalMove {
            kinds: pawn.kinds.clone(),
            square: Some(pawn.square.clone()),
            counts: Some(pawn.count),
            ..claim
        },
        Finding::ClockPressedWithoutMove(press) => {
            ClaimIllegalMove { kinds: press.kinds.clone(), counts: press.count, ..claim }
        }
        _ => claim,
    }
}

/// The claim, with what the record says of the breach of Article 4.
fn bound(claim: ClaimTouchMove, of: &Finding) -> ClaimTouchMove {
    let square = |SquareName(name): &SquareName| Some(name.clone());
    match of {
        Finding::TouchMoveSuspected(touch) => ClaimTouchMove {
            rule: Some(touch.rule),
            first: square(&touch.first),
            obligation: Some(touch.obligation.clone()),
            played: Some(touch.played.clone()),
            ..claim
        },
        Finding::CastlingRookFirst(castling) => ClaimTouchMove {
            first: square(&castling.first),
            obligation: Some(castling.obligation.clone()),
            played: Some(castling.played.clone()),
            ..claim
        },
        Finding::MoveChangedAfterRelease(change) => ClaimTouchMove {
            rule: Some(change.rule),
            first: square(&change.first),
            obligation: Some(change.obligation.clone()),
            played: Some(change.played.clone()),
            ..claim
        },
        Finding::PromotionChoiceChanged(change) => {
            ClaimTouchMove { rule: Some(change.rule), first: change.first.clone(), ..claim }
        }
        _ => claim,
    }
}

/// What a player loses for a wrong claim in 2005 (9.5b): above two minutes half, but three minutes at
/// most; above one minute all but that; else nothing.
fn claimants_cut_ms(left_ms: u64) -> u64 {
    match left_ms {
        ms if ms > 120_000 => (ms / 2).min(180_000),
        ms if ms > 60_000 => ms - 60_000,
        _ => 0,
    }
}

/// The claim is correct: the game is drawn (9.5.2), once the arbiter says so.
pub(super) fn propose_draw<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    let Some(known) = report.records.record(record) else { return };
    let is_repetition = matches!(known.name(), Name::ClaimThreefold | Name::ClaimThreefoldIntended);
    let kind = if is_repetition { OutcomeKind::ThreefoldDraw } else { OutcomeKind::FiftyMovesDraw };
    let outcome = finding::Outcome { ply: Some(known.key.ply), ..finding::Outcome::of(GameResult::Draw) };
    report.open(Draft::open((kind, outcome)).of(record));
}

/// Proposes time for `side`, or less of it.
pub(super) fn propose_time<V: Variant>(
    kind: TimePenaltyKind,
    side: Side,
    ms: u64,
    record: RecordId,
    report: &mut Report<'_, V>,
) {
    let penalty = TimePenalty { side, amount_ms: Some(ms) };
    report.propose(Draft::open((kind, penalty)), record);
}

/// The right to claim on this move is gone: by a touch, in 2005 by the move (9.4).
fn has_lost_claim<V: Variant>(scene: &Scene<V>, side: Side) -> bool {
    let Some(game) = scene.game.as_ref() else { return false };
    let best = game.tracker.best();
    match scene.profile.claim_right_lost_by {
        ClaimRight::MoveMade => best.turn() != side,
        ClaimRight::Touch => {
            // What stands of its own: who lifts one of the other side's may be its owner.
            let is_own = |touch: &Touch| side_of(best.content(touch.square)) == Some(side);
            !scene.profile.assistant_moves[side.index()]
                && ledger::touches_in(scene, best, scene.turn_began_ns(), scene.now.mono_ns)
                    .iter()
                    .any(is_own)
        }
    }
}

fn claim_right_lost<V: Variant>(
    side: Side,
    severity: Option<Severity>,
    report: &mut Report<'_, V>,
) -> RecordId {
    let ply = report.ply_to_come();
    let mut draft = Draft::notice(ClaimRightLost { side, ply, lapsed: Lapsed::ThisTurn });
    if let Some(severity) = severity {
        draft = draft.severity(severity);
    }
    report.open(draft)
}

/// `side` touched a piece with intent, or moved: a claim that it could have made is over. What says so.
pub(super) fn claim_lapses<V: Variant>(side: Side, report: &mut Report<'_, V>) -> Option<RecordId> {
    let ply = report.scene.game.as_ref().map(|game| game.tracker.plies())?;
    let is_of_turn = |record: &Record| record.key.side == Some(side) && record.status == Status::Confirmed;
    let could_claim = report.records.iter().any(|record| {
        matches!(record.finding, Finding::Claimable(..)) && record.key.ply == ply && is_of_turn(record)
    });
    let is_said = report.records.iter().any(|record| {
        record.name() == Name::ClaimRightLost && record.key.ply == ply.next() && is_of_turn(record)
    });
    // Nobody has claimed: for the log.
    (could_claim && !is_said && report.profile.claim_right_lost_by == ClaimRight::Touch)
        .then(|| claim_right_lost(side, Some(Severity::Info), report))
}

/// It was taken back, and another move made in its place: there is nothing to correct, but it was so.
fn is_of_last_move<V: Variant>(scene: &Scene<V>, record: &Record) -> bool {
    let plies = scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
    record.status == Status::Corrected && record.key.ply == plies
}

/// The squares touched in the turn before this one, in order.
fn touched_by_opponent<V: Variant>(scene: &Scene<V>) -> Vec<SquareName> {
    let ply = scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
    if ply.is_start() {
        return Vec::new();
    }
    ledger::touches_of(scene, ply).iter().map(|touch| named::<V>(touch.square)).collect()
}

/// A claim's record.
pub(super) fn of_position<V: Variant>(scene: &Scene<V>, claim: impl Into<Finding>) -> Draft {
    let draft = Draft::open(claim);
    let Some(game) = scene.game.as_ref() else { return draft };
    let position = game.tracker.position(game.tracker.plies()).shown();
    draft.fens(position.clone(), position)
}

#[cfg(test)]
mod tests {
    use super::super::scene::testing::Bench;
    use super::*;

    #[test]
    fn a_wrong_claim_in_2005_costs_time() {
        for (left_s, cut_s) in [(600, 180), (240, 120), (120, 60), (90, 30), (60, 0), (40, 0)] {
            assert_eq!(claimants_cut_ms(left_s * 1_000), cut_s * 1_000, "{left_s} s");
        }
    }

    #[test]
    fn claims_are_counted_whatever_becomes_of_them() {
        let (mut claims, mut bench) = (Claims::default(), Bench::new());
        let mut claim = |side| {
            claims.claim_draw(DrawClaimKind::ClaimThreefold, side, None, &mut bench.report(60)).unwrap();
            (bench.said(), claims.claims)
        };
        let (wrong, count) = claim(Side::White);
        // A claim is an offer of a draw, too (9.1.2.3).
        assert_eq!(wrong[..2], [Name::ClaimThreefold, Name::DrawOffer]);
        assert_eq!(wrong.last(), Some(&Name::AddTimeOpponent));
        assert_eq!(count, [1, 0]);
        let (refused, count) = claim(Side::Black);
        assert_eq!(
            (refused, count),
            (vec![Name::ClaimThreefold, Name::ClaimInadmissible], [1, 1]),
            "not on move"
        );
    }

    #[test]
    fn a_move_that_is_none_is_no_claim() {
        let (mut claims, mut bench) = (Claims::default(), Bench::new());
        let written = Some("perhaps".to_owned());
        let kind = DrawClaimKind::ClaimThreefoldIntended;
        let refused = claims.claim_draw(kind, Side::White, written.as_ref(), &mut bench.report(60));
        assert!(format!("{refused:?}").contains("perhaps"), "{refused:?}");
        assert!(bench.said().is_empty() && claims.is_untouched());
    }

    #[test]
    fn what_the_record_does_not_bear_out_is_said_and_no_more() {
        let (mut claims, mut bench) = (Claims::default(), Bench::new());
        claims.claim_flag(Side::Black, &mut bench.report(60));
        assert_eq!(bench.said(), [Name::ClaimFlagFall], "there is one, and none is down");
        claims.claim_illegal(Side::Black, &mut bench.report(60));
        assert_eq!((bench.said(), claims.claims), (vec![Name::ClaimIllegalMove], [0, 2]));
    }
}
