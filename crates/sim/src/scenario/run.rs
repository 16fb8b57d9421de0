//! Plays a plan to the core: one station a board, a clock beside it.

mod opening;

use std::sync::Arc;

use adoube_core::event::{Body, Numbered, Numbering, RecordId, Recorded, Said, Status};
use adoube_core::ruling::{About, Reference, Ruling};
use adoube_core::station::{FRAMES, Input, Open, OpenError, Output, Station};
use adoube_core::table::Neighbour;
use adoube_rules::laws::Name;
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND, Stamp};

use super::clock::Clock;
use super::expect::{self, Unmet};
use super::format::{Relation, Reports, Scenario, Sensor};
use super::order;
use super::outcome;
use super::plan::{Act, Step, clock_of};
use super::script::Setting;

/// A run that a scenario asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// The edition, or the full name of a profile that fixes it.
    pub edition: String,
    /// The full name of the profile.
    pub profile: String,
    /// What the board can tell.
    pub sensor: Sensor,
}

/// Why a scenario cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The core refuses the board, the position or a parameter.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A parameter that the command line sets.
    #[error("{0}")]
    Setting(String),
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// What was expected and did not come out, or came out and must not.
    pub unmet: Vec<Unmet>,
    /// What was said beside the events: refused rulings.
    pub remarks: Vec<String>,
    /// The events, in order.
    pub events: Vec<Numbered>,
    /// The moves at the end.
    pub moves: Vec<String>,
    /// The result at the end.
    pub result: &'static str,
    /// Every input of each board that counts, in order: records name them by their place, from 1.
    pub inputs: Vec<Vec<Shown>>,
    /// Which squares burned on boards with lamps, whenever that changed.
    pub lamps: Vec<Lit>,
}

/// What players are shown from an instant on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lit {
    /// The board.
    pub board: Arc<str>,
    /// When, nanoseconds since the scenario began.
    pub at_ns: u64,
    /// The squares, as the sensor counts them.
    pub squares: Vec<Square>,
}

/// What an input showed of the board: the squares of the game that changed with it.
type Shown = Vec<Square>;

impl Verdict {
    /// Did everything come out as expected?
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.unmet.is_empty()
    }
}

/// A scenario plays at an hour of its own: no clock is read, and each run gives the same events.
const STARTED: Stamp = Stamp { mono_ns: 0, utc_ns: 1_767_261_600_000_000_000 };

impl Scenario {
    /// The runs that the file asks for: each edition, each kind of board.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let of = |(edition, profile): &(String, String)| {
            let (edition, profile) = (edition.clone(), profile.clone());
            self.sensors.iter().map(move |&sensor| Case {
                edition: edition.clone(),
                profile: profile.clone(),
                sensor,
            })
        };
        self.profiles.iter().flat_map(of).collect()
    }

    /// Plays the scenario once; `settings` go before its own parameters.
    ///
    /// # Errors
    /// [`RunError`] if the core cannot open such a board, or a parameter is not known.
    pub fn run(&self, case: &Case, settings: &[(String, String)]) -> Result<Verdict, RunError> {
        let mut run = Run::new(self, case, settings)?;
        for step in &self.plan.steps {
            run.step(step);
        }
        run.advance(self.plan.end_ns);
        Ok(run.judge())
    }
}

/// How the board lies: a property of the board, which its sensor shows and nobody tells the core.
pub(super) const TURNED: &str = "turned";

/// Nobody decides on a record before it is there: a decision written right behind a press waits so long for
/// the verdict on it at most.
const REACTION_NS: u64 = SECOND;

struct Run<'a> {
    scenario: &'a Scenario,
    sensor: Sensor,
    names: Vec<Arc<str>>,
    stations: Vec<Station>,
    clocks: Vec<Option<Clock>>,
    /// What the neighbours of each board were told last.
    told: Vec<Neighbour>,
    is_linked: Vec<bool>,
    is_plugged: Vec<bool>,
    turned: u32,
    now_ns: u64,
    /// When the clocks report next.
    report_ns: u64,
    output: Output,
    numbering: Numbering,
    events: Vec<Numbered>,
    /// Records with their board, type, the table's number, and whether they are open.
    records: Vec<(usize, Name, RecordId, bool)>,
    unmet: Vec<Unmet>,
    remarks: Vec<String>,
    /// What stands on each board, and what each of its inputs has shown.
    standing: Vec<Vec<Content>>,
    inputs: Vec<Vec<Shown>>,
    lamps: Vec<Lit>,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, case: &Case, settings: &[(String, String)]) -> Result<Self, RunError> {
        let mut stations = Vec::new();
        for index in 0..scenario.boards.len() {
            stations.push(Station::open(scenario.open(index, case, settings)?, STARTED)?);
        }
        let clock = scenario.clock_at_start(&case.profile);
        let boards = stations.len();
        let mut run = Self {
            scenario,
            sensor: case.sensor,
            names: scenario.boards.iter().map(|name| name.as_str().into()).collect(),
            stations,
            clocks: vec![clock; boards],
            told: vec![Neighbour::default(); boards],
            is_linked: vec![true; boards],
            is_plugged: vec![true; boards],
            turned: scenario.turned(),
            now_ns: 0,
            report_ns: SECOND,
            output: Output::default(),
            numbering: Numbering::default(),
            events: Vec::new(),
            records: Vec::new(),
            unmet: Vec::new(),
            remarks: Vec::new(),
            standing: vec![Vec::new(); boards],
            inputs: vec![Vec::new(); boards],
            lamps: Vec::new(),
        };
        for board in 0..boards {
            run.show(board, &scenario.start.men);
            run.report(board);
        }
        Ok(run)
    }

    /// Lets time run to `to_ns`: the clocks tick and report.
    fn advance(&mut self, to_ns: u64) {
        loop {
            let zero_ns = self.clocks.iter().flatten().filter_map(Clock::zero_at_ns).min();
            let next_ns = zero_ns.unwrap_or(self.report_ns).min(self.report_ns);
            if next_ns > to_ns {
                break;
            }
            self.tick(next_ns);
            if self.scenario.clock.reports != Reports::Presses {
                for board in 0..self.stations.len() {
                    self.report(board);
                }
            }
            if next_ns == self.report_ns {
                self.report_ns += SECOND;
            }
        }
        self.tick(to_ns);
        for board in 0..self.stations.len() {
            self.handle(board, &Input::Wake);
        }
    }

    fn tick(&mut self, to_ns: u64) {
        self.now_ns = to_ns;
        for clock in self.clocks.iter_mut().flatten() {
            clock.advance(to_ns);
        }
    }

    fn step(&mut self, step: &Step) {
        // A decision may have waited for what it is about.
        self.advance(step.at_ns.max(self.now_ns));
        let board = step.board;
        match &step.act {
            Act::Show(men) => self.show(board, men),
            Act::Press(side) => self.with_clock(board, |clock| clock.press(*side)),
            Act::Halt(by) => self.halt(board, *by),
            Act::Run(side) => self.with_clock(board, |clock| {
                clock.start(*side);
                true
            }),
            Act::Plug(is_in) => {
                self.is_plugged[board] = *is_in;
                self.report(board);
            }
            Act::Flag(sides) => self.with_clock(board, |clock| {
                sides.iter().for_each(|&side| clock.fall(side));
                true
            }),
            Act::Set(settings) => self.with_clock(board, |clock| {
                for &(side, setting) in settings {
                    let left_ms = match setting {
                        Setting::To(left_ms) => left_ms,
                        Setting::By(ms) => clock.left_ms(side).saturating_add_signed(ms),
                    };
                    clock.set(side, left_ms);
                }
                true
            }),
            Act::Order(order) => self.order(board, order),
            Act::Link(men, is_back) => self.link(board, men.as_deref(), *is_back),
        }
    }

    /// Does something to the clock of `board` and reports it, if anything came of it.
    fn with_clock(&mut self, board: usize, work: impl FnOnce(&mut Clock) -> bool) {
        let shared = clock_of(self.scenario, board);
        let Some(clock) = &mut self.clocks[shared] else { return };
        if !work(clock) {
            return;
        }
        for board in 0..self.stations.len() {
            if clock_of(self.scenario, board) == shared {
                self.report(board);
            }
        }
    }

    /// A clock does not say who stopped it. Where it was not the player whose time ran, somebody
    /// tells the core.
    fn halt(&mut self, board: usize, by: Option<Side>) {
        let running = self.clocks[clock_of(self.scenario, board)].as_ref().and_then(Clock::running);
        if running.is_none() {
            return;
        }
        if running != by {
            let by = by.map_or("arbiter", Side::name);
            self.handle(board, &Input::Ruling(Ruling::Pause { by: Some(by.to_owned()) }.into()));
        }
        self.with_clock(board, Clock::stop);
    }

    fn order(&mut self, board: usize, ruling: &Ruling) {
        let mut ruling = ruling.clone();
        if let Some((about, name)) = order::named(&mut ruling) {
            let until_ns = self.now_ns + REACTION_NS;
            while self.referred(board, about, &name).is_none() && self.now_ns < until_ns {
                self.advance(self.now_ns + 50 * MS);
            }
            let Some(number) = self.referred(board, about, &name) else {
                let (ruled, ms) = (ruling.name(), self.now_ns / MS);
                let what = format!("ruling {ruled}: there is no open {name} at {ms} ms");
                self.unmet.push(Unmet { what, nearest: Vec::new() });
                return;
            };
            if let Some((_, reference)) = ruling.reference() {
                *reference = Reference::Number(number);
            }
        }
        self.handle(board, &Input::Ruling(ruling.into()));
    }

    /// The number by which the table knows the youngest event of that type: it counts its own records
    /// and its own rulings, because it knows nothing of other boards.
    fn referred(&self, board: usize, about: About, name: &str) -> Option<u64> {
        if about == About::Ruling {
            let of_board = self.events.iter().filter(|event| event.board == self.names[board]);
            let ruled: Vec<&Ruling> = of_board
                .filter_map(|event| match &event.said {
                    Said::Ruled(ruled) => Some(&ruled.ruling),
                    _ => None,
                })
                .collect();
            let last = ruled.iter().rposition(|ruling| ruling.name() == name)?;
            return u64::try_from(last + 1).ok();
        }
        // If none is open, the table says what became of the youngest.
        let is_named = |record: &&(usize, Name, RecordId, bool)| record.0 == board && record.1 == name;
        let open = self.records.iter().rev().filter(is_named).find(|record| record.3);
        open.or_else(|| self.records.iter().rev().find(is_named)).map(|record| record.2.0)
    }

    fn link(&mut self, board: usize, men: Option<&[Content]>, is_back: bool) {
        if self.is_linked[board] == is_back {
            return;
        }
        self.handle(board, if is_back { &Input::LinkUp } else { &Input::LinkDown });
        self.is_linked[board] = is_back;
        if let Some(men) = men {
            self.show(board, men);
        }
        self.report(board);
    }

    fn show(&mut self, board: usize, men: &[Content]) {
        if !self.is_linked[board] {
            return;
        }
        let family = self.scenario.family();
        let squares = Square::all().take(family.squares());
        let lying = squares.map(|square| men[family.turned(square, self.turned)]);
        let frame = match self.sensor {
            Sensor::Identity => Frame::Identity(lying.collect()),
            Sensor::Occupancy => Frame::Occupancy(lying.map(Content::occupancy).collect()),
        };
        let before = std::mem::replace(&mut self.standing[board], men.to_vec());
        self.handle(board, &Input::Reading(Reading::Frame(frame)));
        let changed = Square::all().zip(before.iter().zip(men)).filter(|(_, (before, now))| before != now);
        if let Some(input) = self.inputs[board].last_mut() {
            *input = changed.map(|(square, _)| square).collect();
        }
    }

    fn report(&mut self, board: usize) {
        if !self.is_linked[board] {
            return;
        }
        let is_plugged = self.is_plugged[board];
        let clock = self.clocks[clock_of(self.scenario, board)].as_ref().filter(|_| is_plugged);
        let mut reading = clock.map(Clock::reading);
        if self.scenario.clock.reports == Reports::Times {
            reading = reading.map(|reading| ClockReading { running: None, ..reading });
        }
        // A board without a clock says so once.
        if reading.is_some() || self.now_ns == 0 || !is_plugged {
            self.handle(board, &Input::Reading(Reading::Clock(reading)));
        }
    }

    fn handle(&mut self, board: usize, input: &Input) {
        self.stations[board].handle(input, STARTED.at(self.now_ns), &mut self.output);
        if self.output.refused.is_none() && *input != Input::Wake {
            self.inputs[board].push(Shown::new());
        }
        if let (Some(error), Input::Ruling(ruling)) = (self.output.refused.take(), input)
            && !matches!(ruling.ruling, Ruling::Pause { .. })
        {
            self.remarks.push(format!("{} ms: {error}", self.now_ns / MS));
        }
        for event in self.output.events.drain(..) {
            if let Body::Record(recorded) = &event.body {
                let Recorded { record, status, ref finding, .. } = **recorded;
                let is_open = status == Status::Open;
                let known = self.records.iter_mut().find(|known| (known.0, known.2) == (board, record));
                match known {
                    Some(known) => known.3 = is_open,
                    None => self.records.push((board, finding.name(), record, is_open)),
                }
            }
            self.events.push(self.numbering.number(&self.names[board], &event));
        }
        self.output.clear();
        self.note_lamps(board);
        self.tell_neighbours(board);
    }

    fn note_lamps(&mut self, board: usize) {
        let squares = self.stations[board].lamps();
        let name = &self.names[board];
        let last = self.lamps.iter().rfind(|lit| lit.board == *name);
        if last.map_or(&[][..], |lit| &lit.squares) != squares {
            let squares = squares.to_vec();
            self.lamps.push(Lit { board: Arc::clone(name), at_ns: self.now_ns, squares });
        }
    }

    /// What a table must know of its neighbours is passed on when it changes.
    fn tell_neighbours(&mut self, board: usize) {
        let station = &self.stations[board];
        let neighbours: Vec<String> = station.neighbours().map(str::to_owned).collect();
        let news = station.as_neighbour();
        if neighbours.is_empty() || self.told[board] == news {
            return;
        }
        self.told[board].clone_from(&news);
        for other in 0..self.stations.len() {
            if neighbours.iter().any(|name| **name == *self.names[other]) {
                self.handle(other, &Input::Neighbour(news.clone()));
            }
        }
    }

    fn judge(self) -> Verdict {
        let scenario = self.scenario;
        let mut events = self.events;
        // Boards are heard one after the other; the list is in order of time.
        events.sort_by_key(expect::micros);
        let first_step_ns = scenario.plan.steps.iter().map(|step| step.at_ns);
        let before_ns = scenario.plan.before_ns.map(|before_ns| {
            let next_ns = first_step_ns.filter(|&at_ns| at_ns > before_ns - super::plan::BEFORE_NS).min();
            next_ns.unwrap_or(before_ns).min(before_ns)
        });
        let counted = events.partition_point(|event| {
            before_ns.is_some_and(|before_ns| expect::micros(event) * 1_000 < before_ns)
        });
        let judged = &events[counted..];
        let is_both = scenario.sensors.len() > 1 && self.sensor == Sensor::Occupancy;
        let expected: Vec<_> = (scenario.expect.iter())
            .filter(|pattern| !(is_both && pattern.name.row().identity_only))
            .collect();
        let mut unmet = self.unmet;
        unmet.extend(expect::unmet(&expected, judged));
        unmet.extend(expect::forbidden(&scenario.forbid, judged));
        unmet.extend(expect::published(&scenario.forbid_public, judged));
        if scenario.quiet {
            unmet.extend(expect::loud(judged));
        }
        let own: Vec<Numbered> =
            events.iter().filter(|event| event.board == self.names[0]).cloned().collect();
        let (moves, result) = (outcome::moves(&own), outcome::result(&own));
        unmet.extend(
            scenario
                .moves
                .as_ref()
                .and_then(|expected| outcome::compare_moves(&moves, expected, scenario.family())),
        );
        unmet.extend(scenario.result.as_ref().and_then(|expected| outcome::compare_result(result, expected)));
        Verdict {
            unmet,
            remarks: self.remarks,
            events,
            moves,
            result,
            inputs: self.inputs,
            lamps: self.lamps,
        }
    }
}
