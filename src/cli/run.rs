//! `adoube run`: the daemon.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;

use super::{Answer, control, qr};
use crate::config::{self, Config, Port};
use crate::daemon::{Access, Daemon, Feeds, Settings};
use crate::feed::delay::Delays;
use crate::feed::pgn::EventTags;
use crate::link::candidates;
use crate::station::Open;

/// Run the daemon
#[derive(Debug, Args)]
#[command(
    after_help = "The line on stdout is the address of the desk with a one-time login: whoever opens it first is \
                  arbiter. It is good once, for an hour; \"adoube token add\" makes tokens that last.\n\n\
                  Example:\n  adoube run\n  adoube run --config hall.toml --set announce=fast"
)]
pub(super) struct Run {
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a parameter of the tournament, e.g. announce=fast (can be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Let time run so many times as fast; for tests
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,
}

impl Run {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        if !self.speed.is_finite() || self.speed <= 0.0 {
            bail!("--speed {}: must be more than 0", self.speed);
        }
        let (mut config, file) = Config::load(self.config.as_deref())?;
        for setting in &self.set {
            let (key, value) = setting
                .split_once('=')
                .with_context(|| format!("--set {setting}: write KEY=VALUE, e.g. announce=fast"))?;
            config.set(key, value)?;
        }
        super::process::allow_many_files();
        match &file {
            Some(file) => eprintln!("configuration: {}", file.display()),
            None => eprintln!("no configuration: every board that answers, pages on loopback"),
        }
        let boards = boards(&config);
        if boards.is_empty() {
            eprintln!("no board is plugged in; \"adoube boards\" shows what was found");
        }
        let settings = Settings {
            boards,
            journal: config.state_directory()?,
            tags: EventTags { event: config.tournament.name.clone(), site: config.tournament.site.clone() },
            live_pgn: config.tournament.live_pgn,
            delays: delays(&config),
            feeds: Feeds {
                pgn: config.feeds.pgn.as_ref().map(config::PgnFeed::files),
                lichess: config.feeds.lichess.as_ref().map(config::LichessFeed::open).transpose()?,
                webhook: config.feeds.webhook.as_ref().map(config::WebhookFeed::open).transpose()?,
                livechess: config.feeds.livechess.as_ref().map(config::LiveChessFeed::open),
                nats: config.feeds.nats.as_ref().map(config::NatsFeed::open).transpose()?,
            },
            desk: config.web.arbiter,
            public: config.web.public,
            access: Access {
                names: config.web.names.clone(),
                tls: config.web.tls.clone(),
                public_tls: config.web.public_tls,
                operator_results: config.tournament.operator_results,
            },
            control: control::own_place()?,
            rounds: config.tournament.rounds,
            speed: self.speed,
        };
        if settings.control.is_none() {
            eprintln!("no folder for a control socket ($RUNTIME_DIRECTORY, /run/adoube, $XDG_RUNTIME_DIR)");
        }
        // Whoever reads the link may end us at once, and what was said has to be on disk all the same.
        let interruption = super::interruption()?;
        let daemon = Daemon::start(settings).await?;
        announce(&daemon);
        interruption.await;
        eprintln!("stopping");
        daemon.stop().await;
        Ok(Answer::Yes)
    }
}

/// Says where the pages are, and how to log in at the desk.
pub(super) fn announce(daemon: &Daemon) {
    let link = daemon.login_link();
    println!("{link}");
    let is_for_others = !daemon.desk.ip().to_canonical().is_loopback();
    if is_for_others && std::io::stdout().is_terminal() {
        match qr::code(&link, &std::io::stderr()) {
            Ok(code) => eprintln!("{code}"),
            Err(error) => eprintln!("no QR code of it: {error:#}"),
        }
    }
    if let Some(public) = daemon.public {
        eprintln!("spectators: http://{public}/");
    }
}

/// The boards of the configuration; without any, one for each port at which a board may answer.
fn boards(config: &Config) -> Vec<(Open, Port)> {
    if config.boards.is_empty() {
        let known = candidates().into_iter().filter(|candidate| candidate.is_known);
        return (1..)
            .zip(known)
            .map(|(number, candidate)| {
                let port = Port::Serial(candidate.path);
                (board(config, &format!("{number}"), &port), port)
            })
            .collect();
    }
    config
        .boards
        .iter()
        .map(|configured| {
            let mut open = board(config, &configured.id, &configured.port);
            open.protocol = configured.protocol.clone().unwrap_or(open.protocol);
            open.variant = configured.variant.clone().unwrap_or(open.variant);
            open.start.clone_from(&configured.start);
            open.set.extend(config::settings(&configured.laws));
            open.turned = configured.turned.map(|turned| if turned { 180 } else { 0 });
            (open.linked, open.pair) = neighbours(config, &configured.id);
            (open, configured.port.clone())
        })
        .collect()
}

/// By how much spectators are behind.
fn delays(config: &Config) -> Delays {
    let own = |board: &config::Board| Some((board.id.clone(), board.feed_delay_s?));
    let boards = config.boards.iter().filter_map(own).collect();
    Delays { usual_s: config.tournament.feed_delay_s, boards }
}

/// Boards that are linked or paired are so both ways, whichever says it.
fn neighbours(config: &Config, id: &str) -> (Vec<String>, Option<String>) {
    let others = |key: fn(&config::Board) -> Option<&String>| -> Vec<String> {
        let mut others: Vec<String> = Vec::new();
        for board in &config.boards {
            let Some(other) = key(board) else { continue };
            let found = if board.id == id { Some(other) } else { Some(&board.id).filter(|_| other == id) };
            others.extend(found.filter(|found| !others.contains(found)).cloned());
        }
        others
    };
    (others(|board| board.linked.as_ref()), others(|board| board.pair.as_ref()).into_iter().next())
}

pub(super) fn board(config: &Config, name: &str, port: &Port) -> Open {
    let tournament = &config.tournament;
    let mut open = Open::new(name, "dgt", &port.to_string());
    open.time_control.clone_from(&tournament.time_control);
    open.profile.clone_from(&tournament.profile);
    open.regulations.clone_from(&tournament.regulations);
    open.set = config::settings(&tournament.laws);
    match tournament.announce {
        config::Announce::Fast => "fast",
        config::Announce::Balanced => "balanced",
        config::Announce::Careful => "careful",
    }
    .clone_into(&mut open.announce);
    match tournament.publish_at {
        config::PublishAt::Made => "made",
        config::PublishAt::Completed => "completed",
    }
    .clone_into(&mut open.publish_at);
    match tournament.board_results {
        config::BoardResults::Publish => "publish",
        config::BoardResults::Propose => "propose",
    }
    .clone_into(&mut open.board_results);
    open
}
