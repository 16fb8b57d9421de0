//! The array from which a game starts, when it is not the agreed one: said before the start, raised
//! when play begins over it, and what can be done about it how long (7.2.1, A.4.1.2; 2005: 7.1a, B4).

use serde_json::Value;

use crate::event::{Event, Status};
use crate::infer::View;
use crate::rules::laws::{Edition, MisplacedCastling, Name};
use crate::rules::start::WrongStart;
use crate::rules::{Position as _, Variant};
use crate::sensor::{Content, Side};

use super::records::Draft;
use super::{Ply, Table};

/// `sub` of an array that is right, but laid out otherwise than the event's parameters say.
const OTHER_LAYOUT: &str = "other-layout";

impl<V: Variant> Table<V> {
    /// What is wrong with the array from which the game starts, or is about to.
    pub(super) fn wrong_array(&self) -> Option<WrongStart> {
        let game = self.game.as_ref()?;
        let (start, agreed) = (game.tracker.position(0), self.setting.agreed.as_ref());
        // A given position that nobody has agreed otherwise is the agreed one; in Chess960 it may
        // still be no array at all (II.2).
        let is_given = self.setting.start.is_some() && agreed.is_none();
        if is_given && (self.setting.in_progress || !self.setting.shuffled) {
            return None;
        }
        let contents: Vec<_> = crate::infer::squares::<V>().map(|square| start.content(square)).collect();
        V::wrong_start(&contents, agreed, self.view == View::Identity, self.setting.shuffled)
    }

    /// Says what is wrong with the array, if anything is.
    pub(super) fn judge_array(&mut self, out: &mut Vec<Event>) {
        let Some(wrong) = self.wrong_array() else { return self.judge_layout(out) };
        let is_started = self.game.as_ref().is_some_and(|game| game.is_started);
        let letters = |men: &[Content]| -> Vec<Value> {
            men.iter().filter_map(|&man| V::FAMILY.man_name(man)).map(Value::from).collect()
        };
        let mut draft = Draft::open(Name::StartPositionWrong)
            .squares(&wrong.squares)
            .with("sub", wrong.sub)
            .with("missing", letters(&wrong.missing))
            .with("extra", letters(&wrong.extra))
            .with("too_late", false)
            .severity(if is_started { "alert" } else { "notice" });
        if let Some(army) = self.army_set_up_wrong(&wrong) {
            draft = draft.player(army);
        }
        self.open(draft, out);
    }

    /// Whose men stand wrong, if they are those of one player alone.
    fn army_set_up_wrong(&self, wrong: &WrongStart) -> Option<u8> {
        let start = self.game.as_ref().filter(|_| V::ARMIES > 2)?.tracker.position(0);
        let there = wrong.squares.iter().map(|&square| start.content(square));
        let men = there.chain(wrong.missing.iter().chain(&wrong.extra).copied());
        let mut armies = men.filter_map(|man| man.seat_role().map(|(army, _)| army));
        let army = armies.next()?;
        armies.all(|other| other == army).then_some(army)
    }

    /// Says so where the board shows another layout than somebody has set. The game follows the board: an
    /// array that is whole is meant.
    pub(super) fn judge_layout(&mut self, out: &mut Vec<Event>) {
        let setting = &self.setting;
        let is_told = setting.start.is_some() || setting.agreed.is_some() || self.view != View::Identity;
        if is_told || self.open_record(Name::StartPositionWrong).is_some() {
            return;
        }
        let Some(game) = &self.game else { return };
        let (set, shown) = (setting.usual.layout(), game.tracker.position(0).layout());
        let differing = set.into_iter().zip(shown);
        let (set, shown): (Vec<Value>, Vec<Value>) = differing
            .filter(|(set, shown)| set != shown && setting.layout_set.contains(&set.0))
            .map(|(set, shown)| (Value::from(set.1), Value::from(shown.1)))
            .unzip();
        if set.is_empty() {
            return;
        }
        let draft = Draft::open(Name::StartPositionWrong)
            .squares(&[])
            .with("sub", OTHER_LAYOUT)
            .with("set", set)
            .with("shown", shown)
            .with("too_late", false)
            .severity(if game.is_started { "alert" } else { "notice" });
        self.open(draft, out);
    }

    /// Men that no series of moves brings together (3.10.3). Only a board that names them shows it, and
    /// over a wrong array there is nothing more to say.
    pub(super) fn judge_counts(&mut self, out: &mut Vec<Event>) {
        let is_judged = self.view == View::Identity && self.open_record(Name::StartPositionWrong).is_none();
        let Some(game) = self.game.as_ref().filter(|_| is_judged) else { return };
        let position = game.tracker.best().clone();
        if let Some(reason) = position.impossible_counts().into_iter().next() {
            let draft = Draft::open(Name::PositionImpossible)
                .with("sub", reason.name)
                .with("text", reason.text)
                .fens(position.shown(), position.shown());
            // One inquiry, whatever else is wrong: the first reason is the plainest.
            self.open(draft, out);
        }
    }

    /// Men are being put on their squares: nothing that happens there is play.
    pub(super) fn is_setting_up(&self) -> bool {
        // Another layout than was set is whole all the same: nothing has to be put right.
        let is_wrong = self
            .open_record(Name::StartPositionWrong)
            .is_some_and(|record| record.payload.get("sub") != Some(&Value::from(OTHER_LAYOUT)));
        self.game.as_ref().is_some_and(|game| {
            !game.is_started && game.plies.is_empty() && (is_wrong || game.info.is_none())
        })
    }

    /// The clock was started or the first move was made: what was wrong before is in the game now.
    pub(super) fn play_begins(&mut self, out: &mut Vec<Event>) {
        match self.open_record(Name::StartPositionWrong).map(|open| (open.number, open.severity)) {
            Some((number, Some("notice"))) => {
                self.amend(number, |record| record.severity = Some("alert"), out);
            }
            Some(_) => {}
            None => self.judge_array(out),
        }
        self.raise_orientation(out);
    }

    /// Moves of each side that `counts` chooses, those before the start position with them.
    pub(super) fn moves(&self, counts: impl Fn(&Ply) -> bool) -> [u32; 2] {
        let Some(game) = &self.game else { return [0; 2] };
        let mut moves = game.tracker.position(0).moves_before();
        for (ply, known) in (1_u32..).zip(&game.plies) {
            if let Some(mover) = self.mover(ply).filter(|_| counts(known)) {
                moves[mover.index()] += 1;
            }
        }
        moves
    }

    /// So many moves are completed by each that nothing about set-up, orientation or clock setting can
    /// be claimed any more.
    pub(super) fn set_up_window_is_closed(&self) -> bool {
        let completed = self.moves(|ply| ply.completed_ns.is_some());
        self.profile
            .setup_claim_deadline_moves
            .is_some_and(|limit| completed.iter().all(|&count| count >= limit))
    }

    /// A move was completed: perhaps the last one before the window closes.
    pub(super) fn judge_set_up_window(&mut self, out: &mut Vec<Event>) {
        let is_too_late = |record: &super::Record| record.payload.get("too_late") == Some(&Value::Bool(true));
        let open = self.open_record(Name::StartPositionWrong).filter(|record| !is_too_late(record));
        let Some(number) = open.map(|record| record.number).filter(|_| self.set_up_window_is_closed()) else {
            return;
        };
        self.amend(
            number,
            |record| {
                record.payload.insert("too_late".into(), true.into());
            },
            out,
        );
        // The game is played on: there is nothing to annul any more.
        let is_past = |record: &super::Record| record.of == Some(number) && record.name() == Name::AnnulGame;
        self.close_all(is_past, Status::Expired, out);
        self.propose_castling_bans(number, out);
    }

    /// Kings, and single rooks, that may not castle because they stood wrong.
    pub(super) fn castling_bans(&self) -> Vec<(Side, Option<u8>)> {
        let Some(game) =
            self.game.as_ref().filter(|_| self.profile.misplaced_castling == MisplacedCastling::Forbidden)
        else {
            return Vec::new();
        };
        let mut bans = game.tracker.position(0).misplaced(self.setting.agreed.as_ref());
        if self.profile.edition == Edition::Fide2005 {
            // B4 speaks of king and queen only.
            bans.retain(|(_, rook)| rook.is_none());
        }
        bans
    }

    fn propose_castling_bans(&mut self, record: u32, out: &mut Vec<Event>) {
        for (side, rook) in self.castling_bans() {
            let mut draft = Draft::open(Name::CastlingBan).side(side);
            draft = match rook {
                None => draft.with(side.name(), "king"),
                Some(rook) => draft
                    .with(side.name(), format!("rook {}", V::FAMILY.square_name(rook)))
                    .with("rook", V::FAMILY.square_name(rook)),
            };
            self.propose(draft, record, out);
        }
    }

    /// Somebody says that the men were set up wrong.
    pub(super) fn report_set_up(&mut self, out: &mut Vec<Event>) {
        if self.playing().is_none() {
            return;
        }
        if self.set_up_window_is_closed() {
            return self.refuse_late_claim("setup-wrong", out);
        }
        self.play_begins(out);
        let record = self.open_number(Name::StartPositionWrong).unwrap_or_else(|| {
            // The board has not shown it: his word for it.
            self.open(Draft::open(Name::StartPositionWrong).with("sub", "other").severity("alert"), out)
        });
        self.propose(Draft::open(Name::AnnulGame).with("reason", "start-position"), record, out);
    }

    /// A claim under A.4.1 that comes when ten (2005: three) moves are completed by each.
    pub(super) fn refuse_late_claim(&mut self, claim: &'static str, out: &mut Vec<Event>) {
        let draft =
            Draft::notice(Name::ClaimInadmissible).with("claim", claim).with("reason", "window-closed");
        self.open(draft, out);
    }

    /// Where the board shows something else than the game's position: what has to be put right before
    /// the clock is started (I.5, 7.5.1).
    pub(super) fn differing_squares(&self) -> Vec<u8> {
        let Some(game) = &self.game else { return Vec::new() };
        let (best, contents) = (game.tracker.best(), self.oriented(game.turned));
        let sees = |square: u8| self.view.see(best.content(square));
        (0_u8..)
            .zip(contents)
            .filter(|&(square, content)| sees(square) != content)
            .map(|(square, _)| square)
            .collect()
    }
}

#[cfg(test)]
mod tests;
