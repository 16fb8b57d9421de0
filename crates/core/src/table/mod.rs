//! One board, one game: readings and rulings in, events out.
//!
//! [`Table`] owns the picture and the tracker of the game on it. `setting` is what it is told, `sensing`
//! takes what the board shows, `link` its absence, `timers` does what is due, `carrying` says what outlives a game, `taking_over` how one goes on as it was published, `moving` how at another board. `pairing` says who plays, `opening` finds out that a
//! game is about to start, `offered` what becomes of one that nobody saw begin, `going_home` where the one before ended, `touch` what was handled, `play` turns the
//! tracker's steps into events, `ending` finds out that it is over and `going_on` that it was not, `rulings` carries out what the arbiter
//! decided, `rederive` undoes it. `restoring` is what players are shown of it. `doubts` says what is not certain, `explaining` why the line is what it is.
//!
//! `evidence` says which inputs show a record, `windows` until when it can be acted on, `proofs` what a claim
//! rests on.
//!
//! `threats` is the four-player game's own.
//!
//! The Laws: `records` holds what was found, `accounts` says why the board does not show the position,
//! `pressing` at presses, `illegal` counts and penalises, `ledger` and `touching` are Article 4,
//! `draws` Article 9, `setting_up` and `orientation` Articles 2 and 7.2, `neighbours` what other boards
//! have to do with it. `claims`, `offers`, `results` (each on one of the `bases`) and `adjourning` are what players
//! and arbiters enter.
//!
//! What is a part of its own (`watch`, `claims`, `counters`, `scoresheets`, `reminders`, `round`) is given a `scene`.
//!
//! The clock: `timing` reads it, `lever` and `pauses` say who started and stopped it, `watch` whether its times
//! are right and what has fallen, `counters`, `scoresheets`, `reminders` and
//! `round` what follows from them; `clock_rulings` is what the arbiter does about it.

mod accounts;
mod adjourning;
mod adopting;
mod bases;
mod carrying;
mod claims;
mod clock_rulings;
mod colours;
mod counters;
mod doubts;
mod draws;
mod ending;
mod evidence;
mod exchanging;
mod explaining;
mod going_home;
mod going_on;
mod illegal;
mod ledger;
mod lever;
mod link;
mod mate_tests;
mod moving;
mod neighbours;
mod offences;
mod offered;
mod offers;
mod opening;
mod orientation;
mod pairing;
mod pauses;
mod pending;
mod play;
mod pressing;
mod proofs;
mod readiness;
mod records;
mod rederive;
mod reminders;
mod resolution;
mod restoring;
mod results;
mod round;
mod rulings;
mod scene;
mod scoresheets;
mod sensing;
mod sensors;
mod setting;
mod setting_up;
mod taking_over;
#[cfg(test)]
mod testing;
mod threats;
mod timers;
mod timing;
mod touch;
mod touching;
mod watch;
mod windows;
mod written;

use crate::event::finding::{EndedBy, SquareName};
use crate::event::{Body, CompletedBy, Event, GameInfo, GameName, MoveMade, RecordId, Times};
use crate::infer::{Step, Tracker};
use crate::ply::{Plies, Ply};
use crate::ruling::{Group, Ruled, RulingError};
use accounts::Displaced;
use adjourning::Adjournment;
use adoube_rules::draw::History;
use adoube_rules::sensor::{Content, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::Stamp;
use adoube_rules::{GameResult, Variant};
pub use carrying::Carried;
use claims::Claims;
pub use exchanging::{Exchange, Other};
pub use explaining::Explanation;
use going_home::GoingHome;
use going_on::GoingOn;
use ledger::Ledger;
use link::Link;
pub use link::LinkNews;
pub use moving::{HandedOver, Moved};
pub use neighbours::{Ended, Neighbour, Pressed};
use offered::Offer;
use opening::Opening;
pub use pairing::{Pairing, other_game};
use pending::Pending;
pub use readiness::{Array, ClockReady, Picture, Readiness, WrongSquare};
use records::{Record, Records};
pub use rederive::Derived;
use rederive::Numbers;
use resolution::Resolution;
use scene::Scene;
pub use setting::Setting;

/// What is known of one announced ply beside what the tracker knows.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Times when it was made; once it is completed, at its press.
    clock: Option<Times>,
    /// When it was completed.
    completed_ns: Option<u64>,
    completed_by: Option<CompletedBy>,
    /// It was no legal move, or nobody saw it and no moves lead there: the record of it.
    illegal: Option<RecordId>,
    /// Not published: an illegal move before it, or itself, does not stand.
    is_held: bool,
    /// Its events, to be published if it comes to stand.
    made: Option<Box<MoveMade>>,
    /// Supplied after a gap: nobody saw how it was handled.
    is_recovered: bool,
    /// What hangs on a made move has been said.
    is_judged: bool,
}

/// What is going on at the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// The game is played.
    #[default]
    Running,
    /// The player to move seals (I.1.1).
    Sealing,
    /// The game is adjourned.
    Adjourned,
    /// The sealer is absent, and his opponent has sealed his reply (I.9.3).
    SealedReply,
    /// The moves are reconstructed on the board (8.5.3).
    Reconstruction,
    /// The start array stands again, and the result of the game is not known yet.
    AtHome,
    /// The game has come from another board, and its position is being set up on this one.
    Moved,
}

impl Mode {
    /// What happens on the board and at the clock is no play.
    fn is_off_the_record(self) -> bool {
        self != Self::Running
    }
}

/// The game on the board, or one that is about to start there.
#[derive(Debug, Clone)]
struct Game<V: Variant> {
    tracker: Tracker<V>,
    /// How the sensor lies under the game, degrees.
    turned: u32,
    /// The position is being carried over to the board as it ought to lie: the degrees then (7.2.2).
    transfer: Option<u32>,
    /// What it was opened as; `None` while the start array has not stood long enough.
    info: Option<Box<GameInfo>>,
    plies: Plies<Known>,
    is_started: bool,
    /// The arbiter began it from a position that was reached by play.
    is_given: bool,
    /// Nobody knows who is to move there: the first move tells.
    is_turn_assumed: bool,
    result: Option<GameResult>,
    /// Why it is over: the outcome's name, or `ruling`; `None` as long as only the kings say so.
    ended_by: Option<EndedBy>,
    /// How it has ended on its other board, if it is played on two.
    pair_ended: Option<Ended>,
    /// The result here before it was changed there.
    before_pair: Option<GameResult>,
    /// Since when an end waits because its ply is in doubt.
    held_ns: Option<u64>,
    start: String,
    /// Every lift.
    ledger: Ledger,
    displaced: Vec<Displaced>,
    /// How many displacements this game has seen.
    displacements: u32,
    history: History<V>,
    claims: Claims<V>,
    mode: Mode,
    adjournment: Option<Adjournment<V>>,
    going_home: Option<GoingHome<V>>,
    going_on: Option<GoingOn<V>>,
}

/// A press that no ply has taken yet.
#[derive(Debug, Clone, Copy)]
struct Press {
    side: Side,
    at_ns: u64,
    /// `None`: on a board without a clock.
    clock: Option<Times>,
    /// A piece of the presser was in the air, or he took back what he had pressed: what he does next will tell.
    is_waiting: bool,
    /// He had a piece in his hand, his own or the one that he is taking.
    is_in_hand: bool,
}

/// One board with the game on it.
#[derive(Debug, Clone)]
pub struct Table<V: Variant> {
    scene: Scene<V>,
    pending: Pending,
    opening: Opening,
    link: Link,
    offer: Offer,
    free_games: u32,
    /// The last press of the clock.
    pressed: Option<Pressed>,
    /// Whose time ran when the picture last changed.
    running_at_change: Option<Side>,
    /// The position after this ply is being put back on the board, because the arbiter has ruled so.
    restoring: Option<Ply>,
    /// What was ruled last and hands have not done yet.
    resolution: Option<Resolution>,
    records: Records,
    /// The times of a ply that a ruling plays again.
    clock_then: Option<Option<Times>>,
    numbers: Numbers,
    /// The game seems to have begun from this array: no timer fires before it is derived again (`rederive`).
    other_layout: Option<Box<V::Position>>,
    heard_ns: u64,
    changes: Vec<(Square, Content)>,
    steps: Vec<Step<V>>,
}

impl<V: Variant> Table<V> {
    /// A table at which nothing has been seen yet.
    #[must_use]
    pub fn new(setting: Setting<V>, at: Stamp) -> Self {
        Self::in_scene(Scene::new(setting, at))
    }

    fn in_scene(scene: Scene<V>) -> Self {
        Self {
            heard_ns: scene.now.mono_ns,
            scene,
            pending: Pending::default(),
            pressed: None,
            running_at_change: None,
            restoring: None,
            resolution: None,
            records: Records::default(),
            clock_then: None,
            opening: Opening::default(),
            link: Link::default(),
            offer: Offer::default(),
            free_games: 0,
            numbers: Numbers::default(),
            other_layout: None,
            changes: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// True if a game is open and has no result.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.scene.is_waiting() || self.scene.playing().is_some_and(|game| game.info.is_some())
    }

    /// What goes on in the game if it is not being played.
    #[must_use]
    pub fn stage(&self) -> Option<&'static str> {
        self.scene.playing()?;
        match self.scene.mode() {
            Mode::Running => None,
            Mode::Sealing => Some("sealing"),
            Mode::Adjourned | Mode::SealedReply => Some("adjourned"),
            Mode::Reconstruction => Some("reconstruction"),
            Mode::AtHome => Some("at-home"),
            Mode::Moved => Some("moved"),
        }
    }

    /// Something was read.
    pub fn reading(&mut self, reading: &Reading, at: Stamp, out: &mut Vec<Event>) {
        self.advance(at, out);
        self.scene.inputs += 1;
        self.heard_ns = at.mono_ns;
        match reading {
            Reading::Square { square, content } => self.square(*square, *content, out),
            Reading::Frame(frame) => self.frame(frame, out),
            Reading::Clock(reading) => self.clock_read(*reading, out),
        }
        self.watch_resolution(out);
    }

    /// The board has said nothing for so long, and its link stands.
    pub fn stale(&self, age_ms: u64, out: &mut Vec<Event>) {
        self.emit(Body::BoardStale { age_ms }, out);
    }

    /// The board told who it is.
    pub(crate) fn identified(
        &self,
        serial: Option<String>,
        protocol: &'static str,
        port: String,
        out: &mut Vec<Event>,
    ) {
        self.emit(Body::BoardConnected { serial, protocol, port }, out);
    }

    /// Carries out a ruling.
    ///
    /// # Errors
    /// [`RulingError`] if it cannot apply now. What is left of the table then is of no use.
    fn ruling(&mut self, ruled: &Ruled, at: Stamp, out: &mut Vec<Event>) -> Result<(), RulingError> {
        self.advance(at, out);
        self.scene.inputs += 1;
        self.men_do_not_go_home();
        self.goes_on_no_more();
        self.rule(ruled, out)?;
        if matches!(ruled.ruling.group(), Group::Clock | Group::Position) {
            self.resolution_goes_on(out);
        }
        self.watch_moved(out);
        self.watch_resolution(out);
        Ok(())
    }

    fn emit(&self, body: Body, out: &mut Vec<Event>) {
        out.push(self.scene.event(body));
    }

    /// When the board was opened first: times in events count from there.
    #[must_use]
    pub(crate) fn opened_ns(&self) -> u64 {
        self.scene.opened_ns
    }
}

impl<V: Variant> Scene<V> {
    /// The game, as long as it has no result: what happens afterwards is not play.
    #[inline]
    fn playing(&self) -> Option<&Game<V>> {
        self.game.as_ref().filter(|game| game.result.is_none())
    }

    /// What is going on; without a game, what goes on where one is played.
    #[inline]
    fn mode(&self) -> Mode {
        self.game.as_ref().map_or(Mode::Running, |game| game.mode)
    }

    /// From now on this is going on in the game.
    fn set_mode(&mut self, mode: Mode) {
        if let Some(game) = &mut self.game {
            game.mode = mode;
        }
    }

    fn game_name(&self) -> Option<GameName> {
        self.info().map(|info| info.name.clone())
    }

    /// Nanoseconds since the table was opened.
    #[inline]
    fn elapsed_ns(&self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.opened_ns)
    }

    /// The times now, as the clock last told them.
    #[inline]
    fn times(&self) -> Option<Times> {
        self.clock.last().map(|reading| reading.left_ms)
    }
}

/// The name of a square, as findings have it.
fn named<V: Variant>(square: Square) -> SquareName {
    SquareName(V::FAMILY.square_name(square))
}

/// The names of squares.
fn all_named<V: Variant>(squares: &[Square]) -> Vec<SquareName> {
    squares.iter().map(|&square| named::<V>(square)).collect()
}
