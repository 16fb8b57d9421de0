//! Incidents by HTTP to whoever shall know: one POST for each record opened or changed, signed, retried for
//! a day, in order, and again under the same key after a restart.
//!
//! ```text
//! desk's hub ──▶ search ── queue ──▶ delivery ──▶ POST
//!    journal ──▶         (bounded)       │
//!       ▲                                │
//!       └───────────── sent ◀────────────┘
//! ```
//!
//! Nothing waits for a receiver but this feed: while the queue is full the search stands still, and what
//! the hub does not keep so long is read from the journal afterwards. So nothing is lost to a receiver
//! that is away, but for two things, and both are counted: what it refuses (any answer that is neither a
//! success nor 408, 429 or 5xx), and what could not be delivered within a day.

mod delivery;
mod search;
mod signature;

pub use signature::signature;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use reqwest::Url;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::hub::DeskHub;
use super::status::Status;
use crate::journal::JournalHandle;
use adoube_rules::laws::Severity;

/// Its name in the journal and on the desk.
pub const NAME: &str = "webhook";

/// Incidents that wait in memory; more than an hour of a hall in trouble.
const QUEUE: usize = 1_000;

/// What is sent where.
#[derive(Clone)]
pub struct Webhook {
    /// Where to.
    pub url: Url,
    /// What the signature is made with.
    pub secret: Vec<u8>,
    /// From how urgent on.
    pub severity: Severity,
    /// Only these types; none means all.
    pub events: Vec<String>,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, secret: _, severity, events } = self;
        let mut shown = f.debug_struct("Webhook");
        shown.field("url", &url.origin().ascii_serialization());
        shown.field("severity", severity).field("events", events).finish_non_exhaustive()
    }
}

/// Where the incidents come from.
#[derive(Debug)]
pub struct Source {
    /// The desk's events.
    pub hub: Arc<DeskHub>,
    /// The journal that has them too.
    pub journal: JournalHandle,
    /// Its folder.
    pub folder: PathBuf,
    /// The `seq` up to which all is delivered.
    pub after: u64,
}

/// Begins to deliver, and says how it stands.
///
/// # Errors
/// What the HTTP client says when it cannot be made: no certificates to trust, for example.
pub fn start(
    webhook: Webhook,
    source: Source,
    stop: &watch::Receiver<bool>,
    tasks: &mut JoinSet<()>,
) -> reqwest::Result<Arc<Status>> {
    let status = Arc::new(Status::new(NAME, webhook.url.origin().ascii_serialization()));
    let (sender, queue) = mpsc::channel(QUEUE);
    let delivery = delivery::Delivery::new(&webhook, source.journal.clone(), Arc::clone(&status))?;
    // What is noted now is where a restart goes on, also if nothing is ever sent.
    source.journal.sent(NAME, source.after);
    let search = search::Search::new(webhook, source, sender, Arc::clone(&status));
    let mut stopped = stop.clone();
    tasks.spawn(async move {
        tokio::select! {
            _ = stopped.wait_for(|&stop| stop) => {}
            () = search.run() => {}
        }
    });
    let mut stopped = stop.clone();
    tasks.spawn(async move {
        tokio::select! {
            _ = stopped.wait_for(|&stop| stop) => {}
            () = delivery.run(queue) => {}
        }
    });
    Ok(status)
}
