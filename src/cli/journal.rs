//! `adoube export` and `adoube verify`: what the journal holds, and whether it is whole.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use super::Answer;
use crate::config::Config;
use crate::feed::pgn::{self, EventTags};
use crate::feed::view::HallView;
use crate::hall::Replay;
use crate::journal::{InputKind, Reader, Walked, games, verify, walk};
use adoube_core::station::CORE;

/// Take games or events out of the journal
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube export > games.pgn\n  adoube export --game 5-12 --events")]
pub(super) struct Export {
    /// One game, by its name
    #[arg(long, value_name = "ID")]
    game: Option<String>,
    /// As PGN (the default)
    #[arg(long, conflicts_with = "events")]
    pgn: bool,
    /// As events, one JSON object a line
    #[arg(long)]
    events: bool,
    /// Folder of the journal (else as the configuration says)
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let (folder, config) = folder(self.journal.as_ref(), self.config.as_ref())?;
        if let Some(game) = &self.game {
            let known = games(&folder)?;
            if known.iter().all(|known| known.game != *game) {
                let names: Vec<&str> = known.iter().map(|known| known.game.as_str()).collect();
                let nearest = adoube_rules::spelling::nearest(game, names.iter().copied());
                let hint =
                    if nearest.is_empty() { String::new() } else { format!("; did you mean \"{nearest}\"?") };
                bail!("no game in {} is called \"{game}\"{hint}", folder.display());
            }
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut reader = Reader::open(&folder, 1);
        if let Some(game) = &self.game {
            reader = reader.of_game(game);
        }
        let mut hall = HallView::default();
        for stored in reader {
            let stored = stored?;
            if self.events {
                writeln!(out, "{}", stored.json)?;
                continue;
            }
            match stored.numbered() {
                Ok(event) => hall.apply_private(&event),
                // Another version may have written it; the games that it is not about are none the worse.
                Err(error) => eprintln!("adoube: event {} is passed over: {error}", stored.seq),
            }
        }
        let tags = EventTags { event: config.tournament.name, site: config.tournament.site };
        let mut is_first = true;
        for game in hall.games() {
            if !std::mem::take(&mut is_first) {
                writeln!(out)?;
            }
            write!(out, "{}", pgn::game(game, &tags))?;
        }
        out.flush()?;
        Ok(Answer::Yes)
    }
}

/// Check that nothing in the journal was changed or cut out
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube verify\n  adoube verify --journal /var/lib/adoube --json")]
pub(super) struct Verify {
    /// Folder of the journal (else as the configuration says)
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let (folder, _) = folder(self.journal.as_ref(), self.config.as_ref())?;
        let report = verify(&folder);
        let mut problem = report.problem.as_ref().map(ToString::to_string);
        let mut left_out = report.remarks.clone();
        let mut replayed = 0;
        if problem.is_none() {
            let replays = Replays::of(&folder);
            left_out.extend(replays.left_out);
            (replayed, problem) = (replays.inputs, replays.problem);
        }
        if self.json {
            let object = json!({
                "journal": folder.display().to_string(), "ok": problem.is_none(), "files": report.files,
                "inputs": report.inputs, "events": report.events, "replayed": replayed,
                "problem": problem, "left_out": left_out,
            });
            println!("{object}");
        } else {
            for remark in &left_out {
                eprintln!("adoube: {remark}");
            }
            let counts =
                format!("{} inputs, {} events, {replayed} inputs replayed", report.inputs, report.events);
            match &problem {
                None => println!("ok   {}: {counts}", folder.display()),
                Some(problem) => println!("FAIL {}: {problem}", folder.display()),
            }
        }
        Ok(if problem.is_none() { Answer::Yes } else { Answer::No })
    }
}

/// Every board's inputs once more, from each opening to the next.
#[derive(Default)]
struct Replays {
    boards: BTreeMap<String, Replay>,
    inputs: u64,
    problem: Option<String>,
    left_out: Vec<String>,
}

impl Replays {
    fn of(folder: &Path) -> Self {
        let mut replays = Self::default();
        let errors = walk(folder, |walked| replays.take(&walked));
        replays.left_out.extend(errors.iter().map(ToString::to_string));
        replays
    }

    fn take(&mut self, Walked { board, core, input, events }: &Walked) {
        match input.kind {
            InputKind::Open if *core != CORE => self.leave_out(board, "recorded by another version"),
            InputKind::Open => {
                let before = self.boards.remove(board);
                if before.is_some_and(|before| !before.leads_to(input)) {
                    let difference = format!(
                        "board {board}, input {}: it did not stand so when it was opened again",
                        input.id
                    );
                    self.problem.get_or_insert(difference);
                }
                match Replay::begin(input) {
                    Ok(replay) => {
                        self.boards.insert(board.clone(), replay);
                        self.inputs += 1;
                    }
                    Err(error) => {
                        self.problem.get_or_insert(error);
                    }
                }
            }
            InputKind::Journal => self.tear(&input.data),
            _ => {
                let Some(replay) = self.boards.get_mut(board) else { return };
                let mut stored = events.iter();
                let taken = replay.take(input, &mut stored);
                let more =
                    stored.next().map(|more| format!("board {board}: the replay lacks seq {}", more.seq));
                self.inputs += 1;
                if let Some(difference) = taken.err().or(more) {
                    self.problem.get_or_insert(difference);
                    self.boards.remove(board);
                }
            }
        }
    }

    fn leave_out(&mut self, board: &str, why: &str) {
        self.boards.remove(board);
        let remark = format!("board {board}: {why}; not replayed");
        if !self.left_out.contains(&remark) {
            self.left_out.push(remark);
        }
    }

    /// Boards that lost inputs cannot be replayed until they are opened again.
    fn tear(&mut self, remark: &[u8]) {
        let remark: Value = serde_json::from_slice(remark).unwrap_or_default();
        let lost: Vec<String> = match remark.get("lost_boards") {
            None => return,
            Some(Value::Array(lost)) => {
                lost.iter().filter_map(|board| Some(board.as_str()?.to_owned())).collect()
            }
            Some(_) => self.boards.keys().cloned().collect(),
        };
        for board in lost.iter().filter(|board| !board.is_empty()) {
            self.leave_out(board, "a gap");
        }
    }
}

fn folder(journal: Option<&PathBuf>, config: Option<&PathBuf>) -> anyhow::Result<(PathBuf, Config)> {
    let (config, _) = Config::load(config.map(PathBuf::as_path))?;
    let folder = match journal {
        Some(folder) => folder.clone(),
        None => config.state_directory()?,
    };
    if !folder.is_dir() {
        bail!("{}: no journal is there; name its folder with --journal", folder.display());
    }
    Ok((folder, config))
}
