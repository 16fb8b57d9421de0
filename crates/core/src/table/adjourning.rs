//! Games that are interrupted: adjournment with a sealed move, and reconstruction (guideline I, 8.5.3;
//! 2005: appendix A). What happens on the board meanwhile is no play.

use super::records::{Draft, Record};
use super::rulings::position;
use super::scene::{Report, Scene};
use super::{Mode, Table, all_named, setting_up, touching, written};
use crate::event::finding::{
    self, AdjournmentSheet, BothTimes, ClockSettingWrong, Context, DefaultTimeExpired, Finding, OutcomeKind,
    ReconstructionSnapshot, RestorePosition, ResumePositionWrong, SealedMoveInvalid, SealedMoveMadeOnBoard,
    SquareName, UnexplainedPosition, Window,
};
use crate::event::{CompletedBy, Event, Status, Times};
use crate::ply::Ply;
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::laws::Name;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};
use adoube_rules::{GameResult, Position as _, Variant};

/// Times at the resumption may differ so much from those at the adjournment: clocks show whole seconds.
const TOLERANCE_MS: u64 = 1_000;

/// Modes in which the move is sealed and the game does not go on.
const INTERRUPTED: [Mode; 3] = [Mode::Sealing, Mode::Adjourned, Mode::SealedReply];

/// An adjourned game.
#[derive(Debug, Clone)]
pub(super) struct Adjournment<V: Variant> {
    /// Who seals.
    sealer: Side,
    /// The ply that the sealed move is.
    ply: Ply,
    /// The times when the clocks were stopped.
    times: Option<Times>,
    /// The sheet was written.
    is_written: bool,
    /// The sealed move, once the envelope is open.
    sealed: Option<V::Move>,
    /// Who is absent from the resumption, and when he has lost by default.
    absent: Option<(Side, u64)>,
}

impl<V: Variant> Table<V> {
    /// The game is interrupted, and `sealer` seals its move (I.1).
    pub(super) fn adjourn(&mut self, sealer: Side, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &[Mode::Running])?;
        if self.scene.turn() != sealer {
            return Err(inapplicable(format!("{} has the move and seals (I.1.1)", sealer.other().name())));
        }
        let (times, ply) = (self.scene.times(), self.scene.ply_to_come());
        if let Some(game) = &mut self.scene.game {
            game.adjournment =
                Some(Adjournment { sealer, ply, times, is_written: false, sealed: None, absent: None });
        }
        self.scene.set_mode(Mode::Sealing);
        self.clocks_stopped_while_sealing(out);
        Ok(())
    }

    /// The clocks were stopped: the sealed move is in its envelope, and the sheet can be written (I.1.1,
    /// I.2).
    pub(super) fn clocks_stopped_while_sealing(&mut self, out: &mut Vec<Event>) {
        let is_stopped = self.scene.clock.last().is_none_or(|reading| reading.running.is_none());
        if self.scene.mode() != Mode::Sealing || !is_stopped {
            return;
        }
        // Whoever stops the clocks has let go of the piece: nothing has to rest any longer.
        if self.pending.settle_ns.is_some() {
            self.moved_while_sealing(out);
        }
        self.scene.set_mode(Mode::Adjourned);
        let times = self.scene.times();
        let offer = self.records.open_record(Name::DrawOffer).and_then(|offer| offer.key.side);
        let Some(game) = &mut self.scene.game else { return };
        let Some(adjournment) = &mut game.adjournment else { return };
        adjournment.times = times;
        if std::mem::replace(&mut adjournment.is_written, true) {
            return;
        }
        let sealer = adjournment.sealer;
        let ply = game.tracker.plies();
        let fen = game.tracker.position(ply).fen();
        let number = fen.split_whitespace().nth(5).and_then(|number| number.parse::<u32>().ok());
        let player = |side: Side| game.info.as_ref().map(|info| info.players[side.index()].name.clone());
        let sheet = AdjournmentSheet {
            fen,
            side: sealer,
            number,
            times: times.map(BothTimes::from),
            // The arbiter may adjourn all the same; that the event provides for it is not so.
            announced: (!self.scene.profile.adjournment).then_some(false),
            white: player(Side::White),
            black: player(Side::Black),
            open: offer.map(|offerer| format!("draw-offer by {}", offerer.name())),
        };
        self.open(Draft::notice(sheet), out);
    }

    /// The picture changed after the order to seal: when it has rested as a released piece does.
    pub(super) fn watch_while_sealing(&mut self) {
        if self.scene.mode() == Mode::Sealing {
            self.pending.settle_ns =
                Some(self.scene.now.mono_ns + u64::from(self.scene.profile.release_dwell_ms) * MS);
        }
    }

    /// A move made on the board after the order to seal: it must be the sealed one (I.1.1).
    pub(super) fn moved_while_sealing(&mut self, out: &mut Vec<Event>) {
        self.pending.settle_ns = None;
        let Some(game) = &self.scene.game else { return };
        let position = game.tracker.position(game.tracker.plies());
        let standing = position::standing_now(&self.scene);
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let is_shown = |&mv: &V::Move| shows(&self.scene, &position.play(mv), &standing);
        let Some(mv) = moves.into_iter().find(is_shown) else { return };
        let made = SealedMoveMadeOnBoard {
            ply: game.tracker.plies().next(),
            by: position.turn(),
            context: None,
            san: position.played(mv).bare_san(),
            sealed: None,
        };
        self.open(Draft::open(made), out);
    }

    /// The envelope is open (I.8). Nothing of it leaves the arbiter's desk before the move is played.
    pub(super) fn seal(&mut self, text: &str, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &INTERRUPTED)?;
        let Some(game) = &self.scene.game else { return Ok(()) };
        let Some(adjournment) = &game.adjournment else {
            return Err(inapplicable("nobody seals in this game"));
        };
        if self.scene.mode() == Mode::SealedReply {
            return Err(inapplicable(
                "the reply in the second envelope is played on the board; use \"resume-game\" when the sealer is there",
            ));
        }
        let sealer = adjournment.sealer;
        let position = game.tracker.position(game.tracker.plies()).clone();
        // It is read once more.
        let read_before = [Name::SealedMoveInvalid, Name::SealedMoveForfeit];
        self.close_all(|record| read_before.contains(&record.name()), Status::Withdrawn, out);
        match written::read::<V>(&position, text) {
            Ok(mv) => {
                if let Some(adjournment) = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut())
                {
                    adjournment.sealed = Some(mv);
                }
                compare_with_envelope(&position, mv, &mut self.report(out));
            }
            Err(reason) => {
                let invalid = SealedMoveInvalid { by: sealer, ply: self.scene.ply_to_come(), reason };
                let record = self.open(Draft::open(invalid), out);
                let forfeit = (OutcomeKind::SealedMoveForfeit, lost_by(sealer));
                self.open(Draft::open(forfeit).of(record), out);
            }
        }
        Ok(())
    }

    /// The game goes on: is the position the adjourned one, and are the times (I.5)?
    pub(super) fn resume_game(&mut self, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &INTERRUPTED)?;
        let was_reply = self.scene.mode() == Mode::SealedReply;
        self.scene.set_mode(Mode::Running);
        self.look_again();
        let Some(adjournment) = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut()) else {
            return Ok(());
        };
        adjournment.absent = None;
        let (sealed, times) = (adjournment.sealed, adjournment.times);
        let Some(game) = &self.scene.game else { return Ok(()) };
        let position = game.tracker.position(game.tracker.plies());
        let standing = position::standing_now(&self.scene);
        let is_played = sealed.is_some_and(|mv| shows(&self.scene, &position.play(mv), &standing));
        if let Some(mv) = sealed.filter(|_| is_played) {
            // Known from the envelope: a board that does not name its men need not tell it again.
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| {
                tracker.take_as_made(mv, at_ns, steps);
            });
        }
        if is_played || was_reply {
            self.show_really(out);
            return Ok(());
        }
        self.resume_over(|ply, squares| ResumePositionWrong { ply, squares }, out);
        check_resumed_times(times, &mut self.report(out));
        Ok(())
    }

    /// Compares the board with the position of the game; where it differs, `differing` is opened and closes
    /// when the men are where they belong.
    fn resume_over<F: Into<Finding>>(
        &mut self,
        differing: impl FnOnce(Ply, Vec<SquareName>) -> F,
        out: &mut Vec<Event>,
    ) {
        let squares = setting_up::differing_squares(&self.scene);
        if squares.is_empty() {
            return;
        }
        let finding = differing(self.scene.ply_to_come(), all_named::<V>(&squares));
        let record = self.open(Draft::open(finding).squares(&squares), out);
        self.mask(Some(record), out);
    }

    /// The first move after a resumption: its times can no longer be corrected (I.13).
    pub(super) fn resumption_played(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let is_of_resumption = |record: &Record| {
            let Finding::ClockSettingWrong(wrong) = &record.finding else { return false };
            record.key.ply <= ply && wrong.context == Some(Context::Resume)
        };
        self.close_all(is_of_resumption, Status::Expired, out);
        if self.scene.mode() != Mode::Running {
            return;
        }
        judge_sealed(ply, &mut self.report(out));
        self.completes_sealed(ply, out);
        // Until the reply to it stands, the sealed move may be taken back and another one be made.
        if let Some(game) = &mut self.scene.game {
            game.adjournment =
                game.adjournment.take().filter(|known| known.sealed.is_some() && ply <= known.ply);
        }
    }

    /// The sealer is not there: his opponent may seal his reply (I.9.3), and after the default time he
    /// has lost, unless his sealed move ended the game (I.10).
    pub(super) fn sealer_absent(&mut self, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &[Mode::Running, Mode::Adjourned, Mode::Sealing])?;
        let minutes = self.scene.profile.adjourned_default_min.or(self.scene.profile.default_time_min);
        let now_ns = self.scene.now.mono_ns;
        let Some(adjournment) = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut()) else {
            return Err(inapplicable("the game was not adjourned, so nobody has sealed"));
        };
        let due_ns = minutes.map(|minutes| now_ns + u64::from(minutes) * 60 * SECOND);
        adjournment.absent = due_ns.map(|due_ns| (adjournment.sealer, due_ns));
        let sealed = adjournment.sealed;
        let Some(game) = &self.scene.game else { return Ok(()) };
        let position = game.tracker.position(game.tracker.plies());
        if let Some(mv) = sealed.filter(|&mv| position.play(mv).end().is_some()) {
            self.scene.set_mode(Mode::Running);
            if let Some(adjournment) = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut()) {
                adjournment.absent = None;
            }
            let at_ns = self.scene.now.mono_ns;
            self.with_tracker(out, |tracker, steps| {
                tracker.take_as_made(mv, at_ns, steps);
            });
            return Ok(());
        }
        self.scene.set_mode(Mode::SealedReply);
        Ok(())
    }

    /// The default time of a resumption is over (I.10).
    pub(super) fn absent_defaulted(&mut self, out: &mut Vec<Event>) {
        let adjournment = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut());
        let Some((absent, _)) = adjournment.and_then(|adjournment| adjournment.absent.take()) else { return };
        if self.scene.playing().is_none() {
            return;
        }
        let expired = DefaultTimeExpired {
            side: absent.into(),
            context: Some(Context::Resume),
            since_ms: None,
            default_ms: None,
        };
        let record = self.open(Draft::open(expired).keyed(absent), out);
        let forfeit = (OutcomeKind::LateArrivalForfeit, lost_by(absent));
        self.open(Draft::open(forfeit).of(record), out);
    }

    pub(super) fn reconstruct(&mut self, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &[Mode::Running])?;
        let Some(game) = &self.scene.game else { return Ok(()) };
        let fen = game.tracker.position(game.tracker.plies()).fen();
        let counts = self.scene.counts();
        let snapshot = ReconstructionSnapshot {
            fen,
            times: self.scene.times().map(BothTimes::from),
            side_running: self.scene.clock.last().and_then(|reading| reading.running),
            made: counts.made.into(),
            completed: counts.completed.into(),
        };
        self.open(Draft::notice(snapshot), out);
        self.scene.set_mode(Mode::Reconstruction);
        self.pending.forget_picture();
        Ok(())
    }

    /// The moves are reconstructed: the board must show the position again (8.5.3).
    pub(super) fn end_reconstruct(&mut self, out: &mut Vec<Event>) -> Outcome {
        check_mode(&self.scene, &[Mode::Reconstruction])?;
        self.scene.set_mode(Mode::Running);
        self.look_again();
        self.resume_over(|ply, squares| UnexplainedPosition { ply, squares }, out);
        Ok(())
    }

    /// A sealed move was completed when its player had sealed it and stopped the clocks (I.1.1).
    fn completes_sealed(&mut self, ply: Ply, out: &mut Vec<Event>) {
        let adjournment = self.scene.game.as_mut().and_then(|game| game.adjournment.as_mut());
        let Some(adjournment) = adjournment.filter(|known| known.ply == ply) else { return };
        // Whoever was waited for may have come: the move is out of its envelope.
        adjournment.absent = None;
        let is_sealed = self.scene.game.as_ref().is_some_and(|game| {
            game.adjournment.as_ref().is_some_and(|known| known.sealed == game.tracker.mv(ply))
        });
        if is_sealed {
            self.complete_by_ruling(ply, out);
        }
    }

    /// A move that a ruling completes.
    pub(super) fn complete_by_ruling(&mut self, ply: Ply, out: &mut Vec<Event>) {
        self.complete(ply, CompletedBy::Ruling, None, out);
    }
}

/// `side` has lost by what it did or did not do.
fn lost_by(side: Side) -> finding::Outcome {
    finding::Outcome { by: Some(side), ..finding::Outcome::of(GameResult::win(side.other())) }
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Running => "being played; adjourn or reconstruct it first",
            Self::Sealing => "being sealed",
            Self::Adjourned => "adjourned; use \"resume-game\" first",
            Self::SealedReply => "waiting for the absent sealer; use \"resume-game\" first",
            Self::AtHome => "broken off, and the men stand at home; enter its result, or annul it",
            Self::Moved => "being set up at its new board",
            Self::Reconstruction => "being reconstructed; use \"end-reconstruct\" first",
        }
    }
}

/// The ruling is refused unless the game is in one of these modes.
fn check_mode<V: Variant>(scene: &Scene<V>, expected: &[Mode]) -> Outcome {
    if expected.contains(&scene.mode()) {
        return Ok(());
    }
    Err(inapplicable(format!("the game is {}", scene.mode().name())))
}

/// What was made on the board after the order to seal, against what the envelope holds (I.1.1).
fn compare_with_envelope<V: Variant>(position: &V::Position, sealed: V::Move, report: &mut Report<'_, V>) {
    let Some(record) = report.records.open_record(Name::SealedMoveMadeOnBoard) else { return };
    let Finding::SealedMoveMadeOnBoard(made) = &record.finding else { return };
    let number = record.number;
    let written = position.played(sealed).bare_san();
    let is_same = made.san == written;
    let compare = |record: &mut Record| {
        if let Finding::SealedMoveMadeOnBoard(made) = &mut record.finding {
            made.sealed = Some(written);
        }
    };
    report.amend(number, compare);
    if is_same {
        report.close(number, Status::Corrected);
    } else {
        touching::propose_replacement(number, position, &[sealed], report);
    }
}

/// The first move behind the resumption is the sealed one and no other (I.8): its position, and what has
/// to be played, if it is not.
fn judge_sealed<V: Variant>(ply: Ply, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let sealed = game.adjournment.as_ref().filter(|adjournment| adjournment.ply == ply);
    let Some((sealer, sealed)) = sealed.and_then(|known| Some((known.sealer, known.sealed?))) else {
        return;
    };
    let Some(played) = game.tracker.mv(ply).filter(|&played| played != sealed) else { return };
    let position = game.tracker.position(ply.before()).clone();
    let made = SealedMoveMadeOnBoard {
        ply,
        by: sealer,
        context: Some(Context::Resume),
        san: position.played(played).bare_san(),
        sealed: Some(position.played(sealed).bare_san()),
    };
    let record = report.open(Draft::open(made));
    let restore = RestorePosition { fen: position.fen(), side: Some(sealer), ply: ply.before() };
    report.propose(Draft::open(restore), record);
    touching::propose_replacement(record, &position, &[sealed], report);
    report.propose_clock_times(record);
}

fn check_resumed_times<V: Variant>(then: Option<Times>, report: &mut Report<'_, V>) {
    let (Some(then), Some(now)) = (then, report.times()) else { return };
    if then.iter().zip(&now).all(|(then, now)| then.abs_diff(*now) <= TOLERANCE_MS) {
        return;
    }
    let wrong = ClockSettingWrong {
        ply: Some(report.ply_to_come()),
        side: None,
        context: Some(Context::Resume),
        expected: Some(then.into()),
        seen: Some(now.into()),
        expected_ms: None,
        seen_ms: None,
        white_ms: None,
        black_ms: None,
    };
    let draft = Draft::open(wrong).window(Window::FirstMoveResumed);
    let record = report.open(draft);
    report.propose_times(record, then, now);
}

/// When whoever is absent from a resumption has lost by default.
pub(super) fn absent_ns<V: Variant>(scene: &Scene<V>) -> Option<u64> {
    scene.playing()?.adjournment.as_ref()?.absent.map(|(_, due_ns)| due_ns)
}

/// The clock of whoever is to reply to the sealed move runs while that is still in its envelope: he is not there, and the
/// clock is his (I.9.2). True if that is so.
pub(super) fn replier_runs<V: Variant>(scene: &mut Scene<V>, side: Side) -> bool {
    let minutes = scene.profile.adjourned_default_min.or(scene.profile.default_time_min);
    let due_ns = minutes.map(|minutes| scene.now.mono_ns + u64::from(minutes) * 60 * SECOND);
    let Some(game) = &mut scene.game else { return false };
    let plies = game.tracker.plies();
    let Some(adjournment) = game.adjournment.as_mut().filter(|known| known.sealer == side.other()) else {
        return false;
    };
    let waits = adjournment.ply == plies.next();
    if waits {
        adjournment.absent = due_ns.map(|due_ns| (side, due_ns));
    }
    waits
}

/// Does a board on which `standing` stands show `position`?
pub(super) fn shows<V: Variant>(scene: &Scene<V>, position: &V::Position, standing: &[Content]) -> bool {
    Square::all()
        .zip(standing)
        .all(|(square, &content)| scene.view.see(position.content(square)) == scene.view.see(content))
}
