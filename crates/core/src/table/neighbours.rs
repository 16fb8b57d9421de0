//! Other boards that this one has to do with: linked ones, whose clock may be pressed by mistake
//! (press table, line 16), and the other board of the same game (appendix D.2).
//!
//! Tables share nothing: what one must know of another is told to it, as an input like any other.

use serde::{Deserialize, Serialize};

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use super::{Game, Press, Table};
use crate::event::finding::{BoardsDiffer, BothTimes, EndedBy, Finding, PressedBeforeMove, RestorePosition};
use crate::event::{Event, GameName, Status, Times};
use crate::ply::Ply;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::{GameResult, Position as _, Variant};

/// "In the same second" (laws-model 3, line 16): a clock reports up to a second late, and the hand
/// that lets go of the man needs one or two to the clock.
const SAME_SECOND_NS: u64 = 3_000 * MS;

/// What a table is told of another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// Its name.
    pub board: String,
    /// When its last move was made.
    pub made_ns: Option<u64>,
    /// The last press of its clock.
    pub pressed: Option<Pressed>,
    /// The moves that stand there, if it is the other board of this game.
    #[serde(default)]
    pub line: Option<Vec<String>>,
    /// The name of the game there, if it is the other board of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameName>,
    /// How the game ended there, if it is the other board of this game.
    #[serde(default)]
    pub ended: Option<Ended>,
}

/// The end of a game, as the other board of it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// By what.
    pub by: EndedBy,
    /// How.
    pub result: GameResult,
    /// That board has it from this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_heard: bool,
}

/// A press, as another board is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pressed {
    /// Who.
    pub side: Side,
    /// When.
    pub at_ns: u64,
    /// White's and Black's time then.
    pub left_ms: Times,
}

impl<V: Variant> Table<V> {
    /// What other boards are told of this one; whoever runs the tables passes it on when it changes.
    #[must_use]
    pub fn as_neighbour(&self) -> Neighbour {
        let game = self.scene.playing();
        let has_pair = self.scene.setting.pair.is_some();
        let ended = self.scene.game.as_ref().filter(|_| has_pair).and_then(|game| {
            let is_heard = game.pair_ended.is_some_and(|heard| Some(heard.result) == game.result);
            Some(Ended { by: game.ended_by?, result: game.result?, is_heard })
        });
        Neighbour {
            board: self.scene.setting.board.clone(),
            made_ns: game
                .filter(|game| !game.tracker.plies().is_start())
                .map(|game| game.tracker.made_ns(game.tracker.plies())),
            pressed: self.pressed,
            line: self.scene.game.as_ref().filter(|_| has_pair).map(line),
            game: self.opened().filter(|_| has_pair).cloned(),
            ended,
        }
    }

    /// Another board has something new.
    pub fn neighbour(&mut self, neighbour: &Neighbour, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.scene.inputs += 1;
        let known = self.scene.neighbours.iter_mut().find(|known| known.board == neighbour.board);
        let before = match known {
            Some(known) => Some(std::mem::replace(known, neighbour.clone())),
            None => {
                self.scene.neighbours.push(neighbour.clone());
                None
            }
        };
        if let Some(before) = &before {
            self.hear_the_end(before, neighbour, out);
        }
        self.compare_with_pair(out);
        let before = before.and_then(|before| before.pressed);
        // One game has one clock; it may stand at the other board.
        let is_heard_here = self.scene.clock.last().is_some() || !self.is_pair(neighbour);
        if let Some(pressed) = neighbour.pressed.filter(|pressed| !is_heard_here && before != Some(*pressed))
        {
            self.pressed(pressed.side, Some(pressed.left_ms), out);
        }
    }

    /// This is the other board of the game.
    fn is_pair(&self, neighbour: &Neighbour) -> bool {
        self.scene.setting.pair.as_ref() == Some(&neighbour.board)
    }

    /// Another board may say now that a game goes on which had ended.
    pub(super) fn may_go_on(&self, neighbour: &Neighbour) -> bool {
        let known = self.scene.neighbours.iter().find(|known| known.board == neighbour.board);
        let has_ended = known.is_some_and(|known| known.ended.is_some() || known.game != neighbour.game);
        self.is_pair(neighbour) && has_ended && neighbour.ended.is_none() && neighbour.game.is_some()
    }

    /// The one game of both boards has ended on the other one, or its result is another now.
    fn hear_the_end(&mut self, before: &Neighbour, now: &Neighbour, out: &mut Vec<Event>) {
        let Some(ended) = now.ended.filter(|_| before.ended != now.ended) else { return };
        let Some(game) = &mut self.scene.game else { return };
        let Some(own) = game.result else {
            // What it has from here ends nothing here, unless it is entered there as well.
            let is_its_own = match before.ended {
                None => !ended.is_heard,
                Some(was) => was.is_heard && !ended.is_heard && was.result == ended.result,
            };
            if is_its_own {
                game.pair_ended = Some(ended);
            }
            return;
        };
        // What was said here comes back, and is news only where that board had changed it.
        let may_be_news = !ended.is_heard || game.before_pair == Some(ended.result);
        let is_other = |was: Ended| was.result == own && ended.result != own;
        if may_be_news && before.ended.is_some_and(is_other) {
            (game.pair_ended, game.before_pair) = (Some(ended), Some(own));
            self.change_result(own, ended.result, None, out);
        }
    }

    /// It ends here as well when the last move of the other board has been carried out; one that is still missing there
    /// comes no more.
    fn ends_with_pair(&mut self, out: &mut Vec<Event>) {
        let Some(ended) = self.scene.playing().and_then(|game| game.pair_ended) else { return };
        let own = self.scene.game.as_ref().map(line).unwrap_or_default();
        if pair(&self.scene).is_some_and(|(_, theirs)| own.starts_with(theirs)) {
            self.over(ended.by, ended.result, out);
        }
    }

    /// A press over a position of this board, whose pair shows the presser's move already: it has to
    /// be made here too before the clock is started (D.2.4). True if there is nothing else to say.
    pub(super) fn follows_its_pair(&mut self, press: Press, out: &mut Vec<Event>) -> bool {
        let Some((pair, theirs)) = pair(&self.scene) else { return false };
        let own = self.scene.playing().map(line).unwrap_or_default();
        if theirs == own.as_slice() {
            // The one clock of both was pressed without a move: the first board says so.
            return *pair < *self.scene.setting.board;
        }
        if theirs.len() != own.len() + 1 || !theirs.starts_with(&own) {
            return false;
        }
        let before = PressedBeforeMove {
            by: press.side,
            ply: self.scene.ply_to_come(),
            board: Some(self.scene.setting.board.clone()),
            dt_ms: None,
        };
        self.open(Draft::open(before), out);
        // When the move is made here, this press completes it.
        self.pending.press = Some(Press { is_waiting: true, ..press });
        true
    }

    /// Compares the two boards of a game: they differ when both show another move, or when one is a
    /// whole move behind the other's reply (D.2.9).
    pub(super) fn compare_with_pair(&mut self, out: &mut Vec<Event>) {
        // Most boards have no pair: their line need not be written out.
        let Some((pair, theirs)) = pair(&self.scene) else { return };
        let Some(own) = self.scene.playing().map(line) else { return };
        let common = own.iter().zip(theirs).take_while(|(own, their)| own == their).count();
        let (ahead, behind) = (own.len() - common, theirs.len() - common);
        let differs = (ahead > 0 && behind > 0) || ahead.max(behind) > 1;
        let (is_first, open) =
            (*self.scene.setting.board < *pair, self.records.open_number(Name::BoardsDiffer));
        let followed = self
            .records
            .open_record(Name::PressedBeforeMove)
            .is_some_and(|record| waits_here(record) && record.key.ply.count() <= own.len());
        if followed && ahead == 0 {
            followed_its_pair(&mut self.report(out));
        }
        if differs {
            // Which of them shows what was played is still to be found out: one will be put right.
            self.with_tracker(out, |tracker, _| tracker.binds_up_to(Ply::last_of(common)));
        }
        match open {
            Some(record) if !differs => self.close(record, Status::Corrected, out),
            // Both boards see it; one says it.
            None if differs && is_first => boards_differ(common, &mut self.report(out)),
            _ => {}
        }
        self.ends_with_pair(out);
    }
}

/// The other board shows ply `ply` already: here it is carried out, by the opponent or an assistant, and whatever they
/// touch on the way binds nobody (D.2.1, D.2.8).
pub(super) fn is_copied<V: Variant>(scene: &Scene<V>, ply: Ply) -> bool {
    pair(scene).is_some_and(|(_, theirs)| theirs.len() >= ply.count())
}

/// The press was meant for a move that the pair shows, and that is still to be made here.
fn waits_here(record: &Record) -> bool {
    matches!(&record.finding, Finding::PressedBeforeMove(before) if before.board.is_some())
}

fn line<V: Variant>(game: &Game<V>) -> Vec<String> {
    let played = |ply: Ply| game.tracker.played(ply).map_or_else(String::new, |played| played.uci());
    game.tracker.standing().all().map(played).collect()
}

/// The move for which the pair waited was made here. True if there was one.
pub(super) fn followed_its_pair<V: Variant>(report: &mut Report<'_, V>) -> bool {
    let waits = report.records.open_record(Name::PressedBeforeMove).filter(|record| waits_here(record));
    let Some(number) = waits.map(|record| record.number) else { return false };
    report.close(number, Status::Corrected);
    true
}

/// The other board of this game: its name and its line.
fn pair<V: Variant>(scene: &Scene<V>) -> Option<(&str, &[String])> {
    let pair = scene.setting.pair.as_deref()?;
    let known = scene.neighbours.iter().find(|known| known.board == pair)?;
    Some((pair, known.line.as_deref()?))
}

/// A linked board on which a made move waits for its press (line 16).
pub(super) fn neighbour_waiting<V: Variant>(scene: &Scene<V>, at_ns: u64) -> Option<String> {
    let waits = |neighbour: &&Neighbour| {
        let is_pair = scene.setting.pair.as_ref() == Some(&neighbour.board);
        !is_pair
            && neighbour.made_ns.is_some_and(|made_ns| {
                made_ns.abs_diff(at_ns) <= SAME_SECOND_NS
                    && neighbour.pressed.is_none_or(|pressed| pressed.at_ns < made_ns)
            })
    };
    scene.neighbours.iter().find(waits).map(|neighbour| neighbour.board.clone())
}

fn boards_differ<V: Variant>(common: usize, report: &mut Report<'_, V>) {
    let Some(game) = report.scene.game.as_ref() else { return };
    let ply = Ply::last_of(common);
    let times = game.plies.get(ply).and_then(|known| known.clock);
    let fen = game.tracker.position(ply).fen();
    let boards = [Some(&report.setting.board), report.setting.pair.as_ref()];
    // It is about two lines, and stays when a ply of this one is taken back.
    let differ = BoardsDiffer {
        last_common_ply: ply,
        times: times.map(BothTimes::from),
        boards: boards.into_iter().flatten().cloned().collect(),
    };
    let record = report.open(Draft::open(differ));
    report.propose(Draft::open(RestorePosition { fen, side: None, ply }), record);
    report.propose_clock_times(record);
}
