//! `adoube scenario`: tests of the Laws, a file each.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Answer;
use super::input::progress;
use adoube_core::event::Numbered;
use adoube_sim::scenario::{Case, Scenario, Sensor, Unmet, Verdict};

/// Run scenario files: what hands did, what must come of it
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube scenario touch-move.toml\n  adoube scenario tests/scenarios --edition 2018 --board identity"
)]
pub(super) struct Command {
    /// Scenario files, or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run this edition or profile alone (can be repeated)
    #[arg(long, value_name = "EDITION")]
    edition: Vec<String>,
    /// Run on this kind of board alone
    #[arg(long, value_name = "BOARD")]
    board: Option<Board>,
    /// Set a parameter, e.g. release_dwell_ms=1000 (can be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the events of each run as JSON lines, verdicts on stderr
    #[arg(long, conflicts_with = "json")]
    events: bool,
    /// Print one JSON object a run
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Board {
    Identity,
    Occupancy,
}

impl Command {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let settings = self.settings()?;
        let mut files = Vec::new();
        for path in &self.files {
            collect(path, &mut files)?;
        }
        // A bad file is refused before anything runs.
        let scenarios = files.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<Scenario>>>()?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        let bar = progress(scenarios.len() as u64, "scenarios");
        let (mut runs, mut failures) = (0_u32, 0_u32);
        for (file, scenario) in files.iter().zip(&scenarios) {
            for case in scenario.cases().iter().filter(|case| self.is_wanted(case)) {
                let verdict = scenario.run(case, &settings);
                let verdict =
                    verdict.with_context(|| format!("{}, {}", file.display(), label(scenario, case)))?;
                runs += 1;
                failures += u32::from(!verdict.is_ok());
                self.tell(scenario, case, &verdict, &mut out)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        out.flush()?;
        if runs == 0 {
            bail!("no run is left; --edition takes editions like 2018 or the name of a profile");
        }
        eprintln!("{runs} runs, {failures} failed");
        Ok(if failures == 0 { Answer::Yes } else { Answer::No })
    }

    fn settings(&self) -> anyhow::Result<Vec<(String, String)>> {
        // Tried once here, so that a wrong one is said before the first file.
        let mut trial = adoube_core::station::Open::new("", "", "");
        let mut settings = Vec::new();
        for setting in &self.set {
            super::set(&mut trial, setting)?;
            settings.extend(setting.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())));
        }
        Ok(settings)
    }

    fn is_wanted(&self, case: &Case) -> bool {
        let is_board = match self.board {
            None => true,
            Some(Board::Identity) => case.sensor == Sensor::Identity,
            Some(Board::Occupancy) => case.sensor == Sensor::Occupancy,
        };
        let mut editions = self.edition.iter();
        let is_edition = self.edition.is_empty()
            || editions.any(|edition| *edition == case.edition || *edition == case.profile);
        is_board && is_edition
    }

    fn tell(
        &self,
        scenario: &Scenario,
        case: &Case,
        verdict: &Verdict,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let mark = if verdict.is_ok() { "ok  " } else { "FAIL" };
        let line = format!("{mark} {}", label(scenario, case));
        if self.json {
            return writeln!(out, "{}", object(scenario, case, verdict));
        }
        if self.events {
            eprintln!("{line}");
            return verdict.events.iter().try_for_each(|event| writeln!(out, "{}", event.to_line()));
        }
        writeln!(out, "{line}")?;
        if verdict.is_ok() {
            return Ok(());
        }
        for unmet in &verdict.unmet {
            writeln!(out, "     {unmet}")?;
            for event in nearest(unmet, &verdict.events) {
                writeln!(out, "       nearest: {}", event.to_line())?;
            }
        }
        for remark in &verdict.remarks {
            writeln!(out, "     refused: {remark}")?;
        }
        for event in &verdict.events {
            writeln!(out, "       {}", brief(event))?;
        }
        Ok(())
    }
}

fn nearest<'a>(unmet: &'a Unmet, events: &'a [Numbered]) -> impl Iterator<Item = &'a Numbered> {
    events.iter().filter(|event| unmet.nearest.contains(&event.seq))
}

/// `S-001, 2018, identity: Plain move`.
fn label(scenario: &Scenario, case: &Case) -> String {
    format!("{}, {}, {}: {}", scenario.id, case.edition, case.sensor.name(), scenario.title)
}

fn object(scenario: &Scenario, case: &Case, verdict: &Verdict) -> Value {
    let unmet: Vec<Value> =
        (verdict.unmet.iter()).map(|unmet| json!({ "what": unmet.what, "nearest": unmet.nearest })).collect();
    json!({
        "id": scenario.id,
        "title": scenario.title,
        "edition": case.edition,
        "profile": case.profile,
        "board": case.sensor.name(),
        "ok": verdict.is_ok(),
        "unmet": unmet,
        "refused": verdict.remarks,
        "moves": verdict.moves,
        "result": verdict.result,
    })
}

/// An event on one line, without what is the same in every event of a run.
fn brief(event: &Numbered) -> String {
    const USUAL: [&str; 9] = ["seq", "at", "t_ms", "board", "game", "type", "kind", "readings", "edition"];
    let mut fields = event.json();
    let t_ms = fields.get("t_ms").map(Value::to_string).unwrap_or_default();
    fields.retain(|key, value| !USUAL.contains(&key.as_str()) && !value.is_null());
    format!("{t_ms:>8} {} {}", event.name(), Value::Object(fields))
}

fn read(file: &Path) -> anyhow::Result<Scenario> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name}: cannot be read"))?;
    Scenario::parse(&text)
        .map_err(|error| anyhow::anyhow!("{name}:{}:{}: {}", error.line, error.column, error.what))
}

/// `path`, or every `.toml` file below it, in the order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let name = path.display();
    let kind = std::fs::metadata(path).with_context(|| format!("{name}: cannot be read"))?;
    if !kind.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).with_context(|| format!("{name}: cannot be read"))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let before = files.len();
    for path in paths {
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "toml") {
            collect(&path, files)?;
        }
    }
    if files.len() == before {
        bail!("{name}: no scenario file (.toml) is in this folder");
    }
    Ok(())
}
