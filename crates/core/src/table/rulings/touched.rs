//! Article 4 by the arbiter's word: adjustments, assistants, two hands, the wrong hand.

use crate::event::finding::{Finding, IllegalMoveCompleted};
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Outcome, Reference, inapplicable};
use crate::table::illegal::COMPLETED;
use crate::table::offences::{self, Breach};
use crate::table::records::Draft;
use crate::table::scene::Scene;
use crate::table::{Table, illegal, ledger, windows};
use adoube_rules::departure::Kind;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::touch::obligation;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// An assistant moves the pieces of `side` from now on.
    pub(super) fn rule_assistant(&mut self, side: Side, out: &mut Vec<Event>) -> Outcome {
        if !self.scene.profile.assistant_allowed {
            return Err(inapplicable(
                "in this edition an assistant keeps the clock and the score, but moves no pieces",
            ));
        }
        self.scene.profile.assistant_moves[side.index()] = true;
        self.judge_touches_again(out);
        Ok(())
    }

    /// `side` made its last move with two hands, or makes the one that it is at so.
    pub(super) fn rule_two_hands(&mut self, side: Side, out: &mut Vec<Event>) -> Outcome {
        let (begun_ns, now_ns) = (self.scene.turn_began_ns(), self.scene.now.mono_ns);
        let last = last_ply_of(&self.scene, side);
        let Some(game) = self.scene.game.as_mut() else { return Ok(()) };
        let plies = game.tracker.plies();
        // It stands on the board, and is not said yet; or it is the first, and in the hand.
        let is_on_move = game.tracker.position(plies).turn() == side;
        let is_moving = game.tracker.best().turn() != side
            || last.is_none() && game.ledger.between(begun_ns, now_ns).next().is_some();
        if is_on_move && is_moving {
            game.ledger.two_hands_at(plies.next());
        } else if last.is_none() {
            return Err(inapplicable(format!("{} has made no move", side.name())));
        } else {
            self.count_two_hands(side, Ply::START, out);
        }
        Ok(())
    }

    /// `side` has said that it adjusts: what it touched in this turn binds to nothing (4.2.1).
    pub(super) fn adjust(&mut self, side: Side, out: &mut Vec<Event>) -> Outcome {
        let on_move = self.scene.side_on_move();
        if on_move != side {
            return Err(inapplicable(format!(
                "{} has the move, and only the player who has it adjusts pieces (4.2.1); a touch of {}'s that was \
                 none is taken out by strike-touch",
                on_move.name(),
                side.name()
            )));
        }
        let since_ns = self.scene.turn_began_ns();
        if let Some(game) = &mut self.scene.game {
            game.ledger.strike_since(since_ns);
            game.ledger.adjusts(side);
        }
        self.judge_touches_again(out);
        Ok(())
    }

    /// A touch was none: the one that is meant, or the youngest.
    pub(super) fn strike_touch(&mut self, touch: &Reference, out: &mut Vec<Event>) -> Outcome {
        let Some(game) = &mut self.scene.game else { return Ok(()) };
        let is_struck = match touch {
            Reference::Name(name) if Name::PieceTouched == name.as_str() => game.ledger.strike_last(),
            Reference::Name(name) => {
                return Err(inapplicable(format!(
                    "\"{name}\" is no touch; give the number of a piece-touched"
                )));
            }
            Reference::Number(number) => game.ledger.strike(RecordId(*number)),
        };
        if !is_struck {
            return Err(inapplicable("no touch has that number"));
        }
        self.judge_touches_again(out);
        Ok(())
    }

    /// Touches were struck: suspicions that rested on them are withdrawn.
    fn judge_touches_again(&mut self, out: &mut Vec<Event>) {
        let open: Vec<(RecordId, Ply)> = self
            .records
            .iter()
            .filter(|record| {
                record.is_open()
                    && [Name::TouchMoveSuspected, Name::CastlingRookFirst].contains(&record.name())
            })
            .map(|record| (record.number, record.key.ply))
            .collect();
        for (number, ply) in open {
            let Some(game) = self.scene.game.as_ref().filter(|game| ply <= game.tracker.plies()) else {
                continue;
            };
            let Some(played) = game.tracker.mv(ply) else { continue };
            let Some(mover) = self.scene.mover(ply) else { continue };
            let is_released = game.ledger.released_at(ply).is_some();
            let bound = obligation::<V>(
                game.tracker.position(ply.before()),
                &ledger::touches_of(&self.scene, ply),
                None,
            );
            let is_free = self.scene.profile.assistant_moves[mover.index()]
                || (!is_released && bound.is_none_or(|bound| bound.moves.contains(&played)));
            if is_free {
                self.close(number, Status::Withdrawn, out);
            }
        }
        self.nothing_lapses(self.scene.side_on_move(), out);
        self.end_if_undisputed(out);
    }

    /// The move of `ply`, or, if `side` has made no such move, its last one was made with two hands: an illegal move
    /// from 2017 on, once it is pressed (7.5.4; 2017: 7.7). One move counts once, however many kinds it shows.
    pub(super) fn count_two_hands(&mut self, side: Side, ply: Ply, out: &mut Vec<Event>) {
        let plies = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        let is_of_side = !ply.is_start() && ply <= plies && self.scene.mover(ply) == Some(side);
        let ply = if is_of_side { Some(ply) } else { last_ply_of(&self.scene, side) };
        let Some(ply) = ply.filter(|_| self.scene.profile.two_hands_is_illegal) else { return };
        let needs_press = self.scene.profile.two_hands_needs_press;
        if let Some(game) = self.scene.game.as_mut().filter(|_| needs_press)
            && game.plies.get(ply).is_some_and(|known| known.completed_ns.is_none())
        {
            return game.ledger.two_hands_at(ply);
        }
        let same = self
            .records
            .iter()
            .find(|record| record.is_open() && record.key.ply == ply && COMPLETED.contains(&record.name()))
            .map(|record| record.number);
        if let Some(same) = same {
            self.amend(
                same,
                |record| {
                    let kinds = match &mut record.finding {
                        Finding::IllegalMoveCompleted(illegal) => &mut illegal.kinds,
                        Finding::PromotionNotReplaced(pawn) => pawn.kinds.get_or_insert_default(),
                        Finding::ClockPressedWithoutMove(press) => press.kinds.get_or_insert_default(),
                        _ => return,
                    };
                    if !kinds.contains(&Kind::TwoHands) {
                        kinds.push(Kind::TwoHands);
                    }
                },
                out,
            );
            return;
        }
        let Some(game) = &self.scene.game else { return };
        let fens = (game.tracker.position(ply.before()).shown(), game.tracker.position(ply).shown());
        let played = game.tracker.played(ply).map(|played| played.bare_san());
        // Whatever else is wrong with the move, it counts once.
        let is_counted = offences::is_illegal(&self.scene, ply);
        let count = self.count_illegal(side, ply, Breach::TwoHands) - u32::from(is_counted);
        let found = IllegalMoveCompleted {
            ply,
            by: side,
            squares: None,
            kinds: vec![Kind::TwoHands],
            played,
            count,
            clock_before: None,
        };
        let draft = Draft::open(found).window(windows::window_text(&self.scene)).fens(fens.0, fens.1);
        let record = self.open(draft, out);
        illegal::propose_on_claim(record, &mut self.report(out));
    }

    /// Ply `ply` was made, or, where that is what counts, pressed: two hands may have been reported before.
    pub(in crate::table) fn count_reported_hands(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let is_reported = self.scene.game.as_mut().is_some_and(|game| game.ledger.takes_two_hands_at(ply));
        if let Some(mover) = self.scene.mover(ply).filter(|_| is_reported) {
            self.count_two_hands(mover, ply, out);
        }
    }
}

fn last_ply_of<V: Variant>(scene: &Scene<V>, side: Side) -> Option<Ply> {
    let plies = scene.game.as_ref()?.tracker.plies();
    plies.all().rev().find(|&ply| scene.mover(ply) == Some(side))
}
