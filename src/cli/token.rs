//! `adoube token`: who may log in at the desk.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::Answer;
use super::control::Control;
use crate::auth::{Audit, Entry, Role, Tokens};
use crate::config::Config;

/// Say who may log in at the desk
#[derive(Debug, Args)]
#[command(
    after_help = "A token is shown once, when it is made. It logs a browser in, or goes with the requests of a \
                  program: \"Authorization: Bearer TOKEN\". A running daemon takes changes over at once.\n\n\
                  Example:\n  adoube token add arbiter \"Maria P.\"\n  adoube token list\n  adoube token revoke 2"
)]
pub(super) struct Token {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token and print it, this once
    #[command(after_help = "Example:\n  adoube token add operator \"Table 3\"")]
    Add {
        /// operator or arbiter
        role: String,
        /// Who gets it; the name stands beside every ruling
        name: String,
        #[command(flatten)]
        place: Place,
    },
    /// Show all tokens, without their secrets
    #[command(after_help = "Example:\n  adoube token list --json")]
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Revoke a token: from the next request on it lets nobody in
    #[command(after_help = "Example:\n  adoube token revoke 2")]
    Revoke {
        /// Its id, as "adoube token list" shows it
        id: String,
        #[command(flatten)]
        place: Place,
    },
}

/// Which daemon's tokens: they lie in its state directory.
#[derive(Debug, Args)]
struct Place {
    /// Configuration file; without one, what the daemon that runs here has
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Place {
    fn state(&self) -> anyhow::Result<PathBuf> {
        // Without a daemon the tokens lie where the next one will look.
        if self.config.is_none()
            && let Ok(daemon) = Control::connect()
        {
            let names = "the daemon that runs here does not say where its tokens lie; name its configuration with \
                         --config FILE";
            let session = daemon.get("/api/v1/session").context(names)?;
            return Ok(session["state_directory"].as_str().context(names)?.into());
        }
        let (config, _) = Config::load(self.config.as_deref())?;
        Ok(config.state_directory()?)
    }
}

impl Token {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match &self.action {
            Action::Add { role, name, place } => {
                let role: Role = role.parse().map_err(anyhow::Error::msg)?;
                let state = place.state()?;
                let (token, secret) = Tokens::new(&state).add(role, name)?;
                log(&state, "token-add", &format!("token {} for {role} {}", token.id, token.name));
                let place = state.display();
                eprintln!("token {} for {role} {} in {place}; it is shown this once:", token.id, token.name);
                println!("{secret}");
            }
            Action::List { json, place } => {
                for token in Tokens::new(&place.state()?).list()? {
                    let (id, role, name) = (&token.id, token.role, &token.name);
                    let (created_at, revoked_at) = (&token.created_at, &token.revoked_at);
                    if *json {
                        let object = json!({
                            "id": id, "role": role, "name": name, "created_at": created_at,
                            "revoked_at": revoked_at,
                        });
                        println!("{object}");
                    } else {
                        let revoked =
                            revoked_at.as_ref().map_or_else(String::new, |at| format!(", revoked {at}"));
                        println!("{id}\t{role}\t{name}\tmade {created_at}{revoked}");
                    }
                }
            }
            Action::Revoke { id, place } => {
                let state = place.state()?;
                let token = Tokens::new(&state).revoke(id)?;
                log(&state, "token-revoke", &format!("token {} of {} {}", token.id, token.role, token.name));
                eprintln!("token {id} of {} {} is revoked", token.role, token.name);
            }
        }
        Ok(Answer::Yes)
    }
}

/// Whoever can write the state directory is arbiter.
fn log(state: &std::path::Path, action: &str, detail: &str) {
    let who = std::env::var("SUDO_USER").or_else(|_| std::env::var("USER")).ok();
    Audit::new(state).write(&Entry::new(action, who.as_deref(), Role::Arbiter, None).detail(detail));
}
