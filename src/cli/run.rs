//! `adoube run`: the daemon.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;

use super::{Answer, control, qr};
use crate::config::{self, Config};
use crate::daemon::{Access, Daemon, Feeds, Settings, Sockets};
use crate::feed::delay::Delays;
use crate::feed::pgn::EventTags;
use crate::hall::{Discovery, Hall, Source, Wanted, manager};
use crate::link::Devices;
use crate::link::Port;
use crate::web::livechess::LiveChess;

/// Whoever stops us waits no longer, and what is not on disk by then will not be (reliability, rule 10).
const STOP: Duration = Duration::from_secs(5);

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
    /// Folder in which dev and sys are; for tests
    #[arg(long, value_name = "FOLDER", hide = true)]
    devices: Option<PathBuf>,
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
        super::process::allow_many_files();
        let sockets = Sockets::inherited()?;
        // Whoever reads the link may end us at once, and what was said has to be on disk all the same.
        let mut interruption = std::pin::pin!(super::interruption()?);
        let mut link = None;
        let mut signs: Option<tokio::task::JoinHandle<()>> = None;
        loop {
            let settings = self.settings(sockets.clone(), link.take())?;
            let has_public_tls = settings.access.public_tls;
            let daemon = tokio::select! {
                daemon = Daemon::start(settings) => daemon?,
                () = &mut interruption => {
                    eprintln!("stopped before it had started");
                    // What still reads would be waited for; nothing was said yet that is not on disk.
                    std::process::exit(0)
                }
            };
            announce(&daemon, has_public_tls);
            let reloads = reloads(&daemon.hall)?;
            manager::ready();
            if let Some(signs) = signs.take() {
                signs.abort();
            }
            let hall = Arc::clone(&daemon.hall);
            tokio::select! {
                () = &mut interruption => {}
                () = reloads => {}
                secret = hall.has_set_up() => link = Some(secret),
            }
            drop(hall);
            if link.is_none() {
                return stop(daemon).await;
            }
            eprintln!("the configuration was written: beginning with it");
            signs = Some(tokio::spawn(manager::signs_of_life()));
            // Whoever stops us meanwhile stops the next one, before it has begun.
            if tokio::time::timeout(STOP, daemon.stop()).await.is_err() {
                give_up(&disk_is_slow());
            }
        }
    }

    /// What the daemon is started with; whoever was promised a one-time link has the secret of it.
    fn settings(&self, sockets: Sockets, link: Option<String>) -> anyhow::Result<Settings> {
        let pair = |setting: &String| {
            let pair = setting.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
            pair.with_context(|| format!("--set {setting}: write KEY=VALUE, e.g. announce=fast"))
        };
        let set = self.set.iter().map(pair).collect::<Result<_, _>>()?;
        let (source, file) = Source::load(self.config.clone(), set)?;
        let config = &source.config;
        match &file {
            Some(file) => eprintln!("configuration: {}", file.display()),
            None => eprintln!("no configuration: every board that answers, pages on loopback"),
        }
        if let Some(file) = source.unwritten() {
            eprintln!("the page asks for what has to be known, and writes {}", file.display());
        }
        let settings = Settings {
            boards: Vec::new(),
            discovery: discovery(config, self.devices.as_deref()),
            journal: config.state_directory()?,
            retention: config.journal.retention,
            tags: EventTags { event: config.tournament.name.clone(), site: config.tournament.site.clone() },
            live_pgn: config.tournament.live_pgn,
            delays: delays(config),
            feeds: Feeds {
                pgn: config.feeds.pgn.as_ref().map(config::PgnFeed::files),
                lichess: config.feeds.lichess.as_ref().map(config::LichessFeed::open).transpose()?,
                webhook: config.feeds.webhook.as_ref().map(config::WebhookFeed::open).transpose()?,
                livechess: config.feeds.livechess.as_ref().map(LiveChess::from),
                nats: config.feeds.nats.as_ref().map(config::NatsFeed::open).transpose()?,
            },
            desk: config.web.arbiter,
            public: config.web.public,
            sockets,
            access: Access {
                names: config.web.names.clone(),
                proxies: config.web.proxies.clone(),
                tls: config.web.tls.clone(),
                public_tls: config.web.public_tls,
                operator_results: config.tournament.operator_results,
                link,
            },
            control: control::own_place()?,
            rounds: config.tournament.rounds,
            publish_pairings: config.tournament.publish_pairings,
            speed: self.speed,
            source: Some(source.clone()),
        };
        if settings.control.is_none() {
            eprintln!("no folder for a control socket ($RUNTIME_DIRECTORY, /run/adoube, $XDG_RUNTIME_DIR)");
        }
        Ok(settings)
    }
}

/// Stops in good order, but within [`STOP`], and at once if told so a second time: the journal is as good after
/// that as after a loss of power.
async fn stop(daemon: Daemon) -> anyhow::Result<Answer> {
    manager::stopping();
    eprintln!("stopping");
    let again = super::interruption()?;
    let why = tokio::select! {
        stopped = tokio::time::timeout(STOP, daemon.stop()) => match stopped {
            Ok(()) => return Ok(Answer::Yes),
            Err(_) => disk_is_slow(),
        },
        () = again => "told to stop a second time".to_owned(),
    };
    give_up(&why)
}

fn disk_is_slow() -> String {
    format!("the journal's disk does not answer within {} s", STOP.as_secs())
}

fn give_up(why: &str) -> ! {
    eprintln!("adoube: stopped without waiting: {why}");
    // What still runs may hang, and would be waited for.
    std::process::exit(1)
}

/// Says where the pages are, and how to log in at the desk.
pub(super) fn announce(daemon: &Daemon, public_tls: bool) {
    let link = daemon.login_link();
    // Whoever has read the first one may not stay for that of a daemon that begins anew.
    let _gone = writeln!(std::io::stdout(), "{link}");
    let is_for_others = !daemon.desk.ip().to_canonical().is_loopback();
    if is_for_others && std::io::stdout().is_terminal() {
        match qr::code(&link, &std::io::stderr()) {
            Ok(code) => eprintln!("{code}"),
            Err(error) => eprintln!("no QR code of it: {error:#}"),
        }
    }
    if let Some(public) = daemon.public_link(public_tls) {
        eprintln!("spectators: {public}");
    }
}

/// Where boards are looked for, and which; `None` if the configuration wants no looking.
fn discovery(config: &Config, devices: Option<&Path>) -> Option<Discovery> {
    let config::Discovery { enabled, ports, add } = &config.discovery;
    if !enabled {
        return None;
    }
    let usual = || Box::new(config.usual_board("", &Port::Auto));
    Some(Discovery {
        devices: devices.map(Devices::below).unwrap_or_default(),
        ports: ports.clone(),
        adds: add.unwrap_or(config.boards.is_empty()).then(usual),
        wanted: Wanted::of(config),
    })
}

/// Reads the configuration again whenever a SIGHUP asks for it.
fn reloads(hall: &Arc<Hall>) -> anyhow::Result<impl Future<Output = ()> + use<>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut asked = signal(SignalKind::hangup())?;
    let hall = Arc::downgrade(hall);
    Ok(async move {
        while asked.recv().await.is_some() {
            let Some(hall) = hall.upgrade() else { break };
            manager::reloading();
            match hall.reload().await {
                Ok(changes) => tracing::info!(?changes, "the configuration was read again"),
                Err(error) => {
                    tracing::error!("the configuration is not taken over, nothing has changed: {error}");
                }
            }
            manager::ready();
        }
        std::future::pending::<()>().await;
    })
}

/// By how much spectators are behind.
fn delays(config: &Config) -> Delays {
    let own = |board: &config::Board| Some((board.id.clone(), board.feed_delay_s?));
    let boards = config.boards.iter().filter_map(own).collect();
    Delays { usual_s: config.tournament.feed_delay_s, boards }
}
