//! Presses that complete no move: none was made, or the pawn on the last rank was not replaced.

use crate::event::Event;
use crate::event::finding::{
    AmbiguousMove, BothTimes, ClockPressedWithoutMove, ConfirmMove, NeighbourClockPressed, PressAsDemand,
    PromotionNotReplaced, ReplaceByQueen, ReplacementMoves, UndoPress,
};
use crate::table::offences::Breach;
use crate::table::records::Draft;
use crate::table::scene::{Report, Scene};
use crate::table::{Press, Table, doubts, illegal, ledger, named, neighbours, touching};
use adoube_rules::laws::{Name, Severity, UnreplacedPawn};
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::touch::side_of;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Table<V> {
    /// Lines 16 to 19.
    pub(super) fn pressed_without_a_move(&mut self, press: Press, out: &mut Vec<Event>) {
        // Line 2: the game has not begun.
        if self.scene.is_before_the_start() {
            return self.wrong_clock_started(out);
        }
        if self.follows_its_pair(press, out) {
            return;
        }
        // Whoever presses after plies that nobody saw has made one of them.
        if V::ARMIES == 2 && self.miscounted(|position| position.with_turn(press.side.other()), out) {
            return;
        }
        let ply = self.scene.ply_to_come();
        if let Some(neighbour) = neighbours::neighbour_waiting(&self.scene, press.at_ns) {
            return pressed_for_another_board(press, neighbour, &mut self.report(out));
        }
        let mut moves = moves_without_a_trace(&self.scene, press.side);
        if !moves.is_empty() {
            moves.push("none".into());
            let ambiguous = AmbiguousMove { by: press.side, ply, moves: moves.clone() };
            let record = self.open(Draft::open(ambiguous), out);
            self.propose(Draft::open(ConfirmMove { moves, uci: None, ways: None }), record, out);
            return;
        }
        let is_counted = self.scene.profile.press_without_move_is_illegal;
        let count = if is_counted { Some(self.count_illegal(press.side, ply, Breach::NoMove)) } else { None };
        let mut draft = Draft::open(ClockPressedWithoutMove {
            by: press.side,
            ply,
            clock_before: illegal::clock_before(&self.scene, press),
            count,
            kinds: None,
        });
        if count.is_none() {
            draft = draft.severity(Severity::Notice);
        }
        let record = self.open(draft, out);
        self.report(out).propose_return_clock(record, press);
        if let Some(count) = count {
            let moves = sans_to_play(&self.scene);
            self.propose(Draft::open(ReplacementMoves { moves }), record, out);
            illegal::penalise(record, press.side, count, &mut self.report(out));
        }
    }

    /// Line 10.
    pub(super) fn promotion_not_replaced(
        &mut self,
        press: Press,
        from: Square,
        square: Option<Square>,
        out: &mut Vec<Event>,
    ) {
        self.close_all(
            |record| record.name() == Name::PromotionPending,
            crate::event::Status::Confirmed,
            out,
        );
        let ply = self.scene.ply_to_come();
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.best().clone();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let fits = |mv: &V::Move| {
            let footprint = position.footprint(*mv);
            let changes = footprint.changes();
            changes.iter().any(|change| change.0 == from && change.2.is_empty())
                && square.is_none_or(|square| {
                    changes.iter().any(|change| change.0 == square && !change.2.is_empty())
                })
                && !mv.is_unusual_promotion()
        };
        let queen = moves.into_iter().find(fits);
        let arrival = queen.and_then(|mv| {
            let footprint = position.footprint(mv);
            footprint.changes().iter().find(|change| side_of(change.2).is_some()).map(|change| change.0)
        });
        let square = square.or(arrival).map(named::<V>);
        let count = self.count_illegal(press.side, ply, Breach::Move);
        let draft = Draft::open(PromotionNotReplaced {
            by: press.side,
            ply,
            square: square.clone(),
            count,
            clock_before: illegal::clock_before(&self.scene, press),
            kinds: None,
        });
        let after = queen.map_or_else(String::new, |mv| position.played(mv).fen());
        let mut draft = draft.fens(position.shown(), after);
        let acts = illegal::arbiter_acts(&self.scene, Name::PromotionNotReplaced);
        if !acts {
            draft = draft.severity(Severity::Info);
        }
        let record = self.open(draft, out);
        match queen.filter(|_| self.scene.profile.unreplaced_pawn == UnreplacedPawn::Queen) {
            Some(mv) => {
                let replace = ReplaceByQueen { square, san: position.played(mv).bare_san() };
                self.propose(Draft::open(replace), record, out);
            }
            None if acts => illegal::propose_restoration(record, &position, ply, &mut self.report(out)),
            None => {}
        }
        let queen = queen.filter(|_| self.scene.makes_queens());
        // Whether the opponent could still mate is asked with the queen there, unless it ends the game: no illegal move
        // does (5.1.1).
        let is_asked_after = queen.is_some_and(|mv| position.play(mv).end().is_none());
        if !is_asked_after {
            illegal::penalise(record, press.side, count, &mut self.report(out));
        }
        match queen {
            // The pawn is a queen by the Laws, whatever stands there (7.5.2).
            Some(mv) => self.becomes_queen(mv, press, out),
            None => self.stand_illegal(record, press, out),
        }
        if is_asked_after {
            illegal::penalise(record, press.side, count, &mut self.report(out));
        }
    }
}

/// Line 18: where the event allows it, the waiting player starts the clock of whoever left something
/// irregular behind. True if this press was such a demand.
pub(in crate::table) fn demands<V: Variant>(press: Press, report: &mut Report<'_, V>) -> bool {
    let irregular = [
        Name::PieceDisplaced,
        Name::IllegalMovePending,
        Name::IllegalMoveCompleted,
        Name::MoveOutOfTurn,
        Name::PromotionNotReplaced,
        Name::TouchMoveSuspected,
        Name::DisplacementFoundLate,
    ];
    let of_opponent = report.records.iter().find(|record| {
        record.is_open() && irregular.contains(&record.name()) && record.key.side != Some(press.side)
    });
    let Some(open) = of_opponent.filter(|_| report.profile.press_may_be_demand) else { return false };
    let demand = PressAsDemand { by: press.side, open: open.name() };
    report.open(Draft::open(demand));
    true
}

/// What the player on move may play: all that is legal, unless he has touched or let go of a piece.
fn sans_to_play<V: Variant>(scene: &Scene<V>) -> Vec<String> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let best = game.tracker.best();
    touching::sans::<V>(best, &illegal::replacements(scene, best, scene.ply_to_come()))
}

/// Moves of `side` that an occupancy board shows no trace of, and whose men were lifted and set
/// down again in this turn: castling by exchange in Chess960 (line 17).
pub(in crate::table) fn moves_without_a_trace<V: Variant>(scene: &Scene<V>, side: Side) -> Vec<String> {
    let Some(game) = scene.game.as_ref().filter(|_| scene.view == crate::infer::View::Occupancy) else {
        return Vec::new();
    };
    let best = game.tracker.best();
    if best.turn() != side {
        return Vec::new();
    }
    let touches = ledger::touches_in(scene, best, scene.turn_began_ns(), scene.now.mono_ns);
    let lifts: Vec<Square> = game
        .ledger
        .between(scene.turn_began_ns(), scene.now.mono_ns)
        .map(|lift| lift.square)
        .chain(touches.iter().map(|touch| touch.square))
        .collect();
    let mut moves = Vec::new();
    best.legal_moves(&mut moves);
    let leaves_no_trace = |&mv: &V::Move| {
        let footprint = best.footprint(mv);
        doubts::leaves_no_trace(&footprint)
            && footprint.changes().iter().all(|change| lifts.contains(&change.0))
    };
    moves.into_iter().filter(leaves_no_trace).map(|mv| best.played(mv).bare_san()).collect()
}

/// Line 16.
fn pressed_for_another_board<V: Variant>(press: Press, neighbour: String, report: &mut Report<'_, V>) {
    let pressed = NeighbourClockPressed {
        by: press.side,
        ply: report.ply_to_come(),
        boards: vec![report.setting.board.clone(), neighbour],
        clock_before: illegal::clock_before(report.scene, press),
    };
    let record = report.open(Draft::open(pressed));
    let clock = report.times_before_press.map(BothTimes::from);
    report.propose(Draft::open(UndoPress { side: press.side, clock }), record);
    report.propose_clock_times(record);
}
