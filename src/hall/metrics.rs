//! What is counted while the daemon runs, in the text that Prometheus reads (OpenMetrics 1.0).
//!
//! The text is of about the same size with one board and with a thousand: nothing is counted by board. What a
//! single board does is told by `GET /api/v1/boards`; only boards that are in trouble are named here, and no
//! more of them than an arbiter can go and look at (`state`).

mod state;

use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::Hall;
use crate::journal::Figures;
use adoube_core::event::{Numbered, Said};

/// What tells metrics of one name apart.
type Labels = Vec<(&'static str, String)>;

/// From what the core needs for one reading up to what nobody would wait for.
const SECONDS: [f64; 12] =
    [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0];

/// Why a board has no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkFault {
    /// Its port could not be opened.
    NotOpened,
    /// A link that was open broke, or was given up because the board was silent or took no bytes.
    Lost,
}

impl LinkFault {
    fn name(self) -> &'static str {
        match self {
            Self::NotOpened => "not-opened",
            Self::Lost => "lost",
        }
    }
}

/// The counters of a daemon.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    received_bytes: Counter,
    skipped_bytes: Counter,
    readings: Counter,
    inputs: Counter,
    core_s: Histogram,
    links: Counter,
    link_faults: Family<Labels, Counter>,
    moves: Family<Labels, Counter>,
    incidents: Family<Labels, Counter>,
    rulings: Counter,
    shown_s: Histogram,
    beats: Counter,
    /// When the process began, as far as we know: seconds since 1970.
    started_s: f64,
}

impl Metrics {
    /// Counters that all stand at zero, and those of the journal.
    pub(crate) fn new(journal: &Figures) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            received_bytes: Counter::default(),
            skipped_bytes: Counter::default(),
            readings: Counter::default(),
            inputs: Counter::default(),
            core_s: Histogram::new(SECONDS),
            links: Counter::default(),
            link_faults: Family::default(),
            moves: Family::default(),
            incidents: Family::default(),
            rulings: Counter::default(),
            shown_s: Histogram::new(SECONDS),
            beats: Counter::default(),
            started_s: crate::world::now().as_millisecond() as f64 / 1_000.0,
        };
        metrics.register();
        metrics.register_journal(journal);
        // What has not happened yet is a zero, not a gap in somebody's graph.
        for fault in [LinkFault::NotOpened, LinkFault::Lost] {
            drop(metrics.link_faults.get_or_create(&labels("fault", fault.name())));
        }
        for what in ["made", "completed", "retracted"] {
            drop(metrics.moves.get_or_create(&labels("what", what)));
        }
        metrics
    }

    fn register(&mut self) {
        let mut add = Adding(self.registry.sub_registry_with_prefix("adoube"));
        add.counter("received_bytes", "Bytes that boards sent", &self.received_bytes);
        add.counter("skipped_bytes", "Bytes of boards that belong to no message", &self.skipped_bytes);
        add.counter("readings", "Readings: squares, whole pictures and clocks", &self.readings);
        add.counter("inputs", "Inputs that boards took: bytes, links, rulings, timers", &self.inputs);
        let core = "What the core needed for one input";
        add.0.register("core_seconds", core, self.core_s.clone());
        add.counter("links", "Links to boards that were opened", &self.links);
        add.0.register("link_faults", "Links to boards that failed, by the reason", self.link_faults.clone());
        add.0.register("moves", "Moves made, completed and retracted", self.moves.clone());
        add.0.register("incidents", "Records that were opened, by type", self.incidents.clone());
        add.counter("rulings", "Rulings and entries of arbiters and operators", &self.rulings);
        let shown = "From the commit of an event until the desk had it";
        add.0.register("shown_seconds", shown, self.shown_s.clone());
        add.counter("watchdog_beats", "Heartbeats through runtime, journal and what shows it", &self.beats);
    }

    fn register_journal(&mut self, journal: &Figures) {
        let mut add = Adding(self.registry.sub_registry_with_prefix("adoube_journal"));
        add.counter("commits", "Commits of the journal", &journal.commits);
        add.counter("failures", "Commits of the journal that failed", &journal.failures);
        add.0.register("batch_inputs", "Inputs in one commit", journal.batch_inputs.clone());
        add.0.register("commit_seconds", "How long a commit took", journal.commit_s.clone());
        let latency = "From an input that a board's task handed in until it was on disk";
        add.0.register("latency_seconds", latency, journal.latency_s.clone());
        let held = "Inputs that are held in memory because the disk fails";
        add.0.register("held_inputs", held, journal.held.clone());
        add.0.register("size_bytes", "Bytes of the journal's files", journal.bytes.clone());
        add.0.register(
            "wal_bytes",
            "Bytes that wait beside the file that is written",
            journal.wal_bytes.clone(),
        );
    }

    /// Bytes came from a board.
    pub(super) fn received(&self, bytes: usize) {
        self.received_bytes.inc_by(bytes as u64);
    }

    /// The core took an input, with so many readings in it and bytes that belong to no message.
    pub(super) fn took(&self, time: Duration, readings: u64, skipped_bytes: u64) {
        self.inputs.inc();
        self.readings.inc_by(readings);
        self.skipped_bytes.inc_by(skipped_bytes);
        self.core_s.observe(time.as_secs_f64());
    }

    /// A link to a board is open.
    pub(super) fn linked(&self) {
        self.links.inc();
    }

    /// There is no link to a board.
    pub(super) fn unlinked(&self, fault: LinkFault) {
        self.link_faults.get_or_create(&labels("fault", fault.name())).inc();
    }

    /// An event was committed.
    pub(super) fn event(&self, event: &Numbered) {
        let moved = |what: &str| {
            self.moves.get_or_create(&labels("what", what)).inc();
        };
        match &event.said {
            Said::Ruled(_) => drop(self.rulings.inc()),
            Said::MoveMade(_) => moved("made"),
            Said::MoveCompleted(_) => moved("completed"),
            Said::MoveRetracted(_) => moved("retracted"),
            Said::Record(recorded) if recorded.record.0 == event.seq => {
                self.incidents.get_or_create(&labels("type", event.name().as_str())).inc();
            }
            _ => {}
        }
    }

    /// A commit was shown at the desk, so long after it was made.
    pub(super) fn shown(&self, after: Duration) {
        self.shown_s.observe(after.as_secs_f64());
    }

    /// A heartbeat came through.
    pub(super) fn beat(&self) {
        self.beats.inc();
    }

    /// All of it, and how the hall stands now.
    ///
    /// # Errors
    /// None: a text has room for everything.
    pub(super) fn text(&self, hall: &Hall) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, &state::registry(hall, self.started_s))?;
        encode_eof(&mut text)?;
        Ok(text)
    }
}

impl Hall {
    /// What is counted, as Prometheus reads it.
    ///
    /// # Errors
    /// None: a text has room for everything.
    pub(crate) fn metrics_text(&self) -> Result<String, fmt::Error> {
        self.metrics.text(self)
    }
}

/// Where metrics are added under one prefix.
struct Adding<'a>(&'a mut Registry);

impl Adding<'_> {
    fn counter(&mut self, name: &str, help: &str, counter: &Counter) {
        self.0.register(name, help, counter.clone());
    }
}

fn labels(name: &'static str, value: &str) -> Labels {
    vec![(name, value.to_owned())]
}

#[cfg(test)]
mod tests {
    use adoube_core::event::testing::numbered;
    use serde_json::json;

    use super::*;

    fn metrics() -> Metrics {
        Metrics::new(&Figures::default())
    }

    fn text(metrics: &Metrics) -> String {
        let mut text = String::new();
        encode_registry(&mut text, &metrics.registry).unwrap();
        text
    }

    #[test]
    fn a_record_counts_once_and_under_a_name_of_the_registry() {
        let metrics = metrics();
        let event = |json| metrics.event(&numbered(json));
        event(json!({ "type": "board-disconnected", "seq": 7, "record": 7, "status": "open" }));
        event(json!({ "type": "board-disconnected", "seq": 9, "record": 7, "status": "confirmed" }));
        event(json!({ "type": "ruled", "seq": 8, "name": "reject", "record": 7 }));
        event(json!({ "type": "move-retracted", "seq": 11 }));
        let text = text(&metrics);
        let incidents: Vec<&str> =
            text.lines().filter(|line| line.starts_with("adoube_incidents_")).collect();
        assert_eq!(incidents, ["adoube_incidents_total{type=\"board-disconnected\"} 1"]);
        assert!(text.contains("adoube_rulings_total 1\n"), "{text}");
        assert!(text.contains("adoube_moves_total{what=\"retracted\"} 1\n"), "{text}");
        assert!(text.contains("adoube_moves_total{what=\"made\"} 0\n"), "{text}");
    }
}
