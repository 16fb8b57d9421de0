//! The feeds that a hall was told of, started together.

use std::sync::{Arc, Weak};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::{Settings, StartError};
use crate::feed::hub::{Hub, Outgoing};
use crate::feed::lichess::{self, Lichess};
use crate::feed::nats::{self, Names, Nats, Past, Side, Tournament};
use crate::feed::pgn_files::{self, PgnFiles};
use crate::feed::sheets::{PublishAt, Sheets, Shown};
use crate::feed::status::Status;
use crate::feed::unseen::RecoveredAtFeeds;
use crate::feed::webhook::{self, Webhook};
use crate::hall::Hall;
use crate::hall::past::{DeskPast, PublicPast};
use crate::journal::{JournalHandle, Recovered};
use crate::web::livechess::{self, LiveChess};
use adoube_core::event::PublicEvent;

/// Where games and incidents go; each is off until it is set up.
#[derive(Debug, Clone, Default)]
pub struct Feeds {
    /// PGN files.
    pub pgn: Option<PgnFiles>,
    /// A broadcast on Lichess.
    pub lichess: Option<Lichess>,
    /// Who is told of incidents by HTTP.
    pub webhook: Option<Webhook>,
    /// The API of DGT LiveChess.
    pub livechess: Option<LiveChess>,
    /// Which servers get events by NATS.
    pub nats: Option<Nats>,
}

/// What feeds are made from.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) hall: &'a Arc<Hall>,
    pub(super) journal: &'a JournalHandle,
    pub(super) settings: &'a Settings,
    pub(super) recovered: &'a Recovered,
    pub(super) stopped: &'a watch::Receiver<bool>,
}

/// Starts those that are set up; gives how they stand.
pub(super) fn start(source: &Source<'_>, tasks: &mut JoinSet<()>) -> Result<Vec<Arc<Status>>, StartError> {
    let Source { hall, settings, stopped, .. } = source;
    let Feeds { pgn, lichess, webhook, livechess, nats } = settings.feeds.clone();
    let sheets = |recovered: RecoveredAtFeeds, publish_at: PublishAt, marks_recovered: bool| {
        let (tags, live) = (settings.tags.clone(), settings.live_pgn);
        let shown = Shown { tags, live, publish_at, marks_recovered };
        let clock = hall.clock().clone();
        Sheets::holding(shown, recovered.held(&hall.desk, move || clock.now().utc_ns / 1_000_000))
    };
    let mut feeds = Vec::new();
    if let Some(files) = pgn {
        let sheets = sheets(files.recovered, files.publish_at, true);
        let (status, run) = pgn_files::start(files, Arc::clone(&hall.public), sheets, (*stopped).clone());
        tasks.spawn(run);
        feeds.push(status);
    }
    if let Some(lichess) = lichess {
        // Lichess would show the mark as what somebody says of the move.
        let sheets = sheets(lichess.recovered, lichess.publish_at, false);
        let started = lichess::start(lichess, &hall.public, sheets, stopped, tasks);
        feeds.extend(started.map_err(StartError::Lichess)?);
    }
    if let Some(webhook) = webhook {
        feeds.push(post_incidents(source, webhook, tasks)?);
    }
    if let Some(livechess) = livechess {
        feeds.push(livechess::start(livechess, hall, settings.delays.is_any(), stopped, tasks));
    }
    if let Some(nats) = nats {
        feeds.extend(publish(source, &nats, tasks));
    }
    Ok(feeds)
}

/// Begins to post incidents, from the one after the last that was delivered.
fn post_incidents(
    source: &Source<'_>,
    webhook: Webhook,
    tasks: &mut JoinSet<()>,
) -> Result<Arc<Status>, StartError> {
    let Source { hall, journal, recovered, stopped, .. } = source;
    let from = webhook::Source {
        hub: Arc::clone(&hall.desk),
        journal: (*journal).clone(),
        folder: hall.folder.clone(),
        after: recovered.sent.get(webhook::NAME).copied().unwrap_or(recovered.last_seq),
    };
    webhook::start(webhook, from, stopped, tasks).map_err(StartError::Webhook)
}

/// Begins to publish by NATS, either side from its hub and from the journal.
fn publish(source: &Source<'_>, nats: &Nats, tasks: &mut JoinSet<()>) -> Vec<Arc<Status>> {
    fn from<E: Outgoing>(
        source: &Source<'_>,
        nats: &Nats,
        side: Side,
        hub: &Arc<Hub<E>>,
        past: Arc<dyn Past>,
        renew: &mpsc::Sender<String>,
    ) -> nats::Source<E> {
        let Source { hall, journal, settings, recovered, .. } = source;
        let note = nats::note(&Names::new(side, nats.site.as_deref()), &recovered.epoch);
        nats::Source {
            hub: Arc::clone(hub),
            past,
            tournament: Tournament {
                name: hall.tags.event.clone(),
                site: hall.tags.site.clone(),
                delays: settings.delays.clone(),
                live_pgn: settings.live_pgn,
            },
            journal: (*journal).clone(),
            noted: recovered.sent.contains_key(&note).then(|| recovered.epoch.clone()),
            given: if matches!(side, Side::Public) { recovered.last_public } else { recovered.last_seq },
            renew: renew.clone(),
        }
    }
    let Source { hall, journal, stopped, .. } = source;
    let mut feeds = Vec::new();
    // One word is enough.
    let (renew, asked) = mpsc::channel(1);
    tasks.spawn(begin_epoch(Arc::downgrade(hall), (*journal).clone(), asked, (*stopped).clone()));
    if nats.is_public {
        let hub = Arc::clone(&hall.public);
        let is_out = move |event: &PublicEvent| hub.is_out(event);
        let past = Arc::new(PublicPast::new(&hall.folder, Box::new(is_out)));
        let from = from(source, nats, Side::Public, &hall.public, past, &renew);
        feeds.push(nats::start(nats, Side::Public, from, stopped, tasks));
        feeds.push(nats::start_pairings(nats, Arc::clone(&hall.public), stopped, tasks));
    }
    if nats.is_private {
        let past = Arc::new(DeskPast::new(&hall.folder));
        let from = from(source, nats, Side::Private, &hall.desk, past, &renew);
        feeds.push(nats::start(nats, Side::Private, from, stopped, tasks));
    }
    feeds
}

/// Begins a new epoch if a stream turns out to be ahead of the journal once the hall is open: its servers did not answer
/// at the start.
async fn begin_epoch(
    hall: Weak<Hall>,
    journal: JournalHandle,
    mut asked: mpsc::Receiver<String>,
    mut stopped: watch::Receiver<bool>,
) {
    let why = tokio::select! {
        why = asked.recv() => why,
        _ = stopped.wait_for(|&stop| stop) => None,
    };
    let Some(why) = why else { return };
    tracing::warn!("{why}");
    let Ok(epoch) = journal.renew().await else { return };
    if let Some(hall) = hall.upgrade() {
        hall.desk.set_epoch(&epoch);
        hall.public.set_epoch(&epoch);
    }
}
