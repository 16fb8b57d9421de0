//! `adoube export` and `adoube verify`: what the journal holds, and whether it is whole.

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::Answer;
use crate::config::Config;
use crate::feed::pgn::{self, EventTags};
use crate::feed::view::HallView;
use crate::hall::Proof;
use crate::journal::{Reader, game_of_pairing, games, verify};

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
        let mut game = self.game.clone();
        if let Some(game) = &mut game {
            let known = games(&folder)?;
            if known.iter().any(|known| known.game == *game) {
                // As it is called.
            } else if let Some(began_as) = game_of_pairing(&folder, game)? {
                *game = began_as;
            } else {
                let names: Vec<&str> = known.iter().map(|known| known.game.as_str()).collect();
                let nearest = adoube_rules::spelling::nearest(game, names.iter().copied());
                let hint =
                    if nearest.is_empty() { String::new() } else { format!("; did you mean \"{nearest}\"?") };
                bail!("no game in {} is called \"{game}\"{hint}", folder.display());
            }
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut reader = Reader::open(&folder, 1);
        if let Some(game) = &game {
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
            let proof = Proof::of(&folder);
            left_out.extend(proof.left_out);
            (replayed, problem) = (proof.inputs, proof.problem);
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
