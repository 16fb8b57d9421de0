//! The array from which a game starts, when it is not the agreed one: said before the start, raised
//! when play begins over it, and what can be done about it how long (7.2.1, A.4.1.2; 2005: 7.1a, B4).

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{Known, Table, all_named, named, orientation};
use crate::event::finding::{
    AnnulGame, CastlingBan, ClaimFault, ClaimInadmissible, Claimed, Finding, PositionImpossible,
    StartPositionWrong,
};
use crate::event::{Event, RecordId, Status};
use crate::infer::View;
use crate::ply::Ply;
use adoube_rules::laws::{Edition, MisplacedCastling, Name, Severity};
use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::square::Square;
use adoube_rules::start::{WrongArray, WrongStart};
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// Men are being put on their squares: nothing that happens there is play.
    pub(super) fn is_setting_up(&self) -> bool {
        // Another layout than was set is whole all the same: nothing has to be put right.
        let is_wrong = self.wrong_start().is_some_and(|(_, wrong)| wrong.sub != WrongArray::OtherLayout);
        self.scene.game.as_ref().is_some_and(|game| {
            !game.is_started && game.plies.is_empty() && (is_wrong || game.info.is_none())
        })
    }

    /// What is open about the array.
    fn wrong_start(&self) -> Option<(RecordId, &StartPositionWrong)> {
        let open = self.records.open_record(Name::StartPositionWrong)?;
        match &open.finding {
            Finding::StartPositionWrong(wrong) => Some((open.number, wrong)),
            _ => None,
        }
    }

    /// The clock was started or the first move was made: what was wrong before is in the game now.
    pub(super) fn play_begins(&mut self, out: &mut Vec<Event>) {
        match self.records.open_record(Name::StartPositionWrong).map(|open| (open.number, open.severity)) {
            Some((number, Some(Severity::Notice))) => {
                self.amend(number, |record| record.severity = Some(Severity::Alert), out);
            }
            Some(_) => {}
            None => judge_array(&mut self.report(out)),
        }
        orientation::raise_orientation(&mut self.report(out));
    }

    /// A move was completed: perhaps the last one before the window closes.
    pub(super) fn judge_set_up_window(&mut self, out: &mut Vec<Event>) {
        let open = self.wrong_start().filter(|(_, wrong)| wrong.too_late != Some(true));
        let Some(number) = open.map(|open| open.0).filter(|_| set_up_window_is_closed(&self.scene)) else {
            return;
        };
        let too_late = |record: &mut Record| {
            if let Finding::StartPositionWrong(wrong) = &mut record.finding {
                wrong.too_late = Some(true);
            }
        };
        self.amend(number, too_late, out);
        // The game is played on: there is nothing to annul any more.
        let is_past = |record: &Record| record.of == Some(number) && record.name() == Name::AnnulGame;
        self.close_all(is_past, Status::Expired, out);
        propose_castling_bans(number, &mut self.report(out));
    }

    /// Somebody says that the men were set up wrong.
    pub(super) fn report_set_up(&mut self, out: &mut Vec<Event>) {
        if self.scene.playing().is_none() {
            return;
        }
        if set_up_window_is_closed(&self.scene) {
            return refuse_late_claim(Claimed::SetupWrong, &mut self.report(out));
        }
        self.play_begins(out);
        let record = self.records.open_number(Name::StartPositionWrong).unwrap_or_else(|| {
            // The board has not shown it: his word for it.
            self.open(Draft::open(StartPositionWrong::of(WrongArray::Other)).severity(Severity::Alert), out)
        });
        self.propose(Draft::open(AnnulGame { reason: "start-position".to_owned() }), record, out);
    }
}

/// Whose men stand wrong, if they are those of one player alone.
fn army_set_up_wrong<V: Variant>(scene: &Scene<V>, wrong: &WrongStart) -> Option<Army> {
    let start = scene.game.as_ref().filter(|_| V::ARMIES > 2)?.tracker.position(Ply::START);
    let there = wrong.squares.iter().map(|&square| start.content(square));
    let men = there.chain(wrong.missing.iter().chain(&wrong.extra).copied());
    let mut armies = men.filter_map(|man| man.seat_role().map(|(army, _)| army));
    let army = armies.next()?;
    armies.all(|other| other == army).then_some(army)
}

/// Men that no series of moves brings together (3.10.3). Only a board that names them shows it, and
/// over a wrong array there is nothing more to say.
pub(super) fn judge_counts<V: Variant>(report: &mut Report<'_, V>) {
    let is_judged =
        report.view == View::Identity && report.records.open_record(Name::StartPositionWrong).is_none();
    let Some(game) = report.scene.game.as_ref().filter(|_| is_judged) else { return };
    let position = game.tracker.best().clone();
    if let Some(reason) = position.impossible_counts().into_iter().next() {
        let found = PositionImpossible { sub: reason.name.to_owned(), text: reason.text };
        // One inquiry, whatever else is wrong: the first reason is the plainest.
        report.open(Draft::open(found).fens(position.shown(), position.shown()));
    }
}

/// Moves of each side that `counts` chooses, those before the start position with them.
pub(super) fn moves<V: Variant>(scene: &Scene<V>, counts: impl Fn(&Known) -> bool) -> [u32; 2] {
    let Some(game) = scene.game.as_ref() else { return [0; 2] };
    let mut moves = game.tracker.position(Ply::START).moves_before();
    for (ply, known) in game.plies.iter() {
        if let Some(mover) = scene.mover(ply).filter(|_| counts(known)) {
            moves[mover.index()] += 1;
        }
    }
    moves
}

/// So many moves are completed by each that nothing about set-up, orientation or clock setting can
/// be claimed any more.
pub(super) fn set_up_window_is_closed<V: Variant>(scene: &Scene<V>) -> bool {
    let completed = moves(scene, |ply| ply.completed_ns.is_some());
    scene
        .profile
        .setup_claim_deadline_moves
        .is_some_and(|limit| completed.iter().all(|&count| count >= limit))
}

/// A claim under A.4.1 that comes when ten (2005: three) moves are completed by each.
pub(super) fn refuse_late_claim<V: Variant>(claim: Claimed, report: &mut Report<'_, V>) {
    let found = ClaimInadmissible { reason: ClaimFault::WindowClosed, claim, side: None };
    report.open(Draft::notice(found));
}

/// What is wrong with the array from which the game starts, or is about to.
pub(super) fn wrong_array<V: Variant>(scene: &Scene<V>) -> Option<WrongStart> {
    let game = scene.game.as_ref().filter(|game| !game.is_given)?;
    let (start, agreed) = (game.tracker.position(Ply::START), scene.setting.agreed.as_ref());
    // A given position that nobody has agreed otherwise is the agreed one; in Chess960 it may
    // still be no array at all (II.2).
    let is_given = scene.setting.start.is_some() && agreed.is_none();
    if is_given && (scene.setting.in_progress || !scene.setting.shuffled) {
        return None;
    }
    let contents: Vec<_> = crate::infer::squares::<V>().map(|square| start.content(square)).collect();
    V::wrong_start(&contents, agreed, scene.view == View::Identity, scene.setting.shuffled)
}

/// Says what is wrong with the array, if anything is.
pub(super) fn judge_array<V: Variant>(report: &mut Report<'_, V>) {
    let Some(wrong) = wrong_array(report.scene) else { return judge_layout(report) };
    let is_started = report.scene.game.as_ref().is_some_and(|game| game.is_started);
    let letters =
        |men: &[Content]| -> Vec<String> { men.iter().filter_map(|&man| V::FAMILY.man_name(man)).collect() };
    let found = StartPositionWrong {
        squares: Some(all_named::<V>(&wrong.squares)),
        missing: Some(letters(&wrong.missing)),
        extra: Some(letters(&wrong.extra)),
        too_late: Some(false),
        ..StartPositionWrong::of(wrong.sub)
    };
    let mut draft = Draft::open(found).squares(&wrong.squares).severity(if is_started {
        Severity::Alert
    } else {
        Severity::Notice
    });
    if let Some(army) = army_set_up_wrong(report.scene, &wrong) {
        draft = draft.player(army);
    }
    report.open(draft);
}

/// Says so where the board shows another layout than somebody has set. The game follows the board: an
/// array that is whole is meant.
pub(super) fn judge_layout<V: Variant>(report: &mut Report<'_, V>) {
    let setting = &report.setting;
    let is_told = setting.start.is_some() || setting.agreed.is_some();
    if is_told || report.records.open_record(Name::StartPositionWrong).is_some() {
        return;
    }
    let Some(game) = report.scene.game.as_ref() else { return };
    let (set, shown) = (setting.usual.layout(), game.tracker.position(Ply::START).layout());
    let differing = set.into_iter().zip(shown);
    let (set, shown): (Vec<String>, Vec<String>) = differing
        .filter(|(set, shown)| set != shown && setting.layout_set.contains(&set.0))
        .map(|(set, shown)| (set.1.to_owned(), shown.1.to_owned()))
        .unzip();
    if set.is_empty() {
        return;
    }
    let found = StartPositionWrong {
        squares: Some(Vec::new()),
        set: Some(set),
        shown: Some(shown),
        too_late: Some(false),
        ..StartPositionWrong::of(WrongArray::OtherLayout)
    };
    let severity = if game.is_started { Severity::Alert } else { Severity::Notice };
    report.open(Draft::open(found).severity(severity));
}

/// Kings, and single rooks, that may not castle because they stood wrong.
pub(super) fn castling_bans<V: Variant>(scene: &Scene<V>) -> Vec<(Side, Option<Square>)> {
    let Some(game) =
        scene.game.as_ref().filter(|_| scene.profile.misplaced_castling == MisplacedCastling::Forbidden)
    else {
        return Vec::new();
    };
    let mut bans = game.tracker.position(Ply::START).misplaced(scene.setting.agreed.as_ref());
    if scene.profile.edition == Edition::Fide2005 {
        // B4 speaks of king and queen only.
        bans.retain(|(_, rook)| rook.is_none());
    }
    bans
}

fn propose_castling_bans<V: Variant>(record: RecordId, report: &mut Report<'_, V>) {
    for (side, rook) in castling_bans(report.scene) {
        let rook = rook.map(named::<V>);
        let banned = rook.as_ref().map_or_else(|| "king".to_owned(), |rook| format!("rook {}", rook.0));
        let [white, black] = Side::BOTH.map(|of| Some(banned.clone()).filter(|_| of == side));
        report.propose(Draft::open(CastlingBan { side, white, black, rook }), record);
    }
}

/// Where the board shows something else than the game's position: what has to be put right before
/// the clock is started (I.5, 7.5.1).
pub(super) fn differing_squares<V: Variant>(scene: &Scene<V>) -> Vec<Square> {
    let Some(game) = scene.game.as_ref() else { return Vec::new() };
    let (best, contents) = (game.tracker.best(), orientation::oriented(scene, game.turned));
    let sees = |square: Square| scene.view.see(best.content(square));
    Square::all()
        .zip(contents)
        .filter(|&(square, content)| sees(square) != content)
        .map(|(square, _)| square)
        .collect()
}

#[cfg(test)]
mod tests;
