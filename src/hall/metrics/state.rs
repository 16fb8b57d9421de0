//! How the hall stands at the moment at which somebody asks.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use jiff::Timestamp;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::{Labels, labels};
use crate::feed::records::Record;
use crate::feed::status::FeedStatus;
use crate::hall::Hall;
use crate::journal::JournalState;
use crate::process;
use adoube_core::station::CORE;
use adoube_rules::laws::Name;

/// Boards in trouble that are named: nobody goes to more tables than these at one time.
const TROUBLED: usize = 20;

/// What a board can be.
const BOARD_STATES: [&str; 4] = ["waiting", "fresh", "stale", "lost"];

type Decimal = Gauge<f64, AtomicU64>;

/// The metrics that are looked up and not counted.
pub(super) fn registry(hall: &Hall, started_s: f64) -> Registry {
    let mut registry = Registry::default();
    boards(hall, registry.sub_registry_with_prefix("adoube"));
    records(hall, registry.sub_registry_with_prefix("adoube"));
    feeds(&hall.feeds(), registry.sub_registry_with_prefix("adoube_feed"));
    let add = registry.sub_registry_with_prefix("adoube");
    let is_degraded = hall.journal_state() != JournalState::Ok;
    add.register(
        "journal_degraded",
        "1 while the games go on in memory alone",
        whole(i64::from(is_degraded)),
    );
    let viewers = Family::<Labels, Gauge>::default();
    for (listener, count) in hall.viewers() {
        viewers.get_or_create(&labels("listener", listener)).set(count as i64);
    }
    add.register("viewers", "Connections to the pages, by listener", viewers);
    let build = vec![("version", env!("CARGO_PKG_VERSION").to_owned()), ("core", CORE.to_string())];
    let info = Family::<Labels, Gauge>::default();
    info.get_or_create(&build).set(1);
    add.register("build_info", "Version, and the number of the core's rules", info);
    own_process(&mut registry, started_s);
    registry
}

fn boards(hall: &Hall, add: &mut Registry) {
    let mut counts = BTreeMap::from(BOARD_STATES.map(|state| (state, 0)));
    let troubled = Family::<Labels, Gauge>::default();
    let mut named = 0;
    for board in hall.boards_now() {
        *counts.entry(board.state).or_insert(0) += 1;
        if matches!(board.state, "stale" | "lost") && named < TROUBLED {
            named += 1;
            let labels = vec![("board", board.board), ("state", board.state.to_owned())];
            troubled.get_or_create(&labels).set(1);
        }
    }
    let boards = Family::<Labels, Gauge>::default();
    for (state, count) in counts {
        boards.get_or_create(&labels("state", state)).set(count);
    }
    add.register("boards", "Boards, by state", boards);
    add.register("board_trouble", "Boards that are stale or lost, the first twenty of them", troubled);
}

fn records(hall: &Hall, add: &mut Registry) {
    let mut counts = BTreeMap::<Name, i64>::new();
    for record in hall.desk.records(Record::is_open) {
        *counts.entry(record.event.name()).or_default() += 1;
    }
    let open = Family::<Labels, Gauge>::default();
    for (name, count) in counts {
        open.get_or_create(&labels("type", name.as_str())).set(count);
    }
    add.register("open_records", "Records that wait for the arbiter, by type", open);
}

fn feeds(feeds: &[FeedStatus], add: &mut Registry) {
    let [up, queued, homeless] = [(); 3].map(|()| Family::<Labels, Gauge>::default());
    let failing_s = Family::<Labels, Decimal>::default();
    let [delivered, refused, expired] = [(); 3].map(|()| Family::<Labels, Counter>::default());
    let now = crate::world::now();
    for feed in feeds {
        let labels = vec![("feed", feed.feed.to_owned()), ("to", feed.to.clone())];
        up.get_or_create(&labels).set(i64::from(matches!(feed.state, "ok" | "behind" | "idle")));
        queued.get_or_create(&labels).set(feed.queued.cast_signed());
        homeless.get_or_create(&labels).set(feed.homeless.cast_signed());
        let since: Option<Timestamp> = feed.failing_since.as_ref().and_then(|since| since.parse().ok());
        let failing = since.map_or(0.0, |since| now.duration_since(since).as_secs_f64());
        failing_s.get_or_create(&labels).set(failing);
        delivered.get_or_create(&labels).inc_by(feed.delivered);
        refused.get_or_create(&labels).inc_by(feed.refused);
        expired.get_or_create(&labels).inc_by(feed.expired);
    }
    add.register("up", "1 while the feed gets through", up);
    add.register(
        "homeless_games",
        "Games that are played and go nowhere: their round has no place there",
        homeless,
    );
    add.register("queued", "What waits to be sent", queued);
    add.register("failing_seconds", "For how long it has not got through", failing_s);
    add.register("delivered", "What was delivered", delivered);
    add.register("refused", "What the receiver refused", refused);
    add.register("expired", "What could not be delivered in time", expired);
}

/// Under the names that every process has for Prometheus.
fn own_process(registry: &mut Registry, started_s: f64) {
    let own = std::process::id();
    let add = registry.sub_registry_with_prefix("process");
    let resident = process::resident_kib(own).saturating_mul(1_024);
    add.register("resident_memory_bytes", "Memory that is really there", whole(resident.cast_signed()));
    add.register("open_fds", "Open files and sockets", whole(process::open_files().cast_signed()));
    let cpu = Counter::<f64, AtomicU64>::default();
    cpu.inc_by(process::cpu_s(own));
    add.register("cpu_seconds", "Time on processors", cpu);
    let started = Decimal::default();
    started.set(started_s);
    add.register("start_time_seconds", "When it began, seconds since 1970", started);
}

fn whole(value: i64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(value);
    gauge
}
