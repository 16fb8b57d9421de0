//! The API's document has a schema for each event, and what is said is what it describes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use adoube_core::event::publish;
use adoube_rules::laws::{Name, RowKind, See};
use adoube_sim::Noise;
use adoube_sim::scenario::Scenario;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{Events, ask, game, get, moves};
use crate::openapi::documents;
use crate::played::{self, LONG, Played, demo_game};
use crate::scenarios::files;
use crate::slots::computing;

/// Public events that no table makes: the hall says them.
const OF_THE_HALL: [Name; 2] = [Name::RoundOpened, Name::RoundClosed];

/// Of no scenario: what the hall and the journal say, a board that is silent or another one, and outcomes that
/// nobody comes to.
const UNSEEN: [&str; 7] = [
    "round-opened",
    "round-closed",
    "board-stale",
    "journal-degraded",
    "journal-gap",
    "rules-forfeit",
    "forfeit-not-played",
];

/// The schemas of a document's events.
struct Schemas(BTreeMap<Name, Validator>);

impl Schemas {
    fn read(document: &Value) -> Self {
        let schema = |name: &Name| {
            let known = format!("event.{name}");
            document["components"]["schemas"].get(&known)?;
            let reference = format!("#/components/schemas/{known}");
            let schema = json!({ "$ref": reference, "components": document["components"] });
            Some((*name, jsonschema::validator_for(&schema).unwrap()))
        };
        Self(Name::ALL.iter().filter_map(schema).collect())
    }

    /// Holds an event against its schema, and each of its fields: one of which the document says nothing is unknown.
    fn complaints(&self, name: Name, event: &Value) -> String {
        let Some(validator) = self.0.get(&name) else { return format!("{name} is not in the document\n") };
        let mut complaints = String::new();
        for error in validator.iter_errors(event) {
            writeln!(complaints, "{name}: {error} at {}: {event}", error.instance_path()).unwrap();
        }
        complaints
    }
}

/// Fails unless `said` is what the document says of a message that is no event, and each of its fields is known there.
fn is_described(document: &Value, message: &str, said: &Value) {
    let known = format!("stream.{message}");
    let reference = json!({ "$ref": format!("#/components/schemas/{known}") });
    let mut schema = reference.clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(said).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{known}: {errors:?}: {said}");
    let mut found = BTreeSet::new();
    fields(document, &reference, &mut found);
    assert!(said.as_object().unwrap().keys().all(|key| found.contains(key)), "{known}: {found:?}: {said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_are_no_events_are_described() {
    let (_players, port) = Played::heard_on_tcp(played::board(&demo_game(LONG), Noise::Light, 1), 4.0);
    let site = Site::new(4.0, &[port]);
    site.set("publish_pairings = \"at-import\"");
    let _daemon = site.start();
    let addresses = [site.desk, site.public];
    let mut documents = Vec::new();
    for address in addresses {
        documents.push(get(address, "/api/v1/openapi.json").await.json());
    }
    let played = async || game(site.public, "1").await.filter(|game| moves(game).len() >= 2);
    awaited("two moves", PATIENCE, played).await;
    for which in ["all", "last"] {
        for (address, document) in addresses.iter().zip(&documents) {
            let path = format!("/api/v1/events?moves={which}");
            let snapshot = Events::open_at(*address, &path, None).await.unwrap().told(PATIENCE).await;
            assert_eq!(snapshot.name, "snapshot");
            let said = snapshot.json();
            is_described(document, "snapshot", &said);
            let board = &said["boards"][0];
            let mut known = BTreeSet::new();
            fields(document, &json!({ "$ref": "#/components/schemas/BoardOfSnapshot" }), &mut known);
            assert!(board.as_object().unwrap().keys().all(|key| known.contains(key)), "{board}");
            assert!(board["game"].is_object(), "{board}");
        }
    }
    let snapshot = Events::open(site.desk, None).await.unwrap().told(PATIENCE).await;
    let mut public = Events::open(site.public, None).await.unwrap();
    let board = json!({ "id": "2", "port": "tcp://127.0.0.1:1" }).to_string();
    let answer = ask(site.desk, "POST", "/api/v1/boards", &[], &board).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let pairings = "round,board,white,black\n7,2,A,B\n";
    assert_eq!(ask(site.desk, "POST", "/api/v1/pairings", &[], pairings).await.status, 200);
    // Who comes back is told how everything stands.
    let mut desk = Events::open(site.desk, Some(&snapshot.id)).await.unwrap();
    for (stream, document, asides) in [
        (&mut desk, &documents[0], &["boards", "readiness"][..]),
        (&mut public, &documents[1], &["pairings"]),
    ] {
        let mut missing: BTreeSet<&str> = asides.iter().copied().collect();
        while !missing.is_empty() {
            let message = stream.told(PATIENCE).await;
            if message.id.is_empty() {
                is_described(document, &message.name, &message.json());
            }
            missing.remove(message.name.as_str());
        }
    }
}

/// Every field that a schema tells of, through what it refers to.
fn fields(document: &Value, schema: &Value, found: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        fields(document, document.pointer(reference.trim_start_matches('#')).unwrap(), found);
    }
    if let Some(properties) = schema["properties"].as_object() {
        found.extend(properties.keys().cloned());
    }
    for several in ["allOf", "oneOf", "anyOf"] {
        for schema in schema[several].as_array().into_iter().flatten() {
            fields(document, schema, found);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_scenarios_say_is_what_the_document_describes() {
    let _slot = computing();
    let documents = documents().await;
    let schemas = documents.each_ref().map(Schemas::read);
    let fields = documents.each_ref().map(|document| {
        let of = |name: &Name| {
            let mut found = BTreeSet::new();
            fields(document, &document["components"]["schemas"][format!("event.{name}")], &mut found);
            (*name, found)
        };
        Name::ALL.iter().map(of).collect::<BTreeMap<_, _>>()
    });
    let mut complaints = String::new();
    let mut seen: [BTreeSet<Name>; 2] = Default::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    for file in files(&folder) {
        let scenario = Scenario::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
        let verdict = scenario.run(&scenario.cases()[0], &[]).unwrap();
        let mut hold = |at: usize, name: Name, event: serde_json::Map<String, Value>| {
            for key in event.keys().filter(|key| !fields[at][&name].contains(*key)) {
                writeln!(complaints, "{name}: nothing is said of {key}").unwrap();
            }
            seen[at].insert(name);
            complaints += &schemas[at].complaints(name, &Value::Object(event));
        };
        for event in &verdict.events {
            hold(0, event.name(), event.json());
            if let Some(public) = publish(event) {
                hold(1, public.name(), public.json());
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
    let unseen = |at: usize, may_be: fn(Name) -> bool| -> Vec<&str> {
        let unseen = Name::ALL.iter().filter(|name| may_be(**name) && !seen[at].contains(name));
        unseen.map(|name| name.as_str()).collect()
    };
    assert_eq!(unseen(0, |name| name.row().kind != RowKind::Proposal), UNSEEN);
    // An outcome that no scenario comes to is described like one that many come to.
    let described = |name: &str| documents[1]["components"]["schemas"][format!("event.{name}")].to_string();
    for name in unseen(1, |name| name.row().see != See::Arbiter && !OF_THE_HALL.contains(&name)) {
        assert_eq!(described(name).replace(name, "checkmate"), described("checkmate"));
    }
}
