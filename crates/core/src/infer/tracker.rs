//! What the players did: the explanations of the picture, the line that is announced, and when it
//! stands.
//!
//! Each change of the picture is held against what could follow from the explanations that are
//! alive: nothing new, a legal move, another move instead of the last one, a move taken back, two
//! plies at once; men may be missing, for hands hold them and sensors lose them. Only a picture that
//! comes to rest and fits nothing is searched for.
//!
//! `explain` finds what could follow, `weigh` says how likely each is, `settle` looks further when the
//! picture rests, `press` takes presses as evidence, `announce` says what is announced and when it
//! stands, `step` is how it says so and `line` what can be asked of it, `rest` how long a man has to rest before
//! that, `revise` does as it is told. `health` says which squares are believed, `surplus` finds a man too many,
//! `unread` one who arrived where nothing is read, `hindsight` goes through the game again with a square doubted.
//! `doubt` says which announced plies could as well have been others, `alternatives` why the line is what it is.

mod alternatives;
mod announce;
mod doubt;
mod explain;
mod health;
mod held;
mod hindsight;
mod in_place;
mod layout;
mod line;
mod order;
mod press;
mod recover;
mod rest;
mod revise;
mod scan;
mod settle;
mod step;
mod strangers;
mod surplus;
mod unread;
mod ways;
mod weigh;

pub use alternatives::{Alternative, Choice, Evidence};
pub use doubt::Doubt;
pub(super) use doubt::Rival;
pub use health::{Diagnosis, SickSquare, Sickness};
pub(crate) use health::{KNOWN_MAX, SICK_MAX};
pub(crate) use revise::Published;
pub use step::{Gap, Made, Retracted, Step};
use strangers::Strangers;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::handling::Handling;
use super::image::{Image, View, squares};
use super::sight::Sight;
use super::tree::{NodeId, ROOT, Tree};
use crate::ply::Ply;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::{Square, Squares};
use adoube_rules::stamp::MS;
use adoube_rules::{Position as _, Variant};

/// How soon a move is announced (DESIGN 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Announce {
    /// As soon as the picture shows it.
    Fast,
    /// Once a man has rested as long as one who is there.
    #[default]
    Balanced,
    /// Once he has rested longer than a hand hesitates.
    Careful,
}

/// What a tracker can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parameters {
    /// How soon a move is announced.
    pub announce: Announce,
    /// Nobody has said which layout the start array has, of those that look the same.
    pub assumes_layout: bool,
}

/// The picture has settled when nothing changed for so long (laws-editions: `settle_ms`).
const SETTLE_NS: u64 = 300 * MS;
/// A picture that still matches nothing is searched deeper: a hand rarely hovers longer.
const GAP_NS: u64 = 1_500 * MS;
/// A move stands when its last piece has rested so long (laws-editions: `release_dwell_ms`).
const STAND_NS: u64 = 1_500 * MS;
/// A press may reach us before the last square of its move (dgt-protocol 4.1: a second at most).
const PRESS_TOLERANCE_NS: u64 = 1_000 * MS;

/// Plies that may be taken back to the start array at once; more are a new game being set up.
pub(crate) const TAKE_BACK_TO_START_MAX: usize = 2;

/// Squares that change at once when a frame holds more than one ply.
const FRAME_OF_PLIES: usize = 3;
/// Squares that do not change within one scan by hand: castling and a lost man are three, or four.
const LEAP: usize = 4;
/// Plies that are looked back for a move done instead of what was taken for several.
const BACK_MAX: usize = 8;

/// Nats are counted in 1/1024.
const NAT: i32 = 1_024;
/// Another move instead of the last one is rarer than a next move.
const INSTEAD: i32 = -2 * NAT;
/// Each ply taken back.
const TAKEN_BACK: i32 = -2 * NAT;
/// A press that an explanation has no move for: players forget to press, and press for nothing, but
/// not often.
const NOT_PRESSED: i32 = -6 * NAT;
/// An explanation this much worse than the best is dropped.
const HOPELESS: i32 = 16 * NAT;

/// Explanations kept; a few dozen are enough for every ambiguity that a game can hold.
const BEAM_MAX: usize = 32;
/// Nodes after which the tree is first cut down to what is alive; later whenever it has doubled. Half
/// a megabyte for a game of usual length.
const NODES_FIRST: usize = 512;
/// Positions looked at for one settled picture: some 50 ms of one core.
const BUDGET: u32 = 60_000;
/// Ways to one picture that are told apart; more of them decide nothing.
const PATHS_MAX: usize = 64;
/// Plies that a gap may hide and still be filled.
const GAP_PLIES_MAX: u32 = 6;
/// The same for a picture that may still have a man in a hand: a longer way could always be found
/// on which he is captured.
const SETTLED_GAP_PLIES_MAX: u32 = 4;

/// One explanation of the picture.
#[derive(Debug, Clone, Copy)]
struct Explanation {
    node: NodeId,
    /// What the way here cost beyond the plies themselves.
    penalty: i32,
    /// How much of that was for pieces that were away and came back.
    away: i32,
    /// What it costs that the picture shows something else now.
    residue: i32,
    /// Since when something stands where nothing should.
    contradicted_ns: Option<u64>,
    /// What stood where since then.
    strangers: Strangers,
    /// When the last contradiction was over.
    holds_ns: u64,
    via: Via,
}

impl Explanation {
    fn new(node: NodeId, penalty: i32, via: Via) -> Self {
        Self {
            node,
            penalty,
            away: 0,
            residue: 0,
            contradicted_ns: None,
            strangers: Strangers::default(),
            holds_ns: 0,
            via,
        }
    }

    /// Nothing stands where nothing should.
    fn holds(&self) -> bool {
        self.contradicted_ns.is_none()
    }
}

/// How an explanation came from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Via {
    Same,
    NextMove,
    Instead,
    TakenBack,
    /// Two plies at once.
    Two,
    Search,
}

/// Follows one game on one board.
#[derive(Debug, Clone)]
pub struct Tracker<V: Variant> {
    parameters: Parameters,
    sight: Sight,
    image: Image,
    health: health::Health,
    /// What it was told; none of it while that is gone through again.
    past: Option<Box<hindsight::Past<V>>>,
    /// Pictures that stayed and were not explained, while it is gone through again.
    unexplained: u32,
    handling: Handling,
    tree: Tree<V>,
    beam: Vec<Explanation>,
    /// The announced line, first ply first.
    announced: Vec<NodeId>,
    /// How many announced plies stand.
    standing: Ply,
    /// When the best explanation is announced, if nothing changes.
    announce_ns: Option<u64>,
    /// When the last announced ply stands.
    stand_ns: Option<u64>,
    /// When the picture counts as settled.
    settle_ns: Option<u64>,
    /// When a settled picture that matches nothing is searched deeper.
    gap_ns: Option<u64>,
    /// When the explanations are weighed again: what lasts is no accident.
    weigh_ns: Option<u64>,
    changed_ns: u64,
    scan: scan::Scan,
    /// Squares that were filled with the last change.
    filled: Squares,
    /// A press that waits until a slow board has looked once more, and when that is.
    unjudged: Option<(u64, press::Press)>,
    /// The last press that no move explains yet.
    pressed: Option<(Side, u64)>,
    /// The last announced ply that was pressed.
    bound: Ply,
    /// The last announced ply that the Laws or a ruling have made what it is, whatever stands there.
    fixed: Ply,
    /// When each side pressed, the time before the last and the last.
    presses_ns: [[u64; 2]; 2],
    /// The link was lost since the last picture that was explained.
    blind: bool,
    /// So much changed at once that frames must have been lost, and plies with them.
    is_leap: bool,
    /// How far the search for what nobody saw has come.
    recovery: recover::Recovery,
    /// How many nodes the tree may have before it is cut down.
    compact_at: usize,
    // Kept from change to change, so that none is made anew.
    spare: Vec<NodeId>,
    fitting: Vec<NodeId>,
    found: Vec<Explanation>,
}

impl<V: Variant> Tracker<V> {
    /// A tracker of a game that starts from `start`, with the board showing just that.
    #[must_use]
    pub fn new(view: View, start: V::Position, parameters: Parameters, at_ns: u64) -> Self {
        let sight = Sight::whole(view);
        let shown = sight.picture::<V>(&start);
        let health = health::Health::new(&shown, at_ns);
        let image = Image::of(shown);
        let tree = Tree::new(sight, start, at_ns);
        let beam = vec![Explanation::new(ROOT, 0, Via::Same)];
        let mut tracker = Self {
            parameters,
            sight,
            image,
            health,
            past: None,
            unexplained: 0,
            handling: Handling::new(V::SQUARES),
            tree,
            beam,
            announced: Vec::new(),
            standing: Ply::START,
            announce_ns: None,
            stand_ns: None,
            settle_ns: None,
            gap_ns: None,
            weigh_ns: None,
            changed_ns: at_ns,
            scan: scan::Scan::default(),
            filled: Squares::EMPTY,
            unjudged: None,
            pressed: None,
            bound: Ply::START,
            fixed: Ply::START,
            presses_ns: [[at_ns; 2]; 2],
            blind: false,
            is_leap: false,
            recovery: recover::Recovery::default(),
            compact_at: NODES_FIRST,
            spare: Vec::new(),
            fitting: Vec::new(),
            found: Vec::new(),
        };
        tracker.remember_from_here();
        tracker
    }

    /// The picture as the sensor shows it, and as the best explanation has it where the sensor is not believed.
    #[must_use]
    pub fn contents(&self) -> Cow<'_, [Content]> {
        if self.sight.doubted.is_empty() {
            return Cow::Borrowed(self.image.contents());
        }
        squares::<V>().map(|square| self.at(square)).collect()
    }

    /// True if the picture is what the best explanation says.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        self.tree.node(self.beam[0].node).hash == self.image.hash()
    }

    /// Nothing is understood beyond the announced line.
    #[must_use]
    pub(crate) fn is_announced_whole(&self) -> bool {
        self.announced.last().copied().unwrap_or(ROOT) == self.beam[0].node
    }

    /// The board was out of sight since the last picture that was explained.
    #[must_use]
    pub(crate) fn is_blind(&self) -> bool {
        self.blind
    }

    /// When [`Tracker::advance`] has something to do.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        let judged_ns = self.unjudged.map(|(due_ns, _)| due_ns);
        [judged_ns, self.announce_ns, self.stand_ns, self.settle_ns, self.gap_ns, self.weigh_ns]
            .into_iter()
            .flatten()
            .min()
    }

    /// Fires every timer due at or before `to_ns`, each at its own time.
    pub fn advance(&mut self, to_ns: u64, steps: &mut Vec<Step<V>>) {
        while let Some(at_ns) = self.wake_at_ns().filter(|&at_ns| at_ns <= to_ns) {
            if let Some((_, press)) = self.unjudged.take_if(|(due_ns, _)| *due_ns == at_ns) {
                self.judge_press(press, at_ns, steps);
            } else if self.announce_ns == Some(at_ns) {
                self.announce_ns = None;
                self.announce_if_bound(at_ns, steps);
            } else if self.stand_ns == Some(at_ns) {
                self.stand_by_rest(at_ns, steps);
            } else if self.settle_ns == Some(at_ns) {
                self.settle_ns = None;
                self.settled(at_ns, steps);
            } else if self.gap_ns == Some(at_ns) {
                self.gap_ns = None;
                // A hand does not hover so long.
                if !self.is_explained() && self.prefer_what_is_shown(None) {
                    self.decide(at_ns, steps);
                } else if !(self.is_lifted_only() && self.explain_by_ancestors(at_ns, steps)) {
                    self.stayed(at_ns, steps);
                }
                if !self.is_explained() {
                    self.rests_elsewhere(at_ns, steps);
                }
            } else {
                self.weigh_again(at_ns, steps);
            }
            self.learn(at_ns, steps);
        }
    }

    /// Squares changed, all of them at once: `(square, what is there now)`.
    pub fn changed(&mut self, changes: &[(Square, Content)], at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note_changes(changes, at_ns);
        self.learn(at_ns, steps);
        self.filled = Squares::EMPTY;
        let mut is_changed = false;
        for &(square, content) in changes {
            self.health.reads(square, self.sight.view.see(content), at_ns);
            let content = self.sight.see(square, content);
            let before = self.image.set(square, content);
            if before != content {
                is_changed = true;
                self.handling.changed(square, before, content, at_ns);
            }
            if !content.is_empty() {
                self.filled.insert(square);
            }
        }
        // What a square says that is not believed changes nothing.
        if !is_changed && !self.sight.doubted.is_empty() {
            return;
        }
        if is_changed {
            self.scan.changed(at_ns.saturating_sub(self.changed_ns));
        }
        self.changed_ns = at_ns;
        self.recovery.begin_again();
        if self.blind {
            self.recovery.shows_again(at_ns);
        }
        self.is_leap = changes.len() >= LEAP && !self.filled.is_empty();
        if self.explain(at_ns, steps) {
            return;
        }
        self.announce_ns = None;
        self.note_leap(changes);
        self.settle_ns = Some(at_ns + SETTLE_NS);
        self.gap_ns = Some(at_ns + GAP_NS);
        // So much in one frame is no hand at work: plies were missed, and more may be on their way.
        if self.sight.view == View::Identity && changes.len() >= FRAME_OF_PLIES {
            self.search(2, at_ns, steps);
        }
    }

    /// The picture, which rests, is to be read so on these squares: nothing was handled there. It is
    /// looked at as a whole.
    pub fn shown(&mut self, squares: &[(Square, Content)], at_ns: u64, steps: &mut Vec<Step<V>>) {
        for &(square, content) in squares {
            self.health.is_shown(square, self.sight.view.see(content), at_ns);
            self.image.set(square, self.sight.see(square, content));
        }
        self.announce_ns = None;
        self.filled = Squares::EMPTY;
        self.is_leap = false;
        let is_explained = self.explain(at_ns, steps) && self.is_explained();
        if !is_explained && !self.rests_elsewhere(at_ns, steps) && self.search(2, at_ns, steps) {
            self.rests_elsewhere(at_ns, steps);
        }
    }

    /// The whole picture rests: what shows it as it is goes before what is likelier but for that. False if
    /// nothing shows it.
    fn rests_elsewhere(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let is_shown = self.prefer_what_is_shown(None)
            || (self.explain_by_ancestors(at_ns, steps) && self.prefer_what_is_shown(None));
        if is_shown {
            self.decide(at_ns, steps);
        }
        is_shown
    }

    /// The link was lost: what happens now is not seen.
    pub fn lost(&mut self, at_ns: u64) {
        self.note(hindsight::Fact::Lost, at_ns);
        self.recovery = self.recovery.lost(self.plies(), self.blind, at_ns);
        self.blind = true;
        self.announce_ns = None;
        self.settle_ns = None;
        self.gap_ns = None;
        self.weigh_ns = None;
    }

    /// The link is back and the picture is whole again.
    pub fn back(&mut self, at_ns: u64) {
        self.note(hindsight::Fact::Back, at_ns);
        self.recovery.shows_again(at_ns);
        if self.is_explained() {
            self.blind = false;
        } else {
            self.settle_ns = Some(at_ns + SETTLE_NS);
            self.gap_ns = Some(at_ns + GAP_NS);
        }
    }

    /// What stands on `square` now.
    #[must_use]
    pub fn at(&self, square: Square) -> Content {
        if self.sight.doubted.contains(square) {
            return self.sight.view.see(self.best().content(square));
        }
        self.image.at(square)
    }
}
