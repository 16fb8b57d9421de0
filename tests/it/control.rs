//! The control socket of a real daemon: who may come, and what comes of whoever was there before.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use adoube::daemon::{Daemon as Hall, Settings};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::daemon::{Site, reserved_address, skip};
use crate::http::stranger;

/// Nobody, on every machine.
const NOBODY: u32 = 65_534;

fn socket(site: &Site) -> PathBuf {
    site.path().join("runtime/control.sock")
}

/// `adoube round list` as somebody may ask who looks for a daemon in `runtime`.
fn round_list(runtime: &Path, change: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["round", "list"]).env("RUNTIME_DIRECTORY", runtime);
    change(&mut command);
    command.output().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// What the daemon says to whoever we are.
async fn session(path: &Path) -> Value {
    let mut stream = UnixStream::connect(path).await.unwrap();
    stream.write_all(b"GET /api/v1/session HTTP/1.0\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Are we root?
fn is_root() -> bool {
    fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0).unwrap()
}

#[tokio::test]
async fn without_a_daemon_a_command_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = round_list(folder.path(), |_| ());
    let socket = folder.path().join("control.sock");
    let expected = format!(
        "adoube: no adoube is running here (no answer at {}); start it with \"adoube run\"",
        socket.display()
    );
    assert_eq!((output.status.code(), error(&output)), (Some(2), expected));
}

#[tokio::test]
async fn whoever_is_at_the_machine_is_known_by_the_kernel() {
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    let socket = socket(&site);
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o660);
    let session = session(&socket).await;
    let expected = if is_root() { "arbiter" } else { "operator" };
    assert_eq!(session["role"], expected, "{session}");
    assert!(session["name"].as_str().is_some_and(|name| !name.is_empty()), "{session}");
    let output = round_list(socket.parent().unwrap(), |_| ());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[tokio::test]
async fn tokens_are_made_where_the_daemon_that_runs_here_looks() {
    let site = Site::new(1.0, &[]);
    let daemon = site.start();
    let token = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        // Somebody else's folders: what a configuration would say is not what the daemon was told.
        command.env("STATE_DIRECTORY", site.path().join("elsewhere")).env("HOME", site.path());
        command.env("RUNTIME_DIRECTORY", socket(&site).parent().unwrap());
        command.arg("token").args(arguments).output().unwrap()
    };
    let made = token(&["add", "arbiter", "Maria P."]);
    let secret = String::from_utf8(made.stdout.clone()).unwrap();
    assert!(!site.path().join("elsewhere").exists(), "{made:?}");
    let bearer = format!("Authorization: Bearer {}", secret.trim());
    let session = stranger(site.desk, "GET", "/api/v1/session", &[&bearer], "").await.json();
    assert_eq!((&session["role"], &session["name"]), (&json!("arbiter"), &json!("Maria P.")));
    assert!(session.get("state_directory").is_none(), "{session}");
    assert!(String::from_utf8(token(&["list"]).stdout).unwrap().contains("Maria P."));
    drop(daemon);
    // The next daemon looks where the configuration says.
    assert_eq!(token(&["add", "arbiter", "Nobody Else"]).status.code(), Some(0));
    assert!(site.path().join("elsewhere").exists());
}

#[tokio::test]
async fn others_are_kept_out_and_are_spectators_where_they_are_not() {
    if !is_root() {
        skip("only root can be somebody else");
        return;
    }
    let site = Site::new(1.0, &[]);
    let _daemon = site.start();
    let socket = socket(&site);
    let runtime = socket.parent().unwrap();
    for folder in [site.path(), runtime] {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    let as_nobody = || {
        round_list(runtime, |command| {
            command.uid(NOBODY).gid(NOBODY);
        })
    };
    let output = as_nobody();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(error(&output).contains("not permitted; be root, or a member of the group"), "{output:?}");
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    let output = as_nobody();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(error(&output).starts_with("adoube: log in first"), "{output:?}");
    // Root's own group is the daemon's: whoever is in it is an operator.
    let output = round_list(runtime, |command| {
        command.uid(NOBODY).gid(0);
    });
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[tokio::test]
async fn a_socket_is_one_daemons_and_a_killed_ones_is_taken_over() {
    let site = Site::new(1.0, &[]);
    let daemon = site.start();
    let second = Site::new(1.0, &[]);
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
        command.args(["run", "--config"]).arg(second.path().join("adoube.toml"));
        command.env("RUNTIME_DIRECTORY", site.path().join("runtime")).output().unwrap()
    };
    let output = run();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(error(&output).contains("another adoube is running there; stop it"), "{output:?}");
    let socket = socket(&site);
    daemon.kill();
    assert!(socket.exists(), "killed, it removed nothing");
    let daemon = site.start();
    assert_eq!(round_list(socket.parent().unwrap(), |_| ()).status.code(), Some(0));
    assert_eq!(daemon.terminate().await, Some(0));
    assert!(!socket.exists(), "stopped, it leaves nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_halls_of_one_process_have_a_socket_each_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let settings = |name: &str| Settings {
        control: Some(folder.path().join(name).join("control.sock")),
        ..Settings::new(folder.path().join(format!("{name}-journal")), reserved_address())
    };
    let one = Hall::start(settings("one")).await.unwrap();
    let two = Hall::start(settings("two")).await.unwrap();
    let again = Settings { control: settings("one").control, ..settings("three") };
    let refused = Hall::start(again).await.unwrap_err().to_string();
    assert!(refused.contains("another adoube is running there"), "{refused}");
    let role = session(&folder.path().join("two/control.sock")).await["role"].clone();
    assert_ne!(role, "spectator");
    let none = Hall::start(Settings { control: None, ..settings("four") }).await.unwrap();
    for hall in [one, two, none] {
        hall.stop().await;
    }
    assert!(!folder.path().join("one/control.sock").exists());
}
