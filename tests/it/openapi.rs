//! The API's document says what there is, and whatever a request says wrong is a documented problem.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};

use adoube::auth::Role;
use adoube::daemon::{Daemon, Settings};
use adoube_core::ruling::Ruled;
use adoube_core::station::Open;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::{Answer, ask, get, know, stranger};

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A daemon in this process, with one board that nobody answers at.
async fn daemon() -> (Daemon, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let port = "tcp://127.0.0.1:1";
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let settings = Settings {
        boards: vec![(Open::new("1", "dgt", port), port.parse().unwrap())],
        public: Some(any),
        ..Settings::new(folder.path().join("journal"), any)
    };
    let daemon = Daemon::start(settings).await.unwrap();
    let cookie = daemon.hall.admit(Role::Arbiter, "tester").unwrap();
    know(daemon.desk, format!("Cookie: {cookie}\r\nOrigin: http://{}", daemon.desk));
    (daemon, folder)
}

async fn document(address: SocketAddr) -> Value {
    get(address, "/api/v1/openapi.json").await.json()
}

/// What the desk's listener and the public one document.
pub(crate) async fn documents() -> [Value; 2] {
    let (daemon, _folder) = daemon().await;
    let documents = [document(daemon.desk).await, document(daemon.public.unwrap()).await];
    daemon.stop().await;
    documents
}

/// Every operation: its method, its path, and what the document says of it.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().iter();
            methods.map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
        })
        .collect()
}

/// A path with the document's own examples in the place of its names, and behind the question mark.
fn filled(path: &str, operation: &Value) -> String {
    let mut filled = path.to_owned();
    let mut query = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let example = &parameter["example"];
        let text = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
        if parameter["in"] == "path" {
            assert!(!example.is_null(), "{path}: {name} has no example");
            filled = filled.replace(&format!("{{{name}}}"), &text);
        } else if parameter["in"] == "query" && !example.is_null() {
            query.push(format!("{name}={text}"));
        }
    }
    if query.is_empty() { filled } else { format!("{filled}?{}", query.join("&")) }
}

/// Fails unless it is a problem of this status that the operation documents.
fn is_problem(answer: &Answer, status: u16, operation: Option<&Value>) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{answer:?}");
    let problem = answer.json();
    assert_eq!(problem["status"], status, "{problem}");
    assert_eq!(problem["type"], "about:blank", "{problem}");
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
    if let Some(operation) = operation {
        let documented = &operation["responses"][status.to_string()]["content"];
        assert!(
            documented["application/problem+json"].is_object(),
            "{status} is not documented: {operation}"
        );
    }
}

/// Every text under a key of this name, wherever it stands.
fn texts_under(value: &Value, key: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            if let Some(text) = value.as_str().filter(|_| name == key) {
                found.insert(text.to_owned());
            }
            texts_under(value, key, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| texts_under(value, key, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_listener_documents_what_it_answers_itself() {
    let (daemon, _folder) = daemon().await;
    let (desk, public) = (document(daemon.desk).await, document(daemon.public.unwrap()).await);
    let paths = |document: &Value| -> Vec<String> {
        document["paths"].as_object().unwrap().keys().cloned().collect()
    };
    let everybody = [
        "boards",
        "events",
        "games",
        "games/{game}",
        "games/{game}/card.png",
        "games/{game}/game.gif",
        "games/{game}/position.png",
        "games/{game}/position.svg",
        "names",
        "openapi.json",
    ];
    let everybody = everybody.map(|path| format!("/api/v1/{path}"));
    assert_eq!(paths(&public), everybody);
    let of_the_desk = paths(&desk);
    assert!(everybody.iter().all(|path| of_the_desk.contains(path)), "{of_the_desk:?}");
    for path in ["login", "tokens/{id}", "records/{record}", "boards/{board}/rulings", "feeds"] {
        assert!(of_the_desk.contains(&format!("/api/v1/{path}")), "{path}: {of_the_desk:?}");
    }
    for document in [desk, public] {
        assert_eq!(document["openapi"], "3.1.0");
        // What is referred to is there.
        let mut references = BTreeSet::new();
        texts_under(&document, "$ref", &mut references);
        for reference in references {
            let found = document.pointer(reference.trim_start_matches('#'));
            assert!(found.is_some(), "{reference} is nowhere");
        }
        // Each operation has a name of its own, and says what it does.
        let operations = operations(&document);
        let names: BTreeSet<&str> =
            operations.iter().map(|(_, _, operation)| operation["operationId"].as_str().unwrap()).collect();
        assert_eq!(names.len(), operations.len());
        assert!(operations.iter().all(|(_, _, operation)| operation["summary"].is_string()));
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documented_methods_answer_and_others_say_which_do() {
    let (daemon, _folder) = daemon().await;
    for address in [daemon.desk, daemon.public.unwrap()] {
        let document = document(address).await;
        for (_, path, operation) in operations(&document) {
            let item = document["paths"][&path].as_object().unwrap();
            let path = filled(&path, operation);
            for method in METHODS {
                if item.contains_key(&method.to_lowercase()) {
                    continue;
                }
                let answer = ask(address, method, &path, &[], "").await;
                is_problem(&answer, 405, None);
                let allowed: BTreeSet<&str> = answer.header("allow").unwrap().split(',').collect();
                let mut expected: BTreeSet<String> =
                    item.keys().map(|method| method.to_uppercase()).collect();
                if expected.contains("GET") {
                    expected.insert("HEAD".to_owned());
                }
                assert_eq!(allowed, expected.iter().map(String::as_str).collect(), "{path}");
            }
        }
        is_problem(&get(address, "/api/v1/nothing").await, 404, None);
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_asks_those_for_a_login_of_whom_its_document_says_so() {
    let (daemon, _folder) = daemon().await;
    let document = document(daemon.desk).await;
    let mut open = 0;
    for (method, path, operation) in operations(&document) {
        // This one does not end.
        if path == "/api/v1/events" {
            continue;
        }
        let security =
            if operation["security"].is_null() { &document["security"] } else { &operation["security"] };
        let schemes = security.as_array().unwrap();
        let is_open = schemes.contains(&json!({}));
        for scheme in schemes.iter().flat_map(|scheme| scheme.as_object().unwrap().keys()) {
            assert!(document["components"]["securitySchemes"][scheme].is_object(), "{scheme}");
        }
        let answer = stranger(daemon.desk, &method, &filled(&path, operation), &[], "{}").await;
        // Where spectators may look only, they are told so.
        let is_refused = [401, 405].contains(&answer.status);
        assert_eq!(!is_refused, is_open, "{method} {path}: {answer:?}");
        open += usize::from(is_open);
    }
    assert!(open >= 12, "{open}");
    let public = self::document(daemon.public.unwrap()).await;
    assert!(operations(&public).iter().all(|(_, _, operation)| operation["security"].is_null()));
    assert!(public["security"].is_null() && public["components"]["securitySchemes"].is_null(), "{public}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_is_told_the_names_of_what_may_become_public() {
    let (daemon, _folder) = daemon().await;
    let names = async |address| get(address, "/api/v1/names").await.json().as_array().unwrap().clone();
    let [of_desk, of_public] = [names(daemon.desk).await, names(daemon.public.unwrap()).await];
    let public: Vec<Value> = of_desk.iter().filter(|name| name["public"] == true).cloned().collect();
    assert_eq!(of_public, public);
    assert!(public.len() >= 30 && public.len() < of_desk.len(), "{}", public.len());
    let document = document(daemon.public.unwrap()).await;
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let has_schema =
        |name: &Value| schemas.contains_key(&format!("event.{}", name["name"].as_str().unwrap()));
    assert!(of_public.iter().all(has_schema), "{of_public:?}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn examples_are_understood() {
    let (daemon, _folder) = daemon().await;
    let document = document(daemon.desk).await;
    let mut tried = 0;
    for (method, path, operation) in operations(&document) {
        // This one does not end.
        if method != "GET" || path == "/api/v1/events" {
            continue;
        }
        let answer = get(daemon.desk, &filled(&path, operation)).await;
        // The example's board or game need not be here, but it has to be understood.
        assert!([200, 404].contains(&answer.status), "{path}: {answer:?}");
        tried += 1;
    }
    assert!(tried >= 4);
    let examples = document["components"]["schemas"]["Ruling"]["examples"].as_array().unwrap();
    assert!(!examples.is_empty());
    for example in examples {
        Ruled::parse(example).unwrap();
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_wrong_with_a_request_is_a_documented_problem() {
    let (daemon, _folder) = daemon().await;
    let document = document(daemon.desk).await;
    let game = &document["paths"]["/api/v1/games/{game}"]["get"];
    is_problem(&get(daemon.desk, "/api/v1/games/%ff").await, 400, Some(game));
    is_problem(&get(daemon.desk, "/api/v1/games/none").await, 404, Some(game));
    let rulings = &document["paths"]["/api/v1/boards/{board}/rulings"]["post"];
    let note = r#"{"name":"note","text":"x"}"#;
    let long = format!(r#"{{"name":"note","text":"{}"}}"#, "x".repeat(128 * 1024));
    let path = "/api/v1/boards/1/rulings";
    for (status, path, kind, body) in [
        (400, "/api/v1/boards/%ff/rulings", "application/json", note),
        (400, path, "application/json", "{"),
        (400, path, "application/json", ""),
        (404, "/api/v1/boards/9/rulings", "application/json", note),
        (409, path, "application/json", r#"{"name":"change-result","value":"1-0"}"#),
        (413, path, "application/json", &long),
        (400, path, "application/x-www-form-urlencoded", "name=note&text=x"),
        (422, path, "application/json", "7"),
        (422, path, "application/json", r#"{"name":"nonsense"}"#),
        (422, path, "application/json", r#"{"name":"note"}"#),
    ] {
        let kind = format!("Content-Type: {kind}");
        is_problem(&ask(daemon.desk, "POST", path, &[&kind], body).await, status, Some(rulings));
    }
    let change = &document["paths"]["/api/v1/boards/{board}"]["patch"];
    is_problem(&ask(daemon.desk, "PATCH", "/api/v1/boards/1", &[], "[null, null]").await, 422, Some(change));
    // What curl sends by default calls itself a form.
    for kind in ["application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/plain"] {
        let good = ask(daemon.desk, "POST", path, &[&format!("Content-Type: {kind}")], note).await;
        assert_eq!((good.status, good.body.as_str()), (200, r#"{"ok":true}"#), "{kind}");
    }
    daemon.stop().await;
}
