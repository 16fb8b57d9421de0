//! Completed illegal moves: counted, penalised, corrected or standing (7.5, A.4.2, A.4.4).

use super::ledger::Lift;
use super::offences::{self, Breach};
use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::watch::adjustments::differences;
use super::{Known, Press, Table, all_named, claims, ledger, touching};
use crate::event::finding::{
    BothTimes, ClockTimes, IllegalMoveCompleted, IllegalMovePending, IllegalPosition as Found, Outcome,
    OutcomeKind, RestorePosition, ReturnClock, TimePenaltyKind, TwoHandsSuspected,
};
use crate::event::{Event, RecordId, Status, Times};
use crate::infer::{View, squares};
use crate::ply::Ply;
use adoube_rules::departure::{Departure, Kind};
use adoube_rules::laws::{ArbiterActs, IllegalPosition, Name, Severity, Supervision, UnreplacedPawn, Until};
use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::square::Square;
use adoube_rules::{GameResult, Move as _, Position as _, Variant};

/// The records of completed illegal moves, which one window and one counter hold together.
pub(super) const COMPLETED: [Name; 3] =
    [Name::IllegalMoveCompleted, Name::PromotionNotReplaced, Name::ClockPressedWithoutMove];

impl<V: Variant> Table<V> {
    /// How many illegal moves of `side`'s player count with the one that has just been pressed at `ply`.
    pub(super) fn count_illegal(&self, side: Side, ply: Ply, breach: Breach) -> u32 {
        offences::counted(&self.scene, &self.records, player_of(&self.scene, side, ply), breach) + 1
    }

    /// Lines 9, 11 and 14 of the press table: the illegal move on the board is completed.
    pub(super) fn complete_illegal(
        &mut self,
        press: Press,
        squares: &[Square],
        kinds: &[Kind],
        out: &mut Vec<Event>,
    ) {
        // The first move of a game may be an illegal one.
        self.open_game(out);
        let ply = self.scene.ply_to_come();
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.best().clone();
        let after = position.stood(&self.what_stands());
        let played = position.played_stood(&after);
        // The opponent's next move is made, whatever it is worth: his own claim is over (A.4.2).
        self.illegal_window_closes(ply, press.side, out);
        pend_until_now(squares, kinds, &mut self.report(out));
        let count = self.count_illegal(press.side, ply, Breach::Move);
        let found = IllegalMoveCompleted {
            ply,
            by: press.side,
            squares: Some(all_named::<V>(squares)),
            kinds: kinds.to_vec(),
            played: Some(played.san()),
            count,
            clock_before: Some(clock_before(&self.scene, press)),
        };
        let mut draft = Draft::open(found).squares(squares).fens(position.shown(), after.shown());
        if !arbiter_acts(&self.scene, Name::IllegalMoveCompleted) {
            draft = draft.severity(Severity::Info);
        }
        let record = self.open(draft, out);
        if arbiter_acts(&self.scene, Name::IllegalMoveCompleted) {
            propose_correction(record, &mut self.report(out));
        }
        let hands = touching::lifted_together(&self.scene, &changes_shown(&self.scene));
        self.stand_illegal(record, press, out);
        self.count_reported_hands(ply, out);
        if let Some(squares) = hands {
            let found = TwoHandsSuspected { ply, by: press.side, squares: all_named::<V>(&squares) };
            self.open(Draft::open(found).squares(&squares), out);
        }
    }

    /// The men that stand on the board, displaced ones put back. An occupancy board does not name
    /// them: there the men of the position went where the squares say, if that can be told.
    pub(super) fn what_stands(&self) -> Vec<Content> {
        let Some(game) = &self.scene.game else { return Vec::new() };
        let mut contents = game.tracker.contents().to_vec();
        if self.scene.view == View::Identity {
            return contents;
        }
        let best = game.tracker.best();
        for (square, content) in Square::all().zip(&mut contents) {
            let known = best.content(square);
            if !content.is_empty() && !known.is_empty() {
                *content = known;
            }
        }
        match self.scene.departure() {
            Departure::Illegal { from, to, .. } => {
                contents[to] = best.content(from);
                if from != to && !contents[from].is_empty() {
                    contents[from] = Content::OCCUPIED;
                }
                // The rook of a castling: one piece more is gone, or stood where the king stands, and one has come.
                let is_own =
                    |square: Square| best.content(square).seat_role().map(|own| own.0) == Some(best.army());
                let gone = |&square: &Square| {
                    square != from && is_own(square) && (square == to || contents[square].is_empty())
                };
                let has_come = |&square: &Square| contents[square] == Content::OCCUPIED;
                let gone: Vec<Square> = squares::<V>().filter(gone).collect();
                let come: Vec<Square> = squares::<V>().filter(has_come).collect();
                if let (&[gone], &[come]) = (&gone[..], &come[..]) {
                    contents[come] = best.content(gone);
                }
            }
            // A man of the partner, moved as that one might (four-player T2).
            Departure::OutOfTurn(mv) if Self::army_of_move(best, mv).side() == best.turn() => {
                let waiting = best.with_army(Self::army_of_move(best, mv));
                for &(square, _, arrived) in waiting.footprint(mv).changes() {
                    contents[square] = arrived;
                }
            }
            _ => {}
        }
        contents
    }

    /// The game goes on from what stands on the board; the feed stays where the Laws still hold.
    pub(super) fn stand_illegal(&mut self, record: RecordId, press: Press, out: &mut Vec<Event>) {
        let at_ns = press.at_ns;
        let contents = self.what_stands();
        // It followed on whatever was understood before, announced or not.
        self.with_tracker(out, |tracker, steps| tracker.announce_whole(at_ns, steps));
        let Some(game) = &mut self.scene.game else { return };
        let position = game.tracker.best().stood(&contents);
        let ply = game.tracker.plies().next();
        game.plies.cut_after(ply.before());
        game.plies.push(Known {
            clock: press.clock,
            completed_ns: Some(at_ns),
            illegal: Some(record),
            is_held: true,
            ..Known::default()
        });
        game.tracker.go_on_from(position, at_ns);
        self.push_history();
        judge_illegal_position(&mut self.report(out));
    }

    /// A pawn that was left on its last rank is a queen (7.5.2): the move is made and completed.
    pub(super) fn becomes_queen(&mut self, mv: V::Move, press: Press, out: &mut Vec<Event>) {
        let at_ns = press.at_ns;
        self.with_tracker(out, |tracker, steps| {
            tracker.take_as_made(mv, at_ns, steps);
            tracker.fix();
        });
        let ply = self.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        self.complete(ply, crate::event::CompletedBy::Press, Some((press.at_ns, press.clock)), out);
        // Until the queen is put there, the board shows something else: nothing new.
        let Some(game) = &mut self.scene.game else { return };
        let view = self.scene.view;
        let squares: Vec<(Square, Content)> = squares::<V>()
            .map(|square| (square, view.see(game.tracker.best().content(square))))
            .filter(|&(square, expected)| game.tracker.at(square) != expected)
            .collect();
        if squares.is_empty() {
            return;
        }
        game.displaced.push(super::accounts::Displaced {
            squares: squares.clone(),
            record: RecordId::NONE,
            since_ns: at_ns,
            since_ply: ply,
            is_found_late: true,
        });
        self.with_tracker(out, |tracker, steps| tracker.changed(&squares, at_ns, steps));
    }
}

impl<V: Variant> Report<'_, V> {
    /// The times at which the first of its pieces was lifted, those with which the move began, and unchanged: the arbiter
    /// chooses (7.1). Thinking about a move costs time, whatever the move is worth; its increment came with the press.
    pub(super) fn propose_clock_times(&mut self, record: RecordId) {
        let Some(record) = self.records.record(record) else { return };
        let (number, ply) = (record.number, record.key.ply);
        let Some(unchanged) = self.times() else { return };
        let game = self.scene.game.as_ref();
        let start = game.and_then(|game| game.plies.get(ply.before()).and_then(|known| known.clock));
        let mut then = start;
        if let Some((side, lifted)) = self.lifted_at(record) {
            // Whoever waited has used nothing of the turn.
            let times = then.get_or_insert(lifted);
            times[side.index()] = times[side.index()].min(lifted[side.index()]);
        }
        let then = then.unwrap_or(unchanged);
        let times = ClockTimes {
            then: Some(then.into()),
            start: start.filter(|&start| differences(then, start) != [0; 2]).map(BothTimes::from),
            unchanged: Some(unchanged.into()),
        };
        self.propose(Draft::open(times), number);
    }

    /// The presser's clock runs again.
    pub(super) fn propose_return_clock(&mut self, record: RecordId, press: Press) {
        let clock = press.clock.map(BothTimes::from);
        self.propose(Draft::open(ReturnClock { side: press.side, clock }), record);
    }
}

impl<V: Variant> Scene<V> {
    /// True where the Laws of reduced supervision hold (A.4; 2005: rapid and blitz).
    pub(super) fn is_reduced(&self) -> bool {
        self.profile.supervision == Supervision::Reduced
            || self.profile.illegal_correctable_until != Until::GameOver
    }

    /// A pawn that was left on its last rank becomes a queen at the press (7.5.2).
    pub(super) fn makes_queens(&self) -> bool {
        self.profile.unreplaced_pawn == UnreplacedPawn::Queen && !self.is_reduced()
    }
}

impl<V: Variant> Scene<V> {
    /// What the clock showed when the pieces were lifted that `record` is about, in the turn of its ply, and whose time ran: that
    /// of the side to move. A piece that was put back before is no part of the move.
    fn lifted_at(&self, record: &Record) -> Option<(Side, Times)> {
        let (game, ply) = (self.game.as_ref()?, record.key.ply);
        let played = game.tracker.plies();
        let before = ply.before().min(played);
        let mv = if ply.is_start() || ply > played { None } else { game.tracker.mv(ply) };
        let departures = mv.map(|mv| mv.departures().to_vec());
        let squares = departures.as_deref().unwrap_or(&record.key.squares);
        let is_its = |lift: &&Lift| !lift.is_struck && squares.contains(&lift.square);
        let lifts: Vec<&Lift> =
            game.ledger.between(self.turn_begins_ns(before), u64::MAX).filter(is_its).collect();
        let gone = lifts.iter().find(|lift| lift.returned_ns.is_none());
        let (times, running) = gone.or_else(|| lifts.last())?.clock?;
        let turn = game.tracker.position(before).turn();
        Some((turn, times)).filter(|_| running == Some(turn))
    }
}

/// Whose counter it is: that of `side`'s player who has the move of `ply` (7.5; four-player R-25).
pub(super) fn player_of<V: Variant>(scene: &Scene<V>, side: Side, ply: Ply) -> Army {
    scene.army_of(side, ply).unwrap_or_else(|| side.into())
}

/// Does the arbiter act by himself on this record?
pub(super) fn arbiter_acts<V: Variant>(scene: &Scene<V>, name: Name) -> bool {
    match scene.profile.illegal_arbiter_acts {
        ArbiterActs::Always | ArbiterActs::InWindow => true,
        ArbiterActs::OnlyGross => name == Name::PromotionNotReplaced || name == Name::IllegalPosition,
        ArbiterActs::Never => false,
    }
}

/// Every square that shows something else than the position has: what was there, what is.
fn changes_shown<V: Variant>(scene: &Scene<V>) -> Vec<(Square, Content, Content)> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let best = game.tracker.best();
    Square::all()
        .zip(game.tracker.contents().iter())
        .map(|(square, &shown)| (square, best.content(square), shown))
        .filter(|&(_, before, shown)| scene.view.see(before) != shown)
        .collect()
}

/// What was pending is completed now; said as pending first, if there was no time for it.
fn pend_until_now<V: Variant>(squares: &[Square], kinds: &[Kind], report: &mut Report<'_, V>) {
    if report.records.open_record(Name::IllegalMovePending).is_none() {
        let found = IllegalMovePending {
            ply: report.ply_to_come(),
            by: report.turn(),
            squares: all_named::<V>(squares),
            kinds: kinds.to_vec(),
        };
        report.open(Draft::open(found).squares(squares));
    }
    let pending = [Name::IllegalMovePending, Name::CastlingPending];
    report.close_all(|record| pending.contains(&record.name()), Status::Confirmed);
}

/// Back to the position before: the position, the moves still allowed, the times.
pub(super) fn propose_restoration<V: Variant>(
    record: RecordId,
    position: &V::Position,
    ply: Ply,
    report: &mut Report<'_, V>,
) {
    // An earlier one that was not put right comes first: what followed it is gone too (7.5.1).
    let open = |known: &&Record| {
        known.is_open() && COMPLETED.contains(&known.name()) && known.name() != Name::ClockPressedWithoutMove
    };
    let first = report.records.iter().filter(open).map(|known| known.key.ply).min().unwrap_or(ply);
    let (ply, position) = match report.scene.game.as_ref() {
        Some(game) if first < ply && !report.is_reduced() => {
            (first, game.tracker.position(first.before()).clone())
        }
        _ => (ply, position.clone()),
    };
    let position = &position;
    let side = position.turn();
    let restored = RestorePosition { fen: position.fen(), side: Some(side), ply: ply.before() };
    report.propose(Draft::open(restored), record);
    let moves = replacements(report.scene, position, ply);
    touching::propose_replacement(record, position, &moves, report);
    report.propose_clock_times(record);
}

/// The moves that may be made as ply `ply`: what was let go of and touched before binds (4.3, 4.7).
pub(super) fn replacements<V: Variant>(scene: &Scene<V>, position: &V::Position, ply: Ply) -> Vec<V::Move> {
    let touches = ledger::touches_in(scene, position, scene.turn_begins_ns(ply.before()), scene.now.mono_ns);
    let let_go = scene.game.as_ref().and_then(|game| game.ledger.released_at(ply));
    let release = let_go.map(|let_go| let_go.release).or_else(|| king_released(scene, position));
    adoube_rules::touch::obligation::<V>(position, &touches, release).map_or_else(
        || {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            moves
        },
        |bound| bound.moves,
    )
}

/// The king stands two squares over: rule 2 of laws-model 4 gives the replacement.
fn king_released<V: Variant>(
    scene: &Scene<V>,
    position: &V::Position,
) -> Option<adoube_rules::touch::Release> {
    let game = scene.game.as_ref()?;
    let king = Content::man(position.army(), adoube_rules::sensor::Role::King);
    let squares = || squares::<V>();
    let from = squares().find(|&square| position.content(square) == king)?;
    let to = squares().find(|&square| {
        game.tracker.at(square) == scene.view.see(king) && position.is_castling_step(from, square)
    })?;
    (game.tracker.at(from).is_empty() || game.tracker.at(from) != scene.view.see(king))
        .then_some(adoube_rules::touch::Release { from, to })
}

/// Bonus to the opponent, or the loss when the count reaches the limit (7.5.5; 2005: 7.4b).
pub(super) fn penalise<V: Variant>(record: RecordId, side: Side, count: u32, report: &mut Report<'_, V>) {
    let acts = report.records.record(record).is_some_and(|record| arbiter_acts(report.scene, record.name()));
    if !acts || report.profile.illegal_win_claim {
        return;
    }
    penalise_now(record, side, count, report);
}

fn penalise_now<V: Variant>(record: RecordId, side: Side, count: u32, report: &mut Report<'_, V>) {
    if count >= report.profile.illegal_limit {
        forfeit_by_illegal(record, side, report);
    } else if let Some(bonus_s) = report.profile.illegal_bonus_s {
        let bonus_ms = u64::from(bonus_s) * 1_000;
        claims::propose_time(TimePenaltyKind::AddTimeOpponent, side.other(), bonus_ms, record, report);
    }
}

/// The loss of `side`, or a draw if its opponent cannot mate and the edition says so.
pub(super) fn forfeit_by_illegal<V: Variant>(record: RecordId, side: Side, report: &mut Report<'_, V>) {
    let is_tested = report.profile.illegal_loss_drawn_if_no_mate;
    let asked = is_tested.then(|| report.ask_mate(side.other()));
    let mate = asked.unwrap_or_default();
    let (kind, result) = if mate.is_no() {
        (OutcomeKind::IllegalMoveDraw, GameResult::Draw)
    } else {
        (OutcomeKind::IllegalMoveForfeit, GameResult::win(side.other()))
    };
    let outcome = Outcome { by: Some(side), mate, ..Outcome::of(result) };
    report.open(Draft::open((kind, outcome)).of(record));
}

/// Both kings in check, or a pawn on its last rank (A.4.4; 2005: B6).
pub(super) fn judge_illegal_position<V: Variant>(report: &mut Report<'_, V>) {
    if report.profile.illegal_position_rule == IllegalPosition::AsIllegalMove {
        return;
    }
    let Some(game) = report.scene.game.as_ref() else { return };
    let subs = game.tracker.best().illegal_position();
    let ply = game.tracker.plies();
    let open = report.records.open_number(Name::IllegalPosition);
    if subs.is_empty() {
        if let Some(open) = open {
            report.close(open, Status::Corrected);
        }
        return;
    }
    if let Some(open) = open {
        if report.profile.illegal_position_rule == IllegalPosition::WaitThenDraw {
            report.close(open, Status::Confirmed);
            let outcome = Outcome { ply: Some(ply), ..Outcome::of(GameResult::Draw) };
            report.open(Draft::open((OutcomeKind::IllegalPositionDraw, outcome)).of(open));
        }
        return;
    }
    let record = report.open(Draft::open(Found { ply, sub: subs[0], subs }));
    if report.profile.illegal_position_rule == IllegalPosition::InterveneAtOnce {
        let illegal = report
            .records
            .open_record(Name::IllegalMoveCompleted)
            .map(|record| (record.number, record.key.ply));
        if let Some((_, ply)) = illegal {
            let Some(game) = report.scene.game.as_ref() else { return };
            // A game that was taken over may have lost it, and what came after it.
            if ply.before() > game.tracker.plies() {
                return;
            }
            let position = game.tracker.position(ply.before()).clone();
            propose_restoration(record, &position, ply, report);
            let Some(side) = report.mover(ply) else { return };
            if let Some(bonus_s) = report.profile.illegal_bonus_s {
                let bonus_ms = u64::from(bonus_s) * 1_000;
                claims::propose_time(
                    TimePenaltyKind::AddTimeOpponent,
                    side.other(),
                    bonus_ms,
                    record,
                    report,
                );
            }
        }
    }
}

/// The times of the last reading before a press.
pub(super) fn clock_before<V: Variant>(scene: &Scene<V>, press: Press) -> Option<BothTimes> {
    scene.times_before_press.filter(|_| press.clock.is_some()).map(BothTimes::from)
}

/// How many illegal moves of the player of `record` count, that one among them.
fn count_of<V: Variant>(record: &Record, side: Side, report: &Report<'_, V>) -> u32 {
    let army = player_of(report.scene, side, record.key.ply);
    let breach = Breach::of(record).unwrap_or(Breach::Move);
    offences::counted(report.scene, report.records, army, breach)
}

/// Everything that the arbiter is offered for an open illegal move.
pub(super) fn propose_correction<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    let Some(known) = report.records.record(record).cloned() else { return };
    let (ply, Some(side)) = (known.key.ply, known.key.side) else { return };
    let Some(game) = report.scene.game.as_ref() else { return };
    let plies = game.tracker.plies();
    let position = game.tracker.position((ply.before()).min(plies)).clone();
    if known.name() != Name::PromotionNotReplaced || report.profile.unreplaced_pawn == UnreplacedPawn::Restore
    {
        propose_restoration(record, &position, ply, report);
    }
    let count = count_of(&known, side, report);
    penalise(record, side, count, report);
}

/// The opponent has claimed, or the arbiter has found it: what the Laws give now.
pub(super) fn propose_on_claim<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    let Some(known) = report.records.record(record).cloned() else { return };
    let (ply, Some(side)) = (known.key.ply, known.key.side) else { return };
    let Some(game) = report.scene.game.as_ref() else { return };
    let position = game.tracker.position((ply.before()).min(game.tracker.plies())).clone();
    propose_restoration(record, &position, ply, report);
    let count = count_of(&known, side, report);
    penalise_now(record, side, count, report);
}
