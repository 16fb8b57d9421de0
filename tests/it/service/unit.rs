//! The units, as systemd's own programs judge them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::daemon::skip;

fn systemd() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd")
}

/// `systemd-analyze ARGUMENTS`; `None` where there is none.
fn analyze(arguments: &[&str], paths: &[PathBuf]) -> Option<Output> {
    match Command::new("systemd-analyze").args(arguments).args(paths).output() {
        Ok(output) => Some(output),
        Err(_) => {
            skip("there is no systemd-analyze");
            None
        }
    }
}

/// The units in a folder of their own, with our binary in the place of the installed one: nothing is installed
/// here, and systemd looks whether there is something to start.
fn units() -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let mut copies = Vec::new();
    for entry in fs::read_dir(systemd()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".service") || name.ends_with(".socket") {
            let text = fs::read_to_string(&path).unwrap();
            let copy = folder.path().join(name);
            fs::write(&copy, text.replace("/usr/bin/adoube", env!("CARGO_BIN_EXE_adoube"))).unwrap();
            copies.push(copy);
        }
    }
    assert!(copies.len() >= 3, "{copies:?}");
    (folder, copies)
}

#[test]
fn the_units_are_clean() {
    let (folder, mut units) = units();
    // With their drop-ins, as people will install them.
    let drop_ins = folder.path().join("adoube.service.d");
    fs::create_dir(&drop_ins).unwrap();
    for entry in fs::read_dir(systemd()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "conf") {
            let text = fs::read_to_string(&path).unwrap().replace("\n#LoadCredential", "\nLoadCredential");
            fs::write(drop_ins.join(path.file_name().unwrap()), text).unwrap();
        }
    }
    assert_eq!(fs::read_dir(&drop_ins).unwrap().count(), 2);
    // The manual is not installed either.
    let Some(output) = analyze(&["verify", "--man=no"], &units) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
    // It sees what is wrong.
    let broken = units.remove(0);
    fs::write(&broken, format!("{}\nNoSuchKey=1\n", fs::read_to_string(&broken).unwrap())).unwrap();
    let output = analyze(&["verify", "--man=no"], &[broken]).unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("NoSuchKey"), "{output:?}");
}

#[test]
fn the_service_is_hardened() {
    let (_folder, units) = units();
    let service = units.into_iter().find(|unit| unit.ends_with("adoube.service")).unwrap();
    let threshold =
        |threshold| analyze(&["security", "--offline=true", threshold], std::slice::from_ref(&service));
    let Some(output) = threshold("--threshold=20") else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!threshold("--threshold=5").unwrap().status.success(), "it does look");
}

/// The group is made as systemd makes it, in a root of its own.
#[test]
fn the_group_of_the_operators_is_made() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("etc")).unwrap();
    let mut sysusers = Command::new("systemd-sysusers");
    sysusers.arg("--root").arg(root.path()).arg(systemd().join("adoube.sysusers"));
    let Ok(output) = sysusers.output() else {
        skip("there is no systemd-sysusers");
        return;
    };
    let group = fs::read_to_string(root.path().join("etc/group")).unwrap_or_default();
    assert!(group.starts_with("adoube-operators:"), "{group}{output:?}");
}

/// What the unit promises for the daemon is what the daemon does.
#[test]
fn the_service_says_what_the_daemon_relies_on() {
    let text = fs::read_to_string(systemd().join("adoube.service")).unwrap();
    for line in [
        "Type=notify",
        "WatchdogSec=10s",
        "DynamicUser=yes",
        "StateDirectory=adoube",
        "StateDirectoryMode=0700",
        "RuntimeDirectory=adoube",
        "Group=adoube-operators",
        "StartLimitIntervalSec=0",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}");
    }
    // A group of the user's name would keep systemd from making the user up.
    let sysusers = fs::read_to_string(systemd().join("adoube.sysusers")).unwrap();
    assert!(sysusers.lines().any(|line| line == "g adoube-operators -"), "{sysusers}");
    // Credentials with a path stop the start where the file is missing.
    let credentials: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("LoadCredential=")).collect();
    assert!(!credentials.is_empty() && credentials.iter().all(|name| !name.contains(':')), "{credentials:?}");
    // Each class of devices has its module loaded before it is looked up; ttyS is built in.
    for module in ["cdc_acm", "ftdi_sio", "cp210x", "ch341", "pl2303", "rfcomm"] {
        for key in ["Wants=", "After="] {
            let line = text
                .lines()
                .find(|line| line.starts_with(key) && line.contains(&format!("modprobe@{module}.")));
            assert!(line.is_some(), "{key} {module}");
        }
    }
}
