//! What the arbiter decided: a ruling is checked, said, and carried out (DESIGN 5.6).
//!
//! Each group has a file: `decided` for records, `resolution` for what one comes to, `position` and `line` for what stands and was played,
//! `touched`, `reported`, `administered`; claims, offers, results and adjournments stand beside this
//! folder. `rederive` undoes them.

mod administered;
mod decided;
mod line;
mod position;
mod reported;
mod resolution;
mod touched;

use crate::event::{Body, Event};
use crate::rules::Variant;
use crate::ruling::{Ruling, RulingError};

use super::Table;

/// Rulings about the game as it stands on the board: a move that was made just before counts.
const OF_WHAT_STANDS: [&str; 4] = ["result", "resign", "draw-agreed", "draw-offer"];
/// Rulings about a move that has just been pressed: what the press means is settled before they are.
const OF_A_PRESS: [&str; 5] = ["two-hands", "claim-illegal-move", "report-illegal", "confirm", "reject"];

impl<V: Variant> Table<V> {
    pub(super) fn rule(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        if OF_A_PRESS.contains(&ruling.name()) {
            self.judge_press_at_rest(out);
        }
        if let Some(ruled) = self.rule_clock(ruling, out) {
            return ruled;
        }
        if OF_WHAT_STANDS.contains(&ruling.name()) {
            self.take_what_stands(out);
        }
        // The press that is complained of need not wait for late frames any longer.
        if ruling.name() == "claim-illegal-move" && self.verdict_ns.is_some() {
            self.judge_press(out);
        }
        // Said first, of the game in which it was made.
        self.emit(Body::Ruled(Box::new(ruling.clone())), out);
        self.is_ruling = true;
        self.restoring = None;
        let ruled = self.carry_out(ruling, out);
        self.is_ruling = false;
        self.ask_mates_again(out);
        ruled
    }

    fn carry_out(&mut self, ruling: &Ruling, out: &mut Vec<Event>) -> Result<(), RulingError> {
        match ruling.name() {
            "note" => Ok(()),
            "confirm" | "reject" | "postpone" => self.rule_record(ruling, out),
            "restore-position" | "set-position" | "accept-position" | "replace-by-queen" | "castling-ban"
            | "transfer-position" => self.rule_position(ruling, out),
            "confirm-move" | "correct-move" | "insert-move" | "delete-move" => self.rule_move(ruling, out),
            "adjusting" | "strike-touch" | "assistant" | "two-hands" | "wrong-hand" => {
                self.rule_touch(ruling, out)
            }
            "claim-threefold"
            | "claim-threefold-intended"
            | "claim-fifty-moves"
            | "claim-fifty-moves-intended"
            | "claim-flag-fall"
            | "claim-illegal-move"
            | "claim-touch-move" => self.rule_claim(ruling, out),
            "claim-qpf" | "qpf-increment-request" | "draw-offer" | "draw-agreed" | "resign" => {
                self.rule_offer(ruling, out)
            }
            "setup-wrong"
            | "orientation-wrong"
            | "colours-reversed"
            | "report-illegal"
            | "displacement-found"
            | "scoresheets-incomplete"
            | "communication-reported" => self.rule_report(ruling, out),
            "start-game" | "annul-game" | "swap-colours" | "penalty" => self.rule_game(ruling, out),
            "adjourn" | "seal-move" | "sealer-absent" | "resume-game" | "reconstruct" | "end-reconstruct" => {
                self.rule_interruption(ruling, out)
            }
            "result" | "change-result" => self.rule_result(ruling, out),
            "move-to-board" => Err(ruling.inapplicable("a table knows no other board")),
            "round-close" => self.rule_round_close(ruling, out),
            "round-open" | "assign" => {
                Err(ruling.inapplicable("rounds and pairings are the hall's; a table alone has none"))
            }
            _ => Err(ruling.inapplicable("this version cannot carry it out yet")),
        }
    }

    /// Nobody waits for a dwell before he speaks: a whole legal move on the board is taken as made.
    fn take_what_stands(&mut self, out: &mut Vec<Event>) {
        if self.playing().is_none() || self.is_paused() || self.mode.is_off_the_record() {
            return;
        }
        let at_ns = self.now.mono_ns;
        self.with_tracker(out, |tracker, steps| {
            tracker.announce_best(at_ns, steps);
            tracker.stands_up_to(tracker.plies(), steps);
        });
    }

    /// A game is on the board and has no result.
    pub(super) fn check_playing(&self, ruling: &Ruling) -> Result<(), RulingError> {
        match &self.game {
            None => Err(ruling.inapplicable("no game is on this board")),
            Some(game) if game.result.is_some() => {
                Err(ruling.inapplicable("the game is over; \"change-result\" changes its result"))
            }
            Some(_) => Ok(()),
        }
    }
}
