//! What the daemon counts, as Prometheus reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use adoube_sim::Noise;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::daemon::{PATIENCE, Site, awaited, reserved_address};
use crate::http::{ask, game, get, stranger};
use crate::played::{self, Played, SHORT, demo_game};

const DOCUMENT: &str = include_str!("../../docs/service.md");

const DASHBOARD: &str = include_str!("../../docs/grafana.json");

/// The samples of a text, by name and labels, and the kinds of the families.
struct Metrics {
    samples: BTreeMap<String, f64>,
    kinds: BTreeMap<String, String>,
    bytes: usize,
}

impl Metrics {
    /// Reads a text of OpenMetrics 1.0.
    ///
    /// # Panics
    /// If it is none.
    fn read(text: &str) -> Self {
        let body = text.strip_suffix("# EOF\n").expect("the end is marked");
        let (mut samples, mut kinds) = (BTreeMap::new(), BTreeMap::<String, String>::new());
        let mut family = String::new();
        for line in body.lines() {
            if let Some(rest) = line.strip_prefix("# ") {
                let mut words = rest.splitn(3, ' ');
                let (what, name) = (words.next().unwrap(), words.next().unwrap());
                let value = words.next().unwrap_or_default();
                assert!(is_name(name), "{line}");
                match what {
                    "HELP" => assert!(value.len() > 5 && value.ends_with('.'), "{line}"),
                    "TYPE" => {
                        assert!(["counter", "gauge", "histogram"].contains(&value), "{line}");
                        assert!(kinds.insert(name.to_owned(), value.to_owned()).is_none(), "twice: {line}");
                    }
                    "UNIT" => {}
                    _ => panic!("{line}"),
                }
                name.clone_into(&mut family);
                continue;
            }
            let (sample, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
            assert!(is_name(name) && labels.ends_with('}'), "{line}");
            let endings: &[&str] = match kinds[&family].as_str() {
                "counter" => &["_total"],
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &[""],
            };
            assert!(
                endings.iter().any(|ending| format!("{family}{ending}") == name),
                "{line} under {family}"
            );
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
            assert!(value.is_finite(), "{line}");
            assert!(samples.insert(sample.to_owned(), value).is_none(), "twice: {line}");
        }
        let metrics = Self { samples, kinds, bytes: text.len() };
        metrics.check_histograms();
        metrics
    }

    /// Buckets grow, and the last of them holds everything.
    fn check_histograms(&self) {
        for (family, _) in self.kinds.iter().filter(|(_, kind)| *kind == "histogram") {
            let bound = |sample: &str| {
                let bound = sample.split("le=\"").nth(1).unwrap().trim_end_matches("\"}");
                if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap() }
            };
            let of_family =
                self.samples.iter().filter(|(name, _)| name.starts_with(&format!("{family}_bucket")));
            let mut buckets: Vec<(f64, f64)> = of_family.map(|(name, count)| (bound(name), *count)).collect();
            buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert!(buckets.is_sorted_by(|one, other| one.1 <= other.1), "{family}: {buckets:?}");
            let (last, count) = (buckets.last().unwrap(), self.of(&format!("{family}_count")));
            assert_eq!(*last, (f64::INFINITY, count), "{family}");
        }
    }

    /// The value of a sample.
    ///
    /// # Panics
    /// If there is none.
    fn of(&self, sample: &str) -> f64 {
        *self.samples.get(sample).unwrap_or_else(|| panic!("no {sample} in {:#?}", self.samples))
    }

    /// The names of all samples, without labels.
    fn names(&self) -> BTreeSet<String> {
        self.samples.keys().map(|sample| sample.split('{').next().unwrap().to_owned()).collect()
    }
}

fn is_name(name: &str) -> bool {
    let is_ours = name.starts_with("adoube_") || name.starts_with("process_");
    is_ours && name.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

async fn metrics(desk: SocketAddr) -> Metrics {
    let answer = stranger(desk, "GET", "/metrics", &[], "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let kind = answer.header("content-type").unwrap();
    assert_eq!(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    Metrics::read(&answer.body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_counted_as_it_was() {
    let (players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 1), 10.0);
    let site = Site::new(10.0, &[port, format!("tcp://{}", reserved_address())]);
    let _daemon = site.start();
    let before = metrics(site.desk).await;
    assert_eq!(before.of("adoube_moves_total{what=\"made\"}"), 0.0);
    awaited("a ply", PATIENCE, async || (players.plies() >= 1).then_some(())).await;
    let ruling = json!({ "name": "communication-reported" }).to_string();
    assert_eq!(ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &ruling).await.status, 200);
    let finished = async || game(site.desk, "1").await.filter(|game| game["result"] != "*");
    awaited("the result", PATIENCE, finished).await;
    let after = metrics(site.desk).await;
    let plies = players.truth().len() as f64;
    let [made, completed, retracted] = ["made", "completed", "retracted"]
        .map(|what| after.of(&format!("adoube_moves_total{{what=\"{what}\"}}")));
    assert!(
        made >= plies && completed >= plies - 1.0 && made - plies <= retracted * plies,
        "{made} {completed} {retracted}"
    );
    assert!(after.of("adoube_rulings_total") >= 1.0);
    let incidents: f64 = after
        .samples
        .iter()
        .filter(|(name, _)| name.starts_with("adoube_incidents_total"))
        .map(|(_, count)| count)
        .sum();
    assert!(incidents >= 1.0, "the ruling opened a record");
    let export = site.exported();
    let events = export.len() as f64;
    assert!(after.of("adoube_received_bytes_total") > 67.0, "a picture of the board at least");
    assert!(after.of("adoube_readings_total") > plies * 2.0);
    assert_eq!(after.of("adoube_skipped_bytes_total"), 0.0);
    assert_eq!(after.of("adoube_links_total"), 1.0);
    assert!(after.of("adoube_link_faults_total{fault=\"not-opened\"}") >= 2.0, "board 2 is tried again");
    assert_eq!(after.of("adoube_boards{state=\"fresh\"}") + after.of("adoube_boards{state=\"stale\"}"), 1.0);
    assert_eq!(after.of("adoube_boards{state=\"lost\"}"), 1.0);
    assert_eq!(after.of("adoube_board_trouble{board=\"2\",state=\"lost\"}"), 1.0);
    let commits = after.of("adoube_journal_commits_total");
    assert!(commits > 1.0 && commits <= events + after.of("adoube_inputs_total"), "{commits}");
    assert_eq!(after.of("adoube_journal_commit_seconds_count"), commits);
    assert!(after.of("adoube_journal_latency_seconds_count") > plies);
    assert!(after.of("adoube_shown_seconds_count") > plies);
    assert_eq!(after.of("adoube_journal_degraded"), 0.0);
    assert_eq!(after.of("adoube_journal_held_inputs"), 0.0);
    assert!(after.of("adoube_journal_size_bytes") > 4_096.0);
    assert!(after.of("adoube_journal_wal_bytes") > 0.0);
    let mut feeds = after.samples.iter().filter(|(name, _)| name.starts_with("adoube_feed_up{"));
    assert!(feeds.any(|(name, up)| name.contains("feed=\"pgn") && *up == 1.0), "the PGN files are written");
    assert!(after.of("process_resident_memory_bytes") > 1e6 && after.of("process_open_fds") > 5.0);
    // Who asks is connected.
    assert!(after.of("adoube_viewers{listener=\"desk\"}") >= 1.0);
    assert_eq!(after.of("adoube_viewers{listener=\"public\"}"), 0.0);
    for (sample, count) in &before.samples {
        let is_counter = before
            .kinds
            .iter()
            .any(|(family, kind)| kind == "counter" && sample.starts_with(&format!("{family}_total")));
        assert!(!is_counter || after.of(sample) >= *count, "{sample} goes back");
    }
    assert!(after.bytes < 32_768, "{} bytes", after.bytes);
    the_dashboard_names_what_there_is(&after);
    the_document_has_all_of_it(&after);
}

/// The table names every metric, and no other.
fn the_document_has_all_of_it(metrics: &Metrics) {
    let rows =
        DOCUMENT.lines().filter(|line| line.starts_with("| `adoube_") || line.starts_with("| `process_"));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    let documented: BTreeSet<String> = names.map(str::to_owned).collect();
    let total = |(family, kind): (&String, &String)| {
        if kind == "counter" { format!("{family}_total") } else { family.clone() }
    };
    let there: BTreeSet<String> = metrics.kinds.iter().map(total).collect();
    assert_eq!(documented, there);
}

/// Every metric that the dashboard draws is there.
fn the_dashboard_names_what_there_is(metrics: &Metrics) {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut drawn = BTreeSet::new();
    let mut queries = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            queries += 1;
            let query = target["expr"].as_str().unwrap();
            let words = query.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'));
            drawn.extend(
                words
                    .filter(|word| word.starts_with("adoube_") || word.starts_with("process_"))
                    .map(str::to_owned),
            );
        }
    }
    assert!(queries >= 12 && drawn.len() >= 12, "{drawn:?}");
    let there = metrics.names();
    // Those that have no sample before something happened have a type all the same.
    let missing: Vec<&String> = drawn.iter().filter(|name| !there.contains(*name)).collect();
    let is_declared = |name: &str| {
        metrics.kinds.contains_key(name)
            || name.strip_suffix("_total").is_some_and(|name| metrics.kinds.contains_key(name))
    };
    assert!(missing.iter().all(|name| is_declared(name)), "{missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_for_this_machine_and_for_staff() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    for path in ["/metrics", "/healthz", "/readyz"] {
        assert_eq!(stranger(site.desk, "GET", path, &[], "").await.status, 200, "{path}");
        assert_eq!(get(site.public, path).await.status, 404, "{path}");
        // Somebody far away, by a proxy on this machine.
        for header in ["X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7", "X-Real-IP: 192.0.2.7"] {
            assert_eq!(stranger(site.desk, "GET", path, &[header], "").await.status, 401, "{path} {header}");
            // With a token he may.
            assert_eq!(ask(site.desk, "GET", path, &[header], "").await.status, 200, "{path} {header}");
        }
        let foreign = stranger(site.desk, "GET", path, &["Origin: http://evil.example"], "").await;
        assert_eq!(foreign.status, 403, "{path}");
        assert_eq!(stranger(site.desk, "POST", path, &[], "").await.status, 405, "{path}");
        let mut socket = UnixStream::connect(site.path().join("runtime/control.sock")).await.unwrap();
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with("HTTP/1.0 200"), "{path}: {text}");
    }
}

/// A thousand boards take no more room than one: they are counted, and no more than twenty are named.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_text_stays_small_in_a_large_hall() {
    let ports: Vec<String> = (1..=200).map(|host| format!("tcp://127.0.0.{host}:1")).collect();
    let site = Site::new(1.0, &ports);
    let _daemon = site.start();
    let all_lost = async || {
        let metrics = metrics(site.desk).await;
        (metrics.of("adoube_boards{state=\"lost\"}") == 200.0).then_some(metrics)
    };
    let metrics = awaited("200 boards that are not there", PATIENCE, all_lost).await;
    let named = metrics.samples.keys().filter(|sample| sample.starts_with("adoube_board_trouble{"));
    assert_eq!(named.count(), 20);
    assert!(metrics.bytes < 32_768, "{} bytes", metrics.bytes);
}
