//! What the unit forbids, the daemon does not need: its system calls, as the kernel sees them, against the
//! filter of the unit, as systemd expands it.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use adoube_sim::Noise;

use crate::daemon::{PATIENCE, Site, awaited, skip};
use crate::http::{game, get};
use crate::played::{self, Played, SHORT, demo_game};

const UNIT: &str = include_str!("../../../systemd/adoube.service");

/// The system calls of a group, those of the groups in it included; `None` where there is no systemd.
fn group(name: &str) -> Option<BTreeSet<String>> {
    let output = Command::new("systemd-analyze").args(["syscall-filter", name]).output().ok()?;
    assert!(output.status.success(), "{output:?}");
    let mut calls = BTreeSet::new();
    for line in String::from_utf8(output.stdout).unwrap().lines().skip(1).map(str::trim) {
        if line.starts_with('@') {
            calls.extend(group(line)?);
        } else if !line.is_empty() && !line.starts_with('#') {
            calls.insert(line.to_owned());
        }
    }
    Some(calls)
}

/// What the unit allows.
fn allowed() -> Option<BTreeSet<String>> {
    let mut allowed = BTreeSet::new();
    for filter in UNIT.lines().filter_map(|line| line.strip_prefix("SystemCallFilter=")) {
        let (is_taken, groups) = filter.strip_prefix('~').map_or((false, filter), |groups| (true, groups));
        for name in groups.split(' ') {
            let calls = group(name)?;
            if is_taken {
                allowed.retain(|call| !calls.contains(call));
            } else {
                allowed.extend(calls);
            }
        }
    }
    Some(allowed)
}

/// The calls in a summary of strace.
fn called(summary: &str) -> BTreeSet<String> {
    let rows =
        summary.lines().filter(|line| line.trim_start().starts_with(|char: char| char.is_ascii_digit()));
    let names = rows.filter_map(|row| row.split_whitespace().last());
    names.filter(|name| *name != "total").map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_needs_no_system_call_that_the_unit_forbids() {
    let Some(allowed) = allowed() else {
        skip("there is no systemd-analyze");
        return;
    };
    let (_players, port) = Played::on_tcp(played::board(&demo_game(SHORT), Noise::Clean, 1), 10.0);
    let site = Site::new(10.0, &[port, "serial:/dev/nothing-there".to_owned()]);
    // Where whoever runs it may read it.
    let adoube = site.path().join("adoube");
    std::fs::copy(env!("CARGO_BIN_EXE_adoube"), &adoube).unwrap();
    let (summary, command) = (site.path().join("calls"), site.command());
    let mut strace = Command::new("strace");
    // As a child of the traced one, so that the daemon is ours.
    strace.args(["-D", "-f", "-c", "-o"]).arg(&summary);
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        // Root may, and does, what the service may not.
        strace.args(["-u", "nobody"]);
    }
    strace.arg(&adoube).args(command.get_args());
    strace.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    if Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_err() {
        skip("there is no strace");
        return;
    }
    // The token that we are known by is made by us, and has to be read by it.
    site.add_token("arbiter", "root");
    give_to_nobody(site.path());
    let (daemon, _) = site.start_as(strace);
    let finished = async || game(site.public, "1").await.filter(|game| game["result"] != "*");
    awaited("the result", PATIENCE, finished).await;
    for path in ["/metrics", "/readyz", "/", "/api/v1/feeds"] {
        assert_eq!(get(site.desk, path).await.status, 200, "{path}");
    }
    assert_eq!(daemon.terminate().await, Some(0), "{}", site.log());
    let whole = async || std::fs::read_to_string(&summary).ok().filter(|text| text.contains("total"));
    let called = called(&awaited("the summary", PATIENCE, whole).await);
    for call in ["fdatasync", "epoll_wait", "accept4", "clone3"] {
        assert!(called.contains(call), "{call} is not in {called:?}");
    }
    let forbidden: Vec<&String> = called.difference(&allowed).collect();
    assert!(forbidden.is_empty(), "the unit forbids {forbidden:?}");
}

fn give_to_nobody(folder: &Path) {
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        let output = Command::new("chown").args(["-R", "nobody"]).arg(folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
