//! Who may do what at the desk: each role and each kind of write, and what becomes of a right that ends.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::daemon::{Daemon, Site};
use crate::http::{self, Answer, Events, Heard, ask, get, know, parts, stranger};

/// The rulings of an operator (issue 5, part 6).
const OPERATOR: &str = "confirm-move correct-move insert-move delete-move accept-position move-to-board \
                        round-open round-start round-close assign link clock-start";

/// Those that are an operator's where the event says so.
const RESULTS: &str = "result change-result";

/// All others (DESIGN 5.6).
const ARBITER: &str = "confirm reject postpone undo restore-position set-position replace-by-queen castling-ban \
                       transfer-position pause resume press clock-times add-time-opponent reduce-time-offender \
                       adjust-times return-clock undo-press counter-correction increment-mode adjusting \
                       strike-touch assistant two-hands wrong-hand claim-threefold claim-threefold-intended \
                       claim-fifty-moves claim-fifty-moves-intended claim-flag-fall claim-illegal-move \
                       claim-touch-move claim-qpf qpf-increment-request draw-offer draw-agreed resign \
                       setup-wrong orientation-wrong colours-reversed report-illegal displacement-found \
                       scoresheets-incomplete communication-reported start-game annul-game postpone-game exchange-boards swap-colours \
                       reconstruct end-reconstruct adjourn seal-move sealer-absent resume-game penalty note";

const RULINGS: &str = "/api/v1/boards/1/rulings";

fn hall() -> Site {
    Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()])
}

/// Somebody with a token.
struct Person {
    desk: SocketAddr,
    header: String,
}

impl Person {
    fn new(site: &Site, role: &str, name: &str) -> Self {
        let token = site.add_token(role, name);
        Self { desk: site.desk, header: format!("Authorization: Bearer {token}") }
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        stranger(self.desk, method, path, &[&self.header], body).await
    }

    async fn status(&self, method: &str, path: &str, body: &str) -> u16 {
        self.ask(method, path, body).await.status
    }

    /// Makes a ruling without its arguments: who may make it is asked first.
    async fn rules(&self, name: &str) -> u16 {
        self.status("POST", RULINGS, &json!({ "name": name }).to_string()).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_makes_its_own_rulings() {
    let site = hall();
    let _daemon = site.start();
    let (operator, arbiter) = (Person::new(&site, "operator", "Ola"), Person::new(&site, "arbiter", "Ann"));
    for name in
        OPERATOR.split_whitespace().chain(RESULTS.split_whitespace()).chain(ARBITER.split_whitespace())
    {
        let body = json!({ "name": name }).to_string();
        let nobody = stranger(site.desk, "POST", RULINGS, &[], &body).await;
        assert_eq!((nobody.status, nobody.header("content-type")), (401, Some("application/problem+json")));
        let is_operators = OPERATOR.split_whitespace().any(|one| one == name);
        assert_eq!(operator.rules(name).await == 403, !is_operators, "operator: {name}");
        let status = arbiter.rules(name).await;
        assert!([200, 400, 409, 422].contains(&status), "arbiter: {name}: {status}");
        let allowed = if is_operators { json!(["operator", "arbiter"]) } else { json!(["arbiter"]) };
        assert_eq!(roles_of(&site, name).await, allowed, "{name}");
    }
}

/// What the desk says stays on no disk of the machine at which somebody reads it, and one connection is one reader.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_for_who_asked_and_one_at_a_time() {
    let site = hall();
    let _daemon = site.start();
    let arbiter = Person::new(&site, "arbiter", "Ann");
    for path in
        ["/api/v1/boards", "/api/v1/games", "/api/v1/incidents", "/watch", "/round/1", "/pgn/games.pgn"]
    {
        assert_eq!(arbiter.ask("GET", path, "").await.header("cache-control"), Some("no-store"), "{path}");
    }
    let public = stranger(site.desk, "GET", "/api/v1/games", &[], "").await;
    assert_ne!(public.header("cache-control"), Some("no-store"));
    // Whichever test comes first.
    let _first = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let answer = client.get(format!("http://{}/api/v1/games", site.desk)).send().await.unwrap();
    assert_eq!(
        (answer.version(), answer.status()),
        (reqwest::Version::HTTP_2, reqwest::StatusCode::HTTP_VERSION_NOT_SUPPORTED)
    );
}

/// Who may make the ruling, as everybody is told.
async fn roles_of(site: &Site, name: &str) -> Value {
    let rulings = stranger(site.desk, "GET", "/api/v1/rulings", &[], "").await.json();
    rulings.as_array().unwrap().iter().find(|ruling| ruling["name"] == name).unwrap()["roles"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_enter_results_where_the_event_says_so() {
    let site = hall();
    site.set("operator_results = true");
    let _daemon = site.start();
    let operator = Person::new(&site, "operator", "Ola");
    for name in RESULTS.split_whitespace() {
        assert_ne!(operator.rules(name).await, 403, "{name}");
        assert_eq!(roles_of(&site, name).await, json!(["operator", "arbiter"]), "{name}");
    }
    assert_eq!(operator.rules("penalty").await, 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_and_the_log_are_the_arbiters() {
    let site = hall();
    let _daemon = site.start();
    let (operator, arbiter) = (Person::new(&site, "operator", "Ola"), Person::new(&site, "arbiter", "Ann"));
    let new = r#"{"role":"operator","name":"Bea"}"#;
    for (method, path, body) in [
        ("GET", "/api/v1/tokens", ""),
        ("POST", "/api/v1/tokens", new),
        ("DELETE", "/api/v1/tokens/1", ""),
        ("GET", "/api/v1/audit", ""),
    ] {
        assert_eq!(stranger(site.desk, method, path, &[], body).await.status, 401, "{method} {path}");
        assert_eq!(operator.status(method, path, body).await, 403, "{method} {path}");
    }
    let made = arbiter.ask("POST", "/api/v1/tokens", new).await;
    assert_eq!(made.status, 201);
    let (id, token) = (made.json()["id"].clone(), made.json()["token"].as_str().unwrap().to_owned());
    let bea = Person { desk: site.desk, header: format!("Authorization: Bearer {token}") };
    assert_eq!(bea.ask("GET", "/api/v1/session", "").await.json()["name"], "Bea");
    let list = arbiter.ask("GET", "/api/v1/tokens", "").await;
    assert!(!list.body.contains(&token) && !list.body.contains("sha256"), "{}", list.body);
    let listed = list.json();
    let listed = listed.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap();
    assert_eq!((&listed["name"], &listed["revoked_at"]), (&json!("Bea"), &Value::Null));
    assert!(listed["last_used_at"].is_string() && listed["created_at"].is_string(), "{listed}");
    let path = format!("/api/v1/tokens/{}", id.as_str().unwrap());
    assert_eq!(arbiter.status("DELETE", &path, "").await, 200);
    assert_eq!(bea.status("GET", "/api/v1/session", "").await, 401);
    for (body, status) in [
        ("{", 400),
        (r#"{"role":"operator"}"#, 422),
        (r#"{"role":"king","name":"Bea"}"#, 422),
        (r#"{"role":"operator","name":" "}"#, 422),
    ] {
        assert_eq!(arbiter.status("POST", "/api/v1/tokens", body).await, status, "{body}");
    }
    assert_eq!(arbiter.status("DELETE", "/api/v1/tokens/99", "").await, 404);

    // Whoever ruled stands in the event and in the log, and a refusal does, too.
    let note = r#"{"name":"note","text":"seen","by":"somebody else"}"#;
    assert_eq!(arbiter.status("POST", RULINGS, note).await, 200);
    assert_eq!(operator.status("POST", RULINGS, note).await, 403);
    let ruled = site.exported().into_iter().find(|line| line.contains("\"ruled\"")).unwrap();
    assert!(ruled.contains(r#""by":"Ann""#), "{ruled}");
    let log = arbiter.ask("GET", "/api/v1/audit?limit=4", "").await.json();
    let line =
        |line: &Value| ["who", "action", "outcome"].map(|key| line[key].as_str().unwrap_or("?").to_owned());
    let lines: Vec<[String; 3]> = log.as_array().unwrap().iter().map(line).collect();
    let expected = [
        ["Ola", "ruling", "refused"],
        ["Ann", "ruling", "ok"],
        ["?", "bearer", "refused"],
        ["Ann", "token-revoke", "ok"],
    ];
    assert_eq!(lines, expected);
}

/// Logs in by a token or a link's; gives the cookie as it was set.
pub(crate) async fn log_in(desk: SocketAddr, token: &str) -> Answer {
    stranger(desk, "POST", "/api/v1/login", &[], &json!({ "token": token }).to_string()).await
}

pub(crate) fn cookie(answer: &Answer) -> String {
    format!("Cookie: {}", answer.header("set-cookie").unwrap().split(';').next().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_is_good_once_and_says_how_to_go_on() {
    let site = hall();
    let (_daemon, link): (Daemon, String) = site.start_and_link();
    let (desk, token) = parts(&link);
    let first = log_in(desk, token).await;
    assert_eq!((first.status, &first.json()["role"]), (200, &json!("arbiter")));
    let set = first.header("set-cookie").unwrap();
    assert!(set.starts_with("adoube_session="), "{set}");
    for flag in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=43200"] {
        assert!(set.contains(flag), "{flag} in {set}");
    }
    assert!(!set.contains("Secure"), "a cookie for plain http must come back: {set}");
    let again = log_in(desk, token).await;
    let detail = again.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(
        (again.status, detail.contains("used before"), detail.contains("adoube token add")),
        (401, true, true)
    );
    assert_eq!(again.header("set-cookie"), None);
    let session = stranger(desk, "GET", "/api/v1/session", &[&cookie(&first)], "").await.json();
    assert_eq!((&session["role"], &session["expires_at"]), (&json!("arbiter"), &first.json()["expires_at"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_writes_from_the_desks_own_page_only() {
    let site = hall();
    let _daemon = site.start();
    let desk = site.desk;
    let cookie = cookie(&log_in(desk, &site.add_token("arbiter", "Ann")).await);
    let own = format!("Origin: http://{desk}");
    let write = async |headers: &[&str]| {
        let headers: Vec<&str> = headers.iter().copied().chain([cookie.as_str()]).collect();
        stranger(desk, "POST", RULINGS, &headers, r#"{"name":"note","text":"x"}"#).await.status
    };
    assert_eq!(write(&[&own]).await, 200);
    assert_eq!(write(&["Sec-Fetch-Site: same-origin"]).await, 200);
    for foreign in
        ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "X-Nothing: 1"]
    {
        assert_eq!(write(&[foreign]).await, 403, "{foreign}");
    }
    assert_eq!(write(&[&own, "Sec-Fetch-Site: same-site"]).await, 403);
    assert_eq!(write(&[&own, "Host: evil.example"]).await, 421);
    // A page elsewhere does not even get to log somebody in.
    let body = json!({ "token": "0" }).to_string();
    let foreign = stranger(desk, "POST", "/api/v1/login", &["Sec-Fetch-Site: cross-site"], &body).await;
    assert_eq!(foreign.status, 403);
    // Reading needs no origin; logging out ends it.
    assert_eq!(stranger(desk, "GET", "/api/v1/audit", &[&cookie], "").await.status, 200);
    assert_eq!(stranger(desk, "POST", "/api/v1/logout", &[&cookie, &own], "").await.status, 200);
    let over = stranger(desk, "GET", "/api/v1/audit", &[&cookie], "").await;
    assert_eq!(over.status, 401);
    assert!(over.header("set-cookie").unwrap().contains("Max-Age=0"), "{over:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_ends_everything_that_it_began() {
    let site = hall();
    let daemon = site.start();
    let token = site.add_token("operator", "Ola");
    let bearer = format!("Authorization: Bearer {token}");
    let cookie = cookie(&log_in(site.desk, &token).await);
    // An operator may not read the log, and is told so; somebody unknown has to log in.
    let status = async |header: &str| stranger(site.desk, "GET", "/api/v1/audit", &[header], "").await.status;
    assert_eq!((status(&bearer).await, status(&cookie).await), (403, 403));
    let ours = http::known(site.desk).unwrap();
    know(site.desk, bearer.clone());
    let mut events = Events::open(site.desk, None).await.unwrap();
    know(site.desk, ours);
    assert_eq!(events.message(Duration::from_secs(5)).await.json()["desk"], true);

    let revoked = site.adoube(&["token", "revoke", "2"]);
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!((status(&bearer).await, status(&cookie).await), (401, 401));
    let end = async { while !matches!(events.next().await, Heard::End) {} };
    timeout(Duration::from_secs(5), end).await.expect("its live events end, too");
    // It stays revoked, and others are not touched.
    daemon.kill();
    let _daemon = site.start();
    assert_eq!(status(&bearer).await, 401);
    assert_eq!(get(site.desk, "/api/v1/audit").await.status, 200);
    let list = String::from_utf8(site.adoube(&["token", "list", "--json"]).stdout).unwrap();
    let ola: Value = serde_json::from_str(list.lines().nth(1).unwrap()).unwrap();
    assert!(ola["name"] == "Ola" && ola["revoked_at"].is_string(), "{ola}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_guesses_has_to_wait_and_nobody_else() {
    let site = hall();
    let _daemon = site.start();
    for number in 0..10 {
        let answer = log_in(site.desk, &format!("{number:032x}")).await;
        assert_eq!(answer.status, 401, "{number}");
    }
    let limited = log_in(site.desk, "00").await;
    assert_eq!(limited.status, 429);
    let wait_s: u32 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait_s), "{wait_s}");
    let wrong = stranger(site.desk, "GET", "/api/v1/boards", &["Authorization: Bearer 00"], "").await;
    assert_eq!(wrong.status, 429);
    // Behind a proxy everybody has the address of the one who guesses.
    let token = site.add_token("operator", "Ola");
    assert_eq!(log_in(site.desk, &token).await.status, 200);
    // Who is in stays in, and each failure is in the log, but not each attempt.
    let log = get(site.desk, "/api/v1/audit").await.json();
    let failures = log.as_array().unwrap().iter().filter(|line| line["outcome"] == "refused").count();
    assert_eq!(failures, 10);
    assert_eq!(ask(site.desk, "POST", RULINGS, &[], r#"{"name":"note","text":"x"}"#).await.status, 200);
}
