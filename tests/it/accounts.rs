//! Every square is accounted for (DESIGN 2.4): what must hold of any stream, over hands with something wrong between them
//! and us, in chess and in four-player chess.
//!
//! 1. No square differs from the published position through two completed plies without an open record.
//! 2. No ply that nobody saw is published whose mover's clock did not run since the ply before.
//! 3. A ply that its mover pressed is withdrawn only by a picture at rest, after a later press.
//! 4. A ply that nobody saw has a `record-gap`.
//! 5. A quiet correct board comes back into step by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use adoube_core::capture::{Header, Item, Line};
use adoube_core::event::{Event, Numbering};
use adoube_core::replay::{Replay, open};
use adoube_rules::four::FourPlayer;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Chess, GameKind, Position as _, Variant};
use adoube_sim::{ClockSetting, Game, Manner, Noise, Seen, Trouble, View, random_play};
use serde_json::{Map, Value};

use crate::depth::cases;
use crate::slots::computing;

/// Hands with each trouble, before each kind of board.
const SEEDS: u32 = 12;
/// Plies of a game: long enough for a trouble to be there for many of them.
const PLIES: usize = 40;

/// A picture rests for so long, milliseconds, before it withdraws what was pressed.
const SETTLE_MS: f64 = 500.0;

/// What says that the board cannot tell one move from another; so does a gap that nothing fills.
const DOUBTS: [&str; 2] = ["ambiguous-move", "promotion-piece-unknown"];

/// What was found wrong with one stream.
#[derive(Debug, Default, Clone)]
struct Breaches {
    unaccounted: Option<String>,
    unclocked: Option<String>,
    unbound: Option<String>,
    unrecorded: Option<String>,
    out_of_step: Option<String>,
}

/// What somebody sees who looks at the board and at what is published.
struct Watch<V: Variant> {
    /// The board feels squares only.
    occupancy: bool,
    start: V::Position,
    published: V::Position,
    /// The last ply that was completed.
    completed: usize,
    /// So many plies were made when the square began to differ.
    since: Vec<Option<usize>>,
    /// The squares that each open record names; `None`: it is about the whole board.
    open: BTreeMap<u64, Option<Vec<String>>>,
    /// By open record, the ply of which it says that it is not certain; of a board that feels squares only, after which
    /// nothing fills a gap.
    doubts: BTreeMap<u64, usize>,
    /// By ply: whether nobody saw it.
    plies: Vec<bool>,
    /// The times that the clock showed last.
    clock: Option<[u64; 2]>,
    /// When the time of each side was last known to run.
    ran_ms: [f64; 2],
    /// When the last ply was made that was seen.
    seen_ms: f64,
    /// By ply: the moves whose mover pressed, and when.
    pressed: BTreeMap<usize, (String, f64)>,
    /// Those that have just been withdrawn by a picture that goes by.
    withdrawn: BTreeMap<usize, (String, f64)>,
    /// The last press, and the last change of the picture.
    press_ms: f64,
    changed_ms: f64,
    /// What gaps account for: their first ply, and how many.
    gaps: BTreeMap<u64, (usize, usize)>,
    breaches: Breaches,
}

impl<V: Variant> Watch<V> {
    fn new(start: V::Position, occupancy: bool) -> Self {
        Self {
            occupancy,
            published: start.clone(),
            start,
            completed: 0,
            since: vec![None; V::SQUARES],
            open: BTreeMap::new(),
            doubts: BTreeMap::new(),
            plies: Vec::new(),
            clock: None,
            ran_ms: [-1.0; 2],
            seen_ms: 0.0,
            pressed: BTreeMap::new(),
            withdrawn: BTreeMap::new(),
            press_ms: 0.0,
            changed_ms: 0.0,
            gaps: BTreeMap::new(),
            breaches: Breaches::default(),
        }
    }

    fn told(&mut self, event: &Map<String, Value>) {
        let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
        let ply = event.get("ply").and_then(Value::as_u64).unwrap_or(0) as usize;
        let at_ms = event["t_ms"].as_f64().unwrap();
        match text("type") {
            "clock-read" => self.clock_shows(at_ms, event),
            "pressed" => self.press_ms = at_ms,
            "move-made" => {
                self.judge_clock(ply, event);
                // After another move before it, it is the same one.
                self.withdrawn.retain(|&other, (mv, _)| other != ply || mv != text("uci"));
                self.completed = self.completed.min(ply - 1);
                self.plies.truncate(ply - 1);
                self.plies.push(text("cause") == "recovered");
                self.published = V::read(text("fen"), &self.start).unwrap();
            }
            "move-retracted" => {
                self.withdrawn = self.pressed.split_off(&ply);
                let is_at_rest = self.changed_ms + SETTLE_MS <= at_ms;
                // That it may have been another move is said.
                let is_said = self.doubts.values().any(|&doubtful| doubtful == ply);
                self.withdrawn.retain(|_, (_, at_ms)| !(is_said || (is_at_rest && *at_ms < self.press_ms)));
                self.plies.truncate(ply - 1);
                self.published = V::read(text("fen"), &self.start).unwrap();
            }
            "move-completed" => {
                self.completed = ply;
                if text("by") == "press" {
                    let pressed_ms = event["completed_ms"].as_f64().unwrap();
                    self.pressed.insert(ply, (text("uci").to_owned(), pressed_ms));
                }
            }
            _ => {}
        }
        let Some(record) = event.get("record").and_then(Value::as_u64) else { return };
        if text("status") == "open" {
            self.open.insert(record, squares(event));
        } else {
            self.open.remove(&record);
            self.doubts.remove(&record);
        }
        let is_held = self.occupancy && text("type") == "record-gap" && event["paths"] == 0;
        if (is_held || DOUBTS.contains(&text("type"))) && text("status") == "open" {
            self.doubts.insert(record, ply);
        }
        if text("type") == "record-gap" {
            let since = event["since_ply"].as_u64().unwrap() as usize;
            let recovered = event["recovered"].as_array().map_or(0, Vec::len);
            // Nothing fills it: one ply is a position that was adopted.
            self.gaps.insert(record, (since, recovered.max(1)));
            if text("status") == "withdrawn" {
                self.gaps.remove(&record);
            }
        }
    }

    fn clock_shows(&mut self, at_ms: f64, event: &Map<String, Value>) {
        let left_ms = ["white_ms", "black_ms"].map(|key| event[key].as_u64().unwrap());
        for (side, name) in ["white", "black"].into_iter().enumerate() {
            let has_changed = self.clock.is_some_and(|before_ms| before_ms[side] != left_ms[side]);
            if has_changed || event["running"] == name {
                self.ran_ms[side] = at_ms;
            }
        }
        self.clock = Some(left_ms);
    }

    /// Has the time run of whoever is said to have moved? Plies that were understood together with those that nobody saw
    /// were not seen after them.
    fn judge_clock(&mut self, ply: usize, event: &Map<String, Value>) {
        let side = usize::from(event["side"] == "black");
        match (event["cause"].as_str().unwrap(), event["legal"].as_bool().unwrap()) {
            ("recovered", true) if self.clock.is_some() && self.ran_ms[side] < self.seen_ms => {
                self.breaches.unclocked.get_or_insert_with(|| format!("ply {ply}"));
            }
            ("recovered", _) => {}
            _ => self.seen_ms = event["made_ms"].as_f64().unwrap(),
        }
    }

    /// The board shows `contents`, on the squares of the game.
    fn shows(&mut self, contents: &[Content]) {
        let is_named = contents.iter().any(|content| ![Content::EMPTY, Content::OCCUPIED].contains(content));
        for (square, &content) in Square::all().zip(contents) {
            let expected = self.published.content(square);
            let expected = if is_named { expected } else { expected.occupancy() };
            let since = &mut self.since[square];
            if content == expected {
                *since = None;
            } else if since.is_none() {
                *since = Some(self.plies.len());
            }
        }
    }

    /// Is every square accounted for that differs since everybody moved? A ply had begun when it began to, and one
    /// may have been made of which nobody knew yet.
    fn judge(&mut self) {
        for square in Square::all().take(V::SQUARES) {
            let Some(since) = self.since[square] else { continue };
            let name = V::FAMILY.square_name(square);
            let is_named = |squares: &Option<Vec<String>>| {
                squares.as_ref().is_none_or(|squares| squares.contains(&name))
            };
            if self.completed > since + 1 + V::ARMIES && !self.open.values().any(is_named) {
                let what = || format!("{name} since {since}, {} completed", self.completed);
                self.breaches.unaccounted.get_or_insert_with(what);
            }
        }
        if let Some((ply, (mv, _))) = std::mem::take(&mut self.withdrawn).pop_first() {
            self.breaches.unbound.get_or_insert_with(|| format!("ply {ply}, {mv}"));
        }
        let is_recorded =
            |ply: usize| self.gaps.values().any(|&(since, count)| (since..since + count).contains(&ply));
        let unrecorded = (0..).zip(&self.plies).find(|&(ply, &unseen)| unseen && !is_recorded(ply));
        if let Some((ply, _)) = unrecorded {
            self.breaches.unrecorded.get_or_insert_with(|| format!("ply {}", ply + 1));
        }
    }
}

/// The squares that a record names; `None` if what it says is about the whole board.
fn squares(event: &Map<String, Value>) -> Option<Vec<String>> {
    const WHOLE: [&str; 3] = ["board-disconnected", "record-gap", "unexplained-position"];
    if WHOLE.iter().any(|name| event["type"] == *name) {
        return None;
    }
    let named = ["square", "from", "to", "king"].iter().filter_map(|key| event.get(*key)?.as_str());
    let listed =
        event.get("squares").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    Some(named.chain(listed).map(str::to_owned).collect())
}

/// A game by light hands before a board with `trouble`.
fn played<V: Variant>(
    kind: Option<GameKind>,
    trouble: Trouble,
    view: View,
    clock: bool,
    seed: u64,
) -> Breaches {
    let mut game: Game<V> = random_play(seed, PLIES);
    game.result = None;
    let manner = Manner { noise: Noise::Light, seed, clock, signal_result: false };
    let performance = adoube_sim::perform(&game, manner);
    let healthy = adoube_sim::frames(&game, &performance, view);
    let seen = trouble.befall(&game, &performance, &healthy, seed);
    let item = |seen| match seen {
        Seen::Frame(frame) => Item::Frame(frame),
        Seen::LinkLost => Item::LinkLost,
        Seen::LinkBack => Item::LinkBack,
    };
    let mut items: Vec<(f64, Item)> = seen.into_iter().map(|(at_ms, seen)| (at_ms, item(seen))).collect();
    if clock {
        let readings = adoube_sim::clock_readings(&performance, ClockSetting::equal(5_400, 30));
        // The clock is on the same line.
        let is_heard = |at_ms: f64| {
            let last = items.iter().rfind(|item| item.0 <= at_ms && !matches!(item.1, Item::Frame(_)));
            !last.is_some_and(|last| matches!(last.1, Item::LinkLost))
        };
        let heard: Vec<_> = readings.into_iter().filter(|reading| is_heard(reading.0)).collect();
        items.extend(heard.into_iter().map(|(at_ms, reading)| (at_ms, Item::Clock(Some(reading)))));
    }
    items.sort_by(|one, other| one.0.total_cmp(&other.0));
    let header =
        Header { board: "1".to_owned(), protocol: "frames".to_owned(), variant: kind, ..Header::default() };
    let mut replay = Replay::new(open(&header), header.started_utc_ns).unwrap();
    let mut watch = Watch::<V>::new(game.start.clone(), view.occupancy);
    let (board, mut numbering): (Arc<str>, _) = ("1".into(), Numbering::default());
    let mut tell = |watch: &mut Watch<V>, events: &mut Vec<Event>, shown: &[Content]| {
        for event in events.drain(..) {
            let event = numbering.number(&board, &event).json();
            if event["type"] == "piece-lifted" || event["type"] == "piece-placed" {
                watch.changed_ms = event["t_ms"].as_f64().unwrap();
            }
            watch.told(&event);
        }
        watch.shows(shown);
        watch.judge();
    };
    let mut events = Vec::new();
    let (mut is_turned, mut shown) = (false, Vec::new());
    for (at_ms, item) in items {
        let frame = if let Item::Frame(frame) = &item { Some(frame.clone()) } else { None };
        replay.line(&Line { t_ns: (at_ms * MS as f64).round() as u64, items: vec![item] }, &mut events);
        // A board that was turned is known to be by what it says itself.
        is_turned |= events.iter().any(|event| event.body.name().as_str() == "board-rotated-180");
        shown = frame.map_or(shown, |frame| lying::<V>(frame.contents(), is_turned));
        // What is published now may be what has been shown all along.
        watch.shows(&shown);
        tell(&mut watch, &mut events, &shown);
    }
    replay.finish(&mut events);
    tell(&mut watch, &mut events, &shown);
    let end = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
    let differs = |&square: &Square| watch.published.content(square) != end.content(square);
    // Which of two pieces was taken without a trace, and what was played out of sight for long, no board tells that
    // feels squares only; and that is said.
    let first = Square::all().take(V::SQUARES).find(differs).filter(|_| watch.doubts.is_empty());
    watch.breaches.out_of_step = first.map(|square| V::FAMILY.square_name(square));
    watch.breaches
}

/// What stands on the squares of the game where the board lies turned.
fn lying<V: Variant>(contents: &[Content], is_turned: bool) -> Vec<Content> {
    let mut lying = contents.to_vec();
    for (square, &content) in Square::all().zip(contents).filter(|_| is_turned) {
        lying[V::turned(square, 180)] = content;
    }
    lying
}

/// Of a thousand streams, so many may break each property: what is not reached yet, and a little more.
fn allowed(trouble: Trouble, occupancy: bool) -> [u32; 5] {
    match (trouble, occupancy) {
        (Trouble::WrongCode, _) => [0; 5],
        (Trouble::SlowScan, _) => [0, 0, 15, 0, 5],
        // What was recovered is doubted, and told again, although it was pressed.
        (Trouble::LinkLost, true) => [0, 0, 20, 0, 10],
        (Trouble::LinkLost, false) => [0, 0, 5, 0, 5],
        (Trouble::Outages, true) => [0, 0, 10, 0, 5],
        (Trouble::Added, true) => [15, 0, 40, 0, 110],
        (Trouble::Vanished, true) => [15, 0, 40, 0, 25],
        (Trouble::Turned, true) => [0, 0, 0, 0, 5],
        // A ply that is told again is pressed again, and may be withdrawn again.
        (Trouble::Sick(_), _) => [10, 0, 30, 0, 65],
        (_, false) => [0, 0, 0, 0, 10],
    }
}

#[test]
fn every_square_is_accounted_for() {
    let _slot = computing();
    let seeds = u64::from(cases(SEEDS));
    let mut wrong = String::new();
    for trouble in Trouble::ALL {
        for occupancy in [false, true] {
            let view = View { occupancy, turned: false };
            let mut counts = [0; 5];
            let mut first: [Option<String>; 5] = Default::default();
            for seed in 1..=seeds {
                for (clock, is_four) in [(true, false), (false, false), (true, true)] {
                    let breaches = if is_four {
                        played::<FourPlayer>(Some(GameKind::FourPlayer), trouble, view, clock, seed)
                    } else {
                        played::<Chess>(None, trouble, view, clock, seed)
                    };
                    let Breaches { unaccounted, unclocked, unbound, unrecorded, out_of_step } = breaches;
                    let found = [unaccounted, unclocked, unbound, unrecorded, out_of_step];
                    for (property, what) in found.into_iter().enumerate() {
                        let Some(what) = what else { continue };
                        counts[property] += 1;
                        let what = format!("seed {seed}, clock {clock}, four {is_four}: {what}");
                        first[property].get_or_insert(what);
                    }
                }
            }
            let streams = 3 * u32::try_from(seeds).unwrap();
            // A sample may have some more than its share; of none it has none.
            let most = |per_mille: u32| if per_mille == 0 { 0 } else { per_mille * streams / 1_000 + 3 };
            let allowed = allowed(trouble, occupancy).map(most);
            let line =
                format!("{trouble:?} occupancy {occupancy}: {counts:?} of {streams}, first {first:?}\n");
            println!("{line}");
            if (0..5).any(|property| counts[property] > allowed[property]) {
                wrong += &line;
            }
        }
    }
    assert_eq!(wrong, "", "more than {SEEDS} seeds allow");
}
