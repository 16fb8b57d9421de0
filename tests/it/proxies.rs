//! Behind a proxy everybody comes from one address: whom the limits are for, it says, and it alone.

use std::process::{Command, Stdio};

use crate::daemon::{Site, nowhere};
use crate::http::{get, stranger};

/// How many wrong tokens an address may try in a minute.
const TRIES: usize = 10;

/// Tries a wrong token, as somebody of whom the proxy says that he is at `from`; gives the status.
async fn tries(site: &Site, from: &str) -> u16 {
    let from = format!("X-Forwarded-For: {from}");
    let headers = ["Authorization: Bearer 00000000000000000000000000000000", &from];
    stranger(site.desk, "GET", "/api/v1/records", &headers, "").await.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_guesses_behind_a_proxy_has_to_wait_and_nobody_else_does() {
    let site = Site::new(1.0, &[]);
    site.set_web("proxies = [\"127.0.0.0/8\"]");
    let _daemon = site.start();
    for _ in 0..TRIES {
        assert_eq!(tries(&site, "203.0.113.9").await, 401);
    }
    assert_eq!(tries(&site, "203.0.113.9").await, 429);
    // What he writes himself stands before what the proxy adds.
    assert_eq!(tries(&site, "198.51.100.1, 203.0.113.9").await, 429);
    assert_eq!(tries(&site, "203.0.113.10").await, 401);
    let audit = get(site.desk, "/api/v1/audit").await.json();
    let addresses: Vec<&str> =
        audit.as_array().unwrap().iter().filter_map(|entry| entry["address"].as_str()).collect();
    assert!(addresses.contains(&"203.0.113.9") && addresses.contains(&"203.0.113.10"), "{audit}");
    // How the daemon is, is told on this machine; somebody behind the proxy is elsewhere.
    let health = async |headers: &[&str]| stranger(site.desk, "GET", "/healthz", headers, "").await.status;
    assert_eq!([health(&[]).await, health(&["X-Forwarded-For: 203.0.113.9"]).await], [200, 401]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_believed_who_is_not_named() {
    let site = Site::new(1.0, &[]);
    site.set_web("proxies = [\"192.0.2.7\"]");
    let _daemon = site.start();
    for nth in 0..TRIES {
        assert_eq!(tries(&site, &format!("203.0.113.{nth}")).await, 401);
    }
    assert_eq!(tries(&site, "203.0.113.99").await, 429);
}

#[test]
fn what_is_no_proxy_is_said_with_its_line() {
    let site = Site::new(1.0, &[]);
    site.set_web("proxies = [\"balancer.example\"]");
    let output = site.adoube(&["run"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("\"balancer.example\" is neither an address nor a network such as 10.0.0.0/8"),
        "{said}"
    );
    let mut relay = Command::new(env!("CARGO_BIN_EXE_adoube"));
    let output =
        relay.args(["relay", "--nats", "a", "--proxy", "x"]).stdout(nowhere()).stdin(Stdio::null()).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("neither an address nor a network"), "{said}");
}
