//! What the arbiter decided: a ruling is checked, said, and carried out (DESIGN 5.6).
//!
//! Each group has a file: `decided` for records, `whole` for all that is proposed for one, `position`, `line` and `gap` for what
//! stands and was played, `touched`, `reported`, `administered`, `penalties`; claims, offers, results and adjournments stand beside this
//! folder. `rederive` undoes them.

mod administered;
pub(super) mod decided;
mod gap;
pub(super) mod line;
mod penalties;
pub(super) mod position;
mod reported;
mod touched;
mod whole;

use super::watch::signed;
use super::{Table, clock_rulings, orientation};
use crate::event::finding::{DrawClaimKind, QuickplayKind};
use crate::event::{Body, Event};
use crate::ruling::{Group, Outcome, Ruled, Ruling, RulingError, inapplicable};
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;

impl<V: Variant> Table<V> {
    pub(super) fn rule(&mut self, ruled: &Ruled, out: &mut Vec<Event>) -> Result<(), RulingError> {
        let ruling = &ruled.ruling;
        // A move that has just been pressed: what the press means is settled before it is ruled on.
        if let Ruling::TwoHands { .. }
        | Ruling::ClaimIllegalMove { .. }
        | Ruling::ReportIllegal { .. }
        | Ruling::Confirm { .. }
        | Ruling::Reject { .. } = ruling
        {
            self.judge_press_at_rest(out);
        }
        // The game as it stands on the board: a move that was made just before counts.
        if let Ruling::Result { .. }
        | Ruling::Resign { .. }
        | Ruling::DrawAgreed {}
        | Ruling::DrawOffer { .. } = ruling
        {
            self.take_what_stands(out);
        }
        // The press that is complained of need not wait for late frames any longer.
        if matches!(ruling, Ruling::ClaimIllegalMove { .. }) && self.pending.verdict_ns.is_some() {
            self.judge_press(out);
        }
        // Said first, of the game in which it was made.
        self.emit(Body::Ruled(Box::new(ruled.clone())), out);
        // Clocks are set by hand: such a ruling says what the hand will do, and changes nothing on the board.
        let is_of_clock = ruling.group() == Group::Clock || matches!(ruling, Ruling::RoundStart { .. });
        if !is_of_clock {
            self.scene.is_ruling = true;
        }
        // What stands is decided anew; a record may be decided, or a note taken, while hands put the position back.
        if matches!(ruling.group(), Group::Position | Group::Moves | Group::Adjourn | Group::Game) {
            self.restoring = None;
        }
        let done = self.check_stage(ruling).and_then(|()| self.carry_out(ruling, ruled.by.as_deref(), out));
        if !is_of_clock {
            self.scene.is_ruling = false;
            self.ask_mates_again(out);
        }
        done.map_err(|refusal| ruling.refused(refusal))
    }

    /// What is ruled on has to be there.
    fn check_stage(&self, ruling: &Ruling) -> Outcome {
        match ruling.group() {
            // A position begins the game that waits for one.
            _ if matches!(ruling, Ruling::SetPosition { .. }) && self.scene.is_waiting() => Ok(()),
            Group::Position | Group::Moves | Group::Clock | Group::Touch | Group::Claims | Group::Adjourn => {
                self.check_playing()
            }
            Group::Records | Group::Report | Group::Game | Group::Penalty | Group::Round => Ok(()),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a line a ruling, so that none is forgotten")]
    fn carry_out(&mut self, ruling: &Ruling, by: Option<&str>, out: &mut Vec<Event>) -> Outcome {
        match ruling {
            Ruling::Confirm { record, choice, without } => {
                return self.rule_confirm(record, choice.as_deref(), without, out);
            }
            Ruling::Waive { record, part, side, .. } => return self.waive(record, *part, *side, out),
            Ruling::Reject { record } => return self.rule_reject(record, out),
            Ruling::Postpone { record } => return self.rule_postpone(record, out),
            Ruling::Undo { .. } => return Err(inapplicable("a table keeps nothing that could be undone")),
            Ruling::RestorePosition { ply } => return self.rule_restore(*ply, out),
            Ruling::SetPosition { fen } => return self.rule_set(fen, out),
            Ruling::AcceptPosition { side } => self.accept_position(*side, out),
            Ruling::TransferPosition { turned } => return self.rule_transfer(*turned, out),
            Ruling::ConfirmMove { ply, uci } => return self.rule_correct(*ply, uci, true, out),
            Ruling::CorrectMove { ply, uci } => return self.rule_correct(*ply, uci, false, out),
            Ruling::InsertMove { ply, uci } => return self.rule_insert(*ply, uci, out),
            Ruling::DeleteMove { ply } => return self.rule_delete(*ply, out),
            Ruling::ReplaceByQueen { square } => return self.rule_queen(square, out),
            Ruling::CastlingBan { side, rook } => return self.rule_castling_ban(*side, rook.as_deref(), out),
            Ruling::Pause { by } => return self.rule_pause(by.as_deref(), out),
            Ruling::Resume { side } => return self.rule_resume(*side, out),
            Ruling::Press { side } => return self.rule_press(*side, out),
            Ruling::ClockTimes { white_ms, black_ms } => self.rule_clock_times([*white_ms, *black_ms], out),
            Ruling::AddTimeOpponent { side, ms } => {
                self.rule_time(Name::AddTimeOpponent, *side, signed(*ms), out);
            }
            Ruling::ReduceTimeOffender { side, ms } => {
                self.rule_time(Name::ReduceTimeOffender, *side, -signed(*ms), out);
            }
            Ruling::AdjustTimes { white_ms, black_ms, .. } => self.rule_adjust([*white_ms, *black_ms], out),
            Ruling::ReturnClock { side } => clock_rulings::rule_return(*side, &mut self.report(out)),
            Ruling::UndoPress { side } => self.rule_undo_press(*side, out),
            Ruling::CounterCorrection { value } => self.rule_counter(*value, out),
            Ruling::IncrementMode {} => return self.rule_increment(out),
            Ruling::ClockStart { side } => self.rule_clock_start(*side, out),
            Ruling::Adjusting { side } => return self.adjust(*side, out),
            Ruling::StrikeTouch { seq } => return self.strike_touch(seq, out),
            Ruling::Assistant { side } => return self.rule_assistant(*side, out),
            Ruling::TwoHands { side } => return self.rule_two_hands(*side, out),
            // The wrong hand is penalised at the arbiter's choice, and never counted (6.2.3, 12.9).
            Ruling::WrongHand { .. } | Ruling::Note { .. } => {}
            Ruling::ClaimThreefold { side } => {
                return self.claim_draw(DrawClaimKind::ClaimThreefold, *side, None, out);
            }
            Ruling::ClaimFiftyMoves { side } => {
                return self.claim_draw(DrawClaimKind::ClaimFiftyMoves, *side, None, out);
            }
            Ruling::ClaimThreefoldIntended { side, intended } => {
                return self.claim_draw(DrawClaimKind::ClaimThreefoldIntended, *side, Some(intended), out);
            }
            Ruling::ClaimFiftyMovesIntended { side, intended } => {
                return self.claim_draw(DrawClaimKind::ClaimFiftyMovesIntended, *side, Some(intended), out);
            }
            Ruling::ClaimFlagFall { side } => {
                self.claims(out, |claims, report| claims.claim_flag(*side, report));
            }
            Ruling::ClaimIllegalMove { side } => {
                self.claims(out, |claims, report| claims.claim_illegal(*side, report));
            }
            Ruling::ClaimTouchMove { side } => {
                self.claims(out, |claims, report| claims.claim_touch(*side, report));
            }
            Ruling::ClaimQpf { side } => {
                self.claims(out, |claims, report| claims.quickplay(QuickplayKind::ClaimQpf, *side, report));
            }
            Ruling::QpfIncrementRequest { side } => {
                self.claims(out, |claims, report| {
                    claims.quickplay(QuickplayKind::QpfIncrementRequest, *side, report);
                });
            }
            Ruling::DrawOffer { side, .. } => {
                self.claims(out, |claims, report| claims.draw_offered(*side, report));
            }
            Ruling::DrawAgreed {} => self.draw_agreed(out),
            Ruling::Resign { side } => self.resign(*side, out),
            Ruling::SetupWrong { .. } => {
                if reported::is_in_play(&self.scene)? {
                    self.report_set_up(out);
                }
            }
            Ruling::OrientationWrong {} => {
                if reported::is_in_play(&self.scene)? {
                    orientation::report_orientation(&mut self.report(out));
                }
            }
            Ruling::ScoresheetsIncomplete {} => {
                if reported::is_in_play(&self.scene)? {
                    reported::sheets_incomplete(&mut self.report(out));
                }
            }
            Ruling::ColoursReversed {} => {
                reported::check_game(&self.scene)?;
                self.report_colours(out);
            }
            Ruling::CommunicationReported {} => {
                reported::check_game(&self.scene)?;
                reported::report_communication(&mut self.report(out));
            }
            Ruling::ReportIllegal { ply } => return self.report_illegal(*ply, out),
            Ruling::DisplacementFound {} => return self.displacement_found(out),
            Ruling::StartGame { fen, variant } => {
                return self.start_by_ruling(fen.as_deref(), variant.as_deref(), out);
            }
            Ruling::AnnulGame { reason } => return self.rule_annul(reason, out),
            Ruling::SwapColours {} => return self.swap_colours(out),
            Ruling::MoveToBoard { .. } | Ruling::ExchangeBoards { .. } => {
                return Err(inapplicable("a table knows no other board"));
            }
            Ruling::Result { value, basis } => return self.rule_result(*value, basis.as_deref(), by, out),
            Ruling::ChangeResult { value } => return self.rule_change_result(*value, by, out),
            Ruling::Adjourn { side } => return self.adjourn(*side, out),
            Ruling::SealMove { text } => return self.seal(text, out),
            Ruling::SealerAbsent {} => return self.sealer_absent(out),
            Ruling::ResumeGame {} => return self.resume_game(out),
            Ruling::Reconstruct {} => return self.reconstruct(out),
            Ruling::EndReconstruct {} => return self.end_reconstruct(out),
            Ruling::Penalty { kind, side, amount } => {
                return self.penalty(*kind, *side, amount.as_ref(), by, out);
            }
            Ruling::RoundStart { at } => {
                return self.timing_part(
                    |timing| &mut timing.round,
                    out,
                    |round, report| round.starts(report.scene, at.as_deref()),
                );
            }
            Ruling::RoundClose {} => return self.rule_round_close(out),
            Ruling::RoundOpen { .. } | Ruling::Assign { .. } | Ruling::PostponeGame { .. } => {
                return Err(inapplicable("rounds and pairings are the hall's; a table alone has none"));
            }
            Ruling::Link { .. } => {
                return Err(inapplicable("whether the link is there tells the line itself"));
            }
        }
        Ok(())
    }

    fn claim_draw(
        &mut self,
        kind: DrawClaimKind,
        side: Side,
        written: Option<&String>,
        out: &mut Vec<Event>,
    ) -> Outcome {
        self.push_history();
        self.claims(out, |claims, report| claims.claim_draw(kind, side, written, report))
    }

    /// Nobody waits for a dwell before he speaks: a whole legal move on the board is taken as made.
    fn take_what_stands(&mut self, out: &mut Vec<Event>) {
        if self.scene.playing().is_none() || self.scene.is_paused() || self.scene.mode().is_off_the_record() {
            return;
        }
        let at_ns = self.scene.now.mono_ns;
        self.with_tracker(out, |tracker, steps| {
            tracker.announce_best(at_ns, steps);
            tracker.stands_up_to(tracker.plies(), at_ns, steps);
        });
    }

    /// A game is on the board and has no result.
    pub(super) fn check_playing(&self) -> Outcome {
        match &self.scene.game {
            None => Err(inapplicable("no game is on this board")),
            Some(game) if game.result.is_some() => {
                Err(inapplicable("the game is over; \"change-result\" changes its result"))
            }
            Some(_) => Ok(()),
        }
    }
}
