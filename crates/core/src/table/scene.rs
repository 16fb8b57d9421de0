//! What a part of the table is given at a fact: the table as it stands then, to be read, and the records, to which
//! it adds what it finds.
//!
//! A part owns what it knows and changes nothing else (ARCHITECTURE.md, "The parts of a table").

use std::ops::Deref;

use super::claims::Claims;
use super::pairing::Paired;
use super::records::Records;
use super::rederive::Numbers;
use super::timing::Timing;
use super::watch::Watch;
use super::{Game, Neighbour, Setting, Table};
use crate::event::{Body, Event, Publicity, Times};
use crate::infer::{self, SickSquare};
use adoube_rules::Variant;
use adoube_rules::clock::ClockLog;
use adoube_rules::laws::Profile;
use adoube_rules::sensor::Content;
use adoube_rules::square::Squares;
use adoube_rules::stamp::Stamp;

/// The table at a fact. Of the part that works now it shows what that one knew before.
#[derive(Debug, Clone)]
pub(super) struct Scene<V: Variant> {
    pub(super) now: Stamp,
    /// How many inputs there were, this one included.
    pub(super) inputs: u64,
    pub(super) opened_ns: u64,
    pub(super) profile: Profile,
    pub(super) setting: Setting<V>,
    /// What the sensor tells apart.
    pub(super) view: infer::View,
    /// What it shows, as it numbers its squares; empty before the first frame.
    pub(super) sensed: Vec<Content>,
    /// The squares of the sensor that have changed since the last game was played.
    pub(super) spoke: Squares,
    /// The squares of the sensor that are known to be sick from before the game.
    pub(super) sick: Vec<SickSquare>,
    /// Those of which the arbiter says in this game that they are well.
    pub(super) well: Squares,
    pub(super) last_change_ns: u64,
    /// The link is back since then, and no whole frame has come yet.
    pub(super) link_back_ns: Option<u64>,
    pub(super) neighbours: Vec<Neighbour>,
    pub(super) times_before_press: Option<Times>,
    pub(super) game: Option<Game<V>>,
    pub(super) clock: ClockLog,
    pub(super) timing: Timing,
    pub(super) paired: Paired,
    /// A ruling is being carried out: what changes is its doing.
    pub(super) is_ruling: bool,
}

impl<V: Variant> Scene<V> {
    /// Nothing has been seen yet.
    pub(super) fn new(setting: Setting<V>, at: Stamp) -> Self {
        Self {
            now: at,
            inputs: 0,
            opened_ns: at.mono_ns,
            profile: setting.profile.clone(),
            paired: Paired::new(setting.pairing.clone()),
            setting,
            view: infer::View::Identity,
            sensed: Vec::new(),
            spoke: Squares::EMPTY,
            sick: Vec::new(),
            well: Squares::EMPTY,
            last_change_ns: at.mono_ns,
            link_back_ns: None,
            neighbours: Vec::new(),
            times_before_press: None,
            game: None,
            clock: ClockLog::default(),
            timing: Timing::default(),
            is_ruling: false,
        }
    }
}

/// A scene, and the records of its table.
pub(super) struct Report<'a, V: Variant> {
    pub(super) scene: &'a Scene<V>,
    pub(super) records: &'a mut Records,
    pub(super) numbers: &'a mut Numbers,
    pub(super) out: &'a mut Vec<Event>,
}

impl<V: Variant> Deref for Report<'_, V> {
    type Target = Scene<V>;

    fn deref(&self) -> &Scene<V> {
        self.scene
    }
}

impl<V: Variant> Table<V> {
    /// What a part is given that may find something.
    #[inline]
    pub(super) fn report<'a>(&'a mut self, out: &'a mut Vec<Event>) -> Report<'a, V> {
        Report { scene: &self.scene, records: &mut self.records, numbers: &mut self.numbers, out }
    }

    /// Lets a part of the clock's work on what it knows.
    pub(super) fn timing_part<P: Clone, T>(
        &mut self,
        part: impl Fn(&mut Timing) -> &mut P,
        out: &mut Vec<Event>,
        work: impl FnOnce(&mut P, &mut Report<'_, V>) -> T,
    ) -> T {
        let mut own = part(&mut self.scene.timing).clone();
        let done = work(&mut own, &mut self.report(out));
        *part(&mut self.scene.timing) = own;
        done
    }

    /// Lets the watch of the clock's displays work.
    pub(super) fn watch<T>(
        &mut self,
        out: &mut Vec<Event>,
        work: impl FnOnce(&mut Watch, &mut Report<'_, V>) -> T,
    ) -> T {
        self.timing_part(|timing| &mut timing.watch, out, work)
    }

    /// Lets what is counted of claims and offers in this game work.
    pub(super) fn claims<T>(
        &mut self,
        out: &mut Vec<Event>,
        work: impl FnOnce(&mut Claims<V>, &mut Report<'_, V>) -> T,
    ) -> T {
        let mut own = self.scene.game.as_ref().map(|game| game.claims.clone()).unwrap_or_default();
        let done = work(&mut own, &mut self.report(out));
        if let Some(game) = &mut self.scene.game {
            game.claims = own;
        }
        done
    }
}

impl<V: Variant> Report<'_, V> {
    /// Says something.
    pub(super) fn emit(&mut self, body: Body) {
        let said = self.scene.event(body);
        self.out.push(said);
    }
}

impl<V: Variant> Scene<V> {
    /// What is said now.
    pub(super) fn event(&self, body: Body) -> Event {
        Event {
            at: self.now,
            elapsed_ns: self.elapsed_ns(self.now.mono_ns),
            game: self.game_name(),
            publicity: Publicity::Usual,
            body,
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    //! A table around a part that is tested alone.

    use super::*;
    use adoube_rules::laws::Name;
    use adoube_rules::sensor::{ClockReading, Frame, Reading, Side};
    use adoube_rules::stamp::SECOND;
    use adoube_rules::{Chess, ChessPosition};

    /// A game of 40 moves in an hour and a half, then half an hour; White's clock was started after ten seconds.
    pub(in crate::table) struct Bench {
        table: Table<Chess>,
        said: Vec<Event>,
    }

    /// What the clock shows, in seconds, while the time of `running` runs.
    pub(in crate::table) fn reading(left_s: [u64; 2], running: Option<Side>) -> ClockReading {
        ClockReading {
            left_ms: left_s.map(|left_s| left_s * 1_000),
            running,
            lever: running,
            flags: [false; 2],
            counter: None,
            by_end: false,
        }
    }

    impl Bench {
        pub(in crate::table) fn new() -> Self {
            let mut open = crate::station::Open::new("1", crate::station::FRAMES, "test");
            open.time_control = Some("40/5400:1800".to_owned());
            let setting = open.chess(Profile::default()).unwrap();
            let mut bench = Self { table: Table::new(setting, Stamp::default()), said: Vec::new() };
            let array = Frame::Identity(ChessPosition::default().contents());
            bench.reads(0, &Reading::Frame(array));
            bench.reads(5, &Reading::Clock(Some(reading([5_400; 2], None))));
            bench.reads(10, &Reading::Clock(Some(reading([5_400; 2], Some(Side::White)))));
            bench
        }

        fn reads(&mut self, second: u64, reading: &Reading) {
            self.table.reading(reading, Stamp::default().at(second * SECOND), &mut self.said);
        }

        /// What a part is given that far into the game; what was said before is forgotten.
        pub(in crate::table) fn report(&mut self, second: u64) -> Report<'_, Chess> {
            self.said.clear();
            self.table.scene.now = Stamp::default().at(second * SECOND);
            self.table.report(&mut self.said)
        }

        /// The names of what the last part said.
        pub(in crate::table) fn said(&self) -> Vec<Name> {
            self.said.iter().map(|event| event.body.name()).collect()
        }
    }
}
