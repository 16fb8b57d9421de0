//! No way leads from the spectators to what the arbiter sees: every route, with every method.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use adoube_sim::Noise;
use serde_json::json;

use crate::daemon::{Daemon, PATIENCE, Site, awaited};
use crate::http::{ask, game, get, overhear};
use crate::played::{self, Played, SHORT, demo_game};

const SPEED: f64 = 40.0;

/// An answer is there sooner, also a picture; a stream has said its first by then.
const LISTEN: Duration = Duration::from_secs(2);

/// What stands in a private event and nowhere else.
const MARKER: &str = "between the arbiters";

/// What nobody may hear who is not logged in: the marker, names of private events and fields, and how boards
/// are attached. `5-12` is no game of the hall.
const PRIVATE: [&str; 12] = [
    MARKER,
    "\"seq\"",
    "\"record\"",
    "\"records\"",
    "\"readings\"",
    "piece-lifted",
    "piece-placed",
    "\"ruled\"",
    "\"serial\"",
    "\"port\"",
    "touch-move",
    "\"desk\":true",
];

const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

/// What a listener says that it has: each has one of its own.
const DOCUMENT: &str = "/api/v1/openapi.json";

/// What both listeners have.
const SHARED: [&str; 14] = [
    "/",
    "/api/v1/names",
    "/assets/{name}",
    "/api/v1/boards",
    "/api/v1/games",
    "/api/v1/games/{game}",
    "/api/v1/games/{game}.pgn",
    "/api/v1/games/{game}/position.png",
    "/api/v1/games/{game}/position.svg",
    "/api/v1/games/{game}/card.png",
    "/api/v1/games/{game}/game.gif",
    "/game/{game}",
    "/api/v1/events",
    "/pgn/games.pgn",
];

/// What only the desk has.
const DESK: [&str; 21] = [
    "/desk",
    "/desk/index.html",
    "/api/v1/login",
    "/api/v1/logout",
    "/api/v1/session",
    "/api/v1/tokens",
    "/api/v1/tokens/1",
    "/api/v1/audit",
    "/api/v1/boards/1",
    "/api/v1/boards/1/rulings",
    "/api/v1/boards/1/readings",
    "/api/v1/records",
    "/api/v1/records/1",
    "/api/v1/history",
    "/api/v1/round",
    "/api/v1/feeds",
    "/api/v1/round/1",
    "/watch",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// What anybody gets at the desk: how to log in, and what holds everywhere; on the same machine also how the
/// daemon is. The hall has no round 1.
const OPEN_AT_DESK: [&str; 13] = [
    "/desk",
    "/desk/index.html",
    "/watch",
    "/round/1",
    "/api/v1/login",
    "/api/v1/logout",
    "/api/v1/session",
    "/api/v1/names",
    "/api/v1/rulings",
    "/api/v1/articles/2023/7.5.1",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// A hall in which something happened that only the arbiter may know.
async fn hall() -> (Site, Daemon, Played, String) {
    let (players, port) = Played::heard_on_tcp(played::board(&demo_game(SHORT), Noise::Heavy, 1), SPEED);
    let site = Site::new(SPEED, &[port]);
    let daemon = site.start();
    awaited("a few plies", PATIENCE, async || (players.plies() >= 8).then_some(())).await;
    let note = json!({ "name": "note", "text": MARKER }).to_string();
    assert_eq!(ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &note).await.status, 200);
    let finished = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    let finished = awaited("the result", PATIENCE, finished).await;
    // The marker is there for those who may see it.
    let exported = site.exported().join("\n");
    for private in [MARKER, "\"seq\"", "piece-lifted", "\"ruled\"", "\"serial\"", "\"port\""] {
        assert!(exported.contains(private), "{private}");
    }
    let name = finished["game"].as_str().unwrap().to_owned();
    (site, daemon, players, name)
}

/// Every path that we know of, and every one that the desk's own document knows.
async fn paths(site: &Site, game: &str) -> BTreeSet<String> {
    let document = get(site.desk, DOCUMENT).await;
    assert_eq!(document.status, 200, "{document:?}");
    let document = document.json();
    let documented: Vec<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert!(documented.len() > SHARED.len() + 10, "{documented:?}");
    let ours = SHARED.iter().chain(&DESK).chain(&OPEN_AT_DESK).map(|&path| path.to_owned());
    let all = ours.chain(documented);
    let real = [
        ("{game}", game),
        ("{name}", "app.js"),
        ("{*name}", "app.js"),
        ("{board}", "1"),
        ("{record}", "1"),
        ("{id}", "1"),
        ("{edition}", "2023"),
        ("{article}", "7.5.1"),
        ("{number}", "1"),
    ];
    all.map(|path| real.iter().fold(path, |path, (name, value)| path.replace(name, value))).collect()
}

/// The status of an answer, after a look at everything that it says.
async fn walk(address: SocketAddr, method: &str, path: &str) -> u16 {
    let heard = overhear(address, method, path, LISTEN).await;
    for private in PRIVATE {
        // A document says which fields there are, not what is in them; assets are the same for everybody.
        let is_content =
            !path.ends_with("openapi.json") && !path.starts_with("/assets") && !path.starts_with("/desk");
        let is_names = path.starts_with("/api/v1/names") || path.starts_with("/api/v1/rulings");
        assert!(
            !(is_content && !is_names || private == MARKER) || !heard.contains(private),
            "{private} at {method} {path}: {heard}"
        );
    }
    heard.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{heard:?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_of_the_spectators_leads_to_what_is_the_arbiters() {
    let (site, _daemon, _players, game) = hall().await;
    let paths = paths(&site, &game).await;
    let shared: Vec<String> =
        SHARED.iter().map(|path| path.replace("{game}", &game).replace("{name}", "app.js")).collect();
    for path in &paths {
        for method in METHODS {
            let status = walk(site.public, method, path).await;
            let is_read = ["GET", "HEAD"].contains(&method);
            if shared.contains(path) || path == DOCUMENT {
                assert_eq!(status, if is_read { 200 } else { 405 }, "{method} {path}");
            } else {
                assert!([404, 405].contains(&status), "{method} {path}: {status}");
            }
        }
    }
    assert!(paths.len() >= SHARED.len() + DESK.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_desk_whoever_is_not_logged_in_gets_what_is_public() {
    let (site, _daemon, _players, game) = hall().await;
    for path in &paths(&site, &game).await {
        for method in METHODS {
            let status = walk(site.desk, method, path).await;
            let is_closed = DESK.contains(&path.as_str()) && !OPEN_AT_DESK.contains(&path.as_str());
            if is_closed {
                assert!([401, 405].contains(&status), "{method} {path}: {status}");
            } else {
                assert!([200, 400, 401, 404, 405, 422].contains(&status), "{method} {path}: {status}");
            }
        }
    }
    // The same question by the arbiter finds the marker: the walk would have seen it.
    let seen = get(site.desk, "/api/v1/audit").await.body;
    assert!(seen.contains(MARKER), "{seen}");
}
