//! The machine itself: its time, its limits, and the service.

use std::collections::BTreeMap;

use super::check::Check;
use super::system::System;

/// 2026-01-01: no machine that runs this version lives before that.
const NOT_BEFORE_S: i64 = 1_767_225_600;

/// A hall of a thousand boards with its spectators.
const FILES: u64 = 4_096;

const SYNCHRONISE: &str = "sudo timedatectl set-ntp true; without a time service: sudo apt install chrony";

/// All of them.
pub(super) fn all(system: &dyn System) -> Vec<Check> {
    vec![synchronised(system), sane(system), files(system), unit(system)]
}

fn synchronised(system: &dyn System) -> Check {
    let name = "time-synchronised";
    // systemd knows what the kernel knows, whichever service sets the clock.
    let said = system.run("timedatectl", &["show", "--property=NTPSynchronized", "--value"]);
    match said.as_deref() {
        Some("yes") => return Check::ok(name, "the kernel's clock is synchronised"),
        Some("no") => {
            let what = "no: the times of moves and incidents are this machine's guess";
            return Check::warning(name, what, SYNCHRONISE);
        }
        _ => {}
    }
    if let Some(said) = system.run("chronyc", &["-n", "tracking"]) {
        let is_good = said.lines().any(|line| line.starts_with("Leap status") && line.ends_with("Normal"));
        return if is_good {
            Check::ok(name, "chrony follows its servers")
        } else {
            Check::warning(
                name,
                "chrony does not follow any server",
                "chronyc sources; is the network there?",
            )
        };
    }
    if system.root().join("run/systemd/timesync/synchronized").exists() {
        return Check::ok(name, "systemd-timesyncd follows its server");
    }
    Check::warning(name, "nothing here says so (timedatectl, chronyc)", SYNCHRONISE)
}

fn sane(system: &dyn System) -> Check {
    let (name, now_s) = ("time", system.utc_s());
    if now_s < NOT_BEFORE_S {
        let what = format!("the clock says {now_s} s since 1970, which was before this version was made");
        return Check::problem(name, what, SYNCHRONISE);
    }
    Check::ok(name, "the clock is not in the past")
}

fn files(system: &dyn System) -> Check {
    let name = "open-files";
    match system.files_max() {
        Some(limit) if limit < FILES => {
            let fix = "set LimitNOFILE=65536 in the unit, or nofile in /etc/security/limits.conf";
            Check::warning(name, format!("at most {limit}: each board and each spectator is one"), fix)
        }
        Some(limit) => Check::ok(name, format!("up to {limit}")),
        None => Check::ok(name, "no limit"),
    }
}

fn unit(system: &dyn System) -> Check {
    let name = "service";
    let properties = "--property=LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result";
    let Some(said) = system.run("systemctl", &["show", "adoube.service", properties]) else {
        return Check::ok(name, "systemd does not run here");
    };
    let said: BTreeMap<&str, &str> = said.lines().filter_map(|line| line.split_once('=')).collect();
    let get = |key| said.get(key).copied().unwrap_or_default();
    let look = "journalctl -u adoube.service -b -e";
    match (get("LoadState"), get("ActiveState")) {
        ("not-found", _) => Check::ok(name, "adoube.service is not installed; adoube is started by hand"),
        ("masked", _) => {
            Check::warning(name, "adoube.service is masked", "sudo systemctl unmask adoube.service")
        }
        (_, "active") => match get("NRestarts") {
            "" | "0" => Check::ok(name, "adoube.service is active"),
            count => Check::warning(name, format!("adoube.service was restarted {count} times"), look),
        },
        (_, "failed") => Check::problem(name, format!("adoube.service has failed ({})", get("Result")), look),
        (_, "activating") => {
            Check::warning(name, format!("adoube.service is starting ({})", get("SubState")), look)
        }
        _ if get("UnitFileState") == "enabled" => {
            Check::warning(name, "adoube.service is not running", "sudo systemctl start adoube.service")
        }
        _ => Check::warning(
            name,
            "adoube.service is installed and neither running nor enabled",
            "sudo systemctl enable --now adoube.service",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Level;
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn the_clock_follows_a_server() {
        let mut system = Fixture::new();
        let timedatectl = "timedatectl show --property=NTPSynchronized --value";
        assert!(synchronised(&system).what.starts_with("nothing here says so"));
        system.write("run/systemd/timesync/synchronized", "");
        assert_eq!(synchronised(&system).level, Level::Ok);
        system.says("chronyc -n tracking", "Stratum         : 0\nLeap status     : Not synchronised");
        assert_eq!(synchronised(&system).level, Level::Warning);
        system.says("chronyc -n tracking", "Stratum         : 3\nLeap status     : Normal");
        assert_eq!(synchronised(&system).level, Level::Ok);
        system.says(timedatectl, "no");
        assert_eq!(synchronised(&system).fix.as_deref(), Some(SYNCHRONISE));
        system.says(timedatectl, "yes");
        assert_eq!(synchronised(&system).level, Level::Ok);
    }

    #[test]
    fn the_clock_is_not_in_the_past() {
        let mut system = Fixture::new();
        assert_eq!(sane(&system).level, Level::Ok);
        system.utc_s = 0;
        assert_eq!(sane(&system).level, Level::Problem);
    }

    #[test]
    fn enough_files_can_be_open() {
        let mut system = Fixture::new();
        assert_eq!(files(&system).level, Level::Ok);
        system.files_max = Some(1_024);
        assert_eq!(files(&system).level, Level::Warning);
        system.files_max = None;
        assert_eq!(files(&system).level, Level::Ok);
    }

    #[test]
    fn the_service_runs() {
        let mut system = Fixture::new();
        assert_eq!(unit(&system).what, "systemd does not run here");
        let command = "systemctl show adoube.service \
                       --property=LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result";
        for (said, level) in [
            ("LoadState=not-found\nActiveState=inactive", Level::Ok),
            ("LoadState=masked\nActiveState=inactive", Level::Warning),
            ("LoadState=loaded\nActiveState=active\nNRestarts=0", Level::Ok),
            ("LoadState=loaded\nActiveState=active\nNRestarts=4", Level::Warning),
            ("LoadState=loaded\nActiveState=failed\nResult=exit-code", Level::Problem),
            ("LoadState=loaded\nActiveState=activating\nSubState=auto-restart", Level::Warning),
            ("LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled", Level::Warning),
            ("LoadState=loaded\nActiveState=inactive\nUnitFileState=disabled", Level::Warning),
        ] {
            system.says(command, said);
            assert_eq!(unit(&system).level, level, "{said}");
        }
    }
}
