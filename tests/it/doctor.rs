//! The doctor on this machine: what it says, and how it ends. Each check has tests of its own beside it.

use std::net::TcpListener;
use std::process::Command;

use serde_json::Value;

use crate::daemon::Site;

fn doctor(site: &Site, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.arg("doctor").args(arguments);
    command.env("RUNTIME_DIRECTORY", site.path().join("runtime"));
    let output = command.output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn checks(site: &Site) -> (i32, Vec<Value>) {
    let config = site.path().join("adoube.toml");
    let (code, text) = doctor(site, &["--json", "--config", config.to_str().unwrap()]);
    (code, serde_json::from_str(&text).unwrap())
}

#[track_caller]
fn one<'a>(checks: &'a [Value], name: &str, what: &str) -> &'a Value {
    let is = |check: &&Value| check["check"] == name && check["what"].as_str().unwrap().contains(what);
    checks.iter().find(is).unwrap_or_else(|| panic!("{name}, {what}: {checks:#?}"))
}

#[test]
fn it_says_what_is_wrong_and_what_to_do() {
    let site = Site::new(1.0, &[]);
    let (code, all) = checks(&site);
    let has_problem = all.iter().any(|check| check["level"] == "problem");
    assert_eq!(code, i32::from(has_problem), "{all:#?}");
    for check in &all {
        assert_eq!(check["fix"].is_null(), check["level"] == "ok", "{check}");
    }
    let desk = site.desk.to_string();
    assert_eq!(one(&all, "listener", &desk)["level"], "ok");
    let held = TcpListener::bind(site.desk).unwrap();
    let (code, all) = checks(&site);
    assert_eq!((code, &one(&all, "listener", &desk)["level"]), (1, &"problem".into()));
    drop(held);
    site.change("[tournament]", "[turnament]");
    let (code, all) = checks(&site);
    assert_eq!((code, &one(&all, "configuration", "turnament")["level"]), (1, &"problem".into()));
}

#[test]
fn it_prints_the_rules_of_this_version() {
    let site = Site::new(1.0, &[]);
    let (code, text) = doctor(&site, &["--udev-rules"]);
    assert_eq!((code, text.as_str()), (0, include_str!("../../udev/70-adoube.rules")));
    let (_, text) = doctor(&site, &[]);
    let last = text.lines().last().unwrap();
    assert!(last.contains(" checks, ") && last.ends_with(" problems"), "{text}");
}

#[tokio::test]
async fn a_daemon_that_runs_is_well() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    let checks = tokio::task::spawn_blocking(move || checks(&site).1).await.unwrap();
    assert_eq!(one(&checks, "daemon", "is running")["level"], "ok");
    assert_eq!(one(&checks, "listener", "a daemon is running")["level"], "ok");
}
