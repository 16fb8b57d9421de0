//! How a game ends: on the board by the Laws, or by the kings on the centre squares.

use super::pending::Pending;
use super::records::{Draft, Record};
use super::rulings::position;
use super::scene::{Report, Scene};
use super::touching::ARTICLE_4;
use super::{Mode, Table, all_named, offers, results, threats, watch, windows};
use crate::event::finding::{
    DeadBasis, DeadPositionUnknown, EndedBy, GameOver, MateWord, Outcome, OutcomeKind, ResultSignalled,
};
use crate::event::{CompletedBy, Event, Status};
use crate::infer::View;
use crate::ply::Ply;
use adoube_rules::laws::{GameEnd, Name};
use adoube_rules::mate::Dead;
use adoube_rules::sensor::{Content, Role};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};
use adoube_rules::{End, GameResult, KingSignal, Position as _, Variant};

/// Kings have to rest on the centre squares so long (registry, `result-signalled`).
const SIGNAL_NS: u64 = 2_000 * MS;
/// A king's step to the centre so shortly before is the first half of the signal, not a move.
const STEP_NS: u64 = 15 * SECOND;

impl<V: Variant> Table<V> {
    /// What the kings say after the game has ended otherwise, if that has not been heard.
    fn signalled_afterwards(&self) -> Option<KingSignal> {
        self.scene.game.as_ref().filter(|game| game.ended_by.is_some())?;
        let is_heard =
            |record: &Record| [Name::ResultSignalled, Name::ResultMismatch].contains(&record.name());
        let signal = V::king_signal(&position::standing_now(&self.scene))?;
        (!self.records.iter().any(is_heard)).then_some(signal)
    }

    /// Does ply `ply` end the game by itself? Mate first (laws-model 9).
    pub(super) fn judge_end(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let Some(game) = self.scene.playing() else { return };
        if ply.is_start() || ply != game.tracker.plies() {
            return;
        }
        let position = game.tracker.position(ply).clone();
        let end = position.end().or_else(|| match position.dead(self.scene.profile.mate_search_nodes) {
            Dead::Yes => Some(End::DeadPosition),
            Dead::Suspected => {
                suspect_dead(ply, &mut self.report(out));
                None
            }
            Dead::No => {
                self.close_all(|record| record.name() == Name::DeadPositionUnknown, Status::Corrected, out);
                None
            }
        });
        let Some(game) = self.scene.playing() else { return };
        let position = game.tracker.position(ply);
        // The game was drawn before, if the draw is not rejected: no mate comes after it (9.5.2, 9.6).
        let is_drawn = self.records.drawn().is_some_and(|draw| draw.key.ply < ply);
        let Some(end) = end.filter(|_| !is_drawn) else { return };
        // A move was played after it, and is about to be announced: it belongs to the game's record.
        if end == End::DeadPosition && !game.tracker.is_announced_whole() {
            return;
        }
        let (kind, result) = match end {
            End::Checkmate => (OutcomeKind::Checkmate, GameResult::win(position.turn().other())),
            End::Stalemate => (OutcomeKind::Stalemate, GameResult::Draw),
            End::DeadPosition => (OutcomeKind::DeadPosition, GameResult::Draw),
        };
        let (before, after) = (game.tracker.position(ply.before()).shown(), position.shown());
        if game.plies[ply].is_held {
            return;
        }
        self.judge_doubts(ply, out);
        let is_doubted = self.is_end_doubted();
        if is_doubted {
            self.hold_end();
            // Why it waits is said as well.
            self.judge_doubts(ply, out);
        }
        let Some(game) = self.scene.playing() else { return };
        let position = game.tracker.position(ply);
        let stands_still = (end != End::DeadPosition).then(|| position.army());
        let why_dead = (end == End::DeadPosition).then(|| self.scene.why_dead(position));
        let is_unpressed = self.complete(ply, CompletedBy::GameEnd, None, out);
        let outcome = Outcome { ply: Some(ply), mate: why_dead.unwrap_or_default(), ..Outcome::of(result) };
        let mut draft = Draft::open((kind, outcome)).fens(before, after);
        if let Some(army) = stands_still {
            draft = draft.player(army);
        }
        let is_disputed = self.is_end_disputed(ply);
        // A flag so close to it leaves open which was first (6.9).
        let is_uncertain =
            !is_disputed && self.watch(out, |watch, report| watch.flags().order_uncertain(ply, report));
        if is_uncertain {
            self.hold_no_more();
        }
        if is_disputed || is_uncertain || is_doubted {
            self.open(draft, out);
            return;
        }
        self.open(draft.status(Status::Confirmed), out);
        watch::flags::flags_are_void(&mut self.report(out));
        self.over(kind, result, out);
        if is_unpressed && end != End::DeadPosition && !self.scene.is_ruling {
            self.watch_going_on(out);
        }
    }

    /// What would have to be settled before ply `ply` ends the game.
    pub(super) fn is_end_disputed(&self, ply: Ply) -> bool {
        self.records.open().any(|record| match record.name() {
            // An illegal move that has lost the game mates nobody (5.1.1, 7.5.5).
            Name::IllegalMoveForfeit | Name::IllegalMoveDraw => true,
            // Nor does a pawn that the Laws have made a queen.
            Name::PromotionNotReplaced => record.key.ply == ply,
            // The mate must accord with Article 4 as well (5.1.1): held while that is open.
            name => {
                self.scene.profile.mate_needs_article4 && record.key.ply == ply && ARTICLE_4.contains(&name)
            }
        })
    }

    /// The game has its result.
    pub(super) fn over(&mut self, reason: impl Into<EndedBy>, result: GameResult, out: &mut Vec<Event>) {
        let reason = reason.into();
        let result = self.penalised(result);
        self.hold_no_more();
        let plies = self.scene.playing().map_or(Ply::START, |game| game.tracker.plies());
        self.judge_doubts(plies, out);
        offers::requests_lapse(&mut self.report(out));
        results::declarations_end(reason, &mut self.report(out));
        self.end_completes(reason, out);
        windows::windows_close(&mut self.report(out));
        threats::threats_end(&mut self.report(out));
        let is_rival = |record: &Record| results::is_outcome(record) && reason != record.name().into();
        self.close_all(is_rival, Status::Expired, out);
        self.open(Draft::notice(GameOver { reason, result: result.into() }), out);
        if let Some(game) = &mut self.scene.game {
            game.result = Some(result);
            game.ended_by = Some(reason);
        }
        self.pending = Pending::default();
        if matches!(self.scene.mode(), Mode::AtHome | Mode::Moved) {
            self.restoring = None;
            self.scene.set_mode(Mode::Running);
            self.watch_for_start(out);
        }
    }

    /// An end of the game completes the last move without a press, where the edition says so (6.2.1.1).
    fn end_completes(&mut self, reason: EndedBy, out: &mut Vec<Event>) {
        let EndedBy::Outcome(outcome) = reason else { return };
        let end = match outcome {
            Name::Checkmate => GameEnd::Checkmate,
            Name::Stalemate => GameEnd::Stalemate,
            Name::DeadPosition => GameEnd::DeadPosition,
            Name::DrawAgreement => GameEnd::DrawAgreement,
            Name::Resignation => GameEnd::Resignation,
            Name::ThreefoldDraw => GameEnd::ThreefoldDraw,
            Name::FivefoldRepetition => GameEnd::FivefoldRepetition,
            Name::SeventyFiveMoves => GameEnd::SeventyFiveMoves,
            _ => return,
        };
        let completes = self.scene.profile.game_end_completes.contains(&end);
        let plies = self.scene.playing().map_or(Ply::START, |game| game.tracker.plies());
        if completes && !plies.is_start() {
            self.complete(plies, CompletedBy::GameEnd, None, out);
        }
    }

    /// Notices kings on the centre squares; only a board that names its men shows them.
    pub(super) fn watch_for_signal(&mut self) {
        self.pending.signal_ns = None;
        if self.scene.view == View::Identity && self.scene.playing().is_some_and(|game| game.info.is_some()) {
            let is_shown = self.scene.playing().is_some_and(|game| {
                let is_understood = game.tracker.is_explained() && game.displaced.is_empty();
                (self.scene.is_paused() || !is_understood) && kings_say(&self.scene).is_some()
            });
            self.pending.signal_ns = is_shown.then(|| self.scene.now.mono_ns + SIGNAL_NS);
        } else if self.scene.view == View::Identity && self.signalled_afterwards().is_some() {
            self.pending.signal_ns = Some(self.scene.now.mono_ns + SIGNAL_NS);
        }
    }

    /// The kings have rested there: the result that they show.
    pub(super) fn signalled(&mut self, out: &mut Vec<Event>) {
        self.pending.signal_ns = None;
        let at_ns = self.scene.now.mono_ns;
        if let Some(signal) = self.signalled_afterwards() {
            return hear_signal(signal, &mut self.report(out));
        }
        if self.scene.playing().is_none() {
            return;
        }
        let Some(signal) = kings_say(&self.scene) else { return };
        // They agree with an end that waits because its ply is in doubt.
        if self.held_result() == Some(signal.result) {
            self.held_end_stands(out);
        }
        if self.scene.playing().is_none() {
            return hear_signal(signal, &mut self.report(out));
        }
        let ply = before_the_kings_stepped(&self.scene, signal.squares);
        self.with_tracker(out, |tracker, steps| tracker.cut(ply, at_ns, steps));
        self.judge_doubts(ply, out);
        let is_taken = self.scene.setting.board_results;
        let signalled = ResultSignalled {
            ply: None,
            result: signal.result.into(),
            squares: all_named::<V>(&signal.squares),
        };
        let draft = if is_taken { Draft::notice(signalled) } else { Draft::open(signalled) };
        let record = self.open(draft.squares(&signal.squares), out);
        if !is_taken {
            self.report(out).propose_result(None, signal.result, record);
        }
        if is_taken {
            if let Some(game) = &mut self.scene.game {
                game.result = Some(signal.result);
            }
            self.pending.touches.clear();
            self.close_all(|record| record.name() == Name::BoardChangedWhilePaused, Status::Corrected, out);
        }
    }
}

/// It looks dead, but that is not proved (5.2.2): the arbiter may look.
fn suspect_dead<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    if report.records.open_record(Name::DeadPositionUnknown).is_none() {
        let basis = if V::ARMIES == 2 { DeadBasis::Blocked } else { DeadBasis::LittleMaterial };
        let suspected = DeadPositionUnknown { since_ply: ply, basis, mate_test: MateWord::Unknown };
        report.open(Draft::open(suspected));
    }
}

/// The players show the result as well: it agrees, or the arbiter looks.
fn hear_signal<V: Variant>(signal: KingSignal, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let (Some(result), Some(reason)) = (game.result, game.ended_by) else { return };
    if result != signal.result {
        return results::mismatch(reason, result, signal.result, report);
    }
    let signalled = ResultSignalled {
        ply: Some(game.tracker.plies()),
        result: signal.result.into(),
        squares: all_named::<V>(&signal.squares),
    };
    report.open(Draft::notice(signalled).squares(&signal.squares));
}

/// The last ply that was play: a king's uncompleted step onto the square where it signals now
/// was not (lila #11783: such steps end up as false last moves).
fn before_the_kings_stepped<V: Variant>(scene: &Scene<V>, squares: [Square; 2]) -> Ply {
    let Some(game) = scene.game.as_ref() else { return Ply::START };
    let mut ply = game.tracker.plies();
    while !ply.is_start() {
        let before = game.tracker.position(ply.before());
        let square = squares[before.turn().index()];
        let king = game.tracker.position(ply).content(square);
        let is_step = king == Content::man(before.army(), Role::King) && before.content(square) != king;
        let is_recent = scene.now.mono_ns.saturating_sub(game.tracker.made_ns(ply)) < STEP_NS;
        let is_completed = game.plies.get(ply).is_some_and(|ply| ply.completed_ns.is_some());
        if !is_step || !is_recent || is_completed {
            break;
        }
        ply = ply.before();
    }
    ply
}

/// What the kings say, wherever else men stand displaced.
fn kings_say<V: Variant>(scene: &Scene<V>) -> Option<KingSignal> {
    if scene.is_paused() {
        V::king_signal(&scene.shown())
    } else {
        V::king_signal(&position::standing_now(scene))
    }
}
