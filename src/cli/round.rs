//! `adoube round`: rounds of the daemon that runs here, opened, closed and listed.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Answer;
use super::control::{Control, Refused};

/// Open, close and list rounds
#[derive(Debug, Args)]
#[command(after_help = "It speaks to the daemon that runs on this machine.\n\n\
                  Example:\n  adoube round open 5\n  adoube round close 4\n  adoube round list")]
pub(super) struct Round {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Open a round: the games of its pairings open on their boards
    #[command(after_help = "Example:\n  adoube round open 5")]
    Open {
        /// Number of the round
        round: u32,
    },
    /// Close a round and its games; refused while one of them is played
    #[command(after_help = "Example:\n  adoube round close 4\n  adoube round close 4 --force")]
    Close {
        /// Number of the round
        round: u32,
        /// Also close games that have no result
        #[arg(long)]
        force: bool,
    },
    /// List the rounds, and how far they are
    #[command(after_help = "Example:\n  adoube round list --json")]
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

impl Round {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let control = Control::connect()?;
        let told = match &self.action {
            Action::Open { round } => control.post(&format!("/api/v1/rounds/{round}/open"), &json!({})),
            Action::Close { round, force } => {
                control.post(&format!("/api/v1/rounds/{round}/close"), &json!({ "force": force }))
            }
            Action::List { json } => {
                let rounds = control.get("/api/v1/rounds")?;
                list(&rounds, *json);
                return Ok(Answer::Yes);
            }
        };
        match told {
            Ok(told) => {
                for remark in told["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    eprintln!("{remark}");
                }
                Ok(Answer::Yes)
            }
            // Things stand so that it cannot be: that is an answer.
            Err(error) => match error.downcast::<Refused>() {
                Ok(refused) if refused.is_conflict() => {
                    eprintln!("adoube: {refused}");
                    Ok(Answer::No)
                }
                Ok(refused) => Err(refused.into()),
                Err(error) => Err(error),
            },
        }
    }
}

fn list(rounds: &Value, is_json: bool) {
    for round in rounds.as_array().into_iter().flatten() {
        if is_json {
            println!("{round}");
            continue;
        }
        let (number, state) = (&round["round"], round["state"].as_str().unwrap_or_default());
        let date = round["date"].as_str().unwrap_or("-");
        let (finished, games) = (&round["finished"], &round["games"]);
        println!("{number}\t{date}\t{state}\t{finished} of {games} games finished");
    }
}
