//! Lines of the log with their fields, as systemd's journal gets them.

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use adoube_sim::Noise;
use serde_json::json;
use tokio::time::Instant;

use crate::daemon::{PATIENCE, Site, awaited, reserved_address, skip};
use crate::http::ask;
use crate::played::{self, LONG, Played, demo_game};

/// Where the library sends to. Only in a file system of its own can a test be there.
const JOURNAL: &str = "/run/systemd/journal";

/// The fields of a line; those that we read stand on one line each (systemd.io/JOURNAL_NATIVE_PROTOCOL).
fn fields(datagram: &[u8]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut rest = datagram;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        match line.iter().position(|&byte| byte == b'=') {
            Some(equals) => {
                fields.push((text(&line[..equals]), text(&line[equals + 1..])));
                rest = after;
            }
            None => {
                let length = u64::from_le_bytes(after[..8].try_into().unwrap()) as usize;
                fields.push((text(line), text(&after[8..8 + length])));
                rest = &after[8 + length + 1..];
            }
        }
    }
    fields
}

fn field<'a>(line: &'a [(String, String)], name: &str) -> Option<&'a str> {
    line.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_of_the_journal_has_its_board_and_an_incident_its_game_and_type() {
    let can_mount = Command::new("unshare").args(["--mount", "true"]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        skip("a file system of its own can only be had by root");
        return;
    }
    let (players, port) = Played::on_tcp(played::board(&demo_game(LONG), Noise::Clean, 1), 10.0);
    let nobody = reserved_address();
    let site = Site::new(10.0, &[port, format!("tcp://{nobody}")]);
    let folder = site.path().join("systemd-journal");
    std::fs::create_dir(&folder).unwrap();
    let journal = UnixDatagram::bind(folder.join("socket")).unwrap();
    journal.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let command = site.command();
    let mut shell = Command::new("unshare");
    let script = format!(
        "mount -t tmpfs tmpfs /run && mkdir -p {JOURNAL} && mount --bind \"$0\" {JOURNAL} && exec \"$@\""
    );
    shell.args(["--mount", "sh", "-c", &script]).arg(&folder);
    shell.arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let stderr = site.log_file().metadata().unwrap();
    shell.env("JOURNAL_STREAM", format!("{}:{}", stderr.dev(), stderr.ino()));
    let _daemon = site.start_as(shell);
    awaited("a few plies", PATIENCE, async || (players.plies() >= 2).then_some(())).await;
    let claim = json!({ "name": "communication-reported" }).to_string();
    assert_eq!(ask(site.desk, "POST", "/api/v1/boards/1/rulings", &[], &claim).await.status, 200);
    let mut lines = Vec::new();
    let deadline = Instant::now() + PATIENCE;
    let is_incident = |line: &Vec<(String, String)>| field(line, "INCIDENT").is_some();
    let is_failure = |line: &Vec<(String, String)>| field(line, "BOARD") == Some("2");
    while !(lines.iter().any(is_incident) && lines.iter().any(is_failure)) {
        assert!(Instant::now() < deadline, "{lines:?}\n{}", site.log());
        let mut datagram = vec![0; 65_536];
        if let Ok(count) = journal.recv(&mut datagram) {
            lines.push(fields(&datagram[..count]));
        }
    }
    let incident = lines.iter().find(|line| is_incident(line)).unwrap();
    let expected = [
        ("MESSAGE", "incident"),
        ("PRIORITY", "4"),
        ("SYSLOG_IDENTIFIER", "adoube"),
        ("TARGET", "incident"),
        ("BOARD", "1"),
        ("SEVERITY", "alert"),
    ];
    for (name, value) in expected {
        assert_eq!(field(incident, name), Some(value), "{name}: {incident:?}");
    }
    assert!(field(incident, "GAME").is_some_and(|game| game.contains('-') && game.len() > 2), "{incident:?}");
    assert!(field(incident, "RECORD").is_some_and(|record| record.parse::<u64>().is_ok()), "{incident:?}");
    assert!(field(incident, "INCIDENT").is_some_and(|name| name.contains("communication")), "{incident:?}");
    // What went well is no warning.
    let linked =
        lines.iter().find(|line| field(line, "MESSAGE") == Some("linked")).expect("board 1 is linked");
    assert_eq!(field(linked, "PRIORITY"), Some("6"), "{linked:?}");
    // Nothing of it is said twice: stderr has the plain lines of the start alone.
    assert!(!site.log().contains("incident"), "{}", site.log());
}
