//! `adoube doctor`: what is wrong with this machine, and the command that puts it right.
//!
//! Each check is a function of a [`System`], so that it can be shown to fail without breaking one.

mod check;
#[cfg(test)]
mod fixture;
mod host;
mod network;
mod ports;
mod storage;
mod system;

use std::path::PathBuf;

use clap::Args;

use super::Answer;
use super::control::{Control, Refused};
use crate::config::{Config, ConfigError};

use check::{Check, Level};
use system::{Machine, System};

/// The rules that belong to this version.
const UDEV_RULES: &str = include_str!("../../udev/70-adoube.rules");

/// Look for what is wrong with this machine, and say what to do
#[derive(Debug, Args)]
#[command(after_help = "Exit 0: nothing must be done; 1: something must.\n\n\
                  Example:\n  adoube doctor\n  adoube doctor --config hall.toml --json\n  \
                  adoube doctor --udev-rules | sudo tee /etc/udev/rules.d/70-adoube.rules")]
pub(super) struct Doctor {
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A JSON array
    #[arg(long, conflicts_with = "udev_rules")]
    json: bool,
    /// Print the udev rules that belong to this version, and nothing else
    #[arg(long)]
    udev_rules: bool,
}

/// A daemon that runs here, as far as it says.
enum Daemon {
    None,
    Runs,
    /// It runs and has something to complain of.
    Ails(String),
}

impl Doctor {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        if self.udev_rules {
            print!("{UDEV_RULES}");
            return Ok(Answer::Yes);
        }
        let checks = self.examine(&Machine::new()?, &daemon());
        if self.json {
            println!("{}", serde_json::to_string(&checks)?);
        } else {
            print(&checks);
        }
        let is_well = checks.iter().all(|check| check.level != Level::Problem);
        Ok(if is_well { Answer::Yes } else { Answer::No })
    }

    fn examine(&self, system: &dyn System, daemon: &Daemon) -> Vec<Check> {
        let mut checks = Vec::new();
        let config = match Config::load(self.config.as_deref()) {
            Ok((config, file)) => {
                let file = file
                    .map_or_else(|| "none; the defaults hold".to_owned(), |file| file.display().to_string());
                checks.push(Check::ok("configuration", file));
                config
            }
            Err(error) => {
                let fix = "mend that line; \"adoube config init\" prints everything that can be set";
                checks.push(Check::problem("configuration", error.to_string(), fix));
                Config::default()
            }
        };
        let is_running = !matches!(daemon, Daemon::None);
        checks.push(running(daemon));
        checks.extend(ports::all(system, UDEV_RULES));
        match journal(system, &config) {
            Ok(folder) => checks.extend(storage::all(system, &folder, is_running)),
            Err(error) => {
                let fix = "set [journal] path in the configuration, or export HOME";
                checks.push(Check::problem("journal-folder", error.to_string(), fix));
            }
        }
        checks.extend(host::all(system));
        checks.extend(network::all(system, &config, is_running));
        checks
    }
}

/// Where the journal lies: the service has its own folder, which only systemd tells it.
fn journal(system: &dyn System, config: &Config) -> Result<PathBuf, ConfigError> {
    let of_service = system.root().join("var/lib/adoube");
    let is_service = config.journal.path.is_none() && of_service.is_dir();
    if is_service { Ok(of_service) } else { config.state_directory() }
}

/// Asks the daemon that runs here how it is.
fn daemon() -> Daemon {
    let Ok(daemon) = Control::connect() else { return Daemon::None };
    match daemon.get("/readyz") {
        Ok(_) => Daemon::Runs,
        Err(error) => match error.downcast_ref::<Refused>() {
            // One that is older than that question.
            Some(refused) if refused.is_unknown() => Daemon::Runs,
            _ => Daemon::Ails(error.to_string()),
        },
    }
}

fn running(daemon: &Daemon) -> Check {
    match daemon {
        Daemon::None => Check::ok("daemon", "none is running here"),
        Daemon::Runs => Check::ok("daemon", "is running, and answers"),
        Daemon::Ails(why) => Check::problem(
            "daemon",
            format!("is running, and says: {why}"),
            "journalctl -u adoube.service -e",
        ),
    }
}

fn print(checks: &[Check]) {
    for Check { check, level, what, fix } in checks {
        println!("{:<8} {check}: {what}", level.name());
        if let Some(fix) = fix {
            println!("{:<8} {fix}", "");
        }
    }
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    println!(
        "{} checks, {} warnings, {} problems",
        checks.len(),
        count(Level::Warning),
        count(Level::Problem)
    );
}
