//! `adoube pairings`: who plays whom, imported into the daemon that runs here.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::Answer;
use super::control::{Control, Refused};
use adoube_core::pairings::{
    Change, Encoding, FILE_BYTES, Pairing, Pairings, encoding, read_round, report_with_results, table,
};

/// Import pairings, list them, move games to other boards
#[derive(Debug, Args)]
#[command(after_help = "It speaks to the daemon that runs on this machine.\n\n\
                  Example:\n  adoube pairings import round-5.pgn --dry-run\n  adoube pairings import round-5.pgn\n  \
                  adoube pairings board 5-12 7")]
pub(super) struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Import a file of a pairing program: PGN, TRF16, TRF26, CSV or XLSX
    #[command(
        after_help = "The content says what it is. The rounds in the file replace those that are known; games that \
                      have begun go on.\n\n\
                      A table (CSV) names its columns in its first line, in any order: round, board, white, black, \
                      and match, white_title, white_elo, white_fide_id, white_federation, white_team, result, date; \
                      for a game of four players also red and blue.\n\n\
                      Example:\n  adoube pairings import round-5.pgn --dry-run\n  adoube pairings import open.trf --round 5"
    )]
    Import {
        /// The file
        file: PathBuf,
        /// Say what it would change, and change nothing; works without a daemon, too
        #[arg(long)]
        dry_run: bool,
        /// One JSON object a line, a change each
        #[arg(long)]
        json: bool,
        /// Only this round; what does not say its round is of this one
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// What it is written in (windows-1253), where that is not clear
        #[arg(long, value_name = "NAME", value_parser = encoding)]
        encoding: Option<&'static Encoding>,
    },
    /// List all pairings, their boards, and how far the games are
    #[command(after_help = "Example:\n  adoube pairings list --json")]
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// Only this round
        #[arg(long, value_name = "N")]
        round: Option<u32>,
    },
    /// Write the results for the pairing program: a table, or its own report filled in
    #[command(
        after_help = "Without a report a table (CSV) of all games goes to stdout. A report (TRF16, TRF26) is the file that \
                      the pairing program wrote: it comes out as it was, with the results and points in it.\n\n\
                      Example:\n  adoube pairings results --round 5 > round-5.csv\n  \
                      adoube pairings results --into open.trf > open-with-results.trf"
    )]
    Results {
        /// Only this round
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// The pairing program's report
        #[arg(long, value_name = "FILE")]
        into: Option<PathBuf>,
    },
    /// Have a game played at another board; whoever was to play there takes its board
    #[command(after_help = "Example:\n  adoube pairings board 5-12 7")]
    Board {
        /// The game, ROUND-NUMBER
        game: String,
        /// The board
        board: String,
    },
}

impl Command {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match &self.action {
            Action::Import { file, dry_run, json, round, encoding } => {
                import(file, *dry_run, *json, *round, *encoding)
            }
            Action::List { json, round } => list(*json, *round),
            Action::Results { round, into } => results(*round, into.as_deref()),
            Action::Board { game, board } => self::board(game, board),
        }
    }
}

fn import(
    file: &Path,
    is_preview: bool,
    is_json: bool,
    round: Option<u32>,
    encoding: Option<&'static Encoding>,
) -> anyhow::Result<Answer> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| name.clone())?;
    if bytes.len() > FILE_BYTES {
        bail!("{name}: larger than {} MiB; import one round or one event", FILE_BYTES / (1024 * 1024));
    }
    // What cannot be read is said with the file's name, and without asking anybody.
    let read = read_round(&name, &bytes, round, encoding)?;
    let control = match Control::connect() {
        Ok(control) => control,
        Err(_) if is_preview => {
            eprintln!("no daemon was asked: this is what the file holds");
            return tell_offline(read, is_json);
        }
        Err(error) => return Err(error),
    };
    let round = round.map(|round| format!("&round={round}")).unwrap_or_default();
    let encoding = encoding.map(|encoding| format!("&encoding={}", encoding.name())).unwrap_or_default();
    // It stands in the audit log; nothing there needs its odd letters.
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '_' };
    let name: String = file.file_name().unwrap_or_default().to_string_lossy().chars().map(plain).collect();
    let path = format!("/api/v1/pairings?preview={is_preview}&name={name}{round}{encoding}");
    let told = control.post_file(&path, bytes);
    let Some(told) = said(told)? else { return Ok(Answer::No) };
    let changes: Vec<Change> = serde_json::from_value(told["changes"].clone())
        .context("the daemon's answer is another version's")?;
    let remarks = told["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str);
    tell(&changes, remarks, is_json)?;
    if !is_preview && !is_json {
        eprintln!("{}", if changes.is_empty() { "nothing to change" } else { "imported" });
    }
    Ok(Answer::Yes)
}

fn tell_offline(read: Pairings, is_json: bool) -> anyhow::Result<Answer> {
    let remarks = read.remarks.clone();
    let changes = Pairings::default().merge(read);
    tell(&changes, remarks.iter().map(String::as_str), is_json)?;
    Ok(Answer::Yes)
}

fn tell<'a>(changes: &[Change], remarks: impl Iterator<Item = &'a str>, is_json: bool) -> anyhow::Result<()> {
    for remark in remarks {
        eprintln!("note: {remark}");
    }
    for change in changes {
        if is_json {
            println!("{}", serde_json::to_string(change)?);
        } else {
            println!("{:<8} {:<10} {}", change.game, change.kind.name(), change.what);
        }
    }
    Ok(())
}

fn list(is_json: bool, wanted: Option<u32>) -> anyhow::Result<Answer> {
    let told = Control::connect()?.get("/api/v1/pairings")?;
    let rounds = told["rounds"].as_object().into_iter().flat_map(Map::values).filter_map(Value::as_array);
    for pairing in rounds.flatten() {
        if wanted.is_some_and(|round| pairing["round"] != round) {
            continue;
        }
        if is_json {
            println!("{pairing}");
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let (game, board, state) = (text(&pairing["game"]), text(&pairing["board"]), text(&pairing["state"]));
        let name = |player: &str| text(&pairing[player]["name"]);
        let sides = if pairing["red"].is_null() {
            [name("white"), name("black")]
        } else {
            [["red", "blue"], ["white", "black"]].map(|partners| partners.map(name).join(" + "))
        };
        let result = pairing["result"].as_str().map(|result| format!("  {result}")).unwrap_or_default();
        println!("{game:<8} board {board:<6} {state:<9} {}{result}", sides.join(" – "));
    }
    Ok(Answer::Yes)
}

fn results(round: Option<u32>, into: Option<&Path>) -> anyhow::Result<Answer> {
    let told = Control::connect()?.get("/api/v1/pairings")?;
    let mut pairings = Pairings::default();
    for shown in
        told["rounds"].as_object().into_iter().flat_map(Map::values).filter_map(Value::as_array).flatten()
    {
        let mut shown = shown.as_object().cloned().unwrap_or_default();
        // What the daemon says beside the pairing itself.
        shown.retain(|key, _| !["game", "state"].contains(&key.as_str()));
        let pairing: Pairing = serde_json::from_value(shown.into()).context("the daemon's pairings")?;
        if round.is_none_or(|round| pairing.round == round) {
            pairings.rounds.entry(pairing.round).or_default().push(pairing);
        }
    }
    let Some(file) = into else {
        print!("{}", table(&pairings));
        return Ok(Answer::Yes);
    };
    let name = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| name.clone())?;
    let (report, written) = report_with_results(&name, &bytes, &pairings)?;
    std::io::stdout().write_all(&report)?;
    eprintln!("{name}: {written} {} filled in", if written == 1 { "result" } else { "results" });
    Ok(Answer::Yes)
}

fn board(game: &str, board: &str) -> anyhow::Result<Answer> {
    let round = game.split_once('-').and_then(|(round, _)| round.parse::<u32>().ok());
    let Some(round) = round else { bail!("\"{game}\" is no game of a round; write ROUND-NUMBER, e.g. 5-12") };
    let told = Control::connect()?.put(&format!("/api/v1/rounds/{round}/boards"), &json!({ game: board }));
    Ok(if said(told)?.is_some() { Answer::Yes } else { Answer::No })
}

/// What the daemon said; nothing if things stand so that it cannot be.
fn said(told: anyhow::Result<Value>) -> anyhow::Result<Option<Value>> {
    match told.map_err(|error| error.downcast::<Refused>()) {
        Ok(told) => Ok(Some(told)),
        Err(Ok(refused)) if refused.is_conflict() => {
            eprintln!("adoube: {refused}");
            Ok(None)
        }
        Err(Ok(refused)) => Err(refused.into()),
        Err(Err(error)) => Err(error),
    }
}
